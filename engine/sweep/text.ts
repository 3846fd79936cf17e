/** A sweep as text: the table of its jobs, and a heat map where two axes vary; CSV and JSON for other programs. */
import type { CellType } from '../model/tables.ts';
import type { SweepAxis, SweepRow, SweepView } from '../model/sweep.ts';
import { csvLine, toText } from '../analysis/formats.ts';
import { harmlessLines } from '../base/harmless.ts';
import { formatTime } from '../model/format.ts';
import { heatMapOf, pairsOf, shadeOf, varied } from '../model/sweep-heat-map.ts';

/** From the best to the worst: the more ink, the slower. */
const shades = [' ', '░', '▒', '▓', '█'];

export function sweepText(result: SweepView): string {
  const view = harmlessLines(result);
  const { axes, rows, title, metricTitle, done, failed, missing } = view;
  const fixed = axes.filter(({ values }) => values.length === 1).map(({ name, values }) => `${name} = ${values[0]!}`);
  const counts = [`${done} done`, failed > 0 ? `${failed} failed` : '', missing > 0 ? `${missing} missing` : ''];
  const head = ` ** Sweep: ${[title, ...fixed].join(', ')}; ${metricTitle}; ${counts.filter(Boolean).join(', ')}\n\n`;
  const isNumeric = ({ values }: SweepAxis): boolean => values.every((value) => Number.isFinite(Number(value)));
  const shown = varied(axes);
  const hasErrors = rows.some(({ status }) => status !== 'done');
  const column = (name: string, type: CellType = 'integer') => ({ name, type });
  const columns = [
    column('', 'text'),
    ...shown.map((i) => column(axes[i]!.name, isNumeric(axes[i]!) ? 'integer' : 'text')),
    column('Time'),
    column('To best'),
    column('Registers'),
    column('Occupancy'),
    ...(hasErrors ? [column('', 'text')] : []),
  ];
  const cells = rows.map((row) => [
    row.ratio === 1 ? '*' : '',
    ...shown.map((i) => row.point[i]!),
    row.ns === null ? '-' : formatTime(row.ns),
    row.ratio === null ? '-' : `${row.ratio.toFixed(2)}x`,
    row.registers === null ? '' : String(row.registers),
    row.occupancy === null ? '' : `${Math.round(row.occupancy)} %`,
    ...(hasErrors ? [shortened(remarkOf(row))] : []),
  ]);
  return `${head}${toText(columns, cells)}${shown.length === 2 ? `\n${heatMapText(view)}` : ''}`;
}

/** CSV, JSON and HTML have all of it. */
const shortened = (text: string): string => (text.length > 72 ? `${text.slice(0, 71)}…` : text);

/** Reason why there is no time. */
export function remarkOf({ status, error, ns }: SweepRow): string {
  if (status === 'missing') return error ?? 'not run yet';
  if (status === 'failed') return (error ?? 'failed').split('\n')[0]!;
  return ns === null ? 'no such kernel ran' : '';
}

function heatMapText(view: SweepView): string {
  const { axes } = view;
  const [pair] = pairsOf(view);
  const { across, down, facets } = heatMapOf(view, ...pair!);
  const shade = shadeOf(view);
  const text = (row: SweepRow | null): string => {
    if (row?.ns == null) return row?.status === 'failed' ? 'failed' : '-';
    const mark = row.ratio === 1 ? '*' : ' ';
    return `${mark}${formatTime(row.ns)} ${shades[Math.round(shade(row)! * (shades.length - 1))]!.repeat(2)}`;
  };
  const columns = [
    { name: `${axes[down]!.name} \\ ${axes[across]!.name}`, type: 'integer' as const },
    ...axes[across]!.values.map((name) => ({ name, type: 'integer' as const })),
  ];
  const table = facets[0]!.cells.map((line, i) => [axes[down]!.values[i]!, ...line.map(text)]);
  return toText(columns, table);
}

/** A line for each job; times are nanoseconds. */
export function sweepCsv({ axes, rows }: SweepView): string {
  const head = [
    ...axes.map(({ name }) => name),
    'Time (ns)',
    'To best',
    'Duration (ns)',
    'GPU busy (ns)',
    'Kernels (ns)',
  ];
  const more = ['Registers', 'Occupancy (%)', 'Status', 'Error', 'Id'];
  const cell = (value: number | null): string => (value === null ? '' : String(Number(value.toFixed(4))));
  const lines = rows.map((row) => [
    ...row.point,
    ...[row.ns, row.ratio, row.durationNs, row.gpuBusyNs, row.kernelNs, row.registers, row.occupancy].map(cell),
    ...[row.status, row.error ?? '', row.id],
  ]);
  return [[...head, ...more], ...lines].map(csvLine).join('');
}

export const sweepJson = (view: SweepView): string => `${JSON.stringify(view, null, 2)}\n`;
