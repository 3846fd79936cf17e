/** The comparison for the terminal. */
import type {
  CompareChange,
  CompareContribution,
  CompareJudgement,
  CompareKind,
  CompareLadder,
  CompareModelError,
  CompareRow,
  CompareSteps,
  Comparison,
} from '../../model/comparison.ts';
import { harmlessLines } from '../../base/harmless.ts';
import { formatTime } from '../../model/format.ts';
import { toText } from '../formats.ts';
import { shortened } from '../report/text.ts';
import { shortName } from './explain.ts';
import { change, percentOf } from './words.ts';

export const kindTitles: Record<CompareKind, string> = {
  total: 'Total',
  kernel: 'Kernel',
  copy: 'Copy',
  memset: 'Fill',
  api: 'API',
  range: 'Range',
};
export const changeTitles: Record<CompareChange, string> = {
  same: 'same',
  noise: 'noise',
  faster: 'faster',
  slower: 'slower',
  less: 'less',
  more: 'more',
  calls: 'calls',
  'only-before': 'only before',
  'only-after': 'only after',
};

const mostSteps = 12;
/** Characters; templates of libraries have thousands. */
const longestName = 160;
/** Characters of the largest change. */
const barWidth = 24;

/** `mostRows`: of the table; totals and kernels without a partner are all there. */
export function formatComparison(result: Comparison, mostRows = 30): string {
  const comparison = harmlessLines(result);
  const { before, after, rows, rowsLeftOut, judgement, steps, waterfall, explanation, modelError, align } = comparison;
  const heads = [
    ['Before', before],
    ['After', after],
  ] as const;
  const head = heads.map(
    ([name, side]) => ` ${name.padEnd(7)}${side.title}${onGpu(side.gpu)}, ${formatTime(side.durationNs)}`,
  );
  const totals = rows.filter(({ kind }) => kind === 'total');
  const others = rows.filter(({ kind }) => kind !== 'total');
  const changed = others.filter((row) => row.change !== 'same');
  const lost = rows.filter(({ kind, match }) => kind === 'kernel' && match === 'only');
  const rest = changed.length - mostRows;
  const same = others.length - changed.length;
  const left = [
    ...(rest > 0 ? [`${rest} more changed less`] : []),
    ...(same > 0 ? [`${same} are the same`] : []),
    ...(rowsLeftOut > 0 ? [`${rowsLeftOut} that changed least are left out`] : []),
  ];
  return [
    head.join('\n'),
    align.name === null ? '' : ` Compared: ${align.by === 'steps' ? 'steps' : 'range'} ${align.name}`,
    judgementOf(judgement),
    explanation.map((line) => ` ${line}`).join('\n'),
    steps ? stepsOf(steps) : '',
    totalsOf(totals),
    waterfallOf(waterfall, comparison),
    changed.length > 0 ? tableOf(changed.slice(0, mostRows)) : '',
    left.length > 0 ? ` ${left.join('; ')}.` : '',
    lost.length > 0 ? lostOf(lost) : '',
    modelError && modelError.kernels.length > 0 ? modelErrorOf(modelError) : '',
  ]
    .filter((part) => part !== '')
    .map((part) => `${part.trimEnd()}\n`)
    .join('\n');
}

function judgementOf({
  verdict,
  threshold,
  noise,
  comparability,
  reasons,
  matchedBefore,
  matchedAfter,
}: CompareJudgement) {
  const share = (value: number | null): string => (value === null ? 'none' : percentOf(value));
  return [
    ` Verdict: ${verdict} (threshold ${percentOf(threshold)}, noise floor ${percentOf(noise)}, comparability ${comparability.toFixed(2)}: ${share(matchedBefore)} of the GPU time before and ${share(matchedAfter)} after is matched)`,
    ...reasons.map((reason) => `   ${reason}`),
  ].join('\n');
}

const onGpu = (gpu: string): string => (gpu === '' ? '' : ` on ${gpu}`);
const signed = (ns: number): string => `${ns > 0 ? '+' : ''}${formatTime(ns)}`;
const ratioOf = (ratio: number | null): string => (ratio === null ? '-' : `${ratio.toFixed(3)}x`);
const text = (name: string) => ({ name, type: 'text' as const });
const number = (name: string) => ({ name, type: 'integer' as const });

const stepsOf = ({ name, before, after, ratio, noiseNs }: CompareSteps): string =>
  ` Steps (${name}): median ${formatTime(before.medianNs)} → ${formatTime(after.medianNs)} (${ratioOf(ratio)}), IQR ${formatTime(before.iqrNs)} → ${formatTime(after.iqrNs)}, ${before.count} and ${after.count} of them; noise floor ${formatTime(noiseNs)}`;

function totalsOf(rows: readonly CompareRow[]): string {
  const columns = [text('Total'), ...['Before', 'After', 'Change', 'Ratio', 'Count'].map(number)];
  return toText(
    columns,
    rows.map((row) => [
      row.name,
      ...[
        formatTime(row.beforeNs),
        formatTime(row.afterNs),
        signed(row.differenceNs),
        ratioOf(row.ratio),
        countOf(row),
      ],
    ]),
  );
}

function tableOf(rows: readonly CompareRow[]): string {
  const columns = [
    text('Kind'),
    ...['Before', 'After', 'Change', 'Ratio', 'Share', 'Count', 'Median', 'IQR'].map(number),
    text('What'),
    text('Name'),
  ];
  const cells = rows.map((row) => [
    kindTitles[row.kind],
    row.beforeCount > 0 ? formatTime(row.beforeNs) : '-',
    row.afterCount > 0 ? formatTime(row.afterNs) : '-',
    ...[signed(row.differenceNs), ratioOf(row.ratio), percentOf(row.share), countOf(row)],
    ...[fromTo(row, 'medianNs'), fromTo(row, 'iqrNs'), changeTitles[row.change], shortened(row.name, longestName)],
  ]);
  return toText(columns, cells);
}

export const countOf = ({ beforeCount, afterCount }: CompareRow): string =>
  beforeCount === afterCount ? String(beforeCount) : `${beforeCount} → ${afterCount}`;

export function fromTo({ before, after }: CompareRow, what: 'medianNs' | 'iqrNs'): string {
  const [from, to] = [before, after].map((times) => (times ? formatTime(times[what]) : '-'));
  return from === to ? from! : `${from} → ${to}`;
}

function waterfallOf(waterfall: readonly CompareContribution[], { before, after }: Comparison): string {
  const changed = waterfall.filter(({ differenceNs }) => differenceNs !== 0);
  if (changed.length === 0) return '';
  const most = Math.abs(changed[0]!.differenceNs);
  const line = (name: string, ns: string, bar = ''): string =>
    `  ${ns.padStart(12)}  ${bar.padEnd(barWidth)}  ${name}`.trimEnd();
  const shown = changed.slice(0, mostSteps);
  const rest = changed.slice(mostSteps);
  const others = rest.reduce((sum, { differenceNs }) => sum + differenceNs, 0);
  const wall = ({ window }: Comparison['before']): string => formatTime(window.toNs - window.fromNs);
  return [
    ' From before to after (what runs at once shares the time):',
    line('before', wall(before)),
    ...shown.map(({ kind, name, differenceNs }) =>
      line(
        kind === 'kernel' ? shortName(name) : name,
        signed(differenceNs),
        (differenceNs < 0 ? '░' : '█').repeat(Math.max(1, Math.round((barWidth * Math.abs(differenceNs)) / most))),
      ),
    ),
    ...(rest.length > 0 ? [line(`${rest.length} others`, signed(others))] : []),
    line('after', wall(after)),
  ].join('\n');
}

function lostOf(rows: readonly CompareRow[]): string {
  const of = (side: 'before' | 'after'): string[] => {
    const own = rows.filter((row) => row[side] !== null);
    return own.length === 0
      ? []
      : [
          ` Kernels only ${side}:`,
          ...own.map(
            (row) =>
              `   ${formatTime(row[side]!.totalNs).padStart(12)}  ${row[side]!.count} × ${shortened(row.name, longestName)}`,
          ),
        ];
  };
  return [...of('before'), ...of('after'), ' Those that are the same: --pair BEFORE=AFTER.'].join('\n');
}

function modelErrorOf({ simulated, kernels, meanError }: CompareModelError): string {
  const columns = [...['Simulated', 'Real', 'Error', 'Of the time'].map(number), text('Kernel')];
  const cells = kernels.map(({ name, simulatedNs, realNs, error, share }) => [
    ...[formatTime(simulatedNs), formatTime(realNs), change(error), percentOf(share), name],
  ]);
  const mean = meanError === null ? '' : `: off by ${percentOf(meanError)} on average of their time`;
  return ` The trace ${simulated} is simulated, the other one is real${mean}. Medians of a launch:\n\n${toText(columns, cells)}`;
}

export function formatLadder(result: CompareLadder): string {
  const { steps } = harmlessLines(result);
  const columns = [
    ...['Time', 'To the previous', 'To the first'].map(number),
    text('Verdict'),
    text('Judged'),
    text('Trace'),
  ];
  const against = (judgement: CompareJudgement | null): string => (judgement === null ? '-' : ratioOf(judgement.ratio));
  const table = toText(
    columns,
    steps.map(({ title, gpu, measureNs, toPrevious, toFirst }) => [
      ...[formatTime(measureNs), against(toPrevious), against(toFirst)],
      ...[toPrevious?.verdict ?? '-', toPrevious ? `${toPrevious.measure}` : '-', `${title}${onGpu(gpu)}`],
    ]),
  );
  const each = steps.flatMap(({ title, explanation, toPrevious }) =>
    explanation.length === 0
      ? []
      : [
          ` ${title}:`,
          ...explanation.map((line) => `   ${line}`),
          ...(toPrevious?.reasons ?? []).map((line) => `   ${line}`),
          '',
        ],
  );
  return `${table}\n${each.join('\n')}`;
}
