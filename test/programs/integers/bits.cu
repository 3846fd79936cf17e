// Bit counting: __popc, __clz, __ffs, __brev and their 64-bit forms.
#include "../check.h"

__global__ void kernel(const unsigned long long *in, unsigned long long *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned long long x = in[i];
  unsigned long long *o = out + i * 8;
  o[0] = __popc((unsigned)x);
  o[1] = __popcll(x);
  o[2] = __clz((int)x);
  o[3] = __clzll((long long)x);
  o[4] = __ffs((int)x);
  o[5] = __ffsll((long long)x);
  o[6] = __brev((unsigned)x);
  o[7] = __brevll(x);
}

int main() {
  std::vector<unsigned long long> in = {0, 1, ~0ull, 0x80000000ull, 0x8000000000000000ull, 0x100000000ull, 0xf0f0ull};
  for (int k = 0; k < 64; ++k) in.push_back(1ull << k), in.push_back(~0ull >> k);
  Random random;
  while (in.size() < 300) in.push_back(random.next() >> (random.next() % 64));
  const int n = in.size();
  Device<unsigned long long> d(in), out(n * 8);
  kernel<<<(n + 63) / 64, 64>>>(d, out, n);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < n; ++i) {
    unsigned long long e[8] = {0, 0, 32, 64, 0, 0, 0, 0};
    for (int k = 0; k < 64; ++k) {
      if (!(in[i] >> k & 1)) continue;
      e[1]++, e[3] = 63 - k, e[7] |= 1ull << (63 - k);
      if (!e[5]) e[5] = k + 1;
      if (k < 32) {
        e[0]++, e[2] = 31 - k, e[6] |= 1ull << (31 - k);
        if (!e[4]) e[4] = k + 1;
      }
    }
    for (int k = 0; k < 8; ++k) same("bits", i * 8 + k, got[i * 8 + k], e[k]);
  }
  return finish();
}
