/** What a command of `simsight` is, and what they share: arguments, usage errors, folders. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { SimsightError } from '../base/errors.ts';

/** One file per command in this folder, and one line in the list of `main.ts`. */
export interface Command {
  name: string;
  /** One line for `simsight --help`. */
  summary: string;
  /** What `simsight NAME --help` prints. */
  help: string;
  /** Gets the words after the command's name; gives the exit code. Prints its result, and nothing else, on stdout. */
  run(words: string[]): Promise<number> | number;
}

/**
 * Exit codes: stable, scripts rely on them. `run` and `record` give the program's own code when it ran; `compare --fail-over` says by its own
 * that something got slower, or that nobody can tell.
 */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  regression: 3,
  inconclusive: 4,
  cancelled: 130,
  aborted: 134,
} as const;

export const usageError = (message: string, remedy = ''): SimsightError => new SimsightError('usage', message, remedy);

type Options = NonNullable<ParseArgsConfig['options']>;

/** `parseArgs` with our kind of error. */
export function parse<O extends Options>(
  command: string,
  words: string[],
  options: O,
): ReturnType<typeof parseArgs<{ args: string[]; options: O; allowPositionals: true }>> {
  try {
    return parseArgs({ args: words, options, allowPositionals: true });
  } catch (error) {
    // Node adds advice about `--` after the first sentence, which does not hold here.
    const [sentence] = (error as Error).message.split(/\. |\n/);
    throw usageError(`${command}: ${sentence!.replace(/\.$/, '')}.`, helpHint(command));
  }
}

export const helpHint = (command: string): string => `See "simsight ${command} --help".`;

/** The value of an option that allows only some. */
export function choice<T extends string>(command: string, option: string, value: string, allowed: readonly T[]): T {
  if ((allowed as readonly string[]).includes(value)) return value as T;
  throw usageError(`${command}: --${option} cannot be "${value}".`, `It can be ${allowed.join(', ')}.`);
}

/** Recordings, compiled programs and the list of recent traces. */
export const dataFolder = (): string => resolve(process.env['SIMSIGHT_HOME'] || join(homedir(), '.simsight'));

export const print = (text: string): void => void process.stdout.write(text);
export const printError = (text: string): void => void process.stderr.write(text);
