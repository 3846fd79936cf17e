/** Rows that people moved, hid, pinned or filtered. */
import { describe, expect, test } from 'vitest';
import type { Track } from '../../../engine/model/timeline.ts';
import {
  arrangePins,
  arrangeRows,
  dropPlace,
  groupsAbove,
  siblingsOf,
  type RowArrangement,
} from '../../../renderer/src/timeline/row-arrangement.ts';

const track = (id: number, parent: number | null, title: string, lanes = 0): Track => ({
  ...{ id, parent, title, lanes, kind: lanes ? 'stream' : 'group', subtitle: '', eventCount: lanes, busy: 0 },
});
const tracks = [
  track(0, null, 'app'),
  track(1, 0, 'CUDA API', 1),
  track(2, 0, 'NVTX', 2),
  track(3, null, 'GPU 0'),
  track(4, 3, 'Kernels', 1),
  track(5, 3, 'Streams'),
  track(6, 5, 'Stream 13', 1),
  track(7, 5, 'Stream 14', 1),
];
const nothing: RowArrangement = {
  ...{ collapsed: new Set(), hidden: new Set(), pinned: [], order: new Map(), filter: '' },
};
const shown = (change: Partial<RowArrangement>): number[] =>
  arrangeRows(tracks, { ...nothing, ...change }).rows.map((row) => row.track.id);

test('as they came, where nothing was changed', () => {
  expect(shown({})).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

describe('filter', () => {
  test('keeps what is found, what is above it and what is below', () => {
    expect(shown({ filter: 'stream 14' })).toEqual([3, 5, 7]);
    expect(shown({ filter: 'STREAMS' })).toEqual([3, 5, 6, 7]);
    expect(shown({ filter: 'nothing of that name' })).toEqual([]);
  });
  test('opens closed groups above what is found, and only those', () => {
    expect(shown({ filter: 'stream 14', collapsed: new Set([3, 5]) })).toEqual([3, 5, 7]);
    expect(shown({ filter: 'streams', collapsed: new Set([5]) })).toEqual([3, 5]);
  });
});

describe('hidden', () => {
  test('takes all below it', () => expect(shown({ hidden: new Set([5]) })).toEqual([0, 1, 2, 3, 4]));
  test('is not in the line of a closed group', () => {
    const { rows } = arrangeRows(tracks, { ...nothing, collapsed: new Set([5]), hidden: new Set([7]) });
    expect(rows.find((row) => row.track.id === 5)!.sources).toEqual([6]);
  });
});

describe('order', () => {
  const order = new Map([
    [null, [3, 0]],
    [5, [7]],
  ]);
  test('moves rows with what is below them; what came later is last', () => {
    expect(shown({ order })).toEqual([3, 4, 5, 7, 6, 0, 1, 2]);
    expect(siblingsOf(tracks, { order }, 6).map(({ id }) => id)).toEqual([7, 6]);
  });
  test('a dropped row goes before the sibling in whose upper half it is', () => {
    const layout = arrangeRows(tracks, nothing);
    const top = (id: number): number => layout.rows.find((row) => row.track.id === id)!.top;
    expect(dropPlace(layout, 7, top(6) + 2)).toEqual({ before: 6, y: top(6) });
    expect(dropPlace(layout, 3, 3)).toEqual({ before: 0, y: 0 });
    expect(dropPlace(layout, 0, layout.height - 1)).toEqual({ before: null, y: layout.height });
    // Never among the children of others.
    expect(dropPlace(layout, 1, layout.height)).toEqual({ before: null, y: top(3) });
  });
});

describe('pinned', () => {
  const layout = arrangePins(tracks, { ...nothing, pinned: [7, 5, 99] });
  test('each by itself in the order they were pinned, with the name of what they belong to', () => {
    expect(layout.rows.map(({ track, depth, top }) => [track.id, depth, track.subtitle, top])).toEqual([
      [7, 0, 'Streams', 0],
      [5, 0, 'GPU 0', layout.rows[0]!.height],
    ]);
  });
  test('a group shows what is below it in one line', () => {
    expect(layout.rows[1]).toMatchObject({ sources: [6, 7], flat: true, expandable: false });
  });
});

test('groups whose rows are scrolled away', () => {
  const layout = arrangeRows(tracks, nothing);
  const row = (id: number) => layout.rows.find((each) => each.track.id === id)!;
  const above = (scrollTop: number): number[] => groupsAbove(layout, tracks, scrollTop).map((each) => each.track.id);
  expect(above(0)).toEqual([]);
  expect(above(row(6).top + 1)).toEqual([3, 5]);
  expect(above(row(1).top + 1)).toEqual([0]);
});
