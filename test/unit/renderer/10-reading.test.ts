/** Computations of search, tables and the SQL console before anything is drawn. */
import { describe, expect, test } from 'vitest';
import type { EventKind } from '../../../engine/model/event-kinds/index.ts';
import type { Track } from '../../../engine/model/timeline.ts';
import type { SearchResult } from '../../../engine/model/event-queries.ts';
import { markHeights } from '../../../renderer/src/timeline/search-marks.ts';
import { eventSwatch, exactly, rootOf } from '../../../renderer/src/trace/event-words.ts';
import { searchEmphasis } from '../../../renderer/src/trace/search-emphasis.ts';
import { sqlExamples } from '../../../renderer/src/trace/sql-examples.ts';
import { placeColumns, placeOfRow } from '../../../renderer/src/trace/sql-place.ts';
import {
  contentHeight,
  lastPosition,
  positionAt,
  positionFor,
  rowHeight,
  scrollTopAt,
  tallest,
} from '../../../renderer/src/widgets/grid.ts';

describe('rows of a long table', () => {
  const height = 10.5 * rowHeight;

  test('short ones scroll by pixels, as any box does', () => {
    expect(contentHeight(100)).toBe(100 * rowHeight);
    expect(positionAt(48, 100, height)).toBeCloseTo(2);
    expect(scrollTopAt(2, 100, height)).toBeCloseTo(48);
    expect(lastPosition(100, height)).toBe(89.5);
    expect(positionAt(0, 5, height)).toBe(0);
  });
  test('long ones end at the last row all the same', () => {
    const total = 10_000_000;
    expect(contentHeight(total)).toBe(tallest);
    expect(positionAt(tallest - height, total, height)).toBeCloseTo(lastPosition(total, height), 3);
    for (const position of [0, 1, 4_999_999.5, lastPosition(total, height)]) {
      expect(positionAt(scrollTopAt(position, total, height), total, height)).toBeCloseTo(position, 3);
    }
  });
  test('a row is brought to the nearer edge', () => {
    expect(positionFor(3, 5, 100, height)).toBe(3);
    expect(positionFor(12, 5, 100, height)).toBe(5);
    expect(positionFor(20, 5, 100, height)).toBe(10.5);
    expect(positionFor(99, 5, 100, height)).toBe(89.5);
  });
});

const track = (id: number, parent: number | null, kind: Track['kind']): Track => ({
  ...{ id, parent, kind, title: `${kind} ${id}`, subtitle: '', lanes: 1, eventCount: 1, busy: 0 },
});
const tracks = [track(0, null, 'gpu'), track(1, 0, 'kernels'), track(2, 0, 'stream'), track(3, 2, 'graph-nodes')];
const hit = (kind: EventKind, row: number, on: number, startNs: number): SearchResult['hits'][number] => ({
  ...{ ref: { kind, row }, track: on, name: 'saxpy', startNs, durationNs: 5 },
});
const result = (hits: SearchResult['hits'], count = hits.length): SearchResult => ({
  ...{
    count,
    tracks: [],
    hits,
    density: new Uint32Array(512),
    names: [{ label: 'saxpy', fullName: 'void saxpy<float>(int)' }],
  },
});

describe('what stands out in a search', () => {
  test('labels, and what is merged with a hit on its row', () => {
    const { matches, contains } = searchEmphasis(
      'sax',
      result([hit('kernel', 1, 3, 100), hit('memcpy', 1, 2, 300)]),
      tracks,
    );
    expect(matches('saxpy', 'void saxpy<float>(int)')).toBe(true);
    expect(matches('saxpy', 'void saxpy<double>(int)')).toBe(false);
    expect(matches('saxpy2', 'void saxpy2<float>(int)')).toBe(false);
    expect(contains!(3, 90, 110)).toBe(true);
    expect(contains!(3, 101, 400)).toBe(false);
    // The row of all kernels shows a kernel again, but no copy.
    expect(contains!(1, 90, 110)).toBe(true);
    expect(contains!(1, 290, 310)).toBe(false);
    expect(contains!(2, 300, 300)).toBe(true);
  });
  test('of more hits than are known, labels alone', () => {
    expect(searchEmphasis('sax', result([hit('kernel', 1, 3, 100)], 2), tracks).contains).toBeUndefined();
  });
  test('marks are seen for one hit, and the tallest are where most are', () => {
    expect(markHeights([0, 1, 1000, 0])).toEqual([0, 1 / 3, 1, 0]);
    expect(markHeights([1, 0])).toEqual([1 / 3, 0]);
    const [low, high] = markHeights([10, 100]);
    expect(high).toBeGreaterThan(low!);
  });
});

test('names of events: the row above all, a search for just one, a copy in the colour of its direction', () => {
  expect(rootOf(tracks, 3)?.id).toBe(0);
  expect(rootOf(tracks, 9)).toBeUndefined();
  const [, pattern] = /^\/(.*)\/$/.exec(exactly('void a::add<int>(int*, b[2])/x'))!;
  expect(new RegExp(pattern!).test('void a::add<int>(int*, b[2])/x')).toBe(true);
  expect(new RegExp(pattern!).test('void a::add<int>(int*, b[2])/xy')).toBe(false);
  const swatch = (full: string): string => eventSwatch('memcpy', 'Memcpy', full, 'dark');
  expect(swatch('[CUDA memcpy Host-to-Device]')).not.toBe(swatch('[CUDA memcpy Device-to-Host]'));
});

describe('a row of an SQL result on the timeline', () => {
  test('by start and end', () => {
    const columns = placeColumns(['kernel', 'start', 'end'], 'SELECT …')!;
    expect(placeOfRow(columns, ['saxpy', 10, 30])).toEqual({ startNs: 10, endNs: 30, name: 'saxpy' });
    expect(placeOfRow(columns, ['saxpy', null, 30])).toBeNull();
    expect(placeOfRow(placeColumns(['start'], '')!, [7])).toEqual({ startNs: 7, endNs: 7, name: '' });
    expect(placeColumns(['value', 'ended'], '')).toBeNull();
  });
  test('by the rowid of the one table of events', () => {
    const kernels = 'SELECT k.rowid FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds';
    expect(placeOfRow(placeColumns(['rowid'], kernels)!, [3])).toEqual({ ref: { kind: 'kernel', row: 3 } });
    expect(placeColumns(['rowid'], `${kernels} JOIN CUPTI_ACTIVITY_KIND_RUNTIME`)).toBeNull();
    expect(placeColumns(['rowid'], 'SELECT rowid FROM StringIds')).toBeNull();
  });
  test('examples have titles of their own', () => {
    expect(new Set(sqlExamples.map(({ title }) => title)).size).toBe(sqlExamples.length);
  });
});
