/** What the libraries share: the CUDA calls that they make themselves, in the trace as the program's own are. */
import type { Dim3, KernelDescription } from '../../model/execution.ts';
import type { ApiCall } from '../../system/types.ts';
import type { CudaCall } from '../runtime/api.ts';
import type { CudaContext } from '../runtime/context.ts';
import { enqueue } from '../runtime/enqueue.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import { kernelCalls } from '../runtime/launch.ts';
import { memoryCalls } from '../runtime/memory.ts';
import { streamCalls } from '../runtime/streams.ts';
import type { KernelWork } from '../runtime/work.ts';

/** A kernel's argument: four bytes, eight, or just these. */
export type Argument = number | bigint | Uint8Array;

const innerCalls: Record<string, CudaCall> = { ...kernelCalls, ...memoryCalls, ...streamCalls };

/** A CUDA call that a library makes; its error code. `stream`: where it puts work, null: nowhere. */
export function innerCall(
  context: CudaContext,
  name: string,
  stream: number | null,
  run: (call: ApiCall) => number,
): number {
  const { system } = context;
  const captured = stream !== null && context.captureOf(stream) !== null;
  const call = system.beginApi(name, innerCalls[name]!, { captured });
  const code = run(call);
  context.noteError(code);
  system.endApi(call, code);
  return code;
}

/** A size that a kernel of ours has no room for: it counts in 32 bits. */
export class BeyondInt extends Error {}

/** A number as an `int`. Errors: `BeyondInt` where it is none. */
export function asInt(value: number): number {
  if (value !== (value | 0)) throw new BeyondInt(`${value} is not an int.`);
  return value;
}

/** Arguments as a kernel has them in memory; missing ones are zeros. Errors: `BeyondInt`. */
export function parametersOf(description: KernelDescription, values: Argument[]): Uint8Array {
  const parameters = new Uint8Array(description.parameterBytes);
  const view = new DataView(parameters.buffer);
  description.parameters.forEach(({ offset, size }, index) => {
    const value = values[index] ?? 0;
    if (typeof value === 'number' && size === 8) view.setBigInt64(offset, BigInt(value), true);
    else if (typeof value === 'number') view.setInt32(offset, asInt(value), true);
    else if (typeof value === 'bigint') view.setBigInt64(offset, value, true);
    else parameters.set(value, offset);
  });
  return parameters;
}

/** A kernel of ours and what it is launched with. */
export interface OwnLaunch {
  kernel: string;
  grid: Dim3;
  threads: number;
  sharedBytes?: number;
  values: Argument[];
}

/** A launch of it as a stream takes it; null where no module has the kernel. */
export function workOf(
  context: CudaContext,
  { kernel, grid, threads, sharedBytes = 0, values }: OwnLaunch,
): KernelWork | null {
  const description = context.device.kernel(kernel);
  if (!description) return null;
  const block = { x: threads, y: 1, z: 1 };
  return {
    ...{ type: 'kernel', stub: 0, kernel, grid, block, dynamicSharedBytes: sharedBytes, preferredCarveout: -1 },
    ...{ parameters: parametersOf(description, values), cooperative: false },
  };
}

/** Launches a kernel of a library; the error code. Errors: `InvalidDeviceFunction` where no module has it. */
export function launchInner(context: CudaContext, stream: number, launch: OwnLaunch): number {
  const work = workOf(context, launch);
  if (work === null) return cudaError.InvalidDeviceFunction;
  return innerCall(context, 'cudaLaunchKernel', stream, (call) => enqueue(context, call, stream, work));
}

/** Writes what a library has ready, such as tables, into memory of a device that it allocated itself. */
export function writeTable(context: CudaContext, address: number, bytes: Uint8Array): void {
  let at = 0;
  for (const piece of context.device.pieces(address, bytes.length, true)) {
    piece.set(bytes.subarray(at, at + piece.length));
    at += piece.length;
  }
}
