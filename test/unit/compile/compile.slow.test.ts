/** Compiling with the real Clang: what comes out, what is cached, and what each mistake is answered with. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { compilerPath, realPath } from '../../../engine/base/compiler-paths.ts';
import { labsFolder, root } from '../../../engine/base/paths.ts';
import { isCached, runCached } from '../../../engine/compile/cache.ts';
import type { ToolRun } from '../../../engine/compile/clang.ts';
import {
  compileIrToWasm,
  compileProgram,
  CompileError,
  demangle,
  releaseCompiler,
  shortName,
} from '../../../engine/compile/index.ts';
import { cacheFolder, newFolder, request, write } from '../cuda/program.ts';

const hello = `#include <cstdio>
__global__ void twice(float *data) { data[threadIdx.x] *= 2; }
int main() { twice<<<1, 32>>>(nullptr); printf("done\\n"); }
`;

async function failure(promise: Promise<unknown>): Promise<CompileError> {
  return promise.then(
    () => expect.unreachable('should not compile'),
    (error: CompileError) => error,
  );
}

afterAll(releaseCompiler);

/** A run of a tool that is over at once. */
const preprocessed = (text: string): ToolRun => ({
  arguments: ['clang++', '-E', '-P', '/a.cc', '-o', '-'],
  files: [['/a.cc', new TextEncoder().encode(text)]],
  outputs: ['-'],
});

describe('compiling', () => {
  test('gives a host program and device code with line tables; the second time comes from the cache', async () => {
    const folder = newFolder();
    const cache = join(folder, 'cache');
    const source = write(folder, 'app.cu', hello);
    const phases: string[] = [];
    const first = await compileProgram(request([source]), { cacheFolder: cache, onProgress: (p) => phases.push(p) });
    expect(first.cached).toBe(false);
    expect(phases).toEqual(['Compiling', 'Linking']);
    expect(WebAssembly.validate(first.host)).toBe(true);
    expect(first.device).toHaveLength(1);
    expect(first.device[0]!.source).toBe(source);
    expect(first.device[0]!.ir).toContain('ptx_kernel void @_Z5twicePf');
    expect(first.device[0]!.ir).toContain('!DILocation(line: 2');
    expect(first.device[0]!.ir).toContain(`filename: "${source}"`);

    const second = await compileProgram(request([source]), { cacheFolder: cache });
    expect(second).toEqual({ ...first, cached: true });
  });

  test('the time of a compilation is when every recording begins', async () => {
    const { outputs } = await runCached(preprocessed('__DATE__ __TIME__'), { cacheFolder: newFolder() });
    expect(Buffer.from(outputs[0]![1]).toString()).toBe('"Jan  1 2026" "00:00:00"\n');
  });

  test('a source whose kernels launch kernels is compiled for that; the second time nothing is compiled to find out', async () => {
    const cache = join(newFolder(), 'cache');
    const nested = hello.replace(
      'int main',
      '__global__ void outer(float *data) { twice<<<1, 32>>>(data); }\nint main',
    );
    const source = write(newFolder(), 'app.cu', nested);
    const first = await compileProgram(request([source]), { cacheFolder: cache });
    expect(first.cached).toBe(false);
    expect(first.device[0]!.ir).toContain('_Z5outerPf');
    // Whatever is compiled makes a file in it, be it for a moment.
    const changed = statSync(cache).mtimeMs;
    expect(await compileProgram(request([source]), { cacheFolder: cache })).toEqual({ ...first, cached: true });
    expect(statSync(cache).mtimeMs).toBe(changed);
  });

  test('a file with a loop that Clang’s vectorizer asserts on keeps its loops, in .cu and in C++; the second time it is not tried', async () => {
    const loop = (name: string): string =>
      `#include <cmath>\ndouble ${name}(const double *a, const double *b, int n) { double most = 0; for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i])); return most; }\n`;
    const folder = newFolder();
    const app = write(
      folder,
      'app.cu',
      `${loop('here')}double there(const double *, const double *, int);\nint main() { double a[9] = {}, b[9] = {3}; return here(a, b, 9) + there(a, b, 9); }\n`,
    );
    const others = write(folder, 'others.cpp', loop('there'));
    const call = [request([app, others]), { cacheFolder: join(folder, 'cache') }] as const;
    const first = await compileProgram(...call);
    expect(first.cached).toBe(false);
    expect(await compileProgram(...call)).toEqual({ ...first, cached: true });
  });

  test('what is being compiled already is waited for, unless whoever does it is gone', async () => {
    const cache = join(newFolder(), 'cache');
    const run = preprocessed('int twice;\n');
    const both = await Promise.all([1, 2, 3].map(() => runCached(run, { cacheFolder: cache })));
    expect(both.map(({ cached }) => cached).sort()).toEqual([false, true, true]);
    expect(new TextDecoder().decode(both[2]!.outputs[0]![1])).toContain('int twice;');
    const [entry, ...more] = readdirSync(cache);
    expect(more).toEqual([]);
    rmSync(join(cache, entry!));
    // No process has this number.
    const claim = { pid: 2 ** 30, host: hostname() };
    writeFileSync(join(cache, entry!.replace('.llvm', '.claim')), JSON.stringify(claim));
    expect((await runCached(run, { cacheFolder: cache })).cached).toBe(false);
    expect(readdirSync(cache)).toEqual([entry]);
  });

  test('what the app brings along is only read; where it is damaged, it is compiled', async () => {
    const [shipped, cache] = [join(newFolder(), 'shipped'), join(newFolder(), 'cache')];
    const run = preprocessed('int shipped;\n');
    const made = await runCached(run, { cacheFolder: shipped });
    const options = { cacheFolder: cache, shippedFolder: shipped };
    expect(await isCached(run, options)).toBe(true);
    const { outputs } = made;
    expect(await runCached(run, options)).toMatchObject({ outcome: 'success', outputs, cached: true });
    expect(existsSync(cache)).toBe(false);
    const [entry] = readdirSync(shipped) as [string];
    writeFileSync(join(shipped, entry), 'damaged');
    expect(await runCached(run, options)).toMatchObject({ outcome: 'success', outputs, cached: false });
    expect(readdirSync(cache)).toEqual([entry]);
    expect(readFileSync(join(shipped, entry), 'utf8')).toBe('damaged');
  });

  test('the app’s own programs are compiled the same wherever it lies', async () => {
    const source = join(labsFolder, 'overlap', 'overlap.cu');
    const named = compilerPath(source);
    expect(named).toBe('/simsight/app/engine/labs/overlap/overlap.cu');
    expect(realPath(named)).toBe(source);
    expect(realPath('/simsight/app/engine/labs/overlap/../lab.h')).toBe(join(labsFolder, 'lab.h'));
    const { host, device } = await compileProgram(request([source]), { cacheFolder });
    const compiled = Buffer.concat([host, ...device.map(({ ir }) => Buffer.from(ir))]);
    expect(compiled.includes(root)).toBe(false);
    expect(compiled.includes(named)).toBe(true);
  });

  test('a damaged cache entry is compiled anew; another GPU only needs another device pass', async () => {
    const folder = newFolder();
    const cache = join(folder, 'cache');
    const source = write(
      folder,
      'app.cu',
      '__global__ void k(int *a) {\n#ifdef __CUDA_ARCH__\n*a = __CUDA_ARCH__;\n#endif\n}\nint main() {}\n',
    );
    const first = await compileProgram(request([source]), { cacheFolder: cache });
    const entries = readdirSync(cache);
    // Two passes, the headers of each, the linked program.
    expect(entries).toHaveLength(5);
    for (const entry of entries) {
      const bytes = readFileSync(join(cache, entry));
      writeFileSync(join(cache, entry), bytes.subarray(0, bytes.length - 1));
    }
    const again = await compileProgram(request([source]), { cacheFolder: cache });
    expect(again).toEqual(first);
    const hopper = { computeCapability: { major: 9, minor: 0 } };
    const other = await compileProgram(request([source], hopper), { cacheFolder: cache });
    expect(first.device[0]!.ir).toContain('store i32 800');
    expect(other.device[0]!.ir).toContain('store i32 900');
    expect(readdirSync(cache)).toHaveLength(7);
  });

  test('the oldest GPU is compiled for as what it is: programs choose by __CUDA_ARCH__, and shuffles are refused', async () => {
    const fermi = { computeCapability: { major: 2, minor: 0 } };
    const source = (operation: string): string =>
      write(
        newFolder(),
        'app.cu',
        `#include <cuda_fp16.h>
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
__device__ double atomicAdd(double *address, double value) { return *address += value + __CUDA_ARCH__; }
#endif
__global__ void k(double *d, int *a) { atomicAdd(d, 1.0); *a = ${operation}; }
int main() {}
`,
      );
    const compiled = await compileProgram(request([source('__ballot(1)')], fermi), { cacheFolder });
    expect(compiled.device[0]!.ir).toContain('"target-cpu"="sm_20"');
    expect(compiled.device[0]!.ir).toContain('2.010000e+02');
    const error = await failure(compileProgram(request([source('__shfl_sync(~0u, 1, 0)')], fermi), { cacheFolder }));
    expect(error.message).toMatch(/app\.cu:5:\d+: error: use of undeclared identifier '__shfl_sync'/);
    const groups = write(newFolder(), 'app.cu', '#include <cooperative_groups.h>\nint main() {}\n');
    const refused = await failure(compileProgram(request([groups], fermi), { cacheFolder }));
    expect(refused.message).toContain('Cooperative groups need compute capability 3.0 or higher.');
  });

  test('standard headers are compiled once and kept; what comes out is the same to the byte', async () => {
    const folder = newFolder();
    const cache = join(folder, 'cache');
    const text = (amount: number): string => `#include <vector>
#include <cstdio>
#define SIZE ${amount}
__global__ void k(float *a) { a[threadIdx.x] *= SIZE; }
int main() { std::vector<int> v(SIZE); std::printf("%zu", v.size()); k<<<1, 32>>>(nullptr); }
`;
    await compileProgram(request([write(folder, 'a.cu', text(1))]), { cacheFolder: cache });
    const before = readdirSync(cache).length;
    const source = write(folder, 'b.cu', text(2));
    const kept = await compileProgram(request([source]), { cacheFolder: cache });
    expect(readdirSync(cache).length - before).toBe(3);
    // A macro of a reserved name may change the headers, so they are read as part of this source.
    const defined = write(folder, 'b.cu', `${text(2)}#define _A 1\n`);
    const apart = await compileProgram(request([defined]), { cacheFolder: cache });
    expect(apart.device).toEqual(kept.device);
    expect(apart.host).toEqual(kept.host);
  });

  test('headers: beside the source, in -I folders, by ../, through macros; changes are seen', async () => {
    const folder = newFolder();
    const include = join(folder, 'include');
    write(folder, 'common/util.h', '#pragma once\n#include "deeper/more.h"\n');
    write(folder, 'common/deeper/more.h', '#include "../sibling.h"\n');
    write(folder, 'common/sibling.h', '#define SIBLING 3\n');
    write(folder, 'include/lib/api.hpp', '#define API 4\n');
    write(folder, 'app/config.h', '#define CONFIG 5\n');
    const source = write(
      folder,
      'app/app.cu',
      `#include "../common/util.h"
#include <lib/api.hpp>
#define HEADER "config.h"
#include HEADER
static_assert(SIBLING + API + CONFIG + EXTRA == 22, "");
int main() {}
`,
    );
    const order = request([source], { includeFolders: [include], defines: ['EXTRA=10'] });
    expect((await compileProgram(order, { cacheFolder })).diagnostics).toEqual([]);
    write(folder, 'common/sibling.h', '#define SIBLING 30\n');
    const error = await failure(compileProgram(order, { cacheFolder }));
    expect(error.message).toMatch(/^app.cu:5:15: error: static assertion failed/);
  });

  test('several sources: .cu files carry their number, C and C++ files are host code only', async () => {
    const folder = newFolder();
    const sources = [
      write(folder, 'main.cpp', 'extern "C" int three(); int first(); int second();\nint main() { return first() + second() + three(); }\n'), // prettier-ignore
      write(folder, 'one.cu', '__global__ void a() {}\nint first() { a<<<1, 1>>>(); return 1; }\n'),
      write(folder, 'two.cu', '__global__ void b() {}\nint second() { b<<<1, 1>>>(); return 2; }\n'),
      write(folder, 'three.c', 'int three(void) { int class = 3; return class; }\n'),
    ];
    const program = await compileProgram(request(sources), { cacheFolder });
    expect(program.device.map(({ source }) => source)).toEqual([sources[1], sources[2]]);
    const imports = WebAssembly.Module.imports(await WebAssembly.compile(program.host)).map(({ name }) => name);
    expect(imports).toContain('cudaLaunchKernel');
  });

  test('what gcc only warns of in C is a warning: undeclared functions, types left out, mixed pointers', async () => {
    const folder = newFolder();
    const text = `static count(void) { return 3; }
int *numbers; char *letters;
int later(int n) { numbers = letters; letters = n; if (n > 5) return; puts("x"); return count(); }
`;
    const sources = [
      write(folder, 'main.cpp', 'extern "C" int later(int);\nint main() { return later(1); }\n'),
      write(folder, 'later.c', text),
    ];
    const { diagnostics } = await compileProgram(request(sources), { cacheFolder });
    expect(new Set(diagnostics.map(({ severity }) => severity))).toEqual(new Set(['warning']));
    expect(diagnostics.length).toBeGreaterThanOrEqual(5);
  });
});

describe('names made to take for ever', () => {
  test('a short one that stands for one that doubles with each word stays as it is', async () => {
    const grown = Array.from(
      { length: 30 },
      (_, i) => `S_IS${i.toString(36).toUpperCase()}_S${i.toString(36).toUpperCase()}_E`,
    );
    const bomb = `_Z1fSt4pairIiiE${grown.join('')}`;
    expect(await demangle([bomb, '_Z1gi'], { cacheFolder })).toHaveLength(2);
    expect((await demangle([bomb], { cacheFolder }))[0]!.length).toBeLessThan(1e8);
    expect(await demangle(['_Z1gi'], { cacheFolder })).toEqual(['g(int)']);
  });
  test('words of a megabyte take no longer than their length', async () => {
    const long = 'k'.repeat(1e6);
    // Each letter looked at by each other would take an hour.
    expect(await demangle([`_Z1000000${long}PKf`], { cacheFolder })).toEqual([`${long}(const float *)`]);
    expect(shortName(`${long}> x`)).toBe('x');
    expect(shortName(`${long}>`)).toBe(`${long}>`);
  });
});

describe('mistakes', () => {
  test('errors are data with exact places, once although two passes saw them, and text as Clang prints it', async () => {
    const folder = newFolder();
    write(folder, 'part.h', 'inline int half(int x) { return x / }\n');
    const source = write(
      folder,
      'app.cu',
      '#include "part.h"\n#warning careful\n__global__ void k(float *p) { p[0] = undefined_name; }\nint main() { int unused = "text"; }\n',
    );
    const error = await failure(compileProgram(request([source]), { cacheFolder }));
    expect(error).toBeInstanceOf(CompileError);
    expect(error.code).toBe('compile-failed');
    expect(error.message).toBe('part.h:1:37: error: expected expression');
    expect(error.place).toEqual({ file: join(folder, 'part.h'), line: 1, column: 37 });
    expect(error.diagnostics).toEqual([
      { severity: 'error', file: 'part.h', line: 1, column: 37, text: 'expected expression' },
      { severity: 'warning', file: 'app.cu', line: 2, column: 2, text: 'careful [-W#warnings]' },
      { severity: 'error', file: 'app.cu', line: 3, column: 38, text: "use of undeclared identifier 'undefined_name'" },
      {
        severity: 'error',
        file: 'app.cu',
        line: 4,
        column: 18,
        text: "cannot initialize a variable of type 'int' with an lvalue of type 'const char[5]'",
      },
    ]);
    expect(error.details).toContain(
      [
        'In file included from app.cu:1:',
        'part.h:1:37: error: expected expression',
        '    1 | inline int half(int x) { return x / }',
        '      |                                     ^',
        '',
      ].join('\n'),
    );
    expect(error.details).not.toContain('generated');
  });

  test('files, folders and includes that are not there', async () => {
    const folder = newFolder();
    const missing = join(folder, 'missing.cu');
    const compile = (sources: string[], includeFolders: string[] = []) =>
      failure(compileProgram(request(sources, { includeFolders }), { cacheFolder }));
    expect(await compile([missing])).toMatchObject({
      code: 'file-not-found',
      message: `There is no file ${missing}.`,
      place: { file: missing },
    });
    mkdirSync(join(folder, 'folder.cu'));
    expect(await compile([join(folder, 'folder.cu')])).toMatchObject({ code: 'file-is-directory' });
    expect(await compile([write(folder, 'notes.txt', 'x')])).toMatchObject({ code: 'usage' });
    expect(await compile([write(folder, 'empty.cu', '')])).toMatchObject({ message: 'empty.cu is empty.' });
    // A source without a name has an ending all the same.
    expect(await compile([write(folder, '.cu', '')])).toMatchObject({ message: '.cu is empty.' });
    expect(await compile([])).toMatchObject({ code: 'usage' });
    const good = write(folder, 'good.cu', 'int main() {}\n');
    const bad = write(folder, 'bad.cu', '\n#include "gone.h"\n');
    expect(await compile([bad])).toMatchObject({
      message: "bad.cu:2:10: error: 'gone.h' file not found",
      remedy: 'Add the folder of the header with -I.',
    });
    // An include folder that is absent matters only where a header is not found, as with nvcc.
    const nowhere = join(folder, 'nowhere');
    const { host } = await compileProgram(request([good], { includeFolders: [nowhere] }), { cacheFolder });
    expect(host.length).toBeGreaterThan(0);
    expect(String((await compile([bad], [nowhere])).message)).toContain(`there is no include folder ${nowhere}`);
  });

  test('no main, and symbols that nobody defines', async () => {
    const folder = newFolder();
    const compile = (name: string, text: string) =>
      failure(compileProgram(request([write(folder, name, text)]), { cacheFolder }));
    expect(await compile('library.cu', '__global__ void k() {}\n')).toMatchObject({
      code: 'compile-failed',
      message: 'library.cu has no main function.',
    });
    expect(
      await compile('open.cu', 'void helper(const float *, int);\nint main() { helper(nullptr, 1); }\n'),
    ).toMatchObject({
      message: 'undefined symbol: helper(const float *, int)',
    });
  });

  test('cancelling ends the compilation while it compiles', async () => {
    const source = write(newFolder(), 'app.cu', `#include <iostream>\n${hello}`);
    const stop = new AbortController();
    const phases: string[] = [];
    const cancelled = failure(
      compileProgram(request([source]), {
        cacheFolder,
        signal: stop.signal,
        onProgress(phase) {
          phases.push(phase);
          setTimeout(() => stop.abort(), 50);
        },
      }),
    );
    expect(await cancelled).toMatchObject({ code: 'cancelled' });
    expect(phases).toEqual(['Compiling']);
    expect(await failure(compileProgram(request([source]), { cacheFolder, signal: stop.signal }))).toMatchObject({
      code: 'cancelled',
    });
  });
});

describe('names', () => {
  test('mangled names become what Nsight shows', async () => {
    const names = [
      ['_Z5scaleIfEvPfi', 'void scale<float>(float *, int)', 'scale'],
      ['_Z3addPKfS0_Pfi', 'add(const float *, const float *, float *, int)', 'add'],
      ['_ZN4math3dotILi32EEEvRKNS_3VecIdEEPj', 'void math::dot<32>(const math::Vec<double> &, unsigned int *)', 'dot'],
      ['_ZN12_GLOBAL__N_16hiddenEv', '(anonymous namespace)::hidden()', 'hidden'],
      ['plain_c', 'plain_c', 'plain_c'],
    ] as const;
    const demangled = await demangle(
      names.map(([mangled]) => mangled),
      { cacheFolder },
    );
    expect(demangled).toEqual(names.map(([, full]) => full));
    expect(demangled.map(shortName)).toEqual(names.map(([, , short]) => short));
    expect(shortName('void run<(void (*)(int))>(int)')).toBe('run');
    expect(shortName('Matrix<float> ns::operator*<float>(int)')).toBe('operator*');
  });
});

describe('generated code', () => {
  test('LLVM IR becomes a WebAssembly module over a memory of the caller', async () => {
    const llvmIr = `
target triple = "wasm32-unknown-unknown"
declare double @sin(double)
define void @work(ptr %p) {
  %v = load <8 x float>, ptr %p
  %w = fmul <8 x float> %v, %v
  store <8 x float> %w, ptr %p
  %s = call double @sin(double 0.5)
  %q = getelementptr i8, ptr %p, i32 32
  store double %s, ptr %q
  ret void
}
`;
    const binary = await compileIrToWasm({ llvmIr, exports: ['work'], objects: [], dataAt: null }, { cacheFolder });
    const memory = new WebAssembly.Memory({ initial: 16, maximum: 65536 });
    const { instance } = await WebAssembly.instantiate(binary, { env: { memory } });
    const floats = new Float32Array(memory.buffer, 524288, 8).fill(3);
    (instance.exports.work as (p: number) => void)(524288);
    expect([...floats]).toEqual(Array(8).fill(9));
    expect(new Float64Array(memory.buffer, 524288 + 32, 1)[0]).toBeCloseTo(Math.sin(0.5), 12);
    await expect(
      compileIrToWasm({ llvmIr: 'nonsense', exports: [], objects: [], dataAt: null }, { cacheFolder }),
    ).rejects.toMatchObject({
      code: 'internal',
    });
  });
});
