/** Recordings one after the other (a before/after pair is two), with everything there is to show while they run. */
import type { ConsoleLine, Part, RecordPhase, RecordProgress, RecordResult } from '../../../engine/model/recording.ts';
import type { RecordOptions } from '../../../engine/model/record-options.ts';
import type { Connection } from '../app/connection.svelte.ts';
import { Job } from './job.svelte.ts';

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

export class RecordJob extends Job {
  readonly steps: RecordStep[];
  current = $state(0);
  phase = $state<RecordPhase>('compile');
  message = $state('Starting …');
  simulatedNs = $state(0);
  kernels = $state(0);
  launches = $state(0);
  repeated = $state(0);
  kernel = $state.raw<RecordProgress['kernel']>(null);
  stopping = $state(false);
  apiCalls = $state(0);
  compiled = $state.raw<Part | null>(null);
  blocks = $state.raw<Part | null>(null);
  console = $state.raw<ConsoleLine[]>([]);
  /** Since this recording's program began to run, and its current grid. */
  runMs = $state(0);
  gridMs = $state(0);
  #runSince: number | null = null;
  #gridSince: number | null = null;
  readonly #connection: Connection;

  constructor(connection: Connection, steps: RecordStep[]) {
    super();
    this.#connection = connection;
    this.steps = steps;
  }

  /** The recordings' results when all went well, else null: then `problem` says why. */
  run(): Promise<RecordResult[] | null> {
    return this.attempt('The recording failed', async (signal) => {
      const results: RecordResult[] = [];
      for (const [i, step] of this.steps.entries()) {
        this.current = i;
        this.phase = 'compile';
        this.message = 'Starting …';
        this.simulatedNs = this.kernels = this.launches = this.repeated = this.apiCalls = 0;
        this.compiled = this.blocks = this.kernel = null;
        this.#runSince = this.#gridSince = null;
        this.tick();
        const onProgress = (progress: RecordProgress): void => this.#take(progress);
        results.push(await this.#connection.call('record.run', step.options, { signal, onProgress }));
        if (this.stopping) break;
      }
      return results;
    });
  }

  /** Keeps what has been recorded until now; of a pair, what is being recorded is the last. */
  stopAndKeep(): void {
    this.stopping = true;
    this.stop();
  }

  #take({ console, ...state }: RecordProgress): void {
    const now = performance.now();
    const { phase, blocks } = state;
    if (phase === 'run') this.#runSince ??= now;
    // Another grid: fewer blocks are done than were, or there are others.
    const { blocks: before } = this;
    if (!blocks) this.#gridSince = null;
    else if (!before || blocks.total !== before.total || blocks.done < before.done) this.#gridSince = now;
    Object.assign(this, state);
    if (console.length > 0) this.console = [...this.console, ...console].slice(-maxConsoleLines);
  }

  protected override tick(): void {
    const now = performance.now();
    this.runMs = this.#runSince === null ? 0 : now - this.#runSince;
    this.gridMs = this.#gridSince === null ? 0 : now - this.#gridSince;
  }
}
