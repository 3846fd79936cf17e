/*
 * Further generators of curand_kernel.h: MRG32k3a (L'Ecuyer, 1999), MTGP32 (Saito and Matsumoto, "Variants of Mersenne
 * Twister suitable for graphic processors", 2013) and Sobol's sequences (Bratley and Fox, 1988; scrambled where the program
 * brings scrambled direction vectors). Numbers are cuRAND's.
 */
#pragma once
#include "mrg32k3a_jumps.h"
#include "curand_states.h"

/* ---- MRG32k3a ---- */
#define MRG32K3A_NORM (2.3283065498378288e-10)
/* Products modulo m1 = 2^32 - 209 and m2 = 2^32 - 22853: the upper half counts 209 or 22853 times. */
__CURAND_D unsigned int __simsight_mrg_modulo(unsigned long long x, unsigned int below) {
  x = (x >> 32) * below + (unsigned int)x;
  x = (x >> 32) * below + (unsigned int)x;
  const unsigned long long m = (1ull << 32) - below;
  return (unsigned int)(x >= m ? x - m : x);
}
__device__ static inline void __simsight_mrg_product(const unsigned int *matrix, unsigned int below, unsigned int v[3]) {
  const unsigned long long m = (1ull << 32) - below;
  unsigned int result[3];
  for (int i = 0; i < 3; ++i) {
    unsigned long long sum = 0;
    for (int k = 0; k < 3; ++k) {
      sum += __simsight_mrg_modulo((unsigned long long)matrix[3 * i + k] * v[k], below);
      if (sum >= m) sum -= m;
    }
    result[i] = (unsigned int)sum;
  }
  for (int i = 0; i < 3; ++i) v[i] = result[i];
}
__device__ static inline void __simsight_mrg_jump(unsigned long long n, const unsigned int (*table)[18],
                                                  curandStateMRG32k3a_t *state) {
#pragma unroll 1
  for (; n != 0; n >>= 1, ++table)
    if (n & 1) {
      __simsight_mrg_product(table[0], 209, state->s1);
      __simsight_mrg_product(table[0] + 9, 22853, state->s2);
    }
}
__CURAND_D void skipahead(unsigned long long n, curandStateMRG32k3a_t *state) {
  __simsight_mrg_jump(n, __simsight_mrg32k3a_steps, state);
}
__CURAND_D void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t *state) {
  __simsight_mrg_jump(n, __simsight_mrg32k3a_subsequences, state);
}
__CURAND_D void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t *state) {
  __simsight_mrg_jump(n, __simsight_mrg32k3a_sequences, state);
}
__CURAND_D void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                            curandStateMRG32k3a_t *state) {
  const unsigned int x1 = seed == 0 ? 1 : (unsigned int)seed ^ 0x55555555u;
  const unsigned int x2 = seed == 0 ? 1 : (unsigned int)(seed >> 32) ^ 0xAAAAAAAAu;
  for (int i = 0; i < 3; ++i) {
    state->s1[i] = __simsight_mrg_modulo((i == 1 ? x2 : x1) * 12345ull, 209);
    state->s2[i] = __simsight_mrg_modulo((i == 1 ? x1 : x2) * 12345ull, 22853);
  }
  skipahead_subsequence(subsequence, state);
  skipahead(offset, state);
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0;
  state->boxmuller_extra_double = 0;
}
/* From 1 to m1. */
__CURAND_D double curand_MRG32k3a(curandStateMRG32k3a_t *state) {
  unsigned int *const a = state->s1, *const b = state->s2;
  const unsigned int p = __simsight_mrg_modulo(1403580ull * a[1] + 810728ull * (4294967087u - a[0]), 209);
  const unsigned int q = __simsight_mrg_modulo(527612ull * b[2] + 1370589ull * (4294944443u - b[0]), 22853);
  a[0] = a[1];
  a[1] = a[2];
  a[2] = p;
  b[0] = b[1];
  b[1] = b[2];
  b[2] = q;
  return p <= q ? p - q + 4294967087u : p - q;
}
__CURAND_D unsigned int curand(curandStateMRG32k3a_t *state) {
  return (unsigned int)(curand_MRG32k3a(state) * 1.000000048662);
}
__CURAND_D float curand_uniform(curandStateMRG32k3a_t *state) {
  return (float)(curand_MRG32k3a(state) * MRG32K3A_NORM);
}
__CURAND_D double curand_uniform_double(curandStateMRG32k3a_t *state) {
  return curand_MRG32k3a(state) * MRG32K3A_NORM;
}
__CURAND_D float2 curand_normal2(curandStateMRG32k3a_t *state) {
  const float u = curand_uniform(state), v = curand_uniform(state) * 6.2831853f;
  const float s = sqrtf(-2.0f * logf(u));
  float2 result;
  __sincosf(v, &result.x, &result.y);
  result.x *= s;
  result.y *= s;
  return result;
}
__CURAND_D double2 curand_normal2_double(curandStateMRG32k3a_t *state) {
  const double u = curand_uniform_double(state), v = curand_uniform_double(state) * 2.0;
  const double s = sqrt(-2.0 * log(u));
  return make_double2(sinpi(v) * s, cospi(v) * s);
}

/* ---- MTGP32: a block of up to 256 threads has one state, and all of them call at once ---- */
__CURAND_D unsigned int __simsight_mtgp_step(curandStateMtgp32_t *state, unsigned int t, unsigned int *tempering) {
  const mtgp32_kernel_params_t *const k = state->k;
  const int set = state->pIdx, pos = k->pos_tbl[set];
  const unsigned int at = t + state->offset, mask = MTGP32_STATE_MASK;
  unsigned int x = (state->s[at & mask] & k->mask[0]) ^ state->s[(at + 1) & mask];
  x ^= x << k->sh1_tbl[set];
  x ^= state->s[(at + pos) & mask] >> k->sh2_tbl[set];
  const unsigned int r = x ^ k->param_tbl[set][x & 15];
  unsigned int v = state->s[(at + pos - 1) & mask];
  v ^= v >> 16;
  v ^= v >> 8;
  *tempering = v & 15;
  state->s[(at + MTGPDC_N) & mask] = r;
  return r;
}
__CURAND_D void __simsight_mtgp_advance(curandStateMtgp32_t *state, bool first, unsigned int count) {
  __syncthreads();
  if (first) state->offset = (state->offset + count) & MTGP32_STATE_MASK;
  __syncthreads();
}
__CURAND_D unsigned int curand_mtgp32_specific(curandStateMtgp32_t *state, unsigned char index, unsigned char n) {
  unsigned int row;
  const unsigned int r = __simsight_mtgp_step(state, index, &row), result = r ^ state->k->temper_tbl[state->pIdx][row];
  __simsight_mtgp_advance(state, index == 0, n);
  return result;
}
__CURAND_D unsigned int curand(curandStateMtgp32_t *state) {
  const unsigned int t = (blockDim.y * threadIdx.z + threadIdx.y) * blockDim.x + threadIdx.x;
  unsigned int row;
  const unsigned int r = __simsight_mtgp_step(state, t, &row), result = r ^ state->k->temper_tbl[state->pIdx][row];
  __simsight_mtgp_advance(state, t == 0, blockDim.x * blockDim.y * blockDim.z);
  return result;
}
/* From 1 up to, but not 2. */
__CURAND_D float curand_mtgp32_single_specific(curandStateMtgp32_t *state, unsigned char index, unsigned char n) {
  unsigned int row;
  const unsigned int r = __simsight_mtgp_step(state, index, &row);
  const float result = __uint_as_float((r >> 9) ^ state->k->single_temper_tbl[state->pIdx][row]);
  __simsight_mtgp_advance(state, index == 0, n);
  return result;
}
__CURAND_D float curand_mtgp32_single(curandStateMtgp32_t *state) {
  const unsigned int t = (blockDim.y * threadIdx.z + threadIdx.y) * blockDim.x + threadIdx.x;
  unsigned int row;
  const unsigned int r = __simsight_mtgp_step(state, t, &row);
  const float result = __uint_as_float((r >> 9) ^ state->k->single_temper_tbl[state->pIdx][row]);
  __simsight_mtgp_advance(state, t == 0, blockDim.x * blockDim.y * blockDim.z);
  return result;
}

/* ---- Sobol ---- */
#define __SIMSIGHT_SOBOL(State, Word, Vectors, bits)                                                                   \
  __CURAND_D void skipahead(Word n, State *state) {                                                                    \
    state->i += n;                                                                                                     \
    const Word gray = state->i ^ (state->i >> 1);                                                                      \
    state->x = state->c;                                                                                               \
    for (int k = 0; k < bits; ++k) state->x ^= (gray >> k & 1) != 0 ? state->direction_vectors[k] : 0;                 \
  }                                                                                                                    \
  __CURAND_D Word curand(State *state) {                                                                               \
    const Word result = state->x;                                                                                      \
    const int zeros = bits == 32 ? __ffs((int)~state->i) : __ffsll((long long)~(unsigned long long)state->i);          \
    state->x ^= state->direction_vectors[zeros == 0 ? bits - 1 : zeros - 1];                                           \
    ++state->i;                                                                                                        \
    return result;                                                                                                     \
  }                                                                                                                    \
  __CURAND_D void __simsight_sobol_init(Vectors vectors, Word scramble, Word offset, State *state) {                   \
    for (int k = 0; k < bits; ++k) state->direction_vectors[k] = vectors[k];                                           \
    state->i = 0;                                                                                                      \
    state->c = scramble;                                                                                               \
    skipahead(offset, state);                                                                                          \
  }
__SIMSIGHT_SOBOL(curandStateSobol32, unsigned int, curandDirectionVectors32_t, 32)
__SIMSIGHT_SOBOL(curandStateScrambledSobol32, unsigned int, curandDirectionVectors32_t, 32)
__SIMSIGHT_SOBOL(curandStateSobol64, unsigned long long, curandDirectionVectors64_t, 64)
__SIMSIGHT_SOBOL(curandStateScrambledSobol64, unsigned long long, curandDirectionVectors64_t, 64)
#undef __SIMSIGHT_SOBOL
__CURAND_D void curand_init(curandDirectionVectors32_t vectors, unsigned int offset, curandStateSobol32_t *state) {
  __simsight_sobol_init(vectors, 0, offset, state);
}
__CURAND_D void curand_init(curandDirectionVectors32_t vectors, unsigned int scramble, unsigned int offset,
                            curandStateScrambledSobol32_t *state) {
  __simsight_sobol_init(vectors, scramble, offset, state);
}
__CURAND_D void curand_init(curandDirectionVectors64_t vectors, unsigned long long offset, curandStateSobol64_t *state) {
  __simsight_sobol_init(vectors, 0, offset, state);
}
__CURAND_D void curand_init(curandDirectionVectors64_t vectors, unsigned long long scramble, unsigned long long offset,
                            curandStateScrambledSobol64_t *state) {
  __simsight_sobol_init(vectors, scramble, offset, state);
}

/* ---- distributions of a single word ---- */
__CURAND_D float _curand_uniform(unsigned long long x) {
  return (unsigned int)(x >> 32) * CURAND_2POW32_INV + (CURAND_2POW32_INV / 2.0f);
}
__CURAND_D double _curand_uniform_double(unsigned int x) {
  return x * CURAND_2POW32_INV_DOUBLE + CURAND_2POW32_INV_DOUBLE;
}
__CURAND_D double _curand_uniform_double(unsigned long long x) {
  return (x >> 11) * CURAND_2POW53_INV_DOUBLE + (CURAND_2POW53_INV_DOUBLE / 2.0);
}
/* The inverse of the distribution function, by the half in which numbers are exact. */
__CURAND_D float _curand_normal_icdf(unsigned int x) {
  const bool upper = x > 0x80000000u;
  const float p = (upper ? ~x : x) * CURAND_2POW32_INV + (CURAND_2POW32_INV / 2.0f);
  return (upper ? 1.4142135f : -1.4142135f) * erfcinvf(2.0f * p);
}
__CURAND_D float _curand_normal_icdf(unsigned long long x) { return _curand_normal_icdf((unsigned int)(x >> 32)); }
__CURAND_D double _curand_normal_icdf_double(unsigned int x) {
  const bool upper = x > 0x80000000u;
  const double p = (upper ? ~x : x) * CURAND_2POW32_INV_DOUBLE + (CURAND_2POW32_INV_DOUBLE / 2.0);
  return (upper ? 1.4142135623730951 : -1.4142135623730951) * erfcinv(2.0 * p);
}
__CURAND_D double _curand_normal_icdf_double(unsigned long long x) {
  x >>= 11;
  const bool upper = x > 0x10000000000000ull;
  const double p = (upper ? 0x1fffffffffffffull - x : x) * CURAND_2POW53_INV_DOUBLE + (CURAND_2POW53_INV_DOUBLE / 2.0);
  return (upper ? 1.4142135623730951 : -1.4142135623730951) * erfcinv(2.0 * p);
}
#define __SIMSIGHT_SINGLE(State)                                                                                       \
  __CURAND_D float curand_uniform(State *state) { return _curand_uniform(curand(state)); }                             \
  __CURAND_D double curand_uniform_double(State *state) { return _curand_uniform_double(curand(state)); }              \
  __CURAND_D float curand_normal(State *state) { return _curand_normal_icdf(curand(state)); }                          \
  __CURAND_D double curand_normal_double(State *state) { return _curand_normal_icdf_double(curand(state)); }
__SIMSIGHT_SINGLE(curandStateMtgp32_t)
__SIMSIGHT_SINGLE(curandStateSobol32_t)
__SIMSIGHT_SINGLE(curandStateScrambledSobol32_t)
__SIMSIGHT_SINGLE(curandStateSobol64_t)
__SIMSIGHT_SINGLE(curandStateScrambledSobol64_t)
#undef __SIMSIGHT_SINGLE
