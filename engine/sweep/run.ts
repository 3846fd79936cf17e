/**
 * Runs the jobs of a sweep that are not done, several at a time.
 *
 *   const { lost } = await runSweep({ folder, runner: processRunner(), jobs: 8, cacheFolder, signal });
 *
 * Stopped at any moment, by a signal or by the power, it leaves a folder that the next run goes on with: a job is done when its
 * result is there, which is written last and in one go.
 */
import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, hostname } from 'node:os';
import { resolve } from 'node:path';
import type { SweepProgress } from '../model/sweep.ts';
import { reportOf, SimsightError, type ErrorReport } from '../base/errors.ts';
import { version as engineVersion } from '../base/version.ts';
import { labelOf } from './axes.ts';
import { isAlive } from '../base/unfinished-files.ts';
import { removeParts } from './job.ts';
import {
  checkSweepIn,
  lockPath,
  makeManifest,
  partOf,
  readJson,
  readManifest,
  writeManifest,
  type SweepManifest,
  type SweepRequest,
} from './manifest.ts';
import { readResult, removeResult } from './results.ts';
import { checkFiles } from './sources.ts';
import type { JobRunner } from './workers.ts';

export interface SweepRun {
  folder: string;
  runner: JobRunner;
  /** At a time; as many as there are cores if not given. */
  jobs?: number | undefined;
  cacheFolder: string;
  /** Do those again that failed. */
  retryFailed?: boolean;
  signal: AbortSignal;
  onProgress?: (progress: SweepProgress) => void;
}

export interface SweepOutcome {
  /** Jobs that have no result through no fault of their own: the next run tries them again. */
  lost: { id: string; label: string; error: ErrorReport }[];
}

/**
 * Makes the sweep in a folder, or finds it there; one of the same program that has other values gets the new ones, and keeps
 * the results that both have. Throws `sweep-differs` where there is a sweep of something else.
 */
export function prepareSweep(folder: string, request: SweepRequest): SweepManifest {
  const manifest = makeManifest(folder, request);
  checkSweepIn(folder, manifest, 'Choose another folder with --output.');
  writeManifest(folder, manifest);
  return manifest;
}

/** Throws `sweep-running` where another process is at it, `sweep-differs` where files or Simsight are not the same any more. */
export async function runSweep(call: SweepRun): Promise<SweepOutcome> {
  const { runner, signal } = call;
  const folder = resolve(call.folder);
  const manifest = readManifest(folder);
  const { jobs, axes } = manifest;
  if (manifest.engine !== engineVersion) {
    throw new SimsightError(
      'sweep-differs',
      `The sweep in ${folder} was made by Simsight ${manifest.engine}, and this is ${engineVersion}.`,
      'Start a new sweep in another folder.',
    );
  }
  checkFiles(folder, manifest.files);
  const release = lock(folder);
  const lost: SweepOutcome['lost'] = [];
  try {
    removeParts(folder);
    const pending: number[] = [];
    let failed = 0;
    jobs.forEach(({ id }, index) => {
      const result = readResult(folder, manifest, id);
      if (result?.status === 'failed' && call.retryFailed) removeResult(folder, id);
      else if (result?.status === 'failed') failed++;
      if (result === null || (result.status === 'failed' && call.retryFailed)) pending.push(index);
    });
    const cores = availableParallelism();
    const side = Math.max(1, Math.min(call.jobs ?? cores, pending.length));
    const threads = Math.max(1, Math.floor(cores / side));
    let done = jobs.length - pending.length;
    const running = new Set<number>();
    const report = (): void =>
      call.onProgress?.({
        total: jobs.length,
        done,
        failed,
        running: [...running].map((index) => labelOf(axes, jobs[index]!.point)),
      });
    const work = async (): Promise<void> => {
      for (let index = pending.shift(); index !== undefined && !signal.aborted; index = pending.shift()) {
        running.add(index);
        report();
        try {
          const { status } = await runner.run({ folder, index, cacheFolder: call.cacheFolder, threads }, signal);
          done++;
          if (status === 'failed') failed++;
        } catch (error) {
          const reported = reportOf(error);
          if (reported.code === 'cancelled') return;
          lost.push({ id: jobs[index]!.id, label: labelOf(axes, jobs[index]!.point), error: reported });
        } finally {
          running.delete(index);
        }
        report();
      }
    };
    report();
    await Promise.all(Array.from({ length: side }, work));
    if (signal.aborted) throw new SimsightError('cancelled', 'The sweep was cancelled.');
    return { lost };
  } finally {
    await runner.close();
    removeParts(folder);
    release();
  }
}

/** One process at a time runs a folder's jobs; what a killed one left is taken over. */
function lock(folder: string): () => void {
  const path = lockPath(folder);
  const own = partOf(path);
  writeFileSync(own, JSON.stringify({ pid: process.pid, host: hostname() }));
  try {
    while (!linked(own, path)) {
      const holder = holderOf(path);
      if (holder === null) continue;
      if (holder.host !== hostname() || isAlive(holder.pid)) throw runningElsewhere(folder, path, holder);
      // If several processes take it over, one succeeds and the others try again.
      const stale = `${own}.stale`;
      if (!moved(path, stale)) continue;
      if (holderOf(stale)?.pid !== holder.pid) linked(stale, path);
      rmSync(stale, { force: true });
    }
  } finally {
    rmSync(own, { force: true });
  }
  return () => rmSync(path, { force: true });
}

function runningElsewhere(folder: string, path: string, { pid, host }: Holder): SimsightError {
  return new SimsightError(
    'sweep-running',
    `Process ${pid} on ${host} is running the sweep in ${folder}.`,
    `Wait for it to end; if there is no such process, delete ${path}.`,
    { file: path },
  );
}

interface Holder {
  pid: number;
  host: string;
}

/** null: it has just been released. */
function holderOf(path: string): Holder | null {
  const read = readJson(path);
  return read === undefined ? { pid: 0, host: 'another program' } : (read as Holder | null);
}

/** A link has all of its content from the start. False where there is one already. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** False where it is gone. */
function moved(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
