/**
 * Gain from lifting each limit of a program's run: it is recorded once as it is, and once more without each limit
 * (engine/base/limits.ts). Recordings are deterministic, so that what differs is the limit's doing.
 *
 *   const { limits } = await whatIf({ sources: ['app.cu'], gpu: 'h200', … }, { record });
 *   limits[0]; // { limit: 'bank-conflicts', gainNs: 812_000, kernels: [{ name: 'transpose', … }] }
 *
 * Gains are upper bounds, each for itself: fixing one thing lets another decide.
 */
import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, extname, join, resolve } from 'node:path';
import { SimsightError } from '../base/errors.ts';
import { limitIds, limitOf, type Limit } from '../base/limits.ts';
import { refuseTrace, traceTarget } from '../base/targets.ts';
import type { KernelTime, RecordProgress, RecordResult } from '../model/recording.ts';
import type { LiftedLimit, WhatIfOptions, WhatIfProgress, WhatIfResult, WhatIfTimes } from '../model/what-if.ts';
import { gpusById } from '../gpus/index.ts';
import { kernelsNsOf, type Trace } from '../trace/trace.ts';
import type { RecordCall } from './types.ts';

export interface WhatIfCall
  extends Omit<WhatIfOptions, 'fixed'>, Pick<RecordCall, 'cacheFolder' | 'recordingsFolder' | 'dataFolder' | 'signal'> {
  onProgress?: (progress: WhatIfProgress) => void;
}

export interface WhatIfTools {
  record: (call: RecordCall) => Promise<RecordResult>;
  /** Recording of the program with the fix. */
  fixed?: Trace;
  /** The program as it is becomes a recording like any other, whether or not the rest is kept. */
  keepBaseline?: boolean;
  /** Traces that have the names of those that are kept may be replaced. */
  replace?: boolean;
  /**
   * Recordings that are made side by side; as many as half of the cores, up to 4, when absent: each uses several, and memory. One
   * after the other where the program writes files, which are the same ones each time.
   */
  atOnce?: number;
}

const mostAtOnce = 4;

/** A recording with nothing lifted, or with one limit. */
interface Recorded extends WhatIfTimes {
  exitCode: number;
  kernels: KernelTime[];
  path: string | null;
}

/** Errors: those of `record`; 'bad-request' for a fix that cannot be compared. */
export async function whatIf(call: WhatIfCall, tools: WhatIfTools): Promise<WhatIfResult> {
  const { limits = limitIds, keepFolder, onProgress, ...options } = call;
  const real = tools.fixed && fixOf(tools.fixed, call);
  const wanted: (Limit | null)[] = [null, ...new Set(limits)];
  if (keepFolder !== undefined) {
    mkdirSync(keepFolder, { recursive: true });
    // Before the first of many recordings.
    for (const limit of wanted) {
      const name = join(resolve(keepFolder), fileName(options, limit));
      traceTarget(name);
      refuseTrace(name, tools.replace ?? false);
    }
  }
  // One that fails ends the others.
  const failed = new AbortController();
  const signal = call.signal ? AbortSignal.any([call.signal, failed.signal]) : failed.signal;
  let done = 0;

  async function recordWithout(limit: Limit | null): Promise<Recorded> {
    let kernels: KernelTime[] = [];
    const keep = keepFolder === undefined ? {} : { output: join(resolve(keepFolder), fileName(options, limit)) };
    const tell = (record: RecordProgress): void => onProgress?.({ done, total: wanted.length, limit, record });
    const { durationNs, exitCode, path } = await tools.record({
      ...options,
      ...keep,
      ...(limit === null ? {} : { lifted: limit }),
      keepTrace: keepFolder !== undefined || (limit === null && tools.keepBaseline === true),
      signal,
      onProgress: tell,
      onKernelTimes: (times) => (kernels = times),
    });
    done++;
    return { exitCode, totalNs: durationNs, kernelsNs: sum(kernels), kernels, path: path === '' ? null : path };
  }

  // The first alone: it compiles what the others find in the cache.
  const baseline = await recordWithout(null);
  const lifted = new Map<Limit, Recorded>();
  const rest = wanted.filter((limit) => limit !== null).values();
  const ofCores = Math.max(1, Math.min(mostAtOnce, Math.floor(availableParallelism() / 2)));
  const atOnce = tools.atOnce ?? (options.writableFolder === undefined ? ofCores : 1);
  async function work(): Promise<void> {
    for (const limit of rest) lifted.set(limit, await recordWithout(limit));
  }
  try {
    await Promise.all(Array.from({ length: atOnce }, work));
  } catch (error) {
    failed.abort();
    throw error;
  }

  const { exitCode, ...times } = baseline;
  return {
    title: options.title ?? [basename(options.sources[0]!), ...options.arguments].join(' '),
    gpu: gpusById(options.gpu)[0].name,
    exitCode,
    baseline: times,
    limits: [...lifted]
      .map(([limit, recorded]) => compared(limit, baseline, recorded))
      .sort((a, b) => b.gainNs - a.gainNs || limitIds.indexOf(a.limit) - limitIds.indexOf(b.limit)),
    real: real ? { ...real, gainNs: baseline.totalNs - real.totalNs } : null,
  };
}

function compared(limit: Limit, before: Recorded, after: Recorded): LiftedLimit {
  const { title, meaning, changes } = limitOf(limit);
  const byName = new Map(after.kernels.map((kernel) => [kernel.name, kernel]));
  const kernels = before.kernels
    .map(({ name, count, ns }) => ({ name, count, beforeNs: ns, afterNs: byName.get(name)?.ns ?? 0 }))
    .filter(({ beforeNs, afterNs }) => beforeNs !== afterNs)
    .sort((a, b) => Math.abs(b.afterNs - b.beforeNs) - Math.abs(a.afterNs - a.beforeNs));
  const { totalNs, kernelsNs, path } = after;
  const inEffect = totalNs !== before.totalNs || kernels.length > 0;
  const gainNs = before.totalNs - totalNs;
  return { limit, title, meaning, changes, totalNs, kernelsNs, gainNs, inEffect, kernels, path };
}

const sum = (kernels: readonly KernelTime[]): number => kernels.reduce((all, { ns }) => all + ns, 0);

function fileName({ sources: [first] }: Pick<WhatIfOptions, 'sources'>, limit: Limit | null): string {
  const name = basename(first!, extname(first!));
  return `${name}${limit === null ? '' : `-lift-${limit}`}.simsight`;
}

function fixOf(trace: Trace, { gpu }: Pick<WhatIfOptions, 'gpu'>): Omit<NonNullable<WhatIfResult['real']>, 'gainNs'> {
  const { path, title, durationNs: totalNs } = trace.info;
  const { gpuId, otherGpus, lifted } = trace.facts;
  const own = gpusById(gpu).map(({ id }) => id);
  if ([gpuId, ...otherGpus.map(({ id }) => id)].join() !== own.join()) {
    const message = `${path} was recorded on ${trace.info.gpu}, but this recording uses ${own.join(', ')}.`;
    throw new SimsightError('bad-request', message, 'Record both on the same GPU.');
  }
  if (lifted !== null) {
    const message = `${path} is itself a what-if, without ${lifted}.`;
    throw new SimsightError('bad-request', message, 'Name a recording of the program with the fix.');
  }
  return { path, title, totalNs, kernelsNs: kernelsNsOf(trace) };
}
