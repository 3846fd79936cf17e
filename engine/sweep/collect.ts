/**
 * Results of a sweep from the folders where its jobs ran, put into one. What is missing or damaged is told, never an error; what
 * belongs to another sweep is an error before anything is copied.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SimsightError } from '../base/errors.ts';
import { ownTarget, traceTarget } from '../base/targets.ts';
import {
  differenceOf,
  jobId,
  jobsFolder,
  movedManifest,
  partOf,
  readManifest,
  sweepIn,
  writeManifest,
  type SweepManifest,
} from './manifest.ts';
import { fileOf, readResult, resultPath, sweepOfResult, tracePath, type JobResult } from './results.ts';

export interface Collection {
  manifest: SweepManifest;
  /** Jobs that were copied now. */
  collected: number;
  /** Jobs that no folder has, by their number. */
  missing: number[];
  /** Jobs whose files are there and cannot be used. */
  damaged: number[];
}

/** Into `target`, which may be one of the folders; a sweep there has to be the same. */
export function collectSweep(target: string, folders: readonly string[]): Collection {
  const into = resolve(target);
  const from = [...new Set(folders.map((folder) => resolve(folder)))];
  const manifests = from.map(readManifest);
  const manifest = merged(from, manifests);
  for (const [i, folder] of from.entries()) checkResults(folder, manifests[i]!);
  if (sweepIn(into) === null) writeManifest(into, movedManifest(manifest, from[0]!, into));
  else {
    const there = readManifest(into);
    const difference = differenceOf(there, manifest);
    if (difference !== null) throw differs(from[0]!, into, difference);
    writeManifest(into, { ...manifest, files: there.files, options: there.options });
  }
  let collected = 0;
  const missing: number[] = [];
  const damaged: number[] = [];
  mkdirSync(jobsFolder(into), { recursive: true });
  manifest.jobs.forEach(({ id }, index) => {
    const there = readResult(into, manifest, id);
    if (there !== null && isWhole(into, there)) return;
    const source = from.find((folder) => {
      const result = readResult(folder, manifest, id);
      return result !== null && isWhole(folder, result);
    });
    if (source !== undefined && source !== into) {
      // The result last: it says that the job is done.
      if (existsSync(tracePath(source, id))) copyWhole(tracePath(source, id), traceTarget(tracePath(into, id)));
      copyWhole(resultPath(source, id), ownTarget(resultPath(into, id)));
      collected++;
    } else if (from.some((folder) => existsSync(resultPath(folder, id)) || existsSync(tracePath(folder, id))))
      damaged.push(index);
    else missing.push(index);
  });
  return { manifest, collected, missing, damaged };
}

/** The one sweep that all folders have. */
function merged(folders: readonly string[], manifests: readonly SweepManifest[]): SweepManifest {
  const [first, ...others] = manifests as [SweepManifest, ...SweepManifest[]];
  others.forEach((other, i) => {
    const difference = differenceOf(first, other);
    if (difference !== null) throw differs(folders[i + 1]!, folders[0]!, difference);
    if (JSON.stringify(other.axes) !== JSON.stringify(first.axes))
      throw differs(folders[i + 1]!, folders[0]!, 'its axes have other values');
  });
  return first;
}

const differs = (one: string, other: string, difference: string): SimsightError =>
  new SimsightError(
    'sweep-differs',
    `The results in ${one} do not belong to the sweep in ${other}: ${difference}.`,
    'Collect only folders of the same sweep.',
    { file: one },
  );

/** Files that were put into a folder from somewhere else. */
function checkResults(folder: string, { fingerprint }: SweepManifest): void {
  if (!existsSync(jobsFolder(folder))) return;
  for (const name of readdirSync(jobsFolder(folder))) {
    const id = name.replace(/\.json$/, '');
    if (!name.endsWith('.json') || !jobId.test(id)) continue;
    const path = join(jobsFolder(folder), name);
    const result = sweepOfResult(path);
    if (result === null || result.sweep === fingerprint) continue;
    throw new SimsightError(
      'sweep-differs',
      `${path} is not a result of the sweep in ${folder}: its sources or options differ.`,
      'Remove the file, or collect it with its own sweep.',
      { file: path },
    );
  }
}

/** Copies over a network have been seen to be cut. */
function isWhole(folder: string, { id, trace }: JobResult): boolean {
  if (trace === null) return true;
  return fileOf(tracePath(folder, id)).sha256 === trace.sha256;
}

function copyWhole(from: string, to: string): void {
  const part = partOf(to);
  try {
    copyFileSync(from, part);
    renameSync(part, to);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}
