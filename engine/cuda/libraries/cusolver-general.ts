/** cuSOLVER's eigenvalues of general matrices and inverses of triangles, by kernels of `cusolver-general.cu`. */
import type { Call, Cusolver, Handle, Kind } from './cusolver.ts';
import { ceilDiv, columnsOf, general, inOrder, isFill, isWide, solve, status } from './cusolver.ts';
import { begin, elementsOf, named, perElement, realBytes, reflected, Room, spectrumIn } from './cusolver-spectra.ts';

const layout = (room: Room, n: number) => ({
  spectrum: spectrumIn(room, n),
  ...{ h: room.numbers(n * n), reflectors: room.numbers(n * n), tau: room.numbers(n), z: room.numbers(n * n) },
  work: room.take(2 * realBytes(room.kind) * n * n),
});

interface Problem {
  left: number;
  right: number;
  n: number;
  type: number;
  a: number;
  lda: number;
  valueType: number;
  w: number;
  rightType: number;
  v: number;
  ldv: number;
  work: number;
  bytes: number;
  info: number;
}

/** Complex values and right vectors of the matrix's own type; left vectors are none of the library's. */
function geev(solver: Cusolver, handle: Handle, kind: Kind, q: Problem): number {
  const { left, right, n, a, lda, valueType, w, v, ldv, work, info } = q;
  if (left !== 0 || (right !== 0 && right !== 1) || n < 0 || !isWide(lda, n) || info === 0) return status.INVALID_VALUE;
  if (right === 1 && !isWide(ldv, n)) return status.INVALID_VALUE;
  // Real parts and imaginary ones have the type of a real matrix, complex values that of a complex one.
  const isComplex = kind.letter === 'c' || kind.letter === 'z';
  const complexType = realBytes(kind) === 4 ? 4 : 5;
  if (valueType !== complexType && (isComplex || valueType !== q.type)) return status.INVALID_VALUE;
  if (n === 0) return solver.fill(handle, info, 0, 4);
  if (work === 0 || q.bytes < kind.bytes * elementsOf(kind, (room) => layout(room, n))) return status.INVALID_VALUE;
  const room = layout(new Room(kind, work), n);
  const { spectrum, h, z, reflectors, tau } = room;
  const threads = n <= 16 ? 64 : n <= 64 ? 128 : 256;
  const run = (name: string, x: number, count: number, ...values: number[]) =>
    solver.run(handle, `${kind.letter}general_${name}`, { x, threads: count }, n, ...values);
  const source = { m: n, n, at: a, ld: lda, part: 0 } as const;
  const product = { at: reflectors, ld: n, tau, count: n - 1, offset: 1 };
  return inOrder(
    () => begin(solver, handle, spectrum, source, { target: h, info }),
    () => run('hessenberg', 1, threads, h, reflectors, tau),
    () => reflected(solver, handle, kind, { m: n, columns: n, target: z }, product),
    () => run('schur', 1, threads, h, z, info),
    () => run('values', ceilDiv(n, 64), 64, h, spectrum.scale, valueType === complexType ? 0 : 1, w),
    () => (right === 1 ? run('vectors', ceilDiv(n, 4), 128, h, z, room.work, v, ldv) : status.SUCCESS),
  );
}

/** The inverse of a triangle in its place. */
function trtri(
  solver: Cusolver,
  handle: Handle,
  kind: Kind,
  q: Record<'fill' | 'diagonal' | 'n' | 'a' | 'lda' | 'work' | 'bytes' | 'info', number>,
): number {
  const { fill, diagonal, n, a, lda, work, bytes, info } = q;
  if (!isFill(fill) || diagonal < 0 || diagonal > 1 || n < 0 || !isWide(lda, n) || info === 0)
    return status.INVALID_VALUE;
  if (n === 0) return solver.fill(handle, info, 0, 4);
  if (work === 0 || bytes < kind.bytes * n * n) return status.INVALID_VALUE;
  const [lower, unit] = [fill === 0, diagonal === 1];
  const none = { at: work, ld: n, tau: 0, count: 0, offset: 0 };
  const system = { n, view: columnsOf(a, lda), conjugate: false, lower, unit, b: work, ldb: n, count: n };
  const name = (kernel: string) => `${kind.letter}general_${kernel}`;
  return inOrder(
    () => solver.run(handle, name('diagonal'), { threads: 32 }, n, a, lda, diagonal, info),
    // No reflectors at all: the unit matrix.
    () => reflected(solver, handle, kind, { m: n, columns: n, target: work }, none),
    () => solve(solver, handle, kind, system),
    () => solver.run(handle, name('triangle'), perElement(n, n), n, work, a, lda, lower ? 1 : 0, diagonal, info),
  );
}

const eigenArguments = [
  ...(['left', 'right', 'n', 'type', 'a', 'lda', 'valueType', 'w', 'leftType', 'vl', 'ldvl'] as const),
  ...(['rightType', 'v', 'ldv', 'computed'] as const),
] as const;
const triangleArguments = ['fill', 'diagonal', 'n', 'type', 'a', 'lda'] as const;

/** The only calls with types that have no parameters in front. */
function withoutParameters(act: Parameters<typeof general>[1]): Call {
  const call = general(3, act);
  return (solver, handle, args, raw) => call(solver, handle, [0, ...args], raw);
}

/** By the names of their imports. */
export const generalEigenCalls: Record<string, Call> = {
  cusolverDnXgeev_bufferSize: general(3, (solver, _handle, kind, args) => {
    const q = named(args, ...eigenArguments, 'target', 'hostTarget');
    if (q.n < 0) return status.INVALID_VALUE;
    const bytes = kind.bytes * elementsOf(kind, (room) => layout(room, q.n));
    return solver.giveWord(q.target, bytes) || solver.giveWord(q.hostTarget, 0);
  }),
  cusolverDnXgeev: general(3, (solver, handle, kind, args) =>
    geev(
      solver,
      handle,
      kind,
      named(args, ...eigenArguments, ...(['work', 'bytes', 'hostWork', 'hostBytes', 'info'] as const)),
    ),
  ),
  cusolverDnXtrtri_bufferSize: withoutParameters((solver, _handle, kind, args) => {
    const q = named(args, ...triangleArguments, 'target', 'hostTarget');
    if (q.n < 0) return status.INVALID_VALUE;
    return solver.giveWord(q.target, kind.bytes * Math.max(1, q.n * q.n)) || solver.giveWord(q.hostTarget, 0);
  }),
  cusolverDnXtrtri: withoutParameters((solver, handle, kind, args) =>
    trtri(
      solver,
      handle,
      kind,
      named(args, ...triangleArguments, ...(['work', 'bytes', 'hostWork', 'hostBytes', 'info'] as const)),
    ),
  ),
};
