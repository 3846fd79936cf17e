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

/** The same. */
const drawsOfCxx = `
#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>
template <class G> void draws(const char* name, G g) {
  std::printf("%s", name);
  std::uniform_int_distribution<int> d6(1, 6), all(-2147483647 - 1, 2147483647), big(0, 1000000007);
  std::uniform_int_distribution<long> wide(-5, 1l << 40), whole(-9223372036854775807l - 1, 9223372036854775807l);
  std::uniform_int_distribution<unsigned short> narrow(3, 65535);
  std::uniform_int_distribution<unsigned long> ul(0, 4294967295ul);
  for (int i = 0; i < 4; i++) { int a = d6(g), b = all(g), c = big(g); std::printf(" %d %d %d", a, b, c); long d = wide(g), e = whole(g); std::printf(" %ld %ld", d, e); int f = narrow(g); unsigned long h = ul(g); std::printf(" %d %lu", f, h); }
  std::uniform_real_distribution<float> f(-1, 3); std::uniform_real_distribution<double> d(0, 10);
  for (int i = 0; i < 3; i++) { std::printf(" %.9g", f(g)); std::printf(" %.17g", d(g)); }
  std::normal_distribution<float> nf(1, 2); std::normal_distribution<double> nd;
  for (int i = 0; i < 3; i++) { std::printf(" %.7g", nf(g)); std::printf(" %.14g", nd(g)); }
  std::bernoulli_distribution coin(0.3);
  for (int i = 0; i < 8; i++) std::printf(" %d", coin(g));
  for (int n : {1, 2, 3, 10, 11, 100, 70000}) { std::vector<int> v(n); for (int i = 0; i < n; i++) v[i] = i; std::shuffle(v.begin(), v.end(), g); unsigned long sum = 0; for (int x : v) sum = sum * 31 + x; std::printf(" %lx", sum); }
  std::printf("\\n");
}
int main() {
  draws("mt", std::mt19937(5489)); draws("mt64", std::mt19937_64(7)); draws("default", std::default_random_engine(3)); draws("usual", std::default_random_engine());
  draws("minstd", std::minstd_rand(9)); draws("ranlux", std::ranlux24_base(11)); draws("knuth", std::knuth_b(2));
  std::vector<int> v(50); for (int i = 0; i < 50; i++) v[i] = i;
  std::random_shuffle(v.begin(), v.end()); unsigned long sum = 0; for (int x : v) sum = sum * 31 + x;
  std::random_shuffle(v.begin(), v.end(), [](int n) { return n / 2; }); for (int x : v) sum = sum * 31 + x;
  std::printf("%lx\\n", sum);
  std::exponential_distribution<double> waits(2);
  std::mt19937 g(1);
  std::printf("%.12g\\n", waits(g));
}
`;

test('engines, distributions and shuffles of C++ give the numbers of GNU’s library (version 12)', async () => {
  expect(await outputOf(drawsOfCxx)).toEqual([
    'mt 5 -1565614346 905791941 919668405543 8649083781716836357 14488 2715962298 2 -1728550813 547220600 305751772437 864811387508848656 62751 4279768804 6 2008734458 157613077 803032581294 8874907355532813482 7202 2084672536 5 1289694812 297029451 154639367560 -1443249538007926406 60013 2747762695 2.1688292 9.5949242540598636 1.01465082 7.9792861516022606 -0.857153296 8.4912930553809129 3.306431 0.80539823906492 3.340297 0.85378741151787 -3.782415 -1.0199557486907 0 1 1 1 1 0 0 0 0 1 21 af568d1c1de7 1463e3be567f47 e3c6dde0ac3b1dbe ae66e80e0c9d2b42',
    'mt64 5 1929733972 117414281 980668908762 -6617371665541636387 3613 3575658974 6 -1042998153 717905690 830950453330 1774369821781910257 26048 1325120747 5 -841791409 995261834 1092532728642 6761515891354696939 17540 2665291672 2 -1961849899 33448295 135988580397 -6110962159341918900 24060 1421345458 1.66785884 6.4212999886508824 1.00026083 0.17812421882743276 0.0834063292 7.0309009969847054 2.811683 -1.2152291398635 0.7004267 0.93418329960157 1.89908 0.1960670738398 0 0 1 0 0 1 0 0 0 1f 7a1 95d67d1da8f5 14ab3363bd6077 10bb8af1fa501bea 98af257cc509a3fe',
    'default 1 572982922 403673663 658540629486 -9054611306455543340 52697 1198830847 3 -1803059688 632541930 12934497057 -8298605803137740137 3955 3394712797 2 -577753652 307728091 865741697133 -70546459340477095 17646 558490713 6 -225691612 702357489 900459723092 -2613925345159001463 54050 1072714469 0.838208556 7.2762430512728979 -0.273228049 5.1356868433817136 1.19550347 9.5992633648074754 3.863153 0.0075779719785546 0.826638 1.2263622131328 1.555618 1.2197431218171 1 0 1 0 1 0 0 1 0 1 3f 311931c252c9 6697d0a57e869 6298305af9d194b8 6dda2b8871960898',
    'usual 1 -524833576 492471828 586733246624 -6092661118731740344 61257 3262921810 5 -2032675662 568761251 738750905947 -4303430616494138484 45009 4145580802 6 197493096 702140138 458919811927 -4392794593652814847 21513 3771862794 6 530511964 775950696 830327812835 -6310471042950544076 17874 3793518646 0.910927057 2.749068400764783 0.437059879 4.8651738285065722 2.59062505 0.60564327533513662 1.020561 -0.06705277634612 2.839518 -2.0145624367625 0.1566317 -0.18468026912733 0 0 1 0 1 0 0 0 0 1 21 333a8a01f8b3 126eb09a3f9ccb f7f4fec3d761afc0 29dc067d4eff4854',
    'minstd 1 -619331456 759358749 699182182548 -1422188347255998138 2854 614394811 2 1910627189 575424262 770246379316 6836438940764282642 10593 3062724786 5 232058771 217188500 988554724162 6601343721023665578 42269 1622863952 4 455853853 702017906 912572297073 5441803876851129028 12685 2763154658 -0.945466042 6.8596381203921979 -0.363297164 9.7599667940414889 0.342796922 2.0673305166463178 1.660808 -3.0925018736523 3.244008 2.1793843801136 2.414923 -1.0166451968006 0 0 0 0 0 0 0 0 0 1 7a1 ac48034daa01 bacd3cdea97f1 a15a0d6f205d3140 a3f4380ae951d15c',
    'ranlux 5 -210774248 60217555 1099331659272 650711512177466407 58945 1772242040 1 1069831335 68133221 112602917236 5613214607392797226 37051 3981470631 4 2139309178 663171657 674593228270 8742902727558242570 317 4223940996 6 -208875026 793785059 252727930627 -3234874551786126062 38006 3498903340 0.0998635292 1.4739541416459421 0.734497309 6.7703841965668392 2.23656535 7.5830176523108701 2.132547 -1.13330218793 -1.929628 0.25354346208715 -0.9848627 1.2895086495177 0 0 0 0 1 0 1 0 0 1f 7a1 4e7294c2402f 1a36b624685c65 56e4ab8f79aaa1f6 e1754704eb80cce',
    'knuth 1 -660708176 290145158 162162548095 -4149742814822911408 4534 1969887315 6 -95641343 784170962 396452633104 -123204786993497194 7941 3804545179 2 -1582116840 293034747 725623929781 317743682634094583 65337 940422543 1 -1024288446 389438028 775049642448 -1068600085935388250 51121 3979276085 0.933727145 8.8007731902820101 2.91154528 0.00015652273419028634 2.8826015 5.3228901434948419 0.3765085 0.4830725337151 2.33636 -0.25394076040626 -1.359075 -0.82119288902821 1 0 0 0 1 0 0 0 0 1f 3c3 61d1da9180c1 11c2619744534b 95cc67f270e09f2c ccd5962f036c65b4',
    '6a42a6c5e3374b7a',
    '2.93636244774',
  ]);
});
