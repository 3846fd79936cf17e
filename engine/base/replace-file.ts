/** Writing a small file so that nobody ever reads half of it. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Written beside and renamed: whoever reads meanwhile, or after a crash, sees the old content or the new. Throws as `fs` does. */
export function replaceFile(path: string, content: string): void {
  const fresh = `${path}.${process.pid}.new`;
  mkdirSync(dirname(path), { recursive: true });
  try {
    writeFileSync(fresh, content);
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}
