import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { RecordProgress } from '../model/recording.ts';
import type { ReportTable } from '../model/tables.ts';
import { formatReport, toText } from '../analysis/formats.ts';
import { defaultGpu, gpuById, gpus } from '../gpus/index.ts';
import { labById, labFileOf, labs } from '../labs/index.ts';
import { dataFolder, exitCodes, parse, print, usageError, type Command } from './command.ts';
import { runVariant, variantsOf, type LabRun } from './lab-runs.ts';
import { interruptible } from './program.ts';

const options = {
  gpu: { type: 'string', default: defaultGpu },
  small: { type: 'boolean', default: false },
  output: { type: 'string', short: 'o' },
  json: { type: 'boolean', default: false },
} as const;

export const lab: Command = {
  name: 'lab',
  options,
  values: { gpu: gpus.map(({ id }) => id) },
  help: `usage: simsight lab [--json]
       simsight lab LAB [VARIANT…] [options]

Without LAB, lists the examples that come with Simsight. With LAB, records its variants, or those named, and prints their
times, their gains over the first, whether their results are correct, and the adviser's findings.

  --gpu ID          GPU to simulate (default ${defaultGpu}); "simsight gpus" lists all
  --small           a small problem size: takes seconds, but gains differ from those on the lab's page
  -o, --output DIR  folder for the traces (default: labs/ in Simsight's data folder)
  --json            the same as JSON

Exit code: 0, or 1 if a result is wrong.
`,
  async run(words) {
    const { values, positionals } = parse('lab', words, options);
    const [name, ...names] = positionals;
    if (name === undefined) {
      if (values.small || values.output !== undefined)
        throw usageError('lab: no lab given.', `"simsight lab" lists them.`);
      print(values.json ? formatReport(list(), 'json') : toText(list().columns, list().rows));
      return exitCodes.ok;
    }
    const chosen = labById(name);
    const variants = variantsOf(chosen, names);
    const gpu = gpuById(values.gpu);
    const folder = values.output === undefined ? join(dataFolder(), 'labs') : resolve(values.output);
    mkdirSync(folder, { recursive: true });
    const { small, size } = labFileOf(chosen);
    const runs: LabRun[] = [];
    await interruptible(async (signal, progress) => {
      for (const [i, variant] of variants.entries()) {
        const onProgress = (now: RecordProgress): void =>
          progress.show({ ...now, message: `${i + 1} of ${variants.length}, ${variant.title}: ${now.message}` });
        runs.push(
          await runVariant(chosen, variant, {
            ...{ gpu: gpu.id, size: values.small ? small : size, folder, signal, onProgress },
            cacheFolder: join(dataFolder(), 'cache'),
          }),
        );
      }
    });
    print(values.json ? `${JSON.stringify({ lab: chosen.id, gpu: gpu.id, runs }, null, 2)}\n` : tableOf(runs));
    return runs.every(({ correct }) => correct) ? exitCodes.ok : exitCodes.failed;
  },
};

const list = (): ReportTable => ({
  report: 'labs',
  title: 'Labs',
  columns: ['Lab', 'Group', 'Title', 'Variants'].map((name) => ({ name, type: 'text' })),
  rows: labs.map(({ id, group, title, variants }) => [id, group, title, variants.map((each) => each.id).join(' ')]),
});

function tableOf(runs: readonly LabRun[]): string {
  const rows = runs.map((run) => [
    run.variant,
    run.title,
    run.ms * 1e3,
    `${(runs[0]!.ms / run.ms).toFixed(2)}×`,
    run.correct ? 'correct' : 'WRONG',
    run.findings.join(', '),
  ]);
  const text = toText(
    [
      { name: 'Variant', type: 'text' },
      { name: 'Title', type: 'text' },
      { name: 'Time (µs)', type: 'number' },
      { name: 'Speed-up', type: 'text' },
      { name: 'Results', type: 'text' },
      { name: 'Findings', type: 'text' },
    ],
    rows,
  );
  return `${text}\n${runs.map(({ path }) => path).join('\n')}\n`;
}
