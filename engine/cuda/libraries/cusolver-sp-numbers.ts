/** Arithmetic of matrices on the host: doubles, of which complex numbers are two. Places and counts are those of numbers. */

export interface Arithmetic {
  /** Doubles of a number. */
  parts: 1 | 2;
  /** y -= a x, for so many numbers of each; a may be conjugated. */
  subtract: (
    n: number,
    a: Float64Array,
    at: number,
    conjugate: boolean,
    x: Float64Array,
    xAt: number,
    y: Float64Array,
    yAt: number,
  ) => void;
  /** The sum of conjugated x by y. */
  dot: (n: number, x: Float64Array, xAt: number, y: Float64Array, yAt: number, out: Float64Array) => void;
  /** x /= a. */
  divide: (n: number, x: Float64Array, xAt: number, a: Float64Array, at: number) => void;
}

export const real: Arithmetic = {
  parts: 1,
  subtract: (n, a, at, _conjugate, x, xAt, y, yAt) => {
    const factor = a[at]!;
    if (factor === 0) return;
    for (let i = 0; i < n; i++) y[yAt + i]! -= factor * x[xAt + i]!;
  },
  dot: (n, x, xAt, y, yAt, out) => {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += x[xAt + i]! * y[yAt + i]!;
    out[0] = sum;
  },
  divide: (n, x, xAt, a, at) => {
    const divisor = a[at]!;
    for (let i = 0; i < n; i++) x[xAt + i]! /= divisor;
  },
};

export const complex: Arithmetic = {
  parts: 2,
  subtract: (n, a, at, conjugate, x, xAt, y, yAt) => {
    const re = a[2 * at]!;
    const im = conjugate ? -a[2 * at + 1]! : a[2 * at + 1]!;
    if (re === 0 && im === 0) return;
    for (let i = 0, p = 2 * xAt, q = 2 * yAt; i < n; i++, p += 2, q += 2) {
      y[q]! -= re * x[p]! - im * x[p + 1]!;
      y[q + 1]! -= re * x[p + 1]! + im * x[p]!;
    }
  },
  dot: (n, x, xAt, y, yAt, out) => {
    let [re, im] = [0, 0];
    for (let i = 0, p = 2 * xAt, q = 2 * yAt; i < n; i++, p += 2, q += 2) {
      re += x[p]! * y[q]! + x[p + 1]! * y[q + 1]!;
      im += x[p]! * y[q + 1]! - x[p + 1]! * y[q]!;
    }
    out[0] = re;
    out[1] = im;
  },
  divide: (n, x, xAt, a, at) => {
    const [re, im] = [a[2 * at]!, a[2 * at + 1]!];
    for (let i = 0, p = 2 * xAt; i < n; i++, p += 2) {
      const [c, d] = [x[p]!, x[p + 1]!];
      // Scaled by the larger part of the divisor, so that nothing overflows on the way.
      if (Math.abs(re) >= Math.abs(im)) {
        const ratio = im / re;
        const divisor = re + im * ratio;
        x[p] = (c + d * ratio) / divisor;
        x[p + 1] = (d - c * ratio) / divisor;
      } else {
        const ratio = re / im;
        const divisor = re * ratio + im;
        x[p] = (c * ratio + d) / divisor;
        x[p + 1] = (d * ratio - c) / divisor;
      }
    }
  },
};

/** |x| of a number; without `Math.hypot`, whose last bit is the machine's. */
export function sizeOf({ parts }: Arithmetic, x: Float64Array, at: number): number {
  if (parts === 1) return Math.abs(x[at]!);
  const [re, im] = [Math.abs(x[2 * at]!), Math.abs(x[2 * at + 1]!)];
  const most = Math.max(re, im);
  if (most === 0 || !Number.isFinite(most)) return most;
  const [a, b] = [re / most, im / most];
  return most * Math.sqrt(a * a + b * b);
}

/** The length of a vector. */
export function lengthOf(x: Float64Array): number {
  let sum = 0;
  for (const part of x) sum += part * part;
  return Math.sqrt(sum);
}

/** Numbers in another order: to[i] = from[order[i]]. */
export function gather({ parts }: Arithmetic, from: Float64Array, order: Int32Array): Float64Array {
  const to = new Float64Array(parts * order.length);
  for (let i = 0; i < order.length; i++)
    for (let p = 0; p < parts; p++) to[parts * i + p] = from[parts * order[i]! + p]!;
  return to;
}

/** The way back: to[order[i]] = from[i]. */
export function scatter({ parts }: Arithmetic, from: Float64Array, order: Int32Array): Float64Array {
  const to = new Float64Array(parts * order.length);
  for (let i = 0; i < order.length; i++)
    for (let p = 0; p < parts; p++) to[parts * order[i]! + p] = from[parts * i + p]!;
  return to;
}

/** y[to[i]] += x[i], or those of a list. */
export function addAt(
  { parts }: Arithmetic,
  n: number,
  x: Float64Array,
  xAt: number,
  y: Float64Array,
  to: (i: number) => number,
): void {
  for (let i = 0; i < n; i++) {
    const at = parts * to(i);
    for (let p = 0; p < parts; p++) y[at + p]! += x[parts * (xAt + i) + p]!;
  }
}
