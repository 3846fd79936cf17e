/** The SM model as the CUDA runtime asks it, for one GPU. */
import type { KernelModel } from '../cuda/index.ts';
import type { GpuDescription } from '../gpus/types.ts';
import { cacheGeometry } from '../memory/geometry.ts';
import { estimateKernel } from '../sm/estimate.ts';
import { mostRegisters, occupancyOf } from '../sm/occupancy.ts';
import type { KernelDescription, KernelLaunch } from '../warp/types.ts';

export function kernelModel(gpu: GpuDescription): KernelModel {
  /** Registers are an estimate, which is no reason to refuse a launch: the kernel gets as many as its block can have. */
  const fitting = (description: KernelDescription, threadsPerBlock: number): KernelDescription => ({
    ...description,
    registersPerThread: Math.min(description.registersPerThread, mostRegisters(gpu, threadsPerBlock)),
  });
  const threadsOf = ({ block: { x, y, z } }: KernelLaunch): number => x * y * z;
  return {
    timeKernel: (description, launch, counts) =>
      estimateKernel(fitting(description, threadsOf(launch)), launch, counts, gpu),
    cacheGeometry: (description, launch) => cacheGeometry(gpu, fitting(description, threadsOf(launch)), launch),
    blocksPerSm: (description, block) =>
      occupancyOf(gpu, { ...fitting(description, block.threadsPerBlock), ...block }).blocksPerSm,
  };
}
