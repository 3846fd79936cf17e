/** The real command line in a process group of its own, with a limit of time; and what a folder held before and after. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { builtCli, cli } from '../setup/command-line.ts';

export interface Place {
  cwd: string;
  /** SIMSIGHT_HOME. */
  home: string;
  environment?: Readonly<Record<string, string>>;
  /** Before it is killed, and counts as one that hung. */
  seconds?: number;
  isBuilt?: boolean;
  /** A limit of the size of files, in kilobytes. */
  fileKilobytes?: number;
}

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
  /** It was killed because its time was up. */
  hung: boolean;
}

export function start(
  words: readonly string[],
  { cwd, home, environment, isBuilt, fileKilobytes }: Place,
): ChildProcess {
  const command = [process.execPath, isBuilt ? builtCli : cli, ...words];
  const [program, ...rest] =
    fileKilobytes === undefined
      ? command
      : ['bash', '-c', `ulimit -f ${fileKilobytes} && exec "$@"`, 'bash', ...command];
  return spawn(program!, rest, {
    cwd,
    env: { ...process.env, SIMSIGHT_HOME: home, ...environment },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Also what it started. */
export function kill({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

export async function simsight(words: readonly string[], place: Place): Promise<Outcome> {
  const child = start(words, place);
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]!.setEncoding('utf8').on('data', (text: string) => (said[name] += text));
  let hung = false;
  const limit = setTimeout(
    () => {
      hung = true;
      kill(child);
    },
    (place.seconds ?? 60) * 1000,
  );
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(limit);
  return { code, ...said, hung };
}

/** The fault in how a command ended that was to be refused or to say why it cannot go on; null where there is none. */
export function wrongEnd({ code, stderr, hung }: Outcome, wanted: 'refused' | 'either'): string | null {
  if (hung) return 'it hung';
  if (code === null) return `it was ended by a signal: ${stderr}`;
  if (/bug in Simsight|\n {4}at |ERR_/.test(stderr)) return `it says: ${stderr}`;
  if (code !== 0 && stderr.trim() === '') return `it ended with ${code} and said nothing`;
  return wanted === 'refused' && code === 0 ? 'it was not refused' : null;
}

/** Whatever could have been changed, in words that can be compared: kinds, devices, modes, contents, where links lead. */
export function stateOf(folder: string, below = ''): string[] {
  return readdirSync(join(folder, below))
    .sort()
    .flatMap((name) => {
      const inner = join(below, name);
      const path = join(folder, inner);
      const info = lstatSync(path);
      const is = `${inner} ${info.mode.toString(8)} ${info.rdev}`;
      if (info.isSymbolicLink()) return [`${is} -> ${readlinkSync(path)}`];
      if (info.isDirectory()) return [is, ...stateOf(folder, inner)];
      return [info.isFile() ? `${is} ${hashOf(path)}` : is];
    });
}

export const hashOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

/** The difference between two states. */
export function difference(before: readonly string[], after: readonly string[]): string | null {
  const lines = [
    ...before.filter((line) => !after.includes(line)).map((line) => `- ${line}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
  ];
  return lines.length === 0 ? null : lines.join('\n');
}
