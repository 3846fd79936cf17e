/** Sums of calls and copies, as `nsys stats` has them, and what the program printed. */
import { formatNumber, formatPercent, formatTime } from '../../../model/format.ts';
import type { Trace } from '../../../trace/trace.ts';
import { num } from '../../columns.ts';
import { makeReport } from '../../reports.ts';
import { code, type Block, type Line, type Section } from '../document.ts';
import { shortened } from '../text.ts';

const mostRows = 15;
const consoleLines = { first: 15, last: 25, width: 200 } as const;
const number = (name: string) => ({ name, isNumber: true });

/** null where nothing was called. */
export function apiSection(trace: Trace): Section | null {
  const { rows } = makeReport(trace, 'cuda_api_sum');
  if (rows.length === 0) return null;
  const blocks: Block[] = [
    {
      type: 'table',
      columns: [...['Time', 'Total', 'Calls', 'Median', 'Shortest', 'Longest'].map(number), { name: 'Call' }],
      rows: rows
        .slice(0, mostRows)
        .map(([share, total, count, , median, min, max, , name]) => [
          ...[formatPercent(num(share)), formatTime(num(total)), formatNumber(num(count))].map((cell): Line => [cell]),
          ...[median, min, max].map((ns): Line => [formatTime(num(ns))]),
          [code(shortened(String(name), 110))],
        ]),
    },
  ];
  if (rows.length > mostRows) blocks.push({ type: 'text', line: [`${rows.length - mostRows} more took less time.`] });
  return { id: 'api', title: ['API calls'], blocks };
}

/** null where nothing was copied or filled. */
export function memorySection(trace: Trace): Section | null {
  const { rows } = makeReport(trace, 'cuda_gpu_mem_time_sum');
  if (rows.length === 0) return null;
  const sizes = new Map(makeReport(trace, 'cuda_gpu_mem_size_sum').rows.map((row) => [row.at(-1), num(row[0])]));
  const columns = ['Time', 'Total', 'Count', 'Median', 'Moved', 'Throughput'].map(number);
  return {
    id: 'memory',
    title: ['Copies and fills'],
    blocks: [
      {
        type: 'table',
        columns: [...columns, { name: 'Operation' }],
        rows: rows.map(([share, total, count, , median, , , , name]) => {
          const megabytes = sizes.get(name!) ?? 0;
          const speed = num(total) > 0 ? `${formatNumber((megabytes * 1e6) / num(total))} GB/s` : '';
          const cells = [formatPercent(num(share)), formatTime(num(total)), formatNumber(num(count))];
          cells.push(formatTime(num(median)), `${formatNumber(megabytes)} MB`, speed, String(name));
          return cells.map((cell): Line => [cell]);
        }),
      },
    ],
  };
}

/** The first and the last lines; null where nothing was printed. */
export function consoleSection(trace: Trace): Section | null {
  const lines = trace.console().map(({ text }) => shortened(text.replace(/\r?\n$/, ''), consoleLines.width));
  if (lines.length === 0) return null;
  const { first, last } = consoleLines;
  const left = lines.length - first - last;
  const shown = left <= 0 ? lines : [...lines.slice(0, first), `… ${left} lines left out …`, ...lines.slice(-last)];
  return { id: 'console', title: ['Console'], blocks: [{ type: 'code', text: shown.join('\n') }] };
}
