/** Long tasks say how fast they go and how long they still take, as far as that is known. */
import { describe, expect, test } from 'vitest';
import { progressText, shareDone } from '../../../renderer/src/app/open-job.svelte.ts';
import {
  countRate,
  restOf,
  shareOfRun,
  simulatedRate,
  type Pending,
} from '../../../renderer/src/record/progress-words.ts';

const mega = 2 ** 20;

describe('opening', () => {
  test.each([
    [null, 500, 'Opening', null],
    [{ phase: 'read', done: 10 * mega, total: 100 * mega, unit: 'bytes' }, 500, 'Reading: 10 MiB of 100 MiB', 0.1],
    [
      { phase: 'read', done: 25 * mega, total: 100 * mega, unit: 'bytes' },
      5000,
      'Reading: 25 MiB of 100 MiB, 5 MiB/s, 15 s left',
      0.25,
    ],
    [{ phase: 'read', done: 6000, total: 0, unit: 'rows' }, 2000, 'Reading: 6,000 rows, 3,000 rows/s', null],
    [
      { phase: 'index', done: 300_000, total: 1_200_000, unit: 'rows' },
      3000,
      'Building the timeline rows: 300,000 of 1,200,000 events, 100,000 events/s, 9 s left',
      0.25,
    ],
    [
      { phase: 'index', done: 1000, total: 1_000_000, unit: 'rows' },
      2000,
      'Building the timeline rows: 1,000 of 1,000,000 events, 500 events/s, 34 min left',
      0.001,
    ],
  ] as const)('%o after %d ms: %s', (progress, elapsedMs, text, share) => {
    expect(progressText(progress, elapsedMs)).toBe(text);
    expect(shareDone(progress)).toBe(share);
  });
});

describe('recording', () => {
  test('rates of what was done, once there was time for it', () => {
    expect(simulatedRate(2_000_000, 500)).toBe('');
    expect(simulatedRate(2_000_000, 4000)).toBe('500 µs per second');
    expect(countRate(7, 4000)).toBe('1.8 per second');
    expect(countRate(12_000, 4000)).toBe('3,000 per second');
    expect(countRate(0, 4000)).toBe('');
  });

  const unknown = 'The end of the program cannot be predicted.';
  const pending: Pending = { phase: 'run', compiled: null, compilingMs: 0, blocks: null, kernel: null, gridMs: 0 };
  test.each<[string, Partial<Pending>, string, number | null]>([
    ['while Clang runs', { phase: 'compile' }, 'Remaining time unknown.', null],
    ['while nothing tells', {}, unknown, null],
    [
      'while kernels are compiled',
      { compiled: { done: 3, total: 7 }, compilingMs: 6000 },
      `Kernels compiled: 3 of 7, 8 s left. ${unknown}`,
      3 / 7,
    ],
    [
      'before the first is',
      { compiled: { done: 0, total: 7 }, compilingMs: 6000 },
      `Kernels compiled: 0 of 7. ${unknown}`,
      0,
    ],
    ['when all are', { compiled: { done: 7, total: 7 }, compilingMs: 6000 }, unknown, null],
    [
      'in a long grid',
      { compiled: { done: 7, total: 7 }, blocks: { done: 2048, total: 8192 }, gridMs: 4000 },
      `Blocks of this grid: 2,048 of 8,192, 12 s left. ${unknown}`,
      0.25,
    ],
    ['in a grid that began just now', { blocks: { done: 2048, total: 8192 }, gridMs: 300 }, unknown, null],
    ['in one whose blocks wait for each other', { blocks: { done: 0, total: 8192 }, gridMs: 9000 }, unknown, null],
    ['at the end', { phase: 'store' }, 'Almost done.', null],
  ])('what is left %s', (_, now, text, share) => {
    expect(restOf({ ...pending, ...now })).toBe(text);
    expect(shareOfRun({ ...pending, ...now })).toBe(share);
  });
});
