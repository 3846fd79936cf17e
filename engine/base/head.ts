/** The first bytes of a file. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { SimsightError } from './errors.ts';

/** Shorter than asked for where the file is. Never waits, not even for what writes into a FIFO; throws as `fs` does, and for what is no regular file. */
export function headOf(path: string, bytes: number): Buffer {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile())
      throw new SimsightError('file-not-allowed', `${path} is not a regular file.`, 'Choose another file.', {
        file: path,
      });
    const head = Buffer.alloc(bytes);
    return head.subarray(0, readSync(file, head, 0, bytes, 0));
  } finally {
    closeSync(file);
  }
}

/** The same; null where it cannot be read. */
export function readHead(path: string, bytes: number): Buffer | null {
  try {
    return headOf(path, bytes);
  } catch {
    return null;
  }
}
