/** Q R of a sparse matrix on the host, by reflectors of fronts. */
import type { QrFronts } from './cusolver-sp-fronts.ts';
import { scatter, type Arithmetic } from './cusolver-sp-numbers.ts';

export interface QrFactor {
  values: Float64Array;
  taus: Float64Array;
}

/** Rows of the fronts below, as they were left. */
function assemble(fronts: QrFronts, f: number, { parts }: Arithmetic, values: Float64Array): void {
  const { heights, pivots, sizes, lists, relative, rowLists, rowTo } = fronts;
  for (let k = fronts.childStarts[f]!; k < fronts.childStarts[f + 1]!; k++) {
    const child = fronts.children[k]!;
    const height = heights[child]!;
    for (let c = pivots[child]!; c < sizes[child]!; c++) {
      const to = fronts.factor[f]! + relative[lists[child]! + c]! * heights[f]!;
      const from = fronts.factor[child]! + c * height;
      // Below the diagonal are vectors, where there are more reflectors than pivots.
      const end = fronts.reflectors[child]! > pivots[child]! ? Math.min(c + 1, height) : height;
      for (let i = pivots[child]!; i < end; i++) {
        const row = rowTo[rowLists[child]! + i]!;
        for (let q = 0; q < parts; q++) values[parts * (to + row) + q] = values[parts * (from + i) + q]!;
      }
    }
  }
}

/** A reflector that leaves nothing of a column but its first number; false: nothing was to do. */
export function reflector(
  arithmetic: Arithmetic,
  values: Float64Array,
  at: number,
  count: number,
  tau: Float64Array,
  tauAt: number,
): boolean {
  const { parts, dot, divide } = arithmetic;
  const out = new Float64Array(2);
  dot(count - 1, values, at + 1, values, at + 1, out);
  const re = values[parts * at]!;
  const im = parts === 2 ? values[2 * at + 1]! : 0;
  if (out[0] === 0 && im === 0) return false;
  const length = Math.sqrt(re * re + im * im + out[0]!);
  const beta = re >= 0 ? -length : length;
  tau[parts * tauAt] = (beta - re) / beta;
  if (parts === 2) tau[2 * tauAt + 1] = -im / beta;
  divide(count - 1, values, at + 1, Float64Array.of(re - beta, im), 0);
  values[parts * at] = beta;
  if (parts === 2) values[2 * at + 1] = 0;
  return true;
}

/** Factorizes A - mu I. */
export function qr(fronts: QrFronts, arithmetic: Arithmetic, a: Float64Array, mu: Float64Array): QrFactor {
  const { parts } = arithmetic;
  const { entries, shifts, heights, sizes, lists } = fronts;
  const values = new Float64Array(parts * fronts.factorSize);
  const taus = new Float64Array(parts * fronts.tausSize);
  for (let k = 0; k < entries.from.length; k++)
    for (let q = 0; q < parts; q++) values[parts * entries.to[k]! + q] = a[parts * entries.from[k]! + q]!;
  for (const to of shifts.to) for (let q = 0; q < parts; q++) values[parts * to + q]! -= mu[q]!;
  for (const f of fronts.byLevel) {
    assemble(fronts, f, arithmetic, values);
    const [m, n, base] = [heights[f]!, sizes[f]!, fronts.factor[f]!];
    for (let j = 0; j < fronts.reflectors[f]!; j++) {
      const count = fronts.stairs[lists[f]! + j]! - j;
      const at = base + j * (m + 1);
      const tau = fronts.taus[f]! + j;
      if (count < 1 || !reflector(arithmetic, values, at, count, taus, tau)) continue;
      for (let c = j + 1; c < n; c++) reflect(arithmetic, values, at, count, taus, tau, values, base + j + c * m);
    }
  }
  return { values, taus };
}

/** Applies a reflector, whose vector lies below its first number, to a column. */
export function reflect(
  arithmetic: Arithmetic,
  values: Float64Array,
  at: number,
  count: number,
  taus: Float64Array,
  tau: number,
  x: Float64Array,
  xAt: number,
): void {
  const { parts, dot, subtract } = arithmetic;
  const sum = product;
  dot(count - 1, values, at + 1, x, xAt + 1, sum);
  for (let q = 0; q < parts; q++) sum[q]! += x[parts * xAt + q]!;
  scaleByConjugate(arithmetic, taus, tau, sum);
  for (let q = 0; q < parts; q++) x[parts * xAt + q]! -= sum[q]!;
  subtract(count - 1, sum, 0, false, values, at + 1, x, xAt + 1);
}

/** What {@link reflect} has in hand. */
const product = new Float64Array(2);

/** x *= conjugated tau. */
function scaleByConjugate({ parts }: Arithmetic, taus: Float64Array, at: number, x: Float64Array): void {
  if (parts === 1) {
    x[0]! *= taus[at]!;
    return;
  }
  const [re, im] = [taus[2 * at]!, -taus[2 * at + 1]!];
  [x[0], x[1]] = [re * x[0]! - im * x[1]!, re * x[1]! + im * x[0]!];
}

/** x of the least |A x - b|, as R x is the beginning of Q' b; `left`: the length of the rest. */
export function qrSolve(
  fronts: QrFronts,
  arithmetic: Arithmetic,
  { values, taus }: QrFactor,
  b: Float64Array,
): { x: Float64Array; left: number } {
  const { parts, subtract, divide } = arithmetic;
  const { heights, sizes, pivots, first, lists, columns, rowLists, rows } = fronts;
  const w = b.slice();
  const x = new Float64Array(parts * fronts.order.length);
  const isLeft = new Uint8Array(b.length / parts).fill(1);
  for (const f of fronts.byLevel) {
    const [m, p, base, list] = [heights[f]!, pivots[f]!, fronts.factor[f]!, rowLists[f]!];
    const own = new Float64Array(parts * m);
    for (let i = 0; i < m; i++) for (let q = 0; q < parts; q++) own[parts * i + q] = w[parts * rows[list + i]! + q]!;
    for (let j = 0; j < fronts.reflectors[f]!; j++) {
      const count = fronts.stairs[lists[f]! + j]! - j;
      const at = base + j * (m + 1);
      if (count < 1) continue;
      reflect(arithmetic, values, at, count, taus, fronts.taus[f]! + j, own, j);
    }
    for (let i = 0; i < m; i++) for (let q = 0; q < parts; q++) w[parts * rows[list + i]! + q] = own[parts * i + q]!;
    for (let k = 0; k < p; k++) {
      isLeft[rows[list + k]!] = 0;
      for (let q = 0; q < parts; q++) x[parts * (first[f]! + k) + q] = own[parts * k + q]!;
    }
  }
  for (const f of fronts.byLevel.slice().reverse()) {
    const [m, n, p, base] = [heights[f]!, sizes[f]!, pivots[f]!, fronts.factor[f]!];
    for (let c = n - 1; c >= 0; c--) {
      const column = columns[lists[f]! + c]!;
      if (c < p) divide(1, x, column, values, base + c * (m + 1));
      subtract(Math.min(c, p), x, column, false, values, base + c * m, x, first[f]!);
    }
  }
  let left = 0;
  isLeft.forEach((yes, row) => {
    for (let q = 0; q < parts; q++) if (yes) left += w[parts * row + q]! ** 2;
  });
  return { x: scatter(arithmetic, x, fronts.order), left: Math.sqrt(left) };
}
