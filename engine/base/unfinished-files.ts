/**
 * Names of files that are being written: `run.simsight.4711-1f3a5c-9b2e41.new` beside `run.simsight`. No other program has files
 * of such names, so nobody's is in the way; and the name says by which process of which machine, so that what a killed one left can go.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';

const machine = createHash('sha256').update(hostname()).digest('hex').slice(0, 6);
/** Names of unfinished files, with what SQLite has beside a file. */
const unfinished = /^\.(\d+)-([0-9a-f]{6})-[0-9a-f]{6}\.new(-wal|-shm|-journal)?$/;

/** A name beside `path` that nothing has. */
export const unfinishedName = (path: string): string =>
  `${path}.${process.pid}-${machine}-${randomBytes(3).toString('hex')}.new`;

/** Removes what processes of this machine left beside `path` that were killed while they wrote it. */
export function removeAbandoned(path: string): void {
  const [folder, name] = [dirname(path), basename(path)];
  for (const each of readdirSync(folder)) {
    if (!each.startsWith(name)) continue;
    const [, pid, of] = unfinished.exec(each.slice(name.length)) ?? [];
    if (of === machine && !isAlive(Number(pid))) rmSync(join(folder, each), { recursive: true, force: true });
  }
}

/** True if such a process exists on this machine, another user's included. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
