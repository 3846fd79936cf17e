// Arithmetic on four bytes or two halfwords at once: __vadd4, __vabsdiffu4, __vmaxs2, __vcmpgtu4 and others.
#include "../check.h"

constexpr int operations = 14;

__global__ void kernel(const unsigned *a, const unsigned *b, unsigned *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned x = a[i], y = b[i];
  unsigned *o = out + i * operations;
  o[0] = __vadd4(x, y), o[1] = __vsub4(x, y), o[2] = __vadd2(x, y), o[3] = __vsub2(x, y);
  o[4] = __vabsdiffu4(x, y), o[5] = __vmaxu4(x, y), o[6] = __vmins4(x, y), o[7] = __vmaxs2(x, y);
  o[8] = __vcmpgtu4(x, y), o[9] = __vcmpeq4(x, y), o[10] = __vaddus4(x, y), o[11] = __vaddss2(x, y);
  o[12] = __vsadu4(x, y), o[13] = __vavgu4(x, y);
}

template <class F> unsigned lanes(unsigned a, unsigned b, int bits, F f) {
  unsigned result = 0;
  const unsigned mask = bits == 8 ? 255 : 65535;
  for (int k = 0; k < 32; k += bits) result |= ((unsigned)f(a >> k & mask, b >> k & mask) & mask) << k;
  return result;
}

int main() {
  Random random;
  std::vector<unsigned> a, b;
  for (int i = 0; i < 256; ++i) a.push_back((unsigned)random.next()), b.push_back(i % 5 ? (unsigned)random.next() : a[i] ^ 0xff00);
  const int n = a.size();
  Device<unsigned> da(a), db(b), out(n * operations);
  kernel<<<n / 64, 64>>>(da, db, out, n);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < n; ++i) {
    const unsigned x = a[i], y = b[i];
    const auto distance = [](int p, int q) { return p > q ? p - q : q - p; };
    unsigned sum = 0;
    for (int k = 0; k < 32; k += 8) sum += distance(x >> k & 255, y >> k & 255);
    const unsigned e[operations] = {
        lanes(x, y, 8, [](int p, int q) { return p + q; }),
        lanes(x, y, 8, [](int p, int q) { return p - q; }),
        lanes(x, y, 16, [](int p, int q) { return p + q; }),
        lanes(x, y, 16, [](int p, int q) { return p - q; }),
        lanes(x, y, 8, distance),
        lanes(x, y, 8, [](int p, int q) { return p > q ? p : q; }),
        lanes(x, y, 8, [](int p, int q) { return (signed char)p < (signed char)q ? p : q; }),
        lanes(x, y, 16, [](int p, int q) { return (short)p > (short)q ? p : q; }),
        lanes(x, y, 8, [](int p, int q) { return p > q ? 255 : 0; }),
        lanes(x, y, 8, [](int p, int q) { return p == q ? 255 : 0; }),
        lanes(x, y, 8, [](int p, int q) { return p + q > 255 ? 255 : p + q; }),
        lanes(x, y, 16, [](int p, int q) { const int s = (short)p + (short)q; return s > 32767 ? 32767 : s < -32768 ? -32768 : s; }),
        sum,
        lanes(x, y, 8, [](int p, int q) { return (p + q + 1) / 2; }),
    };
    for (int k = 0; k < operations; ++k) same("video", i * operations + k, got[i * operations + k], e[k]);
  }
  return finish();
}
