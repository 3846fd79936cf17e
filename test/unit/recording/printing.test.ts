/** What printf in a kernel costs: measured is 88 µs for a kernel of a few threads that print a line each. */
import { expect, test } from 'vitest';
import { recorded } from './recorded.ts';

const source = `#include <cstdio>
__global__ void prints(int lines) { for (int i = 0; i < lines; i++) printf("thread %d\\n", (int)threadIdx.x); }
__global__ void quiet(int *p) { p[threadIdx.x] = threadIdx.x; }
int main() {
  int *p;
  cudaMalloc(&p, 4096);
  quiet<<<1, 4>>>(p);
  prints<<<1, 4>>>(0);
  prints<<<1, 4>>>(1);
  prints<<<4, 64>>>(4);
  return cudaDeviceSynchronize();
}
`;

test('Kernels that print take the time of printing', { timeout: 300_000 }, async () => {
  const { trace } = await recorded(source);
  const times = trace
    .query('SELECT k.end - k.start FROM CUPTI_ACTIVITY_KIND_KERNEL k ORDER BY k.correlationId')
    .map(([time]) => Number(time));
  trace.close();
  const [quiet, none, few, many] = times as [number, number, number, number];
  expect(quiet).toBeLessThan(5_000);
  expect(none).toBeLessThan(5_000);
  expect(few).toBeGreaterThan(70_000);
  expect(few).toBeLessThan(106_000);
  expect(many).toBeGreaterThan(few);
  expect(many).toBeLessThan(500_000);
});
