/** Rows of a GPU that are made when they are looked at: charts are exact sums, SMs show what was simulated. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { drawnKinds, type Track, type TrackWindow } from '../../../engine/model/timeline.ts';
import { eventKinds } from '../../../engine/model/event-kinds/index.ts';
import { warpStateRows, warpStates } from '../../../engine/model/warp-states.ts';
import { TimelineWriter } from '../../../engine/model/warp-timeline.ts';
import type { TraceEvent } from '../../../engine/model/events.ts';
import { openTrace, type Trace } from '../../../engine/trace/reader.ts';
import { TimeCells } from '../../../engine/trace/time-cells.ts';
import { copy, facts, kernel, profile, temporaryFolder, write } from './example-recording.ts';

const folder = temporaryFolder();

/** Whole numbers below `most`, the same ones every time. */
function randomNumbers(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}
const trackOf = (trace: Trace, title: string): Track => trace.info.tracks.find((track) => track.title === title)!;

/** Integral of a series of a chart over [from, to), in its unit times nanoseconds. */
function area(
  { starts, durations, busy, flavours, count }: TrackWindow,
  most: number,
  series: number,
  from: number,
  to: number,
) {
  let sum = 0;
  for (let i = 0; i < count; i++) {
    if (flavours[i] !== series) continue;
    const shared = Math.min(to, starts[i]! + durations[i]!) - Math.max(from, starts[i]!);
    if (shared > 0) sum += shared * busy[i]! * most;
  }
  return sum;
}

describe('sums in cells of time', () => {
  const random = randomNumbers(7);
  const spans = Array.from({ length: 300 }, () => {
    const start = random(40_000);
    return { start, end: start + random(random(10) === 0 ? 20_000 : 50), amount: 1 + random(1000) };
  });
  const cells = new TimeCells(64);
  for (const { start, end, amount } of spans) cells.add(start, end, amount);
  const { width, sums } = cells.finish(50);

  test('are those of all spans', () => {
    expect(sums.length).toBeLessThanOrEqual(50);
    const wanted = new Float64Array(sums.length);
    for (const { start, end, amount } of spans) {
      for (let cell = 0; cell < sums.length; cell++) {
        const shared = Math.min(end, (cell + 1) * width) - Math.max(start, cell * width);
        if (end > start && shared > 0) wanted[cell]! += (amount * shared) / (end - start);
        if (end === start && Math.floor(start / width) === cell) wanted[cell]! += amount;
      }
    }
    sums.forEach((sum, cell) => expect(sum).toBeCloseTo(wanted[cell]!, 6));
  });
  test('have a width that is a power of two', () => expect(Number.isInteger(Math.log2(width))).toBe(true));
});

describe('throughput of the link and of DRAM', () => {
  const random = randomNumbers(11);
  const written: TraceEvent[] = [];
  /** Copies of random length, by direction. */
  const copies: { start: number; end: number; bytes: number; series: number }[] = [];
  let at = 1000;
  for (let i = 0; i < 400; i++) {
    const [length, bytes, back] = [200 + random(30_000), 1 + random(1_000_000), random(2) === 1];
    const direction = back ? 'device-to-host' : 'host-to-device';
    written.push(copy(at, at + length, i + 1, { direction, bytes, engine: back ? 1 : 0, streamId: back ? 14 : 13 }));
    copies.push({ start: at, end: at + length, bytes, series: back ? 1 : 0 });
    // Now and then both ways at once.
    at += random(3) === 0 ? Math.floor(length / 2) : length + random(5000);
  }
  const end = Math.max(...copies.map((each) => each.end));
  for (let i = 0; i < 100; i++) written.push(kernel(5000 + i * 20_000, 15_000 + i * 20_000, 1000 + i));
  const trace = openTrace(write(join(folder, 'link.simsight'), written));
  const link = trackOf(trace, 'Host link throughput');
  const bytesIn = (series: number, from: number, to: number): number =>
    copies
      .filter((each) => each.series === series)
      .reduce((sum, { start, end, bytes }) => {
        const shared = Math.min(end, to) - Math.max(start, from);
        return sum + (shared > 0 ? (bytes * shared) / (end - start) : 0);
      }, 0);

  test.each([0, 1, 64, 1024, 4096, 65_536, 2 ** 20])('are exact in cells of %d ns', (resolution) => {
    for (const [from, to] of [
      [0, 2 ** 22],
      [2 ** 20, 2 ** 20 + 2 ** 14],
    ] as const) {
      // Within a cell it is spread evenly; and nobody asks for millions of cells.
      if (resolution > to - from || (resolution < 64 && to - from > 2 ** 20)) continue;
      const [window] = trace.window([link.id], from, to, resolution);
      expect(window!.count).toBeGreaterThan(0);
      for (const series of [0, 1]) {
        // Heights are kept to a millionth.
        const bytes = area(window!, link.chart!.most, series, from, to) / 1e9;
        expect(Math.abs(bytes - bytesIn(series, from, to))).toBeLessThan((1e-6 * link.chart!.most * (to - from)) / 1e9);
      }
    }
  });
  test('all bytes are there from afar', () => {
    const [window] = trace.window([link.id], 0, trace.info.durationNs, 2 ** 22);
    for (const series of [0, 1]) {
      const bytes = area(window!, link.chart!.most, series, 0, Infinity) / 1e9;
      expect(bytes / bytesIn(series, 0, end)).toBeCloseTo(1, 4);
    }
  });
  test('areas lie one on the other', () => {
    const { starts, bases, busy, flavours, count } = trace.window([link.id], 0, 2 ** 21, 4096)[0]!;
    const isOver = Array.from({ length: count }, (_, i) => i).filter((i) => flavours[i] === 1 && bases![i]! > 0);
    expect(isOver.length).toBeGreaterThan(3);
    for (const i of isOver) {
      const below = starts.findLastIndex((start, k) => k < count && flavours[k] === 0 && start <= starts[i]!);
      expect(bases![i]).toBeCloseTo(busy[below]!, 5);
    }
  });
  test('DRAM: what kernels read and wrote, over the time that they took', () => {
    const dram = trackOf(trace, 'DRAM throughput');
    expect(dram.chart).toMatchObject({ unit: 'bytes-per-second', most: facts.gpu.memory.bandwidth });
    const [window] = trace.window([dram.id], 4096, 20_480, 1);
    expect(area(window!, dram.chart!.most, 0, 0, Infinity) / 1e9 / 1048576).toBeCloseTo(1, 4);
    expect(area(window!, dram.chart!.most, 1, 0, Infinity) / 1e9 / 1048576).toBeCloseTo(1, 4);
    expect([...window!.starts, ...window!.durations]).toEqual([5000, 5000, 10_000, 10_000]);
  });
});

describe('the simulated SM', () => {
  const timeline = new TimelineWriter(Infinity);
  const random = randomNumbers(3);
  const cycles = 40_000;
  for (let slot = 0; slot < 64; slot++) {
    for (let at = random(50); at < cycles;) {
      const state = [0, 1, 4, 8][random(4)]!;
      const to = Math.min(cycles, at + (state === 0 ? 1 : 1 + random(200)));
      timeline.sink(slot, state, at, to, at % 4);
      at = to;
    }
  }
  const blocks = Array.from({ length: 12 }, (_, i) => ({ block: 108 * i, start: 3000 * i, end: 3000 * i + 9000 }));
  const full = {
    ...profile,
    cycles,
    share: 1,
    blocks,
    warps: timeline.finish(),
    issues: timeline.finishIssues([0, 1, 2, 3]),
    mix: timeline.finishMix(),
    warpCycles: cycles,
  };
  const nsPerCycle = 1e3 / facts.gpu.core.smClockMhz;
  const length = Math.ceil(cycles * nsPerCycle) + 600;
  const trace = openTrace(
    write(join(folder, 'sm.simsight'), [
      { type: 'profile', id: 1, profile: full },
      { ...kernel(10_000, 10_000 + length, 1), profile: 1 },
      { ...kernel(100_000, 101_000, 2), profile: 1 },
    ]),
  );
  const zero = 10_300;
  const sm = trackOf(trace, 'SM 0 (simulated)');
  const state = new Map(
    trace.query('SELECT label, id FROM ENUM_SIMSIGHT_WARP_STATE').map(([label, id]) => [String(label), Number(id)]),
  );

  test('is closed at first, a chart of warps by state', () => {
    expect(sm).toMatchObject({ closed: true, chart: { unit: 'warps', most: 64 } });
    expect(sm.chart!.series[0]).toBe('Selected');
    expect(sm.chart!.series.toSorted()).toEqual(['Barrier', 'Long Scoreboard', 'Not Selected', 'Selected']);
  });

  test.each([0, 2, 16, 256, 2048])('warps by state are exact at %d ns', (resolution) => {
    const [from, to] = [zero, zero + (resolution < 256 ? 4096 : 24_576)];
    const [window] = trace.window([sm.id], from, to, resolution);
    const warps = trace.warps(1)!;
    sm.chart!.series.forEach((label, series) => {
      const wide = Math.max(1, resolution);
      const [left, right] = [Math.ceil(from / wide) * wide, Math.floor(to / wide) * wide];
      if (right <= left) return;
      let wanted = 0;
      for (const subPartition of [0, 1, 2, 3]) {
        const all = warps.window(subPartition, 0, cycles, 0);
        for (let i = 0; i < all.count; i++) {
          if (all.states[i] !== state.get(label)) continue;
          const start = zero + all.starts[i]! * nsPerCycle;
          const end = start + all.durations[i]! * nsPerCycle;
          wanted += Math.max(0, Math.min(end, right) - Math.max(start, left));
        }
      }
      const found = area(window!, 64, series, left, right);
      // Cells of the mix are whole cycles wide and do not end where those of the screen do.
      expect(Math.abs(found / wanted - 1), `${label} at ${resolution}`).toBeLessThan(0.02);
    });
  });

  test('from afar its rows show kernels over all of their lanes', () => {
    const track = trackOf(trace, 'Sub-partition 2');
    const [window] = trace.window([track.id], 0, 200_000, 4096);
    expect([...window!.kinds]).toEqual([eventKinds.indexOf('kernel'), eventKinds.indexOf('kernel')]);
    expect([...window!.spans!]).toEqual([16, 16]);
    expect(window!.labels).toEqual(['saxpy']);
  });

  test('near by each slot shows every state', () => {
    const track = trackOf(trace, 'Sub-partition 2');
    expect(track.lanes).toBe(16);
    const [from, to] = [zero + 1000, zero + 1400];
    const [window] = trace.window([track.id], from, to, 0);
    const all = trace.warps(1)!.window(2, Math.floor(1000 / nsPerCycle), Math.ceil(1400 / nsPerCycle), 0);
    expect(window!.count).toBe(all.count);
    for (let i = 0; i < all.count; i++) {
      expect(window!.lanes[i]).toBe(all.slots[i]);
      expect(window!.starts[i]).toBeCloseTo(zero + all.starts[i]! * nsPerCycle, 6);
      expect(window!.durations[i]).toBeCloseTo(all.durations[i]! * nsPerCycle, 6);
      expect(window!.kinds[i]).toBe(drawnKinds.warp);
      expect(window!.flavours[i]).toBe(all.states[i]);
      expect(state.get(window!.labels[window!.labelIndex[i]!]!)).toBe(all.states[i]);
      expect(window!.rows[i]).toBe(1);
    }
  });

  test('blocks have lanes, and are named by their place in the grid', () => {
    const track = trackOf(trace, 'Blocks');
    const [window] = trace.window([track.id], 0, 90_000, 16);
    expect(window!.count).toBe(12);
    expect([...window!.lanes]).toEqual([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]);
    expect(window!.labels[1]).toBe('Block (108, 0, 0)');
    expect(window!.starts[1]).toBeCloseTo(zero + 3000 * nsPerCycle, 6);
    expect(window!.durations[1]).toBeCloseTo(9000 * nsPerCycle, 6);
  });

  test('a click on any of it means the kernel', () => {
    expect(trace.event({ kind: 'kernel', row: 1 }).title).toBe('saxpy');
  });

  test('says what was not simulated, or not kept', () => {
    const part = openTrace(
      write(join(folder, 'part.simsight'), [
        { type: 'profile', id: 1, profile: { ...full, share: 0.25, warpCycles: 10_000 } },
        { ...kernel(10_000, 10_000 + 4 * length, 1), profile: 1 },
      ]),
    );
    const restOf = (title: string): string[] => {
      const { count, kinds, labels, labelIndex } = part.window([trackOf(part, title).id], 0, 1e6, 256)[0]!;
      return Array.from({ length: count }, (_, i) => i)
        .filter((i) => kinds[i] === drawnKinds['not-simulated'])
        .map((i) => labels[labelIndex[i]!]!);
    };
    expect(restOf('Blocks')).toEqual(["Not simulated: 25 % of an SM's work was, the rest is extrapolated"]);
    expect(restOf('Sub-partition 0')).toHaveLength(1);
    part.close();
  });

  test('there is none where nothing was simulated', () => {
    const none = openTrace(write(join(folder, 'none.simsight'), [kernel(10, 2000, 1)]));
    expect(none.info.tracks.map(({ kind }) => kind)).not.toContain('sm');
    none.close();
  });

  test('states have the numbers that the table says', () => {
    expect(trace.query('SELECT name, label FROM ENUM_SIMSIGHT_WARP_STATE ORDER BY id')).toEqual(
      warpStates.map((state) => [state, warpStateRows[state].label]),
    );
  });
});
