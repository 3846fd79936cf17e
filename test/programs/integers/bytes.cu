// Bytes of words: __byte_perm, funnel shifts, __sad.
#include "../check.h"

__global__ void kernel(const unsigned *a, const unsigned *b, const unsigned *s, unsigned *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned *o = out + i * 7;
  o[0] = __byte_perm(a[i], b[i], s[i]);
  o[1] = __funnelshift_l(a[i], b[i], s[i]);
  o[2] = __funnelshift_r(a[i], b[i], s[i]);
  o[3] = __funnelshift_lc(a[i], b[i], s[i]);
  o[4] = __funnelshift_rc(a[i], b[i], s[i]);
  o[5] = __sad((int)a[i], (int)b[i], s[i]);
  o[6] = __usad(a[i], b[i], s[i]);
}

int main() {
  Random random;
  std::vector<unsigned> a, b, s;
  for (int i = 0; i < 600; ++i) {
    a.push_back((unsigned)random.next());
    b.push_back((unsigned)random.next());
    s.push_back(i < 100 ? (unsigned)i : (unsigned)random.next() & 0x77777777u);
  }
  const int n = a.size();
  Device<unsigned> da(a), db(b), ds(s), out(n * 7);
  kernel<<<(n + 127) / 128, 128>>>(da, db, ds, out, n);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < n; ++i) {
    const unsigned long long both = (unsigned long long)b[i] << 32 | a[i];
    unsigned perm = 0;
    for (int k = 0; k < 4; ++k) {
      const unsigned selector = s[i] >> (4 * k) & 7;
      perm |= ((unsigned)(both >> (8 * selector)) & 255) << (8 * k);
    }
    const unsigned w = s[i] & 31, c = s[i] < 32 ? s[i] : 32;
    const long long sd = (long long)(int)a[i] - (int)b[i];
    const unsigned distance = (unsigned)(sd < 0 ? -sd : sd);
    const unsigned expected[7] = {
        perm,
        (unsigned)((both << w) >> 32),
        (unsigned)(both >> w),
        c == 32 ? a[i] : (unsigned)((both << c) >> 32),
        (unsigned)(both >> c),
        distance + s[i],
        (a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]) + s[i],
    };
    for (int k = 0; k < 7; ++k) same("bytes", i * 7 + k, got[i * 7 + k], expected[k]);
  }
  return finish();
}
