/* Complex numbers of CUDA's C interface. */
#pragma once
#include "cuda_runtime.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
#define __SIMSIGHT_COMPLEX(T, C, f, X, math)                                                                             \
  __host__ __device__ static __inline__ C make_##X(T re, T im) {                                                       \
    C z = {re, im};                                                                                                    \
    return z;                                                                                                          \
  }                                                                                                                    \
  __host__ __device__ static __inline__ T cuCreal##f(C z) { return z.x; }                                              \
  __host__ __device__ static __inline__ T cuCimag##f(C z) { return z.y; }                                              \
  __host__ __device__ static __inline__ C cuConj##f(C z) { return make_##X(z.x, -z.y); }                               \
  __host__ __device__ static __inline__ C cuCadd##f(C a, C b) { return make_##X(a.x + b.x, a.y + b.y); }               \
  __host__ __device__ static __inline__ C cuCsub##f(C a, C b) { return make_##X(a.x - b.x, a.y - b.y); }               \
  __host__ __device__ static __inline__ C cuCmul##f(C a, C b) {                                                        \
    return make_##X(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                                     \
  }                                                                                                                    \
  /* Scaled, so that nothing overflows on the way. */                                                                  \
  __host__ __device__ static __inline__ C cuCdiv##f(C a, C b) {                                                        \
    const T scale = (T)1 / (fabs##math(b.x) + fabs##math(b.y));                                                              \
    const T ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;                                    \
    const T inverse = (T)1 / (bx * bx + by * by);                                                                      \
    return make_##X((ax * bx + ay * by) * inverse, (ay * bx - ax * by) * inverse);                                     \
  }                                                                                                                    \
  __host__ __device__ static __inline__ T cuCabs##f(C z) { return hypot##math(z.x, z.y); }                                \
  __host__ __device__ static __inline__ C cuCfma##f(C a, C b, C c) { return cuCadd##f(cuCmul##f(a, b), c); }
__SIMSIGHT_COMPLEX(float, cuFloatComplex, f, cuFloatComplex, f)
__SIMSIGHT_COMPLEX(double, cuDoubleComplex, , cuDoubleComplex, )
#undef __SIMSIGHT_COMPLEX
__host__ __device__ static __inline__ cuComplex make_cuComplex(float re, float im) {
  return make_cuFloatComplex(re, im);
}
__host__ __device__ static __inline__ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
  return make_cuDoubleComplex(z.x, z.y);
}
__host__ __device__ static __inline__ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
  return make_cuFloatComplex((float)z.x, (float)z.y);
}
