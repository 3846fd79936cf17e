/** cuSPARSE's calls that work on indices, and what others begin with: prefix sums, transposed structures, orders. */
import { ceilDiv, inOrder, size, type Call, type Cusparse, type CusparseCalls, type Handle } from './cusparse.ts';
import { sparseStruct, status, typeBytes, type Rows } from './cusparse-matrices.ts';

const scanTile = 1024;

/** Parts of a buffer of the program's, one after the other. */
export class Areas {
  private next: number;
  private readonly start: number;

  constructor(start: number) {
    this.start = start;
    this.next = start;
  }

  /** Room for so many bytes, aligned as `cudaMalloc` aligns for numbers of any type. */
  take(bytes: number): number {
    const address = this.next;
    this.next += 16 * ceilDiv(bytes, 16);
    return address;
  }

  ints(count: number): number {
    return this.take(4 * count);
  }

  get bytes(): number {
    return this.next - this.start;
  }
}

/** What {@link scan} needs beside its result, in ints. */
export const scanInts = (n: number): number => Math.max(1, ceilDiv(n, scanTile));

/** `out` becomes n + 1 offsets from `base` on, of n counts. */
export function scan(
  sparse: Cusparse,
  handle: Handle,
  { n, counts, out, base, scratch }: { n: number; counts: number; out: number; base: number; scratch: number },
): number {
  const tiles = scanInts(n);
  return inOrder(
    () => sparse.grid(handle, 'scan_tiles', { x: tiles }, n, counts, out, scratch, base),
    () => (tiles === 1 ? status.SUCCESS : sparse.block(handle, 'scan_sums', scanTile, tiles, scratch)),
    () => (tiles === 1 ? status.SUCCESS : sparse.each(handle, 'scan_add', n, n, out, scratch)),
  );
}

/** Offsets of entries that are counted by an index, from `base` on; `counts` and `scratch` are overwritten. */
export function countedOffsets(
  sparse: Cusparse,
  handle: Handle,
  entries: { count: number; indices: number; wide: boolean; base: number },
  to: { n: number; counts: number; out: number; base: number; scratch: number },
): number {
  const { count, indices, wide, base } = entries;
  return inOrder(
    () => (to.n === 0 ? status.SUCCESS : sparse.fill(handle, to.counts, 0, 4 * to.n)),
    () => sparse.each(handle, 'count', count, count, indices, wide ? 1 : 0, base, to.counts),
    () => scan(sparse, handle, to),
  );
}

/** Where {@link transpose} puts things. */
export interface TransposedAreas {
  offsets: number;
  indices: number;
  /** Places of the entries in the matrix itself. */
  places: number;
  counts: number;
  next: number;
  scratch: number;
}

export const transposedAreas = (areas: Areas, columns: number, entries: number): TransposedAreas => ({
  offsets: areas.ints(columns + 1),
  indices: areas.ints(entries),
  places: areas.ints(entries),
  counts: areas.ints(columns),
  next: areas.ints(columns + 1),
  scratch: areas.ints(scanInts(columns)),
});

/** The structure of the transposed matrix, sorted; offsets and indices from `base` on. */
export function transpose(sparse: Cusparse, handle: Handle, rows: Rows, to: TransposedAreas, base: number): number {
  const { offsets, indices, places, counts, next, scratch } = to;
  const { columns, entries } = rows;
  const from = { count: entries, indices: rows.indices, wide: rows.wideIndices, base: rows.base };
  const walks = rows.offsets === 0 ? entries : rows.rows;
  return inOrder(
    () => countedOffsets(sparse, handle, from, { n: columns, counts, out: next, base: 0, scratch }),
    () => scan(sparse, handle, { n: columns, counts, out: offsets, base, scratch }),
    () => sparse.warps(handle, 'transpose', walks, sparseStruct(rows), next, indices, places, base),
    () => sparse.warps(handle, 'sort_rows', columns, columns, offsets, base, indices, places),
  );
}

/** Copies of numbers by their places. */
export function take(
  sparse: Cusparse,
  handle: Handle,
  { count, places, from, to, bytes }: { count: number; places: number; from: number; to: number; bytes: number },
): number {
  return sparse.each(handle, `take_${bytes}`, count, count, places, from, to);
}

/** Areas of `cusparseXcoosort`: indices of either base are at home in one more bucket than there are rows. */
function cooAreas(areas: Areas, buckets: number, entries: number) {
  return {
    counts: areas.ints(buckets),
    offsets: areas.ints(buckets + 1),
    next: areas.ints(buckets + 1),
    others: areas.ints(entries),
    placed: areas.ints(entries),
    permutation: areas.ints(entries),
    scratch: areas.ints(scanInts(buckets)),
  };
}

/** By one index first and then by the other: buckets of the first, in which the second is sorted. */
function sortCoo(
  sparse: Cusparse,
  handle: Handle,
  { buckets, entries, first, second }: { buckets: number; entries: number; first: number; second: number },
  permutation: number,
  buffer: number,
): number {
  if (entries === 0) return status.SUCCESS;
  const areas = cooAreas(new Areas(buffer), buckets, entries);
  const { counts, offsets, next, others, placed, scratch } = areas;
  const from = { count: entries, indices: first, wide: false, base: 0 };
  return inOrder(
    () => countedOffsets(sparse, handle, from, { n: buckets, counts, out: offsets, base: 0, scratch }),
    () => sparse.copy(handle, next, offsets, 4 * (buckets + 1)),
    () => sparse.each(handle, 'place', entries, entries, first, second, 0, next, others, placed),
    () => sparse.warps(handle, 'sort_rows', buckets, buckets, offsets, 0, others, placed),
    () => sparse.copy(handle, second, others, 4 * entries),
    () => sparse.warps(handle, 'csr2coo', buckets, buckets, offsets, first, 0),
    () => {
      if (permutation === 0) return status.SUCCESS;
      const kept = areas.permutation;
      return (
        sparse.each(handle, 'take', entries, entries, placed, permutation, kept) ||
        sparse.copy(handle, permutation, kept, 4 * entries)
      );
    },
  );
}

const cooSort =
  (byRow: boolean): Call =>
  (sparse, handle, [m, n, entries, rows, columns, permutation, buffer]) => {
    if (m! < 0 || n! < 0 || entries! < 0) return status.INVALID_VALUE;
    if (entries! > 0 && (rows === 0 || columns === 0 || buffer === 0)) return status.INVALID_VALUE;
    const [buckets, first, second] = byRow ? [m! + 1, rows!, columns!] : [n! + 1, columns!, rows!];
    return sortCoo(sparse, handle, { buckets, entries: entries!, first, second }, permutation!, buffer!);
  };

const sorted: (byRow: boolean) => Call =
  (byRow) =>
  (sparse, handle, [m, n, entries, descr, offsets, indices, permutation]) => {
    const description = sparse.all.matrices.get(descr!);
    if (!description || m! < 0 || n! < 0 || entries! < 0) return status.INVALID_VALUE;
    if (description.type !== 0) return status.MATRIX_TYPE_NOT_SUPPORTED;
    if (entries === 0) return status.SUCCESS;
    if (offsets === 0 || indices === 0) return status.INVALID_VALUE;
    const count = byRow ? m! : n!;
    return sparse.warps(handle, 'sort_rows', count, count, offsets!, description.base, indices!, permutation!);
  };

function cscAreas(areas: Areas, n: number, entries: number) {
  return {
    places: areas.ints(entries),
    counts: areas.ints(n),
    next: areas.ints(n + 1),
    scratch: areas.ints(scanInts(n)),
  };
}

const csr2csc: Call = (sparse, handle, args) => {
  const [m, n, entries, csrValues, rowOffsets, columns, cscValues, colOffsets, rows, type, action, base, , buffer] =
    args as [...[number, number, number, number, number, number], ...number[]];
  if (m < 0 || n < 0 || entries < 0 || rowOffsets === 0 || colOffsets === 0) return status.INVALID_VALUE;
  const bytes = typeBytes.get(type!);
  if (bytes === undefined) return status.NOT_SUPPORTED;
  if (entries > 0 && (columns === 0 || rows === 0 || buffer === 0)) return status.INVALID_VALUE;
  const own = cscAreas(new Areas(buffer!), n, entries);
  const source: Rows = {
    ...{ offsets: rowOffsets, rowIndices: 0, indices: columns, values: csrValues, offsetStride: 0, entryStride: 0 },
    ...{ rows: m, columns: n, entries, base: base!, wideOffsets: false, wideIndices: false },
  };
  const moves = action === 1 && entries > 0;
  if (moves && (csrValues === 0 || cscValues === 0)) return status.INVALID_VALUE;
  return inOrder(
    () => transpose(sparse, handle, source, { ...own, offsets: colOffsets!, indices: rows! }, base!),
    () =>
      moves
        ? take(sparse, handle, { count: entries, places: own.places, from: csrValues, to: cscValues!, bytes })
        : status.SUCCESS,
  );
};

export const indexCalls: CusparseCalls = {
  calls: {
    cusparseXcoo2csr: (sparse, handle, [rows, entries, m, offsets, base]) => {
      if (entries! < 0 || m! < 0 || offsets === 0 || (entries! > 0 && rows === 0)) return status.INVALID_VALUE;
      return sparse.each(handle, 'coo2csr', entries! + 1, entries!, rows!, m!, offsets!, base!);
    },
    cusparseXcsr2coo: (sparse, handle, [offsets, entries, m, rows, base]) => {
      if (entries! < 0 || m! < 0 || offsets === 0 || (entries! > 0 && rows === 0)) return status.INVALID_VALUE;
      return sparse.warps(handle, 'csr2coo', m!, m!, offsets!, rows!, base!);
    },
    cusparseCreateIdentityPermutation: (sparse, handle, [n, p]) => {
      if (n! < 0 || (n! > 0 && p === 0)) return status.INVALID_VALUE;
      return sparse.each(handle, 'identity', n!, n!, p!);
    },
    cusparseXcoosort_bufferSizeExt: size(5, (_sparse, [m, n, entries]) => {
      const areas = new Areas(0);
      cooAreas(areas, Math.max(m!, n!) + 1, entries!);
      return areas.bytes;
    }),
    cusparseXcoosortByRow: cooSort(true),
    cusparseXcoosortByColumn: cooSort(false),
    cusparseXcsrsort_bufferSizeExt: size(5, () => 0),
    cusparseXcsrsort: sorted(true),
    cusparseXcscsort_bufferSizeExt: size(5, () => 0),
    cusparseXcscsort: sorted(false),
    cusparseCsr2cscEx2_bufferSize: size(13, (_sparse, [, n, entries]) => {
      const areas = new Areas(0);
      cscAreas(areas, n!, entries!);
      return areas.bytes;
    }),
    cusparseCsr2cscEx2: csr2csc,
  },
};
