/** The suite of arithmetic itself (`npm run semantics` runs it): what it holds, and that host and GPU agree on random kernels. */
import { describe, expect, it } from 'vitest';
import { compare } from '../../semantics/compare.ts';
import type { Entry } from '../../semantics/entry.ts';
import { expectedOf, readGolden, readRandom } from '../../semantics/golden.ts';
import { entries } from '../../semantics/programs.ts';
import { digest, evaluate } from '../../semantics/random.ts';
import { bitsOfFloat, tupleCount } from '../../semantics/values.ts';

describe('the suite of arithmetic', () => {
  it('has at least 3,000 entries, of which a GPU has measured each', () => {
    const golden = readGolden();
    expect(entries.length).toBeGreaterThanOrEqual(3000);
    const unmeasured = entries.filter((entry) => {
      const data = golden.get(entry.name);
      return data === undefined || expectedOf(entry, data).length !== tupleCount(entry.inputs.length);
    });
    expect(unmeasured.map(({ name }) => name)).toEqual([]);
  });

  it('tells results apart by a bit, and approximations by their bounds', () => {
    const exact: Entry = { name: 'exact', inputs: ['f32'], result: 'f32', code: '' };
    const near: Entry = { ...exact, within: () => ({ ulp: 2 }) };
    const one = bitsOfFloat(1);
    const count = (entry: Entry, found: bigint, expected: bigint): number =>
      compare(entry, [found], [expected]).mismatches.length;
    expect([count(exact, one, one), count(exact, one + 1n, one), count(exact, 0n, 0x80000000n)]).toEqual([0, 1, 1]);
    expect([count(near, one + 2n, one), count(near, one + 3n, one), count(near, one - 2n, one)]).toEqual([0, 1, 0]);
    // NaN is NaN, and no number.
    expect([count(exact, 0x7fc00000n, 0xffffffffn), count(near, 0x7fc00000n, one)]).toEqual([0, 1]);
    expect(count(near, 0x7f800000n, 0xff800000n)).toBe(1);
    expect(count({ ...exact, result: 'u32' }, 5n, 6n)).toBe(1);
  });

  it('random kernels are the same on the host and on the GPU, all thousand', () => {
    const digests = readRandom();
    expect(digests).toHaveLength(1000);
    expect(digests.flatMap((found, number) => (digest(evaluate(number)) === found ? [] : [number]))).toEqual([]);
  });
});
