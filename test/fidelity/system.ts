/**
 * The programs of section C of the H200 reference (launches, graphs, copies, overlap, concurrent kernels, events, persistent
 * kernels, two GPUs), graphs of all kinds (S8), what calls on them cost (S9) and kernels that kernels launch (N), run as they are on the
 * simulated H200: what they measured about themselves, beside what they measured there.
 *
 *   npm run fidelity:system -- [C1 C2 C3 C4 C5 C6 C7 C8 S8 S9 N] [--json FILE]
 *
 * They repeat less often than on hardware, where nothing is random. C4 computes for minutes.
 *
 * Hardware does not always agree with itself: the programs were run again on freshly started machines. What lies within the limit
 * of what some run measured is not out, and an order that only some runs show is not wrong: both are counted as undecided.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { inNewFolder, simsight } from './programs.ts';

const programs = {
  C1: 'c_launch',
  C2: 'c_launch',
  C3: 'c_copy',
  C4: 'c_copy',
  C5: 'c_copy',
  C6: 'c_launch',
  C7: 'c_launch',
  C8: 'c_peer',
  S8: 'system',
  S9: 'system',
  N: 'nested',
} as const;
type Section = keyof typeof programs;

interface Measured {
  section: string;
  name: string;
  variant: string;
  params: Record<string, number>;
  /** Spread of its `time` on hardware, us. */
  iqr: number | null;
  /** Medians in other runs, by figure, us. */
  others?: Record<string, number[]>;
  /** Microseconds; `time` is the median of the case. */
  figures: Record<string, number>;
}

/** As the programs write it. */
interface Case extends Omit<Measured, 'figures' | 'iqr' | 'others'> {
  time_us: { median: number };
  derived: Record<string, number>;
}

/** As system.cu writes it. */
interface SystemRow {
  section: string;
  name: string;
  us: { median: number; iqr: number };
  more: Record<string, number>;
}

/** As nested.cu writes it; nothing where there is one launch only. */
interface NestedRow extends Record<string, unknown> {
  event_us: { median: number; iqr: number };
}

interface Row extends Omit<Measured, 'figures'> {
  figure: string;
  measured: number;
  simulated: number;
  error: number;
  /** Beyond the limit of all runs. */
  isOut: boolean;
}

const folder = new URL('../reference/h200/', import.meta.url);
/** Children of the largest case of nested.cu with LAB_QUICK. */
const quickest = 5000;
const read = (file: string): unknown => JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
const reference = [
  ...(read('programs.json') as Measured[]),
  ...(read('s_system.json') as SystemRow[]).flatMap(ofSystem),
  ...(read('nested.json') as NestedRow[]).flatMap(ofNested),
];
const within = 0.15;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: 'string' } } });
const sections = Object.keys(programs) as Section[];
const unknown = positionals.find((word) => !sections.includes(word as Section));
if (unknown !== undefined) {
  console.error(`There is no section ${unknown}. Sections: ${sections.join(', ')}.`);
  process.exit(2);
}

const rows = sections.filter((name) => positionals.length === 0 || positionals.includes(name)).flatMap(run);
const reversed = orderings(rows);
const wrong = reversed.filter(({ lesser, greater }) => rangeOf(lesser).most < rangeOf(greater).least);
for (const { lesser, greater } of wrong) console.log(`wrong order: ${nameOf(lesser)} < ${nameOf(greater)} on hardware`);
const undecided = reversed.length - wrong.length;
console.log(
  `all: ${countsOf(rows)}, ${wrong.length} pairs in the wrong order (${undecided} more are undecided on hardware)`,
);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ rows, wrong }, null, 1)}\n`);

function run(section: Section): Row[] {
  const suite = programs[section];
  const gpus = suite === 'c_peer' ? ['--gpus', '2xh200'] : ['--gpu', 'h200'];
  const start = performance.now();
  const cases = inNewFolder((out) => {
    const source = new URL(`cuda/${suite}.cu`, folder).pathname;
    const settings = ['--env', 'LAB_QUICK=1', '--env', `LAB_SECTION=${section}`];
    simsight(['run', source, ...gpus, '--writable', out, ...settings, '--', out]);
    const written = JSON.parse(readFileSync(join(out, `${suite}.json`), 'utf8')) as { cases: Case[] } & {
      rows: unknown;
    };
    if (suite === 'system') return (written.rows as SystemRow[]).flatMap(ofSystem);
    if (suite === 'nested') return (written.rows as NestedRow[]).flatMap(ofNested);
    return written.cases.map(({ time_us, derived, ...each }) => ({
      ...each,
      iqr: null,
      figures: { ...derived, time: time_us.median },
    }));
  });
  const compared = reference.filter((each) => each.section === section).flatMap((each) => compare(each, cases));
  console.log(`${section}: ${((performance.now() - start) / 1000).toFixed(0)} s`);
  for (const row of compared) print(row);
  const errors = compared.map(({ error }) => Math.abs(error)).sort((a, b) => a - b);
  const median = ((errors[errors.length >> 1] ?? 0) * 100).toFixed(1);
  console.log(`${section}: ${countsOf(compared)}, median error ${median} %\n`);
  return compared;
}

/** The graphs of S8, and the calls on graphs of S9. */
function ofSystem({ section, name, us, more: { nodes: _, ...figures } }: SystemRow): Measured[] {
  if (section !== 'S8' && !name.startsWith('cudaGraph')) return [];
  return [{ section, name, variant: '', params: {}, iqr: us.iqr, figures: { time: us.median, ...figures } }];
}

function ofNested({ event_us: { median, iqr }, ...row }: NestedRow): Measured[] {
  const { parent_us, first_child_start, last_child_end, between_launches, ...params } = row as Record<string, number>;
  const { tail_launches, blocks, threads, each, child_us, fire_and_forget } = params;
  const way = fire_and_forget ? 'fire_and_forget' : 'stream';
  const measured = { section: 'N', iqr };
  if (tail_launches !== undefined) {
    return [{ ...measured, name: 'tail', variant: '', params: { tail_launches }, figures: { time: median } }];
  }
  if (blocks! * threads! * each! > quickest) return [];
  const figures = { parent_us, first_child_start, last_child_end, between_launches };
  const known = Object.entries(figures).filter((entry): entry is [string, number] => entry[1] != null);
  return [
    {
      ...measured,
      name: `${blocks} blocks of ${threads} threads launch ${each} each`,
      variant: way,
      params: { child_us: child_us! },
      figures: { time: median, ...Object.fromEntries(known) },
    },
  ];
}

function compare({ figures, ...measured }: Measured, cases: Measured[]): Row[] {
  const same = cases.find(
    ({ name, variant, params }) =>
      name === measured.name &&
      variant === measured.variant &&
      Object.entries(measured.params).every(([key, value]) => params[key] === value),
  );
  if (!same) throw new Error(`The program did not run ${measured.name} ${measured.variant}.`);
  return Object.entries(figures).flatMap(([figure, value]) => {
    const simulated = same.figures[figure];
    if (simulated === undefined || value === 0) return [];
    const row = { ...measured, figure, measured: value, simulated, error: simulated / value - 1 };
    const medians = mediansOf(row);
    const isOut = simulated < (1 - within) * Math.min(...medians) || simulated > (1 + within) * Math.max(...medians);
    return [{ ...row, isOut }];
  });
}

type Figure = Pick<Row, 'figure' | 'measured' | 'iqr' | 'others'>;

/** Medians of all known runs. */
function mediansOf({ figure, measured, others }: Figure): number[] {
  return [measured, ...(others?.[figure] ?? [])];
}

/** Where hardware is half of the time, in all runs. */
function rangeOf(row: Figure): { least: number; most: number } {
  const half = row.figure === 'time' ? (row.iqr ?? 0) / 2 : 0;
  const medians = mediansOf(row);
  return { least: Math.min(...medians) - half, most: Math.max(...medians) + half };
}

function countsOf(of: readonly Row[]): string {
  const fits = of.filter(({ error }) => Math.abs(error) <= within).length;
  const out = of.filter(({ isOut }) => isOut).length;
  const rest = of.length - fits - out;
  return `${fits} of ${of.length} within 15 %${rest === 0 ? '' : `, ${rest} undecided on hardware`}`;
}

/** Variants of a benchmark that differ by more than 15 % on hardware, and the other way round here. */
function orderings(all: Row[]): { lesser: Row; greater: Row }[] {
  const groups = Map.groupBy(all, ({ section, name, figure }) => [section, name, figure].join(' '));
  return [...groups.values()].flatMap((group) =>
    group.flatMap((lesser) =>
      group
        .filter(({ measured, simulated }) => measured > lesser.measured * (1 + within) && simulated < lesser.simulated)
        .map((greater) => ({ lesser, greater })),
    ),
  );
}

function nameOf({ section, name, variant, params, figure }: Row): string {
  const sizes = Object.entries(params).map(([key, value]) => `${key}=${value}`);
  return [section, name, ...(variant ? [variant] : []), ...sizes, ...(figure === 'time' ? [] : [figure])].join(' ');
}

function print(row: Row): void {
  const column = (value: number): string => value.toFixed(2).padStart(11);
  const percent = `${(row.error * 100).toFixed(1)} %`.padStart(10);
  const spread = row.iqr === null ? '' : `  ± ${row.iqr.toFixed(2)}`;
  const mark = row.isOut ? '  out' : Math.abs(row.error) > within ? '  undecided' : '';
  console.log(`${nameOf(row).padEnd(100)}${column(row.measured)}${column(row.simulated)}${percent}${spread}${mark}`);
}
