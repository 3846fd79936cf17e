import { expect, test } from 'vitest';
import { gpuById } from '../../../engine/gpus/index.ts';
import type { KernelDescription, KernelLaunch } from '../../../engine/model/execution.ts';
import { mostAccesses } from '../../../engine/model/warp-stream.ts';
import { kernelModel } from '../../../engine/sm/kernel-model.ts';

const launch: KernelLaunch = {
  ...{ kernel: 'k', grid: { x: 8, y: 1, z: 1 }, block: { x: 64, y: 1, z: 1 } },
  ...{ dynamicSharedBytes: 0, parameters: new Uint8Array() },
};
/** A kernel whose code accesses memory at so many places. */
const description = (sites: number): KernelDescription => ({
  ...{ name: 'k', parameters: [], parameterBytes: 0, staticSharedBytes: 0, registersPerThread: 16, localBytes: 0 },
  ...{ maxThreadsPerBlock: null, minBlocksPerSm: 1 },
  machine: { blocks: [], sites, polling: [], successors: [], sharedArrays: [] },
});

test('a kernel with more accesses than a stream has numbers for is not traced', () => {
  const model = () => kernelModel(gpuById('h200'));
  expect(model().trace?.(description(mostAccesses), launch)).not.toBeNull();
  expect(model().trace?.(description(mostAccesses + 1), launch)).toBeNull();
});
