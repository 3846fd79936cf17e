/** Programs that `simsight nvcc` has linked, as what is recorded. */
import { basename } from 'node:path';
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { SimsightError } from '../base/errors.ts';
import { headBytes, isProgram, objectOf, type ObjectFile } from '../compile/index.ts';

/** The contents of a linked program; null for anything else, which may be a source. Errors: `compile-failed` for a damaged one. */
export function programAt(path: string): ObjectFile | null {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true || !isProgram(head(path))) return null;
  const object = objectOf(readFileSync(path));
  if (object !== null) return object;
  const remedy = 'Link it again with "simsight nvcc".';
  throw new SimsightError('compile-failed', `${basename(path)} is damaged.`, remedy, { file: path });
}

function head(path: string): Uint8Array {
  const bytes = new Uint8Array(headBytes);
  const file = openSync(path, 'r');
  try {
    return bytes.subarray(0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
}
