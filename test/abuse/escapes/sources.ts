/** Programs in CUDA C++ that reach for what is around them, each compiled and recorded as any other. */

/** `escapes`: what it prints where it got out; everything else is right, an error too. */
export interface HostileSource {
  name: string;
  source: string;
}

const importing = (module: string, name: string, call = 'f()'): string =>
  `extern "C" __attribute__((import_module(${JSON.stringify(module)}), import_name(${JSON.stringify(name)}))) int f(...);
extern "C" int printf(const char *, ...);
int main() { printf("ESCAPED %d\\n", ${call}); }`;

export const hostileSources: HostileSource[] = [
  { name: 'import of constructor.constructor', source: importing('constructor', 'constructor') },
  { name: 'import of __proto__.constructor', source: importing('__proto__', 'constructor') },
  { name: 'import of env.constructor', source: importing('env', 'constructor') },
  { name: 'import of env.__proto__', source: importing('env', '__proto__') },
  { name: 'import of linux.toString', source: importing('linux', 'toString') },
  { name: 'import of wasi.sock_open', source: importing('wasi_snapshot_preview1', 'sock_open') },
  { name: 'import of node:fs', source: importing('node:fs', 'readFileSync', 'f("/etc/passwd")') },
  { name: 'import of the builtins for strings', source: importing('wasm:js-string', 'fromCharCode', 'f(65)') },
  {
    name: 'references that are passed on',
    source: `extern "C" __attribute__((import_module("constructor"), import_name("constructor"))) __externref_t object(__externref_t);
int main() { object(__builtin_wasm_ref_null_extern()); }`,
  },
  {
    name: 'references in a table of the program',
    source: `static __externref_t table[0];
extern "C" int printf(const char *, ...);
int main() { printf("%d\\n", __builtin_wasm_table_size(table)); }`,
  },
  {
    name: 'a reference to a function given to a call',
    source: `extern "C" __attribute__((import_module("env"), import_name("cudaGetDevice"))) int f(__funcref int (*)());
int main() { return f(0); }`,
  },
  {
    name: 'directives of the assembler',
    source: `__asm__(".functype escape () -> (i32)\\n.import_module escape, constructor\\n.import_name escape, constructor\\n");
extern "C" int escape();
extern "C" int printf(const char *, ...);
int main() { printf("ESCAPED %d\\n", escape()); }`,
  },
  {
    name: 'an undefined function named as objects have them',
    source: `extern "C" int constructor(int);
extern "C" int hasOwnProperty(int);
extern "C" int printf(const char *, ...);
int main() { printf("ESCAPED %d\\n", constructor(1) + hasOwnProperty(2)); }`,
  },
  {
    name: 'a device function of that name',
    source: `extern "C" __device__ int constructor(int);
__global__ void kernel(int *out) { *out = constructor(1); }
int main() { int *p; cudaMalloc(&p, 4); kernel<<<1, 1>>>(p); return cudaDeviceSynchronize(); }`,
  },
  {
    name: 'kernels, variables and ranges named as objects have them',
    source: `#include <cstdio>
#include <nvtx3/nvToolsExt.h>
extern "C" __global__ void constructor(int *p) { p[0] += 1; }
extern "C" __global__ void __proto__(int *p) { p[0] += 2; }
extern "C" __global__ void hasOwnProperty(int *p) { p[0] += 4; }
extern "C" __device__ int valueOf = 8;
extern "C" __global__ void toString(int *p) { p[0] += valueOf; }
int main() {
  int *p, sum;
  cudaMalloc(&p, 4);
  cudaMemset(p, 0, 4);
  for (const char *name : {"__proto__", "constructor", "toString"}) nvtxRangePushA(name), nvtxRangePop();
  constructor<<<1, 1>>>(p), __proto__<<<1, 1>>>(p), hasOwnProperty<<<1, 1>>>(p), toString<<<1, 1>>>(p);
  cudaMemcpy(&sum, p, 4, cudaMemcpyDeviceToHost);
  printf(sum == 15 ? "right\\n" : "WRONG %d\\n", sum);
}`,
  },
  {
    name: 'calls through numbers that are no functions',
    source: `#include <cstdio>
int main() {
  volatile unsigned at = 0;
  for (at = 100000; at < 100001; at++) ((void (*)())(unsigned long)at)();
  printf("ESCAPED\\n");
}`,
  },
  {
    name: 'functions of the runtime through a table that is not its own',
    source: `#include <cstdio>
int main() {
  int sum = 0;
  for (unsigned at = 1; at < 4000; at++) {
    volatile unsigned address = at;
    sum += ((int (*)(void *, const char *, void *, void *, void *))(unsigned long)address)(nullptr, "constructor", nullptr, nullptr, nullptr);
  }
  printf("%d\\n", sum);
}`,
  },
  {
    name: 'memory that grows until there is none',
    source: `#include <cstdio>
#include <cstdlib>
#include <cstring>
int main() {
  while (__builtin_wasm_memory_grow(0, 1024) != (unsigned long)-1);
  void *p = malloc(1 << 20);
  printf("%s\\n", p ? "more" : "full");
}`,
  },
  {
    name: 'addresses behind the end of memory, given to every kind of call',
    source: `#include <cstdio>
#include <cuda_runtime.h>
#include <unistd.h>
int main() {
  char *far = (char *)0xfffffff0u;
  cudaMemcpy(far, far, 1 << 20, cudaMemcpyHostToHost);
  cudaMalloc((void **)far, 16);
  cudaGetDeviceProperties((cudaDeviceProp *)far, 0);
  cudaStreamCreate((cudaStream_t *)far);
  write(1, far, 1 << 20);
  read(0, far, 1 << 20);
  printf("on\\n");
}`,
  },
  {
    name: 'exceptions that no one threw',
    source: `#include <cstdio>
extern "C" void __cxa_throw(void *, void *, void (*)(void *));
int main() {
  try { __cxa_throw((void *)0xdeadbeef, (void *)0xfffffff0, nullptr); } catch (...) { printf("caught\\n"); }
}`,
  },
  {
    name: 'exceptions of traps',
    source: `#include <cstdio>
#include <cstdlib>
int main() {
  try { abort(); } catch (...) { printf("ESCAPED\\n"); }
}`,
  },
  {
    name: 'exceptions at the end of the program',
    source: `#include <cstdio>
#include <cstdlib>
struct Late { ~Late() { printf("destroyed\\n"); } } late;
int main() { try { exit(3); } catch (...) { printf("ESCAPED\\n"); } }`,
  },
  {
    name: 'thousands of threads',
    source: `#include <cstdio>
#include <thread>
#include <vector>
int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3000; i++) threads.emplace_back([] {});
  for (auto &each : threads) each.join();
  printf("joined\\n");
}`,
  },
  {
    name: 'threads that end what others use',
    source: `#include <cstdio>
#include <cstdlib>
#include <thread>
int main() {
  std::thread([] { exit(5); }).join();
  printf("ESCAPED\\n");
}`,
  },
  {
    name: 'threads that never end',
    source: `#include <cstdio>
#include <mutex>
#include <thread>
std::mutex a;
int main() {
  a.lock();
  std::thread([] { a.lock(); }).join();
}`,
  },
  {
    name: 'recursion without an end',
    source: `#include <cstdio>
__attribute__((noinline)) int deep(volatile int *from) {
  volatile int here[100] = {*from + 1};
  return deep(here) + here[99];
}
int main() {
  volatile int zero = 0;
  printf("ESCAPED %d\\n", deep(&zero));
}`,
  },
  {
    name: 'commands and environment',
    source: `#include <cstdio>
#include <cstdlib>
int main() {
  for (const char *name : {"HOME", "PATH", "USER", "SIMSIGHT_HOME", "NODE_OPTIONS"})
    if (const char *value = getenv(name)) printf("ESCAPED %s=%s\\n", name, value);
}`,
  },
  {
    name: 'inline assembly of the machine',
    source: `int main() { long out; __asm__ volatile("syscall" : "=a"(out) : "a"(57)); return out; }`,
  },
  {
    name: 'text in the name of an assembler symbol',
    source: `#include <cstdio>
__global__ void kernel(int *p) __asm__("x\\"() alwaysinline { ret void }\\ndefine void @y");
__global__ void kernel(int *p) { *p = 1; }
int main() { int *p; cudaMalloc(&p, 4); kernel<<<1, 1>>>(p); printf("%d\\n", cudaDeviceSynchronize()); }`,
  },
  {
    name: 'text in a section and an annotation',
    source: `#include <cstdio>
__device__ __attribute__((section("a\\" #0 }\\ndefine void @z() {"), annotate("b\\"\\n"))) int variable = 1;
__global__ void kernel(int *p) { *p = variable; }
int main() { int *p; cudaMalloc(&p, 4); kernel<<<1, 1>>>(p); printf("%d\\n", cudaDeviceSynchronize()); }`,
  },
];
