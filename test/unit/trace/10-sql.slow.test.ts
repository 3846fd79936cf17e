/** The SQL console reads, and does nothing else: every way out is tried, and an endless query is ended. */
import Database from 'better-sqlite3';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { SqlTable } from '../../../engine/model/tables.ts';
import { forkSql, runSql, type StartSql } from '../../../engine/trace/sql.ts';
import { querySql } from '../../../engine/trace/sql-query.ts';
import { createTraceWriter } from '../../../engine/trace/writer.ts';
import { cli } from '../../cli/simsight.ts';
import { api, facts, temporaryFolder, write } from './example-recording.ts';

const folder = temporaryFolder();
const path = write(join(folder, 'trace.simsight'));
const before = readFileSync(path);
const query = (text: string, limit = 100): SqlTable => querySql({ path, text, limit, temporary: folder });
const endless = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c';

test('an answer has columns, rows and exact values', () => {
  expect(
    query('SELECT s.value AS kernel, count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds s ON s.id = shortName'),
  ).toEqual({ columns: ['kernel', 'count(*)'], rows: [['saxpy', 1]], limit: 100, cut: false });
  const [cells] = query("SELECT 1.5, NULL, 'ü', 9007199254740991, 9223372036854775807, x'00ff', zeroblob(33)").rows;
  expect(cells).toEqual([1.5, null, 'ü', 9007199254740991, '9223372036854775807', "X'00FF'", '<33 bytes>']);
  expect(query('SELECT 1 AS a, 2 AS a, 3 AS b, 4 AS a').columns).toEqual(['a', 'a:1', 'b', 'a:2']);
});

test('rows beyond the limit are said to be there', () => {
  const rows = (limit: number): [number, boolean] => {
    const table = query('SELECT * FROM CUPTI_ACTIVITY_KIND_RUNTIME', limit);
    return [table.rows.length, table.cut];
  };
  expect([rows(0), rows(5), rows(6), rows(7)]).toEqual([
    [0, true],
    [5, true],
    [6, false],
    [6, false],
  ]);
});

test.each([
  'SELECT 1',
  '  -- a comment; with a semicolon\n/* and another; */ select 1;',
  'WITH a AS (SELECT 1 AS x) SELECT x FROM a',
  'EXPLAIN QUERY PLAN SELECT * FROM StringIds',
  'EXPLAIN DELETE FROM StringIds',
  'PRAGMA table_info(StringIds)',
  'pragma main.table_xinfo = StringIds',
])('may run: %s', (text) => {
  expect(query(text).rows.length).toBeGreaterThan(0);
});

describe('may not run', () => {
  const elsewhere = join(folder, 'elsewhere.db');
  new Database(elsewhere).exec('CREATE TABLE secret (x)').close();
  test.each([
    ['', 'There is no statement'],
    ['-- nothing', 'There is no statement'],
    ['/* never closed', 'There is no statement'],
    ['SELECT 1; SELECT 2', 'more than one statement'],
    ['SELECT 1; DROP TABLE StringIds', 'more than one statement'],
    [`ATTACH '${elsewhere}' AS other`, 'ATTACH is not allowed'],
    ['DETACH main', 'DETACH is not allowed'],
    ["INSERT INTO StringIds VALUES (999, 'x')", 'INSERT is not allowed'],
    ["/* SELECT */ INSERT INTO StringIds VALUES (999, 'x') RETURNING id", 'INSERT is not allowed'],
    ['UPDATE StringIds SET value = 1', 'UPDATE is not allowed'],
    ['DELETE FROM StringIds', 'DELETE is not allowed'],
    ['WITH a AS (SELECT 1) DELETE FROM StringIds', 'is not allowed'],
    ['WITH a AS (SELECT 1) DELETE FROM StringIds RETURNING id', 'is not allowed'],
    ['CREATE TABLE x (y)', 'CREATE is not allowed'],
    ['CREATE TEMP TABLE x (y)', 'CREATE is not allowed'],
    ['DROP TABLE StringIds', 'DROP is not allowed'],
    ['VACUUM', 'VACUUM is not allowed'],
    [`VACUUM INTO '${join(folder, 'copy.db')}'`, 'VACUUM is not allowed'],
    ['REINDEX', 'REINDEX is not allowed'],
    ['BEGIN EXCLUSIVE', 'BEGIN is not allowed'],
    ['PRAGMA query_only = OFF', 'This PRAGMA is not allowed'],
    ['PRAGMA trusted_schema = ON', 'This PRAGMA is not allowed'],
    ['PRAGMA writable_schema(1)', 'This PRAGMA is not allowed'],
    ['PRAGMA table_list', 'This PRAGMA is not allowed'],
    ['(SELECT 1)', '"(" is not allowed'],
    ["SELECT load_extension('x')", 'SQLite: not authorized'],
    ["SELECT writefile('x', 'y')", 'SQLite: no such function: writefile'],
    ["SELECT readfile('/etc/passwd')", 'SQLite: no such function: readfile'],
    ['SELECT * FROM pragma_writable_schema(1)', 'SQLite: '],
    ['SELECT * FROM other.secret', 'SQLite: no such table: other.secret'],
    ['SELEC 1', 'SELEC is not allowed'],
    ['SELECT FROM', 'SQLite: near "FROM": syntax error'],
  ])('%s', (text, message) => {
    expect(() => query(text)).toThrow(message);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('and nothing lies beside the trace afterwards', () => {
    expect(readdirSync(folder).sort()).toEqual(['elsewhere.db', 'trace.simsight']);
  });
});

describe('in a process of its own', () => {
  /** Also says whether the process is still there. */
  const watched = (): { start: StartSql; killed: () => boolean } => {
    let killed = false;
    const start: StartSql = (order) => {
      const started = forkSql(order);
      const kill = (): void => {
        killed = true;
        started.kill();
      };
      return { ...started, kill };
    };
    return { start, killed: () => killed };
  };

  test('answers and errors come back', async () => {
    const { start, killed } = watched();
    const order = { path, text: 'SELECT 1 AS one', limit: 10 };
    const table = await runSql(order, { maxSeconds: 60 }, start);
    expect(table).toEqual({ columns: ['one'], rows: [[1]], limit: 10, cut: false });
    expect(killed()).toBe(true);
    await expect(runSql({ ...order, text: 'SELECT x' }, { maxSeconds: 60 })).rejects.toMatchObject({
      ...{ code: 'sql-failed', message: 'SQLite: no such column: x.' },
    });
    await expect(runSql({ ...order, text: 'VACUUM' }, { maxSeconds: 60 })).rejects.toMatchObject({
      code: 'bad-request',
    });
    const none = join(folder, 'none.simsight');
    await expect(runSql({ ...order, path: none }, { maxSeconds: 60 })).rejects.toMatchObject({
      code: 'file-not-found',
    });
  });

  test('an endless query ends when it is cancelled, and when its time is over', async () => {
    const controller = new AbortController();
    const { start, killed } = watched();
    const order = { path, text: endless, limit: 10 };
    const running = runSql(order, { maxSeconds: 60, signal: controller.signal }, start);
    await setTimeout(500);
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
    expect(killed()).toBe(true);
    await expect(runSql(order, { maxSeconds: 60, signal: controller.signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
    await expect(runSql(order, { maxSeconds: 1 })).rejects.toMatchObject({
      ...{ code: 'budget-exceeded', message: 'The query took longer than 1 s.' },
    });
  });

  test('a process that dies is an error, not a wait', async () => {
    const dying: StartSql = (order) => {
      const started = forkSql(order);
      started.kill();
      return started;
    };
    await expect(runSql({ path, text: endless, limit: 1 }, { maxSeconds: 60 }, dying)).rejects.toThrow(
      /ended without an answer/,
    );
  });

  test('it does not outlive the one that asked', async () => {
    const asking = spawn(process.execPath, [cli, 'sql', path, endless]);
    const childrenOf = (parent: number): number[] =>
      spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
        .stdout.split('\n')
        .map((line) => line.trim().split(/\s+/).map(Number))
        .flatMap(([pid, ppid]) => (ppid === parent ? [pid!] : []));
    const runs = (pid: number): boolean => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    let children: number[] = [];
    while (children.length === 0) {
      await setTimeout(100);
      children = childrenOf(asking.pid!);
    }
    // Into the query.
    await setTimeout(1500);
    expect(runs(children[0]!)).toBe(true);
    asking.kill('SIGKILL');
    // Were it to run on, this would never end.
    while (runs(children[0]!)) await setTimeout(20);
  });

  test('a recording that goes on can be asked as well', async () => {
    const unfinished = join(folder, 'unfinished.simsight');
    const writer = createTraceWriter(unfinished, facts);
    writer.append(Array.from({ length: 50 }, (_, i) => api('cudaMalloc', i, i + 1, i)));
    const text = 'SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME';
    const counted = async () => (await runSql({ path: unfinished, text, limit: 1 }, { maxSeconds: 60 })).rows;
    // It commits after a quarter of a second.
    await expect.poll(counted, { interval: 100, timeout: 900_000 }).toEqual([[50]]);
    expect(existsSync(`${unfinished}-wal`)).toBe(true);
    // Its copy is gone, also when it was cancelled in the middle.
    let copy = '';
    const watching: StartSql = (order) => {
      copy = order.temporary;
      return forkSql(order);
    };
    const controller = new AbortController();
    const limits = { maxSeconds: 60, signal: controller.signal };
    const running = runSql({ path: unfinished, text: endless, limit: 1 }, limits, watching);
    while (readdirSync(copy).length === 0) await setTimeout(10);
    expect(readdirSync(copy)).toHaveLength(1);
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
    expect(existsSync(copy)).toBe(false);
    writer.abandon();
  });
});
