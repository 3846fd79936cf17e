/*
 * Random numbers on the device: XORWOW with cuRAND's seeding and subsequences (the same numbers, checked against the
 * example of cuRAND's guide), Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011), those of
 * simsight/curand_generators.h, and the distributions. Poisson numbers have the right distribution, not cuRAND's sequence.
 */
#pragma once
#include "cuda_runtime.h"
#include "simsight/curand_states.h"

#ifdef __CUDA__
#include "simsight/xorwow_jumps.h"
#define CURAND_KERNEL_H_
#define __CURAND_D __device__ static __forceinline__

#define CURAND_2POW32_INV (2.3283064e-10f)
#define CURAND_2POW32_INV_DOUBLE (2.3283064365386963e-10)
#define CURAND_2POW53_INV_DOUBLE (1.1102230246251565e-16)
#define CURAND_2POW32_INV_2PI (2.3283064e-10f * 6.2831855f)

/* ---- XORWOW ---- */
__CURAND_D void __simsight_xorwow_step(unsigned int v[5]) {
  const unsigned int t = v[0] ^ (v[0] >> 2);
  v[0] = v[1];
  v[1] = v[2];
  v[2] = v[3];
  v[3] = v[4];
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}
/* n steps, in hexadecimal digits: each non-zero one picks a row of the table. */
__device__ static inline void __simsight_xorwow_jump(unsigned long long n, const unsigned int *table, unsigned int v[5]) {
#pragma unroll 1
  for (; n != 0; n >>= 4, table += 15 * 5) {
    const unsigned int digit = (unsigned int)n & 15;
    if (digit == 0) continue;
    const unsigned int *const row = table + (digit - 1) * 5;
    unsigned int sum[5] = {0, 0, 0, 0, 0};
#pragma unroll 1
    for (int word = 0; word < 5; ++word) {
      unsigned int terms = row[word];
#pragma unroll 4
      for (int bit = 0; bit < 32; ++bit, terms >>= 1) {
        const unsigned int mask = 0 - (terms & 1);
        for (int i = 0; i < 5; ++i) sum[i] ^= v[i] & mask;
        __simsight_xorwow_step(v);
      }
    }
    for (int i = 0; i < 5; ++i) v[i] = sum[i];
  }
}
__CURAND_D void skipahead(unsigned long long n, curandStateXORWOW_t *state) {
  __simsight_xorwow_jump(n, __simsight_xorwow_steps, state->v);
  state->d += 362437u * (unsigned int)n;
}
/* A subsequence has 2^67 numbers, after which d is what it was. */
__CURAND_D void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *state) {
  __simsight_xorwow_jump(n, __simsight_xorwow_subsequences, state->v);
}
__CURAND_D void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                            curandStateXORWOW_t *state) {
  const unsigned int s0 = (unsigned int)seed ^ 0xaad26b49u, s1 = (unsigned int)(seed >> 32) ^ 0xf7dcefddu;
  const unsigned int t0 = 1099087573u * s0, t1 = 2591861531u * s1;
  state->d = 6615241u + t1 + t0;
  unsigned int v[5] = {123456789u + t0, 362436069u ^ t0, 521288629u + t1, 88675123u ^ t1, 5783321u + t0};
  __simsight_xorwow_jump(subsequence, __simsight_xorwow_subsequences, v);
  __simsight_xorwow_jump(offset, __simsight_xorwow_steps, v);
  state->d += 362437u * (unsigned int)offset;
  for (int i = 0; i < 5; ++i) state->v[i] = v[i];
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0;
  state->boxmuller_extra_double = 0;
}
__CURAND_D unsigned int curand(curandStateXORWOW_t *state) {
  __simsight_xorwow_step(state->v);
  state->d += 362437u;
  return state->v[4] + state->d;
}

/* ---- Philox4x32-10 ---- */
__CURAND_D uint4 curand_Philox4x32_10(uint4 c, uint2 k) {
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const unsigned int high0 = __umulhi(0xD2511F53u, c.x), low0 = 0xD2511F53u * c.x;
    const unsigned int high1 = __umulhi(0xCD9E8D57u, c.z), low1 = 0xCD9E8D57u * c.z;
    c = make_uint4(high1 ^ c.y ^ k.x, low1, high0 ^ c.w ^ k.y, low0);
    k.x += 0x9E3779B9u;
    k.y += 0xBB67AE85u;
  }
  return c;
}
__CURAND_D void __simsight_philox_add(uint4 *c, unsigned long long n, bool high) {
  const unsigned long long low = (unsigned long long)c->y << 32 | c->x, sum = high ? low : low + n;
  const unsigned long long top = ((unsigned long long)c->w << 32 | c->z) + (high ? n : sum < low ? 1 : 0);
  *c = make_uint4((unsigned int)sum, (unsigned int)(sum >> 32), (unsigned int)top, (unsigned int)(top >> 32));
}
__CURAND_D void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state) {
  state->STATE += (unsigned int)(n & 3);
  n /= 4;
  if (state->STATE > 3) {
    ++n;
    state->STATE -= 4;
  }
  __simsight_philox_add(&state->ctr, n, false);
  state->output = curand_Philox4x32_10(state->ctr, state->key);
}
/* A subsequence is the upper half of the counter. */
__CURAND_D void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state) {
  __simsight_philox_add(&state->ctr, n, true);
  state->output = curand_Philox4x32_10(state->ctr, state->key);
}
__CURAND_D void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                            curandStatePhilox4_32_10_t *state) {
  state->ctr = make_uint4(0, 0, (unsigned int)subsequence, (unsigned int)(subsequence >> 32));
  state->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
  state->STATE = 0;
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0;
  state->boxmuller_extra_double = 0;
  skipahead(offset, state);
}
__CURAND_D unsigned int curand(curandStatePhilox4_32_10_t *state) {
  const uint4 o = state->output;
  const unsigned int at = state->STATE, result = at == 0 ? o.x : at == 1 ? o.y : at == 2 ? o.z : o.w;
  state->STATE = at + 1;
  if (state->STATE == 4) {
    __simsight_philox_add(&state->ctr, 1, false);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
    state->STATE = 0;
  }
  return result;
}
__CURAND_D uint4 curand4(curandStatePhilox4_32_10_t *state) {
  const uint4 a = state->output;
  __simsight_philox_add(&state->ctr, 1, false);
  const uint4 b = state->output = curand_Philox4x32_10(state->ctr, state->key);
  switch (state->STATE) {
  case 1: return make_uint4(a.y, a.z, a.w, b.x);
  case 2: return make_uint4(a.z, a.w, b.x, b.y);
  case 3: return make_uint4(a.w, b.x, b.y, b.z);
  default: return a;
  }
}

/* ---- distributions of given bits ---- */
__CURAND_D float _curand_uniform(unsigned int x) { return x * CURAND_2POW32_INV + (CURAND_2POW32_INV / 2.0f); }
__CURAND_D double _curand_uniform_double_hq(unsigned int x, unsigned int y) {
  const unsigned long long z = (unsigned long long)x ^ ((unsigned long long)y << (53 - 32));
  return z * CURAND_2POW53_INV_DOUBLE + (CURAND_2POW53_INV_DOUBLE / 2.0);
}
__CURAND_D float2 _curand_box_muller(unsigned int x, unsigned int y) {
  const float u = x * CURAND_2POW32_INV + (CURAND_2POW32_INV / 2);
  const float v = y * CURAND_2POW32_INV_2PI + (CURAND_2POW32_INV_2PI / 2);
  const float s = sqrtf(-2.0f * logf(u));
  float2 result;
  __sincosf(v, &result.x, &result.y);
  result.x *= s;
  result.y *= s;
  return result;
}
__CURAND_D double2 _curand_box_muller_double(unsigned int x0, unsigned int x1, unsigned int y0, unsigned int y1) {
  const unsigned long long zx = (unsigned long long)x0 ^ ((unsigned long long)x1 << (53 - 32));
  const unsigned long long zy = (unsigned long long)y0 ^ ((unsigned long long)y1 << (53 - 32));
  const double u = zx * CURAND_2POW53_INV_DOUBLE + (CURAND_2POW53_INV_DOUBLE / 2.0);
  const double v = zy * (CURAND_2POW53_INV_DOUBLE * 2.0) + CURAND_2POW53_INV_DOUBLE;
  const double s = sqrt(-2.0 * log(u));
  double2 result;
  result.x = sinpi(v) * s;
  result.y = cospi(v) * s;
  return result;
}

#include "simsight/curand_generators.h"

/* ---- distributions of all generators that have no others ---- */
template <class State> __CURAND_D float curand_uniform(State *state) { return _curand_uniform(curand(state)); }
__CURAND_D double curand_uniform_double(curandStateXORWOW_t *state) {
  const unsigned int x = curand(state), y = curand(state);
  return _curand_uniform_double_hq(x, y);
}
__CURAND_D double curand_uniform_double(curandStatePhilox4_32_10_t *state) {
  return curand(state) * CURAND_2POW32_INV_DOUBLE + CURAND_2POW32_INV_DOUBLE;
}
template <class State> __CURAND_D float2 curand_normal2(State *state) {
  const unsigned int x = curand(state), y = curand(state);
  return _curand_box_muller(x, y);
}
template <class State> __CURAND_D double2 curand_normal2_double(State *state) {
  const unsigned int x0 = curand(state), x1 = curand(state), y0 = curand(state), y1 = curand(state);
  return _curand_box_muller_double(x0, x1, y0, y1);
}
/* Numbers come in pairs: the second is kept for the next call. */
template <class State> __CURAND_D float curand_normal(State *state) {
  if (state->boxmuller_flag) {
    state->boxmuller_flag = 0;
    return state->boxmuller_extra;
  }
  const float2 pair = curand_normal2(state);
  state->boxmuller_flag = 1;
  state->boxmuller_extra = pair.y;
  return pair.x;
}
template <class State> __CURAND_D double curand_normal_double(State *state) {
  if (state->boxmuller_flag_double) {
    state->boxmuller_flag_double = 0;
    return state->boxmuller_extra_double;
  }
  const double2 pair = curand_normal2_double(state);
  state->boxmuller_flag_double = 1;
  state->boxmuller_extra_double = pair.y;
  return pair.x;
}
template <class State> __CURAND_D float curand_log_normal(State *state, float mean, float deviation) {
  return expf(mean + deviation * curand_normal(state));
}
template <class State> __CURAND_D float2 curand_log_normal2(State *state, float mean, float deviation) {
  const float2 pair = curand_normal2(state);
  return make_float2(expf(mean + deviation * pair.x), expf(mean + deviation * pair.y));
}
template <class State> __CURAND_D double curand_log_normal_double(State *state, double mean, double deviation) {
  return exp(mean + deviation * curand_normal_double(state));
}
template <class State> __CURAND_D double2 curand_log_normal2_double(State *state, double mean, double deviation) {
  const double2 pair = curand_normal2_double(state);
  return make_double2(exp(mean + deviation * pair.x), exp(mean + deviation * pair.y));
}

/* Four at once: Philox makes four words a round. */
__CURAND_D float4 curand_uniform4(curandStatePhilox4_32_10_t *state) {
  const uint4 x = curand4(state);
  return make_float4(_curand_uniform(x.x), _curand_uniform(x.y), _curand_uniform(x.z), _curand_uniform(x.w));
}
__CURAND_D double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state) {
  const uint4 x = curand4(state);
  return make_double2(_curand_uniform_double_hq(x.x, x.y), _curand_uniform_double_hq(x.z, x.w));
}
__CURAND_D float4 curand_normal4(curandStatePhilox4_32_10_t *state) {
  const uint4 x = curand4(state);
  const float2 a = _curand_box_muller(x.x, x.y), b = _curand_box_muller(x.z, x.w);
  return make_float4(a.x, a.y, b.x, b.y);
}
__CURAND_D float4 curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean, float deviation) {
  const float4 n = curand_normal4(state);
  return make_float4(expf(mean + deviation * n.x), expf(mean + deviation * n.y), expf(mean + deviation * n.z),
                     expf(mean + deviation * n.w));
}

/* Knuth's product of uniform numbers; from 64 on a rounded normal number. */
template <class State> __CURAND_D unsigned int curand_poisson(State *state, double lambda) {
  if (lambda >= 64) {
    const double value = floor(lambda + sqrt(lambda) * curand_normal_double(state) + 0.5);
    return value > 0 ? (unsigned int)value : 0;
  }
  const double limit = exp(-lambda);
  double product = curand_uniform(state);
  unsigned int count = 0;
  while (product > limit) {
    product *= curand_uniform(state);
    ++count;
  }
  return count;
}
#undef __CURAND_D
#endif
