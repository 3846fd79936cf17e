/* Traces of the warps of a block, for the SM model (engine/sm): tokens of one or more words, the first of which says
 *
 *   0 0 block:30           the warp executes this block; the mask of its lanes follows
 *   0 1 site:22 count:8    it accesses memory outside of the SM's shared one: so many words of line:25 | sectors:4 << 25 |
 *                          where:3 << 29 (IN_L2, IN_DRAM, IN_OTHER_HALF, IN_PEER, IN_HOST) follow; with WITH_PASSES, another one, see
 *                          count_passes
 *   1 0 site:22 passes:8   it accesses shared memory in so many wavefronts
 *   1 1 0 warp:29          another warp goes on
 *   1 1 1 site:21 words:8  it does something to a barrier, or begins a copy in bulk, whose lines follow; see trace_sync
 *
 * Sites are numbered as everywhere. */
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
/* A warp comes to a block of a kernel with many (see Counters.beginBlock): counts it and notes it; whether a trace is wanted. */
NOINLINE u32 begin_block(struct Launch *L, struct BlockCount *count, u32 block, u32 mask) {
  count->times++;
  count->lanes += __builtin_popcount(mask);
  count->partial += mask != ~0u;
  if (L->trace) trace_block(L, block, mask);
  return L->trace;
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
