/**
 * Results of importing other tools' recordings, and traces without an index, kept for the next time they are opened. A file is
 * known by its path, size and time of change; what was made by another version of the program is not used, nor is what is not to
 * the last bit what was kept: a damaged time in a trace looks like any other. So an entry's name ends in the hash of its content.
 */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, realpathSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import { withRegularFile } from '../base/regular-file.ts';
import { isAlive } from '../base/unfinished-files.ts';
import { version } from '../base/version.ts';
import { formatVersion } from '../trace/schema.ts';
import { logsOf } from '../trace/open-file.ts';

/** All together; the ones that were not opened for longest go first. */
const mostBytes = 8 * 2 ** 30;
/** The age from which an unfinished entry counts as left by a killed program, where that cannot be told otherwise. Milliseconds. */
const abandonedMs = 24 * 3600e3;
/** Folders in which traces are made say which process does it. */
export const makingPrefix = (): string => `making-${process.pid}-`;
/** Counts changes of the importers. */
const importers = 5;

/** The key of a file. */
export function importKey(path: string): string {
  const { ino, size, mtimeMs } = statSync(path);
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  const known = [realpathSync(path), ino, size, mtimeMs, log?.size, log?.mtimeMs, version, formatVersion, importers];
  return createHash('sha256').update(JSON.stringify(known)).digest('hex').slice(0, 32);
}

/** The trace that was made of a file; null if there is none. What lies in its place and is not it, is removed. */
export async function findImport(key: string, folder: string): Promise<string | null> {
  for (const name of namesIn(folder)) {
    if (!name.startsWith(key)) continue;
    const entry = join(folder, name);
    // SQLite would take a log beside it for a part of it.
    if (logsOf(entry).length === 0 && (await isEntry(key, entry, name))) {
      markUsed(entry);
      return entry;
    }
    removeQuietly(entry);
  }
  return null;
}

function markUsed(entry: string): void {
  try {
    utimesSync(entry, new Date(), new Date());
  } catch {
    // It can be read, though not written.
  }
}

/** Keeps a trace that was made in a folder below, and says where; null where that is not possible. */
export async function keepImport(key: string, made: string, folder: string): Promise<string | null> {
  try {
    const content = await contentOf(key, made);
    if (content === null) return null;
    const entry = join(folder, `${key}-${content}.simsight`);
    renameSync(made, entry);
    return entry;
  } catch {
    return null;
  }
}

async function isEntry(key: string, entry: string, name: string): Promise<boolean> {
  const bytes = Number(/^[^-]*-(\d+)-/.exec(name)?.[1] ?? 0);
  const content = await contentOf(key, entry, bytes).catch(() => null);
  return content !== null && name === `${key}-${content}.simsight`;
}

/**
 * Size and hash of a file's content and whose it is: the trace of another file, under this one's name, has another. Null for what is not a
 * file of at most that size, which can be seen without reading it.
 */
function contentOf(key: string, path: string, mostBytes = Infinity): Promise<string | null> {
  const hash = createHash('sha256').update(key);
  const chunk = Buffer.allocUnsafe(2 ** 22);
  return withRegularFile(path, mostBytes, async (file, bytes) => {
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
      if (bytesRead === 0) return `${bytes}-${hash.digest('hex')}`;
      hash.update(chunk.subarray(0, bytesRead));
    }
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export function removeQuietly(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // An entry that cannot be removed is not used either.
  }
}

/** Makes room: before one is made, and when it has been, which is kept whatever its size. */
export function pruneCache(folder: string, now = Date.now()): void {
  const files = namesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat ? [{ path, ...stat, isWhole: name.endsWith('.simsight') }] : [];
  });
  let kept = 0;
  for (const { path, size, mtimeMs, isWhole } of files.sort((a, b) => b.mtimeMs - a.mtimeMs)) {
    kept += size;
    const isOld = !isWhole && (now - mtimeMs > abandonedMs || isLeft(path));
    if (isOld || (isWhole && kept > Math.max(mostBytes, size))) removeQuietly(path);
  }
}

/** True if the process that was at work in a folder is gone. */
function isLeft(path: string): boolean {
  const [, pid] = /^making-(\d+)-/.exec(basename(path)) ?? [];
  return pid !== undefined && !isAlive(Number(pid));
}
