/**
 * The preparation of a file before it can be looked at: recordings of other tools become a trace of ours, our own of programs
 * that were killed get what they lack. The file itself is never written to. It takes seconds for large files, so
 * {@link file://./open.ts} has it done in a thread.
 */
import Database from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { OpenProgress } from '../model/timeline.ts';
import { applicationId } from '../base/targets.ts';
import { completeCopy, copyWithLogs, explain, logsOf, needsCopy } from '../trace/open-file.ts';
import { importChrome, isTraceJson } from './chrome/import.ts';
import { importNsys, isNsysExport } from './nsys-sqlite.ts';
import { readHead } from '../base/head.ts';

/** `log`: what is still being written, or was when the program was killed. */
export type Preparation = 'nsys' | 'chrome' | 'log' | 'copy';
export type OnProgress = (progress: OpenProgress) => void;

/** Null for a trace that opens as it is; throws for what is none. */
export function preparationOf(path: string): Preparation | null {
  if (isNsys(path)) return 'nsys';
  if (isTraceJson(path)) return 'chrome';
  return needsCopy(path);
}

/** Makes the trace that is opened in place of a file, at `target`. */
export async function prepare(
  path: string,
  preparation: Preparation,
  target: string,
  onProgress: OnProgress,
): Promise<void> {
  if (preparation === 'chrome') {
    await importChrome(path, target, onProgress);
    return;
  }
  if (preparation !== 'nsys') {
    completeCopy(path, target, (done, total) => onProgress({ phase: 'index', done, total, unit: 'rows' }));
    return;
  }
  try {
    if (hasLog(path)) inCopy(path, dirname(target), (copy) => importNsys(copy, target, onProgress));
    else importNsys(path, target, onProgress);
  } catch (error) {
    throw explain(error, path);
  }
}

/** An SQLite file of Nsight Systems; all else is for `openTraceFile` to judge. */
function isNsys(path: string): boolean {
  const head = readHead(path, 100);
  if (head?.toString('latin1', 0, 16) !== 'SQLite format 3\0' || head.length < 100) return false;
  if (head.readUInt32BE(68) === applicationId) return false;
  try {
    return hasLog(path) ? inCopy(path, tmpdir(), hasTablesOfNsys) : hasTablesOfNsys(path);
  } catch {
    return false;
  }
}

function hasTablesOfNsys(path: string): boolean {
  const db = new Database(path, { readonly: true, fileMustExist: true });
  try {
    db.pragma('trusted_schema = OFF');
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[];
    return isNsysExport(new Set(tables));
  } finally {
    db.close();
  }
}

/** True if a file is in write-ahead mode or was not closed: reading it where it is would write to it, or make others beside it. */
function hasLog(path: string): boolean {
  const head = readHead(path, 20);
  return head?.[18] === 2 || head?.[19] === 2 || logsOf(path).length > 0;
}

function inCopy<T>(path: string, temporary: string, read: (copy: string) => T): T {
  const folder = mkdtempSync(join(temporary, 'simsight-'));
  try {
    const copy = join(folder, 'copy.sqlite');
    copyWithLogs(path, copy);
    // One file, before anybody reads it.
    const db = new Database(copy);
    try {
      db.pragma('trusted_schema = OFF');
      db.pragma('journal_mode = DELETE');
    } finally {
      db.close();
    }
    return read(copy);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
