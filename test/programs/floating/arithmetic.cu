// IEEE arithmetic on floats and doubles: specials, signed zeros, subnormals, comparisons with NaN.
#include "../check.h"

constexpr int operations = 10;

template <class T> __global__ void kernel(const T *a, const T *b, T *out, int *flags, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const T x = a[i], y = b[i];
  T *o = out + i * operations;
  o[0] = x + y, o[1] = x - y, o[2] = x * y, o[3] = x / y, o[4] = -x;
  o[5] = fmin(x, y), o[6] = fmax(x, y), o[7] = sqrt(x), o[8] = fma(x, y, x), o[9] = copysign(x, y);
  flags[i] = (x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | (x > y) << 4 | (x >= y) << 5 | (!(x < y)) << 6 |
             (isnan(x) ? 1 : 0) << 7 | (isinf(x) ? 1 : 0) << 8 | (signbit(x) ? 1 : 0) << 9 | (isfinite(x) ? 1 : 0) << 10;
}

template <class T> void test(const char *name, T smallest, T largest) {
  const T inf = INFINITY, nan = NAN;
  std::vector<T> edges = {0, (T)-0.0, 1, -1, (T)0.1, 3, inf, -inf, nan, largest, -largest, smallest, -smallest, smallest * 8388608, (T)1e-30, (T)1e30, (T)2.5};
  std::vector<T> a, b;
  for (T x : edges)
    for (T y : edges) a.push_back(x), b.push_back(y);
  const int n = a.size();
  Device<T> da(a), db(b), out(n * operations);
  Device<int> flags(n);
  kernel<<<(n + 127) / 128, 128>>>(da.data, db.data, out.data, flags.data, n);
  CHECK_KERNEL();
  const auto got = out.host();
  const auto f = flags.host();
  for (int i = 0; i < n; ++i) {
    const T x = a[i], y = b[i];
    const T e[operations] = {x + y, x - y, x * y, x / y, -x, std::fmin(x, y), std::fmax(x, y), std::sqrt(x), std::fma(x, y, x), std::copysign(x, y)};
    for (int k = 0; k < operations; ++k) {
      const T g = got[i * operations + k];
      const bool zeros = (k == 5 || k == 6) && x == 0 && y == 0; // either zero may be the smaller
      if (std::isnan(e[k]) ? !std::isnan(g) : g != e[k] || (!zeros && std::signbit(g) != std::signbit(e[k])))
        FAIL("%s operation %d (%a, %a): %a, expected %a", name, k, (double)x, (double)y, (double)g, (double)e[k]);
    }
    const int expected = (x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | (x > y) << 4 | (x >= y) << 5 | (!(x < y)) << 6 |
                         (int)std::isnan(x) << 7 | (int)std::isinf(x) << 8 | (int)(f[i] >> 9 & 1 & (std::isnan(x) ? 1 : 0)) << 9 |
                         (std::isnan(x) ? 0 : (int)std::signbit(x) << 9) | (int)std::isfinite(x) << 10;
    same(name, i, f[i], expected);
  }
}

int main() {
  test<float>("float", 1.4e-45f, 3.402823466e38f);
  test<double>("double", 4.9406564584124654e-324, 1.7976931348623157e308);
  return finish();
}
