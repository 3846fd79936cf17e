/** L L' of a sparse Hermitian matrix on the host, front by front. */
import type { SymmetricFronts } from './cusolver-sp-fronts.ts';
import { addAt, gather, scatter, type Arithmetic } from './cusolver-sp-numbers.ts';

/** Takes in what the fronts below leave. */
function assemble(
  fronts: SymmetricFronts,
  f: number,
  { parts }: Arithmetic,
  factor: Float64Array,
  pool: Float64Array,
): void {
  const { sizes, pivots, lists, relative } = fronts;
  const [n, p] = [sizes[f]!, pivots[f]!];
  const r = n - p;
  const [panel, rest] = [fronts.factor[f]!, fronts.rest[f]!];
  for (let k = fronts.childStarts[f]!; k < fronts.childStarts[f + 1]!; k++) {
    const child = fronts.children[k]!;
    const list = lists[child]! + pivots[child]!;
    const count = sizes[child]! - pivots[child]!;
    for (let c = 0; c < count; c++) {
      const column = relative[list + c]!;
      const isPivot = column < p;
      const target = isPivot ? factor : pool;
      const base = isPivot ? panel + column * n : rest + (column - p) * r - p;
      const from = fronts.rest[child]! + c * count;
      for (let i = c; i < count; i++) {
        const to = parts * (base + relative[list + i]!);
        for (let q = 0; q < parts; q++) target[to + q]! += pool[parts * (from + i) + q]!;
      }
    }
  }
}

/** The factor; pivots that are not above 0 are 0, and so is what is below them. */
export function cholesky(fronts: SymmetricFronts, arithmetic: Arithmetic, values: Float64Array): Float64Array {
  const { parts, subtract } = arithmetic;
  const { entries, sizes, pivots } = fronts;
  const factor = new Float64Array(parts * fronts.factorSize);
  const pool = new Float64Array(parts * fronts.poolSize);
  const root = new Float64Array(2);
  for (let k = 0; k < entries.from.length; k++) {
    const to = entries.to[k]!;
    const at = parts * (to < 0 ? ~to : to);
    factor[at] = values[parts * entries.from[k]!]!;
    if (parts === 2) factor[at + 1] = (to < 0 ? -1 : 1) * values[2 * entries.from[k]! + 1]!;
  }
  for (const f of fronts.byLevel) {
    const [n, p] = [sizes[f]!, pivots[f]!];
    const r = n - p;
    const [panel, rest] = [fronts.factor[f]!, fronts.rest[f]!];
    pool.fill(0, parts * rest, parts * (rest + r * r));
    assemble(fronts, f, arithmetic, factor, pool);
    for (let k = 0; k < p; k++) {
      const corner = panel + k * (n + 1);
      const pivot = factor[parts * corner]!;
      root[0] = pivot > 0 ? Math.sqrt(pivot) : 0;
      if (root[0] > 0) arithmetic.divide(n - k - 1, factor, corner + 1, root, 0);
      else factor.fill(0, parts * (corner + 1), parts * (corner + n - k));
      factor.fill(0, parts * corner, parts * (corner + 1));
      factor[parts * corner] = root[0];
      for (let c = k + 1; c < p; c++)
        subtract(n - c, factor, panel + c + k * n, true, factor, panel + c + k * n, factor, panel + c * (n + 1));
    }
    for (let c = 0; c < r; c++) {
      for (let k = 0; k < p; k++) {
        const at = panel + p + c + k * n;
        subtract(r - c, factor, at, true, factor, at, pool, rest + c * (r + 1));
      }
    }
  }
  return factor;
}

/** x of A x = b by the factor. */
export function choleskySolve(
  fronts: SymmetricFronts,
  arithmetic: Arithmetic,
  factor: Float64Array,
  b: Float64Array,
): Float64Array {
  const { parts, subtract, divide, dot } = arithmetic;
  const { sizes, pivots, first, lists, columns } = fronts;
  const x = gather(arithmetic, b, fronts.order);
  const out = new Float64Array(2);
  for (const f of fronts.byLevel) {
    const [n, p, at, panel] = [sizes[f]!, pivots[f]!, first[f]!, fronts.factor[f]!];
    const below = new Float64Array(parts * (n - p));
    for (let k = 0; k < p; k++) {
      divide(1, x, at + k, factor, panel + k * (n + 1));
      subtract(p - k - 1, x, at + k, false, factor, panel + k * (n + 1) + 1, x, at + k + 1);
      subtract(n - p, x, at + k, false, factor, panel + p + k * n, below, 0);
    }
    const list = lists[f]! + p;
    addAt(arithmetic, n - p, below, 0, x, (i) => columns[list + i]!);
  }
  for (const f of fronts.byLevel.slice().reverse()) {
    const [n, p, at, panel] = [sizes[f]!, pivots[f]!, first[f]!, fronts.factor[f]!];
    const above = gather(arithmetic, x, columns.subarray(lists[f]! + p, lists[f]! + n));
    for (let k = p - 1; k >= 0; k--) {
      dot(n - p, factor, panel + p + k * n, above, 0, out);
      for (let q = 0; q < parts; q++) x[parts * (at + k) + q]! -= out[q]!;
      dot(p - k - 1, factor, panel + k * (n + 1) + 1, x, at + k + 1, out);
      for (let q = 0; q < parts; q++) x[parts * (at + k) + q]! -= out[q]!;
      divide(1, x, at + k, factor, panel + k * (n + 1));
    }
  }
  return scatter(arithmetic, x, fronts.order);
}
