/** Running a program, for `record`, `run` and `what-if`: its command line, what it prints, progress and Ctrl+C. */
import type { ConsoleLine, RecordProgress, RecordResult } from '../model/recording.ts';
import type { WhatIfResult } from '../model/what-if.ts';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Limit } from '../base/limits.ts';
import { isProgramFile } from '../base/program-file.ts';
import { refuseTrace } from '../base/targets.ts';
import { defaultGpu } from '../gpus/index.ts';
import { flagIds, rowOf, type FlagOption, type OptionOf, type RecordOptions } from '../model/record-options.ts';
import { formatTime } from '../model/format.ts';
import { dataFolder, helpHint, parse, printError, printOutput, printProgress, usageError } from './command.ts';
import { flagsOf, flagValue, helpOf, optionsGiven } from './option-flags.ts';

type ProgramFlag = FlagOption & OptionOf<'what-if'>;
export const programFlags = flagIds.filter((id): id is ProgramFlag => !rowOf(id).notIn?.includes('what-if'));

export const programOptions = {
  ...flagsOf(programFlags),
  gpus: { type: 'string' },
  title: { type: 'string' },
} as const;
/** Not of `what-if`, which lifts limits itself. */
export const recordingOptions = {
  ...programOptions,
  ...flagsOf(['lifted']),
  json: { type: 'boolean', default: false },
  output: { type: 'string', short: 'o' },
  force: { type: 'boolean', default: false },
} as const;
type ProgramValues = ReturnType<typeof parse<typeof programOptions>>['values'];

export const programHelp = `${helpOf(['gpu'])}
  --gpus LIST       several GPUs in one machine, up to 8: 2xh200, or h200,a100
${helpOf(programFlags.filter((id) => id !== 'gpu'))}
  -- ARGUMENTS      arguments of the program; after a linked program no dashes are needed`;

export const liftHelp = helpOf(['lifted']);

export function parseProgram(command: 'record' | 'run', words: string[]): { options: RecordOptions; json: boolean } {
  const { options, values } = parseWith(command, words, recordingOptions);
  const { json, output, force } = values;
  if (command === 'run' && (output !== undefined || options.title !== undefined || force)) {
    throw usageError('run: it keeps no trace.', 'Use "simsight record" to keep one.');
  }
  if (output !== undefined) refuseTrace(output, force);
  return { options: { ...options, output }, json };
}

export const benchOptions = {
  ...programOptions,
  output: { type: 'string', short: 'o' },
  force: { type: 'boolean', default: false },
  'warm-up': { type: 'string' },
  format: { type: 'string', short: 'f', default: 'table' },
} as const;

export function parseBench(words: string[]): { options: RecordOptions; format: string; warmUp: string | undefined } {
  const { options, values } = parseWith('bench', words, benchOptions);
  if (values.output !== undefined) refuseTrace(values.output, values.force);
  return { options: { ...options, output: values.output }, format: values.format, warmUp: values['warm-up'] };
}

export const whatIfOptions = {
  ...programOptions,
  limit: { type: 'string', multiple: true },
  fixed: { type: 'string' },
  keep: { type: 'string' },
  force: { type: 'boolean', default: false },
  format: { type: 'string', short: 'f', default: 'table' },
} as const;

export interface WhatIfWords {
  options: RecordOptions;
  limits: Limit[];
  fixed: string | undefined;
  keep: string | undefined;
  force: boolean;
  format: string;
}

export function parseWhatIf(words: string[]): WhatIfWords {
  const { options, values } = parseWith('what-if', words, whatIfOptions);
  const limits = (values.limit ?? []).map((name) => flagValue('what-if', 'lifted', name, '--limit') as Limit);
  const { fixed, keep, force, format } = values;
  return { options, limits, fixed, keep, force, format };
}

type Values<O extends typeof programOptions> = ReturnType<typeof parse<O>>['values'];

/** Where the words of a linked program begin, which is named without `--` in front of it as for other profilers: at its name; -1: nowhere. */
function programIn<O extends typeof programOptions>(words: string[], options: O): number {
  const { tokens } = parseArgs({ args: words, options, allowPositionals: true, strict: false, tokens: true });
  const first = tokens.find(({ kind }) => kind === 'positional');
  return first !== undefined && isProgramFile(words[first.index]!) ? first.index : -1;
}

/** Says which of a program's arguments look like options of Simsight. */
function hintAtOptions([program, ...words]: string[], options: typeof programOptions): void {
  const like = words.find((word) => word.startsWith('--') && word.slice(2).split('=')[0]! in options);
  if (like !== undefined)
    printError(`simsight: ${like} is an argument of ${basename(program!)}: options of Simsight come before it.\n`);
}

/**
 * Words before `--` are options of Simsight, words after it arguments of the program; so are those after the name of a linked program, unless
 * there are dashes.
 */
function parseWith<O extends typeof programOptions>(
  command: string,
  words: string[],
  all: O,
): { options: RecordOptions; values: Values<O> } {
  // nvcc has it with one dash.
  const spelled = words.map((word) => (word === '-include' ? '--pre-include' : word));
  const dashes = words.indexOf('--');
  const named = dashes < 0 ? programIn(spelled, all) : -1;
  const at = named >= 0 ? named : dashes;
  const parsed = parse(command, at < 0 ? spelled : spelled.slice(0, at), all);
  const values = parsed.values as ProgramValues;
  const others = at < 0 ? [] : words.slice(named >= 0 ? named : at + 1);
  if (named >= 0) hintAtOptions(others, all);
  // So a shell starts a linked program, by its first line: the program itself comes after the dashes as well.
  const program = parsed.positionals.length === 0 ? others.splice(0, 1) : parsed.positionals;
  const options = readProgram(command, values, program, others);
  return { options, values: parsed.values };
}

/** The options of a command that runs programs, checked. */
export function readProgram(
  command: string,
  values: ProgramValues,
  positionals: string[],
  programArguments: string[],
): RecordOptions {
  if (values.gpu !== undefined && values.gpus !== undefined) {
    throw usageError(`${command}: --gpu and --gpus cannot be used together.`, helpHint(command));
  }
  if (positionals.length === 0) throw usageError(`${command}: no source file given.`, helpHint(command));
  return {
    ...{ includeFolders: [], defines: [], environment: [] },
    ...optionsGiven(command, values),
    sources: positionals,
    gpu: values.gpus ?? values.gpu ?? defaultGpu,
    arguments: programArguments,
    title: values.title,
  };
}

/** Runs the program; `show` gets what it prints as it does. */
export async function runProgram(
  options: RecordOptions,
  keepTrace: boolean,
  show: (line: ConsoleLine) => void,
): Promise<RecordResult> {
  // Loaded when needed: the compiler is large, and `simsight --help` should not wait for it.
  const { record } = await import('../recording/record.ts');
  return await interruptible((signal, progress) =>
    record({
      ...options,
      ownFoldersOnly: true,
      readsArguments: true,
      ...folders(),
      keepTrace,
      signal,
      onProgress: (now) => {
        if (now.console.length > 0) progress.clear();
        for (const line of now.console) show(line);
        progress.show(now);
      },
    }),
  );
}

/** Runs it once for each limit; what it prints, it prints once, to stderr. */
export async function runWhatIf({ options, limits, fixed, keep, force }: WhatIfWords): Promise<WhatIfResult> {
  const { record } = await import('../recording/record.ts');
  const { whatIf } = await import('../recording/what-if.ts');
  const trace = fixed === undefined ? undefined : await (await import('./open-recording.ts')).openForCommand(fixed);
  try {
    return await interruptible((signal, progress) =>
      whatIf(
        {
          ...options,
          ...(limits.length === 0 ? {} : { limits }),
          ...(keep === undefined ? {} : { keepFolder: keep }),
          ...folders(),
          signal,
          onProgress: ({ limit, done, total, record: now }) => {
            if (limit === null && now.console.length > 0) {
              progress.clear();
              for (const { text } of now.console) printOutput('stderr', text);
            }
            progress.show({ ...now, message: `${done} of ${total}: ${limit ?? 'as it is'}: ${now.message}` });
          },
        },
        {
          record: (call) => record({ ...call, ownFoldersOnly: true, readsArguments: true }),
          replace: force,
          ...(trace ? { fixed: trace } : {}),
        },
      ),
    );
  } finally {
    trace?.close();
  }
}

const folders = (): { dataFolder: string; cacheFolder: string; recordingsFolder: string } => ({
  dataFolder: dataFolder(),
  cacheFolder: join(dataFolder(), 'cache'),
  recordingsFolder: join(dataFolder(), 'recordings'),
});

/** Until it is done or somebody presses Ctrl+C. */
export async function interruptible<T>(run: (signal: AbortSignal, progress: ProgressLine) => Promise<T>): Promise<T> {
  const progress = new ProgressLine();
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  try {
    return await run(interrupted.signal, progress);
  } finally {
    progress.clear();
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}

/** One line on stderr that is written over, where stderr is a terminal; nothing at all elsewhere. */
class ProgressLine {
  private readonly active = process.stderr.isTTY === true;
  private shown = false;

  show({ message, launches, repeated, simulatedNs, blocks, kernel }: RecordProgress): void {
    if (!this.active) return;
    const share = blocks && blocks.done > 0 ? `${Math.floor((100 * blocks.done) / blocks.total)} % of ` : '';
    const mean = kernel && kernel.launches > 0 ? `, ${formatTime(1e6 * kernel.meanMs)} each before` : '';
    const grid = kernel ? [`${share}launch ${kernel.launches + 1} of ${kernel.name}${mean}`] : [];
    const kernels = repeated > 0 ? `${launches} kernels, ${repeated} of them repeated` : `${launches} kernels`;
    const done = simulatedNs > 0 || launches > 0 ? [`${formatTime(simulatedNs)} simulated`, kernels] : [];
    const figures = done.length + grid.length > 0 ? ` (${[...done, ...grid].join(', ')})` : '';
    printProgress(`${message}${figures}`);
    this.shown = true;
  }

  clear(): void {
    if (this.shown) printProgress('');
    this.shown = false;
  }
}
