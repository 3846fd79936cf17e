/** The C library of host programs where it is our own: jumps, sorting, the heap beside memory of others, arithmetic of wide numbers. */
import { expect, test } from 'vitest';
import { runHostProgram } from '../../../engine/cuda/index.ts';
import { fakeRun } from '../cuda/fakes.ts';
import { compileText } from '../cuda/program.ts';

async function outputOf(text: string, words: string[] = []): Promise<string[]> {
  const { host } = await compileText(text);
  const { options, system } = fakeRun(host);
  await runHostProgram({ ...options, arguments: words });
  return system.output.stdout.trimEnd().split('\n');
}

test('longjmp goes back to its setjmp, past calls and beside exceptions', async () => {
  const text = `#include <algorithm>
#include <complex>
#include <csetjmp>
#include <cstdio>
#include <execinfo.h>
#include <iostream>
#include <stdexcept>
#include <sys/cdefs.h>
#include <vector>
static jmp_buf outer; static sigjmp_buf masked;
static void down(int n) { if (n == 0) longjmp(outer, 5); down(n - 1); }
static void fails(int n) { if (n == 1) throw std::runtime_error("thrown"); if (n == 2) longjmp(outer, 0); }
int main() {
  volatile int count = 0;
  if (const int value = setjmp(outer)) printf("%d after %d\\n", value, count); else { count = 1; down(3); }
  volatile int i = 0;
  if (setjmp(outer) == 0)
    for (; i < 3;) try { fails(++i); } catch (const std::exception &error) { puts(error.what()); } catch (...) { puts("a jump"); }
  else printf("0 becomes 1, i %d\\n", i);
  if (!sigsetjmp(masked, 1)) siglongjmp(masked, 2); else puts("signals");
  std::vector<std::complex<double>> all{{3, 4}};
  std::cout << std::abs(*std::max_element(all.begin(), all.end(), [](auto a, auto b) { return std::norm(a) < std::norm(b); })) << std::endl;
}
`;
  expect(await outputOf(text)).toEqual(['5 after 1', 'thrown', '0 becomes 1, i 2', 'signals', '5']);
});

test('a heap that ends with 16 or 32 bytes goes on behind memory of others', async () => {
  const text = `#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
int main(int, char **words) {
  const size_t left = atoi(words[1]);
  char *volatile last = (char *)malloc(1 << 20);
  const uintptr_t end = __builtin_wasm_memory_size(0) << 16, top = (uintptr_t)last + (1 << 20);
  char *volatile block = (char *)malloc(end - left - top - 8);
  char *others = (char *)(__builtin_wasm_memory_grow(0, 1) << 16);
  memset(others, 0xee, 65536);
  char *volatile behind = (char *)malloc(100000);
  free(block);
  block = (char *)malloc(1000);
  int kept = 0;
  for (int i = 0; i < 65536; i++) kept += (unsigned char)others[i] == 0xee;
  printf("%d %d\\n", behind >= others + 65536, kept);
}
`;
  for (const left of ['16', '32']) expect(await outputOf(text, [left])).toEqual(['1 65536']);
});

test('numbers of 128 bits are rounded to the nearest', async () => {
  const text = `#include <cstdio>
#include <cstdlib>
int main() {
  volatile long double third = 1, three = 3, text = strtold("3.14159265358979323846264338327950288", nullptr);
  volatile __int128 big = ((__int128)1 << 113) + 1;
  volatile unsigned __int128 power = (unsigned __int128)1 << 100;
  printf("%.33Lg %.33Lg\\n", third / three, text);
  printf("%La %a\\n", (long double)big, (double)big);
  printf("%llu %llu\\n", (unsigned long long)(power / 1000000007), (unsigned long long)(power % 1000000007));
  printf("%d\\n", calloc(5ul << 30, 1) != nullptr);
}
`;
  expect(await outputOf(text)).toEqual([
    '0.333333333333333333333333333333333 3.1415926535897932384626433832795',
    '0x1p+113 0x1p+113',
    '13271994342425752125 976371285',
    '1',
  ]);
});

test('programs that are using namespace std have stacks, queues and sorts of their own where no header of theirs has them', async () => {
  const text = `#include <chrono>
#include <fstream>
#include <iostream>
#include <string>
using namespace std;
__constant__ int stack = 3;
int queue[] = {1, 2, 4};
struct deque { int first = 7; } mine;
enum { clamp, merge, optional, partition, sample, variant };
int sort(int *all, int count) { return all[count - 1] + variant; }
__global__ void kernel(int *out) { *out = stack; }
int main() { cout << queue[2] << ' ' << mine.first << ' ' << string("text").size() << ' ' << sort(queue, 3) << endl; }
`;
  expect(await outputOf(text)).toEqual(['4 7 4 9']);
});

test('headers bring along what those of GNU do', async () => {
  const text = `#include <map>
#include <string>
int main(int count, char **) {
  std::map<std::string, int> byName{{"two", 2}, {"one", 1}};
  std::string text(3, ' '), copied;
  std::fill(text.begin(), text.end(), 'x');
  std::copy(text.begin(), text.end(), std::back_inserter(copied));
  std::greater<int> above;
  char *block = (char *)malloc(8);
  snprintf(block, 8, "%d", std::abs(-5) + above(3, 2) + isdigit('7') / 1000000);
  printf("%s %s %d\\n", copied.c_str(), block, std::max(byName["two"], byName["one"]));
  errno = 0;
  if (count > 3) exit(1);
}
`;
  expect(await outputOf(text)).toEqual(['xxx 6 2']);
});

/** Sorts elements of several sizes, and says which were compared in which order, and what came of it. */
const sorts = `#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static unsigned long seen;
static int count;
static int byKey(const void *a, const void *b) {
  unsigned x, y;
  memcpy(&x, a, 4), memcpy(&y, b, 4);
  seen = seen * 31 + x * 7 + y, count++;
  return (int)(x >> 8) - (int)(y >> 8);
}
static int byKeyWith(const void *a, const void *b, void *with) { ++*(int *)with; return byKey(a, b); }
int main(void) {
  static const int sizes[] = {4, 8, 12, 40}, counts[] = {0, 1, 2, 3, 10, 1000};
  for (int s = 0; s < 4; s++)
    for (int c = 0; c < 6; c++) {
      int size = sizes[s], n = counts[c];
      unsigned char *all = (unsigned char *)malloc(n * size + 1), *at = all;
      unsigned long sum = 0, random = 12345;
      for (int i = 0; i < n; i++) {
        random = random * 6364136223846793005ul + 1442695040888963407ul;
        unsigned key = (unsigned)(random >> 60) << 8 | (i & 255);
        memset(all + i * size, i, size), memcpy(all + i * size, &key, 4);
      }
      seen = count = 0;
      qsort(all, n, size, byKey);
      for (int i = 0; i < n * size; i++) sum = sum * 17 + all[i];
      printf("%d x %d: %d %lx %lx\\n", n, size, count, seen, sum);
      free(at);
    }
  int calls = 0, few[] = {900, 700, 800};
  qsort_r(few, 3, 4, byKeyWith, &calls);
  printf("%d: %d %d %d\\n", calls, few[0], few[1], few[2]);
}
`;

test('qsort compares the same elements as that of glibc 2.36, with the same result', async () => {
  expect(await outputOf(sorts)).toEqual([
    '0 x 4: 0 0 0',
    '1 x 4: 0 0 121',
    '2 x 4: 1 b01 1706716',
    '3 x 4: 2 52218 1d580d066c6',
    '10 x 4: 23 917858063ae61a0 e30bedadc628554c',
    '1000 x 4: 8537 af3264063d382a61 5e3391be65c65f5e',
    '0 x 8: 0 0 0',
    '1 x 8: 0 0 1704f61',
    '2 x 8: 1 b01 25632bdda56b33a',
    '3 x 8: 2 52218 505e3d55de80b332',
    '10 x 8: 23 917858063ae61a0 80c518d6b8895e60',
    '1000 x 8: 8537 af3264063d382a61 54802e0f3f55d1ce',
    '0 x 12: 0 0 0',
    '1 x 12: 0 0 1d56299ada1',
    '2 x 12: 1 b01 1f4c1928306c005e',
    '3 x 12: 2 52218 2d152a413a1cc49e',
    '10 x 12: 23 917858063ae61a0 73a056eeae37e074',
    '1000 x 12: 8537 af3264063d382a61 3f16e380f8461c3e',
    '0 x 40: 0 0 0',
    '1 x 40: 0 0 37eb687d96c90161',
    '2 x 40: 1 b01 2f1bd620b52385a',
    '3 x 40: 2 52218 8156fb1e37dfca92',
    '10 x 40: 23 917858063ae61a0 e37bfe6eb287ab00',
    '1000 x 40: 8537 af3264063d382a61 1271cf142851c54e',
    '3: 700 900 800',
  ]);
});

/** Compiled with g++ on Debian 12, it printed what is expected here. */
const draws = `
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
int main() {
  for (int i = 0; i < 5; i++) printf("%d ", rand());
  unsigned long sum = 0;
  srand(123);
  for (int i = 0; i < 1000; i++) sum = sum * 31 + rand();
  printf("%lu %d\\n", sum, RAND_MAX);
  unsigned seed = 7;
  for (int i = 0; i < 5; i++) printf("%d ", rand_r(&seed));
  printf("%u\\n", seed);
  static int states[5][64];
  const int sizes[5] = {8, 32, 64, 128, 256};
  char* usual = 0;
  for (int k = 0; k < 5; k++) {
    char* before = initstate(42 + k, (char*)states[k], sizes[k]);
    if (k == 0) usual = before;
    for (int i = 0; i < 3 + k; i++) printf("%ld ", random());
    printf("\\n");
  }
  const int back[] = {1, 3, 0};
  for (int k : back) setstate((char*)states[k]), printf("%ld ", random());
  setstate(usual);
  printf("%ld\\n", random());
  srandom(0), printf("%ld ", random());
  srandom(4000000000u), printf("%ld\\n", random());
  char small[4];
  bool refused = initstate(1, small, 4) == 0;
  printf("%d %d\\n", refused, errno == EINVAL);
  srand48(5), printf("%f ", drand48()), printf("%ld ", lrand48()), printf("%ld\\n", mrand48());
}
`;

test('rand and random give the numbers of glibc 2.36', async () => {
  expect(await outputOf(draws)).toEqual([
    '1804289383 846930886 1681692777 1714636915 1957747793 1192474668443929654 2147483647',
    '1187592820 153898277 1377876785 706688787 1004817133 2196610294',
    '1250496027 1116302264 1000676753 ',
    '660297944 1356944725 287620875 1132420327 ',
    '1244197955 220694704 238931788 872463320 278031246 ',
    '1307654290 146997515 1281142331 1896355195 16470015 1954559851 ',
    '1212848697 650752783 512500230 760869558 1148817609 1882569987 1280680335 ',
    '1497639025 1545639231 1668674806 218359180',
    '1804289383 1111130805',
    '1 1',
    '0.524840 585950151 -907958370',
  ]);
});
