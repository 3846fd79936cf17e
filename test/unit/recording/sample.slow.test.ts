/** `--sample`: launches that take as long as those before are timed and not executed. */
import { expect, test } from 'vitest';
import { timedOnlyMetric } from '../../../engine/model/metric-names.ts';
import { metricsOf, recorded } from './recorded.ts';

/** Steps of a stencil; with an argument, the host looks whether it is done after each. */
const program = `#include <cstdio>
#include <utility>
__global__ void relax(float *out, const float *in, float *change, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0 || i >= n - 1) return;
  float value = in[i];
  for (int k = 0; k < 20; k++) value = value * 0.5f + (in[i - 1] + in[i + 1]) * 0.25f;
  out[i] = value + 1;
  if (i == 1) *change = out[i] < 55 ? 1 : 0;
}
int main(int count, char **) {
  const int n = 1 << 17;
  float *a, *b, *change, left = 1;
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  cudaMalloc(&change, 4);
  cudaMemset(a, 0, n * 4);
  cudaMemset(b, 0, n * 4);
  int steps = 0;
  for (; steps < 100 && left > 0; steps++) {
    relax<<<n / 256, 256>>>(b, a, change, n);
    std::swap(a, b);
    if (count > 1) cudaMemcpy(&left, change, 4, cudaMemcpyDeviceToHost);
  }
  float middle;
  cudaMemcpy(&middle, a + n / 2, 4, cudaMemcpyDeviceToHost);
  printf("%d steps, %g\\n", steps, middle);
  return middle != steps;
}
`;

test('steps that nobody looks at between them', async () => {
  const [all, some] = [await recorded(program), await recorded(program, { sample: true })];
  const timesOf = ({ trace }: typeof all): unknown[][] =>
    trace.query('SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start');
  const saidBy = ({ trace }: typeof all): string => trace.query('SELECT text FROM SIMSIGHT_CONSOLE').flat().join('');
  const marked = some.trace.query(
    `SELECT count(*) FROM SIMSIGHT_KERNEL_METRICS m JOIN StringIds s ON s.id = m.nameId WHERE s.value = '${timedOnlyMetric}'`,
  );
  expect(timesOf(some)).toEqual(timesOf(all));
  expect([all.timedOnly, all.exitCode, saidBy(all)]).toEqual([0, 0, '100 steps, 100\n']);
  expect([some.timedOnly, some.launches, some.exitCode]).toEqual([91, 100, 1]);
  expect(marked).toEqual([[91]]);
  expect(saidBy(some)).toContain(
    'From here on, launches of relax(float *, const float *, float *, int) are not executed as a whole',
  );
  expect(some.trace.info.notices.join('\n')).toContain('91 of 100 launches were timed and not executed');
  expect(all.trace.info.notices.join()).not.toContain('not executed');
  all.trace.close();
  some.trace.close();
});

test('steps after each of which the host looks whether it is done', async () => {
  const { trace, exitCode, timedOnly } = await recorded(program, { sample: true, arguments: ['look'] });
  trace.close();
  expect([exitCode, timedOnly]).toEqual([0, 0]);
});

/** A large grid twice, and a small one of the same kernel; with an argument the host looks at the results in between. */
const large = `#include <cstdio>
__global__ void work(float *out) {
  float value = threadIdx.x;
  for (int k = 0; k < 100 + blockIdx.x % 7; k++) value = value * 0.5f + sqrtf(value + k);
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
int main(int count, char **) {
  float *out, last;
  cudaMalloc(&out, 4l * 256 * 70000);
  work<<<140, 256>>>(out);
  work<<<70000, 256>>>(out);
  if (count > 1) cudaMemcpy(&last, out, 4, cudaMemcpyDeviceToHost);
  work<<<70000, 256>>>(out);
  cudaMemcpy(&last, out + 256 * 70000 - 1, 4, cudaMemcpyDeviceToHost);
  printf("%s\\n", last > 0 ? "whole" : "not whole");
}
`;

test.each([
  ['blocks of a large grid, the second time', []],
  ['all blocks, where the host has looked at the first time', ['look']],
])('%s', async (_, looks) => {
  const { trace, timedOnly, launches } = await recorded(large, { sample: true, arguments: looks });
  const shares = metricsOf(trace, timedOnlyMetric);
  const [small, first, second] = metricsOf(trace, 'smsp__inst_executed.sum') as [number, number, number];
  const [, ofFirst, ofSecond] = metricsOf(trace, 'gpu__time_duration.sum') as [number, number, number];
  const said = trace.query('SELECT text FROM SIMSIGHT_CONSOLE').flat().join('');
  trace.close();
  expect([timedOnly, launches]).toEqual([looks.length > 0 ? 0 : 1, 3]);
  expect(first / small).toBeCloseTo(500, 1);
  if (looks.length > 0) {
    expect(said).toMatch(/^whole$/m);
    expect(second).toBe(first);
    return;
  }
  expect(shares).toHaveLength(1);
  expect(shares[0]).toBeGreaterThan(0.2);
  expect(shares[0]).toBeLessThan(0.95);
  expect(second).not.toBe(first);
  expect(second / first).toBeCloseTo(1, 3);
  expect(ofSecond / ofFirst).toBeCloseTo(1, 2);
});

/** Ten blocks that take long. */
const few = `__global__ void work(float *out) {
  float value = threadIdx.x;
  for (int k = 0; k < 150000; k++) value = value * 0.5f + sqrtf(value + k);
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
int main() {
  float *out;
  cudaMalloc(&out, 4 * 1024 * 10);
  for (int i = 0; i < 3; i++) work<<<10, 1024>>>(out);
  return cudaDeviceSynchronize();
}
`;

test('some of few blocks', async () => {
  const { trace, timedOnly } = await recorded(few, { sample: true });
  const [share] = metricsOf(trace, timedOnlyMetric);
  const instructions = metricsOf(trace, 'smsp__inst_executed.sum');
  trace.close();
  expect(timedOnly).toBe(2);
  expect(share).toBeGreaterThan(0.3);
  expect(share).toBeLessThan(0.9);
  expect(new Set(instructions).size).toBe(1);
});

/** Of a library, whose time is known: the first is computed in part, which takes all that first launches may, the others not at all. */
const products = `#include <cublas_v2.h>
int main() {
  const int n = 4864;
  float *a, one = 1;
  cudaMalloc(&a, sizeof(float) * n * n * 2);
  cublasHandle_t handle;
  cublasCreate(&handle);
  for (int i = 0; i < 3; i++)
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, a, n, &one, a + n * n, n);
  return cudaDeviceSynchronize();
}
`;

test('products of cuBLAS, the first in part', async () => {
  const { trace, timedOnly, launches } = await recorded(products, { sample: true });
  const shares = metricsOf(trace, timedOnlyMetric);
  const times = trace.query('SELECT end - start FROM CUPTI_ACTIVITY_KIND_KERNEL').flat();
  trace.close();
  expect([timedOnly, launches]).toEqual([3, 3]);
  expect(shares[0]).toBeGreaterThan(0);
  expect(shares[0]).toBeLessThan(0.5);
  expect(shares.slice(1)).toEqual([1, 1]);
  expect(new Set(times).size).toBe(1);
});
