/**
 * The kernels that NVIDIA's library would launch for a call, and how long they take; null where the likes of it have not been measured.
 *
 *   const kernels = gemmTimes({ type: 's', m: 1024, … }, gpu);
 */
import type { GpuDescription } from '../../../gpus/types.ts';
import { vectorOf } from './calls.ts';
import { gemmClassOf, gemmKernels } from './gemm.ts';
import { scaled } from './gpu.ts';
import measured from './h200.json' with { type: 'json' };
import { streamKernels } from './streams.ts';
import type { GemmCall, GemmClass, LibraryKernel, StreamCall, StreamKernel } from './types.ts';

export type { LibraryKernel } from './types.ts';

const { gemms, streams } = measured as unknown as {
  gemms: Readonly<Record<string, GemmClass>>;
  streams: Readonly<Record<string, readonly StreamKernel[]>>;
};

type Kernels = readonly LibraryKernel[] | null;

/** By GPU, then by call: programs make the same ones again and again. */
const known = new WeakMap<GpuDescription, Map<string, Kernels>>();

function once(gpu: GpuDescription, call: GemmCall | StreamCall, find: () => Kernels): Kernels {
  let ofGpu = known.get(gpu);
  if (ofGpu === undefined) known.set(gpu, (ofGpu = new Map()));
  const key = JSON.stringify(call);
  let kernels = ofGpu.get(key);
  if (kernels === undefined) ofGpu.set(key, (kernels = find()));
  return kernels;
}

/** A call that goes through vectors or a matrix once. */
export function streamTimes(call: StreamCall, gpu: GpuDescription): Kernels {
  const kernels = streams[call.key];
  return kernels === undefined ? null : once(gpu, call, () => streamKernels(call, kernels, scaled(gpu)));
}

/** A product of matrices. */
export function gemmTimes(call: GemmCall, gpu: GpuDescription): Kernels {
  if (call.k === 0) return null;
  // Without such tensor cores the library multiplies floats as they are.
  if (call.type === 'tf32' && gpu.tensorCores.tf32 === null) return gemmTimes({ ...call, type: 's' }, gpu);
  if (call.m === 1 || call.n === 1) return streamTimes(vectorOf(call), gpu);
  const kernels = gemms[gemmClassOf(call)];
  return kernels === undefined ? null : once(gpu, call, () => gemmKernels(call, kernels, scaled(gpu)));
}
