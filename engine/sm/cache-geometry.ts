/** The caches that a launch finds: what its functional execution needs to know to count hits. */
import { occupancyOfLaunch } from './occupancy.ts';
import type { GpuDescription } from '../gpus/types.ts';
import type { CacheGeometry, KernelDescription, KernelLaunch } from '../model/execution.ts';

/** L1 is what shared memory leaves: it depends on the kernel and on its launch. */
export function cacheGeometry(gpu: GpuDescription, kernel: KernelDescription, launch: KernelLaunch): CacheGeometry {
  const { x, y, z } = launch.block;
  const { l1Bytes, blocksPerSm } = occupancyOfLaunch(gpu, {
    threadsPerBlock: x * y * z,
    registersPerThread: kernel.registersPerThread,
    staticSharedBytes: kernel.staticSharedBytes,
    dynamicSharedBytes: launch.dynamicSharedBytes,
    preferredCarveout: launch.preferredCarveout,
  });
  return {
    smCount: gpu.core.smCount,
    l1Bytes,
    l2Bytes: gpu.memory.l2Bytes,
    l2Halves: gpu.memory.l2Halves,
    blocksPerSm,
  };
}
