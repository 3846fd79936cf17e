/** The SM model as the CUDA runtime asks it, for one GPU. */
import type { KernelModel } from '../cuda/index.ts';
import type { GpuDescription } from '../gpus/types.ts';
import { cacheGeometry } from '../memory/geometry.ts';
import { estimateKernel } from '../sm/estimate.ts';
import { occupancyOf } from '../sm/occupancy.ts';

export function kernelModel(gpu: GpuDescription): KernelModel {
  return {
    timeKernel: (description, launch, counts) => estimateKernel(description, launch, counts, gpu),
    cacheGeometry: (description, launch) => cacheGeometry(gpu, description, launch),
    blocksPerSm: ({ registersPerThread, staticSharedBytes }, block) =>
      occupancyOf(gpu, { registersPerThread, staticSharedBytes, ...block }).blocksPerSm,
  };
}
