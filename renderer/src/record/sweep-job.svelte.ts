/** A program recorded with every combination of some values, with all there is to show meanwhile and afterwards. */
import type { Params } from '../../../engine/api/contract.ts';
import type { SweepView } from '../../../engine/model/sweep.ts';
import type { Connection } from '../app/connection.svelte.ts';
import { problemOf } from '../app/problem.ts';
import { Job } from './job.svelte.ts';

export type SweepRequest = Params<'sweep.run'>;

export class SweepJob extends Job {
  readonly title: string;
  readonly request: SweepRequest;
  total = $state(0);
  done = $state(0);
  failed = $state(0);
  running = $state.raw<string[]>([]);
  view = $state.raw<SweepView | null>(null);
  readonly #connection: Connection;
  #doneAtStart: number | null = null;

  constructor(connection: Connection, title: string, request: SweepRequest) {
    super();
    this.#connection = connection;
    this.title = title;
    this.request = request;
  }

  async run(): Promise<void> {
    this.view = await this.attempt('The sweep failed', (signal) =>
      this.#connection.call('sweep.run', this.request, {
        signal,
        onProgress: ({ total, done, failed, running }) => {
          this.#doneAtStart ??= done;
          this.total = total;
          this.done = done;
          this.failed = failed;
          this.running = running;
        },
      }),
    );
  }
  /** Shows another measure: all kernels, the whole program, one kernel. */
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
