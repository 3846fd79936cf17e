/**
 * What tests keep for the next run: programs that they compiled, and what Node makes of TypeScript. It is found by content, so it can
 * never be stale. The run itself may have a temporary folder of its own (`build/run-tests.ts`), which goes with it.
 */
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const keptVariable = 'SIMSIGHT_TEST_KEPT';
const folder = process.env[keptVariable] ?? tmpdir();

/** The compiler's results. */
export const cacheFolder = join(folder, 'simsight-test-cache');

/** Tests start dozens of processes and threads of the engine: with Node's code of its TypeScript they start in a quarter of the time. */
export const codeFolder = join(folder, 'simsight-test-code');

/** A folder for the files of a program. Paths are part of what is compiled, so it is always the same. */
export const programFolder = (name: string): string => join(folder, 'simsight-test-programs', name);

/** The same, for a program that is one text. */
export const folderOfText = (text: string): string =>
  programFolder(createHash('sha256').update(text).digest('hex').slice(0, 16));
