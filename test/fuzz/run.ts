/** Has spoilt files opened in processes of their own, and watches over them. */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Order, Report } from './child.ts';
import { makeSources } from './sources.ts';

export interface FuzzOptions {
  /** Numbers of files. */
  from: number;
  count: number;
  seed: string;
  /** One of {@link file://./mutations.ts}; all when absent. */
  kind?: string;
  /** Traces of real programs to take as well. */
  recorded?: readonly string[];
  processes?: number;
  onReport?: (report: Report) => void;
}

/** No file takes longer, whatever is in it (ms). */
export const mostMilliseconds = 10_000;
/** A process is replaced after so many files: what one leaves must not hide behind the next for ever. */
const filesPerProcess = 500;

/** Reports of all files, in any order. */
export async function fuzz(options: FuzzOptions): Promise<Report[]> {
  const folder = mkdtempSync(join(tmpdir(), 'simsight-fuzz-'));
  const sources = join(folder, 'sources');
  const reports: Report[] = [];
  let next = options.from;
  const stop = options.from + options.count;
  const done = (report: Report): void => {
    reports.push(report);
    options.onReport?.(report);
  };
  try {
    await makeSources(sources, options.recorded);
    await Promise.all(
      Array.from({ length: options.processes ?? 2 }, async (_, worker) => {
        while (next < stop) {
          await oneProcess(
            [sources, join(folder, `work-${worker}`)],
            () => {
              if (next >= stop) return null;
              return {
                number: next++,
                seed: options.seed,
                ...(options.kind === undefined ? {} : { kind: options.kind }),
              };
            },
            done,
          );
        }
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return reports;
}

/** Until it has done its share, or dies, or is killed because a file takes too long. */
function oneProcess(folders: string[], take: () => Order | null, done: (report: Report) => void): Promise<void> {
  return new Promise((finished) => {
    const child: ChildProcess = fork(new URL('./child.ts', import.meta.url), folders, {
      execArgv: ['--max-old-space-size=1024'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let errors = '';
    child.stderr?.on('data', (text: Buffer) => (errors = (errors + text.toString()).slice(-2000)));
    let current: Order | null = null;
    let watch: NodeJS.Timeout | undefined;
    let left = filesPerProcess;
    const fail = (text: string): void => {
      if (!current) return;
      const { number, kind } = current;
      current = null;
      done({
        number,
        kind: kind ?? '?',
        source: '?',
        result: 'refused',
        failures: [text],
        milliseconds: mostMilliseconds,
      });
    };
    const more = (): void => {
      clearTimeout(watch);
      current = left-- > 0 ? take() : null;
      if (!current) {
        child.disconnect();
        return;
      }
      watch = setTimeout(() => {
        fail(`took longer than ${mostMilliseconds / 1000} s`);
        child.kill('SIGKILL');
      }, mostMilliseconds);
      child.send(current);
    };
    child.on('message', (message: Report | 'ready') => {
      if (message !== 'ready') {
        current = null;
        done(message);
      }
      more();
    });
    child.on('exit', (code, signal) => {
      clearTimeout(watch);
      fail(`the process died: ${signal ?? `code ${code}`} ${errors}`);
      finished();
    });
  });
}
