/** A comparison as a document of its own: a page, or Markdown with its pictures beside it, as for a comment on a pull request. */
import type { Comparison, KernelComparison } from '../../model/comparison.ts';
import type { DocumentFormat, WrittenReport } from '../../model/tables.ts';
import { shortName } from '../compare/explain.ts';
import { change, percentOf } from '../compare/words.ts';
import { formatNumber, formatTime } from '../../model/format.ts';
import { code, quiet, type Block, type Line, type ReportDocument, type Section } from './document.ts';
import { toHtml } from './html.ts';
import { toMarkdown } from './markdown.ts';
import { changesOf, sidesOf, tableOf, verdictOf, waterfallOf } from './sections/comparison.ts';

const mostRows = 60;
const mostLines = 12;
const mostSteps = 20;

export interface WriteOptions {
  fileName?: string | undefined;
  /** Markdown that is no file has none to lie beside. */
  withPictures?: boolean | undefined;
}

/** `names`: of the files, without folders. `kernels`: launches that are shown beside each other, the most important first. */
export function writeComparison(
  comparison: Comparison,
  format: DocumentFormat,
  names: { before: string; after: string },
  kernels: readonly KernelComparison[] = [],
  { fileName = `comparison.${format === 'html' ? 'html' : 'md'}`, withPictures = true }: WriteOptions = {},
): WrittenReport {
  const document = documentOf(comparison, names, kernels, withPictures);
  if (format === 'html') return { text: toHtml(document), fileName, pictures: [] };
  const stem = fileName.replace(/\.[^.]*$/, '') || fileName;
  return { ...toMarkdown(document, (picture) => `${stem}.${picture}.svg`), fileName };
}

function documentOf(
  comparison: Comparison,
  names: { before: string; after: string },
  kernels: readonly KernelComparison[],
  withPictures: boolean,
): ReportDocument {
  const { before, after, rows } = comparison;
  const totals = rows.filter(({ kind }) => kind === 'total');
  const sections: (Section | null)[] = [
    { id: 'times', title: ['Times'], blocks: [tableOf(totals, false), ...stepsOf(comparison)] },
    sectionOf('waterfall', 'From before to after', [
      ...(withPictures ? waterfallOf(comparison) : []),
      ...contributionsOf(comparison),
    ]),
    sectionOf('changes', 'What changed', changesOf(comparison, mostRows)),
    lostSection(comparison),
    modelSection(comparison),
    ...kernels.map(kernelSection),
  ];
  return {
    title: before.title === after.title ? `${after.title}: before and after` : `${before.title} → ${after.title}`,
    subtitle: [`Simsight comparison`],
    blocks: [sidesOf(comparison, names.before, names.after), ...verdictOf(comparison)],
    sections: sections.filter((section) => section !== null),
  };
}

const sectionOf = (id: string, title: string, blocks: Block[]): Section | null =>
  blocks.length === 0 ? null : { id, title: [title], blocks };

function contributionsOf({ waterfall }: Comparison): Block[] {
  const changed = waterfall.filter(({ differenceNs }) => differenceNs !== 0);
  if (changed.length === 0) return [];
  const rest = changed.slice(mostSteps).reduce((sum, { differenceNs }) => sum + differenceNs, 0);
  const signed = (ns: number): string => `${ns > 0 ? '+' : '−'}${formatTime(Math.abs(ns))}`;
  const rows = changed
    .slice(0, mostSteps)
    .map(({ kind, name, beforeNs, afterNs, differenceNs }): Line[] => [
      ...[[formatTime(beforeNs)], [formatTime(afterNs)], [signed(differenceNs)]],
      [kind === 'kernel' ? code(shortName(name)) : name],
    ]);
  if (changed.length > mostSteps) rows.push([[''], [''], [signed(rest)], [`${changed.length - mostSteps} others`]]);
  return [
    { type: 'table', columns: [...['Before', 'After', 'Change'].map(number), { name: 'Part of the time' }], rows },
  ];
}

const number = (name: string) => ({ name, isNumber: true });

function stepsOf({ steps }: Comparison): Block[] {
  if (!steps) return [];
  const { name, before, after, noiseNs, ratio } = steps;
  const line = (title: string, of: typeof before): Line[] => [
    ...[[title], [formatTime(of.medianNs)], [formatTime(of.iqrNs)], [formatNumber(of.count)]],
  ];
  return [
    { type: 'text', line: ['Steps, ', code(name), `: ${change(ratio - 1)}, noise floor ${formatTime(noiseNs)}.`] },
    {
      type: 'table',
      columns: [{ name: 'Steps' }, ...['Median', 'IQR', 'Count'].map(number)],
      rows: [line('Before', before), line('After', after)],
    },
  ];
}

/** Without a partner, all of them. */
function lostSection({ rows }: Comparison): Section | null {
  const lost = rows.filter(({ kind, match }) => kind === 'kernel' && match === 'only');
  if (lost.length === 0) return null;
  return {
    id: 'unmatched',
    title: ['Kernels without a partner'],
    blocks: [
      {
        type: 'table',
        columns: [{ name: 'In' }, number('Time'), number('Count'), { name: 'Kernel' }],
        rows: lost.map((row) => {
          const of = row.before ? (['before', row.before] as const) : (['after', row.after!] as const);
          return [[of[0]], [formatTime(of[1].totalNs)], [formatNumber(of[1].count)], [code(row.name)]];
        }),
      },
    ],
  };
}

function modelSection({ modelError }: Comparison): Section | null {
  if (!modelError || modelError.kernels.length === 0) return null;
  const { simulated, kernels, meanError } = modelError;
  const mean = meanError === null ? '' : ` Off by ${percentOf(meanError)} on average of their time.`;
  return {
    id: 'model-error',
    title: ['Simulated and real'],
    blocks: [
      { type: 'text', line: [`The trace ${simulated} is simulated, the other one is real.${mean}`] },
      {
        type: 'table',
        columns: [...['Simulated', 'Real', 'Error', 'Of the time'].map(number), { name: 'Kernel' }],
        rows: kernels.map(({ name, simulatedNs, realNs, error, share }) => [
          ...[[formatTime(simulatedNs)], [formatTime(realNs)], [change(error)], [percentOf(share)], [code(name)]],
        ]),
      },
    ],
  };
}

function kernelSection({ before, after, metrics, stalls, lines, explanation }: KernelComparison, i: number): Section {
  const changed = metrics.filter((metric) => metric.before !== metric.after);
  const same = metrics.length - changed.length;
  const value = (of: number | null): Line => [of === null ? '–' : formatNumber(of)];
  const by = (from: number | null, to: number | null): Line => [
    from === null || to === null || from === 0 ? '' : change(to / from - 1),
  ];
  const title =
    before.name === after.name ? shortName(after.name) : `${shortName(before.name)} → ${shortName(after.name)}`;
  const points = (difference: number): string => {
    const size = Math.abs(difference).toFixed(1);
    return Number(size) === 0 ? size : `${difference > 0 ? '+' : '−'}${size}`;
  };
  return {
    id: `kernel-${i + 1}`,
    title: [title],
    blocks: [
      { type: 'list', lines: explanation.map((line): Line => [line]) },
      {
        type: 'table',
        columns: [{ name: 'Counter' }, ...['Before', 'After', 'Change'].map(number)],
        rows: changed.map((metric) => [
          ...[[code(metric.metric)], value(metric.before), value(metric.after), by(metric.before, metric.after)],
        ]),
      },
      ...(same > 0 ? [{ type: 'text' as const, line: [quiet(`${same} counters are the same.`)] }] : []),
      {
        type: 'table',
        columns: [{ name: 'Warps' }, ...['Before (%)', 'After (%)', 'Points'].map(number)],
        rows: stalls.map(({ state, beforePercent, afterPercent, difference }) => [
          ...[[state], [beforePercent.toFixed(1)], [afterPercent.toFixed(1)], [points(difference)]],
        ]),
      },
      {
        type: 'table',
        columns: [...['Line before', 'Line after', 'Before', 'After', 'Change'].map(number), { name: 'Code' }],
        rows: lines
          .slice(0, mostLines)
          .map((line) => [
            ...[[`${line.beforeLine ?? '–'}`], [`${line.afterLine ?? '–'}`]],
            ...[[formatTime(line.beforeNs)], [formatTime(line.afterNs)]],
            [
              `${line.differenceNs > 0 ? '+' : line.differenceNs < 0 ? '−' : ''}${formatTime(Math.abs(line.differenceNs))}`,
            ],
            [line.text === null ? quiet('code of no line of the program') : code(line.text)],
          ]),
      },
    ].filter((block) => !('rows' in block) || block.rows!.length > 0) as Block[],
  };
}
