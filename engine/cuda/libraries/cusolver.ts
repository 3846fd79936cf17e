/**
 * cuSOLVER for dense matrices: factorizations and what is done with them, by kernels of `cusolver.cu`. A call is a range in
 * the trace, and what it does lies in it under the names of the CUDA calls that the library makes.
 */
import type { CudaContext } from '../runtime/context.ts';
import type { Imported } from '../runtime/arguments.ts';
import type { Argument } from './inner-calls.ts';
import { allocateDevice } from '../runtime/memory.ts';
import { Library, numbers, traced, Words } from './library.ts';

export const status = {
  SUCCESS: 0,
  NOT_INITIALIZED: 1,
  INVALID_VALUE: 3,
  EXECUTION_FAILED: 6,
  INTERNAL_ERROR: 7,
  NOT_SUPPORTED: 9,
};

const version = 11703;
/** Columns that are factorized together, as in cusolver.cu. */
const tile = 32;

/** Threads of a block that solves beside a tile, as in cusolver.cu: what they have is in shared memory. */
const vectorsOf = ({ bytes }: Kind): number => (bytes > 8 ? 32 : 64);

export interface Handle {
  stream: number;
}

/** Arguments behind the handle as integers, and as they came. */
export type Call = (solver: Cusolver, handle: Handle, args: number[], raw: (number | bigint)[]) => number;
/** A call without a handle. */
export type Setting = (solver: Cusolver, raw: (number | bigint)[]) => number;

export const ceilDiv = (a: number, b: number): number => Math.ceil(a / b);
export const isFill = (fill: number): boolean => fill === 0 || fill === 1;
const isOperation = (operation: number): boolean => operation >= 0 && operation <= 2;
export const isWide = (ld: number, rows: number): boolean => ld >= Math.max(1, rows);

/** A type of numbers: the letter of its kernels, and its bytes. */
export interface Kind {
  letter: string;
  bytes: number;
}

export const kinds: Record<string, Kind> = {
  S: { letter: 's', bytes: 4 },
  D: { letter: 'd', bytes: 8 },
  C: { letter: 'c', bytes: 8 },
  Z: { letter: 'z', bytes: 16 },
};
/** By `cudaDataType`. */
const kindsByType = new Map([
  [0, kinds.S!],
  [1, kinds.D!],
  [4, kinds.C!],
  [5, kinds.Z!],
]);

/** How rotations find eigenvalues or singular values: `syevjInfo_t` and `gesvdjInfo_t`. */
export interface RotationSettings {
  tolerance: number;
  sweeps: number;
  sorted: boolean;
  /** Two doubles on the device: what is left, and how many sweeps there were. 0: there is no such memory yet. */
  report: number;
  /** What the report says is of one matrix that rotations were used for. */
  reported: 'rotations' | 'others' | 'batch';
}

/** A matrix as it is read: rows and columns may be exchanged. */
export interface View {
  at: number;
  rowStep: number;
  columnStep: number;
}

export const columnsOf = (at: number, ld: number): View => ({ at, rowStep: 1, columnStep: ld });
export const transposed = ({ at, rowStep, columnStep }: View): View => ({
  at,
  rowStep: columnStep,
  columnStep: rowStep,
});

export class Cusolver extends Library {
  readonly handles = new Map<number, Handle>();
  readonly parameters = new Set<number>();
  readonly rotationSettings = new Map<number, RotationSettings>();

  constructor(context: CudaContext) {
    super(context, { invalid: status.INVALID_VALUE, failed: status.EXECUTION_FAILED, internal: status.INTERNAL_ERROR });
  }

  create(target: number): number {
    const handle = this.context.newHandle();
    this.handles.set(handle, { stream: 0 });
    return this.giveWord(target, handle);
  }

  createParameters(target: number): number {
    const handle = this.context.newHandle();
    this.parameters.add(handle);
    return this.giveWord(target, handle);
  }

  createSettings(target: number): number {
    const handle = this.context.newHandle();
    const settings = { tolerance: 0, sweeps: 100, sorted: true, report: 0, reported: 'others' } as const;
    this.rotationSettings.set(handle, { ...settings });
    return this.giveWord(target, handle);
  }

  /** Where a matrix's report goes; null where there is no memory for it. */
  reportOf(settings: RotationSettings): number | null {
    if (settings.report === 0) settings.report = allocateDevice(this.context, 16, null) ?? 0;
    return settings.report === 0 ? null : settings.report;
  }

  destroySettings(handle: number): number {
    const settings = this.rotationSettings.get(handle);
    if (!settings) return status.INVALID_VALUE;
    this.rotationSettings.delete(handle);
    if (settings.report !== 0) this.context.freeDevice(settings.report);
    return status.SUCCESS;
  }

  /** A double for the program. */
  giveReal(target: number, value: number): number {
    if (target === 0) return status.INVALID_VALUE;
    this.context.memory.setU64(target, new BigUint64Array(Float64Array.of(value).buffer)[0]!);
    return status.SUCCESS;
  }

  /** A real number of the program's, on the host. */
  realAt(address: number, bytes: number): number {
    return bytes === 4 ? this.context.memory.f32(address) : this.context.memory.f64(address);
  }

  run(
    handle: Handle,
    kernel: string,
    { x = 1, y = 1, threads }: { x?: number; y?: number; threads: number },
    ...values: Argument[]
  ): number {
    return x > 0 && y > 0
      ? this.launch(handle, `cusolver_${kernel}`, { x, y, z: 1 }, threads, ...values)
      : status.SUCCESS;
  }
}

/** Runs calls until one fails. */
export function inOrder(...steps: (() => number)[]): number {
  for (const step of steps) {
    const code = step();
    if (code !== status.SUCCESS) return code;
  }
  return status.SUCCESS;
}

/** As `struct Factor`. */
function factorStruct({ at, rowStep, columnStep }: View, conjugate: boolean): Uint8Array {
  const words = new Words();
  words.pointers(at);
  words.longs(BigInt(rowStep), BigInt(columnStep));
  words.ints(conjugate ? 1 : 0);
  return words.bytes;
}

export const steps = ({ rowStep, columnStep }: View): [bigint, bigint] => [BigInt(rowStep), BigInt(columnStep)];

export function potrf(solver: Cusolver, handle: Handle, kind: Kind, args: number[], info: number): number {
  const [fill, n, a, lda] = args as [number, number, number, number];
  if (!isFill(fill) || n < 0 || !isWide(lda, n) || info === 0) return status.INVALID_VALUE;
  const name = (kernel: string) => `${kind.letter}${kernel}`;
  // U of an upper triangle is the transpose of L: what is conjugate is so in both.
  const whole = fill === 0 ? columnsOf(a, lda) : transposed(columnsOf(a, lda));
  const at = (i: number, j: number): View => ({
    ...whole,
    at: whole.at + kind.bytes * (i * whole.rowStep + j * whole.columnStep),
  });
  let code = solver.fill(handle, info, 0, 4);
  for (let k = 0; k < n && code === status.SUCCESS; k += tile) {
    const width = Math.min(tile, n - k);
    const rest = n - k - width;
    const [corner, below, right] = [at(k, k), at(k + width, k), at(k + width, k + width)];
    code = inOrder(
      () => solver.run(handle, name('potrf_tile'), { threads: 256 }, width, corner.at, ...steps(corner), k, info),
      () => {
        const grid = { x: ceilDiv(rest, vectorsOf(kind)), threads: vectorsOf(kind) };
        return solver.run(handle, name('potrf_below'), grid, rest, width, corner.at, below.at, ...steps(below), info);
      },
      () => {
        const [x, y] = [ceilDiv(rest, tile), ceilDiv(rest, tile)];
        const factors = [factorStruct(below, false), factorStruct(transposed(below), true)] as const;
        const result = [right.at, ...steps(right), 1, info] as const;
        return solver.run(handle, name('update'), { x, y, threads: 256 }, rest, rest, width, ...factors, ...result);
      },
    );
  }
  return code;
}

interface System {
  n: number;
  view: View;
  conjugate: boolean;
  lower: boolean;
  unit: boolean;
  b: number;
  ldb: number;
  count: number;
  /** Matrices and right-hand sides are arrays of pointers. */
  batch?: { matrices: number; sides: number; count: number };
}

export function solve(solver: Cusolver, handle: Handle, { letter }: Kind, system: System): number {
  const { n, view, conjugate, lower, unit, b, ldb, count, batch } = system;
  if (n === 0) return status.SUCCESS;
  const words = new Words();
  words.pointers(view.at, batch?.matrices ?? 0);
  words.longs(...steps(view));
  words.ints(conjugate ? 1 : 0, lower ? 1 : 0, unit ? 1 : 0);
  const grid = { x: count, y: batch?.count ?? 1, threads: n <= 64 ? 64 : 256 };
  return solver.run(handle, `${letter}solve`, grid, n, words.bytes, b, batch?.sides ?? 0, ldb);
}

/** A X = B by a Cholesky factorization. */
function choleskySolve(
  solver: Cusolver,
  handle: Handle,
  kind: Kind,
  fill: number,
  system: Omit<System, 'conjugate' | 'lower' | 'unit'>,
) {
  const { view } = system;
  const back = transposed(view);
  const [first, second] = fill === 0 ? [view, back] : [back, view];
  return inOrder(
    () => solve(solver, handle, kind, { ...system, view: first, conjugate: fill === 1, lower: true, unit: false }),
    () => solve(solver, handle, kind, { ...system, view: second, conjugate: fill === 0, lower: false, unit: false }),
  );
}

function potrs(solver: Cusolver, handle: Handle, kind: Kind, args: number[], info: number): number {
  const [fill, n, count, a, lda, b, ldb] = args as [...[number, number, number, number, number, number], number];
  if (!isFill(fill) || n < 0 || count < 0 || !isWide(lda, n) || !isWide(ldb, n)) return status.INVALID_VALUE;
  return inOrder(
    () => (info === 0 ? status.SUCCESS : solver.fill(handle, info, 0, 4)),
    () => choleskySolve(solver, handle, kind, fill, { n, view: columnsOf(a, lda), b, ldb, count }),
  );
}

interface Lu {
  m: number;
  n: number;
  a: number;
  lda: number;
  /** 0: none. */
  pivots: number;
  /** Pivots are integers of 64 bits. */
  wide: boolean;
  info: number;
}

const swaps = (solver: Cusolver, handle: Handle, { letter }: Kind, count: number, ...values: number[]): number =>
  solver.run(handle, `${letter}laswp`, { x: ceilDiv(count, 64), threads: 64 }, count, ...values);

function getrf(solver: Cusolver, handle: Handle, kind: Kind, { m, n, a, lda, pivots, wide, info }: Lu): number {
  if (m < 0 || n < 0 || !isWide(lda, m) || info === 0) return status.INVALID_VALUE;
  const name = (kernel: string) => `${kind.letter}${kernel}`;
  const at = (i: number, j: number): number => a + kind.bytes * (i + j * lda);
  const kindOfPivots = wide ? 1 : 0;
  let code = solver.fill(handle, info, 0, 4);
  for (let k = 0; k < Math.min(m, n) && code === status.SUCCESS; k += tile) {
    const width = Math.min(tile, Math.min(m, n) - k);
    const [rows, columns] = [m - k - width, n - k - width];
    const exchanged = (count: number, from: number) =>
      pivots === 0
        ? status.SUCCESS
        : swaps(solver, handle, kind, count, at(0, from), lda, k, k + width, pivots, kindOfPivots, 0);
    code = inOrder(
      () => solver.run(handle, name('getrf_panel'), { threads: 512 }, m, k, width, a, lda, pivots, kindOfPivots, info),
      () => exchanged(k, 0),
      () => exchanged(columns, k + width),
      () => {
        const grid = { x: ceilDiv(columns, vectorsOf(kind)), threads: vectorsOf(kind) };
        return solver.run(handle, name('getrf_right'), grid, width, columns, at(k, k), at(k, k + width), lda);
      },
      () => {
        const grid = { x: ceilDiv(rows, tile), y: ceilDiv(columns, tile), threads: 256 };
        const left = factorStruct(columnsOf(at(k + width, k), lda), false);
        const above = factorStruct(columnsOf(at(k, k + width), lda), false);
        const result = [at(k + width, k + width), 1n, BigInt(lda), 0, 0] as const;
        return solver.run(handle, name('update'), grid, rows, columns, width, left, above, ...result);
      },
    );
  }
  return code;
}

interface LuSystem {
  operation: number;
  n: number;
  count: number;
  a: number;
  lda: number;
  pivots: number;
  wide: boolean;
  b: number;
  ldb: number;
  info: number;
}

function getrs(solver: Cusolver, handle: Handle, kind: Kind, system: LuSystem): number {
  const { operation, n, count, a, lda, pivots, wide, b, ldb, info } = system;
  if (!isOperation(operation) || n < 0 || count < 0 || !isWide(lda, n) || !isWide(ldb, n)) return status.INVALID_VALUE;
  const whole = columnsOf(a, lda);
  const view = operation === 0 ? whole : transposed(whole);
  const sides = { n, view, conjugate: operation === 2, b, ldb, count };
  const exchanged = (back: boolean) => () =>
    pivots === 0 || (operation === 0) === back
      ? status.SUCCESS
      : swaps(solver, handle, kind, count, b, ldb, 0, n, pivots, wide ? 1 : 0, back ? 1 : 0);
  // L has the units; transposed, it is the upper triangle and comes last.
  return inOrder(
    () => (info === 0 ? status.SUCCESS : solver.fill(handle, info, 0, 4)),
    exchanged(false),
    () => solve(solver, handle, kind, { ...sides, lower: true, unit: operation === 0 }),
    () => solve(solver, handle, kind, { ...sides, lower: false, unit: operation !== 0 }),
    exchanged(true),
  );
}

interface Reflectors {
  a: number;
  lda: number;
  tau: number;
  first: number;
  count: number;
  back: boolean;
  conjugated: boolean;
  fromRight: boolean;
}

/** Applies reflectors to so many vectors of a matrix, each of length m. */
function reflect(
  solver: Cusolver,
  handle: Handle,
  { letter }: Kind,
  { a, lda, tau, first, count, back, conjugated, fromRight }: Reflectors,
  vectors: { m: number; at: number; step: number; vectorStep: number; count: number },
): number {
  if (count === 0) return status.SUCCESS;
  const words = new Words();
  words.pointers(a);
  words.ints(lda);
  words.pointers(tau);
  words.ints(first, count, back ? 1 : 0, conjugated ? 1 : 0, fromRight ? 1 : 0);
  const grid = { x: vectors.count, threads: vectors.m <= 64 ? 64 : 256 };
  const { m, at, step, vectorStep } = vectors;
  return solver.run(handle, `${letter}reflect`, grid, m, words.bytes, at, BigInt(step), BigInt(vectorStep));
}

interface Qr {
  m: number;
  n: number;
  a: number;
  lda: number;
  tau: number;
  info: number;
}

function geqrf(solver: Cusolver, handle: Handle, kind: Kind, { m, n, a, lda, tau, info }: Qr): number {
  if (m < 0 || n < 0 || !isWide(lda, m) || info === 0) return status.INVALID_VALUE;
  let code = solver.fill(handle, info, 0, 4);
  for (let k = 0; k < Math.min(m, n) && code === status.SUCCESS; k++) {
    const column = a + kind.bytes * (k + k * lda);
    const how = { a, lda, tau, first: k, count: 1, back: false, conjugated: true, fromRight: false };
    const rest = { m, at: a + kind.bytes * (k + 1) * lda, step: 1, vectorStep: lda, count: n - k - 1 };
    code = inOrder(
      () => solver.run(handle, `${kind.letter}geqrf_reflector`, { threads: 256 }, m - k, column, tau + kind.bytes * k),
      () => reflect(solver, handle, kind, how, rest),
    );
  }
  return code;
}

/** The product with Q, from either side. */
function ormqr(solver: Cusolver, handle: Handle, kind: Kind, args: number[]): number {
  const [side, operation, m, n, k, a, lda, tau, c, ldc, , , info] = args as [
    ...[number, number, number, number, number, number, number],
    ...[number, number, number, number, number, number],
  ];
  const isLeft = side === 0;
  const order = isLeft ? m : n;
  if (side < 0 || side > 1 || !isOperation(operation) || m < 0 || n < 0 || k < 0 || k > order || info === 0)
    return status.INVALID_VALUE;
  if (!isWide(lda, order) || !isWide(ldc, m)) return status.INVALID_VALUE;
  const how = { a, lda, tau, first: 0, count: k, back: isLeft === (operation === 0), conjugated: operation !== 0 };
  const vectors = isLeft
    ? { m, at: c, step: 1, vectorStep: ldc, count: n }
    : { m: n, at: c, step: ldc, vectorStep: 1, count: m };
  return inOrder(
    () => solver.fill(handle, info, 0, 4),
    () => reflect(solver, handle, kind, { ...how, fromRight: !isLeft }, vectors),
  );
}

/** The first columns of Q itself. */
function orgqr(solver: Cusolver, handle: Handle, kind: Kind, args: number[]): number {
  const [m, n, k, a, lda, tau, work, length, info] = args as [
    ...[number, number, number, number],
    ...[number, number, number, number, number],
  ];
  if (m < 0 || n < 0 || n > m || k < 0 || k > n || !isWide(lda, m) || info === 0) return status.INVALID_VALUE;
  if (length < m * k || (m * k > 0 && work === 0)) return status.INVALID_VALUE;
  const how = { a: work, lda: m, tau, first: 0, count: k, back: true, conjugated: false, fromRight: false };
  return inOrder(
    () => solver.fill(handle, info, 0, 4),
    () => {
      const grid = { x: ceilDiv(m, 256), y: n, threads: 256 };
      return solver.run(handle, `${kind.letter}orgqr_begin`, grid, m, n, k, a, lda, work);
    },
    () => reflect(solver, handle, kind, how, { m, at: a, step: 1, vectorStep: lda, count: n }),
  );
}

/** A `bufferSize` call: the number of elements, at this place among the arguments; no call needs more. */
const size =
  (place: number, elements: (args: number[]) => number): Call =>
  (solver, _handle, args) =>
    solver.give(args[place]!, Math.max(1, elements(args)));

function callsOf(X: string, kind: Kind): Record<string, Call> {
  const name = (rest: string): string => `cusolverDn${X}${rest}`;
  const [org, orm] = X === 'S' || X === 'D' ? ['orgqr', 'ormqr'] : ['ungqr', 'unmqr'];
  return {
    [name('potrf_bufferSize')]: size(4, ([, n]) => tile * n!),
    [name('potrf')]: (solver, handle, args) => potrf(solver, handle, kind, args, args[6]!),
    [name('potrs')]: (solver, handle, args) => potrs(solver, handle, kind, args, args[7]!),
    [name('potrfBatched')]: (solver, handle, args) => {
      const [fill, n, matrices, lda, infos, batch] = args as [number, number, number, number, number, number];
      if (!isFill(fill) || n < 0 || batch < 0 || !isWide(lda, n) || infos === 0) return status.INVALID_VALUE;
      const whole = fill === 0 ? columnsOf(0, lda) : transposed(columnsOf(0, lda));
      const grid = { x: batch, threads: n <= 32 ? 32 : 256 };
      return solver.run(handle, `${kind.letter}potrf_batched`, grid, n, matrices, ...steps(whole), infos);
    },
    [name('potrsBatched')]: (solver, handle, args) => {
      const [fill, n, columns, matrices, lda, sides, ldb, info, count] = args as [
        ...[number, number, number, number, number],
        ...[number, number, number, number],
      ];
      if (!isFill(fill) || n < 0 || columns < 0 || count < 0 || !isWide(lda, n) || !isWide(ldb, n))
        return status.INVALID_VALUE;
      const batch = { matrices, sides, count };
      return inOrder(
        () => (info === 0 ? status.SUCCESS : solver.fill(handle, info, 0, 4)),
        () =>
          choleskySolve(solver, handle, kind, fill, { n, view: columnsOf(0, lda), b: 0, ldb, count: columns, batch }),
      );
    },
    [name('getrf_bufferSize')]: size(4, ([m]) => tile * m!),
    [name('getrf')]: (solver, handle, args) => {
      const [m, n, a, lda, , pivots, info] = args as [number, number, number, number, number, number, number];
      return getrf(solver, handle, kind, { m, n, a, lda, pivots, wide: false, info });
    },
    [name('getrs')]: (solver, handle, args) => {
      const [operation, n, count, a, lda, pivots, b, ldb, info] = args as [
        ...[number, number, number, number, number],
        ...[number, number, number, number],
      ];
      return getrs(solver, handle, kind, { operation, n, count, a, lda, pivots, wide: false, b, ldb, info });
    },
    [name('laswp')]: (solver, handle, args) => {
      const [n, a, lda, first, end, pivots, increment] = args as [number, number, number, number, ...number[]];
      if (n < 0 || first < 1 || end! < first || (increment !== 1 && increment !== -1)) return status.INVALID_VALUE;
      return swaps(solver, handle, kind, n, a, lda, first - 1, end!, pivots!, 0, increment === 1 ? 0 : 1);
    },
    [name('geqrf_bufferSize')]: size(4, ([, n]) => tile * n!),
    [name('geqrf')]: (solver, handle, args) => {
      const [m, n, a, lda, tau, , , info] = args as [
        ...[number, number, number, number],
        ...[number, number, number, number],
      ];
      return geqrf(solver, handle, kind, { m, n, a, lda, tau, info });
    },
    [name(`${org}_bufferSize`)]: size(6, ([m, , k]) => m! * k!),
    [name(org)]: (solver, handle, args) => orgqr(solver, handle, kind, args),
    [name(`${orm}_bufferSize`)]: size(10, ([side, , m, n]) => tile * (side === 0 ? n! : m!)),
    [name(orm)]: (solver, handle, args) => ormqr(solver, handle, kind, args),
  };
}

/** A call of the 64-bit interface: its parameters come first, and types are arguments. */
export const general =
  (
    typeAt: number,
    act: (solver: Cusolver, handle: Handle, kind: Kind, args: number[]) => number,
    same: number[] = [],
  ): Call =>
  (solver, handle, [, ...args]) => {
    const kind = kindsByType.get(args[typeAt]!);
    if (!kind || same.some((place) => args[place] !== args[typeAt])) return status.NOT_SUPPORTED;
    return act(solver, handle, kind, args);
  };
export const generalSize = (
  typeAt: number,
  place: number,
  elements: (args: number[]) => number,
  same: number[] = [],
): Call =>
  general(
    typeAt,
    (solver, _handle, { bytes }, args) =>
      solver.giveWord(args[place]!, bytes * Math.max(1, elements(args))) || solver.giveWord(args[place + 1]!, 0),
    same,
  );

const generalCalls: Record<string, Call> = {
  cusolverDnXpotrf_bufferSize: generalSize(2, 6, ([, n]) => tile * n!, [5]),
  cusolverDnXpotrf: general(
    2,
    (solver, handle, kind, [fill, n, , a, lda, , , , , , info]) =>
      potrf(solver, handle, kind, [fill!, n!, a!, lda!], info!),
    [5],
  ),
  cusolverDnXpotrs: general(
    3,
    (solver, handle, kind, [fill, n, count, , a, lda, , b, ldb, info]) =>
      potrs(solver, handle, kind, [fill!, n!, count!, a!, lda!, b!, ldb!], info!),
    [6],
  ),
  cusolverDnXgetrf_bufferSize: generalSize(2, 6, ([m]) => tile * m!, [5]),
  cusolverDnXgetrf: general(
    2,
    (solver, handle, kind, [m, n, , a, lda, pivots, , , , , , info]) =>
      getrf(solver, handle, kind, { m: m!, n: n!, a: a!, lda: lda!, pivots: pivots!, wide: true, info: info! }),
    [6],
  ),
  cusolverDnXgetrs: general(
    3,
    (solver, handle, kind, [operation, n, count, , a, lda, pivots, , b, ldb, info]) =>
      getrs(solver, handle, kind, {
        ...{ operation: operation!, n: n!, count: count!, a: a!, lda: lda! },
        ...{ pivots: pivots!, wide: true, b: b!, ldb: ldb!, info: info! },
      }),
    [7],
  ),
  cusolverDnXgeqrf_bufferSize: generalSize(2, 8, ([, n]) => tile * n!, [5, 7]),
  cusolverDnXgeqrf: general(
    2,
    (solver, handle, kind, [m, n, , a, lda, , tau, , , , , , info]) =>
      geqrf(solver, handle, kind, { m: m!, n: n!, a: a!, lda: lda!, tau: tau!, info: info! }),
    [5, 7],
  ),
};

const calls: Record<string, Call> = {
  ...Object.assign({}, ...Object.entries(kinds).map(([X, kind]) => callsOf(X, kind))),
  ...generalCalls,
};

/** All of cuSOLVER by the names of its imports; calls that other files have are given. */
export function cusolverImports(
  context: CudaContext,
  { others, settings }: { others: Record<string, Call>; settings: Record<string, Setting> },
): Record<string, Imported> {
  const solver = new Cusolver(context);
  const imports: Record<string, Imported> = {};
  const ranged = traced(context, status.EXECUTION_FAILED);
  const withHandle = (call: Call) => (args: (number | bigint)[]) => {
    const [handle, ...rest] = numbers(args);
    const found = solver.handles.get(handle!);
    return found ? call(solver, found, rest, args.slice(1)) : status.NOT_INITIALIZED;
  };
  for (const [name, call] of Object.entries({ ...calls, ...others })) {
    const run = withHandle(call);
    imports[name] = name.endsWith('_bufferSize') ? (...args) => run(args) : ranged(name, run);
  }
  const quiet =
    (run: (args: number[]) => number): Imported =>
    (...args) =>
      run(numbers(args));
  for (const [name, call] of Object.entries(settings)) imports[name] = (...raw) => call(solver, raw);
  imports.cusolverDnCreate = ranged('cusolverDnCreate', (args) => solver.create(numbers(args)[0]!));
  imports.cusolverDnDestroy = ranged('cusolverDnDestroy', (args) =>
    solver.handles.delete(numbers(args)[0]!) ? status.SUCCESS : status.NOT_INITIALIZED,
  );
  imports.cusolverDnSetStream = quiet(([handle, stream]) => {
    const found = solver.handles.get(handle!);
    if (!found) return status.NOT_INITIALIZED;
    if (!solver.knowsStream(stream!)) return status.INVALID_VALUE;
    found.stream = stream!;
    return status.SUCCESS;
  });
  imports.cusolverDnGetStream = quiet(([handle, target]) => {
    const found = solver.handles.get(handle!);
    return found ? solver.giveStream(target!, found) : status.NOT_INITIALIZED;
  });
  imports.cusolverDnCreateParams = quiet(([target]) => solver.createParameters(target!));
  imports.cusolverDnDestroyParams = quiet(([handle]) =>
    solver.parameters.delete(handle!) ? status.SUCCESS : status.INVALID_VALUE,
  );
  // There is one algorithm for each function.
  imports.cusolverDnSetAdvOptions = quiet(([handle]) =>
    solver.parameters.has(handle!) ? status.SUCCESS : status.INVALID_VALUE,
  );
  imports.cusolverGetVersion = quiet(([target]) => solver.give(target!, version));
  imports.cusolverGetProperty = quiet(([type, target]) =>
    type! > 2 ? status.INVALID_VALUE : solver.give(target!, [11, 7, 3][type!]!),
  );
  return imports;
}
