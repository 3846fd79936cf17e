// A kernel launched by a kernel.
// Compile with relocatable device code.
#include "../check.h"
__global__ void child(int *out, int from) { out[from + threadIdx.x] = from * 100 + threadIdx.x; }
__global__ void parent(int *out) { child<<<1, 16>>>(out, threadIdx.x * 16); }
int main() {
  Device<int> out(64);
  parent<<<1, 4>>>(out);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < 64; ++i) same("out", i, got[i], i / 16 * 1600 + i % 16);
  return finish();
}
