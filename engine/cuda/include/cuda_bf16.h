/*
 * bfloat16: __nv_bfloat16 and __nv_bfloat162. Conversions round as CUDA documents each; the arithmetic is in
 * simsight/float16_functions.h.
 */
#pragma once
#include "cuda_fp16.h"

typedef struct __align__(2) {
  unsigned short x;
} __nv_bfloat16_raw;
typedef struct __align__(4) {
  unsigned short x, y;
} __nv_bfloat162_raw;

#ifdef __cplusplus
struct __nv_bfloat16;
struct __nv_bfloat162;
__SIMSIGHT_HD __nv_bfloat16 __float2bfloat16(float value);
__SIMSIGHT_HD __nv_bfloat16 __double2bfloat16(double value);
__SIMSIGHT_HD float __bfloat162float(__nv_bfloat16 value);

struct __align__(2) __nv_bfloat16 {
protected:
  unsigned short __x;

public:
  __nv_bfloat16() = default;
  __host__ __device__ constexpr __nv_bfloat16(const __nv_bfloat16_raw &raw) : __x(raw.x) {}
  __host__ __device__ __nv_bfloat16 &operator=(const __nv_bfloat16_raw &raw) {
    __x = raw.x;
    return *this;
  }
  __host__ __device__ volatile __nv_bfloat16 &operator=(const __nv_bfloat16_raw &raw) volatile {
    __x = raw.x;
    return *this;
  }
  __host__ __device__ volatile __nv_bfloat16 &operator=(const volatile __nv_bfloat16_raw &raw) volatile {
    __x = raw.x;
    return *this;
  }
  __host__ __device__ operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
  __host__ __device__ operator __nv_bfloat16_raw() const volatile { return __nv_bfloat16_raw{__x}; }
  __host__ __device__ explicit __nv_bfloat16(const __half value) : __nv_bfloat16(__half2float(value)) {}
  __host__ __device__ __nv_bfloat16(float value) : __nv_bfloat16(__float2bfloat16(value)) {}
  __host__ __device__ __nv_bfloat16(double value) : __nv_bfloat16(__double2bfloat16(value)) {}
  __host__ __device__ __nv_bfloat16 &operator=(float value) { return *this = __nv_bfloat16(value); }
  __host__ __device__ __nv_bfloat16 &operator=(double value) { return *this = __nv_bfloat16(value); }
  __host__ __device__ operator float() const { return __bfloat162float(*this); }
  __host__ __device__ constexpr operator bool() const { return (__x & 0x7fff) != 0; }

#define __SIMSIGHT_CONVERT(I, wide, least, greatest, nan)                                                                  \
  __host__ __device__ __nv_bfloat16(I value);                                                                                 \
  __host__ __device__ __nv_bfloat16 &operator=(I value) { return *this = __nv_bfloat16(value); }                                     \
  __host__ __device__ operator I() const { return (I)__simsight_integer<wide>(*this, least, greatest, nan); }
  __SIMSIGHT_CONVERT(short, int, SHRT_MIN, SHRT_MAX, 0)
  __SIMSIGHT_CONVERT(unsigned short, unsigned int, 0, USHRT_MAX, 0)
  __SIMSIGHT_CONVERT(int, int, INT_MIN, INT_MAX, 0)
  __SIMSIGHT_CONVERT(unsigned int, unsigned int, 0, UINT_MAX, 0)
  __SIMSIGHT_CONVERT(long, long long, LLONG_MIN, LLONG_MAX, LLONG_MIN)
  __SIMSIGHT_CONVERT(unsigned long, unsigned long long, 0, ULLONG_MAX, 0x8000000000000000ull)
  __SIMSIGHT_CONVERT(long long, long long, LLONG_MIN, LLONG_MAX, LLONG_MIN)
  __SIMSIGHT_CONVERT(unsigned long long, unsigned long long, 0, ULLONG_MAX, 0x8000000000000000ull)
#undef __SIMSIGHT_CONVERT
  __host__ __device__ operator signed char() const { return (signed char)__simsight_integer<int>(*this, -128, 127, 0); }
  __host__ __device__ operator unsigned char() const { return (unsigned char)__simsight_integer<int>(*this, 0, 255, 0); }
  __host__ __device__ operator char() const { return (char)__simsight_integer<int>(*this, CHAR_MIN, CHAR_MAX, 0); }
};

struct __align__(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __host__ __device__ constexpr __nv_bfloat162(const __nv_bfloat16 &a, const __nv_bfloat16 &b) : x(a), y(b) {}
  __host__ __device__ __nv_bfloat162(const __nv_bfloat162_raw &raw) : x(__nv_bfloat16_raw{raw.x}), y(__nv_bfloat16_raw{raw.y}) {}
  /* A template, so that `pair = {}` is no raw pair. */
  template <class Raw, class = typename std::enable_if<std::is_same<Raw, __nv_bfloat162_raw>::value>::type>
  __host__ __device__ __nv_bfloat162 &operator=(const Raw &raw) {
    return *this = __nv_bfloat162(raw);
  }
  __host__ __device__ operator __nv_bfloat162_raw() const { return __nv_bfloat162_raw{((__nv_bfloat16_raw)x).x, ((__nv_bfloat16_raw)y).x}; }
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define __H __nv_bfloat16
#define __H2 __nv_bfloat162
#define __H_ROUND(value) __simsight_round<8, 7>(value, __simsight_rn)
#define __H_FLOAT(bits) __builtin_bit_cast(float, (unsigned int)(bits) << 16)
#ifdef __CUDA_ARCH__
#define __HS __bf16
typedef __bf16 __simsight_bfloat_pair __attribute__((ext_vector_type(2)));
#define __HV __simsight_bfloat_pair
#endif
#include "simsight/float16_functions.h"

/* ---- conversions ---- */
__SIMSIGHT_HD __nv_bfloat16 __float2bfloat16(float value) { return __H_NEAREST(value); }
__SIMSIGHT_HD __nv_bfloat16 __float2bfloat16_rn(float value) { return __H_NEAREST(value); }
__SIMSIGHT_HD __nv_bfloat16 __float2bfloat16_rz(float value) { return __H_BITS(__simsight_round<8, 7>(value, __simsight_rz)); }
__SIMSIGHT_HD __nv_bfloat16 __float2bfloat16_ru(float value) { return __H_BITS(__simsight_round<8, 7>(value, __simsight_ru)); }
__SIMSIGHT_HD __nv_bfloat16 __float2bfloat16_rd(float value) { return __H_BITS(__simsight_round<8, 7>(value, __simsight_rd)); }
__SIMSIGHT_HD __nv_bfloat16 __double2bfloat16(double value) {
#ifdef __CUDA_ARCH__
  return __simsight_back((__HS)value);
#else
  return __H_BITS(__H_ROUND(value));
#endif
}
__SIMSIGHT_HD float __bfloat162float(__nv_bfloat16 value) { return __simsight_float(value); }
__SIMSIGHT_HD __nv_bfloat162 __float2bfloat162_rn(float value) { return __nv_bfloat162(__H_NEAREST(value), __H_NEAREST(value)); }
__SIMSIGHT_HD __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __nv_bfloat162(__H_NEAREST(a), __H_NEAREST(b)); }
__SIMSIGHT_HD __nv_bfloat162 __float22bfloat162_rn(float2 value) { return __nv_bfloat162(__H_NEAREST(value.x), __H_NEAREST(value.y)); }
__SIMSIGHT_HD float2 __bfloat1622float2(__nv_bfloat162 value) { return make_float2(__simsight_float(value.x), __simsight_float(value.y)); }
__SIMSIGHT_HD float __low2float(__nv_bfloat162 value) { return __simsight_float(value.x); }
__SIMSIGHT_HD float __high2float(__nv_bfloat162 value) { return __simsight_float(value.y); }

/* To and from integers. Out of range saturates; NaN becomes 0, for 64 bits 0x8000000000000000. */
#define __SIMSIGHT_FROM(name, I, wide)                                                                                 \
  __SIMSIGHT_HD __nv_bfloat16 name##_rn(I value) { return __H_BITS(__simsight_round<8, 7>(wide(value), __simsight_rn)); }       \
  __SIMSIGHT_HD __nv_bfloat16 name##_rz(I value) { return __H_BITS(__simsight_round<8, 7>(wide(value), __simsight_rz)); }       \
  __SIMSIGHT_HD __nv_bfloat16 name##_ru(I value) { return __H_BITS(__simsight_round<8, 7>(wide(value), __simsight_ru)); }       \
  __SIMSIGHT_HD __nv_bfloat16 name##_rd(I value) { return __H_BITS(__simsight_round<8, 7>(wide(value), __simsight_rd)); }
#ifdef __CUDA_ARCH__
#undef __SIMSIGHT_FROM
#define __SIMSIGHT_FROM(name, I, wide)                                                                                 \
  __SIMSIGHT_HD __nv_bfloat16 name##_rn(I value) { return __simsight_back((__HS)value); }                                       \
  __SIMSIGHT_HD __nv_bfloat16 name##_rz(I value) { return __H_BITS(__simsight_round<8, 7>(wide(value), __simsight_rz)); }       \
  __SIMSIGHT_HD __nv_bfloat16 name##_ru(I value) { return __H_BITS(__simsight_round<8, 7>(wide(value), __simsight_ru)); }       \
  __SIMSIGHT_HD __nv_bfloat16 name##_rd(I value) { return __H_BITS(__simsight_round<8, 7>(wide(value), __simsight_rd)); }
#endif
__SIMSIGHT_FROM(__short2bfloat16, short, (double))
__SIMSIGHT_FROM(__ushort2bfloat16, unsigned short, (double))
__SIMSIGHT_FROM(__int2bfloat16, int, (double))
__SIMSIGHT_FROM(__uint2bfloat16, unsigned int, (double))
__SIMSIGHT_FROM(__ll2bfloat16, long long, __simsight_odd)
__SIMSIGHT_FROM(__ull2bfloat16, unsigned long long, __simsight_odd)
#undef __SIMSIGHT_FROM
#define __SIMSIGHT_TO(to, I, wide, least, greatest, nan)                                                               \
  __SIMSIGHT_HD I __bfloat162##to##_rn(__nv_bfloat16 h) { return (I)__simsight_integer<wide>(::rintf(h), least, greatest, nan); }   \
  __SIMSIGHT_HD I __bfloat162##to##_rz(__nv_bfloat16 h) { return (I)__simsight_integer<wide>(::truncf(h), least, greatest, nan); }  \
  __SIMSIGHT_HD I __bfloat162##to##_ru(__nv_bfloat16 h) { return (I)__simsight_integer<wide>(::ceilf(h), least, greatest, nan); }   \
  __SIMSIGHT_HD I __bfloat162##to##_rd(__nv_bfloat16 h) { return (I)__simsight_integer<wide>(::floorf(h), least, greatest, nan); }
__SIMSIGHT_TO(short, short, int, SHRT_MIN, SHRT_MAX, 0)
__SIMSIGHT_TO(ushort, unsigned short, unsigned int, 0, USHRT_MAX, 0)
__SIMSIGHT_TO(int, int, int, INT_MIN, INT_MAX, 0)
__SIMSIGHT_TO(uint, unsigned int, unsigned int, 0, UINT_MAX, 0)
__SIMSIGHT_TO(ll, long long, long long, LLONG_MIN, LLONG_MAX, LLONG_MIN)
__SIMSIGHT_TO(ull, unsigned long long, unsigned long long, 0, ULLONG_MAX, 0x8000000000000000ull)
#undef __SIMSIGHT_TO
__SIMSIGHT_HD signed char __bfloat162char_rz(__nv_bfloat16 h) { return (signed char)__simsight_integer<int>(h, -128, 127, 0); }
__SIMSIGHT_HD unsigned char __bfloat162uchar_rz(__nv_bfloat16 h) { return (unsigned char)__simsight_integer<int>(h, 0, 255, 0); }
__host__ __device__ inline __half::__half(const __nv_bfloat16 value) : __half(__bfloat162float(value)) {}
__host__ __device__ inline __nv_bfloat16::__nv_bfloat16(short value) : __nv_bfloat16(__short2bfloat16_rn(value)) {}
__host__ __device__ inline __nv_bfloat16::__nv_bfloat16(unsigned short value) : __nv_bfloat16(__ushort2bfloat16_rn(value)) {}
__host__ __device__ inline __nv_bfloat16::__nv_bfloat16(int value) : __nv_bfloat16(__int2bfloat16_rn(value)) {}
__host__ __device__ inline __nv_bfloat16::__nv_bfloat16(unsigned int value) : __nv_bfloat16(__uint2bfloat16_rn(value)) {}
__host__ __device__ inline __nv_bfloat16::__nv_bfloat16(long value) : __nv_bfloat16(__ll2bfloat16_rn(value)) {}
__host__ __device__ inline __nv_bfloat16::__nv_bfloat16(unsigned long value) : __nv_bfloat16(__ull2bfloat16_rn(value)) {}
__host__ __device__ inline __nv_bfloat16::__nv_bfloat16(long long value) : __nv_bfloat16(__ll2bfloat16_rn(value)) {}
__host__ __device__ inline __nv_bfloat16::__nv_bfloat16(unsigned long long value) : __nv_bfloat16(__ull2bfloat16_rn(value)) {}

/* ---- bits and pairs ---- */
__SIMSIGHT_HD unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) { return __simsight_bits(h); }
__SIMSIGHT_HD short __bfloat16_as_short(__nv_bfloat16 h) { return (short)__simsight_bits(h); }
__SIMSIGHT_HD __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return __H_BITS(bits); }
__SIMSIGHT_HD __nv_bfloat16 __short_as_bfloat16(short bits) { return __H_BITS(bits); }
__SIMSIGHT_HD __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
__SIMSIGHT_HD __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
__SIMSIGHT_HD __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
__SIMSIGHT_HD __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
__SIMSIGHT_HD __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
__SIMSIGHT_HD __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.x, a.x); }
__SIMSIGHT_HD __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.y); }
__SIMSIGHT_HD __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x, b.x); }
__SIMSIGHT_HD __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.y, b.y); }
__SIMSIGHT_HD __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.x); }

#undef __H
#undef __H2
#undef __HS
#undef __HV
#undef __H_ROUND
#undef __H_FLOAT
#undef __H_BITS
#undef __H_NEAREST

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7f80u)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7fffu)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001u)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7f7fu)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000u)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000u)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3f80u)
#endif
