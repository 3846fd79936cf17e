/** cuBLAS's calls that make rotations, of numbers on the host, as the reference implementation of BLAS makes them. */
import { status, type Call, type Cublas, type Handle } from './cublas.ts';

type Numbers = Float32Array | Float64Array;

/** Numbers of the host's at an address, and how they are put back. */
function numbersAt(
  blas: Cublas,
  address: number,
  bytes: number,
  count: number,
): { values: Numbers; store: () => void } {
  const copy = blas.bytesAt(address, bytes * count).buffer as ArrayBuffer;
  const values = bytes === 4 ? new Float32Array(copy) : new Float64Array(copy);
  return { values, store: () => blas.hostBytes(address, bytes * count).set(new Uint8Array(copy)) };
}

/** Of all these arguments, one number each unless it says otherwise. What `make` gets it may change. */
const onHost =
  (bytes: number, counts: readonly number[], make: (...numbers: Numbers[]) => void): Call =>
  (blas: Cublas, { devicePointers }: Handle, args) => {
    if (args.slice(0, counts.length).includes(0)) return status.INVALID_VALUE;
    // Rotations that kernels are to make are not known here.
    if (devicePointers) return status.NOT_SUPPORTED;
    const all = counts.map((count, i) => numbersAt(blas, args[i]!, bytes, count));
    make(...all.map(({ values }) => values));
    for (const { store } of all) store();
    return status.SUCCESS;
  };

/** The rotation that turns (a, b) to (r, 0). */
function givens(a: Numbers, b: Numbers, c: Numbers, s: Numbers): void {
  const [x, y] = [a[0]!, b[0]!];
  const scale = Math.abs(x) + Math.abs(y);
  if (scale === 0) {
    [c[0], s[0], a[0], b[0]] = [1, 0, 0, 0];
    return;
  }
  const larger = Math.abs(x) > Math.abs(y) ? x : y;
  const r = Math.sign(larger) * scale * Math.hypot(x / scale, y / scale);
  [c[0], s[0]] = [x / r, y / r];
  a[0] = r;
  b[0] = Math.abs(x) > Math.abs(y) ? s[0] : c[0] !== 0 ? 1 / c[0] : 1;
}

function complexGivens(a: Numbers, b: Numbers, c: Numbers, s: Numbers): void {
  const [x, y] = [Math.hypot(a[0]!, a[1]!), Math.hypot(b[0]!, b[1]!)];
  if (x === 0) {
    [c[0], s[0], s[1]] = [0, 1, 0];
    a.set(b);
    return;
  }
  const norm = Math.hypot(x, y);
  const [re, im] = [a[0]! / x, a[1]! / x];
  c[0] = x / norm;
  [s[0], s[1]] = [(re * b[0]! + im * b[1]!) / norm, (im * b[0]! - re * b[1]!) / norm];
  [a[0], a[1]] = [re * norm, im * norm];
}

const gamma = 4096;

/** The modified rotation of (sqrt(d1) x1, sqrt(d2) y1), as `rotmg` of BLAS makes it: a flag, then the matrix by columns. */
function modifiedGivens(first: Numbers, second: Numbers, x: Numbers, y: Numbers, parameters: Numbers): void {
  let [d1, d2, x1, flag] = [first[0]!, second[0]!, x[0]!, -2];
  let [h11, h12, h21, h22] = [0, 0, 0, 0];
  const y1 = y[0]!;
  const nothing = (): void => {
    [flag, d1, d2, x1, h11, h12, h21, h22] = [-1, 0, 0, 0, 0, 0, 0, 0];
  };
  const p2 = d2 * y1;
  if (d1 >= 0 && p2 === 0) {
    parameters[0] = -2;
    return;
  }
  if (d1 < 0) nothing();
  else {
    const p1 = d1 * x1;
    const [q1, q2] = [p1 * x1, p2 * y1];
    if (Math.abs(q1) > Math.abs(q2)) {
      [h21, h12] = [-y1 / x1, p2 / p1];
      const u = 1 - h12 * h21;
      if (u > 0) [flag, d1, d2, x1] = [0, d1 / u, d2 / u, x1 * u];
      else nothing();
    } else if (q2 < 0) nothing();
    else {
      [flag, h11, h22] = [1, p1 / p2, x1 / y1];
      const u = 1 + h11 * h22;
      [d1, d2, x1] = [d2 / u, d1 / u, y1 * u];
    }
    const whole = (): void => {
      if (flag === 0) [h11, h22] = [1, 1];
      if (flag === 1) [h21, h12] = [-1, 1];
      flag = -1;
    };
    while (d1 !== 0 && (d1 <= gamma ** -2 || d1 >= gamma ** 2)) {
      whole();
      const by = d1 <= gamma ** -2 ? gamma : 1 / gamma;
      [d1, x1, h11, h12] = [d1 * by * by, x1 / by, h11 / by, h12 / by];
    }
    while (d2 !== 0 && (Math.abs(d2) <= gamma ** -2 || Math.abs(d2) >= gamma ** 2)) {
      whole();
      const by = Math.abs(d2) <= gamma ** -2 ? gamma : 1 / gamma;
      [d2, h21, h22] = [d2 * by * by, h21 / by, h22 / by];
    }
  }
  [first[0], second[0], x[0]] = [d1, d2, x1];
  if (flag < 0) parameters.set([h11, h21, h12, h22], 1);
  else if (flag === 0) [parameters[2], parameters[3]] = [h21, h12];
  else [parameters[1], parameters[4]] = [h11, h22];
  parameters[0] = flag;
}

/** `bytes`: of a number, both parts of a complex one together. */
export function rotationCalls(X: 'S' | 'D' | 'C' | 'Z', bytes: number): Record<string, Call> {
  const isComplex = X === 'C' || X === 'Z';
  const part = isComplex ? bytes / 2 : bytes;
  if (isComplex) return { [`cublas${X}rotg_v2`]: onHost(part, [2, 2, 1, 2], complexGivens) };
  return {
    [`cublas${X}rotg_v2`]: onHost(part, [1, 1, 1, 1], givens),
    [`cublas${X}rotmg_v2`]: onHost(part, [1, 1, 1, 1, 5], modifiedGivens),
  };
}
