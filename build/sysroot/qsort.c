/*
 * qsort by merging, as the GNU C library has it: equal elements keep their order, which programs count on, and elements are compared in
 * the same order. musl's own takes three to four times as long.
 */
#include <stdlib.h>
#include <string.h>

#include "libc.h"

typedef int (*Order)(const void *, const void *, void *);

/* Merges two runs, the first of `left` elements, that lie one behind the other. */
static inline __attribute__((always_inline)) void merge(char *base, size_t left, size_t count, size_t size, char *room, Order order,
                                                        void *with) {
  char *to = room, *one = base, *end = base + left * size, *other = end, *last = base + count * size;
  while (one < end && other < last) {
    char **least = order(one, other, with) <= 0 ? &one : &other;
    memcpy(to, *least, size);
    *least += size;
    to += size;
  }
  /* What is left of the second run is in its place. */
  memcpy(to, one, end - one);
  memcpy(base, room, to - room + (end - one));
}

#define SORT(name, bytes)                                                                                                     \
  static void name(char *base, size_t count, size_t size, char *room, Order order, void *with) {                              \
    size_t left = count / 2;                                                                                                   \
    if (count < 2) return;                                                                                                     \
    name(base, left, size, room, order, with);                                                                                \
    name(base + left * (bytes), count - left, size, room, order, with);                                                       \
    merge(base, left, count, (bytes), room, order, with);                                                                     \
  }
SORT(sort_4, 4)
SORT(sort_8, 8)
SORT(sort_any, size)

static void swap(char *a, char *b, size_t size) {
  for (size_t i = 0; i < size; i++) {
    char kept = a[i];
    a[i] = b[i], b[i] = kept;
  }
}

static void sink(char *base, size_t at, size_t count, size_t size, Order order, void *with) {
  for (size_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && order(base + child * size, base + (child + 1) * size, with) < 0) child++;
    if (order(base + at * size, base + child * size, with) >= 0) return;
    swap(base + at * size, base + child * size, size);
  }
}

/* Where there is no room to merge. */
static void heap_sort(char *base, size_t count, size_t size, Order order, void *with) {
  for (size_t at = count / 2; at-- > 0;) sink(base, at, count, size, order, with);
  for (size_t left = count; left-- > 1;) {
    swap(base, base + left * size, size);
    sink(base, 0, left, size, order, with);
  }
}

void __qsort_r(void *base, size_t count, size_t size, Order order, void *with) {
  if (count < 2 || size == 0) return;
  char small[1024], *room = count * size <= sizeof small ? small : malloc(count * size);
  if (room == NULL) heap_sort(base, count, size, order, with);
  else (size == 4 ? sort_4 : size == 8 ? sort_8 : sort_any)(base, count, size, room, order, with);
  if (room != small) free(room);
}
weak_alias(__qsort_r, qsort_r);

static int without(const void *one, const void *other, void *order) {
  return ((int (*)(const void *, const void *))order)(one, other);
}
void qsort(void *base, size_t count, size_t size, int (*order)(const void *, const void *)) {
  __qsort_r(base, count, size, without, (void *)order);
}
