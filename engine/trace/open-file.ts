/**
 * Opens the SQLite file of a trace without ever writing to it or beside it, and says plainly what is wrong with a file
 * that cannot be opened. A recording that was killed (or is still running) consists of the file and its write-ahead log;
 * these are copied to a private folder and put together there. So are files without the index of the timeline's rows, which get it
 * there.
 */
import Database from 'better-sqlite3';
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileError, SimsightError } from '../base/errors.ts';
import { headOf } from '../base/head.ts';
import { systemFault } from '../base/system-errors.ts';
import { applicationId } from '../base/targets.ts';
import { formatVersion, indexNames, tableNames, tablesOfKinds, views } from './schema.ts';
import { previousOf } from './previous.ts';
import { isStored } from './tables.ts';
import { hasTrackIndex, indexTracks, type OnIndexed } from './track-index.ts';

/** Size of SQLite's file header. */
const headerBytes = 100;
/** Below this size the whole file is checked for damage on opening; it takes some 3 ms per MB. */
const checkedBytes = 16 * 2 ** 20;

export interface TraceFile {
  /** Path of the open database: the file itself, or the copy made of it. */
  path: string;
  db: Database.Database;
  /** Runs a query and turns SQLite's complaint about a broken file into a clear error. */
  guarded<T>(query: () => T): T;
  close(): void;
}

/** Returns why a file has to be completed in a copy before it can be read; null if it needs no copy. Throws for files that are no trace. */
export function needsCopy(path: string): 'log' | 'copy' | null {
  if (readHeader(path).hasLog) return 'log';
  try {
    const db = openFinished(path);
    db?.close();
    return db === null ? 'copy' : null;
  } catch (error) {
    throw explain(error, path);
  }
}

/** Log files that SQLite reads with a database, and would write to: left by programs that are still writing, or were killed. */
export const logsOf = (path: string): string[] => ['-wal', '-journal'].filter((end) => existsSync(path + end));

export function copyWithLogs(path: string, copy: string): void {
  copyFileSync(path, copy);
  for (const end of logsOf(path)) copyFileSync(path + end, copy + end);
}

/** Makes such a copy; `onIndexed` is told how far the rows of the timeline are. */
export function completeCopy(path: string, copy: string, onIndexed: OnIndexed): void {
  readHeader(path);
  copyWithLogs(path, copy);
  try {
    const db = openCopy(copy, path, onIndexed);
    db.pragma('query_only = OFF');
    // One file, that others can read at the same time.
    db.pragma('journal_mode = DELETE');
    db.close();
  } catch (error) {
    throw explain(error, path);
  }
}

/** `temporary` is where private copies go. */
export function openTraceFile(path: string, temporary = tmpdir()): TraceFile {
  const { hasLog } = readHeader(path);
  const guarded = <T>(query: () => T): T => {
    try {
      return query();
    } catch (error) {
      throw explain(error, path);
    }
  };
  const opened = hasLog ? null : guarded(() => openFinished(path));
  if (opened) return { path, db: opened, guarded, close: () => opened.close() };

  const folder = mkdtempSync(join(temporary, 'simsight-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    const copy = join(folder, 'trace.simsight');
    copyWithLogs(path, copy);
    const db = guarded(() => openCopy(copy, path));
    const close = (): void => {
      db.close();
      process.off('exit', remove);
      remove();
    };
    return { path: copy, db, guarded, close };
  } catch (error) {
    process.off('exit', remove);
    remove();
    throw error;
  }
}

/** The file itself; null if something is to be added to it first. */
function openFinished(path: string): Database.Database | null {
  const db = new Database(path, { readonly: true, fileMustExist: true });
  try {
    check(db, path);
    if (hasTrackIndex(db)) {
      // The file's own views may never end. Ours replace those that belong to the format.
      const expected = tableNames();
      const own = db.prepare(`SELECT name FROM sqlite_schema WHERE NOT (${isStored})`).pluck().all() as string[];
      const wrong = own.find((name) => expected.has(name) || tablesOfKinds.has(name));
      if (wrong !== undefined) throw damaged(path, `${wrong} should be a table`);
      db.pragma('temp_store = MEMORY');
      for (const table of missingTables(db)) db.exec(table.replace('CREATE TABLE', 'CREATE TEMP TABLE'));
      for (const view of views()) db.exec(view.replace('CREATE VIEW', 'CREATE TEMP VIEW'));
      db.pragma('query_only = ON');
      return db;
    }
  } catch (error) {
    db.close();
    throw error;
  }
  db.close();
  return null;
}

/** Tables of kinds that the file knows nothing of, as they are created. */
function missingTables(db: Database.Database): string[] {
  const found = new Set(db.prepare('SELECT name FROM sqlite_schema').pluck().all());
  return [...tablesOfKinds].flatMap(([name, table]) => (found.has(name) ? [] : [table]));
}

/** A copy of the file, with the index of its rows. */
function openCopy(copy: string, path: string, onIndexed?: OnIndexed): Database.Database {
  const db = new Database(copy, { fileMustExist: true });
  try {
    check(db, path);
    // Triggers, views, indexes and virtual tables that a broken or hostile file would run while rows are written or read.
    const indexes = indexNames();
    const found = db
      .prepare(
        `SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view') OR (type = 'index' AND sql IS NOT NULL)
         OR sql LIKE 'CREATE VIRTUAL%' ORDER BY type`,
      )
      .raw()
      .all() as [string, string][];
    for (const [type, name] of found)
      if (!indexes.has(name)) db.exec(`DROP ${type} IF EXISTS "${name.replaceAll('"', '""')}"`);
    for (const table of missingTables(db)) db.exec(table);
    for (const view of views()) db.exec(view.replace('CREATE VIEW', 'CREATE VIEW IF NOT EXISTS'));
    if (!hasTrackIndex(db)) indexTracks(db, onIndexed);
    db.pragma('query_only = ON');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Files of other tools, by name, and how to get a file that can be opened. */
const otherKinds: readonly { names: RegExp; what: string; remedy: (name: string) => string }[] = [
  {
    names: /\.(nsys-rep|qdrep)$/i,
    what: 'it is a report of Nsight Systems, in a format of its own',
    remedy: (name) => `Export it with "nsys export --type sqlite ${name}", and open what that writes.`,
  },
  {
    names: /\.(qdstrm)$/i,
    what: 'it is what Nsight Systems had recorded before it made a report of it',
    remedy: (name) =>
      `Make a report of it with "QdstrmImporter -i ${name}", then export that with "nsys export --type sqlite".`,
  },
  {
    names: /\.(ncu-rep|nsight-cuprof-report)$/i,
    what: 'it is a report of Nsight Compute, which has no timeline',
    remedy: () => 'Record the program with "nsys profile", and export that with "nsys export --type sqlite".',
  },
  {
    names: /\.xplane\.pb(\.gz)?$/i,
    what: 'it is a profile of XLA (JAX, TensorFlow), in a format of its own',
    remedy: () =>
      'Open the .trace.json.gz that lies beside it; JAX writes one (perfetto_trace.json.gz) with jax.profiler.start_trace(folder, create_perfetto_trace=True).',
  },
  {
    names: /\.(h5|hdf5?|arrow|parquet|jsonl|jsonlines)$/i,
    what: 'it is a table in another format than SQLite',
    remedy: () => 'Export the report of Nsight Systems with "nsys export --type sqlite", and open what that writes.',
  },
  {
    names: /\.(nvvp|nvprof|prof)$/i,
    what: 'it is what nvprof wrote, which CUDA has had no more since 13.0',
    remedy: () => 'Record the program with "nsys profile", and export that with "nsys export --type sqlite".',
  },
  {
    names: /\.(pftrace|perfetto-trace|pb)$/i,
    what: 'it is a trace of Perfetto, in a format of its own',
    remedy: (name) => `Convert it with Perfetto's "traceconv json ${name} trace.json", and open that.`,
  },
  {
    names: /-(wal|shm|journal)$/i,
    what: 'it is a part of the trace that it lies beside',
    remedy: (name) => `Open ${name.replace(/-\w+$/, '')}: what is in both is read together.`,
  },
  {
    names: /\.(zip|tar|tgz|tar\.gz|tar\.bz2|7z|rar|xz|zst|bz2)$/i,
    what: 'it is an archive',
    remedy: () => 'Unpack it, and open the recording that is in it. Only JSON may stay compressed, as .json.gz.',
  },
];

/** SQLite files that other tools write, by their tables. */
const otherDatabases: readonly { isIt: (tables: readonly string[]) => boolean; what: string; remedy: string }[] = [
  {
    isIt: (tables) =>
      tables.includes('StringIds') &&
      tables.some((name) => /^(EXPORT_META_DATA|META_DATA_|TARGET_INFO_|ANALYSIS_)/.test(name)),
    what: 'is an export of Nsight Systems without a table of CUDA, NVTX or calls of the operating system: nothing in it has a row here',
    remedy:
      'Record with "nsys profile --trace=cuda,nvtx,osrt" and export again: exports have tables for what was traced alone.',
  },
  {
    isIt: (tables) => tables.some((name) => name.startsWith('CUPTI_ACTIVITY_KIND_')),
    what: 'is what nvprof wrote, which is older than Nsight Systems and which CUDA has had no more since 13.0',
    remedy: 'Record the program with "nsys profile", and export that with "nsys export --type sqlite".',
  },
  {
    isIt: (tables) => tables.some((name) => name.startsWith('rocpd_')),
    what: "is a recording of ROCm's profiler in its database (rocpd), which is not read",
    remedy: 'Record with PyTorch\'s profiler, or open what "rocprof --hip-trace" writes as Chrome JSON.',
  },
];

/** Checks that need no SQLite: they give the clearest messages. */
function readHeader(path: string): { hasLog: boolean } {
  if (!existsSync(path)) {
    const previous = previousOf(path);
    const remedy = existsSync(previous) ? `An earlier trace of that name is there: ${previous}.` : 'Check the path.';
    throw new SimsightError('file-not-found', `There is no file ${path}.`, remedy, { file: path });
  }
  const { size } = isFile(path);
  let header: Buffer;
  try {
    header = headOf(path, headerBytes);
  } catch (error) {
    throw new SimsightError('file-unreadable', `${path} cannot be read: ${(error as Error).message}`, '', {
      file: path,
    });
  }
  if (size === 0 || header.toString('latin1', 0, 16) !== 'SQLite format 3\0') {
    const known = size === 0 ? undefined : otherKinds.find(({ names }) => names.test(path));
    const what = size === 0 ? 'it is empty' : (known?.what ?? 'it is no SQLite file');
    throw new SimsightError(
      'trace-not-sqlite',
      `${path} is not a Simsight trace: ${what}.`,
      known?.remedy(basename(path)) ??
        'Choose a .simsight file, an SQLite export of Nsight Systems or a Chrome trace in JSON, or record one with "simsight record".',
      { file: path },
    );
  }
  if (header.length < headerBytes) throw damaged(path, `it ends after ${header.length} bytes`);
  // SQLite reads a log that is there whatever the file says.
  const hasLog = header[18] === 2 || header[19] === 2 || logsOf(path).length > 0;
  const pageSize = header.readUInt16BE(16) === 1 ? 65536 : header.readUInt16BE(16);
  const expected = pageSize * header.readUInt32BE(28);
  if (!hasLog && size !== expected) throw damaged(path, `it has ${size} bytes where its header says ${expected}`);
  return { hasLog };
}

function isFile(path: string): { size: number } {
  const stat = statSync(path);
  if (stat.isDirectory()) {
    throw new SimsightError('file-is-directory', `${path} is a folder, not a trace.`, 'Choose a .simsight file.', {
      file: path,
    });
  }
  if (!stat.isFile()) throw new SimsightError('file-unreadable', `${path} is not a regular file.`, '', { file: path });
  return stat;
}

const versionOf = (db: Database.Database): number => db.pragma('user_version', { simple: true }) as number;

/** Makes the connection harmless and checks that the file is a trace of a version known here. */
function check(db: Database.Database, path: string): void {
  // Nothing that is written in the file may run: no functions from its schema.
  db.pragma('trusted_schema = OFF');
  db.pragma('cell_size_check = ON');
  // Nor is it computed whether rows are as a definition in it says.
  db.pragma('ignore_check_constraints = ON');
  const found = new Set(
    db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as (string | null)[],
  );
  const ours = db.pragma('application_id', { simple: true }) === applicationId;
  const version = versionOf(db);
  if (!ours && !found.has('SIMSIGHT_RECORDING')) {
    const names = [...found].filter((name) => name !== null);
    const { what, remedy } = otherDatabases.find(({ isIt }) => isIt(names)) ?? {
      what: 'is an SQLite file, but neither a Simsight trace nor an export of Nsight Systems',
      remedy: 'Choose a .simsight file, or what "nsys export --type sqlite" wrote.',
    };
    throw new SimsightError('trace-foreign', `${path} ${what}.`, remedy, { file: path });
  }
  if (!ours || version < 1) throw damaged(path, 'its header is wrong');
  if (version !== formatVersion) {
    const isNewer = version > formatVersion;
    throw new SimsightError(
      isNewer ? 'trace-newer' : 'trace-older',
      `${path} was written by ${isNewer ? 'a newer' : 'an older'} Simsight: its format is ${version}, this one reads ${formatVersion}.`,
      isNewer ? 'Update Simsight, or record again with this version.' : 'Record again with this version.',
      { file: path },
    );
  }
  const missing = [...tableNames()].find((table) => !found.has(table));
  if (missing) throw damaged(path, `the table ${missing} is missing`);
  checkColumns(db, path);
  const { size } = statSync(path);
  if (size <= checkedBytes) {
    const answer = db.pragma('quick_check(1)', { simple: true }) as string;
    if (answer !== 'ok')
      throw damaged(
        path,
        answer
          .replace(/^\*+ in database main \*+/, '')
          .trim()
          .replace(/\s+/g, ' '),
      );
  }
}

/** A default is what rows without a value have, however many there are. Those of recordings are numbers. */
const longestDefault = 100;

/** Columns that are computed when they are read may take for ever, and those with long defaults any memory. Recordings have neither. */
export function checkColumns(db: Database.Database, path: string): void {
  const [table, hidden] = (db
    .prepare(
      `SELECT m.name, c.hidden FROM sqlite_schema m JOIN pragma_table_xinfo(m.name) c
       WHERE m.${isStored} AND (c.hidden IN (2, 3) OR length(c.dflt_value) > ${longestDefault}) LIMIT 1`,
    )
    .raw()
    .get() ?? []) as [string?, number?];
  if (table === undefined) return;
  throw damaged(
    path,
    `the table ${table.slice(0, longestDefault)} has ${hidden === 0 ? 'columns with long defaults' : 'computed columns'}`,
  );
}

/** SQLite quotes the whole of a definition that it cannot read. */
const longestReason = 300;

export function damaged(path: string, what: string): SimsightError {
  return new SimsightError(
    'trace-damaged',
    `${path} is damaged: ${what.length > longestReason ? `${what.slice(0, longestReason)} …` : what}.`,
    'Copy it again from where it came from, or record again.',
    { file: path },
  );
}

/** A clear error in place of SQLite's, or of ours about packed data. */
export function explain(error: unknown, path: string): unknown {
  if (error instanceof RangeError) return damaged(path, error.message);
  if (!(error instanceof Database.SqliteError)) return error;
  const { code, message } = error;
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) return damaged(path, message);
  // A private copy, or what is made of the file: nothing is ever written to the file itself.
  const fault = systemFault(error);
  if (fault?.writes) return fileError(error);
  // A broken schema or page shows up as any kind of failure to prepare or run our fixed queries.
  if (code === 'SQLITE_ERROR' || code.startsWith('SQLITE_IOERR') || code === 'SQLITE_FORMAT')
    return damaged(path, message);
  return new SimsightError('file-unreadable', `${path} cannot be read: ${message}`, '', { file: path });
}
