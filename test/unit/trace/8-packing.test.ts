/** Columns of numbers in few bits: what is written is read, and broken bytes do no harm. */
import { expect, test } from 'vitest';
import { PackedReader, PackedWriter } from '../../../engine/trace/packing.ts';

const columns: Record<string, number[]> = {
  empty: [],
  one: [42],
  'all the same': Array.from({ length: 1000 }, () => 7),
  steps: Array.from({ length: 300 }, (_, i) => i),
  negative: Array.from({ length: 300 }, (_, i) => 1 - i * i),
  'with outliers': Array.from({ length: 1000 }, (_, i) => (i % 97 === 0 ? 2 ** 40 + i : i % 8)),
  large: [2 ** 52 - 1, 0, -(2 ** 51), 2 ** 33, 1, 2 ** 31, 2 ** 32 - 1],
  wide: Array.from({ length: 128 }, (_, i) => i * (2 ** 45 + 12345)),
};
const pack = (values: readonly number[]): Uint8Array => {
  const writer = new PackedWriter();
  writer.column(values);
  return writer.finish();
};

test.each(Object.entries(columns))('%s', (_, values) => {
  const out = new Float64Array(values.length);
  new PackedReader(pack(values)).column(out);
  expect([...out]).toEqual(values);
});

test('columns follow each other', () => {
  const writer = new PackedWriter();
  for (const values of Object.values(columns)) writer.column(values);
  const reader = new PackedReader(writer.finish());
  for (const values of Object.values(columns)) {
    const out = new Float64Array(values.length);
    reader.column(out);
    expect([...out]).toEqual(values);
  }
});

test('few bits: equal values take four bytes for 128, small ones with rare outliers little more than they need', () => {
  expect(pack(columns['all the same']!).length).toBeLessThanOrEqual(8 * 4);
  expect(pack(columns['with outliers']!).length).toBeLessThan((1000 * 3) / 8 + 8 * 4 + 11 * 8);
});

test('bytes that are cut off or changed: an error or numbers, at once', () => {
  const good = pack(columns['with outliers']!);
  const out = new Float64Array(1000);
  for (let length = 0; length < good.length; length++) {
    expect(() => new PackedReader(good.subarray(0, length)).column(out)).toThrow(RangeError);
  }
  let outcomes = 0;
  for (let i = 0; i < good.length; i++) {
    const bad = good.slice();
    bad[i]! ^= 0xa5;
    try {
      new PackedReader(bad).column(out);
      outcomes++;
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError);
    }
  }
  expect(outcomes).toBeGreaterThan(0);
});
