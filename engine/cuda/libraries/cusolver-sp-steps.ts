/** cuSOLVER's sparse factorizations on the host, step by step: analysis, factor, solution. */
import { cholesky, choleskySolve } from './cusolver-sp-cholesky.ts';
import { qrFronts, symmetricFronts, type QrFronts, type SymmetricFronts } from './cusolver-sp-fronts.ts';
import { firstZero, scalarOf } from './cusolver-sp-host.ts';
import { lu, luSolve, rowsOf, type LuFactor } from './cusolver-sp-lu.ts';
import { sizeOf } from './cusolver-sp-numbers.ts';
import { columnGraph, dissectionOrder, identity, symmetricGraph, type Pattern } from './cusolver-sp-orders.ts';
import { qr, qrSolve, type QrFactor } from './cusolver-sp-qr.ts';
import { eachKind, require, status, type Call, type Kind, type SparseCalls, type SparseSolver } from './cusolver-sp.ts';

/** What an analysis found, and then the factor. */
interface Steps<Analysis, Factor> {
  analysis: Analysis | null;
  factor: Factor | null;
}

/** Factorizations of one kind, by their handles. */
class Infos<Analysis, Factor> {
  private readonly infos = new Map<number, Steps<Analysis, Factor>>();
  private readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  get objects(): SparseCalls['objects'] {
    return {
      [`cusolverSpCreate${this.name}`]: (solver, [target]) =>
        solver.add(this.infos, target!, { analysis: null, factor: null }),
      [`cusolverSpDestroy${this.name}`]: (_solver, [info]) => {
        this.infos.delete(info!);
        return status.SUCCESS;
      },
    };
  }

  analyse(info: number, analysis: () => Analysis): number {
    const found = this.infos.get(info);
    require(found !== undefined);
    found!.analysis = analysis();
    found!.factor = null;
    return status.SUCCESS;
  }

  analysed(info: number): Analysis {
    const analysis = this.infos.get(info)?.analysis ?? null;
    require(analysis !== null);
    return analysis!;
  }

  keep(info: number, factor: Factor): number {
    this.infos.get(info)!.factor = factor;
    return status.SUCCESS;
  }

  factorized(info: number): Factor {
    const factor = this.infos.get(info)?.factor ?? null;
    require(factor !== null);
    return factor!;
  }
}

/** Nothing is computed in the buffers of programs. */
const bufferBytes = 256;

const giveSizes = (solver: SparseSolver, [internal, workspace]: number[], own: number): number =>
  solver.giveWord(internal!, own) || solver.giveWord(workspace!, bufferBytes);

const squareOf = (solver: SparseSolver, [n, entries, descr, offsets, indices]: number[]): Pattern =>
  solver.csr({ rows: n!, columns: n!, entries: entries!, descr: descr!, offsets: offsets!, indices: indices! }).pattern;

/** Writes a factor's rows in the base of its description. */
function extract(
  solver: SparseSolver,
  kind: Kind,
  [descr, values, offsets, indices]: number[],
  factor: LuFactor['lower'],
): void {
  const base = solver.baseOf(descr!);
  require(values !== 0 && offsets !== 0 && indices !== 0);
  const rows = rowsOf(factor, kind.arithmetic.parts);
  solver.writeNumbers(kind, values!, rows.values);
  solver.writeInts(
    offsets!,
    rows.offsets.map((offset) => offset + base),
  );
  solver.writeInts(
    indices!,
    rows.indices.map((index) => index + base),
  );
}

export const luSteps = (): SparseCalls => {
  const infos = new Infos<Pattern, LuFactor>('CsrluInfoHost');
  return {
    objects: infos.objects!,
    calls: eachKind({
      cusolverSpXcsrluAnalysisHost: () => (solver, _handle, args) =>
        infos.analyse(args[5]!, () => squareOf(solver, args)),
      'cusolverSp#csrluBufferInfoHost': (kind) => (solver, _handle, args) =>
        giveSizes(solver, args.slice(7), 2 * (kind.bytes + 4) * infos.analysed(args[6]!).indices.length),
      'cusolverSp#csrluFactorHost': (kind) => (solver, _handle, args) => {
        const [values, , , info, threshold] = args.slice(3) as [number, number, number, number, number];
        const pattern = infos.analysed(info);
        require(values !== 0);
        const numbers = solver.numbers(kind, values, pattern.indices.length);
        return infos.keep(info, lu(pattern, numbers, kind.arithmetic, identity(pattern.rows), threshold));
      },
      'cusolverSp#csrluZeroPivotHost':
        () =>
        (solver, _handle, [info, tolerance, target]) => {
          const { pivots, columns } = infos.factorized(info!);
          return solver.give(
            target!,
            firstZero((k) => pivots[k]!, columns, tolerance!),
          );
        },
      'cusolverSp#csrluSolveHost':
        (kind) =>
        (solver, _handle, [n, b, x, info]) => {
          const factor = infos.factorized(info!);
          require(n === factor.n && b !== 0 && x !== 0);
          solver.writeNumbers(kind, x!, luSolve(factor, kind.arithmetic, solver.numbers(kind, b!, n!)));
          return status.SUCCESS;
        },
      cusolverSpXcsrluNnzHost:
        () =>
        (solver, _handle, [lowerTarget, upperTarget, info]) => {
          const { lower, upper } = infos.factorized(info!);
          return solver.give(lowerTarget!, lower.end) || solver.give(upperTarget!, upper.end);
        },
      'cusolverSp#csrluExtractHost': (kind) => (solver, _handle, args) => {
        const [p, q] = args as [number, number];
        const { rowOf, columns, lower, upper } = infos.factorized(args[10]!);
        require(p !== 0 && q !== 0);
        solver.writeInts(p, rowOf);
        solver.writeInts(q, columns);
        extract(solver, kind, args.slice(2, 6), lower);
        extract(solver, kind, args.slice(6, 10), upper);
        return status.SUCCESS;
      },
    }),
  };
};

export const qrSteps = (): SparseCalls => {
  /** The values that a setup leaves, and the factor of them. */
  interface Numbers {
    values: Float64Array;
    mu: Float64Array;
    factor: QrFactor | null;
  }
  const infos = new Infos<QrFronts, Numbers>('CsrqrInfoHost');
  const factorOf = (info: number): QrFactor => {
    const { factor } = infos.factorized(info);
    require(factor !== null);
    return factor!;
  };
  const solve: (kind: Kind) => Call =
    (kind) =>
    (solver, _handle, [rows, , b, x, info]) => {
      const fronts = infos.analysed(info!);
      require(rows === fronts.rowCount && b !== 0 && x !== 0);
      const found = qrSolve(fronts, kind.arithmetic, factorOf(info!), solver.numbers(kind, b!, rows!));
      solver.writeNumbers(kind, x!, found.x);
      return status.SUCCESS;
    };
  return {
    objects: infos.objects!,
    calls: eachKind({
      cusolverSpXcsrqrAnalysisHost: () => (solver, _handle, args) => {
        const [rows, columns, entries, descr, offsets, indices, info] = args as [
          number,
          number,
          number,
          number,
          number,
          number,
          number,
        ];
        require(rows >= columns);
        const { pattern } = solver.csr({ rows, columns, entries, descr, offsets, indices });
        return infos.analyse(info, () => qrFronts(pattern, dissectionOrder(columnGraph(pattern))));
      },
      'cusolverSp#csrqrBufferInfoHost': (kind) => (solver, _handle, args) =>
        giveSizes(solver, args.slice(8), kind.bytes * infos.analysed(args[7]!).factorSize),
      'cusolverSp#csrqrSetupHost': (kind) => (solver, _handle, args) => {
        const [entries, , values, , , mu, info] = args.slice(2) as [
          number,
          number,
          number,
          number,
          number,
          number,
          number,
        ];
        infos.analysed(info);
        require(values !== 0);
        const numbers = solver.numbers(kind, values, entries);
        return infos.keep(info, { values: numbers, mu: scalarOf(solver, kind, mu), factor: null });
      },
      'cusolverSp#csrqrFactorHost': (kind) => (solver, handle, args) => {
        const [rows, columns, , b, x, info] = args as [number, number, number, number, number, number];
        const numbers = infos.factorized(info);
        numbers.factor = qr(infos.analysed(info), kind.arithmetic, numbers.values, numbers.mu);
        return b === 0 || x === 0 ? status.SUCCESS : solve(kind)(solver, handle, [rows, columns, b, x, info]);
      },
      'cusolverSp#csrqrZeroPivotHost':
        ({ arithmetic }) =>
        (solver, _handle, [info, tolerance, target]) => {
          const { values } = factorOf(info!);
          const { diagonal, order } = infos.analysed(info!);
          return solver.give(
            target!,
            firstZero((k) => sizeOf(arithmetic, values, diagonal[k]!), order, tolerance!),
          );
        },
      'cusolverSp#csrqrSolveHost': solve,
    }),
  };
};

export const choleskySteps = (): SparseCalls => {
  const infos = new Infos<SymmetricFronts, Float64Array>('CsrcholInfoHost');
  return {
    objects: infos.objects!,
    calls: eachKind({
      cusolverSpXcsrcholAnalysisHost: () => (solver, _handle, args) => {
        const pattern = squareOf(solver, args);
        return infos.analyse(args[5]!, () =>
          symmetricFronts(pattern, dissectionOrder(symmetricGraph(pattern)), 'cholesky'),
        );
      },
      'cusolverSp#csrcholBufferInfoHost': (kind) => (solver, _handle, args) =>
        giveSizes(solver, args.slice(7), kind.bytes * infos.analysed(args[6]!).factorSize),
      'cusolverSp#csrcholFactorHost': (kind) => (solver, _handle, args) => {
        const [entries, , values, , , info] = args.slice(1) as [number, number, number, number, number, number];
        const fronts = infos.analysed(info);
        require(values !== 0);
        return infos.keep(info, cholesky(fronts, kind.arithmetic, solver.numbers(kind, values, entries)));
      },
      'cusolverSp#csrcholZeroPivotHost':
        ({ arithmetic: { parts } }) =>
        (solver, _handle, [info, tolerance, target]) => {
          const factor = infos.factorized(info!);
          const { diagonal, order } = infos.analysed(info!);
          return solver.give(
            target!,
            firstZero((k) => factor[parts * diagonal[k]!]!, order, tolerance!),
          );
        },
      'cusolverSp#csrcholSolveHost':
        (kind) =>
        (solver, _handle, [n, b, x, info]) => {
          const fronts = infos.analysed(info!);
          require(n === fronts.order.length && b !== 0 && x !== 0);
          const found = choleskySolve(fronts, kind.arithmetic, infos.factorized(info!), solver.numbers(kind, b!, n!));
          solver.writeNumbers(kind, x!, found);
          return status.SUCCESS;
        },
    }),
  };
};
