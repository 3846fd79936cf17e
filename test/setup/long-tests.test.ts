/** Which tests are long, and that those are left out and no others. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../build/node.mjs';
import { longOnes, longTests, patternsOf, stillLong, together } from './long-tests.ts';

const timed = (file: string, ...seconds: number[]): { file: string; name: string; seconds: number }[] =>
  seconds.map((each, i) => ({ file, name: `test ${i}`, seconds: each }));

test('tests above the limit are long; of a file without others the shortest is not, up to ten seconds', () => {
  const tests = [
    ...timed('mixed.ts', 1, 3, 2.1),
    ...timed('short.ts', 0.1, 2),
    ...timed('slow.ts', 9, 4, 4.5),
    ...timed('one.ts', 8),
    ...timed('never.ts', 30, 11),
  ];
  expect(longOnes(tests, 2)).toEqual({
    'mixed.ts': ['test 1', 'test 2'],
    'never.ts': 'all',
    'slow.ts': ['test 0', 'test 2'],
  });
});

test('a file is long as a whole where what is left of it is', () => {
  const tests = [...timed('hooks.ts', 0.1, 3), ...timed('short.ts', 0.1, 3)];
  expect(longOnes(tests, 2, { 'hooks.ts': 24, 'short.ts': 22 })).toEqual({ 'hooks.ts': 'all', 'short.ts': ['test 1'] });
});

test('a file that takes long without its long tests is long as a whole', () => {
  expect(stillLong({ 'shared.ts': 21, 'short.ts': 19 })).toEqual({ 'shared.ts': 'all' });
});

test('what becomes long is added', () => {
  const before = { 'a.ts': ['one'], 'b.ts': ['two'], 'c.ts': 'all' } as const;
  expect(together(before, { 'a.ts': ['three', 'one'], 'b.ts': 'all', 'd.ts': ['four'] })).toEqual({
    'a.ts': ['one', 'three'],
    'b.ts': 'all',
    'c.ts': 'all',
    'd.ts': ['four'],
  });
});

test("patterns are of whole names, as Playwright's list has them", () => {
  const patterns = patternsOf({ 'e2e/rows.spec.ts': ['rows (2) are drawn | once?'], 'e2e/all.spec.ts': 'all' });
  const isLong = (title: string): boolean => patterns.some((pattern) => pattern.test(title));
  expect(isLong('e2e e2e/rows.spec.ts rows (2) are drawn | once?')).toBe(true);
  expect(isLong('e2e e2e/rows.spec.ts rows (2) are drawn | once? @slow')).toBe(true);
  expect(isLong('e2e e2e/rows.spec.ts rows (2) are drawn | once? again')).toBe(false);
  expect(isLong('e2e e2e/rows.spec.ts other rows (2) are drawn | once?')).toBe(false);
  expect(isLong('e2e e2e/all.spec.ts anything')).toBe(true);
});

test('what is listed is there', () => {
  for (const file of Object.keys(longTests.unit)) expect(existsSync(join(root, file)), file).toBe(true);
  for (const file of Object.keys(longTests.browser)) expect(existsSync(join(root, 'test', file)), file).toBe(true);
});
