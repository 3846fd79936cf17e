/** cuSOLVER's singular values and vectors, by kernels of `cusolver-singular.cu`. */
import type { Call, Cusolver, Handle, Kind } from './cusolver.ts';
import { ceilDiv, general, inOrder, isWide, kinds, status } from './cusolver.ts';
import {
  begin,
  doubleBits,
  elementsOf,
  iterate,
  mostInOneBlock,
  mostRotated,
  named,
  ordered,
  placed,
  realBytes,
  reflected,
  Room,
  rotationBytes,
  rotationsFor,
  settingsOf,
  spectrumIn,
  unasked,
  type RotationUse,
  type Target,
} from './cusolver-spectra.ts';
import { Words } from './library.ts';

/** Vectors of one side; null: none. `count` of them, as columns or, of the conjugate transpose, as rows. */
type Vectors = { at: number; ld: number; count: number; asRows: boolean; stride: number } | null;

interface Problem {
  m: number;
  n: number;
  a: number;
  lda: number;
  s: number;
  /** How many values are given; all where there are fewer. */
  values: number;
  u: Vectors;
  v: Vectors;
  info: number;
  work: number;
}

/** A problem as one of no more columns than rows: where there are more, that of the conjugate transpose, whose sides are exchanged. */
function asTall({ m, n, u, v }: Pick<Problem, 'm' | 'n' | 'u' | 'v'>) {
  return n <= m ? { flipped: false, m, n, left: u, right: v } : { flipped: true, m: n, n: m, left: v, right: u };
}

const columns = (at: number, ld: number, count: number, stride = 0): NonNullable<Vectors> => ({
  ...{ at, ld, count, asRows: false, stride },
});

/** The workspace for a matrix of no more columns than rows. */
const layout = (room: Room, m: number, n: number, left: number, right: boolean) => ({
  spectrum: spectrumIn(room, n),
  ...{ a: room.numbers(m * n), rows: room.numbers(n * n), tauLeft: room.numbers(n), tauRight: room.numbers(n) },
  ...{ x: room.numbers(m), y: room.numbers(n), sum: room.numbers(1) },
  ...{ left: room.numbers(m * left), right: room.numbers(right ? n * n : 0) },
  rotationsLeft: room.take(rotationBytes(room.kind) * rotationsFor(n)),
  rotationsRight: room.take(rotationBytes(room.kind) * rotationsFor(n)),
});
type Layout = ReturnType<typeof layout>;

/** A bidiagonal matrix in the place of the scaled one. */
function reduced(
  solver: Cusolver,
  handle: Handle,
  { letter }: Kind,
  m: number,
  n: number,
  { a, rows, tauLeft, tauRight, x, y, sum, spectrum: { d, e } }: Layout,
): number {
  const words = new Words();
  words.ints(m, n);
  words.pointers(a, rows, tauLeft, tauRight, x, y, sum, d, e);
  const run = (name: string, blocks: number, threads: number, ...k: number[]) =>
    solver.run(handle, `${letter}bidiagonal${name}`, { x: blocks, threads }, words.bytes, ...k);
  if (m <= mostInOneBlock) return run('', 1, m <= 32 ? 256 : 1024);
  for (let k = 0; k < n; k++) {
    const code = inOrder(
      () => run('_column', 1, 256, k),
      () => run('_left', ceilDiv(n - k - 1, 4), 128, k),
      () => (k + 1 < n ? run('_row', 1, 256, k) : status.SUCCESS),
      () => (k + 1 < n ? run('_right', ceilDiv(m - k - 1, 32), 256, k) : status.SUCCESS),
    );
    if (code !== status.SUCCESS) return code;
  }
  return status.SUCCESS;
}

/** Where vectors of the matrix that is decomposed go. */
const targetOf = ({ at, ld, asRows }: NonNullable<Vectors>): Target => ({
  ...{ at, rowStep: asRows ? ld : 1, columnStep: asRows ? 1 : ld, conjugate: asRows },
});

/** Singular values by a bidiagonal matrix. */
function bidiagonal(solver: Cusolver, handle: Handle, kind: Kind, problem: Problem): number {
  const { a, lda, s, values, info, work } = problem;
  const { flipped, m, n, left, right } = asTall(problem);
  const made = left ? Math.max(left.count, n) : 0;
  const room = layout(new Room(kind, work), m, n, made, right !== null);
  const { spectrum } = room;
  const source = { m: problem.m, n: problem.n, at: a, ld: lda, part: 0 } as const;
  const turned = [
    ...(left ? [{ m, at: room.left, rotations: room.rotationsLeft }] : []),
    ...(right ? [{ m: n, at: room.right, rotations: room.rotationsRight }] : []),
  ];
  const qr = () => {
    const kept = [left ? room.rotationsLeft : 0, right ? room.rotationsRight : 0] as const;
    const numbers = [n, spectrum.d, spectrum.e, ...kept, rotationsFor(n), spectrum.iteration, info];
    return solver.run(handle, `${kind.letter}bidiagonal_qr`, { threads: 32 }, ...numbers);
  };
  const fromLeft = { at: room.a, ld: m, tau: room.tauLeft, count: n, offset: 0 };
  const fromRight = { at: room.rows, ld: n, tau: room.tauRight, count: n - 1, offset: 1 };
  const placedIn = (to: Vectors, from: { m: number; columns: number; at: number }, signed: boolean) => () => {
    if (!to) return status.SUCCESS;
    return placed(solver, handle, spectrum, from, { first: 0, count: to.count, signed, target: targetOf(to) });
  };
  return inOrder(
    () => begin(solver, handle, spectrum, source, { target: room.a, flipped, info }),
    () => reduced(solver, handle, kind, m, n, room),
    () => (left ? reflected(solver, handle, kind, { m, columns: made, target: room.left }, fromLeft) : 0),
    () => (right ? reflected(solver, handle, kind, { m: n, columns: n, target: room.right }, fromRight) : 0),
    () => iterate(solver, handle, spectrum, turned, qr),
    () =>
      ordered(solver, handle, spectrum, {
        ...{ descending: true, first: 0, values: values < n ? spectrum.values : s },
      }),
    () => (values < n ? solver.copy(handle, s, spectrum.values, values * realBytes(kind)) : status.SUCCESS),
    // The sign is that of V, and of U where the matrix is flipped: the vectors from the right.
    placedIn(left, { m, columns: made, at: room.left }, false),
    placedIn(right, { m: n, columns: n, at: room.right }, true),
  );
}

const bidiagonalElements = (kind: Kind, m: number, n: number, all: boolean): number => {
  const [most, least] = [Math.max(m, n), Math.min(m, n)];
  return elementsOf(kind, (room) => layout(room, most, least, all ? most : least, true));
};

const rotatedElements = (m: number, n: number): number => {
  const [most, least] = [Math.max(m, n), Math.min(m, n)];
  return most * least + least * least + most + 2 * least;
};

/** As `struct Side` in cusolver-singular.cu. */
function putSide(words: Words, vectors: Vectors): void {
  words.pointers(vectors?.at ?? 0);
  words.ints(vectors?.ld ?? 0, vectors?.count ?? 0);
  words.longs(BigInt(vectors?.stride ?? 0));
}

/** By rotations: a block for each matrix of a batch. */
function rotated(
  solver: Cusolver,
  handle: Handle,
  { letter }: Kind,
  problem: Problem,
  { batch, stride, strideS }: { batch: number; stride: number; strideS: number },
  { tolerance, sweeps, sorted, at }: RotationUse,
): number {
  const { a, lda, s, values, info, work } = problem;
  const { flipped, m, n, left, right } = asTall(problem);
  const words = new Words();
  words.pointers(a);
  words.ints(lda, flipped ? 1 : 0);
  words.longs(BigInt(stride));
  words.pointers(work);
  putSide(words, left);
  putSide(words, right);
  words.longs(BigInt(strideS));
  words.ints(sorted ? 1 : 0, sweeps, Math.min(values, n), 0);
  words.longs(doubleBits(tolerance));
  words.pointers(at);
  const threads = n <= 8 ? 128 : n <= 24 ? 256 : 1024;
  return solver.run(handle, `${letter}onesided`, { x: batch, threads }, m, n, words.bytes, s, info);
}

const isSmall = (m: number, n: number): boolean => Math.min(m, n) <= mostRotated && Math.max(m, n) <= 16 * mostRotated;

/** Elements that a decomposition of any shape needs, by rotations or not. */
const anyElements = (kind: Kind, m: number, n: number, batch = 1): number =>
  m <= 0 || n <= 0
    ? 1
    : isSmall(m, n)
      ? Math.max(1, batch * rotatedElements(m, n))
      : bidiagonalElements(kind, m, n, true);

/** One decomposition or a batch: by rotations where matrices are small. */
function decomposed(
  solver: Cusolver,
  handle: Handle,
  kind: Kind,
  problem: Problem,
  { batch, stride, strideS, length }: { batch: number; stride: number; strideS: number; length: number },
  settings: RotationUse,
): number {
  const { m, n, lda, u, v, info, work } = problem;
  const isRight = (vectors: Vectors, rows: number): boolean => !vectors || isWide(vectors.ld, rows);
  if (m < 0 || n < 0 || batch < 0 || !isWide(lda, m) || info === 0) return status.INVALID_VALUE;
  if (!isRight(u, m) || !isRight(v, v?.asRows ? v.count : n)) return status.INVALID_VALUE;
  if (batch === 0) return status.SUCCESS;
  if (m === 0 || n === 0) return solver.fill(handle, info, 0, 4 * batch);
  if (work === 0 || length < anyElements(kind, m, n, batch)) return status.INVALID_VALUE;
  if (isSmall(m, n)) return rotated(solver, handle, kind, problem, { batch, stride, strideS }, settings);
  const moved = (vectors: Vectors, k: number): Vectors =>
    vectors && { ...vectors, at: vectors.at + kind.bytes * vectors.stride * k };
  for (let k = 0; k < batch; k++) {
    const code = bidiagonal(solver, handle, kind, {
      ...problem,
      ...{ a: problem.a + kind.bytes * stride * k, s: problem.s + realBytes(kind) * strideS * k, info: info + 4 * k },
      ...{ u: moved(u, k), v: moved(v, k) },
    });
    if (code !== status.SUCCESS) return code;
  }
  return status.SUCCESS;
}

const single = (length: number) => ({ batch: 1, stride: 0, strideS: 0, length });

/** The letters of jobu and jobvt: all vectors, those that belong to values, these in A's place, none. */
const letters = { A: 65, S: 83, O: 79, N: 78 };

interface Svd {
  left: number;
  right: number;
  m: number;
  n: number;
  a: number;
  lda: number;
  s: number;
  u: number;
  ldu: number;
  v: number;
  ldv: number;
  work: number;
  length: number;
  info: number;
}

/** LAPACK's gesvd for matrices that have no more columns than rows: V is given as its conjugate transpose. */
function gesvd(solver: Cusolver, handle: Handle, kind: Kind, q: Svd): number {
  const { left, right, m, n, a, lda, s, u, ldu, v, ldv, work, length, info } = q;
  const known = Object.values(letters);
  if (!known.includes(left) || !known.includes(right) || (left === letters.O && right === letters.O))
    return status.INVALID_VALUE;
  if (m < n || n < 0 || !isWide(lda, m) || info === 0) return status.INVALID_VALUE;
  const own = left === letters.A || left === letters.S;
  const ownRight = right === letters.A || right === letters.S;
  if ((own && !isWide(ldu, m)) || (ownRight && !isWide(ldv, n))) return status.INVALID_VALUE;
  if (n === 0) return solver.fill(handle, info, 0, 4);
  if (work === 0 || length < bidiagonalElements(kind, m, n, true)) return status.INVALID_VALUE;
  return bidiagonal(solver, handle, kind, {
    ...{ m, n, a, lda, s, values: n, info, work },
    u: left === letters.N ? null : own ? columns(u, ldu, left === letters.A ? m : n) : columns(a, lda, n),
    v: right === letters.N ? null : { ...(ownRight ? columns(v, ldv, n) : columns(a, lda, n)), asRows: true },
  });
}

/** A call with both sides' vectors or none: all of them or, where `economic`, those that belong to values. */
function bothSides(
  { jobz, economic, m, n, u, ldu, v, ldv }: Record<'jobz' | 'economic' | 'm' | 'n' | 'u' | 'ldu' | 'v' | 'ldv', number>,
  batched = false,
): { u: Vectors; v: Vectors } {
  if (jobz === 0) return { u: null, v: null };
  const least = Math.min(m, n);
  return {
    u: columns(u, ldu, economic ? least : m, batched ? ldu * m : 0),
    v: columns(v, ldv, economic ? least : n, batched ? ldv * n : 0),
  };
}

const isMode = (jobz: number): boolean => jobz === 0 || jobz === 1;

/** Values of batches of tall matrices, and for each how far the product of what was found is from it, on the host. */
function gesvda(solver: Cusolver, handle: Handle, kind: Kind, args: number[]): number {
  const first = ['jobz', 'rank', 'm', 'n', 'a', 'lda', 'stride', 's', 'strideS', 'u', 'ldu', 'strideU'] as const;
  const q = named(args, ...first, 'v', 'ldv', 'strideV', 'work', 'length', 'info', 'residuals', 'batch');
  const { jobz, rank, m, n, a, lda, s, stride, strideS, work, length, info, batch } = q;
  if (!isMode(jobz) || rank < 0 || rank > Math.min(m, n)) return status.INVALID_VALUE;
  const u = jobz ? columns(q.u, q.ldu, rank, q.strideU) : null;
  const v = jobz ? columns(q.v, q.ldv, rank, q.strideV) : null;
  const problem = { m, n, a, lda, s, values: rank, u, v, info, work };
  const code = decomposed(solver, handle, kind, problem, { batch, stride, strideS, length }, unasked);
  if (code !== status.SUCCESS || q.residuals === 0 || !jobz || m === 0 || n === 0) return code;
  const side = (vectors: Vectors): Uint8Array => {
    const words = new Words();
    putSide(words, vectors);
    return words.bytes;
  };
  const grid = { x: batch, threads: 256 };
  const values = [m, n, a, lda, BigInt(stride), rank, s, BigInt(strideS), side(u), side(v)] as const;
  // The workspace is free again, and long enough.
  return (
    solver.run(handle, `${kind.letter}singular_residual`, grid, ...values, work) ||
    solver.copyToHost(handle, q.residuals, work, 8 * batch)
  );
}

const size =
  (place: number, elements: (args: number[]) => number): Call =>
  (solver, _handle, args) =>
    solver.give(args[place]!, elements(args));

function callsOf(X: string, kind: Kind): Record<string, Call> {
  const name = (rest: string): string => `cusolverDn${X}${rest}`;
  const shape = ['m', 'n', 'a', 'lda', 's', 'u', 'ldu', 'v', 'ldv'] as const;
  return {
    [name('gesvd_bufferSize')]: (solver, _handle, [m, n, target]) =>
      m! < n! || n! < 0 ? status.INVALID_VALUE : solver.give(target!, bidiagonalElements(kind, m!, n!, true)),
    [name('gesvd')]: (solver, handle, args) =>
      gesvd(
        solver,
        handle,
        kind,
        named(args, 'left', 'right', ...shape, ...(['work', 'length', 'realWork', 'info'] as const)),
      ),
    [name('gesvdj_bufferSize')]: size(11, ([, , m, n]) => anyElements(kind, m!, n!)),
    [name('gesvdj')]: (solver, handle, args) => {
      const q = named(args, 'jobz', 'economic', ...shape, 'work', 'length', 'info', 'settings');
      const found = settingsOf(solver, q.settings, isSmall(q.m, q.n) && q.m > 0 && q.n > 0 ? 'rotations' : 'others');
      if (!found || !isMode(q.jobz)) return status.INVALID_VALUE;
      const problem = { ...q, values: Math.min(q.m, q.n), ...bothSides(q) };
      return decomposed(solver, handle, kind, problem, single(q.length), found);
    },
    [name('gesvdjBatched_bufferSize')]: size(10, (args) => anyElements(kind, args[1]!, args[2]!, args[12])),
    [name('gesvdjBatched')]: (solver, handle, args) => {
      const q = named(args, 'jobz', ...shape, 'work', 'length', 'info', 'settings', 'batch');
      const found = settingsOf(solver, q.settings, 'batch');
      // Small matrices only, as the library has it.
      if (!found || !isMode(q.jobz) || q.m > 32 || q.n > 32) return status.INVALID_VALUE;
      const values = Math.min(q.m, q.n);
      const problem = { ...q, values, ...bothSides({ ...q, economic: 0 }, true) };
      const places = { batch: q.batch, stride: q.lda * q.n, strideS: values, length: q.length };
      return decomposed(solver, handle, kind, problem, places, found);
    },
    [name('gesvdaStridedBatched_bufferSize')]: size(15, (args) =>
      Math.max(2 * args[16]!, anyElements(kind, args[2]!, args[3]!, args[16])),
    ),
    [name('gesvdaStridedBatched')]: (solver, handle, args) => gesvda(solver, handle, kind, args),
  };
}

/** A call of the 64-bit interface whose workspace's size is asked for. */
const generalSizes = (typeAt: number, place: number, elements: (kind: Kind, args: number[]) => number): Call =>
  general(typeAt, (solver, _handle, kind, args) =>
    inOrder(
      () => solver.giveWord(args[place]!, kind.bytes * elements(kind, args)),
      () => solver.giveWord(args[place + 1]!, 0),
    ),
  );

const generalShape = [
  'type',
  'a',
  'lda',
  'realType',
  's',
  'typeU',
  'u',
  'ldu',
  'typeV',
  'v',
  'ldv',
  'computed',
] as const;
const generalEnd = ['work', 'bytes', 'hostWork', 'hostBytes', 'info'] as const;

const generalCalls: Record<string, Call> = {
  cusolverDnXgesvd_bufferSize: general(4, (solver, _handle, kind, args) => {
    const { m, n } = named(args, 'left', 'right', 'm', 'n');
    if (m < n || n < 0) return status.INVALID_VALUE;
    return (
      solver.giveWord(args[16]!, kind.bytes * bidiagonalElements(kind, m, n, true)) || solver.giveWord(args[17]!, 0)
    );
  }),
  cusolverDnXgesvd: general(4, (solver, handle, kind, args) => {
    const q = named(args, 'left', 'right', 'm', 'n', ...generalShape, ...generalEnd);
    return gesvd(solver, handle, kind, { ...q, length: q.bytes / kind.bytes });
  }),
  cusolverDnXgesvdp_bufferSize: generalSizes(4, 16, (kind, [, , m, n]) => anyElements(kind, m!, n!)),
  cusolverDnXgesvdp: general(4, (solver, handle, kind, args) => {
    const q = named(args, 'jobz', 'economic', 'm', 'n', ...generalShape, ...generalEnd, 'error');
    if (!isMode(q.jobz)) return status.INVALID_VALUE;
    const problem = { ...q, values: Math.min(q.m, q.n), ...bothSides(q) };
    // Nothing was added to singular values, as a polar decomposition may have to.
    return (
      (q.error === 0 ? status.SUCCESS : solver.giveReal(q.error, 0)) ||
      decomposed(solver, handle, kind, problem, single(q.bytes / kind.bytes), unasked)
    );
  }),
  cusolverDnXgesvdr_bufferSize: generalSizes(7, 19, (kind, [, , m, n]) => anyElements(kind, m!, n!)),
  // All values are found and the largest given, so that neither oversampling nor iterations matter.
  cusolverDnXgesvdr: general(7, (solver, handle, kind, args) => {
    const first = ['left', 'right', 'm', 'n', 'rank', 'more', 'iterations'] as const;
    const q = named(args, ...first, ...generalShape, ...generalEnd);
    const { m, n, rank, more, iterations } = q;
    const isJob = (job: number): boolean => job === letters.S || job === letters.N;
    if (!isJob(q.left) || !isJob(q.right) || rank < 1 || more < 0 || iterations < 0 || rank + more > Math.min(m, n))
      return status.INVALID_VALUE;
    const u = q.left === letters.S ? columns(q.u, q.ldu, rank) : null;
    const v = q.right === letters.S ? columns(q.v, q.ldv, rank) : null;
    const problem = { ...q, values: rank, u, v };
    return decomposed(solver, handle, kind, problem, single(q.bytes / kind.bytes), unasked);
  }),
};

/** By the names of their imports. */
export const singularCalls: Record<string, Call> = {
  ...Object.assign({}, ...Object.entries(kinds).map(([X, kind]) => callsOf(X, kind))),
  ...generalCalls,
};
