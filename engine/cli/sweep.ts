/** `simsight sweep`: one program, many parameters. */
import { basename, join, resolve } from 'node:path';
import type { SweepAxis, SweepProgress, SweepView } from '../api/types.ts';
import { SimsightError } from '../base/errors.ts';
import { defaultGpu } from '../labs/index.ts';
import { axisNames, unset, valuesOf } from '../sweep/axes.ts';
import { collectSweep } from '../sweep/collect.ts';
import { emitSweep, targets } from '../sweep/emit.ts';
import { sweepHtml } from '../sweep/html.ts';
import {
  folderNameOf,
  makeManifest,
  movedManifest,
  readManifest,
  writeManifest,
  type SweepRequest,
} from '../sweep/manifest.ts';
import { prepareSweep, runSweep } from '../sweep/run.ts';
import { sweepCsv, sweepJson, sweepText } from '../sweep/text.ts';
import { metrics, readSweep } from '../sweep/view.ts';
import { processRunner } from '../sweep/workers.ts';
import {
  choice,
  dataFolder,
  exitCodes,
  helpHint,
  parse,
  print,
  printError,
  usageError,
  type Command,
} from './command.ts';
import { extraSharedOf, programOptions, readProgram } from './program.ts';

const formats = { table: sweepText, csv: sweepCsv, json: sweepJson, html: sweepHtml };
type Format = keyof typeof formats;

const { gpus: _gpus, title: _title, ...shared } = programOptions;
const options = {
  ...shared,
  detail: { type: 'string', default: 'counters' },
  set: { type: 'string', multiple: true },
  data: { type: 'string', multiple: true },
  metric: { type: 'string', short: 'm' },
  format: { type: 'string', short: 'f', default: 'table' },
  jobs: { type: 'string', short: 'j' },
  resume: { type: 'string' },
  'retry-failed': { type: 'boolean', default: false },
  show: { type: 'string' },
  emit: { type: 'string' },
  'emit-to': { type: 'string' },
  command: { type: 'string', default: 'simsight' },
  image: { type: 'string', default: 'simsight' },
  'volume-claim': { type: 'string', default: 'simsight-sweep' },
  'volume-path': { type: 'string', default: '' },
  'run-job': { type: 'string' },
  threads: { type: 'string' },
  collect: { type: 'boolean', default: false },
} as const;
type Values = ReturnType<typeof parse<typeof options>>['values'];

const help = `usage: simsight sweep SOURCE.cu [SOURCE…] [axes] [options] [-- ARGUMENTS]
       simsight sweep --resume FOLDER | --show FOLDER
       simsight sweep SOURCE.cu … --emit slurm|kubernetes [--emit-to FOLDER]
       simsight sweep --run-job N FOLDER
       simsight sweep --collect FOLDER [FOLDER…] [-o FOLDER]

Records a program with every combination of the values given, and compares the times: a table, the best first, and a heat
map of two axes. A combination that cannot be compiled or launched is a row that says why.

  simsight sweep app.cu --gpu a100,h200 -D TILE=8,16,32
  simsight sweep app.cu --set BLOCK=64,128,256 --max-registers ${unset},32,64 -- {BLOCK} 1024

Axes: values between commas (\\, is a comma within one); "${unset}" leaves an option out
  --gpu LIST           GPUs (default ${defaultGpu}); 2xh200 is a machine with two
  -D NAME=LIST         a macro: block sizes, tile sizes; can be repeated. One value, or none, is the same for all
  --set NAME=LIST      values that {NAME} stands for, in arguments, in -D NAME=… and in --env; can be repeated
  --max-registers LIST registers per thread of kernels without __launch_bounds__, as nvcc -maxrregcount: the rest is spilled
  --carveout LIST      percent of the most shared memory that all kernels prefer over L1
  --extra-shared LIST  dynamic shared memory beside what launches ask for, in bytes (K, M): fewer blocks per SM

Options
  -m, --metric M       what is compared: ${Object.keys(metrics).join(', ')}, or the name of a kernel (default kernels: the time of
                       all of them; "kernel:duration" is a kernel of that name)
  -f, --format F       ${Object.keys(formats).join(', ')}; html is one file for a browser
  -o, --output FOLDER  where traces and results go (default: in the sweeps folder). The same command goes on with what is there
  -j, --jobs N         jobs at a time (default: as many as there are cores)
  --detail D           counters (default), sampled or full: what traces keep
  -I, --env, --host, --default-stream, --cold-start, --check, --host-work, --writable, --max-instructions, --max-seconds,
  --max-memory         as for "record", for all jobs

A sweep that was interrupted
  --resume FOLDER      do the jobs that are not done, and those that were half done
  --retry-failed       with it: those that failed as well
  --show FOLDER        only print what there is

Beyond one machine
  --emit TARGET        write the jobs for Slurm (sweep.sbatch) or Kubernetes (job.yaml), with the program, into a folder for a
                       file system that all nodes see; --jobs is how many run at a time (default 50)
  --emit-to FOLDER     that folder (default: ./NAME-ID)
  --data PATH          a file or folder that the program reads, to be copied as well; can be repeated
  --command WORDS      how nodes call Simsight (default simsight)
  --image, --volume-claim, --volume-path
                       Kubernetes: the container's image, the claim of the volume, where on it the folder lies
  --run-job N FOLDER   do job N, from 0; with -o FOLDER elsewhere. --threads N: for blocks of a large grid
  --collect FOLDER…    put the results of these folders into one (-o, default the first), and print them

Exit code: 0 when any job has a time, 1 when none has or some could not be done, 2 for a wrong command line, 130 when
interrupted: the sweep can be resumed. --run-job: 0 when there is a result, though the job failed.
`;

export const sweep: Command = {
  name: 'sweep',
  summary: 'record a program with many parameters, find the best; on one machine, Slurm or Kubernetes',
  help,
  async run(words) {
    const at = words.indexOf('--');
    const { values, positionals } = parse('sweep', at < 0 ? words : words.slice(0, at), options);
    const format = choice('sweep', 'format', values.format, Object.keys(formats) as Format[]);
    const modes = (['resume', 'show', 'emit', 'run-job'] as const).filter((name) => values[name] !== undefined);
    if (modes.length + (values.collect ? 1 : 0) > 1) {
      throw usageError(
        'sweep: --resume, --show, --emit, --run-job and --collect exclude each other.',
        helpHint('sweep'),
      );
    }
    if (values['run-job'] !== undefined) return runOne(values['run-job'], positionals, values);
    if (values.collect) return collect(positionals, values, format);
    const known = values.resume ?? values.show;
    if (known !== undefined) {
      if (positionals.length > 0 || at >= 0) {
        throw usageError('sweep: a sweep that is there has its sources and arguments.', helpHint('sweep'));
      }
      return values.show === undefined ? runAll(known, values, format) : show(known, values, format);
    }
    const request = requestFrom(values, positionals, at < 0 ? [] : words.slice(at + 1));
    if (values.emit !== undefined) return emit(values, request);
    const folder = values.output ?? join(dataFolder(), 'sweeps', folderNameOf(makeManifest('.', request)));
    prepareSweep(folder, request);
    return runAll(folder, values, format);
  },
};

function requestFrom(values: Values, positionals: string[], programArguments: string[]): SweepRequest {
  const { output: _output, gpu = defaultGpu, define = [], set = [], ...others } = values;
  const axes: SweepAxis[] = [{ kind: 'gpu', name: axisNames.gpu, values: valuesOf(gpu) }];
  const fixed: string[] = [];
  for (const macro of define) {
    const [, name, list] = /^([A-Za-z_]\w*)=(.*)$/s.exec(macro) ?? [];
    const all = valuesOf(list ?? '');
    if (name !== undefined && all.length > 1) axes.push({ kind: 'define', name, values: all });
    else fixed.push(macro.replaceAll('\\,', ','));
  }
  for (const text of set) {
    const [, name, list] = /^([A-Za-z_]\w*)=(.+)$/s.exec(text) ?? [];
    if (name === undefined) throw usageError(`sweep: --set ${text} is not NAME=VALUE,VALUE.`, helpHint('sweep'));
    axes.push({ kind: 'argument', name, values: valuesOf(list!) });
  }
  const { 'max-registers': registers, carveout, 'extra-shared': extra, ...plain } = others;
  if (registers !== undefined) axes.push({ kind: 'registers', name: axisNames.registers, values: valuesOf(registers) });
  if (carveout !== undefined) axes.push({ kind: 'carveout', name: axisNames.carveout, values: valuesOf(carveout) });
  if (extra !== undefined) {
    const bytes = valuesOf(extra).map((text) => (text === unset ? text : String(extraSharedOf('sweep', text))));
    axes.push({ kind: 'shared', name: axisNames.shared, values: bytes });
  }
  // What stands in braces is checked when its values are in place.
  const program = readProgram('sweep', { ...plain, define: fixed }, positionals, programArguments);
  const { output: _, title: __, gpu: ___, writableFolder, ...rest } = program;
  if (writableFolder !== undefined) {
    throw usageError('sweep: jobs run side by side and cannot share a folder to write to.', 'Leave out --writable.');
  }
  return { ...rest, data: values.data ?? [], axes, metric: values.metric ?? 'kernels' };
}

const countOf = (option: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 4096) return Number(text);
  throw usageError(`sweep: --${option} ${text} is not a number from 1 to 4096.`);
};

async function runAll(folder: string, values: Values, format: Format): Promise<number> {
  const jobs = countOf('jobs', values.jobs);
  const line = new SweepLine();
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt);
  try {
    const { lost } = await runSweep({
      folder,
      runner: processRunner(),
      jobs,
      cacheFolder: join(dataFolder(), 'cache'),
      retryFailed: values['retry-failed'],
      signal: interrupted.signal,
      onProgress: (progress) => line.show(progress),
    });
    line.clear();
    for (const { label, error } of lost) {
      printError(`simsight: ${label || 'the job'} could not be done: ${error.message}\n${error.remedy}\n`);
    }
    const code = show(folder, values, format);
    printError(`simsight: the sweep is in ${resolve(folder)}\n`);
    return lost.length > 0 ? exitCodes.failed : code;
  } catch (error) {
    line.clear();
    if (!(error instanceof SimsightError) || error.code !== 'cancelled') throw error;
    const { done, rows } = readSweep(folder);
    const remedy = `Go on with: simsight sweep --resume ${folder}`;
    throw new SimsightError('cancelled', `The sweep was interrupted, ${done} of ${rows.length} jobs are done.`, remedy);
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt);
  }
}

function show(folder: string, values: Values, format: Format): number {
  const view = readSweep(folder, values.metric);
  print(formats[format](view));
  return hasTime(view) ? exitCodes.ok : exitCodes.failed;
}

const hasTime = ({ rows }: SweepView): boolean => rows.some(({ ns }) => ns !== null);

function emit(values: Values, request: SweepRequest): number {
  const target = choice('sweep', 'emit', values.emit!, targets);
  const folder = values['emit-to'] ?? folderNameOf(makeManifest('.', request));
  const written = emitSweep(folder, request, {
    target,
    parallel: countOf('jobs', values.jobs) ?? 50,
    command: values.command,
    image: values.image,
    volumeClaim: values['volume-claim'],
    volumePath: values['volume-path'],
  });
  for (const path of written) print(`${path}\n`);
  const next =
    target === 'slurm' ? `cd ${folder} && sbatch ${basename(written[0]!)}` : `kubectl apply -f ${written[0]!}`;
  printError(`simsight: put ${folder} where all nodes see it, then: ${next}\n`);
  printError(`simsight: and when the jobs have run: simsight sweep --collect ${folder}\n`);
  return exitCodes.ok;
}

/** A job's result is a result though it failed: trying again would change nothing. */
async function runOne(number: string, positionals: string[], values: Values): Promise<number> {
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0)
    throw usageError('sweep: --run-job needs one folder.', helpHint('sweep'));
  if (!/^\d+$/.test(number)) throw usageError(`sweep: --run-job ${number} is not the number of a job.`);
  const { record } = await import('../recording/record.ts');
  const { runJob } = await import('../sweep/job.ts');
  const { checkFiles } = await import('../sweep/sources.ts');
  const manifest = readManifest(folder);
  checkFiles(folder, manifest.files);
  const into = values.output ?? folder;
  if (resolve(into) !== resolve(folder)) writeManifest(into, movedManifest(manifest, folder, into));
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
  const { status, error } = await runJob(
    resolve(folder),
    manifest,
    Number(number),
    {
      record,
      cacheFolder: join(dataFolder(), 'cache'),
      threads: countOf('threads', values.threads),
      signal: interrupted.signal,
    },
    resolve(into),
  );
  if (status === 'failed') printError(`simsight: job ${number} failed, which is its result: ${error!.message}\n`);
  return exitCodes.ok;
}

function collect(folders: string[], values: Values, format: Format): number {
  if (folders.length === 0) throw usageError('sweep: --collect needs the folders of a sweep.', helpHint('sweep'));
  const into = values.output ?? folders[0]!;
  const { manifest, collected, missing, damaged } = collectSweep(into, folders);
  const some = (indices: number[]): string => `${indices.slice(0, 20).join(', ')}${indices.length > 20 ? ' …' : ''}`;
  if (collected > 0) printError(`simsight: ${collected} of ${manifest.jobs.length} results were copied to ${into}\n`);
  if (missing.length > 0) printError(`simsight: ${missing.length} jobs have no result: ${some(missing)}\n`);
  if (damaged.length > 0) printError(`simsight: ${damaged.length} jobs have damaged files: ${some(damaged)}\n`);
  const code = show(into, values, format);
  return missing.length + damaged.length > 0 ? exitCodes.failed : code;
}

/** One line on stderr that is written over, where stderr is a terminal; nothing at all elsewhere. */
class SweepLine {
  private readonly active = process.stderr.isTTY === true;

  show({ total, done, failed, running }: SweepProgress): void {
    if (!this.active) return;
    const failures = failed > 0 ? `, ${failed} failed` : '';
    const text = `${done} of ${total} jobs done${failures}${running.length > 0 ? `; now ${running.join(' | ')}` : ''}`;
    printError(`\r\x1b[K${text.slice(0, (process.stderr.columns || 80) - 1)}`);
  }

  clear(): void {
    if (this.active) printError('\r\x1b[K');
  }
}
