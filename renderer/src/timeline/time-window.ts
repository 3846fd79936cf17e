/**
 * The part of a trace that is on screen, and the arithmetic of moving it. Pure: a window goes in, a new one comes out.
 * Times are nanoseconds since the trace's start, as doubles: exact to below a picosecond within a day.
 */
export interface TimeWindow {
  start: number;
  span: number;
}

export interface TimeRange {
  from: number;
  to: number;
}

/** A clock cycle of today's GPUs is half a nanosecond; below this there is nothing to see. */
export const minSpanNs = 10;
/** Empty room kept left and right of the whole trace, so that its first and last events do not stick to the edge. */
const margin = 0.015;

export function timeAt(window: TimeWindow, width: number, x: number): number {
  return window.start + (x / width) * window.span;
}

export function xOf(window: TimeWindow, width: number, time: number): number {
  return ((time - window.start) / window.span) * width;
}

/** The whole trace with a little air on both sides. */
export function wholeTrace(durationNs: number): TimeWindow {
  const duration = Math.max(durationNs, minSpanNs);
  return { start: -duration * margin, span: duration * (1 + 2 * margin) };
}

/** Keeps the window within the trace: never smaller than a few nanoseconds, never larger than the trace. */
export function clampWindow(window: TimeWindow, durationNs: number): TimeWindow {
  const whole = wholeTrace(durationNs);
  const span = Math.min(Math.max(window.span, minSpanNs), whole.span);
  // The same share of the window as of the whole trace, which then has just one place.
  const air = (span * margin) / (1 + 2 * margin);
  const last = Math.max(durationNs, minSpanNs) + air - span;
  return { start: Math.min(Math.max(window.start, -air), Math.max(-air, last)), span };
}

/** `factor` above 1 shows more time. The time at `anchor` keeps its place on screen. */
export function zoomAt(window: TimeWindow, factor: number, anchor: number, durationNs: number): TimeWindow {
  const whole = wholeTrace(durationNs);
  const span = Math.min(Math.max(window.span * factor, minSpanNs), whole.span);
  const share = (anchor - window.start) / window.span;
  return clampWindow({ start: anchor - share * span, span }, durationNs);
}

export function panBy(window: TimeWindow, deltaNs: number, durationNs: number): TimeWindow {
  return clampWindow({ start: window.start + deltaNs, span: window.span }, durationNs);
}

/** Shows [from, to] with room around it. A single moment gets the smallest window. */
export function fitRange(from: number, to: number, durationNs: number, room = 0.15): TimeWindow {
  const length = Math.max(to - from, minSpanNs / 2);
  return clampWindow({ start: from - length * room, span: length * (1 + 2 * room) }, durationNs);
}

/** Moves as little as possible so that [from, to] can be seen; zooms out only when it does not fit. */
export function reveal(window: TimeWindow, from: number, to: number, durationNs: number): TimeWindow {
  const end = window.start + window.span;
  if (from >= window.start && to <= end) return window;
  // An event that spans the window already fills it: nothing to gain by moving.
  if (from < window.start && to > end) return window;
  if (to - from > window.span * 0.9) return fitRange(from, to, durationNs);
  return clampWindow({ start: (from + to) / 2 - window.span / 2, span: window.span }, durationNs);
}
