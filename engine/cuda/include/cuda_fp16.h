/*
 * Half precision: __half and __half2. Conversions round as CUDA documents each; the arithmetic is in
 * simsight/float16_functions.h.
 */
#pragma once
#include "simsight/float16.h"

typedef struct __align__(2) {
  unsigned short x;
} __half_raw;
typedef struct __align__(4) {
  unsigned short x, y;
} __half2_raw;

#ifdef __cplusplus
struct __half;
struct __half2;
__SIMSIGHT_HD __half __float2half(float value);
__SIMSIGHT_HD __half __double2half(double value);
__SIMSIGHT_HD float __half2float(__half value);
struct __nv_bfloat16;

struct __align__(2) __half {
protected:
  unsigned short __x;

public:
  __half() = default;
  __host__ __device__ constexpr __half(const __half_raw &raw) : __x(raw.x) {}
  __host__ __device__ __half &operator=(const __half_raw &raw) {
    __x = raw.x;
    return *this;
  }
  __host__ __device__ volatile __half &operator=(const __half_raw &raw) volatile {
    __x = raw.x;
    return *this;
  }
  __host__ __device__ volatile __half &operator=(const volatile __half_raw &raw) volatile {
    __x = raw.x;
    return *this;
  }
  __host__ __device__ operator __half_raw() const { return __half_raw{__x}; }
  __host__ __device__ operator __half_raw() const volatile { return __half_raw{__x}; }
  /* Defined in cuda_bf16.h. */
  __host__ __device__ explicit __half(const __nv_bfloat16 value);
  __host__ __device__ __half(float value) : __half(__float2half(value)) {}
  __host__ __device__ __half(double value) : __half(__double2half(value)) {}
  __host__ __device__ __half &operator=(float value) { return *this = __half(value); }
  __host__ __device__ __half &operator=(double value) { return *this = __half(value); }
  __host__ __device__ operator float() const { return __half2float(*this); }
  __host__ __device__ constexpr operator bool() const { return (__x & 0x7fff) != 0; }

#define __SIMSIGHT_CONVERT(I, wide, least, greatest, nan)                                                                  \
  __host__ __device__ __half(I value);                                                                                 \
  __host__ __device__ __half &operator=(I value) { return *this = __half(value); }                                     \
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

struct __align__(4) __half2 {
  __half x, y;
  __half2() = default;
  __host__ __device__ constexpr __half2(const __half &a, const __half &b) : x(a), y(b) {}
  __host__ __device__ __half2(const __half2_raw &raw) : x(__half_raw{raw.x}), y(__half_raw{raw.y}) {}
  /* A template, so that `pair = {}` is no raw pair. */
  template <class Raw, class = typename std::enable_if<std::is_same<Raw, __half2_raw>::value>::type>
  __host__ __device__ __half2 &operator=(const Raw &raw) {
    return *this = __half2(raw);
  }
  __host__ __device__ operator __half2_raw() const { return __half2_raw{((__half_raw)x).x, ((__half_raw)y).x}; }
};
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

#define __H __half
#define __H2 __half2
#define __H_ROUND(value) __simsight_round<5, 10>(value, __simsight_rn)
#define __H_FLOAT(bits) __simsight_half_value(bits)
#ifdef __CUDA_ARCH__
#define __HS _Float16
typedef _Float16 __simsight_half_pair __attribute__((ext_vector_type(2)));
#define __HV __simsight_half_pair
#endif
#include "simsight/float16_functions.h"

/* ---- conversions ---- */
__SIMSIGHT_HD __half __float2half(float value) { return __H_NEAREST(value); }
__SIMSIGHT_HD __half __float2half_rn(float value) { return __H_NEAREST(value); }
__SIMSIGHT_HD __half __float2half_rz(float value) { return __H_BITS(__simsight_round<5, 10>(value, __simsight_rz)); }
__SIMSIGHT_HD __half __float2half_ru(float value) { return __H_BITS(__simsight_round<5, 10>(value, __simsight_ru)); }
__SIMSIGHT_HD __half __float2half_rd(float value) { return __H_BITS(__simsight_round<5, 10>(value, __simsight_rd)); }
__SIMSIGHT_HD __half __double2half(double value) {
#ifdef __CUDA_ARCH__
  return __simsight_back((__HS)value);
#else
  return __H_BITS(__H_ROUND(value));
#endif
}
__SIMSIGHT_HD float __half2float(__half value) { return __simsight_float(value); }
__SIMSIGHT_HD __half2 __float2half2_rn(float value) { return __half2(__H_NEAREST(value), __H_NEAREST(value)); }
__SIMSIGHT_HD __half2 __floats2half2_rn(float a, float b) { return __half2(__H_NEAREST(a), __H_NEAREST(b)); }
__SIMSIGHT_HD __half2 __float22half2_rn(float2 value) { return __half2(__H_NEAREST(value.x), __H_NEAREST(value.y)); }
__SIMSIGHT_HD float2 __half22float2(__half2 value) { return make_float2(__simsight_float(value.x), __simsight_float(value.y)); }
__SIMSIGHT_HD float __low2float(__half2 value) { return __simsight_float(value.x); }
__SIMSIGHT_HD float __high2float(__half2 value) { return __simsight_float(value.y); }

/* To and from integers. Out of range saturates; NaN becomes 0, for 64 bits 0x8000000000000000. */
#define __SIMSIGHT_FROM(name, I, wide)                                                                                 \
  __SIMSIGHT_HD __half name##_rn(I value) { return __H_BITS(__simsight_round<5, 10>(wide(value), __simsight_rn)); }       \
  __SIMSIGHT_HD __half name##_rz(I value) { return __H_BITS(__simsight_round<5, 10>(wide(value), __simsight_rz)); }       \
  __SIMSIGHT_HD __half name##_ru(I value) { return __H_BITS(__simsight_round<5, 10>(wide(value), __simsight_ru)); }       \
  __SIMSIGHT_HD __half name##_rd(I value) { return __H_BITS(__simsight_round<5, 10>(wide(value), __simsight_rd)); }
#ifdef __CUDA_ARCH__
#undef __SIMSIGHT_FROM
#define __SIMSIGHT_FROM(name, I, wide)                                                                                 \
  __SIMSIGHT_HD __half name##_rn(I value) { return __simsight_back((__HS)value); }                                       \
  __SIMSIGHT_HD __half name##_rz(I value) { return __H_BITS(__simsight_round<5, 10>(wide(value), __simsight_rz)); }       \
  __SIMSIGHT_HD __half name##_ru(I value) { return __H_BITS(__simsight_round<5, 10>(wide(value), __simsight_ru)); }       \
  __SIMSIGHT_HD __half name##_rd(I value) { return __H_BITS(__simsight_round<5, 10>(wide(value), __simsight_rd)); }
#endif
__SIMSIGHT_FROM(__short2half, short, (double))
__SIMSIGHT_FROM(__ushort2half, unsigned short, (double))
__SIMSIGHT_FROM(__int2half, int, (double))
__SIMSIGHT_FROM(__uint2half, unsigned int, (double))
__SIMSIGHT_FROM(__ll2half, long long, __simsight_odd)
__SIMSIGHT_FROM(__ull2half, unsigned long long, __simsight_odd)
#undef __SIMSIGHT_FROM
#define __SIMSIGHT_TO(to, I, wide, least, greatest, nan)                                                               \
  __SIMSIGHT_HD I __half2##to##_rn(__half h) { return (I)__simsight_integer<wide>(::rintf(h), least, greatest, nan); }   \
  __SIMSIGHT_HD I __half2##to##_rz(__half h) { return (I)__simsight_integer<wide>(::truncf(h), least, greatest, nan); }  \
  __SIMSIGHT_HD I __half2##to##_ru(__half h) { return (I)__simsight_integer<wide>(::ceilf(h), least, greatest, nan); }   \
  __SIMSIGHT_HD I __half2##to##_rd(__half h) { return (I)__simsight_integer<wide>(::floorf(h), least, greatest, nan); }
__SIMSIGHT_TO(short, short, int, SHRT_MIN, SHRT_MAX, 0)
__SIMSIGHT_TO(ushort, unsigned short, unsigned int, 0, USHRT_MAX, 0)
__SIMSIGHT_TO(int, int, int, INT_MIN, INT_MAX, 0)
__SIMSIGHT_TO(uint, unsigned int, unsigned int, 0, UINT_MAX, 0)
__SIMSIGHT_TO(ll, long long, long long, LLONG_MIN, LLONG_MAX, LLONG_MIN)
__SIMSIGHT_TO(ull, unsigned long long, unsigned long long, 0, ULLONG_MAX, 0x8000000000000000ull)
#undef __SIMSIGHT_TO
__SIMSIGHT_HD signed char __half2char_rz(__half h) { return (signed char)__simsight_integer<int>(h, -128, 127, 0); }
__SIMSIGHT_HD unsigned char __half2uchar_rz(__half h) { return (unsigned char)__simsight_integer<int>(h, 0, 255, 0); }
__host__ __device__ inline __half::__half(short value) : __half(__short2half_rn(value)) {}
__host__ __device__ inline __half::__half(unsigned short value) : __half(__ushort2half_rn(value)) {}
__host__ __device__ inline __half::__half(int value) : __half(__int2half_rn(value)) {}
__host__ __device__ inline __half::__half(unsigned int value) : __half(__uint2half_rn(value)) {}
__host__ __device__ inline __half::__half(long value) : __half(__ll2half_rn(value)) {}
__host__ __device__ inline __half::__half(unsigned long value) : __half(__ull2half_rn(value)) {}
__host__ __device__ inline __half::__half(long long value) : __half(__ll2half_rn(value)) {}
__host__ __device__ inline __half::__half(unsigned long long value) : __half(__ull2half_rn(value)) {}

/* ---- bits and pairs ---- */
__SIMSIGHT_HD unsigned short __half_as_ushort(__half h) { return __simsight_bits(h); }
__SIMSIGHT_HD short __half_as_short(__half h) { return (short)__simsight_bits(h); }
__SIMSIGHT_HD __half __ushort_as_half(unsigned short bits) { return __H_BITS(bits); }
__SIMSIGHT_HD __half __short_as_half(short bits) { return __H_BITS(bits); }
__SIMSIGHT_HD __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
__SIMSIGHT_HD __half2 make_half2(__half a, __half b) { return __half2(a, b); }
__SIMSIGHT_HD __half2 __half2half2(__half a) { return __half2(a, a); }
__SIMSIGHT_HD __half __low2half(__half2 a) { return a.x; }
__SIMSIGHT_HD __half __high2half(__half2 a) { return a.y; }
__SIMSIGHT_HD __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
__SIMSIGHT_HD __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
__SIMSIGHT_HD __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
__SIMSIGHT_HD __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
__SIMSIGHT_HD __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }

#undef __H
#undef __H2
#undef __HS
#undef __HV
#undef __H_ROUND
#undef __H_FLOAT
#undef __H_BITS
#undef __H_NEAREST

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7c00u)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7fffu)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001u)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bffu)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000u)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000u)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3c00u)
#endif
