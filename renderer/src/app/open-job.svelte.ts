/** One file that is being opened: how far it is, how fast that goes, and a way to stop it. */
import type { OpenProgress, TraceInfo } from '../../../engine/api/types.ts';
import { formatBytes, formatCount } from '../format.ts';
import type { Connection } from './connection.svelte.ts';

/** What is over sooner needs no progress. */
const patienceMs = 250;

export class OpenJob {
  readonly path: string;
  progress = $state.raw<OpenProgress | null>(null);
  /** Whether it takes so long that something has to be said. */
  isSlow = $state(false);
  elapsedMs = $state(0);
  readonly #abort = new AbortController();
  readonly #connection: Connection;

  constructor(connection: Connection, path: string) {
    this.#connection = connection;
    this.path = path;
  }

  /** Throws what the engine says; `cancelled` after {@link cancel}. */
  async run(): Promise<TraceInfo> {
    const since = performance.now();
    const clock = setInterval(() => {
      this.elapsedMs = performance.now() - since;
      this.isSlow ||= this.elapsedMs >= patienceMs;
    }, 100);
    try {
      return await this.#connection.call(
        'trace.open',
        { path: this.path },
        { signal: this.#abort.signal, onProgress: (progress) => (this.progress = progress) },
      );
    } finally {
      clearInterval(clock);
    }
  }

  cancel(): void {
    this.#abort.abort();
  }
}

/** `reading: 312 of 1,024 MiB, 45 MiB/s, 16 s left`. */
export function progressText(progress: OpenProgress | null, elapsedMs: number): string {
  if (!progress) return 'Opening';
  if (progress.phase === 'index') return 'Making the rows of the timeline';
  const { done, total, unit } = progress;
  const amount = (value: number): string => (unit === 'bytes' ? formatBytes(value) : `${formatCount(value)} rows`);
  const perSecond = elapsedMs > 0 ? done / (elapsedMs / 1000) : 0;
  const parts = [total > 0 ? `${amount(done)} of ${amount(total)}` : amount(done)];
  if (elapsedMs >= 1000 && perSecond > 0) {
    parts.push(`${amount(Math.round(perSecond))}/s`);
    if (total > 0) parts.push(`${timeLeft(Math.max(0, total - done) / perSecond)} left`);
  }
  return `Reading: ${parts.join(', ')}`;
}

function timeLeft(seconds: number): string {
  return seconds < 60 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}

/** From 0 to 1; null where nobody knows. */
export function shareDone(progress: OpenProgress | null): number | null {
  return progress?.phase === 'read' && progress.total > 0 ? Math.min(1, progress.done / progress.total) : null;
}
