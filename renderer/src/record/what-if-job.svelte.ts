/** What each limit of a program is worth: recorded once as it is, and once without each; with all there is to show meanwhile. */
import type { WhatIfOptions, WhatIfResult } from '../../../engine/api/types.ts';
import type { Connection } from '../app/connection.svelte.ts';
import { problemOf, type Problem } from '../app/problem.ts';

export class WhatIfJob {
  readonly title: string;
  readonly options: WhatIfOptions;
  state = $state<'running' | 'done' | 'failed' | 'cancelled'>('running');
  done = $state(0);
  /** Recordings in all; 0 until it is known. */
  total = $state(0);
  message = $state('Starting …');
  elapsedMs = $state(0);
  cancelling = $state(false);
  result = $state.raw<WhatIfResult | null>(null);
  problem = $state.raw<Problem | null>(null);
  readonly #connection: Connection;
  readonly #abort = new AbortController();

  constructor(connection: Connection, title: string, options: WhatIfOptions) {
    this.#connection = connection;
    this.title = title;
    this.options = options;
  }

  async run(): Promise<void> {
    const started = performance.now();
    const clock = setInterval(() => (this.elapsedMs = performance.now() - started), 200);
    try {
      this.result = await this.#connection.call('record.whatIf', this.options, {
        signal: this.#abort.signal,
        onProgress: ({ done, total, limit, record }) => {
          this.done = done;
          this.total = total;
          this.message =
            limit === null ? `As it is: ${record.message}` : `Without a limit (${limit}): ${record.message}`;
        },
      });
      this.state = 'done';
    } catch (error) {
      const problem = problemOf('What limits are worth could not be found out', error);
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

  /** Of what is still to be recorded, if recordings go on taking as long as those before; null while none is done. */
  get leftMs(): number | null {
    return this.done > 0 && this.total > this.done ? (this.elapsedMs / this.done) * (this.total - this.done) : null;
  }
}
