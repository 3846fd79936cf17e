/* Arithmetic of one lane that LLVM has no instruction for: directed rounding, narrow floats, PTX's bit operations. Called
 * lane by lane through KernelWriter.perLane. */

double fma(double, double, double);
double sqrt(double);
#define RZ 1
#define RP 2
#define RM 3

static inline u64 bits_of(double d) { union { double d; u64 u; } x = {d}; return x.u; }
static inline double of_bits(u64 u) { union { u64 u; double d; } x = {u}; return x.d; }
static inline u32 bits_of_float(float f) { union { float f; u32 u; } x = {f}; return x.u; }
static inline float float_of_bits(u32 u) { union { u32 u; float f; } x = {u}; return x.f; }
#define INFINITE(x) (__builtin_fabs(x) == __builtin_inf())

static double next_up(double d) { return d == 0 ? of_bits(1) : of_bits(bits_of(d) + (d > 0 ? 1 : -1)); }
static double next_down(double d) { return -next_up(-d); }
static float next_upf(float d) { return d == 0 ? float_of_bits(1) : float_of_bits(bits_of_float(d) + (d > 0 ? 1 : -1)); }
static float next_downf(float d) { return -next_upf(-d); }

/* `r` is the nearest double; the exact value lies `error` beyond it. */
static double direct(double r, double error, u32 mode) {
  if (error == 0 || error != error || r != r) return r;
  if (error > 0 && (mode == RP || (mode == RZ && r < 0))) return next_up(r);
  if (error < 0 && (mode == RM || (mode == RZ && r > 0))) return next_down(r);
  return r;
}
/* The double (rounded to odd) as a float in a direction. */
static double odd(double r, double error) {
  if (error == 0 || error != error || (bits_of(r) & 1) || INFINITE(r)) return r;
  return error > 0 ? next_up(r) : next_down(r);
}
static float directf(double d, u32 mode) {
  float f = (float)d;
  if (d != d || INFINITE(d)) return f;
  double back = f;
  if (back < d && (mode == RP || (mode == RZ && d < 0))) return next_upf(f);
  if (back > d && (mode == RM || (mode == RZ && d > 0))) return next_downf(f);
  return f;
}
static double sum_error(double a, double b, double s) {
  if (INFINITE(s)) return INFINITE(a) || INFINITE(b) ? 0 : -s;
  double back = s - a;
  return (a - (s - back)) + (b - back);
}
static double quotient_error(double a, double b, double q) {
  if (INFINITE(q)) return INFINITE(a) || b == 0 ? 0 : -q;
  if (INFINITE(b)) return 0;
  double rest = fma(-q, b, a);
  return b < 0 ? -rest : rest;
}
static double root_error(double a, double s) { return INFINITE(s) ? 0 : fma(-s, s, a); }
/* A sum of different signs that is exactly zero is +0, but -0 towards minus infinity. */
static inline double zero_sum(double r, double a, double b, u32 mode) {
  return mode == RM && r == 0 && a == -b && __builtin_signbit(a) != __builtin_signbit(b) ? -0.0 : r;
}

/* ---- doubles by their bits: exact where products and quotients are subnormal, which a double's own arithmetic is not ---- */
typedef unsigned __int128 u128;
static u128 divide128(u128 a, u128 b, u128 *rest);
static inline u64 significand_of(double d, s32 *exponent) {
  u64 u = bits_of(d);
  s32 e = u >> 52 & 2047;
  *exponent = (e ? e : 1) - 1075;
  return (u & 0xfffffffffffff) | (e ? 1ull << 52 : 0);
}
static inline s32 top_of(u128 x) { return (u64)(x >> 64) ? 127 - __builtin_clzll((u64)(x >> 64)) : 63 - __builtin_clzll((u64)x); }
/* sig * 2^exponent, and a little more where `sticky`, in a direction. `sig` is not 0, and wide enough where `sticky`. */
static double packed(u32 negative, u128 sig, s32 exponent, u32 sticky, u32 mode) {
  u32 outward = negative ? mode == RM : mode == RP;
  s32 e = top_of(sig) + exponent, quantum = e - 52 < -1074 ? -1074 : e - 52, shift = quantum - exponent;
  u64 sign = (u64)negative << 63, infinity = 0x7ffull << 52, kept;
  if (e > 1023) return of_bits(sign | (outward ? infinity : infinity - 1));
  if (shift > 127) kept = 0, sticky = 1;
  else if (shift > 0) kept = sig >> shift, sticky |= (sig & (((u128)1 << shift) - 1)) != 0;
  else kept = (u64)sig << -shift;
  return of_bits(sign | (((u64)(quantum + 1074) << 52) + kept + (sticky && outward)));
}
static inline u32 is_special(double d) { return d == 0 || d != d || INFINITE(d); }
static double product_in(double a, double b, u32 mode) {
  if (is_special(a) || is_special(b)) return a * b;
  s32 x, y;
  u64 p = significand_of(a, &x), q = significand_of(b, &y);
  return packed(__builtin_signbit(a) != __builtin_signbit(b), (u128)p * q, x + y, 0, mode);
}
static double quotient_in(double a, double b, u32 mode) {
  if (is_special(a) || is_special(b)) return a / b;
  s32 x, y;
  u64 p = significand_of(a, &x), q = significand_of(b, &y);
  s32 up = 127 - top_of(p);
  u128 rest, ratio = divide128((u128)p << up, q, &rest);
  return packed(__builtin_signbit(a) != __builtin_signbit(b), ratio, x - up - y, rest != 0, mode);
}
static double fused_in(double a, double b, double c, u32 mode) {
  if (is_special(a) || is_special(b) || c != c || INFINITE(c)) {
    double p = a * b, r = p + c;
    return c == 0 || p != 0 || p != p ? zero_sum(r, p, c, mode) : c;
  }
  s32 x, y, z;
  u64 i = significand_of(a, &x), j = significand_of(b, &y), k = significand_of(c, &z);
  u32 minus = __builtin_signbit(a) != __builtin_signbit(b), other = __builtin_signbit(c) != 0;
  if (c == 0) return packed(minus, (u128)i * j, x + y, 0, mode);
  u128 p = (u128)i * j, q = k;
  s32 up = 125 - top_of(p), at = x + y - up, along = 125 - top_of(q), there = z - along;
  p <<= up, q <<= along;
  /* `p` at the larger exponent; what of `q` is shifted out stays visible in `sticky`. */
  if (there > at || (there == at && q > p)) {
    u128 t = p; p = q, q = t;
    s32 s = at; at = there, there = s;
    u32 n = minus; minus = other, other = n;
  }
  s32 distance = at - there;
  u32 sticky = distance > 127 ? 1 : (q & (((u128)1 << distance) - 1)) != 0;
  q = distance > 127 ? 0 : q >> distance;
  if (minus == other) return packed(minus, p + q, at, sticky, mode);
  u128 difference = p - q - sticky;
  if (difference == 0) return mode == RM ? -0.0 : 0.0;
  return packed(minus, difference, at, sticky, mode);
}
/* Scaled, so that the remainder is not lost where the root's square is subnormal. */
static double root_in(double a, u32 mode) {
  u32 small = a > 0 && a < 0x1p-900;
  double x = small ? a * 0x1p108 : a, s = sqrt(x), r = direct(s, root_error(x, s), mode);
  return small ? r * 0x1p-54 : r;
}
#define DIRECTED(NAME, MODE)                                                                                          \
  NOINLINE float add_##NAME##_float(float a, float b) { double s = (double)a + b; return directf(zero_sum(odd(s, sum_error(a, b, s)), a, b, MODE), MODE); } \
  NOINLINE float sub_##NAME##_float(float a, float b) { return add_##NAME##_float(a, -b); }                                    \
  NOINLINE float mul_##NAME##_float(float a, float b) { return directf((double)a * b, MODE); }                                 \
  NOINLINE float div_##NAME##_float(float a, float b) { double q = (double)a / b; return directf(odd(q, quotient_error(a, b, q)), MODE); } \
  NOINLINE float sqrt_##NAME##_float(float a) { double s = sqrt(a); return directf(odd(s, root_error(a, s)), MODE); }          \
  NOINLINE float fma_##NAME##_float(float a, float b, float c) {                                                               \
    double p = (double)a * b, s = p + c;                                                                              \
    return directf(zero_sum(odd(s, sum_error(p, c, s)), p, c, MODE), MODE);                                           \
  }                                                                                                                   \
  NOINLINE double add_##NAME##_double(double a, double b) { double s = a + b; return zero_sum(direct(s, sum_error(a, b, s), MODE), a, b, MODE); } \
  NOINLINE double sub_##NAME##_double(double a, double b) { return add_##NAME##_double(a, -b); }                               \
  NOINLINE double mul_##NAME##_double(double a, double b) { return product_in(a, b, MODE); } \
  NOINLINE double div_##NAME##_double(double a, double b) { return quotient_in(a, b, MODE); } \
  NOINLINE double sqrt_##NAME##_double(double a) { return root_in(a, MODE); }             \
  NOINLINE double fma_##NAME##_double(double a, double b, double c) { return fused_in(a, b, c, MODE); } \
  NOINLINE float fptrunc_##NAME##_float(double a) { return directf(a, MODE); }                                                 \
  NOINLINE float sitofp_##NAME##_float(s64 a) { double d = (double)a; return directf(odd(d, whole_error(a, 1, d)), MODE); }    \
  NOINLINE float uitofp_##NAME##_float(u64 a) { double d = (double)a; return directf(odd(d, whole_error(a, 0, d)), MODE); }    \
  NOINLINE double sitofp_##NAME##_double(s64 a) { double d = (double)a; return direct(d, whole_error(a, 1, d), MODE); }        \
  NOINLINE double uitofp_##NAME##_double(u64 a) { double d = (double)a; return direct(d, whole_error(a, 0, d), MODE); }
static double whole_error(u64 a, u32 is_signed, double d) {
  double high = is_signed ? (double)((s64)a >> 32) * 0x1p32 : (double)(a >> 32) * 0x1p32;
  return (high - d) + (double)(u32)a;
}
DIRECTED(rz, RZ)
DIRECTED(rp, RP)
DIRECTED(rm, RM)

/* ---- half and bfloat16 from doubles (floats are converted by vector code) ---- */
u16 double_to_half_rz(double d) {
  u16 h = double_to_half(d);
  if (d != d || INFINITE(d)) return h;
  return __builtin_fabs((double)half_to_float(h)) > __builtin_fabs(d) ? h - 1 : h;
}
u16 double_to_half_rm(double d) {
  u16 h = double_to_half(d);
  if (d != d || INFINITE(d) || (double)half_to_float(h) <= d) return h;
  return h == 0 ? 0x8001 : h & 0x8000 ? h + 1 : h - 1;
}
u16 double_to_half_rp(double d) { u16 h = double_to_half_rm(-d); return d != d ? h : h ^ 0x8000; }
static float float_odd(double d) {
  float f = directf(d, RZ);
  return f != d && d == d ? float_of_bits(bits_of_float(f) | 1) : f;
}
static inline u16 float_to_bfloat(float f) {
  u32 u = bits_of_float(f);
  return f != f ? 0x7fff : (u + 0x7fff + (u >> 16 & 1)) >> 16;
}
u16 double_to_bfloat(double d) { return float_to_bfloat(float_odd(d)); }
u16 double_to_bfloat_rz(double d) { return d != d ? 0x7fff : bits_of_float(directf(d, RZ)) >> 16; }
/* Halves and bfloat16s are exact in double; the sum is rounded to odd there, so that the second rounding is the only one. */
static double fused_odd(double a, double b, double c) { double p = a * b, s = p + c; return odd(s, sum_error(p, c, s)); }
u16 fma_half(u16 a, u16 b, u16 c) { return double_to_half(fused_odd(half_to_float(a), half_to_float(b), half_to_float(c))); }
u16 fma_bfloat(u16 a, u16 b, u16 c) {
  return double_to_bfloat(fused_odd(float_of_bits(a << 16), float_of_bits(b << 16), float_of_bits(c << 16)));
}
/* 8-bit floats, a pair in 16 bits: to the nearest, ties to even, what is too large becomes the largest. NaN has no sign. */
static inline u32 to_float8(float f, u32 mantissa, u32 bias, u32 most) {
  u32 all = bits_of_float(f), sign = all >> 31 << 7, size = all & 0x7fffffff, dropped = 23 - mantissa, result;
  if (size > 0x7f800000) return 0x7f;
  if (size < 128 - bias << 23) {
    /* Added to a number whose last place is the smallest step, it is rounded to such steps. */
    u32 steps = 128 - bias + dropped << 23;
    result = bits_of_float(float_of_bits(size) + float_of_bits(steps)) - steps;
  } else {
    u32 moved = size - (127 - bias << 23);
    result = moved + (1 << dropped - 1) - 1 + (moved >> dropped & 1) >> dropped;
    if (result > most) result = most;
  }
  return result | sign;
}
u16 floats_to_e4m3x2(float high, float low) { return to_float8(low, 3, 7, 0x7e) | to_float8(high, 3, 7, 0x7e) << 8; }
u16 floats_to_e5m2x2(float high, float low) { return to_float8(low, 2, 15, 0x7b) | to_float8(high, 2, 15, 0x7b) << 8; }
/* Its exponent is one of floats, 120 too low. */
static inline float float_of_e4m3(u8 bits) {
  u32 rest = bits & 0x7f;
  float value = rest == 0x7f ? float_of_bits(0x7fffffff) : float_of_bits(rest << 20) * 0x1p120f;
  return bits & 0x80 ? -value : value;
}
static inline u16 e4m3_to_half(u8 bits) { return (bits & 0x7f) == 0x7f ? 0x7fff : double_to_half(float_of_e4m3(bits)); }
static inline u16 e5m2_to_half(u8 bits) { return (bits & 0x7f) > 0x7c ? 0x7fff : bits << 8; }
u16 low_e4m3_to_half(u16 pair) { return e4m3_to_half(pair); }
u16 high_e4m3_to_half(u16 pair) { return e4m3_to_half(pair >> 8); }
u16 low_e5m2_to_half(u16 pair) { return e5m2_to_half(pair); }
u16 high_e5m2_to_half(u16 pair) { return e5m2_to_half(pair >> 8); }
/* To 10 bits of fraction; ties away from zero, to even, or cut off. */
u32 tf32_rna(float f) { u32 u = bits_of_float(f); return (f != f || INFINITE(f) ? u : u + 0x1000) & 0xffffe000; }
u32 tf32_rn(float f) { u32 u = bits_of_float(f); return f != f ? 0x7fffe000 : INFINITE(f) ? u : (u + 0xfff + (u >> 13 & 1)) & 0xffffe000; }
u32 tf32_rz(float f) { return f != f ? 0x7fffe000 : bits_of_float(f) & 0xffffe000; }

/* ---- PTX's integer instructions ---- */
/* Hardware takes 8 bits of position and length; what ptxas makes of the 64-bit forms takes all. */
#define FIELDS(U, S, BITS, MOST)                                                                                       \
  U bfe_u##BITS(U a, u32 start, u32 length) {                                                                          \
    start &= MOST; length &= MOST;                                                                                     \
    if (start >= BITS || length == 0) return 0;                                                                        \
    U moved = a >> start;                                                                                              \
    return length >= BITS ? moved : moved & (((U)1 << length) - 1);                                                    \
  }                                                                                                                    \
  U bfe_s##BITS(U a, u32 start, u32 length) {                                                                          \
    start &= MOST; length &= MOST;                                                                                     \
    if (length == 0) return 0;                                                                                         \
    if (start > BITS) start = BITS;                                                                                    \
    if (length > BITS) length = BITS;                                                                                  \
    u32 top = start + length - 1 < BITS - 1 ? start + length - 1 : BITS - 1;                                           \
    U sign = a >> top & 1;                                                                                             \
    if (start >= BITS) return sign ? ~(U)0 : 0;                                                                        \
    U field = bfe_u##BITS(a, start, length);                                                                           \
    u32 have = top - start + 1;                                                                                        \
    return sign && have < BITS ? field | ~(U)0 << have : field;                                                        \
  }                                                                                                                    \
  U bfi_u##BITS(U a, U b, u32 start, u32 length) {                                                                     \
    start &= MOST; length &= MOST;                                                                                     \
    if (start >= BITS || length == 0) return b;                                                                        \
    U mask = (length >= BITS ? ~(U)0 : ((U)1 << length) - 1) << start;                                                 \
    return (b & ~mask) | (a << start & mask);                                                                          \
  }                                                                                                                    \
  u32 bfind_u##BITS(U a) { return a ? 63 - __builtin_clzll(a) : ~0u; }                                                 \
  u32 bfind_s##BITS(U a) { return bfind_u##BITS((S)a < 0 ? (U)~a : a); }                                               \
  u32 bfind_shift_u##BITS(U a) { return a ? BITS - 1 - bfind_u##BITS(a) : ~0u; }                                       \
  u32 bfind_shift_s##BITS(U a) { return bfind_shift_u##BITS((S)a < 0 ? (U)~a : a); }
FIELDS(u32, s32, 32, 255)
FIELDS(u64, s64, 64, ~0u)

u32 byte_permute(u32 a, u32 b, u32 selector) {
  u64 both = (u64)b << 32 | a;
  u32 result = 0;
  for (u32 k = 0; k < 4; k++) {
    u32 s = selector >> 4 * k & 15, byte = both >> 8 * (s & 7) & 255;
    if (s & 8) byte = byte & 128 ? 255 : 0;
    result |= byte << 8 * k;
  }
  return result;
}
u32 byte_permute_mode(u32 a, u32 b, u32 c, u32 mode) {
  static const u16 tables[6][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123}, {0x0000, 0x1111, 0x2222, 0x3333},
      {0x3210, 0x3211, 0x3222, 0x3333}, {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
  return byte_permute(a, b, tables[mode][c & 3]);
}
/* The n-th set bit from `base` on, counting upwards for n > 0 and downwards for n < 0. */
u32 find_nth_set(u32 mask, u32 base, u32 offset) {
  s32 n = (s32)offset, at = (s32)base;
  if (n == 0) return mask >> (base & 31) & 1 && base < 32 ? base : ~0u;
  for (; at >= 0 && at < 32; at += n > 0 ? 1 : -1)
    if (mask >> at & 1 && (n > 0 ? --n : ++n) == 0) return at;
  return ~0u;
}
u32 bit_mask(u32 start, u32 length, u32 clamp) {
  if (!clamp) { start &= 31; length &= 31; }
  if (start >= 32 || length == 0) return 0;
  return (length >= 32 ? ~0u : (1u << length) - 1) << start;
}
u32 extend_bits(u32 a, u32 length, u32 clamp, u32 is_signed) {
  if (!clamp) length &= 31;
  if (length == 0) return 0;
  if (length >= 32) return a;
  u32 field = a & ((1u << length) - 1);
  return is_signed && field >> (length - 1) & 1 ? field | ~0u << length : field;
}
static s32 part(u32 word, u32 k, u32 bits, u32 is_signed) {
  u32 field = word >> k * bits & ((1u << bits) - 1);
  return is_signed && field >> (bits - 1) ? (s32)(field | ~0u << bits) : (s32)field;
}
/* kind: 0 uu, 1 su, 2 us, 3 ss */
u32 dot4(u32 a, u32 b, u32 c, u32 kind) {
  for (u32 k = 0; k < 4; k++) c += part(a, k, 8, kind & 1) * part(b, k, 8, kind >> 1);
  return c;
}
u32 dot2(u32 a, u32 b, u32 c, u32 kind, u32 high) {
  for (u32 k = 0; k < 2; k++) c += part(a, k, 16, kind & 1) * part(b, k + 2 * high, 8, kind >> 1);
  return c;
}
/* vadd2 … vset4; the bits of `what` are put together in ptx/instructions.ts. */
u32 video(u32 what, u32 a, u32 b, u32 c) {
  u32 kind = what & 7, bits = what & 8 ? 8 : 16, result = 0;
  u32 signed_result = what >> 4 & 1;
  for (u32 k = 0; k < 32 / bits; k++) {
    s32 x = part(a, k, bits, what >> 5 & 1), y = part(b, k, bits, what >> 6 & 1), r;
    switch (kind) {
      case 0: r = x + y; break;
      case 1: r = x - y; break;
      case 2: r = (x + y + (x + y >= 0)) >> 1; break; /* halves away from zero */
      case 3: r = x < y ? y - x : x - y; break;
      case 4: r = x < y ? x : y; break;
      case 5: r = x > y ? x : y; break;
      default:
        switch (what >> 9) {
          case 0: r = x == y; break;
          case 1: r = x != y; break;
          case 2: r = x < y; break;
          case 3: r = x <= y; break;
          case 4: r = x > y; break;
          default: r = x >= y;
        }
    }
    if (what & 128) {
      s32 most = signed_result ? (1 << (bits - 1)) - 1 : (1 << bits) - 1, least = signed_result ? -(1 << (bits - 1)) : 0;
      r = r > most ? most : r < least ? least : r;
    }
    if (what & 256) c += r;
    else result |= ((u32)r & ((1u << bits) - 1)) << k * bits;
  }
  return what & 256 ? c : result;
}

/* ---- 128-bit integers: halves in memory, since a wasm function returns at most 64 bits ---- */
static u128 divide128(u128 a, u128 b, u128 *rest) {
  u128 q = 0, r = 0;
  if (b == 0) {
    *rest = a;
    return ~(u128)0;
  }
  for (s32 i = 127; i >= 0; i--) {
    r = r << 1 | (a >> i & 1);
    if (r >= b) {
      r -= b;
      q |= (u128)1 << i;
    }
  }
  *rest = r;
  return q;
}
/* op: 0 udiv, 1 urem, 2 sdiv, 3 srem; lane by lane. */
NOINLINE void divide128_lanes(u128 *a, u128 *b, u128 *out, u32 mask, u32 op) {
  for (u32 left = mask; left; left &= left - 1) {
    u32 lane = __builtin_ctz(left);
    u128 x = a[lane], y = b[lane], rest;
    u32 negative_x = op >= 2 && (__int128)x < 0, negative_y = op >= 2 && (__int128)y < 0;
    u128 q = divide128(negative_x ? -x : x, negative_y ? -y : y, &rest);
    out[lane] = op & 1 ? (negative_x ? -rest : rest) : negative_x != negative_y ? -q : q;
  }
}
static float whole_to_float(u128 a, u32 negative) {
  double high = (double)(u64)(a >> 64) * 0x1p64, low = (double)(u64)a, s = high + low;
  float f = (float)odd(s, sum_error(high, low, s));
  return negative ? -f : f;
}
NOINLINE void float_of_128(u128 *a, void *out, u32 mask, u32 is_signed, u32 wide) {
  for (u32 left = mask; left; left &= left - 1) {
    u32 lane = __builtin_ctz(left), negative = is_signed && (__int128)a[lane] < 0;
    u128 x = negative ? -a[lane] : a[lane];
    /* Two parts, the lower one with a sticky bit, so that their sum is rounded once. */
    u64 high = x >> 64, low = x;
    if (wide) {
      double d;
      if (high == 0) d = (double)low;
      else {
        u32 zeros = __builtin_clzll(high);
        u128 moved = x << zeros;
        u64 top = moved >> 64;
        if ((u64)moved) top |= 1;
        d = (double)top * of_bits((u64)(1023 + 64 - zeros) << 52);
      }
      ((double *)out)[lane] = negative ? -d : d;
    } else ((float *)out)[lane] = whole_to_float(x, negative);
  }
}
NOINLINE void float_to_128(void *a, u128 *out, u32 mask, u32 is_signed, u32 wide) {
  for (u32 left = mask; left; left &= left - 1) {
    u32 lane = __builtin_ctz(left);
    double d = wide ? ((double *)a)[lane] : ((float *)a)[lane];
    u32 negative = d < 0;
    d = __builtin_trunc(__builtin_fabs(d));
    u128 x;
    if (d != d || (negative && !is_signed)) x = 0;
    else if (d >= (is_signed ? 0x1p127 : 0x1p128)) x = is_signed ? negative ? (u128)1 << 127 : ~((u128)1 << 127) : ~(u128)0;
    else {
      u64 high = (u64)(d * 0x1p-64), low = (u64)(d - (double)high * 0x1p64);
      x = (u128)high << 64 | low;
      if (negative) x = -x;
    }
    out[lane] = x;
  }
}

/* ---- library functions that libm lacks ---- */
double exp2(double);
double log2(double);
double pow(double, double);
double ldexp_bits(double x, s32 n) {
  while (n > 1000) { x *= 0x1p1000; n -= 1000; if (n > 3000) n = 3000; }
  while (n < -900) { x *= 0x1p-900; n += 900; if (n < -3000) n = -3000; }
  return x * of_bits((u64)(1023 + n) << 52);
}
float ldexp_float(float x, u32 n) { return (float)ldexp_bits(x, (s32)n); }
/* Scaled in two steps, of which only the last rounds. */
double ldexp_double(double x, u32 count) {
  s32 n = (s32)count;
  n = n > 2200 ? 2200 : n < -2200 ? -2200 : n;
  if (x == 0 || x != x || INFINITE(x)) return x;
  s32 exponent = (bits_of(x) >> 52 & 2047);
  if (exponent == 0) { x *= 0x1p54; n -= 54; exponent = bits_of(x) >> 52 & 2047; }
  exponent += n;
  double one = of_bits((bits_of(x) & ~(2047ull << 52)) | 1023ull << 52);
  if (exponent >= 2047) return one * 0x1p1023 * 2.0;
  if (exponent > 0) return of_bits((bits_of(x) & ~(2047ull << 52)) | (u64)exponent << 52);
  if (exponent < -60) exponent = -60;
  return one * 0x1p-1022 * of_bits((u64)(1023 + exponent - 1) << 52);
}
double powi_double(double x, u32 n) {
  s32 count = (s32)n;
  double result = 1;
  for (u32 left = count < 0 ? -(u32)count : (u32)count; left; left >>= 1, x *= x)
    if (left & 1) result *= x;
  return count < 0 ? 1 / result : result;
}
float powi_float(float x, u32 n) { return (float)powi_double(x, n); }
static inline double significand(double x, s32 *exponent) {
  s32 e = bits_of(x) >> 52 & 2047;
  *exponent = 0;
  if (x == 0 || x != x || INFINITE(x)) return x;
  s32 more = 0;
  if (e == 0) { x *= 0x1p54; more = -54; e = bits_of(x) >> 52 & 2047; }
  *exponent = e - 1022 + more;
  return of_bits((bits_of(x) & ~(2047ull << 52)) | 1022ull << 52);
}
double frexp_part(double x) { s32 e; return significand(x, &e); }
u32 frexp_exponent(double x) { s32 e; significand(x, &e); return (u32)e; }

/* ---- special functions ---- */
double sin(double);
double cos(double);
double exp(double);
double log(double);
double erf(double);
double erfc(double);
double remainder(double, double);
double fmod(double, double);
#define PI 3.14159265358979323846
double sin_pi(double x) {
  if (INFINITE(x) || x != x) return x - x;
  double r = fmod(x, 2.0);
  double a = __builtin_fabs(r);
  double s = a <= 0.25 ? sin(a * PI) : a <= 0.75 ? cos((0.5 - a) * PI) : a <= 1.25 ? sin((1 - a) * PI) : a <= 1.75 ? -cos((a - 1.5) * PI) : sin((a - 2) * PI);
  if (a == 1 || a == 0) s = 0;
  return __builtin_signbit(x) ? -s : s;
}
double cos_pi(double x) {
  if (INFINITE(x) || x != x) return x - x;
  double a = __builtin_fabs(fmod(x, 2.0));
  if (a > 1) a = 2 - a;
  return a <= 0.25 ? cos(a * PI) : a == 0.5 ? 0 : a <= 0.75 ? sin((0.5 - a) * PI) : -cos((1 - a) * PI);
}
/* The rounding error of the scaled argument matters in the tail: erfc(y + e) = erfc(y) - 2 / sqrt(pi) exp(-y * y) e. */
double normal_cdf(double x) {
  static const double high = 0.70710678118654757, low = -4.8336466567264567e-17;
  double y = -x * high, rest = __builtin_fma(-x, high, -y) - x * low;
  double value = erfc(y);
  if (y > 1 && y < 28) value -= 1.12837916709551257390 * exp(-y * y) * rest;
  return 0.5 * value;
}
/* Acklam's rational approximation: nine digits. */
static double quantile_start(double p) {
  static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02, -2.759285104469687e+02, 1.383577518672690e+02, -3.066479806614716e+01, 2.506628277459239e+00};
  static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02, 6.680131188771972e+01, -1.328068155288572e+01};
  static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00, -2.549732539343734e+00, 4.374664141464968e+00, 2.938163982698783e+00};
  static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00};
  double x, q;
  if (p < 0.02425 || p > 1 - 0.02425) {
    q = sqrt(-2 * log(p < 0.5 ? p : 1 - p));
    x = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) / ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
    if (p > 0.5) x = -x;
  } else {
    q = p - 0.5;
    double r = q * q;
    x = (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q / (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
  }
  return x;
}
static double erfc_inverse_tiny(double logarithm);
/* Near zero, where erf keeps its digits. */
static double erf_inverse_small(double x) {
  double y = quantile_start((x + 1) / 2) * 0.70710678118654752440;
  for (int i = 0; i < 3; i++) y -= (erf(y) - x) / (1.12837916709551257390 * exp(-y * y));
  return x == 0 ? x : y;
}
/* Refined by two steps of Halley against erfc. */
double normal_quantile(double p) {
  if (!(p > 0 && p < 1)) return p == 0 ? -__builtin_inf() : p == 1 ? __builtin_inf() : __builtin_nan("");
  if (p < 1e-290) return erfc_inverse_tiny(log(p) + 0.69314718055994530942) * -1.41421356237309504880;
  if (p > 0.25 && p < 0.75) return erf_inverse_small(2 * (p - 0.5)) * 1.41421356237309504880;
  /* Exact, and what is small keeps its digits. */
  if (p > 0.5) return -normal_quantile(1 - p);
  double x = quantile_start(p);
  for (int i = 0; i < 2; i++) {
    double e = 0.5 * erfc(-x * 0.70710678118654752440) - p, u = e * 2.50662827463100050242 * exp(x * x / 2);
    x -= u / (1 + x * u / 2);
  }
  return x;
}
double erf_inverse(double x);
double erfc_scaled(double x);
/* By its logarithm, where erfc itself is subnormal. */
static double erfc_inverse_tiny(double logarithm) {
  double y = sqrt(-logarithm);
  for (int i = 0; i < 5; i++) {
    double scaled = erfc_scaled(y);
    y += (-y * y + log(scaled) - logarithm) * scaled * 0.88622692545275801365;
  }
  return y;
}
double erfc_inverse(double x) {
  if (x < 0 || x > 2 || x != x) return __builtin_nan("");
  if (x > 0 && x < 1e-290) return erfc_inverse_tiny(log(x));
  if (x > 0.5 && x < 1.5) return erf_inverse_small(1 - x);
  if (x > 1) return -erfc_inverse(2 - x);
  return x == 0 ? __builtin_inf() : -normal_quantile(x / 2) * 0.70710678118654752440;
}
double erf_inverse(double x) {
  if (__builtin_fabs(x) > 0.5) return x > 0 ? erfc_inverse(1 - x) : -erfc_inverse(1 + x);
  return erf_inverse_small(x);
}
double expm1(double);
double tanh_exact(double x) {
  double a = __builtin_fabs(x);
  if (a != a || a < 0x1p-28) return x;
  if (a > 22) return __builtin_copysign(1.0, x);
  /* The sum's rounding error goes into the quotient. */
  double t = expm1(2 * a), s = t + 2, error = t < 2 ? t - (s - 2) : 2 - (s - t), q = t / s;
  return __builtin_copysign(q + (fma(-q, s, t) - q * error) / s, x);
}
/* The sum of squares, scaled so that the largest is below 1 and in two parts; the scale's exponent. */
static double squares(const double *x, double *low, s32 *exponent) {
  double most = 0, sum = 0;
  for (u32 i = 0; i < 4; i++) most = __builtin_fabs(x[i]) > most ? __builtin_fabs(x[i]) : most;
  significand(most, exponent);
  *low = 0;
  for (u32 i = 0; i < 4; i++) {
    double y = ldexp_double(x[i], (u32)-*exponent), p = y * y, next = sum + p;
    *low += fma(y, y, -p) + sum_error(sum, p, next);
    sum = next;
  }
  return sum;
}
/* Any infinity wins, over NaN too. */
static u32 any_infinite(const double *x) { return INFINITE(x[0]) || INFINITE(x[1]) || INFINITE(x[2]) || INFINITE(x[3]); }
double norm_of(double a, double b, double c, double d) {
  double x[4] = {a, b, c, d}, low;
  s32 exponent;
  if (any_infinite(x)) return __builtin_inf();
  double sum = squares(x, &low, &exponent), r = sqrt(sum);
  if (!(sum > 0)) return sum;
  return ldexp_double(r + (fma(-r, r, sum) + low) / (2 * r), (u32)exponent);
}
double reciprocal_norm(double a, double b, double c, double d) {
  double x[4] = {a, b, c, d}, low;
  s32 exponent;
  if (any_infinite(x)) return 0;
  double sum = squares(x, &low, &exponent), r = 1 / sqrt(sum);
  if (!(sum > 0)) return r;
  double t = r * r, rest = fma(-sum, t, 1) - sum * fma(r, r, -t) - low * t;
  return ldexp_double(r + 0.5 * r * rest, (u32)-exponent);
}
double erfc_scaled(double x) {
  if (x < 25) {
    double square = x * x;
    if (square > 800) return __builtin_inf();
    return exp(square) * erfc(x) * (1 + fma(x, x, -square));
  }
  double y = 1 / (x * x);
  return 0.56418958354775628695 / x * (1 - y / 2 * (1 - 1.5 * y * (1 - 2.5 * y * (1 - 3.5 * y * (1 - 4.5 * y * (1 - 5.5 * y))))));
}
/* Power series; all terms are positive. They are kept in two parts each, or their errors would add up over hundreds of them. */
static double bessel_series(double x, u32 order) {
  double square = x * x / 4, low = fma(x, x, -4 * square) / 4, term = order ? x / 2 : 1, rest = 0, sum = term, lost = 0;
  for (int k = 1; k < 1000 && __builtin_fabs(term) > __builtin_fabs(sum) * 1e-17; k++) {
    double by = (double)k * (k + (s32)order), p = term * square, error = fma(term, square, -p) + term * low + rest * square;
    double next = p / by;
    rest = (fma(-next, by, p) + error) / by;
    term = next;
    double before = sum;
    sum += term;
    lost += sum_error(before, term, sum) + rest;
  }
  return INFINITE(sum) ? sum : sum + lost;
}
double bessel_i0(double x) { return bessel_series(x, 0); }
double bessel_i1(double x) { return bessel_series(x, 1); }
u32 remainder_quotient(double x, double y) {
  double r = remainder(x, y);
  double q = fmod(__builtin_rint((x - r) / y), 8.0);
  return (u32)(s32)q;
}

/* ---- what LLVM calls for 128-bit integers ---- */
static inline u128 pair(u64 low, u64 high) { return (u128)high << 64 | low; }
u128 __multi3(u128 a, u128 b) {
  u64 al = (u32)(u64)a, ah = (u64)a >> 32, bl = (u32)(u64)b, bh = (u64)b >> 32;
  u64 low = al * bl, m1 = ah * bl, m2 = al * bh, middle = (low >> 32) + (u32)m1 + (u32)m2;
  u64 high = ah * bh + (m1 >> 32) + (m2 >> 32) + (middle >> 32);
  return pair(middle << 32 | (u32)low, high + (u64)(a >> 64) * (u64)b + (u64)a * (u64)(b >> 64));
}
u128 __ashlti3(u128 a, u32 n) {
  u64 low = a, high = a >> 64;
  n &= 127;
  return n == 0 ? a : n >= 64 ? pair(0, low << (n - 64)) : pair(low << n, high << n | low >> (64 - n));
}
u128 __lshrti3(u128 a, u32 n) {
  u64 low = a, high = a >> 64;
  n &= 127;
  return n == 0 ? a : n >= 64 ? pair(high >> (n - 64), 0) : pair(low >> n | high << (64 - n), high >> n);
}
u128 __ashrti3(u128 a, u32 n) {
  u64 low = a, high = a >> 64, sign = (u64)((s64)high >> 63);
  n &= 127;
  return n == 0 ? a : n >= 64 ? pair((u64)((s64)high >> (n - 64)), sign) : pair(low >> n | high << (64 - n), (u64)((s64)high >> n));
}
