/** Exports say what the trace says: each is read back by someone else's reader, or by the rules of its format. */
import Database from 'better-sqlite3';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { makeReport } from '../../../engine/analysis/reports.ts';
import { ns } from '../../../engine/base/units.ts';
import { writeChromeTrace } from '../../../engine/formats/export-chrome.ts';
import { writeCsv } from '../../../engine/formats/export-csv.ts';
import { nsysTables } from '../../../engine/formats/export-nsys-tables.ts';
import { writeParquetFolder, writeParquetReport } from '../../../engine/formats/export-parquet.ts';
import { writeNsysExport, writeWhole } from '../../../engine/formats/export-sqlite.ts';
import { readTable, tableNames } from '../../../engine/formats/export-tables.ts';
import type { ExportOrder } from '../../../engine/base/targets.ts';
import { writeTarget } from '../../../engine/formats/export-target.ts';
import type { TraceEvent } from '../../../engine/model/events.ts';
import { openTraceFile, type TraceFile } from '../../../engine/trace/open-file.ts';
import { openTrace } from '../../../engine/trace/reader.ts';
import { createTraceWriter, rowsPerCommit } from '../../../engine/trace/writer.ts';
import { api, copy, events, facts, kernel, temporaryFolder, write } from '../trace/example-recording.ts';

const folder = temporaryFolder();

const range = (start: number, end: number, text: string): TraceEvent => ({
  ...{ type: 'nvtx', kind: 'push-pop', start: ns(start), end: ns(end), text, color: null, category: null },
  ...{ domainId: 0, rangeId: null, threadId: 1, payload: null },
});
/** Beside the example: what overlaps on a stream, a graph with two nodes, a second thread, ranges, page faults. */
const all: TraceEvent[] = [
  ...events,
  range(0, 5000, 'frame "1",\nall'),
  range(100, 600, 'setup'),
  api('cudaGraphLaunch_v10000', 5000, 5100, 20),
  { type: 'graph', start: ns(5200), end: ns(6001), deviceId: 0, streamId: 7, correlationId: 20, graphId: 3 },
  kernel(5200, 6000, 20, 7, { graphId: 3, graphNodeId: 1 }),
  kernel(5300, 6001, 20, 7, { graphId: 3, graphNodeId: 2 }),
  { ...api('cudaMemcpyPeerAsync', 5050, 5150, 21), threadId: 2 } as TraceEvent,
  copy(5400, 5900, 21, { direction: 'device-to-device', peer: { from: 0, to: 1 }, engine: 1 }),
  {
    ...{ type: 'migration', start: ns(7000), end: ns(7100), deviceId: 0, direction: 'host-to-device' },
    ...{ bytes: 65536, address: 2 ** 21, cause: 'coherence' },
  } as TraceEvent,
  ...(['device', 'host'] as const).map(
    (processor) =>
      ({
        ...{ type: 'page-fault', processor, start: ns(6900), end: ns(7000), deviceId: 0 },
        ...{ address: 2 ** 21, count: 4, access: 'read' },
      }) as TraceEvent,
  ),
];
const path = write(join(folder, 'all.simsight'), all);
const withFile = async <T>(work: (file: TraceFile) => T | Promise<T>, of = path): Promise<T> => {
  const file = openTraceFile(of);
  try {
    return await work(file);
  } finally {
    file.close();
  }
};

interface ChromeEvent {
  ph: string;
  name: string;
  cat: string;
  pid: number;
  tid: number;
  ts: number;
  dur: number;
  id: number;
  args: Record<string, unknown>;
}

describe('chrome', () => {
  const target = join(folder, 'all.json');
  const found = withFile((file) => writeChromeTrace(file, target, false)).then(
    () => (JSON.parse(readFileSync(target, 'utf8')) as { traceEvents: ChromeEvent[] }).traceEvents,
  );
  const nanoseconds = (microseconds: number): number => Math.round(microseconds * 1000);
  const slices = async (): Promise<ChromeEvent[]> => (await found).filter(({ ph }) => ph === 'X');

  test('every event once, with its times to the nanosecond', async () => {
    const trace = openTrace(path);
    expect(await slices()).toHaveLength(trace.info.eventCount);
    trace.close();
    const named = (await slices()).filter(({ cat }) => cat === 'kernel');
    expect(named.map(({ ts, dur }) => [nanoseconds(ts), nanoseconds(dur)])).toEqual([
      [1300, 2000],
      [5200, 800],
      [5300, 701],
    ]);
    expect(readFileSync(target, 'utf8')).toContain('"ts":5.300,"dur":0.701}');
    expect(named[0]).toMatchObject({
      name: 'saxpy',
      args: { correlation: 3, stream: 13, grid: [4096, 2, 1], block: [256, 1, 1], 'registers per thread': 24 },
    });
    expect((await slices()).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['frame "1",\nall', 'cudaGraphLaunch', 'Graph 3', 'Unified HtoD', 'Context sync']),
    );
  });

  test('slices of a thread nest, and every thread has a name', async () => {
    const threads = Map.groupBy(await slices(), ({ pid, tid }) => `${pid} ${tid}`);
    const names = new Map(
      (await found).flatMap(({ name, pid, tid, args }) =>
        name === 'thread_name' ? [[`${pid} ${tid}`, String(args['name'])]] : [],
      ),
    );
    for (const [thread, own] of threads) {
      expect(names.get(thread)).toBeTruthy();
      const open: number[] = [];
      for (const { ts, dur } of own) {
        const [start, end] = [nanoseconds(ts), nanoseconds(ts) + nanoseconds(dur)];
        while (open.length > 0 && open.at(-1)! <= start) open.pop();
        expect(end).toBeLessThanOrEqual(open.at(-1) ?? Infinity);
        open.push(end);
      }
    }
    // Two nodes and a copy at once.
    expect([...names.values()].filter((name) => name === 'Stream 7')).toHaveLength(3);
    expect(names.get('1000 1000')).toBe('CUDA API, thread 1000');
    expect(names.get('1000 1001')).toBe('CUDA API, thread 1001');
  });

  test('an arrow from the call to each thing it started', async () => {
    const by = (phase: string): Promise<Map<number, ChromeEvent>> =>
      found.then((list) => new Map(list.filter(({ ph }) => ph === phase).map((event) => [event.id, event])));
    const [starts, ends, own] = [await by('s'), await by('f'), await slices()];
    expect([...starts.keys()]).toEqual([...ends.keys()]);
    const at = ({ pid, tid, ts }: ChromeEvent): ChromeEvent =>
      own.find((slice) => slice.pid === pid && slice.tid === tid && slice.ts === ts)!;
    const arrows = [...starts.values()].map((start) => [at(start).name, at(ends.get(start.id)!).name]);
    expect(arrows.sort()).toEqual([
      ['cudaGraphLaunch', 'Graph 3'],
      ['cudaGraphLaunch', 'saxpy'],
      ['cudaGraphLaunch', 'saxpy'],
      ['cudaLaunchKernel', 'saxpy'],
      ['cudaMemcpyAsync', 'Memcpy DtoH (Device -> Pageable)'],
      ['cudaMemcpyAsync', 'Memcpy HtoD (Pinned -> Device)'],
      ['cudaMemcpyPeerAsync', 'Memcpy PtoP (Device -> Device)'],
      ['cudaMemsetAsync', 'Memset'],
    ]);
  });

  test('counters add up what goes on at once', async () => {
    const dram = (await found).filter(({ ph, name }) => ph === 'C' && name === 'DRAM throughput');
    const bytes = 2 * 1048576;
    expect(dram.map(({ ts, args }) => [nanoseconds(ts), args['GB/s']])).toEqual([
      [1300, bytes / 2000],
      [3300, 0],
      [5200, bytes / 800],
      [5300, bytes / 800 + bytes / 701],
      [6000, bytes / 701],
      [6001, 0],
    ]);
  });

  test('compressed, it is the same', async () => {
    await withFile((file) => writeChromeTrace(file, `${target}.gz`, true));
    expect(gunzipSync(readFileSync(`${target}.gz`)).equals(readFileSync(target))).toBe(true);
  });

  test('a recording with nothing in it', async () => {
    const nothing = join(folder, 'nothing.json');
    await withFile((file) => writeChromeTrace(file, nothing, false), write(join(folder, 'nothing.simsight'), []));
    const { traceEvents } = JSON.parse(readFileSync(nothing, 'utf8')) as { traceEvents: ChromeEvent[] };
    expect(traceEvents.map(({ ph }) => ph)).toEqual(['M', 'M', 'M', 'M', 'M']);
  });
});

test('CSV: any table, exact and quoted', async () => {
  const target = join(folder, 'table.csv');
  await withFile((file) => writeCsv(readTable(file, 'NVTX_EVENTS'), target));
  expect(readFileSync(target, 'utf8')).toContain('"frame ""1"",\nall"');
  await withFile((file) => writeCsv(readTable(file, 'TARGET_INFO_SESSION_START_TIME'), target));
  // More digits than a double has.
  expect(readFileSync(target, 'utf8')).toBe(
    'utcEpochNs,utcTime,localTime,systemClockNs\n1767225600000000000,2026-01-01T00:00:00,2026-01-01T00:00:00,0\n',
  );
  await expect(withFile((file) => readTable(file, 'sqlite_schema"; --'))).rejects.toThrow(/There is no table/);
});

/** Views of events have it as their last column. */
function withoutRowid({ rowid: _, ...row }: { rowid?: unknown }): object {
  return row;
}

describe('SQLite', () => {
  const contents = (file: string, names?: string[]): Record<string, unknown[]> => {
    const db = new Database(file, { readonly: true });
    const tables =
      names ?? (db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[]);
    const found = tables.map((name) => [name, db.prepare(`SELECT * FROM ${name}`).safeIntegers().all()] as const);
    db.close();
    return Object.fromEntries(found);
  };

  test('nsys: its tables alone, its columns and types, our rows', async () => {
    const target = join(folder, 'nsys.sqlite');
    await withFile((file) => writeNsysExport(file, target));
    const exported = contents(target);
    expect(Object.keys(exported).filter((name) => name.includes('SIMSIGHT'))).toEqual([]);
    const trace = contents(path, Object.keys(exported));
    for (const [name, rows] of Object.entries(exported)) {
      const added = name === 'CUPTI_ACTIVITY_KIND_KERNEL' ? { tensorSizeMinusOneElements: '[]' } : {};
      expect(rows, name).toEqual(
        trace[name]!.map((row) => withoutRowid({ ...(row as { rowid?: unknown }), ...added })),
      );
    }
    const db = new Database(target);
    const columns = db.prepare('SELECT name, type, "notnull" FROM pragma_table_info(?)').raw();
    expect(columns.all('CUPTI_ACTIVITY_KIND_RUNTIME')).toEqual([
      ['start', 'INTEGER', 1],
      ['end', 'INTEGER', 1],
      ['eventClass', 'INTEGER', 1],
      ['globalTid', 'INTEGER', 0],
      ['correlationId', 'INTEGER', 0],
      ['nameId', 'INTEGER', 1],
      ['returnValue', 'INTEGER', 1],
      ['callchainId', 'INTEGER', 0],
    ]);
    expect(columns.all('NVTX_EVENTS')).toContainEqual(['doubleValue', 'REAL', 0]);
    db.close();
    expect(existsSync(`${target}-journal`)).toBe(false);
  });

  test('nsys: a table without rows is not there', async () => {
    const target = join(folder, 'few.sqlite');
    await withFile((file) => writeNsysExport(file, target), write(join(folder, 'few.simsight'), [kernel(1, 2, 3)]));
    const names = Object.keys(contents(target));
    expect(names).toContain('CUPTI_ACTIVITY_KIND_KERNEL');
    expect(names).toContain('ENUM_CUDA_MEMCPY_OPER');
    expect(names).not.toContain('CUPTI_ACTIVITY_KIND_MEMCPY');
  });

  test("nsys: the file's own views are not asked", async () => {
    const hostile = join(folder, 'views.simsight');
    writeFileSync(hostile, readFileSync(path));
    const db = new Database(hostile);
    db.exec(`DROP VIEW CUPTI_ACTIVITY_KIND_MEMSET; CREATE VIEW CUPTI_ACTIVITY_KIND_MEMSET AS
      WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x AS start FROM r`);
    db.close();
    const targets = ['plain.sqlite', 'views.sqlite'].map((name) => join(folder, name));
    await withFile((file) => writeNsysExport(file, targets[0]!));
    await withFile((file) => writeNsysExport(file, targets[1]!), hostile);
    expect(contents(targets[1]!)).toEqual(contents(targets[0]!));
  });

  test('views, virtual tables and tables that are not ours: the first two are not asked', async () => {
    const hostile = join(folder, 'evil.simsight');
    writeFileSync(hostile, readFileSync(path));
    const db = new Database(hostile);
    const endless = 'WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x FROM r';
    db.exec(`CREATE VIEW evil AS ${endless}; CREATE VIEW ENUM_EVIL AS ${endless};
      CREATE VIRTUAL TABLE words USING fts5(a, b);
      CREATE TABLE extra (a INTEGER PRIMARY KEY, b TEXT) WITHOUT ROWID; INSERT INTO extra VALUES (1, 'one')`);
    db.close();
    await withFile(async (file) => {
      const names = tableNames(file);
      expect(names).toEqual(expect.arrayContaining(['extra', 'CUPTI_ACTIVITY_KIND_KERNEL', 'StringIds']));
      for (const name of ['evil', 'ENUM_EVIL', 'words']) {
        expect(names).not.toContain(name);
        expect(() => readTable(file, name)).toThrow(/There is no table/);
      }
      const target = join(folder, 'evil.parquet');
      await writeParquetFolder(file, names, target);
      expect(readdirSync(target)).toContain('extra.parquet');
      writeNsysExport(file, join(folder, 'evil.sqlite'));
      writeWhole(file, join(folder, 'evil-whole.simsight'));
    }, hostile);
  });

  test('nothing that a trace shares with nsys is forgotten', async () => {
    await withFile((file) => {
      const own = /^(SIMSIGHT_|ENUM_SIMSIGHT_)/;
      const known = new Map(nsysTables(tableNames(file)).map(({ name, columns }) => [name, columns]));
      for (const name of tableNames(file).filter((name) => !own.test(name))) {
        const exported = known.get(name)?.map((column) => column.name);
        expect(exported, name).toEqual(
          expect.arrayContaining(
            readTable(file, name)
              .columns.map((c) => c.name)
              .filter((column) => column !== 'rowid'),
          ),
        );
      }
    });
  });

  test('whole: all tables, and what an unfinished recording has in its log', async () => {
    const unfinished = join(folder, 'unfinished.simsight');
    const writer = createTraceWriter(unfinished, facts);
    writer.append(Array.from({ length: 1.5 * rowsPerCommit }, (_, i) => api('cudaMalloc', i, i + 1, i)));
    expect(existsSync(`${unfinished}-wal`)).toBe(true);
    const targets = ['whole.sqlite', 'log.sqlite'].map((name) => join(folder, name));
    await withFile((file) => writeWhole(file, targets[0]!), unfinished);
    await withFile((file) => writeNsysExport(file, targets[1]!), unfinished);
    for (const target of targets) {
      expect(contents(target, ['CUPTI_ACTIVITY_KIND_RUNTIME'])['CUPTI_ACTIVITY_KIND_RUNTIME']).toHaveLength(
        rowsPerCommit,
      );
    }
    writer.abandon();
    await withFile((file) => writeWhole(file, join(folder, 'all.sqlite')));
    expect(contents(join(folder, 'all.sqlite'))).toEqual(contents(path));
  });
});

describe('Parquet', () => {
  test('every table comes back as it was', async () => {
    const target = join(folder, 'parquet');
    await withFile((file) => writeParquetFolder(file, tableNames(file), target));
    const names = readdirSync(target).map((name) => name.replace('.parquet', ''));
    expect(names.length).toBeGreaterThan(25);
    await withFile(async (file) => {
      const filled = tableNames(file).filter((name) => [...readTable(file, name).rows()].length > 0);
      expect(names).toEqual(filled);
      for (const name of names) {
        const back = await parquetReadObjects({
          file: await asyncBufferFromFile(join(target, `${name}.parquet`)),
          utf8: false,
        });
        const { columns, rows } = readTable(file, name);
        const plain = (cell: unknown): unknown => (ArrayBuffer.isView(cell) ? Buffer.from(cell as Buffer) : cell);
        const stored = [...rows()].map((row) => Object.fromEntries(row.map((c, i) => [columns[i]!.name, plain(c)])));
        expect(
          back.map((row) => Object.fromEntries(Object.entries(row).map(([key, cell]) => [key, plain(cell)]))),
          name,
        ).toEqual(stored);
      }
    });
    const metadata = await parquetMetadataAsync(await asyncBufferFromFile(join(target, 'NVTX_EVENTS.parquet')));
    const types = new Map(metadata.schema.map(({ name, type, converted_type }) => [name, [type, converted_type]]));
    expect(types.get('start')).toEqual(['INT64', undefined]);
    expect(types.get('doubleValue')).toEqual(['DOUBLE', undefined]);
    expect(types.get('text')).toEqual(['BYTE_ARRAY', 'UTF8']);
  });

  test('a report: repeated names are a dictionary, rows come in groups', async () => {
    const target = join(folder, 'report.parquet');
    const calls = Array.from({ length: 70_000 }, (_, i) => api(`cudaMalloc`, 10 * i, 10 * i + 5, i));
    const trace = openTrace(write(join(folder, 'calls.simsight'), calls));
    const report = makeReport(trace, 'cuda_api_trace');
    trace.close();
    await writeParquetReport(report, target);
    const file = await asyncBufferFromFile(target);
    const back = await parquetReadObjects({ file });
    expect(back).toHaveLength(70_000);
    expect(back[69_999]).toMatchObject({ 'Start (ns)': 699_990n, 'Duration (ns)': 5n, Name: 'cudaMalloc' });
    const metadata = await parquetMetadataAsync(file);
    expect(metadata.row_groups.map((group) => Number(group.num_rows))).toEqual([65_536, 4464]);
    const name = metadata.row_groups[0]!.columns.find(({ meta_data }) => meta_data!.path_in_schema[0] === 'Name')!;
    expect(name.meta_data!.encodings).toContain('RLE_DICTIONARY');
    const types = new Map(metadata.schema.map(({ name, type }) => [name, type]));
    expect([types.get('Start (ns)'), types.get('Name')]).toEqual(['INT64', 'BYTE_ARRAY']);
  });
});

describe('where it goes', () => {
  const target = join(folder, 'target.txt');
  const [keeping, forcing] = [false, true].map((force) => ({ force, holds: 'text' as const })) as [
    ExportOrder,
    ExportOrder,
  ];
  const writeText = (text: string) => (temporary: string) => writeFileSync(temporary, text);

  test('what fails leaves what was there', async () => {
    await writeTarget(target, keeping, writeText('first'));
    await expect(writeTarget(target, keeping, writeText('second'))).rejects.toThrow(/exists/);
    await expect(
      writeTarget(target, forcing, (temporary) => {
        writeFileSync(temporary, 'half');
        throw new Error('no more');
      }),
    ).rejects.toThrow('no more');
    expect(readFileSync(target, 'utf8')).toBe('first');
    expect(readdirSync(folder).filter((name) => name.startsWith('target.txt'))).toEqual(['target.txt']);
    await writeTarget(target, forcing, writeText('third'));
    expect(readFileSync(target, 'utf8')).toBe('third');
  });

  test('never over a trace, a folder, or into nowhere', async () => {
    await expect(writeTarget(path, forcing, writeText(''))).rejects.toThrow(/all\.simsight exists/);
    await expect(writeTarget(folder, forcing, writeText(''))).rejects.toThrow(/is a folder/);
    await expect(writeTarget(join(folder, 'no', 'x'), forcing, writeText(''))).rejects.toThrow(/does not exist/);
  });
});
