/**
 * How long something takes, from many runs of it, so that one odd run neither decides nor disappears: the median and the
 * quartiles say what is usual, outliers are named beside them.
 *
 *   const { median, quartiles, outliers } = benchmarkOf([5.1, 5.2, 4.9, 12.3, …], { warmUp: 0 });
 *
 * Outliers by the modified z-score of Iglewicz and Hoaglin, "How to Detect and Handle Outliers" (ASQC, 1993). All pure.
 */

/** Runs before which caches, clocks and just-in-time compilation have not settled. */
export const usualWarmUp = 3;
/** So many runs are advised. */
export const advisedSamples = { least: 20, most: 50 } as const;
/** Above this, the cause of the variation is to be found before the figures are trusted. */
export const mostVariation = 0.05;
/** The limit of the modified z-score. */
export const outlierScore = 3.5;

export interface Outlier {
  /** Number of the run, from 0, warm-up included. */
  run: number;
  value: number;
  /** Modified z-score: negative of a run that was quicker. */
  score: number;
}

/** Figures of all runs after the warm-up, outliers among them, except where a name says otherwise. */
export interface Benchmark {
  samples: number;
  /** Runs at the beginning that count for nothing below. */
  warmUp: number;
  median: number;
  quartiles: [lower: number, upper: number];
  interquartileRange: number;
  /** Median of the distances from the median. */
  medianDeviation: number;
  min: number;
  max: number;
  mean: number;
  /** The standard deviation of a sample (n - 1); 0 for a single run. */
  deviation: number;
  /** Coefficient of variation: deviation by mean; null of a single run. */
  variation: number | null;
  variationWithoutOutliers: number | null;
  /** In the order in which they ran. */
  outliers: Outlier[];
}

/**
 * `runs` in the order in which they ran; there must be one. Without `warmUp` the first three are left out, but never more than a fifth
 * of them; with it so many, as long as one is left.
 */
export function benchmarkOf(runs: readonly number[], options: { warmUp?: number | undefined } = {}): Benchmark {
  const most = options.warmUp === undefined ? Math.floor(runs.length / 5) : runs.length - 1;
  const warmUp = Math.min(options.warmUp ?? usualWarmUp, most);
  const values = Float64Array.from(runs.slice(warmUp));
  const sorted = values.slice().sort();
  const median = quantile(sorted, 0.5);
  const quartiles: [number, number] = [quantile(sorted, 0.25), quantile(sorted, 0.75)];
  const distances = sorted.map((value) => Math.abs(value - median)).sort();
  const medianDeviation = quantile(distances, 0.5);
  const scoreOf = modifiedScore(median, medianDeviation, meanOf(distances));
  const outliers: Outlier[] = [];
  values.forEach((value, i) => {
    const score = scoreOf(value);
    if (Math.abs(score) > outlierScore) outliers.push({ run: warmUp + i, value, score });
  });
  const odd = new Set(outliers.map(({ run }) => run - warmUp));
  return {
    ...{ samples: values.length, warmUp, median, quartiles, medianDeviation, outliers },
    interquartileRange: quartiles[1] - quartiles[0],
    min: sorted[0]!,
    max: sorted.at(-1)!,
    mean: meanOf(values),
    deviation: deviationOf(values),
    variation: variationOf(values),
    variationWithoutOutliers: variationOf(values.filter((_, i) => !odd.has(i))),
  };
}

/**
 * The value below which the share `p` lies: between the two nearest ones in proportion, definition 7 of Hyndman and Fan (The American
 * Statistician 50, 1996), which R, NumPy and QUARTILE.INC of spreadsheets use.
 */
export function quantile(sorted: ArrayLike<number>, p: number): number {
  const at = p * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
  return low + (high - low) * (at - Math.floor(at));
}

/**
 * 0.6745 is the median distance of a normal distribution from its median, in standard deviations; where more than half of the runs are equal
 * the median distance is 0, and the mean distance (1.2533 = √(π/2) of them in a standard deviation) takes its place. When all are equal,
 * none is odd.
 */
function modifiedScore(median: number, medianDistance: number, meanDistance: number): (value: number) => number {
  if (medianDistance > 0) return (value) => (0.6745 * (value - median)) / medianDistance;
  if (meanDistance > 0) return (value) => (value - median) / (Math.sqrt(Math.PI / 2) * meanDistance);
  return () => 0;
}

const meanOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function deviationOf(values: Float64Array): number {
  if (values.length < 2) return 0;
  const mean = meanOf(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}

function variationOf(values: Float64Array): number | null {
  const mean = meanOf(values);
  return values.length < 2 || !(mean > 0) ? null : deviationOf(values) / mean;
}

/** The caveats about the figures; empty where nothing speaks against them. `isMeasured`: on a machine, where runs differ by chance. */
export function remarksOn({ samples, variation, outliers }: Benchmark, isMeasured: boolean): string[] {
  const remarks: string[] = [];
  if (variation !== null && variation > mostVariation) {
    const cause = outliers.length > 0 ? 'look at the outliers' : 'look for the cause';
    remarks.push(`varies by more than ${100 * mostVariation} %: ${cause} before trusting it`);
  }
  if (isMeasured && samples < advisedSamples.least)
    remarks.push(`few samples: ${advisedSamples.least} to ${advisedSamples.most} are advised`);
  return remarks;
}

/** `Median 5.1 ms (IQR 5 ms to 5.2 ms), with 1 outlier at 12.3 ms`. */
export function sentenceOf({ median, quartiles, outliers }: Benchmark, format: (value: number) => string): string {
  const usual = `Median ${format(median)} (IQR ${format(quartiles[0])} to ${format(quartiles[1])})`;
  if (outliers.length === 0) return usual;
  const times = outliers.slice(0, mostNamed).map(({ value }) => format(value));
  if (outliers.length > mostNamed) times.push('…');
  return `${usual}, with ${outliers.length} outlier${outliers.length > 1 ? 's' : ''} at ${times.join(', ')}`;
}
const mostNamed = 8;
