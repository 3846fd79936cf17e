/*
 * The device side of the language: built-in variables, math, warp intrinsics (Clang's headers) and what these leave out.
 * The order is Clang's: its math declarations were made before <cmath> (see cuda_runtime.h).
 */
#pragma once

/* Names that Clang's intrinsics use and NVIDIA's headers declare. */
typedef unsigned int cuuint32_t;
typedef unsigned long long cuuint64_t;
__device__ static __forceinline__ unsigned int __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
__device__ static __forceinline__ unsigned int __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
__device__ static __forceinline__ unsigned int __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
__device__ static __forceinline__ unsigned int __isLocal(const void *p) { return __nvvm_isspacep_local(p); }
__device__ static __forceinline__ size_t __cvta_generic_to_shared(const void *p) {
  return (size_t)(__attribute__((address_space(3))) const void *)p;
}
__device__ static __forceinline__ size_t __cvta_generic_to_global(const void *p) {
  return (size_t)(__attribute__((address_space(1))) const void *)p;
}
__device__ static __forceinline__ void *__cvta_shared_to_generic(size_t p) {
  return (void *)(__attribute__((address_space(3))) void *)p;
}
__device__ static __forceinline__ void *__cvta_global_to_generic(size_t p) {
  return (void *)(__attribute__((address_space(1))) void *)p;
}

/* System calls of the device. */
extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ int printf(const char *, ...);
__device__ void *malloc(size_t) __attribute__((nothrow, malloc));
__device__ void free(void *) __attribute__((nothrow));
__device__ void __assertfail(const char *message, const char *file, unsigned int line, const char *function,
                             size_t charSize);
/* What the assert macro of the C library calls. */
__device__ static inline void __assert_fail(const char *message, const char *file, int line, const char *function) {
  __assertfail(message, file, (unsigned int)line, function, sizeof(char));
}
}
namespace std {
__device__ static inline void *malloc(size_t size) { return ::malloc(size); }
__device__ static inline void free(void *p) { ::free(p); }
} // namespace std

#include <__clang_cuda_libdevice_declares.h>
/* Sine and cosine come as one result, so that neither has to be in memory; the names are of CUDA's library. */
extern "C" {
#define __SIMSIGHT_SINCOS(name, type)                                                                                  \
  struct __simsight_##name##_result {                                                                                  \
    type sine, cosine;                                                                                                 \
  };                                                                                                                   \
  __device__ __simsight_##name##_result __simsight_##name(type) __attribute__((const, nothrow));                       \
  __device__ inline void __nv_##name(type x, type *sine, type *cosine) {                                               \
    __simsight_##name##_result both = __simsight_##name(x);                                                            \
    *sine = both.sine;                                                                                                 \
    *cosine = both.cosine;                                                                                             \
  }
#ifdef __USE_FAST_MATH__
__device__ inline void __nv_sincosf(float x, float *sine, float *cosine) {
  *sine = __nv_fast_sinf(x);
  *cosine = __nv_fast_cosf(x);
}
#else
__SIMSIGHT_SINCOS(sincosf, float)
#endif
__SIMSIGHT_SINCOS(sincos, double)
__SIMSIGHT_SINCOS(sincospif, float)
__SIMSIGHT_SINCOS(sincospi, double)
#undef __SIMSIGHT_SINCOS
__device__ inline void __nv_fast_sincosf(float x, float *sine, float *cosine) {
  *sine = __nv_fast_sinf(x);
  *cosine = __nv_fast_cosf(x);
}
}
/* Votes and shuffles without a mask are for GPUs before compute capability 7.0: of the lanes that are there. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#define __nvvm_vote_all(x) __nvvm_vote_all_sync(__nvvm_activemask(), x)
#define __nvvm_vote_any(x) __nvvm_vote_any_sync(__nvvm_activemask(), x)
#define __nvvm_vote_uni(x) __nvvm_vote_uni_sync(__nvvm_activemask(), x)
#define __nvvm_vote_ballot(x) __nvvm_vote_ballot_sync(__nvvm_activemask(), x)
#define __nvvm_shfl_idx_i32(...) __nvvm_shfl_sync_idx_i32(__nvvm_activemask(), __VA_ARGS__)
#define __nvvm_shfl_idx_f32(...) __nvvm_shfl_sync_idx_f32(__nvvm_activemask(), __VA_ARGS__)
#define __nvvm_shfl_up_i32(...) __nvvm_shfl_sync_up_i32(__nvvm_activemask(), __VA_ARGS__)
#define __nvvm_shfl_up_f32(...) __nvvm_shfl_sync_up_f32(__nvvm_activemask(), __VA_ARGS__)
#define __nvvm_shfl_down_i32(...) __nvvm_shfl_sync_down_i32(__nvvm_activemask(), __VA_ARGS__)
#define __nvvm_shfl_down_f32(...) __nvvm_shfl_sync_down_f32(__nvvm_activemask(), __VA_ARGS__)
#define __nvvm_shfl_bfly_i32(...) __nvvm_shfl_sync_bfly_i32(__nvvm_activemask(), __VA_ARGS__)
#define __nvvm_shfl_bfly_f32(...) __nvvm_shfl_sync_bfly_f32(__nvvm_activemask(), __VA_ARGS__)
#endif
#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>
#include <__clang_cuda_cmath.h>
/* Without clusters, a block's shared memory is all of its cluster's. */
#define __nvvm_isspacep_shared_cluster __nvvm_isspacep_shared
#include <__clang_cuda_intrinsics.h>
#undef __nvvm_isspacep_shared_cluster
#undef __nvvm_vote_all
#undef __nvvm_vote_any
#undef __nvvm_vote_uni
#undef __nvvm_vote_ballot
#undef __nvvm_shfl_idx_i32
#undef __nvvm_shfl_idx_f32
#undef __nvvm_shfl_up_i32
#undef __nvvm_shfl_up_f32
#undef __nvvm_shfl_down_i32
#undef __nvvm_shfl_down_f32
#undef __nvvm_shfl_bfly_i32
#undef __nvvm_shfl_bfly_f32

/* threadIdx and its kin convert to the vector types. */
#define __SIMSIGHT_BUILTIN(name)                                                                                       \
  __device__ inline __cuda_builtin_##name##_t::operator dim3() const { return dim3(x, y, z); }                         \
  __device__ inline __cuda_builtin_##name##_t::operator uint3() const { return uint3{x, y, z}; }
__SIMSIGHT_BUILTIN(threadIdx)
__SIMSIGHT_BUILTIN(blockIdx)
__SIMSIGHT_BUILTIN(blockDim)
__SIMSIGHT_BUILTIN(gridDim)
#undef __SIMSIGHT_BUILTIN

/* Functions of math_functions.h that Clang's math header lacks. */
#define __SIMSIGHT_MATH __device__ static __forceinline__
__SIMSIGHT_MATH float rsqrt(float x) { return rsqrtf(x); }
__SIMSIGHT_MATH float rcbrt(float x) { return rcbrtf(x); }
__SIMSIGHT_MATH float sinpi(float x) { return sinpif(x); }
__SIMSIGHT_MATH float cospi(float x) { return cospif(x); }
__SIMSIGHT_MATH void sincospi(float x, float *s, float *c) { sincospif(x, s, c); }
__SIMSIGHT_MATH float erfcinv(float x) { return erfcinvf(x); }
__SIMSIGHT_MATH float normcdfinv(float x) { return normcdfinvf(x); }
__SIMSIGHT_MATH float normcdf(float x) { return normcdff(x); }
__SIMSIGHT_MATH float erfcx(float x) { return erfcxf(x); }
#undef __SIMSIGHT_MATH

/* __match_any_sync and __match_all_sync for every type, over Clang's two for 32 and 64 bits. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define __SIMSIGHT_MATCH(type, bits, raw)                                                                              \
  __device__ static __forceinline__ unsigned int __match_any_sync(unsigned int mask, type value) {                     \
    return __match##bits##_any_sync(mask, raw);                                                                        \
  }                                                                                                                    \
  __device__ static __forceinline__ unsigned int __match_all_sync(unsigned int mask, type value, int *pred) {          \
    return __match##bits##_all_sync(mask, raw, pred);                                                                  \
  }
__SIMSIGHT_MATCH(int, 32, (unsigned int)value)
__SIMSIGHT_MATCH(unsigned int, 32, value)
__SIMSIGHT_MATCH(long, 64, (unsigned long long)value)
__SIMSIGHT_MATCH(unsigned long, 64, value)
__SIMSIGHT_MATCH(long long, 64, (unsigned long long)value)
__SIMSIGHT_MATCH(unsigned long long, 64, value)
__SIMSIGHT_MATCH(float, 32, (unsigned int)__float_as_int(value))
__SIMSIGHT_MATCH(double, 64, (unsigned long long)__double_as_longlong(value))
#undef __SIMSIGHT_MATCH
__device__ static __forceinline__ void __nanosleep(unsigned int nanoseconds) { __nvvm_nanosleep(nanoseconds); }
#endif

/* Dot products of four bytes. */
#if defined(__CUDA_ARCH__)
__device__ static __forceinline__ int __dp4a(int a, int b, int c) {
  int result;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
}
__device__ static __forceinline__ unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
  unsigned int result;
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
}
#else
__device__ int __dp4a(int a, int b, int c);
__device__ unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c);
#endif
__device__ static __forceinline__ int __dp4a(char4 a, char4 b, int c) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w + c;
}
__device__ static __forceinline__ unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w + c;
}

/* Dot products of two 16-bit numbers with two bytes: the lower or the upper ones. */
#define __SIMSIGHT_DP2A(name, shift)                                                                                   \
  __device__ static __forceinline__ int name(int a, int b, int c) {                                                    \
    return (short)a * (signed char)(b >> shift) + (a >> 16) * (signed char)(b >> (shift + 8)) + c;                     \
  }                                                                                                                    \
  __device__ static __forceinline__ unsigned int name(unsigned int a, unsigned int b, unsigned int c) {                \
    return (a & 0xffff) * (b >> shift & 255) + (a >> 16) * (b >> (shift + 8) & 255) + c;                               \
  }                                                                                                                    \
  __device__ static __forceinline__ int name(short2 a, char4 b, int c) {                                               \
    return name(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);                                            \
  }                                                                                                                    \
  __device__ static __forceinline__ unsigned int name(ushort2 a, uchar4 b, unsigned int c) {                           \
    return name(__builtin_bit_cast(unsigned int, a), __builtin_bit_cast(unsigned int, b), c);                          \
  }
__SIMSIGHT_DP2A(__dp2a_lo, 0)
__SIMSIGHT_DP2A(__dp2a_hi, 16)
#undef __SIMSIGHT_DP2A

/* Bytes in the opposite order; what profilers count; a fast tanh. */
__host__ __device__ static inline unsigned short __nv_bswap16(unsigned short a) { return __builtin_bswap16(a); }
__host__ __device__ static inline unsigned int __nv_bswap32(unsigned int a) { return __builtin_bswap32(a); }
__host__ __device__ static inline unsigned long long __nv_bswap64(unsigned long long a) { return __builtin_bswap64(a); }
#define __prof_trigger(counter) ((void)(counter))
__device__ static __forceinline__ float __tanhf(float a) {
  float result;
  asm("tanh.approx.f32 %0, %1;" : "=f"(result) : "f"(a));
  return result;
}

/* Objects in memory that is there: the C++ library has these for the host. */
#include <new>
__device__ inline void *operator new(size_t, void *place) noexcept { return place; }
__device__ inline void *operator new[](size_t, void *place) noexcept { return place; }
__device__ inline void operator delete(void *, void *) noexcept {}
__device__ inline void operator delete[](void *, void *) noexcept {}

#include "simsight/dpx.h"
#include "simsight/device_runtime.h"
#include "simsight/atomics.h"
#include "simsight/nv_atomics.h"
#include "simsight/cache_hints.h"
