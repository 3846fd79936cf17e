/** Errors of the simulation against the reference, case by case, pair by pair and in all. */
import type { ComparedCase, ReferenceCase } from './programs.ts';

export interface CaseRow {
  /** Kernels of one case have a row each, with the number of the kernel. */
  name: string;
  /** Nanoseconds; null where another size was simulated. */
  measured: number | null;
  simulated: number | null;
  /** simulated / measured - 1. */
  error: number | null;
  /** Warp instructions per warp (`smsp__inst_executed.sum`). */
  instructions: { measured: number; simulated: number; error: number };
  registers: { measured: number; simulated: number };
  /** Nsight Compute's counters that both have. */
  counters: Record<string, [measured: number, simulated: number]>;
}

/** Two variants of one program: what the second gains over the first. */
export interface PairRow {
  name: string;
  measured: number;
  simulated: number;
  error: number;
}

export interface Summary {
  cases: number;
  /** Mean and 90th percentile of the absolute error of durations. */
  mape: number;
  p90_abs_error: number;
  pairs: number;
  /** Shares of the pairs. */
  pairs_right_direction: number;
  pairs_within_15_percent: number;
  instructions_median_abs_error: number;
  instructions_largest_abs_error: number;
  registers_median_abs_error: number;
}

/** Measured gains below this are as good as none, in either direction. */
const noise = 0.03;

export function summarize(compared: ComparedCase[]): { cases: CaseRow[]; pairs: PairRow[]; summary: Summary } {
  const cases = compared.flatMap(rowsOf);
  const pairs = pairsOf(compared);
  const errors = cases.flatMap(({ error }) => (error === null ? [] : [Math.abs(error)]));
  // Kernels that several cases share count once: they are one selection.
  const selections = [...new Map(compared.flatMap(rowsByKernel)).values()];
  const counted = selections.map(({ instructions }) => Math.abs(instructions.error));
  return {
    cases,
    pairs,
    summary: {
      cases: errors.length,
      mape: mean(errors),
      p90_abs_error: quantile(errors, 0.9),
      pairs: pairs.length,
      pairs_right_direction: share(
        pairs,
        ({ measured, simulated }) => Math.abs(Math.log(measured)) < noise || measured > 1 === simulated > 1,
      ),
      pairs_within_15_percent: share(pairs, ({ error }) => Math.abs(error) <= 0.15),
      instructions_median_abs_error: quantile(counted, 0.5),
      instructions_largest_abs_error: Math.max(...counted),
      registers_median_abs_error: quantile(
        selections.map(({ registers }) => Math.abs(registers.simulated / registers.measured - 1)),
        0.5,
      ),
    },
  };
}

function rowsOf(compared: ComparedCase): CaseRow[] {
  const { reference, kernels, resized } = compared;
  const parameters = Object.entries(reference.params)
    .filter(([, value]) => typeof value === 'number')
    .map(([name, value]) => `${name}=${String(value)}`);
  return kernels.map(({ reference: kernel, time, warps, registers, metrics }, i): CaseRow => {
    const number = kernels.length > 1 ? ` kernel ${i + 1}` : '';
    const measured = resized ? null : measuredTime(compared.reference, i);
    const simulated = resized ? null : time;
    const [x, y, z] = kernel.block;
    const [gx, gy, gz] = kernel.grid;
    const measuredWarps = gx * gy * gz * Math.ceil((x * y * z) / 32);
    const perWarp = (kernel.metrics['smsp__inst_executed.sum'] ?? NaN) / measuredWarps;
    const own = (metrics['smsp__inst_executed.sum'] ?? NaN) / warps;
    return {
      name: `${reference.section} ${reference.name} ${reference.variant} ${parameters.slice(0, 2).join(' ')}${number}`,
      measured,
      simulated,
      error: measured === null || simulated === null ? null : simulated / measured - 1,
      instructions: { measured: perWarp, simulated: own, error: own / perWarp - 1 },
      // As allocated: ptxas may say less.
      registers: { measured: kernel.metrics['launch__registers_per_thread'] ?? kernel.registers, simulated: registers },
      counters: Object.fromEntries(
        Object.entries(metrics).map(([name, value]) => [name, [kernel.metrics[name] ?? 0, value]]),
      ),
    };
  });
}

/** Rows keyed by kernel and instructions per warp: launches of one kernel that did the same count once. */
function rowsByKernel(compared: ComparedCase): [string, CaseRow][] {
  return rowsOf(compared).map((row, i) => [
    `${compared.kernels[i]!.reference.kernel} ${row.instructions.measured.toFixed(1)}`,
    row,
  ]);
}

/**
 * Activity tracing is off by up to 8 % for grids of very many short blocks; ten runs in a row are not. One kernel of
 * several has only the trace.
 */
export function measuredTime(reference: ReferenceCase, index: number): number | null {
  const { kernels, backToBack } = reference;
  const kernel = kernels[index]!;
  const [x, y, z] = kernel.grid;
  const isShort = x * y * z >= manyBlocks && (backToBack ?? 0) / (x * y * z) < shortBlock;
  return kernels.length === 1 && isShort && backToBack !== null ? backToBack : kernel.time;
}
const manyBlocks = 10_000;
/** Nanoseconds per block of the whole GPU. */
const shortBlock = 10;

/** Each later variant of a program against its first one, and against the one before. */
function pairsOf(compared: ComparedCase[]): PairRow[] {
  const groups = new Map<string, ComparedCase[]>();
  for (const one of compared) {
    const { section, name, params } = one.reference;
    if (one.resized || !/^[BVW]/.test(section)) continue;
    const key = `${section} ${name} ${JSON.stringify(params)}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  const total = (one: ComparedCase): { measured: number; simulated: number } => ({
    measured: one.kernels.reduce((sum, _, i) => sum + (measuredTime(one.reference, i) ?? NaN), 0),
    simulated: one.kernels.reduce((sum, { time }) => sum + time, 0),
  });
  return [...groups.values()].flatMap((variants) =>
    variants.slice(1).map((after, i): PairRow => {
      const before = variants[i]!;
      const [a, b] = [total(before), total(after)];
      const [measured, simulated] = [a.measured / b.measured, a.simulated / b.simulated];
      const { section, name, variant, params } = before.reference;
      const size = Object.values(params).find((value) => typeof value === 'number');
      return {
        name: `${section} ${name} ${String(size ?? '')} ${variant} -> ${after.reference.variant}`,
        measured,
        simulated,
        error: simulated / measured - 1,
      };
    }),
  );
}

export const mean = (list: number[]): number => list.reduce((sum, value) => sum + value, 0) / list.length;

export function quantile(list: number[], q: number): number {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? NaN;
}

function share<T>(list: T[], holds: (item: T) => boolean): number {
  return list.filter(holds).length / Math.max(1, list.length);
}
