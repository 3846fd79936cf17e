/*
 * The heap of 64-bit host programs: boundary tags, free blocks in lists by size, and what has never been used at the end of memory,
 * which grows by `memory.grow`. Fresh memory is zero and is not touched before the program does: `calloc` of 5 GB takes no time.
 *
 * Others may let memory grow as well (the runtime does, for memory that host and device share): a heap then goes on behind that.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A block: its size, a multiple of 16, with flags; the size of the one before, if that is free, lies before it. */
typedef struct Block {
  size_t before;
  size_t head;
  struct Block *next, *previous;
} Block;

enum { used = 1, beforeUsed = 2, flags = 15, headBytes = 16, least = 32 };
#define pageBytes ((size_t)65536)

/* Lists: sizes below 1 KiB have one each, larger ones four for each power of two. */
enum { exact = 64, lists = exact + 4 * 40 };
static Block *freeBlocks[lists];
static uint64_t someFree[(lists + 63) / 64];

/* What has never been given out, or was given back at the end: `top` to `limit`. Bytes from `fresh` on are zero. */
static uintptr_t top, limit, fresh;
static int topBeforeUsed = 1;

static size_t sizeOf(const Block *block) { return block->head & ~(size_t)flags; }
static Block *after(Block *block) { return (Block *)((char *)block + sizeOf(block)); }
static void *dataOf(Block *block) { return (char *)block + headBytes; }
static Block *blockOf(void *data) { return (Block *)((char *)data - headBytes); }

static int listOf(size_t size) {
  if (size < 16 * exact) return (int)(size / 16);
  const int power = 63 - __builtin_clzl(size);
  return exact + 4 * (power - 10) + (int)(size >> (power - 2) & 3);
}

static void insert(Block *block) {
  const int list = listOf(sizeOf(block));
  block->previous = 0;
  block->next = freeBlocks[list];
  if (block->next) block->next->previous = block;
  freeBlocks[list] = block;
  someFree[list / 64] |= 1ul << list % 64;
}

static void take(Block *block) {
  const int list = listOf(sizeOf(block));
  if (block->next) block->next->previous = block->previous;
  if (block->previous) block->previous->next = block->next;
  else if (!(freeBlocks[list] = block->next)) someFree[list / 64] &= ~(1ul << list % 64);
}

/* A free block with free neither before nor behind it. */
static void release(Block *block, size_t size) {
  block->head = size | beforeUsed;
  Block *next = after(block);
  next->before = size;
  next->head &= ~(size_t)beforeUsed;
  insert(block);
}

/* Room for so many bytes at the end. */
static int grow(size_t bytes) {
  const uintptr_t end = __builtin_wasm_memory_size(0) * pageBytes;
  if (limit != end || top == 0) {
    extern char __heap_base;
    /* The first time, or others have memory behind ours: a used block ends the old heap, and what is left before it becomes a free one. */
    uintptr_t start = top == 0 ? ((uintptr_t)&__heap_base + 15 & ~(uintptr_t)15) : end;
    if (top != 0 && limit - top >= headBytes) {
      const size_t left = (limit - top - headBytes) & ~(size_t)15, size = left < least ? 0 : left;
      Block *fence = (Block *)(top + size);
      fence->head = headBytes | used | beforeUsed;
      if (size) release((Block *)top, size);
    }
    top = start, limit = end, topBeforeUsed = 1;
    fresh = start;
    if (limit >= top && limit - top >= bytes + headBytes) return 1;
  }
  const size_t missing = bytes + headBytes - (limit - top);
  /* Some ahead, an eighth of what there is, so that programs which allocate little by little do not grow memory each time. */
  const size_t wanted = missing > end / 8 ? missing : end / 8 < (64ul << 20) ? end / 8 : 64ul << 20;
  size_t pages = ((wanted > missing ? wanted : missing) + pageBytes - 1) / pageBytes;
  if (__builtin_wasm_memory_grow(0, pages) == (size_t)-1) {
    pages = (missing + pageBytes - 1) / pageBytes;
    if (__builtin_wasm_memory_grow(0, pages) == (size_t)-1) return 0;
  }
  limit = __builtin_wasm_memory_size(0) * pageBytes;
  return 1;
}

static Block *fromTop(size_t size) {
  if ((limit < top || limit - top < size + headBytes) && !grow(size)) return 0;
  Block *block = (Block *)top;
  block->head = size | used | (topBeforeUsed ? beforeUsed : 0);
  top += size;
  topBeforeUsed = 1;
  return block;
}

static Block *fromLists(size_t size) {
  int list = listOf(size);
  /* Of the list of its size, blocks may be too small. */
  if (size >= 16 * exact) {
    Block *block = freeBlocks[list];
    for (int tries = 0; block && tries < 16; block = block->next, tries++)
      if (sizeOf(block) >= size) return block;
    list++;
  }
  for (int word = list / 64; word < (int)(sizeof someFree / sizeof *someFree); word++) {
    const uint64_t found = word == list / 64 ? someFree[word] & ~0ul << list % 64 : someFree[word];
    if (found) return freeBlocks[64 * word + __builtin_ctzl(found)];
  }
  return 0;
}

/* The rest of a used block behind `size` bytes becomes free. */
static void cut(Block *block, size_t size);

/* A block's data end within the header of what follows. */
static void touchedTo(uintptr_t end) {
  if (end + headBytes > fresh) fresh = end + headBytes;
}

static size_t blockSize(size_t bytes) {
  const size_t size = (bytes + 8 + 15) & ~(size_t)15;
  return size < least ? least : size;
}

static Block *allocate(size_t bytes, uintptr_t *dirtyUntil) {
  if (bytes > (1ul << 40)) return 0;
  const size_t size = blockSize(bytes);
  Block *block = fromLists(size);
  if (block) {
    take(block);
    block->head |= used;
    after(block)->head |= beforeUsed;
    cut(block, size);
    *dirtyUntil = ~0ul;
    return block;
  }
  block = fromTop(size);
  if (!block) return 0;
  *dirtyUntil = fresh;
  touchedTo(top);
  return block;
}

void *malloc(size_t bytes) {
  uintptr_t dirty;
  Block *block = allocate(bytes, &dirty);
  if (block) return dataOf(block);
  errno = ENOMEM;
  return 0;
}

void free(void *data) {
  if (!data) return;
  Block *block = blockOf(data);
  size_t size = sizeOf(block);
  if (!(block->head & used)) __builtin_trap();
  const int isBeforeUsed = (block->head & beforeUsed) != 0;
  Block *next = after(block);
  if (!isBeforeUsed) {
    Block *previous = (Block *)((char *)block - block->before);
    take(previous);
    size += sizeOf(previous);
    block = previous;
  }
  if ((uintptr_t)next == top) {
    top = (uintptr_t)block;
    topBeforeUsed = 1;
    return;
  }
  if (!(next->head & used)) {
    take(next);
    size += sizeOf(next);
  }
  release(block, size);
}

static void cut(Block *block, size_t size) {
  const size_t whole = sizeOf(block);
  if (whole - size < least) return;
  block->head = size | (block->head & flags);
  Block *rest = after(block);
  rest->head = (whole - size) | used | beforeUsed;
  free(dataOf(rest));
}

void *calloc(size_t count, size_t size) {
  size_t bytes;
  uintptr_t dirty;
  Block *block = __builtin_mul_overflow(count, size, &bytes) ? 0 : allocate(bytes, &dirty);
  if (!block) {
    errno = ENOMEM;
    return 0;
  }
  char *data = dataOf(block);
  if ((uintptr_t)data < dirty) memset(data, 0, dirty - (uintptr_t)data < bytes ? dirty - (uintptr_t)data : bytes);
  return data;
}

void *realloc(void *data, size_t bytes) {
  if (!data) return malloc(bytes);
  if (bytes > (1ul << 40)) {
    errno = ENOMEM;
    return 0;
  }
  Block *block = blockOf(data);
  const size_t size = blockSize(bytes), had = sizeOf(block);
  Block *next = after(block);
  if (size > had && (uintptr_t)next == top && (limit - top >= size - had + headBytes || grow(size - had)) &&
      (uintptr_t)next == top) {
    block->head += size - had;
    top += size - had;
    touchedTo(top);
  } else if (size > had && (uintptr_t)next != top && !(next->head & used) && had + sizeOf(next) >= size) {
    take(next);
    block->head += sizeOf(next);
    after(block)->head |= beforeUsed;
  }
  if (sizeOf(block) >= size) {
    cut(block, size);
    return data;
  }
  void *moved = malloc(bytes);
  if (!moved) return 0;
  memcpy(moved, data, had - 8 < bytes ? had - 8 : bytes);
  free(data);
  return moved;
}

void *aligned_alloc(size_t alignment, size_t bytes) {
  if (alignment & (alignment - 1)) {
    errno = EINVAL;
    return 0;
  }
  if (alignment <= 16) return malloc(bytes);
  char *data = malloc(bytes + alignment + least);
  if (!data) return 0;
  uintptr_t aligned = ((uintptr_t)data + alignment - 1) & ~(alignment - 1);
  if (aligned != (uintptr_t)data) {
    if (aligned - (uintptr_t)data < least) aligned += alignment;
    Block *block = blockOf(data);
    const size_t lead = aligned - (uintptr_t)data, size = sizeOf(block);
    Block *kept = (Block *)((char *)block + lead);
    kept->head = (size - lead) | used | beforeUsed;
    block->head = lead | (block->head & flags);
    free(data);
  }
  cut(blockOf((void *)aligned), blockSize(bytes));
  return (void *)aligned;
}

void *memalign(size_t alignment, size_t bytes) { return aligned_alloc(alignment, bytes); }

int posix_memalign(void **result, size_t alignment, size_t bytes) {
  if (alignment < sizeof(void *)) return EINVAL;
  void *data = aligned_alloc(alignment, bytes);
  if (!data) return errno;
  *result = data;
  return 0;
}

size_t malloc_usable_size(void *data) { return data ? sizeOf(blockOf(data)) - 8 : 0; }

void *__libc_malloc(size_t bytes) { return malloc(bytes); }
void *__libc_calloc(size_t count, size_t size) { return calloc(count, size); }
void *__libc_realloc(void *data, size_t bytes) { return realloc(data, bytes); }
void __libc_free(void *data) { free(data); }
