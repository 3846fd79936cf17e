/** Comparing small recordings, where every figure can be checked by hand. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compareTraces } from '../../../engine/analysis/compare/index.ts';
import { counterpart } from '../../../engine/analysis/compare/kernel-pairs.ts';
import { compareLadder } from '../../../engine/analysis/compare/ladder.ts';
import { formatComparison, formatLadder } from '../../../engine/analysis/compare/text.ts';
import { ns } from '../../../engine/base/units.ts';
import type { TraceEvent } from '../../../engine/model/events.ts';
import { openTrace, type Trace } from '../../../engine/trace/reader.ts';
import { api, copy, facts, kernel, temporaryFolder, write } from '../trace/example-recording.ts';

const folder = temporaryFolder();
const names = new Map([
  ['slow', { demangled: 'void tile<8>(float*)', short: 'tile' }],
  ['fast', { demangled: 'void tile<16>(float*)', short: 'tile' }],
  ['same', { demangled: 'same(int)', short: 'same' }],
  ['gone', { demangled: 'gone()', short: 'gone' }],
  ['old', { demangled: 'matmulNaive(float*, int)', short: 'matmulNaive' }],
  ['new', { demangled: 'matmulTiled(float*, int)', short: 'matmulTiled' }],
  ['other', { demangled: 'other(double*)', short: 'other' }],
]);
let made = 0;
const trace = (events: TraceEvent[], more: Partial<typeof facts> = {}): Trace =>
  openTrace(write(join(folder, `${made++}.simsight`), events, { names, ...more }));
const range = (text: string, start: number, end: number): TraceEvent => ({
  ...{ type: 'nvtx', kind: 'push-pop', text, start: ns(start), end: ns(end), color: null, category: null },
  ...{ domainId: 0, rangeId: null, payload: null, threadId: 1 },
});
const named = (name: string, start: number, end: number, id = start + 1, more = {}): TraceEvent =>
  kernel(start, end, id, 7, { kernel: name, ...more });
const wallOf = ({ window }: { window: { fromNs: number; toNs: number } }): number => window.toNs - window.fromNs;

const before = trace(
  [
    copy(0, 1000, 1),
    named('slow', 1000, 5000),
    named('same', 5000, 5100),
    named('gone', 5100, 5150),
    api('cudaMemcpy', 0, 1010, 1),
  ],
  { title: 'Before' },
);
const after = trace(
  [
    copy(0, 600, 1),
    copy(600, 1000, 5),
    named('fast', 400, 2400),
    named('same', 2400, 2500),
    api('cudaMemcpyAsync', 0, 30, 1),
  ],
  { title: 'After' },
);

test('rows are matched by name, template arguments aside, the largest change first', () => {
  const { rows } = compareTraces(before, after);
  const shown = rows.filter(({ kind }) => kind !== 'total');
  expect(shown.map((row) => [row.kind, row.name, row.match, row.beforeNs, row.afterNs, row.ratio, row.change])).toEqual(
    [
      ['kernel', 'tile', 'function', 4000, 2000, 0.5, 'faster'],
      ['api', 'cudaMemcpy', 'only', 1010, 0, null, 'only-before'],
      ['kernel', 'gone()', 'only', 50, 0, null, 'only-before'],
      ['api', 'cudaMemcpyAsync', 'only', 0, 30, null, 'only-after'],
      ['copy', '[CUDA memcpy Host-to-Device]', 'name', 1000, 1000, 1, 'faster'],
      ['kernel', 'same(int)', 'name', 100, 100, 1, 'same'],
    ],
  );
  const [tile, , , , copies] = shown;
  expect(tile).toMatchObject({
    ...{ beforeName: 'void tile<8>(float*)', afterName: 'void tile<16>(float*)', differenceNs: -2000, noiseNs: 0 },
    ...{ before: { count: 1, totalNs: 4000, medianNs: 4000, iqrNs: 0 }, share: 2000 / 2050 },
  });
  expect(copies).toMatchObject({ after: { count: 2, medianNs: 500, iqrNs: 100 } });
});

test('totals: durations, GPU busy, kernels, copies, and copies under kernels', () => {
  const totals = compareTraces(before, after).rows.filter(({ kind }) => kind === 'total');
  expect(totals.map(({ name, beforeNs, afterNs }) => [name, beforeNs, afterNs])).toEqual([
    ['Session duration', 5150, 2500],
    ['Compared time', 5150, 2500],
    ['GPU busy', 5150, 2500],
    ['Kernel time', 4150, 2100],
    ['Copy time', 1000, 1000],
    ['Copies under kernels', 0, 600],
  ]);
});

test('the waterfall shares what runs at once, and adds up to the nanosecond', () => {
  const compared = compareTraces(before, after);
  // After: the copy alone for 400 ns, then both for 600.
  expect(compared.waterfall).toEqual([
    {
      ...{ kind: 'kernel', name: 'void tile<8>(float*) → void tile<16>(float*)' },
      ...{ beforeNs: 4000, afterNs: 1700, differenceNs: -2300 },
    },
    { kind: 'copy', name: '[CUDA memcpy Host-to-Device]', beforeNs: 1000, afterNs: 700, differenceNs: -300 },
    { kind: 'kernel', name: 'gone()', beforeNs: 50, afterNs: 0, differenceNs: -50 },
    { kind: 'kernel', name: 'same(int)', beforeNs: 100, afterNs: 100, differenceNs: 0 },
  ]);
  // Three at once for 100 ns cannot be shared in whole nanoseconds.
  const thirds = trace([named('slow', 0, 100), named('same', 0, 100, 2), named('gone', 0, 100, 3), copy(250, 300, 4)]);
  const shares = compareTraces(before, thirds).waterfall;
  expect(shares.map(({ name, afterNs }) => [name, afterNs]).sort()).toEqual([
    ['GPU idle', 150],
    ['[CUDA memcpy Host-to-Device]', 50],
    ['gone()', 33],
    ['same(int)', 33],
    ['void tile<8>(float*)', 34],
  ]);
  expect(shares.reduce((sum, { differenceNs }) => sum + differenceNs, 0)).toBe(300 - 5150);
});

test('a trace against itself shows no difference at all', () => {
  const { rows, waterfall, judgement, explanation } = compareTraces(before, before);
  for (const row of rows) expect(row).toMatchObject({ differenceNs: 0, change: 'same', share: 0 });
  for (const { differenceNs } of waterfall) expect(differenceNs).toBe(0);
  expect(judgement).toMatchObject({ verdict: 'neutral', ratio: 1, comparability: 1, noise: 0 });
  expect(explanation).toEqual(['No difference: from the first event to the last takes 5.15 µs in both.']);
});

test('verdict by threshold, of simulated times without noise', () => {
  const verdict = (a: Trace, b: Trace, threshold: number) => compareTraces(a, b, { threshold }).judgement.verdict;
  expect(verdict(before, after, 0.5)).toBe('improvement');
  expect(verdict(after, before, 1)).toBe('regression');
  expect(verdict(before, after, 0.6)).toBe('neutral');
  const { judgement } = compareTraces(after, before, { threshold: 1 });
  expect(judgement).toMatchObject({ beforeNs: 2500, afterNs: 5150, measure: 'window', threshold: 1, noise: 0 });
  expect(judgement.reasons[0]).toBe('The whole time changed by +106.0 %: at least the threshold of 100 %.');
});

test('traces with nothing in common: inconclusive, and all is listed', () => {
  const other = trace([named('other', 0, 5000), copy(5000, 5100, 9)], { program: 'other.cu' });
  const compared = compareTraces(before, other);
  expect(compared.judgement).toMatchObject({
    ...{ verdict: 'inconclusive', comparability: 0, matchedBefore: 0, matchedAfter: 0 },
  });
  const kernels = compared.rows.filter(({ kind }) => kind === 'kernel');
  expect(kernels.map(({ name, match }) => [name, match]).sort()).toEqual([
    ['gone()', 'only'],
    ['other(double*)', 'only'],
    ['same(int)', 'only'],
    ['void tile<8>(float*)', 'only'],
  ]);
  expect(compared.kernels).toEqual([]);
  const text = formatComparison(compared, 1);
  for (const { name } of kernels) expect(text).toContain(`1 × ${name}`);
  const empty = trace([]);
  expect(compareTraces(empty, empty).judgement).toMatchObject({ verdict: 'inconclusive', matchedBefore: null });
});

test('renamed kernels are paired by hand, or where they are the only ones left of one program', () => {
  const was = trace([named('old', 0, 900), named('same', 900, 1000), named('same', 1000, 1100)]);
  const is = trace([named('new', 0, 400), named('same', 400, 500), named('same', 500, 600)]);
  const row = (compared: ReturnType<typeof compareTraces>) => compared.rows.find(({ kind }) => kind === 'kernel')!;
  const guessed = compareTraces(was, is);
  expect(row(guessed)).toMatchObject({ match: 'last', beforeNs: 900, afterNs: 400 });
  expect(guessed.explanation.at(-1)).toMatch(/^matmulNaive and matmulTiled are taken for the same kernel/);
  const elsewhere = trace([named('new', 0, 400), named('same', 400, 500)], { program: 'other.cu' });
  expect(row(compareTraces(was, elsewhere))).toMatchObject({ match: 'only' });
  const twice = trace([named('new', 0, 400), named('new', 400, 500), named('same', 500, 600)]);
  expect(row(compareTraces(was, twice))).toMatchObject({ match: 'only' });
  const byHand = compareTraces(was, twice, { pairs: [['matmulNaive', 'matmulTiled']] });
  expect(row(byHand)).toMatchObject({ match: 'by hand', beforeCount: 1, afterCount: 2, afterNs: 500 });
  expect(byHand.judgement.comparability).toBe(1);
});

test('launches: by configuration, then in their order', () => {
  const grid = (x: number) => ({ grid: { x, y: 1, z: 1 } });
  const was = trace([
    named('same', 0, 100, 1, grid(1)),
    named('same', 100, 300, 2, grid(8)),
    named('same', 300, 600, 3, grid(8)),
    named('same', 600, 700, 4, grid(3)),
  ]);
  const is = trace([
    named('same', 0, 50, 1, grid(8)),
    named('same', 50, 100, 2, grid(8)),
    named('same', 100, 150, 3, grid(1)),
    named('same', 150, 200, 4, grid(5)),
  ]);
  const [pair] = compareTraces(was, is).kernels;
  expect(pair!.launches.map(({ before: a, after: b }) => [a.grid[0], b.grid[0], a.count, b.row])).toEqual([
    [8, 8, 2, 1],
    [1, 1, 1, 3],
    [3, 5, 1, 4],
  ]);
  const other = (row: number) => counterpart(was, is, 'before', row)?.row ?? null;
  expect([1, 2, 3].map(other)).toEqual([3, 1, 2]);
  expect(counterpart(was, is, 'after', 2)).toEqual({ kind: 'kernel', row: 3 });
});

const stepping = (lengths: readonly number[], text = 'step'): Trace => {
  let at = 500;
  const events = lengths.flatMap((length, i) => {
    const own = [
      range(`${text} ${i}`, at, at + length),
      range('inner', at + 10, at + 60),
      named('same', at + 20, at + 90, at),
    ];
    at += length;
    return own;
  });
  return trace([api('cudaMalloc', 0, 400, 1), ...events]);
};

test('steps: their median is judged, beside the sum of kernels', () => {
  const [was, is] = [stepping([1000, 1000, 1000, 1000]), stepping([900, 800, 800, 800, 800, 800, 800])];
  const { steps, judgement, rows } = compareTraces(was, is);
  expect(steps).toMatchObject({
    ...{ name: 'step #', before: { count: 4, medianNs: 1000 }, after: { count: 7, medianNs: 800 }, ratio: 0.8 },
    beforeSteps: [{ startNs: 500, durationNs: 1000 }, {}, {}, {}],
  });
  expect(judgement).toMatchObject({ verdict: 'improvement', measure: 'step', beforeNs: 1000, afterNs: 800 });
  // More steps were recorded: kernels and the whole take longer, and a step does not.
  expect(judgement.reasons.at(-1)).toBe(
    'All kernels together changed by +75.0 %: that is not what a step takes, which changed by −20.0 %.',
  );
  expect(rows.find(({ name }) => name === 'step 0')).toBeDefined();
});

test('windows: steps, one step, a range, two events, and scaled', () => {
  const [was, is] = [stepping([1000, 1000, 1000, 1000]), stepping([800, 800, 800, 800])];
  const all = compareTraces(was, is, { align: { by: 'steps' } });
  expect([wallOf(all.before), wallOf(all.after)]).toEqual([4000, 3200]);
  expect(all.rows.find(({ name }) => name === 'cudaMalloc')).toBeUndefined();
  const third = compareTraces(was, is, { align: { by: 'steps', number: 2 } });
  expect([third.before.window, third.after.window]).toEqual([
    { fromNs: 2500, toNs: 3500 },
    { fromNs: 2100, toNs: 2900 },
  ]);
  expect(third.judgement).toMatchObject({ measure: 'window', beforeNs: 1000, afterNs: 800 });
  expect(third.waterfall.reduce((sum, { differenceNs }) => sum + differenceNs, 0)).toBe(-200);
  const inner = compareTraces(was, is, { align: { by: 'range', name: 'inner', number: 3 } });
  expect(inner.before.window).toEqual({ fromNs: 3510, toNs: 3560 });
  const events = compareTraces(was, is, {
    align: { by: 'events', before: { kind: 'kernel', row: 1 }, after: { kind: 'kernel', row: 2 } },
  });
  expect([events.align.before, events.align.after]).toEqual([
    { originNs: 520, scale: 1 },
    { originNs: 1320, scale: 1 },
  ]);
  const scaled = compareTraces(was, is, { align: { by: 'steps' }, scaled: true });
  expect(scaled.align.after).toEqual({ originNs: 500, scale: 1.25 });
  expect(() => compareTraces(was, is, { align: { by: 'range', name: 'outer' } })).toThrow(/has no range "outer"/);
  expect(() => compareTraces(was, is, { align: { by: 'range', name: 'inner', number: 4 } })).toThrow(
    /has 4 ranges "inner", numbered from 0: there is no number 4/,
  );
  expect(() => compareTraces(was, is, { align: { by: 'steps', number: 9 } })).toThrow(/has no step 9/);
  expect(() => compareTraces(before, after, { align: { by: 'steps' } })).toThrow(/have no steps in common/);
});

test('ranges are matched by what they are in, and by their text where that is unmistakable', () => {
  const was = trace([range('a', 0, 100), range('x', 10, 30), range('y', 40, 50), named('same', 0, 100)]);
  const is = trace([
    range('b', 0, 100),
    range('x', 10, 40),
    range('y', 50, 60),
    range('y', 110, 120),
    named('same', 0, 9),
  ]);
  const ranges = compareTraces(was, is).rows.filter(({ kind }) => kind === 'range');
  expect(ranges.map(({ name, beforeName, match }) => [name, beforeName, match]).sort()).toEqual([
    ['a › y', 'a › y', 'only'],
    ['a', 'a', 'only'],
    ['b › x', 'a › x', 'short'],
    ['b › y', null, 'only'],
    ['b', null, 'only'],
    ['y', null, 'only'],
  ]);
});

test('a ladder: each against the one before it, and the first', () => {
  const { steps } = compareLadder([before, after, after]);
  expect(steps.map(({ title, toPrevious, toFirst }) => [title, toPrevious?.verdict, toFirst?.verdict])).toEqual([
    ['Before', undefined, undefined],
    ['After', 'improvement', 'improvement'],
    ['After', 'neutral', 'improvement'],
  ]);
  expect(steps[2]!.toFirst!.ratio).toBe(2500 / 5150);
  const text = formatLadder({ steps });
  expect(text).toMatch(/^ +2\.5 µs +1\.000x +0\.485x +neutral +window +After on /m);
});

test('as text for the terminal', () => {
  const text = formatComparison(compareTraces(before, after));
  expect(text).toContain(` Before Before on ${facts.gpu.name}, 5.15 µs\n After  After on ${facts.gpu.name}, 2.5 µs\n`);
  expect(text).toMatch(/^ Kernel +4 µs +2 µs +-2 µs +0\.500x +97\.6 % +1 +4 µs → 2 µs +0 ns +faster +tile$/m);
  expect(text).toMatch(
    /^ API +1\.01 µs +- +-1\.01 µs +- +97\.1 % +1 → 0 +1\.01 µs → - +0 ns → - +only before +cudaMemcpy$/m,
  );
  expect(text).toContain('Verdict: improvement (threshold 5 %, noise floor 0 %, comparability 0.99');
});
