/**
 * Statistics of many runs, and what an optimization is worth. The worked examples are those of seed 004 ("Performance case studies and
 * optimization patterns"), each figure either as it stands there or, where its arithmetic is off, the right one beside it.
 */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { benchmarkOf, quantile, remarksOn, sentenceOf } from '../../../engine/analysis/benchmark.ts';
import { formatReport } from '../../../engine/analysis/formats.ts';
import { makeReport } from '../../../engine/analysis/reports.ts';
import { returnsOf } from '../../../engine/analysis/roi.ts';
import { openTrace } from '../../../engine/trace/reader.ts';
import { kernel, temporaryFolder, write } from '../trace/example-recording.ts';

/** Milliseconds. */
const runs = [
  ...[5.1, 5.2, 4.9, 5.0, 5.3, 5.0, 4.8, 5.1, 5.2, 5.0],
  ...[12.3, 5.1, 5.0, 4.9, 5.2, 5.1, 5.0, 5.2, 4.9, 5.1],
];
const ms = (value: number): string => `${Number(value.toFixed(3))} ms`;

describe('worked example B: twenty runs and an outlier', () => {
  const all = benchmarkOf(runs, { warmUp: 0 });
  const usual = benchmarkOf(
    runs.filter((value) => value !== 12.3),
    { warmUp: 0 },
  );

  test('with all samples: mean and median as printed; the deviation is 1.62, not 1.63', () => {
    expect(all.samples).toBe(20);
    expect(all.mean).toBeCloseTo(5.42, 10);
    expect(all.median).toBeCloseTo(5.1, 10);
    // Printed: 1.63. Of a sample it is 1.6244, of a whole population 1.5832.
    expect(all.deviation).toBeCloseTo(1.6244, 4);
    expect(all.deviation * Math.sqrt(19 / 20)).toBeCloseTo(1.5832, 4);
  });

  test('without the outlier: all three as printed', () => {
    expect(usual.samples).toBe(19);
    expect(usual.mean.toFixed(2)).toBe('5.06');
    expect(usual.median).toBeCloseTo(5.1, 10);
    expect(usual.deviation.toFixed(2)).toBe('0.13');
  });

  test('it inflates the mean by 7 % and the deviation 12.5 times, as printed', () => {
    expect(((all.mean / usual.mean - 1) * 100).toFixed(0)).toBe('7');
    expect((all.deviation / usual.deviation).toFixed(1)).toBe('12.5');
  });

  test('quartiles: 5.0 and 5.2; the 4.95 that is printed is the 20 % quantile', () => {
    expect(all.quartiles[0]).toBeCloseTo(5.0, 10);
    expect(all.quartiles[1]).toBeCloseTo(5.2, 10);
    expect(all.interquartileRange).toBeCloseTo(0.2, 10);
    // The 5th and the 6th of twenty are both 5.0, and the quartile of each of Hyndman and Fan's nine definitions lies between them.
    const sorted = [...runs].sort((a, b) => a - b);
    expect(sorted.slice(4, 6)).toEqual([5, 5]);
    // Half-way between the 4th and the 5th: a fifth of the samples below, not a quarter.
    expect((sorted[3]! + sorted[4]!) / 2).toBeCloseTo(4.95, 10);
    // Without the outlier the upper one is 5.15 and the lower one still 5.0.
    expect(usual.quartiles[0]).toBeCloseTo(5.0, 10);
    expect(usual.quartiles[1]).toBeCloseTo(5.15, 10);
  });

  test('the outlier: MAD 0.1 and score 48.6 as printed; 3.5 of the score are 5.2 MADs, not 3.5', () => {
    expect(all.medianDeviation).toBeCloseTo(0.1, 10);
    expect(all.outliers).toHaveLength(1);
    const [odd] = all.outliers;
    expect(odd).toMatchObject({ run: 10, value: 12.3 });
    expect(odd!.score.toFixed(1)).toBe('48.6');
    expect(usual.outliers).toEqual([]);
    // "More than 3.5 MAD from the median is flagged" is not what the formula beneath it does: 4 MADs are a score of 2.7.
    expect((0.6745 * 4 * 0.1) / 0.1).toBeLessThan(3.5);
    expect((3.5 / 0.6745).toFixed(2)).toBe('5.19');
  });

  test('it is reported, not dropped, in the words of the example', () => {
    expect(sentenceOf(all, ms)).toBe('Median 5.1 ms (IQR 5 ms to 5.2 ms), with 1 outlier at 12.3 ms');
    expect(sentenceOf(usual, ms)).toBe('Median 5.1 ms (IQR 5 ms to 5.15 ms)');
    expect(all.max).toBe(12.3);
  });

  test('the coefficient of variation says so: 30 % with it, 2.6 % without', () => {
    expect((all.variation! * 100).toFixed(1)).toBe('30.0');
    expect((all.variationWithoutOutliers! * 100).toFixed(1)).toBe('2.6');
    expect(remarksOn(all, true)).toEqual(['varies by more than 5 %: look at the outliers before trusting it']);
    // 19 are one too few.
    expect(remarksOn(usual, true)).toEqual(['few samples: 20 to 50 are advised']);
  });

  test('the code beneath it takes the 26th of 50 for the median; that is the mean of two', () => {
    const fifty = Array.from({ length: 50 }, (_, i) => i);
    expect(quantile(fifty, 0.5)).toBe(24.5);
    expect([fifty[25], fifty[12], fifty[37]]).toEqual([25, 12, 37]);
    expect([quantile(fifty, 0.25), quantile(fifty, 0.75)]).toEqual([12.25, 36.75]);
  });
});

describe('other runs', () => {
  test('warm-up: the first three, never more than a fifth; as many as one says', () => {
    const slowStart = [90, 50, 20, ...Array.from({ length: 22 }, () => 10)];
    expect(benchmarkOf(slowStart)).toMatchObject({ warmUp: 3, samples: 22, mean: 10, outliers: [] });
    expect(benchmarkOf(slowStart, { warmUp: 1 }).outliers.map(({ run }) => run)).toEqual([1, 2]);
    expect(benchmarkOf([9, 5, 5, 5, 5, 5]).warmUp).toBe(1);
    expect(benchmarkOf([9, 5, 5, 5])).toMatchObject({ warmUp: 0, max: 9 });
    expect(benchmarkOf([9, 5], { warmUp: 7 })).toMatchObject({ warmUp: 1, samples: 1, median: 5 });
  });

  test('where most are equal the MAD is 0, and the mean distance takes its place', () => {
    const mostly = benchmarkOf([...Array.from({ length: 19 }, () => 5), 12], { warmUp: 0 });
    expect(mostly.medianDeviation).toBe(0);
    // 7 / (1.2533 × 0.35)
    expect(mostly.outliers).toEqual([{ run: 19, value: 12, score: expect.closeTo(15.958, 3) as number }]);
    expect(benchmarkOf([5, 5, 5, 5], { warmUp: 0 })).toMatchObject({ outliers: [], variation: 0, deviation: 0 });
  });

  test('one run varies in no way that can be told', () => {
    expect(benchmarkOf([7])).toMatchObject({ median: 7, quartiles: [7, 7], deviation: 0, variation: null });
    expect(benchmarkOf([0, 0]).variation).toBeNull();
  });

  test('runs that were quicker are outliers as well', () => {
    const { outliers } = benchmarkOf([5, 5.1, 4.9, 5, 5.2, 4.8, 1], { warmUp: 0 });
    expect(outliers).toMatchObject([{ run: 6, value: 1 }]);
    expect(outliers[0]!.score).toBeLessThan(-3.5);
  });
});

describe('the report simsight_benchmark', () => {
  const folder = temporaryFolder();
  test('the example’s runs as launches of a kernel, other grids apart', () => {
    let at = 0;
    const events = runs.map((duration, i) => kernel(at, (at += Math.round(duration * 1e6)), i + 1));
    const wide = { grid: { x: 1, y: 1, z: 1 } };
    const trace = openTrace(write(join(folder, 'runs.simsight'), [...events, kernel(at, at + 400, 99, 7, wide)]));
    const [head, first, second, ...more] = formatReport(makeReport(trace, 'simsight_benchmark', { warmUp: 0 }), 'csv')
      .trimEnd()
      .split('\n');
    expect(head).toBe(
      'Samples,Warm-Up,Med (ns),Q1 (ns),Q3 (ns),IQR (ns),MAD (ns),CV (%),CV w/o Outliers (%),Outliers,Outlier Times (ns),Remarks,GridXYZ,BlockXYZ,Name',
    );
    const name = '"void saxpy<float>(int, float, float const*, float*)"';
    expect(first).toBe(
      '20,0,5100000.0,5000000.0,5200000.0,200000.0,100000.0,30.0,2.6,1,12300000 (launch 11),' +
        `varies by more than 5 %: look at the outliers before trusting it,4096 2 1,256 1 1,${name}`,
    );
    expect(second).toBe(`1,0,400.0,400.0,400.0,0.0,0.0,,,0,,,1 1 1,256 1 1,${name}`);
    expect(more).toEqual([]);
    // The first three are warm-up by default, and 17 are left.
    expect(makeReport(trace, 'simsight_benchmark').rows[0]!.slice(0, 2)).toEqual([17, 3]);
    trace.close();
  });
});

describe('worked example A: return on investment', () => {
  const candidate = { beforeNs: 10e6, runsPerDay: 1000 };
  const [first, second] = returnsOf([
    { name: 'A', ...candidate, afterNs: 10e6 / 3, engineerDays: 2 },
    { name: 'B', ...candidate, afterNs: 10e6 / 1.5, engineerDays: 0.5 },
  ]);

  test('B comes first: twice the return, as printed', () => {
    expect([first!.name, second!.name]).toEqual(['B', 'A']);
    expect(first!.savedSecondsPerEngineerDay / second!.savedSecondsPerEngineerDay).toBeCloseTo(2, 10);
    expect([first!.speedup, second!.speedup]).toEqual([expect.closeTo(1.5, 10), expect.closeTo(3, 10)]);
  });

  test('seconds saved: right to the digits printed, though one of them does not follow from the others', () => {
    expect(second!.savedSecondsPerDay.toFixed(2)).toBe('6.67');
    expect(first!.savedSecondsPerDay.toFixed(2)).toBe('3.33');
    expect(second!.savedSecondsPerEngineerDay.toFixed(2)).toBe('3.33');
    expect(first!.savedSecondsPerEngineerDay.toFixed(2)).toBe('6.67');
    // "3.33 s / 0.5 days = 6.67": rounded operands make 6.66; unrounded, 3.333 / 0.5 is 6.667.
    expect((3.33 / 0.5).toFixed(2)).toBe('6.66');
  });

  test('running it 100,000 times a day changes when it has paid, not which is first', () => {
    const often = returnsOf([first!, second!].map((each) => ({ ...each, runsPerDay: 100_000 })));
    expect(often.map(({ name }) => name)).toEqual(['B', 'A']);
    expect(often[0]!.savedSecondsPerEngineerDay / often[1]!.savedSecondsPerEngineerDay).toBeCloseTo(2, 10);
    // 8 h × 2 days / 6.667 s, and a hundredth of that.
    expect([first!.breakEvenDays, second!.breakEvenDays]).toEqual([
      expect.closeTo(4320, 6) as number,
      expect.closeTo(8640, 6) as number,
    ]);
    expect(often[1]!.breakEvenDays).toBeCloseTo(86.4, 8);
  });

  test('what makes it slower never pays', () => {
    const [slower] = returnsOf([{ name: 'C', ...candidate, afterNs: 11e6, engineerDays: 1 }]);
    expect(slower).toMatchObject({ breakEvenDays: null, savedSecondsPerDay: expect.closeTo(-1, 10) as number });
  });
});

test('other figures of the same article', () => {
  // 0.8 ms of kernels in a frame of 15 ms leave 94.7 % of gaps, where 94 % is printed; 5 % and 57 % busy are right.
  expect((100 * (1 - 0.8 / 15)).toFixed(1)).toBe('94.7');
  expect([(80 / 15).toFixed(0), (80 / 1.4).toFixed(0)]).toEqual(['5', '57']);
  // 52.0 ms to 6.5 ms is the 8 times that is printed.
  expect(52 / 6.5).toBe(8);
  // "3 % variation and a gain of 5 % cannot be measured": 20 runs before and after tell apart 1.9 % (two standard errors).
  expect((2 * 3 * Math.sqrt(2 / 20)).toFixed(1)).toBe('1.9');
});
