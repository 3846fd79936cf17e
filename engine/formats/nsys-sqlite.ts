/**
 * Reads SQLite exports of Nsight Systems, of any schema version: tables and columns may be missing, ids may not fit 53 bits, and
 * codes of synchronization differ from version to version. Everything goes into a trace of ours with the same tables; what has no
 * place there is counted and named.
 *
 * The file is only read, and nothing in it runs: tables are asked for by name, views and virtual tables are none.
 */
import Database from 'better-sqlite3';
import { basename } from 'node:path';
import type { OpenProgress } from '../api/types.ts';
import { apiName, processOf, syncTypes } from '../trace/codes.ts';
import { migrate } from '../trace/migrations.ts';
import { EventTable, eventTableNames, type Cell, type EventTableName } from '../trace/tables.ts';
import { indexTracks } from '../trace/track-index.ts';

/** What the two have in common beside events. */
const plainTables = [
  'StringIds',
  'PROCESSES',
  'ThreadNames',
  'TARGET_INFO_GPU',
  'TARGET_INFO_CUDA_DEVICE',
  'TARGET_INFO_CUDA_CONTEXT_INFO',
  'TARGET_INFO_CUDA_STREAM',
  'TARGET_INFO_SESSION_START_TIME',
  'META_DATA_EXPORT',
  'CUDA_GRAPH_EVENTS',
  'CUDA_UM_GPU_PAGE_FAULT_EVENTS',
  'CUDA_UM_CPU_PAGE_FAULT_EVENTS',
  'CUDA_GPU_MEMORY_USAGE_EVENTS',
];
/** Beside the lookup tables ENUM_*, these say nothing that is shown. */
const silent = /^(ENUM_|sqlite_|TARGET_INFO_|META_DATA_|EXPORT_META_DATA|ANALYSIS_|ProcessStreams|StringIds)/;
/** Longer texts are cut: nobody reads them on a row. */
const longestText = 1 << 16;

/** Whether a database holds what Nsight Systems exports. */
export function isNsysExport(tables: ReadonlySet<string>): boolean {
  const events = [...tables].some((name) => name.startsWith('CUPTI_ACTIVITY_KIND_') || name === 'NVTX_EVENTS');
  return tables.has('StringIds') && events && !tables.has('SIMSIGHT_RECORDING');
}

/** Makes a trace at `target` of an export at `path`. */
export function importNsys(path: string, target: string, onProgress: (progress: OpenProgress) => void): void {
  const source = new Database(path, { readonly: true, fileMustExist: true });
  try {
    source.pragma('trusted_schema = OFF');
    source.pragma('cell_size_check = ON');
    source.pragma('query_only = ON');
    const db = new Database(target);
    try {
      db.pragma('journal_mode = OFF');
      db.pragma('synchronous = OFF');
      migrate(db);
      db.transaction(() => new Import(source, db, onProgress).run())();
      onProgress({ phase: 'index', done: 0, total: 0, unit: 'rows' });
      indexTracks(db);
    } finally {
      db.close();
    }
  } finally {
    source.close();
  }
}

class Import {
  private readonly source: Database.Database;
  private readonly db: Database.Database;
  private readonly tables: ReadonlySet<string>;
  private readonly notices: string[] = [];
  /** Upper bits of global ids that go beyond 53 bits, by the small number that takes their place. */
  private readonly machines = new Map<bigint, number>();

  private readonly onProgress: (progress: OpenProgress) => void;
  private done = 0;
  private total = 0;

  constructor(source: Database.Database, db: Database.Database, onProgress: (progress: OpenProgress) => void) {
    this.onProgress = onProgress;
    this.source = source;
    this.db = db;
    this.tables = new Set(
      source
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
        .pluck()
        .all() as string[],
    );
  }

  run(): void {
    for (const table of Object.keys(eventTableNames)) {
      // The highest number stands for how many there are: counting would read them all.
      if (this.tables.has(table))
        this.total += Number(this.source.prepare(`SELECT max(rowid) FROM ${table}`).pluck().get());
    }
    for (const table of plainTables) this.copy(table);
    // Old exports have a table of null streams where later ones have a column.
    if (!this.columnsOf('TARGET_INFO_CUDA_CONTEXT_INFO').includes('nullStreamId')) this.nullStreams();
    const calls = this.callsOfWaits();
    for (const table of Object.keys(eventTableNames) as EventTableName[]) {
      this.events(table, table === 'CUPTI_ACTIVITY_KIND_SYNCHRONIZATION' ? calls : null);
    }
    this.reportWhatIsMissing();
    this.facts();
  }

  private columnsOf(table: string): string[] {
    if (!this.tables.has(table)) return [];
    return (this.source.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name);
  }

  private columnsHere(table: string): string[] {
    return (this.db.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name);
  }

  /** Rows of a table, exact where a number would not be. */
  private *rows(table: string, columns: readonly string[]): Generator<Cell[]> {
    const chosen = `SELECT ${[...columns.map((name) => `"${name}"`), 'rowid'].join(', ')} FROM ${table}`;
    const numbers = this.source.prepare(`${chosen} ORDER BY rowid`).raw().iterate() as Iterable<Cell[]>;
    let last: Cell | undefined;
    let isExact = true;
    for (const row of numbers) {
      for (const cell of row) {
        if (typeof cell === 'number' && !(Math.abs(cell) <= Number.MAX_SAFE_INTEGER)) isExact = false;
      }
      if (!isExact) break;
      last = row.pop();
      yield this.row(columns, row);
    }
    if (isExact) return;
    // From there on as they are, which takes longer.
    const rest = this.source.prepare(`${chosen} ${last === undefined ? '' : 'WHERE rowid > ?'} ORDER BY rowid`);
    const integers = rest.raw().safeIntegers();
    for (const row of integers.iterate(...(last === undefined ? [] : [last])) as Iterable<Cell[]>) {
      row.pop();
      yield this.row(columns, row);
    }
  }

  private row(columns: readonly string[], row: Cell[]): Cell[] {
    for (let i = 0; i < row.length; i++) {
      const cell = row[i]!;
      if (typeof cell !== 'number' && cell !== null) row[i] = this.cell(columns[i]!, cell);
    }
    return row;
  }

  private cell(column: string, value: Cell): Cell {
    if (typeof value === 'string') return value.length > longestText ? `${value.slice(0, longestText)}…` : value;
    if (Buffer.isBuffer(value)) return value.toString('latin1', 0, longestText);
    if (typeof value !== 'bigint') return value;
    if (value >= -(2n ** 53n) && value <= 2n ** 53n) return Number(value);
    if (!column.startsWith('global')) return value;
    // Machine, process and thread: 16, 24 and 24 bits, of which the machine is only told apart. Those that fit count from 0.
    const machine = BigInt.asUintN(16, value >> 48n);
    const number = this.machines.get(machine) ?? 30 - (this.machines.size % 31);
    this.machines.set(machine, number);
    return number * 2 ** 48 + Number(BigInt.asUintN(48, value));
  }

  private copy(table: string): void {
    const theirs = this.columnsOf(table);
    const columns = this.columnsHere(table).filter((name) => theirs.includes(name));
    if (columns.length === 0) return;
    const marks = columns.map(() => '?').join(', ');
    const insert = this.db.prepare(`INSERT OR IGNORE INTO ${table} (${columns.join(', ')}) VALUES (${marks})`);
    let left = 0;
    for (const row of this.rows(table, columns)) {
      try {
        insert.run(row);
      } catch {
        left++;
      }
    }
    if (left > 0) this.notices.push(`${left} rows of ${table} were left out: values are missing.`);
  }

  private nullStreams(): void {
    const columns = ['streamId', 'hwId', 'vmId', 'processId', 'contextId'];
    if (!columns.every((name) => this.columnsOf('TARGET_INFO_CUDA_NULL_STREAM').includes(name))) return;
    const insert = this.db.prepare(
      `INSERT INTO TARGET_INFO_CUDA_STREAM (${columns.join(', ')}, priority, flag) VALUES (?, ?, ?, ?, ?, 0, 3)`,
    );
    for (const row of this.rows('TARGET_INFO_CUDA_NULL_STREAM', columns)) insert.run(row);
  }

  private events(table: EventTableName, calls: ReadonlyMap<string, string> | null): void {
    const theirs = this.columnsOf(table);
    if (!theirs.includes('start')) return;
    const own = ['start', 'end', 'correlationId', 'gridId', 'rowid'];
    const shape = this.columnsHere(table).filter((name) => theirs.includes(name) && !own.includes(name));
    const columns = [...own.slice(0, 3).filter((name) => theirs.includes(name)), ...shape];
    const [startAt, endAt, idAt] = own.map((name) => columns.indexOf(name)) as [number, number, number];
    const shapeAt = columns.length - shape.length;
    const needed = this.neededOf(table).map((name) => columns.indexOf(name));
    const events = new EventTable(this.db, table, shape);
    let left = 0;
    for (const row of this.rows(table, columns)) {
      if (++this.done % 10_000 === 0) {
        this.onProgress({ phase: 'read', done: this.done, total: this.total, unit: 'rows' });
      }
      const [start, end = null, id] = [row[startAt], row[endAt], row[idAt]];
      const isMark = end === null && table === 'NVTX_EVENTS';
      const isComplete = needed.every((at) => typeof row[at] === 'number');
      if (typeof start !== 'number' || (typeof end !== 'number' && !isMark) || !isComplete) {
        left++;
        continue;
      }
      const cells = row.slice(shapeAt);
      if (calls) {
        const at = shape.indexOf('syncType');
        const process = row[columns.indexOf('globalPid')];
        cells[at] = this.syncTypeOf(calls.get(callKey(process, id)), cells[at]);
      }
      events.add(start, end as number | null, typeof id === 'number' ? id : null, events.shape(cells));
    }
    events.flush();
    if (left > 0) this.notices.push(`${left} rows of ${table} were left out: values are missing.`);
  }

  /** Columns of the shape without which a row cannot be kept. */
  private neededOf(table: EventTableName): string[] {
    const columns = this.db.pragma(`table_info(SIMSIGHT_SHAPES_${eventTableNames[table]})`) as {
      name: string;
      notnull: number;
      pk: number;
    }[];
    return columns.filter(({ notnull, pk }) => notnull === 1 && pk === 0).map(({ name }) => name);
  }

  /** Names of the calls that waits belong to, by process and correlation id. */
  private callsOfWaits(): Map<string, string> {
    const [table, calls] = ['CUPTI_ACTIVITY_KIND_SYNCHRONIZATION', 'CUPTI_ACTIVITY_KIND_RUNTIME'];
    const found = new Map<string, string>();
    const has = (name: string, ...columns: string[]): boolean =>
      columns.every((column) => this.columnsOf(name).includes(column));
    if (!has(table, 'correlationId', 'globalPid') || !has(calls, 'correlationId', 'globalTid', 'nameId')) return found;
    for (const [pid, id] of this.rows(table, ['globalPid', 'correlationId'])) found.set(callKey(pid, id), '');
    const names = new Map([...this.rows('StringIds', ['id', 'value'])].map(([id, value]) => [id, String(value)]));
    for (const [tid, id, name] of this.rows(calls, ['globalTid', 'correlationId', 'nameId'])) {
      const key = callKey(tid, id);
      if (found.has(key)) found.set(key, names.get(name) ?? '');
    }
    return found;
  }

  private syncTypeOf(call: string | undefined, given: Cell | undefined): Cell {
    const name = apiName(call ?? '');
    return syncTypeByCall.find(([calls]) => calls.test(name))?.[1] ?? given ?? 0;
  }

  private reportWhatIsMissing(): void {
    const shown = new Set<string>([...plainTables, ...Object.keys(eventTableNames), 'TARGET_INFO_CUDA_NULL_STREAM']);
    const others = [...this.tables].filter((name) => !shown.has(name) && !silent.test(name)).sort();
    const counted = others
      .map((name) => [
        name,
        this.source
          .prepare(`SELECT count(*) FROM "${name.replaceAll('"', '""')}"`)
          .pluck()
          .get(),
      ])
      .filter(([, count]) => Number(count) > 0);
    if (counted.length > 0) {
      this.notices.push(`Not shown: ${counted.map(([name, count]) => `${name} (${Number(count)} rows)`).join(', ')}.`);
    }
    const [alone] = this.db
      .prepare(
        `SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k LEFT JOIN CUPTI_ACTIVITY_KIND_RUNTIME r
         ON r.correlationId = k.correlationId AND r.globalTid >> 24 = k.globalPid >> 24 WHERE r.start IS NULL`,
      )
      .raw()
      .get() as [number];
    if (alone > 0) this.notices.push(`${alone} kernels have no API call in this recording.`);
  }

  private facts(): void {
    const exported = new Map(
      this.db.prepare('SELECT name, value FROM META_DATA_EXPORT').raw().all() as [string, string | null][],
    );
    const version = (name: string): string => exported.get(`EXPORT_${name}`) ?? 'of unknown version';
    const fact = this.db.prepare('INSERT INTO SIMSIGHT_RECORDING (name, value) VALUES (?, ?)');
    const program = this.db.prepare('SELECT name FROM PROCESSES WHERE name IS NOT NULL ORDER BY rowid').pluck().get();
    fact.run('program', basename(String(program ?? '').replaceAll('\\', '/')));
    fact.run('arguments', '[]');
    fact.run('exitCode', null);
    fact.run('complete', 'true');
    const origin = `Nsight Systems ${version('PRODUCT_VERSION')}, export schema ${version('SCHEMA_VERSION')}`;
    fact.run('importedFrom', origin);
    this.notices.unshift(`Recorded with ${origin}.`);
    const notice = this.db.prepare('INSERT INTO SIMSIGHT_NOTICES (text) VALUES (?)');
    for (const text of this.notices) notice.run(text);
  }
}

/** Codes differ between versions of the export; the calls say what they wait for. */
const syncTypeByCall: [RegExp, number][] = [
  [/^cu(da)?StreamSynchronize/, syncTypes.stream],
  [/^(cudaDeviceSynchronize|cudaThreadSynchronize|cuCtxSynchronize)/, syncTypes.context],
  [/^cu(da)?EventSynchronize/, syncTypes.event],
  [/^cu(da)?StreamWaitEvent/, syncTypes['stream-wait']],
];

/** Process and correlation id: the latter is unique within a process only. */
const callKey = (global: Cell | undefined, correlationId: Cell | undefined): string =>
  `${processOf(global)} ${String(correlationId)}`;
