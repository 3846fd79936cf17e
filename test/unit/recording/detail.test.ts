/** What of a kernel is simulated: a sample, or all blocks that an SM gets. */
import { expect, test } from 'vitest';
import { gpuById } from '../../../engine/gpus/index.ts';
import { kernelModel } from '../../../engine/recording/kernel-model.ts';
import { kernel, launchOf } from '../sm/kernels.ts';

const gpu = gpuById('h200');
const perSm = 5000;
const traceable = { ...kernel, machine: { blocks: [], sites: 0, polling: [], successors: [], sharedArrays: [] } };
const launch = launchOf(perSm * gpu.core.smCount, 256);
/** Four warps, 4 KiB. */
const warps = Array.from({ length: 4 }, () => new Uint32Array(256));

test('a sample ends when it is large enough, and two of a shape are enough', () => {
  const trace = kernelModel(gpu).trace!;
  const traced = trace(traceable, launch)!;
  expect(traced.blocks.length).toBeLessThan(perSm / 10);
  expect(traced.blocks.every((block) => block % gpu.core.smCount === 0)).toBe(true);
  let taken = 1;
  while (traced.onBlock(0, warps)) taken++;
  // 256 Ki words, 1 Ki for each block.
  expect(taken).toBe(256);
  expect(trace(traceable, launch)).not.toBeNull();
  expect(trace(traceable, launch)).toBeNull();
});

test('in full detail all blocks of an SM are taken, for every launch', () => {
  const trace = kernelModel(gpu, 'full').trace!;
  for (let i = 0; i < 4; i++) {
    const traced = trace(traceable, launch)!;
    expect(traced.blocks).toHaveLength(perSm);
    for (let block = 0; block < 1000; block++) expect(traced.onBlock(0, warps)).toBe(true);
  }
});
