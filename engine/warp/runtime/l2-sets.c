/* Sets of L2 and rows of DRAM: lookup, replacement, write-back. */

/* Caches are sectored, LRU by moving to the front; tag 0 is empty. Those of L1 are line number + 1. */
#define L1_WAYS 4
#define L2_WAYS 16
struct L1Set { u32 tag[L1_WAYS]; u8 valid[L1_WAYS]; };
/* Tags: see l2_place. Sectors: valid in the low half, dirty in the high one. Asked: of a copy, the sectors that the line's home was asked
 * for, in the low half, and in which round of launches (1 to 15, again and again), in the high one; where L2 has no halves, the tag's
 * third byte. A set is a cache line of the processor that this runs on: sets lie anywhere in a table of megabytes. */
struct L2Set { unsigned short tag[L2_WAYS]; u8 sectors[L2_WAYS], asked[L2_WAYS]; };

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

#define LINES_OF_A_ROW 8
/* Where an access found its line; bits of a traced line beside its sectors. */
enum { IN_L2 = 16, IN_DRAM = 32, IN_OTHER_HALF = 48, IN_PEER = 64, IN_HOST = 80 };
/* The owner of page-locked memory of the host, after all GPUs. */
#define HOST_OWNER 255
/* IN_PEER or IN_HOST; 0 for what the GPU has itself. */
static inline u32 elsewhere(struct Launch *L, u32 line) {
  u32 owner = L->owners ? ((u8 *)L->owners)[line >> 1] : 0;
  return !owner || owner == L->owner ? 0 : owner == HOST_OWNER ? IN_HOST : IN_PEER;
}

/* Sectors in pairs, as DRAM moves them. */
static inline u32 paired(u32 sectors) { return sectors | (sectors & 5) << 1 | (sectors & 10) >> 1; }

/* Of two lines side by side, one is at home in each half. */
static inline u32 home_of(u32 line) { return (line ^ (line >> 1) * 0x9e3779b1u >> 31) & 1; }
/*
 * Where a line belongs. Sets are grouped so that the lines of a row of DRAM are in one group, and what a group of sets has in the tables
 * of rows and of lines stored in part is its own: groups can be looked up side by side (see replay).
 *
 * Of the large ones lines in a row and strides of any kind spread evenly over the sets (reuse.json): rows by multiples of sqrt(3), modulo
 * 2^22, as many as there are rows; the four pairs of a row to the four sets of a group, beginning with one by multiples of the golden ratio.
 * So fewer than 2^22 / groups multiples, which follow each other, are in a group, and their lowest bits tell them apart. SPREAD_BACK undoes
 * the multiplication. Small ones of one half do so less well, as the naive product of 1024 by 1024 on an MX330 has it (37.2 ms published).
 */
#define SPREAD 0x2ed9ebu
#define SPREAD_BACK 0x3d86c3u
#define TURNS 0x278dddu
#define SPREAD_BITS 22
#define SPREAD_MASK ((1 << SPREAD_BITS) - 1)
#define TAG_MASK ((1 << 14) - 1)
/* `set`: of the half that comes first; `number`: its number. `spread`: of the row; lines mixed where there is one half. */
struct L2Place { struct L2Set *set; u32 number, tag, spread; };
static inline struct L2Place l2_place(struct Launch *L, u32 line) {
  struct L2Set *sets = (struct L2Set *)L->l2Base;
  if (L->l2Halves == 1) {
    u32 mixed = line ^ line >> 13, number = mixed % L->l2Sets;
    return (struct L2Place){sets + number, number, mixed / L->l2Sets + 1, mixed};
  }
  u32 row = line / LINES_OF_A_ROW, spread = row * SPREAD & SPREAD_MASK, turn = (row * TURNS & SPREAD_MASK) >> SPREAD_BITS - 2;
  u32 number = (u32)((u64)spread * L->l2Sets >> SPREAD_BITS) & ~3 | (turn + (line >> 1) & 3);
  return (struct L2Place){sets + number, number, ((spread & TAG_MASK) << 1 | (line & 1)) + 1, spread};
}
static inline struct L2Set *in_half(struct Launch *L, struct L2Place place, u32 half) { return place.set + half * L->l2Sets; }
static inline u32 l2_line(struct Launch *L, struct L2Set *set, u32 way) {
  u32 number = set - (struct L2Set *)L->l2Base, tag = set->tag[way];
  if (L->l2Halves == 1) {
    u32 mixed = ((tag | set->asked[way] << 16) - 1) * L->l2Sets + number;
    return mixed ^ mixed >> 13;
  }
  if (number >= L->l2Sets) number -= L->l2Sets;
  u32 first = (((u64)(number & ~3) << SPREAD_BITS) + L->l2Sets - 1) / L->l2Sets;
  u32 spread = first + ((tag - 1 >> 1) - first & TAG_MASK), row = spread * SPREAD_BACK & SPREAD_MASK;
  u32 pair = number - ((row * TURNS & SPREAD_MASK) >> SPREAD_BITS - 2) & 3;
  return row * LINES_OF_A_ROW | pair << 1 | (tag - 1 & 1);
}

/* Rows of DRAM that were used last: another one in the same place has to be opened. */
static inline void use_row(struct Launch *L, u32 line) {
  u32 row = line / LINES_OF_A_ROW;
  u32 at = L->l2Halves == 1 ? (row ^ row >> 13) % L->rowEntries : (u32)((u64)(row * SPREAD & SPREAD_MASK) * L->rowEntries >> SPREAD_BITS);
  u32 *entry = (u32 *)L->rows + at;
  L->dramRows += *entry != row + 1;
  *entry = row + 1;
}

/* Bytes of a line that stores have brought until now, by sector. */
struct Partial { u32 tag; u8 bytes[4]; };
/* Sectors that were stored in part are read from DRAM, unless what is missing comes soon (H200 reference, A4 store_stride_2 and
 * _8 against store_offset_1; test/reference/h200/gather.json). Soon: before so many others. `bytes`: of the four sectors. */
static void l2_fill_in(struct Launch *L, struct L2Place place, u32 line, u32 valid, u32 bytes) {
  u32 own = L->partialsOfSet;
  u32 at = L->l2Halves == 1 ? place.spread % (own * L->l2Sets) : place.number * own + (place.tag - 1) % own;
  struct Partial *P = (struct Partial *)L->partial + at;
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

/* Reads where a line is going to be looked up: a processor waits for memory once for several reads that do not need each other. */
static inline void l2_look(struct Launch *L, u32 line) {
  struct L2Place place = l2_place(L, line);
  u32 sum = place.set->tag[0];
  if (L->l2Halves == 2) sum += in_half(L, place, 1)->tag[0];
  __asm__ volatile("" : : "r"(sum));
}
typedef short shorts __attribute__((vector_size(16)));
static inline u32 l2_way(struct Launch *L, struct L2Set *set, u32 tag) {
  shorts *tags = (shorts *)set->tag;
  short low = tag;
  u32 found = __builtin_wasm_bitmask_i8x16(__builtin_wasm_narrow_s_i8x16_i16x8(tags[0] == low, tags[1] == low));
  if (L->l2Halves == 1) found &= __builtin_wasm_bitmask_i8x16((any)(*(bytes16 *)set->asked == (u8)(tag >> 16)));
  return found ? __builtin_ctz(found) : L2_WAYS;
}
/* So many lines of a set wait to be written back, where none has to go for others (reuse.json, writes: half of L2), and where one
 * has to (H200 reference, A4 store_offset: of 67 MB that are stored, 18 of L2's 60 stay behind). */
#define DIRTY_WAYS 8
#define DIRTY_WAYS_FULL 5
static inline void write_back(struct Launch *L, struct L2Set *set, u32 way) {
  u32 dirty = set->sectors[way] >> 4;
  L->dramWrite += 32 * __builtin_popcount(dirty);
  L->dramIdle += 32 * __builtin_popcount(paired(dirty) & ~dirty);
  use_row(L, l2_line(L, set, way));
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
static inline u32 l2_take(struct Launch *L, struct L2Set *set, u32 tag) {
  u32 way = l2_way(L, set, tag), found = way < L2_WAYS;
  if (!found) {
    way = L2_WAYS - 1;
    if (set->sectors[way] >> 4) write_back(L, set, way);
    if (set->tag[way] | set->asked[way]) write_back_beyond(L, set, DIRTY_WAYS_FULL);
  }
  u32 sectors = found ? set->sectors[way] : 0, asked = found ? set->asked[way] : tag >> 16;
  if (way) {
    const bytes16 ways = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    bytes16 moves = (bytes16)(ways <= (u8)way);
    shorts *tags = (shorts *)set->tag, low = tags[0], high = tags[1];
    shorts lowMoves = (shorts)__builtin_shufflevector(moves, moves, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
    shorts highMoves = (shorts)__builtin_shufflevector(moves, moves, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15);
    tags[0] = (__builtin_shufflevector(low, low, 0, 0, 1, 2, 3, 4, 5, 6) & lowMoves) | (low & ~lowMoves);
    tags[1] = (__builtin_shufflevector(low, high, 7, 8, 9, 10, 11, 12, 13, 14) & highMoves) | (high & ~highMoves);
    *(bytes16 *)set->sectors = moved_by_one(*(bytes16 *)set->sectors, moves);
    *(bytes16 *)set->asked = moved_by_one(*(bytes16 *)set->asked, moves);
  }
  set->tag[0] = tag;
  set->sectors[0] = sectors;
  set->asked[0] = asked;
  return sectors;
}
