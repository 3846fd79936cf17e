/** Errors of kernels as a program gets them, from what execution threw. */
import { warpSize } from '../../model/geometry.ts';
import type { Dim3 } from '../../model/execution.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import { faultError, KernelError } from '../faults.ts';
import {
  blockCounterBytes,
  blockCounterField,
  faultCode,
  launchField,
  siteCounterBytes,
  warpField,
} from '../layout.ts';
import type { ModuleKernel } from '../module.ts';
import { type LaunchPlaces } from './launch-places.ts';
import type { DeviceMemory } from './memory.ts';

/** Thrown inside `env.fault`, which does not know the kernel. */
export class Fault extends Error {
  readonly code: number;
  readonly site: number;
  readonly address: number;

  constructor(code: number, site: number, address: number) {
    super('kernel fault');
    this.code = code;
    this.site = site;
    this.address = address >>> 0;
  }
}

/** A kernel that threw. */
export interface FailedKernel {
  kernel: ModuleKernel;
  /** Name as the source has it. */
  name: string;
  block: Dim3;
  places: LaunchPlaces;
}

/** The error for what a kernel threw, which is thrown as it is where the kernel is not to blame. */
export function kernelError(memory: DeviceMemory, failed: FailedKernel, error: unknown): KernelError {
  if (error instanceof Fault) return errorOfFault(memory, failed, error);
  const { kernel, name } = failed;
  if (error instanceof WebAssembly.RuntimeError) {
    const isOutside = /out of bounds/.test(error.message);
    const what = isOutside
      ? 'accesses memory outside the device’s memory'
      : /unreachable/.test(error.message)
        ? 'stops at a trap'
        : `fails: ${error.message}`;
    const { place } = kernel;
    return new KernelError(
      isOutside ? cudaError.IllegalAddress : cudaError.LaunchFailure,
      `The kernel ${name} ${what}.`,
      'Check the indices it computes.',
      place === null ? {} : { file: place.file, line: place.line },
    );
  }
  // Stack overflow of functions that call each other, which use the host's stack as well. Other range errors are none of the kernel's.
  if (error instanceof RangeError && /call stack/.test(error.message))
    return new KernelError(cudaError.LaunchFailure, `The kernel ${name} needs too much stack.`);
  throw error;
}

function errorOfFault(memory: DeviceMemory, { kernel, name, block, places }: FailedKernel, error: Fault): KernelError {
  const words = new Uint32Array(memory.wasm.buffer);
  const field = (offset: number): number => words[(places.launch + offset) / 4] ?? 0;
  const siteAt = (address: number) => kernel.sites[(address - places.sites) / siteCounterBytes];
  const warp = words[(field(launchField.warp) + warpField.id) / 4] ?? 0;
  const thread = warp * warpSize + field(launchField.lane);
  const [x = 0, y = 0, z = 0] = words.subarray((places.launch + launchField.ctaid) / 4);
  const more = (word: number): number => field(launchField.reduction + 4 * word);
  const isOfMemory = error.code === faultCode.globalRange || error.code === faultCode.misaligned;
  const address = isOfMemory
    ? (memory.paging?.named(error.address, field(launchField.lane)) ?? error.address)
    : error.address;
  const fault = {
    code: error.code,
    site: siteAt(error.site),
    address,
    size: field(launchField.size),
    thread: {
      x: thread % block.x,
      y: Math.floor(thread / block.x) % block.y,
      z: Math.floor(thread / (block.x * block.y)),
    },
    block: { x, y, z },
    assertion: {
      text: memory.text(more(0)),
      file: memory.text(more(1)),
      line: more(2),
      function: memory.text(more(3)),
    },
    meeting: {
      waiting: more(0),
      missing: more(1),
      missingAt: kernel.sites[more(2)],
    },
    other: siteAt(more(0)),
  };
  const thrown = faultError(kernel, name, fault, memory.nearest(address));
  thrown.onlyWaited = error.code === faultCode.gridBarrier && error.address === 2 && !hasWritten(kernel, words, places);
  return thrown;
}

/** True if the blocks have come to a place that writes to global memory. */
function hasWritten({ sites }: ModuleKernel, words: Uint32Array, { counts }: LaunchPlaces): boolean {
  const hasRun = (block: number): boolean => {
    const at = (counts + block * blockCounterBytes + blockCounterField.times) / 4;
    return words[at] !== 0 || words[at + 1] !== 0;
  };
  return sites.some(
    ({ kind, space, block, changesNothing }) =>
      (kind === 'store' || kind === 'atomic') && changesNothing !== true && space !== 3 && space !== 5 && hasRun(block),
  );
}
