/**
 * The operands of the suite: of each domain the values at which arithmetic goes wrong, as bits. A domain is a C++ type, or a
 * type with values chosen for one operand (an amount to shift by, an angle). What follows them is random, from a fixed seed.
 */

/** A C++ type by its short name. */
export interface Scalar {
  cpp: string;
  bytes: 1 | 2 | 4 | 8;
  /** How NaN is recognised, and distances are measured. */
  float?: 'f16' | 'bf16' | 'f32' | 'f64';
  /** Numbers side by side in one word. */
  lanes?: 2;
}

export const scalars = {
  bool: { cpp: 'bool', bytes: 1 },
  s8: { cpp: 'signed char', bytes: 1 },
  u8: { cpp: 'unsigned char', bytes: 1 },
  s16: { cpp: 'short', bytes: 2 },
  u16: { cpp: 'unsigned short', bytes: 2 },
  s32: { cpp: 'int', bytes: 4 },
  u32: { cpp: 'unsigned int', bytes: 4 },
  s64: { cpp: 'long long', bytes: 8 },
  u64: { cpp: 'unsigned long long', bytes: 8 },
  f16: { cpp: '__half', bytes: 2, float: 'f16' },
  bf16: { cpp: '__nv_bfloat16', bytes: 2, float: 'bf16' },
  f16x2: { cpp: '__half2', bytes: 4, float: 'f16', lanes: 2 },
  bf16x2: { cpp: '__nv_bfloat162', bytes: 4, float: 'bf16', lanes: 2 },
  f32: { cpp: 'float', bytes: 4, float: 'f32' },
  f64: { cpp: 'double', bytes: 8, float: 'f64' },
} satisfies Record<string, Scalar>;
export type TypeName = keyof typeof scalars;
export const scalar = (name: TypeName): Scalar => scalars[name];

const masked = (value: bigint, bytes: number): bigint => BigInt.asUintN(8 * bytes, value);

/** Wichmann's multiplier on 64 bits: the same numbers everywhere. */
export function randomBits(seed: number): () => bigint {
  let state = BigInt.asUintN(64, BigInt(seed) * 0x9e3779b97f4a7c15n + 0x1234567n);
  return () => {
    state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
    let mixed = state ^ (state >> 29n);
    mixed = BigInt.asUintN(64, mixed * 0xbf58476d1ce4e5b9n);
    return mixed ^ (mixed >> 32n);
  };
}

const view = new DataView(new ArrayBuffer(8));
export const bitsOfDouble = (value: number): bigint => (view.setFloat64(0, value), view.getBigUint64(0));
export const bitsOfFloat = (value: number): bigint => (view.setFloat32(0, value), BigInt(view.getUint32(0)));
export const doubleOfBits = (bits: bigint): number => (view.setBigUint64(0, bits), view.getFloat64(0));
export const floatOfBits = (bits: bigint): number => (view.setUint32(0, Number(bits)), view.getFloat32(0));

/** The two ends of an integer type, what lies beside them, powers of two and patterns. */
function integers(bits: number): bigint[] {
  const top = 1n << BigInt(bits - 1);
  const ends = [0n, 1n, -1n, top, top - 1n, top + 1n, 2n, -2n, 3n, 7n, 10n];
  const near = [8, 16, 32, 64].flatMap((width) =>
    width < bits
      ? [1n << BigInt(width), (1n << BigInt(width)) - 1n, 1n << BigInt(width - 1), (1n << BigInt(width - 1)) - 1n]
      : [],
  );
  const patterns = [
    0x5555555555555555n,
    0xaaaaaaaaaaaaaaaan,
    0x123456789abcdef0n,
    0xdeadbeefn,
    100n,
    -100n,
    1000n,
    31n,
    33n,
  ];
  return [
    ...new Set(
      [...ends, ...near, ...near.map((value) => -value), ...patterns].map((value) => BigInt.asUintN(bits, value)),
    ),
  ];
}

/** Both zeros, ones, infinities, NaN, the ends of normal and subnormal numbers; halves; where integers end. */
const floatNumbers = [
  0, -0, 1, -1, Infinity, -Infinity, NaN, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 3.5, 2, -2, 3, 10, 100, -100, 1 / 3, 0.1,
  127, 127.5, 128, -128, -128.5, -129, 255, 255.5, 256, 300, 32767, 32767.5, 32768, -32768, -32769, 65535, 65535.5, 65536,
  70000, -70000, 2 ** 31, -(2 ** 31), 2 ** 32, 2 ** 63, -(2 ** 63), 2 ** 64, 1e10, 1e30, -1e30, 1e-30, 1e-10, Math.PI,
  Math.PI / 2, -Math.PI, 88.75, -88, -104, 0.99, 700.5,
]; // prettier-ignore
const narrowFloats = (bits: number[], exponentBits: number, fractionBits: number): bigint[] => {
  const rounded = floatNumbers
    .filter((value) => !Number.isNaN(value))
    .map((value) => toNarrow(value, exponentBits, fractionBits));
  return [...new Set([...bits.map(BigInt), ...rounded])];
};
/** Cut off, which is enough for operands. */
function toNarrow(value: number, exponentBits: number, fractionBits: number): bigint {
  const wide = bitsOfDouble(value);
  const sign = (wide >> 63n) << 15n;
  const infinity = ((1n << BigInt(exponentBits)) - 1n) << BigInt(fractionBits);
  const exponent = Number((wide >> 52n) & 0x7ffn) - 1023 + (2 ** (exponentBits - 1) - 1);
  if (exponent >= 2 ** exponentBits - 1) return sign | infinity;
  if (exponent <= 0) return sign;
  return (
    sign |
    (BigInt(exponent) << BigInt(fractionBits)) |
    ((wide >> BigInt(52 - fractionBits)) & ((1n << BigInt(fractionBits)) - 1n))
  );
}
const halves = narrowFloats(
  [0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x7bff, 0x0400, 0x0001, 0x8001, 0xfbff, 0x8400, 0x03ff, 0x83ff, 0x3bff,
   0x3c01, 0x37ff, 0x3800, 0x3801, 0x6400, 0x6401, 0x63ff, 0x77ff, 0x7800, 0xf800, 0xfe01, 0x0200, 0x2400], 5, 10); // prettier-ignore
const bfloats = narrowFloats(
  [0, 0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc0, 0x7f7f, 0x0080, 0x0001, 0x8001, 0xff7f, 0x8080, 0x007f, 0x807f, 0x3f7f,
   0x3f81, 0x3eff, 0x3f00, 0x3f01, 0x4300, 0x4301, 0xffc1, 0x0040, 0x3b80], 8, 7); // prettier-ignore
const floats = [
  ...floatNumbers.slice(0, 7).map(bitsOfFloat),
  ...[0x7f7fffff, 0x00800000, 0x00000001, 0x80000001, 0xff7fffff, 0x80800000, 0x007fffff, 0x807fffff, 0x3effffff, 0x3f000001,
     0x4b000000, 0x4b000001, 0x4affffff, 0xcb000001, 0x4effffff, 0x4f7fffff, 0xcf000001, 0x5effffff, 0x5f7fffff, 0x3f7fffff,
     0x3f800001, 0xffc12345, 0x00400000, 0x33000000, 0x47ffe000, 0x477fe000, 0x477ff000, 0x387fe000, 0x33800000, 0x7f000000,
     0x7e800000, 0x0c000000].map(BigInt), // prettier-ignore
  ...floatNumbers.slice(7).map(bitsOfFloat),
];
const doubles = [
  ...floatNumbers.slice(0, 7).map(bitsOfDouble),
  0x7fefffffffffffffn, 0x0010000000000000n, 1n, 0x8000000000000001n, 0xffefffffffffffffn, 0x8010000000000000n, 0x000fffffffffffffn,
  0x3fdfffffffffffffn, 0x4330000000000001n, 0x432fffffffffffffn, 0x41dfffffffc00000n, 0x41e0000000000000n, 0x41efffffffe00000n,
  0x41dfffffffe00000n, 0xc1e0000000100000n, 0xc1e0000000200000n, 0x43dfffffffffffffn, 0x43efffffffffffffn, 0x47efffffe0000000n,
  0x47effffff0000000n, 0x47efffffefffffffn, 0x36a0000000000000n, 0x3690000000000000n, 0x380fffffe0000000n, 0x3ff0000010000000n,
  0x3ff0000030000000n, 0x3ff0000010000001n, 0x40effe0000000000n, 0x40f0000000000000n, 0xfff8000000012345n,
  ...floatNumbers.slice(7).map(bitsOfDouble),
]; // prettier-ignore
const words = [
  0n, 0xffffffffn, 0x80008000n, 0x7fff7fffn, 0x80808080n, 0x7f7f7f7fn, 0x01010101n, 0x00010001n, 0x7f80ff01n, 0x80007fffn,
  0xff00ff00n, 0x01020304n, 0xfffe0001n, 0x12345678n, 0x7fff8000n, 0x00ff00ffn, 0xff7f8001n, 0x80000000n, 0x00000080n, 0x81818181n,
  0xfffffffen, 0xdeadbeefn, 0xfedcba98n, 0x00008000n,
]; // prettier-ignore

export interface Domain {
  type: TypeName;
  values: bigint[];
  /** Random values after the chosen ones; all bits where nothing is said. */
  random?: (bits: bigint) => bigint;
}
const fraction = (bits: bigint): number => Number(bits & 0xffffffffn) / 2 ** 32;
const between = (type: 'f32' | 'f64', least: number, most: number): Domain => {
  const of = type === 'f32' ? bitsOfFloat : bitsOfDouble;
  return {
    type,
    values: [least, most, (least + most) / 2].map(of),
    random: (bits) => of(least + fraction(bits) * (most - least)),
  };
};
const nonzero = (type: TypeName): Domain => ({
  type,
  values: integers(8 * scalar(type).bytes).filter((value) => value !== 0n),
  random: (bits) => (masked(bits, scalar(type).bytes) === 0n ? 1n : bits),
});
const amounts = [
  0, 1, 31, 32, 33, 63, 64, 65, 7, 8, 15, 16, 17, 30, 127, 128, 255, 256, 257, 0x1ff, 0x80000000, 0xffffffff,
].map(BigInt);

export const domains: Record<string, Domain> = {
  ...Object.fromEntries((['s8', 'u8', 's16', 'u16', 's32', 'u32', 's64', 'u64'] as const).map((type) => [type, { type, values: integers(8 * scalar(type).bytes) }])),
  ...Object.fromEntries((['s8', 'u8', 's16', 'u16', 's32', 'u32', 's64', 'u64'] as const).map((type) => [`${type}:divisor`, nonzero(type)])),
  f16: { type: 'f16', values: halves },
  bf16: { type: 'bf16', values: bfloats },
  f32: { type: 'f32', values: floats },
  f64: { type: 'f64', values: doubles },
  f16x2: { type: 'f16x2', values: halves.map((low, i) => low | (halves[(i * 7 + 3) % halves.length]! << 16n)) },
  bf16x2: { type: 'bf16x2', values: bfloats.map((low, i) => low | (bfloats[(i * 7 + 3) % bfloats.length]! << 16n)) },
  bool: { type: 'bool', values: [0n, 1n], random: (bits) => bits & 1n },
  words: { type: 'u32', values: words },
  amount: { type: 'u32', values: amounts, random: (bits) => bits & 127n },
  'amount:s32': { type: 's32', values: amounts, random: (bits) => bits & 127n },
  selector: { type: 'u32', values: [0x3210n, 0x7654n, 0xfedcn, 0x89abn, 0x0123n, 0x5410n, 0xffffn, 0x1234f0f0n], random: (bits) => bits & 0xffffn },
  exponent: { type: 's32', values: [0n, 1n, -1n, 30n, -30n, 127n, 128n, -126n, -149n, -150n, 277n, -277n, 1023n, 1024n, -1074n, 2200n, -2200n, 0x7fffffffn, -0x80000000n].map((value) => BigInt.asUintN(32, value)), random: (bits) => BigInt.asUintN(32, (bits & 255n) - 128n) },
  order: { type: 's32', values: [0n, 1n, 2n, 3n, 5n], random: (bits) => bits % 6n },
  'f32:angle': between('f32', -3.1415925, 3.1415925),
  'f32:near one': between('f32', 0.5, 2),
  'f32:unit': between('f32', 0, 1),
  'f32:moderate': between('f32', -20, 20),
  'f32:positive': between('f32', 2 ** -10, 50),
  'f32:divisor': { type: 'f32', values: [1, -1, 3, 2 ** -125, 2 ** 125, -(2 ** 125), 0.1, 1e10, 1e-10].map(bitsOfFloat), random: (bits) => bitsOfFloat((fraction(bits) - 0.5) * 1000 || 1) },
  'f64:moderate': between('f64', -20, 20),
  'f64:positive': between('f64', 2 ** -10, 50),
  'f64:unit': between('f64', 0, 1),
}; // prettier-ignore

/** Operands of one entry side by side; the same for all entries with the same domains. */
export const tupleCount = (operands: number): number => (operands === 1 ? 128 : 192);

/** `[operand][tuple]`. */
export function tuples(names: readonly string[]): bigint[][] {
  const count = tupleCount(names.length);
  const random = randomBits([...names.join()].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 0x7fffffff);
  const columns = names.map((name) => {
    const domain = domains[name];
    if (domain === undefined) throw new Error(`no domain ${name}`);
    return domain;
  });
  const any = (domain: Domain): bigint => {
    const bits = random();
    const made = domain.random === undefined ? bits : domain.random(bits);
    return masked(made, scalar(domain.type).bytes);
  };
  const pick = (domain: Domain): bigint => domain.values[Number(random() % BigInt(domain.values.length))]!;
  const result: bigint[][] = columns.map(() => []);
  const side = names.length === 2 ? 11 : 0;
  for (let i = 0; i < count; i++) {
    columns.forEach((domain, k) => {
      const listed =
        names.length === 1
          ? domain.values[i]
          : i < side * side
            ? domain.values[k === 0 ? Math.floor(i / side) : i % side]
            : undefined;
      result[k]!.push(listed ?? (names.length > 1 && random() % 4n !== 0n ? pick(domain) : any(domain)));
    });
  }
  return result;
}
