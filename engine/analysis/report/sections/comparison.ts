/** The changes since another recording: the verdict, why, what contributed, and what took longer or shorter. */
import type { CompareRow, CompareVerdict, Comparison } from '../../../model/comparison.ts';
import { shortName } from '../../compare/explain.ts';
import { changeTitles, countOf, fromTo, kindTitles } from '../../compare/text.ts';
import { change, percentOf } from '../../compare/words.ts';
import { formatTime } from '../../../model/format.ts';
import { code, quiet, strong, type Block, type Line, type Piece, type Section } from '../document.ts';
import { shortened } from '../text.ts';
import { waterfallPicture, type Step } from '../waterfall-picture.ts';

const mostRows = 15;
const mostSteps = 8;

/** `beforeName`, `afterName`: of the files. */
export function comparisonSection(comparison: Comparison, beforeName: string, afterName: string): Section {
  const totals = comparison.rows.filter(({ kind }) => kind === 'total');
  return {
    id: 'comparison',
    title: ['Before and after'],
    blocks: [
      sidesOf(comparison, beforeName, afterName),
      ...verdictOf(comparison),
      tableOf(totals, false),
      ...waterfallOf(comparison),
      ...changesOf(comparison, mostRows),
    ],
  };
}

export function sidesOf({ before, after }: Comparison, beforeName: string, afterName: string): Block {
  const side = (name: string, file: string, of: Comparison['before']) => ({
    name,
    line: [
      code(file),
      `: ${of.title}${of.gpu === '' ? '' : ` on ${of.gpu}`}, ${formatTime(of.durationNs)}${of.isSimulated ? ', simulated' : ''}`,
    ],
  });
  return { type: 'facts', facts: [side('Before', beforeName, before), side('After', afterName, after)] };
}

const colours: Record<CompareVerdict, Piece> = {
  regression: { text: 'Regression', is: 'bad' },
  improvement: { text: 'Improvement', is: 'good' },
  neutral: strong('Neutral'),
  inconclusive: strong('Inconclusive'),
};

export function verdictOf({ judgement, explanation }: Comparison): Block[] {
  const { verdict, threshold, noise, comparability, reasons } = judgement;
  const figures = ` (threshold ${percentOf(threshold)}, noise floor ${percentOf(noise)}, comparability ${comparability.toFixed(2)})`;
  return [
    { type: 'text', line: [colours[verdict], quiet(figures)] },
    { type: 'list', lines: reasons.map((reason): Line => [reason]) },
    { type: 'list', lines: explanation.map((line): Line => [line]) },
  ];
}

/** The rows that changed most, and what is not among them. */
export function changesOf({ rows, rowsLeftOut }: Comparison, most: number): Block[] {
  const others = rows.filter(({ kind }) => kind !== 'total');
  const changed = others.filter((row) => row.differenceNs !== 0);
  const same = others.length - changed.length;
  const rest = [
    ...(changed.length > most ? [`${changed.length - most} more changed less`] : []),
    ...(same > 0 ? [`${same} kernels, calls and copies take the same time`] : []),
    ...(rowsLeftOut > 0 ? [`${rowsLeftOut} that changed least are left out`] : []),
  ];
  return [
    ...(changed.length > 0 ? [tableOf(changed.slice(0, most), true)] : []),
    ...(rest.length > 0 ? [{ type: 'text' as const, line: [quiet(`${rest.join('; ')}.`)] }] : []),
  ];
}

export function tableOf(rows: readonly CompareRow[], withKind: boolean): Block {
  const number = (name: string) => ({ name, isNumber: true });
  const columns = ['Before', 'After', 'Change', 'Speed'].map(number);
  const more = ['Share', 'Count', 'Median'].map(number);
  return {
    type: 'table',
    columns: withKind
      ? [{ name: 'Kind' }, ...columns, ...more, { name: 'What' }, { name: 'Name' }]
      : [{ name: 'Total' }, ...columns],
    rows: rows.map((row) => [
      [withKind ? kindTitles[row.kind] : row.name],
      [row.beforeCount > 0 ? formatTime(row.beforeNs) : '–'],
      [row.afterCount > 0 ? formatTime(row.afterNs) : '–'],
      [changePiece(row)],
      [speedOf(row)],
      ...(withKind ? moreOf(row) : []),
    ]),
  };
}
const moreOf = (row: CompareRow): Line[] => [
  ...[[percentOf(row.share)], [countOf(row)], [fromTo(row, 'medianNs')]],
  ...[[quiet(changeTitles[row.change])], [code(shortened(row.name, 110))]],
];

/** More overlap is better, how long a recorder ran is neither; of all else, less time is better. */
function changePiece({ name, kind, differenceNs }: CompareRow): Line[number] {
  const isBetter = kind === 'total' && name === 'Copies under kernels' ? differenceNs > 0 : differenceNs < 0;
  const isNeither = differenceNs === 0 || (kind === 'total' && name === 'Session duration');
  const text = differenceNs === 0 ? 'none' : `${differenceNs > 0 ? '+' : '−'}${formatTime(Math.abs(differenceNs))}`;
  return { text, is: isNeither ? 'quiet' : isBetter ? 'good' : 'bad' };
}

function speedOf({ change: how, ratio }: CompareRow): string {
  if (ratio === null) return '';
  if (Math.abs(ratio - 1) < 0.005) return 'same';
  if (how === 'less' || how === 'more') return change(ratio - 1);
  return ratio < 1 ? `${(1 / ratio).toFixed(2)}× faster` : `${ratio.toFixed(2)}× slower`;
}

/** The waterfall of the time from the first event to the last. */
export function waterfallOf({ waterfall, before, after }: Comparison): Block[] {
  const steps = waterfall
    .filter(({ differenceNs }) => differenceNs !== 0)
    .map(({ kind, name, differenceNs }): Step => ({
      name: kind === 'kernel' ? shortName(name) : name,
      change: differenceNs,
    }));
  if (steps.length === 0) return [];
  const shown = steps.slice(0, mostSteps);
  const rest = steps.slice(mostSteps);
  if (rest.length > 0)
    shown.push({ name: `${rest.length} others`, change: rest.reduce((sum, { change }) => sum + change, 0) });
  const wallNs = before.window.toNs - before.window.fromNs;
  const picture = waterfallPicture('comparison', 'From before to after, step by step', ends, wallNs, shown);
  const by = wallNs > 0 ? ` (${change((after.window.toNs - after.window.fromNs) / wallNs - 1)})` : '';
  const words = `From the time before to the time after${by}: what runs at once shares its time, so that all steps add up.`;
  return [
    { type: 'picture', picture },
    { type: 'text', line: [quiet(words)] },
  ];
}
const ends = { before: 'Before', after: 'After' };
