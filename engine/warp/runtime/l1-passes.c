/* Passes of a request of global memory through the pipe of L1 (test/reference/h200/l1.json: all of its 114 patterns).
 * The banks of its data are those of shared memory: lanes whose words lie in different banks are served at once, in whatever lines
 * these are; 128 bytes of lanes go together, 16 lanes of 64 bits or 8 of 128, and broadcasts save nothing across such groups. Its tags
 * are in four sets, each of which looks up one line at a time. */

/* Distinct words per bank, at most; `same` true: lanes on one word take turns too (atomics). */
static u32 passes(const u32 *words, u32 mask, u32 same) {
  u32 inBank[32][32], most = 0, next = 0;
  u8 count[32] = {0};
  for (u32 left = mask; left; left &= left - 1) {
    u32 word = words[__builtin_ctz(left)], bank = word & 31, i = 0;
    /* Above all before it, as in strided requests, it is a new one. */
    if (word < next && !same) {
      while (i < count[bank] && inBank[i][bank] != word) i++;
      if (i < count[bank]) continue;
    }
    if (word >= next) next = word + 1;
    inBank[count[bank]++][bank] = word;
    if (count[bank] > most) most = count[bank];
  }
  return most;
}

/* The same of lanes by their addresses. They begin at multiples of what they want, so banks of different words are their own if the
 * first ones are: those count, of lanes that go together. */
static u32 word_passes(const u32 *a, u32 mask, u32 same) {
  v32 words = *(const v32 *)a >> 2;
  return passes((const u32 *)&words, mask, same);
}
/* Those of atomics, whose 64 bits go by half warps. */
static u32 lane_passes(const u32 *a, u32 mask, u32 size, u32 same) {
  return size == 8 ? word_passes(a, mask & 0xffff, same) + word_passes(a, mask & 0xffff0000, same) : word_passes(a, mask, same);
}
/* Words of 32 bits that a lane wants of memory. */
static inline u32 words_of(u32 size) { return size <= 4 ? 1 : size / 4; }

/* The set of a line is a sum of its bits (l1_sets.cu: as ncu counts conflicts of pairs; higher bits are not known). */
#define LOW_BIT_OF_SET 0x2f7ab5
#define HIGH_BIT_OF_SET 0x3ad5da
/* Of four lines: which have an odd number of these bits, a bit each. */
static inline u32 odd_of_four(quad lines, u32 bits) {
  quad sum = lines & bits;
  sum ^= sum >> 16;
  sum ^= sum >> 8;
  sum ^= sum >> 4;
  sum ^= sum >> 2;
  sum ^= sum >> 1;
  return __builtin_wasm_bitmask_i32x4((__attribute__((vector_size(16))) int)(sum << 31));
}
static inline u32 tag_passes(u32 count, const u32 *lines) {
  if (count == 1) return 1;
  if (count == 2) {
    u32 apart = lines[0] ^ lines[1];
    return 2 - (__builtin_parity(apart & LOW_BIT_OF_SET) | __builtin_parity(apart & HIGH_BIT_OF_SET));
  }
  u64 low = 0, high = 0;
  for (u32 i = 0; i < count; i += 4) {
    quad four = *(const quad *)(lines + i);
    low |= (u64)odd_of_four(four, LOW_BIT_OF_SET) << i;
    high |= (u64)odd_of_four(four, HIGH_BIT_OF_SET) << i;
  }
  u64 all = count < 64 ? (1ull << count) - 1 : ~0ull, most = 0;
  const u64 sets[4] = {low & high, low & ~high, high & ~low, ~(low | high)};
  for (u32 i = 0; i < 4; i++) {
    u64 lookups = __builtin_popcountll(sets[i] & all);
    if (lookups > most) most = lookups;
  }
  return most;
}
static u32 bank_passes(const u32 *a, u32 mask, u32 size) {
  u32 group = 32 / words_of(size), total = 0;
  for (u32 g = 0; g < 32; g += group) {
    u32 words[32], active = mask >> g & (u32)((1ull << group) - 1), most = 0, banks = 0;
    if (!active) continue;
    u32 lowest = a[g + __builtin_ctz(active)] >> 2, isOneWord = 1;
    for (u32 left = active; left; left &= left - 1) {
      u32 i = __builtin_ctz(left);
      words[i] = a[g + i] >> 2;
      banks |= 1u << (words[i] & 31);
      isOneWord &= words[i] == lowest;
    }
    if (isOneWord || __builtin_popcount(banks) == __builtin_popcount(active)) most = 1;
    else most = passes(words, active, 0);
    total += most;
  }
  return total;
}
/* Cycles of the pipe: as many as the banks or the tags need, whichever are more. Returns both, for the trace. */
static inline u32 count_passes(struct Site *site, u32 kind, u32 banks, u32 tags) {
  u32 both = banks > tags ? banks : tags;
  site->passes += both;
  site->banks += kind == LOAD ? banks : both;
  return banks | tags << 16;
}

/* A request for 32 * `size` consecutive bytes: the fast path of full warps. */
NOINLINE void touch_span(struct Launch *L, struct Site *site, u32 address, u32 size, u32 kind) {
  u32 end = address + 32 * size - 1, tail = GUARD[end >> GUARD_SHIFT];
  if ((tail != 255 && (end & GUARD_GRANULE - 1) >= tail) || (address >> GUARD_SHIFT != end >> GUARD_SHIFT && GUARD[address >> GUARD_SHIFT] != 255)) fault_in_span(L, site, address, size);
  if (L->undo && kind != LOAD) writes(L, address, 32 * size);
  u32 lines[3], count = 0;
  u8 touched[3];
  for (u32 line = address >> 7; line <= end >> 7; line++) {
    lines[count] = line;
    touched[count++] = sectors_of_span(address, end, line);
  }
  if (kind == LOAD) l1_read(L, site, count, lines, touched);
  else {
    u32 bytes[3];
    for (u32 i = 0; i < count; i++) bytes[i] = bytes_of_span(address, end, lines[i]);
    store_lines(L, count, lines, touched, bytes);
  }
  u32 passes = count_passes(site, kind, words_of(size), tag_passes(count, lines));
  if (__builtin_expect(L->trace != 0, 0)) {
    u32 a[32];
    for (u32 i = 0; i < 32; i++) a[i] = address + i * size;
    note_access(L, site, a, ~0u, size, GLOBAL);
    trace_lines(L, site, count, lines, touched, passes);
  }
  site->sectors += (end >> 5) - (address >> 5) + 1;
  site->lines += count;
}
