/** Launches that are taken to be alike, and such that only look it. */
import { expect, test } from 'vitest';
import { metricsOf, recorded } from './recorded.ts';

/** The first launch reads 8 MB from DRAM, which mostly stay in L2; all later ones write as much more back. */
const program = `#include <cuda_runtime.h>
__global__ void step(int *to, const int *zeros, int n, int m) {
  const int threads = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
  int at = first;
  for (int i = first; i < m; i += threads) at = i + threads + zeros[at % m];
  for (int i = first; i < n; i += threads) to[i] = at;
}
int main() {
  const int n = 109 << 16, m = 8 << 18;
  int *a, *b;
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, m * 4);
  for (int i = 0; i < 8; ++i) step<<<264, 256>>>(a, b, n, m);
  cudaDeviceSynchronize();
}`;

test('a launch that reads from DRAM is not like one that writes as much back', async () => {
  const { trace } = await recorded(program);
  const metric = (name: string): number[] => metricsOf(trace, name).map((bytes) => bytes / 1e6);
  const [reads, writes] = [metric('dram__bytes_read.sum'), metric('dram__bytes_write.sum')];
  const durations = trace
    .query('SELECT end - start FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start')
    .map(([duration]) => Number(duration));
  trace.close();
  expect(reads[0]! + writes[0]!).toBeCloseTo(reads[1]! + writes[1]!, 0);
  for (const read of reads.slice(1)) expect(read).toBeLessThan(0.2 * reads[0]!);
  for (const duration of durations.slice(1)) expect(duration).toBeLessThan(0.9 * durations[0]!);
});
