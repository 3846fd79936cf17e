/*
 * min and max without std:: on the host, as CUDA has them; the device's come from Clang. One overload for each pair of
 * types of the programming guide, so that min(int, unsigned) is not ambiguous.
 */
#pragma once

#define __SIMSIGHT_MIN_MAX(R, A, B)                                                                                    \
  __host__ static inline R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; }                                         \
  __host__ static inline R max(A a, B b) { return (R)a > (R)b ? (R)a : (R)b; }
#define __SIMSIGHT_MIN_MAX_INTEGERS(S, U)                                                                              \
  __SIMSIGHT_MIN_MAX(S, S, S)                                                                                          \
  __SIMSIGHT_MIN_MAX(U, U, U)                                                                                          \
  __SIMSIGHT_MIN_MAX(U, S, U)                                                                                          \
  __SIMSIGHT_MIN_MAX(U, U, S)
__SIMSIGHT_MIN_MAX_INTEGERS(int, unsigned int)
__SIMSIGHT_MIN_MAX_INTEGERS(long, unsigned long)
__SIMSIGHT_MIN_MAX_INTEGERS(long long, unsigned long long)
__SIMSIGHT_MIN_MAX(float, float, float)
__SIMSIGHT_MIN_MAX(double, double, double)
__SIMSIGHT_MIN_MAX(double, float, double)
__SIMSIGHT_MIN_MAX(double, double, float)
#undef __SIMSIGHT_MIN_MAX_INTEGERS
#undef __SIMSIGHT_MIN_MAX
