/** SQLite files, ours and exports of Nsight Systems, that say more than they hold, or what no recording says. */
import Database from 'better-sqlite3';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { writeTrace } from './recordings.ts';
import type { Random } from '../../fuzz/random.ts';
import type { Make } from './chrome.ts';
import { hostileText } from './texts.ts';

type Db = Database.Database;

const counts = (random: Random): number => random.pick([2000, 20_000, 100_000, 200_000]);
const series = (count: number): string =>
  `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})`;

/** A small export, with one table of events that says `cells` of each of `count`. */
function exported(path: string, columns: string, count: number, cells: string, also?: (db: Db) => void): string {
  const db = new Database(`${path}.sqlite`);
  db.pragma('journal_mode = OFF');
  db.exec(`CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
    INSERT INTO StringIds VALUES (1, 'k'), (2, 'void k(int)'), (3, 'cudaLaunchKernel');
    CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
    ${columns};`);
  const table = /TABLE (\w+)/.exec(columns)![1]!;
  db.exec(`${series(count)} INSERT INTO ${table} SELECT ${cells} FROM n`);
  also?.(db);
  db.close();
  return '.sqlite';
}
const kernels = `CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
  streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, gridX INTEGER,
  gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, registersPerThread INTEGER,
  staticSharedMemory INTEGER, dynamicSharedMemory INTEGER)`;
const kernelCells = (changed: Record<string, string> = {}): string => {
  const cells = {
    ...{
      start: 'i * 10',
      end: 'i * 10 + 5',
      deviceId: '0',
      contextId: '1',
      streamId: '7',
      correlationId: 'i',
      globalPid: '1 << 24',
    },
    ...{
      demangledName: '2',
      shortName: '1',
      gridX: '1',
      gridY: '1',
      gridZ: '1',
      blockX: '32',
      blockY: '1',
      blockZ: '1',
      registersPerThread: '16',
      a: '0',
      b: '0',
    },
    ...changed,
  };
  return Object.values(cells).join(', ');
};
const ranges = `CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, domainId INTEGER)`;
const calls = `CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER)`;
const extremes = [
  '9223372036854775807',
  '-9223372036854775808',
  '9007199254740993',
  '-1',
  '0',
  'NULL',
  "'x'",
  '1e300',
  '9e999',
  '4503599627370496',
  '4503599627370497',
  "x'00'",
];

/** A small trace of ours, changed. */
async function changed(path: string, change: (db: Db) => void): Promise<string> {
  await writeTrace(`${path}.simsight`, 300);
  const db = new Database(`${path}.simsight`);
  db.unsafeMode(true);
  db.pragma('foreign_keys = OFF');
  db.pragma('writable_schema = ON');
  change(db);
  db.close();
  return '.simsight';
}
const tablesOf = (db: Db): string[] =>
  db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all() as string[];
const columnsOf = (db: Db, table: string): string[] =>
  (db.pragma(`table_info("${table}")`) as { name: string }[]).map(({ name }) => name);

/** Columns of text are computed, or have a default that each row of a few bytes has. */
function multiply(db: Db, random: Random, tables: readonly string[]): void {
  const table = random.pick(tables);
  const columns = columnsOf(db, table);
  if (columns.length === 0) return;
  const column = random.pick(columns);
  const kept = columns.filter((name) => name !== column);
  const long = random.pick([10_000, 1_000_000, 100_000_000]);
  const list = kept.map((name) => `"${name}"`).join(', ');
  db.exec(`CREATE TABLE kept AS SELECT ${kept.length > 0 ? list : '1 AS one'} FROM "${table}" LIMIT 5000`);
  db.exec(`DROP TABLE IF EXISTS "${table}"`);
  if (random.chance(0.6)) {
    db.exec(
      `CREATE TABLE "${table}" (${[...kept.map((name) => `"${name}"`), `"${column}" GENERATED ALWAYS AS (${random.pick([`printf('%.*c', ${long}, 'x')`, `hex(zeroblob(${long}))`, `zeroblob(${long})`, `replace(printf('%.*c', 10000, 'x'), 'x', 'xxxxxxxx')`])}) VIRTUAL`].join(', ')})`,
    );
    if (kept.length > 0) db.exec(`INSERT INTO "${table}" (${list}) SELECT * FROM kept`);
  } else {
    db.exec(`CREATE TABLE "${table}" (${kept.length > 0 ? list : 'one'})`);
    db.exec(`INSERT INTO "${table}" SELECT * FROM kept`);
    db.exec(`ALTER TABLE "${table}" ADD COLUMN "${column}" TEXT DEFAULT '${'x'.repeat(Math.min(long, 500_000))}'`);
  }
  db.exec('DROP TABLE kept');
}

function inPlace(db: Db, random: Random, table: string): void {
  const columns =
    columnsOf(db, table)
      .map((name) => `"${name}"`)
      .join(', ') || 'x';
  const nothing = columns
    .split(', ')
    .map(() => '1')
    .join(', ');
  db.exec(`DROP TABLE IF EXISTS "${table}"`);
  db.exec(
    random.pick([
      `CREATE VIEW "${table}" (${columns}) AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT ${nothing} FROM n`,
      `CREATE VIEW "${table}" (${columns}) AS SELECT * FROM "${table}"`,
      `CREATE VIRTUAL TABLE "${table}" USING fts5(${columns})`,
      `CREATE TABLE "${table}" (${columns}, PRIMARY KEY (${columns.split(', ')[0]!})) WITHOUT ROWID`,
    ]),
  );
}

/** Pages of a table's tree that lead to each other, or all to one: without end, or as much as anybody likes. */
function tangle(path: string, random: Random): void {
  const bytes = readFileSync(path);
  const size = bytes.readUInt16BE(16) === 1 ? 65536 : bytes.readUInt16BE(16);
  const inner: number[] = [];
  for (let page = 1; page * size < bytes.length; page++) if (bytes[page * size] === 5) inner.push(page);
  for (const page of inner.slice(0, 20)) {
    const at = page * size;
    const cells = bytes.readUInt16BE(at + 3);
    const target = random.pick([page + 1, random.pick(inner) + 1, bytes.readUInt32BE(at + 8)]);
    for (let cell = 0; cell < cells; cell++) {
      const place = bytes.readUInt16BE(at + 12 + 2 * cell);
      if (place + 4 < size && random.chance(0.9)) bytes.writeUInt32BE(target, at + place);
    }
  }
  writeFileSync(path, bytes);
}

export const sqliteFiles: Record<string, Make> = {
  'nsys: a stream for each kernel': (path, random) =>
    exported(path, kernels, counts(random), kernelCells({ streamId: 'i' })),
  'nsys: a GPU for each kernel': (path, random) =>
    exported(path, kernels, random.pick([2000, 20_000, 100_000]), kernelCells({ deviceId: 'i' })),
  'nsys: a context for each kernel': (path, random) =>
    exported(path, kernels, counts(random), kernelCells({ contextId: 'i' })),
  'nsys: a process for each kernel': (path, random) =>
    exported(path, kernels, counts(random), kernelCells({ globalPid: 'i << 24' })),
  'nsys: a thread for each call': (path, random) =>
    exported(path, calls, counts(random), 'i * 10, i * 10 + 5, 0, (i << 24) + i, i, 3, 0'),
  'nsys: a configuration for each kernel': (path, random) =>
    exported(
      path,
      kernels,
      counts(random),
      kernelCells({ gridX: 'i', blockX: 'i % 1024', registersPerThread: 'i % 255' }),
    ),
  'nsys: a name for each kernel': (path, random) =>
    exported(path, kernels, counts(random), kernelCells({ demangledName: 'i + 10', shortName: 'i + 10' }), (db) =>
      db.exec(`${series(200_000)} INSERT INTO StringIds SELECT i + 10, 'void k<' || i || '>(int)' FROM n`),
    ),
  'nsys: nested ranges': (path, random) => {
    const count = counts(random);
    const name = random.pick(['range', 'x'.repeat(100)]);
    return exported(path, ranges, count, `i, ${2 * count} - i, 59, '${name} ' || ${random.pick(['i', '0'])}, 1, 0`);
  },
  'nsys: ranges that overlap': (path, random) => {
    const count = counts(random);
    return exported(path, ranges, count, `i, i + ${count}, 60, 'r' || (i % 7), 1, 0`);
  },
  'nsys: ranges that never end': (path, random) =>
    exported(path, ranges, counts(random), `i, NULL, 59, 'r' || i, ${random.pick(['1', 'i'])}, i`),
  'nsys: steps without number': (path, random) =>
    exported(
      path,
      ranges,
      counts(random),
      `i * 10, i * 10 + 9, 59, '${random.pick(['step ', 'ProfilerStep#'])}' || i, 1, 0`,
    ),
  'nsys: one long name for all': (path, random) =>
    exported(path, kernels, random.pick([500, 5000, 20_000]), kernelCells(), (db) =>
      db.prepare('UPDATE StringIds SET value = ?').run(hostileText(random, 2 ** random.pick([12, 16, 20]))),
    ),
  'nsys: one long text for all ranges': (path, random) =>
    exported(
      path,
      'CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, textId INTEGER, globalTid INTEGER)',
      random.pick([500, 5000, 20_000]),
      'i * 10, i * 10 + 9, 59, 1, 1',
      (db) => db.prepare('UPDATE StringIds SET value = ?').run(hostileText(random, 2 ** random.pick([12, 16, 20]))),
    ),
  'nsys: times at the ends of numbers': (path, random) =>
    exported(path, kernels, 2000, kernelCells(), (db) => {
      const columns = columnsOf(db, 'CUPTI_ACTIVITY_KIND_KERNEL');
      for (let turns = 60; turns > 0; turns--)
        db.exec(
          `UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET ${random.pick(columns)} = ${random.pick(extremes)} WHERE rowid % ${1 + random.below(50)} = 0`,
        );
    }),
  'nsys: ids at the ends of numbers': (path, random) =>
    exported(
      path,
      kernels,
      2000,
      kernelCells({
        globalPid: `i << ${random.pick([24, 40, 62])}`,
        deviceId: `i * ${random.pick([1, 4294967296, -1])}`,
        streamId: `-i << ${random.below(60)}`,
      }),
      (db) =>
        db.exec(
          `INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (rowid, start, end) VALUES (9223372036854775807, 1, 2); INSERT INTO StringIds VALUES (9223372036854775807, 'x'), (-9223372036854775808, 'y')`,
        ),
    ),
  'nsys: cells of many megabytes': (path, random) =>
    exported(path, ranges, 3, "i, i + 1, 59, 'r', 1, 0", (db) => {
      const long = random.pick([10_000_000, 60_000_000, 200_000_000]);
      db.exec(
        `UPDATE NVTX_EVENTS SET text = ${random.pick([`zeroblob(${long})`, `printf('%.*c', ${long}, 'x')`])} WHERE rowid = 1`,
      );
    }),
  'nsys: computed columns and defaults': (path, random) =>
    exported(path, kernels, 5000, kernelCells(), (db) => {
      db.exec(
        `${ranges}; ${calls}; ${series(5000)} INSERT INTO NVTX_EVENTS SELECT i, i + 5, 59, 'r', 1, 0 FROM n; ${series(5000)} INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT i, i + 5, 0, 1, i, 3, 0 FROM n`,
      );
      multiply(db, random, [
        'StringIds',
        'NVTX_EVENTS',
        'CUPTI_ACTIVITY_KIND_KERNEL',
        'CUPTI_ACTIVITY_KIND_RUNTIME',
        'META_DATA_EXPORT',
      ]);
    }),
  'nsys: something else in place of a table': (path, random) =>
    exported(path, kernels, 500, kernelCells(), (db) => {
      db.exec(`${ranges}; ${calls}; CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT)`);
      inPlace(
        db,
        random,
        random.pick(['StringIds', 'NVTX_EVENTS', 'CUPTI_ACTIVITY_KIND_KERNEL', 'PROCESSES', 'META_DATA_EXPORT']),
      );
    }),
  'nsys: triggers and indexes': (path, random) =>
    exported(path, kernels, 500, kernelCells(), (db) =>
      db.exec(`CREATE TRIGGER t AFTER INSERT ON StringIds BEGIN INSERT INTO StringIds SELECT id + 1000000, value FROM StringIds; END;
        CREATE INDEX x ON StringIds (printf('%.*c', 100000, value)); CREATE VIEW v AS SELECT * FROM v2; CREATE VIEW v2 AS SELECT ${random.pick(['*', '1'])} FROM v`),
    ),
  'nsys: tables without number': (path, random) =>
    exported(path, kernels, 500, kernelCells(), (db) => {
      const count = random.pick([1000, 10_000]);
      db.transaction(() => {
        for (let i = 0; i < count; i++)
          db.exec(`CREATE TABLE ${random.pick(['CUPTI_ACTIVITY_KIND_X', 'ENUM_', 'T'])}${i} (a)`);
      })();
    }),
  'nsys: a tangled tree': (path, random) => {
    exported(path, kernels, 100_000, kernelCells());
    tangle(`${path}.sqlite`, random);
    return '.sqlite';
  },
  'nsys: more pages declared than there are': (path, random) => {
    exported(path, kernels, 500, kernelCells());
    const bytes = readFileSync(`${path}.sqlite`);
    bytes.writeUInt32BE(random.pick([0, 1, 2 ** 31, 2 ** 32 - 2]), 28);
    writeFileSync(`${path}.sqlite`, bytes);
    return '.sqlite';
  },
  'ours: a stream for each kernel': async (path, random) => {
    await writeTrace(`${path}.simsight`, counts(random), { stream: true });
    return '.simsight';
  },
  'ours: a GPU for each kernel': async (path, random) => {
    await writeTrace(`${path}.simsight`, random.pick([2000, 20_000, 50_000]), { device: true });
    return '.simsight';
  },
  'ours: a name for each kernel': async (path, random) => {
    await writeTrace(`${path}.simsight`, random.pick([2000, 20_000, 50_000]), { name: true });
    return '.simsight';
  },
  'ours: a thread for each call': async (path, random) => {
    await writeTrace(`${path}.simsight`, counts(random), { thread: true });
    return '.simsight';
  },
  'ours: nested ranges': async (path, random) => {
    await writeTrace(`${path}.simsight`, counts(random), { nested: true });
    return '.simsight';
  },
  'ours: a long name': async (path, random) => {
    await writeTrace(
      `${path}.simsight`,
      random.pick([500, 5000, 20_000]),
      {},
      hostileText(random, 2 ** random.pick([12, 16, 20])),
    );
    return '.simsight';
  },
  'ours: computed columns and defaults': (path, random) => changed(path, (db) => multiply(db, random, tablesOf(db))),
  'ours: something else in place of a table': (path, random) =>
    changed(path, (db) => inPlace(db, random, random.pick(tablesOf(db)))),
  'ours: chunks that declare more than they hold': (path, random) =>
    changed(path, (db) => {
      const [table, column] = random.pick([
        ['SIMSIGHT_TRACK_CHUNKS', 'data'],
        ['SIMSIGHT_CHARTS', 'data'],
      ] as const);
      if (!columnsOf(db, table).includes(column)) return;
      const rows = db.prepare(`SELECT rowid, ${column} FROM ${table}`).raw().all() as [number, Buffer][];
      const update = db.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`);
      for (const [row, data] of rows) {
        if (!Buffer.isBuffer(data) || data.length === 0) continue;
        for (let turns = random.few(8); turns > 0; turns--)
          data[random.below(Math.min(data.length, random.pick([8, 64, 1 << 20])))] = random.pick([0xff, 0x80, 0, 0x7f]);
        update.run(data, row);
      }
    }),
  'ours: numbers of rows and chunks': (path, random) =>
    changed(path, (db) => {
      for (const table of ['SIMSIGHT_TRACKS', 'SIMSIGHT_TRACK_CHUNKS', 'SIMSIGHT_STYLES']) {
        for (const column of columnsOf(db, table)) {
          if (!random.chance(0.3) || column === 'data') continue;
          try {
            db.exec(
              `UPDATE ${table} SET "${column}" = ${random.pick(extremes)} WHERE rowid % ${1 + random.below(4)} = 0`,
            );
          } catch {
            // Not everything fits every column.
          }
        }
      }
    }),
  'ours: what a GPU says of itself': (path, random) =>
    changed(path, (db) => {
      const gpu = JSON.parse(
        String(db.prepare("SELECT value FROM SIMSIGHT_RECORDING WHERE name = 'gpu'").pluck().get()),
      ) as Record<string, Record<string, unknown>>;
      for (const group of Object.values(gpu)) {
        if (typeof group !== 'object' || group === null) continue;
        for (const name of Object.keys(group))
          if (random.chance(0.2)) group[name] = random.pick<unknown>([1e9, 1e300, -1, 0.0001, 'x', null, [], 2 ** 31]);
      }
      const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
      db.prepare("UPDATE SIMSIGHT_RECORDING SET value = ? WHERE name = 'gpu'").run(
        random.chance(0.2) ? deep : JSON.stringify(gpu),
      );
      if (random.chance(0.5))
        db.prepare("INSERT OR REPLACE INTO SIMSIGHT_RECORDING (name, value) VALUES ('otherGpus', ?)").run(
          `[${Array.from({ length: random.pick([1, 5000]) }, () => JSON.stringify(gpu)).join(',')}]`,
        );
    }),
  'ours: what a program printed, its files and notices': (path, random) =>
    changed(path, (db) => {
      const count = random.pick([1000, 100_000, 300_000]);
      db.exec(
        `${series(count)} INSERT INTO SIMSIGHT_CONSOLE (time, stream, text) SELECT ${random.pick(['i', '-i', '9e18'])}, i % 3, 'line ' || i || ${random.pick(['char(10)', "''"])} FROM n`,
      );
      db.exec(`${series(count)} INSERT INTO SIMSIGHT_NOTICES (text) SELECT 'notice ' || i FROM n`);
      db.prepare('UPDATE SIMSIGHT_SOURCES SET text = ?').run(hostileText(random, 2 ** random.pick([16, 20, 24])));
      db.prepare("UPDATE SIMSIGHT_RECORDING SET value = ? WHERE name IN ('title', 'program', 'arguments')").run(
        hostileText(random, 2 ** random.pick([10, 20])),
      );
    }),
  'ours: metrics': (path, random) =>
    changed(path, (db) => {
      const strings = db.prepare('UPDATE StringIds SET value = ? WHERE id = ?');
      for (const id of db.prepare('SELECT id FROM StringIds').pluck().all() as number[])
        if (random.chance(0.5)) strings.run(hostileText(random, 2 ** random.pick([8, 16, 18])), id);
    }),
  'ours: cells that no recording has': (path, random) =>
    changed(path, (db) => {
      for (let turns = 30; turns > 0; turns--) {
        const table = random.pick(tablesOf(db));
        const columns = columnsOf(db, table);
        if (columns.length === 0) continue;
        try {
          db.exec(
            `UPDATE "${table}" SET "${random.pick(columns)}" = ${random.pick([...extremes, 'zeroblob(3000000)', "printf('%.*c', 3000000, 'x')"])} WHERE rowid % ${1 + random.below(9)} = 0`,
          );
        } catch {
          // Not everything fits every column.
        }
      }
    }),
  'ours: bits turned around': async (path, random) => {
    await writeTrace(`${path}.simsight`, 3000);
    const bytes = readFileSync(`${path}.simsight`);
    for (let turns = random.few(200); turns > 0; turns--) bytes[random.below(bytes.length)]! ^= 1 << random.below(8);
    writeFileSync(`${path}.simsight`, bytes);
    return '.simsight';
  },
  'ours: another ending': async (path, random) => {
    await writeTrace(`${path}.simsight`, 300);
    const ending = random.pick(['.json', '.json.gz', '.sqlite', '.nsys-rep', '']);
    copyFileSync(`${path}.simsight`, `${path}${ending}x`);
    return `${ending}x`;
  },
};
