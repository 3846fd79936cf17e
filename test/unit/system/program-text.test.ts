import { expect, test } from 'vitest';
import { ns } from '../../../engine/base/units.ts';
import { longestName, mostOutput, ProgramText } from '../../../engine/system/program-text.ts';
import type { TraceEvent } from '../../../engine/model/events.ts';

function recorded(): { text: ProgramText; events: TraceEvent[]; printed: (stream: 'stdout' | 'stderr') => string } {
  const events: TraceEvent[] = [];
  const printed = (stream: 'stdout' | 'stderr'): string =>
    events.flatMap((event) => (event.type === 'console' && event.stream === stream ? [event.text] : [])).join('');
  return { text: new ProgramText((event) => events.push(event)), events, printed };
}

test('what a program prints is kept up to a limit, and it is said once that there was more', () => {
  const { text, events, printed } = recorded();
  const piece = `${'x'.repeat(65_535)}\n`;
  for (let i = 0; i < 1000; i++) text.print(ns(i), i % 2 ? 'stdout' : 'stderr', piece);
  const all = printed('stdout').length + printed('stderr').length;
  expect(all).toBeGreaterThan(mostOutput * 0.99);
  expect(all).toBeLessThan(mostOutput + 1000);
  const notices = events.filter(({ type }) => type === 'notice');
  expect(notices).toEqual([
    { type: 'notice', text: 'The program printed 32 MiB; what it printed after that is left out.' },
  ]);
  expect(printed('stderr')).toMatch(
    /\nSimsight: The program printed 32 MiB; what it printed after that is left out\.\n$/,
  );
  // Whatever Simsight has to say itself.
  text.remark(ns(1000), 'done');
  expect(printed('stderr')).toMatch(/Simsight: done\n$/);
});

test('rows of a trace count as well: a program that prints byte by byte fills it no more', () => {
  const { text, events } = recorded();
  for (let i = 0; i < 2e6; i++) text.print(ns(i), 'stdout', 'x');
  expect(events.length).toBeLessThan(1.1e6);
  expect(events.filter(({ type }) => type === 'notice')).toHaveLength(1);
});

test('an image as text, line by line, has room: lines of one moment are gathered once there are many', () => {
  const { text, events, printed } = recorded();
  const [lines, line] = [1_000_000, '217 233 255\n'];
  for (let i = 0; i < lines; i++) {
    text.print(ns(0), 'stdout', line.slice(0, -1));
    text.print(ns(0), 'stdout', '\n');
  }
  text.print(ns(1), 'stderr', 'written\n');
  text.flush();
  expect(printed('stdout') === line.repeat(lines)).toBe(true);
  expect(events.at(-1)).toMatchObject({ stream: 'stderr', text: 'written\n' });
  expect(events.length).toBeLessThan(101_000);
});

test('long names are cut off, and that is said once', () => {
  const { text, events, printed } = recorded();
  expect(text.name(ns(0), 'short')).toBe('short');
  expect(events).toEqual([]);
  const cut = text.name(ns(0), 'n'.repeat(2 ** 20));
  expect(cut).toBe(`${'n'.repeat(longestName - 1)}…`);
  expect(text.name(ns(1), '😀'.repeat(longestName)).isWellFormed()).toBe(true);
  expect(events.filter(({ type }) => type === 'notice')).toHaveLength(1);
  expect(printed('stderr')).toBe('Simsight: Names of ranges and threads are cut off after 4096 characters.\n');
});
