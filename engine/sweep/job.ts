/** One job of a sweep: a recording, its figures, and the file that says that it is done. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { reportOf, SimsightError } from '../base/errors.ts';
import { ownTarget, traceTarget } from '../base/targets.ts';
import { isAlive } from '../base/unfinished-files.ts';
import type { RecordResult } from '../model/recording.ts';
import type { RecordCall } from '../recording/types.ts';
import { optionsAt, parametersAt } from './axes.ts';
import { jobsFolder, logPath, partOf, partPattern, pathIn, type SweepManifest } from './manifest.ts';
import { fileOf, measure, readResult, tracePath, writeResult, type JobResult } from './results.ts';

export interface JobParts {
  record: (call: RecordCall) => Promise<RecordResult>;
  cacheFolder: string;
  /** Threads that execute a large grid side by side. */
  threads?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Error codes of transient failures, which may not recur on the next attempt. */
const passing: ReadonlySet<string> = new Set([
  ...['cancelled', 'internal', 'disk-full'],
  ...['file-unreadable', 'file-unwritable', 'file-not-found', 'file-not-allowed', 'file-is-directory'],
]);

/**
 * Records job `index` and keeps its result in `into`, the sweep's own folder if not given; a job that is done there is left as
 * it is. What fails by itself (the compiler, a launch, the program) is a result. Throws where there is none: cancelled, or no
 * fault of the job's.
 */
export async function runJob(
  folder: string,
  manifest: SweepManifest,
  index: number,
  { record, ...parts }: JobParts,
  into = folder,
): Promise<JobResult> {
  const job = manifest.jobs[index];
  if (!job) throw new SimsightError('usage', `The sweep has no job ${index}: it has ${manifest.jobs.length}.`);
  const { id, point } = job;
  const done = readResult(into, manifest, id);
  if (done) return done;
  mkdirSync(jobsFolder(into), { recursive: true });
  note(into, { event: 'start', id });

  const { axes, options, files, fingerprint } = manifest;
  const parameters = parametersAt(axes, point);
  const part = partOf(join(jobsFolder(into), id));
  const trace = tracePath(into, id);
  traceTarget(trace);
  const { includeFolders, ...others } = options;
  let recorded: RecordResult | null = null;
  let error: JobResult['error'] = null;
  try {
    recorded = await record({
      ownFoldersOnly: true,
      ...others,
      ...optionsAt(axes, point, options),
      includeFolders: includeFolders.map((path) => pathIn(folder, path)),
      sources: files.filter(({ role }) => role === 'source').map(({ path }) => pathIn(folder, path)),
      // The same in every sweep that has this job.
      title: [files[0]!.name, ...parameters.map(([, name, value]) => `${name}=${value}`)].join(' ').slice(0, 200),
      output: part,
      recordingsFolder: jobsFolder(into),
      keepTrace: true,
      cacheFolder: parts.cacheFolder,
      ...(parts.threads === undefined ? {} : { threads: parts.threads }),
      ...(parts.signal ? { signal: parts.signal } : {}),
    });
    const failedLaunch = recorded.failedKernel ?? recorded.uncheckedLaunch;
    if (failedLaunch) error = failure('kernel-failed', failedLaunch);
    else if (recorded.exitCode !== 0)
      error = failure('program-failed', `The program ended with exit code ${recorded.exitCode}.`);
  } catch (thrown) {
    const { code, message, remedy, details } = reportOf(thrown);
    if (passing.has(code)) {
      removePart(part);
      throw thrown;
    }
    // Where the trace was until now is no place to send anyone to.
    error = {
      code,
      message: message.replaceAll(part, trace),
      remedy: remedy.replace(/\s*What was recorded until then:.*$/, ''),
      details,
    };
  }
  const kept = existsSync(part);
  const figures = kept && error === null ? measure(part) : null;
  if (kept) renameSync(part, trace);
  const result = writeResult(into, {
    sweep: fingerprint,
    id,
    parameters: Object.fromEntries(parameters.map(([, name, value]) => [name, value])),
    status: error === null ? 'done' : 'failed',
    error,
    exitCode: recorded?.exitCode ?? null,
    trace: kept ? fileOf(trace) : null,
    figures,
  });
  note(into, { event: result.status, id });
  return result;
}

const failure = (code: string, message: string): JobResult['error'] => ({ code, message, remedy: '', details: '' });

function removePart(part: string): void {
  for (const end of ['', '.new', '.previous'])
    for (const companion of ['', '-wal', '-shm', '-journal']) rmSync(part + end + companion, { force: true });
}

/** Removes partial files left behind by killed processes of this machine. */
export function removeParts(folder: string): void {
  for (const each of [folder, jobsFolder(folder)]) {
    for (const name of existsSync(each) ? readdirSync(each) : []) {
      const [, pid, host] = partPattern.exec(name) ?? [];
      if (host === hostname() && !isAlive(Number(pid))) rmSync(join(each, name), { force: true });
    }
  }
}

/** `log.jsonl`: for people who want to know what was done when; nothing reads it. */
function note(folder: string, entry: { event: string; id: string }): void {
  const line = { time: new Date().toISOString(), host: hostname(), pid: process.pid, ...entry };
  try {
    appendFileSync(ownTarget(logPath(folder)), `${JSON.stringify(line)}\n`);
  } catch {
    // No job is lost for want of a line.
  }
}
