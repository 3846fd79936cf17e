/** cuBLAS's products of groups of matrices: a batch after the other, of which each has sizes of its own. And products by three multiplications. */
import {
  compute,
  dense,
  gemmCalls,
  gemmEx,
  gemms,
  status,
  timedType,
  type Call,
  type Cublas,
  type GemmShape,
  type Handle,
} from './cublas.ts';

/** Sizes of groups are the host's, the arrays of pointers the device's. */
interface Groups {
  /** Addresses of arrays with a number per group: operations, sizes, leading dimensions. */
  ta: number;
  tb: number;
  m: number;
  n: number;
  k: number;
  lda: number;
  ldb: number;
  ldc: number;
  a: number;
  b: number;
  c: number;
  alpha: number;
  beta: number;
  scalarBytes: number;
  count: number;
  sizes: number;
}

function forGroups(
  blas: Cublas,
  groups: Groups,
  multiply: (shape: GemmShape, alpha: number, beta: number) => number,
): number {
  const { count, sizes, scalarBytes, a, b, c } = groups;
  if (count < 0) return status.INVALID_VALUE;
  const numbers = (address: number): Int32Array => new Int32Array(blas.bytesAt(address, 4 * count).buffer);
  const [ta, tb, m, n, k] = [groups.ta, groups.tb, groups.m, groups.n, groups.k].map(numbers) as Int32Array[] as [
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
  ];
  const [lda, ldb, ldc, size] = [groups.lda, groups.ldb, groups.ldc, sizes].map(numbers) as [
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
  ];
  let first = 0;
  for (let i = 0; i < count; i++) {
    const [as, bs, cs] = [a, b, c].map((array) => array + 8 * first) as [number, number, number];
    const shape = dense([ta[i]!, tb[i]!, m[i]!, n[i]!, k[i]!, 0, as, lda[i]!, bs, ldb[i]!, 0, cs, ldc[i]!]);
    const batch = { ...shape, batch: size[i]!, pointers: true };
    const code = multiply(batch, groups.alpha + scalarBytes * i, groups.beta + scalarBytes * i);
    if (code !== status.SUCCESS) return code;
    first += size[i]!;
  }
  return status.SUCCESS;
}

const grouped =
  (kind: 's' | 'd'): Call =>
  (blas, handle: Handle, args) => {
    const [ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count, sizes] = args as [
      number,
      number,
      number,
      number,
      number,
      number,
      ...number[],
    ];
    const groups = {
      ta,
      tb,
      m,
      n,
      k,
      alpha,
      a: a!,
      lda: lda!,
      b: b!,
      ldb: ldb!,
      beta: beta!,
      c: c!,
      ldc: ldc!,
      count: count!,
      sizes: sizes!,
    };
    const use = { half: false, type: timedType(kind, { half: false, mathMode: handle.mathMode }) };
    return forGroups(blas, { ...groups, scalarBytes: kind === 's' ? 4 : 8 }, (shape, alphaAt, betaAt) =>
      blas.gemm(handle, gemms[kind], shape, alphaAt, betaAt, use),
    );
  };

export const groupedCalls: Record<string, Call> = {
  cublasSgemmGroupedBatched: grouped('s'),
  cublasDgemmGroupedBatched: grouped('d'),
  cublasGemmGroupedBatchedEx: (blas, handle, args) => {
    const [ta, tb, m, n, k, alpha, a, at, lda, b, bt, ldb, beta, c, ct, ldc, count, sizes, type] = args as [
      number,
      number,
      number,
      number,
      number,
      number,
      ...number[],
    ];
    const groups = {
      ta,
      tb,
      m,
      n,
      k,
      alpha,
      a: a!,
      lda: lda!,
      b: b!,
      ldb: ldb!,
      beta: beta!,
      c: c!,
      ldc: ldc!,
      count: count!,
      sizes: sizes!,
    };
    const types = { a: at!, b: bt!, c: ct!, compute: type! };
    const scalarBytes = compute.double.includes(type!) ? 8 : 4;
    return forGroups(blas, { ...groups, scalarBytes }, (shape, alphaAt, betaAt) =>
      gemmEx(blas, handle, shape, types, alphaAt, betaAt),
    );
  },
  // Fewer multiplications on tensor cores and the like; the result is that of the usual ones but for rounding.
  cublasCgemm3m: gemmCalls('C', '_v2').cublasCgemm_v2!,
  cublasZgemm3m: gemmCalls('Z', '_v2').cublasZgemm_v2!,
};
