/** Programs that `simsight nvcc` has linked, as what is recorded. */
import { basename, dirname, resolve } from 'node:path';
import { readFileSync } from 'node:fs';
import { SimsightError } from '../base/errors.ts';
import { isProgramFile } from '../base/program-file.ts';
import { objectOf, type ObjectFile } from '../compile/index.ts';
import type { RecordCall } from './types.ts';

/** The contents of a linked program; null for anything else, which may be a source. Errors: `compile-failed` for a damaged one. */
export function programAt(path: string): ObjectFile | null {
  if (!isProgramFile(path)) return null;
  const object = objectOf(readFileSync(path));
  if (object !== null) return object;
  const remedy = 'Link it again with "simsight nvcc".';
  throw new SimsightError('compile-failed', `${basename(path)} is damaged.`, remedy, { file: path });
}

/** The working folder of what is recorded: that of the first source, but a linked program works where its arguments were typed, as it would without. */
export function workingFolderOf({ sources, readsArguments }: RecordCall): string {
  const [first] = sources as [string];
  return readsArguments === true && isProgramFile(first) ? process.cwd() : dirname(resolve(first));
}
