/** Addresses that a kernel's lanes accessed: what is read of the trace, what of it is looked at, and layouts that are tried. */
import type { KernelAccess, KernelAccesses, SharedLayout } from '../../../engine/model/kernel-accesses.ts';
import { problemOf, type Problem } from '../app/problem.ts';
import type { OpenTrace } from '../trace/open-trace.svelte.ts';
import { efficiencyOf } from './access-words.ts';

export class KernelMemory {
  recorded = $state.raw<KernelAccesses | null>(null);
  problem = $state.raw<Problem | null>(null);
  /** The chosen access, by its instruction. */
  instruction = $state<number | null>(null);
  sample = $state(0);
  /** As if shared memory were laid out like this; null: as it was. */
  layout = $state.raw<SharedLayout | null>(null);
  private tried = $state.raw<KernelAccesses | null>(null);
  private readonly trace: OpenTrace;
  private readonly row: number;

  constructor(trace: OpenTrace, row: number) {
    this.trace = trace;
    this.row = row;
  }

  /** With the layout that is tried, if one is. */
  get accesses(): KernelAccess[] {
    return (this.tried ?? this.recorded)?.accesses ?? [];
  }

  async load(): Promise<void> {
    if (this.recorded) return;
    try {
      const recorded = await this.trace.ask('trace.accesses', { kernel: this.row });
      this.recorded = recorded;
      // The worst of those that are executed.
      const [worst] = recorded.accesses.toSorted(
        (a, b) => efficiencyOf(a.samples).share - efficiencyOf(b.samples).share || b.executed - a.executed,
      );
      this.instruction ??= worst?.instruction ?? null;
    } catch (error) {
      this.problem = problemOf('Memory accesses could not be read', error);
    }
  }

  choose(instruction: number): void {
    this.instruction = instruction;
    this.sample = 0;
  }
  step(by: number): void {
    const count = this.accesses.find(({ instruction }) => instruction === this.instruction)?.samples.length ?? 0;
    this.sample = Math.max(0, Math.min(count - 1, this.sample + by));
  }

  async preview(layout: SharedLayout): Promise<void> {
    this.layout = layout;
    try {
      const tried = await this.trace.ask('trace.accesses', { kernel: this.row, layout });
      if (this.layout !== layout) return;
      this.tried = tried;
      // The accesses that the layout changes are to be seen.
      const isChanged = ({ instruction, samples }: KernelAccess): boolean => {
        const before = this.recorded?.accesses.find((each) => each.instruction === instruction);
        return samples.some(
          ({ shared }, i) => shared?.wavefronts.length !== before?.samples[i]?.shared?.wavefronts.length,
        );
      };
      const chosen = tried.accesses.find(({ instruction }) => instruction === this.instruction);
      if (chosen?.samples[0]?.space !== 'shared') {
        const first = tried.accesses.find(isChanged);
        if (first) this.choose(first.instruction);
      }
    } catch (error) {
      this.problem = problemOf('The layout could not be tried', error);
    }
  }
  reset(): void {
    this.layout = null;
    this.tried = null;
  }
}
