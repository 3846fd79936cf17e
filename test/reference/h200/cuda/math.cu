// One kernel per function and number of dependent applications: counts per pipe by difference, latency by clock64.
#include <cstdio>
#include <cstdint>
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#define LIST(X) \
 X(f_add, float, x + a) X(f_div, float, a / x) X(f_divv, float, x / a) X(f_rcp, float, 1.0f / x) X(f_sqrt, float, sqrtf(x)) X(f_rsqrt, float, rsqrtf(x)) \
 X(f_exp, float, expf(x)) X(f_exp2, float, exp2f(x)) X(f_exp10, float, exp10f(x)) X(f_expm1, float, expm1f(x)) \
 X(f_log, float, logf(x)) X(f_log2, float, log2f(x)) X(f_log10, float, log10f(x)) X(f_log1p, float, log1pf(x)) \
 X(f_sin, float, sinf(x)) X(f_cos, float, cosf(x)) X(f_tan, float, tanf(x)) X(f_sinpi, float, sinpif(x)) X(f_cospi, float, cospif(x)) \
 X(f_asin, float, asinf(x)) X(f_acos, float, acosf(x)) X(f_atan, float, atanf(x)) X(f_sinh, float, sinhf(x)) X(f_cosh, float, coshf(x)) X(f_tanh, float, tanhf(x)) \
 X(f_asinh, float, asinhf(x)) X(f_acosh, float, acoshf(x + 2.0f)) X(f_atanh, float, atanhf(x)) \
 X(f_erf, float, erff(x)) X(f_erfc, float, erfcf(x)) X(f_normcdf, float, normcdff(x)) X(f_tgamma, float, tgammaf(x)) X(f_lgamma, float, lgammaf(x)) X(f_cbrt, float, cbrtf(x)) \
 X(f_pow, float, powf(x, a)) X(f_fmod, float, fmodf(x, a)) X(f_remainder, float, remainderf(x, a)) X(f_atan2, float, atan2f(x, a)) X(f_hypot, float, hypotf(x, a)) X(f_fdim, float, fdimf(x, a)) \
 X(f_round, float, roundf(x)) X(f_rint, float, rintf(x)) X(f_floor, float, floorf(x)) X(f_trunc, float, truncf(x)) X(f_fmin, float, fminf(x, a)) X(f_copysign, float, copysignf(x, a)) \
 X(f_fexp, float, __expf(x)) X(f_fexp10, float, __exp10f(x)) X(f_flog, float, __logf(x)) X(f_flog2, float, __log2f(x)) X(f_flog10, float, __log10f(x)) X(f_fsin, float, __sinf(x)) X(f_fcos, float, __cosf(x)) X(f_ftan, float, __tanf(x)) X(f_fpow, float, __powf(x, a)) X(f_fdividef, float, __fdividef(x, a)) \
 X(f_frcp, float, __frcp_rn(x)) X(f_fsqrt, float, __fsqrt_rn(x)) X(f_frsqrt, float, __frsqrt_rn(x)) X(f_saturate, float, __saturatef(x)) X(f_sincos, float, ([&] { float s, c; sincosf(x, &s, &c); return s + c; }())) \
 X(f_norm3d, float, norm3df(x, a, b)) X(f_ldexp, float, ldexpf(x, k)) X(f_frexp, float, ([&] { int e; float m = frexpf(x, &e); return m + e; }())) X(f_isnan, float, (isnan(x) ? a : b)) \
 X(f_toint, float, (float)(int)x) X(f_tou64, float, (float)(unsigned long long)x) X(f_half, float, __half2float(__float2half(x))) X(f_todouble, float, (float)((double)x + 1.0)) \
 X(d_add, double, x + a) X(d_div, double, a / x) X(d_rcp, double, 1.0 / x) X(d_sqrt, double, sqrt(x)) X(d_rsqrt, double, rsqrt(x)) X(d_exp, double, exp(x)) X(d_exp2, double, exp2(x)) X(d_log, double, log(x)) X(d_log2, double, log2(x)) X(d_log10, double, log10(x)) X(d_sin, double, sin(x)) X(d_cos, double, cos(x)) X(d_tan, double, tan(x)) \
 X(d_asin, double, asin(x)) X(d_acos, double, acos(x)) X(d_atan, double, atan(x)) X(d_tanh, double, tanh(x)) X(d_sinh, double, sinh(x)) X(d_erf, double, erf(x)) X(d_erfc, double, erfc(x)) X(d_tgamma, double, tgamma(x)) X(d_cbrt, double, cbrt(x)) X(d_pow, double, pow(x, a)) X(d_fmod, double, fmod(x, a)) X(d_atan2, double, atan2(x, a)) X(d_hypot, double, hypot(x, a)) X(d_fmin, double, fmin(x, a)) X(d_floor, double, floor(x)) X(d_round, double, round(x)) X(d_toint, double, (double)(int)x) X(d_tou64, double, (double)(long long)x) \
 X(i_add, int, x + a) X(i_mul, int, x * a) X(i_div, int, x / a) X(i_rem, int, x % a) X(i_divc, int, x / 7) X(i_remc, int, x % 100 + x) X(i_popc, int, __popc(x)) X(i_clz, int, __clz(x)) X(i_ffs, int, __ffs(x)) X(i_brev, int, (int)__brev(x)) X(i_min, int, min(x, a)) X(i_abs, int, abs(x)) X(i_mulhi, int, __mulhi(x, a)) X(i_sad, int, (int)__sad(x, a, b)) X(i_dp4a, int, __dp4a(x, a, b)) X(i_bperm, int, (int)__byte_perm(x, a, 0x3210 + k)) X(i_funnel, int, (int)__funnelshift_l(x, a, k)) X(i_shl, int, x << k) X(i_vadd4, int, (int)__vadd4(x, a)) \
 X(u_div, unsigned, x / a) X(u_rem, unsigned, x % a) X(u_divc, unsigned, x / 10u) \
 X(l_add, long long, x + a) X(l_mul, long long, x * a) X(l_div, long long, x / a) X(l_rem, long long, x % a) X(l_divc, long long, x / 10) X(l_popc, long long, __popcll(x)) X(l_clz, long long, __clzll(x)) X(l_min, long long, min(x, a)) X(l_shl, long long, x << k) X(l_mulhi, long long, __mul64hi(x, a))
template <class T> struct V { static __device__ T seed(T v, int i) { return v + (T)(i % 7) * (T)0; } };
#define DEF(NAME, T, EXPR) \
  struct NAME { using type = T; static constexpr const char* name = #NAME; static __device__ __forceinline__ T f(T x, T a, T b, int k) { return (T)(EXPR); } };
LIST(DEF)
template <class F, int N> __global__ void apply(const typename F::type* in, typename F::type* out, long long* time, typename F::type a, typename F::type b, int k) {
  using T = typename F::type;
  T x = in[threadIdx.x];
  if constexpr (sizeof(T) == 4) asm volatile("{.reg .pred p; setp.eq.u32 p, %0, 12345; @p trap;}" :: "r"(*(unsigned*)&x)); else asm volatile("{.reg .pred p; setp.eq.u64 p, %0, 12345; @p trap;}" :: "l"(*(unsigned long long*)&x));
  long long t0 = clock64();
#pragma unroll
  for (int i = 0; i < N; i++) { x = F::f(x, a, b, k); if constexpr (sizeof(T) == 4) asm volatile("" : "+r"(*(unsigned*)&x)); else asm volatile("" : "+l"(*(unsigned long long*)&x)); }
  out[threadIdx.x] = x;
  long long t1 = clock64();
  if (threadIdx.x == 0) time[0] = t1 - t0;
}
template <class F> void run(bool timed) {
  using T = typename F::type;
  T *in, *out; long long* time;
  T hin[32]; long long ht; cudaMalloc(&in, 32 * sizeof(T)); cudaMalloc(&out, 32 * sizeof(T)); cudaMalloc(&time, 8);
  T a = (T)3, b = (T)5;
  if constexpr (sizeof(T) == 4 && (T)0.5 != (T)0) a = (T)0.75;
  if constexpr (sizeof(T) == 8 && (T)0.5 != (T)0) a = (T)0.75;
  for (int i = 0; i < 32; i++) hin[i] = (T)0.5 != (T)0 ? (T)(0.5 + 0.01 * i) : (T)(1000003 + 7919 * i);
  cudaMemcpy(in, hin, sizeof hin, cudaMemcpyHostToDevice);
  if (timed) {
    long long t[3] = {1 << 30, 1 << 30, 1 << 30};
    for (int r = 0; r < 5; r++) {
      apply<F, 1><<<1, 32>>>(in, out, time, a, b, 3); cudaMemcpy(&ht, time, 8, cudaMemcpyDeviceToHost); t[0] = min(t[0], ht);
      apply<F, 2><<<1, 32>>>(in, out, time, a, b, 3); cudaMemcpy(&ht, time, 8, cudaMemcpyDeviceToHost); t[1] = min(t[1], ht);
      apply<F, 3><<<1, 32>>>(in, out, time, a, b, 3); cudaMemcpy(&ht, time, 8, cudaMemcpyDeviceToHost); t[2] = min(t[2], ht);
    }
    printf("%s %lld %lld %lld\n", F::name, t[0], t[1], t[2]);
  } else {
    apply<F, 1><<<1, 32>>>(in, out, time, a, b, 3); apply<F, 3><<<1, 32>>>(in, out, time, a, b, 3);
    cudaDeviceSynchronize();
  }
  cudaError_t e = cudaGetLastError(); if (e) { printf("%s %s\n", F::name, cudaGetErrorString(e)); }
}
int main(int argc, char**) {
#define GO(NAME, T, EXPR) run<NAME>(argc == 1);
  LIST(GO)
}
