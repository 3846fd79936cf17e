// assert on the device does nothing while it holds.
#include "../check.h"
#include <cassert>
__global__ void kernel(int *out) {
  assert(threadIdx.x < blockDim.x);
  assert(out != nullptr && "a message");
  out[threadIdx.x] = threadIdx.x;
}
int main() {
  Device<int> out(64);
  kernel<<<1, 64>>>(out);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < 64; ++i) same("out", i, got[i], i);
  return finish();
}
