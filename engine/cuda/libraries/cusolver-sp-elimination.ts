/** What elimination does to a sparse matrix, before any number is known: its tree, and the columns that fronts are made of. */
import type { Pattern } from './cusolver-sp-orders.ts';

/** Pivots of one front, at most: lanes of a warp. */
export const mostPivots = 32;
/** Indices of structures, at most. */
const mostIndices = 1 << 28;

/** A factorization that has no room here. */
export class TooLarge extends Error {}

/**
 * The elimination tree. `rows`: row after row, what is joined by its elimination: for A = L L' the columns before the diagonal with the
 * row itself, for A = Q R the columns of a row.
 */
export function treeOf(n: number, rows: Pattern, isSymmetric: boolean): Int32Array {
  const parent = new Int32Array(n).fill(-1);
  const ancestor = new Int32Array(n).fill(-1);
  const climb = (from: number, to: number): void => {
    let at = from;
    while (at !== -1 && at < to) {
      const next = ancestor[at]!;
      ancestor[at] = to;
      if (next === -1) parent[at] = to;
      at = next;
    }
  };
  if (isSymmetric) {
    for (let i = 0; i < n; i++)
      for (let k = rows.offsets[i]!; k < rows.offsets[i + 1]!; k++) climb(rows.indices[k]!, i);
    return parent;
  }
  // Columns in their order, each joined with the last column of each of its rows.
  const last = new Int32Array(rows.rows).fill(-1);
  const counts = new Int32Array(n + 1);
  for (const column of rows.indices) counts[column + 1]!++;
  for (let j = 0; j < n; j++) counts[j + 1]! += counts[j]!;
  const next = counts.slice();
  const rowsOfColumn = new Int32Array(rows.indices.length);
  for (let i = 0; i < rows.rows; i++)
    for (let k = rows.offsets[i]!; k < rows.offsets[i + 1]!; k++) rowsOfColumn[next[rows.indices[k]!]!++] = i;
  for (let j = 0; j < n; j++) {
    for (let k = counts[j]!; k < counts[j + 1]!; k++) {
      const row = rowsOfColumn[k]!;
      climb(last[row]!, j);
      last[row] = j;
    }
  }
  return parent;
}

/** The tree's columns so that each comes right after those below it. */
export function postorderOf(parent: Int32Array): Int32Array {
  const n = parent.length;
  const child = new Int32Array(n).fill(-1);
  const sibling = new Int32Array(n).fill(-1);
  const roots: number[] = [];
  for (let j = n - 1; j >= 0; j--) {
    const above = parent[j]!;
    if (above < 0) {
      roots.push(j);
      continue;
    }
    sibling[j] = child[above]!;
    child[above] = j;
  }
  const order = new Int32Array(n);
  let end = 0;
  for (const root of roots.reverse()) {
    const open = [root];
    while (open.length > 0) {
      const at = open.at(-1)!;
      const below = child[at]!;
      if (below >= 0) {
        child[at] = sibling[below]!;
        open.push(below);
      } else order[end++] = open.pop()!;
    }
  }
  return order;
}

/** Sorted indices of each column's factor from the diagonal on, one column after the other. */
export interface Structures {
  offsets: Float64Array;
  indices: Int32Array;
}

/** `members`: rows of `rows` that begin in a column. */
export function structuresOf(n: number, rows: Pattern, members: Pattern): Structures {
  const offsets = new Float64Array(n + 1);
  let indices = new Int32Array(4 * (rows.indices.length + n) + 16);
  const mark = new Int32Array(n).fill(-1);
  const child = new Int32Array(n).fill(-1);
  const sibling = new Int32Array(n).fill(-1);
  let end = 0;
  for (let j = 0; j < n; j++) {
    const begin = end;
    if (begin + (n - j) > indices.length) {
      if (begin + (n - j) > mostIndices) throw new TooLarge();
      const wider = new Int32Array(Math.min(mostIndices, 2 * indices.length + n));
      wider.set(indices.subarray(0, end));
      indices = wider;
    }
    mark[j] = j;
    indices[end++] = j;
    const add = (from: Int32Array, first: number, last: number): void => {
      for (let k = first; k < last; k++) {
        const index = from[k]!;
        if (index <= j || mark[index] === j) continue;
        mark[index] = j;
        indices[end++] = index;
      }
    };
    for (let k = members.offsets[j]!; k < members.offsets[j + 1]!; k++) {
      const row = members.indices[k]!;
      add(rows.indices, rows.offsets[row]!, rows.offsets[row + 1]!);
    }
    for (let c = child[j]!; c >= 0; c = sibling[c]!) add(indices, offsets[c]!, offsets[c + 1]!);
    indices.subarray(begin, end).sort();
    offsets[j + 1] = end;
    if (end - begin < 2) continue;
    const above = indices[begin + 1]!;
    sibling[j] = child[above]!;
    child[above] = j;
  }
  return { offsets, indices: indices.slice(0, end) };
}

/** A share of zeros that is let into fronts, to have fewer of them. */
const zerosLetIn = 0.25;

/** Where fronts begin: columns that follow each other in the tree and have nearly the same rows are eliminated together. */
export function frontStarts({ offsets, indices }: Structures): Int32Array {
  const n = offsets.length - 1;
  const starts = [0];
  let first = 0;
  let entries = 0;
  for (let j = 0; j < n; j++) {
    const count = offsets[j + 1]! - offsets[j]!;
    if (j > first) {
      const pivots = j - first + 1;
      const before = offsets[j - 1]!;
      const follows = offsets[j]! - before > 1 && indices[before + 1] === j;
      const size = pivots - 1 + count;
      const whole = pivots * size - (pivots * (pivots - 1)) / 2;
      if (!follows || pivots > mostPivots || whole - entries - count > zerosLetIn * whole) {
        starts.push(j);
        first = j;
        entries = 0;
      }
    }
    entries += count;
  }
  return Int32Array.from(n === 0 ? [0] : [...starts, n]);
}

/** Fronts of pivots, in the order of the tree: each after those below it. */
export interface Tree {
  /** Columns as they are eliminated, of those that the matrix has. */
  order: Int32Array;
  inverse: Int32Array;
  count: number;
  first: Int32Array;
  pivots: Int32Array;
  /** Columns of a front, pivots first: so many, from a place in `columns`. */
  sizes: Int32Array;
  lists: Int32Array;
  columns: Int32Array;
  /** Columns' places in the front above; of pivots, nothing. */
  relative: Int32Array;
  parent: Int32Array;
  childStarts: Int32Array;
  children: Int32Array;
  /** Fronts by levels, none of which needs another of its level. */
  byLevel: Int32Array;
  levelStarts: Int32Array;
  frontOf: Int32Array;
}

function levelsOf(parent: Int32Array) {
  const count = parent.length;
  const level = new Int32Array(count);
  let highest = -1;
  for (let f = 0; f < count; f++) {
    highest = Math.max(highest, level[f]!);
    if (parent[f]! >= 0) level[parent[f]!] = Math.max(level[parent[f]!]!, level[f]! + 1);
  }
  return { levelStarts: starting(highest + 1, level), byLevel: sorted(highest + 1, level) };
}

/** Where each of so many groups begins. */
function starting(groups: number, of: Int32Array): Int32Array {
  const starts = new Int32Array(groups + 1);
  for (const group of of) if (group >= 0) starts[group + 1]!++;
  for (let g = 0; g < groups; g++) starts[g + 1]! += starts[g]!;
  return starts;
}

/** Members of the groups, group after group. */
export function sorted(groups: number, of: Int32Array): Int32Array {
  const next = starting(groups, of);
  const members = new Int32Array(next[groups]!);
  of.forEach((group, member) => {
    if (group >= 0) members[next[group]!++] = member;
  });
  return members;
}

/** Members of groups as rows of a matrix. */
export const grouped = (groups: number, of: Int32Array): Pattern => ({
  rows: groups,
  columns: of.length,
  offsets: starting(groups, of),
  indices: sorted(groups, of),
});

/** Fronts of columns with these structures. */
export function treeOfFronts(order: Int32Array, inverse: Int32Array, structures: Structures): Tree {
  const starts = frontStarts(structures);
  const count = starts.length - 1;
  const first = starts.slice(0, count);
  const pivots = new Int32Array(count);
  const sizes = new Int32Array(count);
  const lists = new Int32Array(count);
  const frontOf = new Int32Array(order.length);
  let total = 0;
  for (let f = 0; f < count; f++) {
    const last = starts[f + 1]! - 1;
    pivots[f] = last + 1 - first[f]!;
    sizes[f] = pivots[f]! - 1 + structures.offsets[last + 1]! - structures.offsets[last]!;
    lists[f] = total;
    total += sizes[f]!;
    frontOf.fill(f, first[f], last + 1);
  }
  const columns = new Int32Array(total);
  const parent = new Int32Array(count).fill(-1);
  for (let f = 0; f < count; f++) {
    const last = starts[f + 1]! - 1;
    for (let k = 0; k < pivots[f]!; k++) columns[lists[f]! + k] = first[f]! + k;
    const rest = structures.indices.subarray(structures.offsets[last]! + 1, structures.offsets[last + 1]);
    columns.set(rest, lists[f]! + pivots[f]!);
    if (rest.length > 0) parent[f] = frontOf[rest[0]!]!;
  }
  const relative = new Int32Array(total).fill(-1);
  for (let f = 0; f < count; f++) {
    const above = parent[f]!;
    if (above < 0) continue;
    let place = lists[above]!;
    for (let k = lists[f]! + pivots[f]!; k < lists[f]! + sizes[f]!; k++) {
      while (columns[place] !== columns[k]) place++;
      relative[k] = place - lists[above]!;
    }
  }
  return {
    ...{ order, inverse, count, first, pivots, sizes, lists, columns, relative, parent, frontOf },
    ...{ childStarts: starting(count, parent), children: sorted(count, parent) },
    ...levelsOf(parent),
  };
}

/** Areas of a memory that are taken and given back: always the first that is large enough. */
export class Pool {
  size = 0;
  private free: { at: number; size: number }[] = [];

  take(size: number): number {
    if (size === 0) return 0;
    const found = this.free.find((area) => area.size >= size);
    if (found) {
      const { at } = found;
      found.at += size;
      found.size -= size;
      if (found.size === 0) this.free = this.free.filter((area) => area !== found);
      return at;
    }
    const at = this.size;
    this.size += size;
    return at;
  }

  give(at: number, size: number): void {
    if (size === 0) return;
    const place = this.free.findIndex((area) => area.at > at);
    this.free.splice(place < 0 ? this.free.length : place, 0, { at, size });
    const joined: typeof this.free = [];
    for (const area of this.free) {
      const last = joined.at(-1);
      if (last && last.at + last.size === area.at) last.size += area.size;
      else joined.push({ ...area });
    }
    this.free = joined;
  }
}
