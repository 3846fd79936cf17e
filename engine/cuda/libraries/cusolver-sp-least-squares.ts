/** Least squares of sparse matrices: by their fronts where all columns are independent, else by a dense matrix with pivots. */
import { TooLarge } from './cusolver-sp-elimination.ts';
import { qrFronts } from './cusolver-sp-fronts.ts';
import { lengthOf, sizeOf, type Arithmetic } from './cusolver-sp-numbers.ts';
import { columnGraph, dissectionOrder, identity, type Pattern } from './cusolver-sp-orders.ts';
import { qr, qrSolve, reflect, reflector } from './cusolver-sp-qr.ts';

/** Numbers of a dense matrix, at most. */
const mostDense = 1 << 27;

export interface LeastSquares {
  rank: number;
  x: Float64Array;
  /** Columns in the order of their pivots. */
  order: Int32Array;
  /** |b - A x| */
  left: number;
}

export function leastSquares(
  arithmetic: Arithmetic,
  a: Pattern,
  values: Float64Array,
  b: Float64Array,
  tolerance: number,
): LeastSquares {
  const fronts = qrFronts(a, dissectionOrder(columnGraph(a)));
  const factor = qr(fronts, arithmetic, values, new Float64Array(2));
  if (fronts.diagonal.every((at) => sizeOf(arithmetic, factor.values, at) > tolerance))
    return { rank: a.columns, order: fronts.order, ...qrSolve(fronts, arithmetic, factor, b) };
  return dense(arithmetic, a, values, b, tolerance);
}

/** The longest column is always the next; columns that are not longer than the tolerance get zeros. */
function dense(
  arithmetic: Arithmetic,
  a: Pattern,
  values: Float64Array,
  b: Float64Array,
  tolerance: number,
): LeastSquares {
  const { parts, divide, subtract } = arithmetic;
  const [m, n] = [a.rows, a.columns];
  if (m * n * parts > mostDense) throw new TooLarge();
  // b is the column behind the last.
  const q = new Float64Array(parts * m * (n + 1));
  for (let i = 0; i < m; i++) {
    for (let k = a.offsets[i]!; k < a.offsets[i + 1]!; k++)
      for (let p = 0; p < parts; p++) q[parts * (i + a.indices[k]! * m) + p]! += values[parts * k + p]!;
  }
  q.set(b, parts * m * n);
  const order = identity(n);
  const tau = new Float64Array(2);
  let rank = 0;
  for (; rank < n; rank++) {
    const length = (k: number): number =>
      lengthOf(q.subarray(parts * (rank + order[k]! * m), parts * m * (order[k]! + 1)));
    let best = rank;
    let most = length(rank);
    for (let k = rank + 1; k < n; k++) {
      const next = length(k);
      if (next > most) [best, most] = [k, next];
    }
    if (!(most > tolerance)) break;
    [order[rank], order[best]] = [order[best]!, order[rank]!];
    const at = rank + order[rank]! * m;
    if (!reflector(arithmetic, q, at, m - rank, tau, 0)) continue;
    for (const column of [...order.subarray(rank + 1), n])
      reflect(arithmetic, q, at, m - rank, tau, 0, q, rank + column * m);
  }
  const x = new Float64Array(parts * n);
  const y = q.slice(parts * m * n);
  for (let k = rank - 1; k >= 0; k--) {
    const column = order[k]! * m;
    divide(1, y, k, q, column + k);
    subtract(k, y, k, false, q, column, y, 0);
    for (let p = 0; p < parts; p++) x[parts * order[k]! + p] = y[parts * k + p]!;
  }
  return { rank, x, order, left: lengthOf(y.subarray(parts * rank)) };
}
