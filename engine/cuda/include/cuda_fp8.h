/*
 * Floating point of 8 bits: __nv_fp8_e4m3 (no infinities, at most 448) and __nv_fp8_e5m2 (at most 57344), alone, in pairs and in
 * fours; __nv_fp8_e8m0 is in simsight/e8m0.h. All conversions round to the nearest, ties to even. They are integer arithmetic, and from compute capability
 * 8.9 on an instruction where it exists: not of doubles, nor without saturation.
 */
#pragma once
#define __CUDA_FP8_H__
#define __CUDA_FP8_TYPES_EXIST__
#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short int __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
/* What becomes of numbers that are too large: NaN or infinity, or the largest number. */
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#ifdef __cplusplus
/* The bits of a floating-point number, and its format. */
static __forceinline__ __host__ __device__ unsigned __simsight_bits(float value) { return __builtin_bit_cast(unsigned, value); }
static __forceinline__ __host__ __device__ unsigned long long __simsight_bits(double value) {
  return __builtin_bit_cast(unsigned long long, value);
}
template <class F> struct __simsight_format;
template <> struct __simsight_format<float> {
  typedef unsigned bits;
  static constexpr int mantissa = 23, bias = 127;
};
template <> struct __simsight_format<double> {
  typedef unsigned long long bits;
  static constexpr int mantissa = 52, bias = 1023;
};

template <class F> __SIMSIGHT_HD __nv_fp8_storage_t __simsight_fp8(F value, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  typedef __simsight_format<F> format;
  typedef typename format::bits bits;
  constexpr int width = 8 * sizeof(F);
  const int mantissa = kind == __NV_E4M3 ? 3 : 2, bias = kind == __NV_E4M3 ? 7 : 15;
  const unsigned most = kind == __NV_E4M3 ? 0x7e : 0x7b, beyond = kind == __NV_E4M3 ? 0x7f : 0x7c;
  const bits all = __simsight_bits(value), sign = all >> (width - 1) << 7;
  const bits size = all << 1 >> 1;
  constexpr bits infinity = (bits)(2 * format::bias + 1) << format::mantissa;
  /* Of double NaNs the sign stays, and what fits of the fraction. */
  if (size > infinity && width == 64)
    return (__nv_fp8_storage_t)(sign | (kind == __NV_E4M3 ? 0x7f : 0x7e | (size >> (format::mantissa - 2) & 1)));
  if (size > infinity) return 0x7f;
  const int dropped = format::mantissa - mantissa;
  bits result;
  if (size < (bits)(format::bias + 1 - bias) << format::mantissa) {
    /* Added to a number whose last place is the smallest step, it is rounded to such steps. */
    const bits steps = (bits)(format::bias + 1 - bias + dropped) << format::mantissa;
    result = __simsight_bits(__builtin_bit_cast(F, size) + __builtin_bit_cast(F, steps)) - steps;
  } else {
    const bits moved = size - ((bits)(format::bias - bias) << format::mantissa);
    result = (moved + ((bits)1 << (dropped - 1)) - 1 + (moved >> dropped & 1)) >> dropped;
    if (result > most) result = saturate == __NV_SATFINITE ? most : beyond;
  }
  return (__nv_fp8_storage_t)(result | sign);
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
#define __SIMSIGHT_FP8_INSTRUCTIONS 1
typedef __fp16 __simsight_fp8_halves __attribute__((ext_vector_type(2)));
static __forceinline__ __device__ __nv_fp8x2_storage_t __simsight_fp8_pair(float low, float high, __nv_fp8_interpretation_t kind) {
  return (__nv_fp8x2_storage_t)(kind == __NV_E4M3 ? __nvvm_ff_to_e4m3x2_rn(high, low) : __nvvm_ff_to_e5m2x2_rn(high, low));
}
static __forceinline__ __device__ __nv_fp8x2_storage_t __simsight_fp8_pair(const __half2_raw x, __nv_fp8_interpretation_t kind) {
  const __simsight_fp8_halves halves = __builtin_bit_cast(__simsight_fp8_halves, x);
  return (__nv_fp8x2_storage_t)(kind == __NV_E4M3 ? __nvvm_f16x2_to_e4m3x2_rn(halves) : __nvvm_f16x2_to_e5m2x2_rn(halves));
}
/* Returns where an instruction does it. */
#define __SIMSIGHT_BY_INSTRUCTION(...) \
  if (saturate == __NV_SATFINITE) return (__nv_fp8x2_storage_t)__simsight_fp8_pair(__VA_ARGS__, fp8_interpretation)
#else
#define __SIMSIGHT_BY_INSTRUCTION(...) (void)0
#endif

#define __SIMSIGHT_PAIR(low, high) ((__nv_fp8x2_storage_t)((low) | (high) << 8))
__SIMSIGHT_HD __nv_fp8_storage_t __nv_cvt_double_to_fp8(const double x, const __nv_saturation_t saturate,
                                                        const __nv_fp8_interpretation_t fp8_interpretation) {
  return __simsight_fp8(x, saturate, fp8_interpretation);
}
__SIMSIGHT_HD __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(const double2 x, const __nv_saturation_t saturate,
                                                             const __nv_fp8_interpretation_t fp8_interpretation) {
  return __SIMSIGHT_PAIR(__simsight_fp8(x.x, saturate, fp8_interpretation), __simsight_fp8(x.y, saturate, fp8_interpretation));
}
__SIMSIGHT_HD __nv_fp8_storage_t __nv_cvt_float_to_fp8(const float x, const __nv_saturation_t saturate,
                                                       const __nv_fp8_interpretation_t fp8_interpretation) {
  __SIMSIGHT_BY_INSTRUCTION(x, 0.0f);
  return __simsight_fp8(x, saturate, fp8_interpretation);
}
__SIMSIGHT_HD __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(const float2 x, const __nv_saturation_t saturate,
                                                            const __nv_fp8_interpretation_t fp8_interpretation) {
  __SIMSIGHT_BY_INSTRUCTION(x.x, x.y);
  return __SIMSIGHT_PAIR(__simsight_fp8(x.x, saturate, fp8_interpretation), __simsight_fp8(x.y, saturate, fp8_interpretation));
}
__SIMSIGHT_HD __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(const __half_raw x, const __nv_saturation_t saturate,
                                                         const __nv_fp8_interpretation_t fp8_interpretation) {
  __SIMSIGHT_BY_INSTRUCTION(__half2_raw{x.x, 0});
  return __simsight_fp8(__half2float(__half(x)), saturate, fp8_interpretation);
}
__SIMSIGHT_HD __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(const __half2_raw x, const __nv_saturation_t saturate,
                                                              const __nv_fp8_interpretation_t fp8_interpretation) {
  __SIMSIGHT_BY_INSTRUCTION(x);
  return __SIMSIGHT_PAIR(__nv_cvt_halfraw_to_fp8(__half_raw{x.x}, saturate, fp8_interpretation),
                         __nv_cvt_halfraw_to_fp8(__half_raw{x.y}, saturate, fp8_interpretation));
}
__SIMSIGHT_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(const __nv_bfloat16_raw x, const __nv_saturation_t saturate,
                                                             const __nv_fp8_interpretation_t fp8_interpretation) {
  __SIMSIGHT_BY_INSTRUCTION(__bfloat162float(__nv_bfloat16(x)), 0.0f);
  return __simsight_fp8(__bfloat162float(__nv_bfloat16(x)), saturate, fp8_interpretation);
}
__SIMSIGHT_HD __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(const __nv_bfloat162_raw x, const __nv_saturation_t saturate,
                                                                  const __nv_fp8_interpretation_t fp8_interpretation) {
  __SIMSIGHT_BY_INSTRUCTION(__bfloat162float(__nv_bfloat16(__nv_bfloat16_raw{x.x})), __bfloat162float(__nv_bfloat16(__nv_bfloat16_raw{x.y})));
  return __SIMSIGHT_PAIR(__nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{x.x}, saturate, fp8_interpretation),
                         __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{x.y}, saturate, fp8_interpretation));
}
#undef __SIMSIGHT_PAIR
#undef __SIMSIGHT_BY_INSTRUCTION

/* Every number of 8 bits is a half. */
#if __SIMSIGHT_FP8_INSTRUCTIONS
static __forceinline__ __device__ __half2_raw __simsight_fp8_halves_of(__nv_fp8x2_storage_t pair, __nv_fp8_interpretation_t kind) {
  const short bits = (short)pair;
  return __builtin_bit_cast(__half2_raw, kind == __NV_E4M3 ? __nvvm_e4m3x2_to_f16x2_rn(bits) : __nvvm_e5m2x2_to_f16x2_rn(bits));
}
#endif
__SIMSIGHT_HD __half_raw __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t x, const __nv_fp8_interpretation_t fp8_interpretation) {
#if __SIMSIGHT_FP8_INSTRUCTIONS
  return __half_raw{__simsight_fp8_halves_of(x, fp8_interpretation).x};
#else
  const unsigned sign = (x & 0x80u) << 8, size = x & 0x7f;
  if (fp8_interpretation == __NV_E5M2) return __half_raw{(unsigned short)(size > 0x7c ? 0x7fff : sign | size << 8)};
  if (size == 0x7f) return __half_raw{0x7fff};
  if (size >= 8) return __half_raw{(unsigned short)(sign | ((size << 7) + (8 << 10)))};
  /* Steps of 2^-9, which a half has as normal numbers. */
  const unsigned short steps[8] = {0, 0x1800, 0x1c00, 0x1e00, 0x2000, 0x2100, 0x2200, 0x2300};
  return __half_raw{(unsigned short)(sign | steps[size])};
#endif
}
__SIMSIGHT_HD __half2_raw __nv_cvt_fp8x2_to_halfraw2(const __nv_fp8x2_storage_t x, const __nv_fp8_interpretation_t fp8_interpretation) {
#if __SIMSIGHT_FP8_INSTRUCTIONS
  return __simsight_fp8_halves_of(x, fp8_interpretation);
#else
  return __half2_raw{__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, fp8_interpretation).x,
                     __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), fp8_interpretation).x};
#endif
}

/* NaN has all bits as a float, too. */
__SIMSIGHT_HD float __simsight_from_fp8(const __half_raw half) {
#if __SIMSIGHT_FP8_INSTRUCTIONS
  return __half2float(__half(half));
#else
  return half.x == 0x7fff ? __builtin_bit_cast(float, 0x7fffffffu) : __half2float(__half(half));
#endif
}

#define __SIMSIGHT_FROM(NAME, T) explicit __host__ __device__ NAME(const T value) : NAME((float)value) {}
#define __SIMSIGHT_TO(T) explicit __host__ __device__ operator T() const { return (T)(__half)*this; }
#define __SIMSIGHT_FP8(NAME, kind)                                                                                             \
  struct __align__(1) NAME {                                                                                                   \
    __nv_fp8_storage_t __x;                                                                                                    \
    NAME() = default;                                                                                                          \
    explicit __host__ __device__ NAME(const __half value) : __x(__nv_cvt_halfraw_to_fp8(value, __NV_SATFINITE, kind)) {}       \
    explicit __host__ __device__ NAME(const __nv_bfloat16 value)                                                               \
        : __x(__nv_cvt_bfloat16raw_to_fp8(value, __NV_SATFINITE, kind)) {}                                                     \
    explicit __host__ __device__ NAME(const float value) : __x(__nv_cvt_float_to_fp8(value, __NV_SATFINITE, kind)) {}          \
    explicit __host__ __device__ NAME(const double value) : __x(__nv_cvt_double_to_fp8(value, __NV_SATFINITE, kind)) {}        \
    __SIMSIGHT_FROM(NAME, unsigned short)                                                                                      \
    __SIMSIGHT_FROM(NAME, unsigned int)                                                                                        \
    __SIMSIGHT_FROM(NAME, unsigned long)                                                                                       \
    __SIMSIGHT_FROM(NAME, unsigned long long)                                                                                  \
    __SIMSIGHT_FROM(NAME, short)                                                                                               \
    __SIMSIGHT_FROM(NAME, int)                                                                                                 \
    __SIMSIGHT_FROM(NAME, long)                                                                                                \
    __SIMSIGHT_FROM(NAME, long long)                                                                                           \
    explicit __host__ __device__ operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, kind)); }                \
    explicit __host__ __device__ operator float() const { return __simsight_from_fp8(__nv_cvt_fp8_to_halfraw(__x, kind)); }    \
    explicit __host__ __device__ operator __nv_bfloat16() const { return __float2bfloat16((float)*this); }                     \
    explicit __host__ __device__ operator double() const { return (float)*this; }                                              \
    __SIMSIGHT_TO(unsigned char)                                                                                               \
    __SIMSIGHT_TO(unsigned short)                                                                                              \
    __SIMSIGHT_TO(unsigned int)                                                                                                \
    __SIMSIGHT_TO(unsigned long)                                                                                               \
    __SIMSIGHT_TO(unsigned long long)                                                                                          \
    __SIMSIGHT_TO(signed char)                                                                                                 \
    __SIMSIGHT_TO(char)                                                                                                        \
    __SIMSIGHT_TO(short)                                                                                                       \
    __SIMSIGHT_TO(int)                                                                                                         \
    __SIMSIGHT_TO(long)                                                                                                        \
    __SIMSIGHT_TO(long long)                                                                                                   \
    explicit __host__ __device__ operator bool() const { return (__x & 0x7f) != 0; }                                           \
  };
__SIMSIGHT_FP8(__nv_fp8_e4m3, __NV_E4M3)
__SIMSIGHT_FP8(__nv_fp8_e5m2, __NV_E5M2)
#undef __SIMSIGHT_FP8
#undef __SIMSIGHT_FROM
#undef __SIMSIGHT_TO

#define __SIMSIGHT_FP8X2(NAME, kind)                                                                                           \
  struct __align__(2) NAME {                                                                                                   \
    __nv_fp8x2_storage_t __x;                                                                                                  \
    NAME() = default;                                                                                                          \
    explicit __host__ __device__ NAME(const __half2 value) : __x(__nv_cvt_halfraw2_to_fp8x2(value, __NV_SATFINITE, kind)) {}   \
    explicit __host__ __device__ NAME(const __nv_bfloat162 value)                                                              \
        : __x(__nv_cvt_bfloat16raw2_to_fp8x2(value, __NV_SATFINITE, kind)) {}                                                  \
    explicit __host__ __device__ NAME(const float2 value) : __x(__nv_cvt_float2_to_fp8x2(value, __NV_SATFINITE, kind)) {}      \
    explicit __host__ __device__ NAME(const double2 value) : __x(__nv_cvt_double2_to_fp8x2(value, __NV_SATFINITE, kind)) {}    \
    explicit __host__ __device__ operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, kind)); }           \
    explicit __host__ __device__ operator float2() const {                                                                     \
      const __half2_raw halves = __nv_cvt_fp8x2_to_halfraw2(__x, kind);                                                        \
      return make_float2(__simsight_from_fp8(__half_raw{halves.x}), __simsight_from_fp8(__half_raw{halves.y}));                \
    }                                                                                                                          \
  };
__SIMSIGHT_FP8X2(__nv_fp8x2_e4m3, __NV_E4M3)
__SIMSIGHT_FP8X2(__nv_fp8x2_e5m2, __NV_E5M2)
#undef __SIMSIGHT_FP8X2

#include "simsight/e8m0.h"

#define __SIMSIGHT_FP8X4(NAME, PAIR)                                                                                           \
  struct __align__(4) NAME {                                                                                                   \
    __nv_fp8x4_storage_t __x;                                                                                                  \
    NAME() = default;                                                                                                          \
    explicit __host__ __device__ NAME(const PAIR low, const PAIR high) : __x(low.__x | (unsigned)high.__x << 16) {}            \
    explicit __host__ __device__ NAME(const __half2 low, const __half2 high) : NAME(PAIR(low), PAIR(high)) {}                  \
    explicit __host__ __device__ NAME(const __nv_bfloat162 low, const __nv_bfloat162 high) : NAME(PAIR(low), PAIR(high)) {}    \
    explicit __host__ __device__ NAME(const float4 value)                                                                      \
        : NAME(PAIR(make_float2(value.x, value.y)), PAIR(make_float2(value.z, value.w))) {}                                    \
    explicit __host__ __device__ NAME(const double4 value)                                                                     \
        : NAME(PAIR(make_double2(value.x, value.y)), PAIR(make_double2(value.z, value.w))) {}                                  \
    explicit __host__ __device__ operator float4() const {                                                                     \
      PAIR low, high;                                                                                                          \
      low.__x = (__nv_fp8x2_storage_t)__x, high.__x = (__nv_fp8x2_storage_t)(__x >> 16);                                       \
      const float2 a = (float2)low, b = (float2)high;                                                                          \
      return make_float4(a.x, a.y, b.x, b.y);                                                                                  \
    }                                                                                                                          \
  };
__SIMSIGHT_FP8X4(__nv_fp8x4_e4m3, __nv_fp8x2_e4m3)
__SIMSIGHT_FP8X4(__nv_fp8x4_e5m2, __nv_fp8x2_e5m2)
__SIMSIGHT_FP8X4(__nv_fp8x4_e8m0, __nv_fp8x2_e8m0)
#undef __SIMSIGHT_FP8X4
#endif
