/* Sets of L2 and rows of DRAM: lookup, replacement, write-back. */

/* Caches are sectored, LRU by moving to the front; tag 0 is empty, so tags are line number + 1. */
#define L1_WAYS 4
#define L2_WAYS 16
struct L1Set { u32 tag[L1_WAYS]; u8 valid[L1_WAYS]; };
/* Sectors: valid in the low half, dirty in the high one. Asked: of a copy, the sectors that the line's home was asked for, in the
 * low half, and in which round of launches (1 to 15, again and again), in the high one. */
struct L2Set { u32 tag[L2_WAYS]; u8 sectors[L2_WAYS], asked[L2_WAYS]; };

/* Half of the SMs is at each half of L2, in no pattern that a pattern of addresses could meet. Blocks that wait for a place get
 * one where one is free first, which is another one in each launch (test/reference/h200/reuse.json). Here it is, launch after launch, one
 * of three (see L2History), so that launches which do the same come to find L2 as others left it. */
static inline u32 side_of(struct Launch *L, u32 block) {
  if (block < L->resident) return block % L->smCount * 0x9e3779b1u >> 31;
  u32 mixed = (block ^ L->number * 0x632be5abu) * 0x85ebca6bu;
  return (mixed ^ mixed >> 15) * 0xc2b2ae35u >> 31;
}

/* What the SM's L1 holds is not to be found there any more: others may have written it (CCTL.IVALL). */
NOINLINE void forget_l1(struct Launch *L) {
  if (L->emptied == L->l1) return;
  __builtin_memset((void *)L->l1, 0, L->l1Sets * sizeof(struct L1Set));
  L->emptied = L->l1;
}

/* Where an access found its line; bits of a traced line beside its sectors. */
enum { IN_L2 = 16, IN_DRAM = 32, IN_OTHER_HALF = 48, IN_PEER = 64, IN_HOST = 80 };
/* The owner of page-locked memory of the host, after all GPUs. */
#define HOST_OWNER 255
/* IN_PEER or IN_HOST; 0 for what the GPU has itself. */
static inline u32 elsewhere(struct Launch *L, u32 line) {
  u32 owner = L->owners ? ((u8 *)L->owners)[line >> 1] : 0;
  return !owner || owner == L->owner ? 0 : owner == HOST_OWNER ? IN_HOST : IN_PEER;
}

/* Rows of DRAM that were used last: another one in the same place has to be opened. */
#define ROW_ENTRIES 8192
#define LINES_OF_A_ROW 8
static inline void use_row(struct Launch *L, u32 line) {
  u32 row = line / LINES_OF_A_ROW + 1, *entry = (u32 *)L->rows + (row ^ row >> 13) % ROW_ENTRIES;
  L->dramRows += *entry != row;
  *entry = row;
}

/* Sectors in pairs, as DRAM moves them. */
static inline u32 paired(u32 sectors) { return sectors | (sectors & 5) << 1 | (sectors & 10) >> 1; }

/* Bytes of a line that stores have brought until now, by sector. */
struct Partial { u32 tag; u8 bytes[4]; };
#define PARTIAL_ENTRIES 16384
/* Sectors that were stored in part are read from DRAM, unless what is missing comes soon (H200 reference, A4 store_stride_2 and
 * _8 against store_offset_1; test/reference/h200/gather.json). Soon: before so many others. `bytes`: of the four sectors. */
static void l2_fill_in(struct Launch *L, u32 line, u32 valid, u32 bytes) {
  struct Partial *P = (struct Partial *)L->partial + (line ^ line >> 14) % PARTIAL_ENTRIES;
  if (P->tag != line + 1) {
    u32 needed = 0;
    for (u32 i = 0; i < 4; i++) {
      u32 stored = bytes >> 8 * i & 255;
      if (stored && stored < 32 && !(valid >> i & 1)) needed = 1;
    }
    if (!needed) return;
    u32 missing = 0;
    for (u32 i = 0; i < 4; i++)
      if (P->bytes[i] && P->bytes[i] < 32) missing |= 1 << i;
    if (missing) {
      L->dramFilled += 32 * __builtin_popcount(missing);
      L->dramIdle += 32 * __builtin_popcount(paired(missing) & ~missing);
      use_row(L, P->tag - 1);
    }
    P->tag = line + 1;
    for (u32 i = 0; i < 4; i++) P->bytes[i] = valid >> i & 1 ? 32 : 0;
  }
  for (u32 i = 0; i < 4; i++) {
    u32 sum = P->bytes[i] + (bytes >> 8 * i & 255);
    P->bytes[i] = sum > 32 ? 32 : sum;
  }
}

/* Of two lines side by side, one is at home in each half. */
static inline u32 home_of(u32 line) { return (line ^ (line >> 1) * 0x9e3779b1u >> 31) & 1; }
static inline struct L2Set *l2_set(struct Launch *L, u32 half, u32 line) {
  struct L2Set *sets = (struct L2Set *)L->l2Base;
  /* Of the large ones lines in a row and strides of any kind spread evenly over the sets (reuse.json): multiples of sqrt(2). Small
   * ones of one half do so less well, as the naive product of 1024 by 1024 on an MX330 has it (37.2 ms published). */
  if (L->l2Halves == 1) return sets + (line ^ line >> 13) % L->l2Sets;
  return sets + half * L->l2Sets + (u32)((u64)((line >> 1) * 0x6a09e667u) * L->l2Sets >> 32);
}
/* Reads where a line is going to be looked up, from both ends of its sets. These lie anywhere in a table of megabytes, and a processor
 * waits for memory once for several reads that do not need each other. */
static inline void l2_look(struct Launch *L, u32 line) {
  struct L2Set *set = l2_set(L, 0, line);
  u32 sum = set->tag[0] + set->asked[0];
  if (L->l2Halves == 2) set = l2_set(L, 1, line), sum += set->tag[0] + set->asked[0];
  __asm__ volatile("" : : "r"(sum));
}
static inline u32 l2_way(struct L2Set *set, u32 tag) {
  u32 way = 0, found = 0;
  for (; way < L2_WAYS && !found; way += 4) found = __builtin_wasm_bitmask_i32x4(*(quad *)(set->tag + way) == tag);
  return found ? way - 4 + __builtin_ctz(found) : L2_WAYS;
}
/* So many lines of a set wait to be written back, where none has to go for others (reuse.json, writes: half of L2), and where one
 * has to (H200 reference, A4 store_offset: of 67 MB that are stored, 18 of L2's 60 stay behind). */
#define DIRTY_WAYS 8
#define DIRTY_WAYS_FULL 5
static inline void write_back(struct Launch *L, struct L2Set *set, u32 way) {
  u32 dirty = set->sectors[way] >> 4;
  L->dramWrite += 32 * __builtin_popcount(dirty);
  L->dramIdle += 32 * __builtin_popcount(paired(dirty) & ~dirty);
  use_row(L, set->tag[way] - 1);
  set->sectors[way] &= 15;
}
/* Those that were stored to longest ago, of more than `most`. */
static inline void write_back_beyond(struct Launch *L, struct L2Set *set, u32 most) {
  u32 ways = __builtin_wasm_bitmask_i8x16((any)(*(bytes16 *)set->sectors > 15));
  for (; __builtin_popcount(ways) > most; ways ^= 0x80000000u >> __builtin_clz(ways))
    write_back(L, set, 31 - __builtin_clz(ways));
}
static inline bytes16 moved_by_one(bytes16 all, bytes16 moves) {
  return (__builtin_shufflevector(all, all, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14) & moves) | (all & ~moves);
}
/* The line comes first in its set; returns its sectors, valid ones in the low half, none if it was not there. */
static inline u32 l2_take(struct Launch *L, struct L2Set *set, u32 line) {
  u32 way = l2_way(set, line + 1), found = way < L2_WAYS;
  if (!found) {
    way = L2_WAYS - 1;
    if (set->sectors[way] >> 4) write_back(L, set, way);
    if (set->tag[way]) write_back_beyond(L, set, DIRTY_WAYS_FULL);
  }
  u32 sectors = found ? set->sectors[way] : 0, asked = found ? set->asked[way] : 0;
  if (way) {
    u32 last = way;
    for (; last >= 4; last -= 4) *(quad *)(set->tag + last - 3) = *(quad *)(set->tag + last - 4);
    for (; last > 0; last--) set->tag[last] = set->tag[last - 1];
    const bytes16 lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    bytes16 moves = (bytes16)(lanes <= (u8)way);
    *(bytes16 *)set->sectors = moved_by_one(*(bytes16 *)set->sectors, moves);
    *(bytes16 *)set->asked = moved_by_one(*(bytes16 *)set->asked, moves);
  }
  set->tag[0] = line + 1;
  set->sectors[0] = sectors;
  set->asked[0] = asked;
  return sectors;
}
