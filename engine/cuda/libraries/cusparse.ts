/**
 * cuSPARSE: handles and what its calls have in common. A call is a range in the trace, and what it does lies in it under
 * the names of the CUDA calls that the library makes. Kernels are those of `cusparse-*.cu`.
 */
import { allocateDevice } from '../runtime/memory.ts';
import type { CudaContext } from '../runtime/context.ts';
import type { Imported } from '../runtime/arguments.ts';
import {
  Descriptions,
  descriptionImports,
  status,
  typeBytes,
  type DenseMatrix,
  type DenseVector,
  type SparseMatrix,
} from './cusparse-matrices.ts';
import type { Argument } from './inner-calls.ts';
import { Library, numbers, traced } from './library.ts';

const version = 12508;

const statusTexts: Record<number, string> = {
  0: 'success',
  1: 'initialization error',
  2: 'resource allocation failure',
  3: 'invalid value',
  4: 'architecture mismatch',
  5: 'mapping error',
  6: 'execution failed',
  7: 'internal error',
  8: 'matrix type not supported',
  9: 'zero pivot',
  10: 'operation not supported',
  11: 'insufficient resources',
};

export interface Handle {
  stream: number;
  devicePointers: boolean;
}

/** Arguments behind the handle as numbers. */
export type Call = (sparse: Cusparse, handle: Handle, args: number[]) => number;

export const ceilDiv = (a: number, b: number): number => Math.ceil(a / b);
const threads = 256;
const warp = 32;

/** The most lanes, a power of two, that rows of so many entries on average keep busy. */
export function lanesFor(entries: number, rows: number): number {
  const average = rows === 0 ? 0 : entries / rows;
  let lanes = 1;
  while (lanes < warp && 2 * lanes <= average) lanes *= 2;
  return lanes;
}

/** Runs calls until one fails. */
export function inOrder(...steps: (() => number)[]): number {
  for (const step of steps) {
    const code = step();
    if (code !== status.SUCCESS) return code;
  }
  return status.SUCCESS;
}

export class Cusparse extends Library {
  readonly handles = new Map<number, Handle>();
  readonly all: Descriptions;

  constructor(context: CudaContext) {
    super(context, { invalid: status.INVALID_VALUE, failed: status.EXECUTION_FAILED, internal: status.INTERNAL_ERROR });
    this.all = new Descriptions(context);
  }

  destroy(number: number): number {
    if (!this.handles.delete(number)) return status.NOT_INITIALIZED;
    return this.inner('cudaDeviceSynchronize', null, (call) => {
      this.context.waitForDevice(call, false, this.context.current.index);
      return this.context.noticeFault();
    });
  }

  /** Memory of the library's own; null where there is none. */
  allocate(bytes: number): number | null {
    return allocateDevice(this.context, bytes, null);
  }

  release(address: number): void {
    if (this.context.deviceAllocations.remove(address)) this.context.device.free(address);
  }

  /** A scalar as a kernel takes it: where it is on the device, and its value where the program has it on the host. */
  scalar({ devicePointers }: Handle, address: number, type: number): [number, Uint8Array] {
    const bytes = typeBytes.get(type)!;
    return devicePointers ? [address, new Uint8Array(bytes)] : [0, this.bytesAt(address, bytes)];
  }

  /** A launch with so many threads at least. */
  each(handle: Handle, kernel: string, count: number, ...values: Argument[]): number {
    if (count <= 0) return status.SUCCESS;
    return this.grid(handle, kernel, { x: ceilDiv(count, threads) }, ...values);
  }

  /** A launch of so many warps at least. */
  warps(handle: Handle, kernel: string, count: number, ...values: Argument[]): number {
    return this.each(handle, kernel, count * warp, ...values);
  }

  /** A launch of blocks of 256 threads. */
  grid(
    handle: Handle,
    kernel: string,
    { x, y = 1, z = 1 }: { x: number; y?: number; z?: number },
    ...values: Argument[]
  ): number {
    return this.launch(handle, `cusparse_${kernel}`, { x, y, z }, threads, ...values);
  }

  block(handle: Handle, kernel: string, size: number, ...values: Argument[]): number {
    return this.launch(handle, `cusparse_${kernel}`, { x: 1, y: 1, z: 1 }, size, ...values);
  }

  get smCount(): number {
    return this.context.gpu.core.smCount;
  }

  sparse(handle: number): SparseMatrix | undefined {
    return this.all.sparse.get(handle);
  }

  dense(handle: number): DenseMatrix | undefined {
    return this.all.dense.get(handle);
  }

  vector(handle: number): DenseVector | undefined {
    return this.all.denseVectors.get(handle);
  }
}

/** A `bufferSize` call: none of the sizes is zero, which programs allocate as if there were something. */
export const size =
  (place: number, bytes: (sparse: Cusparse, args: number[]) => number | null): Call =>
  (sparse, _handle, args) => {
    const found = bytes(sparse, args);
    return found === null ? status.INVALID_VALUE : sparse.giveWord(args[place]!, Math.max(found, 8));
  };

/** Settings of a handle: nothing that takes time. */
const settings: Record<string, Call> = {
  cusparseSetStream: (sparse, handle, [stream]) => {
    if (!sparse.knowsStream(stream!)) return status.INVALID_VALUE;
    handle.stream = stream!;
    return status.SUCCESS;
  },
  cusparseGetStream: (sparse, handle, [target]) => sparse.giveStream(target!, handle),
  cusparseSetPointerMode: (_sparse, handle, [mode]) => {
    if (mode !== 0 && mode !== 1) return status.INVALID_VALUE;
    handle.devicePointers = mode === 1;
    return status.SUCCESS;
  },
  cusparseGetPointerMode: (sparse, handle, [target]) => sparse.give(target!, handle.devicePointers ? 1 : 0),
  cusparseGetVersion: (sparse, _handle, [target]) => sparse.give(target!, version),
};

/** Calls of the other files: those on a handle, and what is made and destroyed without one. */
export interface CusparseCalls {
  calls: Record<string, Call>;
  objects?: Record<string, (sparse: Cusparse, args: number[]) => number>;
}

/** All of cuSPARSE by the names of its imports; `files`: the calls of other files, `others`: a library that takes its descriptions. */
export function cusparseImports(
  context: CudaContext,
  files: readonly CusparseCalls[],
  others: (matrices: Descriptions['matrices']) => Record<string, Imported>,
): Record<string, Imported> {
  const sparse = new Cusparse(context);
  const imports = { ...descriptionImports(sparse.all), ...others(sparse.all.matrices) };
  const ranged = traced(context, status.EXECUTION_FAILED);
  const withHandle = (call: Call) => (args: (number | bigint)[]) => {
    const [handle, ...rest] = numbers(args);
    const found = sparse.handles.get(handle!);
    return found ? call(sparse, found, rest) : status.NOT_INITIALIZED;
  };
  for (const [name, call] of Object.entries(settings)) imports[name] = (...args) => withHandle(call)(args);
  for (const { calls, objects = {} } of files) {
    for (const [name, call] of Object.entries(calls)) {
      const run = withHandle(call);
      imports[name] = /_bufferSize(?:Ext)?$/.test(name) ? (...args) => run(args) : ranged(name, run);
    }
    for (const [name, call] of Object.entries(objects)) imports[name] = (...args) => call(sparse, numbers(args));
  }
  imports.cusparseCreate = ranged('cusparseCreate', (args) =>
    sparse.all.add(sparse.handles, numbers(args)[0]!, { stream: 0, devicePointers: false }),
  );
  imports.cusparseDestroy = ranged('cusparseDestroy', (args) => sparse.destroy(numbers(args)[0]!));
  imports.cusparseGetProperty = (type, target) =>
    Number(type) > 2 ? status.INVALID_VALUE : sparse.give(Number(target), [12, 5, 8][Number(type)]!);
  imports.cusparseGetErrorName = (code) => {
    const name = Object.entries(status).find(([, value]) => value === Number(code))?.[0];
    return context.textAddress(name === undefined ? 'unrecognized error code' : `CUSPARSE_STATUS_${name}`);
  };
  imports.cusparseGetErrorString = (code) =>
    context.textAddress(statusTexts[Number(code)] ?? 'unrecognized error code');
  return imports;
}
