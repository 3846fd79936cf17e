/**
 * The suite as CUDA programs: kernels in which each thread has one tuple of operands and evaluates some operations on it. All
 * kernels have the same parameters, so that one host program runs them on a real GPU (`hostText`), and the simulated device
 * is driven by simulate.ts.
 */
import type { Entry } from './entry.ts';
import { cpp } from './entry.ts';
import { half } from './operations/half.ts';
import { intrinsics } from './operations/intrinsics.ts';
import { math } from './operations/math.ts';
import { operators } from './operations/operators.ts';
import { ptxFloating, ptxVideo, ptxWhole } from './operations/ptx.ts';
import { scalar, tupleCount, tuples } from './values.ts';

export interface Kernel {
  name: string;
  inputs: string[];
  entries: Entry[];
}
export interface Program {
  name: string;
  kernels: Kernel[];
}

const groups: Record<string, Entry[]> = { operators, intrinsics, math, half, ptxWhole, ptxFloating, ptxVideo };
export const entries: Entry[] = Object.values(groups).flat();
const names = new Set<string>();
for (const { name } of entries) {
  if (names.has(name)) throw new Error(`two entries are called ${name}`);
  names.add(name);
}

/** A kernel has so many operations at most, a program so many. */
const operationsOfKernel = 24;
const operationsOfProgram = 200;

function split(group: string, list: Entry[]): Program[] {
  const bySignature = new Map<string, Entry[]>();
  for (const entry of list) {
    const key = entry.inputs.join();
    bySignature.set(key, [...(bySignature.get(key) ?? []), entry]);
  }
  const programs: Program[] = [];
  let size = operationsOfProgram;
  for (const same of bySignature.values()) {
    for (let at = 0; at < same.length; at += operationsOfKernel) {
      const part = same.slice(at, at + operationsOfKernel);
      if (size + part.length > operationsOfProgram) {
        programs.push({ name: `${group}${programs.length}`, kernels: [] });
        size = 0;
      }
      const program = programs.at(-1)!;
      program.kernels.push({ name: `k${program.kernels.length}`, inputs: part[0]!.inputs, entries: part });
      size += part.length;
    }
  }
  return programs;
}
export const programsOf = (keep: (entry: Entry) => boolean = () => true): Program[] =>
  Object.entries(groups).flatMap(([group, list]) => split(group, list.filter(keep)));

const prelude = `#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <math.h>
typedef unsigned int word;
typedef unsigned long long wide;
template <class T> __device__ __forceinline__ T from(wide x) { T r; memcpy(&r, &x, sizeof r); return r; }
template <> __device__ __forceinline__ bool from<bool>(wide x) { return x != 0; }
template <class T> __device__ __forceinline__ wide bits(T v) { wide r = 0; memcpy(&r, &v, sizeof v); return r; }
template <class T> __device__ __forceinline__ word low(T v) { word r = 0; memcpy(&r, &v, sizeof v < 4 ? sizeof v : 4); return r; }
template <class T> __device__ __forceinline__ word high(T v) { return bits(v) >> 32; }
`;

const wordsOf = ({ result }: Entry): number => (scalar(result).bytes === 8 ? 2 : 1);
/** Number of 16-byte groups that each thread writes: four words side by side in memory. */
export const quadsOf = (kernel: Kernel): number =>
  Math.ceil(kernel.entries.reduce((sum, entry) => sum + wordsOf(entry), 0) / 4);
/** Where a kernel's entries have their results, in words of a thread. */
export function placesOf(kernel: Kernel): Map<Entry, { at: number; words: number }> {
  let at = 0;
  return new Map(
    kernel.entries.map((entry) => [entry, { at: (at += wordsOf(entry)) - wordsOf(entry), words: wordsOf(entry) }]),
  );
}

/** Each lane has an operand of its own; or all have the same, which takes other code here; or it is a constant, which compilers fold. */
type Mode = 'lane' | 'uniform' | 'constant';
/** How operands reach the operations, the first one and the others. */
export interface Form {
  name: string;
  first: Mode;
  others: Mode;
}
export const forms: readonly Form[] = [
  { name: 'lanes', first: 'lane', others: 'lane' },
  { name: 'uniform', first: 'uniform', others: 'uniform' },
  { name: 'constants', first: 'constant', others: 'constant' },
  { name: 'lane-uniform', first: 'lane', others: 'uniform' },
  { name: 'uniform-lane', first: 'uniform', others: 'lane' },
  { name: 'lane-constant', first: 'lane', others: 'constant' },
  { name: 'constant-lane', first: 'constant', others: 'lane' },
];
export const lanes = forms[0]!;
export const hasConstants = ({ first, others }: Form): boolean => first === 'constant' || others === 'constant';

/** How many tuples a kernel has in a form: constants are those of `chosen` ones. */
export const tuplesOf = ({ inputs }: Kernel, form: Form, chosen: readonly number[]): number =>
  hasConstants(form) ? chosen.length : tupleCount(inputs.length);
/** Each tuple has a thread; in other forms than the first a block. */
export const blockOf = (form: Form): number => (form === lanes ? 64 : 1);

/** A kernel's name in a form: in a GPU's program its own. */
export const nameIn = ({ name }: Kernel, form: Form): string =>
  form === lanes ? name : `${name}_${form.name.replace('-', '_')}`;

export function deviceText(
  { kernels }: Program,
  asked: readonly Form[] = [lanes],
  chosen: readonly number[] = [],
): string {
  const text = kernels.flatMap((kernel) => asked.map((form) => kernelText(kernel, form, chosen)));
  return prelude + text.join('');
}

function kernelText(kernel: Kernel, form: Form, chosen: readonly number[]): string {
  const bodies = hasConstants(form)
    ? chosen.map((tuple, k) => `{ ${bodyOf(kernel, form, `${k}`, chosen.length, tuple)} }`)
    : [
        `const int i = ${form === lanes ? 'blockIdx.x * blockDim.x + threadIdx.x' : 'blockIdx.x'};`,
        bodyOf(kernel, form, 'i', tupleCount(kernel.inputs.length)),
      ];
  return `extern "C" __global__ void ${nameIn(kernel, form)}(const wide *x, const wide *y, const wide *z, uint4 *o) {\n${bodies.join('\n')}\n}\n`;
}

/** Evaluates a kernel's entries and stores what a tuple gives at place `at` of `count`. `tuple`: its number, where constants are asked for. */
function bodyOf(kernel: Kernel, form: Form, at: string, count: number, tuple?: number): string {
  const columns = tuple === undefined ? [] : tuples(kernel.inputs);
  const from = tuple === undefined ? at : `${tuple}`;
  // A value that the compiler cannot know to be uniform, though it is.
  const places = { lane: form === lanes ? at : `${from} + (threadIdx.x >> 10)`, uniform: from };
  // No operation changes the operands of the next one.
  const lines = kernel.inputs.map((domain, k) => {
    const mode = k === 0 ? form.first : form.others;
    const bits = mode === 'constant' ? `0x${columns[k]![tuple!]!.toString(16)}ull` : `${'xyz'[k]}[${places[mode]}]`;
    return `  const ${cpp(domain)} ${'abc'[k]} = from<${cpp(domain)}>(${bits});`;
  });
  const written = placesOf(kernel);
  const filled = [...written.values()].reduce((sum, { words }) => sum + words, 0);
  for (const [{ code, result }, { at: word, words }] of written) {
    const declared = Array.from({ length: words }, (_, k) => `w${word + k}`);
    const set = words === 2 ? `w${word} = low(r); w${word + 1} = high(r);` : `w${word} = low(r);`;
    lines.push(`  word ${declared.join(', ')}; { typedef ${scalar(result).cpp} R; R r; ${code} ${set} }`);
    const [before, after] = [word >> 2, (word + words) >> 2];
    if (after > before) lines.push(store(4 * before, Infinity));
  }
  if (filled % 4 > 0) lines.push(store(filled & ~3, filled));
  return lines.join('\n');

  function store(first: number, end: number): string {
    const words = [0, 1, 2, 3].map((k) => (first + k < end ? `w${first + k}` : '0'));
    return `  o[${(first / 4) * count} + ${at}] = make_uint4(${words.join(', ')});`;
  }
}

/** The words that a kernel wrote, as results of its entries: one number for each tuple. */
export function* resultsOf(
  kernel: Kernel,
  written: Uint32Array,
  count = tupleCount(kernel.inputs.length),
): Generator<[Entry, bigint[]]> {
  const word = (tuple: number, at: number): bigint => BigInt(written[((at >> 2) * count + tuple) * 4 + (at & 3)]!);
  for (const [entry, { at, words }] of placesOf(kernel))
    yield [
      entry,
      Array.from({ length: count }, (_, tuple) => word(tuple, at) | (words === 2 ? word(tuple, at + 1) << 32n : 0n)),
    ];
}

/** Runs every kernel and writes what they wrote to the file that its argument names. */
export function hostText({ kernels }: Program): string {
  const tables = new Map<string, number>();
  const arrays: string[] = [];
  for (const { inputs } of kernels) {
    const key = inputs.join();
    if (tables.has(key)) continue;
    tables.set(key, tables.size);
    const columns = tuples(inputs);
    while (columns.length < 3) columns.push([0n]);
    columns.forEach((column, k) =>
      arrays.push(
        `static const wide t${tables.get(key)}_${k}[] = {${column.map((value) => `0x${value.toString(16)}ull`).join(',')}};`,
      ),
    );
  }
  const runs = kernels.map((kernel) => {
    const { name, inputs } = kernel;
    const t = tables.get(inputs.join());
    const [x, y, z] = [0, 1, 2].map((k) => `device(t${t}_${k}, sizeof t${t}_${k})`);
    const count = tupleCount(inputs.length);
    return `  { size_t n = ${count * quadsOf(kernel)} * sizeof(uint4); uint4 *o; check(cudaMalloc(&o, n)); check(cudaMemset(o, 0xa5, n)); ${name}<<<${count / 64}, 64>>>(${x}, ${y}, ${z}, o); check(cudaDeviceSynchronize()); void *h = malloc(n); check(cudaMemcpy(h, o, n, cudaMemcpyDeviceToHost)); fwrite(h, 1, n, f); free(h); cudaFree(o); }`;
  });
  return `#include <stdio.h>
#include <stdlib.h>
${arrays.join('\n')}
static void check(cudaError_t e) { if (e != cudaSuccess) { printf("%s\\n", cudaGetErrorString(e)); exit(1); } }
static wide *device(const wide *t, size_t n) { wide *d; check(cudaMalloc(&d, n)); check(cudaMemcpy(d, t, n, cudaMemcpyHostToDevice)); return d; }
int main(int, char **v) {
  FILE *f = fopen(v[1], "wb");
${runs.join('\n')}
  fclose(f);
}
`;
}
