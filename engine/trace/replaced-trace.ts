/**
 * The place of a recording's file: what has its name before is kept under another until the recording is finished, and comes back when
 * that is dropped. Whatever else lies there is refused before anything is touched.
 */
import Database from 'better-sqlite3';
import { constants, copyFileSync, existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { fileError, SimsightError } from '../base/errors.ts';
import { checkLogs, targetAt, type Found } from '../base/targets.ts';
import { hasTrackIndex } from './track-index.ts';

/**
 * Nothing beside the trace may be somebody else's, where this recording would remove or write it. Gives whether what is kept under the
 * name of the previous trace is ours.
 */
export function checkBeside(path: string, previous: string): boolean {
  const isThere = existsSync(path);
  const kept = foundUnder(previous);
  const ownsPrevious = kept === 'nothing' || kept === 'empty' || kept === 'trace';
  // Logs that earlier versions left when they were killed lie beside no trace, but beside the one that they kept.
  checkLogs(path, { belongsToNothing: !isThere && kept !== 'trace' });
  if (ownsPrevious) checkLogs(previous);
  else if (isThere) {
    throw new SimsightError(
      'file-not-allowed',
      `${previous} is in the way: the trace that is to be replaced is kept under that name, and what is there is no trace.`,
      'Move it, or choose another output file.',
      { file: previous },
    );
  }
  return ownsPrevious;
}

function foundUnder(path: string): Found | 'other' {
  try {
    return targetAt(path).found;
  } catch {
    return 'other';
  }
}

/** Restores the files as they were before the recording. */
export function restore(path: string, previous: string, ownsPrevious: boolean): void {
  if (!ownsPrevious || !existsSync(previous)) {
    removeTrace(path);
    return;
  }
  const isWhole = mergeLog(previous);
  takePlace(previous, path);
  // A trace and a log that cannot be merged stay together.
  if (!isWhole && existsSync(`${previous}-wal`)) renameSync(`${previous}-wal`, `${path}-wal`);
}

/**
 * Suffixes of the files that SQLite keeps beside a database. They belong to that file alone: beside another one they would be replayed into
 * it.
 */
const companions = ['-wal', '-shm', '-journal'];
/** Removes a trace. The files beside it go first, so that none is left for the next file of that name. */
export function removeTrace(path: string): void {
  for (const end of [...companions, '']) rmSync(path + end, { force: true });
}
/** Puts a whole file in the place of another, or of what one that was killed left. */
export function takePlace(from: string, to: string): void {
  for (const end of companions) rmSync(to + end, { force: true });
  renameSync(from, to);
}

/**
 * Keeps what has the name under another until the recording is finished: a trace that is, or the first one that was killed. Those
 * killed after it go, and what was kept before them stays. At any moment there is a file of that name.
 */
export function keepPrevious(path: string, previous: string): void {
  const isWhole = mergeLog(path);
  if (existsSync(previous) && (!isWhole || isUnfinished(path))) return;
  removeTrace(previous);
  try {
    linkOrCopy(path, previous);
    // A damaged one and what belongs to it; the log is the last to have both names.
    if (!isWhole && existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${previous}-wal`);
  } catch (error) {
    removeTrace(previous);
    throw error;
  }
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    // Not all file systems have two names for a file.
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
}

/** Makes one file of a trace and its log; false where it is damaged. Throws where that cannot be written. */
function mergeLog(path: string): boolean {
  let db: Database.Database | undefined;
  try {
    // A process that records into it does so for long, and nothing else is done here meanwhile.
    db = new Database(path, { fileMustExist: true, timeout: 100 });
    db.pragma('trusted_schema = OFF');
    db.pragma('journal_mode = DELETE');
    return true;
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      throw new SimsightError(
        'file-not-allowed',
        `${path} is in use: something is still being recorded into it.`,
        'Choose another output file, or wait for its end.',
        { file: path },
      );
    }
    // Its log is needed, and cannot be written into it.
    const fault = fileError(error, path);
    if (fault !== null) throw fault;
    return false;
  } finally {
    db?.close();
  }
}

/** True if the file was left by a recording that was killed; false for SQLite files of other programs. */
function isUnfinished(path: string): boolean {
  const db = new Database(path, { readonly: true });
  try {
    const complete = db.prepare("SELECT value FROM SIMSIGHT_RECORDING WHERE name = 'complete'").pluck().get();
    return complete === 'false' && !hasTrackIndex(db);
  } catch {
    return false;
  } finally {
    db.close();
  }
}
