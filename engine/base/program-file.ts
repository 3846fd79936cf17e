/** How the files of linked programs begin: `simsight nvcc` writes them (engine/compile/objects.ts). */
import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** The first line of a program: `simsight run -- PROGRAM ARGUMENTS`. */
const shellLine = '#!/usr/bin/env -S simsight run --\n';
export const objectMagic = 'SIMSIGHT-OBJECT\n';
export const programHead = shellLine + objectMagic;

/** True for a file that begins as a linked program does; false for anything else, which need not be there. */
export function isProgramFile(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
  const bytes = Buffer.alloc(programHead.length);
  const file = openSync(path, 'r');
  try {
    return readSync(file, bytes) === bytes.length && bytes.toString('latin1') === programHead;
  } finally {
    closeSync(file);
  }
}
