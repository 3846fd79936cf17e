/** Values, their combinations, and what becomes of them in a recording's options. */
import { expect, test } from 'vitest';
import type { SweepAxis } from '../../../engine/model/sweep.ts';
import { checkedAxes, checkPlaceholders, labelOf, optionsAt, pointsOf, valuesOf } from '../../../engine/sweep/axes.ts';

const gpu: SweepAxis = { kind: 'gpu', name: 'GPU', values: ['a100', 'h200'] };
const tile: SweepAxis = { kind: 'define', name: 'TILE', values: ['8', '16', '32'] };
const block: SweepAxis = { kind: 'argument', name: 'BLOCK', values: ['64', '128'] };
const none = { defines: [], environment: [], arguments: [] };

test('values between commas, and commas within values', () => {
  expect(valuesOf('8, 16,32')).toEqual(['8', '16', '32']);
  expect(valuesOf('dim3(8\\,8),dim3(16\\,4)')).toEqual(['dim3(8,8)', 'dim3(16,4)']);
});

test('every combination, the last axis fastest', () => {
  expect(pointsOf([gpu, block])).toEqual([
    ['a100', '64'],
    ['a100', '128'],
    ['h200', '64'],
    ['h200', '128'],
  ]);
  expect(new Set(pointsOf([gpu, tile, block]).map(String)).size).toBe(2 * 3 * 2);
});

test('axes are checked: GPUs by the names of the catalogue, numbers, names', () => {
  expect(checkedAxes([{ ...gpu, values: ['A100', 'h200,h200'] }])[0]!.values).toEqual(['a100-80gb', '2xh200']);
  const refused: [SweepAxis[], RegExp][] = [
    [[{ ...gpu, values: ['a1000'] }], /There is no GPU "a1000"/],
    [[{ ...gpu, values: ['a100', 'a100-80gb'] }], /has the value a100-80gb twice/],
    [[tile, { ...block, name: 'TILE' }], /Two axes are called TILE/],
    [[{ ...tile, name: '2D' }], /not a name/],
    [[{ kind: 'registers', name: 'Registers', values: ['32', '256'] }], /Registers cannot be "256"/],
    [[{ kind: 'carveout', name: 'Carve-out', values: ['101'] }], /Carve-out cannot be "101"/],
    [[{ kind: 'shared', name: 'Extra shared', values: ['1.5'] }], /Extra shared cannot be "1.5"/],
    [[{ ...tile, values: [] }], /no values/],
  ];
  for (const [axes, message] of refused) expect(() => checkedAxes(axes)).toThrow(message);
  const many = Array.from({ length: 6 }, (_, i) => ({ ...tile, name: `T${i}`, values: [...'0123456789'] }));
  expect(() => checkedAxes(many)).toThrow(/1000000 jobs; the limit is 100000/);
});

test('a point as options: macros, names in braces, and what an option is left out for', () => {
  const axes: SweepAxis[] = [
    gpu,
    tile,
    block,
    { kind: 'registers', name: 'Registers', values: ['default', '32'] },
    { kind: 'carveout', name: 'Carve-out', values: ['0'] },
    { kind: 'shared', name: 'Extra shared', values: ['8192'] },
  ];
  const options = {
    defines: ['N={BLOCK}'],
    environment: ['SIZE={TILE}x{BLOCK}'],
    arguments: ['{BLOCK}', '{other}', '{}'],
  };
  expect(optionsAt(axes, ['h200', '16', '64', 'default', '0', '8192'], options)).toEqual({
    gpu: 'h200',
    defines: ['N=64', 'TILE=16'],
    environment: ['SIZE=16x64'],
    arguments: ['64', '{other}', '{}'],
    carveout: 0,
    extraSharedBytes: 8192,
  });
  expect(labelOf(axes, ['h200', '16', '64', '32', '0', '8192'])).toBe('GPU=h200, TILE=16, BLOCK=64, Registers=32');
});

test('values that nothing refers to are a mistake', () => {
  expect(() => checkPlaceholders([block], none)).toThrow(/Nothing contains \{BLOCK\}/);
  for (const key of ['defines', 'environment', 'arguments'] as const)
    checkPlaceholders([block], { ...none, [key]: ['X={BLOCK}'] });
  checkPlaceholders([block, { ...tile, values: ['{BLOCK}', '8'] }], none);
});
