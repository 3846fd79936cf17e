/**
 * How long things take before and after, and whether the difference is more than chance.
 *
 * Times of a simulation are the same each time: any difference is one, the noise floor is 0. Of real recordings a difference of two
 * medians is believed when it is beyond both of these:
 *
 *  - the notches of McGill, Tukey and Larsen, "Variations of Box Plots" (The American Statistician 32, 1978): medians of n values
 *    differ, at about the 95 % level, where intervals of ± 1.57 IQR / √n around them do not overlap;
 *  - 2 % of the median before: one recording of either side says nothing of what changes from run to run, clocks and temperature
 *    first. That is the floor that nsys-ai uses for single runs as well.
 *
 * Quartiles of fewer than {@link fewValues} values say nothing: then the spread is their whole range.
 */
import type { CompareChange, CompareTimes } from '../../model/comparison.ts';
import { quantile } from '../benchmark.ts';

export const runToRun = 0.02;
const notch = 1.57;
export const fewValues = 4;

/** `values` must not be empty; it is sorted in place. */
export function timesOf(values: Float64Array): Sample {
  values.sort();
  const { length: count } = values;
  let totalNs = 0;
  for (const value of values) totalNs += value;
  const iqrNs = quantile(values, 0.75) - quantile(values, 0.25);
  return {
    times: { count, totalNs, medianNs: quantile(values, 0.5), iqrNs },
    spreadNs: count < fewValues ? values[count - 1]! - values[0]! : iqrNs,
  };
}

export interface Sample {
  times: CompareTimes;
  /** IQR, or the range of few values. */
  spreadNs: number;
}

/** The least difference of two medians to be believed, ns. `isMeasured`: of real recordings. */
export function noiseFloor(before: Sample | null, after: Sample | null, isMeasured: boolean): number {
  if (!isMeasured || !before || !after) return 0;
  const error = ({ spreadNs, times }: Sample): number => (notch * spreadNs) / Math.sqrt(times.count);
  return Math.max(error(before) + error(after), runToRun * before.times.medianNs);
}

/** Both medians and means have to stay within the floor for a change to be noise: a few launches that take far longer move no median. */
export function changeOf(before: CompareTimes | null, after: CompareTimes | null, noiseNs: number): CompareChange {
  if (!after) return before ? 'only-before' : 'same';
  if (!before) return 'only-after';
  const meanChange = after.totalNs / after.count - before.totalNs / before.count;
  const medianChange = after.medianNs - before.medianNs;
  if (before.count === after.count && medianChange === 0 && after.totalNs === before.totalNs) return 'same';
  const change = Math.abs(medianChange) > noiseNs ? medianChange : meanChange;
  if (Math.abs(change) > noiseNs) return change < 0 ? 'faster' : 'slower';
  return before.count === after.count ? 'noise' : 'calls';
}
