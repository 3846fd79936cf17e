/* Barriers in shared memory, and the copies in bulk that complete them. */

static inline u32 site_number(struct Launch *L, struct Site *site) { return site - (struct Site *)L->traceSites; }

/* mbarrier: expected arrivals (bits 0-19), pending ones (20-39), phase (40), and bytes that copies have yet to bring (41-63, with a
 * sign: they may be there before they are announced) in 64 bits of shared memory. Returns whether that ended a phase. */
static u32 change_barrier(struct Launch *L, u64 *at, u32 arrivals, u32 dropped, s32 bytes) {
  u64 now = *at;
  u32 expected = (now & 0xfffff) - dropped, pending = (now >> 20 & 0xfffff) - arrivals, phase = now >> 40 & 1;
  s32 awaited = (s32)((s64)now >> 41) + bytes;
  u32 over = pending == 0 && awaited == 0;
  if (over) pending = expected, phase ^= 1;
  *at = (u64)(expected & 0xfffff) | (u64)(pending & 0xfffff) << 20 | (u64)phase << 40 | (u64)(s64)awaited << 41;
  L->moves++;
  return over;
}
/* Lanes in order. `operand`: of init the arrivals of a phase; of arrivals how many, and above them the bytes that they announce; of
 * tests the state or the parity that is to be over. Returns which lanes' tests hold; arrivals yield the state before them. */
NOINLINE u32 mbarrier(u64 *states, v32 address, d32 operand, u32 action, u32 mask, u32 space, struct Site *site, struct Launch *L) {
  const u32 *a = (const u32 *)&address;
  u32 done = 0, over = 0;
  account(L, site, a, mask, 8, space, action == BARRIER_TEST || action == BARRIER_TEST_PARITY ? LOAD : ATOMIC);
  for (u32 left = mask; left; left &= left - 1) {
    u32 lane = __builtin_ctz(left), ended = 0;
    u64 *at = (u64 *)a[lane], now = *at, value = operand[lane];
    states[lane] = now;
    switch (action) {
    case BARRIER_INIT: *at = (value & 0xfffff) | (value & 0xfffff) << 20; break;
    case BARRIER_ARRIVE: ended = change_barrier(L, at, value & 0xfffff, 0, value >> 32); break;
    case BARRIER_DROP: ended = change_barrier(L, at, value & 0xfffff, value & 0xfffff, value >> 32); break;
    case BARRIER_TEST: done |= (u32)((now ^ value) >> 40 & 1) << lane; break;
    case BARRIER_TEST_PARITY: done |= (u32)((now >> 40 ^ value) & 1) << lane; break;
    case BARRIER_BYTES: ended = change_barrier(L, at, 0, 0, value); break;
    }
    over |= ended << lane;
  }
  /* Tests in vain are not counted: here a warp tests as often as others need, on hardware it sleeps meanwhile. */
  if ((action == BARRIER_TEST || action == BARRIER_TEST_PARITY) && !done) site->lanes++, site->conflicts += __builtin_popcount(mask);
  if (L->trace)
    for (u32 left = mask; left;) {
      u32 first = __builtin_ctz(left), same = 0, count = 0, bytes = 0, phases = 0;
      for (u32 rest = left; rest; rest &= rest - 1) {
        u32 lane = __builtin_ctz(rest);
        if (a[lane] != a[first]) continue;
        same |= 1u << lane;
        count += operand[lane] & 0xfffff;
        bytes += action == BARRIER_BYTES ? operand[lane] : operand[lane] >> 32;
        phases += over >> lane & 1;
      }
      if (action == BARRIER_TEST || action == BARRIER_TEST_PARITY) count = (same & ~done) == 0;
      if (action == BARRIER_INIT) count = operand[first];
      trace_sync(L, site_number(L, site), action | phases * PHASE_OVER, a[first] - L->shared, count, bytes);
      left &= ~same;
    }
  return done;
}

/* ---- cp.async.bulk: each lane its own copy, of whole 16 bytes. Done at once, which is one of the orders that hardware may choose ---- */
enum { TO_SHARED = 0, TO_GLOBAL = 1, TO_L2 = 2 };
/* `far`: addresses in global memory where it is paged, in place of those in `to` or `from`; null otherwise. What lies in one page is one
 * piece. */
NOINLINE void bulk_copy(v32 to, v32 from, const u64 *far, v32 size, v32 barrier, u32 way, u32 mask, struct Site *site, struct Launch *L) {
  for (u32 left = mask; left; left &= left - 1) {
    u32 lane = __builtin_ctz(left), bytes = size[lane], here = way == TO_GLOBAL ? from[lane] : to[lane], inside = here - L->shared;
    u64 global = far ? far[lane] : way == TO_GLOBAL ? to[lane] : from[lane];
    u32 moved, piece;
#define PIECE(at) \
  u32 there = far ? paged(global + at, lane, &moved) : (u32)global + at; \
  piece = bytes - at; \
  if (far && piece > FRAME_BYTES - (there & FRAME_BYTES - 1)) piece = FRAME_BYTES - (there & FRAME_BYTES - 1);
    if (((u32)global | bytes | (way == TO_L2 ? 0 : inside)) & 15) {
      PIECE(0)
      fault_at(L, MISALIGNED, site, there & 15 ? there : here, lane, 16);
    }
    if (way != TO_L2 && (inside > L->sharedBytes || bytes > L->sharedBytes - inside)) fault_at(L, SHARED_RANGE, site, inside, lane, bytes);
    for (u32 at = 0; at < bytes; at += piece) {
      PIECE(at)
      for (u32 i = 0; i < piece; i = ((there + i) | 255) + 1 - there) {
        u32 granule = 256 - (there + i & 255), rest = piece - i;
        if (!allocated(there + i, granule < rest ? granule : rest)) fault_at(L, GLOBAL_RANGE, site, there + i, lane, 16);
      }
    }
    if (!bytes) continue;
    u32 over = 0, place = barrier[lane] - L->shared;
    if (way == TO_SHARED) {
      if (place & 7) fault_at(L, MISALIGNED, site, barrier[lane], lane, 8);
      if (place > L->sharedBytes - 8 || L->sharedBytes < 8) fault_at(L, SHARED_RANGE, site, place, lane, 8);
    }
    for (u32 at = 0; at < bytes && way != TO_L2; at += piece) {
      PIECE(at)
      if (way == TO_GLOBAL && L->undo) writes(L, there, piece);
      if (way == TO_SHARED) __builtin_memmove((void *)(here + at), (void *)there, piece);
      else __builtin_memmove((void *)there, (void *)(here + at), piece);
    }
    if (way == TO_SHARED) over = change_barrier(L, (u64 *)barrier[lane], 0, 0, -(s32)bytes);
    if (L->trace && way != TO_L2) trace_sync(L, site_number(L, site), way == TO_GLOBAL ? BULK_STORE : BULK_LOAD | over * PHASE_OVER, place, 1, bytes);
    L->storedCount = 0;
    L->asking = 1;
    site->lanes++;
    u32 lines[32], count = 0;
    u8 sectors[32];
    for (u32 at = 0; at < bytes; at += piece) {
      PIECE(at)
      u32 last = there + piece - 1;
      for (u32 line = there >> 7; line <= last >> 7; line++) {
        u32 wanted = sectors_of_span(there, last, line), amount = __builtin_popcount(wanted), partial = bytes_of_span(there, last, line);
        site->sectors += amount;
        site->lines++;
        lines[count] = line;
        sectors[count] = wanted;
        if (way == TO_GLOBAL) l2_access(L, line, wanted, partial ? PARTIAL : STORE, partial);
        else {
          L->l1Misses += amount;
          note_read(L, line, wanted);
          sectors[count] |= l2_access(L, line, wanted, LOAD, 0);
        }
        count++;
        if (count == 32 || (line == last >> 7 && at + piece == bytes)) {
          if (L->trace && way != TO_L2) trace_lines(L, site, count, lines, sectors, ONE_PASS);
          count = 0;
        }
      }
    }
  }
}
#undef PIECE

/* What a warp copies to shared memory is done at once: an arrival that waits for it is an arrival, if it counts as one. */
NOINLINE void mbarrier_after_copies(v32 address, u32 arrives, u32 mask, u32 space, struct Site *site, struct Launch *L) {
  const u32 *a = (const u32 *)&address;
  u32 phases = 0;
  account(L, site, a, mask, 8, space, ATOMIC);
  for (u32 left = arrives ? mask : 0; left; left &= left - 1) phases += change_barrier(L, (u64 *)a[__builtin_ctz(left)], 1, 0, 0);
  if (L->trace)
    trace_sync(L, site_number(L, site), BARRIER_COPIES | phases * PHASE_OVER, a[__builtin_ctz(mask)] - L->shared, arrives * __builtin_popcount(mask), 0);
}
