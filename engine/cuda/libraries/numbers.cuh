/* Numbers of the types that libraries compute with: real and complex, and those that are only stored. */
#pragma once
#include <cuda_fp16.h>

template <class R> struct __align__(2 * sizeof(R)) Complex {
  R x, y;
  Complex() = default;
  __device__ Complex(R x, R y = 0) : x(x), y(y) {}
  __device__ Complex operator+(Complex o) const { return {x + o.x, y + o.y}; }
  __device__ Complex operator-(Complex o) const { return {x - o.x, y - o.y}; }
  __device__ Complex operator-() const { return {-x, -y}; }
  __device__ Complex operator*(Complex o) const { return {x * o.x - y * o.y, x * o.y + y * o.x}; }
  /* Scaled by the larger part of the divisor, so that nothing overflows on the way. */
  __device__ Complex operator/(Complex o) const {
    if (fabs(o.x) >= fabs(o.y)) {
      const R ratio = o.y / o.x, divisor = fma(o.y, ratio, o.x);
      return {fma(y, ratio, x) / divisor, fma(-x, ratio, y) / divisor};
    }
    const R ratio = o.x / o.y, divisor = fma(o.x, ratio, o.y);
    return {fma(x, ratio, y) / divisor, fma(y, ratio, -x) / divisor};
  }
  __device__ Complex &operator+=(Complex o) { return x += o.x, y += o.y, *this; }
  __device__ Complex &operator-=(Complex o) { return x -= o.x, y -= o.y, *this; }
  __device__ Complex &operator*=(Complex o) { return *this = *this * o; }
  __device__ bool operator==(Complex o) const { return x == o.x && y == o.y; }
  __device__ bool operator!=(Complex o) const { return !(*this == o); }
};
struct Bfloat16 {
  unsigned short bits;
};

/* The real type of a number's parts. */
template <class T> struct Parts {
  typedef T Real;
};
template <class R> struct Parts<Complex<R>> {
  typedef R Real;
};

template <class T> __device__ inline T conjugated(T a, bool) { return a; }
template <class R> __device__ inline Complex<R> conjugated(Complex<R> a, bool yes) { return {a.x, yes ? -a.y : a.y}; }
template <class T> __device__ inline T realPart(T a) { return a; }
template <class R> __device__ inline R realPart(Complex<R> a) { return a.x; }
template <class T> __device__ inline T imaginaryPart(T) { return 0; }
template <class R> __device__ inline R imaginaryPart(Complex<R> a) { return a.y; }
/* |a|² */
template <class T> __device__ inline T square(T a) { return a * a; }
template <class R> __device__ inline R square(Complex<R> a) { return a.x * a.x + a.y * a.y; }
/* What pivots are compared by: LAPACK's norm. */
template <class T> __device__ inline T size(T a) { return fabs(a); }
template <class R> __device__ inline R size(Complex<R> a) { return fabs(a.x) + fabs(a.y); }

template <class T> __device__ inline T fromLane(T a, int lane) { return __shfl_sync(0xffffffffu, a, lane); }
template <class T> __device__ inline T otherLane(T a, int mask) { return __shfl_xor_sync(0xffffffffu, a, mask); }
template <class T> __device__ inline T laneBelow(T a, int by) { return __shfl_up_sync(0xffffffffu, a, by); }
template <class R> __device__ inline Complex<R> fromLane(Complex<R> a, int lane) {
  return {fromLane(a.x, lane), fromLane(a.y, lane)};
}
template <class R> __device__ inline Complex<R> otherLane(Complex<R> a, int mask) {
  return {otherLane(a.x, mask), otherLane(a.y, mask)};
}
template <class R> __device__ inline Complex<R> laneBelow(Complex<R> a, int by) {
  return {laneBelow(a.x, by), laneBelow(a.y, by)};
}
/* The sum over groups of so many lanes, a power of two: in each of them. */
template <class T> __device__ inline T sumOverLanes(T a, int lanes) {
  for (int mask = lanes / 2; mask > 0; mask /= 2) a += otherLane(a, mask);
  return a;
}

template <class T> __device__ inline void addAtomically(T *target, T a) { atomicAdd(target, a); }
template <class R> __device__ inline void addAtomically(Complex<R> *target, Complex<R> a) {
  atomicAdd(&target->x, a.x);
  atomicAdd(&target->y, a.y);
}

/* Between the type that is stored and the one that is computed in. */
template <class Acc, class T> __device__ inline Acc widen(T value) { return (Acc)value; }
template <class T, class Acc> __device__ inline T narrow(Acc value) { return (T)value; }
template <> __device__ inline float widen(__half value) { return __half2float(value); }
template <> __device__ inline float widen(Bfloat16 value) { return __uint_as_float((unsigned)value.bits << 16); }
template <> __device__ inline __half narrow(float value) { return __float2half(value); }
template <> __device__ inline Bfloat16 narrow(float value) {
  const unsigned bits = __float_as_uint(value);
  if (value != value) return {0x7fff};
  return {(unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

/* A scalar that lies on the device where there is a pointer. */
template <class T> __device__ inline T scalar(T value, const void *pointer) {
  return pointer == nullptr ? value : *(const T *)pointer;
}
