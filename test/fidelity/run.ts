/**
 * Simulated against measured for every case of the H200 reference: durations, executed instructions, registers, sectors,
 * and the gain from one variant of a program to another.
 *
 *   npm run fidelity -- [SUITE…] [--only TEXT] [--subset] [--json FILE] [--svg FILE] [--write-table]
 *
 * Suites: b_stencil2d b_mem b_reduce_pipeline a_mem b_gemm v_apps w_apps x_apps y_apps, and a_micro: what kernels read from the clock.
 * `--only` takes cases whose section/name/variant contains TEXT.
 * `--subset` takes the cases that every test run checks (subset.ts), and with `--json` writes what it checks them against.
 * `--write-table` puts the figures of all suites into the table of MODEL.md.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runSuite, suites, type ComparedCase, type Suite } from './programs.ts';
import { accuracyTable, writeAccuracyTable } from './accuracy-table.ts';
import { chart } from './chart.ts';
import { judged, runMicro, unlike } from './micro.ts';
import { subset } from './subset.ts';
import { summarize, type CaseRow, type PairRow } from './summary.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    subset: { type: 'boolean' },
    json: { type: 'string' },
    svg: { type: 'string' },
    'write-table': { type: 'boolean', default: false },
  },
});
const names = Object.keys(suites) as Suite[];
const micro = 'a_micro';
const unknown = positionals.find((word) => ![...names, micro].includes(word));
if (unknown !== undefined) {
  console.error(`There is no suite ${unknown}. Suites: ${[...names, micro].join(', ')}.`);
  process.exit(2);
}
if (values['write-table'] && (positionals.length > 0 || values.subset === true || values.only !== undefined)) {
  console.error('The table of MODEL.md has all suites: leave SUITE, --only and --subset out with --write-table.');
  process.exit(2);
}

const chosen = names.filter((name) => positionals.length === 0 || positionals.includes(name));
const runs = values.subset === true ? subset : chosen.map((suite): [Suite, string?] => [suite, values.only]);
const all: ComparedCase[] = [];
for (const [suite, only] of runs) {
  const start = performance.now();
  const { compared, missing } = runSuite(suite, only);
  all.push(...compared);
  console.log(`${suite}: ${compared.length} cases in ${((performance.now() - start) / 1000).toFixed(0)} s`);
  const left = missing.map(({ name, variant, params }) => `${name} ${variant} ${JSON.stringify(params)}`);
  if (left.length > 0)
    console.log(`  not simulated (sizes, or library kernels): ${left.length}\n    ${left.join('\n    ')}`);
}

const { cases, pairs, summary } = summarize(all);
const percent = (value: number | null): string => (value === null ? '' : `${(value * 100).toFixed(1)} %`).padStart(9);
const count = (value: number | null): string => (value === null ? '' : value.toFixed(1)).padStart(11);
console.log(
  `\n${'case'.padEnd(72)}${'measured us'.padStart(12)}${'simulated'.padStart(11)}${'error'.padStart(9)}   ${'instr/warp'.padStart(11)}${'simulated'.padStart(11)}${'error'.padStart(9)}  registers`,
);
for (const row of cases) console.log(line(row));
console.log(`\n${'pair'.padEnd(100)}${'measured'.padStart(9)}${'simulated'.padStart(10)}${'error'.padStart(9)}`);
for (const row of pairs) console.log(pairLine(row));
const clocks =
  values.subset !== true && (positionals.length === 0 || positionals.includes(micro))
    ? (['A1', 'A2'] as const).flatMap((section) => runMicro(section, 4, 24, 256))
    : [];
if (clocks.length > 0)
  console.log(
    `\n${'microbenchmark'.padEnd(72)}${'measured'.padStart(12)}${'simulated'.padStart(11)}${'error'.padStart(9)}`,
  );
for (const { section, variant, params, measured, simulated, error } of clocks) {
  const name = [section, variant, ...Object.entries(params).map(([key, value]) => `${key}=${value}`)].join(' ');
  console.log(
    `${name.padEnd(72)}${measured.toFixed(2).padStart(12)}${simulated.toFixed(2).padStart(11)}${percent(error)}`,
  );
}
for (const { rows, reason } of clocks.length > 0 ? unlike : []) console.log(`  not judged: ${rows.source}: ${reason}`);
const largest = (section: string): number | null =>
  judged(clocks)
    .filter((row) => row.section === section)
    .reduce<number | null>((most, { error }) => Math.max(most ?? 0, Math.abs(error)), null);
const figures = {
  ...summary,
  latencies_largest_abs_error: largest('A1'),
  throughputs_largest_abs_error: largest('A2'),
};
console.log('');
for (const [name, value] of Object.entries(figures)) console.log(`${name.padEnd(40)} ${value}`);
if (values.svg !== undefined) {
  const bySuite = Map.groupBy(all, ({ reference }) => reference.suite);
  const rows = new Map([...bySuite].map(([suite, compared]) => [suite, summarize(compared).cases]));
  writeFileSync(values.svg, chart(rows, summary));
}
if (values['write-table']) await writeAccuracyTable(accuracyTable(all));
if (values.json !== undefined)
  writeFileSync(values.json, `${JSON.stringify({ ...figures, cases, pairs, clocks }, null, 1)}\n`);

function line({ name, measured, simulated, error, instructions, registers }: CaseRow): string {
  const times =
    measured === null || simulated === null
      ? ''.padStart(32)
      : `${(measured / 1e3).toFixed(2).padStart(12)}${(simulated / 1e3).toFixed(2).padStart(11)}${percent(error)}`;
  const counts = `${count(instructions.measured)}${count(instructions.simulated)}${percent(instructions.error)}`;
  return `${name.padEnd(72)}${times}   ${counts}  ${registers.simulated} (${registers.measured})`;
}

function pairLine({ name, measured, simulated, error }: PairRow): string {
  return `${name.padEnd(100)}${measured.toFixed(2).padStart(9)}${simulated.toFixed(2).padStart(10)}${percent(error)}`;
}
