/**
 * Reads SQLite exports of Nsight Systems, of any schema version: tables and columns may be missing, ids may not fit 53 bits, and
 * codes of synchronization differ from version to version. Everything goes into a trace of ours with the same tables; what has no
 * place there is counted and named.
 *
 * The file is only read, and nothing in it runs: tables are asked for by name, views and virtual tables are none.
 */
import Database from 'better-sqlite3';
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { OpenProgress } from '../model/timeline.ts';
import { apiName, none, processOf, syncTypes } from '../model/nsight-codes.ts';
import { createSchema, tablesOfKinds } from '../trace/schema.ts';
import { checkColumns, damaged } from '../trace/open-file.ts';
import { EventTable, isStored, storedKinds, Table, type Cell } from '../trace/tables.ts';
import { indexTracks } from '../trace/track-index.ts';

/** The tables that the two have in common beside events. */
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
  ...tablesOfKinds.keys(),
  'CUDA_GPU_MEMORY_USAGE_EVENTS',
];
/** Beside the lookup tables ENUM_*, these say nothing that is shown. */
const silent = /^(ENUM_|sqlite_|TARGET_INFO_|META_DATA_|EXPORT_META_DATA|ANALYSIS_|ProcessStreams|StringIds)/;
/** Reasons why other tables are not shown. */
const reasons: readonly [RegExp, string][] = [
  [/^(SCHED_EVENTS|COMPOSITE_EVENTS|SAMPLING_|PERF_|CPU_|LINUX_)/, 'what CPU cores did'],
  [/CALLCHAINS/, 'call stacks'],
  [/^(CUPTI_ACTIVITY_KIND_OVERHEAD|PROFILER_OVERHEAD|DIAGNOSTIC_EVENT)/, "the profiler's own work and messages"],
  [/^CUPTI_ACTIVITY_KIND_CUDA_EVENT/, 'records of events, which take no time'],
  [/^CUDA_GRAPH_NODE_EVENTS/, 'the making of graph nodes'],
  [/MEMORY_POOL/, 'pools of memory'],
  [/^(GPU_METRICS|GENERIC_EVENT|NIC_|NET_|METRIC)/, 'sampled counters'],
  [/^OSRT_FILE_ACCESS/, 'files that were used'],
  [/^(VULKAN|DX1|D3D|OPENGL|WDDM|KHR|OPENXR|WGL|GLX|EGL)/, 'graphics'],
  [/^NVTX_PAYLOAD/, 'payloads of NVTX'],
];
const otherReason = 'nothing here has a row for them';

/** The names of columns in exports of older schemas. */
const olderNames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  TARGET_INFO_GPU: { id: 'deviceId', cuDevice: 'deviceId', smCount: 'numMultiprocessors' },
};

/** The defaults of columns that are missing or empty and cannot be. */
const defaults: Readonly<Record<string, Cell>> = {
  ...{ vmId: 0, hwId: 0, contextId: 0, pid: 0, priority: 0, flag: 0, address: 0, nameId: 0 },
  ...{ nullStreamId: none, eventId: none, memKind: 7, numberOfPageFaults: 1, faultAccessType: 0 },
  ...{ localMemoryPerThread: 0, localMemoryTotal: 0, eventClass: 0, returnValue: 0, callchainId: 0 },
};
/** Longer texts are cut: nobody reads them on a row. */
const longestText = 1 << 16;
/** Longer ones are not even read, which would take several times their size of memory (bytes). */
const longestCell = 1 << 24;
const textColumns: ReadonlySet<string> = new Set(['value', 'text', 'name', 'label', 'jsonText', 'binaryData']);
/** A row of a table is a cell of at least so many bytes in a page of the file, with its place in the page. */
const leastRowBytes = 4;

/** Calls of the operating system: those of threads that wait for something to come last as long as the recording. */
const waitingTable = 'OSRT_API';

/** True if a database holds what Nsight Systems exports. */
export function isNsysExport(tables: ReadonlySet<string>): boolean {
  const events = [...tables].some((name) => name.startsWith('CUPTI_ACTIVITY_KIND_') || storedKinds.has(name));
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
      createSchema(db);
      db.transaction(() => new Import(path, source, db, onProgress).run())();
      indexTracks(db, (done, total) => onProgress({ phase: 'index', done, total, unit: 'rows' }));
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
  /** From the first to the last thing that the program did (ns). */
  private readonly program = { first: Infinity, last: -Infinity };
  private done = 0;
  private total = 0;

  private readonly path: string;
  /** Bytes of the file: no table can hold more. */
  private readonly size: number;

  constructor(
    path: string,
    source: Database.Database,
    db: Database.Database,
    onProgress: (progress: OpenProgress) => void,
  ) {
    this.onProgress = onProgress;
    this.path = path;
    this.size = statSync(path).size;
    this.source = source;
    this.db = db;
    checkColumns(source, path);
    this.tables = new Set(source.prepare(`SELECT name FROM sqlite_schema WHERE ${isStored}`).pluck().all() as string[]);
  }

  run(): void {
    for (const table of storedKinds.keys()) {
      // The highest number stands for how many there are: counting would read them all.
      if (this.tables.has(table))
        this.total += Number(this.source.prepare(`SELECT max(rowid) FROM ${table}`).pluck().get());
    }
    for (const table of plainTables) this.copy(table);
    this.nullStreams();
    this.enumerations();
    const waits = this.waits();
    for (const table of storedKinds.keys()) this.events(table, waits);
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

  /** Columns of a table of ours without which a row cannot be kept. */
  private neededIn(table: string): string[] {
    const columns = this.db.pragma(`table_info(${table})`) as { name: string; notnull: number }[];
    return columns.filter(({ notnull }) => notnull === 1).map(({ name }) => name);
  }

  /** Rows of a table, exact where a number would not be. */
  private *rows(table: string, columns: readonly string[]): Generator<Cell[]> {
    // Pages that are in a tree twice, or in a circle, give rows without end.
    let [rows, letters] = [0, 0];
    for (const row of this.storedRows(table, columns)) {
      for (const cell of row) if (typeof cell === 'string') letters += cell.length;
      if (++rows * leastRowBytes > this.size || letters > this.size)
        throw damaged(this.path, `the table ${table} has more rows than the file has room for`);
      yield row;
    }
  }

  private *storedRows(table: string, columns: readonly string[]): Generator<Cell[]> {
    const named = columns.map((name) =>
      textColumns.has(name) ? `iif(octet_length("${name}") > ${longestCell}, NULL, "${name}")` : `"${name}"`,
    );
    if (this.hasNoRowid(table)) {
      const sql = `SELECT ${named.join(', ')} FROM ${table}`;
      const all = this.source.prepare(sql).raw().safeIntegers().iterate() as Iterable<Cell[]>;
      for (const row of all) yield this.row(columns, row);
      return;
    }
    const order = this.isInOrder(table) ? 'rowid' : 'start, rowid';
    const chosen = `SELECT ${[...named, 'rowid'].join(', ')} FROM ${table} ORDER BY ${order}`;
    const numbers = this.source.prepare(chosen).raw().iterate() as Iterable<Cell[]>;
    let given = 0;
    let isExact = true;
    for (const row of numbers) {
      for (const cell of row) {
        if (typeof cell === 'number' && !(Math.abs(cell) <= Number.MAX_SAFE_INTEGER)) isExact = false;
      }
      if (!isExact) break;
      given++;
      row.pop();
      yield this.row(columns, row);
    }
    if (isExact) return;
    // From there on as they are, which takes longer.
    const integers = this.source.prepare(`${chosen} LIMIT -1 OFFSET ?`).raw().safeIntegers();
    for (const row of integers.iterate(given) as Iterable<Cell[]>) {
      row.pop();
      yield this.row(columns, row);
    }
  }

  /** Events come in order of time; Nsight Systems does not promise it, and launches are told apart by which was first. */
  private isInOrder(table: string): boolean {
    if (!storedKinds.has(table) || !this.columnsOf(table).includes('start')) return true;
    const sql = `SELECT 1 FROM (SELECT start, lag(start) OVER (ORDER BY rowid) AS last FROM ${table}) WHERE start < last LIMIT 1`;
    return this.source.prepare(sql).get() === undefined;
  }

  private hasNoRowid(table: string): boolean {
    const sql = "SELECT wr FROM pragma_table_list(?) WHERE schema = 'main'";
    return this.source.prepare(sql).pluck().get(table) === 1;
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
    const found = this.columnsHere(table).flatMap((name) => {
      const called = theirs.includes(name) ? name : olderNames[table]?.[name];
      return called !== undefined && theirs.includes(called) ? [{ name, called }] : [];
    });
    if (found.length === 0) return;
    const columns = found.map(({ called }) => called);
    const here = found.map(({ name }) => name);
    const needed = this.neededIn(table);
    const added = needed.filter((name) => !here.includes(name) && defaults[name] !== undefined);
    const all = [...here, ...added];
    const places = needed.map((name) => ({ at: all.indexOf(name), otherwise: defaults[name] ?? null }));
    const marks = all.map(() => '?').join(', ');
    const insert = this.db.prepare(`INSERT OR IGNORE INTO ${table} (${all.join(', ')}) VALUES (${marks})`);
    const ofAdded = added.map((name) => defaults[name]!);
    let [left, repeated] = [0, 0];
    for (const row of this.rows(table, columns)) {
      row.push(...ofAdded);
      for (const { at, otherwise } of places) if (at >= 0) row[at] ??= otherwise;
      if (places.some(({ at }) => at < 0 || row[at] === null)) {
        left++;
        continue;
      }
      try {
        if (insert.run(row).changes === 0) repeated++;
      } catch {
        left++;
      }
    }
    this.tellLeft(table, left);
    if (repeated > 0) this.notices.push(`${repeated} rows of ${table} were left out: others have the same id.`);
  }

  private tellLeft(table: string, left: number): void {
    if (left > 0) this.notices.push(`${left} rows of ${table} were left out: values are missing.`);
  }

  /** Old exports have a table of null streams where later ones have a column. */
  private nullStreams(): void {
    if (this.columnsOf('TARGET_INFO_CUDA_CONTEXT_INFO').includes('nullStreamId')) return;
    const columns = ['streamId', 'hwId', 'vmId', 'processId', 'contextId'];
    if (!columns.every((name) => this.columnsOf('TARGET_INFO_CUDA_NULL_STREAM').includes(name))) return;
    const insert = this.db.prepare(
      `INSERT INTO TARGET_INFO_CUDA_STREAM (${columns.join(', ')}, priority, flag) VALUES (?, ?, ?, ?, ?, 0, 3)`,
    );
    const update = this.db.prepare(
      'UPDATE TARGET_INFO_CUDA_CONTEXT_INFO SET nullStreamId = ? WHERE processId = ? AND contextId = ?',
    );
    let left = 0;
    for (const row of this.rows('TARGET_INFO_CUDA_NULL_STREAM', columns)) {
      const [stream, , , process, context] = row as [Cell, Cell, Cell, Cell, Cell];
      if (row.includes(null)) left++;
      else {
        insert.run(row);
        update.run(stream, process, context);
      }
    }
    this.tellLeft('TARGET_INFO_CUDA_NULL_STREAM', left);
  }

  /** The meanings of codes are those of the file: versions differ. */
  private enumerations(): void {
    const ours = this.db.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'ENUM\\_%' ESCAPE '\\'",
    );
    for (const table of ours.pluck().all() as string[]) {
      const columns = ['id', 'name', 'label'];
      if (!columns.every((name) => this.columnsOf(table).includes(name))) continue;
      const rows = [...this.rows(table, columns)].filter(([id]) => Number.isSafeInteger(id));
      if (rows.length === 0) continue;
      this.db.exec(`DELETE FROM ${table}`);
      const insert = this.db.prepare(`INSERT OR IGNORE INTO ${table} (id, name, label) VALUES (?, ?, ?)`);
      for (const row of rows) insert.run(row);
    }
  }

  private events(table: string, waits: Waits): void {
    const theirs = this.columnsOf(table);
    if (!theirs.includes('start')) {
      if (this.tables.has(table)) this.tellLeft(table, this.count(table));
      return;
    }
    const own = ['start', 'end', 'correlationId', 'gridId', 'rowid'];
    const needed = this.neededOf(table);
    const added = needed.filter((name) => !theirs.includes(name) && defaults[name] !== undefined);
    const found = this.columnsHere(table).filter((name) => theirs.includes(name) && !own.includes(name));
    const read = [...own.slice(0, 4).filter((name) => theirs.includes(name)), ...found];
    const columns = [...read, ...added];
    const shape = [...found, ...added];
    const [startAt, endAt, idAt, gridAt] = own.map((name) => read.indexOf(name)) as [number, number, number, number];
    const shapeAt = read.length - found.length;
    const places = needed.map((name) => ({ at: columns.indexOf(name), otherwise: defaults[name] ?? null }));
    const ofAdded = added.map((name) => defaults[name]!);
    const isWait = table === 'CUPTI_ACTIVITY_KIND_SYNCHRONIZATION';
    const [typeAt, processAt] = [columns.indexOf('syncType'), columns.indexOf('globalPid')];
    const events = new EventTable(this.db, table, shape);
    const gridIds = gridAt < 0 ? null : new Table(this.db, 'SIMSIGHT_GRID_IDS', ['kernel', 'gridId']);
    let [left, unknown] = [0, 0];
    for (const row of this.rows(table, read)) {
      if (++this.done % 10_000 === 0) {
        this.onProgress({ phase: 'read', done: this.done, total: this.total, unit: 'rows' });
      }
      row.push(...ofAdded);
      for (const { at, otherwise } of places) if (at >= 0) row[at] = asNumber(row[at] ?? otherwise);
      const [start, end = null, id] = [asNumber(row[startAt]), asNumber(row[endAt]), asNumber(row[idAt])];
      const isMark = end === null && table === 'NVTX_EVENTS';
      const isComplete = places.every(({ at }) => typeof row[at] === 'number');
      if (typeof start !== 'number' || (typeof end !== 'number' && !isMark) || !isComplete) {
        left++;
        continue;
      }
      if (isWait) {
        const type = waits.typeOf(row[processAt], id, row[typeAt]);
        if (type === null) unknown++;
        row[typeAt] = type ?? 0;
      }
      if (typeof end === 'number' && end > start && table !== waitingTable) {
        this.program.first = Math.min(this.program.first, start);
        this.program.last = Math.max(this.program.last, end);
      }
      const cells = row.slice(shapeAt);
      const number = events.add(start, end as number | null, typeof id === 'number' ? id : null, events.shape(cells));
      const grid = row[gridAt];
      if (gridIds && typeof grid !== 'string' && grid !== null && grid !== undefined && grid !== number)
        gridIds.add(number, grid);
    }
    events.flush();
    gridIds?.flush();
    this.tellLeft(table, left);
    if (unknown > 0) {
      this.notices.push(
        `${unknown} waits have no API call in this recording, and what they wait for is unknown: what their codes mean differs between versions of Nsight Systems.`,
      );
    }
  }

  private count(table: string): number {
    return Number(
      this.source
        .prepare(`SELECT count(*) FROM "${table.replaceAll('"', '""')}"`)
        .pluck()
        .get(),
    );
  }

  /** Columns of the shape without which a row cannot be kept. */
  private neededOf(table: string): string[] {
    return this.neededIn(`SIMSIGHT_SHAPES_${storedKinds.get(table)!.stored}`).filter((name) => name !== 'id');
  }

  /** The meaning of waits by the calls that they belong to: process and correlation id. */
  private waits(): Waits {
    const [table, calls] = ['CUPTI_ACTIVITY_KIND_SYNCHRONIZATION', 'CUPTI_ACTIVITY_KIND_RUNTIME'];
    const areCuptis = hasCodesOfCupti(this.exported().get('EXPORT_SCHEMA_VERSION') ?? '');
    const has = (name: string, ...columns: string[]): boolean =>
      columns.every((column) => this.columnsOf(name).includes(column));
    const found = new Map<string, string>();
    if (!has(table, 'correlationId', 'globalPid', 'syncType') || !has(calls, 'correlationId', 'globalTid', 'nameId'))
      return new Waits(found, [], areCuptis);
    const all = [...this.rows(table, ['globalPid', 'correlationId', 'syncType'])];
    for (const [pid, id] of all) found.set(callKey(pid, id), '');
    const names = new Map([...this.rows('StringIds', ['id', 'value'])].map(([id, value]) => [id, String(value)]));
    for (const [tid, id, name] of this.rows(calls, ['globalTid', 'correlationId', 'nameId'])) {
      const key = callKey(tid, id);
      if (found.has(key)) found.set(key, names.get(name) ?? '');
    }
    return new Waits(found, all, areCuptis);
  }

  private reportWhatIsMissing(): void {
    const shown = new Set<string>([...plainTables, ...storedKinds.keys(), 'TARGET_INFO_CUDA_NULL_STREAM']);
    const others = [...this.tables].filter((name) => !shown.has(name) && !silent.test(name)).sort();
    const counted = others.map((name) => ({ name, count: this.count(name) })).filter(({ count }) => count > 0);
    const reasonOf = (table: string): string => reasons.find(([tables]) => tables.test(table))?.[1] ?? otherReason;
    for (const [reason, tables] of Map.groupBy(counted, ({ name }) => reasonOf(name))) {
      const list = tables.map(({ name, count }) => `${name} (${count} rows)`).join(', ');
      this.notices.push(`Not shown: ${list}: ${reason}.`);
    }
    if (![...this.tables].some((name) => name.startsWith('CUPTI_ACTIVITY_KIND_')))
      this.notices.push(
        'Nothing of CUDA is in this export, which has tables for what was traced alone: record with "nsys profile --trace=cuda,nvtx,osrt", and a program that uses a GPU.',
      );
    // Managed memory moves without a call. Columns have types: compared with those of others, an index of untyped ones is of no use.
    this.db.exec(
      `CREATE TEMP TABLE calls (process INTEGER, correlationId INTEGER, PRIMARY KEY (process, correlationId)) WITHOUT ROWID;
       INSERT OR IGNORE INTO temp.calls SELECT coalesce(globalTid, 0) >> 24, correlationId
       FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE correlationId IS NOT NULL`,
    );
    for (const [kind, name, where] of [
      ['KERNEL', 'kernels', '1'],
      ['MEMCPY', 'copies', 'copyKind NOT BETWEEN 11 AND 13'],
      ['MEMSET', 'memsets', '1'],
    ]) {
      const alone = this.db
        .prepare(
          `SELECT count(*) FROM CUPTI_ACTIVITY_KIND_${kind} k LEFT JOIN temp.calls c
           ON c.correlationId = k.correlationId AND c.process = coalesce(k.globalPid, 0) >> 24
           WHERE c.process IS NULL AND ${where}`,
        )
        .pluck()
        .get() as number;
      if (alone > 0) this.notices.push(`${alone} ${name} have no API call in this recording.`);
    }
    this.db.exec('DROP TABLE temp.calls');
  }

  /** The file's own facts; old exports call the table otherwise. */
  private exported(): ReadonlyMap<string, string> {
    const table = ['META_DATA_EXPORT', 'EXPORT_META_DATA'].find((name) => {
      const columns = this.columnsOf(name);
      return columns.includes('name') && columns.includes('value');
    });
    const rows = table === undefined ? [] : [...this.rows(table, ['name', 'value'])];
    return new Map(rows.filter(([, value]) => value !== null).map(([name, value]) => [String(name), String(value)]));
  }

  /** The program of the process that called the most, or the first that was started; exports list others, too. */
  private programName(): unknown {
    return this.db
      .prepare(
        `SELECT name FROM PROCESSES p LEFT JOIN
           (SELECT globalTid >> 24 AS process, count(*) AS calls FROM SIMSIGHT_EVENTS_RUNTIME e
            JOIN SIMSIGHT_SHAPES_RUNTIME s ON s.id = e.shape GROUP BY process) c ON c.process = p.globalPid >> 24
         WHERE name IS NOT NULL ORDER BY calls IS NULL, calls DESC, p.pid, p.rowid`,
      )
      .pluck()
      .get();
  }

  private facts(): void {
    const exported = this.exported();
    const version = (name: string): string => exported.get(`EXPORT_${name}`)?.slice(0, 100) ?? 'of unknown version';
    const fact = this.db.prepare('INSERT INTO SIMSIGHT_RECORDING (name, value) VALUES (?, ?)');
    const program = this.programName();
    fact.run('program', basename(String(program ?? '').replaceAll('\\', '/')));
    fact.run('arguments', '[]');
    fact.run('exitCode', null);
    fact.run('complete', 'true');
    const { first, last } = this.program;
    if (last > first) fact.run('programSpan', JSON.stringify([first, last]));
    const origin = `Nsight Systems ${version('PRODUCT_VERSION')}, export schema ${version('SCHEMA_VERSION')}`;
    fact.run('importedFrom', origin);
    this.notices.unshift(`Recorded with ${origin}.`);
    const notice = this.db.prepare('INSERT INTO SIMSIGHT_NOTICES (text) VALUES (?)');
    for (const text of this.notices) notice.run(text);
  }
}

/** The meaning of waits: by their calls; without one by what their code means for others in the file, or for CUPTI. */
class Waits {
  private readonly calls: ReadonlyMap<string, string>;
  private readonly areCuptis: boolean;
  /** Meanings by code; null for one that several kinds of calls have. */
  private readonly meanings = new Map<unknown, number | null>();

  constructor(calls: ReadonlyMap<string, string>, rows: readonly Cell[][], areCuptis: boolean) {
    this.calls = calls;
    this.areCuptis = areCuptis;
    for (const [process, id, code] of rows) {
      const type = this.byCall(process, id);
      if (type === null) continue;
      const known = this.meanings.get(code);
      this.meanings.set(code, known === undefined || known === type ? type : null);
    }
  }

  /** Null where nothing says it. */
  typeOf(process: Cell | undefined, id: Cell | undefined, code: Cell | undefined): number | null {
    const known = this.byCall(process, id) ?? this.meanings.get(code);
    if (known !== undefined && known !== null) return known;
    return this.areCuptis && Object.values(syncTypes).includes(code as number) ? (code as number) : null;
  }

  private byCall(process: Cell | undefined, id: Cell | undefined): number | null {
    const name = apiName(this.calls.get(callKey(process, id)) ?? '');
    return syncTypeByCall.find(([calls]) => calls.test(name))?.[1] ?? null;
  }
}

/** From schema 3.24.14 on, codes were those of CUPTI wherever they were looked at; before, some were and some were not. */
function hasCodesOfCupti(schema: string): boolean {
  const [major, minor, micro] = schema.split('.').map(Number);
  if (major === undefined || minor === undefined || !(major >= 3)) return false;
  return major > 3 || minor > 24 || (minor === 24 && (micro ?? 0) >= 14);
}

/** Codes differ between versions of the export; the calls say what they wait for. */
const syncTypeByCall: [RegExp, number][] = [
  [/^cu(da)?StreamSynchronize/, syncTypes.stream],
  [/^(cudaDeviceSynchronize|cudaThreadSynchronize|cuCtxSynchronize)/, syncTypes.context],
  [/^cu(da)?EventSynchronize/, syncTypes.event],
  [/^cu(da)?StreamWaitEvent/, syncTypes['stream-wait']],
];

/** Types of columns change: a number may be a text. */
function asNumber<T extends Cell | undefined>(cell: T): T | number {
  return typeof cell === 'string' && /^-?\d{1,15}$/.test(cell) ? Number(cell) : cell;
}

/** Process and correlation id: the latter is unique within a process only. */
const callKey = (global: Cell | undefined, correlationId: Cell | undefined): string =>
  `${processOf(global)} ${String(correlationId)}`;
