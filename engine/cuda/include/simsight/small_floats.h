/*
 * Floating point of 6 and 4 bits, which has neither infinities nor NaN: numbers that are too large become the largest one, NaN the largest positive
 * one. Conversions are integer arithmetic on host and device, as on GPUs before compute capability 10.0. cuda_fp6.h and cuda_fp4.h include this file.
 */
#pragma once
#include "../cuda_fp8.h"

#ifdef __cplusplus
template <int mantissa, int exponentBits> struct __simsight_small {
  static constexpr int bits = 1 + exponentBits + mantissa, bias = (1 << (exponentBits - 1)) - 1;
  static constexpr unsigned sign = 1u << (bits - 1), largest = sign - 1;

  /* To the nearest, ties to even, or towards zero (cudaRoundZero). A double holds every number of the other types. */
  __SIMSIGHT_HD unsigned from(const double x, const enum cudaRoundMode rounding) {
    const unsigned long long all = __simsight_bits(x), size = all << 1 >> 1;
    if (size > 0x7ffull << 52) return largest;
    const unsigned negative = (unsigned)(all >> 63);
    const int own = (int)(size >> 52) - 1023, exponent = own < 1 - bias ? 1 - bias : own;
    const int dropped = 52 - mantissa + exponent - own;
    if (own > bias + 1) return negative * sign | largest;
    unsigned result = 0;
    unsigned long long rest = 1, half = 2;
    if (dropped < 62) {
      const unsigned long long whole = (size << 12 >> 12) | 1ull << 52;
      half = 1ull << (dropped - 1);
      rest = whole & (2 * half - 1);
      result = (unsigned)(whole >> dropped);
    } else if (size == 0) rest = 0;
    result += (unsigned)(exponent + bias - 1) << mantissa;
    result += rounding == cudaRoundNearest && (rest > half || (rest == half && (result & 1)));
    return negative * sign | (result > largest ? largest : result);
  }

  /* Each of them is a half. */
  __SIMSIGHT_HD __half_raw to(const unsigned x) {
    const unsigned size = x & largest;
    unsigned half = (x & sign) << (16 - bits);
    if (size >> mantissa) half |= (size << (10 - mantissa)) + ((15 - bias) << 10);
    else if (size) {
      /* Steps of 2^(1 - bias - mantissa). */
      const unsigned first = size >= 4 ? 2 : size >= 2;
      half |= ((size << (10 - first)) & 0x3ff) | (first + 16 - bias - mantissa) << 10;
    }
    return __half_raw{(unsigned short)half};
  }
};

/* Conversions between the types; `W`: bits between the two of a pair. */
#define __SIMSIGHT_SMALL_CALLS(N, W, select)                                                                                     \
  __SIMSIGHT_HD __nv_fp##N##_storage_t __nv_cvt_double_to_fp##N(const double x, const __nv_fp##N##_interpretation_t fp##N##_interpretation,  \
                                                                const enum cudaRoundMode rounding) {                             \
    return (__nv_fp##N##_storage_t)select(fp##N##_interpretation, from(x, rounding));                                            \
  }                                                                                                                              \
  __SIMSIGHT_SMALL_CALL(N, float, float, x)                                                                                      \
  __SIMSIGHT_SMALL_CALL(N, __half_raw, halfraw, __half2float(__half(x)))                                                         \
  __SIMSIGHT_SMALL_CALL(N, __nv_bfloat16_raw, bfloat16raw, __bfloat162float(__nv_bfloat16(x)))                                   \
  __SIMSIGHT_SMALL_PAIR(N, W, double2, double2, double, x.x, x.y)                                                                \
  __SIMSIGHT_SMALL_PAIR(N, W, float2, float2, float, x.x, x.y)                                                                   \
  __SIMSIGHT_SMALL_PAIR(N, W, __half2_raw, halfraw2, halfraw, __half_raw{x.x}, __half_raw{x.y})                                  \
  __SIMSIGHT_SMALL_PAIR(N, W, __nv_bfloat162_raw, bfloat16raw2, bfloat16raw, __nv_bfloat16_raw{x.x}, __nv_bfloat16_raw{x.y})     \
  __SIMSIGHT_HD __half_raw __nv_cvt_fp##N##_to_halfraw(const __nv_fp##N##_storage_t x,                                           \
                                                       const __nv_fp##N##_interpretation_t fp##N##_interpretation) {             \
    return select(fp##N##_interpretation, to(x));                                                                                \
  }                                                                                                                              \
  __SIMSIGHT_HD __half2_raw __nv_cvt_fp##N##x2_to_halfraw2(const __nv_fp##N##x2_storage_t x,                                     \
                                                           const __nv_fp##N##_interpretation_t fp##N##_interpretation) {         \
    return __half2_raw{__nv_cvt_fp##N##_to_halfraw((__nv_fp##N##_storage_t)(x & ((1 << W) - 1)), fp##N##_interpretation).x,      \
                       __nv_cvt_fp##N##_to_halfraw((__nv_fp##N##_storage_t)(x >> W), fp##N##_interpretation).x};                 \
  }
#define __SIMSIGHT_SMALL_CALL(N, T, name, wide)                                                                                  \
  __SIMSIGHT_HD __nv_fp##N##_storage_t __nv_cvt_##name##_to_fp##N(const T x, const __nv_fp##N##_interpretation_t fp##N##_interpretation,     \
                                                                  const enum cudaRoundMode rounding) {                           \
    return __nv_cvt_double_to_fp##N(wide, fp##N##_interpretation, rounding);                                                     \
  }
#define __SIMSIGHT_SMALL_PAIR(N, W, T, name, one, first, second)                                                                 \
  __SIMSIGHT_HD __nv_fp##N##x2_storage_t __nv_cvt_##name##_to_fp##N##x2(const T x, const __nv_fp##N##_interpretation_t fp##N##_interpretation, \
                                                                        const enum cudaRoundMode rounding) {                     \
    return (__nv_fp##N##x2_storage_t)(__nv_cvt_##one##_to_fp##N(first, fp##N##_interpretation, rounding) |                       \
                                      __nv_cvt_##one##_to_fp##N(second, fp##N##_interpretation, rounding) << W);                 \
  }

#define __SIMSIGHT_SMALL_FROM(NAME, T) explicit __host__ __device__ NAME(const T value) : NAME((double)value) {}
#define __SIMSIGHT_SMALL_TO(T) explicit __host__ __device__ operator T() const { return (T)(__half)*this; }
/* One, two and four numbers. Integers of 64 bits that a double does not hold are far too large for a number of so few bits. */
#define __SIMSIGHT_SMALL_TYPES(N, W, kind, interpretation, half_bytes)                                                           \
  struct __align__(1) __nv_fp##N##_##kind {                                                                                      \
    __nv_fp##N##_storage_t __x;                                                                                                  \
    __nv_fp##N##_##kind() = default;                                                                                             \
    explicit __host__ __device__ __nv_fp##N##_##kind(const double value)                                                         \
        : __x(__nv_cvt_double_to_fp##N(value, interpretation, cudaRoundNearest)) {}                                              \
    explicit __host__ __device__ __nv_fp##N##_##kind(const __half value) : __nv_fp##N##_##kind((double)__half2float(value)) {}   \
    explicit __host__ __device__ __nv_fp##N##_##kind(const __nv_bfloat16 value)                                                  \
        : __nv_fp##N##_##kind((double)__bfloat162float(value)) {}                                                                \
    __SIMSIGHT_SMALL_FROM(__nv_fp##N##_##kind, float)                                                                            \
    __SIMSIGHT_SMALL_FROM(__nv_fp##N##_##kind, unsigned short)                                                                   \
    __SIMSIGHT_SMALL_FROM(__nv_fp##N##_##kind, unsigned int)                                                                     \
    __SIMSIGHT_SMALL_FROM(__nv_fp##N##_##kind, unsigned long)                                                                    \
    __SIMSIGHT_SMALL_FROM(__nv_fp##N##_##kind, unsigned long long)                                                               \
    __SIMSIGHT_SMALL_FROM(__nv_fp##N##_##kind, short)                                                                            \
    __SIMSIGHT_SMALL_FROM(__nv_fp##N##_##kind, int)                                                                              \
    __SIMSIGHT_SMALL_FROM(__nv_fp##N##_##kind, long)                                                                             \
    __SIMSIGHT_SMALL_FROM(__nv_fp##N##_##kind, long long)                                                                        \
    explicit __host__ __device__ operator __half() const { return __half(__nv_cvt_fp##N##_to_halfraw(__x, interpretation)); }    \
    explicit __host__ __device__ operator float() const { return __half2float((__half)*this); }                                  \
    explicit __host__ __device__ operator __nv_bfloat16() const { return __float2bfloat16_rz((float)*this); }                    \
    explicit __host__ __device__ operator double() const { return (float)*this; }                                                \
    __SIMSIGHT_SMALL_TO(unsigned char)                                                                                           \
    __SIMSIGHT_SMALL_TO(unsigned short)                                                                                          \
    __SIMSIGHT_SMALL_TO(unsigned int)                                                                                            \
    __SIMSIGHT_SMALL_TO(unsigned long)                                                                                           \
    __SIMSIGHT_SMALL_TO(unsigned long long)                                                                                      \
    __SIMSIGHT_SMALL_TO(signed char)                                                                                             \
    __SIMSIGHT_SMALL_TO(char)                                                                                                    \
    __SIMSIGHT_SMALL_TO(short)                                                                                                   \
    __SIMSIGHT_SMALL_TO(int)                                                                                                     \
    __SIMSIGHT_SMALL_TO(long)                                                                                                    \
    __SIMSIGHT_SMALL_TO(long long)                                                                                               \
    explicit __host__ __device__ operator bool() const { return (float)*this != 0; }                                             \
  };                                                                                                                             \
  struct __align__(half_bytes) __nv_fp##N##x2_##kind {                                                                           \
    __nv_fp##N##x2_storage_t __x;                                                                                                \
    __nv_fp##N##x2_##kind() = default;                                                                                           \
    explicit __host__ __device__ __nv_fp##N##x2_##kind(const __half2 value)                                                      \
        : __x(__nv_cvt_halfraw2_to_fp##N##x2(value, interpretation, cudaRoundNearest)) {}                                        \
    explicit __host__ __device__ __nv_fp##N##x2_##kind(const __nv_bfloat162 value)                                               \
        : __x(__nv_cvt_bfloat16raw2_to_fp##N##x2(value, interpretation, cudaRoundNearest)) {}                                    \
    explicit __host__ __device__ __nv_fp##N##x2_##kind(const float2 value)                                                       \
        : __x(__nv_cvt_float2_to_fp##N##x2(value, interpretation, cudaRoundNearest)) {}                                          \
    explicit __host__ __device__ __nv_fp##N##x2_##kind(const double2 value)                                                      \
        : __x(__nv_cvt_double2_to_fp##N##x2(value, interpretation, cudaRoundNearest)) {}                                         \
    explicit __host__ __device__ operator __half2() const { return __half2(__nv_cvt_fp##N##x2_to_halfraw2(__x, interpretation)); } \
    explicit __host__ __device__ operator float2() const { return __half22float2((__half2)*this); }                              \
  };                                                                                                                             \
  struct __align__(2 * half_bytes) __nv_fp##N##x4_##kind {                                                                       \
    typedef __nv_fp##N##x2_##kind __pair;                                                                                        \
    __nv_fp##N##x4_storage_t __x;                                                                                                \
    __nv_fp##N##x4_##kind() = default;                                                                                           \
    explicit __host__ __device__ __nv_fp##N##x4_##kind(const __half2 low, const __half2 high)                                    \
        : __nv_fp##N##x4_##kind(__pair(low), __pair(high)) {}                                                                    \
    explicit __host__ __device__ __nv_fp##N##x4_##kind(const __nv_bfloat162 low, const __nv_bfloat162 high)                      \
        : __nv_fp##N##x4_##kind(__pair(low), __pair(high)) {}                                                                    \
    explicit __host__ __device__ __nv_fp##N##x4_##kind(const float4 value)                                                       \
        : __nv_fp##N##x4_##kind(__pair(make_float2(value.x, value.y)), __pair(make_float2(value.z, value.w))) {}                 \
    explicit __host__ __device__ __nv_fp##N##x4_##kind(const double4 value)                                                      \
        : __nv_fp##N##x4_##kind(__pair(make_double2(value.x, value.y)), __pair(make_double2(value.z, value.w))) {}               \
    explicit __host__ __device__ operator float4() const {                                                                       \
      __pair low, high;                                                                                                          \
      low.__x = (__nv_fp##N##x2_storage_t)__x, high.__x = (__nv_fp##N##x2_storage_t)(__x >> 2 * W);                              \
      const float2 a = (float2)low, b = (float2)high;                                                                            \
      return make_float4(a.x, a.y, b.x, b.y);                                                                                    \
    }                                                                                                                            \
                                                                                                                                 \
  private:                                                                                                                       \
    __host__ __device__ __nv_fp##N##x4_##kind(const __pair low, const __pair high)                                               \
        : __x((__nv_fp##N##x4_storage_t)(low.__x | (unsigned)high.__x << 2 * W)) {}                                              \
  };
#endif
