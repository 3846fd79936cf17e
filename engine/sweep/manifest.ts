/**
 * `sweep.json`: what a sweep is of, and its jobs. Results are not in it: each job has a file of its own (`results.ts`), so
 * that any number of processes, on any number of machines, can work on one folder without agreeing on anything.
 *
 *   FOLDER/sweep.json          this
 *   FOLDER/jobs/ID.simsight    a job's trace
 *   FOLDER/jobs/ID.json        its result; a job is done when this is there
 *   FOLDER/log.jsonl           when jobs began and ended
 *
 * The id of a job is a hash of everything that its trace depends on: files, options, parameters, version. So the same id
 * is the same result, in whichever folder and on whichever machine.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';
import type { SweepAxis } from '../model/sweep.ts';
import { SimsightError } from '../base/errors.ts';
import { readSmallFile } from '../base/replace-file.ts';
import { ownTarget } from '../base/targets.ts';
import { version as engineVersion } from '../base/version.ts';
import { callOptions, sweepAxisKinds, type OptionOf, type RecordOptions } from '../model/record-options.ts';
import { optionsShape, text, texts } from '../model/record-schema.ts';
import { checkedAxes, checkPlaceholders, parametersAt, pointsOf } from './axes.ts';
import { filesOf, pathFrom, type SweepFile } from './sources.ts';

/** Raise it when older versions of Simsight would misread the file. */
export const manifestVersion = 1;
export const manifestName = 'sweep.json';
export const jobId = /^[0-9a-f]{16}$/;

const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** Options shared by all jobs; macros, environment and arguments may name axes in braces. Folders are relative to the sweep's. */
type JobOption = Exclude<OptionOf<'sweep'>, 'sources' | 'title'>;
const jobOptions = callOptions('sweep').filter((id): id is JobOption => id !== 'sources' && id !== 'title');
/** A job's id depends on them, so that they are in its manifest whether or not they are given. */
const alwaysSaid = ['detail', 'checks', 'coldStart'] as const;
export type SweepOptions = Pick<RecordOptions, JobOption> & Required<Pick<RecordOptions, (typeof alwaysSaid)[number]>>;

const manifestSchema = z.strictObject({
  format: z.literal('simsight-sweep'),
  version: z.literal(manifestVersion),
  engine: z.string().max(64),
  title: text,
  /** Digest of everything that its jobs share. */
  fingerprint: hash,
  files: z
    .array(
      z.strictObject({
        role: z.enum(['source', 'header', 'data']),
        path: text,
        name: text,
        sha256: hash,
      }),
    )
    .min(1)
    .max(100_000),
  options: z.strictObject(optionsShape(jobOptions, alwaysSaid)),
  axes: z
    .array(z.strictObject({ kind: z.enum(sweepAxisKinds), name: text, values: texts.min(1) }))
    .min(1)
    .max(100),
  metric: text,
  jobs: z.array(z.strictObject({ id: z.string().regex(jobId), point: texts })).min(1),
});
export type SweepManifest = z.infer<typeof manifestSchema>;

/** Request for a sweep, with paths as the caller has them. */
export interface SweepRequest extends SweepOptions {
  sources: string[];
  /** Files that the program reads. */
  data: string[];
  axes: SweepAxis[];
  metric: string;
  title?: string | undefined;
}

const digest = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');

/** The sweep for a folder that need not be there. */
export function makeManifest(folder: string, request: SweepRequest): SweepManifest {
  const { sources, data, metric, title, axes: asked, ...options } = request;
  const full = resolve(folder);
  const axes = checkedAxes(asked);
  checkPlaceholders(axes, options);
  const files = filesOf(full, sources, options.includeFolders, data);
  const fingerprint = fingerprintOf(engineVersion, files, options);
  const checked = manifestSchema.safeParse({
    format: 'simsight-sweep',
    version: manifestVersion,
    engine: engineVersion,
    title: title ?? [files[0]!.name, ...options.arguments].join(' ').slice(0, 200),
    fingerprint,
    files,
    options: { ...options, includeFolders: options.includeFolders.map((each) => pathFrom(full, resolve(each))) },
    axes,
    metric,
    jobs: pointsOf(axes).map((point) => ({ id: idOf(fingerprint, axes, point), point })),
  });
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw new SimsightError('usage', `The sweep cannot be created: ${issue!.message} (${issue!.path.join('.')}).`);
}

/** Where files lie is no part of it, and headers' folders show in which headers there are. */
function fingerprintOf(
  engine: string,
  files: readonly SweepFile[],
  { includeFolders: _, ...options }: SweepOptions,
): string {
  return digest([engine, files.map(({ role, name, sha256 }) => [role, name, sha256]), sorted(options)]);
}

const sorted = (options: object): unknown =>
  Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));

/** Id of a job: 16 hexadecimal digits, made of its content, not of the sweep it belongs to. */
function idOf(fingerprint: string, axes: readonly SweepAxis[], point: readonly string[]): string {
  return digest([fingerprint, parametersAt(axes, point)]).slice(0, 16);
}

/** Names the folder of a sweep that has been given none: the same command finds the same one. */
export function folderNameOf({ title, fingerprint, axes }: SweepManifest): string {
  const name = title.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 60);
  return `${name.replace(/^[-.]+|-+$/g, '') || 'sweep'}-${digest([fingerprint, axes]).slice(0, 8)}`;
}

export const manifestPath = (folder: string): string => join(folder, manifestName);
export const jobsFolder = (folder: string): string => join(folder, 'jobs');
export const logPath = (folder: string): string => join(folder, 'log.jsonl');
/** There while a process runs the jobs of the folder. */
export const lockPath = (folder: string): string => join(folder, 'running.lock');

export function readManifest(folder: string): SweepManifest {
  const path = manifestPath(folder);
  const read = readJson(path);
  if (read === null) {
    throw new SimsightError('file-not-found', `There is no sweep in ${folder}: it has no ${manifestName}.`, '', {
      file: path,
    });
  }
  const { format, version } = (read ?? {}) as { format?: unknown; version?: unknown };
  if (format === 'simsight-sweep' && typeof version === 'number' && version > manifestVersion) {
    throw new SimsightError(
      'sweep-damaged',
      `${path} has version ${version}; this Simsight supports versions up to ${manifestVersion}.`,
      'Use a newer Simsight.',
      { file: path },
    );
  }
  const checked = manifestSchema.safeParse(read);
  const manifest = checked.data;
  const fault = !manifest
    ? `${checked.error!.issues[0]!.message} (${checked.error!.issues[0]!.path.join('.')})`
    : faultIn(manifest);
  if (fault !== null || !manifest) {
    throw new SimsightError('sweep-damaged', `${path} is not a sweep manifest: ${fault}.`, '', { file: path });
  }
  return manifest;
}

/** Ids are computed again: a manifest whose jobs are not those of its axes would put results in the wrong place. */
function faultIn(manifest: SweepManifest): string | null {
  const { engine, files, options, axes, fingerprint, jobs } = manifest;
  if (fingerprintOf(engine, files, options) !== fingerprint)
    return 'its fingerprint does not match its files and options';
  const points = pointsOf(axes);
  const isRight =
    jobs.length === points.length && points.every((point, i) => jobs[i]!.id === idOf(fingerprint, axes, point));
  return isRight ? null : 'its jobs do not match its axes';
}

/**
 * Throws where a sweep would write to what is none of it: in a folder without a sweep nothing may have the names of its files, and a
 * `sweep.json` must be one. Gives the sweep that is there.
 */
export function sweepIn(folder: string): SweepManifest | null {
  if (readJson(manifestPath(folder)) !== null) return readManifest(folder);
  // A link to nothing reads as if there were none.
  if (existsSync(folder)) ownTarget(manifestPath(folder));
  const jobs = jobsFolder(folder);
  const isInWay = (path: string): boolean =>
    path === jobs && statSync(path, { throwIfNoEntry: false })?.isDirectory()
      ? readdirSync(path).length > 0
      : lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  const found = [jobs, logPath(folder), lockPath(folder)].find(isInWay);
  if (found === undefined) return null;
  throw new SimsightError(
    'file-not-allowed',
    `${found} is in the way: ${folder} contains no sweep, and a sweep writes files of that name.`,
    'Choose another folder.',
    { file: found },
  );
}

/** Throws `sweep-differs` where a folder has another sweep. */
export function checkSweepIn(folder: string, manifest: SweepManifest, remedy: string): void {
  const before = sweepIn(folder);
  const difference = before && differenceOf(before, manifest);
  if (difference === null) return;
  throw new SimsightError('sweep-differs', `${folder} contains a different sweep: ${difference}.`, remedy, {
    file: manifestPath(folder),
  });
}

export function writeManifest(folder: string, manifest: SweepManifest): void {
  mkdirSync(jobsFolder(folder), { recursive: true });
  writeWhole(manifestPath(folder), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Size limit of a JSON file, bytes: the manifest of a million jobs takes a hundred megabytes. */
const mostBytes = 2 ** 28;
/** The content of a file of JSON; null where there is none, undefined where it cannot be read as such. */
export function readJson(path: string): unknown {
  let content: string;
  try {
    content = readSmallFile(path, mostBytes);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new SimsightError('file-unreadable', `${path} cannot be read: ${(error as Error).message}.`, '', {
      file: path,
    });
  }
  try {
    return JSON.parse(content) as unknown;
  } catch {
    return undefined;
  }
}

/** Name of a partial file, with process id and host of its writer: no other process touches it while the writer lives. */
export const partOf = (path: string): string => `${path}.${process.pid}@${hostname()}.part`;
export const partPattern = /\.(\d+)@(.+?)\.part/;

/** All of the file or nothing of it, also when the power goes. */
export function writeWhole(name: string, content: string): void {
  mkdirSync(dirname(name), { recursive: true });
  const path = ownTarget(name);
  const aside = partOf(path);
  try {
    const file = openSync(aside, 'w');
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}

export const pathIn = (folder: string, path: string): string => (isAbsolute(path) ? path : join(folder, path));

/** The manifest for another folder: its paths lead to the same files. */
export function movedManifest(manifest: SweepManifest, from: string, into: string): SweepManifest {
  const path = (old: string): string => pathFrom(resolve(into), resolve(pathIn(from, old)));
  return {
    ...manifest,
    files: manifest.files.map((file) => ({ ...file, path: path(file.path) })),
    options: { ...manifest.options, includeFolders: manifest.options.includeFolders.map(path) },
  };
}

/** Reason why results of `other` cannot serve as results of `manifest`; null if they can. */
export function differenceOf(manifest: SweepManifest, other: SweepManifest): string | null {
  if (other.fingerprint === manifest.fingerprint) return null;
  if (other.engine !== manifest.engine)
    return `it was made by Simsight ${other.engine}, the other by ${manifest.engine}`;
  const hashes = new Map(manifest.files.map(({ name, sha256 }) => [name, sha256]));
  for (const { name, sha256 } of other.files) {
    const expected = hashes.get(name);
    if (expected !== sha256) return expected === undefined ? `${name} is not part of the other` : `${name} differs`;
    hashes.delete(name);
  }
  for (const name of hashes.keys()) return `${name} is missing`;
  const mine = new Map(Object.entries(manifest.options));
  const keys = [...new Set([...Object.keys(manifest.options), ...Object.keys(other.options)])];
  const key = keys.find(
    (name) =>
      name !== 'includeFolders' &&
      JSON.stringify(mine.get(name)) !== JSON.stringify(other.options[name as keyof SweepOptions]),
  );
  return key === undefined ? 'its files have other names' : `its options differ in ${key}`;
}
