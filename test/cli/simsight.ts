/** Runs the command line: as a user does, or in this process, without what it costs to start one. */
import { spawnSync } from 'node:child_process';
import { runCommandLine } from '../../engine/cli/main.ts';
import { cli } from '../setup/command-line.ts';

export { cli };

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}
interface Place {
  cwd?: string;
  home?: string;
}

/** In a process of its own. */
export function simsight(words: string[], { cwd, home }: Place = {}): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...words], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    ...(cwd ? { cwd } : {}),
    env: { ...process.env, ...(home ? { SIMSIGHT_HOME: home } : {}) },
  });
  return { code: status, stdout, stderr };
}

/** In this process: one at a time, for folder, environment and streams are the process's. */
export async function simsightHere(words: string[], { cwd, home }: Place = {}): Promise<Outcome> {
  const printed = { stdout: '', stderr: '' };
  const before = { folder: process.cwd(), home: process.env['SIMSIGHT_HOME'] };
  const streams = (['stdout', 'stderr'] as const).map((name) => ({ name, write: process[name].write }));
  for (const { name } of streams) {
    process[name].write = (text: string | Uint8Array): boolean => {
      printed[name] += typeof text === 'string' ? text : Buffer.from(text).toString();
      return true;
    };
  }
  if (cwd) process.chdir(cwd);
  if (home) process.env['SIMSIGHT_HOME'] = home;
  try {
    const code = await runCommandLine(words);
    return { code, ...printed };
  } finally {
    for (const { name, write } of streams) process[name].write = write;
    process.chdir(before.folder);
    if (before.home === undefined) delete process.env['SIMSIGHT_HOME'];
    else process.env['SIMSIGHT_HOME'] = before.home;
  }
}
