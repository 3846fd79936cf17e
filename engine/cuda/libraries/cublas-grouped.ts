/** cuBLAS's products of groups of matrices: a batch after the other, of which each has sizes of its own. And products by three multiplications. */
import {
  compute,
  dense,
  gemmCalls,
  gemmEx,
  gemms,
  ofBothSizes,
  status,
  timedType,
  type Call,
  type Cublas,
  type GemmShape,
} from './cublas.ts';

/**
 * Multiplies group after group. Arguments are addresses: of arrays with a number per group, which are the host's, and for A, B and C of
 * arrays of pointers on the device.
 */
function forGroups(
  blas: Cublas,
  args: readonly number[],
  scalarBytes: number,
  isWide: boolean,
  multiply: (shape: GemmShape, alpha: number, beta: number) => number,
): number {
  const [ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count, sizes] = args;
  if (count! < 0) return status.INVALID_VALUE;
  const ints = (address: number): number[] => [...new Int32Array(blas.bytesAt(address, 4 * count!).buffer)];
  const longs = (address: number): number[] =>
    Array.from(new BigInt64Array(blas.bytesAt(address, 8 * count!).buffer), Number);
  const operations = [ta, tb].map((address) => ints(address!));
  const numbers = [m, n, k, lda, ldb, ldc, sizes].map((address) => (isWide ? longs : ints)(address!));
  const perGroup = [...operations, ...numbers];
  let first = 0;
  for (let i = 0; i < count!; i++) {
    const [opA, opB, rows, columns, inner, ldA, ldB, ldC, size] = perGroup.map((values) => values[i]!);
    const [as, bs, cs] = [a, b, c].map((array) => array! + 8 * first);
    const shape = dense([opA!, opB!, rows!, columns!, inner!, 0, as!, ldA!, bs!, ldB!, 0, cs!, ldC!]);
    const batch = { ...shape, batch: size!, pointers: true };
    const code = multiply(batch, alpha! + scalarBytes * i, beta! + scalarBytes * i);
    if (code !== status.SUCCESS) return code;
    first += size!;
  }
  return status.SUCCESS;
}

const grouped =
  (kind: 's' | 'd', isWide: boolean): Call =>
  (blas, handle, args) => {
    const use = { half: false, type: timedType(kind, { half: false, mathMode: handle.mathMode }) };
    return forGroups(blas, args, kind === 's' ? 4 : 8, isWide, (shape, alpha, beta) =>
      blas.gemm(handle, gemms[kind], shape, alpha, beta, use),
    );
  };

/** Where the types of A, B and C are among the arguments. */
const typesAt = [7, 10, 14];

export const groupedCalls: Record<string, Call> = {
  ...ofBothSizes((isWide) => ({
    cublasSgemmGroupedBatched: grouped('s', isWide),
    cublasDgemmGroupedBatched: grouped('d', isWide),
    cublasGemmGroupedBatchedEx: (blas, handle, args) => {
      const [a, b, c, type] = [...typesAt, 18].map((at) => args[at]!) as [number, number, number, number];
      const others = args.filter((_, at) => !typesAt.includes(at));
      return forGroups(blas, others, compute.double.includes(type) ? 8 : 4, isWide, (shape, alpha, beta) =>
        gemmEx(blas, handle, shape, { a, b, c, compute: type }, alpha, beta),
      );
    },
  })),
  // Fewer multiplications on tensor cores and the like; the result is that of the usual ones but for rounding.
  cublasCgemm3m: gemmCalls('C', '_v2').cublasCgemm_v2!,
  cublasZgemm3m: gemmCalls('Z', '_v2').cublasZgemm_v2!,
};
