/* What the device needs to know that a launch would do what an earlier one did (device/repeated-launches.ts): which pages of memory a
 * launch touches, and hashes of what they hold. Constants, whose loads ask no cache, are not among them. */

#define MEMORY_PAGE_SHIFT 16
#define MEMORY_PAGES (1u << 32 - MEMORY_PAGE_SHIFT)
/* Below the table of what is allocated lies nothing else. Whether pages were touched, u8 each; random words; a list of pages, u32
 * each; and their hashes, 16 bytes each. */
#define TOUCHED_BASE (2u << 20)
#define HASH_KEYS_BASE (3u << 20)
#define HASH_LIST_BASE (4u << 20)
#define HASHES_BASE (5u << 20)
/* Threads that only read keep the table in their caches. */
static inline void touch_memory(u32 address) {
  u8 *touched = (u8 *)TOUCHED_BASE + (address >> MEMORY_PAGE_SHIFT);
  if (!*touched) *touched = 1;
}

/* NH, the universal hash of UMAC (RFC 4418, 5.2), twice, the second time with the keys moved on by four words: two texts that differ have
 * the same hash by a chance of 2^-64. */
typedef u64 two64 __attribute__((vector_size(16), aligned(4)));
#define HASHED_BYTES (1u << MEMORY_PAGE_SHIFT)
static inline two64 nh(quad text, quad keys) {
  quad sum = text + keys;
  return __builtin_convertvector(__builtin_shufflevector(sum, sum, 0, 1), two64) * __builtin_convertvector(__builtin_shufflevector(sum, sum, 2, 3), two64);
}
static void hash_more(u32 address, u32 bytes, u32 keys, u64 *out) {
  two64 first = {}, second = {};
  for (u32 i = 0; i < bytes; i += 16) {
    quad text = *(quad *)(address + i);
    first += nh(text, *(quad *)(keys + i));
    second += nh(text, *(quad *)(keys + i + 16));
  }
  out[0] += first[0] + first[1];
  out[1] += second[0] + second[1];
}
/* What the pages of the list hold, and what of them is allocated. */
NOINLINE void hash_pages(u32 count) {
  for (u32 i = 0; i < count; i++) {
    u32 page = ((u32 *)HASH_LIST_BASE)[i], guards = 1u << MEMORY_PAGE_SHIFT - GUARD_SHIFT;
    u64 *out = (u64 *)HASHES_BASE + 2 * i;
    out[0] = out[1] = 0;
    hash_more(page << MEMORY_PAGE_SHIFT, HASHED_BYTES, HASH_KEYS_BASE, out);
    hash_more(GUARD_BASE + page * guards, guards, HASH_KEYS_BASE + HASHED_BYTES, out);
  }
}
/* L2 with its two tables, as the next launch finds it. Returns the number of hashes. */
NOINLINE u32 hash_l2(struct Launch *L, u32 end) {
  struct L2Set *sets = (struct L2Set *)L->l2Base;
  if (L->l2Halves == 2)
    for (u32 i = 0; i < 2 * L->l2Sets; i++) *(bytes16 *)sets[i].asked = (bytes16){};
  u32 count = 0;
  for (u32 at = L->l2Base; at < end; at += HASHED_BYTES) {
    u64 *out = (u64 *)HASHES_BASE + 2 * count++;
    out[0] = out[1] = 0;
    hash_more(at, end - at < HASHED_BYTES ? end - at : HASHED_BYTES, HASH_KEYS_BASE, out);
  }
  return count;
}
