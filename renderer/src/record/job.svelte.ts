/** Work of the engine that takes a while: how it stands, how long it has taken, and a way to end it. */
import { stopAndKeep } from '../../../engine/api/rpc.ts';
import { problemOf, type Problem } from '../app/problem.ts';

export class Job {
  state = $state<'running' | 'done' | 'failed' | 'cancelled'>('running');
  elapsedMs = $state(0);
  cancelling = $state(false);
  problem = $state.raw<Problem | null>(null);
  readonly #abort = new AbortController();

  /** The result of the work when all went well, else null: then `problem` says why, with `title` in front. */
  protected async attempt<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    const started = performance.now();
    const clock = setInterval(() => {
      this.elapsedMs = performance.now() - started;
      this.tick();
    }, 200);
    try {
      const result = await work(this.#abort.signal);
      this.state = 'done';
      return result;
    } catch (error) {
      const problem = problemOf(title, error);
      this.state = problem.cancelled || this.#abort.signal.aborted ? 'cancelled' : 'failed';
      this.problem = this.state === 'cancelled' ? null : problem;
      return null;
    } finally {
      clearInterval(clock);
      this.elapsedMs = performance.now() - started;
    }
  }

  /** Called several times a second while the work lasts. */
  protected tick(): void {}

  cancel(): void {
    this.cancelling = true;
    this.#abort.abort();
  }

  /** Ends the work with what there is, where it can do that. */
  protected stop(): void {
    this.cancelling = true;
    this.#abort.abort(stopAndKeep);
  }
}
