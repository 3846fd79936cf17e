/** cuSOLVER's sparse calls that compute on the host: systems at once, least squares, eigenvalues, orders, permutations. */
import { cholesky, choleskySolve } from './cusolver-sp-cholesky.ts';
import { qrFronts, symmetricFronts } from './cusolver-sp-fronts.ts';
import { leastSquares } from './cusolver-sp-least-squares.ts';
import { lu, luSolve } from './cusolver-sp-lu.ts';
import { lengthOf, sizeOf } from './cusolver-sp-numbers.ts';
import {
  bandOrder,
  columnGraph,
  dissectionOrder,
  isOrder,
  matchingOf,
  orderOf,
  symmetricGraph,
  transposeOf,
  type Pattern,
} from './cusolver-sp-orders.ts';
import { qr, qrSolve } from './cusolver-sp-qr.ts';
import {
  eachKind,
  require,
  status,
  type Call,
  type Csr,
  type Kind,
  type SparseCalls,
  type SparseSolver,
} from './cusolver-sp.ts';

/** The first row whose pivot is not above a tolerance; -1: there is none. `order`: rows as they are eliminated. */
export function firstZero(sizes: (k: number) => number, order: Int32Array, tolerance: number): number {
  let first = -1;
  for (let k = 0; k < order.length; k++)
    if (!(sizes(k) > tolerance) && (first < 0 || order[k]! < first)) first = order[k]!;
  return first;
}

/** The square matrix that calls begin with: rows, entries, description, values, offsets, column numbers. */
function system(solver: SparseSolver, kind: Kind, args: number[]): Csr & { values: Float64Array } {
  const [n, entries, descr, values, offsets, indices] = args as [number, number, number, number, number, number];
  require(entries === 0 || values !== 0);
  const csr = solver.csr({ rows: n, columns: n, entries, descr, offsets, indices });
  return { ...csr, values: solver.numbers(kind, values, entries) };
}

/** Solves, and gives the row that has no pivot, where there is one. */
type Solve = (
  kind: Kind,
  a: Pattern,
  values: Float64Array,
  b: Float64Array,
  tolerance: number,
  reorder: number,
) => {
  zero: number;
  x: () => Float64Array;
};

const solvingCall =
  (solve: Solve) =>
  (kind: Kind): Call =>
  (solver, _handle, args) => {
    const [b, tolerance, reorder, x, singularity] = args.slice(6) as [number, number, number, number, number];
    const { pattern, values } = system(solver, kind, args);
    require((pattern.rows === 0 || (b !== 0 && x !== 0)) && singularity !== 0);
    const found = solve(kind, pattern, values, solver.numbers(kind, b, pattern.rows), tolerance, reorder);
    if (found.zero < 0) solver.writeNumbers(kind, x, found.x());
    return solver.give(singularity, found.zero);
  };

const byLu: Solve = ({ arithmetic }, a, values, b, tolerance, reorder) => {
  const order = orderOf(reorder, () => symmetricGraph(a), a.rows);
  const factor = lu(a, values, arithmetic, order, 1);
  return { zero: firstZero((k) => factor.pivots[k]!, order, tolerance), x: () => luSolve(factor, arithmetic, b) };
};

const byQr: Solve = ({ arithmetic }, a, values, b, tolerance, reorder) => {
  const fronts = qrFronts(
    a,
    orderOf(reorder, () => columnGraph(a), a.rows),
  );
  const factor = qr(fronts, arithmetic, values, new Float64Array(2));
  const zero = firstZero((k) => sizeOf(arithmetic, factor.values, fronts.diagonal[k]!), fronts.order, tolerance);
  return { zero, x: () => qrSolve(fronts, arithmetic, factor, b).x };
};

const byCholesky: Solve = ({ arithmetic }, a, values, b, tolerance, reorder) => {
  const fronts = symmetricFronts(
    a,
    orderOf(reorder, () => symmetricGraph(a), a.rows),
    'cholesky',
  );
  const factor = cholesky(fronts, arithmetic, values);
  const zero = firstZero((k) => factor[arithmetic.parts * fronts.diagonal[k]!]!, fronts.order, tolerance);
  return { zero, x: () => choleskySolve(fronts, arithmetic, factor, b) };
};

const leastSquaresCall =
  (kind: Kind): Call =>
  (solver, _handle, args) => {
    const [rows, columns, entries, descr, values, offsets, indices, b, tolerance, rank, x, order, norm] = args as [
      ...[number, number, number, number, number, number, number],
      ...[number, number, number, number, number, number],
    ];
    require(rows >= columns && values !== 0 && b !== 0 && x !== 0 && order !== 0);
    const { pattern } = solver.csr({ rows, columns, entries, descr, offsets, indices });
    const found = leastSquares(
      kind.arithmetic,
      pattern,
      solver.numbers(kind, values, entries),
      solver.numbers(kind, b, rows),
      tolerance,
    );
    solver.writeNumbers(kind, x, found.x);
    solver.writeInts(order, found.order);
    solver.writeReal(kind, norm, found.left);
    return solver.give(rank, found.rank);
  };

/** A complex argument is a pointer to its parts; a real one is itself. */
export const scalarOf = (solver: SparseSolver, kind: Kind, argument: number): Float64Array =>
  kind.arithmetic.parts === 1 ? Float64Array.of(argument) : solver.numbers(kind, argument, 1);

/** Steps of an inverse iteration. `solve`: x of (A - mu I) x = b. */
export function inverseIteration(
  { arithmetic: { parts, dot, divide } }: Kind,
  mu: Float64Array,
  start: Float64Array,
  { steps, tolerance }: { steps: number; tolerance: number },
  solve: (b: Float64Array) => Float64Array,
): { mu: Float64Array; x: Float64Array } {
  const count = start.length / parts;
  let x = start.map((part) => part / lengthOf(start));
  const value = new Float64Array(2);
  let found = mu.slice();
  for (let step = 0; step < steps; step++) {
    const y = solve(x);
    // x' y is near 1 / (lambda - mu).
    dot(count, x, 0, y, 0, value);
    const inverse = Float64Array.of(1, 0);
    divide(1, inverse, 0, value, 0);
    const next = mu.map((part, q) => part + inverse[q]!);
    const length = lengthOf(y);
    x = y.map((part) => part / length);
    const change = lengthOf(next.map((part, q) => part - found[q]!));
    found = next;
    if (change <= tolerance * lengthOf(next)) break;
  }
  return { mu: found, x };
}

const eigenCall =
  (kind: Kind): Call =>
  (solver, _handle, args) => {
    const [muArgument, x0, steps, tolerance, muTarget, x] = args.slice(6) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const { pattern, values } = system(solver, kind, args);
    require(x0 !== 0 && muTarget !== 0 && x !== 0);
    const { arithmetic } = kind;
    const mu = scalarOf(solver, kind, muArgument);
    const fronts = qrFronts(pattern, dissectionOrder(columnGraph(pattern)));
    const factor = qr(fronts, arithmetic, values, mu);
    const found = inverseIteration(
      kind,
      mu,
      solver.numbers(kind, x0, pattern.rows),
      { steps, tolerance },
      (b) => qrSolve(fronts, arithmetic, factor, b).x,
    );
    solver.writeNumbers(kind, muTarget, found.mu);
    solver.writeNumbers(kind, x, found.x);
    return status.SUCCESS;
  };

const orderCall = (order: (graph: Pattern) => Int32Array, resultAt: number) => (): Call => (solver, _handle, args) => {
  const [n, entries, descr, offsets, indices] = args as [number, number, number, number, number];
  const { pattern } = solver.csr({ rows: n, columns: n, entries, descr, offsets, indices });
  require(args[resultAt] !== 0);
  solver.writeInts(args[resultAt]!, order(symmetricGraph(pattern)));
  return status.SUCCESS;
};

const matchingCall =
  (kind: Kind): Call =>
  (solver, _handle, args) => {
    const { pattern } = system(solver, kind, args);
    const [order, count] = args.slice(6) as [number, number];
    require(order !== 0);
    const found = matchingOf(pattern.rows, transposeOf(pattern));
    solver.writeInts(order, found.rowOf);
    return solver.give(count, found.count);
  };

/** Whether a matrix with separate ends of its rows has an entry at (j, i) for each at (i, j). */
const isSymmetricCall = (): Call => (solver, _handle, args) => {
  const [n, entries, descr, begins, ends, indices, target] = args as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const base = solver.baseOf(descr);
  require(n >= 0 && entries >= 0 && (n === 0 || (begins !== 0 && ends !== 0)) && (entries === 0 || indices !== 0));
  const [first, last] = [solver.ints(begins, n), solver.ints(ends, n)];
  const end = last.reduce((most, each) => Math.max(most, each - base), 0);
  const numbers = solver.ints(indices, end);
  const places = new Set<number>();
  const each = (act: (i: number, j: number) => boolean): boolean => {
    for (let i = 0; i < n; i++)
      for (let k = first[i]! - base; k < last[i]! - base; k++) if (!act(i, numbers[k]! - base)) return false;
    return true;
  };
  each((i, j) => places.add(i * n + j) === places);
  return solver.give(target, each((i, j) => places.has(j * n + i)) ? 1 : 0);
};

/** Rows p and columns q of a matrix, in its place, with the entries' places in it as they were mapped before. */
const permuteCall = (): Call => (solver, _handle, args) => {
  const [rows, columns, entries, descr, offsets, indices, p, q, map] = args as [
    ...[number, number, number, number, number, number],
    ...[number, number, number],
  ];
  require(p !== 0 && q !== 0 && map !== 0);
  const { pattern, base } = solver.csr({ rows, columns, entries, descr, offsets, indices });
  const [rowOf, columnOf, before] = [solver.ints(p, rows), solver.ints(q, columns), solver.ints(map, entries)];
  require(isOrder(rowOf) && isOrder(columnOf));
  const target = new Int32Array(columns);
  columnOf.forEach((column, place) => (target[column] = place));
  const starts = new Int32Array(rows + 1);
  const numbers = new Int32Array(entries);
  const after = new Int32Array(entries);
  let end = 0;
  for (let i = 0; i < rows; i++) {
    const row = rowOf[i]!;
    const places = Array.from(
      { length: pattern.offsets[row + 1]! - pattern.offsets[row]! },
      (_, k) => pattern.offsets[row]! + k,
    );
    places.sort((a, b) => target[pattern.indices[a]!]! - target[pattern.indices[b]!]! || a - b);
    for (const place of places) {
      numbers[end] = target[pattern.indices[place]!]! + base;
      after[end++] = before[place]!;
    }
    starts[i + 1] = end;
  }
  solver.writeInts(
    offsets,
    starts.map((start) => start + base),
  );
  solver.writeInts(indices, numbers);
  solver.writeInts(map, after);
  return status.SUCCESS;
};

export const hostCalls = (): SparseCalls => ({
  calls: eachKind({
    'cusolverSp#csrlsvluHost': solvingCall(byLu),
    'cusolverSp#csrlsvqrHost': solvingCall(byQr),
    'cusolverSp#csrlsvcholHost': solvingCall(byCholesky),
    'cusolverSp#csrlsqvqrHost': leastSquaresCall,
    'cusolverSp#csreigvsiHost': eigenCall,
    // Eigenvalues within a box are not counted.
    'cusolverSp#csreigsHost': () => () => status.NOT_SUPPORTED,
    'cusolverSp#csrzfdHost': matchingCall,
    cusolverSpXcsrissymHost: isSymmetricCall,
    cusolverSpXcsrsymrcmHost: orderCall(bandOrder, 5),
    cusolverSpXcsrsymmdqHost: orderCall(dissectionOrder, 5),
    cusolverSpXcsrsymamdHost: orderCall(dissectionOrder, 5),
    // Behind the options of METIS, of which none changes the order.
    cusolverSpXcsrmetisndHost: orderCall(dissectionOrder, 6),
    // The place of the size; there is no buffer that a permutation needs.
    cusolverSpXcsrperm_bufferSizeHost: () => (solver, _handle, args) => solver.giveWord(args[8]!, 16),
    cusolverSpXcsrpermHost: permuteCall,
  }),
});
