/** Sparse factorizations by kernels: fronts level by level, each in a block. What fronts there are is found on the host. */
import type { Tree } from './cusolver-sp-elimination.ts';
import type { QrFronts, SymmetricFronts } from './cusolver-sp-fronts.ts';
import { bytesOf, done, doublesOf, type Kind, type SparseSolver } from './cusolver-sp.ts';
import { Words, type InStream } from './library.ts';

/** As `struct Front`. */
const frontInts = 18;
const warp = 32;

/** Levels of one launch: several where each has a single front. */
interface Step {
  first: number;
  end: number;
  width: number;
  /** Columns of the largest front. */
  size: number;
}

/** Fronts whose tables are on the device. */
export interface Placed<Fronts> {
  fronts: Fronts;
  /** All of the tables. */
  address: number;
  tables: Record<Table, number>;
  steps: Step[];
}

const tables = [
  ...(['fronts', 'byLevel', 'levelStarts', 'columns', 'relative', 'children', 'from', 'to'] as const),
  ...(['order', 'diagonal', 'rows', 'rowTo', 'stairs', 'shifts'] as const),
] as const;
type Table = (typeof tables)[number];

/** Systems that are solved at once: a block in y for each. */
export interface Batch {
  count: number;
}

export const one: Batch = { count: 1 };

const isQr = (fronts: SymmetricFronts | QrFronts): fronts is QrFronts => 'heights' in fronts;

function stepsOf({ levelStarts, byLevel, sizes }: Tree): Step[] {
  const steps: Step[] = [];
  for (let level = 0; level + 1 < levelStarts.length; level++) {
    const [begin, end] = [levelStarts[level]!, levelStarts[level + 1]!];
    const size = byLevel.subarray(begin, end).reduce((most, f) => Math.max(most, sizes[f]!), 0);
    const last = steps.at(-1);
    if (last && last.width === 1 && end - begin === 1) {
      last.end = level + 1;
      last.size = Math.max(last.size, size);
    } else steps.push({ first: level, end: level + 1, width: end - begin, size });
  }
  return steps;
}

/** As an array of `struct Front`. */
function frontStructs(fronts: SymmetricFronts | QrFronts): Int32Array {
  const ints = new Int32Array(frontInts * fronts.count);
  const { first, pivots, sizes, lists, factor, childStarts, entries } = fronts;
  for (let f = 0; f < fronts.count; f++) {
    const rest = isQr(fronts) ? [0, 0] : [fronts.rest[f]!, fronts.update[f]!];
    const ends = [childStarts[f]!, childStarts[f + 1]!, entries.starts[f]!, entries.starts[f + 1]!];
    ints.set([first[f]!, pivots[f]!, sizes[f]!, lists[f]!, factor[f]!, ...rest, ...ends], frontInts * f);
    if (!isQr(fronts)) continue;
    const { heights, rowLists, reflectors, taus, shifts } = fronts;
    const own = [heights[f]!, rowLists[f]!, reflectors[f]!, taus[f]!, shifts.starts[f]!, shifts.starts[f + 1]!];
    ints.set(own, frontInts * f + 11);
  }
  return ints;
}

export function place<Fronts extends SymmetricFronts | QrFronts>(solver: SparseSolver, fronts: Fronts): Placed<Fronts> {
  const none = new Int32Array(0);
  const { entries, byLevel, levelStarts, columns, relative, children, order, diagonal } = fronts;
  const rows = isQr(fronts) ? [fronts.rows, fronts.rowTo, fronts.stairs, fronts.shifts.to] : [none, none, none, none];
  const arrays = [
    byLevel,
    levelStarts,
    columns,
    relative,
    children,
    entries.from,
    entries.to,
    order,
    diagonal,
    ...rows,
  ];
  const { address, places } = solver.upload([frontStructs(fronts), ...arrays]);
  const named = Object.fromEntries(tables.map((table, k) => [table, places[k]!])) as Record<Table, number>;
  return { fronts, address, tables: named, steps: stepsOf(fronts) };
}

/** As `struct Tree`. */
function treeStruct({ tables: at }: Placed<unknown>, { first, end }: Step): Uint8Array {
  const words = new Words();
  words.pointers(at.fronts, at.byLevel, at.levelStarts, at.columns, at.relative, at.children);
  words.ints(first, end);
  return words.bytes;
}

/** As `struct Entries`. */
function entriesStruct({ tables: at }: Placed<unknown>, stride: number): Uint8Array {
  const words = new Words();
  words.pointers(at.from, at.to);
  words.longs(BigInt(stride));
  return words.bytes;
}

/** As `struct Rows`. */
function rowsStruct({ tables: at }: Placed<unknown>): Uint8Array {
  const words = new Words();
  words.pointers(at.rows, at.rowTo, at.stairs, at.shifts);
  return words.bytes;
}

type Values = (number | bigint | Uint8Array)[];

/** Launches a kernel for all levels, from the leaves to the roots or back. */
function eachStep(
  solver: SparseSolver,
  handle: InStream,
  kind: Kind,
  placed: Placed<unknown>,
  {
    kernel,
    back = false,
    batch,
    threads,
  }: { kernel: string; back?: boolean; batch: Batch; threads: (size: number) => number },
  values: Values,
): void {
  for (const step of back ? placed.steps.slice().reverse() : placed.steps) {
    const grid = { x: step.width, y: batch.count, z: 1 };
    const name = `cusolver_sp_${kind.letter}${kernel}`;
    done(solver.launch(handle, name, grid, threads(step.size), treeStruct(placed, step), ...values));
  }
}

/** A block's threads for a front of so many columns. */
const threadsFor = (size: number): number => (size <= 16 ? warp : size <= 48 ? 128 : size <= 96 ? 256 : 512);
const oneWarp = (): number => warp;
/** The same for solving, where there is less to do. */
const solversFor = (size: number): number => (size <= 32 ? warp : size <= 64 ? 2 * warp : 4 * warp);

/** An area of numbers, and how far those of the batch are from each other. */
export interface Numbers {
  at: number;
  stride: number;
}

const pair = ({ at, stride }: Numbers): [number, bigint] => [at, BigInt(stride)];

export function choleskyOn(
  solver: SparseSolver,
  handle: InStream,
  kind: Kind,
  placed: Placed<SymmetricFronts>,
  { values, factor, pool, batch }: { values: Numbers; factor: Numbers; pool: Numbers; batch: Batch },
): void {
  const how = { kernel: 'cholesky', batch, threads: threadsFor };
  const own = [entriesStruct(placed, values.stride), values.at, ...pair(factor), ...pair(pool)];
  eachStep(solver, handle, kind, placed, how, own);
}

/** `boost`: what replaces pivots that are below `zero`, which an int on the device says. */
export function luOn(
  solver: SparseSolver,
  handle: InStream,
  kind: Kind,
  placed: Placed<SymmetricFronts>,
  { values, factor, pool, batch }: { values: Numbers; factor: Numbers; pool: Numbers; batch: Batch },
  { zero, boost, boosted }: { zero: number; boost: number; boosted: number },
): void {
  const how = { kernel: 'lu', batch, threads: threadsFor };
  const limits = [bytesOf(kind, Float64Array.of(zero)), bytesOf(kind, Float64Array.of(boost)), boosted];
  const own = [entriesStruct(placed, values.stride), values.at, ...pair(factor), ...pair(pool)];
  eachStep(solver, handle, kind, placed, how, [...own, ...limits]);
}

/** x of L L' x = b or L U x = b, in the order of elimination and in its place. */
export function solveOn(
  solver: SparseSolver,
  handle: InStream,
  kind: Kind,
  placed: Placed<SymmetricFronts>,
  { isLu, factor, x, update, batch }: { isLu: boolean; factor: Numbers; x: Numbers; update: Numbers; batch: Batch },
): void {
  const how = { batch, threads: solversFor };
  const own = [isLu ? 1 : 0, ...pair(factor), ...pair(x)];
  eachStep(solver, handle, kind, placed, { ...how, kernel: 'forward' }, [...own, ...pair(update)]);
  eachStep(solver, handle, kind, placed, { ...how, kernel: 'backward', back: true }, own);
}

interface QrAreas {
  factor: Numbers;
  taus: Numbers;
  batch: Batch;
}

export function qrOn(
  solver: SparseSolver,
  handle: InStream,
  kind: Kind,
  placed: Placed<QrFronts>,
  { values, mu, factor, taus, batch }: QrAreas & { values: Numbers; mu: Float64Array },
): void {
  const how = { kernel: 'qr', batch, threads: threadsFor };
  const matrix = [rowsStruct(placed), entriesStruct(placed, values.stride), values.at];
  const shift = bytesOf(kind, mu.subarray(0, kind.arithmetic.parts));
  eachStep(solver, handle, kind, placed, how, [...matrix, ...pair(factor), ...pair(taus), shift]);
}

/** x of the least |A x - b|; `side`: b, which is lost. */
export function qrSolveOn(
  solver: SparseSolver,
  handle: InStream,
  kind: Kind,
  placed: Placed<QrFronts>,
  { factor, taus, side, x, batch }: QrAreas & { side: Numbers; x: Numbers },
): void {
  const how = { batch, threads: oneWarp };
  const own = [...pair(factor), ...pair(taus), ...pair(side), ...pair(x)];
  eachStep(solver, handle, kind, placed, { ...how, kernel: 'qr_forward' }, [rowsStruct(placed), ...own]);
  eachStep(solver, handle, kind, placed, { ...how, kernel: 'qr_backward', back: true }, [...pair(factor), ...pair(x)]);
}

function eachNumber(
  solver: SparseSolver,
  handle: InStream,
  kind: Kind,
  kernel: string,
  { n, batch }: { n: number; batch: Batch },
  values: Values,
): void {
  if (n === 0 || batch.count === 0) return;
  const grid = { x: Math.ceil(n / 256), y: batch.count, z: 1 };
  done(solver.launch(handle, `cusolver_sp_${kind.letter}${kernel}`, grid, 256, n, ...values));
}

/** Numbers in the order of a table: to[i] = from[order[i]], or to[order[i]] = from[i]. */
export function reorderOn(
  solver: SparseSolver,
  handle: InStream,
  kind: Kind,
  kernel: 'gather' | 'scatter',
  { n, order, from, to, batch }: { n: number; order: number; from: Numbers; to: Numbers; batch: Batch },
): void {
  eachNumber(solver, handle, kind, kernel, { n, batch }, [order, ...pair(from), ...pair(to)]);
}

/** The diagonal of a factor, written to the device, in the order of elimination. */
export function diagonalOn(
  solver: SparseSolver,
  handle: InStream,
  kind: Kind,
  placed: Placed<SymmetricFronts | QrFronts>,
  factor: number,
  target: number,
): void {
  const n = placed.fronts.order.length;
  eachNumber(solver, handle, kind, 'diagonal', { n, batch: one }, [placed.tables.diagonal, factor, target]);
}

const realKind = (kind: Kind): Kind => ({ ...kind, bytes: kind.bytes / kind.arithmetic.parts });

/** The same for the host, through memory of the library's own. */
export function diagonalOf(
  solver: SparseSolver,
  handle: InStream,
  kind: Kind,
  placed: Placed<SymmetricFronts | QrFronts>,
  factor: number,
): Float64Array {
  const bytes = realKind(kind).bytes * placed.fronts.order.length;
  const target = solver.allocate(bytes);
  try {
    diagonalOn(solver, handle, kind, placed, factor, target);
    return doublesOf(kind, solver.fetched(handle, target, bytes));
  } finally {
    solver.release(target);
  }
}

/** Areas of numbers that follow each other, each for a whole batch, and the bytes of all. */
export function areasOf(
  kind: Kind,
  at: number,
  batch: Batch,
  sizes: readonly number[],
): { areas: Numbers[]; bytes: number } {
  const areas: Numbers[] = [];
  let bytes = 0;
  for (const stride of sizes) {
    areas.push({ at: at + bytes, stride });
    bytes += Math.ceil((kind.bytes * stride * batch.count) / 256) * 256;
  }
  return { areas, bytes: Math.max(bytes, 256) };
}
