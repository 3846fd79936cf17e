/* Loads and stores with a cache hint that Clang's intrinsics lack; it has __ldcg, __ldcs, __ldcv and __stwt. */
#pragma once

/* What a plain access does anyway: cache at all levels, write back. */
template <class T> __device__ static __forceinline__ T __ldca(const T *p) { return *p; }
template <class T> __device__ static __forceinline__ T __ldlu(const T *p) { return *p; }
template <class T> __device__ static __forceinline__ void __stwb(T *p, T value) { *p = value; }

#define __SIMSIGHT_STORE(name, hint, T, suffix, register)                                                              \
  __device__ static __forceinline__ void name(T *p, T value) {                                                         \
    asm("st.global." hint "." suffix " [%0], %1;" ::"l"(p), register(value) : "memory");                               \
  }
#define __SIMSIGHT_STORE2(name, hint, T, suffix, register)                                                             \
  __device__ static __forceinline__ void name(T *p, T v) {                                                             \
    asm("st.global." hint ".v2." suffix " [%0], {%1,%2};" ::"l"(p), register(v.x), register(v.y) : "memory");          \
  }
#define __SIMSIGHT_STORE4(name, hint, T, suffix, register)                                                             \
  __device__ static __forceinline__ void name(T *p, T v) {                                                             \
    asm("st.global." hint ".v4." suffix " [%0], {%1,%2,%3,%4};" ::"l"(p), register(v.x), register(v.y),                \
        register(v.z), register(v.w)                                                                                   \
        : "memory");                                                                                                   \
  }
#define __SIMSIGHT_STORES(name, hint)                                                                                  \
  __SIMSIGHT_STORE(name, hint, short, "s16", "h")                                                                      \
  __SIMSIGHT_STORE(name, hint, unsigned short, "u16", "h")                                                             \
  __SIMSIGHT_STORE(name, hint, int, "s32", "r")                                                                        \
  __SIMSIGHT_STORE(name, hint, unsigned int, "u32", "r")                                                               \
  __SIMSIGHT_STORE(name, hint, long, "s64", "l")                                                                       \
  __SIMSIGHT_STORE(name, hint, unsigned long, "u64", "l")                                                              \
  __SIMSIGHT_STORE(name, hint, long long, "s64", "l")                                                                  \
  __SIMSIGHT_STORE(name, hint, unsigned long long, "u64", "l")                                                         \
  __SIMSIGHT_STORE(name, hint, float, "f32", "f")                                                                      \
  __SIMSIGHT_STORE(name, hint, double, "f64", "d")                                                                     \
  __SIMSIGHT_STORE2(name, hint, int2, "s32", "r")                                                                      \
  __SIMSIGHT_STORE2(name, hint, uint2, "u32", "r")                                                                     \
  __SIMSIGHT_STORE2(name, hint, longlong2, "s64", "l")                                                                 \
  __SIMSIGHT_STORE2(name, hint, ulonglong2, "u64", "l")                                                                \
  __SIMSIGHT_STORE2(name, hint, float2, "f32", "f")                                                                    \
  __SIMSIGHT_STORE2(name, hint, double2, "f64", "d")                                                                   \
  __SIMSIGHT_STORE4(name, hint, int4, "s32", "r")                                                                      \
  __SIMSIGHT_STORE4(name, hint, uint4, "u32", "r")                                                                     \
  __SIMSIGHT_STORE4(name, hint, float4, "f32", "f")                                                                    \
  /* Bytes travel in a register of 32 bits. */                                                                         \
  __device__ static __forceinline__ void name(char4 *p, char4 v) {                                                     \
    name((unsigned int *)p, __builtin_bit_cast(unsigned int, v));                                                      \
  }                                                                                                                    \
  __device__ static __forceinline__ void name(uchar4 *p, uchar4 v) {                                                   \
    name((unsigned int *)p, __builtin_bit_cast(unsigned int, v));                                                      \
  }                                                                                                                    \
  __device__ static __forceinline__ void name(short2 *p, short2 v) {                                                   \
    name((unsigned int *)p, __builtin_bit_cast(unsigned int, v));                                                      \
  }                                                                                                                    \
  __device__ static __forceinline__ void name(ushort2 *p, ushort2 v) {                                                 \
    name((unsigned int *)p, __builtin_bit_cast(unsigned int, v));                                                      \
  }                                                                                                                    \
  __device__ static __forceinline__ void name(char *p, char v) { *p = v; }                                             \
  __device__ static __forceinline__ void name(signed char *p, signed char v) { *p = v; }                               \
  __device__ static __forceinline__ void name(unsigned char *p, unsigned char v) { *p = v; }
__SIMSIGHT_STORES(__stcg, "cg")
__SIMSIGHT_STORES(__stcs, "cs")
#undef __SIMSIGHT_STORES
#undef __SIMSIGHT_STORE
#undef __SIMSIGHT_STORE2
#undef __SIMSIGHT_STORE4

/* Those of Clang's for `long` that are missing; GPUs before compute capability 3.2 have none of them. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 320
#define __SIMSIGHT_LOAD_LONG(name)                                                                                     \
  __device__ static __forceinline__ unsigned long name(const unsigned long *p) {                                       \
    return name((const unsigned long long *)p);                                                                        \
  }
__SIMSIGHT_LOAD_LONG(__ldcg)
__SIMSIGHT_LOAD_LONG(__ldcs)
__SIMSIGHT_LOAD_LONG(__ldcv)
#undef __SIMSIGHT_LOAD_LONG
__device__ static __forceinline__ void __stwt(long *p, long value) { __stwt((long long *)p, value); }
__device__ static __forceinline__ void __stwt(unsigned long *p, unsigned long value) {
  __stwt((unsigned long long *)p, value);
}
#endif
