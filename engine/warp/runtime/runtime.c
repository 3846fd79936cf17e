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
typedef u32 quad __attribute__((vector_size(16), aligned(4)));
typedef u8 bytes16 __attribute__((vector_size(16), aligned(4)));
typedef signed char any __attribute__((vector_size(16)));

#define NOINLINE __attribute__((noinline))
#define PURE __attribute__((noinline, const))

/* Offsets are mirrored in engine/warp/layout.ts. */
struct Launch {
  u32 params, shared, sharedBytes, ctaid[3], ntid[3], nctaid[3]; /* 0 .. 47 */
  u32 local, localBytes, lowest, clock;                          /* 48 .. 63 */
  u32 warps, warpStride, warpBase, smCount;                      /* 64 .. 79 */
  u32 l1Sets, l2Sets, l1Base, l2Base;                            /* 80 .. 95 */
  u32 l1, variables, warp, lane;                                 /* 96 .. 111: the running warp; a fault's lane */
  u64 l1Hits, l1Misses, l2Hits, l2Misses, l2Stored;              /* 112 .. 151 */
  u64 dramRead, dramWrite, l2Across, dramRows, dramFilled, dramIdle, l2Confirmed; /* 152 .. 207 */
  u64 matches, matchedValues, maskedGroups, masks;               /* 208 .. 239: see MATCH_ANY and count_masks */
  u32 hot, checks, shadow, size;                                 /* 240 .. 255 */
  u32 epoch, localTotal, block, slot;                            /* 256 .. 271 */
  u32 log, logEnd, part, parts;                                  /* 272 .. 287: of a part of a grid, see crew.ts */
  u32 reads, granules, undo, undoEnd;                            /* 288 .. 303 */
  u32 trace, traceEnd, traceFirst, traceSeen, traceSites, traceBlock; /* 304 .. 327: of what warps do, see below */
  u32 storedCount, storedWarp, storedBlock[3], stored[4];             /* 328 .. 363: see store_lines */
  u8 storedSectors[4];
  u64 l1Inverse;              /* 368 .. 375: see l1_set */
  u32 side, l2Halves, rows, partial;   /* 376 .. 391: the half of L2 that the running block is at; how many there are; two tables, see use_row and l2_fill_in */
  u32 moves, polls;                    /* 392 .. 399: changes of barriers in shared memory, and ends of waiting; loops that may wait, of this block */
  u64 peerReads, peerWrites;           /* 400 .. 415 */
  u32 owners, owner;                   /* 416 .. 423: whose memory is whose, 0 where all is the GPU's; the GPU that executes */
  u32 emptied;                         /* 424: the L1 that has got nothing since it was emptied */
  u32 traceStep, traceCount, traceAt, traceWarps, siteCount; /* 428 .. 447: of blocks that run side by side, see begin_tracing */
  u32 others, left, polled;            /* 448 .. 459: whether others are resident; whether a warp has seen what it polled for; loops that it has been in since its turn began */
  u32 managed, managedFirst, managedPages, touched, touchedCount; /* 460 .. 479: see touch_page */
  u32 running;                         /* 480 .. 483: number of the running block */
  u64 hostReads, hostWrites, hostPartial; /* 488 .. 511 */
  u32 resident, asking, asked;         /* 512 .. 523: blocks resident at a time; see asks: whether a request has asked yet, and its turn */
  u32 samples;                         /* 524 .. 527: see note_access */
  u32 number;                          /* 528 .. 531: of this launch on its GPU, see side_of and round_of */
  u32 reduction[4];                    /* 532 .. 547 */
  u32 slots, blocks, sharedStride, localStride; /* 548 .. 563: places of resident blocks */
};
/* pastL1: of a load, whether it finds nothing in L1; of an atomic, whether it adds floats. wide: wavefronts beyond the first of each
 * request that are no conflicts, see shared_shape. sectors: of global memory. banks, passes: of global memory, see count_passes. */
struct Site {
  u64 sectors, wavefronts, sharedRequests, localRequests, lines, lanes, conflicts, pastL1, wide, localSectors, banks, passes;
};
/* Per 256 bytes of address space: how many of them are allocated, 255 for all (see Device). */
#define GUARD ((u8 *)0x1000000)
/* Passes of atomics, and stores of one sector, by 512-byte granule; behind them, those that add floats, by sector. */
#define HOT_GRANULES 4096

enum { GENERIC = 0, GLOBAL = 1, SHARED = 3, CONSTANT = 4, LOCAL = 5 };
/* PARTIAL: a store that leaves out bytes of a sector, see l2_fill_in. */
enum { LOAD = 0, STORE = 1, ATOMIC = 2, PARTIAL = 3 };
enum { GLOBAL_RANGE = 1, SHARED_RANGE = 2, MISALIGNED = 3, TRAP = 4, DIVERGENT_BARRIER = 5, GRID_BARRIER = 6, LOCAL_RANGE = 7, RACE = 8, ASSERT = 9, GIVE_UP = 10 };
/* CHECK_ORDER: of races, those between reads and writes. */
enum { CHECK_RACES = 1, CHECK_ORDER = 2 };

__attribute__((import_module("env"), import_name("fault"), noreturn)) void fault(u32 code, struct Site *site, u32 address);
/* Called now and then by whatever could run for ever: stops a launch whose budget is used up. */
__attribute__((import_module("env"), import_name("tick"))) void tick(void);

static inline u32 allocated(u32 address, u32 size) {
  u32 bytes = GUARD[address >> 8];
  return bytes == 255 || (address & 255) + size <= bytes;
}
__attribute__((noinline, noreturn, cold)) void fault_at(struct Launch *L, u32 code, struct Site *site, u32 address, u32 lane, u32 size) {
  L->lane = lane;
  L->size = size;
  fault(code, site, address);
}
/* Which lane of a span of consecutive accesses lies outside of what is allocated. */
__attribute__((noinline, noreturn, cold)) void fault_in_span(struct Launch *L, struct Site *site, u32 address, u32 size) {
  u32 lane = 0;
  while (lane < 31 && allocated(address + lane * size, size)) lane++;
  fault_at(L, GLOBAL_RANGE, site, address + lane * size, lane, size);
}
NOINLINE void spin(void) { tick(); }

/* ---- caches: sectored, LRU by moving to the front; tag 0 is empty, so tags are line number + 1 ---- */
#define L1_WAYS 4
#define L2_WAYS 16
struct L1Set { u32 tag[L1_WAYS]; u8 valid[L1_WAYS]; };
/* Sectors: valid in the low half, dirty in the high one. Asked: of a copy, the sectors that the line's home was asked for, in the
 * low half, and in which round of launches, in the high one. */
struct L2Set { u32 tag[L2_WAYS]; u8 sectors[L2_WAYS], asked[L2_WAYS]; };

/* Half of the SMs is at each half of L2, in no pattern that a pattern of addresses could meet. Blocks that wait for a place get
 * one where one is free first, which is another one in each launch (test/reference/h200/reuse.json). */
static inline u32 side_of(struct Launch *L, u32 block) {
  if (block < L->resident) return block % L->smCount * 0x9e3779b1u >> 31;
  u32 mixed = (block ^ L->number * 0x632be5abu) * 0x85ebca6bu;
  return (mixed ^ mixed >> 15) * 0xc2b2ae35u >> 31;
}
#define ROUNDS 15
/* 1 to 15, again and again. */
static inline u32 round_of(struct Launch *L) { return L->number % ROUNDS + 1; }

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

/*
 * Every line is at home in one half of L2. An SM asks the half that it is at: this keeps copies of what it had from the other
 * one (H200 reference: what all SMs read at random fits up to half of L2, A4 random_gather; what one reads again up to nearly all,
 * reuse.json; sectors that miss, and all that are stored, are looked up 1.5 times). In each launch it asks the
 * line's home, the first time, whether a copy is still true (reuse.json: what a launch reads once is looked up 1.5 times, however
 * often launches have read it; but who comes again and again for its copy does not keep the line at home). Stores and atomics work
 * at home, and copies of what they change are void; a store takes a place where it goes by (reuse.json: copies fill L2 as reads do).
 */
/* ---- managed memory: which pages of 4 KiB a grid accesses, how, in how many sectors, by how many blocks, and when first. L1
 * begins empty, so that of each page something comes to L2.
 *
 * Blocks are executed one after the other, but resident ones run side by side, and a warp waits for a page before it asks for
 * the next: first accesses are ordered by which blocks are resident together, then by how many requests the warp made of managed
 * memory before, then by its number in the block. ---- */
struct Page { u32 sectors, access, blocks, last, generation, turn, block; };
#define LINES_OF_A_PAGE 32
#define TURN_BITS 26
/* In struct Warp. */
#define WARP_ID 392
#define WARP_ASKED 412
static void touch_page(struct Launch *L, u32 line, u32 sectors, u32 kind) {
  u32 page = line / LINES_OF_A_PAGE - L->managedFirst;
  if (page >= L->managedPages) return;
  struct Page *P = (struct Page *)L->managed + page;
  u32 generation = L->running / L->resident;
  if (!P->access) ((u32 *)L->touched)[L->touchedCount++] = page;
  if (!P->access || generation < P->generation || (generation == P->generation && L->asked < P->turn)) {
    P->generation = generation;
    P->turn = L->asked;
    P->block = L->running;
  }
  P->access |= kind == LOAD ? 1 : kind == ATOMIC ? 4 : 2;
  P->sectors += __builtin_popcount(sectors);
  if (P->last != L->running + 1) {
    P->last = L->running + 1;
    P->blocks++;
  }
}

static u32 l2_now(struct Launch *L, u32 line, u32 sectors, u32 kind, u32 bytes) {
  if (L->managed) touch_page(L, line, sectors, kind);
  /* Memory of other GPUs and of the host is not kept in L2: loads take as long when they come by again (H200 reference, C8
   * load_chain; test/reference/h200/zero_copy.json, read MB=4 eight_times). */
  u32 where = elsewhere(L, line);
  if (where) {
    u32 count = __builtin_popcount(sectors & 15);
    u64 *reads = where == IN_HOST ? &L->hostReads : &L->peerReads;
    if (kind == LOAD || kind == ATOMIC) reads[0] += count;
    if (kind != LOAD) reads[1] += count;
    if (where == IN_HOST && kind == PARTIAL)
      for (u32 i = 0; i < 4; i++) L->hostPartial += (bytes >> 8 * i & 255) - 1 < 31;
    return where;
  }
  u32 halves = L->l2Halves, home = halves == 2 ? home_of(line) : 0, away = halves == 2 && home != L->side;
  if (away && kind == LOAD) {
    struct L2Set *near = l2_set(L, L->side, line);
    u32 copied = l2_take(L, near, line), round = round_of(L) << 4, asked = (near->asked[0] & 240) == round ? near->asked[0] & 15 : 0;
    near->sectors[0] |= sectors;
    near->asked[0] = round | asked | sectors;
    copied &= sectors;
    L->l2Hits += __builtin_popcount(copied);
    L->l2Confirmed += __builtin_popcount(copied & ~asked);
    sectors &= ~copied;
    if (!sectors) return IN_L2;
    L->l2Across += __builtin_popcount(sectors);
  }
  if (halves == 2 && kind != LOAD) {
    struct L2Set *other = l2_set(L, !home, line);
    u32 way = l2_way(other, line + 1);
    if (way < L2_WAYS) other->sectors[way] &= ~sectors;
    if (away && kind != ATOMIC) l2_take(L, other, line);
  }
  struct L2Set *set = l2_set(L, home, line);
  u32 before = l2_take(L, set, line), valid = before & 15, dirty = before >> 4;
  if (kind == PARTIAL) {
    l2_fill_in(L, line, valid, bytes);
    kind = STORE;
  }
  if (kind == STORE) {
    L->l2Stored += __builtin_popcount(sectors);
    /* A slice takes as long for one sector as for an atomic, where loads lie between (test/reference/h200/stores.json, mode 5). */
    if (sectors && !(sectors & (sectors - 1))) ((u32 *)L->hot)[(line >> 2) % HOT_GRANULES]++;
  }
  u32 hits = kind == STORE ? sectors : sectors & valid, missed = sectors & ~hits;
  /* DRAM gives 64 bytes at a time (H200 reference, A8 occupancy_gather_chain: twice the bytes of the sectors that miss). */
  u32 filled = paired(missed) & ~valid;
  L->l2Hits += __builtin_popcount(hits);
  L->l2Misses += __builtin_popcount(missed);
  L->dramRead += 32 * __builtin_popcount(filled);
  if (away && kind == LOAD) L->l2Across += __builtin_popcount(filled & ~missed);
  if (filled) use_row(L, line);
  set->sectors[0] = valid | sectors | filled | (kind == LOAD ? dirty : dirty | sectors) << 4;
  if (kind != LOAD && !dirty) write_back_beyond(L, set, DIRTY_WAYS);
  return missed ? IN_DRAM : away && kind == LOAD ? IN_OTHER_HALF : IN_L2;
}

/* ---- parts of a grid that run side by side (see crew.ts): what they ask of L2 is written down, to be replayed in the order
 * of blocks; so is what they read and wrote, to find out whether they got in each other's way, and to undo it then ---- */

/* 1 KiB of memory as it was before the part first wrote there, and which words the part wrote. */
struct Undo { u32 granule, sequence, unused[2]; u8 words[32]; u8 before[1024]; };
__attribute__((import_module("env"), import_name("sequence"))) u32 sequence(void);
__attribute__((noinline, noreturn, cold)) static void give_up(struct Launch *L) { fault_at(L, GIVE_UP, 0, 0, 0, 0); }

static inline void log_word(struct Launch *L, u32 word) {
  if (L->log == L->logEnd) give_up(L);
  *(u32 *)L->log = word;
  L->log += 4;
}
#define BLOCK_BEGINS (1u << 31)
/* With a turn: the request that the lines after it belong to, see asks. */
#define TURN (1u << 31)

/* Before a store. */
NOINLINE void writes(struct Launch *L, u32 address, u32 bytes) {
  u32 last = (address + bytes - 1) >> 10;
  for (u32 g = address >> 10; g <= last; g++) {
    u32 *entry = (u32 *)L->granules + g;
    if (!*entry) {
      struct Undo *U = (struct Undo *)L->undo;
      L->undo += sizeof *U;
      if (L->undo > L->undoEnd) give_up(L);
      U->granule = g;
      __builtin_memset(U->words, 0, sizeof U->words);
      __builtin_memcpy(U->before, (void *)(g << 10), 1024);
      /* Taken after the copy and before the write: of several copies, the one with the lowest number is from before all
       * writes. */
      U->sequence = sequence();
      *entry = (u32)U;
    }
    struct Undo *U = (struct Undo *)*entry;
    u32 from = g == address >> 10 ? (address & 1023) >> 2 : 0;
    u32 to = g == last ? ((address + bytes - 1) & 1023) >> 2 : 255;
    for (u32 w = from; w <= to;) {
      if (!(w & 7) && w + 7 <= to) {
        U->words[w >> 3] = 255;
        w += 8;
      } else {
        U->words[w >> 3] |= 1u << (w & 7);
        w++;
      }
    }
  }
}

NOINLINE void writes_too(struct Launch *L, u32 address, u32 bytes) {
  if (L->undo) writes(L, address, bytes);
}

/* The first line of managed memory that a request asks for: which request of its warp that is, with the warp's number below. */
static void asks(struct Launch *L, u32 line) {
  if (!L->asking || line / LINES_OF_A_PAGE - L->managedFirst >= L->managedPages) return;
  L->asking = 0;
  u32 *warp = (u32 *)(L->warp + WARP_ID);
  L->asked = (++warp[WARP_ASKED - WARP_ID >> 2] & (1u << TURN_BITS) - 1) << 5 | (*warp & 31);
  if (L->log) log_word(L, TURN | L->asked);
}

/* Where the line is, as far as that is known at once. */
NOINLINE u32 l2_access(struct Launch *L, u32 line, u32 sectors, u32 kind, u32 bytes) {
  if (L->managed) asks(L, line);
  if (!L->log) return l2_now(L, line, sectors, kind, bytes);
  log_word(L, line | sectors << 25 | kind << 29);
  if (kind == PARTIAL) log_word(L, bytes);
  return elsewhere(L, line);
}
/* What a block logged, up to where the next one begins; returns that place. */
NOINLINE u32 replay(struct Launch *L, u32 block, u32 at, u32 end) {
  L->side = side_of(L, L->running = block);
  for (; at != end; at += 4) {
    u32 word = *(u32 *)at;
    if (word == BLOCK_BEGINS) break;
    if (word & TURN) {
      L->asked = word & ~TURN;
      continue;
    }
    u32 kind = word >> 29 & 3, bytes = kind == PARTIAL ? *(u32 *)(at += 4) : 0;
    l2_now(L, word & 0x1ffffff, word >> 25 & 15, kind, bytes);
  }
  return at;
}

/* Before a launch: of rounds with the numbers that come now nothing is known any more. */
NOINLINE void begin_launch(struct Launch *L) {
  if (L->l2Halves == 1 || L->number % ROUNDS) return;
  struct L2Set *sets = (struct L2Set *)L->l2Base;
  for (u32 i = 0; i < 2 * L->l2Sets; i++) *(bytes16 *)sets[i].asked = (bytes16){};
}

/* What a memset or a copy within the device wrote: it stays in L2 as if a kernel had stored it, and no kernel's counts change
 * (test/reference/h200/resident.json). */
NOINLINE void stored(struct Launch *L, u32 line, u32 count) {
  struct Launch counts = *L;
  for (; count; count--) l2_now(L, line++, 15, STORE, 0);
  *L = counts;
}

/* ---- what the warps of a block do, for the SM model (engine/sm): tokens of one or more words, the first of which says
 *
 *   0 0 block:30           the warp executes this block; the mask of its lanes follows
 *   0 1 site:22 count:8    it accesses memory outside of the SM's shared one: so many words of line:25 | sectors:4 << 25 |
 *                          where:3 << 29 (IN_L2, IN_DRAM, IN_OTHER_HALF, IN_PEER, IN_HOST) follow; with WITH_PASSES, another one, see
 *                          count_passes
 *   1 0 site:22 passes:8   it accesses shared memory in so many wavefronts
 *   1 1 0 warp:29          another warp goes on
 *   1 1 1 site:21 words:8  it does something to a barrier, or begins a copy in bulk, whose lines follow; see trace_sync
 *
 * Sites are numbered as everywhere. ---- */
__attribute__((import_module("env"), import_name("drain"))) void drain(struct Launch *L);
#define TOKEN(kind, site, amount) ((u32)(kind) << 30 | (u32)(site) << 8 | (amount))

static u32 *trace_words(struct Launch *L, u32 count) {
  if (L->trace + 4 * count > L->traceEnd) drain(L);
  u32 *at = (u32 *)L->trace;
  L->trace += 4 * count;
  return at;
}
/* Wavefronts are counted where kernels access shared memory, and collected here when a block is done: traceFirst has the
 * first site of each block, traceSeen what has been collected of each site. */
static void trace_shared(struct Launch *L) {
  if (L->traceBlock == ~0u) return;
  const u32 *first = (u32 *)L->traceFirst + L->traceBlock;
  u64 *seen = (u64 *)L->traceSeen;
  for (u32 i = first[0]; i < first[1]; i++) {
    u64 now = ((struct Site *)L->traceSites)[i].wavefronts, passes = now - seen[i];
    seen[i] = now;
    if (passes) *trace_words(L, 1) = TOKEN(2, i, passes > 255 ? 255 : passes);
  }
}
/* What untraced blocks did in between is not the next one's. */
static void trace_shared_from_here(struct Launch *L, u32 sites) {
  u64 *seen = (u64 *)L->traceSeen;
  for (u32 i = 0; i < sites; i++) seen[i] = ((struct Site *)L->traceSites)[i].wavefronts;
}
NOINLINE void trace_block(struct Launch *L, u32 block, u32 mask) {
  trace_shared(L);
  L->traceBlock = block;
  u32 *at = trace_words(L, 2);
  at[0] = block;
  at[1] = mask;
}
static void trace_warp(struct Launch *L, u32 warp) {
  trace_shared(L);
  L->traceBlock = ~0u;
  *trace_words(L, 1) = 3u << 30 | (L->traceWarps + warp);
}
#define WITH_PASSES (1u << 29)
#define ONE_PASS (1 | 1 << 16)
static void trace_lines(struct Launch *L, struct Site *site, u32 count, const u32 *lines, const u8 *sectors, u32 passes) {
  u32 several = passes != ONE_PASS, *at = trace_words(L, 1 + count + several);
  *at++ = TOKEN(1, site - (struct Site *)L->traceSites, count) | (several ? WITH_PASSES : 0);
  for (u32 i = 0; i < count; i++) *at++ = lines[i] | (u32)sectors[i] << 25;
  if (several) *at = passes;
}

/* What was done to a barrier: which (its place in the block's shared memory, or its number), how often, bytes that are awaited. */
enum { BARRIER_INIT = 0, BARRIER_ARRIVE = 1, BARRIER_DROP = 2, BARRIER_TEST = 3, BARRIER_TEST_PARITY = 4, BARRIER_BYTES = 5, BARRIER_COPIES = 6, BULK_LOAD = 7, BULK_STORE = 8, BARRIER_NUMBERED = 9 };
#define PHASE_OVER 256
static void trace_sync(struct Launch *L, u32 site, u32 action, u32 barrier, u32 count, u32 bytes) {
  u32 *at = trace_words(L, 5);
  at[0] = TOKEN(3, 1u << 21 | site, 4);
  at[1] = action;
  at[2] = barrier;
  at[3] = count;
  at[4] = bytes;
}
/* What a warp does at a barrier with a number, in the block of code that ends there. */
#define SITE_OF_BARRIER 0xffff
static void trace_numbered(struct Launch *L, u32 barrier, u32 threads, u32 waits) {
  if (L->trace) trace_sync(L, SITE_OF_BARRIER, BARRIER_NUMBERED, barrier & 15, threads, waits);
}

/* Stores go through to L2. What a warp stores to the lines of its store before goes along with that (H200 reference, B4
 * aos_soa_all_fields: three stores that fill each other's gaps are one write in L2). Leaves in `sectors` what is sent, and to whom. `bytes`
 * of a line, by sector: 0 where the sectors are stored as a whole. */
NOINLINE void store_lines(struct Launch *L, u32 count, const u32 *lines, u8 *sectors, const u32 *bytes) {
  L->asking = 1;
  u32 at[4], known = count <= 4 && L->storedWarp == L->warp && L->storedBlock[0] == L->ctaid[0] &&
                     L->storedBlock[1] == L->ctaid[1] && L->storedBlock[2] == L->ctaid[2];
  for (u32 i = 0; known && i < count; i++) {
    u32 k = 0;
    while (k < L->storedCount && L->stored[k] != lines[i]) k++;
    at[i] = k;
    known = k < L->storedCount;
  }
  if (known) {
    for (u32 i = 0; i < count; i++) {
      sectors[i] &= ~L->storedSectors[at[i]];
      L->storedSectors[at[i]] |= sectors[i];
    }
  } else {
    L->storedCount = count <= 4 ? count : 0;
    L->storedWarp = L->warp;
    for (u32 i = 0; i < 3; i++) L->storedBlock[i] = L->ctaid[i];
    for (u32 i = 0; i < L->storedCount; i++) {
      L->stored[i] = lines[i];
      L->storedSectors[i] = sectors[i];
    }
  }
  for (u32 i = 0; i < count; i++)
    if (sectors[i]) {
      /* Stores tell no more than whether they go elsewhere. */
      u32 where = l2_access(L, lines[i], sectors[i], bytes[i] ? PARTIAL : STORE, bytes[i]);
      if (where & IN_PEER) sectors[i] |= where;
    }
}

/* Remainder of a line by the number of sets, without dividing: both are small enough that this is exact. */
#define INVERSE_BITS 37
static inline struct L1Set *l1_set(struct Launch *L, u32 line) {
  u32 hash = line ^ (line >> 7) ^ (line >> 14);
  return (struct L1Set *)L->l1 + (hash - (u32)(hash * L->l1Inverse >> INVERSE_BITS) * L->l1Sets);
}

NOINLINE static u32 l1_search(struct Launch *L, struct L1Set *set, u32 line, u32 sectors) {
  u32 tag = line + 1, way = 0;
  while (way < L1_WAYS - 1 && set->tag[way] != tag) way++;
  u8 valid = set->tag[way] == tag ? set->valid[way] : 0;
  for (u32 i = way; i > 0; i--) {
    set->tag[i] = set->tag[i - 1];
    set->valid[i] = set->valid[i - 1];
  }
  u32 missing = sectors & ~valid;
  L->l1Hits += __builtin_popcount(sectors & valid);
  L->l1Misses += __builtin_popcount(missing);
  L->emptied = 0;
  set->tag[0] = tag;
  set->valid[0] = valid | sectors;
  return missing ? l2_access(L, line, missing, LOAD, 0) : IN_L2;
}

/* The lines of a request, each with its sectors, to which it adds where they were found. Returns how many sectors they are. */
static inline u32 l1_read(struct Launch *L, struct Site *site, u32 count, const u32 *lines, u8 *sectors) {
  u32 total = 0, hits = 0;
  L->storedCount = 0;
  L->asking = 1;
  if (L->reads)
    for (u32 i = 0; i < count; i++) ((u8 *)L->reads)[lines[i] >> 1] |= sectors[i] << 4 * (lines[i] & 1);
  if (site->pastL1) {
    for (u32 i = 0; i < count; i++) {
      total += __builtin_popcount(sectors[i]);
      sectors[i] |= l2_access(L, lines[i], sectors[i], LOAD, 0);
    }
    L->l1Misses += total;
    return total;
  }
  for (u32 i = 0; i < count; i++) {
    struct L1Set *set = l1_set(L, lines[i]);
    u32 wanted = sectors[i], amount = __builtin_popcount(wanted);
    total += amount;
    if (set->tag[0] == lines[i] + 1 && (set->valid[0] & wanted) == wanted) {
      hits += amount;
      sectors[i] |= IN_L2;
    } else sectors[i] |= l1_search(L, set, lines[i], wanted);
  }
  L->l1Hits += hits;
  return total;
}

static inline int in_shared(struct Launch *L, u32 address) { return address - L->shared < L->sharedBytes; }
static inline u32 space_of(struct Launch *L, u32 address) {
  return in_shared(L, address) ? SHARED : address >= L->lowest ? GLOBAL : address - L->local < L->localTotal ? LOCAL : GLOBAL;
}

/* ---- where lanes accessed memory ----
 * Of each site some accesses of traced warps are kept: the 1st, the 2nd, the 4th, the 8th and so on; none of constant memory.
 * Mirrored in engine/warp/layout.ts. ---- */
#define SAMPLES 16
struct Sample { u32 block, warp, mask, size, space, address[32]; };
/* Local memory of hardware has the same word of all lanes of a warp side by side: where an address of ours would be there, from where
 * the warp's memory begins. Here each thread has its own in one piece. */
static inline u32 interleaved(struct Launch *L, u32 address, u32 lane, u32 size) {
  u32 offset = (address - L->local) % L->localBytes;
  return (offset / size * 32 + lane) * size + offset % size;
}
struct Samples { u32 count; struct Sample of[SAMPLES]; };
NOINLINE void note_access(struct Launch *L, struct Site *site, const u32 *a, u32 mask, u32 size, u32 space) {
  if (!L->samples || !mask) return;
  if (space == GENERIC) space = space_of(L, a[__builtin_ctz(mask)]);
  if (space != GLOBAL && space != SHARED && space != LOCAL) return;
  struct Samples *S = (struct Samples *)L->samples + (site - (struct Site *)L->traceSites);
  u32 number = __builtin_ctz(S->count + 1), isPower = (S->count & (S->count + 1)) == 0;
  S->count++;
  if (!isPower || number >= SAMPLES) return;
  struct Sample *to = S->of + number;
  to->block = L->ctaid[0] + L->nctaid[0] * (L->ctaid[1] + L->nctaid[1] * L->ctaid[2]);
  to->warp = ((u32 *)L->warp)[98];
  to->mask = mask;
  to->size = size;
  to->space = space;
  for (u32 left = mask; left; left &= left - 1) {
    u32 lane = __builtin_ctz(left);
    to->address[lane] = space == LOCAL ? interleaved(L, a[lane], lane, size) : a[lane] - (space == SHARED ? L->shared : 0);
  }
}
#define NOTE(a, mask, size) (__builtin_expect(L->trace != 0, 0) ? note_access(L, site, a, mask, size, space) : (void)0)
/* For kernels, of shared memory: one address for the whole warp, and all lanes one after the other. */
NOINLINE void note_one_access(struct Launch *L, struct Site *site, u32 address, u32 mask, u32 size) {
  u32 a[32];
  for (u32 i = 0; i < 32; i++) a[i] = address;
  note_access(L, site, a, mask, size, SHARED);
}
NOINLINE void note_span(struct Launch *L, struct Site *site, u32 start, u32 mask, u32 size) {
  u32 a[32];
  for (u32 i = 0; i < 32; i++) a[i] = start + i * size;
  note_access(L, site, a, mask, size, SHARED);
}

/* What a span of addresses, both ends included, has of a line: sectors, and bytes by sector, 0 if all of these are whole. */
static inline u32 sectors_of_span(u32 from, u32 to, u32 line) {
  u32 first = from >> 7 == line ? from >> 5 & 3 : 0, last = to >> 7 == line ? to >> 5 & 3 : 3;
  return (2u << last) - (1u << first);
}
static inline u32 bytes_of_span(u32 from, u32 to, u32 line) {
  u32 start = from >> 7 == line ? from & 127 : 0, end = to >> 7 == line ? (to & 127) + 1 : 128, bytes = 0;
  if (!((start | end) & 31)) return 0;
  for (u32 i = 0; i < 4; i++) {
    u32 low = 32 * i > start ? 32 * i : start, high = 32 * i + 32 < end ? 32 * i + 32 : end;
    if (high > low) bytes |= (high - low) << 8 * i;
  }
  return bytes;
}

/* ---- how often a request of global memory goes through the pipe of L1 (test/reference/h200/l1.json: all of its 114 patterns) ----
 * The banks of its data are those of shared memory: lanes whose words lie in different banks are served at once, in whatever lines
 * these are; 128 bytes of lanes go together, 16 lanes of 64 bits or 8 of 128, and broadcasts save nothing across such groups. Its tags
 * are in four sets, each of which looks up one line at a time. */

/* Distinct words per bank, at most; `same` true: lanes on one word take turns too (atomics). */
static u32 passes(const u32 *words, u64 mask, u32 same) {
  u32 inBank[32][64], most = 0, next = 0;
  u8 count[32] = {0};
  for (u64 left = mask; left; left &= left - 1) {
    u32 word = words[__builtin_ctzll(left)], bank = word & 31, i = 0;
    /* Above all before it, as in strided requests, it is a new one. */
    if (word < next && !same) {
      while (i < count[bank] && inBank[bank][i] != word) i++;
      if (i < count[bank]) continue;
    }
    if (word >= next) next = word + 1;
    inBank[bank][count[bank]++] = word;
    if (count[bank] > most) most = count[bank];
  }
  return most;
}

/* Those of atomics, whose 64 bits go by half warps. */
static u32 lane_passes(const u32 *a, u32 mask, u32 size, u32 same) {
  u32 words[32];
  for (u32 left = mask; left; left &= left - 1) words[__builtin_ctz(left)] = a[__builtin_ctz(left)] >> 2;
  return size == 8 ? passes(words, mask & 0xffff, same) + passes(words, mask & 0xffff0000, same) : passes(words, mask, same);
}
/* Words of 32 bits that a lane wants of memory. */
static inline u32 words_of(u32 size) { return size <= 4 ? 1 : size / 4; }

/* The set of a line is a sum of its bits (l1_sets.cu: as ncu counts conflicts of pairs; higher bits are not known). */
static inline u32 set_of_tag(u32 line) {
  return __builtin_parity(line & 0x2f7ab5) | __builtin_parity(line & 0x3ad5da) << 1;
}
static inline u32 tag_passes(u32 count, const u32 *lines) {
  if (count == 1) return 1;
  u32 inSet = 0, most = 0;
  for (u32 i = 0; i < count; i++) inSet += 1u << 8 * set_of_tag(lines[i]);
  for (; inSet; inSet >>= 8)
    if ((inSet & 255) > most) most = inSet & 255;
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
    /* Lanes begin at multiples of what they want, so banks of different words are their own if the first ones are. */
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
  u32 end = address + 32 * size - 1, tail = GUARD[end >> 8];
  if ((tail != 255 && (end & 255) >= tail) || (address >> 8 != end >> 8 && GUARD[address >> 8] != 255)) fault_in_span(L, site, address, size);
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

/* ---- how the addresses of half warps lie ---- */

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

/* Distinct lines of a request, with their sectors. Faults on what is not allocated. */
static inline u32 gather_lines(struct Launch *L, struct Site *site, const u32 *a, u32 mask, u32 size, u32 *lines, u8 *sectors) {
  u32 count = 0, highest = 0, partial = 0;
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
    partial |= GUARD[address >> 8] ^ 255;
    lines[i] = line;
    sectors[i] = bits;
    count = i + 1;
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
    if ((GUARD[start >> 8] & GUARD[end >> 8]) != 255) return 0;
    for (u32 line = start >> 7; line <= end >> 7; line++) {
      u32 i = 0;
      while (i < count && lines[i] != line) i++;
      if (i == count) lines[count] = line, sectors[count++] = 0;
      sectors[i] |= sectors_of_span(start, end, line);
    }
  }
  return count;
}

/* Bytes of each line that a request stores, by sector; 0 if all those of a line are whole. */
static void bytes_of_lanes(const u32 *a, u32 mask, u32 size, u32 count, const u32 *lines, u32 *bytes) {
  u32 stored[64][4], last = 0;
  for (u32 i = 0; i < count; i++)
    for (u32 k = 0; k < 4; k++) stored[i][k] = 0;
  for (u32 left = mask; left; left &= left - 1) {
    u32 address = a[__builtin_ctz(left)], line = address >> 7;
    if (lines[last] != line)
      for (last = 0; lines[last] != line;) last++;
    u32 *sectors = stored[last] + (address >> 5 & 3);
    if (size < 32) sectors[0] |= ((1u << size) - 1) << (address & 31);
    else
      for (u32 k = 0; k < size / 32; k++) sectors[k] = ~0u;
  }
  for (u32 i = 0; i < count; i++) {
    u32 whole = 1;
    bytes[i] = 0;
    for (u32 k = 0; k < 4; k++) {
      u32 amount = __builtin_popcount(stored[i][k]);
      bytes[i] |= amount << 8 * k;
      whole &= amount == 0 || amount == 32;
    }
    if (whole) bytes[i] = 0;
  }
}

NOINLINE void touch_lanes(struct Launch *L, struct Site *site, const u32 *a, u32 mask, u32 kind, u32 size) {
  u32 lines[64], count = 0, total = 0;
  u8 sectors[64];
  if (mask == ~0u && size <= 16) count = halves_lines(a, size, lines, sectors);
  if (!count) count = gather_lines(L, site, a, mask == ~0u && halves_same(a) ? 0xffff : mask, size, lines, sectors);
  if (L->undo && kind != LOAD)
    for (u32 left = mask; left; left &= left - 1) writes(L, a[__builtin_ctz(left)], size);
  if (kind == LOAD) total = l1_read(L, site, count, lines, sectors);
  else {
    u32 bytes[64];
    for (u32 i = 0; i < count; i++) total += __builtin_popcount(sectors[i]);
    bytes_of_lanes(a, mask, size, count, lines, bytes);
    store_lines(L, count, lines, sectors, bytes);
  }
  u32 passes = count_passes(site, kind, bank_passes(a, mask, size), tag_passes(count, lines));
  if (L->trace) trace_lines(L, site, count, lines, sectors, passes);
  site->sectors += total;
  site->lines += count;
}

/* Atomics work in L2: a sector serves, per pass, one lane on each of its addresses (H200 reference, A6: the counter
 * l1tex__t_sectors_pipe_lsu_mem_global_op_red is the sum of these passes). */
NOINLINE void touch_atomic(struct Launch *L, struct Site *site, const u32 *a, u32 mask, u32 size) {
  u32 lines[64], count, address[32], lanes[32], distinct = 0, most = 0, total = 0;
  u8 sectors[64];
  count = gather_lines(L, site, a, mask, size, lines, sectors);
  L->asking = 1;
  L->storedCount = 0;
  if (L->undo)
    for (u32 left = mask; left; left &= left - 1) writes(L, a[__builtin_ctz(left)], size);
  for (u32 i = 0; i < count; i++) sectors[i] |= l2_access(L, lines[i], sectors[i], ATOMIC, 0);
  u32 both = count_passes(site, ATOMIC, lane_passes(a, mask, size, 1), tag_passes(count, lines));
  if (L->trace) trace_lines(L, site, count, lines, sectors, both);
  for (u32 left = mask; left; left &= left - 1) {
    u32 at = a[__builtin_ctz(left)], i = distinct;
    while (i > 0 && address[i - 1] != at) i--;
    if (i == 0) {
      address[distinct] = at;
      lanes[distinct++] = 1;
    } else lanes[i - 1]++;
  }
  /* Largest multiplicity per sector: entries of a sector that is done lose their lanes. */
  for (u32 i = 0; i < distinct; i++) {
    u32 passes = lanes[i];
    if (!passes) continue;
    for (u32 k = i + 1; k < distinct; k++)
      if (address[k] >> 5 == address[i] >> 5) {
        if (lanes[k] > passes) passes = lanes[k];
        if (lanes[k] > most) most = lanes[k];
        lanes[k] = 0;
      }
    if (passes > most) most = passes;
    total += passes;
    ((u32 *)L->hot)[(address[i] >> 9) % HOT_GRANULES] += passes;
    if (site->pastL1) ((u32 *)L->hot)[HOT_GRANULES + (address[i] >> 5) % HOT_GRANULES] += passes;
  }
  site->sectors += total;
  site->lines += count;
  site->lanes += __builtin_popcount(mask);
  site->conflicts += most;
}

/* ---- shared memory: wavefronts and shape of a request; pure, so LLVM computes it once for all loads off one base ---- */

/* Bits 0-1 and 2-3: how lanes 0-15 and 16-31 lie (1 one address, 2 consecutive); bit 4: all 32 active and consecutive;
 * bits 8 to 15: wavefronts; bits 16 and up: those beyond the first that there are without conflicts, too, one for each further group of
 * lanes that go together, 0 where size is at most 4. Addresses may lack a constant offset that is a multiple of the access size: banks only rotate.
 *
 * Wavefronts of wide requests, as all 1,151 cases of banks.json (H200 reference) have them: 128 bytes of lanes go together, that is
 * 16 lanes of 64 bits or 8 of 128; for loads twice as many if in them every lane has the address of its neighbour, or every lane that
 * of the one two away. What goes together takes as many wavefronts as its fullest bank has distinct words. ---- */
static inline int in_pairs(const u32 *a, u32 mask, u32 from, u32 count, u32 apart) {
  for (u32 i = from; i < from + count; i++)
    if (!(i & apart) && (mask >> i & mask >> (i + apart) & 1) && a[i] != a[i + apart]) return 0;
  return 1;
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
  /* The same distance from lane to lane: as many meet as it has banks in common with 32. */
  u32 apart = a[1] - a[0];
  if (mask == ~0u && size <= 4 && !(apart & 3) && apart && is_zero(HALF_OF(a, FIRST_HALF) ^ (a[0] + lanes * apart)) &&
      is_zero(HALF_OF(a, SECOND_HALF) ^ (a[0] + (lanes + 16) * apart))) {
    u32 common = apart / 4 | 32;
    return shape | (common & -common) << 8;
  }
  /* Each lane on a bank of its own, in whatever order. */
  if (mask == ~0u && size <= 4) {
    u32 banks = 0;
    for (u32 i = 0; i < 32; i++) banks |= 1u << (a[i] >> 2 & 31);
    if (banks == ~0u) return shape | 1 << 8;
  }
  u32 words[64], wavefronts = 0, groups = 0;
  u32 spread = size <= 4 ? 1 : size / 4, group = 32 / spread;
  for (u32 g = 0; g < 32;) {
    u32 count = group;
    if (spread > 1 && !isWideStore && !(g & group) &&
        (in_pairs((u32 *)&a, mask, g, 2 * group, 1) || in_pairs((u32 *)&a, mask, g, 2 * group, 2)))
      count *= 2;
    u64 active = 0;
    for (u32 i = 0; i < count; i++)
      for (u32 k = 0; k < spread; k++) {
        words[i * spread + k] = (a[g + i] >> 2) + k;
        active |= (u64)(mask >> (g + i) & 1) << (i * spread + k);
      }
    wavefronts += passes(words, active, 0);
    groups += active != 0;
    g += count;
  }
  return shape | wavefronts << 8 | (groups ? groups - 1 : 0) << 16;
}

PURE u32 shared_atomic_passes(v32 a, u32 mask, u32 size, u32 same) { return lane_passes((const u32 *)&a, mask, size, same); }

/* A sector is one word of eight lanes. */
static void count_local(struct Launch *L, struct Site *site, const u32 *a, u32 mask, u32 size) {
  u32 sectors = 0;
  for (u32 first = 0; first < 32; first += 8)
    for (u32 lane = first; lane < first + 8; lane++) {
      if (!(mask >> lane & 1)) continue;
      u32 word = (a[lane] - L->local) % L->localBytes >> 2, i = first;
      while (i < lane && !((mask >> i & 1) && (a[i] - L->local) % L->localBytes >> 2 == word)) i++;
      sectors += i == lane;
    }
  site->localSectors += sectors * (size <= 4 ? 1 : size / 4);
}

static void count_atomic_passes(struct Site *site, v32 a, u32 mask, u32 size, u32 same) {
  site->wavefronts += shared_atomic_passes(a, mask, size, same);
  site->wide += size == 8 && mask & 0xffff && mask >> 16;
}

/* ---- requests off the fast path ---- */

/*
 * The last writer and readers of each shared word since the block's last barrier, where they are in the code, and which bytes of the word
 * they had: those written in the low half of a byte, those read in the high one.
 */
struct Shadow { u32 writeEpoch, writer, readEpoch, reader; struct Site *writeSite, *readSite; u32 bytes, unused; };
enum { SEVERAL = ~0u, BY_ATOMIC = 1u << 31 };
static void check_races(struct Launch *L, struct Site *site, const u32 *a, u32 mask, u32 size, u32 kind) {
  u32 warp = ((u32 *)L->warp)[98], words = (size + 3) / 4;
  for (u32 left = mask; left; left &= left - 1) {
    u32 lane = __builtin_ctz(left), thread = warp * 32 + lane;
    u32 bytes = size < 4 ? ((1u << size) - 1) << (a[lane] & 3) : 15;
    for (u32 k = 0; k < words; k++) {
      struct Shadow *word = (struct Shadow *)L->shadow + (a[lane] - L->shared) / 4 + k;
      if (word->writeEpoch != L->epoch) word->bytes &= 0xf0;
      if (word->readEpoch != L->epoch) word->bytes &= 0x0f;
      /* Lanes of one warp count as one: within it, execution is in lock step here. Atomics race with plain accesses only. */
      u32 written = word->bytes & bytes && (word->writer & ~BY_ATOMIC) / 32 != warp && !(kind == ATOMIC && word->writer & BY_ATOMIC);
      /* Writes of several warps are often of one value. */
      if (kind == STORE && L->checks & CHECK_ORDER) written = 0;
      u32 read = kind != LOAD && word->bytes >> 4 & bytes && (word->reader == SEVERAL || word->reader / 32 != warp);
      if (written || read) {
        L->reduction[0] = (u32)(written ? word->writeSite : word->readSite);
        fault_at(L, RACE, site, a[lane] - L->shared + 4 * k, lane, size);
      }
      if (kind == LOAD) {
        u32 others = word->readEpoch == L->epoch && word->reader / 32 != warp;
        word->reader = others ? SEVERAL : thread;
        if (!others) word->readSite = site;
        word->readEpoch = L->epoch;
        word->bytes |= bytes << 4;
      } else {
        word->writer = thread | (kind == ATOMIC ? BY_ATOMIC : 0);
        word->writeSite = site;
        word->writeEpoch = L->epoch;
        word->bytes |= bytes;
      }
    }
  }
}

/* Checks every active address, finds out where a generic request goes, and counts it. Returns the space. */
static u32 account(struct Launch *L, struct Site *site, const u32 *a, u32 mask, u32 size, u32 space, u32 kind) {
  if (mask == 0) return space;
  if (space == GENERIC) {
    u32 first = a[__builtin_ctz(mask)];
    space = space_of(L, first);
    u32 rest = 0;
    for (u32 left = mask; left; left &= left - 1)
      if (space_of(L, a[__builtin_ctz(left)]) != space) rest |= left & -left;
    if (rest) account(L, site, a, rest, size, GENERIC, kind);
    mask &= ~rest;
    if (space == SHARED) {
      v32 v;
      for (u32 i = 0; i < 32; i++) v[i] = a[i];
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
  if (mask == ~0u) {
    /* All lanes at once; only if something is wrong, lane by lane for the message. */
    v32 v = *(const v32 *)a;
    if (all_aligned(v, size)) {
      if (space == GLOBAL || space == CONSTANT) goto checked;
      if (space == SHARED && L->sharedBytes >= size && all_within(v, L->shared, L->sharedBytes - size)) goto checked;
      if (space == LOCAL && L->localTotal && all_within(v, L->local, L->localTotal - 1)) goto checked;
    }
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
  if (space == CONSTANT) {
    /* The constant cache gives one word at a time. */
    u32 words = 0;
    for (u32 left = mask; left; words++) {
      u32 word = a[__builtin_ctz(left)] >> 2;
      for (u32 rest = left; rest; rest &= rest - 1)
        if (a[__builtin_ctz(rest)] >> 2 == word) left &= ~(rest & -rest);
    }
    site->wavefronts += words;
  }
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
  for (u32 left = mask; left; left &= left - 1) *(u32 *)address += in[__builtin_ctz(left)];
}
#define ONE_FOR_ALL(T, N)                                                                                                 \
  NOINLINE void atomic_sum##N(struct Launch *L, struct Site *site, u32 address, T value, u32 space, u32 mask) {           \
    u32 lanes = one_for_all(L, site, address, N, space, mask);                                                            \
    if (lanes) *(T *)address += value * lanes;                                                                            \
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
#define LOADS(T, V, N)                                                                                             \
  typedef T half##N __attribute__((vector_size(16 * N), aligned(N)));                                              \
  typedef T sixteen##N __attribute__((vector_size(16)));                                                           \
  NOINLINE void load##N(V *out, v32 address, u32 mask, u32 space, struct Site *site, struct Launch *L) {           \
    const u32 *a = (const u32 *)&address;                                                                          \
    NOTE(a, mask, N); \
    if (mask == ~0u && space != GENERIC && halves_uniform(address)) {                                              \
      account(L, site, a, 0x10001, N, space, LOAD);                                                                \
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
    } else                                                                                                         \
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
      account(L, site, a, SIZE == 16 ? 0x1010101 : 0x10001, SIZE, space, LOAD); /* a lane of each group */        \
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

/* ---- atomics: lanes in order ---- */
#define ATOMIC_LOOP(NAME, T, V, NEW)                                                                                \
  NOINLINE void atomic_##NAME(V *out, v32 address, V *in, u32 mask, u32 space, struct Site *site, struct Launch *L) { \
    const u32 *a = (const u32 *)&address;                                                                           \
    NOTE(a, mask, sizeof(T)); \
    if (account(L, site, a, mask, sizeof(T), space, ATOMIC) == SHARED && space == SHARED)                           \
      count_atomic_passes(site, address, mask, sizeof(T), 1);                                                          \
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
    NOTE(a, mask, sizeof(T)); \
    if (account(L, site, a, mask, sizeof(T), space, ATOMIC) == SHARED && space == SHARED)                           \
      count_atomic_passes(site, address, mask, sizeof(T), 1);                                                          \
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

/* Value by value: which lanes have it. MATCH.ANY takes as long as there are distinct ones. */
#define MATCH_ANY(name, vector)                                                  \
  NOINLINE void name(struct Launch *L, v32 *out, vector value, u32 mask) {       \
    L->matches++;                                                                \
    for (u32 left = mask; left; L->matchedValues++) {                            \
      u32 first = __builtin_ctz(left), same = 0;                                 \
      for (u32 other = left; other; other &= other - 1)                          \
        if (value[__builtin_ctz(other)] == value[first]) same |= other & -other; \
      for (u32 lane = same; lane; lane &= lane - 1)                              \
        ((u32 *)out)[__builtin_ctz(lane)] = same;                                \
      left &= ~same;                                                             \
    }                                                                            \
  }
MATCH_ANY(match_any4, v32)

/* Distinct masks of groups of lanes that do something together. */
NOINLINE void count_masks(struct Launch *L, v32 masks, u32 mask) {
  L->maskedGroups++;
  for (u32 left = mask; left; L->masks++) {
    u32 own = masks[__builtin_ctz(left)];
    left &= ~(own | (left & -left));
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
  u32 status, barrier, threads, asked; /* what it waits for: nothing, its block, the grid, a barrier with a count; see asks */
};
enum { RUNNABLE = 0, AT_BARRIER = 1, AT_GRID_BARRIER = 3, AT_COUNTED_BARRIER = 4 };

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

/* Shifted into place and scaled: exact for subnormals too. Infinity and NaN get their exponent. */
static inline float float_of_16(u16 h) {
  union { u32 u; float f; } bits = {(u32)(s32)(short)h << 13 & 0x8fffe000};
  bits.f *= 0x1p112f;
  if ((h & 0x7c00) == 0x7c00) bits.u |= 0x7f800000;
  return bits.f;
}
NOINLINE float half_to_float(u16 h) { return float_of_16(h); }
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

/* Returns 0: the warp has ended; 1: it waits at a barrier; 2: it spins and lets others run; 4: it waits at the barrier
 * `barrier` until `threads` have come; 5: as 2, for a barrier of its block; 6: it goes around until others write what it reads;
 * 7: it has seen that, and lets other blocks see it, too. */
enum { SPINS = 2, SPINS_IN_BLOCK = 5, POLLS = 6, HAS_SEEN = 7 };
typedef u32 Kernel(struct Warp *, struct Launch *, void *counts, struct Site *sites);

/* A resident block while others run. state 0: the place is free, 1: runs. */
struct Block {
  u32 number, state, live, arrived, used, epoch, atCounted;
  u32 reduction[4];
  u32 threads[16]; /* that have come to each of the barriers with a count */
};

static inline struct Warp *warp_at(struct Launch *L, u32 slot, u32 w) {
  return (struct Warp *)(L->warpBase + (slot * L->warps + w) * L->warpStride);
}

/* Threads come in whole warps. */
static void arrive(struct Launch *L, struct Block *B, u32 slot, u32 barrier, u32 threads) {
  B->threads[barrier & 15] += 32;
  if (B->threads[barrier & 15] < threads) return;
  B->threads[barrier & 15] = 0;
  for (u32 w = 0; w < L->warps; w++) {
    struct Warp *warp = warp_at(L, slot, w);
    if (warp->status != AT_COUNTED_BARRIER || warp->resume == ~0u || (warp->barrier ^ barrier) & 15) continue;
    warp->status = RUNNABLE;
    B->atCounted--;
  }
  L->epoch = ++B->epoch;
}
/* bar.arrive: comes to a barrier without waiting there. */
NOINLINE void barrier_arrive(struct Launch *L, u32 barrier, u32 threads) {
  trace_numbered(L, barrier, threads, 0);
  arrive(L, (struct Block *)L->block, L->slot, barrier, threads);
}

/* Others run when a block has waited this many rounds of its warps in vain, or one if all of its warps poll, or had this many
 * barriers. */
#define IDLE_ROUNDS 4
#define BARRIERS_PER_TURN 4096
/* Rounds of all blocks in which nobody did anything but poll: then nobody ever will. */
#define STUCK_ROUNDS 4

/* POLLED: as WAITS, and nothing has changed. */
enum { ENDED = 0, WAITS = 1, POLLED = 2 };

/* A block's warps in turn, each up to its next barrier, until the block has ended or nothing moves without others. */
static u32 run_block(struct Launch *L, struct Block *B, u32 slot, Kernel *kernel, void *counts, struct Site *sites) {
  u32 idle = 0, turns = 0, changed = 0;
  for (;;) {
    u32 moved = 0, spins = 0, seen = 0;
    for (u32 w = 0; w < L->warps; w++) {
      struct Warp *warp = warp_at(L, slot, w);
      if (warp->resume == ~0u || warp->status != RUNNABLE) continue;
      L->warp = (u32)warp;
      if (L->trace) trace_warp(L, w);
      L->polled = 0;
      u32 moves = L->moves, place = warp->resume, result = kernel(warp, L, counts, sites);
      moved |= L->moves != moves;
      if (result == HAS_SEEN) {
        moved = seen = 1;
        continue;
      }
      if (result == POLLS) {
        moved |= warp->resume != place;
        continue;
      }
      if (result == SPINS || result == SPINS_IN_BLOCK) {
        spins = 1;
        continue;
      }
      moved = 1;
      if (result == 0) {
        warp->resume = ~0u;
        B->live--;
      } else {
        warp->status = result;
        if (result == AT_COUNTED_BARRIER) {
          B->atCounted++;
          trace_numbered(L, warp->barrier, warp->threads, 1);
          arrive(L, B, slot, warp->barrier, warp->threads);
        } else B->arrived++;
      }
    }
    if (!B->live) {
      if (L->trace) trace_warp(L, 0);
      return ENDED;
    }
    if (B->arrived == B->live) {
      for (u32 w = 0; w < L->warps; w++) warp_at(L, slot, w)->status = RUNNABLE;
      B->arrived = 0;
      L->epoch = ++B->epoch;
      if (++turns >= BARRIERS_PER_TURN) return WAITS;
    } else if (B->arrived + B->atCounted == B->live) fault_at(L, GRID_BARRIER, sites, 0, 0, 0);
    changed |= moved | spins;
    if (seen) return WAITS;
    if (moved) idle = 0;
    else if (++idle >= (spins ? IDLE_ROUNDS : 1)) return changed ? WAITS : POLLED;
  }
}

/* Of blocks that run side by side, those of one SM are traced: each `traceStep`-th, up to `traceCount` of them. traceAt: where
 * the next token goes; traceWarps: warps of those before this one. */
static void begin_tracing(struct Launch *L, struct Block *B) {
  if (!L->traceStep || B->number % L->traceStep || B->number / L->traceStep >= L->traceCount) return;
  L->trace = L->traceAt;
  L->traceWarps = B->number / L->traceStep * L->warps;
  trace_shared_from_here(L, L->siteCount);
}
static void end_tracing(struct Launch *L) {
  if (!L->traceStep || !L->trace) return;
  trace_warp(L, 0);
  L->traceAt = L->trace;
  L->trace = 0;
}

static void enter_block(struct Launch *L, struct Block *B, u32 slot, u32 shared, u32 local) {
  L->ctaid[0] = B->number % L->nctaid[0];
  L->ctaid[1] = B->number / L->nctaid[0] % L->nctaid[1];
  L->ctaid[2] = B->number / L->nctaid[0] / L->nctaid[1];
  L->l1 = L->l1Base + B->number % L->smCount * (L->l1Sets * sizeof(struct L1Set));
  L->side = side_of(L, L->running = B->number);
  L->shared = shared + slot * L->sharedStride;
  L->local = local + slot * L->localStride;
  L->epoch = B->epoch;
  L->block = (u32)B;
  L->slot = slot;
  for (u32 i = 0; i < 4; i++) L->reduction[i] = B->reduction[i];
}

static void start_block(struct Launch *L, struct Block *B, u32 slot, u32 number, u32 shared) {
  B->number = number;
  B->state = 1;
  L->polls = 0;
  B->live = L->warps;
  B->arrived = B->atCounted = 0;
  for (u32 i = 0; i < 16; i++) B->threads[i] = 0;
  /* Epochs go on, so that what the block before did in this place is old. */
  B->epoch++;
  for (u32 i = 0; i < 4; i++) B->reduction[i] = 0;
  /* What a program reads without having written it must not depend on which blocks came before. */
  __builtin_memset((void *)(shared + slot * L->sharedStride), 0, L->sharedBytes);
  for (u32 w = 0; w < L->warps; w++) {
    struct Warp *warp = warp_at(L, slot, w);
    if (slot && !B->used) {
      const struct Warp *model = warp_at(L, 0, w);
      for (u32 i = 0; i < 3; i++) warp->tid[i] = model->tid[i];
      warp->mask = model->mask;
      warp->id = model->id;
    }
    warp->resume = warp->phase = warp->status = warp->asked = 0;
  }
  B->used = 1;
}

/* Blocks one after the other in the first place, as long as none waits for another; then others start beside it, up to as
 * many as are resident on the GPU, and take turns. */
static u32 next_block(struct Launch *L, u32 next, u32 end) {
  if (L->log)
    while (next < end && next % L->smCount % L->parts != L->part) next++;
  return next;
}

NOINLINE void run_blocks(struct Launch *L, Kernel *kernel, u32 first, u32 count, void *counts, struct Site *sites) {
  struct Block *blocks = (struct Block *)L->blocks;
  u32 end = first + count, next = next_block(L, first, end), running = 0, open = 1, stuck = 0;
  u32 shared = L->shared, local = L->local;
  L->l1Inverse = ((1ull << INVERSE_BITS) + L->l1Sets - 1) / L->l1Sets;
  while (next < end || running) {
    u32 changed = 0;
    for (u32 slot = 0; slot < open; slot++) {
      struct Block *B = &blocks[slot];
      for (;;) {
        if (B->state == 0) {
          if (next == end) break;
          if (L->log) log_word(L, BLOCK_BEGINS), log_word(L, next);
          start_block(L, B, slot, next, shared);
          next = next_block(L, next + 1, end);
          running++;
          changed = 1;
        }
        enter_block(L, B, slot, shared, local);
        L->others = running > 1;
        L->left = 0;
        begin_tracing(L, B);
        u32 result = run_block(L, B, slot, kernel, counts, sites);
        end_tracing(L);
        changed |= result != POLLED;
        if (result == ENDED) {
          B->state = 0;
          running--;
          continue;
        }
        if (L->log) give_up(L);
        for (u32 i = 0; i < 4; i++) B->reduction[i] = L->reduction[i];
        if (open < L->slots && next < end && slot + 1 == open) open++;
        break;
      }
    }
    tick();
    stuck = changed ? 0 : stuck + 1;
    if (stuck == STUCK_ROUNDS) fault_at(L, GRID_BARRIER, sites, next < L->nctaid[0] * L->nctaid[1] * L->nctaid[2] ? 1 : 2, 0, 0);
  }
}
