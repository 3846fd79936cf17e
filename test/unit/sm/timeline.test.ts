/** Warp states over time, in few bytes. */
import { expect, it } from 'vitest';
import { warpStates } from '../../../engine/model/warp-states.ts';
import { readTimeline, TimelineWriter, type WarpState } from '../../../engine/model/warp-timeline.ts';

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

it('sums up what all slots do, however long it takes', () => {
  const writer = new TimelineWriter(100);
  const expected = new Map<string, number>();
  const told: [slot: number, state: number, from: number, to: number][] = [];
  for (let i = 0; i < 4000; i++) {
    const from = i * 7 + (i % 3);
    told.push([i % 3, i % 5, from, from + [1, 6, 900][i % 3]!]);
  }
  for (const each of told) writer.sink(...each);
  const { width, cycles } = writer.finishMix();
  for (const [, state, from, to] of told) {
    for (let at = from; at < to; at++) {
      const key = `${Math.floor(at / width)} ${state}`;
      expected.set(key, (expected.get(key) ?? 0) + 1);
    }
  }
  expect(width).toBe(64);
  const states = warpStates.length;
  const found = [...cycles].flatMap((value, at) =>
    value > 0 ? [[`${Math.floor(at / states)} ${at % states}`, value] as const] : [],
  );
  expect(new Map(found)).toEqual(expected);
});

it('ends when it is full, with all slots up to one cycle', () => {
  const writer = new TimelineWriter(100);
  for (let cycle = 0; cycle < 1000; cycle++)
    for (const slot of [0, 1, 2]) writer.sink(slot, cycle % 2, cycle, cycle + 1);
  const ends = writer.finish().map((bytes) => [...readTimeline(bytes)].at(-1)!.to);
  expect(writer.until).toBeLessThan(40);
  expect(new Set(ends)).toEqual(new Set([writer.until]));
});

it('ends when it is full, with what goes on then up to that cycle', () => {
  const writer = new TimelineWriter(50);
  for (let cycle = 0; cycle < 100; cycle++) writer.sink(0, cycle % 2, cycle, cycle + 1);
  writer.sink(1, 4, 3, 100);
  const [, long] = writer.finish();
  expect(writer.until).toBe(51);
  expect([...readTimeline(long!)]).toEqual([{ state: 4, from: 3, to: 51 }]);
});
