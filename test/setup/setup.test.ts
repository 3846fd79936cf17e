/** The pieces of `npm start` and `npm test` that decide something. That they work together is seen in a fresh clone only. */
import { mkdirSync, mkdtempSync, rmSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { isNewEnough } from '../../build/node.mjs';
import { buildIsStale, modulesAreStale, stampName } from '../../build/sources.mjs';
import { countTests, failedTests } from '../../build/test-counts.mjs';
import { shellCommands } from '../../electron/channels.ts';
import { commands } from '../../renderer/src/commands.ts';

const folder = mkdtempSync(join(tmpdir(), 'simsight-setup-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a file as if `seconds` after the epoch. */
function write(name: string, seconds: number, text = ''): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  utimesSync(path, seconds, seconds);
  // Folders would otherwise be of today, and newer than everything.
  for (let parent = dirname(path); parent.startsWith(join(folder, 'x', '..')); parent = dirname(parent)) {
    utimesSync(parent, 1, 1);
    if (parent === folder) break;
  }
}

test.each([
  ['v16.20.2', false],
  ['v20.20.2', false],
  ['v22.13.0', false],
  ['v22.17.9', false],
  ['v22.18.0', true],
  ['v23.5.0', false],
  ['v23.6.0', true],
  ['v24.0.0', true],
  ['v100.1.0', true],
])('Node %s is new enough: %s', (version, expected) => {
  expect(isNewEnough(version)).toBe(expected);
});

describe('npm ci runs', () => {
  beforeEach(() => write('package-lock.json', 100));

  test('when nothing is installed', () => expect(modulesAreStale(folder)).toBe(true));
  test('not when everything is', () => {
    write('node_modules/.package-lock.json', 101);
    expect(modulesAreStale(folder)).toBe(false);
  });
  test('when the lock file changed since', () => {
    write('node_modules/.package-lock.json', 99);
    expect(modulesAreStale(folder)).toBe(true);
  });
});

describe('the build runs', () => {
  beforeEach(() => {
    rmSync(join(folder, 'engine'), { recursive: true, force: true });
    write('package-lock.json', 100);
    write('engine/cli.ts', 100);
    write(`dist/${stampName}`, 101);
  });

  test('not when nothing changed', () => expect(buildIsStale(folder)).toBe(false));
  test('when it never ended', () => {
    unlinkSync(join(folder, 'dist', stampName));
    expect(buildIsStale(folder)).toBe(true);
  });
  test('when a source changed', () => {
    write('engine/deep/inside/file.ts', 102);
    expect(buildIsStale(folder)).toBe(true);
  });
  test('when a source was removed', () => {
    utimesSync(join(folder, 'engine'), 102, 102);
    expect(buildIsStale(folder)).toBe(true);
  });
  test('when an example changed, which may come compiled', () => {
    write('engine/labs/example.cu', 102);
    expect(buildIsStale(folder)).toBe(true);
  });
  test('not when a page of an example or a test changed', () => {
    write('engine/labs/README.md', 102);
    write('engine/some.test.ts', 102);
    expect(buildIsStale(folder)).toBe(false);
  });
});

describe('the last line counts', () => {
  const files = { vitest: join(folder, 'vitest.json'), playwright: join(folder, 'playwright.json') };
  const vitest = (report: object): void => writeFileSync(files.vitest, JSON.stringify(report));
  const playwright = (report: object): void => writeFileSync(files.playwright, JSON.stringify(report));
  const passing = { status: 'passed', assertionResults: [{}] };
  const none = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] };

  test('nothing where no runner reported', () => {
    expect(countTests(files)).toEqual({ passed: 0, failed: 0, skipped: 0 });
  });
  test('both runners', () => {
    vitest({ ...none, numPassedTests: 5, numFailedTests: 1, numPendingTests: 2, testResults: [passing] });
    playwright({ stats: { expected: 7, unexpected: 2, flaky: 1, skipped: 3 }, errors: [] });
    expect(countTests(files)).toEqual({ passed: 12, failed: 4, skipped: 5 });
  });
  test('a file that could not be loaded, and an error outside of tests, as failures', () => {
    vitest({ ...none, testResults: [{ status: 'failed', assertionResults: [] }] });
    playwright({ stats: { expected: 0, unexpected: 0, flaky: 0, skipped: 0 }, errors: [{}] });
    expect(countTests(files)).toEqual({ passed: 0, failed: 2, skipped: 0 });
  });
  test('and names what failed', () => {
    const report = (name: string) => join(import.meta.dirname, name);
    vitest({
      ...none,
      testResults: [
        { name: report('unloaded.test.ts'), status: 'failed', message: 'no such module\nat x', assertionResults: [] },
        {
          name: report('some.test.ts'),
          status: 'failed',
          assertionResults: [
            { fullName: 'adds', status: 'passed', failureMessages: [] },
            { fullName: 'multiplies', status: 'failed', failureMessages: ['expected 7 to be 6\nat y'] },
          ],
        },
      ],
    });
    const spec = (title: string, status: string) => ({ title, tests: [{ status }] });
    playwright({
      stats: {},
      errors: [{ message: 'no browser' }],
      suites: [
        {
          file: 'page.spec.ts',
          specs: [spec('opens', 'expected')],
          suites: [{ file: 'page.spec.ts', specs: [spec('closes', 'unexpected'), spec('reopens', 'flaky')] }],
        },
      ],
    });
    expect(failedTests(files)).toEqual([
      'test/setup/unloaded.test.ts: no such module',
      'test/setup/some.test.ts › multiplies: expected 7 to be 6',
      'page.spec.ts › closes',
      'page.spec.ts › reopens',
      'no browser',
    ]);
  });
});

test('every menu item of the desktop app is a command of the page', () => {
  const known = commands.map(({ id }) => id);
  expect(known).toEqual(expect.arrayContaining([...shellCommands]));
});
