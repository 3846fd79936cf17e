/**
 * Damages what Simsight keeps to be quick: compiled programs, precompiled headers, imported recordings. Each time the real command
 * line is started in a home with the damage, and again afterwards; what it makes must be what it made before anything was damaged.
 */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '../fuzz/random.ts';
import { sample } from '../unit/trace/samples.ts';
import { simsight, type Outcome } from './command-line.ts';
import { attempt, type AbuseOptions, type Section } from './section.ts';

const usualCount = 360;
const atOnce = 2;
const mostSeconds = 300;

const program = `#include <cstdio>
__global__ void twice(float *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= 2;
}
__global__ void add(float *data, const float *more, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] += more[i];
}
int main() {
  const int n = 4096;
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  twice<<<n / 256, 256>>>(a, n);
  add<<<1, 128>>>(a, b, n);
  return cudaDeviceSynchronize() != cudaSuccess;
}
`;

/** The target of damage: a folder of entries, which of them are read for sure, and chance. */
interface Target {
  folder: string;
  entries: string[];
  random: Random;
}

type Damage = (target: Target) => void;

const pathOf = ({ folder, entries, random }: Target): string => join(folder, random.pick(entries));

/** The bytes of an entry with something done to them. */
const changed =
  (change: (bytes: Buffer, random: Random) => Buffer): Damage =>
  (target) => {
    const path = pathOf(target);
    writeFileSync(path, change(readFileSync(path), target.random));
  };

const flip =
  (from: number, to: number, count = 1): ((bytes: Buffer, random: Random) => Buffer) =>
  (bytes, random) => {
    const [first, last] = [Math.floor(from * bytes.length), Math.ceil(to * bytes.length)];
    for (let i = 0; i < count; i++) bytes[first + random.below(last - first)]! ^= 1 << random.below(8);
    return bytes;
  };

const flipStart = (bytes: Buffer, random: Random): Buffer => {
  bytes[random.below(Math.min(300, bytes.length))]! ^= 1 << random.below(8);
  return bytes;
};

/** Something else in the place of an entry. */
const replaced =
  (make: (path: string, target: Target) => void): Damage =>
  (target) => {
    const path = pathOf(target);
    rmSync(path);
    make(path, target);
  };

const fifo = (path: string): void => void spawnSync('mkfifo', [path]);

function swap({ folder, entries, random }: Target): void {
  const [one, two] = [join(folder, random.pick(entries)), join(folder, random.pick(entries))];
  const bytes = readFileSync(one);
  copyFileSync(two, one);
  writeFileSync(two, bytes);
}

const claimed =
  (content: (random: Random) => string, ageSeconds = 0): Damage =>
  ({ folder, entries, random }) => {
    const name = random.pick(entries);
    rmSync(join(folder, name));
    const claim = join(folder, name.replace(/\.llvm$/, '.claim'));
    writeFileSync(claim, content(random));
    const time = new Date(Date.now() - ageSeconds * 1e3);
    utimesSync(claim, time, time);
  };

const ofEveryFolder: Record<string, Damage> = {
  'a bit of the start': changed(flipStart),
  'a bit of the first half': changed(flip(0, 0.5)),
  'a bit anywhere': changed(flip(0, 1)),
  'the last bits': changed((bytes) => {
    bytes[bytes.length - 1]! ^= 1;
    return bytes;
  }),
  'a hundred bits': changed(flip(0, 1, 100)),
  'all bits zero': changed((bytes) => bytes.fill(0)),
  'a page of zeros': changed((bytes, random) => {
    const at = random.below(bytes.length);
    // Not where there is nothing but zeros.
    if (bytes.subarray(at, at + 4096).some((byte) => byte !== 0))
      return bytes.fill(0, at, Math.min(at + 4096, bytes.length));
    return bytes.fill(1, at, Math.min(at + 4096, bytes.length));
  }),
  'cut off': changed((bytes, random) => bytes.subarray(0, random.below(bytes.length))),
  'a byte short': changed((bytes) => bytes.subarray(0, bytes.length - 1)),
  'a byte lost': changed((bytes, random) => {
    const at = random.below(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
  }),
  'something appended': changed((bytes, random) => Buffer.concat([bytes, random.bytes(1 + random.below(50))])),
  'something else': changed((_, random) => random.bytes(random.below(5000))),
  emptied: (target) => truncateSync(pathOf(target)),
  gone: (target) => rmSync(pathOf(target)),
  'larger than any disk': (target) => truncateSync(pathOf(target), 2 ** 42),
  'a folder': replaced((path) => mkdirSync(path)),
  'a folder with files': replaced((path, { random }) => {
    mkdirSync(join(path, 'x'), { recursive: true });
    writeFileSync(join(path, 'x', 'y'), random.bytes(10));
  }),
  'a link to nothing': replaced((path) => symlinkSync('/nowhere/at/all', path)),
  'a link to itself': replaced((path) => symlinkSync(path, path)),
  'a link without end': replaced((path) => symlinkSync('/dev/zero', path)),
  'a link to a folder': replaced((path, { folder }) => symlinkSync(folder, path)),
  'a FIFO': replaced(fifo),
  'a FIFO behind a link': replaced((path) => {
    fifo(`${path}.fifo`);
    symlinkSync(`${path}.fifo`, path);
  }),
  unreadable: (target) => chmodSync(pathOf(target), 0),
  'files of others': ({ folder, random }) => {
    for (const name of ['x', '.llvm', 'y.llvm', 'y.claim', 'z.writing', 'z.simsight', 'making-1'])
      writeFileSync(join(folder, name), random.bytes(20));
    mkdirSync(join(folder, 'folder.llvm'), { recursive: true });
    fifo(join(folder, 'fifo.llvm'));
  },
  'a file in place of the folder': ({ folder }) => {
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
  },
  'a link to nothing in place of the folder': ({ folder }) => {
    rmSync(folder, { recursive: true });
    symlinkSync('/proc/nowhere', folder);
  },
  'no folder': ({ folder }) => rmSync(folder, { recursive: true }),
};

const ofCompiled: Record<string, Damage> = {
  'two swapped': swap,
  'a copy of another': (target) => {
    const from = pathOf(target);
    const to = pathOf(target);
    if (from === to) rmSync(to);
    else copyFileSync(from, to);
  },
  'under the name of another': (target) => {
    const from = pathOf(target);
    renameSync(from, pathOf(target));
  },
  'all under the names of others': ({ folder, entries }) => {
    const contents = entries.map((name) => readFileSync(join(folder, name)));
    entries.forEach((name, i) => writeFileSync(join(folder, name), contents[(i + 1) % contents.length]!));
  },
  'a link to another': replaced((path, { folder, entries }) =>
    symlinkSync(
      join(
        folder,
        entries.find((name) => existsSync(join(folder, name)))!,
      ),
      path,
    ),
  ),
  'headers damaged, and what needs them gone': (target) => {
    for (const name of target.entries) {
      const path = join(target.folder, name);
      if (isHeaders(path)) writeFileSync(path, flip(0, 1, 20)(readFileSync(path), target.random));
      else if (target.random.chance(0.7)) rmSync(path);
    }
  },
  'many at once': (target) => {
    for (let i = 0; i < 5; i++) {
      const path = pathOf(target);
      writeFileSync(path, flip(0, 1)(readFileSync(path), target.random));
    }
  },
  'the claim of a process that is gone': claimed(() => JSON.stringify({ pid: 2 ** 30, host: hostname() })),
  'an old claim': claimed(() => JSON.stringify({ pid: process.pid, host: hostname() }), 3600),
  'a claim of times to come': claimed(() => JSON.stringify({ pid: process.pid, host: hostname() }), -86_400),
  'the claim of another machine': claimed(() => JSON.stringify({ pid: 1, host: 'elsewhere' })),
  'a claim that says nothing': claimed((random) => random.bytes(1 + random.below(50)).toString('latin1')),
  'an empty claim': claimed(() => ''),
  'a claim that is a FIFO': ({ folder, entries, random }) => {
    const name = random.pick(entries);
    rmSync(join(folder, name));
    fifo(join(folder, name.replace(/\.llvm$/, '.claim')));
  },
  'a claim that is a folder': ({ folder, entries, random }) => {
    const name = random.pick(entries);
    rmSync(join(folder, name));
    mkdirSync(join(folder, name.replace(/\.llvm$/, '.claim'), 'x'), { recursive: true });
  },
};

const ofImports: Record<string, Damage> = {
  'a log beside it': (target) => appendFileSync(`${pathOf(target)}-wal`, target.random.bytes(5000)),
  'a journal beside it': (target) => appendFileSync(`${pathOf(target)}-journal`, target.random.bytes(5000)),
  'an older trace of ours': changed((bytes) => {
    // SQLite's user_version: the format.
    bytes.writeUInt32BE(10, 60);
    return bytes;
  }),
};

/** The only entries of that size: precompiled headers, which are read only when something has to be compiled. */
const isHeaders = (path: string): boolean => lstatSync(path).size > 1e6;

/** `room`: no file becomes longer than so many KiB, which to a program is a disk that is full. */
const inHome = (words: string[], home: string, room?: number): Promise<Outcome> =>
  simsight(words, {
    ...{ cwd: tmpdir(), home, environment: { TMPDIR: home }, seconds: mostSeconds, isBuilt: true },
    ...(room === undefined ? {} : { fileKilobytes: room }),
  });

/** One case: a home that nothing has happened to, how to use it, and what that gives. */
interface Case {
  damages: [name: string, damage: Damage][];
  home: string;
  folder: (home: string) => string;
  isEntry: (name: string) => boolean;
  use: (home: string) => Promise<Buffer | string>;
  expected: Buffer;
  blocks?: number;
}

const same = (found: Buffer | string, expected: Buffer, when: string): string | null => {
  if (typeof found === 'string') return `${when}: ${found}`;
  return found.equals(expected) ? null : `${when} something else came out`;
};

/** Which file lies under each name of an entry: another where it was written anew. */
const filesIn = (folder: string, names: string[]): string =>
  names.map((name) => lstatSync(join(folder, name), { throwIfNoEntry: false })?.ino ?? 'none').join(' ');

async function tryOne(one: Case, damage: Damage, random: Random, home: string): Promise<string | null> {
  try {
    cpSync(one.home, home, { recursive: true });
    const folder = one.folder(home);
    const entries = readdirSync(folder).filter(one.isEntry).sort();
    damage({ folder, entries, random });
    const failure = same(await one.use(home), one.expected, 'with the damage');
    if (failure) return failure;
    const isFolder = lstatSync(folder).isDirectory();
    const before = isFolder ? filesIn(folder, entries) : '';
    const again = same(await one.use(home), one.expected, 'afterwards');
    if (again) return again;
    if (!isFolder) return null;
    if (filesIn(folder, entries) !== before) return 'it was made anew a second time';
    const pristine = one.folder(one.home);
    for (const name of entries.filter((entry) => !isHeaders(join(pristine, entry)))) {
      const path = join(folder, name);
      if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return `${name} has not healed`;
      if (!readFileSync(path).equals(readFileSync(join(pristine, name)))) return `${name} has not healed`;
    }
    return null;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** `room`: as for {@link inHome}. Gives the trace, or what went wrong. */
const record =
  (source: string, room?: number) =>
  async (home: string): Promise<Buffer | string> => {
    const output = join(home, 'out.simsight');
    rmSync(output, { force: true });
    const { code, stdout, stderr } = await inHome(['record', source, '--force', '-o', output], home, room);
    return code === 0 && stderr === '' ? readFileSync(output) : `exit code ${code}\n${stdout}\n${stderr}`;
  };

async function full(source: string, expected: Buffer, home: string): Promise<string | null> {
  try {
    // Room for the trace, not for the headers.
    const failure = same(await record(source, 1500)(home), expected, 'with a full disk');
    if (failure) return failure;
    const left = readdirSync(join(home, 'cache')).filter((name) => !name.endsWith('.llvm'));
    if (left.length > 0) return `left behind: ${left.join(', ')}`;
    return same(await record(source)(home), expected, 'afterwards');
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function run(options: AbuseOptions): Promise<void> {
  const { folder, seed, count = usualCount } = options;
  const source = join(folder, 'app.cu');
  writeFileSync(source, program);
  const exported = sample('nsys-streams.sqlite', folder);
  const home = join(folder, 'home');

  const recorded = await record(source)(home);
  if (typeof recorded === 'string') throw new Error(recorded);
  const table = async (at: string): Promise<Buffer | string> => {
    const { code, stdout, stderr } = await inHome(['stats', exported, '-r', 'cuda_gpu_trace', '-f', 'csv'], at);
    return code === 0 && stderr === '' ? Buffer.from(stdout) : `exit code ${code}\n${stderr}`;
  };
  const imported = await table(home);
  if (typeof imported === 'string') throw new Error(imported);

  const compiled: Case = {
    damages: Object.entries({ ...ofEveryFolder, ...ofCompiled }),
    home,
    folder: (at) => join(at, 'cache'),
    isEntry: (name) => name.endsWith('.llvm'),
    use: record(source),
    expected: recorded,
  };
  const imports: Case = {
    damages: Object.entries({ ...ofEveryFolder, ...ofImports }),
    home,
    folder: (at) => join(at, 'cache', 'imports'),
    isEntry: (name) => name.endsWith('.simsight'),
    use: table,
    expected: imported,
  };

  const work: (() => Promise<void>)[] = Array.from({ length: count }, (_, number) => () => {
    const random = new Random(seed, 'cache', number);
    // Five of six are of what is compiled; each kind of damage has its turn.
    const one = number % 6 === 5 ? imports : compiled;
    const [name, damage] =
      one.damages[Math.floor(one === imports ? number / 6 : number - number / 6) % one.damages.length]!;
    const what = `${number}: ${one === imports ? 'an import' : 'what is compiled'}, ${name}`;
    return attempt(options, what, () => tryOne(one, damage, random, join(folder, `home-${number}`)));
  });
  work.push(
    () => attempt(options, 'no room for what is compiled', () => full(source, recorded, join(folder, 'home-full'))),
    () =>
      attempt(options, 'four at once in an empty home', async () => {
        const at = join(folder, 'home-shared');
        const outputs = [1, 2, 3, 4].map((i) => join(folder, `${i}.simsight`));
        const runs = await Promise.all(
          outputs.map((output) => inHome(['record', source, '--force', '-o', output], at)),
        );
        const failed = runs.find(({ code, stderr }) => code !== 0 || stderr !== '');
        if (failed) return `exit code ${failed.code}\n${failed.stderr}`;
        return outputs.every((output) => readFileSync(output).equals(recorded)) ? null : 'something else came out';
      }),
    () =>
      attempt(options, 'the claim of a process that lives, and does nothing', () =>
        tryOne(
          compiled,
          claimed(() => JSON.stringify({ pid: process.pid, host: hostname() })),
          new Random(seed, 'claim'),
          join(folder, 'home-claim'),
        ),
      ),
  );
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let next = work.shift(); next; next = work.shift()) await next();
    }),
  );
}

export const cache: Section = {
  name: 'cache',
  title: 'damaged caches: the same trace comes out, byte for byte, and what was damaged is whole afterwards',
  run,
};
