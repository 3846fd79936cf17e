/** History of a view: back and forward, as in a browser. Pure but for the times that it is told. */

/** Changes by hand that follow each other closely are one step (ms). */
const pauseBetweenSteps = 700;
const mostSteps = 200;

/** A jump to somewhere, or one of many moves by wheel, pointer or key, or of many letters. */
export type StepKind = 'jump' | 'move' | 'typing';

/** `P`: all that a step back brings back. */
export class ViewHistory<P> {
  readonly #past: P[] = [];
  readonly #future: P[] = [];
  #last: { kind: StepKind; time: number } = { kind: 'jump', time: 0 };

  get canGoBack(): boolean {
    return this.#past.length > 0;
  }
  get canGoForward(): boolean {
    return this.#future.length > 0;
  }

  /** `from` has been left. `now`: ms. */
  leave(from: P, kind: StepKind, now: number): void {
    const goesOn = kind !== 'jump' && kind === this.#last.kind && now - this.#last.time < pauseBetweenSteps;
    this.#last = { kind, time: now };
    if (goesOn) return;
    this.#past.push(from);
    if (this.#past.length > mostSteps) this.#past.shift();
    this.#future.length = 0;
  }

  /** Null where there is nothing before; else the view to go to from `from`. */
  back(from: P): P | null {
    return this.#step(this.#past, this.#future, from);
  }
  forward(from: P): P | null {
    return this.#step(this.#future, this.#past, from);
  }

  #step(source: P[], other: P[], from: P): P | null {
    this.#last = { kind: 'jump', time: 0 };
    const to = source.pop();
    if (!to) return null;
    other.push(from);
    return to;
  }
}
