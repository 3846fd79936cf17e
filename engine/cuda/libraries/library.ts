/** What the libraries that programs call have in common: their kernels are launched as the program itself would, and the trace shows it. */
import type { Dim3 } from '../../model/execution.ts';
import { callCost } from '../../system/call-costs.ts';
import type { ApiCall } from '../../system/types.ts';
import type { Imported } from '../runtime/arguments.ts';
import type { CudaContext } from '../runtime/context.ts';
import { enqueue } from '../runtime/enqueue.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import { memoryCalls } from '../runtime/memory.ts';
import { streamCalls } from '../runtime/streams.ts';
import type { KernelWork } from '../runtime/work.ts';
import { asInt, innerCall, workOf, type Argument, type OwnLaunch } from './inner-calls.ts';
import type { LibraryKernel } from './timing/index.ts';

const toHost = 2;
const withinDevice = 3;

/** The stream that a library works in; 0: none was set. */
export interface InStream {
  stream: number;
}

/** A library's own default is the legacy stream, whatever that of the program is. */
export const legacyUnlessSet = ({ stream }: InStream): number => (stream === 0 ? 1 : stream);

/** A struct of pointers and integers, field by field. Its size is a multiple of 8. */
export class Words {
  private readonly view = new DataView(new ArrayBuffer(256));
  private end = 0;

  pointers(...values: number[]): void {
    this.longs(...values.map((value) => BigInt(value)));
  }

  /** Errors: `BeyondInt`. */
  ints(...values: number[]): void {
    for (const value of values) this.view.setInt32(this.room(4), asInt(value), true);
  }

  longs(...values: bigint[]): void {
    for (const value of values) this.view.setBigInt64(this.room(8), value, true);
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.view.buffer, 0, Math.ceil(this.end / 8) * 8);
  }

  private room(size: number): number {
    const at = Math.ceil(this.end / size) * size;
    this.end = at + size;
    return at;
  }
}

/** Arguments as signed numbers; no address is so high that it would be negative. */
export const numbers = (args: (number | bigint)[]): number[] =>
  args.map((value) => (typeof value === 'bigint' ? Number(value) : value | 0));

/** Makes a range of a call. */
export type Traced = (name: string, run: (args: (number | bigint)[]) => number) => Imported;

/** Calls of a library are ranges in the trace; in functions of the host's that streams run they are not allowed. */
export const traced =
  (context: CudaContext, failed: number): Traced =>
  (name, run) =>
  (...args) => {
    if (context.inHostFunction) return failed;
    const call = context.system.beginApi(name, { cost: callCost.unmeasured });
    const code = context.sticky !== 0 ? failed : run(args);
    context.system.endApi(call, code);
    return code;
  };

/** A library's codes for what can happen to it. 0 is success in all of them. */
export interface LibraryCodes {
  /** An argument cannot be. */
  invalid: number;
  /** A CUDA call failed. */
  failed: number;
  /** A kernel is not there. */
  internal: number;
}

export class Library {
  protected readonly context: CudaContext;
  private readonly codes: LibraryCodes;

  constructor(context: CudaContext, codes: LibraryCodes) {
    this.context = context;
    this.codes = codes;
  }

  knowsStream(stream: number): boolean {
    return this.context.streamOf(stream) !== null;
  }

  /** An int of 32 bits for the program. */
  give(target: number, value: number): number {
    if (target === 0) return this.codes.invalid;
    this.context.memory.setU32(target, value);
    return 0;
  }

  /** A pointer, a size or a handle for the program. */
  giveWord(target: number, value: number): number {
    if (target === 0) return this.codes.invalid;
    this.context.memory.setWord(target, value);
    return 0;
  }

  giveStream(target: number, { stream }: InStream): number {
    return this.giveWord(target, stream);
  }

  /** A CUDA call that the library makes. */
  inner(name: string, stream: number | null, run: (call: ApiCall) => number): number {
    const code = innerCall(this.context, name, stream, run);
    return code === cudaError.Success ? 0 : this.codes.failed;
  }

  /** A kernel of ours, with the time that it is simulated to take. */
  launch(place: InStream, kernel: string, grid: Dim3, threads: number, ...values: Argument[]): number {
    return this.launchAs(place, null, { kernel, grid, threads, values });
  }

  /**
   * Kernels of ours, one after the other, in the place of those of the library, whose names and times they have. Where these are fewer, the
   * last of them stands for the rest of ours; where they are more, nothing is computed behind ours. `times`: null where none have been
   * measured: ours take the times that they are simulated to take.
   */
  launchAs(place: InStream, times: readonly LibraryKernel[] | null, ...own: OwnLaunch[]): number {
    const works = own.map((each) => workOf(this.context, each));
    if (works.includes(null)) return this.codes.internal;
    const [first, ...more] = works as [KernelWork, ...KernelWork[]];
    const calls: KernelWork[][] =
      times === null
        ? [first, ...more].map((work) => [work])
        : times.map((shown, index): KernelWork[] => {
            const next = index === 0 ? first : more[index - 1];
            const part = { ...(next ?? first), library: { shown, executes: next !== undefined } };
            const rest = index === times.length - 1 ? more.slice(index) : [];
            return [part, ...rest.map((work) => ({ ...work, library: { shown: null, executes: true } }))];
          });
    const stream = legacyUnlessSet(place);
    for (const launched of calls) {
      const code = this.inner('cudaLaunchKernel', stream, (call) => {
        for (const work of launched) {
          const failed = enqueue(this.context, call, stream, work);
          if (failed !== cudaError.Success) return failed;
        }
        return cudaError.Success;
      });
      if (code !== 0) return code;
    }
    return 0;
  }

  /** A copy of what the host has there. */
  bytesAt(address: number, count: number): Uint8Array {
    return this.context.memory.bytes(address, count).slice();
  }

  /** An int that the host writes to the device, outside of all streams. */
  writeInt(address: number, value: number): void {
    this.context.writeToDevice(address, new Uint8Array(Int32Array.of(value).buffer));
  }

  /** Sets bytes of device memory in the library's stream. */
  fill(place: InStream, address: number, value: number, bytes: number): number {
    const stream = legacyUnlessSet(place);
    return this.inner('cudaMemsetAsync', stream, (call) =>
      memoryCalls.cudaMemsetAsync!.run(this.context, call, address, value, bytes, stream),
    );
  }

  /** Copies device memory in the library's stream. */
  copy(place: InStream, target: number, source: number, bytes: number): number {
    const stream = legacyUnlessSet(place);
    return this.inner('cudaMemcpyAsync', stream, (call) =>
      memoryCalls.cudaMemcpyAsync!.run(this.context, call, target, source, bytes, withinDevice, stream),
    );
  }

  /** Copies to the host, which waits for it. */
  copyToHost({ stream }: InStream, target: number, source: number, bytes: number): number {
    return (
      this.inner('cudaMemcpyAsync', stream, (call) =>
        memoryCalls.cudaMemcpyAsync!.run(this.context, call, target, source, bytes, toHost, stream),
      ) ||
      this.inner('cudaStreamSynchronize', null, (call) =>
        streamCalls.cudaStreamSynchronize!.run(this.context, call, stream),
      )
    );
  }

  /** Integers of the device's for the library's own use, which waits for them; null where they cannot be read. */
  integers(place: InStream, source: number, count: number): Int32Array | null {
    const bytes = 4 * count;
    const target = this.context.malloc(bytes);
    if (target === 0) return null;
    const code = this.copyToHost(place, target, source, bytes);
    const values = this.bytesAt(target, bytes);
    this.context.free(target);
    return code === 0 ? new Int32Array(values.buffer, 0, count) : null;
  }
}
