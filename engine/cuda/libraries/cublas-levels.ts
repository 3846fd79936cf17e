/**
 * cuBLAS's three levels but for what `cublas.ts` has (real vectors, products of general matrices): symmetric, hermitian, triangular, banded
 * and packed matrices, complex vectors, rotations. Kernels of `cublas-levels.cu`; nobody has measured NVIDIA's, so they take the times that
 * ours are simulated to take.
 */
import type { Dim3 } from '../../model/execution.ts';
import { isOperation, ofBothSizes, status, wideSuffix, type Call, type Cublas, type Handle } from './cublas.ts';
import { rotationCalls } from './cublas-rotations.ts';
import type { Argument } from './inner-calls.ts';
import { Words } from './library.ts';

type Letter = 'S' | 'D' | 'C' | 'Z';

interface Type {
  X: Letter;
  /** In kernels' names. */
  p: 's' | 'd' | 'c' | 'z';
  /** Of a number. */
  bytes: number;
  isComplex: boolean;
}

const types: readonly Type[] = [
  { X: 'S', p: 's', bytes: 4, isComplex: false },
  { X: 'D', p: 'd', bytes: 8, isComplex: false },
  { X: 'C', p: 'c', bytes: 8, isComplex: true },
  { X: 'Z', p: 'z', bytes: 16, isComplex: true },
];
const realBytes = ({ bytes, isComplex }: Type): number => (isComplex ? bytes / 2 : bytes);

const storages = ['full', 'banded', 'packed'] as const;
const kinds = ['general', 'symmetric', 'hermitian', 'triangular'] as const;

/** What a matrix is, and what is done with it before all else. */
interface Form {
  storage?: (typeof storages)[number];
  kind?: (typeof kinds)[number];
  /** The triangle that is stored. */
  upper?: boolean;
  /** `cublasOperation_t`. */
  trans?: number;
  unit?: boolean;
  /** Diagonals of a band beside the middle one. */
  below?: number;
  above?: number;
  /** Of a packed matrix. */
  order?: number;
}

/** As `struct Matrix` in cublas-levels.cu. */
function matrixOf(a: number, ld: number, form: Form = {}): Uint8Array {
  const {
    storage = 'full',
    kind = 'general',
    upper = false,
    trans = 0,
    unit = false,
    below = 0,
    above = 0,
    order = 0,
  } = form;
  const words = new Words();
  words.pointers(a);
  words.ints(
    ld,
    storages.indexOf(storage),
    kinds.indexOf(kind),
    Number(upper),
    trans,
    Number(unit),
    below,
    above,
    order,
  );
  return words.bytes;
}

/** The band of a matrix of which a triangle is stored. */
const band = (upper: boolean, diagonals: number): Form => ({
  ...{ storage: 'banded', above: upper ? diagonals : 0, below: upper ? 0 : diagonals },
});

/** Which scalars are real numbers in a call of complex ones. */
interface RealScalars {
  alpha?: boolean;
  beta?: boolean;
}

/** As `struct Scalars` there. `beta` 0: the call has none. */
function scalarsOf(
  blas: Cublas,
  handle: Handle,
  type: Type,
  alpha: number,
  beta: number,
  real: RealScalars = {},
): Uint8Array {
  const align = Math.max(8, type.bytes);
  const bytes = new Uint8Array(Math.ceil((16 + 2 * type.bytes + 4) / align) * align);
  const view = new DataView(bytes.buffer);
  [alpha, beta].forEach((address, i) => {
    if (address === 0) return;
    const isReal = i === 0 ? real.alpha : real.beta;
    if (handle.devicePointers) view.setBigInt64(8 * i, BigInt(address), true);
    else bytes.set(blas.bytesAt(address, isReal === true ? realBytes(type) : type.bytes), 16 + i * type.bytes);
  });
  view.setInt32(16 + 2 * type.bytes, Number(real.alpha === true) + 2 * Number(real.beta === true), true);
  return bytes;
}

const threads = 128;
/** A thread for each of `n`, or for each element of columns of so many. */
const gridOf = (n: number, columns = 1): Dim3 => ({ x: Math.ceil(n / threads), y: Math.min(columns, 65535), z: 1 });
const oneBlock: Dim3 = { x: 1, y: 1, z: 1 };

const isHalf = (value: number): boolean => value === 0 || value === 1;
const none = matrixOf(0, 0);

/** Arguments behind the handle. */
type Args = number[];
const launch = (blas: Cublas, handle: Handle, kernel: string, grid: Dim3, ...values: Argument[]): number =>
  blas.launch(handle, kernel, grid, threads, ...values);

/** A result of one number, by a kernel of one block. */
const reduced = (
  blas: Cublas,
  handle: Handle,
  kernel: string,
  use: { n: number; result: number; bytes: number },
  values: Argument[],
): number =>
  blas.resultOf(handle, use, (target) => blas.launch(handle, kernel, oneBlock, 256, use.n, ...values, target));

/** Rotations of vectors: of the names and types that there are, whether the sine is a real number. */
function rotation(type: Type, realSine: boolean): Call {
  return (blas, handle, [n, x, incx, y, incy, c, s]) => {
    if (c === 0 || s === 0) return status.INVALID_VALUE;
    if (n! <= 0) return status.SUCCESS;
    const sine = new Uint8Array(type.bytes);
    const cosine = new Uint8Array(realBytes(type));
    if (!handle.devicePointers) {
      cosine.set(blas.bytesAt(c!, cosine.length));
      sine.set(blas.bytesAt(s!, realSine ? cosine.length : sine.length));
    }
    const places = handle.devicePointers ? [c!, s!] : [0, 0];
    return blas.elementwise(
      ...([handle, `cublas_${type.p}rot_xy`, n!, null, x!, incx!, y!, incy!, ...places] as const),
      ...[Number(realSine), cosine, sine],
    );
  };
}

function complexVectors(type: Type): Record<string, Call> {
  const { X, p, bytes } = type;
  const real = X === 'C' ? 'S' : 'D';
  const name = (rest: string): string => `cublas_${p}${rest}`;
  const scal =
    (realScalar: boolean): Call =>
    (blas, handle, [n, alpha, x, incx]) => {
      if (alpha === 0) return status.INVALID_VALUE;
      const scalars = scalarsOf(blas, handle, type, alpha!, 0, { alpha: realScalar });
      return blas.elementwise(handle, name('scal'), incx! <= 0 ? 0 : n!, null, x!, incx!, scalars);
    };
  const dot =
    (conjugate: number): Call =>
    (blas, handle, [n, x, incx, y, incy, result]) =>
      reduced(blas, handle, name('dot'), { n: n!, result: result!, bytes }, [x!, incx!, y!, incy!, conjugate]);
  const norm =
    (kernel: string): Call =>
    (blas, handle, [n, x, incx, result]) => {
      const use = { n: incx! <= 0 ? 0 : n!, result: result!, bytes: realBytes(type) };
      return reduced(blas, handle, name(kernel), use, [x!, incx!]);
    };
  const best =
    (sign: number, isWide: boolean): Call =>
    (blas, handle, [n, x, incx, result]) => {
      const factor = realBytes(type) === 4 ? Float32Array.of(sign) : Float64Array.of(sign);
      const use = { n: incx! <= 0 ? 0 : n!, result: result!, bytes: isWide ? 8 : 4 };
      return reduced(blas, handle, name(`amax${isWide ? wideSuffix : ''}`), use, [
        x!,
        incx!,
        new Uint8Array(factor.buffer),
      ]);
    };
  return {
    [`cublas${X}axpy_v2`]: (blas, handle, [n, alpha, x, incx, y, incy]) => {
      if (alpha === 0) return status.INVALID_VALUE;
      const scalars = scalarsOf(blas, handle, type, alpha!, 0);
      return blas.elementwise(handle, name('axpy'), n!, null, x!, incx!, y!, incy!, scalars);
    },
    [`cublas${X}scal_v2`]: scal(false),
    [`cublas${X}${real.toLowerCase()}scal_v2`]: scal(true),
    [`cublas${X}copy_v2`]: (blas, handle, [n, ...rest]) => blas.elementwise(handle, name('copy'), n!, null, ...rest),
    [`cublas${X}swap_v2`]: (blas, handle, [n, ...rest]) => blas.elementwise(handle, name('swap'), n!, null, ...rest),
    [`cublas${X}dotu_v2`]: dot(0),
    [`cublas${X}dotc_v2`]: dot(1),
    [`cublas${real}${p}asum_v2`]: norm('asum'),
    [`cublas${real}${p}nrm2_v2`]: norm('nrm2'),
    ...ofBothSizes((isWide) => ({
      [`cublasI${p}amax_v2`]: best(1, isWide),
      [`cublasI${p}amin_v2`]: best(-1, isWide),
    })),
    [`cublas${X}rot_v2`]: rotation(type, false),
    [`cublas${X}${real.toLowerCase()}rot_v2`]: rotation(type, true),
  };
}

function realRotations(type: Type): Record<string, Call> {
  const { X, p, bytes } = type;
  return {
    [`cublas${X}rot_v2`]: rotation(type, true),
    [`cublas${X}rotm_v2`]: (blas, handle, [n, x, incx, y, incy, modified]) => {
      if (modified === 0) return status.INVALID_VALUE;
      const value = new Uint8Array(5 * bytes);
      if (!handle.devicePointers) value.set(blas.bytesAt(modified!, value.length));
      const place = handle.devicePointers ? modified! : 0;
      return blas.elementwise(handle, `cublas_${p}rotm`, n!, null, x!, incx!, y!, incy!, place, value);
    },
  };
}

/** The vectors of y = alpha op(A) x + beta y, and their scalars. */
interface Vectors {
  alpha: number;
  x: number;
  incx: number;
  beta: number;
  y: number;
  incy: number;
}

/** Calls have them in this order, alpha before A. */
const vectorsOf = (alpha: number, [x, incx, beta, y, incy]: Args): Vectors => ({
  ...{ alpha, x: x!, incx: incx!, beta: beta!, y: y!, incy: incy! },
});

/** Matrices and vectors of a batch, as `struct Batch` there, and how many there are. */
interface Batch {
  bytes: Uint8Array;
  count: number;
}

function batchOf(pointers: number[], strides: bigint[], count: number): Batch {
  const words = new Words();
  words.pointers(...pointers);
  words.longs(...strides);
  return { bytes: words.bytes, count };
}
const single = batchOf([0, 0, 0], [0n, 0n, 0n], 1);

/** y = alpha op(A) x + beta y, where op(A) has m rows and n columns. */
function product(
  blas: Cublas,
  handle: Handle,
  type: Type,
  matrix: Uint8Array,
  [m, n]: readonly [number, number],
  vectors: Vectors,
  batch = single,
): number {
  const { alpha, x, incx, beta, y, incy } = vectors;
  const { bytes, count } = batch;
  if (m < 0 || n < 0 || incx === 0 || incy === 0 || alpha === 0 || beta === 0 || count < 0) return status.INVALID_VALUE;
  if (m === 0 || n === 0 || count === 0) return status.SUCCESS;
  const scalars = scalarsOf(blas, handle, type, alpha, beta);
  return launch(blas, handle, `cublas_${type.p}mv`, gridOf(m, count), matrix, m, n, x, incx, y, incy, scalars, bytes);
}

/** Rows and columns of op(A). */
const general = (trans: number, m: number, n: number): [number, number] => (trans === 0 ? [m, n] : [n, m]);

/** Products of a matrix and a vector. */
function vectorProducts(type: Type): Record<string, Call> {
  const { X, isComplex } = type;
  const [symmetric, letters] = isComplex ? (['hermitian', 'h'] as const) : (['symmetric', 's'] as const);
  const call =
    (kind: 'symmetric' | 'hermitian'): Call =>
    (blas, handle, [uplo, n, alpha, a, lda, ...rest]) => {
      if (!isHalf(uplo!) || lda! < Math.max(1, n!)) return status.INVALID_VALUE;
      const matrix = matrixOf(a!, lda!, { kind, upper: uplo === 1 });
      return product(blas, handle, type, matrix, [n!, n!], vectorsOf(alpha!, rest));
    };
  const calls: Record<string, Call> = {
    [`cublas${X}gbmv_v2`]: (blas, handle, [trans, m, n, kl, ku, alpha, a, lda, ...rest]) => {
      if (!isOperation(trans!) || kl! < 0 || ku! < 0 || lda! < kl! + ku! + 1) return status.INVALID_VALUE;
      const matrix = matrixOf(a!, lda!, { storage: 'banded', trans: trans!, below: kl!, above: ku! });
      return product(blas, handle, type, matrix, general(trans!, m!, n!), vectorsOf(alpha!, rest));
    },
    [`cublas${X}symv_v2`]: call('symmetric'),
    [`cublas${X}${letters}bmv_v2`]: (blas, handle, [uplo, n, k, alpha, a, lda, ...rest]) => {
      if (!isHalf(uplo!) || k! < 0 || lda! < k! + 1) return status.INVALID_VALUE;
      const matrix = matrixOf(a!, lda!, { kind: symmetric, upper: uplo === 1, ...band(uplo === 1, k!) });
      return product(blas, handle, type, matrix, [n!, n!], vectorsOf(alpha!, rest));
    },
    [`cublas${X}${letters}pmv_v2`]: (blas, handle, [uplo, n, alpha, a, ...rest]) => {
      if (!isHalf(uplo!)) return status.INVALID_VALUE;
      const matrix = matrixOf(a!, 0, { storage: 'packed', kind: symmetric, upper: uplo === 1, order: n! });
      return product(blas, handle, type, matrix, [n!, n!], vectorsOf(alpha!, rest));
    },
    [`cublas${X}gemvBatched`]: (blas, handle, [trans, m, n, alpha, a, lda, x, incx, beta, y, incy, count]) => {
      if (!isOperation(trans!) || lda! < Math.max(1, m!)) return status.INVALID_VALUE;
      const batch = batchOf([a!, x!, y!], [0n, 0n, 0n], count!);
      const vectors = vectorsOf(alpha!, [0, incx!, beta!, 0, incy!]);
      return product(blas, handle, type, matrixOf(0, lda!, { trans: trans! }), general(trans!, m!, n!), vectors, batch);
    },
    [`cublas${X}gemvStridedBatched`]: (blas, handle, args, passed) => {
      const [trans, m, n, alpha, a, lda, , x, incx, , beta, y, incy, , count] = args;
      if (!isOperation(trans!) || lda! < Math.max(1, m!)) return status.INVALID_VALUE;
      const strides = [6, 9, 13].map((i) => BigInt(passed[i]!));
      const batch = batchOf([0, 0, 0], strides, count!);
      const vectors = vectorsOf(alpha!, [x!, incx!, beta!, y!, incy!]);
      return product(
        blas,
        handle,
        type,
        matrixOf(a!, lda!, { trans: trans! }),
        general(trans!, m!, n!),
        vectors,
        batch,
      );
    },
  };
  if (!isComplex) return calls;
  return {
    ...calls,
    [`cublas${X}hemv_v2`]: call('hermitian'),
    [`cublas${X}gemv_v2`]: (blas, handle, [trans, m, n, alpha, a, lda, ...rest]) => {
      if (!isOperation(trans!) || lda! < Math.max(1, m!)) return status.INVALID_VALUE;
      const matrix = matrixOf(a!, lda!, { trans: trans! });
      return product(blas, handle, type, matrix, general(trans!, m!, n!), vectorsOf(alpha!, rest));
    },
  };
}

/** A triangular matrix and a vector. */
interface Stored {
  a: number;
  ld: number;
  storage: Form;
  x: number;
  incx: number;
}

/** Products with a triangle and what solves them, in the vector's place. */
function triangles({ X, p }: Type): Record<string, Call> {
  const call =
    (solve: number, form: (n: number, rest: Args, upper: boolean) => Stored | null): Call =>
    (blas, handle, [uplo, trans, diag, n, ...rest]) => {
      if (!isHalf(uplo!) || !isOperation(trans!) || !isHalf(diag!) || n! < 0) return status.INVALID_VALUE;
      const of = form(n!, rest, uplo === 1);
      if (of === null || of.incx === 0) return status.INVALID_VALUE;
      if (n === 0) return status.SUCCESS;
      const triangle = { kind: 'triangular', upper: uplo === 1, trans: trans!, unit: diag === 1 } as const;
      const matrix = matrixOf(of.a, of.ld, { ...triangle, ...of.storage });
      return blas.launch(handle, `cublas_${p}triangle`, oneBlock, 256, matrix, n!, of.x, of.incx, solve);
    };
  const full = (n: number, [a, lda, x, incx]: Args): Stored | null =>
    lda! < Math.max(1, n) ? null : { a: a!, ld: lda!, storage: {}, x: x!, incx: incx! };
  const banded = (_n: number, [k, a, lda, x, incx]: Args, upper: boolean): Stored | null =>
    k! < 0 || lda! < k! + 1 ? null : { a: a!, ld: lda!, storage: band(upper, k!), x: x!, incx: incx! };
  const packed = (n: number, [a, x, incx]: Args): Stored => ({
    ...{ a: a!, ld: 0, storage: { storage: 'packed', order: n }, x: x!, incx: incx! },
  });
  return {
    [`cublas${X}trmv_v2`]: call(0, full),
    [`cublas${X}trsv_v2`]: call(1, full),
    [`cublas${X}tbmv_v2`]: call(0, banded),
    [`cublas${X}tbsv_v2`]: call(1, banded),
    [`cublas${X}tpmv_v2`]: call(0, packed),
    [`cublas${X}tpsv_v2`]: call(1, packed),
  };
}

/** A += alpha x y', of all of A or of its triangle. */
function rankUpdates(type: Type): Record<string, Call> {
  const { X, p, isComplex } = type;
  interface Update {
    m: number;
    n: number;
    alpha: number;
    x: number;
    incx: number;
    y: number;
    incy: number;
    a: number;
    lda: number;
    /** 0: all of A, 1: its lower triangle, 2: its upper. */
    part: number;
    packed?: boolean;
    hermitian?: boolean;
    conjugate?: boolean;
    two?: boolean;
    realAlpha?: boolean;
  }
  const update = (blas: Cublas, handle: Handle, of: Update): number => {
    const { m, n, alpha, x, incx, y, incy, a, lda, part } = of;
    if (m < 0 || n < 0 || incx === 0 || incy === 0 || alpha === 0) return status.INVALID_VALUE;
    if (of.packed !== true && lda < Math.max(1, m)) return status.INVALID_VALUE;
    if (m === 0 || n === 0) return status.SUCCESS;
    const flag = (value: boolean | undefined): number => Number(value === true);
    return launch(
      ...([
        blas,
        handle,
        `cublas_${p}rank`,
        gridOf(m, n),
        a,
        lda,
        flag(of.packed),
        part,
        flag(of.hermitian),
        m,
        n,
      ] as const),
      ...[x, incx, y, incy, flag(of.conjugate), flag(of.two)],
      scalarsOf(blas, handle, type, alpha, 0, { alpha: of.realAlpha === true }),
    );
  };
  type Flags = Pick<Update, 'packed' | 'hermitian' | 'conjugate' | 'realAlpha'>;
  const one =
    (flags: Flags): Call =>
    (blas, handle, [uplo, n, alpha, x, incx, a, lda = 0]) => {
      if (!isHalf(uplo!)) return status.INVALID_VALUE;
      const vector = { x: x!, incx: incx!, y: x!, incy: incx! };
      return update(blas, handle, { m: n!, n: n!, alpha: alpha!, ...vector, a: a!, lda, part: uplo! + 1, ...flags });
    };
  const two =
    (flags: Flags): Call =>
    (blas, handle, [uplo, n, alpha, x, incx, y, incy, a, lda = 0]) => {
      if (!isHalf(uplo!)) return status.INVALID_VALUE;
      const vectors = { x: x!, incx: incx!, y: y!, incy: incy!, two: true };
      return update(blas, handle, { m: n!, n: n!, alpha: alpha!, ...vectors, a: a!, lda, part: uplo! + 1, ...flags });
    };
  const all =
    (conjugate: boolean): Call =>
    (blas, handle, [m, n, alpha, x, incx, y, incy, a, lda]) =>
      update(blas, handle, {
        m: m!,
        n: n!,
        alpha: alpha!,
        x: x!,
        incx: incx!,
        y: y!,
        incy: incy!,
        a: a!,
        lda: lda!,
        part: 0,
        conjugate,
      });
  const symmetric = { [`cublas${X}syr_v2`]: one({}), [`cublas${X}syr2_v2`]: two({}) };
  if (!isComplex) {
    return { ...symmetric, [`cublas${X}spr_v2`]: one({ packed: true }), [`cublas${X}spr2_v2`]: two({ packed: true }) };
  }
  const hermitian = { hermitian: true, conjugate: true };
  return {
    ...symmetric,
    [`cublas${X}geru_v2`]: all(false),
    [`cublas${X}gerc_v2`]: all(true),
    [`cublas${X}her_v2`]: one({ ...hermitian, realAlpha: true }),
    [`cublas${X}her2_v2`]: two(hermitian),
    [`cublas${X}hpr_v2`]: one({ ...hermitian, realAlpha: true, packed: true }),
    [`cublas${X}hpr2_v2`]: two({ ...hermitian, packed: true }),
  };
}

/** As `struct Product` there. */
function productOf(c: number, ...values: number[]): Uint8Array {
  const words = new Words();
  words.pointers(c);
  words.ints(...values);
  return words.bytes;
}

/** Products of two matrices that are not both general, or of which a triangle is wanted. */
function matrixProducts(type: Type): Record<string, Call> {
  const { X, p, isComplex } = type;
  const name = `cublas_${p}mm`;
  const side =
    (kind: 'symmetric' | 'hermitian'): Call =>
    (blas, handle, args) => {
      const [right, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc] = args as [
        number,
        number,
        number,
        number,
        ...number[],
      ];
      if (!isHalf(right) || !isHalf(uplo) || m < 0 || n < 0 || alpha === 0 || beta === 0) return status.INVALID_VALUE;
      const order = right ? n : m;
      if (lda! < Math.max(1, order) || ldb! < Math.max(1, m) || ldc! < Math.max(1, m)) return status.INVALID_VALUE;
      if (m === 0 || n === 0) return status.SUCCESS;
      const own = matrixOf(a!, lda!, { kind, upper: uplo === 1 });
      const general = matrixOf(b!, ldb!);
      const scalars = scalarsOf(blas, handle, type, alpha!, beta!);
      const shape = productOf(c!, m, n, order, ldc!, 0, 0, 0);
      return launch(
        blas,
        handle,
        name,
        gridOf(m, n),
        shape,
        ...(right ? [general, own] : [own, general]),
        none,
        none,
        scalars,
      );
    };
  /** C = alpha op(A) op(B)' (and its counterpart) + beta C, its triangle. `b` and `ldb`: those of A where there is no other. */
  const triangle =
    (how: { hermitian?: boolean; two?: boolean; other: boolean; real?: RealScalars }): Call =>
    (blas, handle, args) => {
      const { hermitian = false, two = false, other, real = {} } = how;
      const [uplo, trans, n, k, alpha, a, lda, ...rest] = args as [
        number,
        number,
        number,
        number,
        number,
        number,
        number,
        ...number[],
      ];
      const [b, ldb] = other ? [rest[0]!, rest[1]!] : [a, lda];
      const [beta, c, ldc] = rest.slice(other ? 2 : 0) as [number, number, number];
      if (!isHalf(uplo) || !isOperation(trans) || n < 0 || k < 0 || alpha === 0 || beta === 0)
        return status.INVALID_VALUE;
      if (Math.min(lda, ldb) < Math.max(1, trans === 0 ? n : k) || ldc < Math.max(1, n)) return status.INVALID_VALUE;
      if (n === 0) return status.SUCCESS;
      const turned = hermitian ? 2 : 1;
      const [left, right] = [{ trans: trans === 0 ? 0 : turned }, { trans: trans === 0 ? turned : 0 }];
      const scalars = scalarsOf(blas, handle, type, alpha, beta, real);
      const shape = productOf(c, n, n, k, ldc, uplo + 1, Number(hermitian), Number(two));
      const matrices = [
        matrixOf(a, lda, left),
        matrixOf(b, ldb, right),
        matrixOf(b, ldb, left),
        matrixOf(a, lda, right),
      ];
      return launch(blas, handle, name, gridOf(n, n), shape, ...matrices, scalars);
    };
  const calls = {
    [`cublas${X}symm_v2`]: side('symmetric'),
    [`cublas${X}syr2k_v2`]: triangle({ two: true, other: true }),
    [`cublas${X}syrkx`]: triangle({ other: true }),
  };
  if (!isComplex) return calls;
  const hermitian = true;
  const herk = triangle({ hermitian, other: false, real: { alpha: true, beta: true } });
  const syrk = triangle({ other: false });
  const ex =
    (call: Call): Call =>
    (blas, handle, [uplo, trans, n, k, alpha, a, aType, lda, beta, c, cType, ldc], passed) =>
      aType === 4 && cType === 4
        ? call(blas, handle, [uplo!, trans!, n!, k!, alpha!, a!, lda!, beta!, c!, ldc!], passed)
        : status.NOT_SUPPORTED;
  return {
    ...calls,
    [`cublas${X}hemm_v2`]: side('hermitian'),
    [`cublas${X}syrk_v2`]: syrk,
    [`cublas${X}herk_v2`]: herk,
    [`cublas${X}her2k_v2`]: triangle({ hermitian, two: true, other: true, real: { beta: true } }),
    [`cublas${X}herkx`]: triangle({ hermitian, other: true, real: { beta: true } }),
    ...(X === 'C' && {
      ...{ cublasCsyrkEx: ex(syrk), cublasCsyrk3mEx: ex(syrk), cublasCherkEx: ex(herk), cublasCherk3mEx: ex(herk) },
    }),
  };
}

/** Products with a triangle, systems of them, diagonals, sums, and other ways to store a triangle. */
function triangularMatrices(type: Type): Record<string, Call> {
  const { X, p, isComplex } = type;
  const name = (rest: string): string => `cublas_${p}${rest}`;
  interface Sided {
    matrix: Uint8Array;
    right: number;
    order: number;
    count: number;
    rest: Args;
  }
  const sided = ([right, uplo, trans, diag, m, n, alpha, a, lda, ...rest]: Args): Sided | number => {
    if (!isHalf(right!) || !isHalf(uplo!) || !isOperation(trans!) || !isHalf(diag!)) return status.INVALID_VALUE;
    const [order, count] = right === 0 ? [m!, n!] : [n!, m!];
    if (m! < 0 || n! < 0 || alpha === 0 || lda! < Math.max(1, order)) return status.INVALID_VALUE;
    if (order === 0 || count === 0) return status.SUCCESS;
    const matrix = matrixOf(a!, lda!, { kind: 'triangular', upper: uplo === 1, trans: trans!, unit: diag === 1 });
    return { matrix, right: right!, order, count, rest };
  };
  const solve =
    (batched: boolean): Call =>
    (blas, handle, args) => {
      const of = sided(args);
      if (typeof of === 'number') return of;
      const { matrix, right, order, count, rest } = of;
      const [b, ldb, batch = 1] = rest as [number, number, number?];
      if (ldb < Math.max(1, args[4]!) || batch < 0) return status.INVALID_VALUE;
      if (batch === 0) return status.SUCCESS;
      const arrays = batched ? [args[7]!, b] : [0, 0];
      const scalars = scalarsOf(blas, handle, type, args[6]!, 0);
      return launch(
        blas,
        handle,
        name('solve'),
        gridOf(count, batch),
        matrix,
        right,
        order,
        count,
        batched ? 0 : b,
        ldb,
        ...arrays,
        scalars,
      );
    };
  const packing =
    (toPacked: number): Call =>
    (blas, handle, [uplo, n, ...rest]) => {
      const [full, ld, packed] = toPacked ? [rest[0]!, rest[1]!, rest[2]!] : [rest[1]!, rest[2]!, rest[0]!];
      if (!isHalf(uplo!) || n! < 0 || ld < Math.max(1, n!)) return status.INVALID_VALUE;
      if (n === 0) return status.SUCCESS;
      return launch(blas, handle, name('packing'), gridOf(n!, n!), toPacked, uplo!, n!, full, ld, packed);
    };
  return {
    [`cublas${X}trmm_v2`]: (blas, handle, args) => {
      const of = sided(args);
      if (typeof of === 'number') return of;
      const { matrix, right, order, count, rest } = of;
      const [b, ldb, c, ldc] = rest as [number, number, number, number];
      if (Math.min(ldb, ldc) < Math.max(1, args[4]!)) return status.INVALID_VALUE;
      const scalars = scalarsOf(blas, handle, type, args[6]!, 0);
      return launch(blas, handle, name('trmm'), gridOf(count), matrix, right, order, count, b, ldb, c, ldc, scalars);
    },
    [`cublas${X}trsmBatched`]: solve(true),
    [`cublas${X}dgmm`]: (blas, handle, [right, m, n, a, lda, x, incx, c, ldc]) => {
      if (!isHalf(right!) || m! < 0 || n! < 0 || Math.min(lda!, ldc!) < Math.max(1, m!)) return status.INVALID_VALUE;
      if (m === 0 || n === 0) return status.SUCCESS;
      return launch(blas, handle, name('dgmm'), gridOf(m!, n!), right!, m!, n!, a!, lda!, x!, incx!, c!, ldc!);
    },
    [`cublas${X}tpttr`]: packing(0),
    [`cublas${X}trttp`]: packing(1),
    ...(isComplex && {
      [`cublas${X}trsm_v2`]: solve(false),
      [`cublas${X}geam`]: ((blas, handle, [ta, tb, m, n, alpha, a, lda, beta, b, ldb, c, ldc]) => {
        if (!isOperation(ta!) || !isOperation(tb!) || m! < 0 || n! < 0 || ldc! < Math.max(1, m!))
          return status.INVALID_VALUE;
        if (alpha === 0 || beta === 0) return status.INVALID_VALUE;
        if (lda! < Math.max(1, ta === 0 ? m! : n!) || ldb! < Math.max(1, tb === 0 ? m! : n!))
          return status.INVALID_VALUE;
        if (m === 0 || n === 0) return status.SUCCESS;
        const matrices = [matrixOf(a!, lda!, { trans: ta! }), matrixOf(b!, ldb!, { trans: tb! })];
        const scalars = scalarsOf(blas, handle, type, alpha!, beta!);
        return launch(blas, handle, name('sum'), gridOf(m!, n!), m!, n!, ...matrices, c!, ldc!, scalars);
      }) satisfies Call,
    }),
  };
}

/** Vectors that are rotated, whose type is an argument. */
const rotEx: Call = (blas, handle, [n, x, xType, incx, y, yType, incy, c, s, sineType, execution], passed) => {
  const type = types[[0, 1, 4, 5].indexOf(xType!)];
  if (type === undefined || yType !== xType || execution !== xType) return status.NOT_SUPPORTED;
  const realSine = sineType !== xType || !type.isComplex;
  return rotation(type, realSine)(blas, handle, [n!, x!, incx!, y!, incy!, c!, s!], passed);
};

/** By the names of their imports. */
export const levelCalls: Readonly<Record<string, Call>> = {
  ...(Object.assign(
    {},
    ...types.map((type) => ({
      ...(type.isComplex ? complexVectors(type) : realRotations(type)),
      ...rotationCalls(type.X, type.bytes),
      ...vectorProducts(type),
      ...triangles(type),
      ...rankUpdates(type),
      ...matrixProducts(type),
      ...triangularMatrices(type),
    })),
  ) as Record<string, Call>),
  cublasRotEx: rotEx,
};
