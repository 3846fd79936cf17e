import type { GpuSummary } from '../api/types.ts';
import type { GpuDescription } from '../gpus/types.ts';

/** Summary of a GPU, for the choice of one in a front end. */
export function gpuSummary(gpu: GpuDescription): GpuSummary {
  return {
    id: gpu.id,
    name: gpu.name,
    architecture: gpu.architecture,
    computeCapability: `${gpu.computeCapability.major}.${gpu.computeCapability.minor}`,
    smCount: gpu.core.smCount,
    smClockMhz: gpu.core.smClockMhz,
    memory: gpu.memory.capacityBytes,
    bandwidth: gpu.memory.bandwidth,
  };
}
