/** Calls as what goes through vectors or a matrix once; see streams.ts. */
import type { GemmCall, GemmType, StreamCall } from './types.ts';

const bytesOf: Readonly<Record<GemmType, number>> = {
  ...{ s: 4, tf32: 4, d: 8, c: 8, z: 16 },
  ...{ h16: 2, h32: 2, hs: 2, b32: 2, bs: 2, i8: 1, f8b: 1, f8q: 1, f8s: 1, f8f8: 1 },
};

/** Types whose products with vectors take as long. */
const vectorTypes: Partial<Record<GemmType, string>> = {
  ...{ tf32: 's', h16: 'half', h32: 'half', hs: 'half', b32: 'half', bs: 'half' },
};

/** How often each vector is loaded or stored. */
const passes: Readonly<Record<string, readonly number[]>> = {
  axpy: [1, 2],
  dot: [1, 1],
  nrm2: [1],
  asum: [1],
  scal: [2],
  copy: [1, 1],
  swap: [2, 2],
  amax: [1],
  amin: [1],
};
export const isVectorRoutine = (routine: string): boolean => routine in passes;

const sectorBytes = 32;

/** A call of level 1; `increments`: of its vectors. */
export function vectorCall(routine: string, type: 's' | 'd', n: number, increments: readonly number[]): StreamCall {
  const size = bytesOf[type];
  const of = passes[routine]!;
  // What lies between elements of a sector is moved with them.
  const moved = increments.reduce(
    (sum, increment, index) => sum + of[index]! * Math.min(sectorBytes, size * Math.max(1, Math.abs(increment))),
    0,
  );
  return { key: `${routine} ${type}`, rows: n, columns: 1, length: 0, bytes: n * moved };
}

/** A matrix of m rows, or transposed, times a vector. */
export function gemvCall(type: 's' | 'd', transposed: boolean, m: number, n: number): StreamCall {
  const [rows, length] = transposed ? [n, m] : [m, n];
  const bytes = bytesOf[type] * (m * n + m + n);
  return { key: `gemv${transposed ? 'T' : 'N'} ${type}`, rows, columns: 1, length, bytes };
}

/** A product with a vector that was asked for as one of matrices. */
export function vectorOf({ type, transposedA, transposedB, m, n, k, batch }: GemmCall): StreamCall {
  const isRow = m === 1;
  const sumsColumns = isRow ? !transposedB : transposedA;
  const rows = isRow ? n : m;
  return {
    key: `gemv${sumsColumns ? 'T' : 'N'} ${vectorTypes[type] ?? type}`,
    ...{ rows, columns: 1, length: k },
    bytes: bytesOf[type] * batch * (rows * k + k + rows),
  };
}

export function gerCall(type: 's' | 'd', m: number, n: number): StreamCall {
  const bytes = bytesOf[type] * (2 * m * n + m + n);
  return { key: `ger ${type}`, rows: m, columns: n, length: 0, bytes };
}

/** `adds`: beta is not 0. */
export function geamCall(
  type: 's' | 'd',
  { ta, tb, adds }: { ta: boolean; tb: boolean; adds: boolean },
  m: number,
  n: number,
): StreamCall {
  const kind = adds ? (ta || tb ? 'add transposed' : 'add') : ta ? 'transpose' : 'scale';
  const bytes = bytesOf[type] * m * n * (adds ? 3 : 2);
  return { key: `geam ${kind} ${type}`, rows: m, columns: n, length: 0, bytes };
}
