/** The programs of the section `programs`: what is in them, and what Simsight has to say to them. */

export interface HostileProgram {
  name: string;
  /** Its files by their names in the source's folder; `secret`: a file that is none of theirs. */
  files: (secret: string) => Record<string, string>;
  /** The options of the command line, after the usual ones. */
  options?: readonly string[];
  /** The text that has to be printed. */
  says: RegExp;
  /** Exit codes; 1 when absent. */
  codes?: readonly number[];
  /** True if there has to be a trace; when absent, where the exit code is 0. */
  isKept?: boolean;
  /** All memory that 32 bits address. */
  takesMemory?: boolean;
  /** The compiler gets less time than usual. */
  isBomb?: boolean;
  /** It fails by itself, which is no error of ours. */
  fails?: boolean;
}

const stopped = /The program was stopped: it ran for more than 3 s/;
const stoppedInKernel = /ran for more than 3 s, and was in the kernel K\(int \*, int\), most often at app\.cu:\d+/;
const limited =
  /Compiling .* was stopped: (it took more than \d+ s|it needs more than 1024 MB of memory|the compiler printed more than)/;
const tooDeep = /nested too deeply for the compiler|nesting level exceeded/;
const notFound =
  /file not found: it is outside the source's folder and the folders given with -I\.?\n?.*\n?To allow it, add -I /;

const main = 'int main() {}\n';
const alone = (text: string) => () => ({ 'app.cu': text });
const repeat = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, i) => text(i)).join('');

/** A kernel that adds 1 to each place, after `body`; launched with `n`, or never. */
const withKernel = (body: string, n: number | null, before = ''): string => `#include <cstdio>
${before}
__global__ void fine(int *p) { p[threadIdx.x] = threadIdx.x; }
__global__ void K(int *p, int n) {
  volatile int *v = p;
  int i = threadIdx.x;
  ${body}
  p[i]++;
}
int main() {
  int *p, h[64];
  cudaMalloc(&p, 4096);
  fine<<<1, 64>>>(p);
  cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
  printf("last %d\\n", h[63]);
  fflush(stdout);
  ${n === null ? '' : `K<<<1, 64>>>(p, ${n});\n  printf("%s\\n", cudaGetErrorName(cudaDeviceSynchronize()));`}
}
`;
const functions = `__device__ __noinline__ void never(volatile int *v) { while (true) v[0]++; }
__device__ __noinline__ void nothing(volatile int *v) {}
__device__ __noinline__ int deeper(int n, volatile int *v) { v[0] = n; int r = deeper(n + 1, v) + 1; v[1] = r; return r; }
__device__ int there(int n, volatile int *v);
__device__ __noinline__ int here(int n, volatile int *v) { v[0] = n; int r = there(n + 1, v) + 1; v[1] = r; return r; }
__device__ __noinline__ int there(int n, volatile int *v) { v[2] = n; int r = here(n + 1, v) + 1; v[3] = r; return r; }`;

/** Endless where n is not 0; what is said when it is launched so. */
const loops: [name: string, body: string, says?: RegExp][] = [
  ['for (;;)', 'if (n) for (;;);'],
  ['a count', 'if (n) while (true) v[0]++;'],
  ['goto itself', 'if (n) { again: v[0] = 1; goto again; }'],
  [
    'two blocks that jump to each other',
    'if (n) { a: v[0] = 1; if (v[1] == 7) goto c; b: v[1] = 2; goto a; c: v[2] = 3; goto b; }',
  ],
  ['atomics', 'if (n) while (true) atomicAdd(p, 1);'],
  ['barriers', 'if (n) while (true) { __syncthreads(); v[0]++; }'],
  ['shuffles', 'int x = i; if (n) while (true) { x = __shfl_xor_sync(~0u, x, 1); v[x] = x; }'],
  ['some lanes leave', 'while (true) { v[64 + i]++; if (i < 7 || n == 0) break; }'],
  ['a switch', 'if (n) while (true) switch (v[1]) { case 0: v[0]++; break; case 3: continue; default: v[3]++; }'],
  ['a function that never returns', 'if (n) never(v);'],
  ['a pointer to it', 'void (*f)(volatile int *) = n ? never : nothing; f(v);'],
  ['local memory', 'if (n) { volatile int a[16]; int k = 0; while (true) { a[k & 15] = k; k++; } }'],
  ['inline PTX', 'int x = n; if (n) while (true) asm volatile("add.s32 %0, %0, 1;" : "+r"(x));'],
  ['a trap that is not reached', 'if (n) while (true) { v[0]++; if (n == 5) __trap(); }'],
  ['a clock', 'if (n) while (true) { v[0] = (int)clock64(); }'],
  ['nested loops', 'if (n) while (true) for (int k = 0; k < 9; k++) { v[k]++; while (v[3] == 12345) v[1]++; }'],
  ['waiting for nobody', 'while (n && v[900] == 0);', /wait for what another should write, for ever/],
  ['sleeping', 'if (n) while (true) __nanosleep(100);', /wait for what another should write, for ever/],
  ['recursion', 'if (n) v[9] = deeper(n, v);', /The stack of a thread overflowed/],
  ['mutual recursion', 'if (n) v[9] = here(n, v);', /The stack of a thread overflowed/],
  ['a trap in it', 'if (n) while (true) { v[0]++; __trap(); }', /A trap stopped the kernel/],
];

const endless: HostileProgram[] = [
  {
    name: 'kernels without end that nobody launches',
    files: alone(
      withKernel(
        '',
        null,
        `${functions}\n${loops.map(([, body], i) => `__global__ void k${i}(int *p, int n) { volatile int *v = p; int i = threadIdx.x; ${body} p[i]++; }`).join('\n')}`,
      ),
    ),
    says: /last 63/,
    codes: [0],
  },
  ...loops.map(([name, body, says]): HostileProgram => ({
    name: `a kernel without end: ${name}`,
    files: alone(withKernel(body, 1, functions)),
    says: says ?? stoppedInKernel,
    codes: says === undefined ? [1] : [0],
    isKept: true,
  })),
  ...loops.slice(0, 4).map(([name, body]): HostileProgram => ({
    name: `a kernel whose end is its own: ${name}`,
    files: alone(withKernel(body, 0, functions)),
    says: /cudaSuccess/,
    codes: [0],
  })),
  {
    name: 'the last blocks of a large grid never end',
    files:
      alone(`__global__ void K(int *p, int n) { volatile int *v = p; if (blockIdx.x > 5000) while (true) v[threadIdx.x]++; v[n] = 1; }
int main() { int *p; cudaMalloc(&p, 4096); K<<<10000, 256>>>(p, 1); cudaDeviceSynchronize(); }\n`),
    says: stoppedInKernel,
  },
];

const host: HostileProgram[] = [
  {
    name: 'a host program without end',
    files: alone('int main() { volatile int x = 0; while (!x); }\n'),
    says: stopped,
  },
  {
    name: 'a host program that launches without end',
    files: alone('__global__ void k() {}\nint main() { for (;;) k<<<1, 1>>>(); }\n'),
    says: stopped,
  },
  {
    name: 'a host program that recurs without end',
    files: alone('int f(volatile int n) { return f(n + 1) + n; }\nint main() { return f(0); }\n'),
    says: /ran out of stack|was stopped/,
    codes: [1, 134],
  },
  {
    name: 'a host program that takes all memory',
    files: alone(
      '#include <cstdlib>\n#include <cstring>\nint main() { while (void *p = malloc(64 << 20)) memset(p, 1, 64 << 20); return 3; }\n',
    ),
    says: /./,
    codes: [1, 3, 134],
    takesMemory: true,
  },
  {
    name: 'a host program that takes all memory by new',
    files: alone(
      '#include <vector>\nint main() { std::vector<std::vector<char>> all; for (;;) all.emplace_back(256 << 20, 1); }\n',
    ),
    says: /./,
    codes: [1, 134],
    fails: true,
    takesMemory: true,
  },
  {
    name: 'a host program that takes all device memory',
    files: alone(
      'int main() { void *p; while (cudaMalloc(&p, 64 << 20) == cudaSuccess) cudaMemset(p, 1, 64 << 20); return 0; }\n',
    ),
    says: /app\.simsight|was stopped/,
    codes: [0, 1],
    takesMemory: true,
  },
  {
    name: 'a kernel that allocates without end',
    files: alone(
      '__global__ void k() { while (malloc(1 << 16)); }\nint main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); }\n',
    ),
    says: /app\.simsight|was stopped/,
    codes: [0, 1],
    takesMemory: true,
  },
];

const doubling = (first: string, times: number): string =>
  repeat(times, (i) => `#define A${i + 1} A${i} A${i}\n`).concat(`#define A0 ${first}\n`);

const bombs: HostileProgram[] = [
  { name: 'macros that double', files: alone(`${doubling('+1', 40)}int x = 0 A40;\n${main}`), says: limited },
  {
    name: 'macros that double declarations',
    files: alone(`${doubling('extern int f();', 40)}A40\n${main}`),
    says: limited,
  },
  {
    name: 'macros that double in a kernel',
    files: alone(`${doubling('p[0]++;', 40)}__global__ void k(volatile int *p) { A40 }\n${main}`),
    says: limited,
  },
  {
    name: 'a macro of the command line',
    files: alone(`${doubling('A', 40)}int x = 0 A40;\n${main}`),
    options: ['-D', 'A=+1'],
    says: limited,
  },
  {
    name: 'a header that includes itself twice',
    files: () => ({ 'app.cu': `#include "twice.h"\n${main}`, 'twice.h': '#include "twice.h"\n#include "twice.h"\n' }),
    says: /nested too deeply|was stopped/,
  },
  {
    name: 'headers that include the next one twice',
    files: () => ({
      'app.cu': `#include "h0.h"\n${main}`,
      ...Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`h${i}.h`, `#include "h${i + 1}.h"\n`.repeat(2)])),
      'h60.h': '\n',
    }),
    says: limited,
  },
  {
    name: 'a constant expression without end',
    files: alone(
      `constexpr int f() { int s = 0; for (long long i = 0; i < 1ll << 60; i++) s ^= i; return s; }\nconstexpr int x = f();\n${main}`,
    ),
    says: /was stopped|constant expression/,
  },
  {
    name: 'a large constant expression',
    files: alone(
      `struct A { int a[400000000]; };\nconstexpr A f() { A a{}; return a; }\nconstexpr A x = f();\n${main}`,
    ),
    says: /was stopped|constant expression|app\.simsight/,
    codes: [0, 1],
  },
  {
    name: 'templates without end',
    files: alone(`template <int N> struct T { T<N + 1> a; T<N + 2> b; };\nT<0> t;\n${main}`),
    says: /maximum depth|was stopped/,
  },
  {
    name: 'templates that double',
    files: alone(
      `template <int N, long M> struct F { static constexpr long v = F<N - 1, 2 * M>::v + F<N - 1, 2 * M + 1>::v; };\ntemplate <long M> struct F<0, M> { static constexpr long v = 1; };\nlong x = F<40, 1>::v;\n${main}`,
    ),
    says: limited,
  },
  {
    name: '200,000 parentheses',
    files: alone(`int x = ${'('.repeat(200_000)}1${')'.repeat(200_000)};\n${main}`),
    says: tooDeep,
  },
  {
    name: '100,000 braces',
    files: alone(`void f() { ${'{'.repeat(100_000)}${'}'.repeat(100_000)} }\n${main}`),
    says: tooDeep,
  },
  {
    name: 'a sum of 300,000',
    files: alone(`int f(int a) { return ${'a+'.repeat(300_000)}a; }\n${main}`),
    says: tooDeep,
  },
  {
    name: 'lambdas in lambdas',
    files: alone(`auto g = ${'[]{ return '.repeat(3000)}1${'; }()'.repeat(3000)};\n${main}`),
    says: tooDeep,
  },
  {
    name: 'a line of 1 MB',
    files: alone(`int a[] = {${'1,'.repeat(500_000)}};\n${main}`),
    says: /app\.simsight|was stopped/,
    codes: [0, 1],
  },
  {
    name: 'a comment that does not end, again and again',
    files: alone('/*'.repeat(500_000)),
    says: /simsight: /,
    codes: [1],
  },
  {
    name: 'a wide shift',
    files: alone(`unsigned long long y = (size_t)1 << 99999999999;\n${main}`),
    says: /shift count|app\.simsight/,
    codes: [0, 1],
  },
  {
    name: 'a gigabyte of the host',
    files: alone(`static char a[1 << 30] = {1};\nchar *volatile q = a;\n${main}`),
    says: limited,
  },
  {
    name: 'a gigabyte of the device',
    files: alone(`__device__ char a[1 << 30] = {1};\n__global__ void k() { a[threadIdx.x]++; }\n${main}`),
    says: limited,
  },
  {
    name: 'three gigabytes of nothing',
    files: alone(`static char a[3u << 30];\nchar *volatile q = a;\n${main}`),
    says: limited,
  },
  {
    name: '200,000 lines of PTX',
    files: alone(
      `__global__ void k(int *p) { int x = p[0]; asm volatile("${'add.s32 %0,%0,1;\\n'.repeat(200_000)}" : "+r"(x)); p[0] = x; }\n${main}`,
    ),
    says: /was stopped/,
  },
  {
    name: '100,000 kernels',
    files: alone(`${repeat(100_000, (i) => `__global__ void k${i}(int *p) { p[${i}] = ${i}; }\n`)}${main}`),
    says: limited,
  },
  {
    name: 'a kernel of 20,000 branches',
    files: alone(
      `__global__ void k(volatile int *p) {\n${repeat(20_000, (i) => `if (p[${i}] > ${i}) p[${i + 1}] += p[${i}] * ${i};\n`)}}\n${main}`,
    ),
    says: /was stopped/,
  },
  {
    name: 'a kernel of 2,500 branches that nobody launches',
    files: alone(
      `__global__ void k(volatile int *p) {\n${repeat(2500, (i) => `if (p[${i}] > ${i}) p[${i + 1}] += p[${i}] * ${i};\n`)}}\n${main}`,
    ),
    says: /app\.simsight|was stopped/,
    codes: [0, 1],
  },
  {
    name: 'a switch of 20,000 cases',
    files: alone(
      `__global__ void k(volatile int *p) { switch (p[0]) {\n${repeat(20_000, (i) => `case ${i}: p[${i % 97}] *= ${i}; p[${i % 89}] += p[${i % 31}]; break;\n`)}} }\n${main}`,
    ),
    says: /was stopped/,
  },
  { name: 'errors without end', files: alone(`${doubling('int 1;', 20)}A20\n${main}`), says: /was stopped|expected/ },
];

const reading: HostileProgram[] = [
  ...[
    '../secret.h',
    'link.h',
    'up/secret.h',
    'inner/../../secret.h',
    '../../../../../../../etc/passwd',
    '/etc/passwd',
  ].map((name): HostileProgram => ({
    name: `#include "${name}"`,
    files: () => ({ 'app.cu': `#include "${name}"\n${main}`, 'inner/x.h': '' }),
    says: notFound,
  })),
  {
    name: '#include of an absolute path',
    files: (secret) => ({ 'app.cu': `#include "${secret}"\n${main}` }),
    says: notFound,
  },
  {
    name: '#include by a macro',
    files: (secret) => ({ 'app.cu': `#define S "${secret}"\n#include S\n${main}` }),
    says: /file not found/,
  },
  {
    name: '#include by -D',
    files: () => ({ 'app.cu': `#include S\n${main}` }),
    options: ['-D', 'S="../secret.h"'],
    says: /file not found/,
  },
  {
    name: '#include from a header',
    files: () => ({ 'app.cu': `#include "inner/a.h"\n${main}`, 'inner/a.h': '#include "../../secret.h"\n' }),
    says: notFound,
  },
  {
    name: '#include <../secret.h>',
    files: () => ({ 'app.cu': `#include <../secret.h>\n${main}` }),
    says: /file not found/,
  },
  {
    name: '#include beside what is allowed',
    files: () => ({ 'app.cu': `#include "../common/common.h"\n#include "../secret.h"\n${main}` }),
    options: ['-I', '../common'],
    says: notFound,
  },
  {
    name: '#include_next and #import',
    files: (secret) => ({ 'app.cu': `#import "${secret}"\n#include_next "${secret}"\n${main}` }),
    says: /file not found/,
  },
  {
    name: '#embed',
    files: (secret) => ({ 'app.cu': `char a[] = {\n#embed "${secret}"\n};\n${main}` }),
    says: /file not found/,
  },
  {
    name: '.incbin of the host',
    files: (secret) => ({ 'app.cu': `asm(".globl x\\nx: .incbin \\"${secret}\\"\\n");\n${main}` }),
    says: /Could not find incbin file/,
  },
  {
    name: '.include of the host',
    files: (secret) => ({ 'app.cu': `asm(".include \\"${secret}\\"\\n");\n${main}` }),
    says: /Could not find include file/,
  },
  {
    name: '.incbin of the device',
    files: (secret) => ({ 'app.cu': `__global__ void k() { asm volatile(".incbin \\"${secret}\\""); }\n${main}` }),
    says: /is not supported/,
  },
  {
    name: '__has_include',
    files: (secret) => ({
      'app.cu': `#if __has_include("${secret}") || __has_include("../secret.h") || __has_include("link.h")\n#error found\n#endif\n${main}`,
    }),
    says: /app\.simsight/,
    codes: [0],
  },
  { name: '#line', files: (secret) => ({ 'app.cu': `#line 1 "${secret}"\nint x = y;\n${main}` }), says: /undeclared/ },
  {
    name: '#pragma dependency',
    files: (secret) => ({
      'app.cu': `#pragma GCC dependency "${secret}"\n#pragma include_alias("a.h", "${secret}")\n#include "a.h"\n${main}`,
    }),
    says: /file not found/,
  },
  {
    name: 'a module',
    files: (secret) => ({
      'app.cu': `#pragma clang module load secret\n#pragma clang module import secret\n${main}`,
      'module.modulemap': `module secret { header "${secret}" }\n`,
    }),
    says: /app\.simsight|module/,
    codes: [0, 1],
  },
  {
    name: 'the program reads it itself',
    files: (secret) => ({
      'app.cu': `#include <cstdio>\nint main() { int n = 0; for (const char *name : {"${secret}", "../secret.h", "link.h", "up/secret.h"}) { char line[99]; if (FILE *f = fopen(name, "r")) { n++; if (fgets(line, 99, f)) printf("%s", line); } } return n; }\n`,
    }),
    says: /app\.simsight/,
    codes: [0],
  },
];

export const hostilePrograms: readonly HostileProgram[] = [
  ...endless,
  ...host,
  ...bombs.map((bomb) => ({ ...bomb, isBomb: true })),
  ...reading,
];
