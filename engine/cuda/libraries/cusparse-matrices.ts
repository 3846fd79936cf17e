/** cuSPARSE's descriptions of vectors and matrices: what the program says of them, and what the kernels get. */
import type { CudaContext } from '../runtime/context.ts';
import type { Imported } from '../runtime/arguments.ts';
import { numbers, Words } from './library.ts';

export const status = {
  SUCCESS: 0,
  NOT_INITIALIZED: 1,
  ALLOC_FAILED: 2,
  INVALID_VALUE: 3,
  ARCH_MISMATCH: 4,
  MAPPING_ERROR: 5,
  EXECUTION_FAILED: 6,
  INTERNAL_ERROR: 7,
  MATRIX_TYPE_NOT_SUPPORTED: 8,
  ZERO_PIVOT: 9,
  NOT_SUPPORTED: 10,
  INSUFFICIENT_RESOURCES: 11,
};

/** `cusparseFormat_t`. */
export const format = { csr: 1, csc: 2, coo: 3 };
/** `cusparseOrder_t`. */
const order = { column: 1, row: 2 };
/** `cusparseIndexType_t`. */
const index32 = 2;
const index64 = 3;

/** Bytes of `cudaDataType`, for those that kernels know. */
export const typeBytes = new Map([
  [0, 4],
  [1, 8],
  [2, 2],
  [3, 1],
  [4, 8],
  [5, 16],
  [10, 4],
  [14, 2],
]);
/** Letters of the kernels that compute in one type, by `cudaDataType`. */
export const letters = new Map([
  [0, 's'],
  [1, 'd'],
  [4, 'c'],
  [5, 'z'],
]);

/** `cusparseMatDescr_t`. */
export interface MatrixDescription {
  type: number;
  fill: number;
  diagonal: number;
  base: number;
}

export interface DenseVector {
  size: number;
  values: number;
  type: number;
}

export interface SparseVector {
  size: number;
  entries: number;
  indices: number;
  values: number;
  wide: boolean;
  base: number;
  type: number;
}

export interface SparseMatrix {
  format: number;
  rows: number;
  columns: number;
  entries: number;
  /** Of rows or columns; 0 where `format` has none. */
  offsets: number;
  /** Where each entry has its row. */
  rowIndices: number;
  /** Columns of the entries; their rows where columns are compressed. */
  indices: number;
  values: number;
  wideOffsets: boolean;
  wideIndices: boolean;
  base: number;
  type: number;
  batch: number;
  offsetStride: number;
  entryStride: number;
  upper: boolean;
  unit: boolean;
}

export interface DenseMatrix {
  rows: number;
  columns: number;
  ld: number;
  values: number;
  type: number;
  isRowMajor: boolean;
  batch: number;
  stride: number;
}

/** Compressed rows, or rows that are given with each entry: as `struct Sparse` in cusparse.cuh. */
export interface Rows {
  offsets: number;
  rowIndices: number;
  indices: number;
  values: number;
  offsetStride: number;
  entryStride: number;
  rows: number;
  columns: number;
  entries: number;
  base: number;
  wideOffsets: boolean;
  wideIndices: boolean;
}

/** Where columns are compressed, of the transposed matrix. */
export function rowsOf(matrix: SparseMatrix): Rows {
  const { rows, columns } = matrix;
  return matrix.format === format.csc ? { ...matrix, rows: columns, columns: rows } : matrix;
}

export function sparseStruct(rows: Rows): Uint8Array {
  const words = new Words();
  words.pointers(rows.offsets, rows.rowIndices, rows.indices, rows.values);
  words.longs(BigInt(rows.offsetStride), BigInt(rows.entryStride));
  words.ints(rows.rows, rows.columns, rows.entries, rows.base, rows.wideOffsets ? 1 : 0, rows.wideIndices ? 1 : 0);
  return words.bytes;
}

/** A view of a dense matrix: as `struct Dense` in cusparse.cuh. */
export interface Elements {
  values: number;
  rowStep: number;
  columnStep: number;
  stride: number;
  rows: number;
  columns: number;
}

export function elementsOf(matrix: DenseMatrix, operation = 0): Elements {
  const { values, rows, columns, ld, isRowMajor, stride } = matrix;
  const [rowStep, columnStep] = isRowMajor ? [ld, 1] : [1, ld];
  if (operation === 0) return { values, rowStep, columnStep, stride, rows, columns };
  return { values, rowStep: columnStep, columnStep: rowStep, stride, rows: columns, columns: rows };
}

/** A vector as a matrix of one column. */
export const columnOf = ({ values, size }: DenseVector): Elements => ({
  values,
  rowStep: 1,
  columnStep: size,
  stride: 0,
  rows: size,
  columns: 1,
});

export function denseStruct({ values, rowStep, columnStep, stride, rows, columns }: Elements): Uint8Array {
  const words = new Words();
  words.pointers(values);
  words.longs(BigInt(rowStep), BigInt(columnStep), BigInt(stride));
  words.ints(rows, columns);
  return words.bytes;
}

const isIndexType = (type: number): boolean => type === index32 || type === index64;
const isBase = (base: number): boolean => base === 0 || base === 1;

/** What a program has described, by its handle. */
export class Descriptions {
  private readonly context: CudaContext;
  readonly matrices = new Map<number, MatrixDescription>();
  readonly denseVectors = new Map<number, DenseVector>();
  readonly sparseVectors = new Map<number, SparseVector>();
  readonly sparse = new Map<number, SparseMatrix>();
  readonly dense = new Map<number, DenseMatrix>();

  constructor(context: CudaContext) {
    this.context = context;
  }

  /** Hands out a new description, or whatever else is known by a handle. */
  add<What>(where: Map<number, What>, target: number, what: What): number {
    if (target === 0) return status.INVALID_VALUE;
    const handle = this.context.newHandle();
    where.set(handle, what);
    this.context.memory.setWord(target, handle);
    return status.SUCCESS;
  }

  /** Writes words (`w`) and ints (`i`) to where the program wants them. */
  give(...values: [target: number, kind: 'w' | 'i', value: number][]): number {
    if (values.some(([target]) => target === 0)) return status.INVALID_VALUE;
    for (const [target, kind, value] of values) {
      if (kind === 'w') this.context.memory.setWord(target, value);
      else this.context.memory.setU32(target, value);
    }
    return status.SUCCESS;
  }

  u32(address: number): number {
    return this.context.memory.u32(address);
  }
}

type Call = (all: Descriptions, args: number[]) => number;

/** A call on one description, whose handle comes first. */
const on =
  <What>(
    where: (all: Descriptions) => Map<number, What>,
    act: (what: What, args: number[], all: Descriptions) => number,
  ): Call =>
  (all, [handle, ...args]) => {
    const what = where(all).get(handle!);
    return what === undefined ? status.INVALID_VALUE : act(what, args, all);
  };

const remove =
  (where: (all: Descriptions) => Map<number, unknown>): Call =>
  (all, [handle]) =>
    handle === 0 || where(all).delete(handle!) ? status.SUCCESS : status.INVALID_VALUE;

const done = (act: () => void): number => (act(), status.SUCCESS);

const onMatrix = (act: Parameters<typeof on<MatrixDescription>>[1]) => on((all) => all.matrices, act);
const onSparse = (act: Parameters<typeof on<SparseMatrix>>[1]) => on((all) => all.sparse, act);
const onDense = (act: Parameters<typeof on<DenseMatrix>>[1]) => on((all) => all.dense, act);
const onDenseVector = (act: Parameters<typeof on<DenseVector>>[1]) => on((all) => all.denseVectors, act);
const onSparseVector = (act: Parameters<typeof on<SparseVector>>[1]) => on((all) => all.sparseVectors, act);

/** Descriptions of the older calls. */
const matrixCalls: Record<string, Call> = {
  cusparseCreateMatDescr: (all, [target]) => all.add(all.matrices, target!, { type: 0, fill: 0, diagonal: 0, base: 0 }),
  cusparseDestroyMatDescr: remove((all) => all.matrices),
};
for (const [name, field, most] of [
  ['MatType', 'type', 3],
  ['MatFillMode', 'fill', 1],
  ['MatDiagType', 'diagonal', 1],
  ['MatIndexBase', 'base', 1],
] as const) {
  matrixCalls[`cusparseSet${name}`] = onMatrix((matrix, [value]) => {
    if (value! < 0 || value! > most) return status.INVALID_VALUE;
    matrix[field] = value!;
    return status.SUCCESS;
  });
  // It gives the value, and no status.
  matrixCalls[`cusparseGet${name}`] = (all, [handle]) => all.matrices.get(handle!)?.[field] ?? 0;
}

const vectorCalls: Record<string, Call> = {
  cusparseCreateDnVec: (all, [target, size, values, type]) => {
    if (size! < 0 || !typeBytes.has(type!)) return status.INVALID_VALUE;
    return all.add(all.denseVectors, target!, { size: size!, values: values!, type: type! });
  },
  cusparseDestroyDnVec: remove((all) => all.denseVectors),
  cusparseDnVecGet: onDenseVector((vector, [size, values, type], all) =>
    all.give([size!, 'w', vector.size], [values!, 'w', vector.values], [type!, 'i', vector.type]),
  ),
  cusparseDnVecGetValues: onDenseVector((vector, [values], all) => all.give([values!, 'w', vector.values])),
  cusparseDnVecSetValues: onDenseVector((vector, [values]) => done(() => (vector.values = values!))),
  cusparseCreateSpVec: (all, [target, size, entries, indices, values, indexType, base, type]) => {
    if (size! < 0 || entries! < 0 || entries! > size! || !isIndexType(indexType!) || !isBase(base!))
      return status.INVALID_VALUE;
    if (!typeBytes.has(type!)) return status.INVALID_VALUE;
    return all.add(all.sparseVectors, target!, {
      ...{ size: size!, entries: entries!, indices: indices!, values: values! },
      ...{ wide: indexType === index64, base: base!, type: type! },
    });
  },
  cusparseDestroySpVec: remove((all) => all.sparseVectors),
  cusparseSpVecGet: onSparseVector((vector, [size, entries, indices, values, indexType, base, type], all) =>
    all.give(
      [size!, 'w', vector.size],
      [entries!, 'w', vector.entries],
      [indices!, 'w', vector.indices],
      [values!, 'w', vector.values],
      [indexType!, 'i', vector.wide ? index64 : index32],
      [base!, 'i', vector.base],
      [type!, 'i', vector.type],
    ),
  ),
  cusparseSpVecGetIndexBase: onSparseVector((vector, [base], all) => all.give([base!, 'i', vector.base])),
  cusparseSpVecGetValues: onSparseVector((vector, [values], all) => all.give([values!, 'w', vector.values])),
  cusparseSpVecSetValues: onSparseVector((vector, [values]) => done(() => (vector.values = values!))),
};

const unbatched = { batch: 1, offsetStride: 0, entryStride: 0, upper: false, unit: false };

/** Matrices whose rows or columns are compressed. */
const compressed =
  (which: number): Call =>
  (all, [target, rows, columns, entries, offsets, indices, values, offsetType, indexType, base, type]) => {
    if (rows! < 0 || columns! < 0 || entries! < 0 || !isBase(base!) || !typeBytes.has(type!))
      return status.INVALID_VALUE;
    if (!isIndexType(offsetType!) || !isIndexType(indexType!)) return status.INVALID_VALUE;
    return all.add(all.sparse, target!, {
      ...{ format: which, rows: rows!, columns: columns!, entries: entries!, rowIndices: 0 },
      ...{ offsets: offsets!, indices: indices!, values: values! },
      ...{ wideOffsets: offsetType === index64, wideIndices: indexType === index64, base: base!, type: type! },
      ...unbatched,
    });
  };
const compressedGet = (which: number): Call =>
  onSparse((m, [rows, columns, entries, offsets, indices, values, offsetType, indexType, base, type], all) => {
    if (m.format !== which) return status.INVALID_VALUE;
    return all.give(
      ...([
        [rows, 'w', m.rows],
        [columns, 'w', m.columns],
        [entries, 'w', m.entries],
        [offsets, 'w', m.offsets],
        [indices, 'w', m.indices],
        [values, 'w', m.values],
        [offsetType, 'i', m.wideOffsets ? index64 : index32],
        [indexType, 'i', m.wideIndices ? index64 : index32],
        [base, 'i', m.base],
        [type, 'i', m.type],
      ] as [number, 'w' | 'i', number][]),
    );
  });
const compressedSet = (which: number): Call =>
  onSparse((m, [offsets, indices, values]) => {
    if (m.format !== which || offsets === 0) return status.INVALID_VALUE;
    Object.assign(m, { offsets, indices, values });
    return status.SUCCESS;
  });

/** `cusparseSpMatAttribute_t`. */
const fillMode = 0;
const diagonalType = 1;

const sparseCalls: Record<string, Call> = {
  cusparseCreateCsr: compressed(format.csr),
  cusparseCreateCsc: compressed(format.csc),
  cusparseCsrGet: compressedGet(format.csr),
  cusparseCscGet: compressedGet(format.csc),
  cusparseCsrSetPointers: compressedSet(format.csr),
  cusparseCscSetPointers: compressedSet(format.csc),
  cusparseCreateCoo: (all, [target, rows, columns, entries, rowIndices, indices, values, indexType, base, type]) => {
    if (rows! < 0 || columns! < 0 || entries! < 0 || !isBase(base!) || !typeBytes.has(type!))
      return status.INVALID_VALUE;
    if (!isIndexType(indexType!)) return status.INVALID_VALUE;
    return all.add(all.sparse, target!, {
      ...{ format: format.coo, rows: rows!, columns: columns!, entries: entries!, offsets: 0 },
      ...{ rowIndices: rowIndices!, indices: indices!, values: values! },
      ...{ wideOffsets: false, wideIndices: indexType === index64, base: base!, type: type! },
      ...unbatched,
    });
  },
  cusparseCooGet: onSparse((m, [rows, columns, entries, rowIndices, indices, values, indexType, base, type], all) => {
    if (m.format !== format.coo) return status.INVALID_VALUE;
    return all.give(
      [rows!, 'w', m.rows],
      [columns!, 'w', m.columns],
      [entries!, 'w', m.entries],
      [rowIndices!, 'w', m.rowIndices],
      [indices!, 'w', m.indices],
      [values!, 'w', m.values],
      [indexType!, 'i', m.wideIndices ? index64 : index32],
      [base!, 'i', m.base],
      [type!, 'i', m.type],
    );
  }),
  cusparseCooSetPointers: onSparse((m, [rowIndices, indices, values]) => {
    if (m.format !== format.coo) return status.INVALID_VALUE;
    Object.assign(m, { rowIndices, indices, values });
    return status.SUCCESS;
  }),
  cusparseDestroySpMat: remove((all) => all.sparse),
  cusparseSpMatGetFormat: onSparse((m, [target], all) => all.give([target!, 'i', m.format])),
  cusparseSpMatGetIndexBase: onSparse((m, [target], all) => all.give([target!, 'i', m.base])),
  cusparseSpMatGetValues: onSparse((m, [target], all) => all.give([target!, 'w', m.values])),
  cusparseSpMatSetValues: onSparse((m, [values]) => done(() => (m.values = values!))),
  cusparseSpMatGetSize: onSparse((m, [rows, columns, entries], all) =>
    all.give([rows!, 'w', m.rows], [columns!, 'w', m.columns], [entries!, 'w', m.entries]),
  ),
  cusparseSpMatGetStridedBatch: onSparse((m, [target], all) => all.give([target!, 'i', m.batch])),
  cusparseCooSetStridedBatch: onSparse((m, [batch, stride]) => {
    if (m.format !== format.coo || batch! < 1) return status.INVALID_VALUE;
    Object.assign(m, { batch, entryStride: stride });
    return status.SUCCESS;
  }),
  cusparseCsrSetStridedBatch: onSparse((m, [batch, offsetStride, entryStride]) => {
    if (m.format !== format.csr || batch! < 1) return status.INVALID_VALUE;
    Object.assign(m, { batch, offsetStride, entryStride });
    return status.SUCCESS;
  }),
  cusparseSpMatGetAttribute: onSparse((m, [attribute, target, size], all) => {
    if (size !== 4 || (attribute !== fillMode && attribute !== diagonalType)) return status.INVALID_VALUE;
    return all.give([target!, 'i', (attribute === fillMode ? m.upper : m.unit) ? 1 : 0]);
  }),
  cusparseSpMatSetAttribute: onSparse((m, [attribute, source, size], all) => {
    if (size !== 4 || source === 0 || (attribute !== fillMode && attribute !== diagonalType))
      return status.INVALID_VALUE;
    m[attribute === fillMode ? 'upper' : 'unit'] = all.u32(source!) === 1;
    return status.SUCCESS;
  }),
};

const denseCalls: Record<string, Call> = {
  cusparseCreateDnMat: (all, [target, rows, columns, ld, values, type, which]) => {
    if (rows! < 0 || columns! < 0 || !typeBytes.has(type!)) return status.INVALID_VALUE;
    if (which !== order.column && which !== order.row) return status.INVALID_VALUE;
    if (ld! < (which === order.row ? columns! : rows!)) return status.INVALID_VALUE;
    return all.add(all.dense, target!, {
      ...{ rows: rows!, columns: columns!, ld: ld!, values: values!, type: type! },
      ...{ isRowMajor: which === order.row, batch: 1, stride: 0 },
    });
  },
  cusparseDestroyDnMat: remove((all) => all.dense),
  cusparseDnMatGet: onDense((m, [rows, columns, ld, values, type, which], all) =>
    all.give(
      [rows!, 'w', m.rows],
      [columns!, 'w', m.columns],
      [ld!, 'w', m.ld],
      [values!, 'w', m.values],
      [type!, 'i', m.type],
      [which!, 'i', m.isRowMajor ? order.row : order.column],
    ),
  ),
  cusparseDnMatGetValues: onDense((m, [target], all) => all.give([target!, 'w', m.values])),
  cusparseDnMatSetValues: onDense((m, [values]) => done(() => (m.values = values!))),
  cusparseDnMatSetStridedBatch: onDense((m, [batch, stride]) => {
    if (batch! < 1) return status.INVALID_VALUE;
    Object.assign(m, { batch, stride });
    return status.SUCCESS;
  }),
  cusparseDnMatGetStridedBatch: onDense((m, [batch, stride], all) =>
    all.give([batch!, 'i', m.batch], [stride!, 'w', m.stride]),
  ),
};

/** Those that also have a form for memory that is not written to. */
const withConst =
  /^cusparse(?:Create(?=SpVec|DnVec|Csr|Csc|Coo|DnMat)|(?=(?:SpVec|DnVec|DnMat|Csr|Csc|Coo)Get(?:Values)?$|SpMatGetValues$))/;

/** The calls that describe, by the names of their imports: nothing that takes time. */
export function descriptionImports(all: Descriptions): Record<string, Imported> {
  const imports: Record<string, Imported> = {};
  for (const [name, call] of Object.entries({ ...matrixCalls, ...vectorCalls, ...sparseCalls, ...denseCalls })) {
    const run: Imported = (...args) => call(all, numbers(args));
    imports[name] = run;
    const found = withConst.exec(name);
    if (found) imports[`${found[0]}Const${name.slice(found[0].length)}`] = run;
  }
  return imports;
}
