/*
 * Every line is at home in one half of L2. An SM asks the half that it is at: this keeps copies of what it had from the other
 * one (H200 reference: what all SMs read at random fits up to half of L2, A4 random_gather; what one reads again up to nearly all,
 * reuse.json; sectors that miss, and all that are stored, are looked up 1.5 times). In each launch it asks the
 * line's home, the first time, whether a copy is still true (reuse.json: what a launch reads once is looked up 1.5 times, however
 * often launches have read it; but who comes again and again for its copy does not keep the line at home). Stores and atomics work
 * at home, and copies of what they change are void; a store takes a place where it goes by (reuse.json: copies fill L2 as reads do).
 */

static u32 l2_now(struct Launch *L, u32 line, u32 sectors, u32 kind, u32 bytes) {
  touch_memory(line << 7);
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
  struct L2Place place = l2_place(L, line);
  u32 halves = L->l2Halves, home = halves == 2 ? home_of(line) : 0, away = halves == 2 && home != L->side;
  if (away && kind == LOAD) {
    struct L2Set *near = in_half(L, place, L->side);
    u32 copied = l2_take(L, near, place.tag), round = L->round << 4, asked = (near->asked[0] & 240) == round ? near->asked[0] & 15 : 0;
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
    struct L2Set *other = in_half(L, place, !home);
    u32 way = l2_way(L, other, place.tag);
    if (way < L2_WAYS) other->sectors[way] &= ~sectors;
    if (away && kind != ATOMIC) l2_take(L, other, place.tag);
  }
  struct L2Set *set = in_half(L, place, home);
  u32 before = l2_take(L, set, place.tag), valid = before & 15, dirty = before >> 4;
  if (kind == PARTIAL) {
    l2_fill_in(L, place, line, valid, bytes);
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
