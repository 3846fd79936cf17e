/** Spans of time and sorting by key, held against the plain ways to do it. */
import { expect, test } from 'vitest';
import { sortByKey } from '../../../engine/trace/order.ts';
import { gapsOf, lengthOf, overlapOf, SpanCollector } from '../../../engine/trace/spans.ts';

test('events of several lanes, in any order, are spans that are apart', () => {
  const collector = new SpanCollector();
  for (const [start, end] of [
    [10, 20],
    [20, 30],
    [50, 60],
    [5, 12],
    [60, 60],
    [58, 70],
    [55, 57],
  ] as const) {
    collector.add(start, end);
  }
  const spans = collector.finish();
  expect([...spans.starts]).toEqual([5, 50]);
  expect([...spans.ends]).toEqual([30, 70]);
  expect(lengthOf(spans)).toBe(45);
  expect(gapsOf(spans, 0, 100)).toEqual({ count: 3, totalNs: 55, longestNs: 30, longestAtNs: 70 });
  expect(gapsOf(spans, 5, 70)).toEqual({ count: 1, totalNs: 20, longestNs: 20, longestAtNs: 30 });
  const nothing = new SpanCollector().finish();
  expect(gapsOf(nothing, 3, 9)).toEqual({ count: 1, totalNs: 6, longestNs: 6, longestAtNs: 3 });
  expect(overlapOf(spans, nothing)).toBe(0);
  const other = new SpanCollector();
  other.add(0, 7);
  other.add(29, 51);
  expect(overlapOf(spans, other.finish())).toBe(2 + 1 + 1);
});

test('sorting by key leaves equal ones in their order', () => {
  const keys = Float64Array.from([2 ** 52, 7, 70_000, 7, 0, 5e9, 70_000]);
  const order = Uint32Array.from(keys, (_, at) => at);
  expect([...sortByKey(order, keys)]).toEqual([4, 1, 3, 2, 6, 5, 0]);
  expect([...order]).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect([...sortByKey(Uint32Array.of(3, 1, 0), keys)]).toEqual([3, 1, 0]);
});
