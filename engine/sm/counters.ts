/** Nsight Compute's counters that only a simulation of the SM yields. */
import type { GpuDescription } from '../gpus/types.ts';
import { opcodes, pipeCounters, rarePipeCounters, type PipeCounter } from '../model/opcodes.ts';
import { warpStates } from '../model/warp-states.ts';
import type { SmProgram, SmResult } from './core/types.ts';

/**
 * Nanoseconds that a kernel would take for one thing alone; the longest is its duration. `sm`: what its warps do, with an SM's share of
 * L2 and DRAM, as the simulated SM takes. All else belongs to the whole GPU, which one SM does not see: in `l2` atomics are reckoned
 * from the kernel's start, in `atomics` from the first one on. Of those on one place, which is 512 bytes, one is done after the other.
 */
export const timeMetrics = {
  sm: 'simsight__time_sm.ns',
  l2: 'simsight__time_l2.ns',
  dram: 'simsight__time_dram.ns',
  nvlink: 'simsight__time_nvlink.ns',
  host: 'simsight__time_host_link.ns',
  dispatch: 'simsight__time_dispatch.ns',
  atomics: 'simsight__time_atomics.ns',
  atomicsOnOnePlace: 'simsight__time_atomics_on_one_place.ns',
} as const;

/** `warpInstructions`: of the whole kernel, of which the simulated ones are a sample. */
export function simulatedCounters(
  program: SmProgram,
  result: SmResult,
  warpInstructions: number,
  { limits, throughput }: GpuDescription,
): Record<string, number> {
  const { cycles, instructions, perInstruction } = result;
  const issued = sum(result.issueActive);
  if (issued === 0) return {};
  const counters: Record<string, number> = {
    'smsp__issue_active.avg.pct_of_peak_sustained_active': (100 * issued) / (cycles * throughput.schedulers),
    'sm__warps_active.avg.pct_of_peak_sustained_active': (100 * sum(result.warpCycles)) / (cycles * limits.warpsPerSm),
  };
  warpStates.forEach((state, i) => {
    const cycles = result.warpCycles[i]!;
    if (cycles > 0) counters[`smsp__average_warps_issue_stalled_${state}_per_issue_active.ratio`] = cycles / issued;
  });
  if (perInstruction !== null) {
    const issues = new Map<PipeCounter | null, number>();
    perInstruction.issues.forEach((count, i) => {
      const { counter } = opcodes[program.opcodes[i]!];
      issues.set(counter, (issues.get(counter) ?? 0) + count);
    });
    const add = (name: PipeCounter, executed: number): void => {
      counters[`sm__inst_executed_pipe_${name}.sum`] = Math.round((executed * warpInstructions) / instructions);
    };
    for (const name of pipeCounters) add(name, issues.get(name) ?? 0);
    for (const name of rarePipeCounters) if (issues.has(name)) add(name, issues.get(name)!);
  }
  return counters;
}

const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);
