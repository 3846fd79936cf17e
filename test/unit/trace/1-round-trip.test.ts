/** Round trip of recordings: rows, names, details, console can be read; and the file is one file with the same bytes each time. */
import Database from 'better-sqlite3';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TrackWindow } from '../../../engine/model/timeline.ts';
import { ns } from '../../../engine/base/units.ts';
import type { GraphCreationEvent } from '../../../engine/model/event-kinds/graph-creation.ts';
import type { TraceEvent } from '../../../engine/model/events.ts';
import { eventKinds } from '../../../engine/model/event-kinds/index.ts';
import { gpuById } from '../../../engine/gpus/index.ts';
import { openTrace, type Trace } from '../../../engine/trace/reader.ts';
import { createTraceWriter } from '../../../engine/trace/writer.ts';
import { api, copy, end, events, facts, kernel, temporaryFolder, write } from './example-recording.ts';

const folder = temporaryFolder();

function everything(trace: Trace, title: string): TrackWindow {
  const track = trace.info.tracks.find((candidate) => candidate.title === title);
  if (!track) throw new Error(`no track "${title}"`);
  return trace.window([track.id], 0, trace.info.durationNs + 1, 0)[0]!;
}
const shown = (window: TrackWindow): string[] =>
  Array.from(window.starts, (start, i) => {
    const kind = eventKinds[window.kinds[i]!];
    return `${kind} ${window.labels[window.labelIndex[i]!]} ${start}+${window.durations[i]} lane ${window.lanes[i]}`;
  });

test('facts and rows of the timeline', () => {
  const trace = openTrace(write(join(folder, 'facts.simsight')));
  const { info } = trace;
  expect(info).toMatchObject({
    title: 'Saxpy',
    program: 'saxpy.cu',
    gpu: facts.gpu.name,
    durationNs: 4700,
    eventCount: 12,
    exitCode: 3,
    complete: true,
    notices: ['Kernel times are estimates.'],
  });
  const depth = (id: number | null): number => (id === null ? 0 : 1 + depth(info.tracks[id]!.parent));
  expect(info.tracks.map((t) => `${'  '.repeat(depth(t.parent))}${t.kind}: ${t.title} (${t.eventCount})`)).toEqual([
    'process: saxpy.cu (0)',
    '  thread: CUDA API (6)',
    '  thread: Synchronization (1)',
    `gpu: ${facts.gpu.name} (0) (0)`,
    '  kernels: Kernels (1)',
    '  copy-engine: Copy engine: host to device (1)',
    '  copy-engine: Copy engine: device to host (1)',
    '  stream: Default stream 7 (1)',
    '  stream: Stream 13 (priority -5) (3)',
    '  stream: Stream 13 (priority -5) (sync) (1)',
    '  chart: Issue slots busy (0)',
    '  sm: SM 0 (simulated) (0)',
    '    blocks: Blocks (0)',
    '    warps: Sub-partition 0 (0)',
    '    warps: Sub-partition 1 (0)',
    '    warps: Sub-partition 2 (0)',
    '    warps: Sub-partition 3 (0)',
    '  chart: DRAM throughput (0)',
    '  chart: Host link throughput (0)',
  ]);
  expect(info.tracks[3]!.busy).toBeCloseTo(4000 / 4700);
  expect(trace.facts).toMatchObject({ arguments: ['1024', 'fast'], gpuId: facts.gpu.id });
  expect(trace.sources()).toEqual(facts.sources);
  expect(trace.console()).toEqual([
    { timeNs: 4600, stream: 'stdout', text: 'max error 0\n' },
    { timeNs: 4700, stream: 'stderr', text: 'done\n' },
  ]);
  trace.close();
});

test('every event is on its row', () => {
  const trace = openTrace(write(join(folder, 'rows.simsight')));
  expect(shown(everything(trace, 'Stream 13 (priority -5)'))).toEqual([
    'memcpy Memcpy HtoD (Pinned) 200+1000 lane 0',
    'kernel saxpy 1300+2000 lane 0',
    'memcpy Memcpy DtoH (Pageable) 3400+1000 lane 0',
  ]);
  expect(shown(everything(trace, 'Default stream 7'))).toEqual(['memset Memset 1400+100 lane 0']);
  expect(shown(everything(trace, 'Copy engine: device to host'))).toEqual([
    'memcpy Memcpy DtoH (Pageable) 3400+1000 lane 0',
  ]);
  expect(shown(everything(trace, 'Synchronization'))).toEqual(['synchronization Context sync 610+3880 lane 0']);
  expect(shown(everything(trace, 'CUDA API'))).toHaveLength(6);
  const stream = everything(trace, 'Stream 13 (priority -5)');
  expect([...stream.flavours]).toEqual([1, 0, 2]);
  expect([...stream.correlations]).toEqual([2, 3, 5]);
  trace.close();
});

test('a kernel tells all about itself, in the words of Nsight', () => {
  const trace = openTrace(write(join(folder, 'kernel.simsight')));
  const details = trace.event({ kind: 'kernel', row: 1 });
  const fields = Object.fromEntries(
    details.groups.flatMap(({ title, fields }) => fields.map(({ name, value }) => [`${title}/${name}`, value])),
  );
  expect(details).toMatchObject({ title: 'saxpy', startNs: 1300, durationNs: 2000 });
  expect(details.fullName).toBe('void saxpy<float>(int, float, float const*, float*)');
  expect(trace.info.tracks[details.track]!.title).toBe('Stream 13 (priority -5)');
  expect(fields).toMatchObject({
    'Timing/Duration': '2 µs',
    'Timing/Queue Time': '800 ns',
    'Timing/Correlation ID': '3',
    'Launch configuration/Grid Size': '(4096, 2, 1)',
    'Launch configuration/Threads': '2,097,152',
    'Launch configuration/Registers Per Thread': '24',
    'Launch configuration/Dynamic Shared Memory Per Block': '2 KiB',
    'Occupancy/Theoretical Occupancy': '87.5 %',
    'Occupancy/Block Limit Registers': '7',
    'Occupancy/Occupancy Limiter': 'Registers',
    'Memory/DRAM Bytes Read': '1 MiB',
    'Memory/Memory Throughput': '1.05 TB/s (51.4 % of peak)',
    'Metrics/x__odd.sum': '3',
    'Where/Stream': '13',
  });
  expect(details.correlated).toEqual([
    { ref: { kind: 'api', row: 3 }, track: 1, title: 'cudaLaunchKernel', startNs: 300, durationNs: 200 },
  ]);
  expect(trace.event({ kind: 'api', row: 6 }).correlated.map(({ title }) => title)).toEqual(['Context sync']);
  const copied = trace.event({ kind: 'memcpy', row: 1 }).groups.find(({ title }) => title === 'Memory')!;
  expect(copied.fields).toContainEqual({ name: 'Throughput', value: '4 TB/s' });
  expect(trace.event({ kind: 'memset', row: 1 }).groups[1]!.fields[0]).toEqual({ name: 'Bytes', value: '64 KiB' });
  expect(trace.event({ kind: 'synchronization', row: 1 }).title).toBe('Stream wait sync');
  expect(() => trace.event({ kind: 'kernel', row: 2 })).toThrow(/has no kernel 2/);
  expect(() => trace.window([99], 0, 1, 1)).toThrow(/has no track 99/);
  trace.close();
});

test('kernels that overlap on one stream and on the GPU get lanes of their own', () => {
  const path = join(folder, 'overlap.simsight');
  const trace = openTrace(
    write(path, [kernel(0, 100, 1), kernel(50, 150, 2), kernel(60, 90, 3, 13), kernel(100, 120, 4)]),
  );
  expect(shown(everything(trace, 'Kernels'))).toEqual([
    'kernel saxpy 0+100 lane 0',
    'kernel saxpy 50+100 lane 1',
    'kernel saxpy 60+30 lane 2',
    'kernel saxpy 100+20 lane 0',
  ]);
  expect(trace.info.tracks.find(({ title }) => title === 'Default stream 7')!.lanes).toBe(2);
  trace.close();
});

test("scripts written for Nsight Systems' export find what they ask for", () => {
  const db = new Database(write(join(folder, 'sql.simsight')), { readonly: true });
  const kernels = db.prepare(
    `SELECT s.value AS name, k.end - k.start AS ns, r.start AS launched, k.globalPid >> 24 & 0xFFFFFF AS pid
     FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.shortName
     JOIN CUPTI_ACTIVITY_KIND_RUNTIME r
       ON r.correlationId = k.correlationId AND r.globalTid >> 24 = k.globalPid >> 24`,
  );
  expect(kernels.all()).toEqual([{ name: 'saxpy', ns: 2000, launched: 300, pid: 1000 }]);
  expect(
    db.prepare('SELECT label, bytes FROM CUPTI_ACTIVITY_KIND_MEMCPY JOIN ENUM_CUDA_MEMCPY_OPER ON id = copyKind').all(),
  ).toEqual([
    { label: 'Host-to-Device', bytes: 4_000_000 },
    { label: 'Device-to-Host', bytes: 4_000_000 },
  ]);
  expect(db.prepare('SELECT typeof(start) FROM CUPTI_ACTIVITY_KIND_KERNEL').pluck().get()).toBe('integer');
  const started = db.prepare('SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME').pluck().safeIntegers().get();
  expect(started).toBe(BigInt(Date.UTC(2026, 0, 1)) * 1_000_000n);
  db.close();
});

test('a finished trace is one file, equal byte for byte however its events arrived', async () => {
  const many = Array.from({ length: 20_000 }, (_, i) => [
    api(`cudaCall${i % 7}`, 10 * i, 10 * i + 4, i),
    kernel(10 * i + 5, 10 * i + 14, i, 13 + (i % 3)),
  ]).flat();
  const one = join(folder, 'one', '..', 'same-1.simsight');
  write(one, many);
  const two = join(folder, 'same-2.simsight');
  const writer = createTraceWriter(two, facts);
  for (let at = 0; at < many.length; at += 777) {
    writer.append(many.slice(at, at + 777));
    // Lets the timer commit in between, at moments that no two recordings share.
    if (at % (777 * 9) === 0) await new Promise((resolve) => setTimeout(resolve, 150));
  }
  writer.finish(end);
  expect(readFileSync(one).equals(readFileSync(two))).toBe(true);
  expect(readdirSync(folder).filter((name) => name.startsWith('same'))).toEqual(['same-1.simsight', 'same-2.simsight']);
  expect(readFileSync(one).includes(folder)).toBe(false);
});

test('a recording takes the place of an older trace, never of another file', () => {
  const path = join(folder, 'again.simsight');
  write(path, events, { title: 'old' });
  const writer = createTraceWriter(path, { ...facts, title: 'new' });
  writer.append(events);
  writer.abandon();
  let trace = openTrace(path);
  expect(trace.info.title).toBe('old');
  trace.close();
  write(path, events, { title: 'new' });
  trace = openTrace(path);
  expect(trace.info.title).toBe('new');
  trace.close();
  expect(readdirSync(folder).filter((name) => name.startsWith('again'))).toEqual(['again.simsight']);

  const source = join(folder, 'app.cu');
  writeFileSync(source, '__global__ void f() {}');
  expect(() => createTraceWriter(source, facts)).toThrow(expect.objectContaining({ code: 'file-not-allowed' }));
  expect(() => createTraceWriter(folder, facts)).toThrow(expect.objectContaining({ code: 'file-is-directory' }));
  expect(() => createTraceWriter(join(folder, 'no', 'such'), facts)).toThrow(
    expect.objectContaining({ code: 'file-not-found' }),
  );
  const abandoned = join(folder, 'abandoned.simsight');
  createTraceWriter(abandoned, facts).abandon();
  expect(existsSync(abandoned)).toBe(false);
});

test('the example queries of SCHEMA.md give rows', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../engine/trace/SCHEMA.md'), 'utf8');
  const queries = [...text.matchAll(/```sql\n(.*?)```/gs)].map(([, sql]) => sql!);
  expect(queries.length).toBeGreaterThan(3);
  const db = new Database(write(join(folder, 'queries.simsight')), { readonly: true });
  for (const sql of queries) expect(db.prepare(sql).all()).not.toEqual([]);
  db.close();
});

test('what was printed in pieces is read in lines', () => {
  const pieces: [number, 'stdout' | 'stderr', string][] = [
    [1, 'stdout', 'max error'],
    [2, 'stdout', ' 0\nnext'],
    [3, 'stderr', 'oh\n'],
    [4, 'stdout', ' line\n\nend'],
  ];
  const path = join(folder, 'console.simsight');
  const trace = openTrace(
    write(
      path,
      pieces.map(([time, stream, text]) => ({ type: 'console', time: ns(time), stream, text })),
    ),
  );
  expect(trace.console().map(({ timeNs, stream, text }) => [timeNs, stream, text])).toEqual([
    [1, 'stdout', 'max error 0\n'],
    [2, 'stdout', 'next'],
    [3, 'stderr', 'oh\n'],
    [4, 'stdout', ' line\n'],
    [4, 'stdout', '\n'],
    [4, 'stdout', 'end'],
  ]);
  trace.close();
});

test('versions are cut off the names of API calls, never off those of kernels', () => {
  const names = new Map([['k', { demangled: 'scale_v2(float *)', short: 'scale_v2' }]]);
  const recorded = [api('cudaLaunchKernel_v7000', 0, 1, 1), kernel(1, 2, 1, 7, { kernel: 'k' })];
  const trace = openTrace(write(join(folder, 'versions.simsight'), recorded, { names }));
  expect(shown(everything(trace, 'CUDA API'))).toEqual(['api cudaLaunchKernel 0+1 lane 0']);
  expect(shown(everything(trace, 'Kernels'))).toEqual(['kernel scale_v2 1+1 lane 0']);
  expect(trace.event({ kind: 'kernel', row: 1 })).toMatchObject({ title: 'scale_v2', fullName: 'scale_v2(float *)' });
  trace.close();
});

test('several GPUs have rows of their own, and copies between them name both', () => {
  const peer = {
    direction: 'device-to-device',
    peer: { from: 1, to: 0 },
    deviceId: 1,
    streamId: 14,
    engine: 2,
  } as const;
  const path = write(
    join(folder, 'several.simsight'),
    [
      { type: 'stream', streamId: 7, priority: 0, nonBlocking: false },
      { type: 'stream', streamId: 7, deviceId: 1, priority: 0, nonBlocking: false },
      { type: 'stream', streamId: 14, deviceId: 1, priority: 0, nonBlocking: true },
      kernel(100, 200, 1),
      kernel(150, 300, 2, 7, { deviceId: 1 }),
      copy(300, 400, 3, peer),
    ],
    { others: [gpuById('a100'), gpuById('h200')] },
  );
  const trace = openTrace(path);
  expect(trace.info.gpu).toBe(`2 × ${facts.gpu.name}, NVIDIA H200`);
  const titles = trace.info.tracks.map(({ kind, title }) => `${kind}: ${title}`);
  expect(titles.slice(titles.indexOf(`gpu: ${facts.gpu.name} (0)`))).toEqual([
    `gpu: ${facts.gpu.name} (0)`,
    'kernels: Kernels',
    'stream: Default stream 7',
    'chart: DRAM throughput',
    `gpu: ${facts.gpu.name} (1)`,
    'kernels: Kernels',
    'copy-engine: Copy engine: peer to peer',
    'stream: Default stream 7',
    'stream: Stream 14',
    'chart: DRAM throughput',
    'gpu: NVIDIA H200 (2)',
  ]);
  const ends = 'srcDeviceId, srcContextId, dstDeviceId, dstContextId';
  expect(trace.query(`SELECT copyKind, contextId, ${ends} FROM CUPTI_ACTIVITY_KIND_MEMCPY`)).toEqual([
    [10, 2, 1, 2, 0, 1],
  ]);
  expect(trace.query('SELECT id, busLocation FROM TARGET_INFO_GPU')).toEqual([
    [0, '0000:01:00.0'],
    [1, '0000:02:00.0'],
    [2, '0000:03:00.0'],
  ]);
  const { title, groups } = trace.event({ kind: 'memcpy', row: 1 });
  expect(title).toBe('Memcpy PtoP');
  expect(groups.flatMap(({ fields }) => fields)).toEqual(
    expect.arrayContaining([
      { name: 'Source Memory', value: 'Device 1' },
      { name: 'Destination Memory', value: 'Device 0' },
    ]),
  );
  trace.close();
});

const made = (name: string, start: number, what: GraphCreationEvent['made']): TraceEvent => ({
  type: 'graph-creation',
  start: ns(start),
  end: ns(start + 5),
  name,
  threadId: 1,
  made: what,
});

test('a launch of a graph is one range in its stream, above its nodes', () => {
  const path = join(folder, 'graph.simsight');
  const writer = createTraceWriter(path, facts);
  const node = { graphId: 5, graphNodeId: 50 };
  writer.append([
    api('cudaGraphLaunch', 0, 100, 1),
    { ...kernel(200, 300, 1, 13), ...node },
    { ...kernel(250, 500, 1, 14), ...node },
    { type: 'graph', start: ns(200), end: ns(500), deviceId: 0, streamId: 13, correlationId: 1, graphId: 5 },
    made('cudaStreamBeginCapture', 10, { kind: 'graph', graphId: 3 }),
    made('cudaGraphClone', 20, { kind: 'clone', graphId: 4, originalGraphId: 3 }),
    made('cudaGraphInstantiate', 30, { kind: 'executable', graphId: 4, graphExecId: 5 }),
    kernel(600, 700, 2, 13),
  ]);
  writer.finish(end);
  const trace = openTrace(path);
  expect(shown(everything(trace, 'Stream 13'))).toEqual([
    'graph Graph 5 200+300 lane 0',
    'kernel saxpy 600+100 lane 0',
  ]);
  const nodes = trace.info.tracks.find(({ kind }) => kind === 'graph-nodes')!;
  expect(trace.info.tracks[nodes.parent!]!.title).toBe('Stream 13');
  expect(shown(everything(trace, 'Graph nodes')).map((line) => line.replace(/^kernel \S+/, ''))).toEqual([
    ' 200+100 lane 0',
    ' 250+250 lane 1',
  ]);
  expect(trace.info.tracks.map(({ title }) => title)).not.toContain('Stream 14');
  const details = trace.event({ kind: 'graph', row: 1 });
  expect(details.groups[1]).toEqual({
    title: 'Nodes',
    fields: [{ name: 'Kernels', value: '2, 350 ns (116.7 % of the launch)' }],
  });
  expect(details.correlated.map(({ ref, track }) => [ref.kind, trace.info.tracks[track]!.title])).toEqual([
    ['api', 'CUDA API'],
    ['kernel', 'Graph nodes'],
    ['kernel', 'Graph nodes'],
  ]);
  expect(trace.event({ kind: 'kernel', row: 2 }).track).toBe(nodes.id);

  // From a node to the graph that was instantiated, and from there to what that is a clone of.
  for (const ref of [
    { kind: 'kernel' as const, row: 2 },
    { kind: 'graph' as const, row: 1 },
  ]) {
    const where = trace.event(ref).groups.find(({ title }) => title === 'Where')!;
    expect(where.fields).toContainEqual({ name: 'Graph', value: '5' });
    expect(where.fields).toContainEqual({ name: 'Instantiated From', value: 'Graph 4' });
  }
  const columns = 'e.label, s.value, graphId, originalGraphId, graphExecId';
  const tables =
    'CUDA_GRAPH_EVENTS g JOIN StringIds s ON s.id = nameId JOIN ENUM_NSYS_EVENT_CLASS e ON e.id = eventClass';
  expect(trace.query(`SELECT ${columns} FROM ${tables} ORDER BY start`)).toEqual([
    ['CUDA graph creation', 'cudaStreamBeginCapture', 3, null, null],
    ['CUDA graph clone', 'cudaGraphClone', 4, 3, null],
    ['CUDA graph exec creation', 'cudaGraphInstantiate', 4, null, 5],
  ]);
  expect(trace.query('SELECT graphId, graphExecId FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE')).toEqual([[5, 5]]);
  trace.close();
});

test('many failures before the names of their kernels are stored', () => {
  const failure = { error: 9, errorName: 'cudaErrorInvalidConfiguration', message: 'no', remedy: '', place: null };
  const failures: TraceEvent[] = Array.from({ length: 40 }, (_, i) => ({
    ...{ type: 'failure', correlationId: 3, kernel: `kernel${i % 3}`, failure },
  }));
  const trace = openTrace(write(join(folder, 'failures.simsight'), [...failures, ...events]));
  const names = 'SELECT s.value, count(*) FROM SIMSIGHT_FAILURES f JOIN StringIds s ON s.id = f.nameId GROUP BY 1';
  expect(trace.query(names)).toEqual([
    ['kernel0', 14],
    ['kernel1', 13],
    ['kernel2', 13],
  ]);
  trace.close();
});
