/**
 * cuBLAS: calls that choose a kernel of `cublas.cu` and launch it as the program itself would. A call is a range in the
 * trace, and what it does lies in it under the names of the CUDA calls that the library makes.
 */
import type { Dim3 } from '../../model/execution.ts';
import type { CudaContext } from '../runtime/context.ts';
import { allocateDevice, memoryCalls } from '../runtime/memory.ts';
import { unsigned, type Imported } from '../runtime/arguments.ts';
import { geamCall, gemvCall, gerCall, vectorCall } from './timing/calls.ts';
import { gemmTimes, streamTimes, type LibraryKernel } from './timing/index.ts';
import type { GemmType, StreamCall } from './timing/types.ts';
import { BeyondInt, type Argument } from './inner-calls.ts';
import { Library, numbers, traced, Words, type Traced } from './library.ts';

export const status = {
  SUCCESS: 0,
  NOT_INITIALIZED: 1,
  ALLOC_FAILED: 3,
  INVALID_VALUE: 7,
  ARCH_MISMATCH: 8,
  MAPPING_ERROR: 11,
  EXECUTION_FAILED: 13,
  INTERNAL_ERROR: 14,
  NOT_SUPPORTED: 15,
  LICENSE_ERROR: 16,
};

const statusTexts: Record<number, string> = {
  0: 'the operation completed successfully',
  1: 'the library was not initialized',
  3: 'the resource allocation failed',
  7: 'an unsupported value or parameter was passed to the function',
  8: 'the function requires an architectural feature absent from the device architecture',
  11: 'an access to GPU memory space failed',
  13: 'the GPU program failed to execute',
  14: 'an internal operation failed',
  15: 'the functionality requested is not supported',
  16: 'the functionality requested requires some license and an error was detected when trying to check the current licensing',
};

export const version = 120804;
/** Room for the parts of a reduction and its result. */
const maxParts = 1024;
const partBytes = 16;
const workspaceBytes = (maxParts + 1) * partBytes;
const reducers = 256;

export interface Handle {
  stream: number;
  devicePointers: boolean;
  mathMode: number;
  atomics: number;
  workspace: number;
  /** How products are emulated, where they are; only the program asks for it. By the names of the calls. */
  emulation: Map<string, number>;
}

type Precision = 's' | 'd';
/** Type that a multiplication reads, writes and accumulates in. */
export type Accumulator = 'float' | 'double' | 'int' | 'complex' | 'doubleComplex';
const accumulatorBytes: Record<Accumulator, number> = { float: 4, double: 8, int: 4, complex: 8, doubleComplex: 16 };

export interface Tiles {
  kernel: string;
  size: number;
  threads: number;
}

/** How a product is computed, for the choice of the library's kernel. */
export interface GemmUse {
  /** Scalars and sums are halves. */
  half?: boolean;
  /** Type that its time is known by; null: it is not known. */
  type: GemmType | null;
}

interface GemmKind {
  accumulator: Accumulator;
  tiles: Tiles[];
  /** Of cublas-tiles.cuh, for products whose times are known; none: the others compute these as well. */
  timed?: Tiles[];
  bytes: { in: number; out: number };
}

const tile = (kernel: string, size: number, threads: number): Tiles => ({
  kernel: `cublas_${kernel}_${size}x${size}`,
  size,
  threads,
});
const timedTile = (kernel: string, size: number): Tiles => tile(`${kernel}_tiles`, size, 32);
const mixed = (name: string, input: number, output: number, accumulator: Accumulator = 'float'): GemmKind => ({
  accumulator,
  tiles: [tile(name, 64, 256)],
  timed: [timedTile(name, 64)],
  bytes: { in: input, out: output },
});

export const gemms = {
  s: {
    accumulator: 'float',
    tiles: [tile('sgemm', 128, 256), tile('sgemm', 64, 256), tile('sgemm', 32, 64)],
    timed: [timedTile('sgemm', 64), timedTile('sgemm', 32)],
    bytes: { in: 4, out: 4 },
  } as GemmKind,
  d: {
    accumulator: 'double',
    tiles: [tile('dgemm', 64, 256), tile('dgemm', 32, 64)],
    timed: [timedTile('dgemm', 64), timedTile('dgemm', 32)],
    bytes: { in: 8, out: 8 },
  } as GemmKind,
  h: mixed('hgemm', 2, 2),
  hs: mixed('hsgemm', 2, 4),
  b: mixed('bgemm', 2, 2),
  bs: mixed('bsgemm', 2, 4),
  i: mixed('igemm', 1, 4, 'int'),
  is: mixed('isgemm', 1, 4),
  c: { accumulator: 'complex', tiles: [tile('cgemm', 32, 64)], bytes: { in: 8, out: 8 } } as GemmKind,
  z: { accumulator: 'doubleComplex', tiles: [tile('zgemm', 32, 64)], bytes: { in: 16, out: 16 } } as GemmKind,
  ic: { accumulator: 'complex', tiles: [tile('icgemm', 32, 64)], bytes: { in: 2, out: 8 } } as GemmKind,
  f8: { accumulator: 'float', tiles: [timedTile('f8gemm', 64)], bytes: { in: 1, out: 4 } } as GemmKind,
};

/** `cudaDataType`: of A and B, and of C. */
export const dataTypes: Record<string, keyof typeof gemms> = {
  '0-0': 's',
  '1-1': 'd',
  '2-2': 'h',
  '2-0': 'hs',
  '14-14': 'b',
  '14-0': 'bs',
  '3-10': 'i',
  '3-0': 'is',
  '4-4': 'c',
  '5-5': 'z',
  '7-4': 'ic',
};

/** Those that are emulated elsewhere (78, 79) are computed as they are: no GPU here emulates them. */
const float = [68, 69, 74, 75, 77, 78];
const double = [70, 71, 79];
/** `cublasComputeType_t`: those of 16 bits, and those of an accumulator. */
export const compute = { half: [64, 65], float, double, int: [72, 73], complex: float, doubleComplex: double };

export interface GemmShape {
  ta: number;
  tb: number;
  m: number;
  n: number;
  k: number;
  a: number;
  lda: number;
  strideA: bigint;
  b: number;
  ldb: number;
  strideB: bigint;
  c: number;
  ldc: number;
  strideC: bigint;
  batch: number;
  /** `a`, `b` and `c` are arrays of pointers. */
  pointers: boolean;
  /** Part of C: 0 all, 1 lower, 2 upper. */
  part: number;
}

const ceilDiv = (a: number, b: number) => Math.ceil(a / b);
export const isOperation = (value: number) => value === 0 || value === 1 || value === 2;

export const gridOf = ({ size }: Tiles, m: number, n: number, batch: number): Dim3 => ({
  x: ceilDiv(m, size) * ceilDiv(n, size),
  y: 1,
  z: Math.min(batch, 65535),
});

/** As `struct Matrices` in cublas.cu. */
export function matricesOf(
  { devicePointers }: Handle,
  shape: GemmShape,
  alpha: number,
  beta: number,
  half = false,
): Uint8Array {
  const { m, n, k, a, b, c, ta, tb, lda, ldb, ldc, batch } = shape;
  const matrices = new Words();
  const pointers = [a, b, c];
  const none = [0, 0, 0];
  matrices.pointers(...(shape.pointers ? none : pointers), ...(shape.pointers ? pointers : none));
  matrices.longs(shape.strideA, shape.strideB, shape.strideC);
  matrices.ints(m, n, k, lda, ldb, ldc, batch, ta, tb, shape.part);
  matrices.pointers(...(devicePointers ? [alpha, beta] : [0, 0]));
  matrices.ints(half ? 1 : 0);
  return matrices.bytes;
}

export class Cublas extends Library {
  private readonly handles = new Map<number, Handle>();

  constructor(context: CudaContext) {
    super(context, { invalid: status.INVALID_VALUE, failed: status.EXECUTION_FAILED, internal: status.INTERNAL_ERROR });
  }

  handle(handle: number): Handle | undefined {
    return this.handles.get(handle);
  }

  create(target: number): number {
    if (target === 0) return status.INVALID_VALUE;
    const workspace = allocateDevice(this.context, workspaceBytes, null);
    if (workspace === null) return status.ALLOC_FAILED;
    const handle = this.context.newHandle();
    this.handles.set(handle, {
      stream: 0,
      devicePointers: false,
      mathMode: 0,
      atomics: 0,
      workspace,
      emulation: new Map(),
    });
    this.context.memory.setWord(target, handle);
    return status.SUCCESS;
  }

  destroy(number: number): number {
    const handle = this.handles.get(number);
    if (!handle) return status.NOT_INITIALIZED;
    this.handles.delete(number);
    const code = this.inner('cudaDeviceSynchronize', null, (call) => {
      this.context.waitForDevice(call, false, this.context.current.index);
      return this.context.noticeFault();
    });
    if (this.context.deviceAllocations.remove(handle.workspace)) this.context.device.free(handle.workspace);
    return code;
  }

  /** Bytes of the host's, to read and write. */
  hostBytes(address: number, count: number): Uint8Array {
    return this.context.memory.bytes(address, count);
  }

  /** A number of the host's as a kernel takes it; zeros where the kernel reads it on the device. */
  scalar(handle: Handle, address: number, type: Accumulator, half = false): Uint8Array {
    const bytes = new Uint8Array(accumulatorBytes[type]);
    if (handle.devicePointers) return bytes;
    if (!half) bytes.set(this.context.memory.bytes(address, bytes.length));
    else new DataView(bytes.buffer).setFloat32(0, fromHalf(this.context.memory.u16(address)), true);
    return bytes;
  }

  gemm(handle: Handle, kind: GemmKind, shape: GemmShape, alpha: number, beta: number, use: GemmUse): number {
    const { half = false } = use;
    const { m, n, k, a, b, c, ta, tb, lda, ldb, ldc, batch } = shape;
    if (!isOperation(ta) || !isOperation(tb) || m < 0 || n < 0 || k < 0 || batch < 0) return status.INVALID_VALUE;
    const rowsA = ta === 0 ? m : k;
    const rowsB = tb === 0 ? k : n;
    if (lda < Math.max(1, rowsA) || ldb < Math.max(1, rowsB) || ldc < Math.max(1, m)) return status.INVALID_VALUE;
    if (m === 0 || n === 0 || batch === 0) return status.SUCCESS;
    if (alpha === 0 || beta === 0 || c === 0 || (k > 0 && (a === 0 || b === 0))) return status.INVALID_VALUE;
    const factor = this.scalar(handle, beta, kind.accumulator, half);
    const times = this.gemmTimes(shape, use.type, { readsC: factor.some((byte) => byte !== 0) });
    const chosen = this.tilesFor(kind, m, n, batch, times !== null);
    return this.launchAs(handle, times, {
      kernel: chosen.kernel,
      grid: gridOf(chosen, m, n, batch),
      threads: chosen.threads,
      values: [
        matricesOf(handle, shape, alpha, beta, half),
        this.scalar(handle, alpha, kind.accumulator, half),
        factor,
      ],
    });
  }

  /** The library's kernels for a product; null where they are not known: other types, parts of C. */
  gemmTimes(
    { m, n, k, batch, lda, ldb, ldc, ta, tb, part }: GemmShape,
    type: GemmType | null,
    { readsC = false, hasEpilogue = false },
  ): readonly LibraryKernel[] | null {
    if (type === null || part !== 0) return null;
    const shape = { m, n, k, batch, lda, ldb, ldc, transposedA: ta !== 0, transposedB: tb !== 0 };
    return gemmTimes({ type, ...shape, readsC, hasEpilogue }, this.context.gpu);
  }

  /**
   * The largest tiles that give every SM one; the smallest that are not mostly outside of a small matrix. Where the time is known, which
   * does not depend on it, the largest that are not.
   */
  tilesFor({ tiles: all, timed = all }: GemmKind, m: number, n: number, batch: number, hasTimes: boolean): Tiles {
    const { smCount } = this.context.gpu.core;
    const kinds = hasTimes ? timed : all;
    const fitting = kinds.filter(({ size }) => size === kinds.at(-1)!.size || Math.max(m, n) > size / 2);
    const isEnough = (tiles: Tiles): boolean => hasTimes || gridOf(tiles, m, n, 1).x * batch >= smCount;
    return fitting.find(isEnough) ?? fitting.at(-1)!;
  }

  /** A kernel with a thread per element, or several elements for each. */
  elementwise(handle: Handle, kernel: string, n: number, times: StreamCall | null, ...values: Argument[]): number {
    if (n <= 0) return status.SUCCESS;
    const blocks = Math.min(ceilDiv(n, 256), 32 * this.context.gpu.core.smCount);
    const grid = { x: blocks, y: 1, z: 1 };
    return this.launchAs(handle, this.timesOf(times), { kernel, grid, threads: 256, values: [n, ...values] });
  }

  /** The library's kernels for a call that goes through vectors or a matrix. */
  timesOf(call: StreamCall | null): readonly LibraryKernel[] | null {
    return call && streamTimes(call, this.context.gpu);
  }

  /** Two kernels, and where the program wants the result on the host, a copy that it waits for. */
  reduction(
    handle: Handle,
    kernels: [string, string],
    { n, result, bytes, times = null }: { n: number; result: number; bytes: number; times?: StreamCall | null },
    values: Argument[],
  ): number {
    const parts = Math.min(ceilDiv(n, 4 * reducers), 4 * this.context.gpu.core.smCount, maxParts);
    const one = { x: 1, y: 1, z: 1 };
    const threads = reducers;
    return this.resultOf(handle, { n, result, bytes }, (target) =>
      this.launchAs(
        handle,
        this.timesOf(times),
        { kernel: kernels[0], grid: { ...one, x: parts }, threads, values: [n, ...values, handle.workspace] },
        { kernel: kernels[1], grid: one, threads, values: [handle.workspace, parts, target] },
      ),
    );
  }

  /** What `make` leaves on the device of `n` elements, which the program wants there or waits for on the host; zeros where there are none. */
  resultOf(
    handle: Handle,
    { n, result, bytes }: { n: number; result: number; bytes: number },
    make: (target: number) => number,
  ): number {
    if (result === 0) return status.INVALID_VALUE;
    if (n <= 0) {
      if (handle.devicePointers) return this.fill(handle, result, 0, bytes);
      this.hostBytes(result, bytes).fill(0);
      return status.SUCCESS;
    }
    const target = handle.devicePointers ? result : handle.workspace + maxParts * partBytes;
    const code = make(target);
    return code || handle.devicePointers ? code : this.copyToHost(handle, result, target, bytes);
  }

  /** Between host and device: `toDevice` says which is which. Waits where `stream` is null. */
  transfer(
    box: { target: number; targetPitch: number; source: number; sourcePitch: number; width: number; height: number },
    toDevice: boolean,
    stream: number | null,
  ): number {
    const { target, targetPitch, source, sourcePitch, width, height } = box;
    if (width === 0 || height === 0) return status.SUCCESS;
    const kind = toDevice ? 1 : 2;
    const isDense = targetPitch === width && sourcePitch === width;
    const name = `cudaMemcpy${isDense ? '' : '2D'}${stream === null ? '' : 'Async'}`;
    const words = isDense
      ? [target, source, width * height, kind]
      : [target, targetPitch, source, sourcePitch, width, height, kind];
    const code = this.inner(name, stream ?? 0, (call) =>
      memoryCalls[name]!.run(this.context, call, ...words, ...(stream === null ? [] : [stream])),
    );
    return code === status.SUCCESS ? code : status.MAPPING_ERROR;
  }
}

function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 0x3ff;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Arguments behind the handle as signed numbers, and as they came: `long long` is exact there. */
export type Call = (blas: Cublas, handle: Handle, args: number[], passed: (number | bigint)[]) => number;

/** Sizes, and the places of the arguments after the handle. */
export const dense = (args: number[]): GemmShape => {
  const [ta, tb, m, n, k, , a, lda, b, ldb, , c, ldc] = args as [number, number, number, number, number, ...number[]];
  const matrices = { a: a!, lda: lda!, strideA: 0n, b: b!, ldb: ldb!, strideB: 0n, c: c!, ldc: ldc!, strideC: 0n };
  return { ta, tb, m, n, k, ...matrices, batch: 1, pointers: false, part: 0 };
};

/** Properties shared by the calls of one precision. */
interface Kind {
  X: 'S' | 'D';
  p: Precision;
  type: Accumulator;
  /** Bytes of a number. */
  size: number;
}

const kindOf = (X: 'S' | 'D'): Kind =>
  X === 'S' ? { X, p: 's', type: 'float', size: 4 } : { X, p: 'd', type: 'double', size: 8 };

const onDevice = (handle: Handle, address: number): number => (handle.devicePointers ? address : 0);

/** A number as the device has it. */
function bytesOf({ X, size }: Kind, value: number): Uint8Array {
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  if (X === 'S') view.setFloat32(0, value, true);
  else view.setFloat64(0, value, true);
  return bytes;
}

const callsOf = (X: 'S' | 'D'): Record<string, Call> => ({ ...vectorCalls(kindOf(X)), ...matrixCalls(kindOf(X)) });

/** What the names of calls with 64-bit sizes end with. */
export const wideSuffix = '_64';

/** Calls that read or write integers in memory, of 32 bits and of 64: made by the names of those of 32. */
export function ofBothSizes(make: (isWide: boolean) => Record<string, Call>): Record<string, Call> {
  const wide = Object.entries(make(true)).map(([name, call]) => [name + wideSuffix, call]);
  return { ...make(false), ...(Object.fromEntries(wide) as Record<string, Call>) };
}

/** Level 1: vectors. */
function vectorCalls(kind: Kind): Record<string, Call> {
  const { X, p, type, size } = kind;
  const name = (rest: string): string => `cublas_${p}${rest}`;
  const times = (routine: string, n: number, ...increments: number[]): StreamCall =>
    vectorCall(routine, p, n, increments);
  const best =
    (routine: string, sign: Uint8Array, isWide: boolean): Call =>
    (blas, handle, [count, x, inc, result]) => {
      const n = inc! <= 0 ? 0 : count!;
      const kernels: [string, string] = [`cublas_i${p}amax`, `cublas_i${p}amax_parts${isWide ? wideSuffix : ''}`];
      const use = { n, result: result!, bytes: isWide ? 8 : 4, times: times(routine, n, inc!) };
      return blas.reduction(handle, kernels, use, [x!, inc!, sign]);
    };
  const sum =
    (routine: string, kernels: [string, string]): Call =>
    (blas, handle, [count, x, inc, result]) => {
      const n = inc! <= 0 ? 0 : count!;
      const use = { n, result: result!, bytes: size, times: times(routine, n, inc!) };
      return blas.reduction(handle, kernels, use, [x!, inc!]);
    };

  return {
    [`cublas${X}axpy_v2`]: (blas, handle, [n, alpha, x, incx, y, incy]) => {
      if (alpha === 0) return status.INVALID_VALUE;
      const value = blas.scalar(handle, alpha!, type);
      const scalar = [onDevice(handle, alpha!), value];
      const axpy = times('axpy', n!, incx!, incy!);
      return blas.elementwise(handle, name('axpy'), n!, axpy, x!, incx!, y!, incy!, ...scalar);
    },
    [`cublas${X}scal_v2`]: (blas, handle, [n, alpha, x, incx]) => {
      if (alpha === 0) return status.INVALID_VALUE;
      const value = blas.scalar(handle, alpha!, type);
      const count = incx! <= 0 ? 0 : n!;
      const scalar = [onDevice(handle, alpha!), value];
      return blas.elementwise(handle, name('scal'), count, times('scal', count, incx!), x!, incx!, ...scalar);
    },
    [`cublas${X}copy_v2`]: (blas, handle, [n, ...rest]) =>
      blas.elementwise(handle, name('copy'), n!, times('copy', n!, rest[1]!, rest[3]!), ...rest),
    [`cublas${X}swap_v2`]: (blas, handle, [n, ...rest]) =>
      blas.elementwise(handle, name('swap'), n!, times('swap', n!, rest[1]!, rest[3]!), ...rest),
    [`cublas${X}dot_v2`]: (blas, handle, [n, x, incx, y, incy, result]) => {
      const use = { n: n!, result: result!, bytes: size, times: times('dot', n!, incx!, incy!) };
      return blas.reduction(handle, [name('dot'), name('sum_parts')], use, [x!, incx!, y!, incy!]);
    },
    [`cublas${X}asum_v2`]: sum('asum', [name('asum'), name('sum_parts')]),
    [`cublas${X}nrm2_v2`]: sum('nrm2', [name('nrm2'), name('nrm2_parts')]),
    ...ofBothSizes((isWide) => ({
      [`cublasI${p}amax_v2`]: best('amax', bytesOf(kind, 1), isWide),
      [`cublasI${p}amin_v2`]: best('amin', bytesOf(kind, -1), isWide),
    })),
  };
}

/** Levels 2 and 3: matrices, but for products of two. */
function matrixCalls({ X, p, type }: Kind): Record<string, Call> {
  const name = (rest: string): string => `cublas_${p}${rest}`;
  return {
    [`cublas${X}gemv_v2`]: (blas, handle, args) => {
      const [trans, m, n, alpha, a, lda, x, incx, beta, y, incy] = args as [number, number, number, ...number[]];
      if (!isOperation(trans) || m < 0 || n < 0 || lda! < Math.max(1, m)) return status.INVALID_VALUE;
      if (incx === 0 || incy === 0 || alpha === 0 || beta === 0) return status.INVALID_VALUE;
      if (m === 0 || n === 0) return status.SUCCESS;
      const blocks = ceilDiv(trans === 0 ? m : n, trans === 0 ? 128 : 4);
      return blas.launchAs(handle, blas.timesOf(gemvCall(p, trans !== 0, m, n)), {
        kernel: name(trans === 0 ? 'gemv_n' : 'gemv_t'),
        grid: { x: blocks, y: 1, z: 1 },
        threads: 128,
        values: [
          ...[m, n, a!, lda!, x!, incx!, y!, incy!, onDevice(handle, alpha!), onDevice(handle, beta!)],
          blas.scalar(handle, alpha!, type),
          blas.scalar(handle, beta!, type),
        ],
      });
    },
    [`cublas${X}ger_v2`]: (blas, handle, args) => {
      const [m, n, alpha, x, incx, y, incy, a, lda] = args as [number, number, number, ...number[]];
      if (m < 0 || n < 0 || incx === 0 || incy === 0 || lda! < Math.max(1, m) || alpha === 0)
        return status.INVALID_VALUE;
      if (m === 0 || n === 0) return status.SUCCESS;
      const scalar = [onDevice(handle, alpha), blas.scalar(handle, alpha, type)];
      return blas.launchAs(handle, blas.timesOf(gerCall(p, m, n)), {
        kernel: name('ger'),
        grid: { x: ceilDiv(m, 128), y: Math.min(n, 65535), z: 1 },
        threads: 128,
        values: [m, n, x!, incx!, y!, incy!, a!, lda!, ...scalar],
      });
    },
    [`cublas${X}geam`]: (blas, handle, args) => {
      const [ta, tb, m, n, alpha, a, lda, beta, b, ldb, c, ldc] = args as [number, number, number, number, ...number[]];
      if (!isOperation(ta) || !isOperation(tb) || m < 0 || n < 0 || ldc! < Math.max(1, m)) return status.INVALID_VALUE;
      if (alpha === 0 || beta === 0) return status.INVALID_VALUE;
      if (lda! < Math.max(1, ta === 0 ? m : n) || ldb! < Math.max(1, tb === 0 ? m : n)) return status.INVALID_VALUE;
      if (m === 0 || n === 0) return status.SUCCESS;
      const factor = blas.scalar(handle, beta!, type);
      const adds = handle.devicePointers || factor.some((byte) => byte !== 0);
      return blas.launchAs(handle, blas.timesOf(geamCall(p, { ta: ta !== 0, tb: tb !== 0, adds }, m, n)), {
        kernel: name('geam'),
        grid: { x: ceilDiv(m, 128), y: Math.min(n, 65535), z: 1 },
        threads: 128,
        values: [
          ...[ta, tb, m, n, a!, lda!, b!, ldb!, c!, ldc!, onDevice(handle, alpha!), onDevice(handle, beta!)],
          blas.scalar(handle, alpha!, type),
          factor,
        ],
      });
    },
    [`cublas${X}syrk_v2`]: (blas, handle, args) => {
      const [uplo, trans, n, k, alpha, a, lda, beta, c, ldc] = args as [number, number, number, number, ...number[]];
      if ((uplo !== 0 && uplo !== 1) || !isOperation(trans)) return status.INVALID_VALUE;
      const shape = {
        ...dense([trans, trans === 0 ? 1 : 0, n, n, k, 0, a!, lda!, a!, lda!, 0, c!, ldc!]),
        part: uplo + 1,
      };
      return blas.gemm(handle, gemms[p], shape, alpha!, beta!, { type: null });
    },
    [`cublas${X}trsm_v2`]: (blas, handle, args) => {
      const [side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb] = args as [
        number,
        number,
        number,
        number,
        ...number[],
      ];
      if (side > 1 || uplo > 1 || !isOperation(trans) || diag > 1 || m! < 0 || n! < 0) return status.INVALID_VALUE;
      const [order, count] = side === 0 ? [m!, n!] : [n!, m!];
      if (lda! < Math.max(1, order) || ldb! < Math.max(1, m!) || alpha === 0) return status.INVALID_VALUE;
      if (order === 0 || count === 0) return status.SUCCESS;
      // An upper triangle is solved backwards, unless it is transposed; from the right everything is.
      const backward = ((uplo === 1) !== (trans !== 0)) !== (side === 1);
      return blas.launch(
        handle,
        name('trsm'),
        { x: ceilDiv(count, 64), y: 1, z: 1 },
        64,
        ...[side, trans === 0 ? 0 : 1, backward ? 1 : 0, diag, order, count, a!, lda!, b!, ldb!],
        onDevice(handle, alpha!),
        blas.scalar(handle, alpha!, type),
      );
    },
  };
}

const tf32Math = 3;
/** Compute types that take floats as they are whatever the mode, as TF32, and as halves. */
const [pedantic, fastTf32, fastHalves] = [69, 77, [74, 75]];

/** Type that the time of a product is known by; null where none like it has been measured. */
export function timedType(
  kind: keyof typeof gemms,
  { half, mathMode, computeType = 0 }: { half: boolean; mathMode: number; computeType?: number },
): GemmType | null {
  const isTf32 = computeType === fastTf32 || (computeType !== pedantic && (mathMode & 15) === tf32Math);
  if (fastHalves.includes(computeType)) return null;
  const types: Record<keyof typeof gemms, GemmType | null> = {
    ...{ s: isTf32 ? 'tf32' : 's', d: 'd', h: half ? 'h16' : 'h32', hs: 'hs', b: 'b32', bs: 'bs', i: 'i8', is: null },
    ...{ c: isTf32 ? null : 'c', z: 'z', ic: null, f8: null },
  };
  return types[kind];
}

export function gemmCalls(X: 'S' | 'D' | 'C' | 'Z' | 'H', suffix: string): Record<string, Call> {
  const letter = X.toLowerCase() as 's' | 'd' | 'c' | 'z' | 'h';
  const kind = gemms[letter];
  const half = X === 'H';
  const useOf = ({ mathMode }: Handle): GemmUse => ({ half, type: timedType(letter, { half, mathMode }) });
  return {
    [`cublas${X}gemm${suffix}`]: (blas, handle, args) =>
      blas.gemm(handle, kind, dense(args), args[5]!, args[10]!, useOf(handle)),
    [`cublas${X}gemmBatched`]: (blas, handle, args) => {
      const shape = { ...dense(args), batch: args[13]!, pointers: true };
      return blas.gemm(handle, kind, shape, args[5]!, args[10]!, useOf(handle));
    },
    [`cublas${X}gemmStridedBatched`]: (blas, handle, args, passed) => {
      const [ta, tb, m, n, k, alpha, a, lda, , b, ldb, , beta, c, ldc, , batch] = args;
      const shape = dense([ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc] as number[]);
      const [strideA, strideB, strideC] = [8, 11, 15].map((index) => BigInt(passed[index]!)) as [
        bigint,
        bigint,
        bigint,
      ];
      const strided = { ...shape, strideA, strideB, strideC, batch: batch! };
      return blas.gemm(handle, kind, strided, alpha!, beta!, useOf(handle));
    },
  };
}

/** Data types and compute type of the general forms. */
export function gemmEx(
  blas: Cublas,
  handle: Handle,
  shape: GemmShape,
  types: { a: number; b: number; c: number; compute: number },
  alpha: number,
  beta: number,
): number {
  const kind = types.a === types.b ? dataTypes[`${types.a}-${types.c}`] : undefined;
  if (kind === undefined) return status.NOT_SUPPORTED;
  const half = compute.half.includes(types.compute);
  const { accumulator } = gemms[kind];
  if (half ? kind !== 'h' : !compute[accumulator].includes(types.compute)) return status.NOT_SUPPORTED;
  const type = timedType(kind, { half, mathMode: handle.mathMode, computeType: types.compute });
  return blas.gemm(handle, gemms[kind], shape, alpha, beta, { half, type });
}

const exCalls: Record<string, Call> = {
  cublasGemmEx: (blas, handle, args) => {
    const [ta, tb, m, n, k, alpha, a, at, lda, b, bt, ldb, beta, c, ct, ldc, type] = args as number[];
    const shape = dense([ta, tb, m, n, k, 0, a, lda, b, ldb, 0, c, ldc] as number[]);
    return gemmEx(blas, handle, shape, { a: at!, b: bt!, c: ct!, compute: type! }, alpha!, beta!);
  },
  cublasSgemmEx: (blas, handle, args) => {
    const [ta, tb, m, n, k, alpha, a, at, lda, b, bt, ldb, beta, c, ct, ldc] = args as number[];
    const shape = dense([ta, tb, m, n, k, 0, a, lda, b, ldb, 0, c, ldc] as number[]);
    return gemmEx(blas, handle, shape, { a: at!, b: bt!, c: ct!, compute: 68 }, alpha!, beta!);
  },
  cublasGemmBatchedEx: (blas, handle, args) => {
    const [ta, tb, m, n, k, alpha, a, at, lda, b, bt, ldb, beta, c, ct, ldc, batch, type] = args as number[];
    const shape = dense([ta, tb, m, n, k, 0, a, lda, b, ldb, 0, c, ldc] as number[]);
    const types = { a: at!, b: bt!, c: ct!, compute: type! };
    return gemmEx(blas, handle, { ...shape, batch: batch!, pointers: true }, types, alpha!, beta!);
  },
  cublasGemmStridedBatchedEx: (blas, handle, args, passed) => {
    const [ta, tb, m, n, k, alpha, a, at, lda, , b, bt, ldb, , beta, c, ct, ldc, , batch, type] = args as number[];
    const shape = dense([ta, tb, m, n, k, 0, a, lda, b, ldb, 0, c, ldc] as number[]);
    const [strideA, strideB, strideC] = [9, 13, 18].map((index) => BigInt(passed[index]!)) as [bigint, bigint, bigint];
    const types = { a: at!, b: bt!, c: ct!, compute: type! };
    return gemmEx(blas, handle, { ...shape, strideA, strideB, strideC, batch: batch! }, types, alpha!, beta!);
  },
};

/** Calls that put work into the handle's stream: traced. */
const workCalls: Record<string, Call> = {
  ...callsOf('S'),
  ...callsOf('D'),
  ...gemmCalls('S', '_v2'),
  ...gemmCalls('D', '_v2'),
  ...gemmCalls('C', '_v2'),
  ...gemmCalls('Z', '_v2'),
  ...gemmCalls('H', ''),
  ...exCalls,
};

/** The handle's settings: nothing that takes time. */
const settings: Record<string, Call> = {
  cublasSetStream_v2: (blas, handle, [stream]) => {
    if (!blas.knowsStream(stream!)) return status.INVALID_VALUE;
    handle.stream = stream!;
    return status.SUCCESS;
  },
  cublasGetStream_v2: (blas, handle, [target]) => blas.giveStream(target!, handle),
  cublasSetWorkspace_v2: () => status.SUCCESS,
  cublasSetPointerMode_v2: (_blas, handle, [mode]) => {
    if (mode !== 0 && mode !== 1) return status.INVALID_VALUE;
    handle.devicePointers = mode === 1;
    return status.SUCCESS;
  },
  cublasGetPointerMode_v2: (blas, handle, [target]) => blas.give(target!, handle.devicePointers ? 1 : 0),
  cublasSetMathMode: (_blas, handle, [mode]) => {
    if (![0, 1, 2, 3, 4, 8].includes(mode! & ~16)) return status.INVALID_VALUE;
    handle.mathMode = mode!;
    return status.SUCCESS;
  },
  cublasGetMathMode: (blas, handle, [target]) => blas.give(target!, handle.mathMode),
  cublasSetAtomicsMode: (_blas, handle, [mode]) => {
    handle.atomics = mode!;
    return status.SUCCESS;
  },
};

/** Settings of emulation with their defaults; the last is a pointer. */
const emulation = {
  EmulationStrategy: 0,
  EmulationSpecialValuesSupport: 0xffff,
  FixedPointEmulationMantissaControl: 0,
  FixedPointEmulationMaxMantissaBitCount: 0,
  FixedPointEmulationMantissaBitOffset: 0,
  FixedPointEmulationMantissaBitCountPointer: 0,
};
for (const [name, usual] of Object.entries(emulation)) {
  settings[`cublasSet${name}`] = (_blas, handle, [value]) => {
    handle.emulation.set(name, value!);
    return status.SUCCESS;
  };
  settings[`cublasGet${name}`] = (blas, handle, [target]) => {
    const value = handle.emulation.get(name) ?? usual;
    return name.endsWith('Pointer') ? blas.giveWord(target!, value) : blas.give(target!, value);
  };
}

/** Calls without a handle that copy: rows of elements between host and device. Extents that are not possible are errors of the copy. */
const transfers: Record<string, (blas: Cublas, args: number[]) => number> = {};
for (const [direction, toDevice] of [
  ['Set', true],
  ['Get', false],
] as const) {
  const vector = (blas: Cublas, args: number[], stream: number | null): number => {
    const [n, size, source, incx, target, incy] = args as [number, number, number, number, number, number];
    if (size <= 0 || incx <= 0 || incy <= 0) return status.INVALID_VALUE;
    if (n < 0) return status.MAPPING_ERROR;
    const pitches = { targetPitch: incy * size, sourcePitch: incx * size };
    return blas.transfer({ target, source, ...pitches, width: size, height: n }, toDevice, stream);
  };
  const matrix = (blas: Cublas, args: number[], stream: number | null): number => {
    const [rows, columns, size, source, lda, target, ldb] = args as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    if (size <= 0 || lda <= 0 || ldb <= 0) return status.INVALID_VALUE;
    if (rows < 0 || columns < 0 || lda < rows || ldb < rows) return status.MAPPING_ERROR;
    const pitches = { targetPitch: ldb * size, sourcePitch: lda * size };
    return blas.transfer({ target, source, ...pitches, width: rows * size, height: columns }, toDevice, stream);
  };
  transfers[`cublas${direction}Vector`] = (blas, args) => vector(blas, args, null);
  transfers[`cublas${direction}VectorAsync`] = (blas, args) => vector(blas, args, args[6]!);
  transfers[`cublas${direction}Matrix`] = (blas, args) => matrix(blas, args, null);
  transfers[`cublas${direction}MatrixAsync`] = (blas, args) => matrix(blas, args, args[7]!);
}

/** Sizes that kernels of ours have no room for are not supported. */
const withinInts =
  (run: (args: (number | bigint)[]) => number) =>
  (args: (number | bigint)[]): number => {
    try {
      return run(args);
    } catch (error) {
      if (error instanceof BeyondInt) return status.NOT_SUPPORTED;
      throw error;
    }
  };

/** All of cuBLAS by the names of its imports; `calls`: those of other files; `more`: libraries that are based on it. */
export function cublasImports(
  context: CudaContext,
  calls: Record<string, Call>,
  more: (blas: Cublas, traced: Traced, calls: Record<string, Call>) => Record<string, Imported>,
): Record<string, Imported> {
  const blas = new Cublas(context);
  const imports: Record<string, Imported> = {};

  const ranged = traced(context, status.EXECUTION_FAILED);
  const withHandle = (call: Call) => (args: (number | bigint)[]) => {
    const [handle, ...rest] = args;
    const found = blas.handle(unsigned(handle));
    if (!found) return status.NOT_INITIALIZED;
    return call(blas, found, numbers(rest), rest);
  };
  /** Those with 64-bit sizes are the same calls but for what they read or write in 64 bits. */
  const withWide = <T>(calls: Record<string, T>): [string, T][] =>
    Object.entries(calls).flatMap(([name, call]) =>
      name.endsWith(wideSuffix)
        ? [[name, call]]
        : [
            [name, call],
            [name + wideSuffix, calls[name + wideSuffix] ?? call],
          ],
    );

  const all = { ...workCalls, ...calls };
  for (const [name, call] of withWide(all)) imports[name] = ranged(name, withinInts(withHandle(call)));
  for (const [name, call] of Object.entries(settings)) imports[name] = (...args) => withHandle(call)(args);
  for (const [name, call] of withWide(transfers)) imports[name] = ranged(name, (args) => call(blas, numbers(args)));
  imports.cublasCreate_v2 = ranged('cublasCreate_v2', ([target]) => blas.create(unsigned(target)));
  imports.cublasDestroy_v2 = ranged('cublasDestroy_v2', ([handle]) => blas.destroy(unsigned(handle)));
  imports.cublasGetVersion_v2 = (handle, target) =>
    blas.handle(unsigned(handle)) ? blas.give(unsigned(target), version) : status.NOT_INITIALIZED;
  imports.cublasGetStatusName = (code) => {
    const name = Object.entries(status).find(([, value]) => value === Number(code))?.[0];
    return context.textAddress(name === undefined ? 'unknown' : `CUBLAS_STATUS_${name}`);
  };
  imports.cublasGetStatusString = (code) => context.textAddress(statusTexts[Number(code)] ?? 'unknown');
  imports.cublasLtGetStatusName = imports.cublasGetStatusName;
  imports.cublasLtGetStatusString = imports.cublasGetStatusString;
  return { ...imports, ...more(blas, ranged, all) };
}
