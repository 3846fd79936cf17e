/**
 * Reading files that may be anything by now: of a folder that others can write to as well, like that of a cache. A FIFO would be
 * waited for, a device has no end, and behind a link lies somebody else's file; none of them is what we wrote.
 */
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/** Windows has neither, and needs neither: opening does not wait there, and links need rights. */
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Does something with a regular file; null, and nothing is done, where there is none of at most that size. */
export async function withRegularFile<T>(
  path: string,
  mostBytes: number,
  use: (file: FileHandle, bytes: number) => Promise<T>,
): Promise<T | null> {
  let file: FileHandle;
  try {
    file = await open(path, flags);
  } catch {
    return null;
  }
  try {
    const info = await file.stat();
    return info.isFile() && info.size <= mostBytes ? await use(file, info.size) : null;
  } finally {
    await file.close();
  }
}
