/** What part of time is on screen, where the pointer is, what is measured. Linked traces share one. */
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
import { ViewHistory } from './view-history.ts';

export class TimelineView {
  window = $state.raw<TimeWindow>({ start: 0, span: 1 });
  /** Of the drawing area, CSS pixels. */
  width = $state(0);
  /** Time under the pointer. */
  cursor = $state<number | null>(null);
  measured = $state.raw<TimeRange | null>(null);
  durationNs = $state(1);
  readonly #history = new ViewHistory();

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
    this.#leave('move');
    this.window = zoomAt(this.window, factor, anchor, this.durationNs);
  }
  panPixels(pixels: number): void {
    this.#leave('move');
    this.window = panBy(this.window, pixels * this.nsPerPixel, this.durationNs);
  }
  /** Part of the window. */
  panShare(share: number): void {
    this.#leave('move');
    this.window = panBy(this.window, share * this.window.span, this.durationNs);
  }
  /** Follows a hand, as the minimap's window does. */
  show(window: TimeWindow): void {
    this.#leave('move');
    this.window = clampWindow(window, this.durationNs);
  }
  fitAll(): void {
    this.#leave('jump');
    this.window = wholeTrace(this.durationNs);
  }
  fit(from: number, to: number): void {
    this.#leave('jump');
    this.window = fitRange(from, to, this.durationNs);
  }
  reveal(from: number, to: number): void {
    const next = reveal(this.window, from, to, this.durationNs);
    if (next === this.window) return;
    this.#leave('jump');
    this.window = next;
  }
  /** The time in the middle of the window. */
  get middle(): number {
    return this.window.start + this.window.span / 2;
  }
  /** Puts a time in the middle. */
  centre(time: number): void {
    this.#leave('jump');
    this.window = clampWindow({ ...this.window, start: time - this.window.span / 2 }, this.durationNs);
  }
  /** To where it was before a jump or a run of moves; false where there is nothing. */
  back(): boolean {
    return this.#goTo(this.#history.back(this.window));
  }
  forward(): boolean {
    return this.#goTo(this.#history.forward(this.window));
  }
  get canGoBack(): boolean {
    void this.window;
    return this.#history.canGoBack;
  }
  get canGoForward(): boolean {
    void this.window;
    return this.#history.canGoForward;
  }
  #goTo(window: TimeWindow | null): boolean {
    if (window) this.window = clampWindow(window, this.durationNs);
    return window !== null;
  }
  #leave(kind: 'jump' | 'move'): void {
    this.#history.leave(this.window, kind, performance.now());
  }
  measure(a: number, b: number): void {
    const clamp = (time: number): number => Math.min(Math.max(time, 0), this.durationNs);
    this.measured = { from: clamp(Math.min(a, b)), to: clamp(Math.max(a, b)) };
  }
}
