/** The first bytes of a file. */
import { closeSync, openSync, readSync } from 'node:fs';

/** Null where it cannot be read; shorter than asked for where the file is. */
export function readHead(path: string, bytes: number): Buffer | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return null;
  }
  try {
    const head = Buffer.alloc(bytes);
    return head.subarray(0, readSync(file, head, 0, bytes, 0));
  } catch {
    return null;
  } finally {
    closeSync(file);
  }
}
