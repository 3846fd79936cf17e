/** Comparison of results with the GPU's: the same bits; for approximations, within the documented bounds. */
import type { Bound, Entry } from './entry.ts';
import { doubleOfBits, domains, floatOfBits, scalar, tuples, type Scalar } from './values.ts';

export interface Mismatch {
  entry: Entry;
  operands: bigint[];
  expected: bigint;
  found: bigint;
}

interface Format {
  bits: number;
  infinity: bigint;
  value: (bits: bigint) => number;
}
const narrow =
  (exponentBits: number, fractionBits: number) =>
  (bits: bigint): number => {
    const exponent = Number((bits >> BigInt(fractionBits)) & BigInt(2 ** exponentBits - 1));
    const fraction = Number(bits & BigInt(2 ** fractionBits - 1)) / 2 ** fractionBits;
    const sign = bits & 0x8000n ? -1 : 1;
    const bias = 2 ** (exponentBits - 1) - 1;
    if (exponent === 2 ** exponentBits - 1) return fraction === 0 ? sign * Infinity : NaN;
    return sign * (exponent === 0 ? fraction * 2 ** (1 - bias) : (1 + fraction) * 2 ** (exponent - bias));
  };
export const formats: Record<NonNullable<Scalar['float']>, Format> = {
  f16: { bits: 16, infinity: 0x7c00n, value: narrow(5, 10) },
  bf16: { bits: 16, infinity: 0x7f80n, value: narrow(8, 7) },
  f32: { bits: 32, infinity: 0x7f800000n, value: floatOfBits },
  f64: { bits: 64, infinity: 0x7ff0000000000000n, value: doubleOfBits },
};

/** Numbers in the order of their values, both zeros being one. */
const ordered = (bits: bigint, { bits: width }: Format): bigint => {
  const top = 1n << BigInt(width - 1);
  return bits & top ? -(bits ^ top) : bits;
};

/** Distance in ulp, or null where it would mean nothing (NaN beside a number, an infinity of the other sign). */
function isNear(found: bigint, expected: bigint, format: Format, bound: Bound): { isRight: boolean; distance: number } {
  const isNaN = (bits: bigint): boolean => (bits & ~(1n << BigInt(format.bits - 1))) > format.infinity;
  if (isNaN(expected) || isNaN(found)) return { isRight: isNaN(expected) && isNaN(found), distance: 0 };
  if (found === expected) return { isRight: true, distance: 0 };
  const distance = Number(ordered(found, format) - ordered(expected, format));
  const far = Math.abs(distance);
  if (bound.ulp === undefined && bound.absolute === undefined) return { isRight: false, distance: far };
  const apart = Math.abs(format.value(found) - format.value(expected));
  // Zeros of both signs are different where the bits are defined, which they are not for approximations.
  const isRight = far <= (bound.ulp ?? 0) || apart <= (bound.absolute ?? 0);
  return { isRight, distance: apart <= (bound.absolute ?? 0) ? 0 : far };
}

/**
 * All tuples at which an entry's results are none that the GPU may have, and the largest distance in ulp of the others.
 * `expected` are the GPU's of all tuples, `found` the results of `chosen` ones.
 */
export function compare(
  entry: Entry,
  found: readonly bigint[],
  expected: readonly bigint[],
  chosen: readonly number[] = expected.map((_, tuple) => tuple),
): { mismatches: Mismatch[]; distance: number } {
  const columns = tuples(entry.inputs);
  const type: Scalar = scalar(entry.result);
  const mismatches: Mismatch[] = [];
  let distance = 0;
  chosen.forEach((tuple, k) => {
    const right = expected[tuple]!;
    const operands = columns.map((column) => column[tuple]!);
    const mine = found[k] ?? -1n;
    if (type.float === undefined) {
      if (mine !== right) mismatches.push({ entry, operands, expected: right, found: mine });
      return;
    }
    const format = formats[type.float];
    const bound = entry.within?.(operands.map((bits, k) => valueOf(entry.inputs[k]!, bits))) ?? {};
    const lanes = type.lanes ?? 1;
    for (let lane = 0; lane < lanes; lane++) {
      const part = (bits: bigint): bigint => BigInt.asUintN(format.bits, bits >> BigInt(lane * format.bits));
      const near = isNear(part(mine), part(right), format, bound);
      if (near.isRight) distance = Math.max(distance, near.distance);
      else {
        mismatches.push({ entry, operands, expected: right, found: mine });
        break;
      }
    }
  });
  return { mismatches, distance };
}

function valueOf(domain: string, bits: bigint): number {
  const { float } = scalar(domains[domain]!.type);
  return float === undefined ? Number(bits) : formats[float].value(bits);
}

const hex = (bits: bigint, bytes: number): string => `0x${bits.toString(16).padStart(2 * bytes, '0')}`;
export function describe({ entry, operands, expected, found }: Mismatch): string {
  const { bytes } = scalar(entry.result);
  const values = operands.map((bits, k) => hex(bits, scalar(domains[entry.inputs[k]!]!.type).bytes)).join(', ');
  return `${entry.name}: (${values}) gives ${hex(found, bytes)}, a GPU gives ${hex(expected, bytes)}`;
}
