/** When a difference is one: times by chance, verdicts by threshold and noise. Tables of cases, all pure. */
import { expect, test } from 'vitest';
import { judge, type ToJudge } from '../../../engine/analysis/compare/judge.ts';
import { kernelName, rangeName, stepName } from '../../../engine/analysis/compare/names.ts';
import { sameLines } from '../../../engine/analysis/compare/source-lines.ts';
import { changeOf, noiseFloor, timesOf } from '../../../engine/analysis/compare/times.ts';
import { wholeNanoseconds } from '../../../engine/analysis/compare/waterfall.ts';
import { random } from '../../bench/recording.ts';

const sample = (...values: number[]) => timesOf(Float64Array.from(values));
const changed = (a: number[], b: number[], isMeasured = true) => {
  const [was, is] = [sample(...a), sample(...b)];
  return changeOf(was.times, is.times, noiseFloor(was, is, isMeasured));
};

test('median and IQR, as R’s type 7', () => {
  expect(sample(4, 1, 3, 2, 10).times).toEqual({ count: 5, totalNs: 20, medianNs: 3, iqrNs: 2 });
  expect(sample(7).times).toEqual({ count: 1, totalNs: 7, medianNs: 7, iqrNs: 0 });
});

test('simulated times differ or they do not', () => {
  expect(changed([100, 100], [100, 100], false)).toBe('same');
  expect(changed([100, 100], [100, 101], false)).toBe('slower');
  expect(changed([100, 100], [99, 99], false)).toBe('faster');
  expect(changed([100], [100, 100], false)).toBe('calls');
});

test('real times have to differ by more than from run to run, and by more than the notches', () => {
  const around = (median: number, spread: number, count = 101): number[] =>
    Array.from({ length: count }, (_, i) => median + (spread * (i - (count - 1) / 2)) / ((count - 1) / 2));
  // 1 %: nobody can tell, however many there are.
  expect(changed(around(1000, 10), around(1010, 10))).toBe('noise');
  expect(changed(around(1000, 10), around(1030, 10))).toBe('slower');
  // IQR 400, notches 1.57 × 400 / √101 each: 125 together.
  expect(noiseFloor(sample(...around(1000, 400)), sample(...around(1100, 400)), true)).toBeCloseTo(124.98, 2);
  expect(changed(around(1000, 400), around(1100, 400))).toBe('noise');
  expect(changed(around(1000, 400), around(1200, 400))).toBe('slower');
  expect(changed(around(1000, 400, 1001), around(1100, 400, 1001))).toBe('slower');
  // The same median, and a third of the launches twice as long.
  const mixed = around(1000, 10).map((value, i) => (i % 3 === 0 ? value + 1000 : value));
  expect(changed(around(1000, 10), mixed)).toBe('slower');
  // The spread of two values is their distance: nothing is known.
  expect(changed([1000, 1400], [1300, 1700])).toBe('noise');
});

test('the same distribution is hardly ever taken for a change', () => {
  const next = random(3);
  // A sum of twelve is nearly normal: a deviation of 10 % of the median.
  const drawn = (): number => 1000 + Array.from({ length: 12 }, () => next(1000) / 10 - 50).reduce((a, b) => a + b, 0);
  let alarms = 0;
  for (let turn = 0; turn < 200; turn++) {
    const draw = (): number[] => Array.from({ length: 40 }, drawn);
    const change = changed(draw(), draw());
    if (change !== 'noise') alarms++;
  }
  // Notches that do not overlap are a stricter test than 95 %.
  expect(alarms).toBeLessThan(10);
});

const usual: ToJudge = {
  windowNs: { before: 1000, after: 1000 },
  steps: null,
  untilDoneNs: null,
  kernelsNs: { before: 500, after: 500 },
  busyNs: { before: 500, after: 500 },
  emptyEndsNs: { before: 0, after: 0 },
  captured: null,
  matched: { before: 1, after: 1 },
  isSimulated: { before: false, after: false },
  timedOnly: { before: 0, after: 0 },
  isComplete: { before: true, after: true },
  gpus: { before: 'A', after: 'A' },
  threshold: 0.05,
};
const times = (medianNs: number, count = 10) => ({ count, medianNs, totalNs: count * medianNs, iqrNs: 0 });

test.each<[string, Partial<ToJudge>, string, RegExp]>([
  ['no change', {}, 'neutral', /is the same/],
  ['4 % slower', { windowNs: { before: 1000, after: 1040 } }, 'neutral', /\+4\.00 %: less than the threshold of 5 %/],
  ['6 % slower', { windowNs: { before: 1000, after: 1060 } }, 'regression', /\+6\.00 %: at least .* noise of 2 %/],
  ['6 % faster', { windowNs: { before: 1000, after: 940 } }, 'improvement', /−6\.00 %/],
  [
    'below what runs differ by',
    { windowNs: { before: 1000, after: 1015 }, threshold: 0.01 },
    'inconclusive',
    /\+1\.50 %, which is within the noise of 2 %/,
  ],
  [
    'a threshold below the noise',
    { windowNs: { before: 1000, after: 1005 }, threshold: 0.01 },
    'inconclusive',
    /noise of 2 % is larger than the threshold of 1 %/,
  ],
  [
    'the same of a simulation',
    {
      ...{ windowNs: { before: 1000, after: 1015 }, threshold: 0.01 },
      isSimulated: { before: true, after: true },
    },
    'regression',
    /\+1\.50 %: at least the threshold of 1 %\.$/,
  ],
  [
    'steps that vary',
    {
      steps: {
        ...{ name: 'step #', before: times(1000), after: times(1200), noiseNs: 300 },
        ...{ spanNs: { before: 10_000, after: 12_000 }, outlastHost: false },
      },
    },
    'inconclusive',
    /^The median of 10 steps \(step #\) changed by \+20\.0 %, which is within the noise of 30 %/,
  ],
  ['other work', { matched: { before: 0.9, after: 0.4 } }, 'inconclusive', /Only 90 % .* before and 40 % after/],
  ['no work', { matched: { before: null, after: null } }, 'inconclusive', /Neither trace has work of a GPU/],
  ['killed', { isComplete: { before: true, after: false } }, 'inconclusive', /The recording after was cut short/],
  [
    'simulated against real',
    { isSimulated: { before: true, after: false } },
    'inconclusive',
    /One trace is simulated and the other is not/,
  ],
  ['no time', { windowNs: { before: 0, after: 0 } }, 'inconclusive', /no time to compare/],
])('verdict: %s', (_, more, verdict, reason) => {
  const judged = judge({ ...usual, ...more });
  expect(judged.verdict).toBe(verdict);
  expect(judged.reasons[0]).toMatch(reason);
});

test('a lower sum of kernels is not a faster step', () => {
  const { verdict, reasons } = judge({ ...usual, kernelsNs: { before: 500, after: 400 } });
  expect(verdict).toBe('neutral');
  expect(reasons).toContain(
    'All kernels together changed by −20.0 %: that is not what a run takes, which changed by ±0.00 %.',
  );
});

test.each([
  ['void tile<8>(float*)', 'tile<8>', 'tile', '(float*)'],
  ['void ns::tile<(int)8, float>(T2 *, int)', 'ns::tile<8,float>', 'ns::tile', '(T2*,int)'],
  [
    'void ns::(anonymous namespace)::f<a::b(int)>(x<(bool)1>)',
    'ns::@anonymous::f<a::b(int)>',
    'ns::@anonymous::f',
    '(x<1>)',
  ],
  [
    'void at::native::<unnamed>::f<float>(int)',
    'at::native::@anonymous::f<float>',
    'at::native::@anonymous::f',
    '(int)',
  ],
  ['ampere_sgemm_128x64_nn', 'ampere_sgemm_128x64_nn', 'ampere_sgemm_128x64_nn', ''],
  ['std::enable_if<!(false), void>::type in::k<int>(P<float>)', 'in::k<int>', 'in::k', '(P<float>)'],
  ['saxpy', 'saxpy', 'saxpy', ''],
])('what names of kernels have in common: %s', (full, instance, own, parameters) => {
  expect(kernelName(full)).toEqual({ full, instance, function: own, parameters });
});

test('names of ranges without what counts on', () => {
  expect(rangeName('aten::to, op_id = 995')).toBe('aten::to');
  expect(rangeName('ProfilerStep#1014')).toBe('ProfilerStep#');
  expect(rangeName('layer 3')).toBe('layer 3');
  expect(['step 12', 'iteration_3', 'ProfilerStep#7', 'sample0', 'forward', '12'].map(stepName)).toEqual([
    ...['step #', 'iteration_#', 'ProfilerStep#', 'sample#', 'forward', '12'],
  ]);
});

test('lines that are the same in two versions', () => {
  const lines = (text: string): string[] => text.split('');
  expect([...sameLines(lines('abcdef'), lines('abXdYf'))]).toEqual([0, 1, -1, 3, -1, 5]);
  expect([...sameLines(lines('abc'), lines('zabc'))]).toEqual([1, 2, 3]);
  expect([...sameLines(['  a', 'b'], ['a', '\tb'])]).toEqual([0, 1]);
  // Too much for a table of all pairs: lines that occur once.
  const many = Array.from({ length: 3000 }, (_, i) => `line ${i}`);
  const moved = many.map((line, i) => (i % 2 === 0 ? line : `${line}!`));
  const found = sameLines(['x', ...many, 'y'], ['z', ...moved, 'w']);
  expect([found[0], found[1], found[2], found[2999]]).toEqual([-1, 1, -1, 2999]);
});

test('shares in whole nanoseconds add up', () => {
  const next = random(5);
  for (let turn = 0; turn < 100; turn++) {
    const exact = Float64Array.from({ length: 1 + next(9) }, () => next(1000) / 7);
    const total = Math.round(exact.reduce((a, b) => a + b, 0));
    const whole = wholeNanoseconds(exact, total);
    expect(whole.reduce((a, b) => a + b, 0)).toBe(total);
    whole.forEach((value, i) => expect(Math.abs(value - exact[i]!)).toBeLessThan(1.01));
  }
});
