/** The part of time on screen, where the pointer is, what is measured. Linked traces share one. */
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
  /** Whose time the window is in: of linked views either. */
  view: TimelineView;
  window: TimeWindow;
  rows: { of: PlacedRows; place: RowPlace }[];
}

/** Alignment of two views: time `t` of the first is `(t - firstNs) / scale + secondNs` of the second. */
export interface ViewLink {
  firstNs: number;
  secondNs: number;
  /** Time of the first that as much of the second's lasts as long on screen. */
  scale: number;
}
/** From a view's time to that of the one that it is linked with. */
interface Other {
  view: TimelineView;
  time(own: number): number;
  scale: number;
}

export class TimelineView {
  #window = $state.raw<TimeWindow>({ start: 0, span: 1 });
  /** The width of the drawing area, CSS pixels. */
  width = $state(0);
  #cursor = $state<number | null>(null);
  #measured = $state.raw<TimeRange | null>(null);
  /** Until when there is something to see; beside another trace that may be after its own end. */
  durationNs = $state(1);
  /** From when on: 0, or before it where another trace begins earlier. */
  startNs = $state(0);
  /** The rows of the traces that it is the view of: a step back brings them back as well. */
  rows: readonly PlacedRows[] = [];
  #history = new ViewHistory<Place>();
  #isStepping = false;
  #other: Other | null = null;

  /** `firstEventNs`: where nothing happens in more than half of the time before it, the view begins there. */
  constructor(durationNs: number, firstEventNs = 0) {
    this.durationNs = Math.max(1, durationNs);
    this.window =
      firstEventNs > this.durationNs / 2
        ? fitRange(firstEventNs, this.durationNs, this.durationNs)
        : wholeTrace(this.durationNs);
  }

  /** Both show the same part of the common time from now on, and take steps back together. */
  static link(first: TimelineView, second: TimelineView, { firstNs, secondNs, scale }: ViewLink): void {
    const toSecond = (time: number): number => (time - firstNs) / scale + secondNs;
    const toFirst = (time: number): number => (time - secondNs) * scale + firstNs;
    const [firstEnd, secondEnd] = [first.durationNs, second.durationNs];
    first.startNs = Math.min(0, toFirst(0));
    first.durationNs = Math.max(firstEnd, toFirst(secondEnd));
    second.startNs = Math.min(0, toSecond(0));
    second.durationNs = Math.max(secondEnd, toSecond(firstEnd));
    first.#other = { view: second, time: toSecond, scale: 1 / scale };
    second.#other = { view: first, time: toFirst, scale };
    second.#history = first.#history;
    first.window = first.#clamp(first.window);
  }

  get window(): TimeWindow {
    return this.#window;
  }
  set window(window: TimeWindow) {
    this.#window = window;
    const other = this.#other;
    if (other) other.view.#window = { start: other.time(window.start), span: window.span * other.scale };
  }
  /** Time under the pointer. */
  get cursor(): number | null {
    return this.#cursor;
  }
  set cursor(time: number | null) {
    this.#cursor = time;
    const other = this.#other;
    if (other) other.view.#cursor = time === null ? null : other.time(time);
  }
  get measured(): TimeRange | null {
    return this.#measured;
  }
  set measured(range: TimeRange | null) {
    this.#measured = range;
    const other = this.#other;
    if (other) other.view.#measured = range && { from: other.time(range.from), to: other.time(range.to) };
  }
  /** A time of the linked view in this one's. */
  fromOther(time: number): number {
    return this.#other ? this.#other.view.#other!.time(time) : time;
  }

  /** All that there is to see. */
  get whole(): TimeWindow {
    const { start, span } = wholeTrace(this.#lengthNs);
    return { start: start + this.startNs, span };
  }
  get #lengthNs(): number {
    return this.durationNs - this.startNs;
  }
  /** The arithmetic of windows is that of traces that begin at 0. */
  #moved(move: (window: TimeWindow, lengthNs: number) => TimeWindow, from = this.window): TimeWindow {
    const { startNs } = this;
    const { start, span } = move({ start: from.start - startNs, span: from.span }, this.#lengthNs);
    return { start: start + startNs, span };
  }
  #clamp(window: TimeWindow): TimeWindow {
    return this.#moved(clampWindow, window);
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
    this.#goTo(
      'move',
      this.#moved((window, length) => zoomAt(window, factor, anchor - this.startNs, length)),
    );
  }
  panPixels(pixels: number): void {
    this.#pan(pixels * this.nsPerPixel);
  }
  /** Part of the window. */
  panShare(share: number): void {
    this.#pan(share * this.window.span);
  }
  #pan(byNs: number): void {
    this.#goTo(
      'move',
      this.#moved((window, length) => panBy(window, byNs, length)),
    );
  }
  /** Follows a hand, as the minimap's window does. */
  show(window: TimeWindow): void {
    this.#goTo('move', this.#clamp(window));
  }
  fitAll(): void {
    this.#goTo('jump', this.whole);
  }
  fit(from: number, to: number): void {
    const { startNs } = this;
    this.#goTo(
      'jump',
      this.#moved((_, length) => fitRange(from - startNs, to - startNs, length)),
    );
  }
  reveal(from: number, to: number): void {
    const { startNs } = this;
    this.#goTo(
      'jump',
      this.#moved((window, length) => reveal(window, from - startNs, to - startNs, length)),
    );
  }
  /** The time in the middle of the window. */
  get middle(): number {
    return this.window.start + this.window.span / 2;
  }
  /** Puts a time in the middle. */
  centre(time: number): void {
    this.#goTo('jump', this.#clamp({ ...this.window, start: time - this.window.span / 2 }));
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
    return { view: this, window: this.window, rows: this.rows.map((of) => ({ of, place: of.place })) };
  }
  #travel(next: (from: Place) => Place | null): boolean {
    const from = this.#place();
    let to = next(from);
    // A text that was typed and cleared again, say, left nothing to undo.
    while (to && isSame(to, from)) to = next(from);
    if (!to) return false;
    to.view.window = to.view.#clamp(to.window);
    for (const { of, place } of to.rows) of.place = place;
    return true;
  }

  measure(a: number, b: number): void {
    const clamp = (time: number): number => Math.min(Math.max(time, this.startNs), this.durationNs);
    this.measured = { from: clamp(Math.min(a, b)), to: clamp(Math.max(a, b)) };
  }
}

const isSame = (a: Place, b: Place): boolean =>
  a.view === b.view &&
  a.window.start === b.window.start &&
  a.window.span === b.window.span &&
  a.rows.every(
    ({ place }, i) =>
      place.arrangement === b.rows[i]?.place.arrangement && place.scrollTop === b.rows[i].place.scrollTop,
  );
