/** A program recorded with every combination of some values, with all there is to show meanwhile and afterwards. */
import type { Params } from '../../../engine/api/contract.ts';
import type { SweepView } from '../../../engine/api/types.ts';
import type { Connection } from '../app/connection.svelte.ts';
import { problemOf, type Problem } from '../app/problem.ts';

export type SweepRequest = Params<'sweep.run'>;

export class SweepJob {
  readonly title: string;
  readonly request: SweepRequest;
  state = $state<'running' | 'done' | 'failed' | 'cancelled'>('running');
  total = $state(0);
  done = $state(0);
  failed = $state(0);
  running = $state.raw<string[]>([]);
  elapsedMs = $state(0);
  cancelling = $state(false);
  view = $state.raw<SweepView | null>(null);
  problem = $state.raw<Problem | null>(null);
  readonly #connection: Connection;
  readonly #abort = new AbortController();
  #doneAtStart: number | null = null;

  constructor(connection: Connection, title: string, request: SweepRequest) {
    this.#connection = connection;
    this.title = title;
    this.request = request;
  }

  async run(): Promise<void> {
    const started = performance.now();
    const clock = setInterval(() => (this.elapsedMs = performance.now() - started), 200);
    try {
      this.view = await this.#connection.call('sweep.run', this.request, {
        signal: this.#abort.signal,
        onProgress: ({ total, done, failed, running }) => {
          this.#doneAtStart ??= done;
          this.total = total;
          this.done = done;
          this.failed = failed;
          this.running = running;
        },
      });
      this.state = 'done';
    } catch (error) {
      const problem = problemOf('The sweep failed', error);
      this.state = problem.cancelled || this.#abort.signal.aborted ? 'cancelled' : 'failed';
      this.problem = this.state === 'cancelled' ? null : problem;
    } finally {
      clearInterval(clock);
      this.elapsedMs = performance.now() - started;
    }
  }
  cancel(): void {
    this.cancelling = true;
    this.#abort.abort();
  }
  /** By another measure: all kernels, the whole program, one kernel. */
  async measure(metric: string): Promise<void> {
    if (!this.view) return;
    try {
      this.view = await this.#connection.call('sweep.read', { folder: this.view.folder, metric });
    } catch (error) {
      this.problem = problemOf('The sweep could not be read', error);
    }
  }

  /** If jobs go on taking as long as those that were run now; null while none was. */
  get leftMs(): number | null {
    const ran = this.done - (this.#doneAtStart ?? 0);
    return ran > 0 && this.total > this.done ? (this.elapsedMs / ran) * (this.total - this.done) : null;
  }
}
