// The mathematical functions by their C++ names: one name for float and double, with and without `std::`, in templates, of values
// that differ from lane to lane and of ones that are the same in all.
#include "../check.h"

#define ONE_ARGUMENT(F)                                                                                                \
  F(acos, 0.0, 0.9) F(acosh, 1.1, 9.0) F(asin, -0.9, 0.9) F(asinh, -9.0, 9.0) F(atan, -9.0, 9.0) F(atanh, -0.9, 0.9)     \
  F(cbrt, -9.0, 9.0) F(ceil, -9.0, 9.0) F(cos, -9.0, 9.0) F(cosh, -4.0, 4.0) F(erf, -3.0, 3.0) F(erfc, -3.0, 3.0)        \
  F(exp, -9.0, 9.0) F(exp2, -9.0, 9.0) F(expm1, -2.0, 2.0) F(fabs, -9.0, 9.0) F(floor, -9.0, 9.0) F(lgamma, 3.0, 9.0)    \
  F(log, 0.1, 9.0) F(log10, 0.1, 9.0) F(log1p, -0.5, 9.0) F(log2, 0.1, 9.0) F(logb, 0.1, 900.0) F(nearbyint, -9.0, 9.0)  \
  F(rint, -9.0, 9.0) F(round, -9.0, 9.0) F(sin, -9.0, 9.0) F(sinh, -4.0, 4.0) F(sqrt, 0.0, 9.0) F(tan, -1.0, 1.0)        \
  F(tanh, -4.0, 4.0) F(tgamma, 0.5, 5.0) F(trunc, -9.0, 9.0) F(abs, -9.0, 9.0)
#define WHOLE_RESULT(F)                                                                                                \
  F(ilogb, 0.1, 900.0) F(lrint, -9.0, 9.0) F(llrint, -9.0, 9.0) F(lround, -9.0, 9.0) F(llround, -9.0, 9.0)               \
  F(isfinite, -9.0, 9.0) F(isinf, -9.0, 9.0) F(isnan, -9.0, 9.0) F(isnormal, -9.0, 9.0) F(signbit, -9.0, 9.0)            \
  F(fpclassify, -9.0, 9.0)
#define TWO_ARGUMENTS(F)                                                                                               \
  F(atan2, -9.0, 9.0) F(copysign, -9.0, 9.0) F(fdim, -9.0, 9.0) F(fmax, -9.0, 9.0) F(fmin, -9.0, 9.0) F(fmod, 0.5, 9.0) \
  F(hypot, -9.0, 9.0) F(nextafter, -9.0, 9.0) F(pow, 0.5, 3.0) F(remainder, 0.5, 9.0) F(isgreater, -9.0, 9.0)           \
  F(isless, -9.0, 9.0) F(islessequal, -9.0, 9.0) F(isgreaterequal, -9.0, 9.0) F(islessgreater, -9.0, 9.0)               \
  F(isunordered, -9.0, 9.0)
#define COUNT(...) +1
constexpr int results = 2 * (0 ONE_ARGUMENT(COUNT) WHOLE_RESULT(COUNT) TWO_ARGUMENTS(COUNT)) + 10;

template <class T> __host__ __device__ T within(double low, double high, T unit) { return T(low) + T(high - low) * unit; }

// `unit`, `other`: 0 to 1.
template <class T> __host__ __device__ void all(T unit, T other, double *out) {
  int k = 0;
  T x, y;
#define RUN(name, low, high)                                                                                           \
  x = within<T>(low, high, unit), y = within<T>(low, high, other);                                                     \
  out[k++] = double(name(x)), out[k++] = double(std::name(y));
  ONE_ARGUMENT(RUN)
  WHOLE_RESULT(RUN)
#undef RUN
#define RUN(name, low, high)                                                                                           \
  x = within<T>(low, high, unit), y = within<T>(low, high, other);                                                     \
  out[k++] = double(name(x, y)), out[k++] = double(std::name(y, x));
  TWO_ARGUMENTS(RUN)
#undef RUN
  out[k++] = fma(unit, other, T(3)), out[k++] = std::fma(other, unit, T(-2));
  int exponent, quotient;
  T whole;
  out[k++] = frexp(T(5) * other + T(1), &exponent), out[k++] = exponent;
  out[k++] = modf(T(9) * unit, &whole), out[k++] = whole;
  out[k++] = remquo(T(9) * unit, T(2), &quotient), out[k++] = quotient & 7;
  out[k++] = ldexp(unit, 3), out[k++] = scalbn(other, 2);
}

template <class T> __global__ void divergent(const T *in, double *out) {
  const int i = threadIdx.x;
  all<T>(in[i], in[i + 32], out + i * results);
}
template <class T> __global__ void alike(T unit, T other, double *out) {
  double own[results];
  all<T>(unit, other, own);
  for (int k = 0; k < results; k++) out[k] = own[k];
}

template <class T> void test(const char *name, double limit) {
  Random random;
  std::vector<T> in(64);
  for (T &x : in) x = T(random.between(0.001, 0.999));
  T *din;
  double *dout;
  CHECK(cudaMalloc(&din, sizeof(T) * 64));
  CHECK(cudaMalloc(&dout, sizeof(double) * 32 * results));
  CHECK(cudaMemcpy(din, in.data(), sizeof(T) * 64, cudaMemcpyHostToDevice));
  std::vector<double> got(32 * results), want(results);
  auto compare = [&](int lane) {
    all<T>(in[lane], in[lane + 32], want.data());
    for (int k = 0; k < results; k++) {
      const double g = got[lane * results + k], w = want[k];
      if (!(fabs(g - w) <= limit * fmax(1.0, fabs(w)))) FAIL("%s: result %d of lane %d: %g, expected %g", name, k, lane, g, w);
    }
  };
  divergent<T><<<1, 32>>>(din, dout);
  CHECK_KERNEL();
  CHECK(cudaMemcpy(got.data(), dout, sizeof(double) * 32 * results, cudaMemcpyDeviceToHost));
  for (int lane = 0; lane < 32; lane++) compare(lane);
  alike<T><<<1, 32>>>(in[7], in[39], dout);
  CHECK_KERNEL();
  CHECK(cudaMemcpy(got.data() + 7 * results, dout, sizeof(double) * results, cudaMemcpyDeviceToHost));
  compare(7);
}

int main() {
  test<float>("float", 4e-6);
  test<double>("double", 1e-13);
  return finish();
}
