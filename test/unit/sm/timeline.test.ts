/** What warps do over time, in few bytes. */
import { expect, it } from 'vitest';
import { readTimeline, TimelineWriter, type WarpState } from '../../../engine/sm/timeline.ts';

it('gives back what it took, with equal states that touch as one, and gaps', () => {
  const written: (WarpState & { slot: number })[] = [];
  const writer = new TimelineWriter(1 << 20);
  const at = [3, 0, 500];
  for (let i = 0; i < 3000; i++) {
    const slot = i % 3;
    const from = at[slot]! + (i % 17 === 0 ? 40 : 0);
    const to = from + [1, 2, 7, 8, 127, 128, 20_000][i % 7]!;
    written.push({ slot, state: i % 5, from, to });
    writer.sink(slot, i % 5, from, to);
    at[slot] = to;
  }
  writer.finish().forEach((bytes, slot) => {
    const merged: WarpState[] = [];
    for (const { slot: of, ...state } of written) {
      if (of !== slot) continue;
      const last = merged.at(-1);
      if (last !== undefined && last.state === state.state && last.to === state.from) last.to = state.to;
      else merged.push(state);
    }
    expect([...readTimeline(bytes)]).toEqual(merged);
  });
});

it('ends when it is full, with all slots up to one cycle', () => {
  const writer = new TimelineWriter(100);
  for (let cycle = 0; cycle < 1000; cycle++)
    for (const slot of [0, 1, 2]) writer.sink(slot, cycle % 2, cycle, cycle + 1);
  const ends = writer.finish().map((bytes) => [...readTimeline(bytes)].at(-1)!.to);
  expect(writer.until).toBeLessThan(40);
  expect(Math.min(...ends)).toBeGreaterThanOrEqual(writer.until);
});
