/* Lines and sectors of a request, of half warps whose addresses follow a pattern and of any others. */

/* Patterns of the addresses of half warps. */

typedef u32 half __attribute__((vector_size(64), aligned(4)));
#define FIRST_HALF 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define SECOND_HALF 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
#define HALF_OF(a, ...) __builtin_shufflevector(a, a, __VA_ARGS__)
static const half lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

#define IS_ZERO(quad) !__builtin_wasm_any_true_v128((any)(quad))
static inline u32 is_zero(half a) {
  return IS_ZERO((HALF_OF(a, 0, 1, 2, 3) | HALF_OF(a, 4, 5, 6, 7)) | (HALF_OF(a, 8, 9, 10, 11) | HALF_OF(a, 12, 13, 14, 15)));
}
static inline u32 half_kind(half a, u32 size) {
  half base = (half){} + a[0];
  if (is_zero(a ^ base)) return 1;
  return is_zero(a ^ (base + lanes * size)) ? 2 : 0;
}
static inline u32 halves_uniform(v32 a) {
  half low = HALF_OF(a, FIRST_HALF), high = HALF_OF(a, SECOND_HALF);
  return is_zero((low ^ ((half){} + a[0])) | (high ^ ((half){} + a[16])));
}
static inline u32 all_same(v32 a, u32 value) { return is_zero((HALF_OF(a, FIRST_HALF) ^ value) | (HALF_OF(a, SECOND_HALF) ^ value)); }
static inline u32 halves_same(const u32 *a) { return is_zero(((const half *)a)[0] ^ ((const half *)a)[1]); }
/* Whether all are at most so far above `base`. */
static inline u32 all_within(v32 a, u32 base, u32 most) {
  half low = HALF_OF(a, FIRST_HALF) - base, high = HALF_OF(a, SECOND_HALF) - base;
  return is_zero((half)(low > most) | (half)(high > most));
}
static inline u32 all_aligned(v32 a, u32 size) {
  return is_zero((HALF_OF(a, FIRST_HALF) | HALF_OF(a, SECOND_HALF)) & (size - 1));
}

/* All ones for the lanes of half a mask. */
static inline half half_of(u32 mask) {
  const half bits = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
  return (half)(((half){} + mask & bits) != 0);
}
/* The addresses of the mask's lanes; the others have that of its first. */
static inline v32 active_of(const u32 *a, u32 mask) {
  v32 all = *(const v32 *)a;
  if (mask == ~0u) return all;
  half any = (half){} + a[__builtin_ctz(mask)], low = half_of(mask), high = half_of(mask >> 16);
  low = (HALF_OF(all, FIRST_HALF) & low) | (any & ~low);
  high = (HALF_OF(all, SECOND_HALF) & high) | (any & ~high);
  return __builtin_shufflevector(low, high, FIRST_HALF, SECOND_HALF);
}

/* Lanes with the same distance from each to the next: lane i of them has `base` + i * `apart`. */
struct Step { u32 base, apart; };
static inline u32 in_step(const u32 *a, u32 mask, struct Step *step) {
  u32 first = __builtin_ctz(mask), rest = mask & mask - 1, apart = 0;
  if (rest) {
    u32 second = __builtin_ctz(rest);
    int between = second - first, distance = a[second] - a[first];
    if (between > 1 && distance % between) return 0;
    apart = between > 1 ? distance / between : distance;
  }
  *step = (struct Step){a[first] - first * apart, apart};
  const half *halves = (const half *)a;
  half low = halves[0] ^ (step->base + lanes * apart), high = halves[1] ^ (step->base + (lanes + 16) * apart);
  return mask == ~0u ? is_zero(low | high) : is_zero((low & half_of(mask)) | (high & half_of(mask >> 16)));
}

/* `bank_passes` of such lanes; 0: not known. */
static inline u32 step_passes(u32 apart, u32 mask, u32 size) {
  u32 group = 32 / words_of(size), groups = 0;
  for (u32 g = 0; g < 32; g += group) groups += (mask >> g & (u32)((1ull << group) - 1)) != 0;
  if (apart == 0 || apart == size) return groups;
  if (mask != ~0u || apart & 3) return 0;
  u32 common = apart / 4 | 32, met = group * (common & -common) / 32;
  return groups * (met ? met : 1);
}

/* Bytes of a line by sector, as stores have them: 0 where all sectors are whole, of which each has 32 at most. */
static inline u32 unless_whole(u32 bytes) { return bytes & 0x1f1f1f1f ? bytes : 0; }

/* Their lines, sectors, and bytes of each line by sector as `bytes_of_lanes` has them; 0: not all is allocated, or it is not known. */
static inline u32 row_lines(u32 base, u32 mask, u32 size, u32 *lines, u8 *sectors, u32 *bytes) {
  u32 perLine = 128 / size, perSector = 32 / size, count = 0, line = base >> 7;
  for (u64 left = (u64)mask << (base & 127) / size; left; left >>= perLine, line++) {
    u32 here = left & (1ull << perLine) - 1, found = 0, amounts = 0;
    if (!here) continue;
    if (GUARD[line >> GUARD_SHIFT - 7] != 255) return 0;
    for (u32 k = 0; k < 4; k++) {
      u32 amount = __builtin_popcount(here >> k * perSector & (1u << perSector) - 1) * size;
      found |= (amount != 0) << k;
      amounts |= amount << 8 * k;
    }
    lines[count] = line;
    sectors[count] = found;
    bytes[count++] = unless_whole(amounts);
  }
  return count;
}
static inline u32 step_lines(struct Step step, const u32 *a, u32 mask, u32 size, u32 *lines, u8 *sectors, u32 *bytes) {
  if (step.apart == size && size >= 4) return row_lines(step.base, mask, size, lines, sectors, bytes);
  /* Lanes that share bytes. */
  if (step.apart == 0) mask &= -mask;
  else if (step.apart + size - 1 < 2 * size - 1) return 0;
  u32 count = 0, last = ~0u;
  for (u32 left = mask; left; left &= left - 1) {
    u32 address = a[__builtin_ctz(left)], line = address >> 7, sector = address >> 5 & 3;
    if (line != last) {
      if (GUARD[address >> GUARD_SHIFT] != 255) return 0;
      last = lines[count] = line;
      sectors[count] = bytes[count] = 0;
      count++;
    }
    sectors[count - 1] |= 1 << sector;
    bytes[count - 1] += size << 8 * sector;
  }
  for (u32 i = 0; i < count; i++) bytes[i] = unless_whole(bytes[i]);
  return count;
}

/* Distinct lines of a request, with their sectors. Faults on what is not allocated. */
NOINLINE static u32 gather_lines(struct Launch *L, struct Site *site, const u32 *a, u32 mask, u32 size, u32 *lines, u8 *sectors) {
  u32 count = 0, last = ~0u, at = 0, partial = 0;
  u32 spread = size > 32 ? size / 32 : 1;
  /* By a hash of the line, its number from 1; an open table, at most half full. */
  u8 numbers[64] = {0};
  for (u32 left = mask; left; left &= left - 1) {
    u32 address = a[__builtin_ctz(left)], line = address >> 7, bits = ((1u << spread) - 1) << (address >> 5 & 3);
    if (line != last) {
      u32 slot = line * 0x9e3779b1u >> 26;
      while (numbers[slot] && lines[numbers[slot] - 1] != line) slot = slot + 1 & 63;
      last = line;
      if (numbers[slot]) at = numbers[slot] - 1;
      else {
        partial |= GUARD[address >> GUARD_SHIFT] ^ 255;
        at = count;
        numbers[slot] = ++count;
        lines[at] = line;
        sectors[at] = bits;
        continue;
      }
    }
    sectors[at] |= bits;
  }
  if (partial)
    for (u32 left = mask; left; left &= left - 1) {
      u32 lane = __builtin_ctz(left);
      if (!allocated(a[lane], size)) fault_at(L, GLOBAL_RANGE, site, a[lane], lane, size);
    }
  return count;
}

/* The same for full warps whose halves lie on one address or on consecutive ones each; 0: they do not, or not all is allocated. */
static inline u32 halves_lines(const u32 *a, u32 size, u32 *lines, u8 *sectors) {
  const half *halves = (const half *)a;
  u32 count = 0;
  for (u32 h = 0; h < 2; h++) {
    u32 kind = half_kind(halves[h], size);
    if (!kind) return 0;
    u32 start = a[16 * h], end = start + (kind == 1 ? size : 16 * size) - 1;
    if ((GUARD[start >> GUARD_SHIFT] & GUARD[end >> GUARD_SHIFT]) != 255) return 0;
    for (u32 line = start >> 7; line <= end >> 7; line++) {
      u32 i = 0;
      while (i < count && lines[i] != line) i++;
      if (i == count) lines[count] = line, sectors[count++] = 0;
      sectors[i] |= sectors_of_span(start, end, line);
    }
  }
  return count;
}

/* `bank_passes` of what has such halves, at least 4 bytes a lane: words of a half lie in a row, so two halves of up to 16 words meet in
 * a bank where they are neither one row nor all in other banks. Wide lanes go by half warps, or less, anyway. */
static inline u32 halves_passes(const u32 *a, u32 size) {
  if (size > 4) return words_of(size);
  u32 word[2] = {a[0] >> 2, a[16] >> 2}, length[2] = {a[1] == a[0] ? 1 : 16, a[17] == a[16] ? 1 : 16};
  u32 low = word[1] < word[0], apart = word[!low] - word[low];
  if (apart <= length[low]) return 1;
  return (apart & 31) < length[low] || (-apart & 31) < length[!low] ? 2 : 1;
}

/* Bytes of each line that a request stores, by sector; 0 if all those of a line are whole. */
NOINLINE static void bytes_of_lanes(const u32 *a, u32 mask, u32 size, u32 count, const u32 *lines, u32 *bytes) {
  u32 stored[64][4], last = 0;
  for (u32 i = 0; i < count; i++)
    for (u32 k = 0; k < 4; k++) stored[i][k] = 0;
  for (u32 left = mask; left; left &= left - 1) {
    u32 address = a[__builtin_ctz(left)], line = address >> 7;
    /* Mostly the next one, as lines are in the order of lanes. */
    while (lines[last] != line) last = last + 1 < count ? last + 1 : 0;
    u32 *sectors = stored[last] + (address >> 5 & 3);
    if (size < 32) sectors[0] |= ((1u << size) - 1) << (address & 31);
    else
      for (u32 k = 0; k < size / 32; k++) sectors[k] = ~0u;
  }
  for (u32 i = 0; i < count; i++) {
    u32 amounts = 0;
    for (u32 k = 0; k < 4; k++) amounts |= __builtin_popcount(stored[i][k]) << 8 * k;
    bytes[i] = unless_whole(amounts);
  }
}

NOINLINE void touch_lanes(struct Launch *L, struct Site *site, const u32 *a, u32 mask, u32 kind, u32 size) {
  u32 lines[64], bytes[64], count = 0, banks = 0, total = 0, hasBytes = 0;
  u8 sectors[64];
  struct Step step;
  if (mask == ~0u && size <= 16) {
    count = halves_lines(a, size, lines, sectors);
    if (count && size >= 4) banks = halves_passes(a, size);
  }
  if (!count && size <= 16 && in_step(a, mask, &step)) {
    hasBytes = count = step_lines(step, a, mask, size, lines, sectors, bytes);
    banks = step_passes(step.apart, mask, size);
  }
  if (!banks) banks = bank_passes(a, mask, size);
  if (!count) count = gather_lines(L, site, a, mask == ~0u && halves_same(a) ? 0xffff : mask, size, lines, sectors);
  if (L->undo && kind != LOAD)
    for (u32 left = mask; left; left &= left - 1) writes(L, a[__builtin_ctz(left)], size);
  if (kind == LOAD) total = l1_read(L, site, count, lines, sectors);
  else {
    for (u32 i = 0; i < count; i++) total += __builtin_popcount(sectors[i]);
    if (!hasBytes) bytes_of_lanes(a, mask, size, count, lines, bytes);
    store_lines(L, count, lines, sectors, bytes);
  }
  u32 passes = count_passes(site, kind, banks, tag_passes(count, lines));
  if (L->trace) trace_lines(L, site, count, lines, sectors, passes);
  site->sectors += total;
  site->lines += count;
}

/* Of keys, each with a weight: distinct ones, from 1, by an open table of their hashes, at most half full. */
struct Distinct { u8 numbers[64]; u32 count, keys[32], weights[32]; };
static inline void no_keys(struct Distinct *D) {
  __builtin_memset(D->numbers, 0, sizeof D->numbers);
  D->count = 0;
}
static inline u32 number_of(struct Distinct *D, u32 key) {
  u32 slot = key * 0x9e3779b1u >> 26;
  while (D->numbers[slot] && D->keys[D->numbers[slot] - 1] != key) slot = slot + 1 & 63;
  if (!D->numbers[slot]) {
    D->numbers[slot] = D->count + 1;
    D->keys[D->count] = key;
    D->weights[D->count++] = 0;
  }
  return D->numbers[slot] - 1;
}

/* Atomics work in L2: a sector serves, per pass, one lane on each of its addresses (H200 reference, A6: the counter
 * l1tex__t_sectors_pipe_lsu_mem_global_op_red is the sum of these passes). */
NOINLINE void touch_atomic(struct Launch *L, struct Site *site, const u32 *a, u32 mask, u32 size) {
  u32 lines[64], count, most = 0, total = 0;
  u8 sectors[64];
  count = gather_lines(L, site, a, mask, size, lines, sectors);
  L->asking = 1;
  L->storedCount = 0;
  if (L->undo)
    for (u32 left = mask; left; left &= left - 1) {
      u32 address = a[__builtin_ctz(left)];
      if (L->log) writes_later(L, address);
      else writes(L, address, size);
    }
  for (u32 i = 0; i < count; i++) sectors[i] |= l2_access(L, lines[i], sectors[i], ATOMIC, 0);
  u32 both = count_passes(site, ATOMIC, lane_passes(a, mask, size, 1), tag_passes(count, lines));
  if (L->trace) trace_lines(L, site, count, lines, sectors, both);
  struct Distinct addresses, passes;
  no_keys(&addresses);
  no_keys(&passes);
  for (u32 left = mask; left; left &= left - 1) addresses.weights[number_of(&addresses, a[__builtin_ctz(left)])]++;
  for (u32 i = 0; i < addresses.count; i++) {
    u32 lanes = addresses.weights[i], *of = &passes.weights[number_of(&passes, addresses.keys[i] >> 5)];
    if (lanes > *of) *of = lanes;
  }
  u32 *hot = (u32 *)L->hot;
  for (u32 i = 0; i < passes.count; i++) {
    u32 sector = passes.keys[i], own = passes.weights[i];
    if (own > most) most = own;
    total += own;
    hot[(sector >> 4) % HOT_GRANULES] += own;
    if (site->pastL1) hot[HOT_GRANULES + sector % HOT_GRANULES] += own;
  }
  site->sectors += total;
  site->lines += count;
  site->lanes += __builtin_popcount(mask);
  site->conflicts += most;
}
