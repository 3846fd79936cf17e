// Conversions between floats and integers: rounding modes, saturation, NaN.
#include "../check.h"

constexpr int operations = 26;

__global__ void kernel(const double *in, long long *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double d = in[i];
  const float f = (float)d;
  long long *o = out + i * operations;
  o[0] = __float2int_rn(f), o[1] = __float2int_rz(f), o[2] = __float2int_ru(f), o[3] = __float2int_rd(f);
  o[4] = __float2uint_rn(f), o[5] = __float2uint_rz(f), o[6] = __float2uint_ru(f), o[7] = __float2uint_rd(f);
  o[8] = __float2ll_rn(f), o[9] = __float2ll_rz(f), o[10] = (long long)__float2ull_rz(f);
  o[11] = __double2int_rn(d), o[12] = __double2int_rz(d), o[13] = __double2int_ru(d), o[14] = __double2int_rd(d);
  o[15] = __double2uint_rn(d), o[16] = __double2uint_rz(d);
  o[17] = __double2ll_rn(d), o[18] = __double2ll_rz(d), o[19] = __double2ll_ru(d), o[20] = __double2ll_rd(d);
  o[21] = (long long)__double2ull_rz(d);
  o[22] = __float_as_int(__double2float_rn(d)), o[23] = __float_as_int(__double2float_rz(d));
  o[24] = __float_as_int(__double2float_ru(d)), o[25] = __float_as_int(__double2float_rd(d));
}

double rounded(double x, int mode) {
  return mode == 0 ? std::nearbyint(x) : mode == 1 ? std::trunc(x) : mode == 2 ? std::ceil(x) : std::floor(x);
}

// Saturates; NaN is dealt with below.
long long whole(double x, int mode, int bits, bool isSigned) {
  if (std::isnan(x)) return 0;
  const double r = rounded(x, mode);
  const double top = std::ldexp(1.0, isSigned ? bits - 1 : bits), bottom = isSigned ? -top : 0;
  if (r >= top) return bits == 32 ? (isSigned ? 0x7fffffffll : 0xffffffffll) : isSigned ? 0x7fffffffffffffffll : -1ll;
  if (r < bottom) return bits == 32 ? (isSigned ? -0x80000000ll : 0) : isSigned ? (long long)0x8000000000000000ull : 0;
  return r >= 9223372036854775808.0 ? (long long)(unsigned long long)r : (long long)r;
}

int narrow(double d, int mode) {
  float f = (float)d;
  if (mode == 0 || std::isnan(d) || (double)f == d) {
  } else if (mode == 1 ? std::fabs((double)f) > std::fabs(d) : mode == 2 ? f < d : f > d) {
    f = std::nextafter(f, mode == 1 ? 0.0f : mode == 2 ? INFINITY : -INFINITY);
  }
  int bits;
  memcpy(&bits, &f, 4);
  return bits;
}

__global__ void backward(const long long *in, double *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long long x = in[i];
  double *o = out + i * 12;
  o[0] = __int2float_rn((int)x), o[1] = __int2float_rz((int)x), o[2] = __int2float_ru((int)x), o[3] = __int2float_rd((int)x);
  o[4] = __uint2float_rn((unsigned)x), o[5] = __uint2float_rz((unsigned)x);
  o[6] = __ll2float_rn(x), o[7] = __ull2float_rn((unsigned long long)x);
  o[8] = __ll2double_rn(x), o[9] = __ull2double_rn((unsigned long long)x);
  o[10] = __int2double_rn((int)x), o[11] = __uint2double_rn((unsigned)x);
}

int main() {
  std::vector<double> in = {0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999997, 2147483647, 2147483648.0, -2147483648.0, -2147483904.0,
                            4294967295.0, 4294967296.0, 9.2e18, 9223372036854775808.0, 1.8446744073709552e19, 1e30, -1e30, 1e300, INFINITY, -INFINITY, NAN, 1e-300, 16777217, 0.1, -0.1};
  Random random;
  while (in.size() < 200) in.push_back(random.between(-1, 1) * std::ldexp(1.0, (int)(random.next() % 70)));
  const int n = in.size();
  Device<double> d(in);
  Device<long long> out(n * operations);
  kernel<<<(n + 63) / 64, 64>>>(d, out, n);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < n; ++i) {
    const double x = in[i], f = (float)x;
    long long e[operations];
    for (int m = 0; m < 4; ++m) {
      e[m] = whole(f, m, 32, true), e[4 + m] = whole(f, m, 32, false);
      e[11 + m] = whole(x, m, 32, true), e[17 + m] = whole(x, m, 64, true), e[22 + m] = narrow(x, m);
    }
    e[8] = whole(f, 0, 64, true), e[9] = whole(f, 1, 64, true), e[10] = whole(f, 1, 64, false);
    e[15] = whole(x, 0, 32, false), e[16] = whole(x, 1, 32, false), e[21] = whole(x, 1, 64, false);
    for (int k = 0; k < operations; ++k) {
      if (std::isnan(x) && k >= 22) continue; // which NaN is not said
      // From float to 32 bits, NaN becomes 0; else the highest bit alone.
      if (std::isnan(x) && k >= 8) e[k] = k >= 15 && k <= 16 ? 0x80000000ll : k >= 11 && k <= 14 ? -0x80000000ll : (long long)0x8000000000000000ull;
      if (got[i * operations + k] != e[k]) FAIL("conversion %d of %.17g: %lld, expected %lld", k, x, got[i * operations + k], e[k]);
    }
  }
  std::vector<long long> whole = {0, 1, -1, 16777217, 16777219, -16777217, 0x7fffffff, 0x80000000ll, 0xffffffffll, 0x7fffffffffffffffll, (long long)0x8000000000000000ull, 33554435};
  while (whole.size() < 128) whole.push_back((long long)random.next() >> (random.next() % 60));
  Device<long long> w(whole);
  Device<double> back(whole.size() * 12);
  backward<<<1, 128>>>(w, back, (int)whole.size());
  CHECK_KERNEL();
  const auto b = back.host();
  for (size_t i = 0; i < whole.size(); ++i) {
    const long long x = whole[i];
    const auto narrowed = [](double v, int mode) { const int bits = narrow(v, mode); float f; memcpy(&f, &bits, 4); return (double)f; };
    const double e[12] = {narrowed((int)x, 0), narrowed((int)x, 1), narrowed((int)x, 2), narrowed((int)x, 3), narrowed((unsigned)x, 0), narrowed((unsigned)x, 1),
                          (double)(float)x, (double)(float)(unsigned long long)x, (double)x, (double)(unsigned long long)x, (double)(int)x, (double)(unsigned)x};
    for (int k = 0; k < 12; ++k)
      if (b[i * 12 + k] != e[k]) FAIL("back %d of %lld: %.17g, expected %.17g", k, x, b[i * 12 + k], e[k]);
  }
  return finish();
}
