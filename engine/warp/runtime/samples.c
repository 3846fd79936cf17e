/* Samples of where lanes accessed memory.
 * Of each site some accesses of traced warps are kept: the 1st, the 2nd, the 4th, the 8th and so on; none of constant memory. */
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
  to->warp = ((u32 *)L->warp)[WARP_WORD(id)];
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
