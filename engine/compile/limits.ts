/**
 * The limits of one run of Clang. Sources can ask for anything: macros that double, headers that include themselves twice, constant
 * expressions and templates without end. A run that goes beyond a limit is ended, and nothing else is: neither the process nor what
 * others compile.
 *
 * The defaults are several times what large programs need; two variables of the environment raise them.
 */
import { basename } from 'node:path';
import { SimsightError } from '../base/errors.ts';

export interface CompileLimits {
  /** Computing time of one run of a tool, once it has begun. */
  seconds: number;
  /** The most of the tool's own memory; WebAssembly has 4 GiB at most. Bytes. */
  memoryBytes: number;
  /** The most that it may write in all: code as text, objects. Bytes. */
  outputBytes: number;
}

export type LimitName = keyof CompileLimits | 'messages' | 'stack';

export const limitVariables = { seconds: 'SIMSIGHT_COMPILE_SECONDS', memory: 'SIMSIGHT_COMPILE_MEMORY' } as const;

const mib = 1 << 20;
const defaults = { seconds: 120, memoryMib: 1536 };
const most = { seconds: 86_400, memoryMib: 4096 };
const outputBytes = 512 * mib;
/** The most that is kept of a tool's messages; nobody reads more. Bytes. */
export const mostMessages = mib;

/** From the environment: seconds, and MiB. What is no number, or not sensible, is refused. */
export function compileLimits(environment: NodeJS.ProcessEnv = process.env): CompileLimits {
  const numberOf = (name: string, usual: number, least: number, highest: number): number => {
    const text = environment[name];
    if (text === undefined || text === '') return usual;
    const value = Number(text);
    if (value >= least && value <= highest) return value;
    throw new SimsightError(
      'usage',
      `${name}=${text} is not a limit.`,
      `Give it a number from ${least} to ${highest}.`,
    );
  };
  return {
    seconds: numberOf(limitVariables.seconds, defaults.seconds, 1, most.seconds),
    memoryBytes: Math.floor(numberOf(limitVariables.memory, defaults.memoryMib, 256, most.memoryMib)) * mib,
    outputBytes,
  };
}

const simpler = 'Simplify it, or split it into several files';

/** The thing that is compiled, for messages: a source, or kernels of one. */
export interface Compiled {
  name: string;
  file: string;
}
export const compiledSource = (file: string): Compiled => ({ name: basename(file), file });

export function limitError(limit: LimitName, limits: CompileLimits, { name, file }: Compiled): SimsightError {
  const place = file === '' ? {} : { file };
  const raise = (variable: string, example: number): string => `${simpler}; ${variable}=${example} allows more.`;
  switch (limit) {
    case 'seconds':
      return new SimsightError(
        'budget-exceeded',
        `Compiling ${name} was stopped: it took more than ${limits.seconds} s.`,
        raise(limitVariables.seconds, Math.ceil(limits.seconds * 4)),
        place,
      );
    case 'memoryBytes': {
      const used = limits.memoryBytes / mib;
      return new SimsightError(
        'budget-exceeded',
        `Compiling ${name} was stopped: it needs more than ${used} MB of memory.`,
        used < most.memoryMib ? raise(limitVariables.memory, Math.min(most.memoryMib, used * 2)) : `${simpler}.`,
        place,
      );
    }
    case 'outputBytes':
      return new SimsightError(
        'budget-exceeded',
        `Compiling ${name} was stopped: its output exceeds ${limits.outputBytes / mib} MB.`,
        'Initialize large arrays at run time, and compile less code at once.',
        place,
      );
    case 'messages':
      return new SimsightError(
        'budget-exceeded',
        `Compiling ${name} was stopped: the compiler printed more than ${mostMessages / mib} MB of messages.`,
        'Fix the first errors, and look for headers that include themselves.',
        place,
      );
    case 'stack':
      return new SimsightError(
        'budget-exceeded',
        `Compiling ${name} was stopped: its code is nested too deeply for the compiler.`,
        'Split long expressions and deep nesting into smaller pieces.',
        place,
      );
  }
}
