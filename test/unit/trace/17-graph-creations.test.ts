/** Graphs that a program made have a row of their thread, and all that events of other kinds have: what the kind's file alone gives. */
import Database from 'better-sqlite3';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ns } from '../../../engine/base/units.ts';
import { writeChromeTrace } from '../../../engine/formats/export-chrome.ts';
import { writeNsysExport } from '../../../engine/formats/export-sqlite.ts';
import { importNsys } from '../../../engine/formats/nsys-sqlite.ts';
import { eventKinds } from '../../../engine/model/event-kinds/index.ts';
import type { GraphCreationEvent } from '../../../engine/model/event-kinds/graph-creation.ts';
import type { TraceEvent } from '../../../engine/model/events.ts';
import { openTraceFile } from '../../../engine/trace/open-file.ts';
import { openTrace, type Trace } from '../../../engine/trace/reader.ts';
import { api, kernel, temporaryFolder, write } from './example-recording.ts';
import { withoutIndex } from './without-index.ts';

const folder = temporaryFolder();

const made = (start: number, length: number, what: GraphCreationEvent['made'], threadId = 1): TraceEvent => ({
  ...{ type: 'graph-creation', start: ns(start), end: ns(start + length), threadId, made: what },
  name: { graph: 'cudaGraphCreate', clone: 'cudaGraphClone', executable: 'cudaGraphInstantiate_v12000' }[what.kind],
});
/** One that takes no time, as a clock that is coarse has them, and one of another thread. */
const events: TraceEvent[] = [
  made(10, 5, { kind: 'graph', graphId: 1 }),
  api('cudaGraphCreate', 10, 20, 1),
  made(20, 0, { kind: 'clone', graphId: 2, originalGraphId: 1 }),
  api('cudaGraphClone', 20, 30, 2),
  made(40, 50, { kind: 'executable', graphId: 2, graphExecId: 3 }),
  api('cudaGraphInstantiate', 40, 100, 3),
  api('cudaGraphLaunch', 120, 140, 4),
  { type: 'graph', start: ns(200), end: ns(500), deviceId: 0, streamId: 13, correlationId: 4, graphId: 3 },
  kernel(200, 500, 4, 13, { graphId: 3, graphNodeId: 1 }),
  made(600, 10, { kind: 'graph', graphId: 4 }, 2),
];
const path = write(join(folder, 'made.simsight'), events);

const ownRows = ({ info: { tracks } }: Trace): string[] =>
  tracks
    .filter(({ title }) => title.startsWith('CUDA graphs'))
    .map(({ kind, title, eventCount, lanes }) => `${kind} ${title} (${eventCount} in ${lanes})`);
const rows = ['thread CUDA graphs (3 in 1)', 'thread CUDA graphs, thread 1001 (1 in 1)'];

test('each thread has a row of the graphs that it made', () => {
  const trace = openTrace(path);
  expect(ownRows(trace)).toEqual(rows);
  const row = trace.info.tracks.find(({ title }) => title === 'CUDA graphs')!;
  const host = trace.info.tracks.filter(({ parent }) => parent === row.parent).map(({ title }) => title);
  expect(host).toEqual(['CUDA API', 'CUDA graphs']);
  const [window] = trace.window([row.id], 0, 1000, 0);
  expect(Array.from(window!.starts, (start, i) => [window!.labels[window!.labelIndex[i]!], start])).toEqual([
    ['Graph creation', 10],
    ['Graph clone', 20],
    ['Graph instantiation', 40],
  ]);
  expect([...window!.durations]).toEqual([5, 0, 50]);
  // From afar they are one, with the time of those that take any.
  const [far] = trace.window([row.id], 0, 1000, 500);
  expect([far!.count, far!.merged[0], far!.starts[0], far!.durations[0]]).toEqual([1, 3, 10, 80]);
  expect(far!.busy[0]! * 80).toBeCloseTo(55);
  trace.close();
});

test('details name the graph, what it was made of, and the call; launches and nodes name it, too', () => {
  const trace = openTrace(path);
  const details = (row: number): string[] => {
    const { title, groups } = trace.event({ kind: 'graph-creation', row });
    const fields = groups.filter((group) => group.title !== 'Timing').flatMap((group) => group.fields);
    return [title, ...fields.map(({ name, value }) => `${name}: ${value}`)];
  };
  expect(details(1)).toEqual(['Graph creation', 'Graph: 1', 'Call: cudaGraphCreate', 'Thread: 1000']);
  expect(details(2)).toEqual([
    ...['Graph clone', 'Graph: 2', 'Cloned From: Graph 1', 'Call: cudaGraphClone', 'Thread: 1000'],
  ]);
  expect(details(3)).toEqual([
    ...['Graph instantiation', 'Graph: 3', 'Instantiated From: Graph 2', 'Call: cudaGraphInstantiate', 'Thread: 1000'],
  ]);
  const { track, correlated } = trace.event({ kind: 'graph-creation', row: 4 });
  expect(trace.info.tracks[track]!.title).toBe('CUDA graphs, thread 1001');
  expect(correlated).toEqual([]);
  for (const ref of [
    { kind: 'graph', row: 1 },
    { kind: 'kernel', row: 1 },
  ] as const) {
    const fields = trace.event(ref).groups.flatMap((group) => group.fields);
    expect(fields).toContainEqual({ name: 'Instantiated From', value: 'Graph 2' });
  }
  trace.close();
});

test('search, density, the table of events and sums have them, those without a length as well', () => {
  const trace = openTrace(path);
  const found = trace.queries.search({ text: 'graph clone' }, 10);
  expect(found.hits.map(({ ref, startNs }) => [ref.kind, ref.row, startNs])).toEqual([['graph-creation', 2, 20]]);
  expect(found.density.reduce((sum, count) => sum + count)).toBe(1);
  const table = trace.queries.page({ text: 'Graph ' }, 'start', false, 0, 100);
  expect(table.rows.filter(({ ref }) => ref.kind === 'graph-creation').map(({ durationNs }) => durationNs)).toEqual([
    ...[5, 0, 50, 10],
  ]);
  const tracks = trace.info.tracks.filter(({ title }) => title.startsWith('CUDA graphs')).map(({ id }) => id);
  const { groups } = trace.queries.summarize({ tracks });
  expect(groups.map(({ name, count, totalNs, meanNs }) => [name, count, totalNs, meanNs])).toEqual([
    ['Graph instantiation', 1, 50, 50],
    ['Graph creation', 2, 15, 7.5],
    ['Graph clone', 1, 0, 0],
  ]);
  trace.close();
});

test('exported and read again, an export of Nsight Systems has the same rows; Chrome has a thread for them', async () => {
  const exported = join(folder, 'made.sqlite');
  const chrome = join(folder, 'made.json');
  const file = openTraceFile(path);
  writeNsysExport(file, exported);
  await writeChromeTrace(file, chrome, false);
  const sql = 'SELECT start, end, eventClass, graphId, originalGraphId, graphExecId FROM CUDA_GRAPH_EVENTS';
  const cells = file.db.prepare(sql).raw().all();
  expect(cells).toHaveLength(4);
  file.close();

  const read = join(folder, 'read.simsight');
  importNsys(exported, read, () => {});
  const trace = openTrace(read);
  expect(trace.query(sql)).toEqual(cells);
  expect(ownRows(trace)).toEqual(rows);
  trace.close();

  const { traceEvents } = JSON.parse(readFileSync(chrome, 'utf8')) as { traceEvents: Record<string, unknown>[] };
  const slices = traceEvents.filter(({ cat }) => cat === 'cuda_graph');
  expect(slices.map(({ name, args }) => [name, args])).toEqual([
    ['Graph creation', { 'graph id': 1 }],
    ['Graph clone', { 'graph id': 2, 'original graph id': 1 }],
    ['Graph instantiation', { 'graph id': 2, 'graph exec id': 3 }],
    ['Graph creation', { 'graph id': 4 }],
  ]);
  expect(new Set(slices.map(({ tid }) => tid)).size).toBe(2);
});

test('a trace from before there was the kind has none of its events, and opens', () => {
  for (const isIndexed of [true, false]) {
    const old = write(
      join(folder, `old-${isIndexed}.simsight`),
      events.filter(({ type }) => type !== 'graph-creation'),
    );
    if (!isIndexed) withoutIndex(old);
    const db = new Database(old);
    db.exec('DROP TABLE CUDA_GRAPH_EVENTS');
    db.close();
    const trace = openTrace(old);
    expect(ownRows(trace)).toEqual([]);
    expect(trace.query('SELECT count(*) FROM CUDA_GRAPH_EVENTS')).toEqual([[0]]);
    expect(trace.event({ kind: 'graph', row: 1 }).title).toBe('Graph 3');
    expect(trace.info.eventCount).toBe(6);
    trace.close();
    const file = openTraceFile(old);
    writeNsysExport(file, join(folder, `old-${isIndexed}.sqlite`));
    file.close();
  }
  // A view in its place may never end.
  const evil = write(join(folder, 'evil.simsight'), events);
  const db = new Database(evil);
  db.exec('DROP TABLE CUDA_GRAPH_EVENTS; CREATE VIEW CUDA_GRAPH_EVENTS AS SELECT 1 AS start');
  db.close();
  expect(() => openTrace(evil)).toThrow(/CUDA_GRAPH_EVENTS should be a table/);
});

test('kinds are numbered for good: new ones come last', () => {
  expect(eventKinds.slice(-2)).toEqual(['implicit-wait', 'graph-creation']);
});
