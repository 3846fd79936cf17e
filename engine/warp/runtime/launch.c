/* Types of a warp, structs that kernels, the runtime and the device share, faults, and the check that an address is allocated. Offsets
 * are mirrored in ../layout.ts. A warp-wide value is a vector of 32; a lane mask is 32 bits. Device addresses are addresses in the one
 * linear memory. */

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
