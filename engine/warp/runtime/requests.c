/* Loads and stores of a warp: where each goes, what it counts, and the values that it moves. */

/* Words that lanes access. Tables are small: a bit for each word of theirs. */
static u32 distinct_words(const u32 *a, u32 mask) {
  u64 seen[4] = {};
  u32 first = a[__builtin_ctz(mask)] >> 2, words = 0;
  if (all_same(active_of(a, mask) >> 2, first)) return 1;
  for (u32 left = mask; left; left &= left - 1) {
    u32 word = (a[__builtin_ctz(left)] >> 2) - first + 128;
    if (word >= 256) goto apart;
    seen[word >> 6] |= 1ull << (word & 63);
  }
  for (u32 i = 0; i < 4; i++) words += __builtin_popcountll(seen[i]);
  return words;
apart:;
  struct Distinct all;
  no_keys(&all);
  for (u32 left = mask; left; left &= left - 1) number_of(&all, a[__builtin_ctz(left)] >> 2);
  return all.count;
}

static inline u32 all_of_space(struct Launch *L, v32 v, u32 space) {
  if (space == SHARED) return all_within(v, L->shared, L->sharedBytes - 1);
  if (space == LOCAL) return all_within(v, L->local, L->localTotal - 1);
  half low = HALF_OF(v, FIRST_HALF), high = HALF_OF(v, SECOND_HALF);
  return is_zero((half)(low - L->shared < L->sharedBytes) | (half)(high - L->shared < L->sharedBytes) |
                 (half)(low - L->local < L->localTotal) | (half)(high - L->local < L->localTotal));
}

/* Checks every active address, finds out where a generic request goes, and counts it. Returns the space. */
static u32 account(struct Launch *L, struct Site *site, const u32 *a, u32 mask, u32 size, u32 space, u32 kind) {
  if (mask == 0) return space;
  if ((space == LOCAL || space == GENERIC) && !in_shared(L, a[__builtin_ctz(mask)]) && count_one_place(L, site, a, mask, size)) {
    site->localRequests += space == GENERIC;
    return LOCAL;
  }
  v32 v = active_of(a, mask);
  if (space == GENERIC) {
    space = space_of(L, a[__builtin_ctz(mask)]);
    u32 rest = 0;
    if (!all_of_space(L, v, space))
      for (u32 left = mask; left; left &= left - 1)
        if (space_of(L, a[__builtin_ctz(left)]) != space) rest |= left & -left;
    if (rest) account(L, site, a, rest, size, GENERIC, kind);
    mask &= ~rest;
    if (space == SHARED) {
      v = *(const v32 *)a;
      site->sharedRequests++;
      if (kind == ATOMIC) count_atomic_passes(site, v, mask, size, 1);
      else {
        u32 shape = shared_shape(v, mask, size, kind == STORE && size > 4);
        site->wavefronts += shape >> 8 & 255;
        site->wide += shape >> 16;
      }
    }
    if (space == LOCAL) site->localRequests++;
  }
  /* All lanes at once; only if something is wrong, lane by lane for the message. */
  v = active_of(a, mask);
  if (all_aligned(v, size)) {
    if (space == GLOBAL || space == CONSTANT) goto checked;
    if (space == SHARED && L->sharedBytes >= size && all_within(v, L->shared, L->sharedBytes - size)) goto checked;
    if (space == LOCAL && L->localTotal && all_within(v, L->local, L->localTotal - 1)) goto checked;
  }
  for (u32 left = mask; left; left &= left - 1) {
    u32 lane = __builtin_ctz(left), address = a[lane];
    if (space == SHARED && (address - L->shared > L->sharedBytes - size || L->sharedBytes < size))
      fault_at(L, SHARED_RANGE, site, address - L->shared, lane, size);
    if (space == LOCAL && address - L->local >= L->localTotal) fault_at(L, LOCAL_RANGE, site, address - L->local, lane, size);
    if (address & (size - 1)) fault_at(L, space == GLOBAL && !allocated(address, 1) ? GLOBAL_RANGE : MISALIGNED, site, address, lane, size);
  }
checked:
  if (space == GLOBAL) {
    if (kind == ATOMIC) touch_atomic(L, site, a, mask, size);
    else touch_lanes(L, site, a, mask, kind, size);
  }
  if (space == LOCAL && L->localBytes) count_local(L, site, a, mask, size);
  if (space == CONSTANT) site->wavefronts += distinct_words(a, mask); /* the constant cache gives one word at a time */
  if (space == SHARED) {
    if (L->checks) check_races(L, site, a, mask, size, kind);
    if (kind == ATOMIC) site->lanes += __builtin_popcount(mask);
  }
  return space;
}

/* One address for the whole warp: a request of one lane, the lowest of `mask`. */
NOINLINE void account_one(struct Launch *L, struct Site *site, u32 address, u32 size, u32 space, u32 kind, u32 mask) {
  u32 lane = __builtin_ctz(mask);
  if (__builtin_expect(L->trace != 0, 0)) {
    u32 all[32];
    for (u32 i = 0; i < 32; i++) all[i] = address;
    note_access(L, site, all, kind == ATOMIC ? mask & -mask : mask, size, space);
  }
  if (space == GLOBAL && !(address & (size - 1)) && kind != ATOMIC) {
    if (!allocated(address, size)) fault_at(L, GLOBAL_RANGE, site, address, lane, size);
    if (L->undo && kind != LOAD) writes(L, address, size);
    u32 line = address >> 7;
    u8 sectors = 1u << (address >> 5 & 3);
    if (kind == LOAD) l1_read(L, site, 1, &line, &sectors);
    else {
      u32 bytes = size << 8 * (address >> 5 & 3);
      store_lines(L, 1, &line, &sectors, &bytes);
    }
    u32 passes = count_passes(site, kind, words_of(size), 1);
    if (L->trace) trace_lines(L, site, 1, &line, &sectors, passes);
    site->sectors++;
    site->lines++;
    return;
  }
  u32 a[32];
  a[lane] = address;
  account(L, site, a, 1u << lane, size, space, kind);
}
/* What lanes 0 and 16 load from global memory, each for its half of the warp; 0: something is wrong with an address, so lane by lane. */
static inline u32 account_pair(struct Launch *L, struct Site *site, const u32 *a, u32 size) {
  u32 x = a[0], y = a[16];
  if ((x | y) & (size - 1) || !allocated(x, size) || !allocated(y, size)) return 0;
  u32 lines[2] = {x >> 7, y >> 7}, count = lines[0] == lines[1] ? 1 : 2;
  u8 sectors[2] = {1u << (x >> 5 & 3), 1u << (y >> 5 & 3)};
  if (count == 1) sectors[0] |= sectors[1];
  site->sectors += l1_read(L, site, count, lines, sectors);
  /* As bank_passes has it: 64 bits go by half warps, words of one bank one after the other. */
  u32 apart = (x ^ y) >> 2, banks = size > 4 ? 2 : 1 + (apart && !(apart & 31));
  u32 passes = count_passes(site, LOAD, banks, tag_passes(count, lines));
  if (L->trace) trace_lines(L, site, count, lines, sectors, passes);
  site->lines += count;
  return 1;
}
/* Whether lanes 0 and 16 load from shared memory as they may, where nothing of that is counted: each for its half of the warp. */
static inline u32 is_shared_pair(struct Launch *L, const u32 *a, u32 size, u32 space) {
  u32 x = a[0], y = a[16];
  return space == SHARED && !L->checks && L->sharedBytes >= size && x - L->shared <= L->sharedBytes - size &&
         y - L->shared <= L->sharedBytes - size && !((x | y) & (size - 1));
}
/* Postpones atomics of a part; returns the lanes whose are to be done at once, as they are not of global memory. */
NOINLINE static u32 postpone(struct Launch *L, u32 op, const u32 *a, const void *in, u32 size, u32 mask) {
  u32 now = 0;
  for (u32 left = mask; left; left &= left - 1)
    if (space_of(L, a[__builtin_ctz(left)]) != GLOBAL) now |= left & -left;
  u32 later = mask & ~now, count = __builtin_popcount(later);
  if (!later) return now;
  if (L->logEnd - L->log < 4 + count * (size == 8 ? 12 : 8)) {
    L->log = L->logEnd;
    give_up(L);
  }
  log_word(L, POSTPONED(op, count, size));
  for (; later; later &= later - 1) {
    u32 lane = __builtin_ctz(later);
    log_word(L, a[lane]);
    if (size == 8) {
      log_word(L, ((u32 *)in)[2 * lane]);
      log_word(L, ((u32 *)in)[2 * lane + 1]);
    } else log_word(L, size == 4 ? ((u32 *)in)[lane] : ((unsigned short *)in)[lane]);
  }
  return now;
}
/* The same of one lane. */
static inline u32 postpone_one(struct Launch *L, u32 op, u32 address, const void *value, u32 size) {
  return L->log && !postpone(L, op, &address, value, size, 1);
}

/* All lanes of `mask` add to one address: nvcc makes one lane do it for all. `atomic_sum` where they add the same and nobody
 * wants the old value, `atomic_reduce` where each adds its own (REDUX), `atomic_fetch` where they add the same and each wants
 * what it would have found. */
static u32 one_for_all(struct Launch *L, struct Site *site, u32 address, u32 size, u32 space, u32 mask) {
  if (!mask) return 0;
  account_one(L, site, address, size, space, ATOMIC, mask);
  if (space == SHARED) site->wavefronts++;
  return __builtin_popcount(mask);
}
NOINLINE void atomic_reduce4(struct Launch *L, struct Site *site, u32 address, const u32 *in, u32 space, u32 mask) {
  if (!one_for_all(L, site, address, 4, space, mask)) return;
  u32 sum = 0;
  for (u32 left = mask; left; left &= left - 1) sum += in[__builtin_ctz(left)];
  if (!postpone_one(L, OP_add_u32, address, &sum, 4)) *(u32 *)address += sum;
}
#define ONE_FOR_ALL(T, N)                                                                                                 \
  NOINLINE void atomic_sum##N(struct Launch *L, struct Site *site, u32 address, T value, u32 space, u32 mask) {           \
    u32 lanes = one_for_all(L, site, address, N, space, mask);                                                            \
    T sum = value * lanes;                                                                                                \
    if (lanes && !postpone_one(L, OP_add_##T, address, &sum, N)) *(T *)address += sum;                                    \
  }                                                                                                                       \
  NOINLINE void atomic_fetch##N(T *out, struct Launch *L, struct Site *site, u32 address, T value, u32 space, u32 mask) { \
    if (!one_for_all(L, site, address, N, space, mask)) return;                                                           \
    for (u32 left = mask; left; left &= left - 1, *(T *)address += value) out[__builtin_ctz(left)] = *(T *)address;       \
  }
ONE_FOR_ALL(u32, 4)
ONE_FOR_ALL(u64, 8)
/* atomicAdd(&shared[x], 1) without result: ATOMS.POPC.INC, which takes equal addresses together. */
NOINLINE void atomic_count4(struct Launch *L, struct Site *site, v32 address, u32 mask) {
  const u32 *a = (const u32 *)&address;
  if (L->trace) note_access(L, site, a, mask, 4, SHARED);
  account(L, site, a, mask, 4, SHARED, ATOMIC);
  count_atomic_passes(site, address, mask, 4, 0);
  for (u32 left = mask; left; left &= left - 1) ++*(u32 *)a[__builtin_ctz(left)];
}

/* Whole vectors are stored: what the kernel reads next as vectors would wait for single lanes to arrive in the cache. */
static inline v32 gathered(v32 address) {
  const u32 *a = (const u32 *)&address;
  v32 values;
  _Pragma("clang loop unroll(full)") for (u32 i = 0; i < 8; i++)
    ((quad *)&values)[i] = (quad){*(u32 *)a[4 * i], *(u32 *)a[4 * i + 1], *(u32 *)a[4 * i + 2], *(u32 *)a[4 * i + 3]};
  return values;
}
/* Lanes of a row in one go, where all of it is memory of its kind; 0: it is none. */
static inline u32 load_row(v32 *out, const u32 *a, u32 mask, u32 space, struct Launch *L) {
  struct Step step;
  if (!mask || !in_step(a, mask, &step) || step.apart != 4) return 0;
  u32 last = step.base + 127;
  if (space == SHARED ? step.base - L->shared > L->sharedBytes - 128 || L->sharedBytes < 128
                      : space != GLOBAL || (GUARD[step.base >> GUARD_SHIFT] & GUARD[last >> GUARD_SHIFT]) != 255)
    return 0;
  const half *from = (const half *)step.base;
  half *to = (half *)out, low = half_of(mask), high = half_of(mask >> 16);
  to[0] = (from[0] & low) | (to[0] & ~low);
  to[1] = (from[1] & high) | (to[1] & ~high);
  return 1;
}
#define LOADS(T, V, N)                                                                                             \
  typedef T half##N __attribute__((vector_size(16 * N), aligned(N)));                                              \
  typedef T sixteen##N __attribute__((vector_size(16)));                                                           \
  NOINLINE void load##N(V *out, v32 address, u32 mask, u32 space, struct Site *site, struct Launch *L) {           \
    const u32 *a = (const u32 *)&address;                                                                          \
    NOTE(a, mask, N); \
    if (mask == ~0u && space != GENERIC && halves_uniform(address)) {                                              \
      if (!is_shared_pair(L, a, N, space) && (space != GLOBAL || !account_pair(L, site, a, N)))                    \
        account(L, site, a, 0x10001, N, space, LOAD);                                                              \
      T x = *(T *)a[0], y = *(T *)a[16];                                                                           \
      ((half##N *)out)[0] = (half##N){} + x;                                                                       \
      ((half##N *)out)[1] = (half##N){} + y;                                                                       \
      return;                                                                                                      \
    }                                                                                                              \
    account(L, site, a, mask, N, space, LOAD);                                                                     \
    if (mask == ~0u) {                                                                                             \
      _Pragma("clang loop unroll(full)") for (u32 i = 0; i < 2 * N; i++) {                                         \
        sixteen##N values;                                                                                         \
        _Pragma("clang loop unroll(full)") for (u32 k = 0; k < 16 / N; k++) values[k] = *(T *)a[i * 16 / N + k];   \
        ((sixteen##N *)out)[i] = values;                                                                           \
      }                                                                                                            \
    } else if (N != 4 || !load_row((v32 *)out, a, mask, space, L))                                                 \
      for (u32 left = mask; left; left &= left - 1) {                                                              \
        u32 lane = __builtin_ctz(left);                                                                            \
        ((T *)out)[lane] = *(T *)a[lane];                                                                          \
      }                                                                                                            \
  }                                                                                                                \
  NOINLINE void store##N(V *in, v32 address, u32 mask, u32 space, struct Site *site, struct Launch *L) {           \
    const u32 *a = (const u32 *)&address;                                                                          \
    NOTE(a, mask, N); \
    account(L, site, a, mask, N, space, STORE);                                                                    \
    for (u32 left = mask; left; left &= left - 1) {                                                                \
      u32 lane = __builtin_ctz(left);                                                                              \
      *(T *)a[lane] = ((T *)in)[lane];                                                                             \
    }                                                                                                              \
  }
LOADS(u8, b32, 1)
LOADS(u16, h32, 2)
LOADS(u32, v32, 4)
LOADS(u64, d32, 8)

/* Shared memory in a shape that is known: half warps on one address or on consecutive ones (rows of 16 x 16 tiles). */
#define SHARED_LOADS(T, V, N)                                                                                         \
  NOINLINE void load_shared##N(V *out, v32 address, u32 mask, u32 shape, struct Site *site, struct Launch *L) {       \
    const u32 *a = (const u32 *)&address;                                                                             \
    u32 low = shape & 1 ? N : 16 * N, high = shape & 4 ? N : 16 * N;                                                  \
    if (mask == ~0u && (shape & 3) && (shape & 12) && L->sharedBytes >= 16 * N &&                                     \
        a[0] - L->shared <= L->sharedBytes - low && a[16] - L->shared <= L->sharedBytes - high &&                     \
        !((a[0] | a[16]) & (N - 1))) {                                                                                \
      if (L->trace) note_access(L, site, a, mask, N, SHARED); \
      half##N *o = (half##N *)out;                                                                                    \
      T x = *(T *)a[0], y = *(T *)a[16];                                                                              \
      o[0] = shape & 1 ? (half##N){} + x : *(half##N *)a[0];                                                          \
      o[1] = shape & 4 ? (half##N){} + y : *(half##N *)a[16];                                                         \
      return;                                                                                                         \
    }                                                                                                                 \
    load##N(out, address, mask, SHARED, site, L);                                                                     \
  }
SHARED_LOADS(u8, b32, 1)
SHARED_LOADS(u16, h32, 2)
SHARED_LOADS(u32, v32, 4)
SHARED_LOADS(u64, d32, 8)

/* Vectors of 2 or 4 words of N bytes per lane: `out`/`in` hold one warp-wide vector per word. */
#define VECTORS(W, T, V, N, SIZE)                                                                                \
  NOINLINE void load##W(V *out, v32 address, u32 mask, u32 space, struct Site *site, struct Launch *L) {         \
    const u32 *a = (const u32 *)&address;                                                                        \
    NOTE(a, mask, SIZE); \
    if (mask == ~0u && space != GENERIC && halves_uniform(address)) {                                            \
      /* A lane of each group. */                                                                                 \
      if (!is_shared_pair(L, a, SIZE, space)) account(L, site, a, SIZE == 16 ? 0x1010101 : 0x10001, SIZE, space, LOAD); \
      T *low = (T *)a[0], *high = (T *)a[16];                                                                    \
      for (u32 k = 0; k < SIZE / sizeof(T); k++) {                                                               \
        ((half##N *)&out[k])[0] = (half##N){} + low[k];                                                          \
        ((half##N *)&out[k])[1] = (half##N){} + high[k];                                                         \
      }                                                                                                          \
      return;                                                                                                    \
    }                                                                                                            \
    account(L, site, a, mask, SIZE, space, LOAD);                                                                \
    for (u32 left = mask; left; left &= left - 1) {                                                              \
      u32 lane = __builtin_ctz(left);                                                                            \
      T *from = (T *)a[lane];                                                                                    \
      for (u32 k = 0; k < SIZE / sizeof(T); k++) ((T *)&out[k])[lane] = from[k];                                 \
    }                                                                                                            \
  }                                                                                                              \
  NOINLINE void store##W(V *in, v32 address, u32 mask, u32 space, struct Site *site, struct Launch *L) {         \
    const u32 *a = (const u32 *)&address;                                                                        \
    NOTE(a, mask, SIZE); \
    account(L, site, a, mask, SIZE, space, STORE);                                                               \
    for (u32 left = mask; left; left &= left - 1) {                                                              \
      u32 lane = __builtin_ctz(left);                                                                            \
      T *to = (T *)a[lane];                                                                                      \
      for (u32 k = 0; k < SIZE / sizeof(T); k++) to[k] = ((T *)&in[k])[lane];                                    \
    }                                                                                                            \
  }
VECTORS(2x1, u8, b32, 1, 2)
VECTORS(4x1, u8, b32, 1, 4)
VECTORS(2x2, u16, h32, 2, 4)
VECTORS(4x2, u16, h32, 2, 8)
VECTORS(2x4, u32, v32, 4, 8)
VECTORS(4x4_any, u32, v32, 4, 16)
VECTORS(2x8, u64, d32, 8, 16)

/* Four words per lane, all lanes: rows of four lanes are transposed in registers. */
NOINLINE void load4x4(v32 *out, v32 address, u32 mask, u32 space, struct Site *site, struct Launch *L) {
  const u32 *a = (const u32 *)&address;
  quad *o = (quad *)out;
  if (mask != ~0u || space == GENERIC || halves_uniform(address)) {
    load4x4_any(out, address, mask, space, site, L);
    return;
  }
  NOTE(a, mask, 16);
  account(L, site, a, mask, 16, space, LOAD);
  for (u32 g = 0; g < 8; g++) {
    quad r0 = *(quad *)a[4 * g], r1 = *(quad *)a[4 * g + 1], r2 = *(quad *)a[4 * g + 2], r3 = *(quad *)a[4 * g + 3];
    quad p = __builtin_shufflevector(r0, r1, 0, 4, 1, 5), q = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
    quad s = __builtin_shufflevector(r0, r1, 2, 6, 3, 7), t = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
    o[g] = __builtin_shufflevector(p, q, 0, 1, 4, 5);
    o[g + 8] = __builtin_shufflevector(p, q, 2, 3, 6, 7);
    o[g + 16] = __builtin_shufflevector(s, t, 0, 1, 4, 5);
    o[g + 24] = __builtin_shufflevector(s, t, 2, 3, 6, 7);
  }
}
NOINLINE void store4x4(v32 *in, v32 address, u32 mask, u32 space, struct Site *site, struct Launch *L) {
  const u32 *a = (const u32 *)&address;
  const quad *i = (const quad *)in;
  if (mask != ~0u || space == GENERIC) {
    store4x4_any(in, address, mask, space, site, L);
    return;
  }
  NOTE(a, mask, 16);
  account(L, site, a, mask, 16, space, STORE);
  for (u32 g = 0; g < 8; g++) {
    quad r0 = i[g], r1 = i[g + 8], r2 = i[g + 16], r3 = i[g + 24];
    quad p = __builtin_shufflevector(r0, r1, 0, 4, 1, 5), q = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
    quad s = __builtin_shufflevector(r0, r1, 2, 6, 3, 7), t = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
    *(quad *)a[4 * g] = __builtin_shufflevector(p, q, 0, 1, 4, 5);
    *(quad *)a[4 * g + 1] = __builtin_shufflevector(p, q, 2, 3, 6, 7);
    *(quad *)a[4 * g + 2] = __builtin_shufflevector(s, t, 0, 1, 4, 5);
    *(quad *)a[4 * g + 3] = __builtin_shufflevector(s, t, 2, 3, 6, 7);
  }
}
