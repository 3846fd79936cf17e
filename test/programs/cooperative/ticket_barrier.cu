// A barrier of the grid as programs write it themselves: blocks count each other, the last one lets all go on.
#include "../check.h"

__device__ unsigned int arrived;
__device__ volatile unsigned int generation;

__device__ void meet() {
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned int mine = generation;
    __threadfence();
    if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
      arrived = 0;
      __threadfence();
      generation = mine + 1;
    } else {
      while (generation == mine) {}
    }
    __threadfence();
  }
  __syncthreads();
}

// Each round reads what other blocks wrote in the one before.
__global__ void kernel(int *a, int *b, int rounds) {
  const int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; ++r) {
    b[i] = a[(i + blockDim.x) % n] + r;
    meet();
    int *t = a;
    a = b, b = t;
  }
}

int main() {
  int processors, rounds = 8;
  CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  const int threads = 64, blocks = 2 * processors, n = blocks * threads;
  std::vector<int> x(n);
  for (int i = 0; i < n; ++i) x[i] = i * 7 % 1000;
  Device<int> a(x), b(n);
  int *from = a, *to = b;
  void *arguments[] = {&from, &to, &rounds};
  CHECK(cudaLaunchCooperativeKernel((void *)kernel, dim3(blocks), dim3(threads), arguments, 0, 0));
  CHECK_KERNEL();
  const auto got = a.host();
  for (int i = 0; i < n; ++i) same("value", i, got[i], x[(i + rounds * threads) % n] + rounds * (rounds - 1) / 2);
  return finish();
}
