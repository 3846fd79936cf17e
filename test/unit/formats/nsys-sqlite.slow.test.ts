/** SQLite exports of Nsight Systems: real ones, and every trap that they have been seen to set. */
import Database from 'better-sqlite3';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { drawnKinds } from '../../../engine/model/timeline.ts';
import { makeReport } from '../../../engine/analysis/reports.ts';
import { writeNsysExport } from '../../../engine/formats/export-sqlite.ts';
import { openRecording, openRecordingFile } from '../../../engine/formats/open.ts';
import { prepare, preparationOf } from '../../../engine/formats/prepare.ts';
import { openTrace } from '../../../engine/trace/reader.ts';
import { querySql } from '../../../engine/trace/sql-query.ts';
import { temporaryFolder } from '../trace/example-recording.ts';
import { sample } from '../trace/samples.ts';
import { changedSample, opened } from './nsys-samples.ts';

const folder = temporaryFolder();
const changed = changedSample(folder);
const kinds = ['RUNTIME', 'KERNEL', 'MEMCPY', 'MEMSET', 'SYNCHRONIZATION'].map((kind) => `CUPTI_ACTIVITY_KIND_${kind}`);

describe.each(['nsys-streams.sqlite', 'nsys-2gpu-before.sqlite', 'nsys-2gpu-after.sqlite'])('%s', (name) => {
  const path = sample(name, folder);
  const before = readFileSync(path);

  test('every event is there, with its columns', async () => {
    await opened(path, (trace) => {
      const source = new Database(path, { readonly: true });
      const theirs = (table: string): string[] =>
        (source.pragma(`table_info(${table})`) as { name: string }[]).map((column) => column.name);
      for (const table of [...kinds, 'NVTX_EVENTS']) {
        const columns = ['start', 'end', 'globalTid', 'globalPid', 'deviceId', 'streamId', 'correlationId', 'nameId'];
        const wanted = [...columns, 'shortName', 'gridX', 'blockX', 'bytes', 'copyKind', 'text', 'textId', 'eventType'];
        const both = wanted.filter((column) => theirs(table).includes(column)).map((column) => `"${column}"`);
        if (both.length === 0) continue;
        // Exports are nearly in order of time, and traces are.
        const sql = `SELECT ${both.join(', ')} FROM ${table} ORDER BY`;
        expect(trace.query(`${sql} rowid`)).toEqual(source.prepare(`${sql} start, rowid`).raw().all());
      }
      source.close();
    });
  });

  test('every event is drawn once, and can be asked for', async () => {
    await opened(path, (trace) => {
      const { tracks, durationNs, eventCount } = trace.info;
      const windows = trace.window(
        tracks.map(({ id }) => id),
        0,
        durationNs,
        0,
      );
      const drawn = new Set<string>();
      for (const { count, kinds: kind, rows } of windows)
        for (let i = 0; i < count; i++) if (kind[i]! < drawnKinds.column) drawn.add(`${kind[i]} ${rows[i]}`);
      expect(drawn.size).toBe(eventCount);
      expect(trace.event({ kind: 'kernel', row: 1 }).title).not.toBe('');
      expect(makeReport(trace, 'cuda_api_sum').rows.length).toBeGreaterThan(3);
      expect(makeReport(trace, 'cuda_kern_exec_trace').rows.length).toBeGreaterThan(3);
    });
  });

  test('is not written to, and nothing is left beside it', async () => {
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(folder).filter((file) => file.startsWith(name))).toEqual([name]);
  });
});

test('time on the GPUs before and after, as its authors state it', async () => {
  const total = (name: string): Promise<number> =>
    opened(
      sample(name, folder),
      (trace) => Number(trace.query('SELECT sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL')[0]![0]) / 1e6,
    );
  expect(await total('nsys-2gpu-before.sqlite')).toBeCloseTo(535.2, 1);
  expect(await total('nsys-2gpu-after.sqlite')).toBeCloseTo(488.84, 1);
});

test('two processes: a row each, and what belongs together stays together', async () => {
  await opened(sample('nsys-2gpu-before.sqlite', folder), (trace) => {
    const processes = trace.info.tracks.filter(({ kind }) => kind === 'process');
    expect(processes.map(({ subtitle }) => subtitle)).toEqual(['process 144', 'process 145']);
    // A correlation id that both have.
    const [shared] = trace.query(
      `SELECT correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL GROUP BY correlationId HAVING count(DISTINCT globalPid) = 2 LIMIT 1`,
    );
    const [row, pid] = trace.query(
      'SELECT rowid, globalPid FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE correlationId = ?',
      Number(shared![0]),
    )[0]!;
    const calls = trace.event({ kind: 'kernel', row: Number(row) }).correlated.filter(({ ref }) => ref.kind === 'api');
    expect(calls).toHaveLength(1);
    const [[tid]] = trace.query(
      'SELECT globalTid FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE rowid = ?',
      calls[0]!.ref.row,
    ) as [[number]];
    expect(Math.floor(tid / 2 ** 24)).toBe(Math.floor(Number(pid) / 2 ** 24));
  });
});

test('says what is not shown, and which kernels nobody launched', async () => {
  await opened(sample('nsys-streams.sqlite', folder), (trace) => {
    expect(trace.info.notices[0]).toBe('Recorded with Nsight Systems 2026.1.1.204, export schema 3.24.14.');
    expect(trace.info.notices[1]).toMatch(/^Not shown: .*SCHED_EVENTS \(2470 rows\)/);
    expect(trace.info.gpu).toBe('NVIDIA GeForce RTX 4060 Ti');
    expect(trace.info.program).toBe('async.out');
    // Waits of the C library have rows by thread, and a report.
    const waits = trace.info.tracks.filter(({ title }) => title.startsWith('OS runtime'));
    expect(waits.reduce((sum, { eventCount }) => sum + eventCount, 0)).toBe(959);
    const [window] = trace.window([waits[0]!.id], 0, trace.info.durationNs, 0);
    const first = trace.event({ kind: 'osrt', row: window!.rows[0]! });
    expect([first.title, first.track]).toEqual([window!.labels[window!.labelIndex[0]!], waits[0]!.id]);
    const calls = makeReport(trace, 'osrt_sum').rows.reduce((sum, row) => sum + Number(row[2]), 0);
    expect(calls).toBe(959);
  });
  await opened(sample('nsys-2gpu-before.sqlite', folder), (trace) => {
    expect(trace.info.notices.join('\n')).toMatch(/kernels have no API call/);
  });
});

test('waits are named by their calls, whatever their code says', async () => {
  const path = changed('sync.sqlite', 'UPDATE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SET syncType = 77');
  const names = (file: string): Promise<unknown[]> =>
    opened(file, (trace) => trace.query('SELECT syncType FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION').flat());
  expect(await names(path)).toEqual(await names(sample('nsys-streams.sqlite', folder)));
  expect(await names(path)).not.toContain(77);
});

test('tables that are missing, one after the other', async () => {
  const source = new Database(sample('nsys-streams.sqlite', folder), { readonly: true });
  const all = source.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[];
  source.close();
  for (const table of all.filter((name) => name !== 'StringIds')) {
    await opened(changed('missing.sqlite', `DROP TABLE ${table}`), (trace) => {
      expect(trace.info.tracks.length).toBeGreaterThan(0);
      for (const report of ['cuda_gpu_kern_sum', 'cuda_api_sum', 'nvtx_sum', 'cuda_gpu_trace'])
        makeReport(trace, report);
    });
  }
});

test('columns that older schemas lack', async () => {
  const path = changed(
    'old.sqlite',
    `ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN mangledName;
     ALTER TABLE CUPTI_ACTIVITY_KIND_MEMCPY DROP COLUMN copyCount;
     ALTER TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION DROP COLUMN eventSyncId;
     ALTER TABLE TARGET_INFO_CUDA_CONTEXT_INFO DROP COLUMN nullStreamId;
     CREATE TABLE TARGET_INFO_CUDA_NULL_STREAM (streamId, hwId, vmId, processId, deviceId, contextId);
     INSERT INTO TARGET_INFO_CUDA_NULL_STREAM VALUES (70, 0, 1, 1, 0, 1);
     DROP TABLE META_DATA_EXPORT`,
  );
  await opened(path, (trace) => {
    expect(trace.info.eventCount).toBe(1022);
    expect(trace.info.notices[0]).toBe(
      'Recorded with Nsight Systems of unknown version, export schema of unknown version.',
    );
    expect(trace.query('SELECT flag FROM TARGET_INFO_CUDA_STREAM WHERE streamId = 70')).toEqual([[3]]);
  });
});

test('ids that do not fit 53 bits keep processes apart', async () => {
  const path = changed(
    'wide.sqlite',
    `UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET globalTid = globalTid + (300 << 48);
     UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET globalPid = globalPid + (300 << 48);
     UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET globalTid = globalTid + (1 << 48) WHERE rowid = 1`,
  );
  await opened(path, (trace) => {
    expect(trace.info.tracks.filter(({ kind }) => kind === 'process').length).toBeGreaterThan(1);
    expect(trace.event({ kind: 'kernel', row: 1 }).correlated.map(({ title }) => title)).toContain('cudaLaunchKernel');
  });
});

test('one row that does not fit 53 bits in the midst of others: all are there, each once', async () => {
  const path = changed(
    'wide-row.sqlite',
    'UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET globalTid = globalTid + (300 << 48) WHERE rowid = 20',
  );
  const columns = 'start, end, correlationId, nameId';
  const rows = (file: string): Promise<unknown[]> =>
    opened(file, (trace) => trace.query(`SELECT ${columns} FROM CUPTI_ACTIVITY_KIND_RUNTIME ORDER BY rowid`));
  expect(await rows(path)).toEqual(await rows(sample('nsys-streams.sqlite', folder)));
  await opened(path, (trace) => {
    const threads = 'SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME GROUP BY globalTid ORDER BY 1';
    expect(trace.query(threads)).toEqual([[1], [44]]);
  });
});

test('kernels that overlap on one stream are all drawn', async () => {
  const path = changed(
    'overlap.sqlite',
    'UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET streamId = 13, start = 1000, end = 2000',
  );
  await opened(path, (trace) => {
    const stream = trace.info.tracks.find(({ title }) => title === 'Stream 13')!;
    expect(stream.lanes).toBe(4);
    expect(trace.window([stream.id], 1000, 2000, 0)[0]!.count).toBe(4);
  });
});

test('launches of graphs without their nodes', async () => {
  const path = changed(
    'graph.sqlite',
    `CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, deviceId, contextId, streamId, correlationId, globalPid, graphId, graphExecId);
     INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE SELECT start, end, deviceId, contextId, streamId, correlationId, globalPid, 3, 4
       FROM CUPTI_ACTIVITY_KIND_KERNEL;
     DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL`,
  );
  await opened(path, (trace) => {
    expect(trace.event({ kind: 'graph', row: 1 }).title).toBe('Graph 3');
    expect(trace.info.tracks.some(({ title, busy }) => title.includes('RTX 4060') && busy > 0)).toBe(true);
  });
});

test('what the program had allocated is a chart', async () => {
  const path = changed(
    'memory.sqlite',
    `CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start, globalPid, deviceId, contextId, address, pc, bytes, memKind, memoryOperationType,
       name, correlationId);
     INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES
       (1000, 1, 0, 1, 4096, 0, 3000, 2, 0, NULL, 1), (2000, 1, 0, 1, 8192, 0, 500, 2, 0, NULL, 2),
       (2500, 1, 0, 1, 1, 0, 9000, 1, 0, NULL, 3), (3000, 1, 0, 1, 4096, 0, 3000, 2, 1, NULL, 4)`,
  );
  await opened(path, (trace) => {
    const track = trace.info.tracks.find(({ title }) => title === 'Memory in use')!;
    expect(track.chart!.most).toBe(3500);
    const [window] = trace.window([track.id], 0, 5000, 0);
    expect([...window!.starts.subarray(0, window!.count)]).toEqual([1000, 2000, 3000]);
  });
});

test('rows that cannot be: counted, and the rest is there', async () => {
  const path = changed(
    'rows.sqlite',
    `UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = 'soon' WHERE rowid = 1;
     UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET end = start - 5 WHERE rowid = 2;
     UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = -7 WHERE rowid = 3;
     UPDATE StringIds SET value = replace(hex(zeroblob(100000)), '0', 'x') WHERE rowid = 5`,
  );
  await opened(path, (trace) => {
    expect(trace.info.notices).toContain('1 rows of CUPTI_ACTIVITY_KIND_RUNTIME were left out: values are missing.');
    expect(trace.info.notices).toContain('2 events were left out because their times cannot be read.');
    expect(trace.info.eventCount).toBe(1019);
    expect(trace.query('SELECT max(length(value)) FROM StringIds')).toEqual([[65537]]);
  });
});

test('views and triggers of a file do not run', async () => {
  const path = changed(
    'hostile.sqlite',
    `ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME TO hidden;
     CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x AS start FROM r;
     CREATE TRIGGER t AFTER INSERT ON StringIds BEGIN DELETE FROM StringIds; END`,
  );
  await opened(path, (trace) => expect(trace.query('SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL')).toEqual([[0]]));
});

test('a file that was cut off or changed: an error that names it, or a recording', async () => {
  const good = readFileSync(sample('nsys-streams.sqlite', folder));
  let state = 5;
  const next = (below: number): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) % below;
  const outcomes = { opened: 0, refused: 0 };
  for (let turn = 0; turn < 100; turn++) {
    const bad = Buffer.from(turn % 4 === 0 ? good.subarray(0, next(good.length)) : good);
    for (let i = 0; i < 10 && bad.length > 0; i++) bad[100 + next(Math.max(1, bad.length - 100))] = next(256);
    const db = join(folder, 'broken-bytes.sqlite');
    writeFileSync(db, bad);
    try {
      (await openRecording(db, { here: true })).close();
      outcomes.opened++;
    } catch (error) {
      outcomes.refused++;
      expect(String((error as Error).message)).toContain('broken-bytes.sqlite');
    }
    expect(readFileSync(db).equals(bad)).toBe(true);
  }
  expect(outcomes.opened).toBeGreaterThan(0);
  expect(outcomes.refused).toBeGreaterThan(0);
});

describe('where an export is read', () => {
  const small = sample('nsys-streams.sqlite', folder);
  /** A folder that holds nothing but copies of files. */
  const alone = (name: string, files: Readonly<Record<string, string>>): string => {
    const place = join(folder, name);
    mkdirSync(place);
    for (const [to, from] of Object.entries(files)) copyFileSync(from, join(place, to));
    return join(place, 'export.sqlite');
  };
  const contents = (path: string): unknown =>
    readdirSync(dirname(path)).map((name) => [name, readFileSync(join(dirname(path), name)).toString('latin1')]);
  /** Makes a trace of it, and says whether there was anything beside that on the way. */
  async function read(path: string): Promise<{ events: number; copied: boolean }> {
    const before = contents(path);
    const target = join(mkdtempSync(join(folder, 'target-')), 'trace.simsight');
    let copied = false;
    await prepare(path, preparationOf(path)!, target, () => {
      copied ||= readdirSync(dirname(target)).some((name) => !name.startsWith('trace.simsight'));
    });
    const trace = openTrace(target);
    trace.close();
    expect(contents(path)).toEqual(before);
    return { events: trace.info.eventCount, copied };
  }

  test('where it is, without a copy', async () => {
    expect(await read(alone('plain', { 'export.sqlite': small }))).toEqual({ events: 1022, copied: false });
  });

  test('in a copy where it has a log, with what is in that', async () => {
    const source = join(folder, 'logged.sqlite');
    copyFileSync(small, source);
    const db = new Database(source);
    db.pragma('journal_mode = WAL');
    db.exec('DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid = 1');
    const path = alone('logged', { 'export.sqlite': source, 'export.sqlite-wal': `${source}-wal` });
    db.close();
    expect(await read(path)).toEqual({ events: 1021, copied: true });
    // Without its log, in write-ahead mode.
    expect(await read(alone('mode', { 'export.sqlite': source }))).toEqual({ events: 1021, copied: true });
  });

  test('in a copy where a program was killed while it wrote: what it had not finished is undone', async () => {
    const source = join(folder, 'undone.sqlite');
    copyFileSync(small, source);
    const db = new Database(source);
    db.pragma('cache_size = 1');
    db.exec(
      'BEGIN; DELETE FROM OSRT_API; DELETE FROM SCHED_EVENTS; UPDATE COMPOSITE_EVENTS SET rowid = rowid + 100000',
    );
    const path = alone('undone', { 'export.sqlite': source, 'export.sqlite-journal': `${source}-journal` });
    db.exec('ROLLBACK');
    db.close();
    expect(await read(path)).toEqual({ events: 1022, copied: true });
  });
});

test('questions in SQL and exports work on them as well', async () => {
  const path = sample('nsys-streams.sqlite', folder);
  const count = 'SELECT count(*) AS n FROM CUPTI_ACTIVITY_KIND_KERNEL';
  const target = join(folder, 'again.sqlite');
  const file = await openRecordingFile(path);
  expect(querySql({ path: file.path, text: count, limit: 10, temporary: folder }).rows).toEqual([[4]]);
  writeNsysExport(file, target);
  file.close();
  await opened(target, (trace) => expect(trace.info.eventCount).toBe(1022));
});
