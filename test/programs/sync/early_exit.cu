// Warps that have returned do not take part in later barriers.
#include "../check.h"

__global__ void kernel(int *out) {
  __shared__ int shared[128];
  const int i = threadIdx.x;
  shared[i] = i;
  __syncthreads();
  if (i / 32 == 1 + (int)blockIdx.x % 2) return; // one whole warp
  out[blockIdx.x * 128 + i] = shared[127 - i];
  __syncthreads();
  shared[i] = i * 2;
  __syncthreads();
  out[blockIdx.x * 128 + i] += shared[(i / 32 == 0 ? 96 : 0) + i % 32];
}

int main() {
  Device<int> out(512);
  kernel<<<4, 128>>>(out);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int b = 0; b < 4; ++b)
    for (int i = 0; i < 128; ++i)
      same("out", b * 128 + i, got[b * 128 + i], i / 32 == 1 + b % 2 ? 0 : 127 - i + ((i / 32 == 0 ? 96 : 0) + i % 32) * 2);
  return finish();
}
