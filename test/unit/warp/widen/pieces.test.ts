/** Pure pieces of the kernel writer: constants, leaves, names, lanes of a shuffle. */
import { describe, expect, test } from 'vitest';
import type { Type } from '../../../../engine/ir/ir.ts';
import { leafRange } from '../../../../engine/warp/widen/kernel/aggregates.ts';
import { floatConstant, narrowBits } from '../../../../engine/warp/widen/kernel/float-constants.ts';
import { shuffleSource } from '../../../../engine/warp/widen/kernel/shuffle-source.ts';
import { functionSymbol, kernelSymbol } from '../../../../engine/warp/widen/kernel/symbols.ts';

describe('float constants', () => {
  test.each([
    ['0xH3C00', 'half', 0x3c00],
    ['1.0', 'half', 0x3c00],
    ['-2.5', 'half', 0xc100],
    ['-0.0', 'half', 0x8000],
    ['0xR3F80', 'bfloat', 0x3f80],
    ['1.000000e+00', 'bfloat', 0x3f80],
    ['0x4000000000000000', 'bfloat', 0x4000],
  ] as const)('%s as %s', (text, kind, bits) => expect(narrowBits(text, kind)).toBe(bits));

  test.each([
    ['1.5', 1.5],
    ['-0.0', -0],
    ['0x7FF0000000000000', Infinity],
    ['%t3', NaN],
    ['', NaN],
  ])('the value of "%s"', (text, value) => expect(floatConstant(text)).toBe(value));
});

test('leaves of a nested struct are numbered from the left', () => {
  const float: Type = { kind: 'float' };
  const pair: Type = { kind: 'struct', fields: [float, float], packed: false };
  const all: Type = {
    kind: 'struct',
    fields: [float, { kind: 'array', count: 3, element: pair }, float],
    packed: false,
  };
  expect(leafRange(all, [])).toEqual([0, 8]);
  expect(leafRange(all, [1])).toEqual([1, 6]);
  expect(leafRange(all, [1, 2])).toEqual([5, 2]);
  expect(leafRange(all, [1, 2, 1])).toEqual([6, 1]);
  expect(leafRange(all, [2])).toEqual([7, 1]);
});

test('a program’s names become symbols that end nothing and stay different', () => {
  expect(kernelSymbol('add')).toBe('"kernel.add"');
  expect(kernelSymbol('a"b')).toBe('"kernel.a$22$b"');
  expect(kernelSymbol('a$22$b')).not.toBe(kernelSymbol('a"b'));
  expect(functionSymbol('add', 'fib.1')).toBe('"function.add.fib$2e$1"');
});

describe('source lanes of SHFL', () => {
  const [up, down, bfly, idx] = [0, 1, 2, 3] as const;
  /** Clamp and segment mask as CUDA's headers pass them for groups of `width` lanes. */
  const groups = (width: number, mode: number): number => ((32 - width) << 8) | (mode === up ? 0 : 31);
  test.each([
    [up, 5, 1, 32, 4, true],
    [up, 0, 1, 32, 0, false],
    [up, 8, 1, 8, 8, false],
    [down, 5, 4, 32, 9, true],
    [down, 30, 4, 32, 30, false],
    [down, 6, 2, 8, 6, false],
    [bfly, 5, 16, 32, 21, true],
    [bfly, 5, 1, 8, 4, true],
    [idx, 5, 3, 32, 3, true],
    [idx, 13, 3, 8, 11, true],
  ])('mode %i, lane %i, %i of groups of %i', (mode, lane, b, width, from, valid) =>
    expect(shuffleSource(mode, lane, b, groups(width, mode))).toEqual({ from, valid }),
  );
});
