/**
 * Hostile programs, each recorded by a command line of its own: loops without end, sources that no compiler should finish, programs
 * that take all memory, and sources that want to read what is not theirs. Each has to end in time, with its memory within a bound,
 * with an exit code of ours and one clear message; nothing of the secret beside it may come out, in what is printed or in the trace.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { limitVariables } from '../../engine/compile/limits.ts';
import { record } from '../../engine/recording/record.ts';
import { builtCli } from '../setup/command-line.ts';
import { hostilePrograms, type HostileProgram } from './hostile-programs.ts';
import { peakOf, treeOf } from './process-use.ts';
import { attempt, type AbuseOptions, type Section } from './section.ts';

/** The compiler's limits for these: what ends at a limit ends so much sooner. */
const lowLimits = { [limitVariables.seconds]: '15', [limitVariables.memory]: '1024' };
/** All of one command line, on a busy machine. */
const mostSeconds = 150;
/**
 * The memory of all its processes together. Compiling a small program takes 1.2 GB, most of it Clang's code; two threads may have 1 GB
 * each. Bytes.
 */
const mostBytes = 3.5 * 2 ** 30;
/** The most of programs that take all memory that 32 bits address: 4 GB more. Bytes. */
const mostBytesOfHogs = mostBytes + 2 ** 32;
const secret = 'the-secret-of-this-machine-7391';
const lookEvery = 100;
const crashes =
  /bug in Simsight|FATAL ERROR|heap out of memory|Segmentation|\n\s+at .*(?:file:\/\/|node:)|Please report/;

interface Outcome {
  code: number | null;
  signal: string | null;
  text: string;
  peakBytes: number;
  late: boolean;
}

function run(words: string[], folder: string, home: string, limits: NodeJS.ProcessEnv): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [builtCli, ...words], {
      cwd: folder,
      env: { ...process.env, ...limits, SIMSIGHT_HOME: home },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    const keep = (bytes: Buffer): void => {
      if (text.length < 4 << 20) text += bytes.toString('utf8');
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const peaks = new Map<number, number>();
    const look = setInterval(() => {
      for (const pid of treeOf(child.pid!)) peaks.set(pid, Math.max(peaks.get(pid) ?? 0, peakOf(pid)));
    }, lookEvery);
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill('SIGKILL');
    }, mostSeconds * 1000);
    child.on('close', (code, signal) => {
      clearInterval(look);
      clearTimeout(timer);
      resolve({ code, signal, text, late, peakBytes: [...peaks.values()].reduce((sum, peak) => sum + peak, 0) });
    });
  });
}

/** True if any file below holds the text. */
const holds = (folder: string, text: string): boolean =>
  existsSync(folder) &&
  readdirSync(folder, { recursive: true, withFileTypes: true }).some(
    (entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(text),
  );

async function tryProgram(program: HostileProgram, place: string, home: string): Promise<string | null> {
  const folder = join(place, 'app');
  const out = join(place, 'out');
  for (const each of [folder, out, join(place, 'common')]) mkdirSync(each, { recursive: true });
  writeFileSync(join(place, 'secret.h'), `${secret}\n`);
  writeFileSync(join(place, 'common', 'common.h'), '#define COMMON 1\n');
  symlinkSync(join(place, 'secret.h'), join(folder, 'link.h'));
  symlinkSync(place, join(folder, 'up'));
  for (const [name, text] of Object.entries(program.files(join(place, 'secret.h')))) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const trace = join(out, 'app.simsight');
  const words = [
    'record',
    join(folder, 'app.cu'),
    '--force',
    '-o',
    trace,
    '--max-seconds',
    '3',
    ...(program.options ?? []),
  ];
  const { code, signal, text, peakBytes, late } = await run(
    words,
    folder,
    home,
    program.isBomb === true ? lowLimits : {},
  );
  const said = text.slice(-1500);
  const bound = program.takesMemory === true ? mostBytesOfHogs : mostBytes;
  if (late) return `took more than ${mostSeconds} s\n${said}`;
  if (signal !== null || code === null) return `ended by ${signal}\n${said}`;
  if (crashes.test(text)) return `crashed\n${said}`;
  if (!(program.codes ?? [1]).includes(code)) return `exit code ${code}\n${said}`;
  if (!program.says.test(text)) return `does not say ${program.says.source}\n${said}`;
  // One sentence, and what to do about it.
  if (code === 1 && program.fails !== true && !/\nsimsight: [^\n]+\n[^\n]+/.test(`\n${text}`))
    return `no remedy\n${said}`;
  if (peakBytes > bound) return `took ${(peakBytes / 2 ** 30).toFixed(2)} GB\n${said}`;
  if (text.includes(secret)) return `the secret was printed\n${said}`;
  if (holds(out, secret)) return 'the secret is in the trace';
  if ((program.isKept ?? code === 0) && !existsSync(trace)) return `no trace was kept\n${said}`;
  return null;
}

/** In one process, something that never ends is compiled, and beside it a program that is fine. */
async function besideOthers(parent: string): Promise<string | null> {
  const folder = join(parent, 'beside');
  mkdirSync(folder, { recursive: true });
  const bomb = hostilePrograms.find(({ name }) => name === 'macros that double')!;
  writeFileSync(join(folder, 'bomb.cu'), bomb.files('')['app.cu']!);
  writeFileSync(
    join(folder, 'fine.cu'),
    '__global__ void k(int *p) { p[0] = 1; }\nint main() { int *p; cudaMalloc(&p, 4); k<<<1, 1>>>(p); }\n',
  );
  const call = (name: string) => ({
    ...{ sources: [join(folder, name)], gpu: 'a100', includeFolders: [], defines: [], environment: [], arguments: [] },
    ...{ cacheFolder: join(folder, 'cache'), recordingsFolder: folder, keepTrace: false },
  });
  process.env[limitVariables.seconds] = '10';
  try {
    const hostile = record(call('bomb.cu')).then(
      () => 'was compiled',
      (error: { code?: string }) => (error.code === 'budget-exceeded' ? null : String(error)),
    );
    const fine = record(call('fine.cu')).then(
      ({ exitCode }) => (exitCode === 0 ? null : `exit code ${exitCode}`),
      (error: unknown) => String(error),
    );
    const [first, second] = await Promise.all([hostile, fine]);
    return first ?? second;
  } finally {
    delete process.env[limitVariables.seconds];
  }
}

export const programs: Section = {
  name: 'programs',
  title: 'programs that never end, that no compiler should finish, that take all memory, or read what is not theirs',
  async run(options: AbuseOptions) {
    const chosen = hostilePrograms.slice(0, options.count ?? hostilePrograms.length);
    const home = join(options.folder, 'home');
    const waiting = chosen.entries();
    // Standard headers are compiled once, before limits are low.
    const first = join(options.folder, 'first.cu');
    writeFileSync(first, 'int main() {}\n');
    await run(['run', first], options.folder, home, {});
    const work = async (): Promise<void> => {
      for (const [index, program] of waiting)
        await attempt(options, program.name, () => tryProgram(program, join(options.folder, String(index)), home));
    };
    await Promise.all(Array.from({ length: Math.min(2, cpus().length) }, work));
    await attempt(options, 'beside a program that is fine', () => besideOthers(options.folder));
  },
};
