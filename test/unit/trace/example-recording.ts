/** The example recording, and a folder to write it to. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

export * from './example-recording-events.ts';

/** A folder for one test file, removed at its end. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'simsight-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
