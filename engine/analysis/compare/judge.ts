/**
 * Whether it got better or worse, with what that rests on. Judged is the time that somebody waits: the median step where a program has
 * steps, else the time from the first event to the last. The sum of all kernels is said beside it and judges nothing: kernels that
 * overlap, or wait for the host anyway, can take less without anything being faster.
 */
import { leastComparable, type CompareJudgement, type CompareSteps } from '../../api/types.ts';
import { runToRun } from './times.ts';
import { change, percentOf } from './words.ts';

export const usualThreshold = 0.05;

export interface ToJudge {
  windowNs: { before: number; after: number };
  steps: Pick<CompareSteps, 'name' | 'before' | 'after' | 'noiseNs'> | null;
  kernelsNs: { before: number; after: number };
  matched: { before: number | null; after: number | null };
  isSimulated: { before: boolean; after: boolean };
  isComplete: { before: boolean; after: boolean };
  gpus: { before: string; after: string };
  /** Share of the time before. */
  threshold: number;
}

export function judge(input: ToJudge): CompareJudgement {
  const { steps, matched, isSimulated, isComplete, threshold } = input;
  const measured = !isSimulated.before || !isSimulated.after;
  const [beforeNs, afterNs] = steps
    ? [steps.before.medianNs, steps.after.medianNs]
    : [input.windowNs.before, input.windowNs.after];
  const noise = !measured || beforeNs === 0 ? 0 : steps ? steps.noiseNs / beforeNs : runToRun;
  const known = [matched.before, matched.after].filter((share) => share !== null);
  const comparability = known.length === 0 ? 0 : known.length === 1 ? 0 : Math.min(...known);
  const ratio = beforeNs > 0 && afterNs > 0 ? afterNs / beforeNs : null;
  const by = ratio === null ? 0 : ratio - 1;
  const what = steps
    ? `The median of ${counts(steps.before.count, steps.after.count)} steps (${steps.name})`
    : 'The whole time';
  const against: string[] = [];
  if (isSimulated.before !== isSimulated.after)
    against.push('One trace is simulated and the other is not: what differs is also the error of the simulation.');
  if (known.length === 0) against.push('Neither trace has work of a GPU.');
  else if (comparability < leastComparable)
    against.push(
      `Only ${percentOf(matched.before ?? 0)} of the GPU time before and ${percentOf(matched.after ?? 0)} after is of kernels that both have: less than ${percentOf(leastComparable)} is no before and after. Pair kernels that were renamed.`,
    );
  for (const side of ['before', 'after'] as const)
    if (!isComplete[side]) against.push(`The recording ${side} was cut short.`);
  if (ratio === null) against.push('There is no time to compare.');
  const isLarge = Math.abs(by) >= threshold;
  if (against.length === 0 && by !== 0) {
    if (isLarge && Math.abs(by) <= noise)
      against.push(`${what} changed by ${change(by)}, which is within the noise of ${percentOf(noise)}.`);
    else if (!isLarge && noise > threshold)
      against.push(
        `The noise of ${percentOf(noise)} is larger than the threshold of ${percentOf(threshold)}: more or longer steps are needed.`,
      );
  }
  const verdict = against.length > 0 ? 'inconclusive' : !isLarge ? 'neutral' : by > 0 ? 'regression' : 'improvement';
  const reasons = [...against];
  if (ratio !== null && against.length === 0) {
    const limit = isLarge ? 'at least' : 'less than';
    reasons.push(
      by === 0
        ? `${what} is the same.`
        : `${what} changed by ${change(by)}: ${limit} the threshold of ${percentOf(threshold)}${measured ? `, with noise of ${percentOf(noise)}` : ''}.`,
    );
  }
  const { gpus } = input;
  if (gpus.before !== gpus.after && gpus.before !== '' && gpus.after !== '')
    reasons.push(`The GPUs differ: ${gpus.before} and ${gpus.after}.`);
  const kernels = input.kernelsNs;
  if (ratio !== null && comparability >= leastComparable && kernels.before > 0 && kernels.after > 0) {
    const ofKernels = kernels.after / kernels.before - 1;
    if (Math.abs(ofKernels - by) >= threshold)
      reasons.push(
        `All kernels together changed by ${change(ofKernels)}: that is not what a ${steps ? 'step' : 'run'} takes, which changed by ${change(by)}.`,
      );
  }
  return {
    ...{ verdict, measure: steps ? 'step' : 'window', beforeNs, afterNs, ratio, threshold, noise },
    ...{ matchedBefore: matched.before, matchedAfter: matched.after, comparability, reasons },
  };
}

const counts = (before: number, after: number): string => (before === after ? `${before}` : `${before} and ${after}`);
