/**
 * Opens spoilt files one after the other: numbers come by message, what became of each goes back. Ended by its parent where one
 * takes too long.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { exercise } from './exercise.ts';
import { spoil } from './mutations.ts';
import { Random } from './random.ts';
import { makeSources, type Source } from './sources.ts';

export interface Order {
  number: number;
  seed: string;
  kind?: string;
}
export interface Report {
  number: number;
  kind: string;
  source: string;
  result: string;
  failures: string[];
  milliseconds: number;
}

/** Resident memory after a file; all of it together with Node's own. */
const mostMemory = 1.5e9;
const [sourceFolder, workFolder] = process.argv.slice(2) as [string, string];
const sources = await makeSources(sourceFolder);

async function run({ number, seed, kind }: Order, all: readonly Source[]): Promise<Report> {
  // Leftovers in the folder for temporary files are found there.
  const [folder, scratch, temporary] = ['file', 'scratch', 'tmp'].map((name) => join(workFolder, name)) as [
    string,
    string,
    string,
  ];
  for (const each of [folder, scratch, temporary]) {
    rmSync(each, { recursive: true, force: true });
    mkdirSync(each, { recursive: true });
  }
  process.env['TMPDIR'] = temporary;
  const random = new Random(seed, kind ?? 'all', number);
  const spoilt = spoil(all, random, folder, kind);
  const path = join(folder, spoilt.name);
  const hashes = (): string =>
    readdirSync(folder)
      .sort()
      .map((name) => `${name} ${hashOf(join(folder, name))} ${statSync(join(folder, name)).mtimeMs}`)
      .join('\n');
  const before = hashes();
  const start = performance.now();
  // The contents of a schema are exported by its names.
  const { result, failures } = await exercise(path, random, scratch, spoilt.kind === 'schema' ? 0.5 : 0.08);
  const milliseconds = performance.now() - start;
  if (hashes() !== before)
    failures.push(`the file was written to, or something was left beside it:\n${before}\n${hashes()}`);
  const left = readdirSync(temporary);
  if (left.length > 0) failures.push(`left in the folder for temporary files: ${left.join(', ')}`);
  const { rss } = process.memoryUsage();
  if (rss > mostMemory) failures.push(`${Math.round(rss / 1e6)} MB of memory in use afterwards`);
  return { number, ...spoilt, result, failures, milliseconds };
}

const hashOf = (path: string): string =>
  existsSync(path) ? createHash('sha1').update(readFileSync(path)).digest('hex') : 'gone';

process.on('message', (order: Order) => {
  run(order, sources).then(
    (report) => process.send!(report),
    (error: unknown) => {
      // Making the file failed: a mistake here, not in what is tested.
      const failures = [`the file could not be made: ${error instanceof Error ? error.stack : String(error)}`];
      process.send!({
        number: order.number,
        kind: order.kind ?? '?',
        source: '?',
        result: 'refused',
        failures,
        milliseconds: 0,
      });
    },
  );
});
process.send!('ready');
