/** Every program under test/programs is a test, here on one GPU; `npm run conformance` runs them on two. */
import { rmSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { releaseCompiler } from '../../engine/compile/index.ts';
import { defaultGpus, findPrograms, fits, homeFolder, runProgram } from './programs.ts';

const [gpu] = defaultGpus as [string];
// Compiled anew in CI, so that a stale cache hides nothing; elsewhere it is kept.
if (process.env['CI']) rmSync(homeFolder, { recursive: true, force: true });
afterAll(releaseCompiler);

for (const program of findPrograms().filter((each) => fits(each, gpu))) {
  test(`${program.name} on ${gpu}`, { timeout: 180_000 }, async () => {
    expect((await runProgram(program, gpu)).failure).toBe('');
  });
}
