/** The adviser's findings in a trace, and which of them is looked at. Asked for when somebody wants to know. */
import type { Finding, FindingPlace } from '../../../engine/model/findings.ts';
import { problemOf, type Problem } from '../app/problem.ts';
import type { OpenTrace } from './open-trace.svelte.ts';

export class Advice {
  /** In the order of the adviser; null until it has answered. */
  findings = $state.raw<readonly Finding[] | null>(null);
  chosen = $state(0);
  problem = $state.raw<Problem | null>(null);
  readonly #trace: OpenTrace;
  #asked: Promise<void> | null = null;

  constructor(trace: OpenTrace) {
    this.#trace = trace;
  }

  load(): Promise<void> {
    this.#asked ??= this.#ask();
    return this.#asked;
  }
  async #ask(): Promise<void> {
    this.problem = null;
    try {
      this.findings = await this.#trace.ask('trace.advice', {});
    } catch (error) {
      this.problem = problemOf('The adviser could not read the trace', error);
    }
  }
  /** After an error, or when the engine was started again. */
  again(): void {
    const wasWanted = this.#asked !== null;
    this.#asked = null;
    if (wasWanted) void this.load();
  }

  get current(): Finding | null {
    return this.findings?.[this.chosen] ?? null;
  }
  step(direction: 1 | -1): void {
    const last = (this.findings?.length ?? 0) - 1;
    this.chosen = Math.max(0, Math.min(last, this.chosen + direction));
  }
  /** Findings about a kernel: about that launch, or about all of its name. */
  ofKernel(row: number, name: string): Finding[] {
    const isOf = (place: FindingPlace): boolean =>
      (place.kind === 'kernel' && (place.kernel === row || place.name === name)) ||
      (place.kind === 'line' && place.kernel === row);
    return (this.findings ?? []).filter(({ places }) => places.some(isOf));
  }
}
