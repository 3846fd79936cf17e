/** Another GPU beside the H200 that was measured: how its rates compare, each by its own peak. */
import { withFallbacks } from '../../../gpus/fallbacks.ts';
import { int8TensorCores } from '../../../gpus/families.ts';
import { h200 } from '../../../gpus/h200.ts';
import type { GpuDescription } from '../../../gpus/types.ts';
import type { GemmType } from './types.ts';

export interface ScaledGpu {
  sms: number;
  l2Bytes: number;
  /** Factors of times (1 on an H200) and of rates. */
  latency: number;
  l2: number;
  dram: number;
  /** Of one SM. */
  multiply: (type: GemmType) => number;
  /** Its kernels have the names of the H200's. */
  isMeasured: boolean;
}

/** Multiply-adds of an SM per nanosecond at best. */
function peak(gpu: GpuDescription, type: GemmType): number {
  const { throughput } = withFallbacks(gpu).gpu;
  const { tensorCores, core, computeCapability } = gpu;
  const { fp16, tf32, fp64, clockShare } = tensorCores;
  const perNanosecond = core.smClockMhz / 1e3;
  const plain = throughput.fp32;
  switch (type) {
    case 's':
    case 'c':
      return plain * perNanosecond;
    case 'd':
    case 'z':
      return (fp64 ?? throughput.fp64) * perNanosecond;
    case 'tf32':
      return (tf32 === null ? plain : tf32 * clockShare) * perNanosecond;
    case 'i8': {
      const int8 = int8TensorCores.get(`${computeCapability.major}.${computeCapability.minor}`)?.perClock;
      return (int8 === undefined ? 4 * throughput.int32 : int8 * clockShare) * perNanosecond;
    }
    case 'f8b':
    case 'f8q':
    case 'f8s':
    case 'f8f8':
      return 2 * fp16! * clockShare * perNanosecond;
    default:
      return (fp16 === null ? Math.max(plain, throughput.fp16) : fp16 * clockShare) * perNanosecond;
  }
}

const known = new WeakMap<GpuDescription, ScaledGpu>();

export function scaled(gpu: GpuDescription): ScaledGpu {
  let found = known.get(gpu);
  if (found === undefined) known.set(gpu, (found = compare(gpu)));
  return found;
}

function compare(gpu: GpuDescription): ScaledGpu {
  const { memory } = withFallbacks(gpu).gpu;
  const measured = withFallbacks(h200).gpu.memory;
  const clock = gpu.core.smClockMhz / h200.core.smClockMhz;
  return {
    sms: gpu.core.smCount,
    l2Bytes: memory.l2Bytes,
    latency: 1 / clock,
    l2: (memory.l2BytesPerClock / measured.l2BytesPerClock) * clock,
    dram: (memory.bandwidth * memory.achievableFraction) / (measured.bandwidth * measured.achievableFraction),
    multiply: (type) => peak(gpu, type) / peak(h200, type),
    isMeasured: gpu.computeCapability.major === h200.computeCapability.major,
  };
}

/** Share of what a kernel uses that comes from DRAM each time, though it was used by the kernel before: of sizes around that of L2. */
export function missing(bytes: number, { l2Bytes }: ScaledGpu): number {
  const [from, to] = [0.65 * l2Bytes, 1.3 * l2Bytes];
  return Math.min(1, Math.max(0, (bytes - from) / (to - from)));
}
