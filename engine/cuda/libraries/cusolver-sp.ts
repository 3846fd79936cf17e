/**
 * cuSOLVER for sparse matrices: handles, and what its calls have in common. Calls whose names end in `Host` compute on the host, as they
 * do in reality: in doubles, rounded to the type of the matrix when they are stored. Others launch kernels of `cusolver-sp-*.cu`.
 */
import type { CudaContext } from '../runtime/context.ts';
import type { Imported } from '../runtime/arguments.ts';
import { allocateDevice, memoryCalls } from '../runtime/memory.ts';
import type { MatrixDescription } from './cusparse-matrices.ts';
import { TooLarge } from './cusolver-sp-elimination.ts';
import { complex, real, type Arithmetic } from './cusolver-sp-numbers.ts';
import type { Pattern } from './cusolver-sp-orders.ts';
import { status as denseStatus } from './cusolver.ts';
import { Library, traced, type InStream } from './library.ts';

export const status = { ...denseStatus, ALLOC_FAILED: 2, MATRIX_TYPE_NOT_SUPPORTED: 8 };

const toDevice = 1;

/** A type of numbers: the letter of its kernels, its bytes, and whether it has floats. */
export interface Kind {
  letter: string;
  bytes: number;
  isSingle: boolean;
  arithmetic: Arithmetic;
}

export const kinds: Record<string, Kind> = {
  S: { letter: 's', bytes: 4, isSingle: true, arithmetic: real },
  D: { letter: 'd', bytes: 8, isSingle: false, arithmetic: real },
  C: { letter: 'c', bytes: 8, isSingle: true, arithmetic: complex },
  Z: { letter: 'z', bytes: 16, isSingle: false, arithmetic: complex },
};
/** What calls without a letter of their own are for. */
const anyKind = kinds.D!;

/** Arguments behind the handle as numbers; real ones are as they came. */
export type Call = (solver: SparseSolver, handle: InStream, args: number[]) => number;

/** A matrix as calls describe it. */
export interface Csr {
  pattern: Pattern;
  base: number;
}

/** An error of a call, on its way out of what it does. */
export class Failed extends Error {
  readonly code: number;

  constructor(code: number) {
    super();
    this.code = code;
  }
}

export const require = (holds: boolean): void => {
  if (!holds) throw new Failed(status.INVALID_VALUE);
};

/** For calls that have a status where others throw. */
export const done = (code: number): void => {
  if (code !== status.SUCCESS) throw new Failed(code);
};

export class SparseSolver extends Library {
  readonly handles = new Map<number, InStream>();
  private readonly matrices: ReadonlyMap<number, MatrixDescription>;

  constructor(context: CudaContext, matrices: ReadonlyMap<number, MatrixDescription>) {
    super(context, { invalid: status.INVALID_VALUE, failed: status.EXECUTION_FAILED, internal: status.INTERNAL_ERROR });
    this.matrices = matrices;
  }

  /** Adds an object of the library's and gives its handle to the program. */
  add<T>(objects: Map<number, T>, target: number, object: T): number {
    if (target === 0) return status.INVALID_VALUE;
    const handle = this.context.newHandle();
    objects.set(handle, object);
    return this.giveWord(target, handle);
  }

  /** Memory of the library's own on the device. */
  allocate(bytes: number): number {
    const address = allocateDevice(this.context, Math.max(bytes, 16), null);
    if (address === null) throw new Failed(status.ALLOC_FAILED);
    return address;
  }

  release(address: number): void {
    if (address !== 0) this.context.freeDevice(address);
  }

  /** A copy of what is on the device, for the host, which waits for it. */
  fetched(place: InStream, source: number, bytes: number): Uint8Array<ArrayBuffer> {
    if (bytes === 0) return new Uint8Array(0);
    const target = this.context.malloc(bytes);
    const code = target === 0 ? status.ALLOC_FAILED : this.copyToHost(place, target, source, bytes);
    const found = code === status.SUCCESS ? new Uint8Array(this.bytesAt(target, bytes)) : new Uint8Array(0);
    if (target !== 0) this.context.free(target);
    done(code);
    return found;
  }

  /** Copies what the host has ready to the device, in the library's stream. */
  copyFromHost({ stream }: InStream, target: number, bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const source = this.context.malloc(bytes.length);
    if (source === 0) throw new Failed(status.ALLOC_FAILED);
    this.context.memory.bytes(source, bytes.length).set(bytes);
    const code = this.inner('cudaMemcpyAsync', stream, (call) =>
      memoryCalls.cudaMemcpyAsync!.run(this.context, call, target, source, bytes.length, toDevice, stream),
    );
    this.context.free(source);
    done(code);
  }

  ints(address: number, count: number): Int32Array {
    return new Int32Array(new Uint8Array(this.bytesAt(address, 4 * count)).buffer);
  }

  writeInts(address: number, values: ArrayLike<number>): void {
    this.context.memory.bytes(address, 4 * values.length).set(new Uint8Array(Int32Array.from(values).buffer));
  }

  /** Numbers of the program's. */
  numbers(kind: Kind, address: number, count: number): Float64Array {
    return doublesOf(kind, new Uint8Array(this.bytesAt(address, kind.bytes * count)));
  }

  writeNumbers(kind: Kind, address: number, values: Float64Array): void {
    const bytes = bytesOf(kind, values);
    this.context.memory.bytes(address, bytes.length).set(bytes);
  }

  /** A real number, in the precision of the type. */
  writeReal({ isSingle }: Kind, address: number, value: number): void {
    require(address !== 0);
    if (isSingle) this.context.memory.setF32(address, value);
    else this.context.memory.bytes(address, 8).set(new Uint8Array(Float64Array.of(value).buffer));
  }

  /** A matrix by its description and its arrays; `device`: where these are on the device. */
  csr(
    {
      rows,
      columns,
      entries,
      descr,
      offsets,
      indices,
    }: Record<'rows' | 'columns' | 'entries' | 'descr' | 'offsets' | 'indices', number>,
    device?: InStream,
  ): Csr {
    const description = this.matrices.get(descr);
    require(rows >= 0 && columns >= 0 && entries >= 0 && description !== undefined);
    require(offsets !== 0 && (entries === 0 || indices !== 0));
    if (description!.type !== 0) throw new Failed(status.MATRIX_TYPE_NOT_SUPPORTED);
    const { base } = description!;
    const read = (address: number, count: number): Int32Array =>
      device ? new Int32Array(this.fetched(device, address, 4 * count).buffer) : this.ints(address, count);
    const starts = read(offsets, rows + 1).map((offset) => offset - base);
    const numbers = read(indices, entries).map((index) => index - base);
    require(starts[0] === 0 && starts[rows] === entries);
    require(starts.every((start, i) => i === 0 || start >= starts[i - 1]!));
    require(numbers.every((index) => index >= 0 && index < columns));
    return { pattern: { rows, columns, offsets: starts, indices: numbers }, base };
  }

  baseOf(descr: number): number {
    const found = this.matrices.get(descr);
    require(found !== undefined);
    return found!.base;
  }

  /** Memory that the program frees by `free`. */
  given(target: number, bytes: Uint8Array): void {
    require(target !== 0);
    const address = this.context.malloc(Math.max(bytes.length, 1));
    if (address === 0) throw new Failed(status.ALLOC_FAILED);
    this.context.memory.bytes(address, bytes.length).set(bytes);
    this.context.memory.setWord(target, address);
  }

  /** Arrays in memory of the library's on the device, one after the other. */
  upload(arrays: readonly Int32Array[]): { address: number; places: number[] } {
    const places: number[] = [];
    let end = 0;
    for (const { byteLength } of arrays) {
      places.push(end);
      end += Math.ceil(byteLength / 16) * 16;
    }
    const address = this.allocate(end);
    arrays.forEach((array, k) => {
      if (array.length > 0)
        this.context.writeToDevice(
          address + places[k]!,
          new Uint8Array(array.buffer, array.byteOffset, array.byteLength),
        );
    });
    return { address, places: places.map((place) => address + place) };
  }
}

export function doublesOf({ isSingle }: Kind, bytes: Uint8Array<ArrayBuffer>): Float64Array {
  return isSingle ? Float64Array.from(new Float32Array(bytes.buffer)) : new Float64Array(bytes.buffer);
}

export function bytesOf({ isSingle }: Kind, values: Float64Array): Uint8Array {
  const stored = isSingle ? Float32Array.from(values) : values;
  return new Uint8Array(stored.buffer, stored.byteOffset, stored.byteLength);
}

/** Calls by the names of their imports; `objects`: those without a handle. */
export interface SparseCalls {
  calls: Record<string, Call>;
  objects?: Record<string, (solver: SparseSolver, args: number[]) => number>;
}

/** Calls of one kind for all types, under names where X is the letter. */
export function eachKind(calls: Record<string, (kind: Kind) => Call>): Record<string, Call> {
  const all: Record<string, Call> = {};
  for (const [name, call] of Object.entries(calls)) {
    if (!name.includes('#')) all[name] = call(anyKind);
    else for (const [X, kind] of Object.entries(kinds)) all[name.replace('#', X)] = call(kind);
  }
  return all;
}

/** How arrays say that there is no memory for them. */
const noRoom = /^(Invalid typed array length|Array buffer allocation failed)/;

/** The status of what may throw one. */
export function attempted(run: () => number): number {
  try {
    return run();
  } catch (error) {
    if (error instanceof Failed) return error.code;
    if (error instanceof TooLarge || (error instanceof RangeError && noRoom.test(error.message)))
      return status.ALLOC_FAILED;
    throw error;
  }
}

export const plain = (args: (number | bigint)[]): number[] => args.map(Number);

/** All of cuSOLVER for sparse matrices by the names of its imports; `matrices`: cuSPARSE's descriptions. */
export function cusolverSpImports(
  context: CudaContext,
  matrices: ReadonlyMap<number, MatrixDescription>,
  files: readonly SparseCalls[],
): Record<string, Imported> {
  const solver = new SparseSolver(context, matrices);
  const imports: Record<string, Imported> = {};
  const ranged = traced(context, status.EXECUTION_FAILED);
  const withHandle = (call: Call) => (args: (number | bigint)[]) => {
    const [handle, ...rest] = plain(args);
    const found = solver.handles.get(handle!);
    return found ? attempted(() => call(solver, found, rest)) : status.NOT_INITIALIZED;
  };
  for (const { calls, objects = {} } of files) {
    for (const [name, call] of Object.entries(calls)) imports[name] = ranged(name, withHandle(call));
    for (const [name, call] of Object.entries(objects))
      imports[name] = ranged(name, (args) => attempted(() => call(solver, plain(args))));
  }
  imports.cusolverSpCreate = ranged('cusolverSpCreate', (args) =>
    solver.add(solver.handles, plain(args)[0]!, { stream: 0 }),
  );
  imports.cusolverSpDestroy = ranged('cusolverSpDestroy', (args) =>
    solver.handles.delete(plain(args)[0]!) ? status.SUCCESS : status.NOT_INITIALIZED,
  );
  imports.cusolverSpSetStream = (...args) =>
    withHandle((_solver, handle, [stream]) => {
      if (!solver.knowsStream(stream!)) return status.INVALID_VALUE;
      handle.stream = stream!;
      return status.SUCCESS;
    })(args);
  imports.cusolverSpGetStream = (...args) =>
    withHandle((_solver, handle, [target]) => solver.giveStream(target!, handle))(args);
  return imports;
}
