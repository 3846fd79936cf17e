/** Running a program, for `record`, `run` and `what-if`: its command line, what it prints, progress and Ctrl+C. */
import { defaultStreams, type DefaultStream } from '../model/record-options.ts';
import type { ConsoleLine, RecordProgress, RecordResult } from '../model/recording.ts';
import type { WhatIfResult } from '../model/what-if.ts';
import { join } from 'node:path';
import { limitIds, type Limit } from '../base/limits.ts';
import { refuseTrace } from '../base/targets.ts';
import { gpus } from '../gpus/index.ts';
import { defaultGpu } from '../labs/index.ts';
import { details, type Detail } from '../model/detail.ts';
import { checks, type Check } from '../model/execution.ts';
import { defaultHost, hostProfiles } from '../system/index.ts';
import { formatTime } from '../trace/units.ts';
import { dataFolder, helpHint, parse, printOutput, printProgress, usageError } from './command.ts';
import { openForCommand } from './open-recording.ts';

export interface ProgramOptions {
  sources: string[];
  /** One GPU, or a list as `gpusById` takes it. */
  gpu: string;
  includeFolders: string[];
  defines: string[];
  defaultStream?: DefaultStream;
  environment: string[];
  arguments: string[];
  writableFolder?: string;
  output: string | undefined;
  title: string | undefined;
  coldStart: boolean;
  hostProfile?: string;
  detail: Detail;
  lifted?: Limit;
  checks: Check[];
  maxInstructions?: number;
  maxSeconds?: number;
  maxMemoryBytes?: number;
  hostRate?: number;
  maxRegisters?: number;
  carveout?: number;
  extraSharedBytes?: number;
}

export const programOptions = {
  gpu: { type: 'string' },
  gpus: { type: 'string' },
  include: { type: 'string', short: 'I', multiple: true },
  define: { type: 'string', short: 'D', multiple: true },
  'default-stream': { type: 'string' },
  env: { type: 'string', multiple: true },
  writable: { type: 'string' },
  title: { type: 'string' },
  host: { type: 'string' },
  'cold-start': { type: 'boolean', default: false },
  detail: { type: 'string', default: 'sampled' },
  check: { type: 'string', multiple: true },
  'max-instructions': { type: 'string' },
  'max-seconds': { type: 'string' },
  'max-memory': { type: 'string' },
  'host-work': { type: 'string' },
  'max-registers': { type: 'string' },
  carveout: { type: 'string' },
  'extra-shared': { type: 'string' },
} as const;
/** Not of `what-if`, which lifts limits itself. */
export const recordingOptions = {
  ...programOptions,
  json: { type: 'boolean', default: false },
  output: { type: 'string', short: 'o' },
  force: { type: 'boolean', default: false },
  lift: { type: 'string' },
} as const;
type ProgramValues = ReturnType<typeof parse<typeof programOptions>>['values'];

/** What completion offers after an option. */
export const programValues: Readonly<Record<string, readonly string[]>> = {
  gpu: gpus.map(({ id }) => id),
  'default-stream': defaultStreams,
  host: hostProfiles.map(({ id }) => id),
  detail: details,
  check: checks,
  lift: limitIds,
};

export const programHelp = `  --gpu ID          the GPU to simulate (default ${defaultGpu}); "simsight gpus" lists them
  --gpus LIST       several GPUs in one machine, up to 8: 2xh200, or h200,a100
  -I DIR            folder to search for included files; can be repeated. Sources include files of their own folder and of these
  -D NAME[=VALUE]   macro for the compiler; can be repeated
  --default-stream legacy|per-thread
                    what stream 0 is, as for nvcc: one for all host threads (default), or one for each
  --env NAME=VALUE  environment variable of the program; can be repeated
  --writable DIR    a folder that the program may write to, none of Simsight's own; it can read the source's folder in any case
  --host NAME       what API calls cost: ${hostProfiles.map(({ id }) => id).join(', ')} (default ${defaultHost.id})
  --cold-start      include what a fresh process pays once: creating the context, loading kernels
  --detail full     simulate all blocks that an SM gets, not a sample of them: slower, and nothing of it is extrapolated
  --detail counters keep what kernels counted, line by line, but not what each warp did nor single accesses: a smaller file
  --check NAME      racecheck: report races on shared memory; can be repeated. memcheck and synccheck are always on
  --host-work N     let time pass for the program's own work on the CPU, N operations per nanosecond; else it takes none
  --max-instructions N, --max-seconds S, --max-memory BYTES
                    stop the program when its kernels have executed so many warp instructions, after so much time, or
                    when it allocates more device memory (K, M, G: powers of 1024)
  --max-registers N registers per thread that kernels without __launch_bounds__ may have, as nvcc -maxrregcount
  --carveout P      percent of the most shared memory that all kernels prefer over L1, whatever they ask for themselves
  --extra-shared B  dynamic shared memory that every launch gets beside what it asks for (K, M): fewer blocks per SM
  -- ARGUMENTS      arguments of the program`;

export const liftHelp = `  --lift NAME       a what-if: times as they would be without a limit; "simsight what-if" compares all of them.
                    ${limitIds.slice(0, 5).join(', ')},
                    ${limitIds.slice(5).join(', ')}`;

export function limitNamed(command: string, option: string, name: string): Limit {
  const limit = limitIds.find((one) => one === name);
  if (limit !== undefined) return limit;
  throw usageError(`${command}: --${option} ${name} is no limit.`, `There are ${limitIds.join(', ')}.`);
}

export function parseProgram(command: 'record' | 'run', words: string[]): { options: ProgramOptions; json: boolean } {
  const { options, values } = parseWith(command, words, recordingOptions);
  const { json, lift, output, force } = values;
  if (command === 'run' && (output !== undefined || options.title !== undefined || force)) {
    throw usageError('run: it keeps no trace.', 'Use "simsight record" for one.');
  }
  if (output !== undefined) refuseTrace(output, force);
  const lifted = lift === undefined ? {} : { lifted: limitNamed(command, 'lift', lift) };
  return { options: { ...options, output, ...lifted }, json };
}

export const benchOptions = {
  ...programOptions,
  output: { type: 'string', short: 'o' },
  force: { type: 'boolean', default: false },
  'warm-up': { type: 'string' },
  format: { type: 'string', short: 'f', default: 'table' },
} as const;

export function parseBench(words: string[]): { options: ProgramOptions; format: string; warmUp: string | undefined } {
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
  options: ProgramOptions;
  limits: Limit[];
  fixed: string | undefined;
  keep: string | undefined;
  force: boolean;
  format: string;
}

export function parseWhatIf(words: string[]): WhatIfWords {
  const { options, values } = parseWith('what-if', words, whatIfOptions);
  const limits = (values.limit ?? []).map((name) => limitNamed('what-if', 'limit', name));
  const { fixed, keep, force, format } = values;
  return { options, limits, fixed, keep, force, format };
}

type Values<O extends typeof programOptions> = ReturnType<typeof parse<O>>['values'];

/** What stands before `--` is ours, what stands after it is the program's. */
function parseWith<O extends typeof programOptions>(
  command: string,
  words: string[],
  all: O,
): { options: ProgramOptions; values: Values<O> } {
  const at = words.indexOf('--');
  const own = at < 0 ? words : words.slice(0, at);
  const parsed = parse(command, own, all);
  const values = parsed.values as ProgramValues;
  const options = readProgram(command, values, parsed.positionals, at < 0 ? [] : words.slice(at + 1));
  return { options, values: parsed.values };
}

/** The options of a command that runs programs, checked. */
export function readProgram(
  command: string,
  values: ProgramValues,
  positionals: string[],
  programArguments: string[],
): ProgramOptions {
  const { title, include = [], define = [], env = [], check = [] } = values;
  if (values.gpu !== undefined && values.gpus !== undefined) {
    throw usageError(`${command}: --gpu and --gpus are given, and one of them is enough.`, helpHint(command));
  }
  if (positionals.length === 0) throw usageError(`${command}: no source file is given.`, helpHint(command));
  for (const variable of env) {
    if (!/^[^=]+=/.test(variable)) throw usageError(`${command}: --env ${variable} is not NAME=VALUE.`);
  }
  for (const macro of define) {
    if (!/^[A-Za-z_]\w*(\([^)]*\))?(=|$)/.test(macro)) {
      throw usageError(`${command}: -D ${macro} is not NAME or NAME=VALUE.`);
    }
  }
  for (const name of check) {
    if (!(checks as readonly string[]).includes(name))
      throw usageError(`${command}: there is no check "${name}".`, `There are ${checks.join(', ')}.`);
  }
  const detail = details.find((one) => one === values.detail);
  if (detail === undefined)
    throw usageError(`${command}: --detail ${values.detail} is not one of ${details.join(', ')}.`);
  const defaultStream = defaultStreams.find((one) => one === values['default-stream']);
  if (values['default-stream'] !== undefined && defaultStream === undefined) {
    throw usageError(
      `${command}: --default-stream ${values['default-stream']} is not one of ${defaultStreams.join(', ')}.`,
    );
  }
  const hostRate = values['host-work'] === undefined ? undefined : Number(values['host-work']);
  if (hostRate !== undefined && !(hostRate > 0 && hostRate < Infinity))
    throw usageError(`${command}: --host-work ${values['host-work']} is not a positive number.`);
  const limit = (name: 'max-instructions' | 'max-seconds' | 'max-memory'): number | undefined => {
    const text = values[name];
    if (text === undefined) return undefined;
    const value = bytesOf(text);
    if (!(value > 0) || (/[KMG]$/i.test(text) && name !== 'max-memory'))
      throw usageError(`${command}: --${name} ${text} is not a positive number.`);
    return value;
  };
  const [maxInstructions, maxSeconds, maxMemoryBytes] = [
    limit('max-instructions'),
    limit('max-seconds'),
    limit('max-memory'),
  ];
  return {
    checks: check as Check[],
    ...(maxInstructions === undefined ? {} : { maxInstructions }),
    ...(maxSeconds === undefined ? {} : { maxSeconds }),
    ...(maxMemoryBytes === undefined ? {} : { maxMemoryBytes }),
    ...(hostRate === undefined ? {} : { hostRate }),
    ...(values['max-registers'] === undefined ? {} : { maxRegisters: registersOf(command, values['max-registers']) }),
    ...(values.carveout === undefined ? {} : { carveout: carveoutOf(command, values.carveout) }),
    ...(values['extra-shared'] === undefined
      ? {}
      : { extraSharedBytes: extraSharedOf(command, values['extra-shared']) }),
    sources: positionals,
    gpu: values.gpus ?? values.gpu ?? defaultGpu,
    includeFolders: include,
    defines: define,
    ...(defaultStream === undefined ? {} : { defaultStream }),
    environment: env,
    arguments: programArguments,
    ...(values.writable === undefined ? {} : { writableFolder: values.writable }),
    output: undefined,
    title,
    coldStart: values['cold-start'],
    ...(values.host === undefined ? {} : { hostProfile: values.host }),
    detail,
  };
}

/** `48K`, with powers of 1024; NaN where it is none. */
function bytesOf(text: string): number {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?(?:e\d+)?)([KMG]?)$/i.exec(text) ?? [];
  return digits === undefined ? NaN : Number(digits) * 1024 ** ' KMG'.indexOf(unit.toUpperCase() || ' ');
}

export function registersOf(command: string, text: string): number {
  if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 255) return Number(text);
  throw usageError(`${command}: --max-registers ${text} is no number of registers.`, 'A thread has 1 to 255.');
}

export function carveoutOf(command: string, text: string): number {
  if (/^\d+$/.test(text) && Number(text) <= 100) return Number(text);
  throw usageError(`${command}: --carveout ${text} is no percentage.`, 'It can be 0 to 100.');
}

export function extraSharedOf(command: string, text: string): number {
  const bytes = bytesOf(text);
  if (Number.isInteger(bytes) && bytes <= 2 ** 30) return bytes;
  throw usageError(`${command}: --extra-shared ${text} is no number of bytes.`, 'Write 8192, or 8K.');
}

/** Runs the program; `show` gets what it prints as it does. */
export async function runProgram(
  options: ProgramOptions,
  keepTrace: boolean,
  show: (line: ConsoleLine) => void,
): Promise<RecordResult> {
  // Loaded when needed: the compiler is large, and `simsight --help` should not wait for it.
  const { record } = await import('../recording/record.ts');
  const { output, title, ...program } = options;
  return await interruptible((signal, progress) =>
    record({
      ...program,
      ownFoldersOnly: true,
      ...(output === undefined ? {} : { output }),
      ...(title === undefined ? {} : { title }),
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
  const { output: _, title, ...program } = options;
  const trace = fixed === undefined ? undefined : await openForCommand(fixed);
  try {
    return await interruptible((signal, progress) =>
      whatIf(
        {
          ...program,
          ...(title === undefined ? {} : { title }),
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
          record: (call) => record({ ...call, ownFoldersOnly: true }),
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

  show({ message, kernels, simulatedNs, blocks }: RecordProgress): void {
    if (!this.active) return;
    const grid = blocks && blocks.done > 0 ? [`${Math.floor((100 * blocks.done) / blocks.total)} % of a grid`] : [];
    const done = simulatedNs > 0 ? [`${formatTime(simulatedNs)} simulated`, `${kernels} kernels`] : [];
    const figures = done.length + grid.length > 0 ? ` (${[...done, ...grid].join(', ')})` : '';
    printProgress(`${message}${figures}`);
    this.shown = true;
  }

  clear(): void {
    if (this.shown) printProgress('');
    this.shown = false;
  }
}
