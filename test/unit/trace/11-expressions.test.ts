/** Regular expressions of people: the engine answers others meanwhile, and none takes for ever. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expressionOf, namesThatFit } from '../../../engine/trace/expressions.ts';
import { openTrace } from '../../../engine/trace/reader.ts';
import { kernel, temporaryFolder, write } from './example-recording.ts';

const folder = temporaryFolder();
/** Each takes longer than anybody waits, on a few thousand letters. */
const endless = ['(x+)+y', '(x*)*y', '^(x|x)*$y', '(?=(x+)+y)', '(.*)*!', '(x+x+)+y', '(?:x?){40}x{5000}y'];

test('what is between slashes, and what is not', () => {
  expect(expressionOf('/a\\/b/')).toEqual({ source: 'a\\/b', flags: '' });
  expect(expressionOf('/a/b/i')).toEqual({ source: 'a/b', flags: 'i' });
  for (const text of ['a', '/', '//', '//i', '/a', 'a/', '/a/g', '/a/ii']) expect(expressionOf(text)).toBeNull();
});

test('one that takes for ever is ended, and says so; this thread goes on meanwhile', async () => {
  let turns = 0;
  let going = true;
  const count = (): void => {
    turns++;
    if (going) setImmediate(count);
  };
  count();
  const limitMs = 100;
  const ask = (source: string): Promise<Uint8Array> =>
    namesThatFit({ source, flags: '' }, ['y', 'x'.repeat(5000)], undefined, limitMs);
  const refusals = await Promise.allSettled(endless.map(ask));
  going = false;
  for (const refusal of refusals) {
    expect(refusal).toMatchObject({ status: 'rejected', reason: { code: 'budget-exceeded' } });
  }
  // Blocked, it would have had one for each at most.
  expect(turns).toBeGreaterThan(10 * endless.length);
  expect([...(await ask('y'))]).toEqual([1, 0]);
});

test('one that is wrong or too large is refused clearly', async () => {
  const deep = `${'('.repeat(400_000)}${')'.repeat(400_000)}`;
  for (const source of ['(', '[', '*', '(?<a>)(?<a>)', '\\', 'x{3,2}', deep]) {
    await expect(namesThatFit({ source, flags: '' }, ['x'])).rejects.toMatchObject({
      code: 'bad-request',
      message: expect.stringMatching(/regular expression/i) as string,
    });
  }
});

test('it can be cancelled', async () => {
  const controller = new AbortController();
  const asked = namesThatFit({ source: '(x+)+y', flags: '' }, ['x'.repeat(5000)], controller.signal);
  controller.abort();
  await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
});

test('a question that was answered is not asked again', async () => {
  const trace = openTrace(write(join(folder, 'one.simsight'), [kernel(1, 2, 1)]));
  const [first, second] = [
    await trace.queries.resolve({ text: '/sax/' }),
    await trace.queries.resolve({ text: '/sax/', fromNs: 1 }),
  ];
  expect(second.text).toBe(first.text);
  expect(trace.queries.search(second, 1).count).toBe(1);
  trace.close();
});
