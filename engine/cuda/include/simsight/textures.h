/*
 * Textures and surfaces by objects. The object is the address of a __simsight_texture in device memory, which
 * cudaCreateTextureObject and cudaCreateSurfaceObject fill; sampling is plain device code below: ordinary loads, and the
 * arithmetic of the programming guide ("Texture Fetching": nearest point, linear filtering with weights of 8 fractional
 * bits, address modes, normalized coordinates, integers read as normalized float).
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
  unsigned int srgb;          /* 60: whether 8-bit channels are sRGB: not supported, has to be 0 */
  float borderColor[4];       /* 64 */
};

#if defined(__CUDA__) && defined(__cplusplus)
#include "simsight/float16.h"
#include <type_traits>

#define __SIMSIGHT_TEX __device__ static __forceinline__
#define __SIMSIGHT_GLOBAL __attribute__((address_space(1)))

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

__SIMSIGHT_TEX const __SIMSIGHT_GLOBAL __simsight_texture &__simsight_descriptor(unsigned long long object) {
  return *(const __SIMSIGHT_GLOBAL __simsight_texture *)(size_t)object;
}

/* The index that an address mode makes of one outside; -1 is the border. Wrap and mirror need normalized coordinates,
 * else they clamp. */
__SIMSIGHT_TEX int __simsight_place(int i, int n, unsigned int mode, bool normalized) {
  if ((unsigned int)i < (unsigned int)n) return i;
  if (mode == cudaAddressModeBorder) return -1;
  if (normalized && mode == cudaAddressModeWrap) {
    i %= n;
    return i < 0 ? i + n : i;
  }
  if (normalized && mode == cudaAddressModeMirror) {
    i %= 2 * n;
    if (i < 0) i += 2 * n;
    return i < n ? i : 2 * n - 1 - i;
  }
  return i < 0 ? 0 : n - 1;
}

/* One channel as float: as it is, or integers as 0 to 1 and -1 to 1. */
__SIMSIGHT_TEX float __simsight_channel(const __SIMSIGHT_GLOBAL __simsight_texture &t, const __SIMSIGHT_GLOBAL char *p) {
  if (t.bits == 32) return *(const __SIMSIGHT_GLOBAL float *)p;
  if (t.kind == cudaChannelFormatKindFloat) return __simsight_half_value(*(const __SIMSIGHT_GLOBAL unsigned short *)p);
  if (t.kind == cudaChannelFormatKindUnsigned)
    return t.bits == 8 ? (float)*(const __SIMSIGHT_GLOBAL unsigned char *)p / 255.0f
                       : (float)*(const __SIMSIGHT_GLOBAL unsigned short *)p / 65535.0f;
  const float value = t.bits == 8 ? (float)*(const __SIMSIGHT_GLOBAL signed char *)p / 127.0f
                                  : (float)*(const __SIMSIGHT_GLOBAL short *)p / 32767.0f;
  return value < -1.0f ? -1.0f : value;
}
__SIMSIGHT_TEX void __simsight_load(const __SIMSIGHT_GLOBAL __simsight_texture &t, const __SIMSIGHT_GLOBAL char *p, int c,
                                    float &to) {
  to = __simsight_channel(t, p + c * (t.bits / 8));
}
template <class E>
__SIMSIGHT_TEX void __simsight_load(const __SIMSIGHT_GLOBAL __simsight_texture &, const __SIMSIGHT_GLOBAL char *p, int c,
                                    E &to) {
  to = ((const __SIMSIGHT_GLOBAL E *)p)[c];
}

/* The texel at places that __simsight_place found. */
template <class T> __SIMSIGHT_TEX T __simsight_fetch(const __SIMSIGHT_GLOBAL __simsight_texture &t, int x, int y, int z) {
  typedef typename __simsight_texel<T>::type E;
  constexpr int count = sizeof(T) / sizeof(E);
  E channel[count];
  if ((x | y | z) < 0) {
#pragma unroll
    for (int c = 0; c < count; ++c) channel[c] = (E)t.borderColor[c];
  } else {
    const __SIMSIGHT_GLOBAL char *const p = (const __SIMSIGHT_GLOBAL char *)(size_t)t.data + z * t.slice + y * t.pitch +
                                            x * (t.channels * t.bits / 8);
#pragma unroll
    for (int c = 0; c < count; ++c) {
      if (c < (int)t.channels) __simsight_load(t, p, c, channel[c]);
      else channel[c] = 0;
    }
  }
  return __builtin_bit_cast(T, channel);
}

/* A coordinate in texels; where two texels are blended, the first's index and the second's weight. */
__SIMSIGHT_TEX float __simsight_scaled(const __SIMSIGHT_GLOBAL __simsight_texture &t, float x, unsigned int n) {
  return t.normalized ? x * (float)n : x;
}
__SIMSIGHT_TEX int __simsight_split(float x, float &weight) {
  const float fixed = floorf((x - 0.5f) * 256.0f + 0.5f) * (1.0f / 256.0f);
  const float whole = floorf(fixed);
  weight = fixed - whole;
  return __float2int_rd(whole);
}

template <class T> __SIMSIGHT_TEX void __simsight_blend(T &sum, const T &texel, float weight) {
  typedef typename __simsight_texel<T>::type E;
  constexpr int count = sizeof(T) / sizeof(E);
  E a[count], b[count];
  __builtin_memcpy(a, &sum, sizeof(T));
  __builtin_memcpy(b, &texel, sizeof(T));
#pragma unroll
  for (int c = 0; c < count; ++c) a[c] = (E)(a[c] + weight * b[c]);
  __builtin_memcpy(&sum, a, sizeof(T));
}

/* All fetches with coordinates: `dimensions` of them, in a fixed slice when it is not negative (a layer or face). */
template <class T, int dimensions>
__SIMSIGHT_TEX T __simsight_sample(unsigned long long object, float x, float y, float z, int slice) {
  const __SIMSIGHT_GLOBAL __simsight_texture &t = __simsight_descriptor(object);
  const bool normalized = t.normalized != 0;
  const int w = (int)t.width, h = (int)t.height, d = (int)t.depth;
  x = __simsight_scaled(t, x, t.width);
  if (dimensions > 1) y = __simsight_scaled(t, y, t.height);
  if (dimensions > 2) z = __simsight_scaled(t, z, t.depth);
  if (slice >= d) slice = d - 1;
  const int fixed = slice < 0 ? 0 : slice;
  const bool linear = ::std::is_same<typename __simsight_texel<T>::type, float>::value && t.filterMode == cudaFilterModeLinear;
  float wx = 0, wy = 0, wz = 0;
  const int i = linear ? __simsight_split(x, wx) : __float2int_rd(x);
  const int j = dimensions < 2 ? 0 : linear ? __simsight_split(y, wy) : __float2int_rd(y);
  const int k = dimensions < 3 ? 0 : linear ? __simsight_split(z, wz) : __float2int_rd(z);
  T sum{};
  /* One copy of the code for all texels that are blended: it is long. */
#pragma unroll 1
  for (int corner = 0; corner < 1 << dimensions; ++corner) {
    const int a = corner & 1, b = corner >> 1 & 1, c = corner >> 2;
    const int px = __simsight_place(i + a, w, t.addressMode[0], normalized);
    const int py = dimensions > 1 ? __simsight_place(j + b, h, t.addressMode[1], normalized) : 0;
    const int pz = dimensions > 2 ? __simsight_place(k + c, d, t.addressMode[2], normalized) : fixed;
    const T texel = __simsight_fetch<T>(t, px, py, pz);
    if (!linear) return texel;
    float weight = a ? wx : 1.0f - wx;
    if (dimensions > 1) weight *= b ? wy : 1.0f - wy;
    if (dimensions > 2) weight *= c ? wz : 1.0f - wz;
    __simsight_blend(sum, texel, weight);
  }
  return sum;
}

/* A direction's face of the cube, and where it meets it, 0 to 1. */
__SIMSIGHT_TEX int __simsight_face(float x, float y, float z, float &s, float &t) {
  const float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
  int face;
  float major, u, v;
  if (ax >= ay && ax >= az) face = x < 0, major = ax, u = x < 0 ? z : -z, v = -y;
  else if (ay >= az) face = y < 0 ? 3 : 2, major = ay, u = x, v = y < 0 ? -z : z;
  else face = z < 0 ? 5 : 4, major = az, u = z < 0 ? -x : x, v = -y;
  s = (u / major + 1.0f) * 0.5f;
  t = (v / major + 1.0f) * 0.5f;
  return face;
}

/* ---- textures ---- */
/* Each in two forms: the value returned, and stored through a pointer. */
#define __SIMSIGHT_FETCH(name, parameters, arguments, value)                                                           \
  template <class T> __SIMSIGHT_TEX T name parameters { return value; }                                                \
  template <class T> __SIMSIGHT_TEX void name(T *result, __SIMSIGHT_STRIP parameters) { *result = name<T> arguments; }
#define __SIMSIGHT_STRIP(...) __VA_ARGS__

template <class T> __SIMSIGHT_TEX T tex1Dfetch(cudaTextureObject_t object, int i) {
  const __SIMSIGHT_GLOBAL __simsight_texture &t = __simsight_descriptor(object);
  T zero{};
  return (unsigned int)i < t.width ? __simsight_fetch<T>(t, i, 0, 0) : zero;
}
__SIMSIGHT_FETCH(tex1D, (cudaTextureObject_t object, float x), (object, x), (__simsight_sample<T, 1>(object, x, 0, 0, 0)))
__SIMSIGHT_FETCH(tex2D, (cudaTextureObject_t object, float x, float y), (object, x, y),
                 (__simsight_sample<T, 2>(object, x, y, 0, 0)))
__SIMSIGHT_FETCH(tex3D, (cudaTextureObject_t object, float x, float y, float z), (object, x, y, z),
                 (__simsight_sample<T, 3>(object, x, y, z, -1)))
__SIMSIGHT_FETCH(tex1DLayered, (cudaTextureObject_t object, float x, int layer), (object, x, layer),
                 (__simsight_sample<T, 1>(object, x, 0, 0, layer)))
__SIMSIGHT_FETCH(tex2DLayered, (cudaTextureObject_t object, float x, float y, int layer), (object, x, y, layer),
                 (__simsight_sample<T, 2>(object, x, y, 0, layer)))
/* One level: the level of detail changes nothing. */
__SIMSIGHT_FETCH(tex1DLod, (cudaTextureObject_t object, float x, float), (object, x, 0.0f), (tex1D<T>(object, x)))
#undef __SIMSIGHT_FETCH
#undef __SIMSIGHT_STRIP
template <class T> __SIMSIGHT_TEX void tex1Dfetch(T *result, cudaTextureObject_t object, int i) {
  *result = tex1Dfetch<T>(object, i);
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
template <class T> __SIMSIGHT_TEX T texCubemap(cudaTextureObject_t object, float x, float y, float z) {
  float s, t;
  const int face = __simsight_face(x, y, z, s, t);
  return __simsight_sample<T, 2>(object, s, t, 0, face);
}
template <class T> __SIMSIGHT_TEX T texCubemapLayered(cudaTextureObject_t object, float x, float y, float z, int layer) {
  float s, t;
  const int face = __simsight_face(x, y, z, s, t);
  return __simsight_sample<T, 2>(object, s, t, 0, layer * 6 + face);
}
/* One component of the four texels that linear filtering would blend, counter-clockwise from the lower left. */
template <class T> __SIMSIGHT_TEX T tex2Dgather(cudaTextureObject_t object, float x, float y, int component = 0) {
  typedef typename __simsight_texel<T>::type E;
  const __SIMSIGHT_GLOBAL __simsight_texture &t = __simsight_descriptor(object);
  float unused;
  const int i = __simsight_split(__simsight_scaled(t, x, t.width), unused);
  const int j = __simsight_split(__simsight_scaled(t, y, t.height), unused);
  E result[4];
#pragma unroll 1
  for (int n = 0; n < 4; ++n) {
    const int px = __simsight_place(i + (n == 1 || n == 2), (int)t.width, t.addressMode[0], t.normalized);
    const int py = __simsight_place(j + (n < 2), (int)t.height, t.addressMode[1], t.normalized);
    const T texel = __simsight_fetch<T>(t, px, py, 0);
    E channel[4];
    __builtin_memcpy(channel, &texel, sizeof(T));
    result[n] = component == 0 ? channel[0] : component == 1 ? channel[1] : component == 2 ? channel[2] : channel[3];
  }
  return __builtin_bit_cast(T, result);
}

/* ---- surfaces: x in bytes, no filtering, no conversion ---- */
/* The address, or null where a read gives zero and a write does nothing. */
template <class T>
__SIMSIGHT_TEX __SIMSIGHT_GLOBAL T *__simsight_surface(unsigned long long object, int x, int y, int z,
                                                       cudaSurfaceBoundaryMode mode) {
  const __SIMSIGHT_GLOBAL __simsight_texture &t = __simsight_descriptor(object);
  const int w = (int)(t.width * (t.channels * t.bits / 8)), h = (int)t.height, d = (int)t.depth;
  if ((unsigned int)x >= (unsigned int)w || (unsigned int)y >= (unsigned int)h || (unsigned int)z >= (unsigned int)d) {
    if (mode == cudaBoundaryModeTrap) __trap();
    if (mode == cudaBoundaryModeZero) return nullptr;
    x = x < 0 ? 0 : x >= w ? w - (int)sizeof(T) : x;
    y = y < 0 ? 0 : y >= h ? h - 1 : y;
    z = z < 0 ? 0 : z >= d ? d - 1 : z;
  }
  return (__SIMSIGHT_GLOBAL T *)((__SIMSIGHT_GLOBAL char *)(size_t)t.data + z * t.slice + y * t.pitch + x);
}
template <class T>
__SIMSIGHT_TEX T __simsight_surface_read(unsigned long long object, int x, int y, int z, cudaSurfaceBoundaryMode mode) {
  const T *const p = (const T *)__simsight_surface<T>(object, x, y, z, mode);
  T zero{};
  return p ? *p : zero;
}
template <class T>
__SIMSIGHT_TEX void __simsight_surface_write(T value, unsigned long long object, int x, int y, int z,
                                             cudaSurfaceBoundaryMode mode) {
  T *const p = (T *)__simsight_surface<T>(object, x, y, z, mode);
  if (p) *p = value;
}
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
#define __SIMSIGHT_STRIP(...) __VA_ARGS__
__SIMSIGHT_SURFACE(surf1D, (int x), x, 0, 0)
__SIMSIGHT_SURFACE(surf2D, (int x, int y), x, y, 0)
__SIMSIGHT_SURFACE(surf3D, (int x, int y, int z), x, y, z)
__SIMSIGHT_SURFACE(surf1DLayered, (int x, int layer), x, 0, layer)
__SIMSIGHT_SURFACE(surf2DLayered, (int x, int y, int layer), x, y, layer)
__SIMSIGHT_SURFACE(surfCubemap, (int x, int y, int face), x, y, face)
#undef __SIMSIGHT_SURFACE
#undef __SIMSIGHT_STRIP
#undef __SIMSIGHT_TEX
#undef __SIMSIGHT_GLOBAL
#endif
