// switch: dense, sparse, fall-through, default, on characters and 64-bit values, divergent.
#include "../check.h"

__host__ __device__ int classify(int i) {
  int r = 0;
  switch (i % 11) {
  case 0: r = 5; break;
  case 1:
  case 2: r = i * 3; [[fallthrough]];
  case 3: r += 7; break;
  case 4: return -i;
  case 5: for (int k = 0; k < i % 5; ++k) { if (k == 3) break; r += k; } break;
  case 8: r = 80; break;
  default: r = 1000 + i;
  }
  switch ((long long)i * 1000000007ll) {
  case 7000000049ll: r += 1; break;
  case 20000000140ll: r += 2; break;
  }
  switch ((char)('a' + i % 26)) {
  case 'a': case 'e': case 'i': case 'o': case 'u': r ^= 0x100; break;
  case 'z': r ^= 0x200;
  }
  switch (i * 37 % 1000) { case -1: r = 0; break; case 74: r -= 1; break; case 999: r -= 2; break; case 500: r -= 3; }
  return r;
}

__global__ void kernel(int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = classify(i);
}

int main() {
  Device<int> out(512);
  kernel<<<4, 128>>>(out);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < 512; ++i) same("switch", i, got[i], classify(i));
  return finish();
}
