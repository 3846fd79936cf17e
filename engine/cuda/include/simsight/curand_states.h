/* The states of curand_kernel.h's generators: host code may hold and copy them. */
#pragma once
#include "../curand_mtgp32.h"
#include "../vector_types.h"

typedef struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
} curandStateXORWOW_t;
typedef struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned int STATE;
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
} curandStatePhilox4_32_10_t;
typedef struct curandStateMRG32k3a {
  unsigned int s1[3], s2[3];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
} curandStateMRG32k3a_t;
typedef struct curandStateSobol32 {
  unsigned int i, x, c, direction_vectors[32];
} curandStateSobol32_t;
typedef struct curandStateScrambledSobol32 {
  unsigned int i, x, c, direction_vectors[32];
} curandStateScrambledSobol32_t;
typedef struct curandStateSobol64 {
  unsigned long long i, x, c, direction_vectors[64];
} curandStateSobol64_t;
typedef struct curandStateScrambledSobol64 {
  unsigned long long i, x, c, direction_vectors[64];
} curandStateScrambledSobol64_t;
typedef curandStateXORWOW_t curandState_t;
typedef curandStateXORWOW_t curandState;
typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];
