/**
 * Results of a GPU, a line per entry: its name, a tab, and its results one after the other, as wide as the type, deflated
 * and in base 64. Lines that begin with # say what measured them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Entry } from './entry.ts';
import { scalar } from './values.ts';

export const goldenFile = new URL('../reference/semantics/h100.txt', import.meta.url);

export function readGolden(): Map<string, Buffer> {
  const lines = readFileSync(goldenFile, 'utf8').split('\n');
  return new Map(
    lines
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const [name, data] = line.split('\t') as [string, string];
        return [name, inflateRawSync(Buffer.from(data, 'base64'))];
      }),
  );
}

export function expectedOf(entry: Entry, data: Buffer): bigint[] {
  const { bytes } = scalar(entry.result);
  return Array.from({ length: data.length / bytes }, (_, i) =>
    bytes === 8 ? data.readBigUInt64LE(8 * i) : BigInt(data.readUIntLE(bytes * i, bytes)),
  );
}

export function writeGolden(card: string, results: Iterable<[Entry, readonly bigint[]]>): void {
  const lines = [
    `# ${card}`,
    '# A line per entry: name, tab, results side by side, deflated, in base 64 (test/semantics/golden.ts).',
  ];
  for (const [entry, values] of results) {
    const { bytes } = scalar(entry.result);
    const data = Buffer.alloc(bytes * values.length);
    values.forEach((value, i) =>
      bytes === 8 ? data.writeBigUInt64LE(value, 8 * i) : data.writeUIntLE(Number(value), bytes * i, bytes),
    );
    lines.push(`${entry.name}\t${deflateRawSync(data, { level: 9 }).toString('base64')}`);
  }
  writeFileSync(goldenFile, `${lines.join('\n')}\n`);
}

const randomFile = new URL('../reference/semantics/random.txt', import.meta.url);
/** Digests of the results of random kernels on the GPU, from number 0 on. */
export const readRandom = (): string[] =>
  readFileSync(randomFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
export function writeRandom(card: string, digests: readonly string[]): void {
  const lines = [
    `# ${card}`,
    '# Of random kernel 0, 1, …: the first 16 digits of the SHA-256 of what it left (test/semantics/random.ts).',
  ];
  writeFileSync(randomFile, `${[...lines, ...digests].join('\n')}\n`);
}
