/**
 * Kernels of public programs beside what an H200 took for them (`test/reference/h200/strangers.json`: nvcc 13 -O3 -arch=sm_90, activity
 * tracing, the medians of up to 2,000 launches of a kernel with one grid and block). By mangled name, grid and block, so kernels whose names
 * differ between compilers (lambdas, libraries) are left out.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTrace } from '../../engine/trace/reader.ts';
import { mean, quantile } from '../fidelity/summary.ts';

/** Mangled name, grid, block, registers, shared memory (bytes), launches, median and shortest (ns). */
type MeasuredKernel = [string, string, string, number, number, number, number, number];

const measured = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', 'reference', 'h200', 'strangers.json'), 'utf8'),
) as Record<string, MeasuredKernel[]>;

export interface KernelError {
  kernel: string;
  grid: string;
  block: string;
  /** Medians, ns. */
  real: number;
  simulated: number;
  /** Of the time of the program's compared kernels on the real GPU. */
  share: number;
}

export interface MeasuredErrors {
  /** Mean of |simulated / real - 1|, each kernel by its share of the program's time. */
  error: number;
  kernels: KernelError[];
}

/** Null where nothing of the program has been measured, or no kernel is the same. `name`: suite and program. */
export function compareWithMeasured(trace: string, name: string): MeasuredErrors | null {
  const real = measured[name];
  if (real === undefined) return null;
  const opened = openTrace(trace);
  const rows = opened.query(
    `SELECT s.value || char(9) || k.gridX || ',' || k.gridY || ',' || k.gridZ || char(9) || k.blockX || ',' || k.blockY || ',' || k.blockZ,
       k.end - k.start FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.mangledName ORDER BY 1, 2`,
  ) as [string, number][];
  opened.close();
  const times = new Map<string, number[]>();
  for (const [key, time] of rows) {
    const known = times.get(key);
    if (known) known.push(time);
    else times.set(key, [time]);
  }
  const found = real.flatMap(([kernel, grid, block, , , launches, median]) => {
    const simulated = times.get(`${kernel}\t${grid}\t${block}`);
    if (simulated === undefined) return [];
    return [{ kernel, grid, block, real: median, simulated: quantile(simulated, 0.5), share: launches * median }];
  });
  const all = found.reduce((sum, { share }) => sum + share, 0);
  if (all === 0) return null;
  const kernels = found.map((each) => ({ ...each, share: each.share / all }));
  const error = kernels.reduce((sum, each) => sum + each.share * Math.abs(each.simulated / each.real - 1), 0);
  return { error, kernels };
}

/** Lines for a program, the kernels that matter most first. */
export function linesOfMeasured({ error, kernels }: MeasuredErrors): string[] {
  const most = kernels.toSorted((a, b) => b.share - a.share).slice(0, 6);
  return [
    `         measured on an H200: ${(100 * error).toFixed(1)} % off`,
    ...most.map(
      ({ kernel, grid, block, real, simulated, share }) =>
        `         ${(100 * (simulated / real - 1)).toFixed(1).padStart(7)} %  ${(100 * share).toFixed(0).padStart(3)} % of the time  ${(real / 1000).toFixed(1)} us  ${kernel.slice(0, 60)} <<<${grid}; ${block}>>>`,
    ),
  ];
}

/** Mean, median, P90 and worst of programs' errors. */
export function summaryOfMeasured(errors: number[]): string {
  const percent = (error: number): string => `${(100 * error).toFixed(1)} %`;
  const at = (part: number): string => percent(quantile(errors, part));
  return `measured on an H200: ${errors.length} programs, mean ${percent(mean(errors))}, median ${at(0.5)}, P90 ${at(0.9)}, worst ${at(1)}`;
}
