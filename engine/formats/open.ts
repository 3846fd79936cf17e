/** Opens recordings: our own traces, and what other tools wrote, which become a trace of ours in a private folder first. */
import Database from 'better-sqlite3';
import { closeSync, copyFileSync, existsSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explain, openTraceFile, type TraceFile } from '../trace/open-file.ts';
import { openTrace, type Trace } from '../trace/reader.ts';
import { importNsys, isNsysExport } from './nsys-sqlite.ts';

/** Throws a `SimsightError` that names the file and what it is. The file is never written to. */
export const openRecording = (path: string): Trace => openTrace(path, openRecordingFile(path));

/** The same without reading what is in it; `temporary` is where private copies go. */
export function openRecordingFile(path: string, temporary = tmpdir()): TraceFile {
  if (!isForeign(path)) return openTraceFile(path, temporary);
  const folder = mkdtempSync(join(temporary, 'simsight-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const forget = (): void => {
    process.off('exit', remove);
    remove();
  };
  try {
    // Reading a file in write-ahead mode would make others beside it.
    const copy = join(folder, 'export.sqlite');
    copyFileSync(path, copy);
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    const trace = join(folder, 'trace.simsight');
    try {
      importNsys(copy, trace);
    } catch (error) {
      throw explain(error, path);
    }
    const file = openTraceFile(trace);
    const close = (): void => {
      file.close();
      forget();
    };
    return { ...file, close };
  } catch (error) {
    forget();
    throw error;
  }
}

/** An SQLite file of Nsight Systems; all else is for {@link openTrace} to judge. */
function isForeign(path: string): boolean {
  try {
    const head = Buffer.alloc(16);
    const file = openSync(path, 'r');
    readSync(file, head, 0, head.length, 0);
    closeSync(file);
    if (head.toString('latin1') !== 'SQLite format 3\0') return false;
    const db = new Database(path, { readonly: true, fileMustExist: true });
    try {
      db.pragma('trusted_schema = OFF');
      const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[];
      return isNsysExport(new Set(tables));
    } finally {
      db.close();
    }
  } catch {
    return false;
  }
}
