/** A share of `npm run abuse -- files`: small files that say more than they hold have bounds, and say which. */
import Database from 'better-sqlite3';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { compareTraces } from '../../../engine/analysis/compare/index.ts';
import { gpusLeftOut } from '../../../engine/analysis/adviser/timeline-facts.ts';
import { advise } from '../../../engine/analysis/adviser/index.ts';
import { writeReport } from '../../../engine/analysis/report/index.ts';
import { pruneCache } from '../../../engine/formats/import-cache.ts';
import { openRecording } from '../../../engine/formats/open.ts';
import type { Trace } from '../../../engine/trace/reader.ts';
import { temporaryFolder } from '../trace/example-recording.ts';

const folder = temporaryFolder();
let files = 0;

/** An export of Nsight Systems with kernels and ranges. */
function exported(fill: (db: Database.Database) => void): string {
  const path = join(folder, `export-${files++}.sqlite`);
  const db = new Database(path);
  db.pragma('journal_mode = OFF');
  db.exec(`CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
    INSERT INTO StringIds VALUES (1, 'k'), (2, 'k(int)');
    CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER);
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
      correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, gridX INTEGER, gridY INTEGER,
      gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, registersPerThread INTEGER,
      staticSharedMemory INTEGER, dynamicSharedMemory INTEGER);`);
  fill(db);
  db.close();
  return path;
}
const numbers = (count: number): string =>
  `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})`;
const kernels = (count: number, device: string, stream: string): string =>
  `${numbers(count)} INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i * 10, i * 10 + 5 + i % 3, ${device}, 1, ${stream}, i, 1 << 24, 2, 1,
   1, 1, 1, 32, 1, 1, 16, 0, 0 FROM n`;

async function opened<T>(path: string, look: (trace: Trace) => T): Promise<T> {
  const trace = await openRecording(path, { here: true });
  try {
    return look(trace);
  } finally {
    trace.close();
  }
}

describe('exports of Nsight Systems', () => {
  test('columns that are computed, or whose default is long, are refused', async () => {
    const computed = exported((db) =>
      db.exec("CREATE TABLE PROCESSES (globalPid, pid, name GENERATED ALWAYS AS (printf('%.*c', 100000000, 'x')))"),
    );
    await expect(opened(computed, () => 0)).rejects.toThrow(/PROCESSES has computed columns/);
    const byDefault = exported((db) => {
      db.exec('CREATE TABLE PROCESSES (globalPid, pid); INSERT INTO PROCESSES VALUES (1, 1)');
      db.exec(`ALTER TABLE PROCESSES ADD COLUMN name TEXT DEFAULT '${'x'.repeat(100_000)}'`);
    });
    await expect(opened(byDefault, () => 0)).rejects.toThrow(/PROCESSES has columns with long defaults/);
  });

  test('a cell of many megabytes is not read', async () => {
    const path = exported((db) =>
      db.exec("INSERT INTO NVTX_EVENTS VALUES (1, 2, 59, printf('%.*c', 20000000, 'x'), 1), (3, 4, 59, 'short', 1)"),
    );
    const texts = await opened(path, (trace) => trace.query('SELECT text FROM NVTX_EVENTS').flat());
    expect(texts).toEqual([null, 'short']);
  });

  test('rows and GPUs that are too many are counted and said; reports have all events', async () => {
    const path = exported((db) => db.exec(kernels(21_000, '0', 'i')));
    await opened(path, (trace) => {
      expect(trace.info.notices).toContainEqual(expect.stringMatching(/^1001 rows of the timeline are not shown/));
      expect(trace.query('SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL')).toEqual([[21_000]]);
      const { text } = writeReport(trace, 'markdown', { name: 'x' });
      expect(text).toMatch(/least busy rows are not shown/);
    });
    const gpus = exported((db) => db.exec(kernels(1500, 'i', '7')));
    await opened(gpus, (trace) => {
      expect(trace.info.notices).toContainEqual(expect.stringMatching(/^476 GPUs are not shown/));
      expect(gpusLeftOut(trace)).toBe(1024 - 72);
      expect(advise(trace)).toBeDefined();
      expect(writeReport(trace, 'markdown', { name: 'x' }).text).toMatch(/952 more GPUs were less busy/);
    });
  });
});

test('ranges that are nested without end are compared', async () => {
  const path = exported((db) =>
    db.exec(`${numbers(50_000)} INSERT INTO NVTX_EVENTS SELECT i, 100000 - i, 59, 'range ' || i, 1 FROM n`),
  );
  await opened(path, (trace) => {
    const { rows } = compareTraces(trace, trace);
    const deepest = Math.max(...rows.map(({ name }) => name.split(' › ').length));
    expect(deepest).toBe(64);
  });
});

test('of events that all go on at once, those are left out that nobody could see', async () => {
  const path = exported((db) =>
    db.exec(`${numbers(5000)} INSERT INTO NVTX_EVENTS SELECT i, 100000 - i, 59, 'r', 1 FROM n`),
  );
  await opened(path, (trace) => {
    expect(trace.info.tracks.map(({ lanes }) => lanes)).toContain(4096);
    expect(trace.info.notices).toContainEqual(expect.stringMatching(/^904 events are not shown/));
    expect(trace.query('SELECT count(*) FROM NVTX_EVENTS')).toEqual([[5000]]);
  });
});

test('gzip that becomes a hundred times as much is read as far as recordings go, and says so', async () => {
  const event = `{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":7,"ts":1,"dur":1,"args":{"text":"${'x'.repeat(4000)}"}},\n`;
  const path = join(folder, 'bomb.json.gz');
  const block = gzipSync(event.repeat(5000), { level: 9 });
  writeFileSync(path, Buffer.concat([gzipSync('['), ...Array.from({ length: 60 }, () => block), gzipSync('{}]')]));
  const notices = await opened(path, (trace) => trace.info.notices);
  expect(notices).toContainEqual(expect.stringMatching(/become more than \d+\.\d MB, which no recording does/));
});

test('what a program that was killed left half made goes at once', () => {
  const cache = join(folder, 'cache');
  // No process has this number: Linux counts to 2^22.
  for (const name of [`making-${2 ** 22 + 1}-abc`, `making-${process.pid}-abc`])
    mkdirSync(join(cache, name), { recursive: true });
  pruneCache(cache);
  expect(readdirSync(cache)).toEqual([`making-${process.pid}-abc`]);
  expect(existsSync(cache)).toBe(true);
});
