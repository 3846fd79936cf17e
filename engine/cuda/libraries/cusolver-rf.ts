/** cuSOLVER's refactorization: L U by kernels for matrices whose entries and pivots are those of one that was factorized before. */
import {
  areasOf,
  diagonalOf,
  luOn,
  place,
  reorderOn,
  solveOn,
  type Numbers,
  type Placed,
} from './cusolver-sp-device.ts';
import { luPlace, symmetricFronts, type SymmetricFronts } from './cusolver-sp-fronts.ts';
import { identity, inverseOf, isOrder, transposeOf, type Pattern } from './cusolver-sp-orders.ts';
import { done, Failed, kinds, require, status, type SparseCalls, type SparseSolver } from './cusolver-sp.ts';

const kind = kinds.D!;
const zeroPivot = 10;
/** Its handles know no streams. */
const stream = { stream: 0 };

/** Where the ones on a diagonal are: in L or U, stored or not. */
const diagonals = { storedL: 0, storedU: 1, assumedL: 2, assumedU: 3 };

interface System {
  n: number;
  entries: number;
  batch: { count: number };
  placed: Placed<SymmetricFronts>;
  /** L and U in one matrix, and their numbers' places in the factor. */
  bundle: Pattern;
  /** Tables on the device: rows and columns of A in the order of elimination, and what the bundle is made of. */
  tables: { address: number; places: number[] };
  memory: number;
  areas: Record<'values' | 'factor' | 'pool' | 'x' | 'update' | 'bundled' | 'report', Numbers>;
  isAnalysed: boolean;
  isFactorized: boolean;
}

interface Refactorization {
  format: number;
  diagonal: number;
  zero: number;
  boost: number;
  factorAlgorithm: number;
  solveAlgorithm: number;
  fastMode: number;
  system: System | null;
}

/** Reads arrays of one side: the host's memory or the device's. */
interface Reader {
  ints: (address: number, count: number) => Int32Array;
  /** Copies numbers to the device. */
  copy: (target: number, source: number, bytes: number) => void;
}

/** A matrix by rows, as calls give it by rows or columns; `places`: entries' places in it. */
function byRows(n: number, offsets: Int32Array, indices: Int32Array, format: number): Pattern & { places: Int32Array } {
  require(
    offsets[0] === 0 && offsets[n] === indices.length && offsets.every((at, i) => i === 0 || at >= offsets[i - 1]!),
  );
  require(indices.every((index) => index >= 0 && index < n));
  const pattern = { rows: n, columns: n, offsets, indices };
  return format === 0 ? { ...pattern, places: identity(indices.length) } : transposeOf(pattern);
}

/** L and U in one matrix of sorted rows, with all of its diagonal. */
function bundleOf(n: number, lower: Pattern, upper: Pattern): Pattern {
  const offsets = new Int32Array(n + 1);
  const indices: number[] = [];
  for (let i = 0; i < n; i++) {
    const row = new Set([i]);
    for (const { offsets: starts, indices: columns } of [lower, upper])
      for (let k = starts[i]!; k < starts[i + 1]!; k++) row.add(columns[k]!);
    indices.push(...[...row].sort((a, b) => a - b));
    offsets[i + 1] = indices.length;
  }
  return { rows: n, columns: n, offsets, indices: Int32Array.from(indices) };
}

/** Entries of A in the order of its pivots, and then those of L and U, which have no values. */
function withBundle(a: Pattern & { places: Int32Array }, p: Int32Array, q: Int32Array, bundle: Pattern) {
  const n = a.rows;
  const columnOf = inverseOf(q);
  const offsets = new Int32Array(n + 1);
  const indices: number[] = [];
  const sources: number[] = [];
  for (let i = 0; i < n; i++) {
    for (let k = a.offsets[p[i]!]!; k < a.offsets[p[i]! + 1]!; k++) {
      indices.push(columnOf[a.indices[k]!]!);
      sources.push(a.places[k]!);
    }
    for (let k = bundle.offsets[i]!; k < bundle.offsets[i + 1]!; k++) {
      indices.push(bundle.indices[k]!);
      sources.push(-1);
    }
    offsets[i + 1] = indices.length;
  }
  const pattern: Pattern = { rows: n, columns: n, offsets, indices: Int32Array.from(indices) };
  return { pattern, sources: Int32Array.from(sources) };
}

/** Places of the bundle's numbers in the factor, whose L has the ones: on an H200 as well, whichever factor the program says has them. */
function bundlePlaces(fronts: SymmetricFronts, bundle: Pattern, format: number) {
  const { inverse, frontOf } = fronts;
  // Where columns are stored one after the other, so is the result.
  const shown = format === 0 ? { ...bundle, places: identity(bundle.indices.length) } : transposeOf(bundle);
  const places = new Int32Array(bundle.indices.length);
  for (let outer = 0; outer < bundle.rows; outer++) {
    for (let k = shown.offsets[outer]!; k < shown.offsets[outer + 1]!; k++) {
      const [i, j] = format === 0 ? [outer, shown.indices[k]!] : [shown.indices[k]!, outer];
      const [x, y] = [inverse[i]!, inverse[j]!];
      places[k] = luPlace(fronts, fronts.factor, frontOf[Math.min(x, y)]!, x, y);
    }
  }
  return { shown, places };
}

/** `values`: where A's numbers are, for each of the batch. */
function setup(solver: SparseSolver, rf: Refactorization, args: number[], reader: Reader, values: number[]): number {
  const [n, entries, aOffsets, aIndices] = args as [number, number, number, number];
  const [lowerCount, lowerOffsets, lowerIndices, , upperCount, upperOffsets, upperIndices, , pAt, qAt] = args.slice(
    5,
  ) as [...[number, number, number, number, number], ...[number, number, number, number, number]];
  require(n > 0 && entries > 0 && lowerCount >= 0 && upperCount >= 0 && values.every((at) => at !== 0));
  require([aOffsets, aIndices, lowerOffsets, upperOffsets, pAt, qAt].every((at) => at !== 0));
  release(solver, rf);
  const { format } = rf;
  const read = (offsets: number, indices: number, count: number): Pattern & { places: Int32Array } =>
    byRows(n, reader.ints(offsets, n + 1), reader.ints(indices, count), format);
  const a = read(aOffsets, aIndices, entries);
  const [p, q] = [reader.ints(pAt, n), reader.ints(qAt, n)];
  require(isOrder(p) && isOrder(q));
  const bundle = bundleOf(
    n,
    read(lowerOffsets, lowerIndices, lowerCount),
    read(upperOffsets, upperIndices, upperCount),
  );
  const { pattern, sources } = withBundle(a, p, q, bundle);
  const fronts = symmetricFronts(pattern, identity(n), 'lu', sources);
  const { shown, places } = bundlePlaces(fronts, bundle, format);
  const rows = fronts.order.map((k) => p[k]!);
  const columns = fronts.order.map((k) => q[k]!);
  const batch = { count: values.length };
  const sizes = [entries, fronts.factorSize, fronts.poolSize, n, fronts.updateSize, bundle.indices.length, 2];
  const memory = solver.allocate(areasOf(kind, 0, batch, sizes).bytes);
  const areas = areasOf(kind, memory, batch, sizes).areas as [
    Numbers,
    Numbers,
    Numbers,
    Numbers,
    Numbers,
    Numbers,
    Numbers,
  ];
  rf.system = {
    ...{ n, entries, batch, bundle: shown, memory, isAnalysed: false, isFactorized: false },
    placed: place(solver, fronts),
    tables: solver.upload([rows, columns, shown.offsets, shown.indices, places]),
    areas: {
      ...{ values: areas[0], factor: areas[1], pool: areas[2], x: areas[3] },
      ...{ update: areas[4], bundled: areas[5], report: areas[6] },
    },
  };
  values.forEach((at, k) => reader.copy(areas[0].at + kind.bytes * entries * k, at, kind.bytes * entries));
  return status.SUCCESS;
}

function release(solver: SparseSolver, rf: Refactorization): void {
  if (!rf.system) return;
  const { placed, tables, memory } = rf.system;
  for (const address of [placed.address, tables.address, memory]) solver.release(address);
  rf.system = null;
}

const onHost = (solver: SparseSolver): Reader => ({
  ints: (address, count) => solver.ints(address, count),
  copy: (target, source, bytes) => solver.copyFromHost(stream, target, solver.bytesAt(source, bytes)),
});

const onDevice = (solver: SparseSolver): Reader => ({
  ints: (address, count) => new Int32Array(solver.fetched(stream, address, 4 * count).buffer),
  copy: (target, source, bytes) => done(solver.copy(stream, target, source, bytes)),
});

/** Pointers that lie on the device. */
const pointers = (solver: SparseSolver, address: number, count: number): number[] =>
  Array.from(new BigUint64Array(solver.fetched(stream, address, 8 * count).buffer), Number);

const systemOf = (rf: Refactorization, holds: (system: System) => boolean = () => true): System => {
  require(rf.system !== null && holds(rf.system));
  return rf.system!;
};

function refactor(solver: SparseSolver, rf: Refactorization): System {
  const system = systemOf(rf, ({ isAnalysed }) => isAnalysed);
  const { placed, batch, areas } = system;
  done(solver.fill(stream, areas.report.at, 0, 16));
  const limits = { zero: rf.zero, boost: rf.boost, boosted: areas.report.at };
  luOn(solver, stream, kind, placed, { ...areas, batch }, limits);
  system.isFactorized = true;
  return system;
}

/** Solves for right-hand sides, one of each matrix, in their places. */
function solve(solver: SparseSolver, rf: Refactorization, sides: number[]): number {
  const { n, placed, tables, areas } = systemOf(rf, ({ isFactorized }) => isFactorized);
  const [rows, columns] = tables.places as [number, number];
  const batch = { count: 1 };
  sides.forEach((side, k) => {
    const of = ({ at, stride }: Numbers): Numbers => ({ at: at + kind.bytes * stride * k, stride });
    const [x, update, factor] = [of(areas.x), of(areas.update), of(areas.factor)];
    const given = { at: side, stride: 0 };
    reorderOn(solver, stream, kind, 'gather', { n, order: rows, from: given, to: x, batch });
    solveOn(solver, stream, kind, placed, { isLu: true, factor, x, update, batch });
    reorderOn(solver, stream, kind, 'scatter', { n, order: columns, from: x, to: given, batch });
  });
  return status.SUCCESS;
}

/** Writes L and U in one matrix to the device. */
function bundled(solver: SparseSolver, rf: Refactorization): System {
  const system = systemOf(rf, ({ isFactorized }) => isFactorized);
  const count = system.bundle.indices.length;
  const tables = system.tables.places.slice(4);
  const { factor, bundled: target } = system.areas;
  const grid = { x: Math.ceil(count / 256), y: 1, z: 1 };
  done(solver.launch(stream, 'cusolver_sp_dbundle', grid, 256, count, ...tables, factor.at, target.at));
  return system;
}

const bundleNumbers = (solver: SparseSolver, { bundle, areas }: System): Float64Array =>
  new Float64Array(solver.fetched(stream, areas.bundled.at, kind.bytes * bundle.indices.length).buffer);

const bytesOfArray = ({ buffer, byteOffset, byteLength }: Int32Array | Float64Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Part of a bundle: entries on one side of the diagonal, with what the diagonal is there. */
function giveSplit(
  solver: SparseSolver,
  [countAt, offsetsAt, indicesAt, valuesAt]: number[],
  { bundle, values }: { bundle: Pattern; values: Float64Array },
  { isIn, ones }: { isIn: (outer: number, inner: number) => boolean; ones: 'none' | 'stored' | 'assumed' },
): number {
  const offsets = new Int32Array(bundle.rows + 1);
  const indices: number[] = [];
  const numbers: number[] = [];
  for (let i = 0; i < bundle.rows; i++) {
    for (let k = bundle.offsets[i]!; k < bundle.offsets[i + 1]!; k++) {
      const j = bundle.indices[k]!;
      if (i === j ? ones === 'assumed' : !isIn(i, j)) continue;
      indices.push(j);
      numbers.push(i === j && ones === 'stored' ? 1 : values[k]!);
    }
    offsets[i + 1] = indices.length;
  }
  solver.given(offsetsAt!, bytesOfArray(offsets));
  solver.given(indicesAt!, bytesOfArray(Int32Array.from(indices)));
  solver.given(valuesAt!, bytesOfArray(Float64Array.from(numbers)));
  return solver.give(countAt!, indices.length);
}

function giveSplits(solver: SparseSolver, rf: Refactorization, targets: number[]): number {
  const system = bundled(solver, rf);
  const matrix = { bundle: system.bundle, values: bundleNumbers(solver, system) };
  const isBelow = (outer: number, inner: number): boolean => (rf.format === 0 ? outer > inner : outer < inner);
  const isStored = rf.diagonal === diagonals.storedL || rf.diagonal === diagonals.storedU;
  const ones = isStored ? 'stored' : 'assumed';
  const inL = rf.diagonal === diagonals.storedL || rf.diagonal === diagonals.assumedL;
  return (
    giveSplit(solver, targets.slice(0, 4), matrix, { isIn: isBelow, ones: inL ? ones : 'none' }) ||
    giveSplit(solver, targets.slice(4), matrix, { isIn: (i, j) => !isBelow(i, j), ones: inL ? 'none' : ones })
  );
}

type RfCall = (solver: SparseSolver, rf: Refactorization, args: number[]) => number;

/** Settings, whose values have to be among some. */
const settings: Record<string, RfCall> = {
  cusolverRfSetMatrixFormat: (_solver, rf, [format, diagonal]) => {
    require((format === 0 || format === 1) && diagonal! >= 0 && diagonal! <= 3);
    [rf.format, rf.diagonal] = [format!, diagonal!];
    return status.SUCCESS;
  },
  cusolverRfGetMatrixFormat: (solver, rf, [format, diagonal]) =>
    solver.give(format!, rf.format) || solver.give(diagonal!, rf.diagonal),
  cusolverRfSetNumericProperties: (_solver, rf, [zero, boost]) => {
    [rf.zero, rf.boost] = [zero!, boost!];
    return status.SUCCESS;
  },
  cusolverRfGetNumericProperties: (solver, rf, [zero, boost]) => {
    solver.writeReal(kind, zero!, rf.zero);
    solver.writeReal(kind, boost!, rf.boost);
    return status.SUCCESS;
  },
  cusolverRfGetNumericBoostReport: (solver, rf, [target]) => {
    const system = rf.system?.isFactorized ? rf.system : null;
    return solver.give(target!, system ? onDevice(solver).ints(system.areas.report.at, 1)[0]! : 0);
  },
  cusolverRfSetAlgs: (_solver, rf, [factor, solving]) => {
    require(factor! >= 0 && factor! <= 2 && solving! >= 1 && solving! <= 3);
    [rf.factorAlgorithm, rf.solveAlgorithm] = [factor!, solving!];
    return status.SUCCESS;
  },
  cusolverRfGetAlgs: (solver, rf, [factor, solving]) =>
    solver.give(factor!, rf.factorAlgorithm) || solver.give(solving!, rf.solveAlgorithm),
  cusolverRfSetResetValuesFastMode: (_solver, rf, [mode]) => {
    require(mode === 0 || mode === 1);
    rf.fastMode = mode!;
    return status.SUCCESS;
  },
  cusolverRfGetResetValuesFastMode: (solver, rf, [target]) => solver.give(target!, rf.fastMode),
};

const analyse: RfCall = (_solver, rf) => {
  systemOf(rf).isAnalysed = true;
  return status.SUCCESS;
};

/** Calls whose first argument is the handle. */
const calls: Record<string, RfCall> = {
  ...settings,
  cusolverRfAnalyze: analyse,
  cusolverRfBatchAnalyze: analyse,
  cusolverRfRefactor: (solver, rf) => {
    const { placed, areas } = refactor(solver, rf);
    return diagonalOf(solver, stream, kind, placed, areas.factor.at).includes(0) ? zeroPivot : status.SUCCESS;
  },
  cusolverRfBatchRefactor: (solver, rf) => (refactor(solver, rf), status.SUCCESS),
  cusolverRfSolve: (solver, rf, [, , count, , ldt, x, ldx]) => {
    const { n } = systemOf(rf);
    require(count === 1 && x !== 0 && ldt! >= n && ldx! >= n);
    return solve(solver, rf, [x!]);
  },
  cusolverRfBatchSolve: (solver, rf, [, , count, , ldt, x, ldx]) => {
    const { n, batch } = systemOf(rf);
    require(count === 1 && x !== 0 && ldt! >= n && ldx! >= n);
    return solve(solver, rf, pointers(solver, x!, batch.count));
  },
  cusolverRfBatchZeroPivot: (solver, rf, [target]) => {
    const { placed, areas, batch } = systemOf(rf, ({ isFactorized }) => isFactorized);
    require(target !== 0);
    const { order } = placed.fronts;
    for (let k = 0; k < batch.count; k++) {
      const at = areas.factor.at + kind.bytes * areas.factor.stride * k;
      const pivots = diagonalOf(solver, stream, kind, placed, at);
      const zeros = Array.from(order).filter((_, place) => !(Math.abs(pivots[place]!) > 0));
      solver.writeInts(target! + 4 * k, [zeros.reduce((first, row) => (first < 0 || row < first ? row : first), -1)]);
    }
    return status.SUCCESS;
  },
  cusolverRfAccessBundledFactorsDevice: (solver, rf, [count, offsets, indices, values]) => {
    const { bundle, tables, areas } = bundled(solver, rf);
    return (
      solver.give(count!, bundle.indices.length) ||
      solver.giveWord(offsets!, tables.places[2]!) ||
      solver.giveWord(indices!, tables.places[3]!) ||
      solver.giveWord(values!, areas.bundled.at)
    );
  },
  cusolverRfExtractBundledFactorsHost: (solver, rf, [count, offsets, indices, values]) => {
    const system = bundled(solver, rf);
    solver.given(offsets!, bytesOfArray(system.bundle.offsets));
    solver.given(indices!, bytesOfArray(system.bundle.indices));
    solver.given(values!, bytesOfArray(bundleNumbers(solver, system)));
    return solver.give(count!, system.bundle.indices.length);
  },
  cusolverRfExtractSplitFactorsHost: giveSplits,
};

/** Calls whose last argument is the handle. */
const lastCalls: Record<string, RfCall> = {
  cusolverRfSetupHost: (solver, rf, args) => setup(solver, rf, args, onHost(solver), [args[4]!]),
  cusolverRfSetupDevice: (solver, rf, args) => setup(solver, rf, args, onDevice(solver), [args[4]!]),
  cusolverRfBatchSetupHost: (solver, rf, [count, ...args]) => {
    require(count! > 0 && args[4] !== 0);
    const values = Array.from(new BigUint64Array(new Uint8Array(solver.bytesAt(args[4]!, 8 * count!)).buffer), Number);
    return setup(solver, rf, args, onHost(solver), values);
  },
  cusolverRfResetValues: (solver, rf, [n, entries, , , values]) => {
    const { areas } = systemOf(rf, (system) => system.n === n && system.entries === entries && values !== 0);
    onDevice(solver).copy(areas.values.at, values!, kind.bytes * entries!);
    return status.SUCCESS;
  },
  cusolverRfBatchResetValues: (solver, rf, [count, n, entries, , , values]) => {
    const { areas } = systemOf(
      rf,
      (system) => system.batch.count === count && system.n === n && system.entries === entries && values !== 0,
    );
    pointers(solver, values!, count!).forEach((at, k) =>
      onDevice(solver).copy(areas.values.at + kind.bytes * entries! * k, at, kind.bytes * entries!),
    );
    return status.SUCCESS;
  },
};

export const refactorizationCalls = (): SparseCalls => {
  const all = new Map<number, Refactorization>();
  const found = (handle: number): Refactorization => {
    const rf = all.get(handle);
    if (!rf) throw new Failed(status.NOT_INITIALIZED);
    return rf;
  };
  const objects: NonNullable<SparseCalls['objects']> = {
    cusolverRfCreate: (solver, [target]) =>
      solver.add(all, target!, {
        ...{ format: 0, diagonal: diagonals.storedL, zero: 0, boost: 0, factorAlgorithm: 0, solveAlgorithm: 1 },
        ...{ fastMode: 0, system: null },
      }),
    cusolverRfDestroy: (solver, [handle]) => {
      release(solver, found(handle!));
      all.delete(handle!);
      return status.SUCCESS;
    },
  };
  for (const [name, call] of Object.entries(calls))
    objects[name] = (solver, [handle, ...args]) => call(solver, found(handle!), args);
  for (const [name, call] of Object.entries(lastCalls))
    objects[name] = (solver, args) => call(solver, found(args.at(-1)!), args.slice(0, -1));
  return { calls: {}, objects };
};
