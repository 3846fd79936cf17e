/** cuSOLVER's sparse calls on memory of the device: systems at once, step by step, and batches of them. */
import {
  areasOf,
  choleskyOn,
  diagonalOf,
  diagonalOn,
  one,
  place,
  qrOn,
  qrSolveOn,
  reorderOn,
  solveOn,
  type Batch,
  type Numbers,
  type Placed,
} from './cusolver-sp-device.ts';
import { qrFronts, symmetricFronts, type QrFronts, type SymmetricFronts } from './cusolver-sp-fronts.ts';
import { firstZero, inverseIteration, scalarOf } from './cusolver-sp-host.ts';
import { columnGraph, dissectionOrder, orderOf, symmetricGraph, type Pattern } from './cusolver-sp-orders.ts';
import {
  bytesOf,
  doublesOf,
  eachKind,
  Failed,
  require,
  status,
  type Call,
  type Kind,
  type SparseCalls,
  type SparseSolver,
} from './cusolver-sp.ts';
import type { InStream } from './library.ts';

/** A factor on the device, and the memory that it has. */
interface Factor<Fronts> {
  placed: Placed<Fronts>;
  kind: Kind;
  /** Numbers of the factor, and behind them those of reflectors. 0: there are none yet. */
  memory: number;
  /** Values of the matrix, and what is taken from its diagonal. */
  setup: { values: number; mu: Float64Array } | null;
  isDone: boolean;
}

const areasOfFactor = (kind: Kind, at: number, batch: Batch, { factorSize, ...fronts }: SymmetricFronts | QrFronts) =>
  areasOf(kind, at, batch, [factorSize, 'tausSize' in fronts ? fronts.tausSize : 0]);

/** A buffer's bytes: for the factorization, or for a solution, which comes later. */
function bufferBytes(kind: Kind, batch: Batch, fronts: SymmetricFronts | QrFronts): number {
  const n = fronts.order.length;
  if ('heights' in fronts) return areasOf(kind, 0, batch, [fronts.rowCount, n]).bytes;
  return Math.max(
    areasOf(kind, 0, batch, [fronts.poolSize]).bytes,
    areasOf(kind, 0, batch, [n, fronts.updateSize]).bytes,
  );
}

const alone = (at: number): Numbers => ({ at, stride: 0 });

function begin<Fronts extends SymmetricFronts | QrFronts>(
  solver: SparseSolver,
  kind: Kind,
  fronts: Fronts,
): Factor<Fronts> {
  return { placed: place(solver, fronts), kind, memory: 0, setup: null, isDone: false };
}

function release(solver: SparseSolver, factor: Factor<unknown> | null): void {
  if (!factor) return;
  solver.release(factor.placed.address);
  solver.release(factor.memory);
}

/** Memory for a factor, unless it has one of this type. */
function withMemory(solver: SparseSolver, factor: Factor<SymmetricFronts | QrFronts>, kind: Kind): Numbers[] {
  if (factor.memory === 0 || factor.kind !== kind) {
    solver.release(factor.memory);
    factor.memory = 0;
    factor.kind = kind;
    factor.memory = solver.allocate(areasOfFactor(kind, 0, one, factor.placed.fronts).bytes);
  }
  return areasOfFactor(kind, factor.memory, one, factor.placed.fronts).areas;
}

function factorCholesky(
  solver: SparseSolver,
  handle: InStream,
  kind: Kind,
  factor: Factor<SymmetricFronts>,
  values: number,
  buffer: number,
): void {
  const [own] = withMemory(solver, factor, kind);
  choleskyOn(solver, handle, kind, factor.placed, {
    values: alone(values),
    factor: own!,
    pool: alone(buffer),
    batch: one,
  });
  factor.isDone = true;
}

function solveCholesky(
  solver: SparseSolver,
  handle: InStream,
  factor: Factor<SymmetricFronts>,
  b: number,
  x: number,
  buffer: number,
): void {
  const { placed, kind } = factor;
  const { order } = placed.tables;
  const n = placed.fronts.order.length;
  const [own] = withMemory(solver, factor, kind);
  const [turned, update] = areasOf(kind, buffer, one, [n, placed.fronts.updateSize]).areas as [Numbers, Numbers];
  reorderOn(solver, handle, kind, 'gather', { n, order, from: alone(b), to: turned, batch: one });
  solveOn(solver, handle, kind, placed, { isLu: false, factor: own!, x: turned, update, batch: one });
  reorderOn(solver, handle, kind, 'scatter', { n, order, from: turned, to: alone(x), batch: one });
}

function factorQr(
  solver: SparseSolver,
  handle: InStream,
  kind: Kind,
  factor: Factor<QrFronts>,
  values: number,
  mu: Float64Array,
): void {
  const [own, taus] = withMemory(solver, factor, kind) as [Numbers, Numbers];
  qrOn(solver, handle, kind, factor.placed, { values: alone(values), mu, factor: own, taus, batch: one });
  factor.isDone = true;
}

function solveQr(
  solver: SparseSolver,
  handle: InStream,
  factor: Factor<QrFronts>,
  { rows, b, x, buffer }: Record<'rows' | 'b' | 'x' | 'buffer', number>,
): void {
  const { placed, kind } = factor;
  const n = placed.fronts.order.length;
  const [own, taus] = withMemory(solver, factor, kind) as [Numbers, Numbers];
  const [side, turned] = areasOf(kind, buffer, one, [placed.fronts.rowCount, n]).areas as [Numbers, Numbers];
  const code = solver.copy(handle, side.at, b, kind.bytes * rows);
  if (code !== status.SUCCESS) throw new Failed(code);
  qrSolveOn(solver, handle, kind, placed, { factor: own, taus, side, x: turned, batch: one });
  reorderOn(solver, handle, kind, 'scatter', { n, order: placed.tables.order, from: turned, to: alone(x), batch: one });
}

/** The row of A whose pivot is the first that is not above a tolerance; -1: there is none. */
function zeroOf(
  solver: SparseSolver,
  handle: InStream,
  factor: Factor<SymmetricFronts | QrFronts>,
  tolerance: number,
): number {
  const diagonal = diagonalOf(solver, handle, factor.kind, factor.placed, factor.memory);
  return firstZero((k) => Math.abs(diagonal[k]!), factor.placed.fronts.order, tolerance);
}

/** A factor and a buffer for one call. */
function once<Fronts extends SymmetricFronts | QrFronts>(
  solver: SparseSolver,
  kind: Kind,
  fronts: Fronts,
  act: (factor: Factor<Fronts>, buffer: number) => number,
): number {
  const factor = begin(solver, kind, fronts);
  let buffer = 0;
  try {
    buffer = solver.allocate(bufferBytes(kind, one, fronts));
    return act(factor, buffer);
  } finally {
    solver.release(buffer);
    release(solver, factor);
  }
}

const solvingCall =
  (method: 'cholesky' | 'qr') =>
  (kind: Kind): Call =>
  (solver, handle, args) => {
    const [n, entries, descr, values, offsets, indices, b, tolerance, reorder, x, singularity] = args as [
      ...[number, number, number, number, number, number],
      ...[number, number, number, number, number],
    ];
    require(singularity !== 0 && (n === 0 || (b !== 0 && x !== 0)));
    const { pattern } = solver.csr({ rows: n, columns: n, entries, descr, offsets, indices }, handle);
    if (method === 'cholesky') {
      const order = orderOf(reorder, () => symmetricGraph(pattern), n);
      return once(solver, kind, symmetricFronts(pattern, order, 'cholesky'), (factor, buffer) => {
        factorCholesky(solver, handle, kind, factor, values, buffer);
        const zero = zeroOf(solver, handle, factor, tolerance);
        if (zero < 0) solveCholesky(solver, handle, factor, b, x, buffer);
        return solver.give(singularity, zero);
      });
    }
    const order = orderOf(reorder, () => columnGraph(pattern), n);
    return once(solver, kind, qrFronts(pattern, order), (factor, buffer) => {
      factorQr(solver, handle, kind, factor, values, new Float64Array(2));
      const zero = zeroOf(solver, handle, factor, tolerance);
      if (zero < 0) solveQr(solver, handle, factor, { rows: n, b, x, buffer });
      return solver.give(singularity, zero);
    });
  };

/** Solutions are made on the device, and their lengths are taken on the host. */
const eigenCall =
  (kind: Kind): Call =>
  (solver, handle, args) => {
    const [n, entries, descr, values, offsets, indices, muArgument, x0, steps, tolerance, muTarget, x] = args as [
      ...[number, number, number, number, number, number],
      ...[number, number, number, number, number, number],
    ];
    require(x0 !== 0 && muTarget !== 0 && x !== 0);
    const { pattern } = solver.csr({ rows: n, columns: n, entries, descr, offsets, indices }, handle);
    const mu = scalarOf(solver, kind, muArgument);
    const bytes = kind.bytes * n;
    return once(solver, kind, qrFronts(pattern, dissectionOrder(columnGraph(pattern))), (factor, buffer) => {
      const write = (target: number, numbers: Float64Array): void =>
        solver.copyFromHost(handle, target, bytesOf(kind, numbers));
      factorQr(solver, handle, kind, factor, values, mu);
      const start = doublesOf(kind, solver.fetched(handle, x0, bytes));
      const found = inverseIteration(kind, mu, start, { steps, tolerance }, (b) => {
        write(x, b);
        solveQr(solver, handle, factor, { rows: n, b: x, x, buffer });
        return doublesOf(kind, solver.fetched(handle, x, bytes));
      });
      write(x, found.x);
      write(muTarget, found.mu);
      return status.SUCCESS;
    });
  };

/** `csrcholInfo_t` and `csrqrInfo_t`; null before the analysis. */
type Infos<Fronts> = Map<number, { factor: Factor<Fronts> | null }>;

const found = <Fronts>(infos: Infos<Fronts>, info: number): { factor: Factor<Fronts> | null } => {
  const object = infos.get(info);
  require(object !== undefined);
  return object!;
};

const analysed = <Fronts>(infos: Infos<Fronts>, info: number): Factor<Fronts> => {
  const { factor } = found(infos, info);
  require(factor !== null);
  return factor!;
};

const factorized = <Fronts>(infos: Infos<Fronts>, info: number): Factor<Fronts> => {
  const factor = analysed(infos, info);
  require(factor.isDone);
  return factor;
};

const creating = <Fronts>(infos: Infos<Fronts>, name: string): SparseCalls['objects'] => ({
  [`cusolverSpCreate${name}`]: (solver, [target]) => solver.add(infos, target!, { factor: null }),
  [`cusolverSpDestroy${name}`]: (solver, [info]) => {
    const object = infos.get(info!);
    if (object) release(solver, object.factor);
    infos.delete(info!);
    return status.SUCCESS;
  },
});

function analyse<Fronts extends SymmetricFronts | QrFronts>(
  solver: SparseSolver,
  infos: Infos<Fronts>,
  info: number,
  fronts: () => Fronts,
): number {
  const object = found(infos, info);
  release(solver, object.factor);
  object.factor = null;
  object.factor = begin(solver, { letter: '', bytes: 0 } as Kind, fronts());
  return status.SUCCESS;
}

/** Sizes of what the library has itself, and of the buffer. */
const giveSizes = (solver: SparseSolver, [internal, workspace]: number[], own: number, buffer: number): number =>
  solver.giveWord(internal!, own) || solver.giveWord(workspace!, buffer);

/** Those of a factorization of one matrix. */
const giveRoom = (solver: SparseSolver, targets: number[], kind: Kind, fronts: SymmetricFronts | QrFronts): number =>
  giveSizes(solver, targets, areasOfFactor(kind, 0, one, fronts).bytes, bufferBytes(kind, one, fronts));

export const choleskyCalls = (): SparseCalls => {
  const infos: Infos<SymmetricFronts> = new Map();
  return {
    objects: creating(infos, 'CsrcholInfo')!,
    calls: eachKind({
      cusolverSpXcsrcholAnalysis:
        () =>
        (solver, handle, [n, entries, descr, offsets, indices, info]) => {
          const { pattern } = solver.csr(
            { rows: n!, columns: n!, entries: entries!, descr: descr!, offsets: offsets!, indices: indices! },
            handle,
          );
          const order = dissectionOrder(symmetricGraph(pattern));
          return analyse(solver, infos, info!, () => symmetricFronts(pattern, order, 'cholesky'));
        },
      'cusolverSp#csrcholBufferInfo': (kind) => (solver, _handle, args) => {
        const { fronts } = analysed(infos, args[6]!).placed;
        return giveRoom(solver, args.slice(7), kind, fronts);
      },
      'cusolverSp#csrcholFactor': (kind) => (solver, handle, args) => {
        const [values, , , info, buffer] = args.slice(3) as [number, number, number, number, number];
        require(values !== 0 && buffer !== 0);
        factorCholesky(solver, handle, kind, analysed(infos, info), values, buffer);
        return status.SUCCESS;
      },
      'cusolverSp#csrcholZeroPivot':
        () =>
        (solver, handle, [info, tolerance, target]) =>
          solver.give(target!, zeroOf(solver, handle, factorized(infos, info!), tolerance!)),
      'cusolverSp#csrcholSolve':
        () =>
        (solver, handle, [n, b, x, info, buffer]) => {
          const factor = factorized(infos, info!);
          require(n === factor.placed.fronts.order.length && b !== 0 && x !== 0 && buffer !== 0);
          solveCholesky(solver, handle, factor, b!, x!, buffer!);
          return status.SUCCESS;
        },
      'cusolverSp#csrcholDiag':
        () =>
        (solver, handle, [info, target]) => {
          const { placed, memory, kind } = factorized(infos, info!);
          require(target !== 0);
          diagonalOn(solver, handle, kind, placed, memory, target!);
          return status.SUCCESS;
        },
    }),
  };
};

/** Systems whose matrices have the same entries: all that is computed is in the buffer. */
function batched(
  solver: SparseSolver,
  handle: InStream,
  kind: Kind,
  placed: Placed<QrFronts>,
  {
    rows,
    entries,
    values,
    b,
    x,
    count,
    buffer,
  }: Record<'rows' | 'entries' | 'values' | 'b' | 'x' | 'count' | 'buffer', number>,
): number {
  const { fronts, tables } = placed;
  const batch = { count };
  const n = fronts.order.length;
  const { areas } = areasOf(kind, buffer, batch, [fronts.factorSize, fronts.tausSize, rows, n]);
  const [factor, taus, side, turned] = areas as [Numbers, Numbers, Numbers, Numbers];
  const matrices = { values: { at: values, stride: entries }, mu: new Float64Array(2) };
  qrOn(solver, handle, kind, placed, { ...matrices, factor, taus, batch });
  const code = solver.copy(handle, side.at, b, kind.bytes * rows * count);
  if (code !== status.SUCCESS) return code;
  qrSolveOn(solver, handle, kind, placed, { factor, taus, side, x: turned, batch });
  reorderOn(solver, handle, kind, 'scatter', { n, order: tables.order, from: turned, to: { at: x, stride: n }, batch });
  return status.SUCCESS;
}

const analysisOfQr =
  (infos: Infos<QrFronts>): Call =>
  (solver, handle, [rows, columns, entries, descr, offsets, indices, info]) => {
    require(rows! >= columns!);
    const { pattern } = solver.csr(
      { rows: rows!, columns: columns!, entries: entries!, descr: descr!, offsets: offsets!, indices: indices! },
      handle,
    );
    return analyse(solver, infos, info!, () => qrFronts(pattern, qrOrder(pattern)));
  };

const qrOrder = (a: Pattern): Int32Array => dissectionOrder(columnGraph(a));

export const qrCalls = (): SparseCalls => {
  const infos: Infos<QrFronts> = new Map();
  return {
    objects: creating(infos, 'CsrqrInfo')!,
    calls: eachKind({
      cusolverSpXcsrqrAnalysis: () => analysisOfQr(infos),
      cusolverSpXcsrqrAnalysisBatched: () => analysisOfQr(infos),
      'cusolverSp#csrqrBufferInfo': (kind) => (solver, _handle, args) => {
        const { fronts } = analysed(infos, args[7]!).placed;
        return giveRoom(solver, args.slice(8), kind, fronts);
      },
      'cusolverSp#csrqrSetup': (kind) => (solver, _handle, args) => {
        const [values, , , mu, info] = args.slice(4) as [number, number, number, number, number];
        require(values !== 0);
        analysed(infos, info).setup = { values, mu: scalarOf(solver, kind, mu) };
        return status.SUCCESS;
      },
      'cusolverSp#csrqrFactor':
        (kind) =>
        (solver, handle, [rows, , , b, x, info, buffer]) => {
          const factor = analysed(infos, info!);
          require(factor.setup !== null && rows === factor.placed.fronts.rowCount && buffer !== 0);
          factorQr(solver, handle, kind, factor, factor.setup!.values, factor.setup!.mu);
          if (b !== 0 && x !== 0) solveQr(solver, handle, factor, { rows: rows!, b: b!, x: x!, buffer: buffer! });
          return status.SUCCESS;
        },
      'cusolverSp#csrqrZeroPivot':
        () =>
        (solver, handle, [info, tolerance, target]) =>
          solver.give(target!, zeroOf(solver, handle, factorized(infos, info!), tolerance!)),
      'cusolverSp#csrqrSolve':
        () =>
        (solver, handle, [rows, , b, x, info, buffer]) => {
          const factor = factorized(infos, info!);
          require(rows === factor.placed.fronts.rowCount && b !== 0 && x !== 0 && buffer !== 0);
          solveQr(solver, handle, factor, { rows: rows!, b: b!, x: x!, buffer: buffer! });
          return status.SUCCESS;
        },
      'cusolverSp#csrqrBufferInfoBatched': (kind) => (solver, _handle, args) => {
        const [rows, columns] = args as [number, number];
        const [count, info, ...targets] = args.slice(7) as [number, number, number, number];
        const { fronts } = analysed(infos, info).placed;
        require(count >= 0 && rows === fronts.rowCount && columns === fronts.order.length);
        const sizes = [fronts.factorSize, fronts.tausSize, rows, columns];
        return giveSizes(solver, targets, 256, areasOf(kind, 0, { count }, sizes).bytes);
      },
      'cusolverSp#csrqrsvBatched': (kind) => (solver, handle, args) => {
        const [rows, , entries, , values, , , b, x, count, info, buffer] = args as [
          ...[number, number, number, number, number, number],
          ...[number, number, number, number, number, number],
        ];
        const { placed } = analysed(infos, info);
        require(rows === placed.fronts.rowCount && count >= 0 && values !== 0 && b !== 0 && x !== 0 && buffer !== 0);
        return count === 0
          ? status.SUCCESS
          : batched(solver, handle, kind, placed, { rows, entries, values, b, x, count, buffer });
      },
    }),
  };
};

export const systemCalls = (): SparseCalls => ({
  calls: eachKind({
    'cusolverSp#csrlsvqr': solvingCall('qr'),
    'cusolverSp#csrlsvchol': solvingCall('cholesky'),
    'cusolverSp#csreigvsi': eigenCall,
  }),
});
