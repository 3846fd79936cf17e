/** Runs the command line as a user does: a process of its own. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

export const cli = join(import.meta.dirname, '..', '..', 'engine', 'cli.ts');

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

export function simsight(words: string[], options: { cwd?: string; home?: string } = {}): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...words], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    ...(options.cwd ? { cwd: options.cwd } : {}),
    env: { ...process.env, ...(options.home ? { SIMSIGHT_HOME: options.home } : {}) },
  });
  return { code: status, stdout, stderr };
}
