/** Chrome traces larger than the memory there is: a process with a heap of 128 MB imports them. */
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openTrace } from '../../../engine/trace/reader.ts';
import { temporaryFolder } from '../trace/example-recording.ts';
import { writeLargeChrome } from './large-chrome.ts';

const folder = temporaryFolder();
const program = fileURLToPath(new URL('./import-once.ts', import.meta.url));

test.each([
  ['plain.json', 320],
  ['packed.json.gz', 100],
])('%s, of %d MB', async (name, megabytes) => {
  const [path, target] = [join(folder, name), join(folder, `${name}.simsight`)];
  const events = await writeLargeChrome(path, megabytes * 1e6);
  const { stdout } = await promisify(execFile)(process.execPath, ['--max-old-space-size=128', program, path, target]);
  const { peakMb } = JSON.parse(stdout) as { peakMb: number };
  // Node itself takes some 60; the timeline's rows are made in memory, some 70 bytes an event.
  expect(peakMb).toBeLessThan(320);
  const trace = openTrace(target);
  expect(trace.info.eventCount).toBe(events);
  expect(trace.info.notices).toHaveLength(2);
  trace.close();
  for (const each of [path, target]) rmSync(each);
});
