/** Programs that `simsight nvcc` has linked, as what is recorded. */
import { basename } from 'node:path';
import { readFileSync } from 'node:fs';
import { SimsightError } from '../base/errors.ts';
import { isProgramFile } from '../base/program-file.ts';
import { objectOf, type ObjectFile } from '../compile/index.ts';

/** The contents of a linked program; null for anything else, which may be a source. Errors: `compile-failed` for a damaged one. */
export function programAt(path: string): ObjectFile | null {
  if (!isProgramFile(path)) return null;
  const object = objectOf(readFileSync(path));
  if (object !== null) return object;
  const remedy = 'Link it again with "simsight nvcc".';
  throw new SimsightError('compile-failed', `${basename(path)} is damaged.`, remedy, { file: path });
}
