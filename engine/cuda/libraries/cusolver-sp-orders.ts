/** Orders of rows and columns for sparse factorizations. All of them give the same order on any machine. */

/** Where a matrix has entries: rows of column numbers, from 0. */
export interface Pattern {
  rows: number;
  columns: number;
  offsets: Int32Array;
  indices: Int32Array;
}

export const identity = (n: number): Int32Array => Int32Array.from({ length: n }, (_, i) => i);

export function inverseOf(order: Int32Array): Int32Array {
  const inverse = new Int32Array(order.length);
  for (let i = 0; i < order.length; i++) inverse[order[i]!] = i;
  return inverse;
}

/** Whether each of 0 to n - 1 is there once. */
export function isOrder(order: Int32Array): boolean {
  const seen = new Uint8Array(order.length);
  for (const i of order) {
    if (i < 0 || i >= order.length || seen[i]) return false;
    seen[i] = 1;
  }
  return true;
}

/** Columns of a matrix as rows; `places`: entries' places in the matrix. */
export function transposeOf({ rows, columns, offsets, indices }: Pattern): Pattern & { places: Int32Array } {
  const starts = new Int32Array(columns + 1);
  for (const column of indices) starts[column + 1]!++;
  for (let j = 0; j < columns; j++) starts[j + 1]! += starts[j]!;
  const next = starts.slice();
  const turned = new Int32Array(indices.length);
  const places = new Int32Array(indices.length);
  for (let i = 0; i < rows; i++) {
    for (let k = offsets[i]!; k < offsets[i + 1]!; k++) {
      const at = next[indices[k]!]!++;
      turned[at] = i;
      places[at] = k;
    }
  }
  return { rows: columns, columns: rows, offsets: starts, indices: turned, places };
}

/** Rows of column numbers, of which each is kept once, and none on the diagonal. */
function gathered(n: number, each: (row: number, add: (column: number) => void) => void): Pattern {
  const mark = new Int32Array(n).fill(-1);
  const offsets = new Int32Array(n + 1);
  const indices: number[] = [];
  for (let i = 0; i < n; i++) {
    mark[i] = i;
    each(i, (j) => {
      if (mark[j] === i) return;
      mark[j] = i;
      indices.push(j);
    });
    offsets[i + 1] = indices.length;
  }
  return { rows: n, columns: n, offsets, indices: Int32Array.from(indices) };
}

/** The graph of A + A', without the diagonal. */
export function symmetricGraph(a: Pattern): Pattern {
  const turned = transposeOf(a);
  return gathered(a.rows, (i, add) => {
    for (const { offsets, indices } of [a, turned])
      for (let k = offsets[i]!; k < offsets[i + 1]!; k++) add(indices[k]!);
  });
}

/** The graph of A'A, without the diagonal; rows of very many entries are left out. */
export function columnGraph(a: Pattern): Pattern {
  const turned = transposeOf(a);
  const most = 16 + 10 * Math.sqrt(a.columns);
  return gathered(a.columns, (j, add) => {
    for (let k = turned.offsets[j]!; k < turned.offsets[j + 1]!; k++) {
      const row = turned.indices[k]!;
      const [begin, end] = [a.offsets[row]!, a.offsets[row + 1]!];
      if (end - begin <= most) for (let p = begin; p < end; p++) add(a.indices[p]!);
    }
  });
}

/** Walks through parts of a graph, level by level. */
class Levels {
  readonly graph: Pattern;
  /** The part that a vertex belongs to; only those of the walk's own part are gone to. */
  readonly part: Int32Array;
  private readonly seen: Int32Array;
  private walks = 0;

  constructor(graph: Pattern) {
    this.graph = graph;
    this.part = new Int32Array(graph.rows);
    this.seen = new Int32Array(graph.rows);
  }

  degree(vertex: number): number {
    return this.graph.offsets[vertex + 1]! - this.graph.offsets[vertex]!;
  }

  /** Vertices by their distance from one of them; `starts`: where each distance begins. */
  from(root: number): { vertices: number[]; starts: number[] } {
    const { offsets, indices } = this.graph;
    const walk = ++this.walks;
    const part = this.part[root]!;
    const vertices = [root];
    const starts = [0];
    this.seen[root] = walk;
    for (let begin = 0; begin < vertices.length;) {
      const end = vertices.length;
      for (let at = begin; at < end; at++) {
        const vertex = vertices[at]!;
        const first = vertices.length;
        for (let k = offsets[vertex]!; k < offsets[vertex + 1]!; k++) {
          const next = indices[k]!;
          if (this.seen[next] === walk || this.part[next] !== part) continue;
          this.seen[next] = walk;
          vertices.push(next);
        }
        if (vertices.length - first > 1) {
          const sorted = vertices.slice(first).sort((a, b) => this.degree(a) - this.degree(b) || a - b);
          for (let k = 0; k < sorted.length; k++) vertices[first + k] = sorted[k]!;
        }
      }
      starts.push(end);
      begin = end;
    }
    return { vertices, starts };
  }

  /** A walk from a vertex that is far from others: the farthest from the farthest, while the distance grows. */
  fromAfar(root: number): { vertices: number[]; starts: number[] } {
    let best = this.from(root);
    for (let turn = 0; turn < 8; turn++) {
      const last = best.vertices.slice(best.starts.at(-2)!);
      const next = this.from(last.reduce((a, b) => (this.degree(b) < this.degree(a) ? b : a)));
      if (next.starts.length <= best.starts.length) return best;
      best = next;
    }
    return best;
  }
}

/** Cuthill and McKee's order, reversed: a small bandwidth. */
export function bandOrder(graph: Pattern): Int32Array {
  const levels = new Levels(graph);
  const order: number[] = [];
  const byDegree = Array.from(identity(graph.rows)).sort((a, b) => levels.degree(a) - levels.degree(b) || a - b);
  for (const root of byDegree) {
    if (levels.part[root] !== 0) continue;
    const { vertices } = levels.fromAfar(root);
    for (const vertex of vertices) levels.part[vertex] = 1;
    order.push(...vertices.reverse());
  }
  return Int32Array.from(order.reverse());
}

/** Parts of so many vertices are not dissected any more. */
const smallest = 24;

/** A separator of a part, out of the levels of a walk: the smallest of those that leave a third on either side. */
function separatorOf(levels: Levels, { vertices, starts }: { vertices: number[]; starts: number[] }) {
  let best = -1;
  for (let level = 1; level + 2 < starts.length; level++) {
    const [begin, end] = [starts[level]!, starts[level + 1]!];
    if (3 * end < vertices.length || 3 * begin > 2 * vertices.length) continue;
    if (best < 0 || end - begin < starts[best + 1]! - starts[best]!) best = level;
  }
  if (best < 0) return null;
  const end = starts[best + 1]!;
  const after = new Set(vertices.slice(end, starts[best + 2]));
  const { offsets, indices } = levels.graph;
  const separator: number[] = [];
  const before = vertices.slice(0, starts[best]);
  for (const vertex of vertices.slice(starts[best], end)) {
    let touches = false;
    for (let k = offsets[vertex]!; k < offsets[vertex + 1]! && !touches; k++) touches = after.has(indices[k]!);
    (touches ? separator : before).push(vertex);
  }
  return { separator, sides: [before, vertices.slice(end)] };
}

/** Nested dissection by levels of distance: separators come last. */
export function dissectionOrder(graph: Pattern): Int32Array {
  const n = graph.rows;
  const levels = new Levels(graph);
  const order = new Int32Array(n);
  let end = n;
  let parts = 0;
  const placed = -1;
  const place = (vertices: readonly number[]): void => {
    for (let k = vertices.length - 1; k >= 0; k--) {
      order[--end] = vertices[k]!;
      levels.part[vertices[k]!] = placed;
    }
  };
  // Those that come last are placed first.
  const open: (readonly number[])[] = [Array.from(identity(n))];
  for (let vertices = open.pop(); vertices !== undefined; vertices = open.pop()) {
    const part = ++parts;
    for (const vertex of vertices) levels.part[vertex] = part;
    if (vertices.length <= smallest) {
      place(vertices);
      continue;
    }
    const walk = levels.fromAfar(vertices[0]!);
    if (walk.vertices.length < vertices.length) {
      const within = new Set(walk.vertices);
      open.push(
        walk.vertices,
        vertices.filter((vertex) => !within.has(vertex)),
      );
      continue;
    }
    const found = separatorOf(levels, walk);
    if (found === null) {
      place(walk.vertices);
      continue;
    }
    place(found.separator);
    open.push(...found.sides);
  }
  return order;
}

/** The orders of `reorder` arguments: as it is, of a small bandwidth, and two of little fill. */
export function orderOf(reorder: number, graph: () => Pattern, n: number): Int32Array {
  if (reorder === 0) return identity(n);
  return reorder === 1 ? bandOrder(graph()) : dissectionOrder(graph());
}

/**
 * For each column a row of its own that has an entry there: as many as there can be, by alternating paths. Columns without one get
 * the rows that are left; `count`: how many have one.
 */
export function matchingOf(n: number, columns: Pattern): { rowOf: Int32Array; count: number } {
  const rowOf = new Int32Array(n).fill(-1);
  const columnOf = new Int32Array(n).fill(-1);
  const seen = new Int32Array(n).fill(-1);
  const next = new Int32Array(n);
  let count = 0;
  for (let root = 0; root < n; root++) {
    const path = [root];
    const rows: number[] = [];
    next[root] = columns.offsets[root]!;
    let free = -1;
    while (path.length > 0 && free < 0) {
      const column = path.at(-1)!;
      if (next[column]! >= columns.offsets[column + 1]!) {
        path.pop();
        rows.pop();
        continue;
      }
      const row = columns.indices[next[column]!++]!;
      if (seen[row] === root) continue;
      seen[row] = root;
      rows.push(row);
      if (columnOf[row]! < 0) free = row;
      else {
        path.push(columnOf[row]!);
        next[columnOf[row]!] = columns.offsets[columnOf[row]!]!;
      }
    }
    if (free < 0) continue;
    count++;
    path.forEach((column, k) => {
      rowOf[column] = rows[k]!;
      columnOf[rows[k]!] = column;
    });
  }
  const left = Array.from(identity(n)).filter((row) => columnOf[row]! < 0);
  for (let j = 0; j < n; j++) if (rowOf[j]! < 0) rowOf[j] = left.shift()!;
  return { rowOf, count };
}
