/** cuSPARSE's products: of a sparse matrix with a vector or a dense matrix, and of dense matrices where a sparse one has entries. */
import {
  ceilDiv,
  inOrder,
  lanesFor,
  size,
  type Call,
  type Cusparse,
  type CusparseCalls,
  type Handle,
} from './cusparse.ts';
import {
  columnOf,
  denseStruct,
  elementsOf,
  format,
  rowsOf,
  sparseStruct,
  status,
  type Elements,
  type SparseMatrix,
} from './cusparse-matrices.ts';

/** Of the matrices that are read, of the one that is written, and of the sums (`cudaDataType`): the letters of the kernels. */
const kinds: Record<string, { letter: string; isAtomic: boolean; out: string }> = {
  '0-0-0': { letter: 's', isAtomic: true, out: 's' },
  '1-1-1': { letter: 'd', isAtomic: true, out: 'd' },
  '4-4-4': { letter: 'c', isAtomic: true, out: 'c' },
  '5-5-5': { letter: 'z', isAtomic: true, out: 'z' },
  '2-2-0': { letter: 'h', isAtomic: false, out: '' },
  '2-0-0': { letter: 'hs', isAtomic: true, out: 's' },
  '14-14-0': { letter: 'b', isAtomic: false, out: '' },
  '14-0-0': { letter: 'bs', isAtomic: true, out: 's' },
  '3-10-10': { letter: 'i', isAtomic: true, out: 'i' },
  '3-0-0': { letter: 'is', isAtomic: true, out: 's' },
};

const isOperation = (operation: number): boolean => operation >= 0 && operation <= 2;

/** A product that a call asks for, once its arguments are known to fit. */
interface Product {
  a: SparseMatrix;
  b: Elements;
  c: Elements;
  transposed: boolean;
  conjugate: boolean;
  conjugateB: boolean;
  kind: { letter: string; isAtomic: boolean; out: string };
  alpha: number;
  beta: number;
  computeType: number;
  batch: number;
}

/** `beta C` first, where products are added one by one. */
function scale(
  sparse: Cusparse,
  handle: Handle,
  { c, kind, beta, computeType, batch }: Product,
  family: string,
): number {
  const [betaAt, value] = sparse.scalar(handle, beta, computeType);
  const grid = { x: ceilDiv(c.rows * c.columns, 256), z: batch };
  return sparse.grid(handle, `${kind.out}scale_${family}`, grid, denseStruct(c), betaAt, value);
}

function spmv(sparse: Cusparse, handle: Handle, product: Product): number {
  const { a, b, c, kind, transposed, conjugate, alpha, beta, computeType } = product;
  if (c.rows === 0) return status.SUCCESS;
  const rows = rowsOf(a);
  const alphas = sparse.scalar(handle, alpha, computeType);
  const vectors = [b.values, c.values] as const;
  const isCoo = a.format === format.coo;
  // Where columns are compressed, rows are those of the transposed matrix.
  const isScattered = isCoo || (a.format === format.csc) !== transposed;
  const lanes = lanesFor(rows.entries, rows.rows);
  const conjugates = conjugate ? 1 : 0;
  if (!isScattered) {
    const betas = sparse.scalar(handle, beta, computeType);
    const values = [...vectors, ...alphas, ...betas, lanes, conjugates];
    return sparse.each(handle, `${kind.letter}csrmv`, rows.rows * lanes, sparseStruct(rows), ...values);
  }
  if (!kind.isAtomic) return status.NOT_SUPPORTED;
  return inOrder(
    () => scale(sparse, handle, product, 'mv'),
    () => {
      if (!isCoo) {
        const values = [...vectors, ...alphas, lanes, conjugates];
        return sparse.each(handle, `${kind.letter}csrmv_t`, rows.rows * lanes, sparseStruct(rows), ...values);
      }
      const values = [...vectors, ...alphas, transposed ? 1 : 0, conjugates];
      return sparse.each(handle, `${kind.letter}coomv`, rows.entries, sparseStruct(rows), ...values);
    },
  );
}

function spmm(sparse: Cusparse, handle: Handle, product: Product): number {
  const { a, b, c, kind, transposed, conjugate, conjugateB, alpha, beta, computeType, batch } = product;
  if (c.rows === 0 || c.columns === 0) return status.SUCCESS;
  const rows = rowsOf(a);
  const alphas = sparse.scalar(handle, alpha, computeType);
  const structs = [sparseStruct(rows), denseStruct(b), denseStruct(c)] as const;
  const isCoo = a.format === format.coo;
  const conjugates = [conjugate ? 1 : 0, conjugateB ? 1 : 0] as const;
  const columnTiles = ceilDiv(c.columns, 32);
  if (!isCoo && (a.format === format.csc) === transposed) {
    const betas = sparse.scalar(handle, beta, computeType);
    const byRows = b.columnStep === 1;
    const lanes = byRows ? 32 : lanesFor(rows.entries, rows.rows);
    const grid = { x: ceilDiv(rows.rows * lanes, 256), y: byRows ? columnTiles : ceilDiv(c.columns, 4), z: batch };
    const kernel = `${kind.letter}csrmm_${byRows ? 'row' : 'col'}`;
    return sparse.grid(handle, kernel, grid, ...structs, ...alphas, ...betas, lanes, ...conjugates);
  }
  if (!kind.isAtomic) return status.NOT_SUPPORTED;
  // With compressed columns A's rows are those of its transpose: entries go to the rows of C, or come from those of B.
  const turned = (a.format === format.csc) !== transposed;
  return inOrder(
    () => scale(sparse, handle, product, 'mm'),
    () => {
      const walks = isCoo ? rows.entries : rows.rows;
      if (walks === 0) return status.SUCCESS;
      const grid = { x: ceilDiv(walks, 8), y: columnTiles, z: batch };
      const values = [...alphas, turned ? 1 : 0, ...conjugates];
      return sparse.grid(handle, `${kind.letter}mm_scattered`, grid, ...structs, ...values);
    },
  );
}

type Checked = Product | number;

/** The product of arguments of `cusparseSpMV`, or the error that they are. */
function vectorProduct(sparse: Cusparse, args: number[]): Checked {
  const [operation, alpha, matA, vecX, beta, vecY, computeType] = args as [number, number, ...number[]];
  const [a, x, y] = [sparse.sparse(matA!), sparse.vector(vecX!), sparse.vector(vecY!)];
  if (!a || !x || !y || !isOperation(operation) || alpha === 0 || beta === 0) return status.INVALID_VALUE;
  const [rows, columns] = operation === 0 ? [a.rows, a.columns] : [a.columns, a.rows];
  if (y.size !== rows || x.size !== columns) return status.INVALID_VALUE;
  const kind = x.type === a.type ? kinds[`${a.type}-${y.type}-${computeType}`] : undefined;
  if (!kind) return status.NOT_SUPPORTED;
  const flags = { transposed: operation !== 0, conjugate: operation === 2, conjugateB: false };
  return { a, b: columnOf(x), c: columnOf(y), kind, alpha, beta: beta!, computeType: computeType!, batch: 1, ...flags };
}

/** The product of arguments of `cusparseSpMM`, or the error that they are. */
function matrixProduct(sparse: Cusparse, args: number[]): Checked {
  const [operationA, operationB, alpha, matA, matB, beta, matC, computeType] = args as [number, number, ...number[]];
  const [a, b, c] = [sparse.sparse(matA!), sparse.dense(matB!), sparse.dense(matC!)];
  if (!a || !b || !c || !isOperation(operationA) || !isOperation(operationB)) return status.INVALID_VALUE;
  if (alpha === 0 || beta === 0) return status.INVALID_VALUE;
  const [rows, inner] = operationA === 0 ? [a.rows, a.columns] : [a.columns, a.rows];
  const right = elementsOf(b, operationB);
  if (c.rows !== rows || right.rows !== inner || right.columns !== c.columns) return status.INVALID_VALUE;
  const kind = b.type === a.type ? kinds[`${a.type}-${c.type}-${computeType}`] : undefined;
  if (!kind) return status.NOT_SUPPORTED;
  const flags = { transposed: operationA !== 0, conjugate: operationA === 2, conjugateB: operationB === 2 };
  const scalars = { alpha: alpha!, beta: beta!, computeType: computeType! };
  return { a, b: right, c: elementsOf(c), kind, ...scalars, batch: c.batch, ...flags };
}

/** What `cusparseSDDMM` is asked for. */
function sddmm(sparse: Cusparse, handle: Handle | null, args: number[]): number {
  const [operationA, operationB, alpha, matA, matB, beta, matC, computeType] = args as [number, number, ...number[]];
  const [a, b, c] = [sparse.dense(matA!), sparse.dense(matB!), sparse.sparse(matC!)];
  if (!a || !b || !c || !isOperation(operationA) || !isOperation(operationB)) return status.INVALID_VALUE;
  if (alpha === 0 || beta === 0) return status.INVALID_VALUE;
  const [left, right] = [elementsOf(a, operationA), elementsOf(b, operationB)];
  if (left.rows !== c.rows || right.columns !== c.columns || left.columns !== right.rows) return status.INVALID_VALUE;
  const kind = a.type === b.type ? kinds[`${a.type}-${c.type}-${computeType}`] : undefined;
  if (!kind || !['s', 'd', 'c', 'z', 'h', 'hs'].includes(kind.letter)) return status.NOT_SUPPORTED;
  if (handle === null || c.entries === 0) return status.SUCCESS;
  const rows = rowsOf(c);
  const walks = c.format === format.coo ? rows.entries : rows.rows;
  return sparse.grid(
    handle,
    `${kind.letter}sddmm`,
    { x: ceilDiv(walks, 8), z: c.batch },
    ...[sparseStruct(rows), denseStruct(left), denseStruct(right)],
    ...sparse.scalar(handle, alpha!, computeType!),
    ...sparse.scalar(handle, beta!, computeType!),
    ...[c.format === format.csc ? 1 : 0, operationA === 2 ? 1 : 0, operationB === 2 ? 1 : 0],
  );
}

const run =
  (check: (sparse: Cusparse, args: number[]) => Checked, act: typeof spmv): Call =>
  (sparse, handle, args) => {
    const product = check(sparse, args);
    return typeof product === 'number' ? product : act(sparse, handle, product);
  };
/** A call that only checks: kernels need no preparation and no buffer. */
const checked =
  (check: (sparse: Cusparse, args: number[]) => Checked): Call =>
  (sparse, _handle, args) => {
    const product = check(sparse, args);
    return typeof product === 'number' ? product : status.SUCCESS;
  };
const sizeOf =
  (place: number, check: Call): Call =>
  (sparse, handle, args) =>
    check(sparse, handle, args) || size(place, () => 0)(sparse, handle, args);

const checkedSddmm: Call = (sparse, _handle, args) => sddmm(sparse, null, args);

export const productCalls: CusparseCalls = {
  calls: {
    cusparseSpMV: run(vectorProduct, spmv),
    cusparseSpMV_preprocess: checked(vectorProduct),
    cusparseSpMV_bufferSize: sizeOf(8, checked(vectorProduct)),
    cusparseSpMM: run(matrixProduct, spmm),
    cusparseSpMM_preprocess: checked(matrixProduct),
    cusparseSpMM_bufferSize: sizeOf(9, checked(matrixProduct)),
    cusparseSDDMM: sddmm,
    cusparseSDDMM_preprocess: checkedSddmm,
    cusparseSDDMM_bufferSize: sizeOf(9, checkedSddmm),
  },
};
