/** How much memory programs had allocated: what a chart of it says at every zoom. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ns } from '../../../engine/base/units.ts';
import { MemoryInUse } from '../../../engine/trace/memory-in-use.ts';
import type { TraceEvent } from '../../../engine/model/events.ts';
import { openTrace } from '../../../engine/trace/reader.ts';
import { kernel, temporaryFolder, write } from './example-recording.ts';

const folder = temporaryFolder();
const memory = (
  time: number,
  bytes: number,
  address: number,
  more: { deviceId?: number; kind?: 'array' } = {},
): TraceEvent => ({
  ...{ type: 'memory', time: ns(time), operation: bytes > 0 ? 'allocation' : 'deallocation', kind: 'device' },
  ...{ deviceId: 0, address, bytes: Math.abs(bytes), correlationId: 1 },
  ...more,
});

describe('memory in use', () => {
  const path = write(join(folder, 'memory.simsight'), [
    kernel(0, 10_000, 1, 7),
    memory(1000, 100, 1),
    memory(2000, 50, 2, { kind: 'array' }),
    memory(2000, 10, 9, { deviceId: 1 }),
    memory(2010, 1000, 3),
    memory(2020, -1000, 3),
    memory(5000, -100, 1),
    memory(8000, -50, 2, { kind: 'array' }),
  ]);
  const trace = openTrace(path);
  const track = trace.info.tracks.find(({ title }) => title === 'Memory in use')!;
  const look = (from: number, to: number, resolution: number): [number, number, number][] => {
    const [window] = trace.window([track.id], from, to, resolution);
    return Array.from({ length: window!.count }, (_, i) => [
      window!.starts[i]!,
      window!.starts[i]! + window!.durations[i]!,
      Math.round(window!.busy[i]! * track.chart!.most),
    ]);
  };

  test('is a chart of the GPU, as high as the most there ever was', () => {
    expect(track.chart).toEqual({ unit: 'bytes', most: 1150, series: ['Allocated'] });
    expect(track.subtitle).toBe('at most 1.12 KiB of 80 GiB');
    expect(trace.info.tracks[track.parent!]!.kind).toBe('gpu');
  });
  test('near by is exact', () => {
    expect(look(0, 10_000, 0)).toEqual([
      [1000, 2000, 100],
      [2000, 2010, 150],
      [2010, 2020, 1150],
      [2020, 5000, 150],
      [5000, 8000, 50],
    ]);
    expect(look(2015, 3000, 0)).toEqual([
      [2010, 2020, 1150],
      [2020, 3000, 150],
    ]);
    expect(look(9000, 10_000, 0)).toEqual([]);
  });
  test('from afar has the peaks', () => {
    expect(look(0, 10_000, 64)).toEqual([
      [1000, 2000, 100],
      [2000, 2020, 1150],
      [2020, 5000, 150],
      [5000, 8000, 50],
    ]);
    for (let resolution = 1; resolution <= 16_384; resolution *= 2)
      expect(Math.max(...look(0, 10_000, resolution).map(([, , bytes]) => bytes))).toBe(1150);
  });
  test('what is still allocated in the end goes on to the end', () => {
    const open = openTrace(write(join(folder, 'leak.simsight'), [kernel(0, 3000, 1, 7), memory(1000, 64, 1)]));
    const { id } = open.info.tracks.find(({ title }) => title === 'Memory in use')!;
    const [window] = open.window([id], 0, 9000, 0);
    expect([...window!.starts.subarray(0, window!.count)]).toEqual([1000]);
    expect(window!.durations[0]).toBe(open.info.durationNs - 1000);
    open.close();
  });
  test('rows that cannot be are passed over', () => {
    const rows = [
      [10, 5, 0],
      [20, 'many', 0],
      [30, 500, 1],
      [40, 7, 0],
    ];
    const found = new MemoryInUse({ query: () => rows as never }, 0);
    expect([...found.steps(0, 100, 0)]).toEqual([
      { start: 10, end: 30, bytes: 5 },
      { start: 40, end: 100, bytes: 7 },
    ]);
    expect(found.most).toBe(7);
  });
});
