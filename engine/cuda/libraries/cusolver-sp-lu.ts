/** P A = L U of a sparse matrix on the host, column by column, with pivots of the largest size (Gilbert and Peierls). */
import { TooLarge } from './cusolver-sp-elimination.ts';
import { transposeOf, type Pattern } from './cusolver-sp-orders.ts';
import { sizeOf, type Arithmetic } from './cusolver-sp-numbers.ts';

/** Numbers of a factor, at most. */
const mostNumbers = 1 << 27;

/** Columns that grow, one after the other. */
class Columns {
  readonly starts: Int32Array;
  rows = new Int32Array(1024);
  values: Float64Array;
  end = 0;
  private readonly parts: number;

  constructor(n: number, parts: number) {
    this.starts = new Int32Array(n + 1);
    this.parts = parts;
    this.values = new Float64Array(1024 * parts);
  }

  add(row: number, values: Float64Array, at: number): void {
    if (this.end === this.rows.length) this.widen();
    this.rows[this.end] = row;
    for (let q = 0; q < this.parts; q++) this.values[this.parts * this.end + q] = values[this.parts * at + q]!;
    this.end++;
  }

  private widen(): void {
    if (2 * this.end > mostNumbers) throw new TooLarge();
    const rows = new Int32Array(2 * this.end);
    rows.set(this.rows);
    this.rows = rows;
    const values = new Float64Array(2 * this.end * this.parts);
    values.set(this.values);
    this.values = values;
  }
}

/** Rows of A in L until the end, when they are replaced by their pivots. L is without its diagonal of ones, which U has. */
export interface LuFactor {
  n: number;
  lower: Columns;
  upper: Columns;
  /** The row of A for each pivot. */
  rowOf: Int32Array;
  /** The columns of A, in the order of their elimination. */
  columns: Int32Array;
  /** |pivot| */
  pivots: Float64Array;
}

/** Rows that a column has after elimination, each before those that it changes. */
class Reach {
  private readonly mark: Int32Array;
  private readonly next: Int32Array;
  private readonly path: number[] = [];
  /** In the reverse of their order. */
  readonly found: number[] = [];

  constructor(n: number) {
    this.mark = new Int32Array(n).fill(-1);
    this.next = new Int32Array(n);
  }

  clear(): void {
    this.found.length = 0;
  }

  /** `pivotOf`: rows' pivots; -1: none yet. */
  add(row: number, column: number, lower: Columns, pivotOf: Int32Array): void {
    const { mark, next, path, found } = this;
    if (mark[row] === column) return;
    const enter = (at: number): void => {
      mark[at] = column;
      path.push(at);
      next[at] = pivotOf[at]! < 0 ? 0 : lower.starts[pivotOf[at]!]!;
    };
    enter(row);
    while (path.length > 0) {
      const at = path.at(-1)!;
      const pivot = pivotOf[at]!;
      const end = pivot < 0 ? 0 : lower.starts[pivot + 1]!;
      let k = next[at]!;
      while (k < end && mark[lower.rows[k]!] === column) k++;
      next[at] = k + 1;
      if (k < end) enter(lower.rows[k]!);
      else found.push(path.pop()!);
    }
  }
}

/** `threshold`: the share of the largest size that a pivot on the diagonal needs to stay there. */
export function lu(
  a: Pattern,
  values: Float64Array,
  arithmetic: Arithmetic,
  order: Int32Array,
  threshold: number,
): LuFactor {
  const { parts } = arithmetic;
  const n = a.rows;
  const byColumn = transposeOf(a);
  const [lower, upper] = [new Columns(n, parts), new Columns(n, parts)];
  const pivotOf = new Int32Array(n).fill(-1);
  const rowOf = new Int32Array(n);
  const pivots = new Float64Array(n);
  const x = new Float64Array(parts * n);
  const reach = new Reach(n);
  for (let k = 0; k < n; k++) {
    const column = order[k]!;
    reach.clear();
    for (let p = byColumn.offsets[column]!; p < byColumn.offsets[column + 1]!; p++)
      reach.add(byColumn.indices[p]!, k, lower, pivotOf);
    for (let p = byColumn.offsets[column]!; p < byColumn.offsets[column + 1]!; p++)
      for (let q = 0; q < parts; q++) x[parts * byColumn.indices[p]! + q]! += values[parts * byColumn.places[p]! + q]!;
    const { found } = reach;
    let best = -1;
    let most = -1;
    for (let f = found.length - 1; f >= 0; f--) {
      const row = found[f]!;
      const pivot = pivotOf[row]!;
      if (pivot >= 0) {
        upper.add(pivot, x, row);
        subtractColumn(parts, lower, pivot, x, row);
        continue;
      }
      const size = sizeOf(arithmetic, x, row);
      if (size > most) [best, most] = [row, size];
    }
    if (best < 0) best = freeRow(pivotOf, column);
    else if (pivotOf[column]! < 0 && most > 0 && sizeOf(arithmetic, x, column) >= threshold * most) best = column;
    pivotOf[best] = k;
    rowOf[k] = best;
    pivots[k] = sizeOf(arithmetic, x, best);
    upper.add(k, x, best);
    if (pivots[k]! > 0) {
      for (let f = found.length - 1; f >= 0; f--) {
        const row = found[f]!;
        if (pivotOf[row]! >= 0) continue;
        arithmetic.divide(1, x, row, x, best);
        lower.add(row, x, row);
      }
    }
    for (const row of found) x.fill(0, parts * row, parts * (row + 1));
    lower.starts[k + 1] = lower.end;
    upper.starts[k + 1] = upper.end;
  }
  for (let p = 0; p < lower.end; p++) lower.rows[p] = pivotOf[lower.rows[p]!]!;
  return { n, lower, upper, rowOf, columns: order, pivots };
}

/** Any row without a pivot, if possible that of the diagonal. */
const freeRow = (pivotOf: Int32Array, diagonal: number): number =>
  pivotOf[diagonal]! < 0 ? diagonal : pivotOf.indexOf(-1);

/** x -= L's column by the number of x in a row. */
function subtractColumn(
  parts: number,
  { starts, rows, values }: Columns,
  column: number,
  x: Float64Array,
  row: number,
): void {
  const [begin, end] = [starts[column]!, starts[column + 1]!];
  if (parts === 1) {
    const factor = x[row]!;
    if (factor === 0) return;
    for (let p = begin; p < end; p++) x[rows[p]!]! -= factor * values[p]!;
    return;
  }
  const [re, im] = [x[2 * row]!, x[2 * row + 1]!];
  for (let p = begin; p < end; p++) {
    const at = 2 * rows[p]!;
    x[at]! -= re * values[2 * p]! - im * values[2 * p + 1]!;
    x[at + 1]! -= re * values[2 * p + 1]! + im * values[2 * p]!;
  }
}

/** x of A x = b. */
export function luSolve(
  { n, lower, upper, rowOf, columns }: LuFactor,
  arithmetic: Arithmetic,
  b: Float64Array,
): Float64Array {
  const { parts } = arithmetic;
  const y = new Float64Array(parts * n);
  const x = new Float64Array(parts * n);
  for (let k = 0; k < n; k++) for (let q = 0; q < parts; q++) y[parts * k + q] = b[parts * rowOf[k]! + q]!;
  for (let k = 0; k < n; k++) subtractColumn(parts, lower, k, y, k);
  for (let k = n - 1; k >= 0; k--) {
    const diagonal = upper.starts[k + 1]! - 1;
    arithmetic.divide(1, y, k, upper.values, diagonal);
    for (let q = 0; q < parts; q++) x[parts * columns[k]! + q] = y[parts * k + q]!;
    for (let p = upper.starts[k]!; p < diagonal; p++)
      arithmetic.subtract(1, y, k, false, upper.values, p, y, upper.rows[p]!);
  }
  return x;
}

/** A factor as sorted rows. */
export function rowsOf({ starts, rows, values }: Columns, parts: number) {
  const n = starts.length - 1;
  const count = starts[n]!;
  const turned = transposeOf({ rows: n, columns: n, offsets: starts, indices: rows.subarray(0, count) });
  const sorted = new Float64Array(parts * count);
  for (let k = 0; k < count; k++)
    for (let q = 0; q < parts; q++) sorted[parts * k + q] = values[parts * turned.places[k]! + q]!;
  return { offsets: turned.offsets, indices: turned.indices, values: sorted };
}
