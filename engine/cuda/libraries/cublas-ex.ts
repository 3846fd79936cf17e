/**
 * cuBLAS's calls on vectors whose types are arguments, by kernels of `cublas-ex.cu`. The combinations are those of the tables in
 * cuBLAS's documentation; any other is CUBLAS_STATUS_NOT_SUPPORTED.
 */
import { status, type Call, type Cublas, type Handle } from './cublas.ts';

/** What goes with vectors of a type: numbers are `cudaDataType`s. */
interface Kind {
  /** In the kernels' names. */
  letter: string;
  /** Bytes of an element and of its norm. */
  bytes: number;
  normBytes: number;
  /** Type of the execution and of scalars, and its bytes. */
  scalar: number;
  scalarBytes: number;
  /** Type of the norm and of computing it. */
  norm: number;
  normExecution: number;
}

const real = { half: 2, bfloat16: 14, float: 0, double: 1 };
const complex = { float: 4, double: 5 };

const narrow = (letter: string, type: number): Kind => ({
  ...{ letter, bytes: 2, normBytes: 2, scalar: real.float, scalarBytes: 4, norm: type, normExecution: real.float },
});
const wide = (letter: string, type: number, bytes: number, norm = type, normBytes = bytes): Kind => ({
  ...{ letter, bytes, normBytes, scalar: type, scalarBytes: bytes, norm, normExecution: norm },
});
const kinds = new Map<number, Kind>([
  [real.half, narrow('h', real.half)],
  [real.bfloat16, narrow('b', real.bfloat16)],
  [real.float, wide('s', real.float, 4)],
  [real.double, wide('d', real.double, 8)],
  [complex.float, wide('c', complex.float, 8, real.float, 4)],
  [complex.double, wide('z', complex.double, 16, real.double, 8)],
]);

const all = (types: (number | undefined)[], type: number): boolean => types.every((each) => each === type);

/** A scalar as kernels take it: its place on the device, or its real and imaginary part. */
function scalarOf(blas: Cublas, { devicePointers }: Handle, address: number, { scalar, scalarBytes }: Kind) {
  const partBytes = scalar === complex.float || scalar === complex.double ? scalarBytes / 2 : scalarBytes;
  const parts = new Uint8Array(2 * partBytes);
  if (!devicePointers) parts.set(blas.bytesAt(address, scalarBytes));
  return [devicePointers ? address : 0, parts.subarray(0, partBytes), parts.subarray(partBytes)] as const;
}

const dot =
  (conjugated: number): Call =>
  (blas, handle, [n, x, xType, incx, y, yType, incy, result, resultType, execution]) => {
    const kind = kinds.get(xType!);
    if (!kind || !all([yType, resultType], xType!) || execution !== kind.scalar) return status.NOT_SUPPORTED;
    const name = `cublas_${kind.letter}dot_ex`;
    const values = [x!, incx!, y!, incy!, conjugated];
    return blas.reduction(handle, [name, `${name}_parts`], { n: n!, result: result!, bytes: kind.bytes }, values);
  };

/** By the names of their imports. */
export const exCalls: Record<string, Call> = {
  cublasDotEx: dot(0),
  cublasDotcEx: dot(1),
  cublasNrm2Ex: (blas, handle, [n, x, xType, incx, result, resultType, execution]) => {
    const kind = kinds.get(xType!);
    if (!kind || resultType !== kind.norm || execution !== kind.normExecution) return status.NOT_SUPPORTED;
    const name = `cublas_${kind.letter}nrm2_ex`;
    const length = incx! <= 0 ? 0 : n!;
    const use = { n: length, result: result!, bytes: kind.normBytes };
    return blas.reduction(handle, [name, `${name}_parts`], use, [x!, incx!]);
  },
  cublasAxpyEx: (blas, handle, [n, alpha, alphaType, x, xType, incx, y, yType, incy, execution]) => {
    const kind = kinds.get(xType!);
    if (!kind || yType !== xType || !all([alphaType, execution], kind.scalar)) return status.NOT_SUPPORTED;
    if (alpha === 0) return status.INVALID_VALUE;
    const scalar = scalarOf(blas, handle, alpha!, kind);
    return blas.elementwise(handle, `cublas_${kind.letter}axpy_ex`, n!, null, x!, incx!, y!, incy!, ...scalar);
  },
  cublasScalEx: (blas, handle, [n, alpha, alphaType, x, xType, incx, execution]) => {
    const kind = kinds.get(xType!);
    if (!kind || !all([alphaType, execution], kind.scalar)) return status.NOT_SUPPORTED;
    if (alpha === 0) return status.INVALID_VALUE;
    const scalar = scalarOf(blas, handle, alpha!, kind);
    return blas.elementwise(handle, `cublas_${kind.letter}scal_ex`, incx! <= 0 ? 0 : n!, null, x!, incx!, ...scalar);
  },
};
