/** Cost of printf in a kernel, beside that of an H100 (2026-11-27; see `printing` in engine/sm/kernel-model.ts), µs. */
import { expect, test } from 'vitest';
import { recorded } from './recorded.ts';

const measured: [blocks: number, threads: number, lines: number, microseconds: number][] = [
  [1, 1, 1, 23.1],
  [1, 32, 1, 25.8],
  [1, 64, 1, 31],
  [1, 128, 1, 48.5],
  [1, 1024, 1, 327.4],
  [8, 32, 1, 86.4],
  [64, 32, 1, 579.3],
  [1, 1, 2, 45],
  [1, 32, 4, 100.4],
  [1, 1, 16, 358.6],
];
const source = `#include <cstdio>
__global__ void prints(int n) { for (int i = 0; i < n; i++) printf("thread %d line %d\\n", (int)threadIdx.x, i); }
int main() {
  prints<<<1, 32>>>(0);
${measured.map(([blocks, threads, lines]) => `  prints<<<${blocks}, ${threads}>>>(${lines});`).join('\n')}
  return cudaDeviceSynchronize();
}
`;

test('kernels that print take the time of printing', async () => {
  const { trace } = await recorded(source);
  const times = trace
    .query('SELECT k.end - k.start FROM CUPTI_ACTIVITY_KIND_KERNEL k ORDER BY k.correlationId')
    .map(([time]) => Number(time) / 1000);
  trace.close();
  const [none, ...printing] = times as [number, ...number[]];
  expect(none).toBeLessThan(5);
  measured.forEach(([, , , microseconds], i) => {
    expect(printing[i]! / microseconds).toBeGreaterThan(0.85);
    expect(printing[i]! / microseconds).toBeLessThan(1.15);
  });
});
