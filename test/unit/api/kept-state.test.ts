/** State that the engine keeps for a user between sessions. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { KeptStateStore } from '../../../engine/api/kept-state.ts';
import { temporaryFolder } from '../trace/example-recording.ts';

let folder: string;
let store: KeptStateStore;
beforeEach(() => {
  folder = join(temporaryFolder(), 'data');
  store = new KeptStateStore(folder);
});

test('nothing is kept at first, and nothing is written by looking', () => {
  expect(store.read()).toEqual({ preferences: {}, views: [], problem: null });
  expect(existsSync(folder)).toBe(false);
});

test('changes name what changed; two windows do not undo each other’s', () => {
  const other = new KeptStateStore(folder);
  store.change({ preferences: { theme: 'light', sqlHistory: ['SELECT 1'] } });
  other.change({ preferences: { headerWidth: 300 }, view: { path: '/a.simsight', state: { start: 1 } } });
  store.change({ view: { path: '/b.simsight', state: 2 } });
  store.change({ view: { path: '/a.simsight', state: { start: 3 } } });
  expect(other.read()).toEqual({
    preferences: { theme: 'light', sqlHistory: ['SELECT 1'], headerWidth: 300 },
    views: [
      { path: '/b.simsight', state: 2 },
      { path: '/a.simsight', state: { start: 3 } },
    ],
    problem: null,
  });
  // Nothing half-written is left beside it.
  expect(readdirSync(folder)).toEqual(['state.json']);
});

test('it stays small: the views of 40 traces, the oldest go first', () => {
  for (let i = 0; i < 25; i++) store.change({ view: { path: `/${i}`, state: 'x'.repeat(100_000) } });
  const { views } = store.read();
  expect(views.at(-1)!.path).toBe('/24');
  expect(views).toHaveLength(20);
  expect(statSync(join(folder, 'state.json')).size).toBeLessThanOrEqual(2 * 2 ** 20);
  for (let i = 0; i < 70; i++) store.change({ view: { path: `/${i}`, state: 'small' } });
  expect(store.read().views).toHaveLength(40);
});

test('what is too large is refused, and what was kept stays', () => {
  store.change({ preferences: { theme: 'dark' } });
  expect(() => store.change({ preferences: { sqlHistory: ['x'.repeat(600_000)] } })).toThrow('too large to save');
  expect(() => store.change({ view: { path: '/a', state: 'x'.repeat(200_000) } })).toThrow('too large to save');
  expect(store.read().preferences).toEqual({ theme: 'dark' });
});

test('a broken file counts as none, is said once and put aside', () => {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'state.json');
  for (const broken of [
    '{"simsight":"state","vers',
    '[]',
    '{"simsight":"state","version":1,"preferences":[],"views":7}',
  ]) {
    writeFileSync(file, broken);
    const { problem, ...state } = store.read();
    expect(state).toEqual({ preferences: {}, views: [] });
    expect(problem).toContain('state.json could not be read');
    expect(readFileSync(`${file}.broken`, 'utf8')).toBe(broken);
    expect(store.read().problem).toBeNull();
  }
  writeFileSync(file, 'x'.repeat(3 * 2 ** 20));
  expect(store.change({ preferences: { theme: 'light' } })).toMatchObject({
    preferences: { theme: 'light' },
    problem: expect.stringContaining('bytes') as unknown,
  });
});

test('where nothing can be written, that is said', () => {
  writeFileSync(folder, 'a file in the place of the folder');
  expect(store.change({ preferences: { theme: 'light' } })).toMatchObject({
    preferences: { theme: 'light' },
    problem: expect.stringContaining('could not be written') as unknown,
  });
});
