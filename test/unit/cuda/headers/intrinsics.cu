#include <cassert>
#include <cstdio>
struct P { int a; virtual __device__ int f() { return a; } __device__ P(int x) : a(x) {} __device__ virtual ~P() {} };
__global__ void k(int *i, unsigned *u, float *f, double *d, long long *l, unsigned long long *ul, float4 *f4, char4 *c4, short2 *s2) {
  int *p = new int[4]; p[0] = 1; delete[] p; P *o = new P(3); i[0] = o->f(); delete o; void *m = malloc(16); free(m);
  assert(i[0]); if (i[1]) __trap(); if (i[2]) __brkpt(); __nanosleep(10); i[3] = clock(); l[0] = clock64(); __prof_trigger(1);
  __builtin_assume(i[4] > 0); 
  f4[1] = __ldg(f4); f4[2] = __ldcg(f4); f4[3] = __ldcs(f4); f4[5] = __ldca(f4); f4[4] = __ldcv(f4); f4[6] = __ldlu(f4); __stcg(f4 + 7, f4[1]); __stcs(f4 + 8, f4[1]); __stwt(f4 + 9, f4[1]); __stwb(f4 + 10, f4[1]); __stcg(d, 1.0); __stcs(i + 5, 1); 
  i[6] = __dp4a(i[0], i[1], i[2]) + __dp2a_lo(s2[0], c4[0], 3) + __dp2a_hi(i[0], i[1], i[2]) + __dp2a_lo(i[1], i[2], 3); u[0] = __dp2a_lo(u[1], u[2], u[3]);
  u[1] = __vadd4(u[1], u[2]) + __vsub4(u[1], u[2]) + __vabsdiffu4(u[1], u[2]) + __vmaxs2(u[1], u[2]) + __vminu4(u[1], u[2]) + __vcmpgtu4(u[1], u[2]) + __vavgu4(u[1], u[2]) + __vsadu4(u[1], u[2]) + __vaddus4(u[1], u[2]) + __vseteq4(u[1], u[2]) + __vabs2(u[1]) + __vneg4(u[2]) + __vhaddu4(u[1],u[2]);
  u[4] = __reduce_add_sync(~0u, u[5]) + __reduce_max_sync(~0u, i[1]) + __match_any_sync(~0u, i[1]) + __activemask(); i[7] = __reduce_add_sync(~0u, i[1]); __syncwarp(); int pr; u[6] = __match_all_sync(~0u, l[1], &pr);
  __shared__ int s[4]; u[7] = (unsigned)__cvta_generic_to_shared(s) + __isShared(s) + __isGlobal(u) + __isLocal(&pr) + __isConstant(u);
  atomicAdd_system(i, 1); atomicAdd_block(u, 1u); atomicCAS_system(i, 1, 2); atomicMax_block(i, 3); atomicExch_block(u, 2u); atomicMin_system(u, 3u); atomicAnd_block(u, 1u); atomicCAS_block(ul, 1ull, 2ull); atomicInc_system(u, 3u);
  f[0] = __fadd_rz(f[1], f[2]) + __fadd_ru(f[1], f[2]) + __fadd_rd(f[1], f[2]) + __fsub_rz(f[1], f[2]) + __fmul_rz(f[1], f[2]) + __fmul_ru(f[1], f[2]) + __fmaf_rz(f[1], f[2], f[3]) + __fmaf_ru(f[1],f[2],f[3]) + __fdiv_rn(f[1], f[2]) + __fdiv_rz(f[1], f[2]) + __frcp_rz(f[1]) + __fsqrt_rz(f[1]) + __fsqrt_rd(f[1]) + __frsqrt_rn(f[1]);
  d[0] = __dadd_rz(d[1], d[2]) + __dadd_ru(d[1], d[2]) + __dsub_rd(d[1], d[2]) + __dmul_rz(d[1], d[2]) + __fma_rz(d[1], d[2], d[3]) + __fma_ru(d[1], d[2], d[3]) + __ddiv_rz(d[1], d[2]) + __drcp_ru(d[1]) + __dsqrt_rz(d[1]);
  f[4] = __int2float_rz(i[1]) + __uint2float_ru(u[1]) + __ll2float_rd(l[0]) + __double2float_rz(d[0]) + __double2float_ru(d[1]) + __ull2double_rz(ul[0]); i[8] = __float2int_rz(f[0]) + __double2int_rd(d[0]) + __double2hiint(d[0]);
  f[5] = __tanf(f[1]) + __powf(f[1], f[2]) + __log10f(f[1]) + __exp10f(f[1]) + __fdividef(f[1], f[2]) + __saturatef(f[1]); u[8] = __funnelshift_lc(u[1], u[2], 3) + __fns(u[1], 0, 2) + __hadd(i[1], i[2]) + __rhadd(i[1], i[2]) + __uhadd(u[1], u[2]) + __urhadd(u[1],u[2]) + __usad(u[1], u[2], u[3]) + __byte_perm(1, 2, 3); l[2] = __mul64hi(l[0], l[1]); ul[3] = __umul64hi(ul[1], ul[2]); __syncthreads_count(1); __threadfence_system(); f[6] = norm3df(1, f[1], 2) + rnorm3df(1, f[1], 2) + j0f(f[1]) + cyl_bessel_i0f(f[2]) + nextafterf(f[1], 2) + rhypotf(f[1], f[2]) + normf(3, f) + fdividef(f[1], f[2]) + exp10f(f[1]) + erfinvf(f[1]) + lroundf(f[1]) + logbf(f[1]) + ilogbf(f[2]) + frexpf(f[1], i) + modff(f[1], f) + remquof(f[1], f[2], i) + tgammaf(f[1]) + lgammaf(f[1]) + fmaxf(f[1], f[2]) + signbit(f[1]) + isfinite(f[2]) + nanf("");
  printf("%d\n", i[0]);
}
int main() { return 0; }
