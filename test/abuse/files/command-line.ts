/** The command line in a process of its own, of which time and memory are watched, with those of the processes that it starts. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Ran {
  code: number | null;
  signal: string | null;
  milliseconds: number;
  /** Of all its threads and processes: how long it takes where nothing else runs, or longer. */
  cpuMilliseconds: number;
  /** Most resident memory of one of the processes (bytes). */
  memory: number;
  stderr: string;
  /** Bytes of standard output, which nobody keeps. */
  printed: number;
  tooLate: boolean;
}

const entry = fileURLToPath(new URL('../../../engine/cli.ts', import.meta.url));
const pollMs = 50;
/** Times the limit: where other programs use the cores as well, or something waits for ever. */
const hangs = 6;
/** Of Linux, in what /proc says of a process. */
const ticksPerSecond = 100;

export function runCommand(
  words: readonly string[],
  { cwd, env, limitMs, limitBytes }: { cwd: string; env: NodeJS.ProcessEnv; limitMs: number; limitBytes: number },
): Promise<Ran> {
  return new Promise((done) => {
    const start = performance.now();
    // A group of its own: whatever it started ends with it.
    const child = spawn(process.execPath, [entry, ...words], {
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
      for (const pid of [child.pid!, ...childrenOf(child.pid!)]) {
        ran.memory = Math.max(ran.memory, peakOf(pid));
        used.set(pid, Math.max(used.get(pid) ?? 0, cpuOf(pid)));
      }
      ran.cpuMilliseconds = [...used.values()].reduce((sum, each) => sum + each, 0);
      ran.tooLate = ran.cpuMilliseconds > limitMs || performance.now() - start > hangs * limitMs;
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

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

/** The kernel's own record of the most that a process had: nothing between two looks is missed, but after the last. */
function peakOf(pid: number): number {
  try {
    return 1024 * Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function cpuOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number);
    return (1000 * (user! + system!)) / ticksPerSecond;
  } catch {
    return 0;
  }
}
