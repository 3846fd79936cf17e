/**
 * The search in a trace: how often the text is there, on which rows, when, and which of all hits was gone to last. Answers that
 * come late, to a text that has changed since, are dropped.
 */
import type { SearchResult, SearchStep } from '../../../engine/model/event-queries.ts';
import { problemOf } from '../app/problem.ts';
import type { Emphasis, OpenTrace } from './open-trace.svelte.ts';
import { searchEmphasis } from './search-emphasis.ts';

/** People type a letter in less; each answer takes the engine some 40 ms at ten million events. */
const settleMs = 120;
/** Hits whose places are known, so that what is merged with others is not dimmed. */
export const knownHits = 5000;

export class Search {
  isOpen = $state(false);
  /** Counts {@link open}, so that the field takes the focus again. */
  opened = $state(0);
  text = $state('');
  result = $state.raw<SearchResult | null>(null);
  /** The step to the hit that was gone to last. */
  step = $state.raw<SearchStep | null>(null);
  problem = $state('');
  busy = $state(false);
  emphasis = $state.raw<Emphasis | null>(null);
  readonly #trace: OpenTrace;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The text that is to be asked for, or has been. */
  #asked = '';
  #answer: Promise<void> = Promise.resolve();
  #before: Element | null = null;

  constructor(trace: OpenTrace) {
    this.#trace = trace;
  }

  open(): void {
    if (!this.isOpen) this.#before = document.activeElement;
    this.isOpen = true;
    this.opened++;
  }

  /** Nothing is searched for any more; gives the focus back to where it was. */
  close(): void {
    this.type('');
    this.isOpen = false;
    const before = this.#before instanceof HTMLElement && this.#before.isConnected ? this.#before : null;
    this.#before = null;
    const usable = before && before !== document.body ? before : document.querySelector('[data-testid="timeline"]');
    if (usable instanceof HTMLElement) usable.focus({ preventScroll: true });
  }

  type(text: string): void {
    this.text = text;
    clearTimeout(this.#timer);
    if (text === '') this.#clear();
    else this.#timer = setTimeout(() => this.#ask(), settleMs);
  }

  #clear(): void {
    this.#asked = '';
    this.result = this.step = this.emphasis = null;
    this.problem = '';
    this.busy = false;
  }

  #ask(): void {
    clearTimeout(this.#timer);
    const { text } = this;
    if (text === '' || text === this.#asked) return;
    this.#asked = text;
    this.#answer = this.#load(text);
  }

  async #load(text: string): Promise<void> {
    this.busy = true;
    try {
      const result = await this.#trace.ask('trace.search', { filter: { text }, limit: knownHits });
      if (this.#asked !== text) return;
      this.result = result;
      this.step = null;
      this.problem = '';
      this.emphasis = result.count > 0 ? searchEmphasis(text, result, this.#trace.info.tracks) : null;
      // An earlier emphasis would hide what is found now.
      this.#trace.emphasise(null);
    } catch (error) {
      if (this.#asked !== text) return;
      this.#clear();
      this.problem = problemOf('', error).message;
    } finally {
      if (this.#asked === text || this.#asked === '') this.busy = false;
    }
  }

  /** After the engine was started again. */
  again(): void {
    this.#asked = '';
    this.#ask();
  }

  /** Goes to the hit after the selected event (or the start of the window), or before it; around the ends. */
  async go(direction: 'next' | 'previous'): Promise<void> {
    this.#ask();
    const { text } = this;
    await this.#answer;
    if (!this.result?.count || this.text !== text) return;
    const trace = this.#trace;
    const selected = trace.selection?.event;
    const from = selected
      ? { timeNs: selected.startNs, ref: $state.snapshot(selected.ref) }
      : {
          timeNs: direction === 'next' ? trace.view.window.start - 1 : trace.view.window.start + trace.view.window.span,
        };
    const around = { timeNs: direction === 'next' ? -1 : trace.info.durationNs + 1 };
    const filter = { text };
    try {
      const hit =
        (await trace.ask('trace.nextHit', { filter, from, direction })) ??
        (await trace.ask('trace.nextHit', { filter, from: around, direction }));
      if (!hit || this.text !== text) return;
      this.step = hit;
      await trace.go(hit, hit.name);
    } catch (error) {
      this.problem = problemOf('', error).message;
    }
  }

  /** Number of a row's events that match, with those of rows below it where it is closed. */
  countOn(tracks: readonly number[]): number {
    if (!this.result) return 0;
    return this.result.tracks.reduce((sum, { track, count }) => sum + (tracks.includes(track) ? count : 0), 0);
  }
}
