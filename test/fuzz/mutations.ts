/** Ways to spoil a file. Equal kind, seed and number give the same file on every machine. */
import Database from 'better-sqlite3';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Random } from './random.ts';
import type { Family, Source } from './sources.ts';

type Spoil = (bytes: Buffer, random: Random) => Buffer;

const flips: Spoil = (bytes, random) => {
  for (let count = random.few(64); count > 0; count--) bytes[random.below(bytes.length)]! ^= 1 << random.below(8);
  return bytes;
};
const noise: Spoil = (bytes, random) => {
  for (let count = random.few(8); count > 0; count--) {
    random.bytes(random.few(512)).copy(bytes, random.below(bytes.length));
  }
  return bytes;
};
const cut: Spoil = (bytes, random) => bytes.subarray(0, random.below(bytes.length));
const grown: Spoil = (bytes, random) => {
  const at = random.below(bytes.length);
  return Buffer.concat([bytes.subarray(0, at), random.bytes(random.few(5000)), bytes.subarray(at)]);
};
const zeros: Spoil = (bytes, random) => {
  const at = random.below(bytes.length);
  return bytes.fill(random.pick([0, 0xff]), at, Math.min(bytes.length, at + random.few(20_000)));
};

const pageSizeOf = (bytes: Buffer): number => {
  const size = bytes.length > 18 ? bytes.readUInt16BE(16) : 0;
  return size >= 512 ? size : 65536;
};
/** Whole pages of SQLite in each other's places. */
const pages: Spoil = (bytes, random) => {
  const size = pageSizeOf(bytes);
  const count = Math.floor(bytes.length / size);
  for (let turns = random.few(8); turns > 0 && count > 1; turns--) {
    const [from, to] = [random.below(count) * size, (1 + random.below(count - 1)) * size];
    Buffer.from(bytes.subarray(from, from + size)).copy(bytes, to);
  }
  return bytes;
};
/** The numbers that hold SQLite's trees together: file header, page headers, pointers to cells and to overflow. */
const pointers: Spoil = (bytes, random) => {
  const size = pageSizeOf(bytes);
  const count = Math.max(1, Math.floor(bytes.length / size));
  for (let turns = random.few(12); turns > 0; turns--) {
    const page = random.below(4) === 0 ? 0 : random.below(count);
    const start = page * size + (page === 0 ? 100 * random.below(2) : 0);
    const at = Math.min(bytes.length - 5, start + random.below(random.pick([12, 60, size])));
    if (at < 0) continue;
    if (random.chance(0.5)) bytes.writeUInt16BE(random.pick([0, 1, 65535, random.below(65536)]), at);
    else bytes.writeUInt32BE(random.pick([0, 1, count, count + 1, 2 ** 32 - 1, random.below(count + 5)]), at);
  }
  return bytes;
};

/** Pieces of JSON that are as JSON says, or nearly. */
const odd = [
  ...['NaN', '-Infinity', '1e999', '-1', '0', '1.7e308', '9007199254740993', '18446744073709551616', '1e-400', 'null'],
  ...[
    '""',
    '"\\ud800"',
    '"\\u0000"',
    '{}',
    '[]',
    '[[[[]]]]',
    '{"a":{"b":[1]}}',
    'true',
    '"\u202e<script>"',
    ',',
    ':',
    '"',
  ],
  ...['}', ']', '{', '[', '\\', '"ph":"X"', '"ph":"E"', '"ts":-5', '"dur":-1', '"pid":"a"', '"args":0', '\u0001'],
];
/** A value, a key or a bracket of JSON is another one. */
const tokens: Spoil = (bytes, random) => {
  let text = bytes.toString('latin1');
  for (let turns = random.few(20); turns > 0; turns--) {
    const from = random.below(text.length);
    const found = /("(?:[^"\\]|\\.)*"|-?[\d.]+(?:e[+-]?\d+)?|[{}[\],:])/g;
    found.lastIndex = from;
    const token = found.exec(text);
    if (!token) continue;
    const put = random.chance(0.2) ? token[0].repeat(2) : random.pick(odd);
    text = text.slice(0, token.index) + put + text.slice(token.index + token[0].length);
  }
  return Buffer.from(text, 'latin1');
};
const nested: Spoil = (bytes, random) => {
  const depth = 10 ** (2 + random.below(4));
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['{"args":', '}'],
  ] as const);
  const text = bytes.toString('latin1');
  const at = text.indexOf(',', random.below(text.length)) + 1;
  const middle = open.repeat(depth) + (random.chance(0.5) ? `1${close.repeat(depth)},` : '');
  return Buffer.from(text.slice(0, at) + middle + text.slice(at), 'latin1');
};
const zipped =
  (inner: Spoil): Spoil =>
  (bytes, random) => {
    const whole = gzipSync(bytes, { level: 1 });
    return random.chance(0.3) ? gzipSync(inner(bytes, random), { level: 1 }) : inner(Buffer.from(whole), random);
  };

const huge = 2 ** 53 + 1;
/** Values that no recording has. */
const cells = (random: Random): string | number | bigint | null | Buffer =>
  random.pick<() => string | number | bigint | null | Buffer>([
    () => null,
    () => -1,
    () => 0,
    () => huge,
    () => 2n ** 63n - 1n,
    () => -(2n ** 63n),
    () => 1e300,
    () => Infinity,
    () => 0.5,
    () => random.below(1000),
    () => 'text',
    () => '',
    // An export makes ten thousand of a name that ten thousand events share.
    () => 'x'.repeat(random.few(20_000)),
    () => '\u0000\ud800"\'--',
    () => random.bytes(random.few(64)),
    () => Buffer.alloc(random.few(100_000)),
  ])();

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Runs what may fail: not everything can be done to every table. */
function tryAll(db: Database.Database, turns: number, work: () => void): void {
  for (let turn = 0; turn < turns; turn++) {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Database.SqliteError || error instanceof RangeError || error instanceof TypeError))
        throw error;
    }
  }
}

function tablesOf(db: Database.Database): string[] {
  return db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    .pluck()
    .all() as string[];
}
const columnsOf = (db: Database.Database, table: string): string[] =>
  (db.pragma(`table_info(${quoted(table)})`) as { name: string }[]).map(({ name }) => name);

/** Cells of tables hold what they should not. */
function values(db: Database.Database, random: Random): void {
  const tables = tablesOf(db);
  tryAll(db, random.few(30), () => {
    const table = random.pick(tables);
    const column = random.pick(columnsOf(db, table));
    const t = quoted(table);
    const where = random.pick([
      `rowid = (SELECT min(rowid) FROM ${t})`,
      `rowid = (SELECT max(rowid) FROM ${t})`,
      'rowid % 7 = 3',
      '1',
    ]);
    db.prepare(`UPDATE OR IGNORE ${t} SET ${quoted(column)} = ? WHERE ${where}`).run(cells(random));
  });
}

/** Packed columns hold other bytes. */
function blobs(db: Database.Database, random: Random): void {
  const tables = tablesOf(db).filter((table) => /CHUNKS|MIX|CHARTS|WARP|STATES/.test(table));
  if (tables.length === 0) return values(db, random);
  tryAll(db, random.few(20), () => {
    const table = random.pick(tables);
    const columns = columnsOf(db, table);
    const column = columns.includes('data') ? 'data' : random.pick(columns);
    const all = db
      .prepare(`SELECT rowid FROM ${quoted(table)}`)
      .pluck()
      .all() as number[];
    if (all.length === 0) return;
    const rowid = random.pick(all);
    const before = db
      .prepare(`SELECT ${quoted(column)} FROM ${quoted(table)} WHERE rowid = ?`)
      .pluck()
      .get(rowid);
    const data = Buffer.isBuffer(before) ? Buffer.from(before) : random.bytes(20);
    const after = data.length === 0 ? random.bytes(30) : random.pick([flips, noise, cut, grown, zeros])(data, random);
    db.prepare(`UPDATE ${quoted(table)} SET ${quoted(column)} = ? WHERE rowid = ?`).run(after, rowid);
  });
  if (random.chance(0.5)) values(db, random);
}

const endless = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n';

/** Tables that are not what they were: gone, renamed, views, with triggers and columns of their own. */
function schema(db: Database.Database, random: Random): void {
  const tables = tablesOf(db);
  tryAll(db, random.few(10), () => {
    const table = random.pick(tables);
    const column = random.pick(columnsOf(db, table));
    const [t, c] = [quoted(table), quoted(column)];
    db.exec(
      random.pick([
        `DROP TABLE ${t}`,
        `ALTER TABLE ${t} RENAME TO "renamed ${random.below(100)}"`,
        `ALTER TABLE ${t} DROP COLUMN ${c}`,
        `ALTER TABLE ${t} RENAME COLUMN ${c} TO "other ${random.below(100)}"`,
        `ALTER TABLE ${t} ADD COLUMN extra AS (${c} + 1)`,
        `DELETE FROM ${t}`,
        `DELETE FROM ${t} WHERE rowid % 2`,
        `INSERT INTO ${t} SELECT * FROM ${t} LIMIT 100`,
        `CREATE TRIGGER spoil_${random.below(1000)} AFTER INSERT ON ${t} BEGIN DELETE FROM ${t}; END`,
        `CREATE INDEX index_${random.below(1000)} ON ${t} (${c})`,
        `CREATE TABLE hold AS SELECT * FROM ${t} LIMIT 5000; DROP TABLE ${t}; CREATE VIEW ${t} AS SELECT * FROM hold UNION ALL SELECT * FROM hold`,
        `DROP TABLE ${t}; CREATE VIEW ${t} AS SELECT * FROM ${t}`,
        `DROP TABLE ${t}; CREATE VIEW ${t} AS SELECT x AS ${c} FROM (${endless})`,
        `DROP TABLE ${t}; CREATE TABLE ${t} (a, b, c); INSERT INTO ${t} VALUES (1, 'x', x'00')`,
        `DROP TABLE ${t}; CREATE VIRTUAL TABLE ${t} USING fts5(a, b)`,
        `CREATE VIEW "extra ${random.below(100)}" AS ${endless}`,
        `CREATE VIEW ENUM_EXTRA_${random.below(100)} AS ${endless}`,
        `CREATE VIRTUAL TABLE extra_${random.below(100)} USING fts5(a, b)`,
        `CREATE TABLE extra_${random.below(100)} (a INTEGER PRIMARY KEY, b) WITHOUT ROWID`,
        `CREATE TABLE hold AS SELECT * FROM ${t} LIMIT 5000; DROP TABLE ${t};
         CREATE TABLE ${t} (${columnsOf(db, table).map(quoted).join(', ')}, PRIMARY KEY (${c})) WITHOUT ROWID;
         INSERT OR IGNORE INTO ${t} SELECT * FROM hold; DROP TABLE hold`,
        `ALTER TABLE ${t} ADD COLUMN slow AS (length(hex(zeroblob(100000000))))`,
        `CREATE TABLE slow_${random.below(100)} (a CHECK (length(hex(zeroblob(100000000))) > a)); INSERT INTO slow_${random.below(100)} VALUES (1)`,
        `CREATE INDEX slow_${random.below(1000)} ON ${t} (length(hex(zeroblob(iif(${c} IS NULL, 1, 50)))))`,
        `PRAGMA user_version = ${random.pick([0, 1, 4, 7, 99, -1])}`,
        `PRAGMA application_id = ${random.below(2 ** 31)}`,
      ]),
    );
  });
}

/** Definitions in the schema that SQLite itself would not have written. */
function definitions(db: Database.Database, random: Random): void {
  db.unsafeMode(true);
  db.pragma('writable_schema = ON');
  const rows = db.prepare('SELECT rowid, sql FROM sqlite_schema WHERE sql IS NOT NULL').raw().all() as [
    number,
    string,
  ][];
  tryAll(db, random.few(4), () => {
    const [rowid, sql] = random.pick(rows);
    const column = random.pick(['rootpage', 'sql', 'name', 'type', 'tbl_name']);
    const value =
      column === 'rootpage'
        ? random.below(50)
        : column === 'sql' && random.chance(0.7)
          ? tokens(Buffer.from(sql, 'latin1'), random).toString('latin1')
          : cells(random);
    db.prepare(`UPDATE sqlite_schema SET ${column} = ? WHERE rowid = ?`).run(value, rowid);
  });
}

type Change = (db: Database.Database, random: Random) => void;
const bytesOf: Record<string, Spoil> = { flips, noise, cut, grown, zeros };
const pagesOf: Record<string, Spoil> = { pages, pointers };
const jsonOf: Record<string, Spoil> = {
  ...{ tokens, nested },
  ...{
    zip: zipped(flips),
    'zip-cut': zipped(cut),
    'zip-noise': zipped(noise),
    'zip-grown': zipped(grown),
    'zip-tokens': zipped(tokens),
  },
};
const tablesChanged: Record<string, Change> = { values, blobs, schema, definitions };

/** The kinds of mutation by family of the source, by their names, that which finds most more often. */
const kindsOf = (family: Family): readonly string[] =>
  family === 'chrome'
    ? ['tokens', 'tokens', 'tokens', 'nested', ...Object.keys(bytesOf), ...Object.keys(jsonOf)]
    : [
        ...Object.keys(bytesOf),
        'pages',
        'pages',
        'pointers',
        'pointers',
        'values',
        'values',
        'blobs',
        'blobs',
        'schema',
        'schema',
        'definitions',
      ];

export const allKinds: readonly string[] = [...new Set([...kindsOf('chrome'), ...kindsOf('simsight'), 'name'])];

/** Names that say something else than what is in the file. */
const names = ['.simsight', '.sqlite', '.json', '.json.gz', '.txt', '', '.nsys-rep', '.db'];

export interface Spoilt {
  kind: string;
  source: string;
  /** Name of the file in `folder`. */
  name: string;
}

/** Writes a spoilt copy of one of the sources into an empty folder. */
export function spoil(sources: readonly Source[], random: Random, folder: string, only?: string): Spoilt {
  let source = random.pick(sources);
  for (let tries = 0; tries < 200; tries++) {
    source = random.pick(sources);
    const fits = only === undefined || only === 'name' || kindsOf(source.family).includes(only);
    if (fits && random.chance(source.weight)) break;
  }
  const kind = only ?? (random.chance(0.02) ? 'name' : random.pick(kindsOf(source.family)));
  const ending = source.family === 'chrome' ? '.json' : source.family === 'nsys' ? '.sqlite' : '.simsight';
  const name = `spoilt${kind === 'name' || random.chance(0.05) ? random.pick(names) : ending}`;
  const path = `${folder}/${name}`;
  const change = tablesChanged[kind];
  const spoils = bytesOf[kind] ?? pagesOf[kind] ?? jsonOf[kind];
  if (change) {
    copyFileSync(source.path, path);
    if (existsSync(`${source.path}-wal`)) copyFileSync(`${source.path}-wal`, `${path}-wal`);
    const db = new Database(path);
    try {
      db.pragma('foreign_keys = OFF');
      change(db, random);
      db.pragma('journal_mode = DELETE');
    } catch (error) {
      // The mutations so far make it unreadable to SQLite: as good as anything.
      if (!(error instanceof Database.SqliteError)) throw error;
    } finally {
      db.close();
    }
  } else {
    const bytes = readFileSync(source.path);
    writeFileSync(path, spoils ? spoils(bytes, random) : bytes);
    if (existsSync(`${source.path}-wal`) && random.chance(0.8)) {
      const log = readFileSync(`${source.path}-wal`);
      writeFileSync(`${path}-wal`, random.chance(0.5) && spoils ? spoils(log, random) : log);
    }
  }
  return { kind, source: source.name, name };
}
