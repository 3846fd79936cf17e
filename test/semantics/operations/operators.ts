/** Operations of C++ itself: operators, conversions, comparisons, on all types and on pairs of them. */
import type { Entry } from '../entry.ts';
import { expression } from '../entry.ts';
import type { TypeName } from '../values.ts';
import { scalar } from '../values.ts';

const integers = ['s8', 'u8', 's16', 'u16', 's32', 'u32', 's64', 'u64'] as const;
const numbers = [...integers, 'f32', 'f64'] as const;
const comparisons = ['<', '<=', '>', '>=', '==', '!='];

/** Common type of two types by the usual arithmetic conversions. */
export function common(a: TypeName, b: TypeName): TypeName {
  if (a === 'f64' || b === 'f64') return 'f64';
  if (a === 'f32' || b === 'f32') return 'f32';
  const rank = (type: TypeName): number => Math.max(4, scalar(type).bytes);
  const [x, y] = [rank(a), rank(b)];
  const isUnsigned = (type: TypeName): boolean => type.startsWith('u') && scalar(type).bytes >= 4;
  const wide = x >= y ? x : y;
  const unsigned = (isUnsigned(a) && x === wide) || (isUnsigned(b) && y === wide);
  return `${unsigned ? 'u' : 's'}${8 * wide}` as TypeName;
}

/**
 * Shifts by the width and more; sums and products that signed types have no room for; conversions to integers that lack the
 * value, but for those whose clamping compilers know.
 */
function isUndefined({ name, code, inputs, result }: Entry): boolean {
  if (/<<|>>/.test(code)) return !name.startsWith('rotated');
  if (/^s(32|64)$/.test(result) && inputs.some((type) => /^s(32|64)/.test(type)) && /[-+*]/.test(code)) return true;
  if (inputs[0] === 'f32') return /\((signed char|unsigned char|(unsigned )?(short|long long))\)/.test(code);
  return inputs[0] === 'f64' && /\((signed char|unsigned char|(unsigned )?(short|int|long long))\)/.test(code);
}

function* make(): Generator<Entry> {
  for (const a of numbers) {
    for (const b of numbers) {
      const whole = integers.includes(a as 's8') && integers.includes(b as 's8');
      const to = common(a, b);
      const pair = `${a}, ${b}`;
      // Pairs of types: the usual conversions are the same for every operator, so one order suffices.
      if (a !== b) {
        if (numbers.indexOf(a) > numbers.indexOf(b)) continue;
        for (const op of ['-', '*']) yield expression(`a ${op} b (${pair})`, [a, b], to, `a ${op} b`);
        for (const op of ['<', '==']) yield expression(`a ${op} b (${pair})`, [a, b], 'bool', `a ${op} b`);
        if (whole) yield expression(`a % b (${pair})`, [a, `${b}:divisor`], to, 'a % b');
        continue;
      }
      for (const op of ['+', '-', '*']) yield expression(`a ${op} b (${pair})`, [a, b], to, `a ${op} b`);
      if (whole) {
        for (const op of ['/', '%']) yield expression(`a ${op} b (${pair})`, [a, `${b}:divisor`], to, `a ${op} b`);
        for (const op of ['&', '|', '^']) yield expression(`a ${op} b (${pair})`, [a, b], to, `a ${op} b`);
      } else yield expression(`a / b (${pair})`, [a, b], to, 'a / b');
      for (const op of comparisons) yield expression(`a ${op} b (${pair})`, [a, b], 'bool', `a ${op} b`);
    }
    if (a !== 'f32' && a !== 'f64') {
      const to = common(a, a);
      for (const op of ['<<', '>>']) {
        yield expression(`a ${op} amount (${a})`, [a, 'amount'], to, `a ${op} b`);
        yield expression(`a ${op} signed amount (${a})`, [a, 'amount:s32'], to, `a ${op} b`);
        yield expression(`narrowed a ${op} amount (${a})`, [a, 'amount'], a, `(${scalar(a).cpp})(a ${op} b)`);
        yield expression(`a ${op} (32 - amount) (${a})`, [a, 'amount'], to, `a ${op} (32 - b)`);
        yield expression(`1 ${op} amount + a (${a})`, [a, 'amount'], to, `((${scalar(to).cpp})1 ${op} b) + a`);
        yield expression(`-1 ${op} amount ^ a (${a})`, [a, 'amount'], to, `((${scalar(to).cpp})-1 ${op} b) ^ a`);
      }
      yield expression(`(a << n) >> n (${a})`, [a, 'amount'], to, '(a << b) >> b');
      yield expression(
        `rotated (${a})`,
        [a, 'amount'],
        to,
        `(a << (b & ${8 * scalar(to).bytes - 1})) | (a >> (-b & ${8 * scalar(to).bytes - 1}))`,
      );
      yield expression(`~a (${a})`, [a], to, '~a');
      yield expression(`low bits mask (${a})`, [a, 'amount'], to, `a & (((${scalar(to).cpp})1 << b) - 1)`);
    }
    const to = common(a, a);
    yield expression(`-a (${a})`, [a], to, '-a');
    yield expression(`!a (${a})`, [a], 'bool', '!a');
    yield expression(`a < b ? a : b (${a})`, [a, a], a, 'a < b ? a : b');
    yield expression(`a > b ? a : b (${a})`, [a, a], a, 'a > b ? a : b');
    yield expression(`a < 0 ? -a : a (${a})`, [a], a, 'a < 0 ? -a : a');
    yield expression(`a * b + c (${a})`, [a, a, a], to, 'a * b + c');
    yield expression(`a * b - c (${a})`, [a, a, a], to, 'a * b - c');
    yield expression(`c - a * b (${a})`, [a, a, a], to, 'c - a * b');
    yield expression(`-(a * b) - c (${a})`, [a, a, a], to, '-(a * b) - c');
    yield expression(`a * b + a * c (${a})`, [a, a, a], to, 'a * b + b * c');
    yield expression(`(a + b) * c (${a})`, [a, a, a], to, '(a + b) * c');
    yield expression(`a * b * c + a (${a})`, [a, a, a], to, 'a * b * c + a');
    for (const b of [...numbers, 'bool', 'f16', 'bf16'] as const)
      if (a !== b) yield expression(`(${b})a (${a})`, [a], b, `(${scalar(b).cpp})a`);
  }
  for (const a of ['f16', 'bf16'] as const)
    for (const b of numbers) yield expression(`(${b})a (${a})`, [a], b, `(${scalar(b).cpp})a`);
  for (const b of numbers) yield expression(`(${b})a (bool)`, ['bool'], b, `(${scalar(b).cpp})a`);
  for (const a of ['f32', 'f64'] as const) {
    yield expression(`a + a * 2 (${a})`, [a], a, 'a + a * 2');
    yield expression(`a / 3 (${a})`, [a], a, 'a / 3');
    yield expression(`1 / a (${a})`, [a], a, '1 / a');
    yield expression(`a * 0 (${a})`, [a], a, 'a * 0');
    yield expression(`a - a (${a})`, [a], a, 'a - a');
    yield expression(`a + 0 (${a})`, [a], a, 'a + 0');
    yield expression(`a != a (${a})`, [a], 'bool', 'a != a');
    for (const to of integers) {
      yield expression(`(${to})(a * b) (${a})`, [a, a], to, `(${scalar(to).cpp})(a * b)`);
      yield expression(`(${to})a + 1 (${a})`, [a], common(to, to), `(${scalar(to).cpp})a + 1`);
      yield expression(`(${a})(${to})a`, [a], a, `(${scalar(a).cpp})(${scalar(to).cpp})a`);
    }
  }
  for (const a of integers) {
    for (const divisor of [3, 7, 10, 16, 100, 127]) {
      yield expression(`a / ${divisor} (${a})`, [a], common(a, a), `a / ${divisor}`);
      yield expression(`a % ${divisor} (${a})`, [a], common(a, a), `a % ${divisor}`);
    }
    yield expression(`a / -1 (${a})`, [a], common(a, a), 'a / -1');
  }
}
export const operators = [...make()].map((entry): Entry =>
  isUndefined(entry) ? { ...entry, isUndefined: true } : entry,
);
