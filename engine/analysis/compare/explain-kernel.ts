/** The changes of a kernel, in plain words with figures: only from counters that both traces have. */
import type { KernelComparison } from '../../model/comparison.ts';
import { formatNumber, formatTime } from '../../model/format.ts';
import { speed } from './words.ts';

/** A smaller change is not worth a sentence. */
const worthSaying = 0.1;
/** Percentage points of the warps' time. */
const worthPoints = 10;

type Compared = Omit<KernelComparison, 'explanation'>;

/** The first sentence says how much, the others why. */
export function explainKernel(compared: Compared): string[] {
  const { before, after, stalls } = compared;
  const said = [`${speed(before.durationNs, after.durationNs)}: ${times(before.durationNs, after.durationNs)}`];
  const figures = new Figures(compared);
  const reads = figures.of('dram__bytes_read.sum');
  if (reads?.changed) said.push(`DRAM reads ${verb(reads)} ${amounts(reads, megabytes)}${because(figures, reads)}`);
  const writes = figures.of('dram__bytes_write.sum');
  if (writes?.changed && Math.max(writes.before, writes.after) > 1e6)
    said.push(`DRAM writes ${verb(writes)} ${amounts(writes, megabytes)}`);
  const requests = figures.of('l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum');
  if (requests?.changed && !reads?.changed)
    said.push(`sectors that global loads ask for ${verb(requests)} ${amounts(requests, formatNumber)}`);
  const shared = figures.sum(
    'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum',
    'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum',
  );
  if (shared?.changed) said.push(`passes over shared memory ${verb(shared)} ${amounts(shared, formatNumber)}`);
  const conflicts = figures.sum(
    'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum',
    'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum',
  );
  if (conflicts?.changed) said.push(`bank conflicts ${verb(conflicts)} ${amounts(conflicts, formatNumber)}`);
  const executed = figures.of('smsp__inst_executed.sum');
  if (executed?.changed) said.push(`warp instructions ${verb(executed)} ${amounts(executed, formatNumber)}`);
  const occupancy = figures.of('sm__warps_active.avg.pct_of_peak_sustained_active');
  if (occupancy?.changed && Math.abs(occupancy.after - occupancy.before) >= worthPoints)
    said.push(`achieved occupancy ${verb(occupancy)} ${amounts(occupancy, percent)}`);
  const [stall] = stalls.filter(({ state, difference }) => state !== 'Selected' && Math.abs(difference) >= worthPoints);
  if (stall) {
    const { state, beforePercent, afterPercent } = stall;
    said.push(`warps wait in ${state} for ${percent(afterPercent)} of their time instead of ${percent(beforePercent)}`);
  }
  if (after.limiter !== null) {
    const now = before.limiter !== null && kindOf(before.limiter) === kindOf(after.limiter) ? 'still' : 'now';
    said.push(`the kernel is ${now} limited by ${after.limiter}`);
  }
  return said;
}

/** The limiter, without how much. */
const kindOf = (limiter: string): string => limiter.replaceAll(/\d+ %/g, '');

/** Reason why less, or more, comes from DRAM: what is asked for, or how much of it the caches hold. */
function because(figures: Figures, reads: Figure): string {
  const asked = figures.of('l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum');
  const less = reads.after < reads.before;
  if (asked?.changed && asked.after < asked.before === less)
    return `, because sectors that global loads ask for ${verb(asked)} ${amounts(asked, formatNumber)}`;
  for (const [name, metric] of [
    ['L1', 'l1tex__t_sector_hit_rate.pct'],
    ['L2', 'lts__t_sector_hit_rate.pct'],
  ] as const) {
    const hits = figures.of(metric);
    if (hits && hits.after > hits.before === less && Math.abs(hits.after - hits.before) >= 1)
      return `, because ${name} has ${percent(hits.after)} of what is asked for instead of ${percent(hits.before)}`;
  }
  return '';
}

interface Figure {
  before: number;
  after: number;
  /** True if it changed by enough to be reported. */
  changed: boolean;
}

class Figures {
  private readonly values: Map<string, KernelComparison['metrics'][number]>;

  constructor({ metrics }: Compared) {
    this.values = new Map(metrics.map((metric) => [metric.metric, metric]));
  }

  /** null where one of the traces does not have it. */
  of(metric: string): Figure | null {
    const { before = null, after = null } = this.values.get(metric) ?? {};
    return before === null || after === null ? null : figure(before, after);
  }

  sum(...metrics: string[]): Figure | null {
    const all = metrics.map((metric) => this.of(metric));
    if (all.includes(null)) return null;
    const total = (side: 'before' | 'after'): number => all.reduce((sum, each) => sum + each![side], 0);
    return figure(total('before'), total('after'));
  }
}

const figure = (before: number, after: number): Figure => ({
  ...{ before, after },
  changed: Math.abs(after - before) > worthSaying * Math.max(Math.abs(before), Math.abs(after)),
});

const verb = ({ before, after }: Figure): string => (after < before ? 'fell from' : 'rose from');
const amounts = ({ before, after }: Figure, format: (value: number) => string): string => {
  const [from, to] = [format(before), format(after)];
  const unit = / \S+$/.exec(to)?.[0] ?? '';
  // The unit once, where both have the same.
  return unit !== '' && from.endsWith(unit) ? `${from.slice(0, -unit.length)} to ${to}` : `${from} to ${to}`;
};
const times = (before: number, after: number): string => `${formatTime(before)} → ${formatTime(after)}`;
const megabytes = (bytes: number): string => {
  const value = bytes / 1e6;
  return `${formatNumber(Number(value.toPrecision(value < 1000 ? 3 : 4)))} MB`;
};
const percent = (value: number): string => `${Math.round(value)} %`;
