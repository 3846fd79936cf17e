/** A kernel of which nothing special is known, and its launches. */
import type { KernelDescription, KernelLaunch } from '../../../engine/model/execution.ts';

export const kernel: KernelDescription = {
  name: 'kernel',
  parameters: [],
  parameterBytes: 0,
  staticSharedBytes: 0,
  registersPerThread: 32,
  localBytes: 0,
  maxThreadsPerBlock: null,
  minBlocksPerSm: 1,
};

export function launchOf(blocks: number, threads: number): KernelLaunch {
  return {
    kernel: kernel.name,
    grid: { x: blocks, y: 1, z: 1 },
    block: { x: threads, y: 1, z: 1 },
    dynamicSharedBytes: 0,
    parameters: new Uint8Array(),
  };
}
