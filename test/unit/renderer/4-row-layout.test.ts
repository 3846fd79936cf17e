import { describe, expect, test } from 'vitest';
import type { Track } from '../../../engine/model/timeline.ts';
import { layoutRows, rowIndexAt, rowMetrics, visibleRows } from '../../../renderer/src/timeline/row-layout.ts';

const track = (id: number, parent: number | null, lanes = 0): Track => ({
  id,
  parent,
  kind: lanes ? 'stream' : 'group',
  title: `track ${id}`,
  subtitle: '',
  lanes,
  eventCount: lanes,
  busy: 0,
});
const tracks = [track(1, null), track(2, 1, 1), track(3, null), track(4, 3), track(5, 4, 1), track(6, 4, 3)];

test('rows follow the tree, without gaps', () => {
  const { rows, height } = layoutRows(tracks, new Set());
  expect(rows.map(({ track, depth }) => [track.id, depth])).toEqual([
    [1, 0],
    [2, 1],
    [3, 0],
    [4, 1],
    [5, 2],
    [6, 2],
  ]);
  let top = 0;
  for (const row of rows) {
    expect(row.top).toBe(top);
    top += row.height;
  }
  expect(height).toBe(top);
});

test('overlapping events get lanes of equal height inside their row', () => {
  const row = layoutRows(tracks, new Set()).rowOfTrack.get(6)!;
  expect(row.lanes).toBe(3);
  expect(row.laneTop + 3 * row.laneHeight).toBeLessThanOrEqual(row.height);
  expect(row.laneHeight).toBeGreaterThanOrEqual(16);
});

describe('a collapsed group', () => {
  const layout = layoutRows(tracks, new Set([3]));
  test('hides its rows', () => {
    expect(layout.rows.map((row) => row.track.id)).toEqual([1, 2, 3]);
  });
  test('still shows all their events, in one lane', () => {
    const row = layout.rowOfTrack.get(6)!;
    expect(row.track.id).toBe(3);
    expect(row.sources).toEqual([5, 6]);
    expect(row.flat).toBe(true);
  });
});

test('a track with an unknown parent is shown, not lost', () => {
  expect(layoutRows([track(9, 77, 1)], new Set()).rows).toHaveLength(1);
});

test('rows are found by place', () => {
  const { rows, height } = layoutRows(tracks, new Set());
  for (const [i, row] of rows.entries()) {
    expect(rowIndexAt(rows, row.top)).toBe(i);
    expect(rowIndexAt(rows, row.top + row.height - 1)).toBe(i);
  }
  expect(rowIndexAt(rows, -1)).toBe(-1);
  expect(rowIndexAt(rows, height)).toBe(-1);
  expect(visibleRows(rows, rows[2]!.top, rows[2]!.top + 1).map((row) => row.track.id)).toEqual([3]);
});

describe('launches of graphs above their nodes', () => {
  const stream = [track(1, null), track(2, 1, 1), track(3, 2, 4)];
  test('keep their own events and height, open and closed', () => {
    for (const closed of [new Set<number>(), new Set([2])]) {
      const row = layoutRows(stream, closed).rowOfTrack.get(2)!;
      expect([row.sources, row.flat, row.height]).toEqual([[2], false, rowMetrics.leaf]);
    }
  });
  test('stand for nodes that are not shown', () => {
    expect(layoutRows(stream, new Set([2])).rowOfTrack.get(3)!.track.id).toBe(2);
    expect(layoutRows(stream, new Set()).rowOfTrack.get(3)!.track.id).toBe(3);
  });
});
