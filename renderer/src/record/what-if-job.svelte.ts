/** The worth of each limit of a program: recorded once as it is, and once without each; with all there is to show meanwhile. */
import type { WhatIfOptions, WhatIfResult } from '../../../engine/model/what-if.ts';
import type { Connection } from '../app/connection.svelte.ts';
import { Job } from './job.svelte.ts';

export class WhatIfJob extends Job {
  readonly title: string;
  readonly options: WhatIfOptions;
  done = $state(0);
  /** Recordings in all; 0 until it is known. */
  total = $state(0);
  message = $state('Starting …');
  result = $state.raw<WhatIfResult | null>(null);
  readonly #connection: Connection;

  constructor(connection: Connection, title: string, options: WhatIfOptions) {
    super();
    this.#connection = connection;
    this.title = title;
    this.options = options;
  }

  async run(): Promise<void> {
    this.result = await this.attempt('The what-if failed', (signal) =>
      this.#connection.call('record.whatIf', this.options, {
        signal,
        onProgress: ({ done, total, limit, record }) => {
          this.done = done;
          this.total = total;
          this.message =
            limit === null ? `As it is: ${record.message}` : `Without a limit (${limit}): ${record.message}`;
        },
      }),
    );
  }

  /** The time of what is still to be recorded, if recordings go on taking as long as those before; null while none is done. Milliseconds. */
  get leftMs(): number | null {
    return this.done > 0 && this.total > this.done ? (this.elapsedMs / this.done) * (this.total - this.done) : null;
  }
}
