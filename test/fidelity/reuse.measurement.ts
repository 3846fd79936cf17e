/** Part of a working set that L2 still holds when the next launch uses it, beside an H200. */
import { expect, test } from 'vitest';
import { measured, reused } from './reused.ts';

/** Up to where nothing is left; each finds what the one before it left behind, as it did there. */
const chosen = measured.filter(({ how, megabytes }) => how !== 'other stripes' && megabytes <= 52);

test('what L2 keeps of what is read, written and copied again', () => {
  expect(chosen).toHaveLength(45);
  const simulated = reused(chosen);
  for (const [i, { how, megabytes, ...real }] of chosen.entries()) {
    const ours = simulated[i]!;
    const name = `${how} of ${megabytes} MB`;
    const share = (bytes: number): number => bytes / (megabytes << 20);
    // Within a seventh of the working set: of stripes of 52 MB, 14 % more stay here.
    expect(Math.abs(share(ours.dramReadBytes - real.dramReadBytes)), `${name}: read`).toBeLessThan(0.15);
    expect(Math.abs(share(ours.dramWrittenBytes - real.dramWrittenBytes)), `${name}: written`).toBeLessThan(0.15);
    expect(Math.abs(ours.sectors / real.sectors - 1), `${name}: sectors`).toBeLessThan(0.05);
  }
});
