/** Small files that Simsight keeps: nobody ever reads half of one, and nothing else is taken for one or lost to one. */
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { ownTarget } from './targets.ts';
import { removeAbandoned, unfinishedName } from './unfinished-files.ts';

/**
 * Written beside and renamed: whoever reads meanwhile, or after a crash, sees the old content or the new. A link stays, and leads to the
 * new content. Throws as `fs` does, and a `SimsightError` where there is no regular file.
 */
export function replaceFile(name: string, content: string): void {
  mkdirSync(dirname(name), { recursive: true });
  const path = ownTarget(name);
  removeAbandoned(path);
  const fresh = unfinishedName(path);
  try {
    writeFileSync(fresh, content, { flag: 'wx' });
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

/** The content of a regular file; throws for anything else, without waiting for it, and a `RangeError` for one with more bytes. */
export function readSmallFile(path: string, mostBytes: number): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const info = fstatSync(file);
    if (!info.isFile()) throw new RangeError('it is not a regular file');
    if (info.size > mostBytes) throw new RangeError(`it has ${info.size} bytes`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}
