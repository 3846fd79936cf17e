/**
 * The microbenchmarks of the H200 reference (cuda/a_micro.cu), run as they are: what their kernels read from the clock of the
 * simulated SM beside what they read on hardware. A1: latencies, cycles. A2: throughput, per cycle and SM.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inNewFolder, programOf, simsight } from './programs.ts';

export interface MicroRow {
  section: string;
  variant: string;
  params: Record<string, number>;
  measured: number;
  simulated: number;
  /** Relative. */
  error: number;
}

interface Measured {
  section: string;
  variant: string;
  params?: Record<string, number>;
  unit: string;
  value: number;
}

const measuredRows = new URL('../reference/h200/micro.json', import.meta.url);

/** Rows that differ, and why: they are printed, and not judged. */
export const unlike: { rows: RegExp; reason: string }[] = [
  {
    rows: /^l2_(hit|atomic)_per_line_from_sm/,
    reason: 'one SM of a grid works and it is not the simulated one, whose blocks end at once',
  },
  {
    rows: /^l2_cg_(49152|61440|98304)KB/,
    reason: 'beyond what L2 keeps, how much of it is still there depends on its replacement: 6 % too fast',
  },
  {
    rows: /^(syncthreads_(32|64)|syncwarp)$/,
    reason: 'ptxas counts the loop between its barriers, here after them: half a cycle per barrier',
  },
  {
    rows: /^hfma2$/,
    reason:
      'throughput: ptxas takes HFMA2 and HFMA2.MMA in turn, and what it costs to change between them is not known',
  },
];

/** Runs a section with so many repetitions, of which two warm up, and chases through so much memory at most. */
export function runMicro(section: 'A1' | 'A2', repetitions: number, iterations: number, largestMb: number): MicroRow[] {
  return inNewFolder((out) => {
    const sizes = { MICRO_REPETITIONS: repetitions, MICRO_ITERATIONS: iterations, MICRO_LARGEST_MB: largestMb };
    const defines = Object.entries(sizes).flatMap(([name, value]) => ['-D', `${name}=${value}`]);
    if (section === 'A1') defines.push('-D', 'MICRO_LATENCIES_ONLY');
    const words = ['run', programOf('a_micro'), '--gpu', 'h200', '--writable', out, ...defines];
    simsight([...words, '--env', `LAB_ONLY=${section}`, '--', out]);
    type Result = Record<string, unknown> & { section: string; variant: string; params: Record<string, number> };
    const { cases } = JSON.parse(readFileSync(join(out, 'a_micro.json'), 'utf8')) as { cases: Result[] };
    const reference = JSON.parse(readFileSync(measuredRows, 'utf8')) as Measured[];
    const rows: MicroRow[] = [];
    for (const { variant, params = {}, unit, value, ...measured } of reference) {
      const same = cases.find(
        (one) =>
          one.section === section &&
          measured.section === section &&
          one.variant === variant &&
          Object.entries(params).every(([name, amount]) => one.params[name] === amount),
      );
      if (same === undefined) continue;
      const simulated = (same[unit] as { median: number }).median;
      rows.push({ section, variant, params, measured: value, simulated, error: simulated / value - 1 });
    }
    return rows;
  });
}

/** Rows that are to agree. Latency of HFMA2 does. */
export const judged = (rows: MicroRow[]): MicroRow[] =>
  rows.filter(
    ({ section, variant }) =>
      !unlike.some(({ rows: pattern }) => pattern.test(variant)) || (section === 'A1' && variant === 'hfma2'),
  );
