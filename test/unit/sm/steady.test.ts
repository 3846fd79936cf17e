/** Time that is not simulated, because all warps wait for a time. */
import { expect, it } from 'vitest';
import { tally, Window } from '../../../engine/sm/core/steady.ts';

it('repeats what was counted and read since its begin', () => {
  const counters = [Float64Array.of(1, 5), Float64Array.of(0)];
  const reads = [[10, 20], [15]];
  const window = new Window(100, counters, reads);
  counters[0]![1]! += 3;
  reads[0]!.push(110, 150);
  window.repeat(2, 100);
  expect(counters.map((each) => [...each])).toEqual([[1, 14], [0]]);
  expect(reads).toEqual([[10, 20, 110, 150, 210, 250, 310, 350], [15]]);
});

it('repeats counters that are fields, too', () => {
  const counts = { sectors: 7 };
  const window = new Window(0, [], [], [tally(counts, 'sectors')]);
  counts.sectors += 2;
  window.repeat(3, 100);
  expect(counts.sectors).toBe(15);
});
