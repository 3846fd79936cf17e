/** The command line in a process of its own, of which time and memory are watched, with those of the processes that it starts. */
import { spawn } from 'node:child_process';
import { cli } from '../../setup/command-line.ts';
import { cpuOf, peakOf, treeOf } from '../process-use.ts';

export interface Ran {
  code: number | null;
  signal: string | null;
  milliseconds: number;
  /** The CPU time of all its threads and processes. */
  cpuMilliseconds: number;
  /** Most resident memory of one of the processes (bytes). */
  memory: number;
  stderr: string;
  /** Bytes of standard output, which nobody keeps. */
  printed: number;
  tooLate: boolean;
}

const pollMs = 50;

export function runCommand(
  words: readonly string[],
  { cwd, env, limitMs, limitBytes }: { cwd: string; env: NodeJS.ProcessEnv; limitMs: number; limitBytes: number },
): Promise<Ran> {
  return new Promise((done) => {
    const start = performance.now();
    // A group of its own: whatever it started ends with it.
    const child = spawn(process.execPath, [cli, ...words], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const ran: Ran = {
      code: null,
      signal: null,
      milliseconds: 0,
      cpuMilliseconds: 0,
      memory: 0,
      stderr: '',
      printed: 0,
      tooLate: false,
    };
    const kill = (): void => {
      try {
        process.kill(-child.pid!, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    };
    const used = new Map<number, number>();
    process.once('exit', kill);
    const look = setInterval(() => {
      for (const pid of treeOf(child.pid!)) {
        ran.memory = Math.max(ran.memory, peakOf(pid));
        used.set(pid, Math.max(used.get(pid) ?? 0, cpuOf(pid)));
      }
      ran.cpuMilliseconds = [...used.values()].reduce((sum, each) => sum + each, 0);
      ran.tooLate = performance.now() - start > limitMs;
      if (ran.tooLate || ran.memory > 1.5 * limitBytes) kill();
    }, pollMs);
    child.stdout.on('data', (text: Buffer) => (ran.printed += text.length));
    child.stderr.on('data', (text: Buffer) => (ran.stderr = (ran.stderr + text.toString()).slice(-4000)));
    child.on('close', (code, signal) => {
      clearInterval(look);
      process.off('exit', kill);
      done({ ...ran, code, signal, milliseconds: performance.now() - start });
    });
  });
}
