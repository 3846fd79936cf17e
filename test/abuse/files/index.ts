/**
 * Files that are made to take all time, memory or disk of whoever opens them, each through six commands, each of these in a process of
 * its own: it answers or refuses clearly, within limits, and leaves nothing behind.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { allKinds, spoil } from '../../fuzz/mutations.ts';
import { Random } from '../../fuzz/random.ts';
import { makeSources, type Source } from '../../fuzz/sources.ts';
import { reportNames } from '../../../engine/analysis/reports.ts';
import { attempt, type AbuseOptions, type Section } from '../section.ts';
import { chromeFiles, type Make } from './chrome.ts';
import { runCommand, type Ran } from './command-line.ts';
import { sqliteFiles } from './sqlite.ts';
import { besides } from './besides.ts';

/** The limits of every command on any file: time by the clock, and memory. */
const limits = { limitMs: 20_000, limitBytes: 1e9 };
const usualCount = 400;
const atOnce = 2;
/** The most disk for a file: a trace that is made of it, beside twice its own size. Bytes. */
const mostKept = 2e9;

const made: Readonly<Record<string, Make>> = { ...chromeFiles, ...sqliteFiles };
/** One in so many is a file of the fuzzing tests, and one has hostile files beside it. */
const [spoiltEvery, besideEvery] = [8, 9];

export const files: Section = {
  name: 'files',
  title: 'hostile files, each through stats, advise, compare, report, export and sql',
  async run(options) {
    const { folder, seed, count = usualCount, from = 0 } = options;
    const sources = await makeSources(join(folder, 'sources'));
    let next = from;
    const work = async (worker: number): Promise<void> => {
      while (next < from + count) await oneFile(options, next++, join(folder, `worker-${worker}`), sources, seed);
    };
    await Promise.all(Array.from({ length: atOnce }, (_, worker) => work(worker)));
  },
};

async function oneFile(
  options: AbuseOptions,
  number: number,
  place: string,
  sources: readonly Source[],
  seed: string,
): Promise<void> {
  const random = new Random(seed, 'files', number);
  const [folder, home, temporary, out] = ['files', 'home', 'tmp', 'out'].map((name) => join(place, name)) as [
    string,
    string,
    string,
    string,
  ];
  rmSync(place, { recursive: true, force: true });
  for (const each of [folder, home, temporary, out]) mkdirSync(each, { recursive: true });
  const { kind, path, more } = await make(number, random, folder, home, sources);
  const name = `${number}: ${kind}`;
  const size = statSync(path).size;
  const before = readdirSync(folder).sort().join();
  const export_ = random.pick([
    ['trace.json'],
    ['trace.json.gz'],
    ['trace.sqlite'],
    ['tables.parquet'],
    ['nsys.sqlite', '--only-nsys'],
    ['names.csv', '--table', 'StringIds'],
    ['gpu.csv', '--report', 'cuda_gpu_trace'],
  ]);
  const commands: string[][] = [
    ['stats', path, '--report', reportNames.join()],
    ['advise', path, '--format', random.pick(['text', 'json'])],
    ['compare', path, path, '-o', join(out, `compared.${random.pick(['html', 'md', 'json', 'txt'])}`)],
    ['report', path, '-o', join(out, random.pick(['report.html', 'report.md'])), ...more],
    ['export', path, '-o', join(out, export_[0]!), ...export_.slice(1)],
    [
      'sql',
      path,
      random.pick([
        'SELECT * FROM StringIds',
        'SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY end - start DESC',
        'SELECT text, count(*) FROM NVTX_EVENTS GROUP BY text',
        'SELECT * FROM SIMSIGHT_RECORDING',
      ]),
    ],
  ];
  const env = { ...process.env, SIMSIGHT_HOME: home, TMPDIR: temporary };
  for (const words of commands) {
    await attempt(options, `${name}: ${words[0]}`, async () => {
      const ran = await runCommand(words, { cwd: out, env, ...limits });
      return wrongWith(ran) ?? leftovers(home, temporary, out, size);
    });
  }
  await attempt(options, `${name}: stays as it is`, () => {
    const after = readdirSync(folder).sort().join();
    return after === before && statSync(path).size === size ? null : `beside it: ${after}`;
  });
  rmSync(place, { recursive: true, force: true });
}

async function make(
  number: number,
  random: Random,
  folder: string,
  home: string,
  sources: readonly Source[],
): Promise<{ kind: string; path: string; more: string[] }> {
  if (number % spoiltEvery === spoiltEvery - 1) {
    const spoilt = spoil(sources, random, folder, random.pick(allKinds));
    return { kind: `spoilt, ${spoilt.kind} of ${spoilt.source}`, path: join(folder, spoilt.name), more: [] };
  }
  if (number % besideEvery === besideEvery - 1) {
    const path = join(folder, 'trace.simsight');
    copyFileSync(sources.find(({ name }) => name === 'example.simsight')!.path, path);
    const [kind, write] = random.pick(Object.entries(besides));
    return { kind, path, more: write({ path, home, random }) };
  }
  const kinds = Object.entries(made);
  const [kind, write] = kinds[number % kinds.length]!;
  const stem = join(folder, 'hostile');
  return { kind, path: `${stem}${await write(stem, random)}`, more: [] };
}

function wrongWith({ code, signal, stderr, milliseconds, cpuMilliseconds, memory, tooLate }: Ran): string | null {
  const figures = `(${(milliseconds / 1000).toFixed(1)} s, ${(cpuMilliseconds / 1000).toFixed(1)} s of a core, ${Math.round(memory / 1e6)} MB)`;
  if (tooLate) return `it takes longer than ${limits.limitMs / 1000} s ${figures}`;
  if (memory > limits.limitBytes) return `it takes more than ${limits.limitBytes / 1e6} MB ${figures}`;
  if (signal !== null || code === null) return `it died: ${signal} ${figures} ${stderr.slice(-500)}`;
  if (/bug in Simsight|^ {4}at /m.test(stderr)) return `it fails by itself ${figures}: ${stderr.slice(0, 1500)}`;
  if (code !== 0 && stderr.trim() === '') return `it fails without a word (code ${code})`;
  if (stderr.length > 3500) return `it says too much: ${stderr.slice(0, 300)}`;
  return code > 4 ? `code ${code}: ${stderr}` : null;
}

/** Nothing half made stays, and no more than the file is worth. */
function leftovers(home: string, temporary: string, out: string, size: number): string | null {
  const left = readdirSync(temporary);
  if (left.length > 0) return `left in the folder for temporary files: ${left.join(', ')}`;
  const imports = join(home, 'cache', 'imports');
  const half = existsSync(imports) ? readdirSync(imports).filter((name) => !name.endsWith('.simsight')) : [];
  if (half.length > 0) return `left half made: ${half.join(', ')}`;
  const written = readdirSync(out).filter((name) => /writing|part|tmp/.test(name));
  if (written.length > 0) return `left beside the result: ${written.join(', ')}`;
  const kept = bytesIn(home) + bytesIn(out);
  return kept > mostKept + 2 * size ? `${Math.round(kept / 1e6)} MB are kept of ${Math.round(size / 1e6)} MB` : null;
}

const bytesIn = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true, recursive: true }).reduce(
    (sum, each) => sum + (each.isFile() ? statSync(join(each.parentPath, each.name)).size : 0),
    0,
  );
