/*
 * Functions of dynamic programming (DPX): sums, minima and maxima of up to three integers, whole or in halves, of the host as well. One
 * instruction each since compute capability 9.0; here always those that they stand for.
 */
#pragma once

#define __SIMSIGHT_DPX __host__ __device__ static inline __attribute__((always_inline))

__SIMSIGHT_DPX int __simsight_max(int a, int b) { return a > b ? a : b; }
__SIMSIGHT_DPX int __simsight_min(int a, int b) { return a < b ? a : b; }
__SIMSIGHT_DPX unsigned __simsight_max(unsigned a, unsigned b) { return a > b ? a : b; }
__SIMSIGHT_DPX unsigned __simsight_min(unsigned a, unsigned b) { return a < b ? a : b; }
/* A half of a word as an integer, and two halves as a word. */
__SIMSIGHT_DPX int __simsight_low_s16(unsigned a) { return (short)(a & 0xffff); }
__SIMSIGHT_DPX int __simsight_high_s16(unsigned a) { return (short)(a >> 16); }
__SIMSIGHT_DPX unsigned __simsight_low_u16(unsigned a) { return a & 0xffff; }
__SIMSIGHT_DPX unsigned __simsight_high_u16(unsigned a) { return a >> 16; }
__SIMSIGHT_DPX unsigned __simsight_halves(unsigned high, unsigned low) { return high << 16 | (low & 0xffff); }
/* Sums wrap around, those of halves in their half. */
__SIMSIGHT_DPX int __simsight_sum(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
__SIMSIGHT_DPX unsigned __simsight_sum(unsigned a, unsigned b) { return a + b; }
__SIMSIGHT_DPX unsigned __simsight_sum_halves(unsigned a, unsigned b) {
  return __simsight_halves((a >> 16) + (b >> 16), a + b);
}

#define __SIMSIGHT_DPX_32(MAX, S32, T)                                                                                 \
  __SIMSIGHT_DPX T __vi##MAX##3_##S32(T a, T b, T c) { return __simsight_##MAX(__simsight_##MAX(a, b), c); }           \
  __SIMSIGHT_DPX T __viadd##MAX##_##S32(T a, T b, T c) { return __simsight_##MAX(__simsight_sum(a, b), c); }
#define __SIMSIGHT_DPX_RELU_32(MAX)                                                                                    \
  __SIMSIGHT_DPX int __vi##MAX##_s32_relu(int a, int b) { return __simsight_max(__simsight_##MAX(a, b), 0); }          \
  __SIMSIGHT_DPX int __vi##MAX##3_s32_relu(int a, int b, int c) { return __simsight_max(__vi##MAX##3_s32(a, b, c), 0); } \
  __SIMSIGHT_DPX int __viadd##MAX##_s32_relu(int a, int b, int c) { return __simsight_max(__viadd##MAX##_s32(a, b, c), 0); }
#define __SIMSIGHT_DPX_HALVES(MAX, S16)                                                                                \
  __SIMSIGHT_DPX unsigned __simsight_##MAX##_##S16(unsigned a, unsigned b) {                                           \
    return __simsight_halves((unsigned)__simsight_##MAX(__simsight_high_##S16(a), __simsight_high_##S16(b)),           \
                             (unsigned)__simsight_##MAX(__simsight_low_##S16(a), __simsight_low_##S16(b)));            \
  }                                                                                                                    \
  __SIMSIGHT_DPX unsigned __vi##MAX##3_##S16##x2(unsigned a, unsigned b, unsigned c) {                                 \
    return __simsight_##MAX##_##S16(__simsight_##MAX##_##S16(a, b), c);                                                \
  }                                                                                                                    \
  __SIMSIGHT_DPX unsigned __viadd##MAX##_##S16##x2(unsigned a, unsigned b, unsigned c) {                               \
    return __simsight_##MAX##_##S16(__simsight_sum_halves(a, b), c);                                                   \
  }
#define __SIMSIGHT_DPX_RELU_HALVES(MAX)                                                                                \
  __SIMSIGHT_DPX unsigned __vi##MAX##_s16x2_relu(unsigned a, unsigned b) {                                             \
    return __simsight_max_s16(__simsight_##MAX##_s16(a, b), 0);                                                        \
  }                                                                                                                    \
  __SIMSIGHT_DPX unsigned __vi##MAX##3_s16x2_relu(unsigned a, unsigned b, unsigned c) {                                \
    return __simsight_max_s16(__vi##MAX##3_s16x2(a, b, c), 0);                                                         \
  }                                                                                                                    \
  __SIMSIGHT_DPX unsigned __viadd##MAX##_s16x2_relu(unsigned a, unsigned b, unsigned c) {                              \
    return __simsight_max_s16(__viadd##MAX##_s16x2(a, b, c), 0);                                                       \
  }
/* Whether it is the first of the two, which it is where they are equal. */
#define __SIMSIGHT_DPX_WHICH(MAX, OVER)                                                                                \
  __SIMSIGHT_DPX int __vib##MAX##_s32(int a, int b, bool *isFirst) {                                                   \
    *isFirst = a OVER b;                                                                                               \
    return __simsight_##MAX(a, b);                                                                                     \
  }                                                                                                                    \
  __SIMSIGHT_DPX unsigned __vib##MAX##_u32(unsigned a, unsigned b, bool *isFirst) {                                    \
    *isFirst = a OVER b;                                                                                               \
    return __simsight_##MAX(a, b);                                                                                     \
  }                                                                                                                    \
  __SIMSIGHT_DPX unsigned __vib##MAX##_s16x2(unsigned a, unsigned b, bool *isFirstHigh, bool *isFirstLow) {            \
    *isFirstHigh = __simsight_high_s16(a) OVER __simsight_high_s16(b);                                                 \
    *isFirstLow = __simsight_low_s16(a) OVER __simsight_low_s16(b);                                                    \
    return __simsight_##MAX##_s16(a, b);                                                                               \
  }                                                                                                                    \
  __SIMSIGHT_DPX unsigned __vib##MAX##_u16x2(unsigned a, unsigned b, bool *isFirstHigh, bool *isFirstLow) {            \
    *isFirstHigh = __simsight_high_u16(a) OVER __simsight_high_u16(b);                                                 \
    *isFirstLow = __simsight_low_u16(a) OVER __simsight_low_u16(b);                                                    \
    return __simsight_##MAX##_u16(a, b);                                                                               \
  }

#define __SIMSIGHT_DPX_BOTH(MAX)                                                                                       \
  __SIMSIGHT_DPX_32(MAX, s32, int)                                                                                     \
  __SIMSIGHT_DPX_32(MAX, u32, unsigned)                                                                                \
  __SIMSIGHT_DPX_RELU_32(MAX)                                                                                          \
  __SIMSIGHT_DPX_HALVES(MAX, s16)                                                                                      \
  __SIMSIGHT_DPX_HALVES(MAX, u16)
__SIMSIGHT_DPX_BOTH(max)
__SIMSIGHT_DPX_BOTH(min)
__SIMSIGHT_DPX_RELU_HALVES(max)
__SIMSIGHT_DPX_RELU_HALVES(min)
__SIMSIGHT_DPX_WHICH(max, >=)
__SIMSIGHT_DPX_WHICH(min, <=)
