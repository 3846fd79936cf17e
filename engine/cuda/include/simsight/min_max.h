/*
 * min and max without std::, as CUDA has them on both sides. One overload for each pair of types of the programming guide,
 * so that min(int, unsigned) is not ambiguous; of floats they are fmin and fmax. min(int, int) of the device is Clang's: the
 * others are not, and without them it would be taken for all types.
 */
#pragma once

#define __SIMSIGHT_MIN_MAX(SIDE, R, A, B)                                                                              \
  SIDE static inline R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; }                                             \
  SIDE static inline R max(A a, B b) { return (R)a > (R)b ? (R)a : (R)b; }
#define __SIMSIGHT_MIN_MAX_MIXED(S, U)                                                                                 \
  __SIMSIGHT_MIN_MAX(__host__ __device__, U, U, U)                                                                     \
  __SIMSIGHT_MIN_MAX(__host__ __device__, U, S, U)                                                                     \
  __SIMSIGHT_MIN_MAX(__host__ __device__, U, U, S)
#define __SIMSIGHT_MIN_MAX_FLOATS(R, A, B, end)                                                                        \
  __host__ __device__ static inline R min(A a, B b) { return __builtin_fmin##end(a, b); }                              \
  __host__ __device__ static inline R max(A a, B b) { return __builtin_fmax##end(a, b); }
__SIMSIGHT_MIN_MAX(__host__, int, int, int)
__SIMSIGHT_MIN_MAX(__host__ __device__, long, long, long)
__SIMSIGHT_MIN_MAX(__host__ __device__, long long, long long, long long)
__SIMSIGHT_MIN_MAX_MIXED(int, unsigned int)
__SIMSIGHT_MIN_MAX_MIXED(long, unsigned long)
__SIMSIGHT_MIN_MAX_MIXED(long long, unsigned long long)
__SIMSIGHT_MIN_MAX_FLOATS(float, float, float, f)
__SIMSIGHT_MIN_MAX_FLOATS(double, double, double, )
__SIMSIGHT_MIN_MAX_FLOATS(double, float, double, )
__SIMSIGHT_MIN_MAX_FLOATS(double, double, float, )
#undef __SIMSIGHT_MIN_MAX_FLOATS
#undef __SIMSIGHT_MIN_MAX_MIXED
#undef __SIMSIGHT_MIN_MAX
