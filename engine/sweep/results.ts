/**
 * The result of one job, in a file of its own that is written last: a job is done when it is there, whole or not at all.
 * It holds no time of the real world, so the same job has the same file wherever it ran.
 */
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { openTrace } from '../trace/reader.ts';
import { jobsFolder, readJson, writeWhole, type SweepManifest } from './manifest.ts';

const resultVersion = 1;

const kernelSchema = z.strictObject({
  name: z.string(),
  fullName: z.string(),
  count: z.int().positive(),
  ns: z.number().nonnegative(),
  /** Registers per thread of its longest launch, as are the fields below. */
  registers: z.number().nullable(),
  /** Theoretical, in percent of the SM's warp slots. */
  occupancy: z.number().nullable(),
  sharedBytes: z.number().nullable(),
});
const figuresSchema = z.strictObject({
  durationNs: z.number().nonnegative(),
  /** A kernel, a copy or a fill is running. */
  gpuBusyNs: z.number().nonnegative(),
  /** Sum over all kernels. */
  kernelNs: z.number().nonnegative(),
  /** The longest first. */
  kernels: z.array(kernelSchema),
});
export type SweepFigures = z.infer<typeof figuresSchema>;
export type KernelFigures = z.infer<typeof kernelSchema>;

const resultSchema = z.strictObject({
  format: z.literal('simsight-sweep-job'),
  version: z.literal(resultVersion),
  /** The fingerprint of the sweep. */
  sweep: z.string(),
  id: z.string(),
  parameters: z.record(z.string(), z.string()),
  /** `failed`: it ends like that each time, and there is nothing to compare. */
  status: z.enum(['done', 'failed']),
  error: z.strictObject({ code: z.string(), message: z.string(), remedy: z.string(), details: z.string() }).nullable(),
  exitCode: z.int().nullable(),
  trace: z.strictObject({ bytes: z.int().positive(), sha256: z.string() }).nullable(),
  figures: figuresSchema.nullable(),
});
export type JobResult = z.infer<typeof resultSchema>;

export const tracePath = (folder: string, id: string): string => join(jobsFolder(folder), `${id}.simsight`);
export const resultPath = (folder: string, id: string): string => join(jobsFolder(folder), `${id}.json`);

/** A job's result; null where it is not done, or what is there cannot be used: then it has to be done again. */
export function readResult(folder: string, { fingerprint }: SweepManifest, id: string): JobResult | null {
  const result = resultSchema.safeParse(readJson(resultPath(folder, id))).data;
  if (!result || result.id !== id || result.sweep !== fingerprint) return null;
  if (result.trace === null) return result;
  const file = statSync(tracePath(folder, id), { throwIfNoEntry: false });
  return file?.size === result.trace.bytes ? result : null;
}

/** Sweep and job id of a result stored outside its sweep; null if the file is no result. */
export function sweepOfResult(path: string): { sweep: string; id: string } | null {
  return resultSchema.safeParse(readJson(path)).data ?? null;
}

export function writeResult(folder: string, result: Omit<JobResult, 'format' | 'version'>): JobResult {
  const whole: JobResult = { format: 'simsight-sweep-job', version: resultVersion, ...result };
  writeWhole(resultPath(folder, result.id), `${JSON.stringify(whole, null, 2)}\n`);
  return whole;
}

export function removeResult(folder: string, id: string): void {
  rmSync(resultPath(folder, id), { force: true });
  rmSync(tracePath(folder, id), { force: true });
}

export const fileOf = (path: string): NonNullable<JobResult['trace']> => {
  const bytes = readFileSync(path);
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
};

/** Figures of a trace that sweeps compare. */
export function measure(path: string): SweepFigures {
  const trace = openTrace(path);
  try {
    const kernels = trace.query(
      `SELECT (SELECT value FROM StringIds WHERE id = shortName), (SELECT value FROM StringIds WHERE id = demangledName),
         count(*), sum(end - start), registersPerThread, staticSharedMemory + dynamicSharedMemory, rowid, max(end - start)
       FROM CUPTI_ACTIVITY_KIND_KERNEL GROUP BY demangledName, shortName`,
    );
    const occupancyOf = (row: number): number | null => {
      const [found] = trace.query(
        `SELECT value FROM SIMSIGHT_KERNEL_METRICS WHERE kernel = ? AND
           nameId = (SELECT id FROM StringIds WHERE value = 'sm__maximum_warps_per_active_cycle_pct')`,
        row,
      );
      return found === undefined ? null : Number(found[0]);
    };
    const all = kernels
      .map(([name, fullName, count, ns, registers, sharedBytes, row]) => ({
        name: String(name),
        fullName: String(fullName),
        count: Number(count),
        ns: Number(ns),
        registers: registers === null ? null : Number(registers),
        occupancy: occupancyOf(Number(row)),
        sharedBytes: sharedBytes === null ? null : Number(sharedBytes),
      }))
      .sort((a, b) => b.ns - a.ns || (a.fullName < b.fullName ? -1 : 1));
    const ranges = ['KERNEL', 'MEMCPY', 'MEMSET'].flatMap((table) =>
      trace.query(`SELECT start, end FROM CUPTI_ACTIVITY_KIND_${table}`),
    ) as [number, number][];
    return {
      durationNs: trace.info.durationNs,
      gpuBusyNs: covered(ranges),
      kernelNs: all.reduce((sum, { ns }) => sum + ns, 0),
      kernels: all,
    };
  } finally {
    trace.close();
  }
}

function covered(ranges: [start: number, end: number][]): number {
  let sum = 0;
  let until = -Infinity;
  for (const [start, end] of ranges.sort(([a], [b]) => a - b)) {
    sum += Math.max(0, end - Math.max(start, until));
    until = Math.max(until, end);
  }
  return sum;
}
