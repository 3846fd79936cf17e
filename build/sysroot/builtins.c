/*
 * Arithmetic that Clang calls functions for: integers of 128 bits, and `long double`, which is IEEE 754's binary128 here. Results are
 * rounded to the nearest, ties to even. Names are those of libgcc and compiler-rt.
 */
#include <stdint.h>

typedef __int128 ti;
typedef unsigned __int128 uti;
typedef long double tf;

/* Integers. The first ones cannot use what they are for. */

typedef union {
  ti all;
  struct {
    uint64_t low, high;
  };
} Halves;

ti __multi3(ti a, ti b) {
  const Halves x = {a}, y = {b};
  const uint64_t mask = 0xffffffff;
  const uint64_t ll = (x.low & mask) * (y.low & mask), lh = (x.low & mask) * (y.low >> 32);
  const uint64_t hl = (x.low >> 32) * (y.low & mask), hh = (x.low >> 32) * (y.low >> 32);
  const uint64_t middle = (ll >> 32) + (lh & mask) + (hl & mask);
  Halves result;
  result.low = (ll & mask) | middle << 32;
  result.high = hh + (lh >> 32) + (hl >> 32) + (middle >> 32) + x.low * y.high + x.high * y.low;
  return result.all;
}

ti __ashlti3(ti a, int by) {
  Halves x = {a};
  if (by & 64) x.high = x.low << (by & 63), x.low = 0;
  else if (by) x.high = x.high << by | x.low >> (64 - by), x.low <<= by;
  return x.all;
}

ti __lshrti3(ti a, int by) {
  Halves x = {a};
  if (by & 64) x.low = x.high >> (by & 63), x.high = 0;
  else if (by) x.low = x.low >> by | x.high << (64 - by), x.high >>= by;
  return x.all;
}

ti __ashrti3(ti a, int by) {
  Halves x = {a};
  const uint64_t sign = (uint64_t)((int64_t)x.high >> 63);
  if (by & 64) x.low = (uint64_t)((int64_t)x.high >> (by & 63)), x.high = sign;
  else if (by) x.low = x.low >> by | x.high << (64 - by), x.high = (uint64_t)((int64_t)x.high >> by);
  return x.all;
}

static int leadingZeros(uti a) {
  const uint64_t high = a >> 64;
  return high ? __builtin_clzll(high) : (uint64_t)a ? 64 + __builtin_clzll((uint64_t)a) : 128;
}

uti __udivmodti4(uti a, uti b, uti *rest) {
  uti quotient = 0;
  if (!(a >> 64) && !(b >> 64)) {
    if (rest) *rest = (uint64_t)a % (uint64_t)b;
    return (uint64_t)a / (uint64_t)b;
  }
  if (!b) __builtin_trap();
  if (a >= b) {
    int shift = leadingZeros(b) - leadingZeros(a);
    for (uti by = b << shift; shift >= 0; shift--, by >>= 1) {
      quotient <<= 1;
      if (a >= by) a -= by, quotient |= 1;
    }
  }
  if (rest) *rest = a;
  return quotient;
}

uti __udivti3(uti a, uti b) { return __udivmodti4(a, b, 0); }
uti __umodti3(uti a, uti b) {
  uti rest;
  __udivmodti4(a, b, &rest);
  return rest;
}
ti __divti3(ti a, ti b) {
  const uti quotient = __udivmodti4(a < 0 ? -(uti)a : a, b < 0 ? -(uti)b : b, 0);
  return (a < 0) != (b < 0) ? -quotient : quotient;
}
ti __modti3(ti a, ti b) {
  uti rest;
  __udivmodti4(a < 0 ? -(uti)a : a, b < 0 ? -(uti)b : b, &rest);
  return a < 0 ? -rest : rest;
}
ti __muloti4(ti a, ti b, int *overflow) {
  const ti product = (uti)a * (uti)b;
  const ti lowest = (ti)((uti)1 << 127);
  *overflow = a && ((a == -1 && b == lowest) || product / a != b);
  return product;
}
ti __negti2(ti a) { return -(uti)a; }
int __popcountti2(ti a) { return __builtin_popcountll((uint64_t)a) + __builtin_popcountll((uint64_t)((uti)a >> 64)); }
int __clzti2(ti a) { return leadingZeros(a); }
int __ctzti2(ti a) { return (uint64_t)a ? __builtin_ctzll((uint64_t)a) : 64 + __builtin_ctzll((uint64_t)((uti)a >> 64)); }

/* Binary floating point in general: `bits` of significand after the point, exponents biased by `bias`. */

enum { infinite = 0x7fff, bias = 16383, fraction = 112 };
#define one ((uti)1)
#define hidden (one << fraction)
#define signBit (one << 127)
#define quiet (one << (fraction - 1))

typedef union {
  tf value;
  uti bits;
} Quad;

static uti bitsOf(tf a) { return ((Quad){a}).bits; }
static tf quadOf(uti bits) {
  Quad result;
  result.bits = bits;
  return result.value;
}
static int exponentOf(uti a) { return (int)(a >> fraction) & infinite; }
static int isNaN(uti a) { return (a & ~signBit) > (uti)infinite << fraction; }

/* Three more bits than a significand has, the last of which says if anything was below it. */
static uti sticky(uti a, int by) {
  if (by <= 0) return a;
  if (by > 127) return a != 0;
  return a >> by | ((a & ((one << by) - 1)) != 0);
}

/* A significand with three bits more (hidden bit at 115), rounded; `exponent` may be too small or too large. */
static tf rounded(uti sign, int exponent, uti significand) {
  if (exponent >= infinite) return quadOf(sign | (uti)infinite << fraction);
  if (exponent <= 0) {
    significand = sticky(significand, 1 - exponent);
    exponent = 0;
  }
  const int rest = (int)significand & 7;
  uti result = significand >> 3;
  if (exponent > 0) result = (result & (hidden - 1)) | (uti)exponent << fraction;
  if (rest > 4 || (rest == 4 && result & 1)) result++;
  return quadOf(sign | result);
}

/* Significand with its hidden bit at 112, and exponent, of what is neither zero nor infinite. */
static uti normal(uti a, int *exponent) {
  uti significand = a & (hidden - 1);
  *exponent = exponentOf(a);
  if (*exponent) return significand | hidden;
  const int shift = leadingZeros(significand) - 15;
  *exponent = 1 - shift;
  return significand << shift;
}

tf __addtf3(tf x, tf y) {
  uti a = bitsOf(x), b = bitsOf(y);
  if (isNaN(a)) return quadOf(a | quiet);
  if (isNaN(b)) return quadOf(b | quiet);
  if ((a & ~signBit) < (b & ~signBit)) {
    const uti swapped = a;
    a = b, b = swapped;
  }
  const uti sign = a & signBit;
  const int subtracts = ((a ^ b) & signBit) != 0;
  if (exponentOf(a) == infinite) return subtracts && exponentOf(b) == infinite ? quadOf((uti)infinite << fraction | quiet) : quadOf(a);
  if (!(b & ~signBit)) return quadOf(a & ~signBit ? a : a & b);
  int exponentA, exponentB;
  uti large = normal(a, &exponentA) << 3, small = normal(b, &exponentB) << 3;
  small = sticky(small, exponentA - exponentB);
  if (subtracts) {
    large -= small;
    if (!large) return quadOf(0);
    const int shift = leadingZeros(large) - 12;
    large <<= shift;
    exponentA -= shift;
  } else {
    large += small;
    if (large >> 116) large = sticky(large, 1), exponentA++;
  }
  return rounded(sign, exponentA, large);
}
tf __negtf2(tf a) { return quadOf(bitsOf(a) ^ signBit); }
tf __subtf3(tf a, tf b) { return __addtf3(a, quadOf(bitsOf(b) ^ signBit)); }

tf __multf3(tf x, tf y) {
  const uti a = bitsOf(x), b = bitsOf(y), sign = (a ^ b) & signBit;
  if (isNaN(a)) return quadOf(a | quiet);
  if (isNaN(b)) return quadOf(b | quiet);
  const int isZero = !(a & ~signBit) || !(b & ~signBit);
  if (exponentOf(a) == infinite || exponentOf(b) == infinite)
    return quadOf(isZero ? (uti)infinite << fraction | quiet : sign | (uti)infinite << fraction);
  if (isZero) return quadOf(sign);
  int exponentA, exponentB;
  const uti p = normal(a, &exponentA), q = normal(b, &exponentB);
  const uint64_t p0 = p, p1 = p >> 64, q0 = q, q1 = q >> 64;
  const uti low = (uti)p0 * q0, middle = (uti)p0 * q1 + (low >> 64), other = (uti)p1 * q0 + (uint64_t)middle;
  const uti high = (uti)p1 * q1 + (middle >> 64) + (other >> 64);
  /* 226 bits at most: `high` has those from 128 on, the hidden bit is at 224 or 225. */
  const uti rest = other << 64 | (uint64_t)low;
  int exponent = exponentA + exponentB - bias;
  uti significand = high << 19 | rest >> 109 | ((rest & ((one << 109) - 1)) != 0);
  if (significand >> 116) significand = sticky(significand, 1), exponent++;
  return rounded(sign, exponent, significand);
}

tf __divtf3(tf x, tf y) {
  const uti a = bitsOf(x), b = bitsOf(y), sign = (a ^ b) & signBit;
  if (isNaN(a)) return quadOf(a | quiet);
  if (isNaN(b)) return quadOf(b | quiet);
  const int isInfiniteA = exponentOf(a) == infinite, isInfiniteB = exponentOf(b) == infinite;
  const int isZeroA = !(a & ~signBit), isZeroB = !(b & ~signBit);
  if ((isInfiniteA && isInfiniteB) || (isZeroA && isZeroB)) return quadOf((uti)infinite << fraction | quiet);
  if (isInfiniteA || isZeroB) return quadOf(sign | (uti)infinite << fraction);
  if (isZeroA || isInfiniteB) return quadOf(sign);
  int exponentA, exponentB;
  uti rest = normal(a, &exponentA), by = normal(b, &exponentB), quotient = 0;
  int exponent = exponentA - exponentB + bias;
  if (rest < by) rest <<= 1, exponent--;
  for (int bit = 0; bit < 116; bit++) {
    quotient <<= 1;
    if (rest >= by) rest -= by, quotient |= 1;
    rest <<= 1;
  }
  return rounded(sign, exponent, quotient | (rest != 0));
}

/* -1, 0, 1; `unordered` where one is not a number. */
static int compare(tf x, tf y, int unordered) {
  const uti a = bitsOf(x), b = bitsOf(y);
  if (isNaN(a) || isNaN(b)) return unordered;
  if (!((a | b) & ~signBit)) return 0;
  const int isNegativeA = (a & signBit) != 0, isNegativeB = (b & signBit) != 0;
  if (isNegativeA != isNegativeB) return isNegativeA ? -1 : 1;
  const int order = a < b ? -1 : a > b;
  return isNegativeA ? -order : order;
}
int __eqtf2(tf a, tf b) { return compare(a, b, 1); }
int __netf2(tf a, tf b) { return compare(a, b, 1); }
int __lttf2(tf a, tf b) { return compare(a, b, 1); }
int __letf2(tf a, tf b) { return compare(a, b, 1); }
int __cmptf2(tf a, tf b) { return compare(a, b, 1); }
int __gttf2(tf a, tf b) { return compare(a, b, -1); }
int __getf2(tf a, tf b) { return compare(a, b, -1); }
int __unordtf2(tf a, tf b) { return isNaN(bitsOf(a)) || isNaN(bitsOf(b)); }

/* From and to narrower formats: `width` bits, `bits` of them after the point. */
static tf widened(uint64_t a, int width, int bits) {
  const int most = (1 << (width - 1 - bits)) - 1;
  const uti sign = (uti)(a >> (width - 1)) << 127;
  uint64_t significand = a & ((1ull << bits) - 1);
  int exponent = (int)(a >> bits) & most;
  if (exponent == most) return quadOf(sign | (uti)infinite << fraction | (uti)significand << (fraction - bits) | (significand ? quiet : 0));
  if (exponent == 0) {
    if (!significand) return quadOf(sign);
    const int shift = __builtin_clzll(significand) - (63 - bits);
    significand = (significand << shift) & ((1ull << bits) - 1);
    exponent = 1 - shift;
  }
  return quadOf(sign | (uti)(exponent - most / 2 + bias) << fraction | (uti)significand << (fraction - bits));
}

static uint64_t narrowed(uti a, int width, int bits) {
  const int most = (1 << (width - 1 - bits)) - 1;
  const uint64_t sign = (uint64_t)(a >> 127) << (width - 1), limit = (uint64_t)most << bits;
  if (isNaN(a)) return sign | limit | 1ull << (bits - 1) | ((uint64_t)(a >> (fraction - bits)) & ((1ull << bits) - 1));
  int exponent = exponentOf(a);
  if (exponent == infinite) return sign | limit;
  if (!(a & ~signBit)) return sign;
  uti significand = normal(a, &exponent);
  exponent += most / 2 - bias;
  if (exponent >= most) return sign | limit;
  int shift = fraction - bits;
  if (exponent <= 0) shift += 1 - exponent, exponent = 0;
  const uti kept = sticky(significand, shift - 3);
  const int rest = (int)kept & 7;
  uint64_t result = (uint64_t)(kept >> 3);
  if (exponent > 0) result = (result & ((1ull << bits) - 1)) | (uint64_t)exponent << bits;
  if (rest > 4 || (rest == 4 && result & 1)) result++;
  return sign | result;
}

typedef union {
  double value;
  uint64_t bits;
} Double;
typedef union {
  float value;
  uint32_t bits;
} Single;

tf __extenddftf2(double a) { return widened(((Double){a}).bits, 64, 52); }
tf __extendsftf2(float a) { return widened(((Single){a}).bits, 32, 23); }
double __trunctfdf2(tf a) {
  Double result;
  result.bits = narrowed(bitsOf(a), 64, 52);
  return result.value;
}
float __trunctfsf2(tf a) {
  Single result;
  result.bits = (uint32_t)narrowed(bitsOf(a), 32, 23);
  return result.value;
}
/* `_Float16` as its bits. */
float __extendhfsf2(uint16_t a) { return __trunctfsf2(widened(a, 16, 10)); }
double __extendhfdf2(uint16_t a) { return __trunctfdf2(widened(a, 16, 10)); }
tf __extendhftf2(uint16_t a) { return widened(a, 16, 10); }
uint16_t __truncsfhf2(float a) { return (uint16_t)narrowed(bitsOf(__extendsftf2(a)), 16, 10); }
uint16_t __truncdfhf2(double a) { return (uint16_t)narrowed(bitsOf(__extenddftf2(a)), 16, 10); }
uint16_t __trunctfhf2(tf a) { return (uint16_t)narrowed(bitsOf(a), 16, 10); }
float __gnu_h2f_ieee(uint16_t a) { return __extendhfsf2(a); }
uint16_t __gnu_f2h_ieee(float a) { return __truncsfhf2(a); }

/* From and to integers; what does not fit becomes the nearest that does. */
static uti magnitude(uti a, uti most) {
  const int exponent = exponentOf(a) - bias;
  if (isNaN(a) || exponent < 0) return 0;
  if (exponent > 127) return most;
  const uti significand = (a & (hidden - 1)) | hidden;
  const uti result = exponent >= fraction ? significand << (exponent - fraction) : significand >> (fraction - exponent);
  return result > most ? most : result;
}
static ti whole(tf a, int bits) {
  const uti x = bitsOf(a), most = (one << (bits - 1)) - 1;
  return x & signBit ? -(ti)magnitude(x, most + 1) : (ti)magnitude(x, most);
}
static uti unsignedWhole(tf a, int bits) {
  const uti x = bitsOf(a);
  return x & signBit ? 0 : magnitude(x, bits == 128 ? ~(uti)0 : (one << bits) - 1);
}
int __fixtfsi(tf a) { return (int)whole(a, 32); }
long __fixtfdi(tf a) { return (long)whole(a, 64); }
ti __fixtfti(tf a) { return whole(a, 128); }
unsigned __fixunstfsi(tf a) { return (unsigned)unsignedWhole(a, 32); }
unsigned long __fixunstfdi(tf a) { return (unsigned long)unsignedWhole(a, 64); }
uti __fixunstfti(tf a) { return unsignedWhole(a, 128); }
ti __fixdfti(double a) { return whole(__extenddftf2(a), 128); }
ti __fixsfti(float a) { return whole(__extendsftf2(a), 128); }
uti __fixunsdfti(double a) { return unsignedWhole(__extenddftf2(a), 128); }
uti __fixunssfti(float a) { return unsignedWhole(__extendsftf2(a), 128); }

static tf quadOfInteger(uti a, uti sign) {
  if (!a) return quadOf(0);
  const int zeros = leadingZeros(a);
  const uti significand = zeros >= 12 ? a << (zeros - 12) : sticky(a, 12 - zeros);
  return rounded(sign, bias + 127 - zeros, significand);
}
tf __floatsitf(int a) { return quadOfInteger(a < 0 ? -(uti)a : a, a < 0 ? signBit : 0); }
tf __floatditf(long a) { return quadOfInteger(a < 0 ? -(uti)a : a, a < 0 ? signBit : 0); }
tf __floattitf(ti a) { return quadOfInteger(a < 0 ? -(uti)a : a, a < 0 ? signBit : 0); }
tf __floatunsitf(unsigned a) { return quadOfInteger(a, 0); }
tf __floatunditf(unsigned long a) { return quadOfInteger(a, 0); }
tf __floatuntitf(uti a) { return quadOfInteger(a, 0); }

/* Integers of 128 bits to narrower formats, rounded once: what is below the 64 bits that matter is one bit. */
static uti shortened(uti a) {
  const int by = 64 - leadingZeros(a);
  return by > 0 ? sticky(a, by) << by : a;
}
double __floatuntidf(uti a) { return __trunctfdf2(quadOfInteger(shortened(a), 0)); }
float __floatuntisf(uti a) { return __trunctfsf2(quadOfInteger(shortened(a), 0)); }
double __floattidf(ti a) { return a < 0 ? -__floatuntidf(-(uti)a) : __floatuntidf(a); }
float __floattisf(ti a) { return a < 0 ? -__floatuntisf(-(uti)a) : __floatuntisf(a); }

/* Powers by integers, and complex numbers (C11, Annex G). */

#define POWER(name, type)                                                                                              \
  type name(type a, int n) {                                                                                           \
    type result = 1;                                                                                                   \
    for (unsigned left = n < 0 ? -(unsigned)n : (unsigned)n; left; left >>= 1, a *= a)                                 \
      if (left & 1) result *= a;                                                                                       \
    return n < 0 ? 1 / result : result;                                                                                \
  }
POWER(__powisf2, float)
POWER(__powidf2, double)
POWER(__powitf2, tf)

/* A factor that is infinite counts as one of a unit square, and what is not a number beside it as zero. */
#define BOXED(a, b, c, d, copysign)                                                                                    \
  if (__builtin_isinf(a) || __builtin_isinf(b)) {                                                                      \
    a = copysign(__builtin_isinf(a) ? 1 : 0, a), b = copysign(__builtin_isinf(b) ? 1 : 0, b);                          \
    if (c != c) c = copysign(0, c);                                                                                    \
    if (d != d) d = copysign(0, d);                                                                                    \
    again = 1;                                                                                                         \
  }

#define COMPLEX(suffix, type, copysign, fmax, fabs, logb, scalbn)                                                      \
  type _Complex __mul##suffix(type a, type b, type c, type d) {                                                        \
    type real = a * c - b * d, imaginary = a * d + b * c;                                                              \
    if (real != real && imaginary != imaginary) {                                                                      \
      int again = 0;                                                                                                   \
      BOXED(a, b, c, d, copysign)                                                                                      \
      BOXED(c, d, a, b, copysign)                                                                                      \
      if (again) real = __builtin_inf() * (a * c - b * d), imaginary = __builtin_inf() * (a * d + b * c);              \
    }                                                                                                                  \
    type _Complex result;                                                                                              \
    __real__ result = real, __imag__ result = imaginary;                                                               \
    return result;                                                                                                     \
  }                                                                                                                    \
  type _Complex __div##suffix(type a, type b, type c, type d) {                                                        \
    int scale = 0;                                                                                                     \
    const type exponent = logb(fmax(fabs(c), fabs(d)));                                                                \
    if (__builtin_isfinite(exponent)) scale = (int)exponent, c = scalbn(c, -scale), d = scalbn(d, -scale);             \
    const type size = c * c + d * d;                                                                                   \
    type real = scalbn((a * c + b * d) / size, -scale), imaginary = scalbn((b * c - a * d) / size, -scale);            \
    if (real != real && imaginary != imaginary) {                                                                      \
      if (size == 0 && (a == a || b == b))                                                                             \
        real = copysign(__builtin_inf(), c) * a, imaginary = copysign(__builtin_inf(), c) * b;                         \
      else if ((__builtin_isinf(a) || __builtin_isinf(b)) && __builtin_isfinite(c) && __builtin_isfinite(d)) {         \
        a = copysign(__builtin_isinf(a) ? 1 : 0, a), b = copysign(__builtin_isinf(b) ? 1 : 0, b);                      \
        real = __builtin_inf() * (a * c + b * d), imaginary = __builtin_inf() * (b * c - a * d);                       \
      } else if (__builtin_isinf(exponent) && exponent > 0 && __builtin_isfinite(a) && __builtin_isfinite(b)) {        \
        c = copysign(__builtin_isinf(c) ? 1 : 0, c), d = copysign(__builtin_isinf(d) ? 1 : 0, d);                      \
        real = 0 * (a * c + b * d), imaginary = 0 * (b * c - a * d);                                                   \
      }                                                                                                                \
    }                                                                                                                  \
    type _Complex result;                                                                                              \
    __real__ result = real, __imag__ result = imaginary;                                                               \
    return result;                                                                                                     \
  }
float logbf(float), fmaxf(float, float), scalbnf(float, int), copysignf(float, float), fabsf(float);
double logb(double), fmax(double, double), scalbn(double, int), copysign(double, double), fabs(double);
tf logbl(tf), fmaxl(tf, tf), scalbnl(tf, int), copysignl(tf, tf), fabsl(tf);
COMPLEX(sc3, float, copysignf, fmaxf, fabsf, logbf, scalbnf)
COMPLEX(dc3, double, copysign, fmax, fabs, logb, scalbn)
COMPLEX(tc3, long double, copysignl, fmaxl, fabsl, logbl, scalbnl)

/*
 * Atomic operations on objects that no instruction takes: as host threads change only between calls, nothing comes in between. Clang has
 * other types for functions of these names, so they are given to them as names alone.
 */
#define NAMED(name) __asm__(#name)
void *memcpy(void *, const void *, __SIZE_TYPE__);
int memcmp(const void *, const void *, __SIZE_TYPE__);
void atomicLoad(__SIZE_TYPE__ bytes, const void *object, void *value, int order) NAMED(__atomic_load);
void atomicLoad(__SIZE_TYPE__ bytes, const void *object, void *value, int order) { memcpy(value, object, bytes); }
void atomicStore(__SIZE_TYPE__ bytes, void *object, const void *value, int order) NAMED(__atomic_store);
void atomicStore(__SIZE_TYPE__ bytes, void *object, const void *value, int order) { memcpy(object, value, bytes); }
void atomicExchange(__SIZE_TYPE__ bytes, void *object, void *value, void *before, int order) NAMED(__atomic_exchange);
void atomicExchange(__SIZE_TYPE__ bytes, void *object, void *value, void *before, int order) {
  memcpy(before, object, bytes);
  memcpy(object, value, bytes);
}
int atomicCompareExchange(__SIZE_TYPE__ bytes, void *object, void *expected, void *value, int done, int failed)
    NAMED(__atomic_compare_exchange);
int atomicCompareExchange(__SIZE_TYPE__ bytes, void *object, void *expected, void *value, int done, int failed) {
  if (memcmp(object, expected, bytes)) {
    memcpy(expected, object, bytes);
    return 0;
  }
  memcpy(object, value, bytes);
  return 1;
}
