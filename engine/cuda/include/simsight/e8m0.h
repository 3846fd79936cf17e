/*
 * Powers of two in 8 bits: __nv_fp8_e8m0, the scales of blocks of smaller numbers, alone, in pairs and in fours. Bits 0 to 254 stand
 * for 2^-127 to 2^127, 255 is NaN; signs are dropped. Conversions are integer arithmetic on host and device, as on GPUs before
 * compute capability 10.0. cuda_fp8.h includes this file.
 */
#pragma once

/* `rounding`: cudaRoundZero or cudaRoundPosInf, of the magnitude. A double holds every float and its exponent. */
__SIMSIGHT_HD __nv_fp8_storage_t __nv_cvt_double_to_e8m0(const double x, const __nv_saturation_t saturate, const enum cudaRoundMode rounding) {
  const unsigned long long size = __simsight_bits(x) << 1 >> 1, infinity = 0x7ffull << 52;
  if (size > infinity) return 0xff;
  int exponent = (int)(size >> 52) - 1023 + 127;
  if (exponent < 0) return 0;
  if (rounding == cudaRoundPosInf && (size << 12) != 0 && size < infinity) ++exponent;
  if (exponent <= 254) return (__nv_fp8_storage_t)exponent;
  return saturate == __NV_SATFINITE ? 254 : 255;
}
__SIMSIGHT_HD __nv_fp8_storage_t __nv_cvt_float_to_e8m0(const float x, const __nv_saturation_t saturate, const enum cudaRoundMode rounding) {
  return __nv_cvt_double_to_e8m0((double)x, saturate, rounding);
}
__SIMSIGHT_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(const __nv_bfloat16_raw x, const __nv_saturation_t saturate,
                                                              const enum cudaRoundMode rounding) {
  return __nv_cvt_float_to_e8m0(__bfloat162float(__nv_bfloat16(x)), saturate, rounding);
}
#define __SIMSIGHT_PAIR(NAME, TWO, one, first, second)                                                                         \
  __SIMSIGHT_HD __nv_fp8x2_storage_t NAME(const TWO x, const __nv_saturation_t saturate, const enum cudaRoundMode rounding) {  \
    return (__nv_fp8x2_storage_t)(one(first, saturate, rounding) | one(second, saturate, rounding) << 8);                      \
  }
__SIMSIGHT_PAIR(__nv_cvt_double2_to_e8m0x2, double2, __nv_cvt_double_to_e8m0, x.x, x.y)
__SIMSIGHT_PAIR(__nv_cvt_float2_to_e8m0x2, float2, __nv_cvt_float_to_e8m0, x.x, x.y)
__SIMSIGHT_PAIR(__nv_cvt_bfloat162raw_to_e8m0x2, __nv_bfloat162_raw, __nv_cvt_bfloat16raw_to_e8m0, __nv_bfloat16_raw{x.x}, __nv_bfloat16_raw{x.y})
#undef __SIMSIGHT_PAIR

/* 2^-127 is a subnormal number of 16 bits. */
__SIMSIGHT_HD __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(const __nv_fp8_storage_t x) {
  return __nv_bfloat16_raw{(unsigned short)(x == 0xff ? 0x7fff : x == 0 ? 0x40 : x << 7)};
}
__SIMSIGHT_HD __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(const __nv_fp8x2_storage_t x) {
  return __nv_bfloat162_raw{__nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)x).x,
                            __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)(x >> 8)).x};
}

struct __align__(1) __nv_fp8_e8m0 {
  __nv_fp8_storage_t __x;
  __nv_fp8_e8m0() = default;
  explicit __host__ __device__ __nv_fp8_e8m0(const __half value) : __nv_fp8_e8m0(__half2float(value)) {}
  explicit __host__ __device__ __nv_fp8_e8m0(const __nv_bfloat16 value)
      : __x(__nv_cvt_bfloat16raw_to_e8m0(value, __NV_SATFINITE, cudaRoundPosInf)) {}
  explicit __host__ __device__ __nv_fp8_e8m0(const float value) : __x(__nv_cvt_float_to_e8m0(value, __NV_SATFINITE, cudaRoundPosInf)) {}
  explicit __host__ __device__ __nv_fp8_e8m0(const double value) : __x(__nv_cvt_double_to_e8m0(value, __NV_SATFINITE, cudaRoundPosInf)) {}
  /* What a double does not hold is not lost, so that rounding upwards is right. */
#define __SIMSIGHT_FROM(T, wide) explicit __host__ __device__ __nv_fp8_e8m0(const T value) : __nv_fp8_e8m0(wide(value)) {}
  __SIMSIGHT_FROM(unsigned short, double)
  __SIMSIGHT_FROM(unsigned int, double)
  __SIMSIGHT_FROM(unsigned long, (unsigned long long))
  __SIMSIGHT_FROM(unsigned long long, __simsight_odd)
  __SIMSIGHT_FROM(short, double)
  __SIMSIGHT_FROM(int, double)
  __SIMSIGHT_FROM(long, (long long))
  __SIMSIGHT_FROM(long long, __simsight_odd)
#undef __SIMSIGHT_FROM
  explicit __host__ __device__ operator __nv_bfloat16() const { return __nv_bfloat16(__nv_cvt_e8m0_to_bf16raw(__x)); }
  explicit __host__ __device__ operator float() const { return __bfloat162float((__nv_bfloat16)*this); }
  explicit __host__ __device__ operator double() const { return (float)*this; }
  explicit __host__ __device__ operator __half() const { return __float2half_rn((float)*this); }
#define __SIMSIGHT_TO(T, name) explicit __host__ __device__ operator T() const { return (T)__bfloat162##name##_rz((__nv_bfloat16)*this); }
  __SIMSIGHT_TO(unsigned char, uchar)
  __SIMSIGHT_TO(unsigned short, ushort)
  __SIMSIGHT_TO(unsigned int, uint)
  __SIMSIGHT_TO(unsigned long, ull)
  __SIMSIGHT_TO(unsigned long long, ull)
  __SIMSIGHT_TO(signed char, char)
  __SIMSIGHT_TO(char, char)
  __SIMSIGHT_TO(short, short)
  __SIMSIGHT_TO(int, int)
  __SIMSIGHT_TO(long, ll)
  __SIMSIGHT_TO(long long, ll)
#undef __SIMSIGHT_TO
  /* None of them is zero. */
  explicit __host__ __device__ operator bool() const { return true; }
};

struct __align__(2) __nv_fp8x2_e8m0 {
  __nv_fp8x2_storage_t __x;
  __nv_fp8x2_e8m0() = default;
  explicit __host__ __device__ __nv_fp8x2_e8m0(const __half2 value) : __nv_fp8x2_e8m0(__half22float2(value)) {}
  explicit __host__ __device__ __nv_fp8x2_e8m0(const __nv_bfloat162 value)
      : __x(__nv_cvt_bfloat162raw_to_e8m0x2(value, __NV_SATFINITE, cudaRoundPosInf)) {}
  explicit __host__ __device__ __nv_fp8x2_e8m0(const float2 value) : __x(__nv_cvt_float2_to_e8m0x2(value, __NV_SATFINITE, cudaRoundPosInf)) {}
  explicit __host__ __device__ __nv_fp8x2_e8m0(const double2 value) : __x(__nv_cvt_double2_to_e8m0x2(value, __NV_SATFINITE, cudaRoundPosInf)) {}
  explicit __host__ __device__ operator __nv_bfloat162() const { return __nv_bfloat162(__nv_cvt_e8m0x2_to_bf162raw(__x)); }
  explicit __host__ __device__ operator float2() const { return __bfloat1622float2((__nv_bfloat162)*this); }
  explicit __host__ __device__ operator __half2() const { return __float22half2_rn((float2)*this); }
};
