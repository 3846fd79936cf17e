/** What part of time is on screen, where the pointer is, what is measured. Linked traces share one. */
import { clampWindow, fitRange, panBy, reveal, timeAt, wholeTrace, zoomAt, type TimeWindow } from './time-window.ts';

export class TimelineView {
  window = $state.raw<TimeWindow>({ start: 0, span: 1 });
  /** Of the drawing area, CSS pixels. */
  width = $state(0);
  /** Time under the pointer. */
  cursor = $state<number | null>(null);
  measured = $state.raw<{ from: number; to: number } | null>(null);
  durationNs = $state(1);

  constructor(durationNs: number) {
    this.durationNs = Math.max(1, durationNs);
    this.window = wholeTrace(this.durationNs);
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
    this.window = zoomAt(this.window, factor, anchor, this.durationNs);
  }
  panPixels(pixels: number): void {
    this.window = panBy(this.window, pixels * this.nsPerPixel, this.durationNs);
  }
  /** Part of the window. */
  panShare(share: number): void {
    this.window = panBy(this.window, share * this.window.span, this.durationNs);
  }
  show(window: TimeWindow): void {
    this.window = clampWindow(window, this.durationNs);
  }
  fitAll(): void {
    this.window = wholeTrace(this.durationNs);
  }
  fit(from: number, to: number): void {
    this.window = fitRange(from, to, this.durationNs);
  }
  reveal(from: number, to: number): void {
    this.window = reveal(this.window, from, to, this.durationNs);
  }
  measure(a: number, b: number): void {
    const clamp = (time: number): number => Math.min(Math.max(time, 0), this.durationNs);
    this.measured = { from: clamp(Math.min(a, b)), to: clamp(Math.max(a, b)) };
  }
}
