/**
 * Names of recordings that nobody named: `app-h200.simsight`, then `app-h200-2.simsight` and so on, so that none takes the place of one
 * before it. Recordings are deterministic: one that is equal to one before it, to the byte, is that one.
 */
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { previousOf } from '../trace/previous.ts';

const numbered = (path: string, number: number): string =>
  number === 1 ? path : path.replace(/(\.simsight)?$/, `-${number}$1`);

/** Also of a recording that was killed, whose log may be all that is left. */
const isTaken = (path: string): boolean => [path, `${path}-wal`, previousOf(path)].some((each) => existsSync(each));

/** The first of the names that nothing has. */
export function freeName(path: string): string {
  for (let number = 1; ; number++) if (!isTaken(numbered(path, number))) return numbered(path, number);
}

/** Where a finished recording is to be found: if one before it is the same, there, and the new one is gone. `path` is what it was to be called. */
export function keptAt(recorded: string, path: string): string {
  const { size } = statSync(recorded);
  let content: Buffer | null = null;
  for (let number = 1; numbered(path, number) !== recorded; number++) {
    const before = numbered(path, number);
    if (statSync(before, { throwIfNoEntry: false })?.size !== size) continue;
    content ??= readFileSync(recorded);
    if (!content.equals(readFileSync(before))) continue;
    rmSync(recorded);
    return before;
  }
  return recorded;
}
