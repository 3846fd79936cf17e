/**
 * Comparison of what-if with real fixes: for pairs of programs of the H200 reference, before and after a fix (what-if/pairs.ts), how much the
 * program before it takes less without the limit that the fix lifts, how much the fixed program takes less in the simulation, and on
 * an H200.
 *
 *   npm run fidelity:what-if -- [--only TEXT] [--json FILE]
 *
 * A what-if is an upper bound: a fix does not lift a limit for nothing, and leaves some of it. Where the real gain is larger, the
 * fix does more than lift that limit.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import type { Limit } from '../../engine/base/limits.ts';
import { cases, inNewFolder, labProgramOf, simsight, type ReferenceCase } from './programs.ts';
import { measuredTime } from './summary.ts';
import { kernelPairs, labPairs, type CaseOfPair, type KernelPair, type LabPair } from './what-if/pairs.ts';

interface Row {
  name: string;
  limit: Limit;
  fix: string;
  beyond: string | null;
  /** Time before over time without the limit; over that of the fixed program, simulated and measured. */
  predicted: number;
  simulated: number;
  measured: number;
}

/** As far as times of kernels are off by themselves. */
const tolerance = 0.1;

const { values } = parseArgs({ options: { only: { type: 'string', default: '' }, json: { type: 'string' } } });
const nameOf = ({ program, before, after, limit }: KernelPair | LabPair): string => {
  const [from, to] = [before, after].map((one) => (Array.isArray(one) ? one.join(' ') : `${one.name} ${one.variant}`));
  return `${limit}: ${program} ${from} -> ${to}`;
};
const isWanted = (pair: KernelPair | LabPair): boolean => nameOf(pair).includes(values.only);

const rows = [...ofKernels(kernelPairs.filter(isWanted)), ...labPairs.filter(isWanted).map(ofLab)];
const column = (value: number): string => value.toFixed(2).padStart(11);
console.log(
  `${'limit, program, before -> after'.padEnd(110)}${['predicted', 'fix here', 'on H200'].map((name) => name.padStart(11)).join('')}${'error'.padStart(9)}`,
);
for (const row of rows) {
  const error = `${((row.predicted / row.measured - 1) * 100).toFixed(0)} %`.padStart(9);
  const below =
    row.predicted < (1 - tolerance) * row.measured ? `  below the real gain: ${row.beyond ?? 'not explained'}` : '';
  console.log(
    `${row.name.padEnd(110)}${column(row.predicted)}${column(row.simulated)}${column(row.measured)}${error}${below}`,
  );
}
const logErrors = rows.map(({ predicted, measured }) => Math.abs(Math.log(predicted / measured))).sort((a, b) => a - b);
const summary = {
  pairs: rows.length,
  rank_correlation: rankCorrelation(rows.map(({ predicted, measured }) => [predicted, measured])),
  median_log_error: logErrors[logErrors.length >> 1] ?? NaN,
  mean_log_error: logErrors.reduce((sum, error) => sum + error, 0) / rows.length,
  below_real_gain: rows.filter(({ predicted, measured }) => predicted < (1 - tolerance) * measured).length,
  rank_correlation_of_simulated_fix: rankCorrelation(rows.map(({ simulated, measured }) => [simulated, measured])),
};
console.log('');
for (const [name, value] of Object.entries(summary)) console.log(`${name.padEnd(40)} ${value}`);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ ...summary, rows }, null, 1)}\n`);

/** All cases of a program at once as they are; without a limit those that come before a fix of it. */
function ofKernels(pairs: KernelPair[]): Row[] {
  return [...Map.groupBy(pairs, ({ program }) => program)].flatMap(([program, ofProgram]) => {
    const asItIs = timesOf(program, null, new Set(ofProgram.flatMap(({ before, after }) => [before.case, after.case])));
    const byLimit = Map.groupBy(ofProgram, ({ limit }) => limit);
    const without = new Map(
      [...byLimit].map(([limit, group]) => [
        limit,
        timesOf(program, limit, new Set(group.map((one) => one.before.case))),
      ]),
    );
    return ofProgram.map((pair): Row => {
      const { before, after, limit, fix, beyond = null } = pair;
      const own = asItIs.get(before.case)!;
      return {
        name: nameOf(pair),
        limit,
        fix,
        beyond,
        predicted: own / without.get(limit)!.get(before.case)!,
        simulated: own / asItIs.get(after.case)!,
        measured: measuredOf(program, before) / measuredOf(program, after),
      };
    });
  });
}

function measuredOf(suite: string, { name, variant, params = {} }: CaseOfPair): number {
  const found = cases.filter(
    (one: ReferenceCase) =>
      one.suite === suite &&
      one.name === name &&
      one.variant === variant &&
      Object.entries(params).every(([key, value]) => one.params[key] === value),
  );
  if (found.length !== 1) throw new Error(`The reference has ${found.length} cases ${suite} ${name} ${variant}.`);
  return found[0]!.kernels.reduce((sum, _, i) => sum + (measuredTime(found[0]!, i) ?? NaN), 0);
}

/** Nanoseconds of the kernels of each case, by its name. */
function timesOf(program: string, lifted: Limit | null, names: ReadonlySet<string>): Map<string, number> {
  return inNewFolder((out) => {
    const trace = join(out, 'trace.simsight');
    const source = fileURLToPath(new URL(`what-if/${program}.cu`, import.meta.url));
    const lift = lifted === null ? [] : ['--lift', lifted];
    const words = ['record', source, '--gpu', 'h200', '--detail', 'counters', '-o', trace, ...lift, '--', ...names];
    const start = performance.now();
    const ran = [...simsight(words).matchAll(/^case (\S+)$/gm)].map(([, name]) => name!);
    const database = new Database(trace, { readonly: true });
    const kernels = database
      .prepare(
        `SELECT n.value AS name, gridX AS grid, k."end" - k.start AS time FROM CUPTI_ACTIVITY_KIND_KERNEL k
        JOIN StringIds n ON n.id = k.shortName ORDER BY k.start, k.rowid`,
      )
      .all() as { name: string; grid: number; time: number }[];
    database.close();
    const seconds = ((performance.now() - start) / 1e3).toFixed(0);
    console.error(`${program}${lifted === null ? '' : ` without ${lifted}`}: ${ran.length} cases in ${seconds} s`);
    const times = new Map(ran.map((name) => [name, 0]));
    let current: string | undefined;
    for (const { name, grid, time } of kernels) {
      if (name === 'case_marker') current = ran[grid - 1];
      else if (current !== undefined) times.set(current, times.get(current)! + time);
    }
    for (const name of names) if (!times.has(name)) throw new Error(`${program} has no case ${name}.`);
    return times;
  });
}

interface MeasuredLab {
  program: string;
  arguments: string[];
  milliseconds: { median: number };
}

/**
 * Times that the programs print. Their own clocks do not see copies that nobody waits for: there the printed time less what the
 * whole recording takes less.
 */
function ofLab(pair: LabPair): Row {
  const { program, limit, fix, beyond = null } = pair;
  const reference = JSON.parse(readFileSync(new URL('../reference/h200/labs.json', import.meta.url), 'utf8')) as {
    cases: MeasuredLab[];
  };
  const measured = (words: string[]): number =>
    reference.cases.find((one) => one.program === `${program}.cu` && one.arguments.join() === words.join())!
      .milliseconds.median;
  const [before, after] = [recordLab(program, pair.before), recordLab(program, pair.after)];
  const without = recordLab(program, pair.before, limit);
  const left = limit === 'overlap' ? before.printed - (before.total - without.total) : without.printed;
  return {
    name: nameOf(pair),
    limit,
    fix,
    beyond,
    predicted: before.printed / left,
    simulated: before.printed / after.printed,
    measured: measured(pair.before) / measured(pair.after),
  };
}

/** Milliseconds. */
function recordLab(program: string, words: string[], lifted?: Limit): { printed: number; total: number } {
  return inNewFolder((out) => {
    const trace = join(out, 'trace.simsight');
    const lift = lifted === undefined ? [] : ['--lift', lifted];
    const text = simsight(['record', labProgramOf(program), '--gpu', 'h200', '-o', trace, ...lift, '--', ...words]);
    const printed = Number(/: ([\d.]+) ms/.exec(text)?.[1]);
    const database = new Database(trace, { readonly: true });
    const ends = ['CUPTI_ACTIVITY_KIND_RUNTIME', 'CUPTI_ACTIVITY_KIND_MEMCPY', 'CUPTI_ACTIVITY_KIND_KERNEL'].map(
      (table) =>
        (database.prepare(`SELECT coalesce(max("end"), 0) AS last FROM ${table}`).get() as { last: number }).last,
    );
    database.close();
    return { printed, total: Math.max(...ends) / 1e6 };
  });
}

/** Spearman's: of the ranks, where equal values share theirs. */
function rankCorrelation(pairs: [number, number][]): number {
  const ranks = (list: number[]): number[] =>
    list.map((value) => {
      const below = list.filter((other) => other < value).length;
      const same = list.filter((other) => other === value).length;
      return below + (same - 1) / 2;
    });
  const [a, b] = [ranks(pairs.map(([x]) => x)), ranks(pairs.map(([, y]) => y))];
  const mean = (pairs.length - 1) / 2;
  const product = (x: number[], y: number[]): number =>
    x.reduce((sum, value, i) => sum + (value - mean) * (y[i]! - mean), 0);
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
}
