/** Opening of files: the one under way, and the outcome of those that were opened together. */
import type { TraceInfo } from '../../../engine/model/timeline.ts';
import type { Connection } from './connection.svelte.ts';
import { isWorthSaying, mostShown, type FileOutcome } from './file-outcomes.ts';
import { OpenJob } from './open-job.svelte.ts';
import { problemOf, type Problem } from './problem.ts';

export class Opening {
  /** The file that is being opened. */
  job = $state.raw<OpenJob | null>(null);
  /** The outcome of files that were opened together, where not all are on the screen. */
  files = $state.raw<readonly FileOutcome[] | null>(null);
  /** Counts what is asked to be opened. */
  #asked = 0;
  readonly #connection: Connection;
  readonly #show: (problem: Problem | null) => void;

  /** `show` shows the problem of a single file, and hides it when others are opened. */
  constructor(connection: Connection, show: (problem: Problem | null) => void) {
    this.#connection = connection;
    this.#show = show;
  }

  /** The traces that there is room for, of those that can be opened; null where there is none, or nobody waits for them any more. */
  async load(paths: string[], others: readonly FileOutcome[] = []): Promise<TraceInfo[] | null> {
    this.#show(null);
    this.files = null;
    const asked = ++this.#asked;
    const infos: TraceInfo[] = [];
    const files: FileOutcome[] = [];
    for (const path of paths) {
      if (infos.length === mostShown) {
        files.push({ path, became: 'left' });
        continue;
      }
      // Opening another file gives up waiting for the one before.
      this.job?.cancel();
      const job = new OpenJob(this.#connection, path);
      this.job = job;
      try {
        const info = await job.run();
        infos.push(info);
        files.push({ path: info.path, became: 'shown' });
      } catch (error) {
        const problem = problemOf('The trace could not be opened', error);
        files.push({ path, became: 'failed', problem });
        if (problem.cancelled) this.#asked++;
      } finally {
        if (this.job === job) this.job = null;
      }
      if (asked !== this.#asked) {
        for (const { traceId } of infos) void this.#connection.call('trace.close', { traceId }).catch(() => undefined);
        return null;
      }
    }
    files.push(...others);
    const [first] = files;
    if (first?.became === 'failed' && files.length === 1) this.#show(first.problem);
    else if (isWorthSaying(files)) this.files = files;
    return infos.length > 0 ? infos : null;
  }

  /** Says of `files` that `file` found room after all, as `path`, among those `shown` now. */
  foundRoom(files: readonly FileOutcome[], file: FileOutcome, path: string, shown: readonly string[]): void {
    this.files = files.map((each): FileOutcome => {
      if (each === file) return { path, became: 'shown' };
      if (each.became !== 'shown' && each.became !== 'left') return each;
      return { path: each.path, became: shown.includes(each.path) ? 'shown' : 'left' };
    });
  }
}
