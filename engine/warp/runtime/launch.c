/* Types of a warp, structs that kernels, the runtime and the device share, faults, and the check that an address is allocated. What
 * TypeScript has to know of them, and of all structs and constants here, generate-abi.ts lists and abi.ts has. A warp-wide value is a vector of 32; a lane mask is 32 bits. Device addresses are addresses in the one
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

struct Launch {
  u32 params, shared, sharedBytes, ctaid[3], ntid[3], nctaid[3];
  u32 local, localBytes, lowest, clock;
  u32 warps, warpStride, warpBase, smCount;
  u32 l1Sets, l2Sets, l1Base, l2Base;
  u32 l1, variables, warp, lane; /* table of the addresses of the module's variables; the running warp; lane and `size` of a fault */
  /* Sectors and bytes that caches and DRAM moved; of the matches and masks see MATCH_ANY and count_masks. */
  u64 l1Hits, l1Misses, l2Hits, l2Misses, l2Stored;
  u64 dramRead, dramWrite, l2Across, dramRows, dramFilled, dramIdle, l2Confirmed;
  u64 matches, matchedValues, maskedGroups, masks;
  u32 hot, checks, shadow, size;
  u32 epoch, localTotal, block, slot;
  u32 log, logFirst, logEnd, part, parts, adjacent; /* of a part of a grid, see crew.ts */
  u32 reads, granules, undo, undoEnd;
  u32 atomics, atomicsFirst, atomicsLast; /* sectors of atomics that are postponed, a bit each; of these granules */
  u32 trace, traceEnd, traceFirst, traceSeen, traceSites, traceBlock; /* of what warps do, see trace.c */
  u32 storedCount, storedWarp, storedBlock[3], stored[4];             /* see store_lines */
  u8 storedSectors[4];
  u64 l1Inverse;                                             /* see l1_set */
  u32 side, l2Halves, rows, partial;                         /* the half of L2 that the running block is at; how many there are; two tables, see use_row and l2_fill_in */
  u32 rowEntries, partialsOfSet, l2Slices;                   /* of the tables: entries, and entries of a set; see slice_of */
  u32 moves, polls;                                          /* changes of barriers in shared memory, and ends of waiting; loops that may wait, of this block */
  u64 peerReads, peerWrites;                                 /* sectors of other GPUs */
  u32 owners, owner;                                         /* whose memory is whose, 0 where all is the GPU's; the GPU that executes, from 1 */
  u32 emptied;                                               /* the L1 that has got nothing since it was emptied */
  u32 traceStep, traceCount, traceAt, traceWarps, siteCount; /* of blocks that run side by side, see begin_tracing */
  u32 others, left, polled;                                  /* whether others are resident; whether a warp has seen what it polled for; loops that it has been in since its turn began */
  u32 managed, managedFirst, managedPages, touched, touchedCount; /* table of the pages of managed memory, the first, how many; list of those that were touched, how many these are: see touch_page */
  u32 running;                                               /* number of the running block */
  u64 hostReads, hostWrites, hostPartial;                    /* sectors of the host's memory; of those written the ones that were so in part */
  u32 resident, asking, asked;                               /* blocks resident at a time; see asks: whether a request has asked yet, and its turn */
  u32 samples;                                               /* table of struct Samples, by site: see note_access */
  u32 number, round;                                         /* which of the launches that are alike, see side_of; see struct L2Set */
  /* Sums of barriers. Of a failed assertion text, file, line and function; of lanes that wait in vain these, whom they wait for, and
   * the site of those; of a race the site of the earlier access. */
  u32 reduction[4];
  u32 slots, blocks, sharedStride, localStride; /* places of resident blocks */
};
/* Before the frame that is kept over barriers. */
struct Warp {
  v32 tid[3];
  u32 mask, resume, id, phase;
  u32 status, barrier, threads, asked; /* what it waits for: nothing, its block, the grid, a barrier with a count; see asks */
};
/* Where a word of it lies, in words: warps lie closer together than a struct Warp would be aligned. */
#define WARP_WORD(field) (__builtin_offsetof(struct Warp, field) / 4)
/* Of a basic block: times executed, active lanes summed, times that its branch diverged, times that lanes were missing. */
struct BlockCount { u64 times, lanes, diverged, partial; };
/* Of a memory instruction. sectors, lines: of global memory. sharedRequests, localRequests: of generic addresses. lanes: of atomics.
 * conflicts: sum over requests of the lanes on the busiest address. pastL1: of a load, whether it finds nothing in L1; of an atomic,
 * whether it adds floats. wide: wavefronts beyond the first of each request that are no conflicts, see shared_shape. banks, passes: of
 * global memory, see count_passes. */
struct Site {
  u64 sectors, wavefronts, sharedRequests, localRequests, lines, lanes, conflicts, pastL1, wide, localSectors, banks, passes;
};
/* By granule of address space: how many of its bytes are allocated, 255 for all (see Device). */
#define GUARD_BASE 0x1000000
#define GUARD_SHIFT 8
#define GUARD_GRANULE (1 << GUARD_SHIFT)
#define GUARD ((u8 *)GUARD_BASE)
/* Passes of atomics, and stores of one sector, by 512-byte granule; behind them, those that add floats, by sector. */
#define HOT_GRANULES 4096

enum { GENERIC = 0, GLOBAL = 1, SHARED = 3, CONSTANT = 4, LOCAL = 5 };
/* PARTIAL: a store that leaves out bytes of a sector, see l2_fill_in. */
enum { LOAD = 0, STORE = 1, ATOMIC = 2, PARTIAL = 3 };
/* Faults. Only kernels themselves find STACK_OVERFLOW, BAD_CALL and NOT_IN_MASK; NEVER_MEET is that of lanes that wait for others which never come,
 * NOT_IN_MASK that of lanes that the masks they give do not name. */
enum {
  GLOBAL_RANGE = 1, SHARED_RANGE = 2, MISALIGNED = 3, TRAP = 4, DIVERGENT_BARRIER = 5, GRID_BARRIER = 6, LOCAL_RANGE = 7, RACE = 8,
  ASSERT = 9, GIVE_UP = 10, STACK_OVERFLOW = 33, BAD_CALL = 34, BAD_FREE = 35, NEVER_MEET = 36, NOT_IN_MASK = 37,
};
/* CHECK_ORDER: of races, those between reads and writes. */
enum { CHECK_RACES = 1, CHECK_ORDER = 2 };

__attribute__((import_module("env"), import_name("fault"), noreturn)) void fault(u32 code, struct Site *site, u32 address);
/* Called now and then by whatever could run for ever: stops a launch whose budget is used up. */
__attribute__((import_module("env"), import_name("tick"))) void tick(void);

static inline u32 allocated(u32 address, u32 size) {
  u32 bytes = GUARD[address >> GUARD_SHIFT];
  return bytes == 255 || (address & GUARD_GRANULE - 1) + size <= bytes;
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
