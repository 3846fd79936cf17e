/** The sums of the events in the measured range. Asked for once the range stands still; late answers are dropped. */
import type { SelectionSummary } from '../../../engine/model/event-queries.ts';
import { problemOf, type Problem } from '../app/problem.ts';
import type { OpenTrace } from './open-trace.svelte.ts';

export interface TimeRange {
  from: number;
  to: number;
}

export class RangeSummary {
  summary = $state.raw<SelectionSummary | null>(null);
  /** The range that the summary is of. */
  of = $state.raw<TimeRange | null>(null);
  problem = $state.raw<Problem | null>(null);
  readonly #trace: OpenTrace;
  #wanted: TimeRange | null = null;

  constructor(trace: OpenTrace) {
    this.#trace = trace;
  }

  /** The sums shown stay until the answer is there. */
  async show(range: TimeRange): Promise<void> {
    if (this.#wanted?.from === range.from && this.#wanted.to === range.to) return;
    this.#wanted = range;
    try {
      const filter = { fromNs: range.from, toNs: range.to };
      const summary = await this.#trace.ask('trace.summary', { filter });
      if (this.#wanted !== range) return;
      this.summary = summary;
      this.of = range;
      this.problem = null;
    } catch (error) {
      if (this.#wanted !== range) return;
      this.summary = this.#wanted = null;
      this.problem = problemOf('The range could not be summarized', error);
    }
  }

  /** After an error, or when the engine was started again. */
  again(): void {
    this.#wanted = this.problem = null;
    const { measured } = this.#trace.view;
    if (measured && this.summary) void this.show(measured);
  }
}
