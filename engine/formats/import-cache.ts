/**
 * What was made of other tools' recordings, and of traces of older formats, kept for the next time they are opened. A file is
 * known by its path, size and time of change; what was made by another version of the program is not used.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, realpathSync, rmSync, statSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import { version } from '../base/version.ts';
import { formatVersion } from '../trace/migrations.ts';

/** All together; the ones that were not opened for longest go first. */
const mostBytes = 8 * 2 ** 30;
/** What a program that was killed left half made, where it cannot be told that it was. */
const abandonedMs = 24 * 3600e3;
/** Folders in which traces are made say which process does it. */
export const makingPrefix = (): string => `making-${process.pid}-`;
/** Counts changes of the importers. */
const importers = 2;

/** Where the trace made of a file is, or is to be. */
export function cachedTrace(path: string, folder: string): { path: string; isThere: boolean } {
  const { ino, size, mtimeMs } = statSync(path);
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  const known = [realpathSync(path), ino, size, mtimeMs, log?.size, log?.mtimeMs, version, formatVersion(), importers];
  const name = createHash('sha256').update(JSON.stringify(known)).digest('hex').slice(0, 32);
  const entry = join(folder, `${name}.simsight`);
  const found = statSync(entry, { throwIfNoEntry: false });
  if (found) utimesSync(entry, new Date(), new Date());
  return { path: entry, isThere: found !== undefined };
}

/** Makes room for one more. */
export function pruneCache(folder: string, now = Date.now()): void {
  mkdirSync(folder, { recursive: true });
  const files = readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat ? [{ path, ...stat, isWhole: name.endsWith('.simsight') }] : [];
  });
  let kept = 0;
  for (const { path, size, mtimeMs, isWhole } of files.sort((a, b) => b.mtimeMs - a.mtimeMs)) {
    kept += size;
    const isOld = !isWhole && (now - mtimeMs > abandonedMs || isLeft(path));
    if (isOld || (isWhole && kept > mostBytes)) rmSync(path, { recursive: true, force: true });
  }
}

/** Whether the process that was at work in a folder is gone. */
function isLeft(path: string): boolean {
  const [, pid] = /^making-(\d+)-/.exec(basename(path)) ?? [];
  if (pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    // Another user's process is there as well.
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
