/* Arithmetic that WebAssembly lacks. */

/* Correctly rounded float fma: the product is exact in double; the sum is rounded to odd there, so that rounding it to
 * float once more cannot go wrong. */
NOINLINE float fma1(float a, float b, float c) {
  double p = (double)a * b, s = p + c, back = s - p, error = (p - (s - back)) + (c - back);
  union { double d; u64 u; } bits = {s};
  if (error != 0 && !(bits.u & 1) && error == error) bits.u += (error > 0) == (s > 0) ? 1 : -1;
  return (float)bits.d;
}
double fma(double, double, double);

/* Shifted into place and scaled: exact for subnormals too. Infinity and NaN get their exponent. */
static inline float float_of_16(u16 h) {
  union { u32 u; float f; } bits = {(u32)(s32)(short)h << 13 & 0x8fffe000};
  bits.f *= 0x1p112f;
  if ((h & 0x7c00) == 0x7c00) bits.u |= 0x7f800000;
  return bits.f;
}
NOINLINE float half_to_float(u16 h) { return float_of_16(h); }
NOINLINE u16 double_to_half(double d) {
  union { double d; u64 u; } bits = {d};
  u32 sign = bits.u >> 48 & 0x8000;
  bits.u &= ~(1ull << 63);
  if (bits.u > 0x7ff0000000000000ull) return 0x7fff;
  if (bits.d >= 65520.0) return sign | 0x7c00;
  if (bits.d < 0x1p-14) return sign | (u32)__builtin_rint(bits.d * 0x1p24);
  u64 rounded = bits.u + 0x1ffffffffffull + (bits.u >> 42 & 1);
  return sign | (u32)((rounded >> 42) - ((u64)(1023 - 15) << 10));
}

/* Division by zero does not trap on a GPU: all ones. */
u64 udiv64(u64 a, u64 b) { return b ? a / b : ~0ull; }
u64 urem64(u64 a, u64 b) { return b ? a % b : a; }
u64 sdiv64(s64 a, s64 b) { return b == -1 ? -(u64)a : b ? (u64)(a / b) : ~0ull; }
u64 srem64(s64 a, s64 b) { return b == -1 ? 0 : b ? (u64)(a % b) : (u64)a; }
