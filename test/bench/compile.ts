/**
 * From sources to what can be run, each time in a process of its own, as a recording is made: Clang is loaded anew.
 *
 *   npm run bench:compile -- [--runs 5] [--against DIR] [--json FILE] [FILE…]
 *
 * `first_ms`: nothing is kept yet, so that the standard headers are compiled as well. `changed_ms`: the headers are kept, and the source
 * was changed. Medians; with --against beside those of another checkout of this project, in turns, with the ratio of the times.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type * as Compile from '../../engine/compile/index.ts';
import { median } from './median.ts';

const root = join(import.meta.dirname, '../..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '5' },
    against: { type: 'string' },
    json: { type: 'string' },
    one: { type: 'boolean', default: false },
  },
});

/** One compilation in this process, of another checkout's compiler; prints its milliseconds. */
async function compileOnce([checkout, cacheFolder, source, run]: string[]): Promise<void> {
  const { compileProgram } = (await import(join(checkout!, 'engine/compile/index.ts'))) as typeof Compile;
  const started = performance.now();
  await compileProgram(
    {
      sources: [source!],
      includeFolders: [],
      // A source that nobody has compiled, with the same headers.
      defines: [`BENCH_RUN=${run}`],
      computeCapability: { major: 9, minor: 0 },
    },
    { cacheFolder: cacheFolder!, shippedFolder: cacheFolder! },
  );
  console.log(performance.now() - started);
}

if (values.one) {
  await compileOnce(positionals);
  process.exit(0);
}

const small = `#include <cstdio>
#include <vector>
__global__ void add(float *a, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += b[i];
}
int main() {
  std::vector<float> v(1000, 1.f);
  float *a, *b;
  cudaMalloc(&a, 4000);
  cudaMalloc(&b, 4000);
  cudaMemcpy(a, v.data(), 4000, cudaMemcpyHostToDevice);
  add<<<4, 256>>>(a, b, 1000);
  cudaMemcpy(v.data(), a, 4000, cudaMemcpyDeviceToHost);
  printf("%f\\n", v[0]);
}
`;

const folder = mkdtempSync(join(tmpdir(), 'simsight-bench-'));
const checkouts = [root, ...(values.against === undefined ? [] : [resolve(values.against)])];
let last = 0;

function compile(checkout: string, cacheFolder: string, source: string): number {
  const words = [import.meta.filename, '--one', checkout, cacheFolder, source, String(++last)];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', cwd: checkout });
  if (status !== 0) throw new Error(`${source} was not compiled: ${stderr}`);
  return Number(stdout);
}

/** Medians of a source, for each checkout. */
function measure(source: string): { first_ms: number; changed_ms: number }[] {
  const times = checkouts.map(() => ({ first: [] as number[], changed: [] as number[] }));
  for (let run = 0; run < Number(values.runs); run++) {
    for (const [i, checkout] of checkouts.entries()) {
      const cacheFolder = mkdtempSync(join(folder, 'cache-'));
      times[i]!.first.push(compile(checkout, cacheFolder, source));
      times[i]!.changed.push(compile(checkout, cacheFolder, source));
      rmSync(cacheFolder, { recursive: true });
    }
  }
  return times.map(({ first, changed }) => ({ first_ms: median(first), changed_ms: median(changed) }));
}

const smallSource = join(folder, 'small.cu');
writeFileSync(smallSource, small);
const labs = ['coalescing', 'matmul', 'several-gpus'].map((name) => join(root, 'engine/labs', name, `${name}.cu`));
const sources = positionals.length > 0 ? positionals.map((path) => resolve(path)) : [smallSource, ...labs];
const results = sources.map((source) => {
  const [here, there] = measure(source) as [ReturnType<typeof measure>[number], ReturnType<typeof measure>[number]?];
  for (const key of ['first_ms', 'changed_ms'] as const) {
    const beside =
      there === undefined ? '' : `  ${there[key].toFixed(0)} there: ${(here[key] / there[key]).toFixed(2)}`;
    console.log(`${basename(source).padEnd(24)} ${key.padEnd(10)} ${here[key].toFixed(0).padStart(6)}${beside}`);
  }
  return { source: basename(source), here, ...(there === undefined ? {} : { there }) };
});
rmSync(folder, { recursive: true });
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
