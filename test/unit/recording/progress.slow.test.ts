/** Progress of a recording: kernels compiled, blocks executed of the current grid. */
import { expect, test } from 'vitest';
import type { RecordProgress } from '../../../engine/model/recording.ts';
import { recorded } from './recorded.ts';

const program = (rounds: number): string => `#include <cuda_runtime.h>
__global__ void busy(float *to, int rounds) {
  float value = threadIdx.x;
  for (int i = 0; i < rounds; ++i) value = value * 0.999f + 1.0f;
  to[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
int main() {
  float *to;
  cudaMalloc(&to, 4096 * 256 * sizeof(float));
  busy<<<4096, 256>>>(to, ${rounds});
  cudaDeviceSynchronize();
}`;

test('blocks of a long grid are counted, and kernels that are compiled', async () => {
  let told: RecordProgress[] = [];
  const blocksOf = (all: RecordProgress[]): { done: number; total: number }[] =>
    all.flatMap((each) => each.blocks ?? []);
  // As long as it takes for two to be told of, on however fast a machine.
  for (let rounds = 3000; blocksOf(told).length < 2 && rounds < 2e6; rounds *= 5) {
    told = [];
    const { trace, kernels } = await recorded(program(rounds), { onProgress: (progress) => told.push(progress) });
    trace.close();
    expect(kernels).toBe(1);
  }
  const blocks = blocksOf(told);
  expect(blocks.length).toBeGreaterThan(1);
  expect(new Set(blocks.map(({ total }) => total))).toEqual(new Set([4096]));
  const done = blocks.map((each) => each.done);
  expect(done).toEqual(done.toSorted((a, b) => a - b));
  expect(done.at(-1)).toBeGreaterThan(done[0]!);
  const compiled = told.findLast((each) => each.compiled)!.compiled!;
  expect(compiled).toEqual({ done: compiled.total, total: compiled.total });
  expect(compiled.total).toBeGreaterThan(0);
  // Once the grid is done, nothing is said of it.
  expect(told.at(-1)!.blocks).toBeNull();
});
