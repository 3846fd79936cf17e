/**
 * The verdict, with what it rests on. It compares the time a user waits: the median step where a program has steps, else the time from the
 * first event to the last. The sum of all kernels stands beside it and decides nothing: kernels that overlap, or wait for the host anyway,
 * can take less without anything being faster.
 *
 * One figure can mislead. So others have to agree with it before it counts: the mean step, the whole time, the time that GPUs work, and
 * how much work was recorded at all. Where the mean step contradicts the median, the verdict rests on the whole; where others contradict it,
 * the verdict is inconclusive, with the contradiction as its reason.
 */
import { leastComparable, type CompareJudgement, type CompareSteps } from '../../model/comparison.ts';
import { runToRun } from './times.ts';
import { change, percentOf } from './words.ts';

export const usualThreshold = 0.05;

interface BothNs {
  before: number;
  after: number;
}

/** The recorded work of the kernels that both traces have. */
export interface CapturedWork {
  /** Factor by which there is more work: launches after at what one took before, to the launches before. */
  amount: number;
  /** Factor by which one launch takes longer: launches after at their median to the same at the median before. */
  each: number;
  /** The share of the kernels' time before of kernels whose number of launches has changed by one and the same factor. */
  together: number;
}

export interface ToJudge {
  windowNs: BothNs;
  /** `spanNs`: from the start of the first to the end of the last; `outlastHost`: work goes on after the host's ranges. */
  steps:
    (Pick<CompareSteps, 'name' | 'before' | 'after' | 'noiseNs'> & { spanNs: BothNs; outlastHost: boolean }) | null;
  /** The time of a range of the host until its work is done; null where that is not what is compared. */
  untilDoneNs: BothNs | null;
  kernelsNs: BothNs;
  /** When GPUs did anything. */
  busyNs: BothNs;
  /** Before and after all work of GPUs, when nothing at all is recorded. */
  emptyEndsNs: BothNs;
  /** null without kernels in both. */
  captured: CapturedWork | null;
  matched: { before: number | null; after: number | null };
  isSimulated: { before: boolean; after: boolean };
  isComplete: { before: boolean; after: boolean };
  /** Launches that were timed and not executed. */
  timedOnly: { before: number; after: number };
  gpus: { before: string; after: string };
  /** Share of the time before. */
  threshold: number;
}

/** A time that was taken for what somebody waits. */
interface Measured {
  measure: CompareJudgement['measure'];
  what: string;
  beforeNs: number;
  afterNs: number;
  /** Share of the time before. */
  noise: number;
  /** Reason for this measure; empty where that is plain. */
  because: string;
}

export function judge(input: ToJudge): CompareJudgement {
  const { matched, isSimulated, isComplete, threshold, gpus } = input;
  const isMeasured = !isSimulated.before || !isSimulated.after;
  const measured = measureOf(input, isMeasured);
  const { measure, what, beforeNs, afterNs, noise } = measured;
  const known = [matched.before, matched.after].filter((share) => share !== null);
  const comparability = known.length === 0 ? 0 : known.length === 1 ? 0 : Math.min(...known);
  const ratio = beforeNs > 0 && afterNs > 0 ? afterNs / beforeNs : null;
  const by = ratio === null ? 0 : ratio - 1;
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
  const contradictions = against.length === 0 ? contradictionsOf(input, measured, by, isMeasured) : [];
  against.push(...contradictions);
  const verdict = against.length > 0 ? 'inconclusive' : !isLarge ? 'neutral' : by > 0 ? 'regression' : 'improvement';
  const reasons = [...against];
  if (ratio !== null && against.length === 0) {
    const limit = isLarge ? 'at least' : 'less than';
    reasons.push(
      by === 0
        ? `${what} is the same.`
        : `${what} changed by ${change(by)}: ${limit} the threshold of ${percentOf(threshold)}${isMeasured ? `, with noise of ${percentOf(noise)}` : ''}.`,
    );
  }
  if (measured.because !== '') reasons.push(measured.because);
  if (gpus.before !== gpus.after && gpus.before !== '' && gpus.after !== '')
    reasons.push(`The GPUs differ: ${gpus.before} and ${gpus.after}.`);
  for (const side of ['before', 'after'] as const)
    if (input.timedOnly[side] > 0)
      reasons.push(
        `Of the launches ${side}, ${input.timedOnly[side]} were timed and not executed: they are taken to be like the others.`,
      );
  const kernels = input.kernelsNs;
  if (ratio !== null && comparability >= leastComparable && kernels.before > 0 && kernels.after > 0) {
    const ofKernels = kernels.after / kernels.before - 1;
    if (Math.abs(ofKernels - by) >= threshold)
      reasons.push(
        `All kernels together changed by ${change(ofKernels)}: that is not what a ${measure === 'step' ? 'step' : 'run'} takes, which changed by ${change(by)}.`,
      );
  }
  return {
    ...{ verdict, measure, beforeNs, afterNs, threshold, noise },
    // A contradicted change is no speed.
    ratio: contradictions.length > 0 ? null : ratio,
    ...{ matchedBefore: matched.before, matchedAfter: matched.after, comparability, reasons },
  };
}

/** The median step, unless the mean of as many steps says otherwise; else the whole. */
function measureOf({ steps, windowNs, untilDoneNs, threshold }: ToJudge, isMeasured: boolean): Measured {
  const whole: Measured = {
    ...{ measure: 'window', what: 'The whole time', beforeNs: windowNs.before, afterNs: windowNs.after },
    ...{ noise: isMeasured && windowNs.before > 0 ? runToRun : 0, because: '' },
  };
  if (untilDoneNs) {
    const [host, done] = [changeBy(windowNs), changeBy(untilDoneNs)];
    if (Math.abs(host - done) < Math.min(threshold, Math.max(Math.abs(done), runToRun))) return whole;
    const [beforeNs, afterNs] = [untilDoneNs.before, untilDoneNs.after];
    return {
      ...{ ...whole, what: 'The time until the work of GPUs is done', beforeNs, afterNs },
      because: `The range itself changed by ${change(host)}: the host does not wait in it for the work that it calls for.`,
    };
  }
  if (!steps) return whole;
  const { before, after } = steps;
  const median: Measured = {
    measure: 'step',
    what: `The median of ${counts(before.count, after.count)} steps (${steps.name})`,
    ...{ beforeNs: before.medianNs, afterNs: after.medianNs },
    noise: isMeasured && before.medianNs > 0 ? steps.noiseNs / before.medianNs : 0,
    because: steps.outlastHost ? 'A step lasts until the work of GPUs that is called for in it is done.' : '',
  };
  if (before.count !== after.count || saysTheSame(changeBy(median), meanStepBy(steps), threshold)) return median;
  return {
    ...whole,
    because: `The median of ${before.count} steps (${steps.name}) changed by ${change(changeBy(median))} and their mean by ${change(meanStepBy(steps))}: some are not like the others, so the whole is judged.`,
  };
}

/** Sentences about what does not fit with the time that was judged; empty where all does. `by`: its change. */
function contradictionsOf(input: ToJudge, { measure, what }: Measured, by: number, isMeasured: boolean): string[] {
  const { steps, windowNs, busyNs, captured, threshold } = input;
  const least = Math.max(threshold, isMeasured ? runToRun : 0);
  const isNoWorse = by < threshold;
  const said = `${what} changed by ${change(by)}`;
  const perStep = measure === 'step' && steps ? steps.after.count / steps.before.count : 1;
  const found: string[] = [];
  if (measure === 'step' && steps) {
    const mean = meanStepBy(steps);
    if (!saysTheSame(by, mean, threshold))
      found.push(`${said}, but their mean by ${change(mean)}: some steps are not like the others.`);
    else if (perStep === 1) {
      const whole = changeBy(windowNs);
      if (isNoWorse ? whole >= least : whole <= -least)
        found.push(
          `${said}, but the whole time by ${change(whole)}: what lies before, between and behind the steps changed as well.`,
        );
    } else if (captured && Math.abs(captured.amount - 1) < least && !saysTheSame(by, changeBy(windowNs), threshold)) {
      // Twice as many that are half as long are the same work in other pieces.
      found.push(
        `${said}, but the same work is done in ${steps.after.count} of them instead of ${steps.before.count}, and the whole time changed by ${change(changeBy(windowNs))}: they are not the same steps.`,
      );
    }
  }
  const busy = changeBy({ before: busyNs.before * perStep, after: busyNs.after });
  // Work of GPUs may take longer and nobody wait for it, or less and nobody gain by it.
  const isHidden = by > -threshold && by < threshold;
  if (found.length === 0 && isHidden && busy >= least)
    found.push(
      `${said}, but GPUs are busy for ${percentOf(busy)} longer: what hides that today, as a host that is late, can go at any time.`,
    );
  const sum = changeBy(input.kernelsNs);
  if (found.length === 0 && isHidden && captured && sum >= least && captured.each >= 1 + least)
    found.push(
      `${said}, but kernels take ${percentOf(sum)} longer in all: others that run beside them hide that today.`,
    );
  if (found.length > 0 || measure === 'step' || !isMeasured) return found;
  const { emptyEndsNs: empty } = input;
  const filled = changeBy({ before: windowNs.before - empty.before, after: windowNs.after - empty.after });
  if (input.untilDoneNs === null && !saysTheSame(by, filled, threshold))
    return [
      `${said}, but without the time before and after all work of GPUs, in which nothing is recorded, by ${change(filled)}: that may be the recorder's.`,
    ];
  if (!captured) return found;
  const { amount, each, together } = captured;
  const kernels = `${percentOf(Math.abs(amount - 1))} ${amount < 1 ? 'less' : 'more'} work was recorded (by launches of kernels)`;
  if (by < threshold && amount <= 1 - least && each >= 1 + (by <= -threshold ? runToRun : least))
    found.push(
      `${said}, but ${kernels}, and a launch takes ${percentOf(each - 1)} longer: it does less, and not faster.`,
    );
  else if (by >= threshold && amount >= 1 + least && each <= 1 - least)
    found.push(
      `${said}, but ${kernels}, and a launch takes ${percentOf(1 - each)} less: it does more, and not slower.`,
    );
  else if (together >= mostTogether && Math.abs(by) >= threshold && Math.abs(amount - 1) >= least) {
    // All of it by the same factor, but for what is done once: what differs may be how long was recorded.
    const perWork = (1 + by) / amount - 1;
    if (!saysTheSame(by, perWork, threshold))
      found.push(
        `${said}, but ${kernels}, of nearly every kernel alike: for the same work it is ${change(perWork)}. Ranges for steps tell more work from slower work.`,
      );
  }
  return found;
}

/** The share of the time of kernels from which all work counts as changed alike: the rest may be done once, however long is recorded. */
const mostTogether = 0.9;

const changeBy = (times: BothNs | Measured): number => {
  const [before, after] = 'measure' in times ? [times.beforeNs, times.afterNs] : [times.before, times.after];
  return before > 0 && after > 0 ? after / before - 1 : 0;
};

const meanStepBy = ({ before, after, spanNs }: NonNullable<ToJudge['steps']>): number =>
  changeBy({ before: spanNs.before / before.count, after: spanNs.after / after.count });

/** True if two changes are on the same side of the threshold. */
function saysTheSame(one: number, other: number, threshold: number): boolean {
  const side = (by: number): number => (by >= threshold ? 1 : by <= -threshold ? -1 : 0);
  if (side(one) === side(other)) return true;
  // Close to the threshold, either side of it means the same.
  return Math.abs(one - other) < runToRun;
}

const counts = (before: number, after: number): string => (before === after ? `${before}` : `${before} and ${after}`);
