/** Recordings one after the other (a before/after pair is two), with everything there is to show while they run. */
import type {
  ConsoleLine,
  Part,
  RecordOptions,
  RecordPhase,
  RecordProgress,
  RecordResult,
} from '../../../engine/api/types.ts';
import type { Connection } from '../app/connection.svelte.ts';
import { problemOf, type Problem } from '../app/problem.ts';

export interface RecordStep {
  title: string;
  options: RecordOptions;
}

export const phases: { id: RecordPhase; title: string }[] = [
  { id: 'compile', title: 'Compile' },
  { id: 'translate', title: 'Translate kernels' },
  { id: 'run', title: 'Run' },
  { id: 'store', title: 'Store' },
];

/** A program that prints without end must not fill the page's memory. */
const maxConsoleLines = 5000;

export class RecordJob {
  readonly steps: RecordStep[];
  current = $state(0);
  state = $state<'running' | 'done' | 'failed' | 'cancelled'>('running');
  phase = $state<RecordPhase>('compile');
  message = $state('Starting …');
  simulatedNs = $state(0);
  kernels = $state(0);
  apiCalls = $state(0);
  compiled = $state.raw<Part | null>(null);
  blocks = $state.raw<Part | null>(null);
  console = $state.raw<ConsoleLine[]>([]);
  problem = $state.raw<Problem | null>(null);
  cancelling = $state(false);
  elapsedMs = $state(0);
  /** Since this recording's program began to run, and its current grid. */
  runMs = $state(0);
  gridMs = $state(0);
  #runSince: number | null = null;
  #gridSince: number | null = null;
  readonly #connection: Connection;
  readonly #abort = new AbortController();

  constructor(connection: Connection, steps: RecordStep[]) {
    this.#connection = connection;
    this.steps = steps;
  }

  /** The recordings' results when all went well, else null: then `problem` says why. */
  async run(): Promise<RecordResult[] | null> {
    const started = performance.now();
    const clock = setInterval(() => this.#tick(started), 200);
    const results: RecordResult[] = [];
    try {
      for (const [i, step] of this.steps.entries()) {
        this.current = i;
        this.phase = 'compile';
        this.message = 'Starting …';
        this.simulatedNs = this.kernels = this.apiCalls = 0;
        this.compiled = this.blocks = null;
        this.#runSince = this.#gridSince = null;
        this.#tick(started);
        const result = await this.#connection.call('record.run', step.options, {
          signal: this.#abort.signal,
          onProgress: (progress) => this.#take(progress),
        });
        results.push(result);
      }
      this.state = 'done';
      return results;
    } catch (error) {
      const problem = problemOf('The recording failed', error);
      this.state = problem.cancelled || this.#abort.signal.aborted ? 'cancelled' : 'failed';
      this.problem = this.state === 'cancelled' ? null : problem;
      return null;
    } finally {
      clearInterval(clock);
      this.elapsedMs = performance.now() - started;
    }
  }

  #take({ phase, message, simulatedNs, kernels, apiCalls, compiled, blocks, console }: RecordProgress): void {
    const now = performance.now();
    if (phase === 'run') this.#runSince ??= now;
    // Another grid: fewer blocks are done than were, or there are others.
    const { blocks: before } = this;
    if (!blocks) this.#gridSince = null;
    else if (!before || blocks.total !== before.total || blocks.done < before.done) this.#gridSince = now;
    Object.assign(this, { phase, message, simulatedNs, kernels, apiCalls, compiled, blocks });
    if (console.length > 0) this.console = [...this.console, ...console].slice(-maxConsoleLines);
  }

  #tick(started: number): void {
    const now = performance.now();
    this.elapsedMs = now - started;
    this.runMs = this.#runSince === null ? 0 : now - this.#runSince;
    this.gridMs = this.#gridSince === null ? 0 : now - this.#gridSince;
  }

  cancel(): void {
    this.cancelling = true;
    this.#abort.abort();
  }
}
