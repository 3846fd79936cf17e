/* States and parameters of MTGP32 for the program's own kernels: made on the host and copied. */
#pragma once
#include "curand.h"
#include "curand_mtgp32.h"
#include <stdlib.h>
#include <string.h>

static inline void __simsight_mtgp_state(unsigned int state[], const mtgp32_params_fast_t *set, unsigned int seed) {
  const unsigned int size = MTGPDC_N, hidden = set->tbl[4] ^ (set->tbl[8] << 16);
  unsigned int fill = hidden;
  fill += fill >> 16;
  fill += fill >> 8;
  memset(state, (int)(fill & 0xff), size * sizeof(unsigned int));
  state[0] = seed;
  state[1] = hidden;
  for (unsigned int i = 1; i < size; ++i) state[i] ^= 1812433253u * (state[i - 1] ^ (state[i - 1] >> 30)) + i;
}
static inline curandStatus_t curandMakeMTGP32Constants(const mtgp32_params_fast_t sets[], mtgp32_kernel_params_t *out) {
  mtgp32_kernel_params_t *const all = (mtgp32_kernel_params_t *)malloc(sizeof(mtgp32_kernel_params_t));
  if (all == NULL) return CURAND_STATUS_ALLOCATION_FAILED;
  for (int i = 0; i < CURAND_NUM_MTGP32_PARAMS; ++i) {
    all->pos_tbl[i] = (unsigned int)sets[i].pos;
    all->sh1_tbl[i] = (unsigned int)sets[i].sh1;
    all->sh2_tbl[i] = (unsigned int)sets[i].sh2;
    memcpy(all->param_tbl[i], sets[i].tbl, sizeof sets[i].tbl);
    memcpy(all->temper_tbl[i], sets[i].tmp_tbl, sizeof sets[i].tmp_tbl);
    memcpy(all->single_temper_tbl[i], sets[i].flt_tmp_tbl, sizeof sets[i].flt_tmp_tbl);
  }
  all->mask[0] = sets[0].mask;
  const cudaError_t error = cudaMemcpy(out, all, sizeof *all, cudaMemcpyHostToDevice);
  free(all);
  return error == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_INITIALIZATION_FAILED;
}
static inline curandStatus_t curandMakeMTGP32KernelState(curandStateMtgp32_t *out, mtgp32_params_fast_t sets[],
                                                         mtgp32_kernel_params_t *k, int n, unsigned long long seed) {
  curandStateMtgp32_t *const states = (curandStateMtgp32_t *)calloc((size_t)n, sizeof(curandStateMtgp32_t));
  if (states == NULL) return CURAND_STATUS_ALLOCATION_FAILED;
  const unsigned int folded = (unsigned int)(seed ^ seed >> 32);
  for (int i = 0; i < n; ++i) {
    __simsight_mtgp_state(states[i].s, &sets[i], folded + (unsigned int)i + 1);
    states[i].pIdx = i;
    states[i].k = k;
  }
  const cudaError_t error = cudaMemcpy(out, states, sizeof *states * (size_t)n, cudaMemcpyHostToDevice);
  free(states);
  return error == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_INITIALIZATION_FAILED;
}
