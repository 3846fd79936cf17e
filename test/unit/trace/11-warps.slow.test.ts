/** Warp states in chunks: every answer, at every resolution, is what summing up the intervals one by one gives. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { labById } from '../../../engine/labs/index.ts';
import { TimelineWriter } from '../../../engine/model/warp-timeline.ts';
import { packWarps, WarpTimeline, type WarpChunk } from '../../../engine/trace/warp-chunks.ts';
import { recorded as recordedProgram } from '../recording/recorded.ts';

interface Interval {
  slot: number;
  state: number;
  from: number;
  to: number;
}

interface Issue {
  slot: number;
  cycle: number;
  instruction: number;
}

/** Warps of eight slots: short and long states, gaps, one slot that stays empty, one that starts late. */
function recorded(count: number): { intervals: Interval[]; issues: Issue[]; chunks: WarpChunk[] } {
  const writer = new TimelineWriter(Infinity);
  const intervals: Interval[] = [];
  const issues: Issue[] = [];
  const instructions = 300;
  let next = 0;
  let seed = 1;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  for (const slot of [0, 1, 2, 4, 5, 6, 7]) {
    let at = slot === 7 ? 5000 : random(20);
    let before = -1;
    for (let i = 0; i < count; i++) {
      let state = random(6);
      if (state === before) state = 8;
      before = state;
      const from = at + (random(50) === 0 ? random(3000) : 0);
      if (from > at) before = -1;
      at = from + 1 + (random(20) === 0 ? random(2000) : random(12));
      intervals.push({ slot, state, from, to: at });
      if (state !== 0) writer.sink(slot, state, from, at);
      for (let cycle = from; state === 0 && cycle < at; cycle++) {
        // Mostly the next instruction, now and then another one.
        next = random(8) === 0 ? random(instructions) : (next + 1) % instructions;
        writer.sink(slot, state, cycle, cycle + 1, next);
        issues.push({ slot, cycle, instruction: next + 7 });
      }
    }
  }
  const numbers = Array.from({ length: instructions }, (_, i) => i + 7);
  return { intervals, issues, chunks: packWarps(writer.finish(), writer.finishIssues(numbers), 4) };
}
const open = (chunks: readonly WarpChunk[]): WarpTimeline =>
  new WarpTimeline(
    chunks.map(({ data, issues, ...chunk }) => ({ ...chunk, read: () => data, readIssues: () => issues! })),
  );

describe.each([
  { name: 'few', count: 3000, levels: false },
  { name: 'many, with levels', count: 60_000, levels: true },
])('$name', ({ count, levels }) => {
  const { intervals, issues, chunks } = recorded(count);
  const timeline = open(chunks);
  const own = (subPartition: number): Interval[] => intervals.filter(({ slot }) => slot % 4 === subPartition);

  test('every interval is there, as it was', () => {
    expect(chunks.some(({ resolution }) => resolution > 0)).toBe(levels);
    for (let subPartition = 0; subPartition < 4; subPartition++) {
      const { count: found, slots, starts, durations, states } = timeline.window(subPartition, 0, timeline.end, 0);
      const merged: Interval[] = [];
      for (const each of own(subPartition)) {
        const last = merged.at(-1);
        if (last && last.slot === each.slot && last.state === each.state && last.to === each.from) last.to = each.to;
        else merged.push({ ...each });
      }
      expect(found).toBe(merged.length);
      for (let i = 0; i < found; i++) {
        const [from, slot] = [starts[i]!, slots[i]! * 4 + subPartition];
        const same =
          merged[i]!.slot === slot &&
          merged[i]!.from === from &&
          merged[i]!.to === from + durations[i]! &&
          merged[i]!.state === states[i];
        if (!same) expect({ slot, from }).toEqual(merged[i]);
      }
    }
    expect(timeline.end).toBe(intervals.reduce((last, { to }) => Math.max(last, to), 0));
  });

  test('every issue is there, with its instruction', () => {
    const window = { from: Math.floor(timeline.end / 4), to: Math.floor(timeline.end / 2) };
    for (const { from, to } of [{ from: 0, to: timeline.end }, window]) {
      for (let subPartition = 0; subPartition < 4; subPartition++) {
        const expected = issues.filter(({ slot, cycle }) => slot % 4 === subPartition && cycle >= from && cycle < to);
        const { count: found, slots, cycles, instructions } = timeline.issues(subPartition, from, to);
        expect(found).toBe(expected.length);
        const wrong = expected.findIndex(
          ({ slot, cycle, instruction }, i) =>
            slots[i]! * 4 + subPartition !== slot || cycles[i] !== cycle || instructions[i] !== instruction,
        );
        expect(wrong).toBe(-1);
      }
    }
  });

  test.each([1, 16, 64, 256, 1024, 65_536, 2 ** 22])('cells of %d cycles: what its intervals add up to', (width) => {
    const from = Math.floor(timeline.end / 3);
    const to = Math.min(timeline.end, from + 300 * width);
    const first = Math.floor(from / width);
    const cells = Math.ceil(to / width) - first;
    for (const subPartition of [0, 2, 3]) {
      const sums = new Map<string, number>();
      for (const { slot, state, from: start, to: end } of own(subPartition)) {
        for (
          let cell = Math.max(first, Math.floor(start / width));
          cell < first + cells && cell * width < end;
          cell++
        ) {
          const key = `${slot} ${cell} ${state}`;
          const part = Math.min(end, (cell + 1) * width) - Math.max(start, cell * width);
          sums.set(key, (sums.get(key) ?? 0) + part);
        }
      }
      const { count: found, slots, starts, durations, states, shares } = timeline.window(subPartition, from, to, width);
      const most = new Map<string, number>();
      for (const [key, cycles] of sums) {
        const cell = key.slice(0, key.lastIndexOf(' '));
        most.set(cell, Math.max(most.get(cell) ?? 0, cycles));
      }
      let seen = 0;
      for (let i = 0; i < found; i++) {
        for (let at = starts[i]!; at < starts[i]! + durations[i]!; at += width) {
          const cell = `${slots[i]! * 4 + subPartition} ${at / width}`;
          const cycles = sums.get(`${cell} ${states[i]}`) ?? 0;
          if (cycles !== most.get(cell)) expect({ cell, cycles }).toEqual({ cell, cycles: most.get(cell) });
          if (Math.abs(shares[i]! - cycles / width) > 1e-6) expect(shares[i]).toBe(cycles / width);
          seen++;
        }
      }
      expect(seen).toBe(most.size);

      const mix = timeline.mix([subPartition], from, to, width);
      expect(mix.first).toBe(first);
      const total = [...mix.cycles.values()].reduce((sum, cells) => sum + cells.reduce((a, b) => a + b, 0), 0);
      expect(total).toBe([...sums.values()].reduce((a, b) => a + b, 0));
    }
  });

  test('takes at most 2 bytes per interval, and a quarter of a byte for each issue, though many jump at random', () => {
    const bytes = (of: (chunk: WarpChunk) => number): number => chunks.reduce((sum, chunk) => sum + of(chunk), 0);
    expect(bytes(({ data }) => data.length) / timeline.intervals).toBeLessThanOrEqual(2);
    expect(bytes(({ issues }) => issues?.length ?? 0) / issues.length).toBeLessThanOrEqual(0.25);
  });
});

test('a recorded kernel takes at most 2 bytes per interval, issues and levels included', async () => {
  const { source } = labById('matmul').variants[0]!;
  const call = { sources: [source], arguments: ['naive', '512'], detail: 'full' as const };
  const { trace } = await recordedProgram(readFileSync(source, 'utf8'), call);
  const [[data, issues, intervals]] = trace.query(
    'SELECT sum(length(data)), sum(length(issues)), sum(iif(resolution = 0, intervals, 0)) FROM SIMSIGHT_WARP_CHUNKS',
  ) as [[number, number, number]];
  trace.close();
  expect(intervals).toBeGreaterThan(10_000);
  expect(issues).toBeGreaterThan(0);
  expect((data + issues) / intervals).toBeLessThanOrEqual(2);
});

test('broken chunks are errors, never a hang', () => {
  const { chunks } = recorded(2000);
  for (const [at, chunk] of chunks.entries()) {
    for (let i = 0; i < 60; i++) {
      const data = chunk.data.slice();
      data[(i * 7919) % data.length]! ^= 1 << (i % 8);
      const broken = chunks.map((each, n) =>
        n === at ? { ...each, data: i % 3 === 0 ? data.slice(0, i) : data } : each,
      );
      const brokenIssues = chunks.map((each, n) => {
        if (n !== at || each.issues === null) return each;
        const issues = each.issues.slice();
        issues[(i * 7919) % issues.length]! ^= 1 << (i % 8);
        return { ...each, issues: i % 3 === 0 ? issues.slice(0, i) : issues };
      });
      try {
        open(broken).window(chunk.subPartition, 0, 1e5, 64);
        open(brokenIssues).issues(chunk.subPartition, 0, 1e5);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }
  }
});
