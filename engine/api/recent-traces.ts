/** The list of recently opened traces, `recent.json` in the data folder. A broken or missing list is an empty one. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readSmallFile, replaceFile } from '../base/replace-file.ts';
import type { RecentTrace } from './types.ts';

const kept = 20;
const mostBytes = 2 ** 20;
const stored = z.array(z.object({ path: z.string(), title: z.string(), gpu: z.string(), openedAt: z.number() }));

export class RecentTraces {
  private readonly file: string;

  constructor(dataFolder: string) {
    this.file = join(dataFolder, 'recent.json');
  }

  /** Newest first; traces that are gone are left out. */
  list(): RecentTrace[] {
    return this.read().filter(({ path }) => existsSync(path));
  }

  add(trace: RecentTrace): void {
    const others = this.read().filter(({ path }) => path !== trace.path);
    const list = [trace, ...others].slice(0, kept);
    try {
      replaceFile(this.file, `${JSON.stringify(list, null, 2)}\n`);
    } catch {
      // A home that cannot be written must not keep a trace from opening.
    }
  }

  clear(): void {
    try {
      replaceFile(this.file, '[]\n');
    } catch {
      // As above.
    }
  }

  private read(): RecentTrace[] {
    try {
      return stored.parse(JSON.parse(readSmallFile(this.file, mostBytes)));
    } catch {
      return [];
    }
  }
}
