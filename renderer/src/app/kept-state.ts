/**
 * The state that the engine keeps of a user between sessions, and what is on its way there. A browser's own storage would not do: it
 * belongs to an address, and each start of browser mode has another one.
 */
import type { KeptState } from '../../../engine/api/types.ts';
import type { Connection } from './connection.svelte.ts';

/** A drag of a splitter changes its width a hundred times. Milliseconds. */
const patienceMs = 200;

export class Keeper {
  readonly #connection: Connection;
  readonly #onProblem: (problem: string) => void;
  readonly #views = new Map<string, unknown>();
  /** Changes that the engine has not heard of. */
  #preferences: Record<string, unknown> = {};
  #view: { path: string; state: unknown } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #problem: string | null = null;

  constructor(connection: Connection, onProblem: (problem: string) => void) {
    this.#connection = connection;
    this.#onProblem = onProblem;
  }

  /** Those preferences that were changed meanwhile stay changed. */
  async load(): Promise<Pick<KeptState, 'preferences' | 'problem'>> {
    const state = await this.#call();
    this.#problem = state?.problem ?? null;
    for (const { path, state: view } of state?.views ?? []) this.#views.set(path, view);
    return { preferences: state?.preferences ?? {}, problem: this.#problem };
  }
  viewOf(path: string): unknown {
    return this.#views.get(path);
  }

  keepPreference(name: string, value: unknown): void {
    this.#preferences[name] = value;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.send(), patienceMs);
  }
  keepView(path: string, state: unknown): void {
    this.#views.set(path, state);
    this.#view = { path, state };
    this.send();
  }

  /** Now, since the page may be gone in a moment. */
  send(): void {
    if (this.#view || Object.keys(this.#preferences).length > 0) void this.#change();
  }

  /** A failure is reported once. */
  async #change(): Promise<void> {
    const problem = (await this.#call())?.problem ?? null;
    if (problem && problem !== this.#problem) this.#onProblem(problem);
    this.#problem = problem;
  }

  async #call(): Promise<KeptState | null> {
    clearTimeout(this.#timer);
    const [preferences, view] = [this.#preferences, this.#view];
    this.#preferences = {};
    this.#view = null;
    const change = { ...(Object.keys(preferences).length > 0 ? { preferences } : {}), ...(view ? { view } : {}) };
    try {
      const state = await this.#connection.call('app.state', change as object);
      return state;
    } catch {
      // An engine that is gone hears of it when it is back; one that refuses it would again.
      if (this.#connection.state !== 'open') {
        this.#preferences = { ...preferences, ...this.#preferences };
        this.#view ??= view;
      }
      return null;
    }
  }
}
