/** Launches that are taken to be alike, and such that only look it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { record } from '../../../engine/recording/record.ts';
import { openTrace } from '../../../engine/trace/reader.ts';
import { cacheFolder, newFolder } from '../cuda/program.ts';

/** The first launch reads 8 MB from DRAM and writes 6 MB back; all later ones read nothing there and write 13 to 15 MB back. */
const program = `#include <cuda_runtime.h>
__global__ void step(float *__restrict__ to, const float *__restrict__ from, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    to[i] = 0.5f * from[i] + 0.25f * (from[i ? i - 1 : n - 1] + from[i + 1 < n ? i + 1 : 0]);
}
int main() {
  const int n = 1 << 22;
  float *a, *b;
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  cudaMemset(a, 0, n * 2);
  for (int i = 0; i < 8; ++i) step<<<1056, 256>>>(i & 1 ? a : b, i & 1 ? b : a, n);
  cudaDeviceSynchronize();
}`;

test('a launch that reads from DRAM is not like one that writes as much back', { timeout: 120_000 }, async () => {
  const folder = join(newFolder(), 'alike');
  mkdirSync(folder);
  const source = join(folder, 'app.cu');
  writeFileSync(source, program);
  const output = join(folder, 'app.simsight');
  await record({
    ...{ sources: [source], gpu: 'h200', includeFolders: [], defines: [], environment: [], arguments: [], output },
    ...{ recordingsFolder: tmpdir(), keepTrace: true, cacheFolder },
  });
  const trace = openTrace(output);
  const metric = (name: string): number[] =>
    trace
      .query(
        `SELECT m.value FROM SIMSIGHT_KERNEL_METRICS m JOIN StringIds s ON s.id = m.nameId WHERE s.value = ? ORDER BY m.kernel`,
        name,
      )
      .map(([value]) => Number(value) / 1e6);
  const [reads, writes] = [metric('dram__bytes_read.sum'), metric('dram__bytes_write.sum')];
  const durations = trace
    .query('SELECT end - start FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start')
    .map(([duration]) => Number(duration));
  trace.close();
  expect(reads[0]! + writes[0]!).toBeCloseTo(writes[1]!, 0);
  expect(reads.slice(1)).toEqual(Array(7).fill(0));
  // H200 reference, C7 hundred_steps graph: 6.8 us from start to start, 0.9 of them between two kernels.
  for (const duration of durations.slice(1)) expect(duration).toBeLessThan(0.85 * durations[0]!);
});
