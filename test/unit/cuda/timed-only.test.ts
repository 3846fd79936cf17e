/** Which launches of a sampled recording are executed, by what they cost and whether the program reads results between them. */
import { describe, expect, test } from 'vitest';
import { TimedOnly } from '../../../engine/cuda/runtime/timed-only.ts';
import { instructionClasses, type KernelCounts, type KernelDescription } from '../../../engine/model/execution.ts';

const launch = { kernel: 'k', grid: [1000, 1, 1], block: [256, 1, 1], dynamicSharedBytes: 0, gpu: 0 };
const description = { name: 'k' } as KernelDescription;

/** Of a launch that costs so much. */
function countsOf(cost: number): KernelCounts {
  const classes = Object.fromEntries(instructionClasses.map((name) => [name, 0]));
  const none = { lines: 0 };
  return {
    warpInstructions: cost / 7,
    warpInstructionsByClass: { ...classes, int: cost / 7 },
    ...{ globalLoad: none, globalStore: none, globalAtomic: none },
  } as unknown as KernelCounts;
}

/** What becomes of launches of one kind: most cost, null where it is not executed. */
function launched(count: number, cost: number, reads: boolean, isKnown = false): (number | null)[] {
  const timedOnly = new TimedOnly();
  return Array.from({ length: count }, () => {
    if (reads) timedOnly.hostReads();
    const { known, mostCost } = timedOnly.before(launch as never, description, isKnown);
    if (known !== null) return null;
    const share = Math.min(1, mostCost / cost);
    const counts = countsOf(cost);
    timedOnly.after(launch as never, share < 1 ? { ...counts, executedShare: share } : counts, 1000);
    return mostCost;
  });
}

describe('launches of one kind', () => {
  test('are executed until they are alike', () => {
    const fates = launched(100, 1e7, false);
    expect(fates.slice(0, 5)).not.toContain(null);
    expect(fates.filter((fate) => fate === null).length).toBeGreaterThan(85);
  });
  test('are executed as a whole where the program reads results between them', () => {
    const fates = launched(100, 1e7, true);
    expect(fates).not.toContain(null);
    expect(Math.min(...fates.map(Number))).toBeGreaterThan(1e9);
  });
  test('are so until together they have cost ten seconds', () => {
    const fates = launched(1000, 1e9, true);
    const whole = fates.findIndex((fate) => fate === null || fate < 1e9);
    expect(whole).toBeGreaterThanOrEqual(11);
    expect(whole).toBeLessThanOrEqual(12);
    expect(fates.at(-1)).toBe(null);
  });
  test('and again where the program seems to wait for results', () => {
    const fates = launched(6000, 1e9, true);
    expect(fates.slice(20, 4000).filter((fate) => fate !== null).length).toBeLessThan(20);
    expect(fates.slice(5000)).not.toContain(null);
  });
  test('whose time is known are so once, and where the program reads results between them', () => {
    expect(launched(5, 1e7, false, true)).toEqual([1e10, null, null, null, null]);
    expect(launched(5, 1e4, false, true)).not.toContain(null);
    const read = launched(1000, 1e9, true, true);
    expect(read.filter((fate) => fate !== null).length).toBe(11);
  });
  /** What becomes of launches of one kind whose times are these, again and again. */
  function ofTimes(times: readonly number[], count: number): (number | null)[] {
    const timedOnly = new TimedOnly();
    const made: KernelCounts[] = [];
    return Array.from({ length: count }, (_, i) => {
      const { known } = timedOnly.before(launch as never, description, false);
      if (known !== null) return made.findIndex(({ warpInstructions }) => warpInstructions === known.warpInstructions);
      const counts = { ...countsOf(1e7), warpInstructions: 1e6 + i };
      made.push(counts);
      timedOnly.after(launch as never, counts, times[i % times.length]!);
      return null;
    });
  }
  test('whose times go up and down are timed like those before, in turn', () => {
    const fates = ofTimes([1000, 1080, 950, 1020], 64);
    expect(fates.slice(0, 16)).toEqual(Array.from({ length: 16 }, () => null));
    expect(new Set(fates.slice(17, 31)).size).toBe(14);
    expect(fates.slice(17, 31)).not.toContain(null);
  });
  test('whose times grow, or are far apart, are executed', () => {
    expect(
      ofTimes(
        Array.from({ length: 64 }, (_, i) => 1000 * 1.03 ** i),
        64,
      ),
    ).toEqual(Array.from({ length: 64 }, () => null));
    expect(ofTimes([1000, 2000, 1500, 3000], 64)).toEqual(Array.from({ length: 64 }, () => null));
  });
});
