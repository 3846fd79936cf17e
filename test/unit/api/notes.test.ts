/** Notes about a trace, in a file beside it. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NotesStore } from '../../../engine/api/trace-notes.ts';
import { temporaryFolder } from '../trace/example-recording.ts';

const folder = temporaryFolder();
const of = { durationNs: 5000, eventCount: 7 };
const note = (timeNs: number, text = '') => ({ timeNs, durationNs: 0, text });
let made = 0;
/** A trace by itself in a folder, and a store with a home of its own. */
function place(mayWrite = true) {
  const own = join(folder, `case ${made++}`);
  mkdirSync(join(own, 'home'), { recursive: true });
  const path = join(own, 'run.simsight');
  writeFileSync(path, 'a trace');
  const home = join(own, 'home');
  return { path, home, store: new NotesStore(home, () => mayWrite), beside: `${path}.notes.json` };
}

test('they are kept beside the trace, in order of time, and go with the last one', () => {
  const { store, path, beside } = place();
  expect(store.read(path, of)).toEqual({ notes: [], place: null, isOfThisRecording: true });
  expect(store.write(path, [note(9, 'b'), note(2, 'a')], of)).toMatchObject({
    notes: [note(2, 'a'), note(9, 'b')],
    place: beside,
  });
  expect(store.read(path, of)).toEqual({ notes: [note(2, 'a'), note(9, 'b')], place: beside, isOfThisRecording: true });
  expect(readFileSync(path, 'utf8')).toBe('a trace');
  expect(store.write(path, [], of)).toEqual({ notes: [], place: null, isOfThisRecording: true });
  expect(existsSync(beside)).toBe(false);
});

test('where nothing may be written beside the trace, at home', () => {
  const { store, path, home, beside } = place(false);
  store.write(path, [note(1)], of);
  expect(existsSync(beside)).toBe(false);
  expect(readdirSync(join(home, 'notes'))).toHaveLength(1);
  expect(store.read(path, of).notes).toEqual([note(1)]);
});

test('of another recording they say so', () => {
  const { store, path } = place();
  store.write(path, [note(1)], of);
  expect(store.read(path, { ...of, eventCount: 8 }).isOfThisRecording).toBe(false);
});

test.each([
  ['no JSON', 'notes!'],
  ['other JSON', '{"notes": 3}'],
  [
    'a time that is none',
    '{"simsight":"notes","version":1,"trace":{"durationNs":1,"eventCount":1},"notes":[{"timeNs":-1,"durationNs":0,"text":""}]}',
  ],
  ['too much', ' '.repeat(5 * 2 ** 20)],
])('a file with %s is named and left alone', (_, text) => {
  const { store, path, beside } = place();
  writeFileSync(beside, text);
  const complaint = expect.objectContaining({ code: 'notes-unreadable', place: { file: beside } }) as unknown;
  expect(() => store.read(path, of)).toThrow(complaint as Error);
  expect(() => store.write(path, [note(1)], of)).toThrow(complaint as Error);
  expect(readFileSync(beside, 'utf8')).toBe(text);
});

test('what cannot be written anywhere is said, and leaves nothing half done', () => {
  const { store, path, home } = place(false);
  writeFileSync(join(home, 'notes'), 'a file where a folder should be');
  const complaint = expect.objectContaining({ code: 'notes-unwritable' }) as unknown;
  expect(() => store.write(path, [note(1)], of)).toThrow(complaint as Error);
  expect(readdirSync(home)).toEqual(['notes']);
});
