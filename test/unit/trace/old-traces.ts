/** Traces that earlier versions wrote: `test/samples/format-N.simsight.gz`, the example recording in format N. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** A trace of an old format in a folder; gives its path. */
export function oldTrace(format: number, folder: string): string {
  const path = join(folder, `format-${format}.simsight`);
  const packed = readFileSync(new URL(`../../samples/format-${format}.simsight.gz`, import.meta.url));
  writeFileSync(path, gunzipSync(packed));
  return path;
}
