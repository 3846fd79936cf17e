/** cuSPARSE's sparse vectors, and what goes from dense matrices to sparse ones and back. */
import { Areas, scan, scanInts } from './cusparse-indices.ts';
import { ceilDiv, inOrder, size, type Call, type Cusparse, type CusparseCalls, type Handle } from './cusparse.ts';
import {
  denseStruct,
  elementsOf,
  format,
  letters,
  rowsOf,
  sparseStruct,
  status,
  typeBytes,
  type DenseMatrix,
  type DenseVector,
  type Elements,
  type SparseMatrix,
  type SparseVector,
} from './cusparse-matrices.ts';

const reducers = 256;
const mostParts = 512;
const bytesOfPart = 16;

/** A sparse and a dense vector that fit each other; else the error. */
function pair(sparse: Cusparse, x: number, y: number): { x: SparseVector; y: DenseVector } | number {
  const found = { x: sparse.all.sparseVectors.get(x), y: sparse.vector(y) };
  if (!found.x || !found.y || found.x.size !== found.y.size) return status.INVALID_VALUE;
  return found.x.type === found.y.type ? { x: found.x, y: found.y } : status.NOT_SUPPORTED;
}

const indicesOf = ({ entries, indices, wide, base }: SparseVector) => [entries, indices, wide ? 1 : 0, base] as const;

const move =
  (kernel: 'gather' | 'scatter'): Call =>
  (sparse, handle, args) => {
    const [first, second] = args as [number, number];
    const found = kernel === 'gather' ? pair(sparse, second, first) : pair(sparse, first, second);
    if (typeof found === 'number') return found;
    const { x, y } = found;
    const [from, to] = kernel === 'gather' ? [y.values, x.values] : [x.values, y.values];
    return sparse.each(handle, `${kernel}_${typeBytes.get(x.type)}`, x.entries, ...indicesOf(x), from, to);
  };

const axpby: Call = (sparse, handle, [alpha, vecX, beta, vecY]) => {
  const found = pair(sparse, vecX!, vecY!);
  if (typeof found === 'number') return found;
  const { x, y } = found;
  const letter = letters.get(x.type);
  if (letter === undefined) return status.NOT_SUPPORTED;
  if (alpha === 0 || beta === 0) return status.INVALID_VALUE;
  return inOrder(
    () => sparse.each(handle, `${letter}vscale`, y.size, y.size, y.values, ...sparse.scalar(handle, beta!, x.type)),
    () => {
      const values = [...indicesOf(x), x.values, y.values, ...sparse.scalar(handle, alpha!, x.type)];
      return sparse.each(handle, `${letter}axpy`, x.entries, ...values);
    },
  );
};

const spvv: Call = (sparse, handle, [operation, vecX, vecY, result, computeType, buffer]) => {
  const found = pair(sparse, vecX!, vecY!);
  if (typeof found === 'number') return found;
  const { x, y } = found;
  const letter = letters.get(x.type);
  if (letter === undefined || computeType !== x.type) return status.NOT_SUPPORTED;
  if (result === 0 || buffer === 0 || (operation !== 0 && operation !== 2)) return status.INVALID_VALUE;
  const bytes = typeBytes.get(x.type)!;
  const parts = Math.max(1, Math.min(mostParts, ceilDiv(x.entries, 4 * reducers)));
  const target = handle.devicePointers ? result! : buffer! + mostParts * bytesOfPart;
  return inOrder(
    () => {
      const values = [...indicesOf(x), x.values, y.values, operation === 2 ? 1 : 0, buffer!];
      return sparse.grid(handle, `${letter}vv`, { x: parts }, ...values);
    },
    () => sparse.block(handle, `${letter}vv_parts`, reducers, parts, buffer!, target),
    () => (handle.devicePointers ? status.SUCCESS : sparse.copyToHost(handle, result!, target, bytes)),
  );
};

/** Letters of the kernels that tell zeros, by `cudaDataType`. */
const zeroLetters = new Map([...letters, [2, 'h'], [14, 'h'], [3, 'i']]);

const sparseToDense: Call = (sparse, handle, [matA, matB]) => {
  const [a, b] = [sparse.sparse(matA!), sparse.dense(matB!)];
  if (!a || !b || a.rows !== b.rows || a.columns !== b.columns || a.type !== b.type) return status.INVALID_VALUE;
  if (b.rows === 0 || b.columns === 0) return status.SUCCESS;
  const bytes = typeBytes.get(a.type)!;
  const rows = rowsOf(a);
  // Rows of the transpose go to columns.
  const target = elementsOf(b, a.format === format.csc ? 1 : 0);
  const walks = a.format === format.coo ? rows.entries : rows.rows;
  const all = { x: ceilDiv(b.rows * b.columns, 256), z: b.batch };
  return inOrder(
    () => sparse.grid(handle, `clear_${bytes}`, all, denseStruct(target)),
    () =>
      walks === 0
        ? status.SUCCESS
        : sparse.grid(
            handle,
            `spread_${bytes}`,
            { x: ceilDiv(walks, 8), z: b.batch },
            sparseStruct(rows),
            denseStruct(target),
          ),
  );
};

const denseAreas = (areas: Areas, rows: number) => ({
  counts: areas.ints(rows),
  offsets: areas.ints(rows + 1),
  scratch: areas.ints(scanInts(rows)),
});

/** A dense matrix as the rows that a sparse one has, and how many threads take one of them. */
function source(a: DenseMatrix, { format: which }: SparseMatrix): { rows: Elements; lanes: number } {
  const rows = elementsOf(a, which === format.csc ? 1 : 0);
  return { rows, lanes: rows.columnStep === 1 ? 32 : 1 };
}

/** What the calls of a conversion to a sparse matrix begin with. */
function conversion(sparse: Cusparse, args: number[]): { a: DenseMatrix; b: SparseMatrix; letter: string } | number {
  const [a, b] = [sparse.dense(args[0]!), sparse.sparse(args[1]!)];
  if (!a || !b || a.rows !== b.rows || a.columns !== b.columns || a.type !== b.type) return status.INVALID_VALUE;
  const letter = zeroLetters.get(a.type);
  return letter === undefined ? status.NOT_SUPPORTED : { a, b, letter };
}

const countEntries: Call = (sparse, handle, args) => {
  const found = conversion(sparse, args);
  if (typeof found === 'number') return found;
  const { a, b, letter } = found;
  const { rows, lanes } = source(a, b);
  if (args[3] === 0 || (b.format !== format.coo && b.offsets === 0)) return status.INVALID_VALUE;
  const { counts, offsets, scratch } = denseAreas(new Areas(args[3]!), rows.rows);
  const code = inOrder(
    () => sparse.each(handle, `${letter}count_rows`, rows.rows * lanes, denseStruct(rows), lanes, counts),
    () => scan(sparse, handle, { n: rows.rows, counts, out: offsets, base: 0, scratch }),
    () => {
      if (b.format === format.coo) return status.SUCCESS;
      const values = [rows.rows + 1, offsets, b.offsets, b.wideOffsets ? 1 : 0, b.base] as const;
      return sparse.each(handle, 'put_offsets', rows.rows + 1, ...values);
    },
  );
  if (code !== status.SUCCESS) return code;
  const entries = sparse.integers(handle, offsets + 4 * rows.rows, 1)?.[0];
  if (entries === undefined) return status.EXECUTION_FAILED;
  b.entries = entries;
  return status.SUCCESS;
};

const compress: Call = (sparse, handle, args) => {
  const found = conversion(sparse, args);
  if (typeof found === 'number') return found;
  const { a, b, letter } = found;
  const { rows, lanes } = source(a, b);
  if (args[3] === 0) return status.INVALID_VALUE;
  if (b.entries === 0) return status.SUCCESS;
  if (b.indices === 0 || b.values === 0 || (b.format === format.coo && b.rowIndices === 0)) return status.INVALID_VALUE;
  const { offsets } = denseAreas(new Areas(args[3]!), rows.rows);
  return sparse.each(
    handle,
    `${letter}compress`,
    rows.rows * lanes,
    ...[denseStruct(rows), lanes, offsets, b.rowIndices, b.indices, b.wideIndices ? 1 : 0, b.values, b.base],
  );
};

/** `cusparse<t>nnz`: entries of each row or column of a matrix that lies column by column, and of all. */
const countOf =
  (letter: string): Call =>
  (sparse, handle, args) => {
    const [direction, m, n, descr, values, lda, counts, total] = args as [number, number, number, ...number[]];
    const description = sparse.all.matrices.get(descr!);
    if (!description || direction < 0 || direction > 1 || m < 0 || n < 0 || lda! < Math.max(1, m))
      return status.INVALID_VALUE;
    if (description.type !== 0) return status.MATRIX_TYPE_NOT_SUPPORTED;
    if (values === 0 || counts === 0 || total === 0) return status.INVALID_VALUE;
    const [rows, columns] = direction === 0 ? [m, n] : [n, m];
    const steps = direction === 0 ? { rowStep: 1, columnStep: lda! } : { rowStep: lda!, columnStep: 1 };
    const lanes = direction === 0 ? 1 : 32;
    const elements = { values: values!, ...steps, stride: 0, rows, columns };
    const own = handle.devicePointers ? null : sparse.allocate(16);
    if (own === null && !handle.devicePointers) return status.ALLOC_FAILED;
    const target = own ?? total!;
    const code = inOrder(
      () => sparse.each(handle, `${letter}count_rows`, rows * lanes, denseStruct(elements), lanes, counts!),
      () => sparse.block(handle, 'sum', 1024, rows, counts!, target),
      () => (own === null ? status.SUCCESS : sparse.copyToHost(handle, total!, own, 4)),
    );
    if (own !== null) sparse.release(own);
    return code;
  };

export const conversionCalls: CusparseCalls = {
  calls: {
    cusparseGather: move('gather'),
    cusparseScatter: move('scatter'),
    cusparseAxpby: axpby,
    cusparseSpVV: spvv,
    cusparseSpVV_bufferSize: size(5, () => (mostParts + 1) * bytesOfPart),
    cusparseSparseToDense: sparseToDense,
    cusparseSparseToDense_bufferSize: size(3, () => 0),
    cusparseDenseToSparse_bufferSize: (sparse: Cusparse, handle: Handle, args: number[]) => {
      const found = conversion(sparse, args);
      if (typeof found === 'number') return found;
      const areas = new Areas(0);
      denseAreas(areas, source(found.a, found.b).rows.rows);
      return size(3, () => areas.bytes)(sparse, handle, args);
    },
    cusparseDenseToSparse_analysis: countEntries,
    cusparseDenseToSparse_convert: compress,
    ...Object.fromEntries(
      [...letters.values()].map((letter) => [`cusparse${letter.toUpperCase()}nnz`, countOf(letter)]),
    ),
  },
};
