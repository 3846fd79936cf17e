/**
 * Kernels that somebody said are the same although they are called otherwise, before and after. They are of programs, not of single
 * recordings: `kernel-pairs.json` in the data folder holds them for all.
 *
 *   store.write([['matmulNaive', 'matmulTiled']]);
 *   store.read();
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { SimsightError } from '../base/errors.ts';
import { readSmallFile, replaceFile } from '../base/replace-file.ts';
import type { KernelPair } from '../model/comparison.ts';

const mostBytes = 2 ** 20;
const name = z.string().min(1).max(8192);
export const kernelPairs = z.array(z.tuple([name, name])).max(500);
const stored = z.object({ simsight: z.literal('kernel-pairs'), version: z.literal(1), pairs: kernelPairs });

export class KernelPairsStore {
  private readonly file: string;

  constructor(dataFolder: string) {
    this.file = join(dataFolder, 'kernel-pairs.json');
  }

  /** None where there is no file; throws `pairs-unreadable` where there is one that is none of ours. */
  read(): KernelPair[] {
    if (!existsSync(this.file)) return [];
    try {
      return stored.parse(JSON.parse(readSmallFile(this.file, mostBytes))).pairs;
    } catch (error) {
      const why =
        error instanceof z.ZodError ? 'it is not a file of kernel pairs' : error instanceof Error ? error.message : '';
      throw new SimsightError(
        'pairs-unreadable',
        `The pairs of kernels in ${this.file} cannot be read: ${why}.`,
        'Correct or move that file.',
        { file: this.file },
      );
    }
  }

  /** All pairs at once. Throws `pairs-unwritable`, and `pairs-unreadable` rather than write over what is none of ours. */
  write(pairs: readonly KernelPair[]): KernelPair[] {
    this.read();
    try {
      replaceFile(this.file, `${JSON.stringify({ simsight: 'kernel-pairs', version: 1, pairs }, null, 2)}\n`);
    } catch (error) {
      throw new SimsightError(
        'pairs-unwritable',
        `${this.file} cannot be written: ${error instanceof Error ? error.message : String(error)}.`,
        'Make its folder writable.',
        { file: this.file },
      );
    }
    return this.read();
  }
}

/** Both ways: a trace may be the one before today, and the one after tomorrow. */
export const bothWays = (pairs: readonly KernelPair[]): KernelPair[] => [
  ...pairs,
  ...pairs.map(([before, after]): KernelPair => [after, before]),
];
