/* Blocks and warps: the loop over those of a grid, barriers of a block, and which blocks are traced. */

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

/* Local memory of a block, up to this size, is cleared as shared memory is; where there is more, blocks stay on one core. */
#define LOCAL_CLEARED (5u << 19)
static void start_block(struct Launch *L, struct Block *B, u32 slot, u32 number, u32 shared, u32 local) {
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
  if (L->localTotal <= LOCAL_CLEARED) __builtin_memset((void *)(local + slot * L->localStride), 0, L->localTotal);
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
    while (next < end && part_of(L, next) != L->part) next++;
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
          start_block(L, B, slot, next, shared, local);
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
