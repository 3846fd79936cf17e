/** One file that is being opened: how far it is, how fast that goes, and a way to stop it. */
import type { OpenProgress, TraceInfo } from '../../../engine/model/timeline.ts';
import { formatBytes, formatCount } from '../../../engine/model/format.ts';
import { formatTimeLeft } from '../format.ts';
import type { Connection } from './connection.svelte.ts';

/** A shorter opening needs no progress. Milliseconds. */
const patienceMs = 250;

export class OpenJob {
  readonly path: string;
  progress = $state.raw<OpenProgress | null>(null);
  /** True once it takes so long that the user has to be told. */
  isSlow = $state(false);
  elapsedMs = $state(0);
  /** Since the phase began: the two go at speeds of their own. */
  phaseMs = $state(0);
  readonly #abort = new AbortController();
  readonly #connection: Connection;

  constructor(connection: Connection, path: string) {
    this.#connection = connection;
    this.path = path;
  }

  /** Throws what the engine says; `cancelled` after {@link cancel}. */
  async run(): Promise<TraceInfo> {
    const since = performance.now();
    let phaseSince = since;
    const clock = setInterval(() => {
      this.elapsedMs = performance.now() - since;
      this.phaseMs = performance.now() - phaseSince;
      this.isSlow ||= this.elapsedMs >= patienceMs;
    }, 100);
    const take = (progress: OpenProgress): void => {
      if (this.progress && this.progress.phase !== progress.phase) phaseSince = performance.now();
      this.progress = progress;
    };
    try {
      return await this.#connection.call(
        'trace.open',
        { path: this.path },
        { signal: this.#abort.signal, onProgress: take },
      );
    } finally {
      clearInterval(clock);
    }
  }

  cancel(): void {
    this.#abort.abort();
  }
}

/** `Reading: 312 MiB of 1,024 MiB, 45 MiB/s, 16 s left`; `elapsedMs` is that of the phase. */
export function progressText(progress: OpenProgress | null, elapsedMs: number): string {
  if (!progress) return 'Opening';
  const { phase, done, total, unit } = progress;
  const what = phase === 'index' ? 'events' : 'rows';
  const amount = (value: number): string => (unit === 'bytes' ? formatBytes(value) : `${formatCount(value)} ${what}`);
  const perSecond = elapsedMs > 0 ? done / (elapsedMs / 1000) : 0;
  const before = unit === 'bytes' ? amount(done) : formatCount(done);
  const parts = [total > 0 ? `${before} of ${amount(total)}` : amount(done)];
  if (elapsedMs >= 1000 && perSecond > 0) {
    parts.push(`${amount(Math.round(perSecond))}/s`);
    if (total > 0) parts.push(`${formatTimeLeft(Math.max(0, total - done) / perSecond)} left`);
  }
  return `${phase === 'index' ? 'Building the timeline rows' : 'Reading'}: ${parts.join(', ')}`;
}

/** From 0 to 1; null where nobody knows. */
export function shareDone(progress: OpenProgress | null): number | null {
  return progress && progress.total > 0 ? Math.min(1, progress.done / progress.total) : null;
}
