/* Races on shared memory between warps of a block. */

/*
 * The last writer and readers of each shared word since the block's last barrier, where they are in the code, and which bytes of the word
 * they had: those written in the low half of a byte, those read in the high one.
 */
struct Shadow { u32 writeEpoch, writer, readEpoch, reader; struct Site *writeSite, *readSite; u32 bytes, unused; };
enum { SEVERAL = ~0u, BY_ATOMIC = 1u << 31 };
static void check_races(struct Launch *L, struct Site *site, const u32 *a, u32 mask, u32 size, u32 kind) {
  u32 warp = ((u32 *)L->warp)[WARP_WORD(id)], words = (size + 3) / 4;
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
