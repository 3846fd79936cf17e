/*
 * What widened kernels call: memory requests that are not plain vector loads, the cache tag model, atomics, shuffles,
 * and the loop over blocks and warps. Compiled to LLVM IR text once (`node engine/warp/runtime/generate.ts`), kept in
 * ir.ts, and prepended to every kernel module, so that LLVM drops what a program does not use.
 *
 * A warp-wide value is a vector of 32; a lane mask is 32 bits. Device addresses are addresses in the one linear memory.
 */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef u32 v32 __attribute__((vector_size(128)));
typedef float f32x32 __attribute__((vector_size(128)));
typedef u8 b32 __attribute__((vector_size(32)));
typedef u16 h32 __attribute__((vector_size(64)));
typedef u64 d32 __attribute__((vector_size(256)));

#define NOINLINE __attribute__((noinline))
#define PURE __attribute__((noinline, const))

/* Offsets are mirrored in engine/warp/layout.ts. */
struct Launch {
  u32 params, shared, sharedBytes, ctaid[3], ntid[3], nctaid[3]; /* 0 .. 47 */
  u32 local, localBytes, lowest, clock;                          /* 48 .. 63 */
  u32 warps, warpStride, warpBase, smCount;                      /* 64 .. 79 */
  u32 l1Sets, l2Sets, l1Base, l2Base;                            /* 80 .. 95 */
  u32 l1, variables, unused[2];                              /* 96 .. 111 */
  u64 l1Hits, l1Misses, l2Hits, l2Misses, dramRead, dramWrite;   /* 112 .. 159 */
  u32 reduction[4];                                              /* 160 .. 175 */
};
struct Site {
  u64 sectors, wavefronts, sharedRequests, localRequests;
};

enum { GENERIC = 0, GLOBAL = 1, SHARED = 3, CONSTANT = 4, LOCAL = 5 };
enum { LOAD = 0, STORE = 1, ATOMIC = 2 };
enum { NULL_ACCESS = 1, SHARED_RANGE = 2, MISALIGNED = 3, TRAP = 4, DIVERGENT_BARRIER = 5, NO_PROGRESS = 6 };

__attribute__((import_module("env"), import_name("fault"), noreturn)) void fault(u32 code, struct Site *site, u32 address);

/* ---- caches: sectored, LRU by moving to the front; tag 0 is empty, so tags are line number + 1 ---- */
#define L1_WAYS 4
#define L2_WAYS 8
struct L1Set { u32 tag[L1_WAYS]; u8 valid[L1_WAYS]; };
struct L2Set { u32 tag[L2_WAYS]; u8 valid[L2_WAYS]; u8 dirty[L2_WAYS]; };

NOINLINE void l2_access(struct Launch *L, u32 line, u32 sectors, u32 write) {
  /* Power-of-two strides spread over the sets, as the hash of real slices does. */
  struct L2Set *set = (struct L2Set *)L->l2Base + (line ^ (line >> 13)) % L->l2Sets;
  u32 tag = line + 1, way = 0;
  while (way < L2_WAYS - 1 && set->tag[way] != tag) way++;
  u8 valid = set->valid[way], dirty = set->dirty[way];
  if (set->tag[way] != tag) {
    L->dramWrite += 32 * __builtin_popcount(dirty);
    valid = dirty = 0;
  }
  for (u32 i = way; i > 0; i--) {
    set->tag[i] = set->tag[i - 1];
    set->valid[i] = set->valid[i - 1];
    set->dirty[i] = set->dirty[i - 1];
  }
  u32 hits = write ? sectors : sectors & valid;
  L->l2Hits += __builtin_popcount(hits);
  u32 missed = __builtin_popcount(sectors & ~hits);
  L->l2Misses += missed;
  L->dramRead += 32 * missed;
  set->tag[0] = tag;
  set->valid[0] = valid | sectors;
  set->dirty[0] = write ? dirty | sectors : dirty;
}

NOINLINE void l1_read(struct Launch *L, u32 line, u32 sectors) {
  struct L1Set *set = (struct L1Set *)L->l1 + (line ^ (line >> 11)) % L->l1Sets;
  u32 tag = line + 1;
  if (set->tag[0] == tag && (set->valid[0] & sectors) == sectors) {
    L->l1Hits += __builtin_popcount(sectors);
    return;
  }
  u32 way = 0;
  while (way < L1_WAYS - 1 && set->tag[way] != tag) way++;
  u8 valid = set->tag[way] == tag ? set->valid[way] : 0;
  for (u32 i = way; i > 0; i--) {
    set->tag[i] = set->tag[i - 1];
    set->valid[i] = set->valid[i - 1];
  }
  u32 missing = sectors & ~valid;
  L->l1Hits += __builtin_popcount(sectors & valid);
  L->l1Misses += __builtin_popcount(missing);
  set->tag[0] = tag;
  set->valid[0] = valid | sectors;
  if (missing) l2_access(L, line, missing, 0);
}

/* A request for `bytes` consecutive bytes: the fast path of full warps. Returns its sectors. */
NOINLINE u32 touch_span(struct Launch *L, u32 address, u32 bytes, u32 kind) {
  u32 first = address >> 5, last = (address + bytes - 1) >> 5;
  for (u32 line = first >> 2; line <= last >> 2; line++) {
    u32 from = line << 2 < first ? first & 3 : 0, to = (line << 2) + 3 > last ? last & 3 : 3;
    u32 sectors = (2u << to) - (1u << from);
    if (kind == LOAD) l1_read(L, line, sectors);
    else l2_access(L, line, sectors, 1);
  }
  return last - first + 1;
}

NOINLINE u32 touch_lanes(struct Launch *L, const u32 *a, u32 mask, u32 kind, u32 size) {
  u32 lines[64], count = 0, highest = 0, total = 0;
  u8 sectors[64];
  u32 spread = size > 32 ? size / 32 : 1;
  for (u32 left = mask; left; left &= left - 1) {
    u32 address = a[__builtin_ctz(left)], line = address >> 7, bits = ((1u << spread) - 1) << (address >> 5 & 3), i = count;
    if (count == 0 || line > highest) highest = line;
    else {
      while (i > 0 && lines[i - 1] != line) i--;
      if (i > 0) {
        sectors[i - 1] |= bits;
        continue;
      }
      i = count;
    }
    lines[i] = line;
    sectors[i] = bits;
    count = i + 1;
  }
  for (u32 i = 0; i < count; i++) {
    total += __builtin_popcount(sectors[i]);
    if (kind == LOAD) l1_read(L, lines[i], sectors[i]);
    else l2_access(L, lines[i], sectors[i], 1);
  }
  return total;
}

/* ---- shared memory: wavefronts and shape of a request; pure, so LLVM computes it once for all loads off one base ---- */

/* Distinct words per bank, at most; `same` true: lanes on one word take turns too (atomics). */
static u32 passes(const u32 *words, u64 mask, u32 same) {
  u32 bank[32], rounds = 0;
  while (mask) {
    u32 taken = 0;
    u64 rest = 0;
    rounds++;
    for (u64 left = mask; left; left &= left - 1) {
      u32 lane = __builtin_ctzll(left), word = words[lane], bit = 1u << (word & 31);
      if (!(taken & bit)) {
        taken |= bit;
        bank[word & 31] = word;
      } else if (same || bank[word & 31] != word) rest |= 1ull << lane;
    }
    mask = rest;
  }
  return rounds;
}

typedef u32 half __attribute__((vector_size(64), aligned(4)));
#define FIRST_HALF 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define SECOND_HALF 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
#define HALF_OF(a, ...) __builtin_shufflevector(a, a, __VA_ARGS__)
static const half lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static inline u32 half_kind(half a, u32 size) {
  half base = (half){} + a[0];
  if (!__builtin_reduce_or(a ^ base)) return 1;
  return !__builtin_reduce_or(a ^ (base + lanes * size)) ? 2 : 0;
}
static inline u32 halves_uniform(v32 a) {
  half low = HALF_OF(a, FIRST_HALF), high = HALF_OF(a, SECOND_HALF);
  return !__builtin_reduce_or((low ^ ((half){} + a[0])) | (high ^ ((half){} + a[16])));
}

/* Bits 0-1 and 2-3: how lanes 0-15 and 16-31 lie (1 one address, 2 consecutive); bit 4: all 32 active and consecutive;
 * bits 8 and up: wavefronts. Addresses may lack a constant offset that is a multiple of the access size: banks only rotate.
 *
 * Wavefronts of wide requests, inferred from an H200's counters (tiled SGEMM, 1024^3: 50.4 M wavefronts for 33.6 M
 * 32-bit loads and 8.4 M 128-bit loads from one or two addresses, that is 1 and 2; 4 when all lanes differ): a 128-bit
 * request goes by half warps, a 64-bit one together, each as often as its fullest bank has distinct words. */
PURE u32 shared_shape(v32 a, u32 mask, u32 size) {
  u32 shape = half_kind(HALF_OF(a, FIRST_HALF), size) | half_kind(HALF_OF(a, SECOND_HALF), size) << 2;
  if (mask == ~0u && shape == 10 && a[16] == a[0] + 16 * size) {
    u32 wavefronts = size <= 4 ? (a[0] & 3) + 32 * size > 128 ? 2 : 1 : size / 4;
    return shape | 16 | wavefronts << 8;
  }
  if (mask == ~0u && shape == 5 && (size == 16 || a[16] == a[0])) return shape | (size == 16 ? 2 : 1) << 8;
  u32 words[64], wavefronts = 0;
  u32 spread = size <= 4 ? 1 : size / 4, group = size == 16 ? 16 : 32;
  for (u32 g = 0; g < 32; g += group) {
    u64 active = 0;
    for (u32 i = 0; i < group; i++)
      for (u32 k = 0; k < spread; k++) {
        words[i * spread + k] = (a[g + i] >> 2) + k;
        active |= (u64)(mask >> (g + i) & 1) << (i * spread + k);
      }
    wavefronts += passes(words, active, 0);
  }
  return shape | wavefronts << 8;
}

PURE u32 shared_atomic_passes(v32 a, u32 mask) {
  u32 words[32];
  for (u32 i = 0; i < 32; i++) words[i] = a[i] >> 2;
  return passes(words, mask, 1);
}

/* ---- requests off the fast path ---- */
static inline int in_shared(struct Launch *L, u32 address) { return address - L->shared < L->sharedBytes; }

/* Checks every active address, finds out where a generic request goes, and counts it. Returns the space. */
static u32 account(struct Launch *L, struct Site *site, const u32 *a, u32 mask, u32 size, u32 space, u32 kind) {
  if (mask == 0) return space;
  if (space == GENERIC) {
    u32 first = a[__builtin_ctz(mask)];
    space = in_shared(L, first) ? SHARED : first >= L->lowest ? GLOBAL : first >= L->local ? LOCAL : GLOBAL;
    if (space == SHARED) {
      v32 v;
      for (u32 i = 0; i < 32; i++) v[i] = a[i];
      site->sharedRequests++;
      site->wavefronts += kind == ATOMIC ? shared_atomic_passes(v, mask) : shared_shape(v, mask, size) >> 8;
    }
    if (space == LOCAL) site->localRequests++;
  }
  if (mask == ~0u) {
    /* All lanes at once; only if something is wrong, lane by lane for the message. */
    v32 v = *(const v32 *)a;
    if (!(__builtin_reduce_or(v) & (size - 1))) {
      if (space == GLOBAL && __builtin_reduce_min(v) >= L->lowest) goto checked;
      if (space == SHARED && __builtin_reduce_max(v - L->shared) <= L->sharedBytes - size) goto checked;
    }
  }
  for (u32 left = mask; left; left &= left - 1) {
    u32 address = a[__builtin_ctz(left)];
    if (address & (size - 1)) fault(MISALIGNED, site, address);
    if (space == SHARED && address - L->shared > L->sharedBytes - size) fault(SHARED_RANGE, site, address - L->shared);
    if (space == GLOBAL && address < L->lowest) fault(NULL_ACCESS, site, address);
  }
checked:
  if (space == GLOBAL) site->sectors += touch_lanes(L, a, mask, kind, size);
  return space;
}

/* One address for the whole warp. */
NOINLINE void account_one(struct Launch *L, struct Site *site, u32 address, u32 size, u32 space, u32 kind) {
  u32 a[32];
  a[0] = address;
  account(L, site, a, 1, size, space, kind);
}

#define LOADS(T, V, N)                                                                                             \
  NOINLINE void load##N(V *out, v32 address, u32 mask, u32 space, struct Site *site, struct Launch *L) {           \
    const u32 *a = (const u32 *)&address;                                                                          \
    if (mask == ~0u && space != GENERIC && halves_uniform(address)) {                                              \
      account(L, site, a, 0x10001, N, space, LOAD);                                                                \
      T *values = (T *)out, x = *(T *)a[0], y = *(T *)a[16];                                                       \
      _Pragma("clang loop unroll(full)") for (u32 i = 0; i < 16; i++) {                                            \
        values[i] = x;                                                                                             \
        values[i + 16] = y;                                                                                        \
      }                                                                                                            \
      return;                                                                                                      \
    }                                                                                                              \
    account(L, site, a, mask, N, space, LOAD);                                                                     \
    if (mask == ~0u) {                                                                                             \
      T *values = (T *)out;                                                                                        \
      _Pragma("clang loop unroll(full)") for (u32 i = 0; i < 32; i++) values[i] = *(T *)a[i];                      \
    } else                                                                                                         \
      for (u32 left = mask; left; left &= left - 1) {                                                              \
        u32 lane = __builtin_ctz(left);                                                                            \
        ((T *)out)[lane] = *(T *)a[lane];                                                                          \
      }                                                                                                            \
  }                                                                                                                \
  NOINLINE void store##N(V *in, v32 address, u32 mask, u32 space, struct Site *site, struct Launch *L) {           \
    const u32 *a = (const u32 *)&address;                                                                          \
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

/* Shared words whose shape is known: half warps on one address or on consecutive words (rows of 16 x 16 tiles). */
NOINLINE void load_shared4(v32 *out, v32 address, u32 mask, u32 shape, struct Site *site, struct Launch *L) {
  const u32 *a = (const u32 *)&address;
  u32 limit = L->sharedBytes - 64;
  if (mask == ~0u && (shape & 3) && (shape & 12) && L->sharedBytes >= 64 && a[0] - L->shared <= limit && a[16] - L->shared <= limit && !((a[0] | a[16]) & 3)) {
    half *o = (half *)out;
    u32 x = *(u32 *)a[0], y = *(u32 *)a[16];
    o[0] = shape & 1 ? (half){} + x : *(half *)a[0];
    o[1] = shape & 4 ? (half){} + y : *(half *)a[16];
    return;
  }
  load4(out, address, mask, SHARED, site, L);
}

/* Vectors of 2 or 4 words per lane: `out`/`in` hold one warp-wide vector per word. */
#define VECTORS(W, T, V, SIZE)                                                                                      \
  NOINLINE void load##W(V *out, v32 address, u32 mask, u32 space, struct Site *site, struct Launch *L) {            \
    const u32 *a = (const u32 *)&address;                                                                           \
    account(L, site, a, mask, SIZE, space, LOAD);                                                                   \
    for (u32 left = mask; left; left &= left - 1) {                                                                 \
      u32 lane = __builtin_ctz(left);                                                                               \
      T *from = (T *)a[lane];                                                                                       \
      for (u32 k = 0; k < SIZE / sizeof(T); k++) ((T *)&out[k])[lane] = from[k];                                    \
    }                                                                                                               \
  }                                                                                                                 \
  NOINLINE void store##W(V *in, v32 address, u32 mask, u32 space, struct Site *site, struct Launch *L) {            \
    const u32 *a = (const u32 *)&address;                                                                           \
    account(L, site, a, mask, SIZE, space, STORE);                                                                  \
    for (u32 left = mask; left; left &= left - 1) {                                                                 \
      u32 lane = __builtin_ctz(left);                                                                               \
      T *to = (T *)a[lane];                                                                                         \
      for (u32 k = 0; k < SIZE / sizeof(T); k++) to[k] = ((T *)&in[k])[lane];                                       \
    }                                                                                                               \
  }
VECTORS(2x1, u8, b32, 2)
VECTORS(4x1, u8, b32, 4)
VECTORS(2x2, u16, h32, 4)
VECTORS(4x2, u16, h32, 8)
VECTORS(2x4, u32, v32, 8)
VECTORS(4x4_masked, u32, v32, 16)
VECTORS(2x8, u64, d32, 16)

/* Four words per lane, all lanes: rows of four lanes are transposed in registers. */
typedef u32 quad __attribute__((vector_size(16), aligned(4)));
NOINLINE void load4x4(v32 *out, v32 address, u32 mask, u32 space, struct Site *site, struct Launch *L) {
  const u32 *a = (const u32 *)&address;
  quad *o = (quad *)out;
  if (mask != ~0u || space == GENERIC) {
    load4x4_masked(out, address, mask, space, site, L);
    return;
  }
  if (halves_uniform(address)) {
    account(L, site, a, 0x10001, 16, space, LOAD);
    quad x = *(quad *)a[0], y = *(quad *)a[16];
    for (u32 k = 0; k < 4; k++)
      for (u32 i = 0; i < 4; i++) {
        o[k * 8 + i] = (quad){} + x[k];
        o[k * 8 + i + 4] = (quad){} + y[k];
      }
    return;
  }
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
    store4x4_masked(in, address, mask, space, site, L);
    return;
  }
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

/* ---- atomics: lanes in order ---- */
#define ATOMIC_LOOP(NAME, T, V, NEW)                                                                                \
  NOINLINE void atomic_##NAME(V *out, v32 address, V *in, u32 mask, u32 space, struct Site *site, struct Launch *L) { \
    const u32 *a = (const u32 *)&address;                                                                           \
    if (account(L, site, a, mask, sizeof(T), space, ATOMIC) == SHARED && space == SHARED)                           \
      site->wavefronts += shared_atomic_passes(address, mask);                                                      \
    for (u32 left = mask; left; left &= left - 1) {                                                                 \
      u32 lane = __builtin_ctz(left);                                                                               \
      T *at = (T *)a[lane], old = *at, value = ((T *)in)[lane];                                                     \
      *at = NEW;                                                                                                    \
      ((T *)out)[lane] = old;                                                                                       \
    }                                                                                                               \
  }
typedef int s32;
typedef long long s64;
#define INTEGER_ATOMICS(U, S, V)                                                                                    \
  ATOMIC_LOOP(add_##U, U, V, old + value)                                                                           \
  ATOMIC_LOOP(sub_##U, U, V, old - value)                                                                           \
  ATOMIC_LOOP(and_##U, U, V, old & value)                                                                           \
  ATOMIC_LOOP(or_##U, U, V, old | value)                                                                            \
  ATOMIC_LOOP(xor_##U, U, V, old ^ value)                                                                           \
  ATOMIC_LOOP(nand_##U, U, V, ~(old & value))                                                                       \
  ATOMIC_LOOP(xchg_##U, U, V, value)                                                                                \
  ATOMIC_LOOP(umax_##U, U, V, old > value ? old : value)                                                            \
  ATOMIC_LOOP(umin_##U, U, V, old < value ? old : value)                                                            \
  ATOMIC_LOOP(max_##U, S, V, old > value ? old : value)                                                             \
  ATOMIC_LOOP(min_##U, S, V, old < value ? old : value)                                                             \
  ATOMIC_LOOP(uinc_wrap_##U, U, V, old >= value ? 0 : old + 1)                                                      \
  ATOMIC_LOOP(udec_wrap_##U, U, V, old == 0 || old > value ? value : old - 1)
INTEGER_ATOMICS(u32, s32, v32)
INTEGER_ATOMICS(u64, s64, d32)
#define FLOAT_ATOMICS(T, V)                                                                                         \
  ATOMIC_LOOP(fadd_##T, T, V, old + value)                                                                          \
  ATOMIC_LOOP(fsub_##T, T, V, old - value)                                                                          \
  ATOMIC_LOOP(fmax_##T, T, V, old > value ? old : value)                                                            \
  ATOMIC_LOOP(fmin_##T, T, V, old < value ? old : value)
FLOAT_ATOMICS(float, v32)
FLOAT_ATOMICS(double, d32)

#define CAS_LOOP(T, V)                                                                                              \
  NOINLINE void atomic_cas_##T(V *out, v32 address, V *expected, V *in, u32 mask, u32 space, struct Site *site, struct Launch *L) { \
    const u32 *a = (const u32 *)&address;                                                                           \
    if (account(L, site, a, mask, sizeof(T), space, ATOMIC) == SHARED && space == SHARED)                           \
      site->wavefronts += shared_atomic_passes(address, mask);                                                      \
    for (u32 left = mask; left; left &= left - 1) {                                                                 \
      u32 lane = __builtin_ctz(left);                                                                               \
      T *at = (T *)a[lane], old = *at;                                                                              \
      if (old == ((T *)expected)[lane]) *at = ((T *)in)[lane];                                                      \
      ((T *)out)[lane] = old;                                                                                       \
    }                                                                                                               \
  }
CAS_LOOP(u16, h32)
CAS_LOOP(u32, v32)
CAS_LOOP(u64, d32)

/* ---- warp operations ---- */

/* SHFL with lane operand `b` and the packed clamp/segment operand `c`, as PTX defines it. mode: 0 up, 1 down, 2 bfly, 3 idx.
 * Returns the predicate: which lanes read from within their segment. */
NOINLINE u32 shuffle(v32 *out, v32 value, v32 b, v32 c, u32 mode) {
  u32 inside = 0;
  for (u32 lane = 0; lane < 32; lane++) {
    s32 clamp = c[lane] & 31, segment = c[lane] >> 8 & 31, offset = b[lane] & 31;
    s32 most = (lane & segment) | (clamp & ~segment), least = lane & segment, from;
    u32 valid;
    if (mode == 0) valid = (from = (s32)lane - offset) >= most;
    else if (mode == 1) valid = (from = (s32)lane + offset) <= most;
    else if (mode == 2) valid = (from = (s32)lane ^ offset) <= most;
    else valid = (from = least | (offset & ~segment)) <= most;
    if (!valid) from = lane;
    ((u32 *)out)[lane] = value[from & 31];
    inside |= valid << lane;
  }
  return inside;
}

NOINLINE void match_any4(v32 *out, v32 value, u32 mask) {
  for (u32 left = mask; left; left &= left - 1) {
    u32 lane = __builtin_ctz(left), same = 0;
    for (u32 other = mask; other; other &= other - 1)
      if (value[__builtin_ctz(other)] == value[lane]) same |= other & -other;
    ((u32 *)out)[lane] = same;
  }
}

/* op: 0 add, 1 umin, 2 umax, 3 min, 4 max, 5 and, 6 or, 7 xor */
NOINLINE u32 reduce4(v32 value, u32 mask, u32 op) {
  u32 result = op == 1 || op == 5 ? ~0u : op == 3 ? 0x7fffffffu : op == 4 ? 0x80000000u : 0;
  for (u32 left = mask; left; left &= left - 1) {
    u32 x = value[__builtin_ctz(left)];
    if (op == 0) result += x;
    else if (op == 1) result = x < result ? x : result;
    else if (op == 2) result = x > result ? x : result;
    else if (op == 3) result = (s32)x < (s32)result ? x : result;
    else if (op == 4) result = (s32)x > (s32)result ? x : result;
    else if (op == 5) result &= x;
    else if (op == 6) result |= x;
    else result ^= x;
  }
  return result;
}

struct Warp {
  v32 tid[3];
  u32 mask, resume, id, phase;
};

/* Barriers with a sum (__syncthreads_count, _and, _or). Three sums take turns: while some warps read that of one barrier,
 * others may already add to the next; the third is cleared. */
NOINLINE void barrier_add(struct Warp *warp, struct Launch *L, u32 amount) {
  u32 phase = warp->phase % 3;
  L->reduction[phase] += amount;
  L->reduction[(phase + 1) % 3] = 0;
}
NOINLINE u32 barrier_sum(struct Warp *warp, struct Launch *L) { return L->reduction[warp->phase++ % 3]; }

/* ---- arithmetic that WebAssembly has not ---- */

/* Correctly rounded float fma: the product is exact in double; the sum is rounded to odd there, so that rounding it to
 * float once more cannot go wrong. */
NOINLINE float fma1(float a, float b, float c) {
  double p = (double)a * b, s = p + c, back = s - p, error = (p - (s - back)) + (c - back);
  union { double d; u64 u; } bits = {s};
  if (error != 0 && !(bits.u & 1) && error == error) bits.u += (error > 0) == (s > 0) ? 1 : -1;
  return (float)bits.d;
}
double fma(double, double, double);

NOINLINE float half_to_float(u16 h) {
  union { u32 u; float f; } bits;
  u32 exponent = h >> 10 & 31, fraction = h & 1023;
  if (exponent == 31) bits.u = 0x7f800000 | fraction << 13;
  else if (exponent) bits.u = (exponent + 112) << 23 | fraction << 13;
  else bits.f = fraction * 0x1p-24f;
  bits.u |= (u32)(h & 0x8000) << 16;
  return bits.f;
}
NOINLINE u16 double_to_half(double d) {
  union { double d; u64 u; } bits = {d};
  u32 sign = bits.u >> 48 & 0x8000;
  bits.u &= ~(1ull << 63);
  if (bits.u > 0x7ff0000000000000ull) return 0x7fff;
  if (bits.d >= 65520.0) return sign | 0x7c00;
  if (bits.d < 0x1p-14) return sign | (u32)__builtin_rint(bits.d * 0x1p24);
  u64 rounded = bits.u + 0x1ffffffffffull + (bits.u >> 42 & 1);
  return sign | (u32)((rounded >> 42) - ((u64)(1023 - 15) << 10));
}

/* Division by zero does not trap on a GPU: all ones. */
u64 udiv64(u64 a, u64 b) { return b ? a / b : ~0ull; }
u64 urem64(u64 a, u64 b) { return b ? a % b : a; }
u64 sdiv64(s64 a, s64 b) { return b == -1 ? -(u64)a : b ? (u64)(a / b) : ~0ull; }
u64 srem64(s64 a, s64 b) { return b == -1 ? 0 : b ? (u64)(a % b) : (u64)a; }

/* ---- blocks and warps ---- */
typedef u32 Kernel(struct Warp *, struct Launch *, void *counts, struct Site *sites);

/* Blocks one after the other; a block's warps in turn, each up to its next barrier. */
NOINLINE void run_blocks(struct Launch *L, Kernel *kernel, u32 first, u32 count, void *counts, struct Site *sites) {
  u32 l1Bytes = L->l1Sets * sizeof(struct L1Set);
  for (u32 block = first; block < first + count; block++) {
    L->ctaid[0] = block % L->nctaid[0];
    L->ctaid[1] = block / L->nctaid[0] % L->nctaid[1];
    L->ctaid[2] = block / L->nctaid[0] / L->nctaid[1];
    L->l1 = L->l1Base + block % L->smCount * l1Bytes;
    u32 live = L->warps;
    L->reduction[0] = L->reduction[1] = L->reduction[2] = 0;
    for (u32 w = 0; w < L->warps; w++) {
      struct Warp *warp = (struct Warp *)(L->warpBase + w * L->warpStride);
      warp->resume = warp->phase = 0;
    }
    while (live) {
      for (u32 w = 0; w < L->warps; w++) {
        struct Warp *warp = (struct Warp *)(L->warpBase + w * L->warpStride);
        if (warp->resume == ~0u) continue;
        if (kernel(warp, L, counts, sites) == 0) {
          warp->resume = ~0u;
          live--;
        }
      }
    }
  }
}
