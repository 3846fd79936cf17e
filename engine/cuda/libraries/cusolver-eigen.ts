/** cuSOLVER's eigenvalues and eigenvectors of Hermitian matrices, by kernels of `cusolver-eigen.cu`. */
import type { Call, Cusolver, Handle, Kind, View } from './cusolver.ts';
import {
  ceilDiv,
  columnsOf,
  general,
  generalSize,
  inOrder,
  isFill,
  isWide,
  kinds,
  potrf,
  solve,
  status,
  steps,
  transposed,
} from './cusolver.ts';
import {
  begin,
  doubleBits,
  elementsOf,
  iterate,
  mostInOneBlock,
  mostRotated,
  named,
  ordered,
  perElement,
  placed,
  realBytes,
  realsAt,
  reflected,
  Room,
  rotationBytes,
  rotationsFor,
  settingsOf,
  spectrumIn,
  triangle,
  unasked,
  type RotationUse,
  type Source,
} from './cusolver-spectra.ts';
import { Words } from './library.ts';

const ranges = { all: 1001, indices: 1002, values: 1003 };

/** Which of the eigenvalues in ascending order. */
interface Range {
  range: number;
  /** More than `low`, at most `high`. */
  low: number;
  high: number;
  /** From 1. */
  first: number;
  last: number;
}
const all: Range = { range: ranges.all, low: 0, high: 0, first: 1, last: 0 };

const isRange = ({ range, low, high, first, last }: Range, n: number): boolean =>
  range === ranges.all ||
  (range === ranges.values && low < high) ||
  (range === ranges.indices && (n === 0 || (first >= 1 && first <= last && last <= n)));

/** A Hermitian matrix, and where its eigenvalues and vectors go. */
interface Problem {
  n: number;
  fill: number;
  source: { at: number; ld: number };
  vectors: boolean;
  a: number;
  lda: number;
  w: number;
  info: number;
  work: number;
  range: Range;
}

const layout = (room: Room, n: number) => ({
  spectrum: spectrumIn(room, n),
  ...{ a: room.numbers(n * n), tau: room.numbers(n), w: room.numbers(n), y: room.numbers(n), z: room.numbers(n * n) },
  rotations: room.take(rotationBytes(room.kind) * rotationsFor(n)),
});

/** Eigenvalues by a tridiagonal matrix; how many of them are in the range, or the error. */
function tridiagonal(
  solver: Cusolver,
  handle: Handle,
  kind: Kind,
  { n, fill, source, vectors, a, lda, w, info, work, range }: Problem,
): { code: number; count: number } {
  const room = layout(new Room(kind, work), n);
  const { spectrum } = room;
  const words = new Words();
  words.ints(n);
  words.pointers(room.a, room.tau, room.w, room.y, spectrum.d, spectrum.e);
  const run = (name: string, x: number, threads: number, ...k: number[]) =>
    solver.run(handle, `${kind.letter}tridiagonal${name}`, { x, threads }, words.bytes, ...k);
  const reduced = (): number => {
    if (n <= mostInOneBlock) return run('', 1, n <= 32 ? 256 : 1024);
    for (let k = 0; k < n; k++) {
      const code = run('_column', 1, 256, k) || run('_rest', ceilDiv(n - k - 1, 4), 128, k);
      if (code !== status.SUCCESS) return code;
    }
    return status.SUCCESS;
  };
  const reflectors = { at: room.a, ld: n, tau: room.tau, count: n - 1, offset: 1 };
  const kept = vectors ? room.rotations : 0;
  const turned = vectors ? [{ m: n, at: room.z, rotations: room.rotations }] : [];
  const ql = () => {
    const values = [n, spectrum.d, spectrum.e, kept, rotationsFor(n), spectrum.iteration, info];
    return solver.run(handle, `${kind.letter}tridiagonal_ql`, { threads: 32 }, ...values);
  };
  let [first, count] = range.range === ranges.indices ? [range.first - 1, range.last - range.first + 1] : [0, n];
  const code = inOrder(
    () => begin(solver, handle, spectrum, hermitian(n, fill, source), { target: room.a, info }),
    reduced,
    () =>
      vectors ? reflected(solver, handle, kind, { m: n, columns: n, target: room.z }, reflectors) : status.SUCCESS,
    () => iterate(solver, handle, spectrum, turned, ql),
    () => {
      if (range.range !== ranges.values) return status.SUCCESS;
      const { values } = spectrum;
      const failed = ordered(solver, handle, spectrum, { descending: false, first: 0, values });
      const found = failed ? null : realsAt(solver, handle, values, n, realBytes(kind));
      if (!found) return status.EXECUTION_FAILED;
      first = found.filter((value) => value <= range.low).length;
      count = found.filter((value) => value > range.low && value <= range.high).length;
      return status.SUCCESS;
    },
    () => ordered(solver, handle, spectrum, { descending: false, first, values: w }),
    () => {
      if (!vectors) return status.SUCCESS;
      const target = { at: a, rowStep: 1, columnStep: lda, conjugate: false };
      const chosen = { first, count, signed: false, target };
      return placed(solver, handle, spectrum, { m: n, columns: n, at: room.z }, chosen);
    },
  );
  return { code, count };
}

const hermitian = (n: number, fill: number, { at, ld }: { at: number; ld: number }): Source => ({
  ...{ m: n, n, at, ld, part: triangle(fill) },
});

const isProblem = ({ jobz, fill, n, lda }: { jobz: number; fill: number; n: number; lda: number }): boolean =>
  (jobz === 0 || jobz === 1) && isFill(fill) && n >= 0 && isWide(lda, n);

type Plain = Pick<Problem, 'n' | 'fill' | 'a' | 'lda' | 'w' | 'info' | 'work'> & { jobz: number; length: number };

/** Eigenvalues of one matrix in its own place; those of a range are counted for the program. */
function syevd(
  solver: Cusolver,
  handle: Handle,
  kind: Kind,
  { jobz, fill, n, a, lda, w, info, work, length }: Plain,
  range: Range = all,
  count?: (found: number) => number,
): number {
  if (!isProblem({ jobz, fill, n, lda }) || !isRange(range, n) || info === 0) return status.INVALID_VALUE;
  if (n === 0) return (count?.(0) ?? status.SUCCESS) || solver.fill(handle, info, 0, 4);
  if (work === 0 || length < elementsOf(kind, (room) => layout(room, n))) return status.INVALID_VALUE;
  const source = { at: a, ld: lda };
  const problem = { n, fill, source, vectors: jobz === 1, a, lda, w, info, work, range };
  const { code, count: found } = tridiagonal(solver, handle, kind, problem);
  return code || (count?.(found) ?? status.SUCCESS);
}

interface Rotated {
  n: number;
  fill: number;
  vectors: boolean;
  a: number;
  lda: number;
  w: number;
  info: number;
  work: number;
  batch: number;
}

/** Elements of the workspace for each matrix of a batch. */
const rotatedElements = (n: number): number => 2 * n * n + 2 * n;

/** By rotations: a block for each matrix. */
function rotated(
  solver: Cusolver,
  handle: Handle,
  kind: Kind,
  { n, fill, vectors, a, lda, w, info, work, batch }: Rotated,
  { tolerance, sweeps, sorted, at }: RotationUse,
): number {
  const words = new Words();
  words.pointers(work);
  words.ints(triangle(fill), vectors ? 1 : 0, sorted ? 1 : 0, sweeps);
  words.longs(doubleBits(Math.max(tolerance, realBytes(kind) === 4 ? 2 ** -24 : 2 ** -53)));
  words.pointers(at);
  const threads = n <= 8 ? 32 : n <= 24 ? 128 : n <= 48 ? 512 : 1024;
  const grid = { x: batch, threads };
  return solver.run(handle, `${kind.letter}jacobi`, grid, n, a, lda, BigInt(lda * n), w, info, words.bytes);
}

const batchElements = (kind: Kind, n: number, batch: number): number =>
  n <= mostRotated ? batch * rotatedElements(n) : elementsOf(kind, (room) => layout(room, n));

/** A batch: by rotations where its matrices are small, and one after the other where they are not. */
function batched(
  solver: Cusolver,
  handle: Handle,
  kind: Kind,
  { jobz, batch, length, ...matrices }: Plain & { batch: number },
  settings: RotationUse,
): number {
  const { n, fill, lda, info, a, w, work } = matrices;
  if (!isProblem({ jobz, fill, n, lda }) || batch < 0 || info === 0) return status.INVALID_VALUE;
  if (batch === 0) return status.SUCCESS;
  if (n === 0) return solver.fill(handle, info, 0, 4 * batch);
  if (work === 0 || length < batchElements(kind, n, batch)) return status.INVALID_VALUE;
  const vectors = jobz === 1;
  if (n <= mostRotated) return rotated(solver, handle, kind, { ...matrices, vectors, batch }, settings);
  for (let k = 0; k < batch; k++) {
    const at = { a: a + kind.bytes * lda * n * k, w: w + realBytes(kind) * n * k, info: info + 4 * k };
    const code = syevd(solver, handle, kind, { jobz, n, fill, lda, work, length, ...at });
    if (code !== status.SUCCESS) return code;
  }
  return status.SUCCESS;
}

/** One matrix by rotations, as the program's settings have it. */
function syevj(solver: Cusolver, handle: Handle, kind: Kind, plain: Plain, settings: number): number {
  const found = settingsOf(solver, settings, plain.n >= 1 && plain.n <= mostRotated ? 'rotations' : 'others');
  if (!found) return status.INVALID_VALUE;
  return batched(solver, handle, kind, { ...plain, batch: 1 }, found);
}

/** A second matrix, positive definite: A x = w B x, A B x = w x or B A x = w x. */
interface Second {
  type: number;
  b: number;
  ldb: number;
}

const secondElements = (kind: Kind, n: number): number =>
  n * n +
  4 +
  Math.max(
    batchElements(kind, n, 1),
    elementsOf(kind, (room) => layout(room, n)),
  );

/** Columns from the left by a triangle. */
function multiplied(
  solver: Cusolver,
  handle: Handle,
  { letter }: Kind,
  n: number,
  { view, conjugate, lower }: { view: View; conjugate: boolean; lower: boolean },
  { b, ldb, count }: { b: number; ldb: number; count: number },
): number {
  const grid = { x: ceilDiv(count, 4), threads: 128 };
  const factor = [view.at, ...steps(view), conjugate ? 1 : 0, lower ? 1 : 0] as const;
  return solver.run(handle, `${letter}eigen_triangle`, grid, n, count, ...factor, b, ldb);
}

/**
 * The problem with two matrices: B = L L', so that L⁻¹ A L⁻ᴴ or Lᴴ A L has the eigenvalues. `found`: the problem that
 * is left, in a workspace of its own.
 */
function withSecond(
  solver: Cusolver,
  handle: Handle,
  kind: Kind,
  { type, b, ldb }: Second,
  plain: Plain,
  range: Range,
  rest: (problem: Problem) => { code: number; count: number },
): { code: number; count: number } {
  const { jobz, fill, n, a, lda, w, info, work, length } = plain;
  const wrong = { code: status.INVALID_VALUE, count: 0 };
  if (type < 1 || type > 3 || !isProblem(plain) || !isWide(ldb, n) || !isRange(range, n) || info === 0) return wrong;
  if (n === 0) return { code: solver.fill(handle, info, 0, 4), count: 0 };
  if (work === 0 || length < secondElements(kind, n)) return wrong;
  const view = fill === 0 ? columnsOf(b, ldb) : transposed(columnsOf(b, ldb));
  const factor = { view, conjugate: fill === 1, lower: true };
  const back = { view: transposed(view), conjugate: fill === 0, lower: false };
  const middle = work;
  const applied = (at: number, ld: number, to: { lower: boolean; view: View; conjugate: boolean }, inverse: boolean) =>
    inverse
      ? solve(solver, handle, kind, { ...to, n, unit: false, b: at, ldb: ld, count: n })
      : multiplied(solver, handle, kind, n, to, { b: at, ldb: ld, count: n });
  const [side, inverse] = type === 1 ? [factor, true] : [back, false];
  const grid = perElement(n, n);
  const before = inOrder(
    () => potrf(solver, handle, kind, [fill, n, b, ldb], info),
    () => {
      const minor = solver.integers(handle, info, 1);
      if (!minor) return status.EXECUTION_FAILED;
      if (minor[0] === 0) return status.SUCCESS;
      solver.writeInt(info, n + minor[0]!);
      return notPositive;
    },
    () => solver.run(handle, `${kind.letter}eigen_mirror`, grid, n, a, lda, triangle(fill)),
    () => applied(a, lda, side, inverse),
    () => solver.run(handle, `${kind.letter}eigen_transpose`, grid, n, a, lda, middle, n),
    () => applied(middle, n, side, inverse),
  );
  if (before !== status.SUCCESS) return { code: before === notPositive ? status.SUCCESS : before, count: 0 };
  const source = { at: middle, ld: n };
  const problem = { n, fill, source, vectors: jobz === 1, a, lda, w, info, range };
  const { code, count } = rest({ ...problem, work: work + Math.ceil((kind.bytes * n * n) / 16) * 16 });
  if (code !== status.SUCCESS || jobz === 0 || count === 0) return { code, count };
  const last = type === 3 ? { to: factor, inverse: false } : { to: back, inverse: true };
  const columns = { b: a, ldb: lda, count };
  return {
    count,
    code: last.inverse
      ? solve(solver, handle, kind, { ...last.to, n, unit: false, ...columns })
      : multiplied(solver, handle, kind, n, last.to, columns),
  };
}
/** B is not positive definite: the call ends as if it had succeeded, and its information says so. */
const notPositive = -1;

const sygvd = (
  solver: Cusolver,
  handle: Handle,
  kind: Kind,
  second: Second,
  plain: Plain,
  range: Range = all,
  count?: (found: number) => number,
): number => {
  const { code, count: found } = withSecond(solver, handle, kind, second, plain, range, (problem) =>
    tridiagonal(solver, handle, kind, problem),
  );
  return code || (count?.(found) ?? status.SUCCESS);
};

/** By rotations where the matrix is small: these work in place, where vectors go. */
function sygvj(solver: Cusolver, handle: Handle, kind: Kind, second: Second, plain: Plain, settings: number): number {
  const isSmall = plain.n <= mostRotated;
  const found = settingsOf(solver, settings, isSmall && plain.n > 0 ? 'rotations' : 'others');
  if (!found) return status.INVALID_VALUE;
  return withSecond(solver, handle, kind, second, plain, all, (problem) => {
    if (!isSmall) return tridiagonal(solver, handle, kind, problem);
    const { n, a, lda, source } = problem;
    const grid = perElement(n, n);
    const code = inOrder(
      () => solver.run(handle, `${kind.letter}eigen_transpose`, grid, n, source.at, n, a, lda),
      () => rotated(solver, handle, kind, { ...problem, batch: 1 }, found),
    );
    return { code, count: n };
  }).code;
}

/** A `bufferSize` call for matrices of n rows. */
const size =
  (kind: Kind, nAt: number, place: number, elements: (n: number, args: number[]) => number): Call =>
  (solver, _handle, args) =>
    args[nAt]! < 0 ? status.INVALID_VALUE : solver.give(args[place]!, Math.max(1, elements(args[nAt]!, args)));

function callsOf(X: string, kind: Kind): Record<string, Call> {
  const kindOf = X === 'S' || X === 'D' ? 'sy' : 'he';
  const name = (rest: string): string => `cusolverDn${X}${kindOf}${rest}`;
  const one = (n: number) => elementsOf(kind, (room) => layout(room, n));
  const two = (n: number) => secondElements(kind, n);
  const values = (raw: (number | bigint)[], at: number) => ({ low: Number(raw[at]), high: Number(raw[at + 1]) });
  return {
    [name('evd_bufferSize')]: size(kind, 2, 6, one),
    [name('evd')]: (solver, handle, args) =>
      syevd(solver, handle, kind, named(args, 'jobz', 'fill', 'n', 'a', 'lda', 'w', 'work', 'length', 'info')),
    [name('evdx_bufferSize')]: size(kind, 3, 12, one),
    [name('evdx')]: (solver, handle, args, raw) => {
      const q = named(
        args,
        ...(['jobz', 'range', 'fill', 'n', 'a', 'lda', 'low', 'high', 'first', 'last', 'found'] as const),
        ...(['w', 'work', 'length', 'info'] as const),
      );
      return syevd(solver, handle, kind, q, { ...q, ...values(raw, 6) }, (found) => solver.give(q.found, found));
    },
    [name('evj_bufferSize')]: size(kind, 2, 6, (n) => batchElements(kind, n, 1)),
    [name('evj')]: (solver, handle, args) => {
      const q = named(args, 'jobz', 'fill', 'n', 'a', 'lda', 'w', 'work', 'length', 'info', 'settings');
      return syevj(solver, handle, kind, q, q.settings);
    },
    [name('evjBatched_bufferSize')]: size(kind, 2, 6, (n, args) => batchElements(kind, n, args[8]!)),
    [name('evjBatched')]: (solver, handle, args) => {
      const q = named(args, 'jobz', 'fill', 'n', 'a', 'lda', 'w', 'work', 'length', 'info', 'settings', 'batch');
      const found = settingsOf(solver, q.settings, 'batch');
      return found ? batched(solver, handle, kind, q, found) : status.INVALID_VALUE;
    },
    [name('gvd_bufferSize')]: size(kind, 3, 9, two),
    [name('gvd')]: (solver, handle, args) => {
      const first = ['type', 'jobz', 'fill', 'n', 'a', 'lda', 'b', 'ldb'] as const;
      const q = named(args, ...first, 'w', 'work', 'length', 'info');
      return sygvd(solver, handle, kind, q, q);
    },
    [name('gvdx_bufferSize')]: size(kind, 4, 15, two),
    [name('gvdx')]: (solver, handle, args, raw) => {
      const first = ['type', 'jobz', 'range', 'fill', 'n', 'a', 'lda', 'b', 'ldb'] as const;
      const q = named(args, ...first, 'low', 'high', 'first', 'last', 'found', 'w', 'work', 'length', 'info');
      return sygvd(solver, handle, kind, q, q, { ...q, ...values(raw, 9) }, (found) => solver.give(q.found, found));
    },
    [name('gvj_bufferSize')]: size(kind, 3, 9, two),
    [name('gvj')]: (solver, handle, args) => {
      const first = ['type', 'jobz', 'fill', 'n', 'a', 'lda', 'b', 'ldb'] as const;
      const q = named(args, ...first, 'w', 'work', 'length', 'info', 'settings');
      return sygvj(solver, handle, kind, q, q, q.settings);
    },
  };
}

/** Sizes do not depend on the type but in bytes; the largest type's layout is enough for all. */
const generalElements = (n: number): number =>
  Math.max(...Object.values(kinds).map((kind) => elementsOf(kind, (room) => layout(room, n))));
const generalBatch = (n: number, batch: number): number =>
  Math.max(...Object.values(kinds).map((kind) => batchElements(kind, n, batch)));

const generalCalls: Record<string, Call> = {
  cusolverDnXsyevd_bufferSize: generalSize(3, 9, ([, , n]) => generalElements(n!), [8]),
  cusolverDnXsyevd: general(
    3,
    (solver, handle, kind, args) => {
      const first = ['jobz', 'fill', 'n', 'type', 'a', 'lda', 'realType', 'w', 'computed'] as const;
      const q = named(args, ...first, 'work', 'bytes', 'hostWork', 'hostBytes', 'info');
      return syevd(solver, handle, kind, { ...q, length: q.bytes / kind.bytes });
    },
    [8],
  ),
  cusolverDnXsyevdx_bufferSize: generalSize(4, 15, ([, , , n]) => generalElements(n!), [14]),
  cusolverDnXsyevdx: general(
    4,
    (solver, handle, kind, args) => {
      const first = ['jobz', 'range', 'fill', 'n', 'type', 'a', 'lda', 'lowAt', 'highAt', 'first', 'last'] as const;
      const more = ['found', 'realType', 'w', 'computed', 'work', 'bytes', 'hostWork', 'hostBytes', 'info'] as const;
      const q = named(args, ...first, ...more);
      const bound = (at: number) => (q.range === ranges.values ? solver.realAt(at, realBytes(kind)) : 0);
      const range = { ...q, low: bound(q.lowAt), high: bound(q.highAt) };
      const plain = { ...q, length: q.bytes / kind.bytes };
      return syevd(solver, handle, kind, plain, range, (found) => solver.giveWord(q.found, found));
    },
    [14],
  ),
  cusolverDnXsyevBatched_bufferSize: generalSize(3, 9, (args) => generalBatch(args[2]!, args[11]!), [8]),
  cusolverDnXsyevBatched: general(
    3,
    (solver, handle, kind, args) => {
      const first = ['jobz', 'fill', 'n', 'type', 'a', 'lda', 'realType', 'w', 'computed'] as const;
      const q = named(args, ...first, 'work', 'bytes', 'hostWork', 'hostBytes', 'info', 'batch');
      return batched(solver, handle, kind, { ...q, length: q.bytes / kind.bytes }, unasked);
    },
    [8],
  ),
};

/** By the names of their imports. */
export const eigenCalls: Record<string, Call> = {
  ...Object.assign({}, ...Object.entries(kinds).map(([X, kind]) => callsOf(X, kind))),
  ...generalCalls,
};
