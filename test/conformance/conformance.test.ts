/**
 * Every program under test/programs is a test, on each GPU. Those that do not work yet stand in unsupported.json with the
 * message they have to give: one that starts to pass fails here until its entry is removed, so the list can only shrink.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defaultGpus, findPrograms, fits, runProgram } from './programs.ts';

interface Unsupported {
  /** A regular expression that the first line of the failure matches. */
  message: string;
  reason: string;
}

const unsupported = JSON.parse(readFileSync(join(import.meta.dirname, 'unsupported.json'), 'utf8')) as Record<
  string,
  Unsupported
>;
const programs = findPrograms();

test('unsupported.json names programs that exist', () => {
  const names = new Set(programs.map(({ name }) => name));
  expect(Object.keys(unsupported).filter((name) => !names.has(name))).toEqual([]);
});

for (const gpu of defaultGpus) {
  describe(gpu, () => {
    for (const program of programs.filter((each) => fits(each, gpu))) {
      const gap = unsupported[program.name];
      test(gap ? `${program.name} is refused: ${gap.reason}` : program.name, { timeout: 180_000 }, async () => {
        const { failure } = await runProgram(program, gpu);
        if (gap) expect(failure).toMatch(new RegExp(gap.message));
        else expect(failure).toBe('');
      });
    }
  });
}
