/* Conversions between double and the formats of 16 bits, by their bits: what the host computes with, and what both sides
 * use for the rounding directions that LLVM has no instruction for. */
#pragma once
#include "cuda_runtime.h"

#ifdef __cplusplus
#include <type_traits>
#define __SIMSIGHT_HD static __forceinline__ __host__ __device__
#define __SIMSIGHT_D static __forceinline__ __device__

enum __simsight_rounding { __simsight_rn, __simsight_rz, __simsight_ru, __simsight_rd };

/* Rounds to a format with this many bits of exponent and fraction, subnormal numbers included. NaN becomes 0x7fff, as
 * hardware's conversions give it. */
template <int exponentBits, int fractionBits>
__SIMSIGHT_HD constexpr unsigned short __simsight_round(double value, __simsight_rounding rounding) {
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, value);
  const unsigned int infinity = ((1u << exponentBits) - 1) << fractionBits;
  const bool negative = bits >> 63;
  const unsigned int sign = negative ? 0x8000 : 0;
  const int field = (int)(bits >> 52 & 0x7ff);
  unsigned long long significand = bits & 0xfffffffffffffull;
  if (field == 0x7ff) return (unsigned short)(significand ? 0x7fff : sign | infinity);
  if (field) significand |= 1ull << 52;
  const int exponent = field ? field - 1023 : -1022;
  const int largest = (1 << (exponentBits - 1)) - 1, smallest = 1 - largest;
  /* Whether this direction leads away from zero. */
  const bool outward = rounding == (negative ? __simsight_rd : __simsight_ru);
  if (exponent > largest) return (unsigned short)(sign | (infinity - (rounding == __simsight_rn || outward ? 0 : 1)));
  int shift = 52 - fractionBits + (exponent < smallest ? smallest - exponent : 0);
  if (shift > 54) shift = 54;
  unsigned long long kept = significand >> shift;
  const unsigned long long rest = significand & ((1ull << shift) - 1), half = 1ull << (shift - 1);
  if (rounding == __simsight_rn ? rest > half || (rest == half && (kept & 1)) : outward && rest) ++kept;
  /* A carry out of the fraction moves to the next exponent by itself. */
  const unsigned int scale = exponent < smallest ? 0 : (unsigned int)(exponent - smallest) << fractionBits;
  return (unsigned short)(sign | (scale + (unsigned int)kept));
}

/* Integers of 64 bits as double, so that a later rounding to 16 bits is right: what is lost stays visible in the last
 * bit that is kept. */
__SIMSIGHT_HD constexpr double __simsight_odd(unsigned long long value) {
  return (double)(value >> 53 ? (value & ~0xfffull) | (value & 0xfff ? 0x800 : 0) : value);
}
__SIMSIGHT_HD constexpr double __simsight_odd(long long value) {
  return value < 0 ? -__simsight_odd(0 - (unsigned long long)value) : __simsight_odd((unsigned long long)value);
}

/* The value of a half by its bits: exact. */
__SIMSIGHT_HD constexpr float __simsight_half_value(unsigned short bits) {
  const unsigned int sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31, fraction = bits & 1023u;
  if (exponent == 31) return __builtin_bit_cast(float, sign | 0x7f800000u | fraction << 13);
  if (exponent) return __builtin_bit_cast(float, sign | ((exponent + 112) << 23) | fraction << 13);
  const float small = (float)fraction * 0x1p-24f;
  return sign ? -small : small;
}

/* Float to integer as hardware converts: out of range saturates. NaN gives the value that CUDA documents for half. */
template <class I> __SIMSIGHT_HD I __simsight_integer(float value, I least, I greatest, I nan) {
  if (value != value) return nan;
  if (value <= (float)least) return least;
  if (value >= (float)greatest) return greatest;
  return (I)value;
}
#endif
