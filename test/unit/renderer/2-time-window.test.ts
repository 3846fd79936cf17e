import { describe, expect, test } from 'vitest';
import {
  clampWindow,
  fitRange,
  minSpanNs,
  panBy,
  reveal,
  timeAt,
  wholeTrace,
  xOf,
  zoomAt,
} from '../../../renderer/src/timeline/time-window.ts';

const duration = 1_000_000;

test('x and time are each other’s reverse', () => {
  const window = { start: 123.5, span: 77 };
  expect(xOf(window, 1600, timeAt(window, 1600, 411))).toBeCloseTo(411, 9);
});

describe('zoom', () => {
  test('keeps the time at the pointer in place', () => {
    const before = { start: 200_000, span: 400_000 };
    const anchor = 300_000;
    const after = zoomAt(before, 0.5, anchor, duration);
    expect(after.span).toBe(200_000);
    expect(xOf(after, 1000, anchor)).toBeCloseTo(xOf(before, 1000, anchor), 6);
  });
  test('ends at the smallest window and at the whole trace', () => {
    expect(zoomAt({ start: 0, span: 20 }, 0.001, 5, duration).span).toBe(minSpanNs);
    expect(zoomAt({ start: 5, span: 20 }, 1e9, 5, duration)).toEqual(wholeTrace(duration));
  });
  test('stays exact ten minutes into a trace, at single nanoseconds', () => {
    const late = 600e9;
    let window = wholeTrace(late + 1000);
    for (let i = 0; i < 300; i++) window = zoomAt(window, 0.8, late, late + 1000);
    expect(window.span).toBe(minSpanNs);
    expect(xOf(window, 1600, late)).toBeGreaterThan(0);
    expect(xOf(window, 1600, late)).toBeLessThan(1600);
  });
});

test('panning stops at both ends', () => {
  const window = { start: 0, span: 100_000 };
  expect(panBy(window, -1e9, duration).start).toBeLessThanOrEqual(0);
  expect(panBy(window, -1e9, duration).start).toBeGreaterThan(-20_000);
  const last = panBy(window, 1e9, duration);
  expect(last.start + last.span).toBeGreaterThanOrEqual(duration);
  expect(last.start + last.span).toBeLessThan(duration + 20_000);
});

test('a window larger than the trace becomes the whole trace', () => {
  expect(clampWindow({ start: -5e9, span: 1e10 }, duration)).toEqual(wholeTrace(duration));
  expect(wholeTrace(0).span).toBeGreaterThan(0);
});

test('fit shows a range with room, also a single moment', () => {
  const window = fitRange(400_000, 500_000, duration);
  expect(window.start).toBeLessThan(400_000);
  expect(window.start + window.span).toBeGreaterThan(500_000);
  expect(fitRange(5000, 5000, duration).span).toBe(minSpanNs);
});

test('reveal moves only when it must', () => {
  const window = { start: 100_000, span: 100_000 };
  expect(reveal(window, 120_000, 130_000, duration)).toBe(window);
  expect(reveal(window, 0, 900_000, duration)).toBe(window);
  const moved = reveal(window, 500_000, 510_000, duration);
  expect(moved.span).toBe(window.span);
  expect(xOf(moved, 100, 505_000)).toBeCloseTo(50, 6);
  expect(reveal(window, 300_000, 600_000, duration).span).toBeGreaterThan(300_000);
});
