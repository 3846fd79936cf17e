/** Commands of `simsight`: their interface, and the arguments, usage errors and folders they share. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { SimsightError } from '../base/errors.ts';
import { harmless, harmlessLine, TerminalText } from '../base/harmless.ts';

export type Options = NonNullable<ParseArgsConfig['options']>;

/** One file per command in this folder, and one line in the table of `commands.ts`. */
export interface Command {
  name: string;
  /** Text that `simsight NAME --help` prints. */
  help: string;
  /** Options it accepts, for completion; every command also has `--help` and, beside `--format`, `--json`. */
  options: Options;
  /** Values that completion offers, by option. */
  values?: Readonly<Record<string, readonly string[]>>;
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

const hasFormat = (options: Options): boolean => 'format' in options && !('json' in options);

/** All that a command takes. */
export const allOptions = (options: Options): Options => ({
  ...options,
  ...(hasFormat(options) ? { json: { type: 'boolean' } } : {}),
  help: { type: 'boolean', short: 'h' },
});

/** `parseArgs` with our kind of error. Where there is a `--format`, `--json` is short for `--format json`. */
export function parse<O extends Options>(
  command: string,
  words: string[],
  options: O,
): ReturnType<typeof parseArgs<{ args: string[]; options: O; allowPositionals: true }>> {
  try {
    if (!hasFormat(options)) return parseArgs({ args: words, options, allowPositionals: true });
    const { tokens, ...parsed } = parseArgs({
      args: words,
      options: { ...options, json: { type: 'boolean' } },
      allowPositionals: true,
      tokens: true,
    });
    const { json, ...values } = parsed.values as Record<string, unknown>;
    if (json === true) {
      const named = tokens.some((token) => token.kind === 'option' && token.name === 'format');
      if (named && values['format'] !== 'json') throw new Error('--json and --format cannot be used together');
      values['format'] = 'json';
    }
    return { ...parsed, values } as never;
  } catch (error) {
    // Node adds advice about `--` after the first sentence, which does not hold here.
    const [sentence] = (error as Error).message.split(/\. |\n/);
    throw usageError(`${command}: ${sentence!.replace(/\.$/, '')}.`, helpHint(command));
  }
}

/** A word as a shell takes it, whatever is in it. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export const helpHint = (command: string): string => `See "simsight ${command} --help".`;

/** The value of an option that allows only some. */
export function choice<T extends string>(command: string, option: string, value: string, allowed: readonly T[]): T {
  if ((allowed as readonly string[]).includes(value)) return value as T;
  throw usageError(`${command}: --${option} cannot be "${value}".`, `Use one of ${allowed.join(', ')}.`);
}

/** Recordings, compiled programs and the list of recent traces. */
export const dataFolder = (): string => resolve(process.env['SIMSIGHT_HOME'] || join(homedir(), '.simsight'));

/** A result for programs. */
export const printed = (result: unknown): string => `${JSON.stringify(result, null, 2)}\n`;
/** Names in it are other people's: whatever is printed goes through here, or one of those below. */
export const print = (text: string): void => void process.stdout.write(harmless(text));
export const printError = (text: string): void => void process.stderr.write(harmless(text));

const terminals = { stdout: new TerminalText(), stderr: new TerminalText() };
/** Prints the output of a program: unchanged, except that a terminal gets no control sequences. */
export function printOutput(stream: 'stdout' | 'stderr', text: string): void {
  const target = process[stream];
  target.write(target.isTTY ? terminals[stream].take(text) : text);
}

/** A line on stderr that the next one is written over, for terminals; an empty one clears it. */
export function printProgress(line: string): void {
  process.stderr.write(`\r\u001b[K${harmlessLine(line).slice(0, (process.stderr.columns || 80) - 1)}`);
}
