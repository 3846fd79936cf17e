/**
 * All labs at the size that people record: results, what is expected of them, what the adviser finds, and the figures that others
 * published or that were measured beside what is simulated.
 *
 *   node build/run.mjs ./test/fidelity/labs.ts [LAB…] [--write]
 *
 * `--write` puts the table of each lab into its page. Exit code 1 where a result is wrong or an expectation does not hold.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { runVariant, type LabRun } from '../../engine/cli/lab-runs.ts';
import type { Lab } from '../../engine/api/types.ts';
import { labsFolder } from '../../engine/base/paths.ts';
import type { LabFigures } from '../../engine/labs/lab-file.ts';
import { defaultGpu, labById, labFileOf, labs } from '../../engine/labs/index.ts';
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
const started = performance.now();
try {
  const tables: string[] = [];
  for (const lab of chosen) {
    const lines = await linesOf(lab);
    tables.push(`## ${lab.title} (${lab.id})\n\n${tableOf(lines)}`);
    if (values.write) await writeTable(lab, tableOf(lines));
    console.log(`\n${tables.at(-1)}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`\n${chosen.length} labs in ${((performance.now() - started) / 1e3).toFixed(0)} s.`);
for (const failure of failures) console.error(`FAILED ${failure}`);
process.exitCode = failures.length > 0 ? 1 : 0;

async function linesOf(lab: Lab): Promise<Line[]> {
  const file = labFileOf(lab);
  const known = new Map<string, LabRun>();
  const run = async (variant: string, gpu: string, size: readonly string[]): Promise<LabRun> => {
    const key = [variant, gpu, ...size].join(' ');
    const before = known.get(key);
    if (before) return before;
    const which = lab.variants.find(({ id }) => id === variant)!;
    const now = await runVariant(lab, which, { gpu, size, folder, cacheFolder });
    if (!now.correct) failures.push(`${lab.id} ${key}: its results are wrong`);
    known.set(key, now);
    return now;
  };
  const gpus = [...new Set([defaultGpu, ...file.expect.map(({ gpu }) => gpu)])];
  const lines: Line[] = [];
  for (const gpu of gpus) {
    const runs: LabRun[] = [];
    for (const { id } of lab.variants) runs.push(await run(id, gpu, file.size));
    failures.push(...failuresOf(file, runs, gpu).map((text) => `${lab.id}: ${text}`));
    lines.push(
      ...runs.map((one): Line => ({
        ...{ variant: one.variant, gpu, size: file.size.join(' '), figures: null, reference: null, simulated: one.ms },
        ...{ referenceGain: null, simulatedGain: runs[0]!.ms / one.ms },
      })),
    );
  }
  for (const figures of file.figures) {
    const { gpu, size, values: published } = figures;
    const first = Object.keys(published)[0]!;
    const firstMs = (await run(first, gpu, size)).ms;
    for (const [variant, reference] of Object.entries(published)) {
      const { ms } = await run(variant, gpu, size);
      const gain = reference / published[first]!;
      lines.push({
        ...{ variant, gpu, size: size.join(' '), figures, reference, simulated: inUnit(figures, ms) },
        ...{ referenceGain: figures.unit === 'ms' ? 1 / gain : gain, simulatedGain: firstMs / ms },
      });
    }
  }
  return lines;
}

function inUnit({ unit, amount = NaN }: LabFigures, ms: number): number {
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
