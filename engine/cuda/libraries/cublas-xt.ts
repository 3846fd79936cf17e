/**
 * cuBLASXt: routines of level 3 on matrices of the host's or of any device's. Tiles of the result (`cublas-xt-tiles.ts`) take turns on the
 * selected devices, on two streams each: what a tile needs is copied there, cuBLAS makes it, and it is copied back. Calls wait for all of it.
 * No part is left to the host: routines and ratios for it are taken, and nothing calls them.
 */
import type { CudaContext } from '../runtime/context.ts';
import type { DeviceState } from '../runtime/device-state.ts';
import { unsigned, type Imported } from '../runtime/arguments.ts';
import { allocateDevice, memoryCalls } from '../runtime/memory.ts';
import { streamCalls } from '../runtime/streams.ts';
import { isOperation, status, type Call, type Cublas, type Handle } from './cublas.ts';
import {
  productTiles,
  rankTiles,
  solvingTiles,
  symmetricTiles,
  triangularTiles,
  type Block,
  type Chain,
  type Scalar,
  type Step,
  type Tile,
} from './cublas-xt-tiles.ts';
import { numbers, type Traced } from './library.ts';

type Letter = 'S' | 'D' | 'C' | 'Z';
/** Bytes of a number. */
const bytesOf: Record<Letter, number> = { S: 4, D: 8, C: 8, Z: 16 };
const isComplex = (X: Letter): boolean => X === 'C' || X === 'Z';

const anyDirection = 4;
const nonBlocking = 1;
const lanesPerDevice = 2;
const usualBlock = 1024;
const mostBoards = 1024;
/** `CUBLASXT_ROUTINE_MAX`, and how many types there are. */
const [routineCount, typeCount] = [12, 4];

/** A stream of a device with room for a tile of the result and for two of operands. */
interface Lane {
  device: DeviceState;
  handle: Handle;
  /** Addresses; 0: none yet. */
  buffers: number[];
  /** Of each of them. */
  bytes: number;
}

interface XtHandle {
  /** Empty until devices are selected. */
  lanes: Lane[];
  blockDim: number;
  pinning: number;
}

/** A matrix of the call's, as the program has it. */
interface Matrix {
  address: number;
  ld: number;
}

/** What a call does: matrices by the names that tiles have for them, addresses of its scalars (0: there is none), and how it is cut. */
interface Work {
  matrices: Record<Block['of'], Matrix>;
  alpha: number;
  beta: number;
  /** Scalars that are real numbers though matrices are complex. */
  real: { alpha: boolean; beta: boolean };
  /** Columns of the matrices, to pin them. */
  columns: Record<Block['of'], number>;
  cut: (most: number) => Chain[];
}

const scalars: readonly Scalar[] = ['alpha', 'conjugate', 'beta', 'one', 'minusOne'];
const scalarBytes = 16;

class CublasXt {
  private readonly context: CudaContext;
  private readonly blas: Cublas;
  /** cuBLAS's own, by name. */
  private readonly calls: Record<string, Call>;
  private readonly handles = new Map<number, XtHandle>();

  constructor(context: CudaContext, blas: Cublas, calls: Record<string, Call>) {
    this.context = context;
    this.blas = blas;
    this.calls = calls;
  }

  find(handle: number): XtHandle | undefined {
    return this.handles.get(handle);
  }

  create(target: number): number {
    if (target === 0) return status.INVALID_VALUE;
    const handle = this.context.newHandle();
    this.handles.set(handle, { lanes: [], blockDim: usualBlock, pinning: 0 });
    return this.blas.giveWord(target, handle);
  }

  destroy(number: number, { lanes }: XtHandle): number {
    for (const lane of lanes) {
      this.freeBuffers(lane);
      const { stream } = lane.handle;
      this.context.on(lane.device, () =>
        this.blas.inner('cudaStreamDestroy', null, (call) =>
          streamCalls.cudaStreamDestroy!.run(this.context, call, stream),
        ),
      );
    }
    this.handles.delete(number);
    return status.SUCCESS;
  }

  /** The devices that are at an address; null where they are none. */
  devicesAt(count: number, address: number): DeviceState[] | null {
    if (count < 1 || address === 0) return null;
    const found = Array.from(
      { length: count },
      (_, i) => this.context.devices[this.context.memory.u32(address + 4 * i)],
    );
    return found.includes(undefined) ? null : (found as DeviceState[]);
  }

  select(handle: XtHandle, devices: DeviceState[] | null): number {
    if (devices === null || handle.lanes.length > 0) return status.INVALID_VALUE;
    for (let lane = 0; lane < lanesPerDevice; ++lane)
      for (const device of devices) {
        const stream = this.context.on(device, () => this.newStream());
        const settings = { devicePointers: false, mathMode: 0, atomics: 0, workspace: 0, emulation: new Map() };
        handle.lanes.push({ device, handle: { stream, ...settings }, buffers: [0, 0, 0], bytes: 0 });
      }
    return status.SUCCESS;
  }

  /** `X`: the type of the matrices. */
  run(handle: XtHandle, X: Letter, work: Work): number {
    if (handle.lanes.length === 0) return status.NOT_INITIALIZED;
    const constants = this.placeScalars(X, work);
    const pinned = handle.pinning === 1 ? this.pin(X, work) : [];
    const beta = this.blas.hostBytes(constants + scalarBytes * scalars.indexOf('beta'), bytesOf[X]);
    const readsOld = beta.some((byte) => byte !== 0);
    let code: number = status.SUCCESS;
    work.cut(handle.blockDim).forEach((chain, turn) => {
      const lane = handle.lanes[turn % handle.lanes.length]!;
      for (const tile of chain)
        code ||= this.context.on(lane.device, () => this.make(lane, X, tile, { ...work, constants, readsOld }));
    });
    for (const lane of handle.lanes) code ||= this.wait(lane);
    for (const address of pinned) this.unpin(address);
    this.context.free(constants);
    return code;
  }

  give(target: number, value: number): number {
    return this.blas.give(target, value);
  }

  free(address: number): void {
    this.context.free(address);
  }

  /** A matrix that is packed, in memory of the host's that is to be freed: its triangle where it would stand. Null where it cannot be read. */
  unpacked(X: Letter, packed: number, upper: boolean, n: number): number | null {
    const size = bytesOf[X];
    const [count, room] = [(n * (n + 1)) / 2, n * n * size];
    const from = this.context.malloc(count * size);
    const to = this.context.malloc(room);
    const code = this.blas.inner('cudaMemcpy', 0, (call) =>
      memoryCalls.cudaMemcpy!.run(this.context, call, from, packed, count * size, anyDirection),
    );
    const source = this.blas.hostBytes(from, count * size);
    const target = this.blas.hostBytes(to, room);
    let at = 0;
    for (let column = 0; column < n; ++column) {
      const [first, length] = upper ? [0, column + 1] : [column, n - column];
      target.set(source.subarray(at, at + length * size), (column * n + first) * size);
      at += length * size;
    }
    this.context.free(from);
    if (code === status.SUCCESS) return to;
    this.context.free(to);
    return null;
  }

  /** Constants and the call's scalars as numbers of the matrices' type, real or complex, one after the other on the host. */
  private placeScalars(X: Letter, { alpha, beta, real }: Work): number {
    const place = this.context.malloc(scalarBytes * scalars.length);
    const part = X === 'S' || X === 'C' ? 4 : 8;
    const bytes = new Uint8Array(scalarBytes * scalars.length);
    const view = new DataView(bytes.buffer);
    const put = (at: number, value: number): void =>
      part === 4 ? view.setFloat32(at, value, true) : view.setFloat64(at, value, true);
    scalars.forEach((name, i) => {
      if (name === 'one' || name === 'minusOne') put(scalarBytes * i, name === 'one' ? 1 : -1);
      else {
        const address = name === 'beta' ? beta : alpha;
        const isReal = name === 'beta' ? real.beta : real.alpha;
        if (address !== 0) bytes.set(this.blas.bytesAt(address, isReal ? part : bytesOf[X]), scalarBytes * i);
      }
      // The sign of the imaginary part.
      if (name === 'conjugate' && isComplex(X)) bytes[scalarBytes * i + 2 * part - 1]! ^= 0x80;
    });
    this.blas.hostBytes(place, bytes.length).set(bytes);
    return place;
  }

  private make(lane: Lane, X: Letter, tile: Tile, of: Work & { constants: number; readsOld: boolean }): number {
    const { block, steps } = tile;
    if (block.rows === 0 || block.columns === 0) return status.SUCCESS;
    const largest = [block, ...steps.flatMap(({ args }) => args.filter((arg) => typeof arg === 'object'))];
    const bytes = Math.max(...largest.map(({ rows, columns }) => rows * columns)) * bytesOf[X];
    if (!this.place(lane, bytes)) return status.ALLOC_FAILED;
    let code: number = status.SUCCESS;
    if (tile.keeps === 'beta' ? of.readsOld : tile.keeps) code = this.copy(lane, X, block, of, 0, true);
    for (const step of steps) code ||= this.call(lane, X, step, block, of);
    return code || this.copy(lane, X, block, of, 0, false);
  }

  private call(lane: Lane, X: Letter, step: Step, tile: Block, of: Work & { constants: number }): number {
    const args: number[] = [];
    let operands = 0;
    for (const arg of step.args) {
      if (typeof arg === 'number') args.push(arg);
      else if (arg === 'tile') args.push(lane.buffers[0]!, tile.rows);
      else if (typeof arg === 'string') args.push(of.constants + scalarBytes * scalars.indexOf(arg));
      else {
        const code = this.copy(lane, X, arg, of, ++operands, true);
        if (code !== status.SUCCESS) return code;
        args.push(lane.buffers[operands]!, Math.max(1, arg.rows));
      }
    }
    const name = `cublas${X}${step.routine}`;
    const call = this.calls[`${name}_v2`] ?? this.calls[name]!;
    return call(this.blas, lane.handle, args, args);
  }

  /** Between a matrix of the program's and a buffer. */
  private copy(lane: Lane, X: Letter, block: Block, { matrices }: Work, buffer: number, isIn: boolean): number {
    const { rows, columns } = block;
    if (rows === 0 || columns === 0) return status.SUCCESS;
    const size = bytesOf[X];
    const { address, ld } = matrices[block.of];
    const own = [lane.buffers[buffer]!, rows * size] as const;
    const others = [address + (block.column * ld + block.row) * size, ld * size] as const;
    const [target, source] = isIn ? [own, others] : [others, own];
    const { stream } = lane.handle;
    return this.blas.inner('cudaMemcpy2DAsync', stream, (call) =>
      memoryCalls.cudaMemcpy2DAsync!.run(
        ...([this.context, call, ...target, ...source, rows * size, columns, anyDirection, stream] as const),
      ),
    );
  }

  private wait({ device, handle: { stream } }: Lane): number {
    return this.context.on(device, () =>
      this.blas.inner('cudaStreamSynchronize', null, (call) =>
        streamCalls.cudaStreamSynchronize!.run(this.context, call, stream),
      ),
    );
  }

  private newStream(): number {
    const place = this.context.malloc(8);
    this.blas.inner('cudaStreamCreateWithFlags', null, (call) =>
      streamCalls.cudaStreamCreateWithFlags!.run(this.context, call, place, nonBlocking),
    );
    const stream = Number(this.context.memory.u64(place));
    this.context.free(place);
    return stream;
  }

  /** Room for tiles of so many bytes; false where there is none. */
  private place(lane: Lane, bytes: number): boolean {
    if (bytes <= lane.bytes) return true;
    // What it did with smaller ones has to be done.
    if (lane.bytes > 0) this.wait(lane);
    this.freeBuffers(lane);
    const places = lane.buffers.map(() => allocateDevice(this.context, bytes, null, lane.device));
    lane.buffers = places.map((address) => address ?? 0);
    lane.bytes = bytes;
    if (!places.includes(null)) return true;
    this.freeBuffers(lane);
    return false;
  }

  private freeBuffers(lane: Lane): void {
    for (const address of lane.buffers) if (address !== 0) this.context.freeDevice(address);
    lane.buffers = [0, 0, 0];
    lane.bytes = 0;
  }

  /** Pins the matrices that are the host's and are not pinned yet; their addresses. */
  private pin(X: Letter, { matrices, columns }: Work): number[] {
    const { context } = this;
    const addresses: number[] = [];
    for (const [name, { address, ld }] of Object.entries(matrices)) {
      const bytes = ld * columns[name as Block['of']] * bytesOf[X];
      if (bytes === 0 || !context.memory.contains(address, bytes) || context.pinned.find(address)) continue;
      const code = this.blas.inner('cudaHostRegister', null, (call) =>
        memoryCalls.cudaHostRegister!.run(context, call, address, bytes, 0),
      );
      if (code === status.SUCCESS) addresses.push(address);
    }
    return addresses;
  }

  private unpin(address: number): void {
    this.blas.inner('cudaHostUnregister', null, (call) =>
      memoryCalls.cudaHostUnregister!.run(this.context, call, address),
    );
  }
}

const isHalf = (...values: number[]): boolean => values.every((value) => value === 0 || value === 1);
const isWide = (ld: number, rows: number): boolean => ld >= Math.max(1, rows);
const bothComplex = { alpha: false, beta: false };

/** What the arguments of a routine behind the handle mean; null where they cannot be. Nothing is done with results that have no elements. */
type Reading = (args: number[]) => Work | null;

const readProduct: Reading = ([ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc]) => {
  if (!isOperation(ta!) || !isOperation(tb!) || Math.min(m!, n!, k!) < 0) return null;
  if (!isWide(lda!, ta === 0 ? m! : k!) || !isWide(ldb!, tb === 0 ? k! : n!) || !isWide(ldc!, m!)) return null;
  return {
    matrices: { a: { address: a!, ld: lda! }, b: { address: b!, ld: ldb! }, c: { address: c!, ld: ldc! } },
    columns: { a: ta === 0 ? k! : m!, b: tb === 0 ? n! : k!, c: n! },
    ...{ alpha: alpha!, beta: beta!, real: bothComplex },
    cut: (most) => productTiles(most, [ta!, tb!], { m: m!, n: n!, k: k! }),
  };
};

/** `second`: the routine has another matrix B; `real`: scalars of a hermitian update. */
const readRank =
  (routine: string, second: boolean, real = bothComplex): Reading =>
  ([uplo, trans, n, k, alpha, a, lda, ...rest]) => {
    const [b, ldb] = second ? [rest[0]!, rest[1]!] : [a!, lda!];
    const [beta, c, ldc] = rest.slice(second ? 2 : 0) as [number, number, number];
    if (!isHalf(uplo!) || !isOperation(trans!) || Math.min(n!, k!) < 0) return null;
    if (!isWide(Math.min(lda!, ldb), trans === 0 ? n! : k!) || !isWide(ldc, n!)) return null;
    const columns = trans === 0 ? k! : n!;
    return {
      matrices: { a: { address: a!, ld: lda! }, b: { address: b, ld: ldb }, c: { address: c, ld: ldc } },
      columns: { a: columns, b: columns, c: n! },
      ...{ alpha: alpha!, beta, real },
      cut: (most) =>
        rankTiles(most, {
          ...{ routine, upper: uplo === 1, trans: trans!, n: n!, k: k! },
          ...{ hermitian: routine.startsWith('he'), second: second ? 'b' : 'a', two: routine.endsWith('2k') },
        }),
    };
  };

const readSymmetric =
  (routine: string): Reading =>
  ([side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc]) => {
    const order = side === 0 ? m! : n!;
    if (!isHalf(side!, uplo!) || Math.min(m!, n!) < 0) return null;
    if (!isWide(lda!, order) || !isWide(Math.min(ldb!, ldc!), m!)) return null;
    const shape = { right: side === 1, upper: uplo === 1, m: m!, n: n! };
    return {
      matrices: { a: { address: a!, ld: lda! }, b: { address: b!, ld: ldb! }, c: { address: c!, ld: ldc! } },
      columns: { a: order, b: n!, c: n! },
      ...{ alpha: alpha!, beta: beta!, real: bothComplex },
      cut: (most) => symmetricTiles(most, { ...shape, routine, hermitian: routine === 'hemm' }),
    };
  };

const readTriangle =
  (cut: typeof triangularTiles): Reading =>
  ([side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb, c = b!, ldc = ldb!]) => {
    const order = side === 0 ? m! : n!;
    if (!isHalf(side!, uplo!, diag!) || !isOperation(trans!) || Math.min(m!, n!) < 0) return null;
    if (!isWide(lda!, order) || !isWide(Math.min(ldb!, ldc), m!)) return null;
    const triangle = { right: side === 1, upper: uplo === 1, trans: trans!, unit: diag === 1, m: m!, n: n! };
    return {
      matrices: { a: { address: a!, ld: lda! }, b: { address: b!, ld: ldb! }, c: { address: c, ld: ldc } },
      columns: { a: order, b: n!, c: n! },
      ...{ alpha: alpha!, beta: 0, real: bothComplex },
      cut: (most) => cut(most, triangle),
    };
  };

const realBeta = { alpha: false, beta: true };
const readings: Record<string, Reading> = {
  gemm: readProduct,
  syrk: readRank('syrk', false),
  syr2k: readRank('syr2k', true),
  syrkx: readRank('syrkx', true),
  symm: readSymmetric('symm'),
  trmm: readTriangle(triangularTiles),
  trsm: readTriangle(solvingTiles),
};
const complexReadings: Record<string, Reading> = {
  herk: readRank('herk', false, { alpha: true, beta: true }),
  her2k: readRank('her2k', true, realBeta),
  herkx: readRank('herkx', true, realBeta),
  hemm: readSymmetric('hemm'),
};

/** Whether a routine has a beta. */
const hasBeta = (routine: string): boolean => routine !== 'trmm' && routine !== 'trsm';

type XtCall = (xt: CublasXt, handle: XtHandle, args: number[]) => number;

function routinesOf(X: Letter): Record<string, XtCall> {
  const calls: Record<string, XtCall> = {};
  const all = isComplex(X) ? { ...readings, ...complexReadings } : readings;
  for (const [routine, read] of Object.entries(all))
    calls[`cublasXt${X}${routine}`] = (xt, handle, args) => {
      const work = read(args);
      if (work === null || work.alpha === 0 || (hasBeta(routine) && work.beta === 0)) return status.INVALID_VALUE;
      return xt.run(handle, X, work);
    };
  // A packed matrix is one like others once it is not packed.
  calls[`cublasXt${X}spmm`] = (xt, handle, [side, uplo, m, n, alpha, packed, b, ldb, beta, c, ldc]) => {
    if (!isHalf(side!, uplo!) || Math.min(m!, n!) < 0 || packed === 0) return status.INVALID_VALUE;
    const order = side === 0 ? m! : n!;
    const a = xt.unpacked(X, packed!, uplo === 1, order);
    if (a === null) return status.MAPPING_ERROR;
    const code = calls[`cublasXt${X}symm`]!(xt, handle, [
      ...[side!, uplo!, m!, n!, alpha!, a, Math.max(1, order), b!, ldb!, beta!, c!, ldc!],
    ]);
    xt.free(a);
    return code;
  };
  return calls;
}

/** The handle's settings, and what takes no handle but for the first argument's sake. */
const settings: Record<string, XtCall> = {
  cublasXtDeviceSelect: (xt, handle, [count, devices]) => xt.select(handle, xt.devicesAt(count!, devices!)),
  cublasXtSetBlockDim: (_xt, handle, [size]) => {
    if (size! <= 0) return status.INVALID_VALUE;
    handle.blockDim = size!;
    return status.SUCCESS;
  },
  cublasXtGetBlockDim: (xt, handle, [target]) => xt.give(target!, handle.blockDim),
  cublasXtSetPinningMemMode: (_xt, handle, [mode]) => {
    if (!isHalf(mode!)) return status.INVALID_VALUE;
    handle.pinning = mode!;
    return status.SUCCESS;
  },
  cublasXtGetPinningMemMode: (xt, handle, [target]) => xt.give(target!, handle.pinning),
};
/** The host can have a share of gemm alone. */
for (const name of ['cublasXtSetCpuRoutine', 'cublasXtSetCpuRatio'])
  settings[name] = (_xt, _handle, [routine, type]) => {
    if (routine! < 0 || routine! >= routineCount || type! < 0 || type! >= typeCount) return status.INVALID_VALUE;
    return routine === 0 ? status.SUCCESS : status.NOT_SUPPORTED;
  };

/** All of cuBLASXt by the names of its imports. `calls`: cuBLAS's. */
export function cublasXtImports(
  context: CudaContext,
  blas: Cublas,
  traced: Traced,
  calls: Record<string, Call>,
): Record<string, Imported> {
  const xt = new CublasXt(context, blas, calls);
  const imports: Record<string, Imported> = {
    cublasXtCreate: traced('cublasXtCreate', ([target]) => xt.create(unsigned(target))),
    cublasXtGetNumBoards: traced('cublasXtGetNumBoards', (args) => {
      const [count, devices, target] = numbers(args) as [number, number, number];
      return xt.devicesAt(count, devices) === null ? status.INVALID_VALUE : blas.give(target, count);
    }),
    cublasXtMaxBoards: traced('cublasXtMaxBoards', ([target]) => blas.give(unsigned(target), mostBoards)),
    cublasXtDestroy: traced('cublasXtDestroy', ([handle]) => {
      const found = xt.find(unsigned(handle));
      return found ? xt.destroy(unsigned(handle), found) : status.NOT_INITIALIZED;
    }),
  };
  const all = { ...settings, ...routinesOf('S'), ...routinesOf('D'), ...routinesOf('C'), ...routinesOf('Z') };
  for (const [name, call] of Object.entries(all))
    imports[name] = traced(name, (args) => {
      const [handle, ...rest] = args;
      const found = xt.find(unsigned(handle));
      return found ? call(xt, found, numbers(rest)) : status.NOT_INITIALIZED;
    });
  return imports;
}
