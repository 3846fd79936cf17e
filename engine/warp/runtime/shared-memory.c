/* Wavefronts and shape of a request of shared memory; pure, so LLVM computes it once for all loads off one base. */

/* Bits 0-1 and 2-3: how lanes 0-15 and 16-31 lie (1 one address, 2 consecutive); bit 4: all 32 active and consecutive;
 * bits 8 to 15: wavefronts; bits 16 and up: those beyond the first that there are without conflicts, too, one for each further group of
 * lanes that go together, 0 where size is at most 4. Addresses may lack a constant offset that is a multiple of the access size: banks only rotate.
 *
 * Wavefronts of wide requests, as all 1,151 cases of banks.json (H200 reference) have them: 128 bytes of lanes go together, that is
 * 16 lanes of 64 bits or 8 of 128; for loads twice as many if in them every lane has the address of its neighbour, or every lane that
 * of the one two away. What goes together takes as many wavefronts as its fullest bank has distinct words. ---- */
typedef __attribute__((vector_size(16))) int ints;
/* Lanes that have another address than the one so many lanes further, 1 or 2, where both are active: the first of each pair, a bit each. */
static inline u32 unlike_neighbours(const u32 *a, u32 mask, u32 apart) {
  u32 alike = 0, firsts = apart == 1 ? 0x55555555 : 0x33333333;
  for (u32 g = 0; g < 32; g += 4) {
    quad x = *(const quad *)(a + g);
    quad other = apart == 1 ? __builtin_shufflevector(x, x, 1, 0, 3, 2) : __builtin_shufflevector(x, x, 2, 3, 0, 1);
    alike |= __builtin_wasm_bitmask_i32x4((ints)(x == other)) << g;
  }
  return firsts & mask & mask >> apart & ~alike;
}
PURE u32 shared_shape(v32 a, u32 mask, u32 size, u32 isWideStore) {
  u32 shape = half_kind(HALF_OF(a, FIRST_HALF), size) | half_kind(HALF_OF(a, SECOND_HALF), size) << 2;
  if (mask == ~0u && shape == 10 && a[16] == a[0] + 16 * size) {
    u32 wavefronts = size <= 4 ? (a[0] & 3) + 32 * size > 128 ? 2 : 1 : size / 4;
    return shape | 16 | wavefronts << 8 | (size <= 4 ? 0 : wavefronts - 1) << 16;
  }
  /* Rows of tiles 16 wide: half warps on the same row, or each on a word of its own. */
  if (mask == ~0u && shape == 10 && a[16] == a[0] && size <= 4) return shape | 1 << 8;
  if (mask == ~0u && shape == 5 && size == 16) return shape | (isWideStore ? 4 << 8 | 3 << 16 : 2 << 8 | 1 << 16);
  if (mask == ~0u && shape == 5) {
    u32 words = (a[0] ^ a[16]) >> 2;
    return shape | (isWideStore || (words && !(words & 31)) ? 2 : 1) << 8 | isWideStore << 16;
  }
  /* The same distance from lane to lane. */
  struct Step step;
  u32 met = mask && size <= 4 && in_step((const u32 *)&a, mask, &step) ? step_passes(step.apart, mask, size) : 0;
  if (met) return shape | met << 8;
  /* Each lane on a bank of its own, in whatever order. */
  if (mask == ~0u && size <= 4) {
    u32 banks = 0;
    for (u32 i = 0; i < 32; i++) banks |= 1u << (a[i] >> 2 & 31);
    if (banks == ~0u) return shape | 1 << 8;
  }
  if (size <= 4) return shape | word_passes((const u32 *)&a, mask, 0) << 8;
  u32 wavefronts = 0, groups = 0, group = 128 / size, unlike[2] = {~0u, ~0u};
  if (!isWideStore) {
    unlike[0] = unlike_neighbours((const u32 *)&a, mask, 1);
    unlike[1] = unlike_neighbours((const u32 *)&a, mask, 2);
  }
  for (u32 g = 0, count; g < 32; g += count) {
    u32 both = (u32)((1ull << 2 * group) - 1) << g;
    count = g & group || (unlike[0] & both && unlike[1] & both) ? group : 2 * group;
    u32 here = mask & (u32)((1ull << count) - 1) << g;
    wavefronts += word_passes((const u32 *)&a, here, 0);
    groups += here != 0;
  }
  return shape | wavefronts << 8 | (groups ? groups - 1 : 0) << 16;
}

PURE u32 shared_atomic_passes(v32 a, u32 mask, u32 size, u32 same) { return lane_passes((const u32 *)&a, mask, size, same); }

/* Where in its own local memory each lane of the mask accesses; others' count as well, as hardware has them side by side. */
static inline v32 local_words(struct Launch *L, const u32 *a, u32 mask) {
  u32 bytes = L->localBytes, one = __builtin_ctz(mask);
  /* The thread of the first lane, if that accesses its own: one division instead of 32. */
  u32 start = a[one] - L->local, first = start - start % bytes - one * bytes;
  v32 all = *(const v32 *)a - L->local, offsets;
  half low = HALF_OF(all, FIRST_HALF) - first - lanes * bytes, high = HALF_OF(all, SECOND_HALF) - first - (lanes + 16) * bytes;
  offsets = __builtin_shufflevector(low, high, FIRST_HALF, SECOND_HALF);
  offsets = active_of((const u32 *)&offsets, mask);
  if (!all_within(offsets, 0, bytes - 1))
    for (u32 left = mask; left; left &= left - 1) {
      u32 lane = __builtin_ctz(left);
      offsets[lane] = (a[lane] - L->local) % bytes;
    }
  return offsets >> 2;
}

/* Of eight lanes, two times four: those of the mask that have a word which none before them has. */
static inline u32 distinct_of_eight(const u32 *words, u32 mask) {
  const quad bits = {1, 2, 4, 8};
  quad low = *(const quad *)words, high = *(const quad *)(words + 4);
  /* The others have words of their own, which there are not. */
  quad isLow = (quad)(((quad){} + mask & bits) != 0), isHigh = (quad)(((quad){} + (mask >> 4) & bits) != 0);
  low = (low & isLow) | (-bits & ~isLow);
  high = (high & isHigh) | (-(bits << 4) & ~isHigh);
  quad seenLow = (quad)(low == __builtin_shufflevector(low, low, 0, 0, 1, 2)) & (quad){0, ~0u, ~0u, ~0u};
  seenLow |= (quad)(low == __builtin_shufflevector(low, low, 0, 1, 0, 1)) & (quad){0, 0, ~0u, ~0u};
  seenLow |= (quad)(low == __builtin_shufflevector(low, low, 0, 1, 2, 0)) & (quad){0, 0, 0, ~0u};
  quad seenHigh = (quad)(high == __builtin_shufflevector(low, high, 3, 4, 5, 6));
  seenHigh |= (quad)(high == __builtin_shufflevector(low, high, 2, 3, 4, 5));
  seenHigh |= (quad)(high == __builtin_shufflevector(low, high, 1, 2, 3, 4));
  seenHigh |= (quad)(high == __builtin_shufflevector(low, high, 0, 1, 2, 3));
  seenHigh |= (quad)(high == __builtin_shufflevector(low, low, 0, 0, 1, 2)) & (quad){0, ~0u, ~0u, ~0u};
  seenHigh |= (quad)(high == __builtin_shufflevector(low, low, 0, 0, 0, 1)) & (quad){0, 0, ~0u, ~0u};
  seenHigh |= (quad)(high == __builtin_shufflevector(low, low, 0, 0, 0, 0)) & (quad){0, 0, 0, ~0u};
  u32 seen = __builtin_wasm_bitmask_i32x4((ints)seenLow) | __builtin_wasm_bitmask_i32x4((ints)seenHigh) << 4;
  return __builtin_popcount(mask & ~seen);
}

/* A sector is one word of eight lanes. */
static void count_local(struct Launch *L, struct Site *site, const u32 *a, u32 mask, u32 size) {
  v32 words = local_words(L, a, mask);
  u32 sectors = 0, isOneWord = all_same(words, words[0]);
  for (u32 g = 0; g < 32; g += 8) {
    u32 active = mask >> g & 255;
    sectors += isOneWord ? active != 0 : distinct_of_eight((const u32 *)&words + g, active);
  }
  site->localSectors += sectors * (size <= 4 ? 1 : size / 4);
}

/* The same of lanes that access one place each of its own local memory, as most do; 0: they do not, or not as they may. */
static inline u32 count_one_place(struct Launch *L, struct Site *site, const u32 *a, u32 mask, u32 size) {
  struct Step step;
  u32 first = __builtin_ctz(mask), last = 31 - __builtin_clz(mask), groups = 0;
  if (a[first] - L->local >= L->localTotal || a[last] - L->local >= L->localTotal || !L->localBytes) return 0;
  if (!in_step(a, mask, &step) || (step.apart != L->localBytes && first != last)) return 0;
  if ((a[first] | (first == last ? 0 : step.apart)) & (size - 1)) return 0;
  for (u32 group = 255; group; group <<= 8) groups += (mask & group) != 0;
  site->localSectors += groups * (size <= 4 ? 1 : size / 4);
  return 1;
}

static void count_atomic_passes(struct Site *site, v32 a, u32 mask, u32 size, u32 same) {
  site->wavefronts += shared_atomic_passes(a, mask, size, same);
  site->wide += size == 8 && mask & 0xffff && mask >> 16;
}
