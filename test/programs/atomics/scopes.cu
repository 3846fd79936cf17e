// Atomics of block and system scope, on global and mapped host memory.
#include "../check.h"

__global__ void kernel(int *perBlock, unsigned long long *everywhere, int *flags) {
  atomicAdd_block(&perBlock[blockIdx.x], 2);
  atomicMax_block(&perBlock[gridDim.x + blockIdx.x], (int)threadIdx.x);
  atomicAdd_system(everywhere, 1ull);
  atomicOr_system(&flags[0], 1 << (threadIdx.x & 31));
  if (threadIdx.x == 0) atomicCAS_system(&flags[1], (int)blockIdx.x, (int)blockIdx.x + 1);
}

int main() {
  Device<int> perBlock(12);
  unsigned long long *host, *everywhere;
  CHECK(cudaHostAlloc(&host, 8, cudaHostAllocMapped));
  *host = 40;
  CHECK(cudaHostGetDevicePointer(&everywhere, host, 0));
  Device<int> flags(2);
  kernel<<<6, 70>>>(perBlock, everywhere, flags);
  CHECK_KERNEL();
  const auto p = perBlock.host();
  for (int b = 0; b < 6; ++b) same("block", b, p[b], 140), same("max", b, p[6 + b], 69);
  same("system", 0, (long long)*host, 460ll);
  same("or", 0, flags.host()[0], -1);
  EXPECT(flags.host()[1] >= 1 && flags.host()[1] <= 6);
  CHECK(cudaFreeHost(host));
  return finish();
}
