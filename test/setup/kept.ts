/**
 * Files that tests keep for the next run: compiled programs, and the code that Node makes of TypeScript. They are found by content, so
 * none can be stale. The run itself has a temporary folder of its own (`build/run-tests.ts`), which is removed at its end.
 */
import { createHash } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const keptVariable = 'SIMSIGHT_TEST_KEPT';
const folder = process.env[keptVariable] ?? tmpdir();

/** Set: vitest runs the measurements (`test/fidelity/*.measurement.ts`) in place of the unit tests. */
export const measurementsVariable = 'SIMSIGHT_TEST_MEASUREMENTS';

/** Results of the compiler that all tests share (`compiler.ts`), a file per run of a tool. */
export const compiledFolder = join(folder, 'simsight-test-compiled');
const mostCompiledBytes = 2 ** 31;

/** Keeps {@link compiledFolder} within its limit: the files unused for longest go. */
export function trimCompiled(mostBytes = mostCompiledBytes): void {
  const files = readdirSync(compiledFolder)
    .map((name) => join(compiledFolder, name))
    .map((path) => ({ path, ...statSync(path, { throwIfNoEntry: false }) }))
    .sort((a, b) => (b.mtimeMs ?? 0) - (a.mtimeMs ?? 0));
  let bytes = 0;
  for (const { path, size } of files) if ((bytes += size ?? 0) > mostBytes) rmSync(path, { force: true });
}

/** Cache of the engines that tests start. */
export const cacheFolder = join(folder, 'simsight-test-cache');

/** Tests start dozens of processes and threads of the engine: with Node's code of its TypeScript they start in a quarter of the time. */
export const codeFolder = join(folder, 'simsight-test-code');

/** A folder for the files of a program. Paths are part of what is compiled, so it is always the same. */
export const programFolder = (name: string): string => join(folder, 'simsight-test-programs', name);

/** The same, for a program that is one text. */
export const folderOfText = (text: string): string =>
  programFolder(createHash('sha256').update(text).digest('hex').slice(0, 16));
