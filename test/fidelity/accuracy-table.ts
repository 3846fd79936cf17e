/** The table of accuracy in MODEL.md: a row per set of kernels of the H200 reference. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import type { ComparedCase, Suite } from './programs.ts';
import { summarize } from './summary.ts';

const page = join(import.meta.dirname, '..', '..', 'engine', 'sm', 'MODEL.md');
const place = /(<!-- accuracy:start -->\n)[^]*(<!-- accuracy:end -->)/;

/** Rows of the table, with the suites that each is made of. */
const sets: readonly { name: string; suites: readonly Suite[] }[] = [
  { name: 'reference', suites: ['a_mem', 'b_stencil2d', 'b_mem', 'b_reduce_pipeline', 'b_gemm'] },
  { name: 'V: everyday programs, first set', suites: ['v_apps'] },
  { name: 'W: second set', suites: ['w_apps'] },
  { name: 'X: third set', suites: ['x_apps'] },
  { name: "Y: Hopper's asynchronous copies", suites: ['y_apps'] },
];
const head = [
  ...['kernels', 'number', 'mean error', 'one in ten is off by more than', 'instructions: median error', 'largest'],
  'gains from one variant to the next',
];

/** Markdown. `compared`: all cases of all suites. */
export function accuracyTable(compared: readonly ComparedCase[]): string {
  const percent = (value: number, digits = 1): string => `${(value * 100).toFixed(digits)} %`;
  const rows = sets.map(({ name, suites }) => {
    const { summary } = summarize(compared.filter(({ reference }) => suites.includes(reference.suite as Suite)));
    const { pairs, pairs_within_15_percent: within, pairs_right_direction: direction } = summary;
    return [
      ...[name, String(summary.cases), percent(summary.mape), percent(summary.p90_abs_error)],
      percent(summary.instructions_median_abs_error),
      percent(summary.instructions_largest_abs_error, 0),
      pairs === 0 ? '' : `${pairs}: ${percent(within, 0)} within 15 %, ${percent(direction, 0)} in the right direction`,
    ];
  });
  const rule = head.map((_, i) => (i === 0 || i === head.length - 1 ? '---' : '--:'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Puts the table between the markers of MODEL.md. */
export async function writeAccuracyTable(table: string): Promise<void> {
  const text = readFileSync(page, 'utf8');
  if (!place.test(text)) throw new Error(`${page} has no place for the table of accuracy.`);
  const written = text.replace(place, `$1\n${table}\n\n$2`);
  writeFileSync(page, await format(written, { ...(await resolveConfig(page)), parser: 'markdown' }));
}
