/** What part of time is on screen, where the pointer is, what is measured. Linked traces share one. */
import type { RowArrangement } from './row-arrangement.ts';
import {
  clampWindow,
  fitRange,
  panBy,
  reveal,
  timeAt,
  wholeTrace,
  zoomAt,
  type TimeRange,
  type TimeWindow,
} from './time-window.ts';
import { ViewHistory, type StepKind } from './view-history.ts';

/** The rows of one trace: how they are arranged, and how far they are scrolled. */
export interface PlacedRows {
  place: RowPlace;
}
export interface RowPlace {
  arrangement: RowArrangement;
  scrollTop: number;
}
interface Place {
  window: TimeWindow;
  rows: { of: PlacedRows; place: RowPlace }[];
}

export class TimelineView {
  window = $state.raw<TimeWindow>({ start: 0, span: 1 });
  /** Of the drawing area, CSS pixels. */
  width = $state(0);
  /** Time under the pointer. */
  cursor = $state<number | null>(null);
  measured = $state.raw<TimeRange | null>(null);
  durationNs = $state(1);
  /** Of the traces that it is the view of: a step back brings back their rows as well. */
  rows: readonly PlacedRows[] = [];
  readonly #history = new ViewHistory<Place>();
  #isStepping = false;

  /** `firstEventNs`: where nothing happens in more than half of the time before it, the view begins there. */
  constructor(durationNs: number, firstEventNs = 0) {
    this.durationNs = Math.max(1, durationNs);
    this.window =
      firstEventNs > this.durationNs / 2
        ? fitRange(firstEventNs, this.durationNs, this.durationNs)
        : wholeTrace(this.durationNs);
  }

  get nsPerPixel(): number {
    return this.window.span / Math.max(1, this.width);
  }

  timeAt(x: number): number {
    return timeAt(this.window, Math.max(1, this.width), x);
  }

  /** Without `x` at the pointer, else at the middle. */
  zoom(factor: number, x?: number): void {
    const middle = this.window.start + this.window.span / 2;
    const inside =
      this.cursor !== null && this.cursor >= this.window.start && this.cursor <= this.window.start + this.window.span;
    const anchor = x !== undefined ? this.timeAt(x) : inside && this.cursor !== null ? this.cursor : middle;
    this.#goTo('move', zoomAt(this.window, factor, anchor, this.durationNs));
  }
  panPixels(pixels: number): void {
    this.#goTo('move', panBy(this.window, pixels * this.nsPerPixel, this.durationNs));
  }
  /** Part of the window. */
  panShare(share: number): void {
    this.#goTo('move', panBy(this.window, share * this.window.span, this.durationNs));
  }
  /** Follows a hand, as the minimap's window does. */
  show(window: TimeWindow): void {
    this.#goTo('move', clampWindow(window, this.durationNs));
  }
  fitAll(): void {
    this.#goTo('jump', wholeTrace(this.durationNs));
  }
  fit(from: number, to: number): void {
    this.#goTo('jump', fitRange(from, to, this.durationNs));
  }
  reveal(from: number, to: number): void {
    this.#goTo('jump', reveal(this.window, from, to, this.durationNs));
  }
  /** The time in the middle of the window. */
  get middle(): number {
    return this.window.start + this.window.span / 2;
  }
  /** Puts a time in the middle. */
  centre(time: number): void {
    this.#goTo('jump', clampWindow({ ...this.window, start: time - this.window.span / 2 }, this.durationNs));
  }
  #goTo(kind: StepKind, window: TimeWindow): void {
    this.step(kind, () => (this.window = window));
  }

  /** Changes of window and rows as one step, which can be undone; none where nothing changes. */
  step(kind: StepKind, change: () => void): void {
    if (this.#isStepping) return change();
    const before = this.#place();
    this.#isStepping = true;
    try {
      change();
    } finally {
      this.#isStepping = false;
    }
    if (!isSame(before, this.#place())) this.#history.leave(before, kind, performance.now());
  }
  /** To where it was before a jump or a run of moves; false where there is nothing. */
  back(): boolean {
    return this.#travel((from) => this.#history.back(from));
  }
  forward(): boolean {
    return this.#travel((from) => this.#history.forward(from));
  }
  #place(): Place {
    return { window: this.window, rows: this.rows.map((of) => ({ of, place: of.place })) };
  }
  #travel(next: (from: Place) => Place | null): boolean {
    const from = this.#place();
    let to = next(from);
    // What was typed and cleared again, say, left nothing to undo.
    while (to && isSame(to, from)) to = next(from);
    if (!to) return false;
    this.window = clampWindow(to.window, this.durationNs);
    for (const { of, place } of to.rows) of.place = place;
    return true;
  }

  measure(a: number, b: number): void {
    const clamp = (time: number): number => Math.min(Math.max(time, 0), this.durationNs);
    this.measured = { from: clamp(Math.min(a, b)), to: clamp(Math.max(a, b)) };
  }
}

const isSame = (a: Place, b: Place): boolean =>
  a.window.start === b.window.start &&
  a.window.span === b.window.span &&
  a.rows.every(
    ({ place }, i) =>
      place.arrangement === b.rows[i]?.place.arrangement && place.scrollTop === b.rows[i].place.scrollTop,
  );
