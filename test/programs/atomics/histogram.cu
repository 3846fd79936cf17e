// A histogram with many conflicts: shared-memory counters, then global ones; a lock by compare-and-swap per block.
#include "../check.h"

__device__ int lock = 0;
__global__ void histogram(const unsigned char *in, int n, unsigned *bins, int *log, int *logged) {
  __shared__ unsigned own[64];
  for (int k = threadIdx.x; k < 64; k += blockDim.x) own[k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[in[i] >> 2], 1u);
  __syncthreads();
  for (int k = threadIdx.x; k < 64; k += blockDim.x) atomicAdd(&bins[k], own[k]);
  if (threadIdx.x == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {}
    __threadfence();
    log[*(volatile int *)logged] = (int)blockIdx.x;
    *(volatile int *)logged = *(volatile int *)logged + 1;
    __threadfence();
    atomicExch(&lock, 0);
  }
}

int main() {
  const int n = 20000;
  Random random;
  std::vector<unsigned char> in(n);
  std::vector<unsigned> e(64);
  for (auto &x : in) x = (unsigned char)(random.next() & random.next()), e[x >> 2]++;
  Device<unsigned char> d(in);
  Device<unsigned> bins(64);
  Device<int> log(16), logged(1);
  histogram<<<16, 128>>>(d, n, bins, log, logged);
  CHECK_KERNEL();
  const auto got = bins.host();
  for (int k = 0; k < 64; ++k) same("bin", k, got[k], e[k]);
  same("logged", 0, logged.host()[0], 16);
  int sum = 0;
  for (int b : log.host()) sum += b;
  same("log", 0, sum, 120);
  return finish();
}
