/** Loaded with each file of unit tests where long tests are left out (`npm test -- --short`). */
import { relative } from 'node:path';
import { beforeEach } from 'vitest';
import { root } from '../../build/node.mjs';
import { longTests } from './long-tests.ts';

interface Named {
  name: string;
  suite?: Named | undefined;
}

/** As the JSON report has it. */
function fullName({ name, suite }: Named): string {
  return suite === undefined || suite.name === '' ? name : `${fullName(suite)} ${name}`;
}

beforeEach(({ task, skip }) => {
  const names = longTests.unit[relative(root, task.file.filepath)];
  // Files of which all tests are long are not loaded.
  if (names?.includes(fullName(task))) skip('long: `npm test` runs it');
});
