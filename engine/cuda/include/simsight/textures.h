/*
 * Textures and surfaces by objects. The object is the address of a __simsight_texture in device memory, which
 * cudaCreateTextureObject and cudaCreateSurfaceObject fill. Fetches are the instructions of the hardware.
 */
#pragma once
#include "driver_types.h"

/* Every field has 32 bits; 80 bytes, aligned to 16. Texel (x, y, z) lies at data + z * slice + y * pitch + x * texel,
 * where texel = channels * bits / 8. */
struct __simsight_texture {
  unsigned int data;          /*  0: address in device memory */
  unsigned int width;         /*  4: in texels; linear memory: how many there are */
  unsigned int height;        /*  8: in texels, 1 without a second dimension */
  unsigned int depth;         /* 12: in texels, or how many layers (6 for each cube); 1 without */
  unsigned int pitch;         /* 16: bytes from row to row */
  unsigned int slice;         /* 20: bytes from slice to slice, layer to layer or face to face */
  unsigned int channels;      /* 24: 1, 2 or 4 */
  unsigned int bits;          /* 28: of a channel: 8, 16 or 32 */
  unsigned int kind;          /* 32: cudaChannelFormatKind */
  unsigned int addressMode[3]; /* 36: cudaTextureAddressMode of x, y, z */
  unsigned int filterMode;    /* 48: cudaTextureFilterMode */
  unsigned int readMode;      /* 52: cudaTextureReadMode */
  unsigned int normalized;    /* 56: whether coordinates are 0 to 1 */
  unsigned int tiled;         /* 60: whether caches see it in tiles: of arrays */
  float borderColor[4];       /* 64 */
};

#if defined(__CUDA__) && defined(__cplusplus)
#include <type_traits>

#define __SIMSIGHT_TEX __device__ static __forceinline__

/* Component types of what is read and written. */
template <class T> struct __simsight_texel;
#define __SIMSIGHT_TEXEL(vector, E)                                                                                    \
  template <> struct __simsight_texel<E> {                                                                             \
    typedef E type;                                                                                                    \
  };                                                                                                                   \
  template <> struct __simsight_texel<vector##1> : __simsight_texel<E> {};                                             \
  template <> struct __simsight_texel<vector##2> : __simsight_texel<E> {};                                             \
  template <> struct __simsight_texel<vector##4> : __simsight_texel<E> {};
__SIMSIGHT_TEXEL(char, signed char)
__SIMSIGHT_TEXEL(uchar, unsigned char)
__SIMSIGHT_TEXEL(short, short)
__SIMSIGHT_TEXEL(ushort, unsigned short)
__SIMSIGHT_TEXEL(int, int)
__SIMSIGHT_TEXEL(uint, unsigned int)
__SIMSIGHT_TEXEL(long, long)
__SIMSIGHT_TEXEL(ulong, unsigned long)
__SIMSIGHT_TEXEL(float, float)
#undef __SIMSIGHT_TEXEL
template <> struct __simsight_texel<char> {
  typedef char type;
};

/* Four words of channels as a texel. */
template <class T> __SIMSIGHT_TEX T __simsight_made_of(unsigned int a, unsigned int b, unsigned int c, unsigned int d) {
  typedef typename __simsight_texel<T>::type E;
  const unsigned int word[4] = {a, b, c, d};
  E channel[sizeof(T) / sizeof(E)];
#pragma unroll
  for (int i = 0; i < (int)(sizeof(T) / sizeof(E)); ++i)
    if constexpr (::std::is_same<E, float>::value) channel[i] = __uint_as_float(word[i]);
    else channel[i] = (E)word[i];
  return __builtin_bit_cast(T, channel);
}

/* ---- textures ---- */
/* Each in two forms: the value returned, and stored through a pointer. Floats are filtered, integers come as they are. */
#define __SIMSIGHT_STRIP(...) __VA_ARGS__
#define __SIMSIGHT_ASM(instruction, result, coordinates, place, ...)                                                   \
  asm(instruction "." result "." coordinates " {%0, %1, %2, %3}, [%4, {" place "}];"                                   \
      : "=r"(a), "=r"(b), "=r"(c), "=r"(d)                                                                             \
      : "l"(object), __VA_ARGS__)
#define __SIMSIGHT_FETCH(name, instruction, coordinates, place, parameters, arguments, ...)                            \
  template <class T> __SIMSIGHT_TEX T name(cudaTextureObject_t object, __SIMSIGHT_STRIP parameters) {                  \
    unsigned int a, b, c, d;                                                                                           \
    if constexpr (::std::is_same<typename __simsight_texel<T>::type, float>::value)                                    \
      __SIMSIGHT_ASM(instruction ".v4", "f32", coordinates, place, __VA_ARGS__);                                       \
    else __SIMSIGHT_ASM(instruction ".v4", "s32", coordinates, place, __VA_ARGS__);                                    \
    return __simsight_made_of<T>(a, b, c, d);                                                                          \
  }                                                                                                                    \
  template <class T> __SIMSIGHT_TEX void name(T *result, cudaTextureObject_t object, __SIMSIGHT_STRIP parameters) {    \
    *result = name<T>(object, __SIMSIGHT_STRIP arguments);                                                             \
  }
__SIMSIGHT_FETCH(tex1Dfetch, "tex.1d", "s32", "%5", (int x), (x), "r"(x))
__SIMSIGHT_FETCH(tex1D, "tex.1d", "f32", "%5", (float x), (x), "f"(x))
__SIMSIGHT_FETCH(tex2D, "tex.2d", "f32", "%5, %6", (float x, float y), (x, y), "f"(x), "f"(y))
__SIMSIGHT_FETCH(tex3D, "tex.3d", "f32", "%5, %6, %7, %7", (float x, float y, float z), (x, y, z), "f"(x), "f"(y), "f"(z))
__SIMSIGHT_FETCH(tex1DLayered, "tex.a1d", "f32", "%6, %5", (float x, int layer), (x, layer), "f"(x), "r"(layer))
__SIMSIGHT_FETCH(tex2DLayered, "tex.a2d", "f32", "%7, %5, %6, %6", (float x, float y, int layer), (x, y, layer), "f"(x),
                 "f"(y), "r"(layer))
__SIMSIGHT_FETCH(texCubemap, "tex.cube", "f32", "%5, %6, %7, %7", (float x, float y, float z), (x, y, z), "f"(x), "f"(y),
                 "f"(z))
__SIMSIGHT_FETCH(texCubemapLayered, "tex.acube", "f32", "%8, %5, %6, %7", (float x, float y, float z, int layer),
                 (x, y, z, layer), "f"(x), "f"(y), "f"(z), "r"(layer))
#undef __SIMSIGHT_FETCH
/* One level: the level of detail changes nothing. */
template <class T> __SIMSIGHT_TEX T tex1DLod(cudaTextureObject_t object, float x, float) { return tex1D<T>(object, x); }
template <class T> __SIMSIGHT_TEX void tex1DLod(T *result, cudaTextureObject_t object, float x, float) {
  *result = tex1D<T>(object, x);
}
template <class T> __SIMSIGHT_TEX T tex2DLod(cudaTextureObject_t object, float x, float y, float) {
  return tex2D<T>(object, x, y);
}
template <class T> __SIMSIGHT_TEX T tex3DLod(cudaTextureObject_t object, float x, float y, float z, float) {
  return tex3D<T>(object, x, y, z);
}
template <class T> __SIMSIGHT_TEX T tex2DGrad(cudaTextureObject_t object, float x, float y, float2, float2) {
  return tex2D<T>(object, x, y);
}
/* One component of the four texels that linear filtering would blend, counter-clockwise from the lower left. */
template <class T> __SIMSIGHT_TEX T tex2Dgather(cudaTextureObject_t object, float x, float y, int component = 0) {
  unsigned int a, b, c, d;
#define __SIMSIGHT_GATHER(channel)                                                                                     \
  if constexpr (::std::is_same<typename __simsight_texel<T>::type, float>::value)                                      \
    __SIMSIGHT_ASM("tld4." channel ".2d.v4", "f32", "f32", "%5, %6", "f"(x), "f"(y));                                  \
  else __SIMSIGHT_ASM("tld4." channel ".2d.v4", "s32", "f32", "%5, %6", "f"(x), "f"(y));
  if (component == 0) {
    __SIMSIGHT_GATHER("r")
  } else if (component == 1) {
    __SIMSIGHT_GATHER("g")
  } else if (component == 2) {
    __SIMSIGHT_GATHER("b")
  } else {
    __SIMSIGHT_GATHER("a")
  }
#undef __SIMSIGHT_GATHER
  return __simsight_made_of<T>(a, b, c, d);
}
#undef __SIMSIGHT_ASM

/* ---- surfaces: x in bytes, no filtering, no conversion ---- */
#define __SIMSIGHT_SURFACE_MODES(operation)                                                                            \
  if (mode == cudaBoundaryModeZero) operation("zero");                                                                 \
  else if (mode == cudaBoundaryModeClamp) operation("clamp");                                                          \
  else operation("trap");
template <class T>
__SIMSIGHT_TEX T __simsight_surface_read(unsigned long long object, int x, int y, int z, cudaSurfaceBoundaryMode mode) {
  unsigned int word[4];
#define __SIMSIGHT_READ(what)                                                                                          \
  if constexpr (sizeof(T) == 16)                                                                                       \
    asm volatile("suld.b.3d.v4.b32." what " {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"                                 \
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])                                          \
                 : "l"(object), "r"(x), "r"(y), "r"(z)                                                                 \
                 : "memory");                                                                                          \
  else if constexpr (sizeof(T) == 8)                                                                                   \
    asm volatile("suld.b.3d.v2.b32." what " {%0, %1}, [%2, {%3, %4, %5, %5}];"                                         \
                 : "=r"(word[0]), "=r"(word[1])                                                                        \
                 : "l"(object), "r"(x), "r"(y), "r"(z)                                                                 \
                 : "memory");                                                                                          \
  else if constexpr (sizeof(T) == 4)                                                                                   \
    asm volatile("suld.b.3d.b32." what " %0, [%1, {%2, %3, %4, %4}];"                                                  \
                 : "=r"(word[0])                                                                                       \
                 : "l"(object), "r"(x), "r"(y), "r"(z)                                                                 \
                 : "memory");                                                                                          \
  else if constexpr (sizeof(T) == 2)                                                                                   \
    asm volatile("suld.b.3d.b16." what " %0, [%1, {%2, %3, %4, %4}];"                                                  \
                 : "=r"(word[0])                                                                                       \
                 : "l"(object), "r"(x), "r"(y), "r"(z)                                                                 \
                 : "memory");                                                                                          \
  else                                                                                                                 \
    asm volatile("suld.b.3d.b8." what " %0, [%1, {%2, %3, %4, %4}];"                                                   \
                 : "=r"(word[0])                                                                                       \
                 : "l"(object), "r"(x), "r"(y), "r"(z)                                                                 \
                 : "memory")
  __SIMSIGHT_SURFACE_MODES(__SIMSIGHT_READ)
#undef __SIMSIGHT_READ
  T result;
  __builtin_memcpy(&result, word, sizeof(T));
  return result;
}
template <class T>
__SIMSIGHT_TEX void __simsight_surface_write(T value, unsigned long long object, int x, int y, int z,
                                             cudaSurfaceBoundaryMode mode) {
  unsigned int word[4] = {0, 0, 0, 0};
  __builtin_memcpy(word, &value, sizeof(T));
#define __SIMSIGHT_WRITE(what)                                                                                         \
  if constexpr (sizeof(T) == 16)                                                                                       \
    asm volatile("sust.b.3d.v4.b32." what " [%0, {%1, %2, %3, %3}], {%4, %5, %6, %7};" ::"l"(object), "r"(x), "r"(y),  \
                 "r"(z), "r"(word[0]), "r"(word[1]), "r"(word[2]), "r"(word[3])                                        \
                 : "memory");                                                                                          \
  else if constexpr (sizeof(T) == 8)                                                                                   \
    asm volatile("sust.b.3d.v2.b32." what " [%0, {%1, %2, %3, %3}], {%4, %5};" ::"l"(object), "r"(x), "r"(y), "r"(z),  \
                 "r"(word[0]), "r"(word[1])                                                                            \
                 : "memory");                                                                                          \
  else if constexpr (sizeof(T) == 4)                                                                                   \
    asm volatile("sust.b.3d.b32." what " [%0, {%1, %2, %3, %3}], %4;" ::"l"(object), "r"(x), "r"(y), "r"(z),           \
                 "r"(word[0])                                                                                          \
                 : "memory");                                                                                          \
  else if constexpr (sizeof(T) == 2)                                                                                   \
    asm volatile("sust.b.3d.b16." what " [%0, {%1, %2, %3, %3}], %4;" ::"l"(object), "r"(x), "r"(y), "r"(z),           \
                 "r"(word[0])                                                                                          \
                 : "memory");                                                                                          \
  else                                                                                                                 \
    asm volatile("sust.b.3d.b8." what " [%0, {%1, %2, %3, %3}], %4;" ::"l"(object), "r"(x), "r"(y), "r"(z),            \
                 "r"(word[0])                                                                                          \
                 : "memory")
  __SIMSIGHT_SURFACE_MODES(__SIMSIGHT_WRITE)
#undef __SIMSIGHT_WRITE
}
#undef __SIMSIGHT_SURFACE_MODES
#define __SIMSIGHT_SURFACE(name, coordinates, x, y, z)                                                                 \
  template <class T>                                                                                                   \
  __SIMSIGHT_TEX T name##read(cudaSurfaceObject_t object, __SIMSIGHT_STRIP coordinates,                                \
                              cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                   \
    return __simsight_surface_read<T>(object, x, y, z, mode);                                                          \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  __SIMSIGHT_TEX void name##read(T *result, cudaSurfaceObject_t object, __SIMSIGHT_STRIP coordinates,                  \
                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                \
    *result = __simsight_surface_read<T>(object, x, y, z, mode);                                                       \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  __SIMSIGHT_TEX void name##write(T value, cudaSurfaceObject_t object, __SIMSIGHT_STRIP coordinates,                   \
                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                               \
    __simsight_surface_write<T>(value, object, x, y, z, mode);                                                         \
  }
__SIMSIGHT_SURFACE(surf1D, (int x), x, 0, 0)
__SIMSIGHT_SURFACE(surf2D, (int x, int y), x, y, 0)
__SIMSIGHT_SURFACE(surf3D, (int x, int y, int z), x, y, z)
__SIMSIGHT_SURFACE(surf1DLayered, (int x, int layer), x, 0, layer)
__SIMSIGHT_SURFACE(surf2DLayered, (int x, int y, int layer), x, y, layer)
__SIMSIGHT_SURFACE(surfCubemap, (int x, int y, int face), x, y, face)
#undef __SIMSIGHT_SURFACE
#undef __SIMSIGHT_STRIP
#undef __SIMSIGHT_TEX
#endif
