/** Where a view was before: back and forward, as in a browser. Pure but for the times that it is told. */
import type { TimeWindow } from './time-window.ts';

/** Moves by hand that follow each other closely are one step (ms). */
const pauseBetweenSteps = 700;
const mostSteps = 200;

export class ViewHistory {
  readonly #past: TimeWindow[] = [];
  readonly #future: TimeWindow[] = [];
  #lastMove = -Infinity;

  get canGoBack(): boolean {
    return this.#past.length > 0;
  }
  get canGoForward(): boolean {
    return this.#future.length > 0;
  }

  /** Before a move away from `from`: a jump to somewhere, or one of many by wheel, pointer or key. `now`: ms. */
  leave(from: TimeWindow, kind: 'jump' | 'move', now: number): void {
    const goesOn = kind === 'move' && now - this.#lastMove < pauseBetweenSteps;
    this.#lastMove = kind === 'move' ? now : -Infinity;
    if (goesOn) return;
    this.#past.push(from);
    if (this.#past.length > mostSteps) this.#past.shift();
    this.#future.length = 0;
  }

  /** Null where there is nothing before; else the view to go to from `from`. */
  back(from: TimeWindow): TimeWindow | null {
    return this.#step(this.#past, this.#future, from);
  }
  forward(from: TimeWindow): TimeWindow | null {
    return this.#step(this.#future, this.#past, from);
  }

  #step(source: TimeWindow[], other: TimeWindow[], from: TimeWindow): TimeWindow | null {
    this.#lastMove = -Infinity;
    const to = source.pop();
    if (!to) return null;
    other.push(from);
    return to;
  }
}
