/**
 * All labs at the size that people record: results, what is expected of them, what the adviser finds, and the figures that others
 * published or that were measured beside what is simulated.
 *
 *   node build/run.mjs ./test/fidelity/labs.ts [LAB…] [--write]
 *
 * First all at their usual size on the usual GPU, whose time it prints; two recordings at a time.
 *
 * `--write` puts the table of each lab into its page. Exit code 1 where a result is wrong or an expectation does not hold.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { runVariant, type LabRun } from '../../engine/cli/lab-runs.ts';
import type { Lab } from '../../engine/model/labs.ts';
import { labsFolder } from '../../engine/base/paths.ts';
import type { LabFigures } from '../../engine/labs/lab-file.ts';
import { defaultGpu } from '../../engine/gpus/index.ts';
import { labById, labFileOf, labs } from '../../engine/labs/index.ts';
import { failuresOf } from './lab-expectations.ts';

/** One line of the table: a variant on a GPU, as it was published or measured, and as it is simulated. */
interface Line {
  variant: string;
  gpu: string;
  size: string;
  figures: LabFigures | null;
  /** In the unit of the figures; ms where there are none. */
  reference: number | null;
  simulated: number;
  /** Over the first variant of these figures. */
  referenceGain: number | null;
  simulatedGain: number;
}

const { values, positionals } = parseArgs({
  options: { write: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const chosen = positionals.length > 0 ? positionals.map(labById) : labs;
const folder = mkdtempSync(join(tmpdir(), 'simsight-labs-'));
const cacheFolder = join(process.env['SIMSIGHT_HOME'] ?? join(homedir(), '.simsight'), 'cache');
const failures: string[] = [];
/** Each run once, however often it is asked for. */
const runs = new Map<string, Promise<LabRun>>();
/** Recorded at a time: one compiles while the other simulates. */
const side = 2;

interface Run {
  lab: Lab;
  variant: string;
  gpu: string;
  size: readonly string[];
}
/** Runs that users record: each variant at its usual size on the usual GPU. */
const usual = chosen.flatMap((lab) =>
  lab.variants.map(({ id }): Run => ({ lab, variant: id, gpu: defaultGpu, size: labFileOf(lab).size })),
);
try {
  const started = performance.now();
  const seconds = (): string => `${((performance.now() - started) / 1e3).toFixed(0)} s`;
  await sideBySide(usual, run);
  console.log(`${chosen.length} labs at the usual size on ${defaultGpu}: ${seconds()}.`);
  const tables = await sideBySide(chosen, async (lab) => tableOf(await linesOf(lab)));
  for (const [i, lab] of chosen.entries()) {
    const table = tables[i]!;
    if (values.write) await writeTable(lab, table);
    console.log(`\n## ${lab.title} (${lab.id})\n\n${table}`);
  }
  console.log(`\n${chosen.length} labs in ${seconds()}.`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const failure of failures) console.error(`FAILED ${failure}`);
process.exitCode = failures.length > 0 ? 1 : 0;

/** Does all, as many at a time as {@link side} says; results in their order. */
async function sideBySide<One, Result>(all: readonly One[], task: (one: One) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  const left = all.entries();
  const work = async (): Promise<void> => {
    for (const [i, one] of left) results[i] = await task(one);
  };
  await Promise.all(Array.from({ length: side }, work));
  return results;
}

function run(which: Run): Promise<LabRun> {
  const key = [which.lab.id, which.variant, which.gpu, ...which.size].join(' ');
  const known = runs.get(key) ?? recorded(which, key);
  runs.set(key, known);
  return known;
}

async function recorded({ lab, variant, gpu, size }: Run, key: string): Promise<LabRun> {
  const own = mkdtempSync(join(folder, 'run-'));
  const one = lab.variants.find(({ id }) => id === variant)!;
  const now = await runVariant(lab, one, { gpu, size, folder: own, cacheFolder });
  if (!now.correct) failures.push(`${key}: its results are wrong`);
  rmSync(own, { recursive: true });
  return now;
}

async function linesOf(lab: Lab): Promise<Line[]> {
  const file = labFileOf(lab);
  const gpus = [...new Set([defaultGpu, ...file.expect.map(({ gpu }) => gpu)])];
  const lines: Line[] = [];
  for (const gpu of gpus) {
    const all: LabRun[] = [];
    for (const { id } of lab.variants) all.push(await run({ lab, variant: id, gpu, size: file.size }));
    failures.push(...failuresOf(file, all, gpu).map((text) => `${lab.id}: ${text}`));
    lines.push(
      ...all.map((one): Line => ({
        ...{ variant: one.variant, gpu, size: file.size.join(' '), figures: null, reference: null, simulated: one.ms },
        ...{ referenceGain: null, simulatedGain: all[0]!.ms / one.ms },
      })),
    );
  }
  for (const figures of file.figures) {
    const { gpu, size, values: published } = figures;
    const first = Object.keys(published)[0]!;
    const firstMs = (await run({ lab, variant: first, gpu, size })).ms;
    for (const [variant, reference] of Object.entries(published)) {
      const { ms } = await run({ lab, variant, gpu, size });
      const gain = reference / published[first]!;
      lines.push({
        ...{ variant, gpu, size: size.join(' '), figures, reference, simulated: inUnit(figures, ms, firstMs) },
        ...{ referenceGain: isTime(figures) ? 1 / gain : gain, simulatedGain: firstMs / ms },
      });
    }
  }
  return lines;
}

function isTime({ unit }: LabFigures): boolean {
  return unit === 'ms' || unit === 'relative';
}

function inUnit({ unit, amount = NaN }: LabFigures, ms: number, firstMs: number): number {
  if (unit === 'relative') return ms / firstMs;
  return unit === 'ms' ? ms : amount / (ms * (unit === 'GB/s' ? 1e6 : 1e9));
}

/** Markdown, as it stands in the pages. */
function tableOf(lines: readonly Line[]): string {
  const figure = (value: number | null): string => (value === null ? '' : value.toPrecision(3).replace(/e\+?/, 'e'));
  const gain = (value: number | null): string => (value === null ? '' : `${value.toFixed(2)} ×`);
  const rows = lines.map(({ figures, reference, simulated, ...line }) => [
    ...[line.variant, line.gpu, line.size, figures?.unit ?? 'ms'],
    figures?.kind === 'published' ? figure(reference) : '',
    figure(simulated),
    figures?.kind === 'measured' ? figure(reference) : '',
    reference === null ? '' : `${(100 * (simulated / reference - 1)).toFixed(0)} %`,
    gain(line.referenceGain),
    gain(line.simulatedGain),
  ]);
  const head = ['variant', 'GPU', 'size', 'unit', 'published', 'simulated', 'measured', 'error', 'gain there', 'gain'];
  const rule = head.map((_, i) => (i < 4 ? '---' : '--:'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

async function writeTable(lab: Lab, table: string): Promise<void> {
  const path = join(labsFolder, lab.id, 'README.md');
  const text = readFileSync(path, 'utf8');
  const written = text.replace(/(<!-- figures -->\n)[^]*(<!-- end of figures -->)/, `$1\n${table}\n\n$2`);
  if (!/<!-- figures -->\n[^]*<!-- end of figures -->/.test(text))
    failures.push(`${path} has no place for its figures`);
  writeFileSync(path, await format(written, { ...(await resolveConfig(path)), parser: 'markdown' }));
}
