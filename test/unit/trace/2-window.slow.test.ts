/** Laws of lanes and windows, checked against the plainest possible computation on random events. */
import { describe, expect, test } from 'vitest';
import { assignLanes } from '../../../engine/trace/lanes.ts';
import { busyTime } from '../../../engine/trace/busy-time.ts';
import { ChunkCache, packTrack, TrackEventList, TrackEvents, unionOf } from '../../../engine/trace/track-events.ts';
import { WindowBuilder } from '../../../engine/trace/window-builder.ts';

/** A small fixed generator: a failing case can be run again. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

interface Event {
  start: number;
  end: number;
}

/** Mostly short events, some long ones, some without length, some at the same time. */
function someEvents(seed: number, count: number): Event[] {
  const next = random(seed);
  return Array.from({ length: count }, () => {
    const start = Math.floor(next() * 10_000);
    const kind = next();
    const length = kind < 0.1 ? 0 : kind < 0.9 ? Math.floor(next() * 30) : Math.floor(next() * 3000);
    return { start, end: start + length };
  });
}

function track(events: readonly Event[]): TrackEvents {
  const list = new TrackEventList();
  events.forEach(({ start, end }, row) => list.add(start, end, row % 5, row, row));
  return packed(list);
}
function packed(list: TrackEventList): TrackEvents {
  const { chunks, ...facts } = packTrack(list, () => 1);
  return new TrackEvents(
    facts,
    chunks.map(({ data, ...place }) => ({ ...place, read: () => data })),
    new ChunkCache(styles),
  );
}
const styles = ['a', 'b', 'c', 'd', 'e'].map((label) => ({ kind: 1, flavour: 0, label, fullName: label }));

const overlaps = (event: Event, from: number, to: number): boolean =>
  event.start < to && (event.end > from || (event.start === event.end && event.start >= from));

test('overlapping events never share a lane, and no lane is taken without need', () => {
  for (let seed = 1; seed <= 40; seed++) {
    const events = someEvents(seed, 300).sort((a, b) => a.start - b.start || b.end - a.end);
    const starts = Float64Array.from(events, ({ start }) => start);
    const ends = Float64Array.from(events, ({ end }) => end);
    const { lanes, count } = assignLanes(starts, ends);
    const lastEnd = new Float64Array(count).fill(-1);
    events.forEach(({ start, end }, i) => {
      expect(lastEnd[lanes[i]!]!).toBeLessThanOrEqual(start);
      // First fit: every lower lane is taken at this time.
      for (let lane = 0; lane < lanes[i]!; lane++) expect(lastEnd[lane]!).toBeGreaterThan(start);
      lastEnd[lanes[i]!] = end;
    });
  }
});

describe.each([0, 1, 7, 100, 5000])('windows at %d ns per pixel', (resolution) => {
  test('show every event that overlaps them, once', () => {
    const next = random(99 + resolution);
    for (let seed = 1; seed <= 30; seed++) {
      const events = someEvents(seed, 200);
      const all = track(events);
      for (let turn = 0; turn < 10; turn++) {
        const from = Math.floor(next() * 11_000) - 500;
        const to = from + Math.floor(next() * 6000);
        const window = all.window(0, from, to, resolution, styles);
        const wanted = events.filter((event) => overlaps(event, from, to));
        expect(window.merged.reduce((sum, count) => sum + count, 0)).toBe(wanted.length);
        for (let i = 0; i < window.count; i++) {
          const start = window.starts[i]!;
          const end = start + window.durations[i]!;
          const named = events[window.rows[i]!]!;
          expect(named.start).toBeGreaterThanOrEqual(start);
          expect(named.end).toBeLessThanOrEqual(end);
          expect(window.labels[window.labelIndex[i]!]).toBe(styles[window.rows[i]! % 5]!.label);
          expect(window.busy[i]!).toBeGreaterThanOrEqual(0);
          expect(window.busy[i]!).toBeLessThanOrEqual(1);
          if (window.merged[i] === 1) expect([start, end]).toEqual([named.start, named.end]);
          if (i > 0) expect(start).toBeGreaterThanOrEqual(window.starts[i - 1]!);
        }
      }
    }
  });

  test('never draw one thing over another', () => {
    const window = track(someEvents(5, 500)).window(0, 0, 20_000, resolution, styles);
    const lastEnd = new Map<number, number>();
    for (let i = 0; i < window.count; i++) {
      expect(lastEnd.get(window.lanes[i]!) ?? 0).toBeLessThanOrEqual(window.starts[i]!);
      lastEnd.set(window.lanes[i]!, window.starts[i]! + window.durations[i]!);
    }
  });

  test('hold at most two results per pixel and lane', () => {
    const all = track(someEvents(6, 20_000));
    const window = all.window(0, 1000, 9000, resolution, styles);
    if (resolution === 0) expect(Math.max(...window.merged)).toBe(1);
    else expect(window.count).toBeLessThanOrEqual(2 * (8000 / resolution + 2) * all.laneCount);
  });
});

describe('tracks with more events than pixels', () => {
  const next = random(3);
  let at = 0;
  const events = Array.from({ length: 60_000 }, () => {
    const start = (at += Math.floor(next() * 500));
    const length = next() < 0.02 ? Math.floor(next() * 200_000) : Math.floor(next() * 400);
    return { start, end: start + length };
  });
  const all = track(events);

  test('have levels', () => {
    const list = new TrackEventList();
    events.forEach(({ start, end }, row) => list.add(start, end, 0, row, row));
    const resolutions = new Set(packTrack(list, () => 1).chunks.map(({ resolution }) => resolution));
    expect(resolutions.size).toBeGreaterThan(1);
  });

  /** Without levels: the events are merged as they are asked for. */
  const plain = (from: number, to: number, resolution: number): string[] => {
    const sorted = events.map((event, row) => ({ ...event, row })).sort((a, b) => a.start - b.start || b.end - a.end);
    const { lanes } = assignLanes(
      Float64Array.from(sorted, ({ start }) => start),
      Float64Array.from(sorted, ({ end }) => end),
    );
    const last = new Map<
      number,
      { cell: number; start: number; end: number; merged: number; row: number; most: number; lane: number }
    >();
    const found: NonNullable<ReturnType<typeof last.get>>[] = [];
    sorted.forEach(({ start, end, row }, i) => {
      const lane = lanes[i]!;
      const cell = end - start < resolution ? Math.floor(start / resolution) : -1;
      const before = last.get(lane);
      if (before && cell >= 0 && before.cell === cell) {
        before.end = end;
        before.merged++;
        if (end - start > before.most) [before.row, before.most] = [row, end - start];
      } else {
        const item = { cell, start, end, merged: 1, row, most: end - start, lane };
        last.set(lane, item);
        found.push(item);
      }
    });
    return found
      .filter((item) => overlaps(item, from, to))
      .map(({ start, end, merged, row, lane }) => `${start} ${end} ${merged} ${row} ${Math.min(lane, 255)}`)
      .sort();
  };

  test.each([0, 1, 64, 1024, 16384, 2 ** 20, 2 ** 23])(
    'at %d ns per pixel: what merging all events gives',
    (resolution) => {
      for (const [from, to] of [
        [0, at],
        [at / 3, at / 2],
        [at * 0.7, at * 0.7 + 5000],
      ] as const) {
        const window = all.window(0, from, to, resolution, styles);
        const shown = Array.from(
          window.starts,
          (start, i) =>
            `${start} ${start + window.durations[i]!} ${window.merged[i]} ${window.rows[i]} ${window.lanes[i]}`,
        ).sort();
        const inside = (line: string): boolean => {
          const [start, end] = line.split(' ').map(Number) as [number, number];
          // At the edges, what became one may be cut in either.
          return start > from + resolution && end < to - resolution;
        };
        expect(shown.filter(inside)).toEqual(plain(from, to, resolution).filter(inside));
        expect(window.count).toBeGreaterThan(0);
      }
    },
  );

  test('events are found by their correlation id', () => {
    for (const row of [0, 1, 4095, 4096, 30_000, 59_999]) {
      expect(all.correlated(row)).toEqual([{ ...events[row]!, row, style: row % 5 }]);
    }
    expect(all.correlated(60_000)).toEqual([]);
  });
});

test('a merged result says how much of it is covered, and names the longest', () => {
  const all = track([
    { start: 100, end: 110 },
    { start: 120, end: 150 },
    { start: 190, end: 199 },
    { start: 300, end: 500 },
  ]);
  const window = all.window(7, 0, 1000, 100, styles);
  expect(window.track).toBe(7);
  expect([...window.starts]).toEqual([100, 300]);
  expect([...window.durations]).toEqual([99, 200]);
  expect([...window.merged]).toEqual([3, 1]);
  expect([...window.rows]).toEqual([1, 3]);
  expect(window.busy[0]).toBeCloseTo(49 / 99);
});

test('panning does not regroup what stays in view', () => {
  const all = track(someEvents(8, 2000));
  const inView = (from: number): string[] => {
    const window = all.window(0, from, from + 5000, 50, styles);
    const results = Array.from(window.starts, (start, i) => `${start} ${window.durations[i]} ${window.lanes[i]}`);
    return results.filter((_, i) => window.starts[i]! > 2200 && window.starts[i]! + window.durations[i]! < 5900);
  };
  expect(inView(2003)).toEqual(inView(1007));
});

test('a thousand lanes: nothing is dropped, and each event is in its own', () => {
  const all = track(Array.from({ length: 1000 }, (_, i) => ({ start: i, end: 5000 + i })));
  expect(all.laneCount).toBe(1000);
  const window = all.window(0, 0, 10_000, 1, styles);
  expect(window.count).toBe(1000);
  expect(new Set(window.lanes).size).toBe(1000);
  const drawn = new WindowBuilder(0, 1);
  for (const lane of window.lanes) drawn.add({ start: 0, end: 1, lane, kind: 1, label: 'a' });
  expect([...drawn.finish().lanes]).toEqual([...window.lanes]);
});

test('busy time is the union of the events', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const events = someEvents(seed, 60).sort((a, b) => a.start - b.start);
    const covered = new Set<number>();
    for (const { start, end } of events) for (let t = start; t < end; t++) covered.add(t);
    const starts = events.map(({ start }) => start);
    const ends = events.map(({ end }) => end);
    expect(busyTime(starts, ends)).toBe(covered.size);
    expect(unionOf(Float64Array.from(starts), Float64Array.from(ends))[0]).toBe(covered.size);
  }
});
