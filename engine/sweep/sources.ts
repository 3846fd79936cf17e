/**
 * The files that a sweep's results depend on: the program's sources, the headers that they include, and data files that were
 * named. They are told apart by what they hold, wherever they lie.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { SimsightError } from '../base/errors.ts';
import { isWithin } from '../base/real-paths.ts';
import { gatherFiles, languageOf } from '../compile/sources.ts';

export interface SweepFile {
  role: 'source' | 'header' | 'data';
  /** From the sweep's folder, with slashes, where there is a way. */
  path: string;
  /** From the folder of the first source; no part of the machine, unless the file lies outside of it. */
  name: string;
  sha256: string;
}

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const withSlashes = (path: string): string => path.replaceAll('\\', '/');
/** On another drive of Windows there is no relative path. */
export const pathFrom = (folder: string, file: string): string => withSlashes(relative(folder, file)) || '.';

/** All files, in an order that depends on nothing but their names; sources come first, as they were given. */
export function filesOf(
  folder: string,
  sources: readonly string[],
  includeFolders: readonly string[],
  data: readonly string[],
): SweepFile[] {
  const own = sources.map((source) => resolve(source));
  const home = dirname(own[0]!);
  const includes = includeFolders.map((each) => resolve(each));
  const found = new Map<string, SweepFile>();
  const add = (role: SweepFile['role'], path: string, bytes: Uint8Array): void => {
    if (found.has(path)) return;
    found.set(path, { role, path: pathFrom(folder, path), name: pathFrom(home, path), sha256: digest(bytes) });
  };
  for (const source of own) {
    languageOf(source);
    add('source', source, readFileSync(source));
  }
  const others: [SweepFile['role'], string, Uint8Array][] = [];
  for (const source of own)
    for (const [path, bytes] of gatherFiles(source, { includeFolders: includes })) others.push(['header', path, bytes]);
  for (const path of data.flatMap(filesIn)) others.push(['data', path, readFileSync(path)]);
  others.sort(([, a], [, b]) => (pathFrom(home, a) < pathFrom(home, b) ? -1 : 1));
  for (const [role, path, bytes] of others) add(role, path, bytes);
  return [...found.values()];
}

/** A file, or all that are in a folder. */
function filesIn(path: string): string[] {
  const full = resolve(path);
  const info = statSync(full, { throwIfNoEntry: false });
  if (!info) throw new SimsightError('file-not-found', `There is no file ${path}.`, 'Check --data.', { file: path });
  if (!info.isDirectory()) return [full];
  return readdirSync(full, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Throws `sweep-differs` where a file is not as it was when the sweep was made. */
export function checkFiles(folder: string, files: readonly SweepFile[]): void {
  for (const { path, sha256, name } of files) {
    const full = isAbsolute(path) ? path : join(folder, path);
    const info = statSync(full, { throwIfNoEntry: false });
    if (!info?.isFile()) {
      throw new SimsightError('file-not-found', `There is no file ${full}, which the sweep in ${folder} needs.`, '', {
        file: full,
      });
    }
    if (digest(readFileSync(full)) === sha256) continue;
    throw new SimsightError(
      'sweep-differs',
      `${name} has changed since the sweep in ${folder} began.`,
      'Start a new sweep in another folder.',
      { file: full },
    );
  }
}

/** The folder that all of these lie in. */
export function commonFolder(paths: readonly string[]): string {
  let folder = paths[0]!;
  while (!paths.every((path) => isWithin(folder, path)) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}
