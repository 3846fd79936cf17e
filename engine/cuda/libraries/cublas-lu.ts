/** cuBLAS's LU factorizations of batches of matrices, by kernels of `cublas-lu.cu`: a block for each matrix. */
import { isOperation, status, type Cublas, type Call, type Handle } from './cublas.ts';

const warp = 32;
const mostWarps = 8;

/** A launch with a block per matrix. */
function launchBatch(
  blas: Cublas,
  handle: Handle,
  kernel: string,
  { batch, warps }: { batch: number; warps: number },
  ...values: number[]
): number {
  return blas.launch(handle, `cublas_${kernel}`, { x: batch, y: 1, z: 1 }, warp * warps, ...values);
}

const isWide = (ld: number, rows: number): boolean => ld >= Math.max(1, rows);

function callsOf(X: string): Record<string, Call> {
  const x = X.toLowerCase();
  return {
    [`cublas${X}getrfBatched`]: (blas, handle, args) => {
      const [n, a, lda, pivots, info, batch] = args as [number, number, number, number, number, number];
      if (n < 0 || batch < 0 || !isWide(lda, n)) return status.INVALID_VALUE;
      if (n === 0 || batch === 0) return status.SUCCESS;
      if (a === 0 || info === 0) return status.INVALID_VALUE;
      return launchBatch(
        blas,
        handle,
        `${x}getrf`,
        { batch, warps: n <= warp ? 1 : mostWarps },
        n,
        a,
        lda,
        pivots,
        info,
      );
    },
    // The argument that is wrong, negative, is written to the host, as LAPACK counts them.
    [`cublas${X}getrsBatched`]: (blas, handle, args) => {
      const [trans, n, count, a, lda, pivots, b, ldb, info, batch] = args as [
        ...[number, number, number, number, number],
        ...[number, number, number, number, number],
      ];
      const wrong = [isOperation(trans), n >= 0, count >= 0, true, isWide(lda, n), true, true, isWide(ldb, n)];
      const code = blas.give(info, -(wrong.indexOf(false) + 1));
      if (code !== status.SUCCESS || wrong.includes(false) || batch < 0) return status.INVALID_VALUE;
      if (n === 0 || count === 0 || batch === 0) return status.SUCCESS;
      if (a === 0 || b === 0) return status.INVALID_VALUE;
      const shape = { batch, warps: Math.min(count, mostWarps) };
      return launchBatch(blas, handle, `${x}getrs`, shape, trans, n, count, a, lda, pivots, b, ldb);
    },
    [`cublas${X}getriBatched`]: (blas, handle, args) => {
      const [n, a, lda, pivots, c, ldc, info, batch] = args as [
        ...[number, number, number, number],
        ...[number, number, number, number],
      ];
      if (n < 0 || batch < 0 || !isWide(lda, n) || !isWide(ldc, n)) return status.INVALID_VALUE;
      if (n === 0 || batch === 0) return status.SUCCESS;
      if (a === 0 || c === 0 || info === 0) return status.INVALID_VALUE;
      const shape = { batch, warps: Math.min(n, mostWarps) };
      return launchBatch(blas, handle, `${x}getri`, shape, n, a, lda, pivots, c, ldc, info);
    },
  };
}

/** By the names of their imports. */
export const luCalls: Record<string, Call> = { ...callsOf('S'), ...callsOf('D'), ...callsOf('C'), ...callsOf('Z') };
