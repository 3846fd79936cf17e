/** Directives of OpenMP in host code, with teams of several sizes; CUDA calls of several of its threads. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkUnit, compileProgram } from '../../../engine/compile/program.ts';
import { unitOf } from '../../../engine/compile/units.ts';
import { cacheFolder } from '../../setup/kept.ts';
import { write } from '../cuda/program.ts';
import { recorded } from '../recording/recorded.ts';
import { temporaryFolder } from '../trace/example-recording.ts';

const directives = readFileSync(join(import.meta.dirname, 'openmp', 'directives.cu'), 'utf8');

/** Output and exit code of a program. */
async function outcomeOf(text: string, words: string[] = [], environment: string[] = []) {
  const { exitCode, trace } = await recorded(text, { arguments: words, environment });
  const output = trace.query('SELECT text FROM SIMSIGHT_CONSOLE').flat().join('');
  const threads = trace.query('SELECT DISTINCT globalTid FROM CUPTI_ACTIVITY_KIND_RUNTIME').length;
  trace.close();
  return { exitCode, lines: output.trimEnd().split('\n'), threads };
}

test.each([1, 4, 7])('a team of %d', async (n) => {
  const { exitCode, lines } = await outcomeOf(directives, [String(n)]);
  const loops = '5006000 719279 79979944104704 -10997263761408 5151 709184999915520 '.repeat(16).trim();
  expect(exitCode).toBe(0);
  expect(lines.map((line) => line.trim())).toEqual([
    '1',
    Array.from({ length: n }, () => n).join(' '),
    `tp ${(n * (n - 1)) / 2}`,
    `copyin ${9 * n}`,
    '249750',
    loops,
    'collapse 261307',
    'abcdefghijkl',
    `single ${42 * n} 101${' 1'.repeat(n - 1)}`,
    'user 4950 100',
    'array 1584 1617 1650',
    'fib 610',
    'sections 123',
    'taskloop 1225',
    'atomic 499500 500',
    'lock 100',
    'nested 135 level 0',
    'serial 11',
    '1 146',
  ]);
});

test('threads with streams of their own are threads of the trace', async () => {
  const program = `#include <cstdio>
#include <omp.h>
__global__ void scale(float *x, float f) { x[threadIdx.x] *= f; }
int main() {
  float sums[3] = {};
#pragma omp parallel for num_threads(3) schedule(static, 1)
  for (int i = 0; i < 6; i++) {
    cudaStream_t stream;
    float *d, h[32];
    for (float &each : h) each = 1;
    cudaStreamCreate(&stream);
    cudaMalloc(&d, sizeof h);
    cudaMemcpyAsync(d, h, sizeof h, cudaMemcpyHostToDevice, stream);
    scale<<<1, 32, 0, stream>>>(d, i + 1);
    cudaMemcpyAsync(h, d, sizeof h, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (float each : h) sums[omp_get_thread_num()] += each;
    cudaFree(d);
    cudaStreamDestroy(stream);
  }
  printf("%g %g %g\\n", sums[0], sums[1], sums[2]);
}`;
  expect(await outcomeOf(program)).toEqual({ exitCode: 0, lines: ['160 224 288'], threads: 3 });
});

test('the environment says how many threads there are, and programs without the header have one', async () => {
  const program = (header: string) => `#include <cstdio>
${header}
int main() {
  int count = 0;
#pragma omp parallel
#pragma omp critical
  count++;
  printf("%d\\n", count);
}`;
  const environment = ['OMP_NUM_THREADS=5'];
  expect((await outcomeOf(program('#include <omp.h>'), [], environment)).lines).toEqual(['5']);
  expect((await outcomeOf(program(''), [], environment)).lines).toEqual(['1']);
});

test('a build has OpenMP where its flags say so, sources without flags where they include its header', async () => {
  const text = '#include <omp.h>\n#ifdef _OPENMP\n#error OpenMP holds\n#endif\nint main() {}\n';
  const source = write(temporaryFolder(), 'asks.cu', text);
  const request = { sources: [source], includeFolders: [], defines: [], computeCapability: { major: 9, minor: 0 } };
  const unit = unitOf(source, request);
  const flagged = { ...unit, translation: { ...unit.translation, openmp: true } };
  const options = { cacheFolder };
  await expect(checkUnit(unit, [], options)).resolves.toBe('');
  await expect(checkUnit(flagged, [], options)).rejects.toThrow('OpenMP holds');
  await expect(compileProgram(request, { ...options, shippedFolder: cacheFolder })).rejects.toThrow('OpenMP holds');
});
