/** Actions of `simsight sweep`: run, show, emit, collect. */
import { basename, join, resolve } from 'node:path';
import type { SweepAxis, SweepProgress, SweepView } from '../model/sweep.ts';
import { SimsightError } from '../base/errors.ts';
import { defaultGpu } from '../gpus/index.ts';
import { axisOf, flagOf } from '../model/record-options.ts';
import { unset, valuesOf } from '../sweep/axes.ts';
import { sweepFormats, usualOptions } from '../sweep/choices.ts';
import { collectSweep } from '../sweep/collect.ts';
import { emitSweep, targets } from '../sweep/emit.ts';
import { sweepHtml } from '../sweep/html.ts';
import {
  checkSweepIn,
  folderNameOf,
  makeManifest,
  movedManifest,
  readManifest,
  writeManifest,
  type SweepRequest,
} from '../sweep/manifest.ts';
import { prepareSweep, runSweep } from '../sweep/run.ts';
import { sweepCsv, sweepJson, sweepText } from '../sweep/text.ts';
import { readSweep } from '../sweep/view.ts';
import { processRunner } from '../sweep/workers.ts';
import {
  choice,
  dataFolder,
  exitCodes,
  helpHint,
  parse,
  print,
  printError,
  printProgress,
  usageError,
} from './command.ts';
import { flagValue } from './option-flags.ts';
import { readProgram } from './program.ts';
import { axisFlags, sweepOptions } from './sweep-options.ts';

const writers: Record<Format, (view: SweepView) => string> = {
  table: sweepText,
  csv: sweepCsv,
  json: sweepJson,
  html: sweepHtml,
};
type Format = (typeof sweepFormats)[number];

type Values = ReturnType<typeof parse<typeof sweepOptions>>['values'];

export async function runSweepCommand(words: string[]): Promise<number> {
  const at = words.indexOf('--');
  const { values, positionals } = parse('sweep', at < 0 ? words : words.slice(0, at), sweepOptions);
  const format = choice('sweep', 'format', values.format, sweepFormats);
  // Said before any file is looked at.
  const jobs = countOf('jobs', values.jobs);
  const modes = (['resume', 'show', 'emit', 'run-job'] as const).filter((name) => values[name] !== undefined);
  if (modes.length + (values.collect ? 1 : 0) > 1) {
    throw usageError(
      'sweep: --resume, --show, --emit, --run-job and --collect cannot be used together.',
      helpHint('sweep'),
    );
  }
  if (values['run-job'] !== undefined) return runOne(values['run-job'], positionals, values);
  if (values.collect) return collect(positionals, values, format);
  const known = values.resume ?? values.show;
  if (known !== undefined) {
    if (positionals.length > 0 || at >= 0) {
      throw usageError('sweep: an existing sweep already has its sources and arguments.', helpHint('sweep'));
    }
    return values.show === undefined ? runAll(known, values, format, jobs) : show(known, values, format);
  }
  const request = requestFrom(values, positionals, at < 0 ? [] : words.slice(at + 1));
  if (values.emit !== undefined) return emit(values, request, jobs);
  const folder = values.output ?? join(dataFolder(), 'sweeps', folderNameOf(makeManifest('.', request)));
  prepareSweep(folder, request);
  return runAll(folder, values, format, jobs);
}

function requestFrom(values: Values, positionals: string[], programArguments: string[]): SweepRequest {
  const { gpu = defaultGpu, define = [], set = [] } = values;
  const axes: SweepAxis[] = [{ kind: 'gpu', name: axisOf('gpu').name, values: valuesOf(gpu) }];
  const fixed: string[] = [];
  for (const macro of define) {
    // One value may become several later: it is an axis as well.
    const [, name, list] = /^([A-Za-z_]\w*)=(.*)$/s.exec(macro) ?? [];
    if (name === undefined) fixed.push(macro);
    else axes.push({ kind: 'define', name, values: valuesOf(list!) });
  }
  for (const text of set) {
    const [, name, list] = /^([A-Za-z_]\w*)=(.+)$/s.exec(text) ?? [];
    if (name === undefined) throw usageError(`sweep: --set ${text} is not NAME=VALUE,VALUE.`, helpHint('sweep'));
    axes.push({ kind: 'argument', name, values: valuesOf(list!) });
  }
  const plain = { ...values, gpu: undefined, define: fixed };
  for (const id of axisFlags) {
    const { name } = flagOf(id);
    const list = plain[name];
    plain[name] = undefined;
    if (list === undefined) continue;
    const value = (text: string): string => (text === unset ? text : String(flagValue('sweep', id, text)));
    axes.push({ kind: axisOf(id).kind, name: axisOf(id).name, values: valuesOf(list).map(value) });
  }
  // Text in braces is checked once its values are filled in.
  const program = readProgram('sweep', plain, positionals, programArguments);
  const { title: _, gpu: __, writableFolder, ...rest } = program;
  if (writableFolder !== undefined) {
    throw usageError('sweep: jobs run in parallel and cannot share a writable folder.', 'Leave out --writable.');
  }
  return { ...usualOptions, ...rest, data: values.data ?? [], axes, metric: values.metric ?? 'kernels' };
}

const countOf = (option: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 4096) return Number(text);
  throw usageError(`sweep: --${option} ${text} is not a number from 1 to 4096.`);
};

async function runAll(folder: string, values: Values, format: Format, jobs?: number): Promise<number> {
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
      printError(`simsight: ${label || 'the job'} could not be run: ${error.message}\n${error.remedy}\n`);
    }
    const code = show(folder, values, format);
    printError(`simsight: the sweep is in ${resolve(folder)}\n`);
    return lost.length > 0 ? exitCodes.failed : code;
  } catch (error) {
    line.clear();
    if (!(error instanceof SimsightError) || error.code !== 'cancelled') throw error;
    const { done, rows } = readSweep(folder);
    const remedy = `Resume with: simsight sweep --resume ${folder}`;
    throw new SimsightError('cancelled', `The sweep was interrupted: ${done} of ${rows.length} jobs are done.`, remedy);
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt);
  }
}

function show(folder: string, values: Values, format: Format): number {
  const view = readSweep(folder, values.metric);
  print(writers[format](view));
  return hasTime(view) ? exitCodes.ok : exitCodes.failed;
}

const hasTime = ({ rows }: SweepView): boolean => rows.some(({ ns }) => ns !== null);

function emit(values: Values, request: SweepRequest, jobs = 50): number {
  const target = choice('sweep', 'emit', values.emit!, targets);
  const folder = values['emit-to'] ?? folderNameOf(makeManifest('.', request));
  const written = emitSweep(folder, request, {
    target,
    parallel: jobs,
    command: values.command,
    image: values.image,
    volumeClaim: values['volume-claim'],
    volumePath: values['volume-path'],
  });
  for (const path of written) print(`${path}\n`);
  const next =
    target === 'slurm' ? `cd ${folder} && sbatch ${basename(written[0]!)}` : `kubectl apply -f ${written[0]!}`;
  printError(`simsight: put ${folder} on a file system that all nodes share, then run: ${next}\n`);
  printError(`simsight: when the jobs have finished, run: simsight sweep --collect ${folder}\n`);
  return exitCodes.ok;
}

/** A job's result is a result though it failed: trying again would change nothing. */
async function runOne(number: string, positionals: string[], values: Values): Promise<number> {
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0)
    throw usageError('sweep: --run-job requires one folder.', helpHint('sweep'));
  if (!/^\d+$/.test(number)) throw usageError(`sweep: --run-job ${number} is not a job number.`);
  const { record } = await import('../recording/record.ts');
  const { runJob } = await import('../sweep/job.ts');
  const { checkFiles } = await import('../sweep/sources.ts');
  const manifest = readManifest(folder);
  checkFiles(folder, manifest.files);
  const into = values.output ?? folder;
  if (resolve(into) !== resolve(folder)) {
    checkSweepIn(into, manifest, 'Choose another folder with --output.');
    writeManifest(into, movedManifest(manifest, folder, into));
  }
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
  if (status === 'failed')
    printError(`simsight: job ${number} failed, and its result records that: ${error!.message}\n`);
  return exitCodes.ok;
}

function collect(folders: string[], values: Values, format: Format): number {
  if (folders.length === 0) throw usageError('sweep: --collect requires the folders of a sweep.', helpHint('sweep'));
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
    printProgress(text);
  }

  clear(): void {
    if (this.active) printProgress('');
  }
}
