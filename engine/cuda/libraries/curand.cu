/*
 * The kernels behind cuRAND's host API: one kernel per generator and kind of numbers, compiled where the program asks for
 * that kind: one of CURAND_WORDS, CURAND_LONGS, CURAND_UNIFORM, CURAND_UNIFORM_DOUBLE, CURAND_NORMAL, CURAND_NORMAL_DOUBLE,
 * CURAND_LOG_NORMAL, CURAND_LOG_NORMAL_DOUBLE or CURAND_POISSON is defined, or CURAND_SEED for the kernels that make the
 * generators' states. `curand.ts` launches them and knows their parameters. Order and bits are cuRAND's.
 */
#define __SIMSIGHT_MTGP_ON_DEVICE 1
#include <curand_kernel.h>
#include <curand_mtgp32dc_p_11213.h>

/* What the kind of numbers needs: mean and deviation, or sums of probabilities of the numbers from `first` on. */
struct Kind {
  double a, b;
  const double *sums;
  int first, count;
};
typedef unsigned long long Long;

#if CURAND_SEED
/* Threads: each goes on from one of its streams to the next by a single jump. */
const int seeders = 4096;
__device__ inline void nextStream(curandStateXORWOW_t *state) { skipahead_sequence(seeders, state); }
__device__ inline void nextStream(curandStateMRG32k3a_t *state) { skipahead_subsequence(seeders, state); }
/* The first `ahead` streams have given one number more than the others, which have given `skip`. */
template <class State>
__device__ void seedStreams(State *states, int streams, Long seed, Long skip, int ahead) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= streams) return;
  State state;
  for (curand_init(seed, t, skip, &state);; nextStream(&state)) {
    State own = state;
    if (t < ahead) curand(&own);
    states[t] = own;
    if ((t += seeders) >= streams) return;
  }
}
extern "C" __global__ void curand_xorwow_seed(curandStateXORWOW_t *states, int streams, Long seed, Long skip, int ahead) {
  seedStreams(states, streams, seed, skip, ahead);
}
extern "C" __global__ void curand_mrg32k3a_seed(curandStateMRG32k3a_t *states, int streams, Long seed, Long skip,
                                                int ahead) {
  seedStreams(states, streams, seed, skip, ahead);
}
extern "C" __global__ void curand_philox4_32_10_seed(Long *counters, int streams, Long, Long skip, int ahead) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < streams) counters[t] = skip + (t < ahead ? 1 : 0);
}
/* A block for each stream, which has a parameter set of its own. */
extern "C" __global__ void curand_mtgp32_seed(curandStateMtgp32_t *states, mtgp32_kernel_params_t *k, unsigned seed) {
  const int t = threadIdx.x, set = blockIdx.x;
  const mtgp32_params_fast_t *const p = &mtgp32dc_params_fast_11213[set];
  curandStateMtgp32_t *const state = &states[blockIdx.x];
  if (t < 16) {
    k->param_tbl[set][t] = p->tbl[t];
    k->temper_tbl[set][t] = p->tmp_tbl[t];
    k->single_temper_tbl[set][t] = p->flt_tmp_tbl[t];
  }
  if (t != 0) return;
  k->pos_tbl[set] = p->pos;
  k->sh1_tbl[set] = p->sh1;
  k->sh2_tbl[set] = p->sh2;
  k->mask[0] = p->mask;
  const unsigned hidden = p->tbl[4] ^ (p->tbl[8] << 16);
  unsigned fill = hidden;
  fill += fill >> 16;
  fill += fill >> 8;
  fill = (fill & 0xff) * 0x01010101u;
  unsigned last = state->s[0] = seed + set + 1;
  for (int i = 1; i < MTGPDC_N; ++i) {
    last = (i == 1 ? hidden : fill) ^ (1812433253u * (last ^ (last >> 30)) + i);
    state->s[i] = last;
  }
  state->offset = 0;
  state->pIdx = set;
  state->k = k;
}
#else

/*
 * Out: the numbers. atOnce: how many one draw of a stream gives. draw: those of the stream's own state. ofWord: of one word.
 * ofFour: four of the words of Philox's counters, of which it takes `rounds`.
 */
#if CURAND_WORDS
#define NAME(generator) curand_##generator##_words
typedef unsigned Out;
const int atOnce = 1, rounds = 1;
template <class State> __device__ inline void draw(State *state, const Kind &, Out *out) { *out = curand(state); }
template <class Word> __device__ inline Out ofWord(Word word, const Kind &) { return word; }
__device__ inline void ofFour(uint4 x, uint4, const Kind &, Out *out) {
  out[0] = x.x, out[1] = x.y, out[2] = x.z, out[3] = x.w;
}
#elif CURAND_LONGS
#define NAME(generator) curand_##generator##_longs
typedef Long Out;
template <class Word> __device__ inline Out ofWord(Word word, const Kind &) { return word; }
#elif CURAND_UNIFORM
#define NAME(generator) curand_##generator##_uniform
typedef float Out;
const int atOnce = 1, rounds = 1;
template <class State> __device__ inline void draw(State *state, const Kind &, Out *out) { *out = curand_uniform(state); }
template <class Word> __device__ inline Out ofWord(Word word, const Kind &) { return _curand_uniform(word); }
__device__ inline void ofFour(uint4 x, uint4, const Kind &, Out *out) {
  out[0] = _curand_uniform(x.x), out[1] = _curand_uniform(x.y);
  out[2] = _curand_uniform(x.z), out[3] = _curand_uniform(x.w);
}
#elif CURAND_UNIFORM_DOUBLE
#define NAME(generator) curand_##generator##_uniform_double
typedef double Out;
const int atOnce = 1, rounds = 2;
template <class State> __device__ inline void draw(State *state, const Kind &, Out *out) {
  *out = curand_uniform_double(state);
}
template <class Word> __device__ inline Out ofWord(Word word, const Kind &) { return _curand_uniform_double(word); }
__device__ inline void ofFour(uint4 x, uint4 y, const Kind &, Out *out) {
  out[0] = _curand_uniform_double_hq(x.x, x.y), out[1] = _curand_uniform_double_hq(x.z, x.w);
  out[2] = _curand_uniform_double_hq(y.x, y.y), out[3] = _curand_uniform_double_hq(y.z, y.w);
}
#elif CURAND_NORMAL || CURAND_LOG_NORMAL
typedef float Out;
const int atOnce = 2, rounds = 1;
#if CURAND_NORMAL
#define NAME(generator) curand_##generator##_normal
__device__ inline Out scaled(float x, const Kind &kind) { return (float)kind.a + (float)kind.b * x; }
#else
#define NAME(generator) curand_##generator##_log_normal
__device__ inline Out scaled(float x, const Kind &kind) { return expf((float)kind.a + (float)kind.b * x); }
#endif
template <class State> __device__ inline void draw(State *state, const Kind &kind, Out *out) {
  const float2 pair = curand_normal2(state);
  out[0] = scaled(pair.x, kind), out[1] = scaled(pair.y, kind);
}
template <class Word> __device__ inline Out ofWord(Word word, const Kind &kind) {
  return scaled(_curand_normal_icdf(word), kind);
}
__device__ inline void ofFour(uint4 x, uint4, const Kind &kind, Out *out) {
  const float2 a = _curand_box_muller(x.x, x.y), b = _curand_box_muller(x.z, x.w);
  out[0] = scaled(a.x, kind), out[1] = scaled(a.y, kind), out[2] = scaled(b.x, kind), out[3] = scaled(b.y, kind);
}
#elif CURAND_NORMAL_DOUBLE || CURAND_LOG_NORMAL_DOUBLE
typedef double Out;
const int atOnce = 2, rounds = 2;
#if CURAND_NORMAL_DOUBLE
#define NAME(generator) curand_##generator##_normal_double
__device__ inline Out scaled(double x, const Kind &kind) { return kind.a + kind.b * x; }
#else
#define NAME(generator) curand_##generator##_log_normal_double
__device__ inline Out scaled(double x, const Kind &kind) { return exp(kind.a + kind.b * x); }
#endif
template <class State> __device__ inline void draw(State *state, const Kind &kind, Out *out) {
  const double2 pair = curand_normal2_double(state);
  out[0] = scaled(pair.x, kind), out[1] = scaled(pair.y, kind);
}
template <class Word> __device__ inline Out ofWord(Word word, const Kind &kind) {
  return scaled(_curand_normal_icdf_double(word), kind);
}
__device__ inline void ofFour(uint4 x, uint4 y, const Kind &kind, Out *out) {
  const double2 a = _curand_box_muller_double(x.x, x.y, x.z, x.w), b = _curand_box_muller_double(y.x, y.y, y.z, y.w);
  out[0] = scaled(a.x, kind), out[1] = scaled(a.y, kind), out[2] = scaled(b.x, kind), out[3] = scaled(b.y, kind);
}
#elif CURAND_POISSON
#define NAME(generator) curand_##generator##_poisson
typedef unsigned Out;
const int atOnce = 1, rounds = 1;
/* The first number whose sum of probabilities reaches the word. */
template <class Word> __device__ inline Out ofWord(Word word, const Kind &kind) {
  const double u = _curand_uniform_double(word);
  int low = 0, high = kind.count - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (kind.sums[middle] < u) low = middle + 1;
    else high = middle;
  }
  return kind.first + low;
}
template <class State> __device__ inline void draw(State *state, const Kind &kind, Out *out) {
  *out = ofWord(curand(state), kind);
}
__device__ inline void ofFour(uint4 x, uint4, const Kind &kind, Out *out) {
  out[0] = ofWord(x.x, kind), out[1] = ofWord(x.y, kind), out[2] = ofWord(x.z, kind), out[3] = ofWord(x.w, kind);
}
#endif

#if !CURAND_LONGS
/* A thread for each stream: draw i is of stream (first + i) mod streams. */
template <class State>
__device__ void ofStreams(State *states, int streams, int first, Out *out, size_t draws, const Kind &kind) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= streams) return;
  size_t i = t >= first ? t - first : t - first + streams;
  if (i >= draws) return;
  State state = states[t];
  for (; i < draws; i += streams) {
    Out numbers[atOnce];
    draw(&state, kind, numbers);
    for (int k = 0; k < atOnce; ++k) out[i * atOnce + k] = numbers[k];
  }
  states[t] = state;
}
extern "C" __global__ void NAME(xorwow)(curandStateXORWOW_t *states, int streams, int first, Out *out, size_t draws,
                                        Kind kind) {
  ofStreams(states, streams, first, out, draws, kind);
}
extern "C" __global__ void NAME(mrg32k3a)(curandStateMRG32k3a_t *states, int streams, int first, Out *out, size_t draws,
                                          Kind kind) {
  ofStreams(states, streams, first, out, draws, kind);
}

/* Thread t has the numbers 4t to 4t + 3 of each round; four that a call begins and does not end are made again by the next. */
extern "C" __global__ void NAME(philox4_32_10)(Long *counters, int streams, int first, Out *out, size_t n, Kind kind,
                                               Long seed) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= streams) return;
  const uint2 key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
  const size_t end = first + n;
  size_t at = (size_t)4 * t;
  if (at + 4 <= first) at += (size_t)4 * streams;
  if (at >= end) return;
  Long counter = counters[t];
  for (; at < end; at += (size_t)4 * streams) {
    uint4 words[2] = {};
    for (int k = 0; k < rounds; ++k)
      words[k] = curand_Philox4x32_10(
          make_uint4((unsigned)(counter + k), (unsigned)((counter + k) >> 32), (unsigned)t, 0), key);
    Out numbers[4];
    ofFour(words[0], words[1], kind, numbers);
    for (int k = 0; k < 4; ++k)
      if (at + k >= first && at + k < end) out[at + k - first] = numbers[k];
    if (at + 4 <= end) counter += rounds;
  }
  counters[t] = counter;
}

/* Blocks of 256: each has the 256 numbers of its parameter set in every round. Those that a call does not end are made again. */
extern "C" __global__ void NAME(mtgp32)(curandStateMtgp32_t *states, int sets, int first, Out *out, size_t n, Kind kind) {
  __shared__ curandStateMtgp32_t state;
  const int t = threadIdx.x;
  const size_t end = first + n, step = (size_t)256 * sets;
  size_t at = (size_t)256 * blockIdx.x;
  if (at + 256 <= first) at += step;
  if (at >= end) return;
  curandStateMtgp32_t *const kept = &states[blockIdx.x];
  for (int i = t; i < MTGP32_STATE_SIZE; i += 256) state.s[i] = kept->s[i];
  if (t == 0) state.offset = kept->offset, state.pIdx = kept->pIdx, state.k = kept->k;
  __syncthreads();
  for (; at + 256 <= end; at += step) {
    const Out number = ofWord(curand(&state), kind);
    if (at + t >= first) out[at + t - first] = number;
  }
  for (int i = t; i < MTGP32_STATE_SIZE; i += 256) kept->s[i] = state.s[i];
  if (t == 0) kept->offset = state.offset;
  if (at >= end) return;
  __syncthreads();
  const Out number = ofWord(curand(&state), kind);
  if (at + t >= first && at + t < end) out[at + t - first] = number;
}
#endif

/* Dimension y's numbers lie together: number i is the sum of the direction vectors in the Gray code of its position. */
template <class Word, int bits>
__device__ void ofSobol(const Word *vectors, Word position, Out *out, size_t each, const Kind &kind) {
  __shared__ Word own[bits];
  if (threadIdx.x < bits) own[threadIdx.x] = vectors[(size_t)blockIdx.y * bits + threadIdx.x];
  __syncthreads();
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < each; i += gridDim.x * blockDim.x) {
    const Word at = position + i;
    Word gray = at ^ (at >> 1), x = 0;
    for (int k = 0; gray != 0; ++k, gray >>= 1) x ^= own[k] & (0 - (gray & 1));
    out[blockIdx.y * each + i] = ofWord(x, kind);
  }
}
#if !CURAND_LONGS
extern "C" __global__ void NAME(sobol32)(const unsigned *vectors, unsigned position, Out *out, size_t each, Kind kind) {
  ofSobol<unsigned, 32>(vectors, position, out, each, kind);
}
#endif
#if !CURAND_WORDS
extern "C" __global__ void NAME(sobol64)(const Long *vectors, Long position, Out *out, size_t each, Kind kind) {
  ofSobol<Long, 64>(vectors, position, out, each, kind);
}
#endif
#endif
