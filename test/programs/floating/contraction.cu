// Which products and sums become one instruction with one rounding (-fmad=true), to the bit. Written for -O3 of nvcc 13.0.
#include "../check.h"

__constant__ float floatConstants[8];
__constant__ double doubleConstants[8];
template <class T> __device__ T known();
template <> __device__ float known<float>() { return floatConstants[3]; }
template <> __device__ double known<double>() { return doubleConstants[3]; }

// What the host rounds by itself, operation by operation.
template <class T> T times(T x, T y) { volatile T r = x * y; return r; }
template <class T> T plus(T x, T y) { volatile T r = x + y; return r; }

constexpr int inputs = 6, threads = 64, rounds = 5;

// A kernel of two results, and what they have to be; q: a parameter; m: not known to the compiler, 5.
#define CASE(name, body, first, second)                                                                                \
  template <class T> __global__ void name(const T *x, T *o, int m, T q) {                                             \
    const int t = threadIdx.x;                                                                                         \
    T a = x[t], b = x[t + 64], c = x[t + 128], d = x[t + 192], e = x[t + 256], f = x[t + 320], &o0 = o[t], &o1 = o[t + 64]; \
    body                                                                                                               \
  }                                                                                                                    \
  template <class T> struct name##Expected {                                                                          \
    static T result(int k, T a, T b, T c, T d, T e, T f, T q) { return k == 0 ? (first) : (second); }                  \
  };
#define LOOP _Pragma("unroll 1") for (int i = 0; i < m; i++)
#define AB times(a, b)
#define CD times(c, d)
template <class T> T added(T r, T c) { for (int i = 0; i < rounds; i++) c = plus(r, c); return c; }
template <class T> T fused(T x, T y, T c) { for (int i = 0; i < rounds; i++) c = std::fma(x, y, c); return c; }

CASE(twoSums, T r = a * b; o0 = r + c; o1 = r + d;, std::fma(a, b, c), std::fma(a, b, d))
CASE(twoDifferences, T r = a * b; o0 = r - c; o1 = d - r;, std::fma(a, b, -c), std::fma(-a, b, d))
CASE(stored, T r = a * b; o0 = r + c; o1 = r;, plus(AB, c), AB)
CASE(multiplied, T r = a * b; o0 = r + c; o1 = r * d;, plus(AB, c), times(AB, d))
CASE(compared, T r = a * b; o0 = r + c; o1 = r > d ? 1 : 0;, plus(AB, c), AB > d ? 1 : 0)
CASE(absolute, T r = a * b; o0 = fabs(r) + c; o1 = 0;, plus(std::fabs(AB), c), 0)
CASE(negated, T r = a * b; T n = -r; o0 = n + c; o1 = -(c * d) - e;, std::fma(-a, b, c), std::fma(-c, d, -e))
CASE(twoProducts, o0 = a * b + c * d; o1 = a * b - c * d + 0 * e;, std::fma(a, b, CD), std::fma(e, (T)0, std::fma(a, b, -CD)))
CASE(sumAndDifference, T r = a * b; T s = c * d; o0 = r + s; o1 = r - s;, std::fma(a, b, CD), std::fma(a, b, -CD))
CASE(secondGoesOn, T r = a * b; T s = c * d; o0 = r + s; o1 = s + e;, std::fma(a, b, CD), std::fma(c, d, e))
CASE(secondFirst, T r = a * b; T s = c * d; o0 = s + e; o1 = r + s;, plus(CD, e), std::fma(a, b, CD))
CASE(secondSubtracted, T r = a * b; T s = c * d; o0 = r - s; o1 = s - e;, std::fma(a, b, -CD), plus(CD, -e))
CASE(secondSubtractedFirst, T r = a * b; T s = c * d; o0 = s - e; o1 = r - s;, plus(CD, -e), std::fma(a, b, -CD))
CASE(oneUseFirst, T r = a * b; T s = c * d; o0 = r - s; o1 = r - e;, std::fma(-c, d, AB), plus(AB, -e))
CASE(bothManyUses, T r = a * b; T s = c * d; o0 = r - s; o1 = (e - r) + (f - s);, std::fma(a, b, -CD), plus(std::fma(-a, b, e), plus(f, -CD)))
CASE(storedFirst, T r = a * b; T s = c * d; o0 = r + s; o1 = r;, std::fma(c, d, AB), AB)
CASE(manySums, T r = a * b; o0 = (r + c) * (r + d) * (r + e) * (r + f); o1 = (r + (T)1) * (r + q);, times(times(times(std::fma(a, b, c), std::fma(a, b, d)), std::fma(a, b, e)), std::fma(a, b, f)), times(std::fma(a, b, (T)1), std::fma(a, b, q)))
CASE(otherBlock, T r = a * b; if (m > 3) o0 = r + c; else o0 = r - d; o1 = 0;, plus(AB, c), 0)
CASE(otherBlockConstant, T r = a * (T)3; if (m > 3) o0 = r + c; else o0 = r - d; o1 = 0;, std::fma(a, (T)3, c), 0)
CASE(otherBlockParameter, T r = a * q; if (m > 3) o0 = r + c; else o0 = r - d; o1 = 0;, std::fma(a, q, c), 0)
CASE(aroundLoop, T r = a * b; LOOP c = r + c; o0 = c; o1 = 0;, added(AB, c), 0)
CASE(aroundLoopConstant, T r = a * (T)3; LOOP c = r + c; o0 = c; o1 = 0;, fused(a, (T)3, c), 0)
CASE(aroundLoopParameter, T r = a * q; LOOP c = r + c; o0 = c; o1 = 0;, fused(a, q, c), 0)
CASE(aroundLoopKnown, T r = a * known<T>(); LOOP c = r + c; o0 = c; o1 = 0;, fused(a, (T)1.7, c), 0)
CASE(aroundLoopStored, T r = a * (T)3; LOOP c = r + c; o0 = c; o1 = r;, added(times(a, (T)3), c), times(a, (T)3))
CASE(acrossDivision, T r = a * b; T z = c / d; o0 = z - r; o1 = 0;, plus(c / d, -AB), 0)

// ptxas contracts assembly as well, unless it names a rounding mode; NVVM does not see it.
__device__ float mul(float x, float y) { float r; asm("mul.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y)); return r; }
__device__ float add(float x, float y) { float r; asm("add.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y)); return r; }
__device__ float mulNearest(float x, float y) { float r; asm("mul.rn.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y)); return r; }
__device__ double mul(double x, double y) { double r; asm("mul.f64 %0, %1, %2;" : "=d"(r) : "d"(x), "d"(y)); return r; }
__device__ double add(double x, double y) { double r; asm("add.f64 %0, %1, %2;" : "=d"(r) : "d"(x), "d"(y)); return r; }
__device__ double mulNearest(double x, double y) { double r; asm("mul.rn.f64 %0, %1, %2;" : "=d"(r) : "d"(x), "d"(y)); return r; }
CASE(assembly, o0 = add(mul(a, b), c); o1 = add(mulNearest(c, d), e);, std::fma(a, b, c), plus(CD, e))
CASE(assemblySecond, T r = mul(a, b); T s = mul(c, d); o0 = add(r, s); o1 = add(s, e);, std::fma(a, b, CD), plus(CD, e))

static std::vector<double> numbers;

template <class T, template <class> class Expected> void test(const char *name, void (*kernel)(const T *, T *, int, T)) {
  std::vector<T> x(inputs * threads);
  for (size_t i = 0; i < x.size(); i++) x[i] = (T)numbers[i];
  const T q = (T)0.3;
  Device<T> input(x), output(2 * threads);
  kernel<<<1, threads>>>(input.data, output.data, rounds, q);
  CHECK_KERNEL();
  const auto got = output.host();
  for (int k = 0; k < 2; k++)
    for (int t = 0; t < threads; t++) {
      const T e = Expected<T>::result(k, x[t], x[t + 64], x[t + 128], x[t + 192], x[t + 256], x[t + 320], q);
      if (got[k * threads + t] != e) {
        FAIL("%s of %d bytes, result %d of thread %d: %a, expected %a", name, (int)sizeof(T), k, t, (double)got[k * threads + t], (double)e);
        break;
      }
    }
}
#define TEST(name) test<float, name##Expected>(#name, name<float>), test<double, name##Expected>(#name, name<double>)

int main() {
  unsigned seed = 12345;
  for (int i = 0; i < inputs * threads; i++) {
    seed = seed * 1664525u + 1013904223u;
    numbers.push_back(((int)(seed >> 8) % 20001 - 10000) / 3000.0 + 1e-3);
  }
  const float f[8] = {0, 0, 0, 1.7f};
  const double d[8] = {0, 0, 0, 1.7};
  CHECK(cudaMemcpyToSymbol(floatConstants, f, sizeof f));
  CHECK(cudaMemcpyToSymbol(doubleConstants, d, sizeof d));
  TEST(twoSums), TEST(twoDifferences), TEST(stored), TEST(multiplied), TEST(compared), TEST(absolute), TEST(negated);
  TEST(twoProducts), TEST(sumAndDifference), TEST(secondGoesOn), TEST(secondFirst), TEST(secondSubtracted);
  TEST(secondSubtractedFirst), TEST(oneUseFirst), TEST(bothManyUses), TEST(storedFirst), TEST(manySums), TEST(otherBlock);
  TEST(otherBlockConstant), TEST(otherBlockParameter), TEST(aroundLoop), TEST(aroundLoopConstant), TEST(aroundLoopParameter);
  TEST(aroundLoopKnown), TEST(aroundLoopStored), TEST(acrossDivision), TEST(assembly), TEST(assemblySecond);
  return finish();
}
