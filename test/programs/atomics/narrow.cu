// 16-bit atomics: compare-and-swap on unsigned short; additions on half and half2.
// Needs compute capability 7.0.
#include "../check.h"
#include <cuda_fp16.h>

__global__ void kernel(unsigned short *counters, __half *h, __half2 *h2) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned short *c = counters + i % 3;
  unsigned short old = *(volatile unsigned short *)c, seen;
  do {
    seen = old;
    old = atomicCAS(c, seen, (unsigned short)(seen + 7));
  } while (old != seen);
  atomicAdd(h, __float2half(0.5f));
  atomicAdd(h2, __floats2half2_rn(1.0f, (i & 1) ? 2.0f : -1.0f));
}

int main() {
  Device<unsigned short> counters(std::vector<unsigned short>{65500, 0, 3, 1234});
  Device<__half> h(2);
  Device<__half2> h2(1);
  kernel<<<4, 96>>>(counters, h, h2);
  CHECK_KERNEL();
  const auto c = counters.host();
  same("counter", 0, (int)c[0], (65500 + 128 * 7) & 65535);
  same("counter", 1, (int)c[1], 128 * 7);
  same("counter", 2, (int)c[2], 3 + 128 * 7);
  same("counter", 3, (int)c[3], 1234);
  close("half", 0, __half2float(h.host()[0]), 192, 0);
  const float2 two = __half22float2(h2.host()[0]);
  close("half2", 0, two.x, 384, 0), close("half2", 1, two.y, 192, 0);
  return finish();
}
