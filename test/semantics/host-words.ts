/** Semantics of the words of random kernels in JavaScript: 32-bit integers are numbers from 0 on, 64-bit ones BigInts. */
const bytes = new DataView(new ArrayBuffer(8));
const { fround, imul, trunc, floor, sqrt, abs } = Math;
const shift = (n: number, by: (n: number) => number): number => (n > 31 ? 0 : by(n) >>> 0);
const within = (x: number, least: number, most: number): number =>
  Number.isNaN(x) ? 0 : Math.min(Math.max(trunc(x), least), most) >>> 0;
const toEven = (x: number): number => {
  if (abs(x) >= 2 ** 52 || Number.isNaN(x)) return x;
  const below = floor(x);
  const rest = x - below;
  const whole = rest > 0.5 || (rest === 0.5 && below % 2 !== 0) ? below + 1 : below;
  return whole === 0 && (x < 0 || Object.is(x, -0)) ? -0 : whole;
};
/** The product is exact in a double; the sum is rounded to odd there, so that rounding to a float is the only one. */
function fused(x: number, y: number, z: number): number {
  const product = x * y;
  const sum = product + z;
  if (!Number.isFinite(sum)) return fround(sum);
  const back = sum - product;
  const error = product - (sum - back) + (z - back);
  if (error === 0) return fround(sum);
  bytes.setFloat64(0, sum);
  const bits = bytes.getBigInt64(0);
  if ((bits & 1n) === 0n) bytes.setBigInt64(0, error > 0 === sum > 0 ? bits + 1n : bits - 1n);
  return fround(bytes.getFloat64(0));
}
const minimum = (x: number, y: number, best: (x: number, y: number) => number): number =>
  Number.isNaN(x) ? y : Number.isNaN(y) ? x : best(x, y);
const low = (q: bigint): bigint => BigInt.asUintN(64, q);

export const hostWords: Record<string, (...args: never[]) => unknown> = {
  ADD: (x: number, y: number) => (x + y) >>> 0,
  SUB: (x: number, y: number) => (x - y) >>> 0,
  MUL: (x: number, y: number) => imul(x, y) >>> 0,
  AND: (x: number, y: number) => (x & y) >>> 0,
  OR: (x: number, y: number) => (x | y) >>> 0,
  XOR: (x: number, y: number) => (x ^ y) >>> 0,
  SHL: (x: number, n: number) => shift(n, () => x << n),
  SHR: (x: number, n: number) => shift(n, () => x >>> n),
  SAR: (x: number, n: number) => ((x | 0) >> Math.min(n, 31)) >>> 0,
  DIVU: (x: number, y: number) => trunc(x / ((y | 1) >>> 0)) >>> 0,
  REMU: (x: number, y: number) => (x % ((y | 1) >>> 0)) >>> 0,
  DIVS: (x: number, y: number) => trunc((x | 0) / (y | 1)) >>> 0,
  REMS: (x: number, y: number) => ((x | 0) % (y | 1)) >>> 0,
  HIGH: (x: number, y: number) => Number((BigInt(x) * BigInt(y)) >> 32n),
  CLZ: (x: number) => Math.clz32(x),
  POPC: (x: number) => x.toString(2).replaceAll('0', '').length,
  BREV: (x: number) => parseInt([...x.toString(2).padStart(32, '0')].reverse().join(''), 2),
  FUNNEL: (x: number, y: number, n: number) => (n & 31 ? ((y << (n & 31)) | (x >>> (32 - (n & 31)))) >>> 0 : y),
  PERM: (x: number, y: number, s: number) => {
    const all = [0, 8, 16, 24].flatMap((k) => [(x >>> k) & 255]).concat([0, 8, 16, 24].map((k) => (y >>> k) & 255));
    return [0, 1, 2, 3].reduce((sum, k) => sum | (all[(s >>> (4 * k)) & 7]! << (8 * k)), 0) >>> 0;
  },
  LT: (x: number, y: number) => x < y,
  LTS: (x: number, y: number) => (x | 0) < (y | 0),
  EQ: (x: number, y: number) => x === y,
  ODD: (x: number) => (x & 1) !== 0,
  SEL: (c: boolean, x: number, y: number) => (c ? x : y),
  LEAST: (x: number, y: number) => Math.min(x, y),
  MOST: (x: number, y: number) => Math.max(x, y),
  LEASTS: (x: number, y: number) => Math.min(x | 0, y | 0) >>> 0,
  BYTE: (x: number) => ((x << 24) >> 24) >>> 0,
  FADD: (x: number, y: number) => fround(fround(x) + fround(y)),
  FSUB: (x: number, y: number) => fround(fround(x) - fround(y)),
  FMUL: (x: number, y: number) => fround(fround(x) * fround(y)),
  FDIV: (x: number, y: number) => fround(fround(x) / fround(y)),
  FMA: (x: number, y: number, z: number) => fused(fround(x), fround(y), fround(z)),
  FSQRT: (x: number) => fround(sqrt(fround(x))),
  FMIN: (x: number, y: number) => minimum(fround(x), fround(y), Math.min),
  FMAX: (x: number, y: number) => minimum(fround(x), fround(y), Math.max),
  FABS: (x: number) => abs(fround(x)),
  FLT: (x: number, y: number) => fround(x) < fround(y),
  FSEL: (c: boolean, x: number, y: number) => fround(c ? x : y),
  FLOOR: (x: number) => floor(fround(x)),
  RINT: (x: number) => toEven(fround(x)),
  HALF: (x: number) => (Math as unknown as { f16round: (x: number) => number }).f16round(fround(x)),
  S2F: (x: number) => fround(x | 0),
  U2F: (x: number) => fround(x),
  F2S: (x: number) => within(fround(x), -(2 ** 31), 2 ** 31 - 1),
  F2U: (x: number) => within(fround(x), 0, 2 ** 32 - 1),
  F2B: (x: number) => within(fround(x), 0, 2 ** 32 - 1) & 255,
  DADD: (x: number, y: number) => x + y,
  DMUL: (x: number, y: number) => x * y,
  DDIV: (x: number, y: number) => x / y,
  F2D: (x: number) => fround(x),
  D2F: (x: number) => fround(x),
  D2S: (x: number) => within(x, -(2 ** 31), 2 ** 31 - 1),
  QADD: (x: bigint, y: bigint) => low(x + y),
  QMUL: (x: bigint, y: bigint) => low(x * y),
  QXOR: (x: bigint, y: bigint) => x ^ y,
  QSHL: (x: bigint, n: number) => (n > 63 ? 0n : low(x << BigInt(n))),
  QSHR: (x: bigint, n: number) => (n > 63 ? 0n : x >> BigInt(n)),
  QREM: (x: bigint, y: bigint) => x % (y | 1n),
  U2Q: (x: number) => BigInt(x),
  Q2U: (x: bigint) => Number(x & 0xffffffffn),
};
export const wordNames = Object.keys(hostWords);
