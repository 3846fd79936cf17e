// volatile accesses and fences: the last block to finish adds up what the others left (threadfence reduction).
#include "../check.h"

__device__ unsigned arrived = 0;

__global__ void sum(const int *in, int n, volatile int *partial, int *result) {
  __shared__ volatile int shared[128];
  __shared__ bool last;
  int s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += in[i];
  shared[threadIdx.x] = s;
  __threadfence_block();
  __syncthreads();
  if (threadIdx.x == 0) {
    int total = 0;
    for (int k = 0; k < (int)blockDim.x; ++k) total += shared[k];
    partial[blockIdx.x] = total;
    __threadfence();
    last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int total = 0;
    for (unsigned k = 0; k < gridDim.x; ++k) total += partial[k];
    *result = total;
    __threadfence_system();
  }
}

int main() {
  std::vector<int> in;
  int expected = 0;
  for (int i = 0; i < 10000; ++i) in.push_back(i % 97 - 20), expected += in.back();
  Device<int> d(in), partial(20), result(1);
  for (int round = 0; round < 3; ++round) {
    CHECK(cudaMemset(result, 0, 4));
    sum<<<20, 128>>>(d, 10000, partial, result);
    CHECK_KERNEL();
    same("sum", round, result.host()[0], expected);
  }
  return finish();
}
