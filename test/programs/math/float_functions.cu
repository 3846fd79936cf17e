// The float functions of the mathematical library against doubles, to the ulp that the programming guide documents.
#include "../check.h"

// name, function on the device, reference, documented ulp, range
#define FUNCTIONS(F)                                                                                                   \
  F(expf, expf(x), std::exp(x), 2, -80, 80)                                                                            \
  F(exp2f, exp2f(x), std::exp2(x), 2, -120, 120)                                                                       \
  F(exp10f, exp10f(x), std::pow(10.0, x), 2, -30, 30)                                                                  \
  F(expm1f, expm1f(x), std::expm1(x), 1, -5, 5)                                                                        \
  F(logf, logf(x), std::log(x), 1, 1e-6, 1000)                                                                         \
  F(log2f, log2f(x), std::log2(x), 1, 1e-6, 1000)                                                                      \
  F(log10f, log10f(x), std::log10(x), 2, 1e-6, 1000)                                                                   \
  F(log1pf, log1pf(x), std::log1p(x), 1, -0.9, 100)                                                                    \
  F(sinf, sinf(x), std::sin(x), 2, -100, 100)                                                                          \
  F(cosf, cosf(x), std::cos(x), 2, -100, 100)                                                                          \
  F(tanf, tanf(x), std::tan(x), 4, -100, 100)                                                                          \
  F(asinf, asinf(x), std::asin(x), 2, -1, 1)                                                                           \
  F(acosf, acosf(x), std::acos(x), 2, -1, 1)                                                                           \
  F(atanf, atanf(x), std::atan(x), 2, -100, 100)                                                                       \
  F(sinhf, sinhf(x), std::sinh(x), 3, -20, 20)                                                                         \
  F(coshf, coshf(x), std::cosh(x), 2, -20, 20)                                                                         \
  F(tanhf, tanhf(x), std::tanh(x), 2, -10, 10)                                                                         \
  F(asinhf, asinhf(x), std::asinh(x), 3, -1000, 1000)                                                                  \
  F(acoshf, acoshf(x), std::acosh(x), 4, 1, 1000)                                                                      \
  F(atanhf, atanhf(x), std::atanh(x), 3, -0.999, 0.999)                                                                \
  F(cbrtf, cbrtf(x), std::cbrt(x), 1, -1000, 1000)                                                                     \
  F(rcbrtf, rcbrtf(x), 1 / std::cbrt(x), 1, 0.001, 1000)                                                               \
  F(sqrtf, sqrtf(x), std::sqrt(x), 0.5, 0, 1e6)                                                                        \
  F(rsqrtf, rsqrtf(x), 1 / std::sqrt(x), 2, 1e-6, 1e6)                                                                 \
  F(erff, erff(x), std::erf(x), 2, -4, 4)                                                                              \
  F(erfcf, erfcf(x), std::erfc(x), 4, -4, 8)                                                                           \
  F(lgammaf, lgammaf(x), std::lgamma(x), 6, 3, 50)                                                                     \
  F(tgammaf, tgammaf(x), std::tgamma(x), 5, 0.1, 30)                                                                   \
  F(sinpif, sinpif(x), std::sin(std::remainder((double)x, 2.0) * M_PI), 2, -0.49, 0.49)                                \
  F(cospif, cospif(x), std::cos(std::remainder((double)x, 2.0) * M_PI), 2, -0.49, 0.49)                                \
  F(normcdff, normcdff(x), std::erfc(-(double)x * M_SQRT1_2) / 2, 6, -5, 5)                                            \
  F(j0f, j0f(x), j0((double)x), 9, 0.1, 2)                                                                             \
  F(j1f, j1f(x), j1((double)x), 9, 0.1, 3)                                                                             \
  F(powf, powf(x, 1.7f), std::pow((double)x, (double)1.7f), 4, 0.01, 100)                                              \
  F(atan2f, atan2f(x, -1.5f), std::atan2((double)x, -1.5), 3, -10, 10)                                                 \
  F(hypotf, hypotf(x, 2.5f), std::hypot((double)x, 2.5), 3, -10, 10)                                                   \
  F(rhypotf, rhypotf(x, 2.5f), 1 / std::hypot((double)x, 2.5), 2, -10, 10)                                             \
  F(norm3df, norm3df(x, 2.0f, 3.0f), std::sqrt((double)x *x + 13), 3, -10, 10)                                         \
  F(fmodf, fmodf(x, 0.7f), std::fmod((double)x, (double)0.7f), 0, -100, 100)                                           \
  F(remainderf, remainderf(x, 0.7f), std::remainder((double)x, (double)0.7f), 0, -100, 100)                            \
  F(fdividef, fdividef(x, 3.0f), (double)x / 3, 2, -100, 100)

constexpr int count = 0
#define ONE(...) +1
    FUNCTIONS(ONE);
#undef ONE
constexpr int samples = 256;

__global__ void kernel(const float *in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int k = 0;
  float x;
#define RUN(name, device, host, limit, low, high) x = in[k * samples + i], out[k++ * samples + i] = device;
  FUNCTIONS(RUN)
}

int main() {
  Random random;
  std::vector<float> in;
#define FILL(name, device, host, limit, low, high)                                                                     \
  for (int i = 0; i < samples; ++i) in.push_back(i == 0 ? (float)(low) : i == 1 ? (float)(high) : (float)random.between(low, high));
  FUNCTIONS(FILL)
  Device<float> d(in), out(count * samples);
  kernel<<<samples / 64, 64>>>(d, out);
  CHECK_KERNEL();
  const auto got = out.host();
  int k = 0;
#define COMPARE(name, device, host, limit, low, high)                                                                  \
  for (int i = 0; i < samples; ++i) {                                                                                  \
    const double x = in[k * samples + i];                                                                              \
    within(#name, x, got[k * samples + i], host, limit == 0 ? 0 : limit + 0.5);                                        \
  }                                                                                                                    \
  ++k;
  FUNCTIONS(COMPARE)
  return finish();
}
