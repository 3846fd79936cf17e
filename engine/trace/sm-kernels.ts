/** Kernels as the simulated SM ran them: when its cycles were, what its warps and blocks did. */
import { warpStates } from '../model/warp-states.ts';
import { assignLanes } from './lanes.ts';
import { onSm } from './sm-time.ts';
import type { Trace } from './trace.ts';
import type { WarpTimeline } from './warp-chunks.ts';
import { readMix } from './warp-table.ts';
import type { StateMix } from '../model/kernel-profile.ts';

export interface SmBlock {
  /** Number in the grid. */
  block: number;
  /** Cycles. */
  start: number;
  end: number;
  lane: number;
}
export interface SmProfile {
  id: number;
  /** Cycles that were simulated. */
  cycles: number;
  /** Share of the SM's warp instructions that was simulated, 0 to 1. */
  share: number;
  /** The cycle up to which the states of warps are known. */
  warpCycles: number;
  blocks: readonly SmBlock[];
  mix: StateMix | null;
}

/** Position of a kernel with a profile on the time axis: cycle c is at `from + c * nsPerCycle`. */
export interface SmKernel {
  row: number;
  profile: SmProfile;
  nsPerCycle: number;
  from: number;
  to: number;
}

/** Profiles that stay unpacked. */
const keptProfiles = 256;

export class SmKernels {
  private readonly trace: Pick<Trace, 'query' | 'warps'>;
  private readonly nsPerCycle: number;
  private readonly profiles = new Map<number, SmProfile | null>();

  constructor(trace: Pick<Trace, 'query' | 'warps'>, smClockMhz: number) {
    this.trace = trace;
    this.nsPerCycle = 1e3 / smClockMhz;
  }

  /** null where nothing of it was simulated. */
  kernel(row: number, start: number, end: number): SmKernel | null {
    const sql = 'SELECT profile FROM SIMSIGHT_KERNEL_PROFILES WHERE kernel = ?';
    const id = this.trace.query(sql, row)[0]?.[0];
    const profile = id == null ? null : this.profile(Number(id));
    return profile && { row, profile, nsPerCycle: this.nsPerCycle, ...onSm(start, end) };
  }

  warps({ row }: SmKernel): WarpTimeline | null {
    return this.trace.warps(row);
  }

  /** Blocks of a grid as people name them. */
  blockName(row: number): (block: number) => string {
    const [grid] = this.trace.query('SELECT gridX, gridY, gridZ FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid = ?', row);
    const [x, y, z] = (grid ?? [1, 1, 1]).map((size) => Math.max(1, Number(size) || 1)) as [number, number, number];
    if (y === 1 && z === 1) return (block) => `Block ${block}`;
    return (block) => `Block (${[block % x, Math.floor(block / x) % y, Math.floor(block / (x * y))].join(', ')})`;
  }

  private profile(id: number): SmProfile | null {
    const known = this.profiles.get(id);
    if (known !== undefined) return known;
    if (this.profiles.size >= keptProfiles) this.profiles.clear();
    const found = this.read(id);
    this.profiles.set(id, found);
    return found;
  }

  private read(id: number): SmProfile | null {
    const [row] = this.trace.query('SELECT cycles, share, warpCycles FROM SIMSIGHT_PROFILES WHERE id = ?', id);
    if (!row) return null;
    const [cycles, share, warpCycles] = row.map(Number) as [number, number, number];
    if (!(cycles > 0 && cycles <= 2 ** 52 && warpCycles >= 0)) return null;
    const rows = this.trace
      .query(
        'SELECT block, start, coalesce(end, ?) FROM SIMSIGHT_SM_BLOCKS WHERE profile = ? ORDER BY start, block',
        cycles,
        id,
      )
      .map((cells) => cells.map(Number) as [number, number, number])
      .filter(([, start, end]) => start >= 0 && end >= start && end <= 2 ** 52);
    const { lanes } = assignLanes(
      Float64Array.from(rows, ([, start]) => start),
      Float64Array.from(rows, ([, , end]) => end),
    );
    const blocks = rows.map(([block, start, end], i) => ({ block, start, end, lane: lanes[i]! }));
    return { id, cycles, share, warpCycles: Math.min(warpCycles, cycles), blocks, mix: readMix(this.trace, id) };
  }
}

/**
 * Warps by state over time, piece by piece and in order: `warps[state]` of them in [from, to) ns. What was not simulated is taken to
 * have gone on as what was, on average. As fine as `cell` (ns), where it is known so finely.
 */
export function* warpsOverTime(
  { profile, nsPerCycle, from, to }: SmKernel,
  timeline: WarpTimeline | null,
  range: { from: number; to: number; cell: number },
): Generator<{ from: number; to: number; warps: Float64Array }> {
  const { mix, cycles, warpCycles } = profile;
  if (!mix) return;
  const states = warpStates.length;
  const timeOf = (cycle: number): number => from + cycle * nsPerCycle;
  const stop = Math.min(to, range.to);
  const cut = function* (
    start: number,
    end: number,
    warps: Float64Array,
  ): Generator<{ from: number; to: number; warps: Float64Array }> {
    const [a, b] = [Math.max(start, range.from), Math.min(end, stop)];
    if (a < b) yield { from: a, to: b, warps };
  };
  let done = 0;
  if (timeline && mix.width * nsPerCycle > 2 * range.cell) {
    const width = Math.max(1, 2 ** Math.floor(Math.log2(range.cell / nsPerCycle)));
    const first = Math.min(warpCycles, Math.max(0, Math.floor((range.from - from) / nsPerCycle / width) * width));
    const last = Math.min(warpCycles, Math.max(first, Math.ceil((stop - from) / nsPerCycle)));
    const all = timeline.slots.map((_, subPartition) => subPartition);
    const found = timeline.mix(all, first, last, width);
    const cells = Math.max(0, ...Array.from(found.cycles.values(), ({ length }) => length));
    for (let cell = 0; cell < cells; cell++) {
      const start = (found.first + cell) * width;
      const end = Math.min(start + width, warpCycles);
      if (end <= start) break;
      const warps = new Float64Array(states);
      for (const [state, sums] of found.cycles) if (state < states) warps[state] = sums[cell]! / (end - start);
      yield* cut(timeOf(start), timeOf(end), warps);
    }
    done = last;
  }
  const cells = mix.cycles.length / states;
  for (let cell = Math.floor(done / mix.width); cell < cells; cell++) {
    const start = cell * mix.width;
    const end = Math.min(start + mix.width, cycles);
    if (end <= start || timeOf(start) >= stop) break;
    const warps = mix.cycles.slice(cell * states, (cell + 1) * states).map((sum) => sum / (end - start));
    yield* cut(timeOf(Math.max(start, done)), timeOf(end), warps);
  }
  if (timeOf(cycles) >= stop) return;
  const mean = new Float64Array(states);
  mix.cycles.forEach((sum, at) => (mean[at % states]! += sum / cycles));
  yield* cut(timeOf(cycles), stop, mean);
}
