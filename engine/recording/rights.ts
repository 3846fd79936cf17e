/**
 * Rights of the threads that run a program, should it ever get out of its WebAssembly: rights of Node's permission model, which each
 * thread has for itself. They read Simsight's code and the folders that the user granted, and write to the one that the program
 * may write to; they start no processes and no threads, load no native code, and cannot be debugged.
 *
 * A thread may also read the working directory of its process, whatever is granted (Node 24): that has to be a folder of ours.
 */
import { realpathSync } from 'node:fs';
import type { WritableFolder } from '../cuda/linux/files.ts';
import { SimsightError } from '../base/errors.ts';
import { codePaths } from '../base/paths.ts';
import { isWithin } from '../base/real-paths.ts';

const reading = (path: string): string => `--allow-fs-read=${exactly(path)}`;
const writing = (path: string): string => `--allow-fs-write=${exactly(path)}`;

/** Node takes a star for "all that begins so". */
function exactly(path: string): string {
  if (!path.includes('*')) return path;
  throw new SimsightError(
    'file-not-allowed',
    `A program cannot access ${path}: its name contains a star.`,
    'Rename the folder.',
  );
}

/** Rights to read. Node 24 denies a folder after one within it, which goes without saying anyway. */
const readingAll = (paths: readonly string[]): string[] => {
  const outermost = paths.filter(
    (path, i) => !paths.some((other, k) => isWithin(other, path) && (other !== path || k < i)),
  );
  return ['--permission', ...outermost.map(reading)];
};

/** Rights of threads that execute blocks of grids. */
export const executionRights = (): string[] => readingAll(codePaths);

/** Rights of the thread that runs the host program. */
export function programRights(
  folder: string,
  writable: WritableFolder | null,
  readable: readonly string[] = [],
): string[] {
  const granted = [folder, ...(writable ? [writable.path] : []), ...readable].map((path) => realpathSync(path));
  return [...readingAll([...codePaths, ...granted]), ...(writable ? [writing(realpathSync(writable.path))] : [])];
}

/** Rights of the process around them, which runs nothing but `program-process.ts`. */
export const processRights = (): string[] => [
  ...executionRights(),
  '--allow-worker',
  // "It could invalidate the permission model": not where the threads that run programs are not given this right.
  '--disable-warning=PERM0006',
];
