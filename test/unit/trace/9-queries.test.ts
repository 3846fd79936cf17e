/** Search, sums over selections and tables of events, held against the events as they were written. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  densityCells,
  eventSorts,
  type EventFilter,
  type EventHit,
  type SearchStep,
} from '../../../engine/model/event-queries.ts';
import type { CopyEvent } from '../../../engine/model/event-kinds/memcpy.ts';
import type { KernelEvent } from '../../../engine/model/event-kinds/kernel.ts';
import type { TraceEvent } from '../../../engine/model/events.ts';
import { openTrace } from '../../../engine/trace/reader.ts';
import { api, copy, facts, kernel, temporaryFolder, write } from './example-recording.ts';

const folder = temporaryFolder();
/** A small fixed generator. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
const trace = openTrace(write(join(folder, 'example.simsight')));
const track = (title: string): number => trace.info.tracks.find((each) => each.title === title)!.id;
const shown = ({ name, startNs, track }: EventHit): string => `${name} ${startNs} ${trace.info.tracks[track]!.title}`;

describe('search', () => {
  test('in any name, in upper or lower case, each event once', () => {
    const found = trace.queries.search({ text: 'MEMCPY' }, 10);
    expect(found.count).toBe(4);
    expect(found.hits.map(shown)).toEqual([
      'cudaMemcpyAsync 160 CUDA API',
      'Memcpy HtoD (Pinned) 200 Stream 13 (priority -5)',
      'cudaMemcpyAsync 560 CUDA API',
      'Memcpy DtoH (Pageable) 3400 Stream 13 (priority -5)',
    ]);
    expect(found.tracks.map(({ track, count }) => `${trace.info.tracks[track]!.title}: ${count}`)).toEqual([
      'CUDA API: 2',
      'Copy engine: host to device: 1',
      'Copy engine: device to host: 1',
      'Stream 13 (priority -5): 2',
    ]);
    expect(trace.queries.search({ text: 'memcpy' }, 1).hits).toEqual(found.hits.slice(0, 1));
    expect(trace.queries.search({ text: 'memcpy' }, 0)).toMatchObject({ count: 4, hits: [] });
  });

  test('full names count as well, and expressions', async () => {
    const countOf = async (text: string): Promise<number> =>
      trace.queries.search(await trace.queries.resolve({ text }), 10).count;
    expect(trace.queries.search({ text: 'float const*' }, 10).hits.map(({ name }) => name)).toEqual(['saxpy']);
    expect(await countOf('/^cuda(Memset|Launch)/')).toBe(2);
    expect(await countOf('/^CUDA(Memset|Launch)/')).toBe(0);
    expect(await countOf('/^CUDA(Memset|Launch)/i')).toBe(2);
    expect(await countOf('/^(?<c>cuda)Mem(?!set)\\w+(?<=Async)$/')).toBe(2);
    expect(await countOf('(')).toBe(3);
    await expect(countOf('/(/')).rejects.toThrow(/Invalid regular expression/);
    const nowhere = { count: 0, tracks: [], hits: [], density: new Uint32Array(densityCells), names: [] };
    expect(trace.queries.search({ text: 'nowhere' }, 10)).toEqual(nowhere);
  });

  test('with a density over the trace and the names of what matches', () => {
    const { density, names } = trace.queries.search({ text: 'memcpy' }, 0);
    const cell = (time: number): number => Math.floor((time / trace.info.durationNs) * densityCells);
    const expected = new Uint32Array(densityCells);
    for (const start of [160, 200, 560, 3400]) expected[cell(start)]!++;
    expect(density).toEqual(expected);
    const labels = names.map(({ label }) => label);
    expect([...new Set(labels)].toSorted()).toEqual([
      'Memcpy DtoH (Pageable)',
      'Memcpy HtoD (Pinned)',
      'cudaMemcpyAsync',
    ]);
    // A row that shows again what other rows show, beside some of these.
    const some = { tracks: [track('Default stream 7'), track('Kernels')] };
    expect(trace.queries.search(some, 0).density.reduce((sum, count) => sum + count)).toBe(2);
    expect(trace.queries.search({ text: '<float>' }, 0).names).toEqual([
      { label: 'saxpy', fullName: 'void saxpy<float>(int, float, float const*, float*)' },
    ]);
  });

  test('in some rows, with what is below them, and in a range of time', () => {
    const search = (filter: EventFilter): string[] => trace.queries.search(filter, 10).hits.map(shown);
    expect(search({ text: 'memcpy', tracks: [track('saxpy.cu')] })).toHaveLength(2);
    expect(search({ text: 'saxpy', tracks: [track('Kernels')] })).toEqual(['saxpy 1300 Kernels']);
    // Some streams, and a row that shows one event of them again and another not.
    const some = { tracks: [track('Default stream 7'), track('Kernels'), track('Copy engine: device to host')] };
    expect(search(some)).toHaveLength(3);
    expect(trace.queries.search(some, 0).count).toBe(3);
    const twice = { tracks: [track('Stream 13 (priority -5)'), track('Kernels')] };
    expect(search(twice)).toHaveLength(3);
    expect(trace.queries.search(twice, 0).count).toBe(3);
    expect(search({ text: 'memcpy', fromNs: 1100, toNs: 3400 })).toEqual([
      'Memcpy HtoD (Pinned) 200 Stream 13 (priority -5)',
    ]);
    expect(() => search({ tracks: [99] })).toThrow(/has no track 99/);
  });

  test('instances of a template are told apart', () => {
    const names = new Map(
      ['float', 'double'].map((type) => [type, { demangled: `void gemm<${type}>()`, short: 'gemm' }]),
    );
    const launches = ['float', 'double', 'float'].map((type, i) => kernel(10 * i, 10 * i + 5, i, 7, { kernel: type }));
    const instances = openTrace(write(join(folder, 'instances.simsight'), launches, { names }));
    expect(instances.queries.search({ text: 'gemm' }, 10).count).toBe(3);
    expect(instances.queries.search({ text: '<double>' }, 10).hits.map(({ startNs }) => startNs)).toEqual([10]);
    expect(instances.queries.summarize({}).groups.map(({ fullName, count }) => [fullName, count])).toEqual([
      ['void gemm<float>()', 2],
      ['void gemm<double>()', 1],
    ]);
    // Drawn, they have one label, and each its own name.
    const stream = instances.info.tracks.findIndex(({ kind }) => kind === 'stream');
    const { labels, fullNames, labelIndex } = instances.window([stream], 0, 100, 0)[0]!;
    expect(new Set(labels)).toEqual(new Set(['gemm']));
    expect([...labelIndex].map((index) => fullNames[index])).toEqual([
      ...['void gemm<float>()', 'void gemm<double>()', 'void gemm<float>()'],
    ]);
    instances.close();
  });

  test('from hit to hit and back, in one order', () => {
    // Several start together, on several rows, and some have no length.
    const together: TraceEvent[] = [
      ...[0, 1, 2].map((i) => kernel(100, 100 + 10 * i, i, 13 + i)),
      ...[5, 6].map((i) => kernel(100, 100, i, 13)),
      copy(100, 120, 9, { streamId: 20 }),
      kernel(50, 60, 7, 13),
      kernel(200, 260, 8, 14),
      api('saxpyCall', 100, 130, 10),
    ];
    const several = openTrace(write(join(folder, 'together.simsight'), together));
    const filter = { text: 'saxpy' };
    const all = several.queries.search(filter, 100).hits;
    expect(all.map(({ startNs }) => startNs)).toEqual([50, 100, 100, 100, 100, 100, 100, 200]);
    const walk = (direction: 'next' | 'previous', timeNs: number): SearchStep[] => {
      const found: SearchStep[] = [];
      let at: SearchStep | null = several.queries.next(filter, { timeNs }, direction);
      for (; at && found.length < 20; at = several.queries.next(filter, { timeNs: at.startNs, ref: at.ref }, direction))
        found.push(at);
      return found;
    };
    const numbered = all.map((hit, index) => ({ ...hit, number: index + 1 }));
    expect(walk('next', -1)).toEqual(numbered);
    expect(walk('previous', 1e9)).toEqual(numbered.toReversed());
    const part = { ...filter, fromNs: 105, toNs: 150 };
    expect(several.queries.next(part, { timeNs: 1e9 }, 'previous')?.number).toBe(several.queries.search(part, 0).count);
    expect(several.queries.next(filter, { timeNs: 100 }, 'next')).toMatchObject({ startNs: 200 });
    expect(several.queries.next(filter, { timeNs: 100 }, 'previous')).toMatchObject({ startNs: 50 });
    expect(several.queries.next(filter, { timeNs: 200 }, 'next')).toBeNull();
    several.close();
  });
});

test('a selection adds up', () => {
  expect(trace.queries.summarize({ tracks: [track(`${facts.gpu.name} (0)`)] })).toEqual({
    count: 5,
    totalNs: 1000 + 2000 + 100 + 1000 + 200,
    busyNs: 3300 - 200 + 1000,
    bytesCopied: 8_000_000,
    gpus: [
      {
        ...{ track: track(`${facts.gpu.name} (0)`), title: `${facts.gpu.name} (0)` },
        ...{ busyNs: 4000, kernelNs: 2000, copyNs: 2000, overlapNs: 0 },
        // Before the first copy, between it and the kernel, between that and the second copy, after which the program goes on.
        gaps: { count: 4, totalNs: 200 + 100 + 100 + 300, longestNs: 300, longestAtNs: 4400 },
        memory: [
          { name: '[CUDA memcpy Host-to-Device]', count: 1, bytes: 4_000_000, totalNs: 1000 },
          { name: '[CUDA memcpy Device-to-Host]', count: 1, bytes: 4_000_000, totalNs: 1000 },
          { name: '[CUDA memset]', count: 1, bytes: 65536, totalNs: 100 },
        ],
      },
    ],
    groups: [
      expect.objectContaining({ kind: 'kernel', name: 'saxpy', totalNs: 2000, bytes: null }),
      ...['Memcpy HtoD (Pinned)', 'Memcpy DtoH (Pageable)'].map((name) =>
        expect.objectContaining({ kind: 'memcpy', name, count: 1, minNs: 1000, maxNs: 1000, bytes: 4_000_000 }),
      ),
      expect.objectContaining({ kind: 'synchronization', name: 'Stream wait sync' }),
      {
        ...{ kind: 'memset', name: 'Memset', fullName: '[CUDA memset]', count: 1, bytes: 65536 },
        ...{ totalNs: 100, minNs: 100, maxNs: 100, meanNs: 100 },
      },
    ],
  });
  // Half of the kernel: its whole duration, but only the time within.
  const half = trace.queries.summarize({ tracks: [track('Kernels')], fromNs: 0, toNs: 2300 });
  expect(half).toMatchObject({ count: 1, totalNs: 2000, busyNs: 1000, bytesCopied: 0 });
  expect(trace.queries.summarize({ fromNs: 1e9 })).toMatchObject({
    ...{ count: 0, totalNs: 0, busyNs: 0, bytesCopied: 0, groups: [] },
    gpus: [{ busyNs: 0, gaps: { count: 0, totalNs: 0 } }],
  });
  expect(trace.queries.summarize({ tracks: [track('CUDA API')] }).gpus).toEqual([]);
  const twice = trace.queries.summarize({ text: 'cudaMemcpy' }).groups[0]!;
  expect(twice).toMatchObject({ count: 2, totalNs: 70, minNs: 30, maxNs: 40, meanNs: 35 });
});

test('what a GPU does in a range, held against a look at every nanosecond', () => {
  const next = random(5);
  const written: (CopyEvent | KernelEvent)[] = [];
  for (let i = 0; i < 60; i++) {
    const start = next(900);
    const end = start + next(40);
    const streamId = 13 + next(4);
    const deviceId = next(2);
    written.push(
      next(2)
        ? kernel(start, end, i, streamId, { deviceId })
        : copy(start, end, i, { streamId, deviceId, engine: i % 2 }),
    );
  }
  const busy = openTrace(write(join(folder, 'busy.simsight'), written));
  for (const [fromNs, toNs] of [
    [0, 1000],
    [333, 512],
    [100, 101],
  ] as const) {
    const { gpus } = busy.queries.summarize({ fromNs, toNs });
    expect(gpus.map(({ title }) => title)).toEqual([`${facts.gpu.name} (0)`, 'GPU (1)']);
    gpus.forEach((gpu, device) => {
      const at = (time: number, type: string): boolean =>
        written.some(
          (event) =>
            event.type === type &&
            'deviceId' in event &&
            event.deviceId === device &&
            event.start <= time &&
            time < event.end,
        );
      const to = Math.min(toNs, busy.info.durationNs);
      const moments = Array.from({ length: to - fromNs }, (_, i) => fromNs + i);
      const count = (holds: (time: number) => boolean): number => moments.filter(holds).length;
      const kernels = (time: number): boolean => at(time, 'kernel');
      const copies = (time: number): boolean => at(time, 'copy');
      const idle = moments.map((time) => !kernels(time) && !copies(time));
      const lengths = idle
        .map((each) => (each ? '.' : ' '))
        .join('')
        .split(/ +/)
        .map(({ length }) => length)
        .filter(Boolean);
      expect(gpu).toMatchObject({
        busyNs: idle.filter((each) => !each).length,
        kernelNs: count(kernels),
        copyNs: count(copies),
        overlapNs: count((time) => kernels(time) && copies(time)),
        gaps: {
          count: lengths.length,
          totalNs: lengths.reduce((sum, length) => sum + length, 0),
          longestNs: Math.max(0, ...lengths),
        },
      });
    });
  }
  busy.close();
});

test('a table of events, page by page', () => {
  const page = (...[sort, descending, offset, limit]: ['start' | 'duration' | 'name', boolean, number, number]) =>
    trace.queries.page({}, sort, descending, offset, limit);
  const all = page('start', false, 0, 100);
  expect(all.total).toBe(trace.info.eventCount);
  expect(all.rows).toHaveLength(12);
  const starts = all.rows.map(({ startNs }) => startNs);
  expect(starts).toEqual(starts.toSorted((a, b) => a - b));
  expect([...page('start', false, 0, 5).rows, ...page('start', false, 5, 50).rows]).toEqual(all.rows);
  expect(page('start', false, 12, 5)).toEqual({ total: 12, rows: [] });
  expect(page('duration', true, 0, 3).rows.map(({ durationNs }) => durationNs)).toEqual([3900, 3880, 2000]);
  const names = page('name', false, 0, 100).rows.map(({ name }) => name);
  expect(names).toEqual(names.toSorted());
  expect(page('start', false, 2, 1).rows[0]).toEqual({
    ...{ ref: { kind: 'memcpy', row: 1 }, track: track('Stream 13 (priority -5)'), name: 'Memcpy HtoD (Pinned)' },
    ...{ fullName: '[CUDA memcpy Host-to-Device]', startNs: 200, durationNs: 1000, correlation: 2, bytes: 4_000_000 },
  });
  // Where each event is in the table, in every order.
  for (const sort of eventSorts) {
    for (const descending of [false, true]) {
      const { rows } = page(sort, descending, 0, 100);
      expect(rows.map(({ ref }) => trace.queries.place({}, sort, descending, ref))).toEqual([...rows.keys()]);
      const keys = { start: 'startNs', duration: 'durationNs', name: 'name' } as const;
      const [key, sign] = [keys[sort], descending ? -1 : 1];
      for (const [i, row] of rows.entries()) {
        const before = rows[i - 1];
        if (!before) continue;
        if (before[key] === row[key]) expect(before.startNs).toBeLessThanOrEqual(row.startNs);
        else expect(before[key] < row[key] ? -1 : 1).toBe(-sign);
      }
    }
  }
  expect(trace.queries.place({ text: 'saxpy' }, 'start', false, { kind: 'api', row: 1 })).toBeNull();
  expect(trace.queries.page({ text: 'saxpy' }, 'start', false, 0, 9)).toMatchObject({
    total: 1,
    rows: [{ bytes: null }],
  });
});
