/* Device memory beyond 4 GiB. Addresses from PAGED_FROM on are of pages, of which those in use lie in frames of the linear memory; the
 * host keeps the others, and brings one in where a kernel comes to it (device/paging.ts). */
#define PAGED_FROM_GIB 1024
#define PAGED_FROM ((u64)PAGED_FROM_GIB << 30)
#define FRAME_SHIFT 16
#define FRAME_BYTES (1u << FRAME_SHIFT)
/* Where parts of grids would have their state (crew.ts), of which there are none then: the frame of each page, 0 where it has none;
 * whether frames were used, by the number that their addresses begin with; what lanes have that do not point to memory. */
#define PAGE_TABLE_BASE 0xf0000000u
#define PAGE_TABLE ((u32 *)PAGE_TABLE_BASE)
#define PAGE_COUNT (1u << 22)
#define FRAME_USED_BASE (PAGE_TABLE_BASE + 4 * PAGE_COUNT)
#define FRAME_USED ((u8 *)FRAME_USED_BASE)
#define MISSING_BASE (FRAME_USED_BASE + (1u << 32 - FRAME_SHIFT))
/* An address within it stands for one of no memory: nothing is allocated there. */
#define NOWHERE_BASE (MISSING_BASE + FRAME_BYTES)

/* Returns the page's frame; 0 where nothing is allocated. */
__attribute__((import_module("env"), import_name("page_in"))) u32 page_in(u32 page);

/* Where an address lies. `moved`: a page was brought in, so that one found before may have left. */
static u32 paged(u64 address, u32 lane, u32 *moved) {
  if (address < PAGED_FROM) {
    if (address >> 32 == 0) return address;
  } else {
    u64 page = address - PAGED_FROM >> FRAME_SHIFT;
    u32 frame = page < PAGE_COUNT ? PAGE_TABLE[page] : 0;
    if (!frame && page < PAGE_COUNT && (frame = page_in(page))) *moved = 1;
    if (frame) {
      FRAME_USED[frame >> FRAME_SHIFT] = 1;
      return frame | (address & FRAME_BYTES - 1);
    }
  }
  ((u64 *)MISSING_BASE)[lane] = address;
  return NOWHERE_BASE | (address & FRAME_BYTES - 1);
}
NOINLINE u32 paged_one(u64 address) {
  u32 moved;
  return paged(address, 0, &moved);
}
NOINLINE void paged_lanes(u32 *out, const u64 *addresses, u32 mask) {
  u32 moved;
  do {
    moved = 0;
    for (u32 left = mask; left; left &= left - 1) {
      u32 lane = __builtin_ctz(left);
      out[lane] = paged(addresses[lane], lane, &moved);
    }
  } while (moved);
}
