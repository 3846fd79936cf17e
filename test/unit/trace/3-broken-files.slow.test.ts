/** Whatever file is given: a clear error or an opened trace, never a crash, and the file is left as it was. */
import Database from 'better-sqlite3';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SimsightError, type ErrorCode } from '../../../engine/base/errors.ts';
import { openRecording } from '../../../engine/formats/open.ts';
import { createSchema, formatVersion } from '../../../engine/trace/schema.ts';
import { openTrace } from '../../../engine/trace/reader.ts';
import { api, kernel, temporaryFolder, write } from './example-recording.ts';
import { withoutIndex } from './without-index.ts';

const folder = temporaryFolder();
const good = write(join(folder, 'good.simsight'));
const bytes = readFileSync(good);

/** The error that opening gives, after using all of the trace if it opens; null when all went well. */
function errorOf(path: string): SimsightError | null {
  try {
    const trace = openTrace(path);
    try {
      trace.window(
        trace.info.tracks.map(({ id }) => id),
        0,
        trace.info.durationNs,
        1,
      );
      trace.event({ kind: 'kernel', row: 1 });
      trace.console();
      trace.sources();
    } finally {
      trace.close();
    }
    return null;
  } catch (error) {
    if (!(error instanceof SimsightError)) throw error;
    return error;
  }
}

function expectError(path: string, code: ErrorCode, message: RegExp): void {
  const error = errorOf(path);
  expect(error?.code).toBe(code);
  expect(error?.message).toMatch(message);
  expect(error?.message).toContain(path);
}

function saved(name: string, content: Uint8Array | string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

test('no file, a folder, an empty file, another kind of file', () => {
  expectError(join(folder, 'none.simsight'), 'file-not-found', /There is no file/);
  mkdirSync(join(folder, 'folder.simsight'));
  expectError(join(folder, 'folder.simsight'), 'file-is-directory', /is a folder/);
  expectError(saved('empty.simsight', ''), 'trace-not-sqlite', /it is empty/);
  expectError(saved('text.simsight', 'not a trace'.repeat(1000)), 'trace-not-sqlite', /no SQLite file/);
  expectError('/dev/null', 'file-unreadable', /not a regular file/);
});

test.each([
  ['run.nsys-rep', 'QDSTRM\0\x01', /report of Nsight Systems/, 'nsys export --type sqlite run.nsys-rep'],
  ['run.qdrep', '\0\0', /report of Nsight Systems/, 'nsys export --type sqlite run.qdrep'],
  ['kernel.ncu-rep', 'NVR\0', /report of Nsight Compute/, 'nsys profile'],
  ['phone.pftrace', '\n\x80\x01', /trace of Perfetto/, 'traceconv json phone.pftrace'],
  ['all.zip', 'PK\x03\x04', /archive/, 'Unpack it'],
  ['notes.docx', 'PK\x03\x04', /no SQLite file/, 'Choose a .simsight file'],
])('%s: what it is, and how to get what can be opened', async (name, start, what, remedy) => {
  const path = saved(name, Buffer.concat([Buffer.from(start, 'latin1'), Buffer.alloc(1000)]));
  expectError(path, 'trace-not-sqlite', what);
  expect(errorOf(path)!.remedy).toContain(remedy);
  await expect(openRecording(path)).rejects.toMatchObject({ remedy: expect.stringContaining(remedy) as string });
});

test('other SQLite files', () => {
  const other = join(folder, 'other.sqlite');
  const db = new Database(other);
  db.exec('CREATE TABLE notes (text)');
  db.close();
  expectError(other, 'trace-foreign', /but neither a Simsight trace nor an export of Nsight Systems/);
});

test('a trace of another format says so, one without its tables is damaged', () => {
  let db: Database.Database;
  for (const [format, code] of [
    [99, 'trace-newer'],
    [1, 'trace-older'],
  ] as const) {
    const other = join(folder, `format-${format}.simsight`);
    copyFileSync(good, other);
    db = new Database(other);
    db.pragma(`user_version = ${format}`);
    db.close();
    expectError(other, code, new RegExp(`its format is ${format}, this one reads ${formatVersion}`));
  }

  const gone = join(folder, 'gone.simsight');
  copyFileSync(good, gone);
  db = new Database(gone);
  db.exec('DROP TABLE SIMSIGHT_CONSOLE');
  db.close();
  expectError(gone, 'trace-damaged', /SIMSIGHT_CONSOLE is missing/);
});

test('a trace that was cut off is damaged, wherever the cut is', () => {
  for (const length of [
    16,
    50,
    99,
    100,
    1000,
    4096,
    5000,
    8192,
    bytes.length >> 1,
    bytes.length - 4096,
    bytes.length - 1,
  ]) {
    expectError(saved('cut.simsight', bytes.subarray(0, length)), 'trace-damaged', /damaged/);
  }
});

test('flipped bytes: an error or a trace, and never anything else', () => {
  const big = readFileSync(
    write(
      join(folder, 'big.simsight'),
      Array.from({ length: 600 }, (_, i) => [
        api('cudaLaunchKernel', i * 10, i * 10 + 4, i),
        kernel(i * 10 + 4, i * 10 + 9, i),
      ]).flat(),
    ),
  );
  let state = 7;
  const next = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % below;
  };
  const outcomes = { opened: 0, refused: 0 };
  for (let turn = 0; turn < 300; turn++) {
    const broken = Buffer.from(turn % 2 ? big : bytes);
    for (let flips = 1 + next(20); flips > 0; flips--) broken[next(turn % 3 ? broken.length : 4096)] = next(256);
    const path = saved('flipped.simsight', broken);
    const error = errorOf(path);
    if (error) outcomes.refused++;
    else outcomes.opened++;
    expect(readFileSync(path).equals(broken)).toBe(true);
  }
  expect(outcomes.opened).toBeGreaterThan(0);
  expect(outcomes.refused).toBeGreaterThan(0);
});

test('times that cannot be drawn are left out and counted', () => {
  const path = withoutIndex(write(join(folder, 'times.simsight')));
  const db = new Database(path);
  const addTo = db.prepare(
    'INSERT INTO SIMSIGHT_EVENTS_RUNTIME (start, length, correlationId, shape) SELECT ?, ?, 77, min(id) FROM SIMSIGHT_SHAPES_RUNTIME',
  );
  addTo.run(500, -100);
  addTo.run(-1e6, 400);
  addTo.run(0, Infinity);
  addTo.run(-Infinity, Infinity);
  db.close();
  const trace = openTrace(path);
  expect(trace.info.eventCount).toBe(12);
  expect(trace.info.durationNs).toBe(4700);
  expect(trace.info.notices).toContain('4 events were left out because their times cannot be read.');
  trace.close();
});

test('a description of the GPU that makes no sense is left out, and that is said', () => {
  for (const [figure, value] of [
    ['$.limits.blocksPerSm', null],
    ['$.core.smCount', 'many'],
    ['$.throughput.schedulers', 0],
  ] as const) {
    const path = join(folder, 'gpu.simsight');
    copyFileSync(good, path);
    const db = new Database(path);
    db.prepare(`UPDATE SIMSIGHT_RECORDING SET value = json_set(value, ?, ?) WHERE name = 'gpu'`).run(figure, value);
    db.close();
    const trace = openTrace(path);
    expect(trace.facts.gpu, figure).toBeNull();
    expect(trace.info.notices.at(-1)).toMatch(/GPU cannot be read/);
    expect(trace.info.tracks.every(({ lanes }) => Number.isInteger(lanes))).toBe(true);
    trace.close();
  }
});

test('opening writes nothing, and code in the file does not run', () => {
  const path = join(folder, 'hostile', 'trace.simsight');
  mkdirSync(join(folder, 'hostile'));
  copyFileSync(good, path);
  const db = new Database(path);
  db.exec(`DROP TABLE SIMSIGHT_NOTICES; CREATE VIEW SIMSIGHT_NOTICES AS SELECT 1 AS id, 'x' AS text`);
  db.close();
  const before = readFileSync(path);
  expectError(path, 'trace-damaged', /SIMSIGHT_NOTICES is missing/);
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(readdirSync(join(folder, 'hostile'))).toEqual(['trace.simsight']);
});

test('what a definition in the file would compute is not: checks of rows, columns, indexes', () => {
  const slow = 'length(hex(zeroblob(400000000)))';
  const changed = (name: string, of: string, sql: string): string => {
    const path = join(folder, name);
    copyFileSync(of, path);
    const db = new Database(path);
    db.pragma('ignore_check_constraints = ON');
    db.exec(sql);
    db.close();
    return path;
  };
  const start = performance.now();
  const rows = Array.from({ length: 50 }, () => '(1)').join(', ');
  const checks = changed(
    'checks.simsight',
    good,
    `CREATE TABLE slow (a CHECK (${slow} > a)); INSERT INTO slow VALUES ${rows}`,
  );
  expect(errorOf(checks)).toBe(null);
  const computed = changed(
    'computed.simsight',
    good,
    `ALTER TABLE SIMSIGHT_EVENTS_KERNEL ADD COLUMN more AS (${slow})`,
  );
  expectError(computed, 'trace-damaged', /SIMSIGHT_EVENTS_KERNEL has computed columns/);
  // In the rows of the timeline, which files without them get in a copy.
  const bare = withoutIndex(write(join(folder, 'bare.simsight')));
  const index = `CREATE INDEX slow ON SIMSIGHT_CHARTS (length(hex(zeroblob(iif(cells IS NULL, 1, 400000000)))))`;
  expect(errorOf(changed('index.simsight', bare, index))).toBe(null);
  expect(performance.now() - start).toBeLessThan(20_000);
});

test('the schema is made of an empty database, whole or not at all', () => {
  const db = new Database(join(folder, 'made.sqlite'));
  // In the way of one of the last tables.
  db.exec('CREATE TABLE ENUM_NSYS_EVENT_TYPE (x)');
  expect(() => createSchema(db)).toThrow(/already exists/);
  expect(db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get()).toBe(1);
  expect(db.pragma('user_version', { simple: true })).toBe(0);

  db.exec('DROP TABLE ENUM_NSYS_EVENT_TYPE');
  createSchema(db);
  expect(db.pragma('user_version', { simple: true })).toBe(formatVersion);
  db.close();
});
