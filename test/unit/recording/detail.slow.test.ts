/** Simulated part of a kernel: a sample, or all blocks that an SM gets. */
import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { kernelView } from '../../../engine/analysis/kernel-view.ts';
import { gpuById } from '../../../engine/gpus/index.ts';
import { kernelModel } from '../../../engine/sm/kernel-model.ts';
import { kernel, launchOf } from '../sm/kernels.ts';
import { recorded } from './recorded.ts';

const gpu = gpuById('h200');
const perSm = 5000;
const traceable = { ...kernel, machine: { blocks: [], sites: 0, polling: [], successors: [], sharedArrays: [] } };
const launch = launchOf(perSm * gpu.core.smCount, 256);
/** Four warps, 4 KiB. */
const warps = Array.from({ length: 4 }, () => new Uint32Array(256));

test('a sample ends when it is large enough, and two of a shape are enough', () => {
  const model = kernelModel(gpu);
  const traced = model.trace!(traceable, launch)!;
  expect(traced.blocks.length).toBeLessThan(perSm / 10);
  expect(traced.blocks.every((block) => block % gpu.core.smCount === 0)).toBe(true);
  let taken = 1;
  while (traced.onBlock(0, warps)) taken++;
  // 256 Ki words, 1 Ki for each block.
  expect(taken).toBe(256);
  expect(model.trace!(traceable, launch)).not.toBeNull();
  expect(model.trace!(traceable, launch)).toBeNull();
});

test('in full detail all blocks of an SM are taken, for every launch', () => {
  const model = kernelModel(gpu, 'full');
  for (let i = 0; i < 4; i++) {
    const traced = model.trace!(traceable, launch)!;
    expect(traced.blocks).toHaveLength(perSm);
    for (let block = 0; block < 1000; block++) expect(traced.onBlock(0, warps)).toBe(true);
  }
});

const transpose = `#include <cuda_runtime.h>
__global__ void transpose(const float *in, float *out, int n) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
int main() {
  const int n = 1024;
  float *in, *out;
  cudaMalloc(&in, n * n * 4);
  cudaMalloc(&out, n * n * 4);
  transpose<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(in, out, n);
  return cudaDeviceSynchronize();
}`;

test('counters keep the same figures in a smaller file', async () => {
  const [sums, sampled] = [await recorded(transpose, { detail: 'counters' }), await recorded(transpose)];
  const rows = ({ trace }: typeof sums, table: string) => trace.query(`SELECT * FROM ${table}`);
  for (const table of [
    'CUPTI_ACTIVITY_KIND_KERNEL',
    ...[
      'SIMSIGHT_INSTRUCTIONS',
      'SIMSIGHT_INSTRUCTION_STATES',
      'SIMSIGHT_SM_BLOCKS',
      'SIMSIGHT_WARP_MIX',
      'SIMSIGHT_KERNEL_METRICS',
    ],
  ]) {
    expect(rows(sampled, table).length, table).toBeGreaterThan(0);
    expect(rows(sums, table), table).toEqual(rows(sampled, table));
  }
  for (const table of ['SIMSIGHT_WARP_CHUNKS', 'SIMSIGHT_ACCESS_SAMPLES']) {
    expect(rows(sampled, table).length, table).toBeGreaterThan(0);
    expect(rows(sums, table), table).toEqual([]);
  }
  expect(statSync(sums.path).size).toBeLessThan(statSync(sampled.path).size);
  const [view, more] = [kernelView(sums.trace, 1), kernelView(sampled.trace, 1)];
  expect(view.stalls).toEqual(more.stalls);
  expect(view.throughput).toEqual(more.throughput);
  expect(view).toMatchObject({ warpCycles: 0, warpSlots: [] });
  expect(sums.trace.warps(1)).toBeNull();
});
