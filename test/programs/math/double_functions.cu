// The double functions of the mathematical library, to the documented ulp and one for the host's own.
#include "../check.h"

#define FUNCTIONS(F)                                                                                                   \
  F(exp, exp(x), 1, -300, 300)                                                                                         \
  F(exp2, exp2(x), 1, -300, 300)                                                                                       \
  F(expm1, expm1(x), 1, -5, 5)                                                                                         \
  F(log, log(x), 1, 1e-6, 1000)                                                                                        \
  F(log2, log2(x), 1, 1e-6, 1000)                                                                                      \
  F(log10, log10(x), 1, 1e-6, 1000)                                                                                    \
  F(log1p, log1p(x), 1, -0.9, 100)                                                                                     \
  F(sin, sin(x), 2, -1000, 1000)                                                                                       \
  F(cos, cos(x), 2, -1000, 1000)                                                                                       \
  F(tan, tan(x), 2, -100, 100)                                                                                         \
  F(asin, asin(x), 2, -1, 1)                                                                                           \
  F(acos, acos(x), 2, -1, 1)                                                                                           \
  F(atan, atan(x), 2, -100, 100)                                                                                       \
  F(sinh, sinh(x), 2, -20, 20)                                                                                         \
  F(cosh, cosh(x), 1, -20, 20)                                                                                         \
  F(tanh, tanh(x), 1, -10, 10)                                                                                         \
  F(asinh, asinh(x), 3, -1000, 1000)                                                                                   \
  F(acosh, acosh(x), 3, 1, 1000)                                                                                       \
  F(atanh, atanh(x), 2, -0.999, 0.999)                                                                                 \
  F(cbrt, cbrt(x), 1, -1000, 1000)                                                                                     \
  F(sqrt, sqrt(x), 0, 0, 1e6)                                                                                          \
  F(erf, erf(x), 2, -4, 4)                                                                                             \
  F(erfc, erfc(x), 5, -4, 8)                                                                                           \
  F(lgamma, lgamma(x), 4, 3, 50)                                                                                       \
  F(tgamma, tgamma(x), 10, 0.1, 30)                                                                                    \
  F(j0, j0(x), 20, 0.1, 2)                                                                                             \
  F(pow, pow(x, 1.7), 2, 0.01, 100)                                                                                    \
  F(atan2, atan2(x, -1.5), 2, -10, 10)                                                                                 \
  F(hypot, hypot(x, 2.5), 2, -10, 10)                                                                                  \
  F(fmod, fmod(x, 0.7), 0, -100, 100)                                                                                  \
  F(remainder, remainder(x, 0.7), 0, -100, 100)                                                                        \
  F(cyl_fma, fma(x, x, -x), 0, -100, 100)

constexpr int count = 0
#define ONE(...) +1
    FUNCTIONS(ONE);
#undef ONE
constexpr int samples = 128;

__global__ void kernel(const double *in, double *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int k = 0;
  double x;
#define RUN(name, function, limit, low, high) x = in[k * samples + i], out[k++ * samples + i] = function;
  FUNCTIONS(RUN)
}

__global__ void more(const double *in, double *out) {
  const int i = threadIdx.x;
  const double x = in[i];
  out[i * 6] = rsqrt(x), out[i * 6 + 1] = rcbrt(x), out[i * 6 + 2] = exp10(x), out[i * 6 + 3] = sinpi(x);
  out[i * 6 + 4] = cospi(x), out[i * 6 + 5] = norm3d(x, 1.0, 2.0);
}

int main() {
  Random random;
  std::vector<double> in;
#define FILL(name, function, limit, low, high)                                                                         \
  for (int i = 0; i < samples; ++i) in.push_back(i == 0 ? (low) : i == 1 ? (high) : random.between(low, high));
  FUNCTIONS(FILL)
  Device<double> d(in), out(count * samples);
  kernel<<<samples / 64, 64>>>(d, out);
  CHECK_KERNEL();
  const auto got = out.host();
  int k = 0;
#define COMPARE(name, function, limit, low, high)                                                                      \
  for (int i = 0; i < samples; ++i) {                                                                                  \
    const double x = in[k * samples + i];                                                                              \
    within(#name, x, got[k * samples + i], (double)function, limit == 0 ? 0 : limit + 1);                              \
  }                                                                                                                    \
  ++k;
  FUNCTIONS(COMPARE)

  std::vector<double> few;
  for (int i = 0; i < 64; ++i) few.push_back(0.03125 * (i + 1));
  Device<double> f(few), o(64 * 6);
  more<<<1, 64>>>(f, o);
  CHECK_KERNEL();
  const auto m = o.host();
  for (int i = 0; i < 64; ++i) {
    const double x = few[i];
    const double e[6] = {1 / std::sqrt(x), 1 / std::cbrt(x), std::pow(10.0, x), std::sin(M_PI * x), std::cos(M_PI * x), std::sqrt(x * x + 5)};
    for (int j = 0; j < 6; ++j) close("more", i * 6 + j, m[i * 6 + j], e[j], 1e-15 + std::fabs(e[j]) * 1e-15);
  }
  return finish();
}
