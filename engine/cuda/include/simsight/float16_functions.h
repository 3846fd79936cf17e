/*
 * What __half and __nv_bfloat16 have in common, written once. cuda_fp16.h and cuda_bf16.h include this file after they
 * defined __H and __H2 (the types), __HS and __HV (Clang's scalar and pair, device only), __H_ROUND (bits of a double
 * rounded to nearest) and __H_FLOAT (value of bits). On the device, arithmetic is LLVM's on half and bfloat; the host
 * computes in double, which is wide enough that rounding twice cannot differ from rounding once.
 */

__SIMSIGHT_HD __H __simsight_make(__H *, unsigned short bits) {
  __H h;
  __builtin_memcpy(&h, &bits, 2);
  return h;
}
#define __H_BITS(...) __simsight_make((__H *)0, (unsigned short)(__VA_ARGS__))
__SIMSIGHT_HD unsigned short __simsight_bits(__H h) { return __builtin_bit_cast(unsigned short, h); }
__SIMSIGHT_HD unsigned int __simsight_bits(__H2 h) { return __builtin_bit_cast(unsigned int, h); }

#ifdef __CUDA_ARCH__
__SIMSIGHT_HD __HS __simsight_scalar(__H h) { return __builtin_bit_cast(__HS, h); }
__SIMSIGHT_HD __HV __simsight_pair(__H2 h) { return __builtin_bit_cast(__HV, h); }
__SIMSIGHT_HD __H __simsight_back(__HS s) { return __builtin_bit_cast(__H, s); }
__SIMSIGHT_HD __H2 __simsight_back(__HV v) { return __builtin_bit_cast(__H2, v); }
__SIMSIGHT_HD float __simsight_float(__H h) { return (float)__simsight_scalar(h); }
__SIMSIGHT_HD __H __simsight_nearest(__H *, float f) { return __simsight_back((__HS)f); }
#else
__SIMSIGHT_HD float __simsight_float(__H h) { return __H_FLOAT(__simsight_bits(h)); }
__SIMSIGHT_HD __H __simsight_nearest(__H *, float f) { return __H_BITS(__H_ROUND(f)); }
#endif
#define __H_NEAREST(...) __simsight_nearest((__H *)0, (__VA_ARGS__))

/* ---- arithmetic ---- */
#ifdef __CUDA_ARCH__
#define __SIMSIGHT_BINARY(name, name2, op)                                                                             \
  __SIMSIGHT_HD __H name(__H a, __H b) { return __simsight_back((__HS)(__simsight_scalar(a) op __simsight_scalar(b))); } \
  __SIMSIGHT_HD __H2 name2(__H2 a, __H2 b) { return __simsight_back((__HV)(__simsight_pair(a) op __simsight_pair(b))); }
#else
#define __SIMSIGHT_BINARY(name, name2, op)                                                                             \
  __SIMSIGHT_HD __H name(__H a, __H b) {                                                                               \
    return __H_BITS(__H_ROUND((double)__simsight_float(a) op (double)__simsight_float(b)));                            \
  }                                                                                                                    \
  __SIMSIGHT_HD __H2 name2(__H2 a, __H2 b) { return __H2(name(a.x, b.x), name(a.y, b.y)); }
#endif
__SIMSIGHT_BINARY(__hadd, __hadd2, +)
__SIMSIGHT_BINARY(__hsub, __hsub2, -)
__SIMSIGHT_BINARY(__hmul, __hmul2, *)
#undef __SIMSIGHT_BINARY
/* Never contracted to a multiply-add. */
#define __SIMSIGHT_SINGLE(name, name2, plain, plain2)                                                                  \
  __SIMSIGHT_HD __H name(__H a, __H b) {                                                                               \
    _Pragma("clang fp contract(off)") return __H_BITS(__simsight_bits(plain(a, b)));                                   \
  }                                                                                                                    \
  __SIMSIGHT_HD __H2 name2(__H2 a, __H2 b) {                                                                           \
    _Pragma("clang fp contract(off)") return __H2(name(a.x, b.x), name(a.y, b.y));                                     \
  }
#ifdef __CUDA_ARCH__
#undef __SIMSIGHT_SINGLE
#define __SIMSIGHT_SINGLE(name, name2, op, unused)                                                                     \
  __SIMSIGHT_HD __H name(__H a, __H b) {                                                                               \
    _Pragma("clang fp contract(off)") return __simsight_back((__HS)(__simsight_scalar(a) op __simsight_scalar(b)));    \
  }                                                                                                                    \
  __SIMSIGHT_HD __H2 name2(__H2 a, __H2 b) {                                                                           \
    _Pragma("clang fp contract(off)") return __simsight_back((__HV)(__simsight_pair(a) op __simsight_pair(b)));        \
  }
__SIMSIGHT_SINGLE(__hadd_rn, __hadd2_rn, +, +)
__SIMSIGHT_SINGLE(__hsub_rn, __hsub2_rn, -, -)
__SIMSIGHT_SINGLE(__hmul_rn, __hmul2_rn, *, *)
#else
__SIMSIGHT_SINGLE(__hadd_rn, __hadd2_rn, __hadd, __hadd2)
__SIMSIGHT_SINGLE(__hsub_rn, __hsub2_rn, __hsub, __hsub2)
__SIMSIGHT_SINGLE(__hmul_rn, __hmul2_rn, __hmul, __hmul2)
#endif
#undef __SIMSIGHT_SINGLE

__SIMSIGHT_HD __H __hneg(__H a) { return __H_BITS(__simsight_bits(a) ^ 0x8000); }
__SIMSIGHT_HD __H __habs(__H a) { return __H_BITS(__simsight_bits(a) & 0x7fff); }
__SIMSIGHT_HD __H2 __hneg2(__H2 a) { return __builtin_bit_cast(__H2, __simsight_bits(a) ^ 0x80008000u); }
__SIMSIGHT_HD __H2 __habs2(__H2 a) { return __builtin_bit_cast(__H2, __simsight_bits(a) & 0x7fff7fffu); }
/* The quotient of the floats, rounded: correctly rounded, since float has more than twice the bits. */
__SIMSIGHT_HD __H __hdiv(__H a, __H b) { return __H_NEAREST(__simsight_float(a) / __simsight_float(b)); }
__SIMSIGHT_HD __H2 __h2div(__H2 a, __H2 b) { return __H2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }

__SIMSIGHT_HD __H __hfma(__H a, __H b, __H c) {
#ifdef __CUDA_ARCH__
  return __simsight_back(__builtin_elementwise_fma(__simsight_scalar(a), __simsight_scalar(b), __simsight_scalar(c)));
#else
  return __H_BITS(__H_ROUND((double)__simsight_float(a) * (double)__simsight_float(b) + (double)__simsight_float(c)));
#endif
}
__SIMSIGHT_HD __H2 __hfma2(__H2 a, __H2 b, __H2 c) {
#ifdef __CUDA_ARCH__
  return __simsight_back(__builtin_elementwise_fma(__simsight_pair(a), __simsight_pair(b), __simsight_pair(c)));
#else
  return __H2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
#endif
}

/* ---- comparisons: false for NaN, those with a `u` true ---- */
__SIMSIGHT_HD bool __hisnan(__H a) { return (__simsight_bits(a) & 0x7fff) > (__simsight_bits(__H_NEAREST(INFINITY))); }
__SIMSIGHT_HD int __hisinf(__H a) {
  const unsigned int infinity = __simsight_bits(__H_NEAREST(INFINITY)), bits = __simsight_bits(a);
  return bits == infinity ? 1 : bits == (infinity | 0x8000) ? -1 : 0;
}
#ifdef __CUDA_ARCH__
#define __SIMSIGHT_COMPARABLE(a) __simsight_scalar(a)
#else
#define __SIMSIGHT_COMPARABLE(a) __simsight_float(a)
#endif
#define __SIMSIGHT_COMPARE(name, op, inverse)                                                                          \
  __SIMSIGHT_HD bool __h##name(__H a, __H b) { return __SIMSIGHT_COMPARABLE(a) op __SIMSIGHT_COMPARABLE(b); }          \
  __SIMSIGHT_HD bool __h##name##u(__H a, __H b) { return !(__SIMSIGHT_COMPARABLE(a) inverse __SIMSIGHT_COMPARABLE(b)); } \
  __SIMSIGHT_COMPARE_PAIRS(name)                                                                                       \
  __SIMSIGHT_COMPARE_PAIRS(name##u)
#define __SIMSIGHT_COMPARE_PAIRS(name)                                                                                 \
  __SIMSIGHT_HD __H2 __h##name##2(__H2 a, __H2 b) {                                                                    \
    return __H2(__H_NEAREST(__h##name(a.x, b.x) ? 1.0f : 0.0f), __H_NEAREST(__h##name(a.y, b.y) ? 1.0f : 0.0f));       \
  }                                                                                                                    \
  __SIMSIGHT_HD unsigned int __h##name##2_mask(__H2 a, __H2 b) {                                                       \
    return (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0);                              \
  }                                                                                                                    \
  __SIMSIGHT_HD bool __hb##name##2(__H2 a, __H2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }
__SIMSIGHT_COMPARE(lt, <, >=)
__SIMSIGHT_COMPARE(le, <=, >)
__SIMSIGHT_COMPARE(gt, >, <=)
__SIMSIGHT_COMPARE(ge, >=, <)
#undef __SIMSIGHT_COMPARE
__SIMSIGHT_HD bool __heq(__H a, __H b) { return __SIMSIGHT_COMPARABLE(a) == __SIMSIGHT_COMPARABLE(b); }
__SIMSIGHT_HD bool __hneu(__H a, __H b) { return __SIMSIGHT_COMPARABLE(a) != __SIMSIGHT_COMPARABLE(b); }
__SIMSIGHT_HD bool __hequ(__H a, __H b) { return __heq(a, b) || __hisnan(a) || __hisnan(b); }
__SIMSIGHT_HD bool __hne(__H a, __H b) { return __hneu(a, b) && !__hisnan(a) && !__hisnan(b); }
__SIMSIGHT_COMPARE_PAIRS(eq)
__SIMSIGHT_COMPARE_PAIRS(ne)
__SIMSIGHT_COMPARE_PAIRS(equ)
__SIMSIGHT_COMPARE_PAIRS(neu)
#undef __SIMSIGHT_COMPARE_PAIRS
#undef __SIMSIGHT_COMPARABLE
__SIMSIGHT_HD __H2 __hisnan2(__H2 a) {
  return __H2(__H_NEAREST(__hisnan(a.x) ? 1.0f : 0.0f), __H_NEAREST(__hisnan(a.y) ? 1.0f : 0.0f));
}

/* ---- minimum and maximum: the number if one is NaN; `_nan`: NaN ---- */
#ifdef __CUDA_ARCH__
#define __SIMSIGHT_EXTREME(name, number, nan, op)                                                                      \
  __SIMSIGHT_HD __H __h##name(__H a, __H b) {                                                                          \
    return __simsight_back(__builtin_elementwise_##number(__simsight_scalar(a), __simsight_scalar(b)));                \
  }                                                                                                                    \
  __SIMSIGHT_HD __H __h##name##_nan(__H a, __H b) {                                                                    \
    return __simsight_back(__builtin_elementwise_##nan(__simsight_scalar(a), __simsight_scalar(b)));                   \
  }                                                                                                                    \
  __SIMSIGHT_HD __H2 __h##name##2(__H2 a, __H2 b) {                                                                    \
    return __simsight_back(__builtin_elementwise_##number(__simsight_pair(a), __simsight_pair(b)));                    \
  }                                                                                                                    \
  __SIMSIGHT_HD __H2 __h##name##2_nan(__H2 a, __H2 b) {                                                                \
    return __simsight_back(__builtin_elementwise_##nan(__simsight_pair(a), __simsight_pair(b)));                       \
  }
#else
#define __SIMSIGHT_EXTREME(name, number, nan, op)                                                                      \
  __SIMSIGHT_HD __H __h##name(__H a, __H b) {                                                                          \
    if (__hisnan(a)) return __hisnan(b) ? __H_BITS(0x7fff) : b;                                                        \
    if (__hisnan(b)) return a;                                                                                         \
    const float x = __simsight_float(a), y = __simsight_float(b);                                                      \
    if (x == y) return (__simsight_bits(a) op __simsight_bits(b)) ? b : a; /* zeros of both signs */                   \
    return (x op y) ? a : b;                                                                                           \
  }                                                                                                                    \
  __SIMSIGHT_HD __H __h##name##_nan(__H a, __H b) {                                                                    \
    return __hisnan(a) || __hisnan(b) ? __H_BITS(0x7fff) : __h##name(a, b);                                            \
  }                                                                                                                    \
  __SIMSIGHT_HD __H2 __h##name##2(__H2 a, __H2 b) { return __H2(__h##name(a.x, b.x), __h##name(a.y, b.y)); }           \
  __SIMSIGHT_HD __H2 __h##name##2_nan(__H2 a, __H2 b) {                                                                \
    return __H2(__h##name##_nan(a.x, b.x), __h##name##_nan(a.y, b.y));                                                 \
  }
#endif
__SIMSIGHT_EXTREME(min, minnum, minimum, <)
__SIMSIGHT_EXTREME(max, maxnum, maximum, >)
#undef __SIMSIGHT_EXTREME

/* Between 0 and 1; NaN becomes 0. `relu`: not below 0, NaN stays. */
__SIMSIGHT_HD __H __simsight_saturate(__H a) { return __hmin(__hmax(a, __H_BITS(0)), __H_NEAREST(1.0f)); }
__SIMSIGHT_HD __H2 __simsight_saturate(__H2 a) { return __H2(__simsight_saturate(a.x), __simsight_saturate(a.y)); }
__SIMSIGHT_HD __H __simsight_relu(__H a) { return __hmax_nan(a, __H_BITS(0)); }
__SIMSIGHT_HD __H2 __simsight_relu(__H2 a) { return __H2(__simsight_relu(a.x), __simsight_relu(a.y)); }
__SIMSIGHT_HD __H __hadd_sat(__H a, __H b) { return __simsight_saturate(__hadd(a, b)); }
__SIMSIGHT_HD __H __hsub_sat(__H a, __H b) { return __simsight_saturate(__hsub(a, b)); }
__SIMSIGHT_HD __H __hmul_sat(__H a, __H b) { return __simsight_saturate(__hmul(a, b)); }
__SIMSIGHT_HD __H __hfma_sat(__H a, __H b, __H c) { return __simsight_saturate(__hfma(a, b, c)); }
__SIMSIGHT_HD __H __hfma_relu(__H a, __H b, __H c) { return __simsight_relu(__hfma(a, b, c)); }
__SIMSIGHT_HD __H2 __hadd2_sat(__H2 a, __H2 b) { return __simsight_saturate(__hadd2(a, b)); }
__SIMSIGHT_HD __H2 __hsub2_sat(__H2 a, __H2 b) { return __simsight_saturate(__hsub2(a, b)); }
__SIMSIGHT_HD __H2 __hmul2_sat(__H2 a, __H2 b) { return __simsight_saturate(__hmul2(a, b)); }
__SIMSIGHT_HD __H2 __hfma2_sat(__H2 a, __H2 b, __H2 c) { return __simsight_saturate(__hfma2(a, b, c)); }
__SIMSIGHT_HD __H2 __hfma2_relu(__H2 a, __H2 b, __H2 c) { return __simsight_relu(__hfma2(a, b, c)); }
/* Complex multiply-add. */
__SIMSIGHT_HD __H2 __hcmadd(__H2 a, __H2 b, __H2 c) {
  return __H2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}

/* ---- math: in float, rounded; on the device through the fast functions, as on hardware ---- */
#ifdef __CUDA_ARCH__
#define __SIMSIGHT_FAST(name) ::__##name
#else
#define __SIMSIGHT_FAST(name) ::name
#endif
#define __SIMSIGHT_UNARY(name, expression)                                                                             \
  __SIMSIGHT_HD __H h##name(__H h) {                                                                                   \
    const float x = __simsight_float(h);                                                                               \
    return __H_NEAREST(expression);                                                                                    \
  }                                                                                                                    \
  __SIMSIGHT_HD __H2 h2##name(__H2 h) { return __H2(h##name(h.x), h##name(h.y)); }
__SIMSIGHT_UNARY(exp, __SIMSIGHT_FAST(expf)(x))
__SIMSIGHT_UNARY(exp2, ::exp2f(x))
__SIMSIGHT_UNARY(exp10, ::exp2f(x * 3.3219280948873623f))
__SIMSIGHT_UNARY(log, __SIMSIGHT_FAST(logf)(x))
__SIMSIGHT_UNARY(log2, __SIMSIGHT_FAST(log2f)(x))
__SIMSIGHT_UNARY(log10, __SIMSIGHT_FAST(log10f)(x))
__SIMSIGHT_UNARY(sin, ::sinf(x))
__SIMSIGHT_UNARY(cos, ::cosf(x))
__SIMSIGHT_UNARY(tanh, ::tanhf(x))
__SIMSIGHT_UNARY(tanh_approx, ::tanhf(x))
__SIMSIGHT_UNARY(sqrt, ::sqrtf(x))
#ifdef __CUDA_ARCH__
__SIMSIGHT_UNARY(rsqrt, ::rsqrtf(x))
#else
__SIMSIGHT_UNARY(rsqrt, 1.0f / ::sqrtf(x))
#endif
__SIMSIGHT_UNARY(rcp, 1.0f / x)
__SIMSIGHT_UNARY(floor, ::floorf(x))
__SIMSIGHT_UNARY(ceil, ::ceilf(x))
__SIMSIGHT_UNARY(trunc, ::truncf(x))
__SIMSIGHT_UNARY(rint, ::rintf(x))
#undef __SIMSIGHT_UNARY
#undef __SIMSIGHT_FAST

/* ---- operators ---- */
#define __SIMSIGHT_OPERATOR(op, name)                                                                                  \
  __SIMSIGHT_HD __H operator op(const __H &a, const __H &b) { return __h##name(a, b); }                                \
  __SIMSIGHT_HD __H &operator op##=(__H &a, const __H &b) { return a = __h##name(a, b); }
__SIMSIGHT_OPERATOR(+, add)
__SIMSIGHT_OPERATOR(-, sub)
__SIMSIGHT_OPERATOR(*, mul)
__SIMSIGHT_OPERATOR(/, div)
#undef __SIMSIGHT_OPERATOR
#define __SIMSIGHT_OPERATOR(op, name)                                                                                  \
  __SIMSIGHT_HD __H2 operator op(const __H2 &a, const __H2 &b) { return name(a, b); }                                  \
  __SIMSIGHT_HD __H2 &operator op##=(__H2 &a, const __H2 &b) { return a = name(a, b); }
__SIMSIGHT_OPERATOR(+, __hadd2)
__SIMSIGHT_OPERATOR(-, __hsub2)
__SIMSIGHT_OPERATOR(*, __hmul2)
__SIMSIGHT_OPERATOR(/, __h2div)
#undef __SIMSIGHT_OPERATOR
#define __SIMSIGHT_OPERATOR(op, name)                                                                                  \
  __SIMSIGHT_HD bool operator op(const __H &a, const __H &b) { return __h##name(a, b); }                               \
  __SIMSIGHT_HD bool operator op(const __H2 &a, const __H2 &b) { return __hb##name##2(a, b); }
__SIMSIGHT_OPERATOR(==, eq)
__SIMSIGHT_OPERATOR(!=, neu)
__SIMSIGHT_OPERATOR(<, lt)
__SIMSIGHT_OPERATOR(>, gt)
__SIMSIGHT_OPERATOR(<=, le)
__SIMSIGHT_OPERATOR(>=, ge)
#undef __SIMSIGHT_OPERATOR
__SIMSIGHT_HD __H operator+(const __H &a) { return a; }
__SIMSIGHT_HD __H operator-(const __H &a) { return __hneg(a); }
__SIMSIGHT_HD __H &operator++(__H &a) { return a = __hadd(a, __H_NEAREST(1.0f)); }
__SIMSIGHT_HD __H &operator--(__H &a) { return a = __hsub(a, __H_NEAREST(1.0f)); }
__SIMSIGHT_HD __H operator++(__H &a, int) {
  const __H before = a;
  ++a;
  return before;
}
__SIMSIGHT_HD __H operator--(__H &a, int) {
  const __H before = a;
  --a;
  return before;
}
__SIMSIGHT_HD __H2 operator+(const __H2 &a) { return a; }
__SIMSIGHT_HD __H2 operator-(const __H2 &a) { return __hneg2(a); }
__SIMSIGHT_HD __H2 &operator++(__H2 &a) { return a = __hadd2(a, __H2(__H_NEAREST(1.0f), __H_NEAREST(1.0f))); }
__SIMSIGHT_HD __H2 &operator--(__H2 &a) { return a = __hsub2(a, __H2(__H_NEAREST(1.0f), __H_NEAREST(1.0f))); }

#ifdef __CUDA__
/* ---- warps and memory, as the integers of their size ---- */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 320
#define __SIMSIGHT_SHUFFLE(name, operand)                                                                              \
  __SIMSIGHT_D __H name(unsigned int mask, __H value, operand, int width = warpSize) {                                 \
    return __H_BITS(name(mask, (unsigned int)__simsight_bits(value), argument, width));                                \
  }                                                                                                                    \
  __SIMSIGHT_D __H2 name(unsigned int mask, __H2 value, operand, int width = warpSize) {                               \
    return __builtin_bit_cast(__H2, name(mask, __simsight_bits(value), argument, width));                              \
  }
__SIMSIGHT_SHUFFLE(__shfl_sync, int argument)
__SIMSIGHT_SHUFFLE(__shfl_up_sync, unsigned int argument)
__SIMSIGHT_SHUFFLE(__shfl_down_sync, unsigned int argument)
__SIMSIGHT_SHUFFLE(__shfl_xor_sync, int argument)
#undef __SIMSIGHT_SHUFFLE
#define __SIMSIGHT_LOAD(name)                                                                                          \
  __SIMSIGHT_D __H name(const __H *p) { return __H_BITS(name((const unsigned short *)p)); }                            \
  __SIMSIGHT_D __H2 name(const __H2 *p) { return __builtin_bit_cast(__H2, name((const unsigned int *)p)); }
__SIMSIGHT_LOAD(__ldg)
__SIMSIGHT_LOAD(__ldcg)
__SIMSIGHT_LOAD(__ldca)
__SIMSIGHT_LOAD(__ldcs)
__SIMSIGHT_LOAD(__ldcv)
__SIMSIGHT_LOAD(__ldlu)
#undef __SIMSIGHT_LOAD
#define __SIMSIGHT_STORE(name)                                                                                         \
  __SIMSIGHT_D void name(__H *p, __H value) { name((unsigned short *)p, __simsight_bits(value)); }                     \
  __SIMSIGHT_D void name(__H2 *p, __H2 value) { name((unsigned int *)p, __simsight_bits(value)); }
__SIMSIGHT_STORE(__stwb)
__SIMSIGHT_STORE(__stcg)
__SIMSIGHT_STORE(__stcs)
__SIMSIGHT_STORE(__stwt)
#undef __SIMSIGHT_STORE
#endif
#ifdef __CUDA_ARCH__
__SIMSIGHT_D __H atomicAdd(__H *address, __H value) {
  return __simsight_back(__scoped_atomic_fetch_add((__HS *)address, __simsight_scalar(value), __ATOMIC_RELAXED,
                                                   __MEMORY_SCOPE_DEVICE));
}
/* Each half of the pair is atomic by itself: that is all that CUDA promises. */
__SIMSIGHT_D __H2 atomicAdd(__H2 *address, __H2 value) {
  const __H x = atomicAdd(&address->x, value.x), y = atomicAdd(&address->y, value.y);
  return __H2(x, y);
}
#else
__device__ __H atomicAdd(__H *address, __H value);
__device__ __H2 atomicAdd(__H2 *address, __H2 value);
#endif
#endif
