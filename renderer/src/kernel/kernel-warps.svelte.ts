/** The warps of one sub-partition of the simulated SM, over a stretch of its cycles, and the one that is looked at. */
import type { KernelView, WarpIssues, WarpWindow } from '../../../engine/model/kernel-view.ts';
import { problemOf, type Problem } from '../app/problem.ts';
import type { OpenTrace } from '../trace/open-trace.svelte.ts';
import { busiestSlot, stepsOf, type WarpStep } from './warp-steps.ts';

export const leastSpan = 32;
export const mostSpan = 8192;
/** Cycles before what is shown, in which the first waits may have begun. */
const leadIn = 4096;

export class KernelWarps {
  subPartition = $state(0);
  from = $state(0);
  span = $state(512);
  window = $state.raw<WarpWindow | null>(null);
  issues = $state.raw<WarpIssues | null>(null);
  slot = $state<number | null>(null);
  /** The chosen one of {@link steps}. */
  step = $state<number | null>(null);
  problem = $state.raw<Problem | null>(null);
  /** True while another stretch is shown than the one that is being read. */
  isLoading = $state(false);
  readonly steps: WarpStep[] = $derived.by(() =>
    this.window && this.issues && this.slot !== null ? stepsOf(this.window, this.issues, this.slot, this.from) : [],
  );
  private readonly trace: OpenTrace;
  private readonly row: number;
  private cycles = 0;
  private isPlaced = false;
  /** The slot is the person's choice: it stays, wherever one looks. */
  private isChosen = false;

  constructor(trace: OpenTrace, row: number) {
    this.trace = trace;
    this.row = row;
  }

  /** At first in the middle, where all warps are at work. */
  async open(view: KernelView): Promise<void> {
    this.cycles = view.warpCycles;
    if (!this.isPlaced) {
      this.isPlaced = true;
      this.from = Math.max(0, Math.floor(view.warpCycles / 2));
      // On an SM that has few warps, the first may have none.
      this.subPartition = Math.max(
        0,
        view.warpSlots.findIndex((slots) => slots > 0),
      );
    }
    await this.load();
  }

  async load(): Promise<void> {
    const { subPartition } = this;
    const { from } = this;
    const [fromCycle, toCycle] = [Math.max(0, from - leadIn), from + this.span];
    const kernel = this.row;
    const isLatest = (): boolean =>
      subPartition === this.subPartition && from === this.from && toCycle === this.from + this.span;
    this.isLoading = true;
    try {
      const [windows, issues] = await Promise.all([
        this.trace.ask('trace.warps', { kernel, subPartitions: [subPartition], fromCycle, toCycle, resolution: 0 }),
        this.trace.ask('trace.warpIssues', { kernel, subPartition, fromCycle, toCycle }),
      ]);
      if (!isLatest()) return;
      // Exactly what was asked for, whatever chunk it came from.
      this.window = windows?.[0] ? { ...windows[0], from: fromCycle, to: toCycle } : null;
      this.issues = issues;
      // A warp that issues nothing in what is shown has nothing to tell.
      if (!this.isChosen && (this.slot === null || this.steps.length === 0)) {
        this.slot = (issues && busiestSlot(issues, from)) ?? this.slot;
      }
      this.step = this.longestWait();
    } catch (error) {
      this.problem = problemOf('Warps could not be read', error);
    } finally {
      if (isLatest()) this.isLoading = false;
    }
  }

  async move(from: number, span = this.span): Promise<void> {
    this.span = Math.round(Math.max(leastSpan, Math.min(mostSpan, span)));
    this.from = Math.round(Math.max(0, Math.min(Math.max(0, this.cycles - this.span), from)));
    await this.load();
  }
  /** Around a cycle, which stays where it is. */
  async zoom(factor: number, around: number): Promise<void> {
    const span = Math.max(leastSpan, Math.min(mostSpan, this.span * factor));
    await this.move(around - ((around - this.from) * span) / this.span, span);
  }
  async choosePartition(subPartition: number): Promise<void> {
    this.subPartition = subPartition;
    this.slot = null;
    this.isChosen = false;
    await this.load();
  }
  chooseSlot(slot: number): void {
    this.slot = slot;
    this.isChosen = true;
    this.step = this.longestWait();
  }
  private longestWait(): number | null {
    const { steps } = this;
    if (steps.length === 0) return null;
    return steps.reduce((most, step, i) => (step.waited > steps[most]!.waited ? i : most), 0);
  }
}
