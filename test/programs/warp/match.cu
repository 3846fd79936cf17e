// __match_any_sync and __match_all_sync, 32 and 64 bits, under a full and a partial mask.
// Needs compute capability 7.0.
#include "../check.h"

__global__ void kernel(const long long *in, unsigned *out) {
  const int i = threadIdx.x;
  unsigned *o = out + i * 6;
  int uniform, wide;
  o[0] = __match_any_sync(0xffffffffu, (int)in[i]);
  o[1] = __match_any_sync(0xffffffffu, in[i]);
  o[2] = __match_all_sync(0xffffffffu, (int)in[i] & (i < 32 ? 0 : 1), &uniform);
  __match_all_sync(0xffffffffu, in[i] >> 60, &wide);
  o[3] = uniform | wide << 1;
  if (i & 1) o[4] = __match_any_sync(0xaaaaaaaau, (int)in[i] / 2);
  else o[4] = __match_any_sync(0x55555555u, __int_as_float((int)in[i] | 0x3f800000));
}

int main() {
  std::vector<long long> in;
  Random random;
  for (int i = 0; i < 64; ++i) in.push_back((long long)(random.next() % 5) | (long long)(random.next() % 2) << 40);
  Device<long long> d(in);
  Device<unsigned> out(64 * 6);
  kernel<<<1, 64>>>(d, out);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < 64; ++i) {
    unsigned a = 0, b = 0, c = 0;
    bool same32 = true;
    for (int l = 0; l < 32; ++l) {
      const long long x = in[(i & 32) + l];
      if ((int)x == (int)in[i]) a |= 1u << l;
      if (x == in[i]) b |= 1u << l;
      if (i >= 32 && ((x ^ in[i]) & 1)) same32 = false;
      if ((l & 1) == (i & 1) && (i & 1 ? (int)x / 2 == (int)in[i] / 2 : (int)x == (int)in[i])) c |= 1u << l;
    }
    const unsigned e[5] = {a, b, same32 ? 0xffffffffu : 0, same32 | 2u, c};
    for (int k = 0; k < 5; ++k) same("match", i * 6 + k, got[i * 6 + k], e[k]);
  }
  return finish();
}
