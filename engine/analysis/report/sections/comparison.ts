/** What changed since another recording. */
import type { CompareRow, Comparison } from '../../../api/types.ts';
import { formatNumber, formatTime } from '../../../trace/units.ts';
import { code, quiet, type Block, type Line, type Section } from '../document.ts';
import { shortened } from '../text.ts';
import { waterfallPicture, type Step } from '../waterfall-picture.ts';

const mostRows = 15;
const mostSteps = 8;
const kinds: Record<CompareRow['kind'], string> = { total: 'Total', kernel: 'Kernel', api: 'API', memory: 'Memory' };

/** `beforeName`, `afterName`: of the files. */
export function comparisonSection(comparison: Comparison, beforeName: string, afterName: string): Section {
  const { before, after, rows } = comparison;
  const totals = rows.filter(({ kind }) => kind === 'total');
  const others = rows.filter(({ kind, beforeNs, afterNs }) => kind !== 'total' && beforeNs !== afterNs);
  const same = rows.length - totals.length - others.length;
  const blocks: Block[] = [
    {
      type: 'facts',
      facts: [
        {
          name: 'Before',
          line: [code(beforeName), `: ${before.title} on ${before.gpu}, ${formatTime(before.durationNs)}`],
        },
        { name: 'After', line: [code(afterName), `: ${after.title} on ${after.gpu}, ${formatTime(after.durationNs)}`] },
      ],
    },
    tableOf(totals, false),
    ...waterfallOf(rows),
    ...(others.length > 0 ? [tableOf(others.slice(0, mostRows), true)] : []),
  ];
  const rest = [
    ...(others.length > mostRows ? [`${others.length - mostRows} more changed less`] : []),
    ...(same > 0 ? [`${same} kernels, calls and copies take the same time`] : []),
  ];
  if (rest.length > 0) blocks.push({ type: 'text', line: [quiet(`${rest.join('; ')}.`)] });
  return { id: 'comparison', title: ['Before and after'], blocks };
}

function tableOf(rows: readonly CompareRow[], withKind: boolean): Block {
  const number = (name: string) => ({ name, isNumber: true });
  const columns = [...['Before', 'After', 'Change', 'Speed'].map(number), ...(withKind ? [number('Count')] : [])];
  return {
    type: 'table',
    columns: withKind ? [{ name: 'Kind' }, ...columns, { name: 'Name' }] : [{ name: 'Total' }, ...columns],
    rows: rows.map((row) => [
      [withKind ? kinds[row.kind] : row.name],
      [row.beforeCount > 0 ? formatTime(row.beforeNs) : '–'],
      [row.afterCount > 0 ? formatTime(row.afterNs) : '–'],
      [changeOf(row)],
      [speedOf(row)],
      ...(withKind ? [[countOf(row)], [code(shortened(row.name, 110))]] : []),
    ]),
  };
}

const countOf = ({ beforeCount, afterCount }: CompareRow): string =>
  beforeCount === afterCount ? formatNumber(beforeCount) : `${formatNumber(beforeCount)} → ${formatNumber(afterCount)}`;

/** More overlap is better; of all else, less time is. */
function changeOf({ name, kind, beforeNs, afterNs }: CompareRow): Line[number] {
  const change = afterNs - beforeNs;
  const isBetter = kind === 'total' && name === 'Copies under kernels' ? change > 0 : change < 0;
  const text = change === 0 ? 'none' : `${change > 0 ? '+' : '−'}${formatTime(Math.abs(change))}`;
  return { text, is: change === 0 ? 'quiet' : isBetter ? 'good' : 'bad' };
}

function speedOf({ name, kind, ratio }: CompareRow): string {
  if (ratio === null || (kind === 'total' && name === 'Copies under kernels')) return '';
  if (Math.abs(ratio - 1) < 0.005) return 'same';
  return ratio < 1 ? `${(1 / ratio).toFixed(2)}× faster` : `${ratio.toFixed(2)}× slower`;
}

/** Of the work of GPUs: what kernels, copies and fills take, one after the other. */
function waterfallOf(rows: readonly CompareRow[]): Block[] {
  const work = rows.filter(({ kind }) => kind === 'kernel' || kind === 'memory');
  const beforeNs = work.reduce((sum, row) => sum + row.beforeNs, 0);
  const steps = work
    .map(({ name, beforeNs: was, afterNs: is }): Step => ({ name, change: is - was }))
    .filter(({ change }) => change !== 0)
    .sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
  if (steps.length === 0) return [];
  const shown = steps.slice(0, mostSteps);
  const rest = steps.slice(mostSteps);
  if (rest.length > 0)
    shown.push({ name: `${rest.length} others`, change: rest.reduce((sum, { change }) => sum + change, 0) });
  const title = 'GPU work before and after, step by step';
  const words = 'GPU work: kernels, copies and fills added up, so that what overlaps counts for each.';
  return [
    {
      type: 'picture',
      picture: waterfallPicture('comparison', title, { before: 'Before', after: 'After' }, beforeNs, shown),
    },
    { type: 'text', line: [quiet(words)] },
  ];
}
