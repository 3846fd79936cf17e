/** The first bytes of a file. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** Null where it cannot be read; shorter than asked for where the file is. */
export function readHead(path: string, bytes: number): Buffer | null {
  let file: number;
  try {
    // Never waits for what writes into a FIFO.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    if (!fstatSync(file).isFile()) return null;
    const head = Buffer.alloc(bytes);
    return head.subarray(0, readSync(file, head, 0, bytes, 0));
  } catch {
    return null;
  } finally {
    closeSync(file);
  }
}
