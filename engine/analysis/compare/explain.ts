/** The changes, in a few sentences with figures: for people, and for a comment on a pull request. */
import {
  leastComparable,
  type CompareContribution,
  type CompareJudgement,
  type CompareModelError,
  type CompareRow,
  type KernelComparison,
} from '../../model/comparison.ts';
import { formatTime } from '../../model/format.ts';
import { kernelName, readable } from './names.ts';
import { percentOf, sentence, speed } from './words.ts';

/** Parts that are named: so many, and those that make this share of all changes. */
const mostParts = 3;
const leastPart = 0.1;

const notComparable =
  'What the two traces did is too different to say that one is faster; the figures below stand for themselves.';

export interface ToExplain {
  judgement: CompareJudgement;
  stepName: string | null;
  windowNs: { before: number; after: number };
  waterfall: readonly CompareContribution[];
  kernelRows: readonly CompareRow[];
  /** The kernels that changed most, by the name of their row. */
  kernels: readonly { name: string; comparison: KernelComparison }[];
  modelError: CompareModelError | null;
}

export function explain(input: ToExplain): string[] {
  const { judgement, stepName, windowNs, waterfall, kernelRows, kernels, modelError } = input;
  const isComparable = judgement.comparability >= leastComparable;
  const said = [isComparable ? headline(judgement, stepName) : notComparable];
  if (isComparable && judgement.measure === 'step' && judgement.verdict !== 'inconclusive')
    said.push(
      sentence(`the whole time: ${speed(windowNs.before, windowNs.after)}, ${times(windowNs.before, windowNs.after)}`),
    );
  const parts = isComparable ? partsOf(waterfall) : '';
  if (parts !== '') said.push(parts);
  for (const { name, comparison } of kernels) {
    if (comparison.explanation.length > 1) said.push(`${shortName(name)}: ${comparison.explanation.join('; ')}.`);
  }
  const lost = kernelRows.filter(({ match }) => match === 'only');
  if (lost.length > 0) {
    const of = (side: 'before' | 'after'): number => lost.filter((row) => row[side] !== null).length;
    const counts = [
      of('before') > 0 ? `${of('before')} of the trace before` : '',
      of('after') > 0 ? `${of('after')} of the trace after` : '',
    ];
    said.push(sentence(`kernels without a partner: ${counts.filter(Boolean).join(', ')}`));
  }
  const guessed = kernelRows.filter(({ match }) => match === 'last');
  for (const { beforeName, afterName } of guessed)
    said.push(
      `${shortName(beforeName!)} and ${shortName(afterName!)} are taken for the same kernel: of one program they are the only ones left, with the same parameters and as many launches.`,
    );
  if (modelError?.meanError != null)
    said.push(
      `Against the real recording, simulated kernels are off by ${percentOf(modelError.meanError)} on average of their time.`,
    );
  return said;
}

const times = (before: number, after: number): string => `${formatTime(before)} → ${formatTime(after)}`;

function headline({ verdict, measure, beforeNs, afterNs, ratio }: CompareJudgement, stepName: string | null): string {
  if (!(beforeNs > 0) || !(afterNs > 0)) return 'There is no time to compare.';
  const what = measure === 'step' ? `a step (${stepName})` : 'from the first event to the last';
  if (ratio === null || verdict === 'inconclusive')
    return `It cannot be told whether that is faster: ${what} takes ${times(beforeNs, afterNs)}.`;
  if (beforeNs === afterNs) return `No difference: ${what} takes ${formatTime(beforeNs)} in both.`;
  return sentence(`${speed(beforeNs, afterNs)}: ${what} takes ${times(beforeNs, afterNs)}`);
}

function partsOf(waterfall: readonly CompareContribution[]): string {
  const all = waterfall.reduce((sum, { differenceNs }) => sum + Math.abs(differenceNs), 0);
  const named = waterfall
    .slice(0, mostParts)
    .filter(({ differenceNs }) => Math.abs(differenceNs) >= leastPart * all && differenceNs !== 0);
  if (named.length === 0) return '';
  const words = named.map(
    ({ kind, name, differenceNs }) =>
      `${kind === 'idle' ? 'time without any GPU work' : kind === 'kernel' ? shortName(name) : name} ${differenceNs < 0 ? '−' : '+'}${formatTime(Math.abs(differenceNs))}`,
  );
  return `Most of the change of the whole time: ${words.join(', ')}.`;
}

/** The name of a kernel without parameters; both names of a pair. */
export const shortName = (name: string): string => {
  const names = name.split(' → ').map((each) => readable(kernelName(each).function || each));
  return [...new Set(names)].join(' → ');
};
