/** cuSPARSE's product of two sparse matrices: how many products there are, then the result in a buffer, then where it is wanted. */
import { Areas, scan, scanInts } from './cusparse-indices.ts';
import { inOrder, type Call, type Cusparse, type CusparseCalls, type Handle } from './cusparse.ts';
import { format, letters, rowsOf, sparseStruct, status, typeBytes, type SparseMatrix } from './cusparse-matrices.ts';

/** `cusparseSpGEMMDescr_t`: what each call leaves for the next. */
interface Gemm {
  /** Where the places of each row begin, on the device, and how many there are in all: twice the products. */
  starts: number;
  places: number;
  /** The result: keys and sums by their places, and offsets of its rows. */
  keys: number;
  sums: number;
  offsets: number;
}

type Gemms = Map<number, Gemm>;

const startAreas = (areas: Areas, rows: number) => ({
  counts: areas.ints(rows),
  starts: areas.ints(rows + 1),
  scratch: areas.ints(scanInts(rows)),
});

const resultAreas = (areas: Areas, rows: number, places: number, bytes: number) => ({
  keys: areas.ints(places),
  sums: areas.take(places * bytes),
  counts: areas.ints(rows),
  offsets: areas.ints(rows + 1),
  scratch: areas.ints(scanInts(rows)),
});

interface Product {
  a: SparseMatrix;
  b: SparseMatrix;
  c: SparseMatrix;
  alpha: number;
  letter: string;
  gemm: Gemm;
  /** Where the size of the buffer goes, and the buffer: 0 asks for the size. */
  size: number;
  buffer: number;
}

const isNarrowCsr = (matrix: SparseMatrix): boolean =>
  matrix.format === format.csr && !matrix.wideOffsets && !matrix.wideIndices;

/** True for a scalar on the host that is 0; on the device nobody looks. */
function isZero(sparse: Cusparse, { devicePointers }: Handle, address: number, type: number): boolean {
  return !devicePointers && sparse.bytesAt(address, typeBytes.get(type)!).every((byte) => (byte & 0x7f) === 0);
}

function checked(sparse: Cusparse, handle: Handle, args: number[], gemms: Gemms): Product | number {
  const [opA, opB, alpha, matA, matB, beta, matC, type, , descr, bufferSize, buffer] = args as [
    ...[number, number, number, number],
    ...number[],
  ];
  const [a, b, c] = [sparse.sparse(matA), sparse.sparse(matB!), sparse.sparse(matC!)];
  const gemm = gemms.get(descr!);
  if (!a || !b || !c || !gemm || alpha === 0 || beta === 0) return status.INVALID_VALUE;
  if (a.columns !== b.rows || c.rows !== a.rows || c.columns !== b.columns) return status.INVALID_VALUE;
  const letter = letters.get(type!);
  const all = [a, b, c];
  if (opA !== 0 || opB !== 0 || letter === undefined || all.some((matrix) => matrix.type !== type))
    return status.NOT_SUPPORTED;
  // What C has before is not added.
  if (!all.every(isNarrowCsr) || !isZero(sparse, handle, beta!, type!)) return status.NOT_SUPPORTED;
  return { a, b, c, alpha, letter, gemm, size: bufferSize ?? 0, buffer: buffer ?? 0 };
}

function countProducts(sparse: Cusparse, handle: Handle, { a, b, gemm, size, buffer }: Product): number {
  const areas = new Areas(buffer);
  const { counts, starts, scratch } = startAreas(areas, a.rows);
  if (buffer === 0) return sparse.giveWord(size, areas.bytes);
  const code = inOrder(
    () => sparse.warps(handle, 'gemm_products', a.rows, sparseStruct(rowsOf(a)), sparseStruct(rowsOf(b)), counts),
    () => scan(sparse, handle, { n: a.rows, counts, out: starts, base: 0, scratch }),
  );
  if (code !== status.SUCCESS) return code;
  const places = sparse.integers(handle, starts + 4 * a.rows, 1)?.[0];
  if (places === undefined) return status.EXECUTION_FAILED;
  // More than 2^31 products.
  if (places < 0) return status.INSUFFICIENT_RESOURCES;
  Object.assign(gemm, { starts, places });
  return status.SUCCESS;
}

function multiply(sparse: Cusparse, handle: Handle, { a, b, c, alpha, letter, gemm, size, buffer }: Product): number {
  const { starts, places } = gemm;
  if (starts === 0) return status.INVALID_VALUE;
  const bytes = typeBytes.get(a.type)!;
  const areas = new Areas(buffer);
  const { keys, sums, counts, offsets, scratch } = resultAreas(areas, a.rows, places, bytes);
  if (buffer === 0) return sparse.giveWord(size, areas.bytes);
  const of = (kernel: string) => `${letter}gemm_${kernel}`;
  const scalar = sparse.scalar(handle, alpha, a.type);
  const code = inOrder(
    () => (places === 0 ? status.SUCCESS : sparse.fill(handle, keys, 0xff, 4 * places)),
    () => (places === 0 ? status.SUCCESS : sparse.fill(handle, sums, 0, bytes * places)),
    () => {
      const matrices = [sparseStruct(rowsOf(a)), sparseStruct(rowsOf(b))] as const;
      return sparse.warps(handle, of('accumulate'), a.rows, ...matrices, starts, keys, sums, ...scalar);
    },
    () => sparse.warps(handle, of('gather'), a.rows, a.rows, starts, keys, sums, counts),
    () => sparse.warps(handle, of('sort'), a.rows, a.rows, starts, counts, keys, sums),
    () => scan(sparse, handle, { n: a.rows, counts, out: offsets, base: 0, scratch }),
  );
  if (code !== status.SUCCESS) return code;
  const entries = sparse.integers(handle, offsets + 4 * a.rows, 1)?.[0];
  if (entries === undefined) return status.EXECUTION_FAILED;
  c.entries = entries;
  Object.assign(gemm, { keys, sums, offsets });
  return status.SUCCESS;
}

function copyResult(sparse: Cusparse, handle: Handle, { a, c, letter, gemm }: Product): number {
  const { starts, keys, sums, offsets } = gemm;
  if (offsets === 0 || c.offsets === 0) return status.INVALID_VALUE;
  if (c.entries > 0 && (c.indices === 0 || c.values === 0)) return status.INVALID_VALUE;
  const to = [c.offsets, c.indices, c.values, c.base] as const;
  return sparse.warps(handle, `${letter}gemm_copy`, a.rows, a.rows, starts, offsets, keys, sums, ...to);
}

/** Of one program: descriptions are its own. */
export function gemmCalls(): CusparseCalls {
  const gemms: Gemms = new Map();
  const withProduct =
    (act: (sparse: Cusparse, handle: Handle, product: Product) => number): Call =>
    (sparse, handle, args) => {
      const product = checked(sparse, handle, args, gemms);
      return typeof product === 'number' ? product : act(sparse, handle, product);
    };
  return {
    calls: {
      cusparseSpGEMM_workEstimation: withProduct(countProducts),
      cusparseSpGEMM_compute: withProduct(multiply),
      cusparseSpGEMM_copy: withProduct(copyResult),
    },
    objects: {
      cusparseSpGEMM_createDescr: (sparse, [target]) =>
        sparse.all.add(gemms, target!, { starts: 0, places: 0, keys: 0, sums: 0, offsets: 0 }),
      cusparseSpGEMM_destroyDescr: (_sparse, [descr]) =>
        descr === 0 || gemms.delete(descr!) ? status.SUCCESS : status.INVALID_VALUE,
      cusparseSpGEMM_getNumProducts: (sparse, [descr, target]) => {
        const gemm = gemms.get(descr!);
        return gemm ? sparse.giveWord(target!, gemm.places / 2) : status.INVALID_VALUE;
      },
    },
  };
}
