/*
 * The kernels behind cuBLAS's calls on vectors of a type that an argument names. One call per compilation: EX_DOT, EX_NRM2,
 * EX_AXPY or EX_SCAL is defined. `cublas-ex.ts` launches them and knows their parameters.
 *
 * Scalars are values where the pointer beside them is null, else they lie on the device.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class R> struct __align__(2 * sizeof(R)) Complex {
  R x, y;
};
/* An element as it is computed with, and back. */
__device__ inline float widen(__half a) { return __half2float(a); }
__device__ inline float widen(__nv_bfloat16 a) { return __bfloat162float(a); }
template <class T> __device__ inline T widen(T a) { return a; }
template <class T> struct As {
  template <class A> __device__ static T from(A a) { return (T)a; }
};
template <> struct As<__half> {
  __device__ static __half from(float a) { return __float2half(a); }
  __device__ static __half from(double a) { return __double2half(a); }
};
template <> struct As<__nv_bfloat16> {
  __device__ static __nv_bfloat16 from(float a) { return __float2bfloat16(a); }
  __device__ static __nv_bfloat16 from(double a) { return __double2bfloat16(a); }
};
template <class R> struct As<Complex<R>> {
  template <class A> __device__ static Complex<R> from(Complex<A> a) { return {(R)a.x, (R)a.y}; }
};

/* c + a b */
__device__ inline float plus(float c, float a, float b) { return fma(a, b, c); }
__device__ inline double plus(double c, double a, double b) { return fma(a, b, c); }
template <class R> __device__ inline Complex<R> plus(Complex<R> c, Complex<R> a, Complex<R> b) {
  return {fma(-a.y, b.y, fma(a.x, b.x, c.x)), fma(a.y, b.x, fma(a.x, b.y, c.y))};
}
template <class T> __device__ inline T conjugate(T a) { return a; }
template <class R> __device__ inline Complex<R> conjugate(Complex<R> a) { return {a.x, -a.y}; }

/* Element i of a vector; with a negative increment the first lies at the end. */
__device__ inline long long at(unsigned i, int n, int inc) { return ((long long)i - (inc < 0 ? n - 1 : 0)) * inc; }
#define FIRST (blockIdx.x * blockDim.x + threadIdx.x)
#define STEP (gridDim.x * blockDim.x)
#define KERNEL extern "C" __global__ void

#if EX_DOT || EX_NRM2
/* Reductions: every block of 256 threads leaves a part, a second kernel of one block makes the result of them. */
constexpr int reducers = 256;
template <class R> __device__ inline R reduce(R mine) {
  __shared__ R parts[reducers / 32];
  for (int lane = 16; lane > 0; lane /= 2) mine = mine.with(mine.from(lane));
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = mine;
  __syncthreads();
  mine = R::none();
  if (threadIdx.x < reducers / 32) mine = parts[threadIdx.x];
  for (int lane = reducers / 64; lane > 0; lane /= 2) mine = mine.with(mine.from(lane));
  return mine;
}
template <class R> __device__ inline void keep(R mine, R *parts) {
  mine = reduce(mine);
  if (threadIdx.x == 0) parts[blockIdx.x] = mine;
}
template <class R> __device__ inline R gather(const R *parts, int count) {
  R mine = R::none();
  for (int i = threadIdx.x; i < count; i += reducers) mine = mine.with(parts[i]);
  return reduce(mine);
}
__device__ inline double below(double a, int lane) { return __shfl_down_sync(0xffffffffu, a, lane); }
#endif

#if EX_DOT
struct Sum {
  double value;
  __device__ static Sum none() { return {0}; }
  __device__ Sum with(const Sum &o) const { return {value + o.value}; }
  __device__ Sum from(int lane) const { return {below(value, lane)}; }
};
struct ComplexSum {
  Complex<double> value;
  __device__ static ComplexSum none() { return {{0, 0}}; }
  __device__ ComplexSum with(const ComplexSum &o) const { return {{value.x + o.value.x, value.y + o.value.y}}; }
  __device__ ComplexSum from(int lane) const { return {{below(value.x, lane), below(value.y, lane)}}; }
};
/* A few products at a time in the type of the execution, and these sums in double precision: long vectors lose nothing. */
template <class Parts, class T> __device__ inline void dot(int n, const T *x, int incx, const T *y, int incy, int conjugated, Parts *parts) {
  typedef decltype(widen(T())) E;
  constexpr int together = 16;
  Parts mine = Parts::none();
  for (unsigned i = FIRST; i < n;) {
    E some = {};
    for (int u = 0; u < together && i < n; ++u, i += STEP) {
      const E a = widen(x[at(i, n, incx)]);
      some = plus(some, conjugated ? conjugate(a) : a, widen(y[at(i, n, incy)]));
    }
    mine = mine.with({As<decltype(mine.value)>::from(some)});
  }
  keep(mine, parts);
}
#define DOT(X, T, PARTS)                                                                                               \
  KERNEL cublas_##X##dot_ex(int n, const T *x, int incx, const T *y, int incy, int conjugated, PARTS *parts) {         \
    dot(n, x, incx, y, incy, conjugated, parts);                                                                       \
  }                                                                                                                    \
  KERNEL cublas_##X##dot_ex_parts(const PARTS *parts, int count, T *result) {                                          \
    const PARTS all = gather(parts, count);                                                                            \
    if (threadIdx.x == 0) *result = As<T>::from(all.value);                                                            \
  }
DOT(h, __half, Sum)
DOT(b, __nv_bfloat16, Sum)
DOT(s, float, Sum)
DOT(d, double, Sum)
DOT(c, Complex<float>, ComplexSum)
DOT(z, Complex<double>, ComplexSum)
#endif

#if EX_NRM2
/* A sum of squares of narrower numbers: they neither overflow nor vanish in double precision. */
struct Squares {
  double value;
  __device__ static Squares none() { return {0}; }
  __device__ static Squares of(double x) { return {x * x}; }
  __device__ Squares with(const Squares &o) const { return {value + o.value}; }
  __device__ Squares from(int lane) const { return {below(value, lane)}; }
  __device__ double root() const { return sqrt(value); }
};
/* scale² times value. */
struct ScaledSquares {
  double scale, value;
  __device__ static ScaledSquares none() { return {0, 0}; }
  __device__ static ScaledSquares of(double x) { return {fabs(x), 1}; }
  __device__ ScaledSquares with(const ScaledSquares &o) const {
    const bool larger = scale >= o.scale;
    const double big = larger ? scale : o.scale, small = larger ? o.scale : scale;
    if (small == 0 && scale == scale && o.scale == o.scale) return larger ? *this : o;
    const double ratio = small == big ? 1 : small / big;
    return {big, larger ? value + ratio * ratio * o.value : o.value + ratio * ratio * value};
  }
  __device__ ScaledSquares from(int lane) const { return {below(scale, lane), below(value, lane)}; }
  __device__ double root() const { return scale * sqrt(value); }
};
template <class Parts, class T> __device__ inline Parts squared(T a) { return Parts::of(widen(a)); }
template <class Parts, class R> __device__ inline Parts squared(Complex<R> a) { return Parts::of(a.x).with(Parts::of(a.y)); }
#define NRM2(X, T, RESULT, PARTS)                                                                                      \
  KERNEL cublas_##X##nrm2_ex(int n, const T *x, int incx, PARTS *parts) {                                              \
    PARTS mine = PARTS::none();                                                                                        \
    for (unsigned i = FIRST; i < n; i += STEP) mine = mine.with(squared<PARTS>(x[at(i, n, incx)]));                    \
    keep(mine, parts);                                                                                                 \
  }                                                                                                                    \
  KERNEL cublas_##X##nrm2_ex_parts(const PARTS *parts, int count, RESULT *result) {                                    \
    const PARTS all = gather(parts, count);                                                                            \
    if (threadIdx.x == 0) *result = As<RESULT>::from(all.root());                                                      \
  }
NRM2(h, __half, __half, Squares)
NRM2(b, __nv_bfloat16, __nv_bfloat16, Squares)
NRM2(s, float, float, Squares)
NRM2(d, double, double, ScaledSquares)
NRM2(c, Complex<float>, float, Squares)
NRM2(z, Complex<double>, double, ScaledSquares)
#endif

/* What the host passes: a number, or the two parts of a complex one. */
template <class E> struct Scalar {
  typedef E Part;
  __device__ static E of(const E *at, E x, E) { return at ? *at : x; }
};
template <class R> struct Scalar<Complex<R>> {
  typedef R Part;
  __device__ static Complex<R> of(const Complex<R> *at, R x, R y) { return {at ? at->x : x, at ? at->y : y}; }
};

#if EX_AXPY
#define AXPY(X, T, E)                                                                                                  \
  KERNEL cublas_##X##axpy_ex(int n, const T *x, int incx, T *y, int incy, const E *alphaAt, Scalar<E>::Part alphaX,    \
                             Scalar<E>::Part alphaY) {                                                                 \
    const E alpha = Scalar<E>::of(alphaAt, alphaX, alphaY);                                                            \
    for (unsigned i = FIRST; i < n; i += STEP) {                                                                       \
      T &target = y[at(i, n, incy)];                                                                                   \
      target = As<T>::from(plus(widen(target), alpha, widen(x[at(i, n, incx)])));                                      \
    }                                                                                                                  \
  }
AXPY(h, __half, float)
AXPY(b, __nv_bfloat16, float)
AXPY(s, float, float)
AXPY(d, double, double)
AXPY(c, Complex<float>, Complex<float>)
AXPY(z, Complex<double>, Complex<double>)
#endif

#if EX_SCAL
#define SCAL(X, T, E)                                                                                                  \
  KERNEL cublas_##X##scal_ex(int n, T *x, int incx, const E *alphaAt, Scalar<E>::Part alphaX,                          \
                             Scalar<E>::Part alphaY) {                                                                 \
    const E alpha = Scalar<E>::of(alphaAt, alphaX, alphaY);                                                            \
    for (unsigned i = FIRST; i < n; i += STEP) {                                                                       \
      T &target = x[at(i, n, incx)];                                                                                   \
      target = As<T>::from(plus(E{}, alpha, widen(target)));                                                           \
    }                                                                                                                  \
  }
SCAL(h, __half, float)
SCAL(b, __nv_bfloat16, float)
SCAL(s, float, float)
SCAL(d, double, double)
SCAL(c, Complex<float>, Complex<float>)
SCAL(z, Complex<double>, Complex<double>)
#endif
