/** Products of 8-bit floats of cuBLASLt: the combinations of types that its documentation has, and what their kernel takes. */
import type { GpuDescription } from '../../gpus/types.ts';
import type { GemmType } from './timing/types.ts';
import { Words } from './library.ts';

/** `cudaDataType`. */
const type = { float: 0, half: 2, bfloat16: 14, e4m3: 28, e5m2: 29 };

export const isFloat8 = (each: number): boolean => each === type.e4m3 || each === type.e5m2;
const isNarrow = (each: number): boolean => each === type.half || each === type.bfloat16;

export interface Types {
  a: number;
  b: number;
  c: number;
  d: number;
}

/** Type of the vector that an epilogue adds, where the program does not say. */
export const biasOf = ({ c, d }: Types): number => (isFloat8(d) ? c : d === type.float ? type.bfloat16 : d);

/** Not two of e5m2; C and D of one type, or D of 8 bits and then of e4m3 unless an operand is e5m2. */
function isCombination({ a, b, c, d }: Types): boolean {
  if (a === type.e5m2 && b === type.e5m2) return false;
  if (isFloat8(d)) return isNarrow(c) && (d === type.e4m3 || a !== b);
  return c === d && (isNarrow(d) || d === type.float);
}

/** Whether the GPU's library has such a product. Those of before Blackwell: A transposed, B not. */
export function isSupported(
  types: Types,
  { ta, tb }: { ta: number; tb: number },
  { computeCapability: { major, minor } }: GpuDescription,
): boolean {
  const isOlder = 10 * major + minor < 89;
  const isAnyLayout = major >= 10;
  return !isOlder && isCombination(types) && (isAnyLayout || (ta !== 0 && tb === 0));
}

/** Alignment of columns and of scales, bytes. */
export const alignment = 16;

/** Type that the time of a product is known by. `isFast`: with sums as tensor cores have them. */
export const timedFloat8 = (d: number, isFast: boolean): GemmType =>
  isFloat8(d) ? 'f8f8' : d === type.float ? 'f8s' : isFast ? 'f8q' : 'f8b';

/** As `struct Scales` of cublas-f8.cuh; addresses are 0 where there is none. */
export function scalesOf(
  types: Types,
  bias: number,
  { a, b, d, largest }: Record<'a' | 'b' | 'd' | 'largest', bigint>,
): Uint8Array {
  const all = new Words();
  all.longs(a, b, isFloat8(types.d) ? d : 0n, largest);
  all.ints(types.a, types.b, types.c, types.d, bias);
  return all.bytes;
}
