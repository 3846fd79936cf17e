/** Traces of PyTorch's profiler, as they are: every row, held against what JSON.parse finds in the same file. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeReport } from '../../../engine/analysis/reports.ts';
import type { Track } from '../../../engine/model/timeline.ts';
import { writeChromeTrace } from '../../../engine/formats/export-chrome.ts';
import { openRecording, openRecordingFile } from '../../../engine/formats/open.ts';
import type { Trace } from '../../../engine/trace/reader.ts';
import { apiName } from '../../../engine/model/nsight-codes.ts';
import { temporaryFolder, write } from '../trace/example-recording.ts';
import { sample } from '../trace/samples.ts';
import { opened, rangesIn, type ChromeEvent } from './chrome-file.ts';

interface Source {
  traceEvents: ChromeEvent[];
  deviceProperties: { id: number; name: string; numSms: number }[];
}
type Arguments = Record<string, number> & { grid: number[]; block: number[] };

const pathOf = (name: string): string => new URL(`../../samples/kineto-${name}.json.gz`, import.meta.url).pathname;
const sources = new Map<string, Source>();
function sourceOf(name: string): Source {
  let source = sources.get(name);
  if (!source) sources.set(name, (source = JSON.parse(gunzipSync(readFileSync(pathOf(name))).toString()) as Source));
  return source;
}
const argsOf = (event: ChromeEvent): Arguments => event['args'] as Arguments;
const named = ({ traceEvents }: Source, ...categories: string[]): ChromeEvent[] =>
  traceEvents.filter(({ ph, cat }) => ph === 'X' && categories.includes(String(cat)));
/** Whole microseconds in these files: a double holds them, and their nanoseconds from the first on. */
const firstOf = ({ traceEvents }: Source): number =>
  traceEvents.reduce((least, { ph, ts }) => (ph === 'X' || ph === 'i' ? Math.min(least, Number(ts)) : least), Infinity);
const span = (event: ChromeEvent, zero: number): [number, number] => {
  const start = (Number(event['ts']) - zero) * 1000;
  return [start, start + Number(event['dur']) * 1000];
};

const expected = {
  before: { kernels: 8568, overlapping: 0, graphLaunches: 0, alone: 0 },
  after: { kernels: 9876, overlapping: 31, graphLaunches: 12, alone: 546 },
  sync: { kernels: 3, overlapping: 0, graphLaunches: 0, alone: 0 },
};

describe.each(['before', 'after', 'sync'] as const)('kineto-%s', (name) => {
  const source = sourceOf(name);
  const zero = firstOf(source);
  let trace: Trace;
  beforeAll(async () => {
    trace = await openRecording(pathOf(name), { here: true });
  });
  afterAll(() => trace.close());

  test('kernels: names, times to the nanosecond, streams, launch, correlation ids', () => {
    const kernels = named(source, 'kernel');
    expect(kernels).toHaveLength(expected[name].kernels);
    const theirs = kernels.map((event) => {
      const { device, stream, correlation, grid, block, ...args } = argsOf(event);
      return [
        ...[event['name'], ...span(event, zero), device, args['context'], stream, correlation],
        ...[...grid, ...block, args['registers per thread'], args['shared memory']],
      ];
    });
    const ours = trace.query(
      `SELECT value, start, end, deviceId, contextId, streamId, correlationId, gridX, gridY, gridZ, blockX, blockY, blockZ,
         registersPerThread, dynamicSharedMemory
       FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds ON id = demangledName ORDER BY k.rowid`,
    );
    expect(ours).toEqual(theirs);
  });

  test('copies and fills: bytes, places, times', () => {
    const rows = (category: string): unknown[][] =>
      named(source, category).map((event) => {
        const { device, stream, correlation, bytes } = argsOf(event);
        return [...span(event, zero), device, stream, correlation, bytes];
      });
    const columns = 'start, end, deviceId, streamId, correlationId, bytes';
    expect(trace.query(`SELECT ${columns} FROM CUPTI_ACTIVITY_KIND_MEMCPY`)).toEqual(rows('gpu_memcpy'));
    expect(trace.query(`SELECT ${columns} FROM CUPTI_ACTIVITY_KIND_MEMSET`)).toEqual(rows('gpu_memset'));
    const names = named(source, 'gpu_memcpy').map((event) => event['name']);
    const ours = trace.query('SELECT copyKind, srcKind, dstKind FROM CUPTI_ACTIVITY_KIND_MEMCPY') as number[][];
    const short = ['', 'HtoD', 'DtoH', '', '', '', '', '', 'DtoD'];
    const memory = ['Pageable', 'Pinned', 'Device'];
    const spelt = ours.map(([kind, from, to]) => `Memcpy ${short[kind!]} (${memory[from!]} -> ${memory[to!]})`);
    expect(spelt).toEqual(names);
  });

  test('API calls: names, times, threads; and each kernel hangs on the call that its id says', () => {
    const calls = named(source, 'cuda_runtime', 'cuda_driver');
    const ours = trace.query(
      `SELECT value, start, end, correlationId, globalTid >> 24 & 0xffffff
       FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds ON id = nameId ORDER BY r.rowid`,
    );
    const theirs = calls.map((event) => {
      // 0 is the same as none.
      const correlation = argsOf(event)['correlation'] || null;
      return [event['name'], ...span(event, zero), correlation, event['pid']];
    });
    expect(ours).toEqual(theirs);

    const callOf = new Map(calls.map((event) => [argsOf(event)['correlation'], String(event['name'])]));
    const launches = named(source, 'kernel').map((event) => callOf.get(argsOf(event)['correlation']) ?? null);
    expect(launches.filter((call) => call === null)).toHaveLength(expected[name].alone);
    expect(calls.filter((event) => event['name'] === 'cudaGraphLaunch')).toHaveLength(expected[name].graphLaunches);
    const joined = trace.query(
      `SELECT value FROM CUPTI_ACTIVITY_KIND_KERNEL k
       LEFT JOIN CUPTI_ACTIVITY_KIND_RUNTIME r
         ON r.correlationId = k.correlationId AND r.globalTid >> 24 = k.globalPid >> 24
       LEFT JOIN StringIds ON id = nameId ORDER BY k.rowid`,
    );
    expect(joined.flat()).toEqual(launches);
    for (const row of [1, 2, launches.length]) {
      const shown = trace.event({ kind: 'kernel', row }).correlated.filter(({ ref }) => ref.kind === 'api');
      expect(shown.map(({ title }) => title)).toEqual([launches[row - 1]].filter((title) => title !== null));
    }
  });

  test('ranges of threads', () => {
    const ranges = source.traceEvents.filter(
      ({ ph, cat }) => ph === 'i' || (ph === 'X' && !/^(kernel|gpu_mem|cuda_)/.test(String(cat))),
    );
    const ours = trace.query(
      `SELECT value, start, end FROM NVTX_EVENTS n JOIN StringIds ON id = textId WHERE eventType <> 75 ORDER BY n.rowid`,
    );
    expect(ours).toEqual(
      ranges.map((event) => {
        const [start, end] = span(event, zero);
        return [event['name'], start, event['ph'] === 'i' ? null : end];
      }),
    );
  });

  test('every event is drawn once, and none over another', () => {
    const { tracks, durationNs, eventCount } = trace.info;
    expect(eventCount).toBe(source.traceEvents.filter(({ ph }) => ph === 'X' || ph === 'i').length);
    const drawn = new Set<string>();
    let [items, covered] = [0, 0];
    for (const { id, kind } of tracks) {
      if (kind === 'kernels' || kind === 'chart') continue;
      const { count, kinds, rows, lanes, starts, durations } = trace.window([id], 0, durationNs, 0)[0]!;
      const free: number[] = [];
      items += count;
      for (const i of [...starts.keys()].slice(0, count).sort((a, b) => starts[a]! - starts[b]!)) {
        drawn.add(`${kinds[i]} ${rows[i]}`);
        if (starts[i]! < (free[lanes[i]!] ?? 0)) covered++;
        free[lanes[i]!] = starts[i]! + durations[i]!;
      }
    }
    expect([drawn.size, items, covered]).toEqual([eventCount, eventCount, 0]);
  });

  test('kernels that overlap on one stream are in the trace as they are in the file', () => {
    const overlapping = (spans: readonly number[][]): number => {
      const last = new Map<number, number>();
      let count = 0;
      for (const [start, end, stream] of [...spans].sort(([a], [b]) => a! - b!) as [number, number, number][]) {
        if (start < (last.get(stream) ?? 0)) count++;
        last.set(stream, Math.max(last.get(stream) ?? 0, end));
      }
      return count;
    };
    const theirs = named(source, 'kernel').map((event) => [...span(event, zero), argsOf(event)['stream']!]);
    expect(overlapping(theirs)).toBe(expected[name].overlapping);
    const ours = trace.query('SELECT start, end, streamId FROM CUPTI_ACTIVITY_KIND_KERNEL') as number[][];
    expect(overlapping(ours)).toBe(expected[name].overlapping);
  });

  test('GPU, program, and reports', () => {
    const devices = source.deviceProperties.map(({ id, numSms }) => [id, numSms]);
    expect(trace.info.gpu).toBe(source.deviceProperties[0]!.name);
    expect(trace.info.program).toMatch(/^python3/);
    expect(trace.info.notices[0]).toBe("Recorded with PyTorch's profiler (Kineto, schema 1).");
    expect(trace.query('SELECT id, smCount FROM TARGET_INFO_GPU ORDER BY id')).toEqual(devices);
    const sums = makeReport(trace, 'cuda_gpu_kern_sum');
    const at = sums.columns.findIndex((column) => column.name === 'Total Time (ns)');
    const total = named(source, 'kernel').reduce((sum, event) => sum + 1000 * Number(event['dur']), 0);
    expect(sums.rows.reduce((sum, row) => sum + Number(row[at]), 0)).toBe(total);
    const others = ['cuda_api_sum', 'cuda_gpu_trace', 'cuda_kern_exec_trace', 'nvtx_sum', 'cuda_gpu_mem_time_sum'];
    for (const report of others) expect(makeReport(trace, report).rows.length).toBeGreaterThan(0);
  });
});

test('waits of host and streams: kinds, streams, and none where the file says -1', async () => {
  await opened(pathOf('sync'), (trace) => {
    const source = sourceOf('sync');
    const zero = firstOf(source);
    const kinds = ['', 'Event Sync', 'Stream Wait Event', 'Stream Sync', 'Context Sync'];
    const ours = trace.query(
      'SELECT syncType, start, end, streamId, eventId, correlationId FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION ORDER BY rowid',
    ) as number[][];
    const none = (id: number | undefined): number => (id === undefined || id < 0 ? 4294967295 : id);
    expect(ours.map(([type, ...rest]) => [kinds[type!], ...rest])).toEqual(
      named(source, 'cuda_sync').map((event) => {
        const args = argsOf(event) as unknown as Record<string, number>;
        const ids = [none(args['stream']), none(args['wait_on_cuda_event_id']), args['correlation']];
        return [args['cuda_sync_kind'], ...span(event, zero), ...ids];
      }),
    );
    const rows = trace.info.tracks.filter(({ title }) => /sync/i.test(title));
    expect(rows.map(({ kind, title, eventCount }) => [kind, title, eventCount])).toEqual([
      ['thread', 'Synchronization', 4],
      ['stream', 'Stream 24 (sync)', 1],
    ]);
  });
});

test('streams and threads have the names that the file gives them', async () => {
  await opened(pathOf('after'), (trace) => {
    const titles = trace.info.tracks.map(({ title }) => title);
    expect(titles).toEqual(expect.arrayContaining(['Default stream 7', 'Stream 14', 'Stream 15', 'Stream 16']));
    expect(titles).toContain('thread 2568503 (python3.8)');
    // Rows of the profiler itself, with texts for ids.
    expect(titles).toEqual(expect.arrayContaining(['Spans', 'PyTorch Profiler', 'Traces', 'Trace PyTorch Profiler']));
    expect(trace.info.notices).toContain('Rank 1 of 2 (nccl).');
    expect(trace.info.notices).toContain('546 kernels have no API call in this recording.');
  });
});

describe('what Simsight exports as Chrome JSON comes back', () => {
  const folder = temporaryFolder();
  const tables: Readonly<Record<string, string>> = {
    RUNTIME:
      'start, end, correlationId, eventClass, returnValue, globalTid & 0xffffffffffff, (SELECT value FROM StringIds WHERE id = nameId)',
    KERNEL: `start, end, correlationId, deviceId, streamId, gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread,
      staticSharedMemory + dynamicSharedMemory, (SELECT value FROM StringIds WHERE id = demangledName),
      (SELECT value FROM StringIds WHERE id = shortName)`,
    MEMCPY: 'start, end, correlationId, deviceId, streamId, copyKind, srcKind, dstKind, bytes',
    MEMSET: 'start, end, correlationId, deviceId, streamId, value, bytes',
    // Not the device: a stream's wait has that of its context in the file, which some recordings do not give it. Its row tells.
    SYNCHRONIZATION: 'start, end, correlationId, streamId, syncType, eventId',
    GRAPH_TRACE: 'start, end, correlationId, deviceId, streamId, graphId',
  };

  function gpuOf(trace: Trace, { kind, title, parent }: Track): string {
    return kind === 'gpu' ? title : parent === null ? '' : gpuOf(trace, trace.info.tracks[parent]!);
  }

  async function comesBack(path: string, name: string): Promise<void> {
    const target = join(folder, `${name}.json.gz`);
    const file = await openRecordingFile(path, { here: true });
    await writeChromeTrace(file, target, true);
    file.close();
    const rows = (trace: Trace): unknown => ({
      ...Object.fromEntries(
        Object.entries(tables).map(([table, columns]) => [
          table,
          trace
            .query(`SELECT ${columns} FROM CUPTI_ACTIVITY_KIND_${table}`)
            .map((row) => apiName(String(row)))
            .sort(),
        ]),
      ),
      ranges: rangesIn(trace),
      tracks: trace.info.tracks
        .filter(({ kind }) => kind === 'stream')
        .map((track) => [gpuOf(trace, track), track.title.replace(/ \(priority \S+\)/, ''), track.lanes]),
    });
    const theirs = await opened(path, rows);
    expect(await opened(target, rows)).toEqual(theirs);
  }

  test('a recording of ours', () => comesBack(write(join(folder, 'ours.simsight')), 'ours'));
  test('one of Kineto', () => comesBack(pathOf('after'), 'after'));
  test('one of Nsight Systems', () => comesBack(sample('nsys-2gpu-before.sqlite', folder), 'nsys'));
});
