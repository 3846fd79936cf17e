// Dot products of packed bytes and halfwords: __dp4a, __dp2a_lo, __dp2a_hi, signed and unsigned.
#include "../check.h"

__global__ void kernel(const int *a, const int *b, const int *c, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int *o = out + i * 6;
  o[0] = __dp4a(a[i], b[i], c[i]);
  o[1] = (int)__dp4a((unsigned)a[i], (unsigned)b[i], (unsigned)c[i]);
  o[2] = __dp2a_lo(a[i], b[i], c[i]);
  o[3] = __dp2a_hi(a[i], b[i], c[i]);
  o[4] = (int)__dp2a_lo((unsigned)a[i], (unsigned)b[i], (unsigned)c[i]);
  o[5] = (int)__dp4a(make_char4(a[i], a[i] >> 8, a[i] >> 16, a[i] >> 24), make_char4(1, -1, 2, -2), 0);
}

int main() {
  Random random;
  std::vector<int> a, b, c;
  for (int i = 0; i < 300; ++i) a.push_back((int)random.next()), b.push_back((int)random.next()), c.push_back((int)random.next());
  a[0] = b[0] = (int)0x80808080, a[1] = (int)0x80808080, b[1] = 0x7f7f7f7f;
  const int n = a.size();
  Device<int> da(a), db(b), dc(c), out(n * 6);
  kernel<<<(n + 127) / 128, 128>>>(da, db, dc, out, n);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < n; ++i) {
    unsigned e[6] = {(unsigned)c[i], (unsigned)c[i], (unsigned)c[i], (unsigned)c[i], (unsigned)c[i], 0};
    const int weights[4] = {1, -1, 2, -2};
    for (int k = 0; k < 4; ++k) {
      const int sa = (signed char)(a[i] >> 8 * k), sb = (signed char)(b[i] >> 8 * k);
      e[0] += sa * sb;
      e[1] += (unsigned)(unsigned char)sa * (unsigned char)sb;
      e[5] += sa * weights[k];
      if (k < 2) {
        const short wa = (short)(a[i] >> 16 * k);
        e[2] += wa * (signed char)(b[i] >> 8 * k);
        e[3] += wa * (signed char)(b[i] >> 8 * (k + 2));
        e[4] += (unsigned)(unsigned short)wa * (unsigned char)(b[i] >> 8 * k);
      }
    }
    for (int k = 0; k < 6; ++k) same("dot", i * 6 + k, got[i * 6 + k], (int)e[k]);
  }
  return finish();
}
