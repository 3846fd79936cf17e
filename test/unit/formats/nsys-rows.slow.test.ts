/** Exports of Nsight Systems: which row an event is on, what it is called, and that none is lost without a word. */
import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { drawnKinds, type EventRef } from '../../../engine/model/timeline.ts';
import type { EventKind } from '../../../engine/model/event-kinds/index.ts';
import { openRecordingFile } from '../../../engine/formats/open.ts';
import { writeChromeTrace } from '../../../engine/formats/export-chrome.ts';
import { writeNsysExport } from '../../../engine/formats/export-sqlite.ts';
import type { Trace } from '../../../engine/trace/reader.ts';
import { join } from 'node:path';
import { temporaryFolder, write } from '../trace/example-recording.ts';
import { sample } from '../trace/samples.ts';
import { changedSample, opened } from './nsys-samples.ts';

const folder = temporaryFolder();
const changed = changedSample(folder);
const [kernels, runtime] = ['CUPTI_ACTIVITY_KIND_KERNEL', 'CUPTI_ACTIVITY_KIND_RUNTIME'];
const graphTrace = `CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, deviceId, contextId, streamId, correlationId, globalPid, graphId, graphExecId)`;

const titles = (trace: Trace): string[] => trace.info.tracks.map(({ title }) => title);
/** Titles of the rows, up to that of the device or the process. */
function placeOf(trace: Trace, ref: EventRef): string {
  const { tracks } = trace.info;
  const track = tracks[trace.event(ref).track]!;
  const above = tracks[track.parent ?? -1];
  const [window] = trace.window([track.id], 0, trace.info.durationNs, 0);
  // That the row says so, and that it is drawn there.
  const isDrawn = [...window!.rows.subarray(0, window!.count)].some(
    (row, i) => row === ref.row && window!.kinds[i]! < drawnKinds.column,
  );
  expect(isDrawn).toBe(true);
  return above?.kind === 'stream' ? `${above.title} > ${track.title}` : track.title;
}
const placesOf = (trace: Trace, kind: EventKind, rows: readonly number[]): string[] =>
  rows.map((row) => placeOf(trace, { kind, row }));
const fieldsOf = (trace: Trace, kind: EventKind, row: number): Record<string, string> =>
  Object.fromEntries(
    trace.event({ kind, row }).groups.flatMap(({ fields }) => fields.map(({ name, value }) => [name, value])),
  );

describe('rows that have no place in ours as they are', () => {
  test('contexts without a null stream: one is made up, or taken from the table that old exports have', async () => {
    const context = 'SELECT nullStreamId, contextId FROM TARGET_INFO_CUDA_CONTEXT_INFO';
    const without = 'ALTER TABLE TARGET_INFO_CUDA_CONTEXT_INFO DROP COLUMN nullStreamId';
    await opened(changed('context.sqlite', without), (trace) =>
      expect(trace.query(context)).toEqual([[4294967295, 1]]),
    );
    const old = `${without};
      CREATE TABLE TARGET_INFO_CUDA_NULL_STREAM (streamId, hwId, vmId, processId, deviceId, contextId);
      INSERT INTO TARGET_INFO_CUDA_NULL_STREAM SELECT 70, 0, 1, processId, 0, 1 FROM TARGET_INFO_CUDA_CONTEXT_INFO`;
    await opened(changed('old-context.sqlite', old), (trace) => expect(trace.query(context)).toEqual([[70, 1]]));
  });

  test('page faults without an address are kept, those without a time are counted', async () => {
    const path = changed(
      'faults.sqlite',
      `CREATE TABLE CUDA_UM_CPU_PAGE_FAULT_EVENTS (start INTEGER, globalPid INTEGER, address INTEGER);
       INSERT INTO CUDA_UM_CPU_PAGE_FAULT_EVENTS VALUES (100, NULL, NULL), (200, 5, 4096), (NULL, 5, 4096);
       CREATE TABLE CUDA_UM_GPU_PAGE_FAULT_EVENTS (start INTEGER, end INTEGER, globalPid INTEGER, deviceId INTEGER, address INTEGER,
         numberOfPageFaults INTEGER, faultAccessType INTEGER);
       INSERT INTO CUDA_UM_GPU_PAGE_FAULT_EVENTS VALUES (100, 200, 5, 0, 4096, 3, 1), (100, 200, 5, 0, NULL, 3, 1), (300, NULL, 5, 0, 4096, 3, 1)`,
    );
    await opened(path, (trace) => {
      const address = (who: string): unknown =>
        trace.query(`SELECT start, address FROM CUDA_UM_${who}_PAGE_FAULT_EVENTS`);
      expect([address('CPU'), address('GPU')]).toEqual([
        [
          [100, 0],
          [200, 4096],
        ],
        [
          [100, 4096],
          [100, 0],
        ],
      ]);
      for (const who of ['CPU', 'GPU'])
        expect(trace.info.notices).toContain(
          `1 rows of CUDA_UM_${who}_PAGE_FAULT_EVENTS were left out: values are missing.`,
        );
      expect(titles(trace)).toContain('GPU page faults');
    });
  });

  test('names with an id that another one has', async () => {
    const path = changed(
      'names.sqlite',
      `ALTER TABLE StringIds RENAME TO s; CREATE TABLE StringIds (id INTEGER, value TEXT);
       INSERT INTO StringIds SELECT id, value FROM s; INSERT INTO StringIds SELECT id, value || ' again' FROM s LIMIT 7;
       DROP TABLE s`,
    );
    await opened(path, (trace) => {
      expect(trace.info.notices).toContain('7 rows of StringIds were left out: others have the same id.');
      expect(trace.query("SELECT count(*) FROM StringIds WHERE value LIKE '% again'")).toEqual([[0]]);
    });
  });

  test('columns that a schema lacks, where nothing depends on them', async () => {
    const path = changed(
      'lacking.sqlite',
      `ALTER TABLE ${kernels} DROP COLUMN localMemoryTotal; ALTER TABLE ${kernels} DROP COLUMN contextId;
       ALTER TABLE ${runtime} DROP COLUMN returnValue; ALTER TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION DROP COLUMN eventId`,
    );
    await opened(path, (trace) => {
      expect(trace.info.eventCount).toBe(1022);
      expect(trace.info.notices.join('\n')).not.toMatch(/values are missing/);
    });
    const worse = changed(
      'worse.sqlite',
      `ALTER TABLE ${kernels} DROP COLUMN gridX; ALTER TABLE ${runtime} DROP COLUMN start`,
    );
    await opened(worse, (trace) => {
      expect(trace.info.notices).toContain(`4 rows of ${kernels} were left out: values are missing.`);
      expect(trace.info.notices).toContain(`45 rows of ${runtime} were left out: values are missing.`);
    });
  });

  test('tables without row numbers, and numbers that are texts', async () => {
    const path = changed(
      'types.sqlite',
      `ALTER TABLE StringIds RENAME TO s; CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT) WITHOUT ROWID;
       INSERT INTO StringIds SELECT id, value FROM s; DROP TABLE s;
       CREATE TABLE k AS SELECT * FROM ${kernels}; DROP TABLE ${kernels};
       CREATE TABLE ${kernels} AS SELECT *, CAST(streamId AS TEXT) AS s, CAST(start AS TEXT) AS t, CAST(correlationId AS REAL) AS c FROM k;
       ALTER TABLE ${kernels} DROP COLUMN streamId; ALTER TABLE ${kernels} RENAME COLUMN s TO streamId;
       ALTER TABLE ${kernels} DROP COLUMN start; ALTER TABLE ${kernels} RENAME COLUMN t TO start;
       ALTER TABLE ${kernels} DROP COLUMN correlationId; ALTER TABLE ${kernels} RENAME COLUMN c TO correlationId; DROP TABLE k`,
    );
    const rows = (file: string): Promise<unknown[]> =>
      opened(file, (trace) => [
        trace.info.eventCount,
        trace.query(`SELECT start, end, streamId, correlationId, shortName FROM ${kernels}`),
        trace.event({ kind: 'kernel', row: 1 }),
      ]);
    expect(await rows(path)).toEqual(await rows(sample('nsys-streams.sqlite', folder)));
  });

  test('what else kernels have: ids of launches, sizes of tensor maps', async () => {
    const path = changed(
      'grids.sqlite',
      `UPDATE ${kernels} SET gridId = 160000 + rowid WHERE rowid > 1;
       ALTER TABLE ${kernels} ADD COLUMN tensorSizeMinusOneElements TEXT NOT NULL DEFAULT '[]';
       UPDATE ${kernels} SET tensorSizeMinusOneElements = '[63, 127]' WHERE rowid = 2`,
    );
    const columns = `SELECT gridId, tensorSizeMinusOneElements FROM ${kernels} ORDER BY rowid`;
    const expected = [
      [1, '[]'],
      [160002, '[63, 127]'],
      [160003, '[]'],
      [160004, '[]'],
    ];
    await opened(path, (trace) => expect(trace.query(columns)).toEqual(expected));
    const target = join(folder, 'grids-again.sqlite');
    const file = await openRecordingFile(path, { here: true });
    writeNsysExport(file, target);
    file.close();
    await opened(target, (trace) => expect(trace.query(columns)).toEqual(expected));
  });

  test('reasons are given for what is not shown, and copies and memsets without a call are counted', async () => {
    const path = changed(
      'alone.sqlite',
      `UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET correlationId = 900000 WHERE rowid <= 3;
       UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET copyKind = 11 WHERE rowid = 3;
       CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId, contextId, streamId, correlationId, globalPid, value, bytes);
       INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (1, 2, 0, 1, 13, NULL, 1, 0, 4); CREATE TABLE NEW_EVENTS (a); INSERT INTO NEW_EVENTS VALUES (1);
       CREATE TABLE GPU_METRICS (timestamp, typeId, metricId, value); INSERT INTO GPU_METRICS VALUES (1, 2, 3, 4), (2, 2, 3, 5)`,
    );
    await opened(path, ({ info: { notices } }) => {
      expect(notices).toContain('2 copies have no API call in this recording.');
      expect(notices).toContain('1 memsets have no API call in this recording.');
      expect(notices.join('\n')).toMatch(/^Not shown: .*SCHED_EVENTS \(2470 rows\): what CPU cores did\.$/m);
      // Counters that `--gpu-metrics-devices` samples: SMs active, occupancy and the like.
      expect(notices.join('\n')).toMatch(/^Not shown: .*GPU_METRICS \(2 rows\).*: sampled counters\.$/m);
      expect(notices).toContain('Not shown: NEW_EVENTS (1 rows): nothing here has a row for them.');
    });
  });
});

describe('what waits are', () => {
  const table = 'CUPTI_ACTIVITY_KIND_SYNCHRONIZATION';
  const types = (path: string): Promise<unknown[]> =>
    opened(path, (trace) => [
      trace.query(`SELECT syncType FROM ${table} ORDER BY rowid`).flat(),
      trace.info.notices.filter((text) => /waits have no API call/.test(text)).length,
    ]);
  const version = (schema: string): string =>
    `UPDATE META_DATA_EXPORT SET value = '${schema}' WHERE name = 'EXPORT_SCHEMA_VERSION'; `;
  const asOld = 'ALTER TABLE META_DATA_EXPORT RENAME TO EXPORT_META_DATA; ';
  /** No call of a wait is there, and each has code 2. */
  const untraced = `UPDATE ${table} SET correlationId = 800000 + rowid, syncType = 2; `;

  test('is not believed of versions whose codes are known to differ, when there is no call', async () => {
    expect(await types(changed('w-3.24.0.sqlite', version('3.24.0') + untraced))).toEqual([[0, 0], 1]);
    expect(await types(changed('w-3.25.0.sqlite', version('3.25.0') + untraced))).toEqual([[2, 2], 0]);
    expect(await types(changed('w-3.25.1.sqlite', version('3.25.1') + asOld + untraced))).toEqual([[2, 2], 0]);
  });

  test('is learnt from those in the same file that have one', async () => {
    const path = changed(
      'w-learnt.sqlite',
      `${version('3.24.0')} UPDATE ${table} SET syncType = 2, correlationId = (SELECT correlationId FROM ${runtime} r JOIN StringIds s ON s.id = r.nameId
         WHERE s.value LIKE 'cudaStreamSynchronize%' OR s.value LIKE 'cudaDeviceSynchronize%' LIMIT 1) WHERE rowid = 1;
       UPDATE ${table} SET syncType = 2, correlationId = 800000 WHERE rowid = 2`,
    );
    const [[first, second], notices] = (await types(path)) as [[number, number], number];
    expect([3, 4]).toContain(first);
    expect([second, notices]).toEqual([first, 0]);
  });

  test('the version stands in another table in old exports', async () => {
    await opened(changed('meta.sqlite', version('3.1.4') + asOld), ({ info }) =>
      expect(info.notices[0]).toBe('Recorded with Nsight Systems 2026.1.1.204, export schema 3.1.4.'),
    );
  });
});

describe('processes that share a GPU', () => {
  /** The last two of four kernels are another process's, on a stream that the first process has as well. */
  const two = `UPDATE ${kernels} SET streamId = 13; UPDATE ${kernels} SET globalPid = globalPid + (1 << 24) WHERE rowid > 2; `;

  test('have streams of their own', async () => {
    await opened(changed('two.sqlite', two), (trace) => {
      expect(placesOf(trace, 'kernel', [1, 2, 3, 4])).toEqual([
        ...['Stream 13, process 58972', 'Stream 13, process 58972'],
        ...['Stream 13, process 58973', 'Stream 13, process 58973'],
      ]);
      const row = trace.info.tracks.find(({ kind }) => kind === 'kernels')!;
      expect(row.eventCount).toBe(4);
    });
  });

  test('are groups of the GPU, of process and context', async () => {
    await opened(changed('grouped.sqlite', two), ({ info: { tracks } }) => {
      const groups = tracks.filter(({ kind }) => kind === 'context');
      expect(groups.map(({ title }) => title)).toEqual(['Context 1, process 58972', 'Context 1, process 58973']);
      for (const group of groups) {
        expect(tracks[group.parent!]!.kind).toBe('gpu');
        const below = tracks.filter(({ parent }) => parent === group.id).map(({ title }) => title);
        expect(below).toContain(`Stream 13, ${group.title.slice('Context 1, '.length)}`);
      }
    });
  });

  test('so do two contexts of one process, and one context needs no group', async () => {
    const contexts = `UPDATE ${kernels} SET streamId = 13; UPDATE ${kernels} SET contextId = 2 WHERE rowid > 2`;
    await opened(changed('contexts.sqlite', contexts), (trace) => {
      const { tracks } = trace.info;
      expect(tracks.filter(({ kind }) => kind === 'context').map(({ title }) => title)).toEqual([
        'Context 1',
        'Context 2',
      ]);
      expect(placesOf(trace, 'kernel', [1, 2, 3, 4])).toEqual([
        ...['Stream 13, context 1', 'Stream 13, context 1', 'Stream 13, context 2', 'Stream 13, context 2'],
      ]);
    });
    await opened(changed('one.sqlite', ''), ({ info: { tracks } }) =>
      expect(tracks.filter(({ kind }) => kind === 'context')).toEqual([]),
    );
  });

  test('with priorities and kinds of their own', async () => {
    const streams = `INSERT INTO TARGET_INFO_CUDA_STREAM VALUES (13, 0, 1, 58973, 1, 4294967291, 1)`;
    await opened(changed('kinds.sqlite', two + streams), (trace) => {
      expect(titles(trace)).toContain('Stream 13, process 58972');
      expect(titles(trace)).toContain('Stream 13 (priority -5), process 58973');
    });
  });

  test('no kernel is a node of a graph that another process launched, or that has no id', async () => {
    const launch = (correlation: string, process: number): string =>
      `INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE SELECT start, end, 0, 1, 40, ${correlation}, globalPid + (${process} << 24), 3, 4 FROM ${kernels} WHERE rowid = 1;`;
    const one = `UPDATE ${kernels} SET streamId = 13, correlationId = 7; ${graphTrace};`;
    await opened(changed('own-graph.sqlite', one + launch('7', 0)), (trace) =>
      expect(new Set(placesOf(trace, 'kernel', [1, 2, 3, 4]))).toEqual(new Set(['Stream 40 > Graph nodes'])),
    );
    await opened(changed('other-graph.sqlite', one + launch('7', 1)), (trace) =>
      expect(new Set(placesOf(trace, 'kernel', [1, 2, 3, 4]))).toEqual(new Set(['Stream 13, process 58972'])),
    );
    await opened(
      changed(
        'no-graph.sqlite',
        `UPDATE ${kernels} SET streamId = 13, correlationId = NULL; ${graphTrace}; ${launch('NULL', 0)}`,
      ),
      (trace) => expect(new Set(placesOf(trace, 'kernel', [1, 2, 3, 4]))).toEqual(new Set(['Stream 13'])),
    );
  });
});

describe('traps', () => {
  test('nothing is said of GPUs, contexts and streams', async () => {
    const path = changed(
      'unnamed.sqlite',
      'DELETE FROM TARGET_INFO_GPU; DELETE FROM TARGET_INFO_CUDA_STREAM; DELETE FROM TARGET_INFO_CUDA_CONTEXT_INFO; DELETE FROM TARGET_INFO_CUDA_DEVICE',
    );
    await opened(path, (trace) => {
      expect(trace.info.gpu).toBe('');
      expect(titles(trace)).toEqual(expect.arrayContaining(['GPU (0)', 'Stream 13', 'Stream 16']));
      expect(trace.info.eventCount).toBe(1022);
    });
  });

  test('copies of managed memory overlap the kernels that they serve', async () => {
    const path = changed(
      'managed.sqlite',
      `INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId, correlationId, globalPid, bytes, copyKind, srcKind, dstKind, migrationCause, virtualAddress)
       SELECT start + 10, end - 10, deviceId, contextId, streamId, correlationId, globalPid, 4096, 11, 4, 4, 2, 4096 FROM ${kernels}`,
    );
    await opened(path, (trace) => {
      const moved = trace.query('SELECT rowid FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind = 11').flat() as number[];
      expect(placesOf(trace, 'memcpy', moved)).toEqual(moved.map(() => 'Unified memory'));
      expect(trace.info.tracks.filter(({ kind }) => kind === 'stream').map(({ lanes }) => lanes)).toEqual([1, 1, 1, 1]);
      expect(fieldsOf(trace, 'memcpy', moved[0]!)['Cause']).toBe('Page fault');
      expect(trace.info.notices.join('\n')).not.toMatch(/copies have no API call/);
    });
  });

  test('names of ranges are in place, elsewhere, or both', async () => {
    const path = changed(
      'ranges.sqlite',
      `CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT, globalTid INTEGER, textId INTEGER);
       INSERT INTO StringIds VALUES (900001, 'elsewhere'), (900002, 'not this one');
       INSERT INTO NVTX_EVENTS SELECT 100, 200, 59, 'in place', globalTid, NULL FROM ${runtime} LIMIT 1;
       INSERT INTO NVTX_EVENTS SELECT 300, 400, 59, NULL, globalTid, 900001 FROM ${runtime} LIMIT 1;
       INSERT INTO NVTX_EVENTS SELECT 500, 600, 60, 'both', globalTid, 900002 FROM ${runtime} LIMIT 1;
       INSERT INTO NVTX_EVENTS SELECT 700, NULL, 34, 'mark', globalTid, NULL FROM ${runtime} LIMIT 1`,
    );
    await opened(path, (trace) => {
      const track = trace.info.tracks.find(({ title }) => title === 'NVTX')!;
      const { count, labels, labelIndex } = trace.window([track.id], 0, 1000, 0)[0]!;
      const expected = ['in place', 'elsewhere', 'both', 'mark'];
      expect([...labelIndex.subarray(0, count)].map((index) => labels[index])).toEqual(expected);
      expect([1, 2, 3, 4].map((row) => trace.event({ kind: 'nvtx', row }).title)).toEqual(expected);
    });
  });

  test('priorities below zero, and ids that stand for none, are unsigned', async () => {
    const path = changed(
      'unsigned.sqlite',
      `UPDATE TARGET_INFO_CUDA_STREAM SET priority = 4294967291 WHERE streamId = 13;
       UPDATE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SET eventId = iif(rowid = 1, 4294967295, 5)`,
    );
    await opened(path, (trace) => {
      expect(titles(trace)).toContain('Stream 13 (priority -5)');
      expect([1, 2].map((row) => fieldsOf(trace, 'synchronization', row)['Event'])).toEqual([undefined, '5']);
    });
  });

  test('nodes of graphs without launches are on their streams, and belong to the call', async () => {
    const path = changed(
      'nodes.sqlite',
      `UPDATE ${kernels} SET graphNodeId = (7 << 32) + rowid, graphId = 7, correlationId = (SELECT min(correlationId) FROM ${kernels})`,
    );
    await opened(path, (trace) => {
      expect(placesOf(trace, 'kernel', [1, 2, 3, 4]).sort()).toEqual([
        'Stream 13',
        'Stream 14',
        'Stream 15',
        'Stream 16',
      ]);
      expect(fieldsOf(trace, 'kernel', 3)).toMatchObject({ Graph: '7', 'Graph Node': String(7 * 2 ** 32 + 3) });
      const { correlated } = trace.event({ kind: 'kernel', row: 1 });
      expect(correlated.map(({ ref }) => ref.kind).sort()).toEqual(['api', 'kernel', 'kernel', 'kernel']);
    });
  });

  test('streams that wait for an event have a row of their own', async () => {
    const path = changed(
      'stream-wait.sqlite',
      `UPDATE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SET streamId = 14, eventId = 3, correlationId = 77777 WHERE rowid = 1;
       INSERT INTO StringIds VALUES (900001, 'cudaStreamWaitEvent_v3020');
       INSERT INTO ${runtime} (start, end, eventClass, globalTid, correlationId, nameId, returnValue)
         SELECT start, end, 0, globalTid, 77777, 900001, 0 FROM ${runtime} LIMIT 1`,
    );
    await opened(path, (trace) => {
      const ref = { kind: 'synchronization', row: 1 } as const;
      expect(placeOf(trace, ref)).toBe('Stream 14 (sync)');
      expect(trace.event(ref).title).toBe('Stream wait sync');
    });
  });

  test('waits of streams are on the device of their context, whatever device they name', async () => {
    const path = changed(
      'stream-wait-device.sqlite',
      `UPDATE ${kernels} SET deviceId = 1;
       UPDATE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SET streamId = 14, eventId = 3, deviceId = 0, correlationId = 77777 WHERE rowid = 1;
       INSERT INTO StringIds VALUES (900001, 'cudaStreamWaitEvent_v3020');
       INSERT INTO ${runtime} (start, end, eventClass, globalTid, correlationId, nameId, returnValue)
         SELECT start, end, 0, globalTid, 77777, 900001, 0 FROM ${runtime} LIMIT 1`,
    );
    await opened(path, (trace) => {
      const { tracks } = trace.info;
      const track = tracks[trace.event({ kind: 'synchronization', row: 1 }).track!]!;
      expect(track.title).toBe('Stream 14 (sync)');
      const gpuOf = (id: number | null): string =>
        id === null ? '' : tracks[id]!.kind === 'gpu' ? tracks[id]!.title : gpuOf(tracks[id]!.parent);
      const kernel = tracks[trace.event({ kind: 'kernel', row: 1 }).track!]!;
      expect(gpuOf(track.parent)).toBe(gpuOf(kernel.parent));
    });
  });

  test('processes that share a GPU have rows of their own in exported JSON', async () => {
    const path = changed(
      'shared-gpu.sqlite',
      `UPDATE ${kernels} SET globalPid = globalPid + ${2 ** 24}, streamId = 14 WHERE rowid = 1`,
    );
    const target = join(folder, 'shared-gpu.json');
    const file = await openRecordingFile(path, { here: true });
    await writeChromeTrace(file, target, false);
    file.close();
    const { traceEvents } = JSON.parse(readFileSync(target, 'utf8')) as { traceEvents: Record<string, unknown>[] };
    const named = traceEvents.filter(({ name }) => name === 'thread_name');
    const titles = new Map(named.map(({ tid, args }) => [tid, (args as { name: string }).name]));
    const rows = new Set(traceEvents.filter(({ cat }) => cat === 'kernel').map(({ tid }) => titles.get(tid)));
    for (const title of rows) expect(title).toMatch(/^Stream \d+, process \d+$/);
    const perStream = Map.groupBy(rows, (title) => title!.split(',')[0]);
    expect(perStream.get('Stream 14')).toHaveLength(2);
  });

  test('calls whose work is not in the recording', async () => {
    await opened(changed('calls.sqlite', `DELETE FROM ${kernels}`), (trace) => {
      const [[row]] = trace.query(
        `SELECT r.rowid FROM ${runtime} r JOIN StringIds s ON s.id = r.nameId WHERE s.value LIKE 'cudaLaunchKernel%' LIMIT 1`,
      ) as [[number]];
      expect(trace.event({ kind: 'api', row }).correlated).toEqual([]);
      expect(placeOf(trace, { kind: 'api', row })).toMatch(/^CUDA API/);
      expect(trace.info.eventCount).toBe(1018);
    });
  });

  test('records of events have no time unless it was asked for, and are not shown', async () => {
    const zero = changed('events.sqlite', 'UPDATE CUPTI_ACTIVITY_KIND_CUDA_EVENT SET timestamp = 0');
    const facts = (path: string): Promise<unknown> =>
      opened(path, ({ info }) => [info.eventCount, info.durationNs, info.firstEventNs, info.notices]);
    expect(await facts(zero)).toEqual(await facts(sample('nsys-streams.sqlite', folder)));
    await opened(zero, ({ info: { notices } }) =>
      expect(notices).toContain(
        'Not shown: CUPTI_ACTIVITY_KIND_CUDA_EVENT (2 rows): records of events, which take no time.',
      ),
    );
  });

  test('numbers beyond 53 bits are exact', async () => {
    const path = changed('epoch.sqlite', 'UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = 1780000000123456789');
    await opened(path, (trace) =>
      expect(trace.query('SELECT CAST(utcEpochNs AS TEXT) FROM TARGET_INFO_SESSION_START_TIME')).toEqual([
        ['1780000000123456789'],
      ]),
    );
  });
});

describe('enumerations', () => {
  const read = (db: Database.Database, table: string): unknown[] =>
    db.prepare(`SELECT id, name, label FROM ${table} ORDER BY id`).raw().all();
  const tablesOf = (db: Database.Database): string[] =>
    db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'ENUM%' ORDER BY name")
      .pluck()
      .all() as string[];
  const own = new Database(write(join(folder, 'own.simsight')), { readonly: true });
  const ours = tablesOf(own).filter((name) => !name.startsWith('ENUM_SIMSIGHT_'));

  test.each(['nsys-streams.sqlite', 'nsys-2gpu-before.sqlite', 'nsys-2gpu-after.sqlite'])(
    'of ours are those of %s',
    (name) => {
      const real = new Database(sample(name, folder), { readonly: true });
      const theirs = tablesOf(real).filter((table) => /^ENUM_(CUDA|CUPTI|NSYS_EVENT)_/.test(table));
      expect(ours).toEqual(theirs);
      for (const table of ours) expect([table, read(own, table)]).toEqual([table, read(real, table)]);
      real.close();
    },
  );

  test('every code in a table refers to one', () => {
    const columns = [
      ['CUPTI_ACTIVITY_KIND_MEMCPY', 'copyKind', 'CUDA_MEMCPY_OPER'],
      ['CUPTI_ACTIVITY_KIND_MEMCPY', 'srcKind', 'CUDA_MEM_KIND'],
      ['CUPTI_ACTIVITY_KIND_SYNCHRONIZATION', 'syncType', 'CUPTI_SYNC_TYPE'],
      [kernels, 'launchType', 'CUDA_KERNEL_LAUNCH_TYPE'],
      [runtime, 'eventClass', 'NSYS_EVENT_CLASS'],
      ['TARGET_INFO_CUDA_STREAM', 'flag', 'CUPTI_STREAM_TYPE'],
    ];
    for (const [table, column, enumeration] of columns) {
      const sql = `SELECT count(*), sum(e.label IS NOT NULL) FROM ${table} t LEFT JOIN ENUM_${enumeration} e ON e.id = t.${column}`;
      const [count, named] = own.prepare(sql).raw().get() as [number, number];
      expect(count).toBeGreaterThan(0);
      expect(named).toBe(count);
    }
  });

  test('of an imported recording are its own', async () => {
    const path = changed(
      'labels.sqlite',
      "UPDATE ENUM_CUPTI_SYNC_TYPE SET label = 'Other' WHERE id = 3; INSERT INTO ENUM_NSYS_EVENT_TYPE VALUES (9000, 'New', 'New'); DELETE FROM ENUM_CUDA_MEM_KIND",
    );
    await opened(path, (trace) => {
      expect(trace.query('SELECT label FROM ENUM_CUPTI_SYNC_TYPE WHERE id = 3')).toEqual([['Other']]);
      expect(trace.query('SELECT count(*), max(id) FROM ENUM_NSYS_EVENT_TYPE')).toEqual([[156, 9000]]);
      expect(trace.query('SELECT count(*) FROM ENUM_CUDA_MEM_KIND')).toEqual([[8]]);
    });
  });
});
