/* Parts of a grid that run side by side (see crew.ts): what they ask of L2 is written down, to be replayed in the order
 * of blocks; so is what they read and wrote, to find out whether they got in each other's way, and to undo it then. */

/* A granule of memory as it was before the part first wrote there, and which words the part wrote. */
#define UNDO_SHIFT 10
#define UNDO_GRANULE (1 << UNDO_SHIFT)
struct Undo { u32 granule, sequence, unused[2]; u8 words[UNDO_GRANULE / 32]; u8 before[UNDO_GRANULE]; };
__attribute__((import_module("env"), import_name("sequence"))) u32 sequence(void);
__attribute__((noinline, noreturn, cold)) static void give_up(struct Launch *L) { fault_at(L, GIVE_UP, 0, 0, 0, 0); }

/* Which part executes a block: SMs that follow each other are of the same one, as their blocks read what lies together. */
static inline u32 part_of(struct Launch *L, u32 block) { return block % L->smCount / L->adjacent % L->parts; }
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
  u32 last = (address + bytes - 1) >> UNDO_SHIFT;
  for (u32 g = address >> UNDO_SHIFT; g <= last; g++) {
    u32 *entry = (u32 *)L->granules + g;
    if (!*entry) {
      struct Undo *U = (struct Undo *)L->undo;
      L->undo += sizeof *U;
      if (L->undo > L->undoEnd) give_up(L);
      U->granule = g;
      __builtin_memset(U->words, 0, sizeof U->words);
      __builtin_memcpy(U->before, (void *)(g << UNDO_SHIFT), UNDO_GRANULE);
      /* Taken after the copy and before the write: of several copies, the one with the lowest number is from before all
       * writes. */
      U->sequence = sequence();
      *entry = (u32)U;
    }
    struct Undo *U = (struct Undo *)*entry;
    u32 from = g == address >> UNDO_SHIFT ? (address & UNDO_GRANULE - 1) >> 2 : 0;
    u32 to = g == last ? ((address + bytes - 1) & UNDO_GRANULE - 1) >> 2 : UNDO_GRANULE / 4 - 1;
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

/* Before atomics that are postponed. */
static inline void writes_later(struct Launch *L, u32 address) {
  u32 granule = address >> UNDO_SHIFT;
  ((u32 *)L->atomics)[granule] |= 1u << (address >> 5 & 31);
  if (granule < L->atomicsFirst) L->atomicsFirst = granule;
  if (granule > L->atomicsLast) L->atomicsLast = granule;
}

NOINLINE void writes_too(struct Launch *L, u32 address, u32 bytes) {
  if (L->undo) writes(L, address, bytes);
}

/* The first line of managed memory that a request asks for: which request of its warp that is, with the warp's number below. */
static void asks(struct Launch *L, u32 line) {
  if (!L->asking || line / LINES_OF_A_PAGE - L->managedFirst >= L->managedPages) return;
  L->asking = 0;
  u32 *id = (u32 *)(L->warp + __builtin_offsetof(struct Warp, id));
  L->asked = (++id[WARP_WORD(asked) - WARP_WORD(id)] & (1u << TURN_BITS) - 1) << WARP_BITS | (*id & WARPS_OF_TURN - 1);
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

/* Groups of sets of L2 (see l2_place) in slices, which several threads look up side by side. */
#define MOST_PARTS 8
#define SLICES 16
#define SLICE_GROUP 8
#define SLICE_BITS 24
static inline u32 slice_of(struct Launch *L, u32 line) { return l2_place(L, line).number / SLICE_GROUP * L->l2Slices >> SLICE_BITS; }
/*
 * Atomics whose results nobody uses are done when the round is over, in the order of blocks, and not at all where it is undone. In the log a
 * word without sectors, then addresses and values.
 */
#define OPERATIONS_ON_INTEGERS(X, U) \
  X(add_##U) X(sub_##U) X(and_##U) X(or_##U) X(xor_##U) X(nand_##U) X(xchg_##U) X(umax_##U) X(umin_##U) X(max_##U) X(min_##U) \
  X(uinc_wrap_##U) X(udec_wrap_##U)
#define OPERATIONS_ON_FLOATS(X, T) X(fadd_##T) X(fsub_##T) X(fmax_##T) X(fmin_##T)
#define ATOMIC_OPERATIONS(X)                                                                                             \
  OPERATIONS_ON_INTEGERS(X, u32) OPERATIONS_ON_INTEGERS(X, u64) OPERATIONS_ON_FLOATS(X, float) OPERATIONS_ON_FLOATS(X, double) \
  X(fadd_half) X(fadd_bfloat) X(fadd_half2) X(fadd_bfloat2)
#define OP(NAME) OP_##NAME,
enum { ATOMIC_OPERATIONS(OP) };
#define POSTPONED(op, count, size) ((op) | (count) << 8 | (size) << 16 | ATOMIC << 29)
static void do_atomic(u32 op, u32 address, const void *value);
/* Does those of a warp in some slices; returns the log's last word of them. */
static u32 catch_up(struct Launch *L, u32 at, u32 slices) {
  u32 word = *(u32 *)at, op = word & 255, size = word >> 16 & 15, step = size == 8 ? 12 : 8;
  at += 4;
  for (u32 count = word >> 8 & 255; count; count--, at += step) {
    u32 address = *(u32 *)at;
    if (slices >> slice_of(L, address >> 7) & 1) do_atomic(op, address, (void *)(at + 4));
  }
  return at - 4;
}
/* What a block logged, of the lines in some slices, up to where the next block begins; returns that place. */
static u32 replay_block(struct Launch *L, u32 block, u32 at, u32 end, u32 slices) {
  L->side = side_of(L, L->running = block);
  for (; at != end; at += 4) {
    u32 word = *(u32 *)at;
    if (word == BLOCK_BEGINS) break;
    if (word & TURN) {
      L->asked = word & ~TURN;
      continue;
    }
    if (!(word >> 25 & 15)) {
      at = catch_up(L, at, slices);
      continue;
    }
    u32 line = word & 0x1ffffff, kind = word >> 29 & 3, bytes = kind == PARTIAL ? *(u32 *)(at += 4) : 0;
    if (slices >> slice_of(L, line) & 1) l2_now(L, line, word >> 25 & 15, kind, bytes);
  }
  return at;
}
/* The parts' requests to L2 in the order of blocks, of the lines in some slices. Launch structs of the parts lie `stride` apart. */
NOINLINE void replay(struct Launch *L, u32 first, u32 count, u32 parts, u32 stride, u32 slices) {
  u32 at[MOST_PARTS], end[MOST_PARTS];
  struct Launch *one = (struct Launch *)parts;
  for (u32 i = 0; i < one->parts; i++) {
    struct Launch *P = (struct Launch *)(parts + i * stride);
    at[i] = P->logFirst;
    end[i] = P->log;
  }
  for (u32 block = first; block < first + count; block++) {
    u32 i = part_of(one, block);
    /* Past BLOCK_BEGINS and the block's number. */
    at[i] = replay_block(L, block, at[i] + 8, end[i], slices);
  }
}

/* These three, of rounds in which nobody gave up. */

/* Whether a part wrote a word that another one wrote, or a sector that another one read, or any part wrote or read one of atomics. */
NOINLINE u32 conflicts(struct Launch *L, u32 parts, u32 stride) {
  for (u32 i = 0; i < L->parts; i++) {
    struct Launch *P = (struct Launch *)(parts + i * stride);
    const u32 *atomics = (u32 *)P->atomics, *reads = (u32 *)L->reads;
    for (u32 granule = P->atomicsFirst; granule <= P->atomicsLast; granule++)
      if (atomics[granule] & reads[granule]) return 1;
    for (struct Undo *U = (struct Undo *)L->logEnd; U < (struct Undo *)L->undo; U++) {
      u32 others = atomics[U->granule];
      struct Undo *other = 0;
      if (P != L) {
        others |= ((u32 *)P->reads)[U->granule];
        other = ((struct Undo **)P->granules)[U->granule];
      }
      if (!others && !other) continue;
      for (u32 sector = 0; sector < UNDO_GRANULE / 32; sector++)
        if (U->words[sector] && ((others >> sector & 1) || (other && U->words[sector] & other->words[sector]))) return 1;
    }
  }
  return 0;
}
/* Makes room for the next round: forgets what a part wrote and read, of memory up to `heapEnd`. */
NOINLINE void forget_part(struct Launch *L, u32 heapEnd) {
  for (struct Undo *U = (struct Undo *)L->logEnd; U < (struct Undo *)L->undo; U++) ((u32 *)L->granules)[U->granule] = 0;
  if (L->atomicsFirst <= L->atomicsLast)
    __builtin_memset((u32 *)L->atomics + L->atomicsFirst, 0, 4 * (L->atomicsLast - L->atomicsFirst + 1));
  u32 reads = L->reads + L->lowest / 256;
  __builtin_memset((void *)reads, 0, L->reads + (heapEnd + 255) / 256 - reads);
}
/* Adds passes of atomics and stores, and clears them. */
NOINLINE void add_hot(struct Launch *L, struct Launch *part) {
  quad *to = (quad *)L->hot, *from = (quad *)part->hot;
  for (u32 i = 0; i < 2 * HOT_GRANULES / 4; i++) {
    to[i] += from[i];
    from[i] = (quad){};
  }
}

/* Before a launch: of rounds with the numbers that come now nothing is known any more. */
NOINLINE void begin_launch(struct Launch *L) {
  if (L->l2Halves == 1 || L->round != 1) return;
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
