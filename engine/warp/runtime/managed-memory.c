/* Pages of managed memory that a grid accesses: how, in how many sectors, by how many blocks, and when first. L1
 * begins empty, so that of each page something comes to L2.
 *
 * Blocks are executed one after the other, but resident ones run side by side, and a warp waits for a page before it asks for
 * the next: first accesses are ordered by which blocks are resident together, then by how many requests the warp made of managed
 * memory before, then by its number in the block. */
struct Page { u32 sectors, access, blocks, last, generation, turn, block; };
#define PAGE_BYTES 4096
#define LINES_OF_A_PAGE (PAGE_BYTES / 128)
/* A turn is the number of a request, of so many bits, and below it that of its warp, of so many. */
#define TURN_BITS 26
#define WARP_BITS 5
#define WARPS_OF_TURN (1 << WARP_BITS)
static void touch_page(struct Launch *L, u32 line, u32 sectors, u32 kind) {
  u32 page = line / LINES_OF_A_PAGE - L->managedFirst;
  if (page >= L->managedPages) return;
  struct Page *P = (struct Page *)L->managed + page;
  u32 generation = L->running / L->resident;
  if (!P->access) ((u32 *)L->touched)[L->touchedCount++] = page;
  if (!P->access || generation < P->generation || (generation == P->generation && L->asked < P->turn)) {
    P->generation = generation;
    P->turn = L->asked;
    P->block = L->running;
  }
  P->access |= kind == LOAD ? 1 : kind == ATOMIC ? 4 : 2;
  P->sectors += __builtin_popcount(sectors);
  if (P->last != L->running + 1) {
    P->last = L->running + 1;
    P->blocks++;
  }
}
