/** A sweep as it is looked at: its jobs by what they took, the best first. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SweepRow, SweepView } from '../model/sweep.ts';
import { SimsightError } from '../base/errors.ts';
import { readManifest } from './manifest.ts';
import { metrics } from './choices.ts';
import { readResult, tracePath, type JobResult, type KernelFigures, type SweepFigures } from './results.ts';

type TotalMetric = keyof typeof metrics;
const isTotal = (metric: string): metric is TotalMetric => Object.hasOwn(metrics, metric);

/** `kernel:duration` is a kernel of that name. */
const kernelNamed = (metric: string): string => metric.replace(/^kernel:/, '');

/** `metric` in place of the one that the sweep was made with; throws `usage` where no job has such a kernel. */
export function readSweep(folder: string, metric?: string): SweepView {
  const full = resolve(folder);
  const manifest = readManifest(full);
  const chosen = metric ?? manifest.metric;
  const results = manifest.jobs.map(({ id }) => readResult(full, manifest, id));
  const kernels = [
    ...new Set(results.flatMap((result) => result?.figures?.kernels.map(({ name }) => name) ?? [])),
  ].sort();
  if (
    !isTotal(chosen) &&
    kernels.length > 0 &&
    !results.some((result) => result?.figures && kernelsOf(result.figures, chosen).length > 0)
  ) {
    throw new SimsightError(
      'usage',
      `No job has a kernel called ${kernelNamed(chosen)}.`,
      `There are ${kernels.join(', ')}; and ${Object.keys(metrics).join(', ')}.`,
    );
  }
  const rows = manifest.jobs.map(({ id, point }, i) => rowOf(full, id, point, results[i]!, chosen));
  const best = Math.min(...rows.flatMap(({ ns }) => (ns === null ? [] : [ns])));
  for (const row of rows) row.ratio = row.ns === null ? null : best > 0 ? row.ns / best : 1;
  const rank = ({ ns, status }: SweepRow): number => ns ?? (status === 'missing' ? Infinity : Number.MAX_VALUE);
  const sorted = rows
    .map((row, i) => ({ row, i }))
    .sort((a, b) => (rank(a.row) < rank(b.row) ? -1 : rank(a.row) > rank(b.row) ? 1 : a.i - b.i))
    .map(({ row }) => row);
  const count = (status: SweepRow['status']): number => rows.filter((row) => row.status === status).length;
  return {
    folder: full,
    title: manifest.title,
    axes: manifest.axes,
    metric: chosen,
    metricTitle: isTotal(chosen) ? metrics[chosen] : `time of ${kernelNamed(chosen)}`,
    rows: sorted,
    done: count('done'),
    failed: count('failed'),
    missing: count('missing'),
    kernels,
  };
}

const kernelsOf = ({ kernels }: SweepFigures, metric: string): KernelFigures[] => {
  const wanted = kernelNamed(metric);
  return kernels.filter(({ name, fullName }) => name === wanted || fullName === wanted);
};

function rowOf(folder: string, id: string, point: string[], result: JobResult | null, metric: string): SweepRow {
  const figures = result?.figures ?? null;
  const named = figures === null || isTotal(metric) ? [] : kernelsOf(figures, metric);
  const shown = (isTotal(metric) ? figures?.kernels[0] : named[0]) ?? null;
  const path = tracePath(folder, id);
  return {
    id,
    point,
    status: result?.status ?? 'missing',
    ns: figures === null ? null : valueOf(figures, metric, named),
    ratio: null,
    error: result?.error?.message ?? null,
    trace: result?.trace && existsSync(path) ? path : null,
    durationNs: figures?.durationNs ?? null,
    gpuBusyNs: figures?.gpuBusyNs ?? null,
    kernelNs: figures?.kernelNs ?? null,
    kernel: shown?.name ?? null,
    registers: shown?.registers ?? null,
    occupancy: shown?.occupancy ?? null,
  };
}

/** A job without kernels is not the fastest. */
function valueOf(figures: SweepFigures, metric: string, named: readonly KernelFigures[]): number | null {
  if (!isTotal(metric)) return named.length > 0 ? named.reduce((sum, { ns }) => sum + ns, 0) : null;
  if (metric === 'kernels') return figures.kernels.length > 0 ? figures.kernelNs : null;
  return metric === 'gpu' ? (figures.gpuBusyNs > 0 ? figures.gpuBusyNs : null) : figures.durationNs;
}
