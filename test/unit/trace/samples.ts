/** Files in `test/samples`: what other tools recorded. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** A sample, unpacked into a folder; gives its path. */
export function sample(name: string, folder: string): string {
  const path = join(folder, name);
  writeFileSync(path, gunzipSync(readFileSync(new URL(`../../samples/${name}.gz`, import.meta.url))));
  return path;
}
