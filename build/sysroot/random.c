/*
 * rand and random as the GNU C library has them, number for number: programs draw the same data from them as on Linux, and do the same with
 * it. The recurrence is x[n] = x[n - degree] + x[n - degree + separation] over 32 bits, of which the lowest is dropped; its beginning comes
 * from Park's and Miller's generator. 8 bytes of state are a linear congruential generator instead.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

static const struct {
  size_t bytes;
  int degree, separation;
} kinds[] = {{8, 0, 0}, {32, 7, 3}, {64, 15, 1}, {128, 31, 3}, {256, 63, 1}};
enum { kindCount = 5, usual = 3 };

/* A state as programs see it has a word in front: its kind, and where its rear pointer is. */
static int32_t first[32];
static int32_t *state, *front, *rear;
static int kind = usual;

static int32_t step(void) {
  if (kind == 0) return *state = (*state * 1103515245u + 12345) & 0x7fffffff;
  int32_t *end = state + kinds[kind].degree;
  uint32_t sum = *front = (uint32_t)*front + (uint32_t)*rear;
  if (++front == end) front = state;
  if (++rear == end) rear = state;
  return sum >> 1;
}

static void seed(unsigned value) {
  int degree = kinds[kind].degree;
  int32_t word = value ? value : 1;
  state[0] = word;
  for (int i = 1; i < degree; i++) {
    int32_t high = word / 127773, low = word % 127773;
    word = 16807 * low - 2836 * high;
    if (word < 0) word += 2147483647;
    state[i] = word;
  }
  front = state + kinds[kind].separation;
  rear = state;
  for (int i = 0; i < 10 * degree; i++) step();
}

static void start(void) {
  state = first + 1;
  seed(1);
}

/* Writes the word in front of the state, which is left now. */
static char *leave(void) {
  state[-1] = kind == 0 ? 0 : kindCount * (rear - state) + kind;
  return (char *)(state - 1);
}

void srandom(unsigned value) {
  if (!state) state = first + 1;
  seed(value);
}

long random(void) {
  if (!state) start();
  return step();
}

char *initstate(unsigned value, char *bytes, size_t size) {
  if (size < kinds[0].bytes) return errno = EINVAL, (char *)0;
  if (!state) start();
  char *before = leave();
  for (kind = kindCount - 1; kinds[kind].bytes > size; kind--);
  state = (int32_t *)bytes + 1;
  seed(value);
  leave();
  return before;
}

char *setstate(char *bytes) {
  if (!state) start();
  int32_t *next = (int32_t *)bytes;
  unsigned word = next[0];
  if (word % kindCount != 0 && word / kindCount >= (unsigned)kinds[word % kindCount].degree) return errno = EINVAL, (char *)0;
  char *before = leave();
  kind = word % kindCount;
  state = next + 1;
  if (kind == 0) return before;
  int degree = kinds[kind].degree, place = word / kindCount;
  rear = state + place;
  front = state + (place + kinds[kind].separation) % degree;
  return before;
}

void srand(unsigned value) { srandom(value); }

int rand(void) { return random(); }

int rand_r(unsigned *seed) {
  static const int bits[] = {11, 10, 10};
  unsigned next = *seed;
  int result = 0;
  for (int i = 0; i < 3; i++) {
    next = next * 1103515245 + 12345;
    result = (result << bits[i]) ^ (next / 65536 & ((1 << bits[i]) - 1));
  }
  *seed = next;
  return result;
}
