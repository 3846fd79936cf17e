// Blocks that hand results to each other through flags in global memory: each waits for its predecessor.
#include "../check.h"

__device__ volatile int ready[64];
__device__ int ticket;

__global__ void chain(const int *in, int *out) {
  __shared__ int block;
  if (threadIdx.x == 0) block = atomicAdd(&ticket, 1); // numbered in the order of start, so that waiting ends
  __syncthreads();
  if (threadIdx.x == 0) {
    int before = 0;
    if (block > 0) {
      while (ready[block - 1] == 0) {}
      __threadfence();
      before = *(volatile int *)&out[block - 1];
    }
    out[block] = before + in[block];
    __threadfence();
    ready[block] = 1;
  }
}

int main() {
  std::vector<int> in;
  for (int i = 0; i < 64; ++i) in.push_back(i * i);
  Device<int> d(in), out(64);
  chain<<<64, 64>>>(d, out);
  CHECK_KERNEL();
  const auto got = out.host();
  int sum = 0;
  for (int i = 0; i < 64; ++i) same("chain", i, got[i], sum += in[i]);
  return finish();
}
