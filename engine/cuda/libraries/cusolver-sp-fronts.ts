/**
 * Fronts of sparse factorizations: small dense matrices, one for the pivots that are eliminated together, which take in what those
 * below them leave. The same fronts serve the host and the kernels.
 */
import {
  grouped,
  Pool,
  postorderOf,
  structuresOf,
  TooLarge,
  treeOf,
  treeOfFronts,
  type Tree,
} from './cusolver-sp-elimination.ts';
import { identity, inverseOf, type Pattern } from './cusolver-sp-orders.ts';

/** Numbers of one area, at most: places are ints of 32 bits. */
const mostNumbers = 2 ** 31 - 1;

/** Entries of the matrix by fronts: whose value goes where. */
export interface Entries {
  starts: Int32Array;
  from: Int32Array;
  /** Places in the area of the fronts; conjugated where they are below 0, as ~place. */
  to: Int32Array;
}

export interface SymmetricFronts extends Tree {
  /** Of a front: `pivots` columns of L, each as long as the front; of L U then as many rows of U beside the pivots. */
  factor: Int32Array;
  factorSize: number;
  /** What a front leaves to the one above it: a square in a pool. */
  rest: Int32Array;
  poolSize: number;
  /** The same for right-hand sides. */
  update: Int32Array;
  updateSize: number;
  entries: Entries;
  /** Of each pivot its place in the factor. */
  diagonal: Int32Array;
}

const checked = (size: number): number => {
  if (size > mostNumbers) throw new TooLarge();
  return size;
};

function entriesOf(count: number, fronts: Int32Array, from: Int32Array, to: Int32Array): Entries {
  const { offsets, indices } = grouped(count, fronts);
  return {
    starts: offsets,
    from: from.length === 0 ? indices : indices.map((k) => from[k]!),
    to: indices.map((k) => to[k]!),
  };
}

/** A front's place of a column, which it has. */
function placeIn({ columns, lists, sizes }: Tree, front: number, column: number): number {
  let begin = lists[front]!;
  let end = begin + sizes[front]!;
  while (end - begin > 1) {
    const middle = (begin + end) >> 1;
    if (columns[middle]! <= column) begin = middle;
    else end = middle;
  }
  return begin - lists[front]!;
}

/** For each column those that an entry joins it with: all that come before it, or after it. */
function joins(a: Pattern, inverse: Int32Array, lowerOnly: boolean, before: boolean): Pattern {
  const groups: number[] = [];
  const others: number[] = [];
  for (let i = 0; i < a.rows; i++) {
    for (let k = a.offsets[i]!; k < a.offsets[i + 1]!; k++) {
      const j = a.indices[k]!;
      if (i === j || (lowerOnly && j > i)) continue;
      const [low, high] = [Math.min(inverse[i]!, inverse[j]!), Math.max(inverse[i]!, inverse[j]!)];
      groups.push(before ? high : low);
      others.push(before ? low : high);
    }
  }
  const { offsets, indices } = grouped(a.rows, Int32Array.from(groups));
  return { rows: a.rows, columns: a.rows, offsets, indices: indices.map((k) => others[k]!) };
}

const single = (n: number): Pattern => ({ rows: n, columns: n, offsets: identity(n + 1), indices: identity(n) });

/** Areas of what fronts leave, each until the level of the one above has taken it. */
function restsOf(tree: Tree): { rest: Int32Array; poolSize: number } {
  const pool = new Pool();
  const rest = new Int32Array(tree.count);
  const size = (f: number): number => (tree.sizes[f]! - tree.pivots[f]!) ** 2;
  for (let level = 0; level + 1 < tree.levelStarts.length; level++) {
    const fronts = tree.byLevel.subarray(tree.levelStarts[level], tree.levelStarts[level + 1]);
    for (const f of fronts) rest[f] = pool.take(size(f));
    for (const f of fronts)
      for (let k = tree.childStarts[f]!; k < tree.childStarts[f + 1]!; k++)
        pool.give(rest[tree.children[k]!]!, size(tree.children[k]!));
  }
  return { rest, poolSize: checked(pool.size) };
}

/**
 * Fronts for L L' of the lower triangle, or for L U of a matrix whose pivots stay on the diagonal. `sources`: entries' places among the
 * values, below 0 for those that have none; left out, they lie as the entries do.
 */
export function symmetricFronts(
  a: Pattern,
  wanted: Int32Array,
  kind: 'cholesky' | 'lu',
  sources = new Int32Array(0),
): SymmetricFronts {
  const n = a.rows;
  const isLu = kind === 'lu';
  const above = treeOf(n, joins(a, inverseOf(wanted), !isLu, true), true);
  const order = postorderOf(above).map((k) => wanted[k]!);
  const inverse = inverseOf(order);
  const tree = treeOfFronts(order, inverse, structuresOf(n, joins(a, inverse, !isLu, false), single(n)));
  const { count, first, pivots, sizes, frontOf } = tree;
  const factor = new Int32Array(count);
  const update = new Int32Array(count);
  const diagonal = new Int32Array(n);
  let factorSize = 0;
  let updateSize = 0;
  for (let f = 0; f < count; f++) {
    const [size, own] = [sizes[f]!, pivots[f]!];
    factor[f] = factorSize;
    update[f] = updateSize;
    for (let k = 0; k < own; k++) diagonal[first[f]! + k] = factorSize + k * (size + 1);
    factorSize = checked(factorSize + own * (isLu ? 2 * size - own : size));
    updateSize += size - own;
  }
  const entries = a.indices.length;
  const fronts = new Int32Array(entries).fill(-1);
  const to = new Int32Array(entries);
  for (let i = 0; i < n; i++) {
    for (let k = a.offsets[i]!; k < a.offsets[i + 1]!; k++) {
      if (!isLu && a.indices[k]! > i) continue;
      const [x, y] = [inverse[i]!, inverse[a.indices[k]!]!];
      const f = frontOf[Math.min(x, y)]!;
      if (sources.length === 0 || sources[k]! >= 0) fronts[k] = f;
      to[k] = isLu
        ? luPlace(tree, factor, f, x, y)
        : x >= y
          ? lowerPlace(tree, factor, f, x, y)
          : ~lowerPlace(tree, factor, f, y, x);
    }
  }
  return {
    ...tree,
    ...{ factor, factorSize, update, updateSize, diagonal },
    ...restsOf(tree),
    entries: entriesOf(count, fronts, sources, to),
  };
}

const lowerPlace = (tree: Tree, factor: Int32Array, f: number, x: number, y: number): number =>
  factor[f]! + placeIn(tree, f, x) + (y - tree.first[f]!) * tree.sizes[f]!;

/** The place of row x and column y in L or U. */
export function luPlace(tree: Tree, factor: Int32Array, f: number, x: number, y: number): number {
  if (x >= y) return lowerPlace(tree, factor, f, x, y);
  const [size, own, column] = [tree.sizes[f]!, tree.pivots[f]!, placeIn(tree, f, y)];
  const row = x - tree.first[f]!;
  return factor[f]! + (column < own ? row + column * size : size * own + column - own + row * (size - own));
}

export interface QrFronts extends Tree {
  /** Rows of the matrix. */
  rowCount: number;
  /** Rows of a front, those with the first entries first: so many, from a place in `rows`. */
  heights: Int32Array;
  rowLists: Int32Array;
  rows: Int32Array;
  /** Rows' places in the front above, -1: there is nothing left of them. */
  rowTo: Int32Array;
  /** Parallel to `columns`: how many rows begin there or before. */
  stairs: Int32Array;
  /** Reflectors of a front, whose vectors lie below the diagonal of R. */
  reflectors: Int32Array;
  taus: Int32Array;
  tausSize: number;
  factor: Int32Array;
  factorSize: number;
  entries: Entries;
  /** Places of the diagonal of A, by fronts. */
  shifts: { starts: Int32Array; to: Int32Array };
  diagonal: Int32Array;
}

/** Rows with their columns' new numbers; the diagonal counts as an entry, as it may be shifted. */
function renumbered(a: Pattern, inverse: Int32Array): Pattern {
  const offsets = new Int32Array(a.rows + 1);
  const indices: number[] = [];
  for (let i = 0; i < a.rows; i++) {
    for (let k = a.offsets[i]!; k < a.offsets[i + 1]!; k++) indices.push(inverse[a.indices[k]!]!);
    if (i < a.columns) indices.push(inverse[i]!);
    offsets[i + 1] = indices.length;
  }
  return { rows: a.rows, columns: a.columns, offsets, indices: Int32Array.from(indices) };
}

/** The first column of each row; -1: it has none. */
function leadingOf({ rows, offsets, indices }: Pattern): Int32Array {
  const leading = new Int32Array(rows).fill(-1);
  for (let i = 0; i < rows; i++)
    for (let k = offsets[i]!; k < offsets[i + 1]!; k++)
      if (leading[i]! < 0 || indices[k]! < leading[i]!) leading[i] = indices[k]!;
  return leading;
}

/** Which rows each front has, and how many of its columns are eliminated. */
function rowsOfFronts(tree: Tree, leading: Int32Array) {
  const { count, first, pivots, sizes, lists, frontOf } = tree;
  const own = grouped(
    count,
    leading.map((column) => (column < 0 ? -1 : frontOf[column]!)),
  );
  const heights = new Int32Array(count);
  const rowLists = new Int32Array(count);
  const reflectors = new Int32Array(count);
  const stairs = new Int32Array(tree.columns.length);
  const rows: number[] = [];
  const begins: number[] = [];
  const rowTo: number[] = [];
  for (let f = 0; f < count; f++) {
    const found: { id: number; begin: number; from: number }[] = [];
    for (let k = own.offsets[f]!; k < own.offsets[f + 1]!; k++) {
      const id = own.indices[k]!;
      found.push({ id, begin: leading[id]! - first[f]!, from: -1 });
    }
    for (let k = tree.childStarts[f]!; k < tree.childStarts[f + 1]!; k++) {
      const child = tree.children[k]!;
      const list = rowLists[child]!;
      const left = Math.min(heights[child]!, sizes[child]!);
      for (let r = pivots[child]!; r < left; r++)
        found.push({ id: rows[list + r]!, begin: tree.relative[lists[child]! + begins[list + r]!]!, from: list + r });
    }
    found.sort((a, b) => a.begin - b.begin);
    const height = found.length;
    const [size, pivot] = [sizes[f]!, pivots[f]!];
    heights[f] = height;
    rowLists[f] = rows.length;
    reflectors[f] = height <= size ? Math.min(pivot, height) : size;
    for (const { begin } of found) stairs[lists[f]! + begin]!++;
    for (let j = 1; j < size; j++) stairs[lists[f]! + j]! += stairs[lists[f]! + j - 1]!;
    const touched = stairs[lists[f]! + pivot - 1]!;
    found.forEach(({ id, begin, from }, r) => {
      if (from >= 0) rowTo[from] = r;
      rows.push(id);
      begins.push(reflectors[f]! > pivot ? Math.max(r, pivot) : r < touched ? Math.min(pivot, size - 1) : begin);
      rowTo.push(-1);
    });
  }
  return {
    ...{ heights, rowLists, reflectors, stairs, own, rows: Int32Array.from(rows), rowTo: Int32Array.from(rowTo) },
  };
}

/** Fronts for Q R of a matrix with at least as many rows as columns. */
export function qrFronts(a: Pattern, wanted: Int32Array): QrFronts {
  const n = a.columns;
  const above = treeOf(n, renumbered(a, inverseOf(wanted)), false);
  const order = postorderOf(above).map((k) => wanted[k]!);
  const inverse = inverseOf(order);
  const pattern = renumbered(a, inverse);
  const leading = leadingOf(pattern);
  const tree = treeOfFronts(order, inverse, structuresOf(n, pattern, grouped(n, leading)));
  const { own, ...found } = rowsOfFronts(tree, leading);
  const { count, first, pivots, sizes } = tree;
  const factor = new Int32Array(count);
  const taus = new Int32Array(count);
  const diagonal = new Int32Array(n);
  const entries = { fronts: [] as number[], from: [] as number[], to: [] as number[] };
  const shifts = { fronts: [] as number[], to: [] as number[] };
  const placeOfRow = new Int32Array(a.rows);
  let factorSize = 0;
  let tausSize = 0;
  for (let f = 0; f < count; f++) {
    const height = found.heights[f]!;
    factor[f] = factorSize;
    taus[f] = tausSize;
    for (let r = 0; r < height; r++) placeOfRow[found.rows[found.rowLists[f]! + r]!] = r;
    const place = (i: number, column: number): number =>
      factor[f]! + placeOfRow[i]! + placeIn(tree, f, column) * height;
    for (let q = own.offsets[f]!; q < own.offsets[f + 1]!; q++) {
      const i = own.indices[q]!;
      for (let k = a.offsets[i]!; k < a.offsets[i + 1]!; k++) {
        entries.fronts.push(f);
        entries.from.push(k);
        entries.to.push(place(i, inverse[a.indices[k]!]!));
      }
      if (i >= n) continue;
      shifts.fronts.push(f);
      shifts.to.push(place(i, inverse[i]!));
    }
    for (let k = 0; k < pivots[f]!; k++) diagonal[first[f]! + k] = factorSize + k * (height + 1);
    factorSize = checked(factorSize + height * sizes[f]!);
    tausSize += found.reflectors[f]!;
  }
  const { starts, to } = entriesOf(
    count,
    Int32Array.from(shifts.fronts),
    new Int32Array(0),
    Int32Array.from(shifts.to),
  );
  return {
    ...tree,
    ...found,
    ...{ rowCount: a.rows, factor, factorSize, taus, tausSize, diagonal, shifts: { starts, to } },
    entries: entriesOf(
      count,
      Int32Array.from(entries.fronts),
      Int32Array.from(entries.from),
      Int32Array.from(entries.to),
    ),
  };
}
