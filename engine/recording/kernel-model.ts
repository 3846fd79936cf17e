/** The SM model as the CUDA runtime asks it, for one GPU. */
import type { KernelModel } from '../cuda/index.ts';
import type { GpuDescription } from '../gpus/types.ts';
import { estimateKernel } from '../sm/estimate.ts';
import { occupancyOf, type Occupancy } from '../sm/occupancy.ts';
import type { CacheGeometry, KernelDescription } from '../warp/types.ts';

export function kernelModel(gpu: GpuDescription): KernelModel {
  const occupancy = (description: KernelDescription, threadsPerBlock: number, dynamicSharedBytes: number): Occupancy =>
    occupancyOf(gpu, {
      threadsPerBlock,
      registersPerThread: description.registersPerThread,
      staticSharedBytes: description.staticSharedBytes,
      dynamicSharedBytes,
    });
  return {
    timeKernel: (description, launch, counts) => estimateKernel(description, launch, counts, gpu),
    cacheGeometry: (description, { block, dynamicSharedBytes }): CacheGeometry => {
      const { l1Bytes } = occupancy(description, block.x * block.y * block.z, dynamicSharedBytes);
      return { smCount: gpu.core.smCount, l1Bytes, l2Bytes: gpu.memory.l2Bytes };
    },
    blocksPerSm: (description, threadsPerBlock, dynamicSharedBytes) =>
      occupancy(description, threadsPerBlock, dynamicSharedBytes).blocksPerSm,
  };
}
