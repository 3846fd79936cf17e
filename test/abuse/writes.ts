/**
 * Every command that writes, on everything that it must not write to: each is refused within seconds, and what is there stays as it is,
 * byte for byte, with nothing new beside it. Devices are made for this, in a folder of their own.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { readManifest } from '../../engine/sweep/manifest.ts';
import { difference, simsight, stateOf, wrongEnd } from './command-line.ts';
import { writeChrome, writeForeign, writeNsys, writeProgram, writeTrace } from './inputs.ts';
import { attempt, type AbuseOptions, type Section } from './section.ts';

/** Puts something at a path; gives what is to be undone afterwards, or null where it cannot be made here. */
type Make = (path: string, bench: Bench) => (() => void) | null;

interface Bench {
  folder: string;
  trace: string;
  chrome: string;
  nsys: string;
  program: string;
}

const done = (): void => {};
const node =
  (...words: string[]): Make =>
  (path) =>
    spawnSync('mknod', [path, ...words]).status === 0 ? done : null;
const text =
  (content: string, mode?: number): Make =>
  (path) => {
    writeFileSync(path, content, mode === undefined ? {} : { mode });
    return done;
  };
/** A link to what another makes. */
const linkTo =
  (make: Make): Make =>
  (path, bench) => {
    const target = `${path}-target`;
    const undo = make(target, bench);
    if (undo) symlinkSync(target, path);
    return undo;
  };
const socket: Make = (path) => {
  const server = createServer().listen(path);
  return () => server.close();
};
const folder: Make = (path) => {
  mkdirSync(path);
  writeFileSync(join(path, 'kept'), 'kept');
  return done;
};
const foreign =
  (mode: 'delete' | 'wal'): Make =>
  (path) => {
    writeForeign(path, mode);
    return done;
  };

/** On a machine with much else to do; where it waits for something, it waits for ever. */
const seconds = 60;

/** Files that nobody may replace. */
const untouchable: Readonly<Record<string, Make>> = {
  'a character device': node('c', '1', '3'),
  'a device without end': node('c', '1', '5'),
  'a full device': node('c', '1', '7'),
  'a block device': node('b', '240', '0'),
  'a FIFO': node('p'),
  'a socket': socket,
  'a folder': folder,
  'a link to a character device': linkTo(node('c', '1', '3')),
  'a link to a FIFO': linkTo(node('p')),
  'a link to a socket': linkTo(socket),
  'a link to a folder': linkTo(folder),
  'a link to nothing': (path) => {
    symlinkSync(`${path}-nothing`, path);
    return done;
  },
  'a link to itself': (path) => {
    symlinkSync(path, path);
    return done;
  },
  'a write-protected file': text('kept', 0o444),
};
/** Files that a recording may not replace either. */
const kept: Readonly<Record<string, Make>> = {
  'a database of another program': foreign('delete'),
  'a database with a log': foreign('wal'),
  'a link to a database': linkTo(foreign('delete')),
  'an export of Nsight Systems': (path, { nsys }) => {
    copyFileSync(nsys, path);
    return done;
  },
  'a source': text('__global__ void f() {}\n'),
  'a link to a source': linkTo(text('__global__ void f() {}\n')),
  'the start of a database': text('SQLite format 3\0'),
};

interface Command {
  name: string;
  /** The file that it writes. */
  file: string;
  words: (file: string, bench: Bench) => string[];
  /** Leaves a database of another kind, and files of the user's own, alone even with --force. */
  also?: Readonly<Record<string, Make>>;
  /** Made before what is in the way. */
  before?: (bench: Bench) => void;
}

const databases = {
  'a database of another program': kept['a database of another program']!,
  'a trace': (path: string, { trace }: Bench) => {
    copyFileSync(trace, path);
    return done;
  },
};

const exporting = (file: string, words: string[], also: Command['also'] = databases): Command[] =>
  [[], ['--force']].map((force) => ({
    name: `export ${file}${force.length > 0 ? ' --force' : ''}`,
    file,
    words: (path, { trace }) => ['export', trace, '-o', path, ...words, ...force],
    also,
  }));

const commands: readonly Command[] = [
  {
    name: 'record',
    file: 'out.simsight',
    words: (file, { program }) => ['record', program, '--force', '-o', file],
    also: kept,
  },
  {
    name: 'record, no ending',
    file: 'out',
    words: (file, { program }) => ['record', program, '--force', '-o', file],
    also: kept,
  },
  { name: 'bench', file: 'out.simsight', words: (file, { program }) => ['bench', program, '-o', file], also: kept },
  {
    name: 'import',
    file: 'out.simsight',
    words: (file, { chrome }) => ['import', chrome, '-o', file],
    also: { ...kept, ...databases },
  },
  ...exporting('out.json', []),
  ...exporting('out.json.gz', []),
  ...exporting('out.csv', ['--report', 'cuda_gpu_kern_sum']),
  ...exporting('out.parquet', ['--table', 'StringIds']),
  ...exporting('all.parquetdir', []),
  ...exporting('out.sqlite', [], {}),
  ...exporting('nsys.sqlite', ['--only-nsys'], {}),
  ...exporting('app.cu', ['--format', 'csv', '--report', 'cuda_gpu_kern_sum'], { 'a source': kept['a source']! }),
  ...exporting('run.simsight', ['--format', 'sqlite'], databases),
  ...(['report', 'compare'] as const).flatMap((name) =>
    ['out.html', 'out.md'].map((file) => ({
      name: `${name} ${file}`,
      file,
      words: (path: string, { trace }: Bench) => [
        name,
        trace,
        ...(name === 'compare' ? [trace] : []),
        '-o',
        path,
        '--force',
      ],
      also: databases,
    })),
  ),
  {
    name: 'what-if --keep, its trace',
    file: 'kept/app.simsight',
    words: (_, { folder: at, program }) => ['what-if', program, '--limit', 'latency', '--keep', join(at, 'kept')],
    also: kept,
  },
  {
    name: 'what-if --keep, its result',
    file: 'kept/app-what-if.json',
    words: (_, { folder: at, program }) => ['what-if', program, '--limit', 'latency', '--keep', join(at, 'kept')],
    also: { 'a text': text('{"mine": true}'), ...databases },
  },
  {
    name: 'lab',
    file: 'labs/reduction-divergent.simsight',
    words: (_, { folder: at }) => ['lab', 'reduction', 'divergent', '--small', '-o', join(at, 'labs')],
    also: kept,
  },
  ...['sweep.json', 'log.jsonl', 'running.lock', 'jobs'].map((file) => ({
    name: `sweep, its ${file}`,
    file: `sweep/${file}`,
    words: (_: string, { folder: at, program }: Bench) => ['sweep', program, '-D', 'N=1,2', '-o', join(at, 'sweep')],
    also: { 'a text': text('{"mine": true}'), ...databases },
  })),
  ...['sweep.json', 'jobs.jsonl', 'sweep.sbatch', 'program'].map((file) => ({
    name: `sweep --emit, its ${file}`,
    file: `emitted/${file}`,
    words: (_: string, { folder: at, program }: Bench) => [
      'sweep',
      program,
      '-D',
      'N=1,2',
      '--emit',
      'slurm',
      '--emit-to',
      join(at, 'emitted'),
    ],
    also: { 'a text': text('{"mine": true}'), ...databases },
  })),
];

/** The files that a recording needs beside its own. */
const besides: readonly [end: string, Make][] = [
  ...['.previous', '-wal', '-shm', '-journal'].flatMap((end): [string, Make][] => [
    [end, node('p')],
    [end, folder],
    [end, text('kept')],
    [end, foreign('delete')],
    [end, linkTo(text('kept'))],
  ]),
];

async function run(options: AbuseOptions): Promise<void> {
  const home = join(options.folder, 'home');
  const inputs = join(options.folder, 'inputs');
  for (const each of [home, inputs]) mkdirSync(each);
  const trace = writeTrace(join(inputs, 'a.simsight'));
  const bench: Omit<Bench, 'folder'> = {
    trace,
    chrome: writeChrome(join(inputs, 'chrome.json'), 10),
    nsys: writeNsys(join(inputs, 'nsys.sqlite'), trace),
    program: writeProgram(join(inputs, 'app.cu'), 1),
  };
  // Compiled once: what is refused is refused before that.
  const compiled = await simsight(['run', bench.program], { cwd: inputs, home });
  if (compiled.code !== 0) throw new Error(compiled.stderr);
  const before = stateOf(inputs);
  const tries: (() => Promise<void>)[] = [];

  function refused(...args: Parameters<typeof tryOne>): void {
    tries.push(() => tryOne(...args));
  }

  /** Where the command is to be refused, with what `make` put there. */
  async function tryOne(name: string, words: (bench: Bench) => string[], make: (bench: Bench) => (() => void) | null) {
    const at = mkdtempSync(join(options.folder, 'try-'));
    const own = { ...bench, folder: at };
    const undo = make(own);
    if (undo === null) {
      console.log(`NOT TRIED ${name}: it cannot be made on this machine`);
      return;
    }
    await attempt(options, name, async () => {
      const was = stateOf(at);
      const outcome = await simsight(words(own), { cwd: at, home, seconds });
      return wrongEnd(outcome, 'refused') ?? difference(was, stateOf(at)) ?? difference(before, stateOf(inputs));
    });
    undo();
    rmSync(at, { recursive: true, force: true });
  }

  for (const command of commands) {
    const { name, file, words, also = {} } = command;
    for (const [what, make] of Object.entries({ ...untouchable, ...also })) {
      // A folder is what these are; the right kind of file is no harm.
      if (/folder/.test(what) && /(jobs|program)$/.test(file)) continue;
      refused(
        `${name} over ${what}`,
        (own) => words(join(own.folder, file), own),
        (own) => {
          mkdirSync(join(own.folder, file, '..'), { recursive: true });
          return make(join(own.folder, file), own);
        },
      );
    }
  }
  for (const [end, make] of besides) {
    refused(
      `record, with a stranger at ${end}`,
      ({ folder: at, program }) => ['record', program, '-o', join(at, 'out.simsight')],
      (own) => {
        copyFileSync(own.trace, join(own.folder, 'out.simsight'));
        return make(join(own.folder, `out.simsight${end}`), own);
      },
    );
  }
  for (const target of [
    '-',
    '/proc/self/fd/1',
    '/proc/self/fd/1.json',
    '/dev/fd/1',
    'x\n/y.json',
    `${'n'.repeat(300)}.json`,
  ]) {
    refused(
      `export to ${target.slice(0, 40)}`,
      ({ trace: from }) => ['export', from, '--format', 'chrome', '--force', '-o', target],
      () => done,
    );
    // A recording makes the folders that it is to be in.
    if (!target.includes('/y'))
      refused(
        `record to ${target.slice(0, 40)}`,
        ({ program }) => ['record', program, '-o', target],
        () => done,
      );
  }
  for (const input of ['trace', 'chrome', 'nsys'] as const) {
    refused(
      `${input} over itself`,
      (own) => ['export', own[input], '--format', 'sqlite', '--force', '-o', own[input]],
      () => done,
    );
    refused(
      `compare over ${input}`,
      (own) => ['compare', own[input], own[input], '--format', 'json', '--force', '-o', own[input]],
      () => done,
    );
  }
  // A part of them: some of each command.
  const step = Math.max(1, tries.length / (options.count ?? tries.length));
  const chosen = tries.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step)).values();
  await Promise.all(
    [1, 2].map(async () => {
      for (const each of chosen) await each();
    }),
  );
  await inReadOnlyFolder(options, bench, home);
  await beyondTheFolder(options, bench, home);
}

/** A folder that nothing can be written to, as root has none but on a file system of its own. */
async function inReadOnlyFolder(options: AbuseOptions, bench: Omit<Bench, 'folder'>, home: string): Promise<void> {
  const at = join(options.folder, 'read-only');
  mkdirSync(at);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', at]).status !== 0) {
    console.log('NOT TRIED a read-only folder: no file system can be mounted here');
    return;
  }
  try {
    writeTrace(join(at, 'out.simsight'));
    spawnSync('mount', ['-o', 'remount,ro', at]);
    const was = stateOf(at);
    for (const { name, file, words } of commands) {
      await attempt(options, `${name} in a read-only folder`, async () => {
        const own = { ...bench, folder: at };
        const outcome = await simsight(words(join(at, file), own), { cwd: at, home, seconds });
        return wrongEnd(outcome, 'refused') ?? difference(was, stateOf(at));
      });
    }
  } finally {
    spawnSync('umount', [at]);
  }
}

/** A sweep that is there is not written over by another one. */
async function beyondTheFolder(options: AbuseOptions, bench: Omit<Bench, 'folder'>, home: string): Promise<void> {
  const at = join(options.folder, 'emitted');
  const emit = (values: string): string[] => ['sweep', bench.program, '-D', values, '--emit', 'slurm', '--emit-to', at];
  const made = await simsight(emit('N=1,2'), { cwd: options.folder, home });
  if (made.code !== 0) throw new Error(made.stderr);
  const other = writeProgram(join(options.folder, 'other.cu'), 2);
  for (const words of [
    ['sweep', other, '-D', 'N=1', '--emit', 'slurm', '--emit-to', at],
    ['sweep', other, '-D', 'N=1', '-o', at],
  ]) {
    await attempt(options, `${words.at(-2)} over another sweep`, async () => {
      const was = stateOf(at);
      const jobs = readManifest(at).jobs.length;
      const outcome = await simsight(words, { cwd: options.folder, home, seconds });
      if (readManifest(at).jobs.length !== jobs) return 'its jobs are others';
      return wrongEnd(outcome, 'refused') ?? difference(was, stateOf(at));
    });
  }
}

export const writes: Section = {
  name: 'writes',
  title:
    'all commands that write, on devices, FIFOs, sockets, folders, links, databases, sources: refused, and nothing changes',
  run,
};
