import { describe, expect, test } from 'vitest';
import { hitTest } from '../../../renderer/src/timeline/hit-test.ts';
import { chooseLabels, cropText, maxLabels } from '../../../renderer/src/timeline/label-choice.ts';
import {
  buildRects,
  labelOf,
  placeOf,
  vertexBytes,
  writeVertices,
  type RectBatch,
} from '../../../renderer/src/timeline/rect-batch.ts';
import { layoutRows } from '../../../renderer/src/timeline/row-layout.ts';
import { overlapTrace, windowOf } from './fake-engine.ts';

const trace = overlapTrace('/t.simsight', 4);
const duration = trace.info.durationNs;

function batchOf(from = 0, to = duration, resolution = 0, collapsed = new Set<number>()): RectBatch {
  return buildRects({
    rows: layoutRows(trace.info.tracks, collapsed).rows,
    windowOf: (track) => windowOf(trace, track, from, to, resolution),
    from,
    to,
    theme: 'dark',
    emphasis: null,
  });
}

describe('the batch', () => {
  test('has every event once, inside its row', () => {
    const batch = batchOf();
    expect(batch.count).toBe(trace.events.length);
    const { rowOfTrack } = layoutRows(trace.info.tracks, new Set());
    for (let i = 0; i < batch.count; i++) {
      const row = rowOfTrack.get(batch.windows[batch.windowOf[i]!]!.track)!;
      expect(batch.tops[i]!).toBeGreaterThanOrEqual(row.top);
      expect(batch.bottoms[i]!).toBeLessThanOrEqual(row.top + row.height);
    }
  });
  test('collapsed rows lose no event', () => {
    expect(batchOf(0, duration, 0, new Set([1, 3])).count).toBe(trace.events.length);
  });
  test('merged events are lower, by how busy they are, but never vanish', () => {
    const batch = batchOf(0, duration, 2 ** 14);
    expect(batch.count).toBeLessThan(trace.events.length);
    let lower = 0;
    for (let i = 0; i < batch.count; i++) {
      const window = batch.windows[batch.windowOf[i]!]!;
      const height = batch.bottoms[i]! - batch.tops[i]!;
      expect(height).toBeGreaterThanOrEqual(4);
      if (window.merged[batch.indexOf[i]!]! > 1 && height < 20) lower++;
    }
    expect(lower).toBeGreaterThan(0);
  });
  test('emphasis marks what matches and dims the rest', () => {
    const batch = buildRects({
      rows: layoutRows(trace.info.tracks, new Set()).rows,
      windowOf: (track) => windowOf(trace, track, 0, duration, 0),
      from: 0,
      to: duration,
      theme: 'dark',
      emphasis: { matches: (label) => label === 'saxpy_chunk' },
    });
    for (let i = 0; i < batch.count; i++) expect(batch.emphasised[i]).toBe(labelOf(batch, i) === 'saxpy_chunk' ? 1 : 0);
  });
});

describe('vertices', () => {
  test('four per rectangle, with both ends of it, relative to the origin', () => {
    const batch = batchOf();
    const origin = 5_000_000;
    const bytes = writeVertices(batch, origin);
    expect(bytes.byteLength).toBe(batch.count * 4 * vertexBytes);
    const floats = new Float32Array(bytes.buffer);
    const words = new Uint32Array(bytes.buffer);
    const i = 17;
    for (let corner = 0; corner < 4; corner++) {
      const at = (i * 4 + corner) * 4;
      expect(floats[at]).toBe(Math.fround(batch.starts[i]! - origin));
      expect(floats[at + 1]).toBe(Math.fround(batch.ends[i]! - origin));
      expect(floats[at + 2]).toBe(corner < 2 ? batch.tops[i] : batch.bottoms[i]);
      const colour = batch.colours[i]!;
      expect(words[at + 3]! & 255).toBe(colour >> 16);
      expect((words[at + 3]! >>> 16) & 255).toBe(colour & 255);
      expect(words[at + 3]! >>> 24).toBe((batch.patterns[i]! << 1) | batch.emphasised[i]!);
    }
  });
  test('a nanosecond stays apart an hour into a trace', () => {
    const hour = 3600e9;
    const batch = { ...batchOf(), count: 1 };
    batch.starts[0] = hour + 3;
    batch.ends[0] = hour + 4;
    const floats = new Float32Array(writeVertices(batch, hour).buffer);
    expect([floats[0], floats[1]]).toEqual([3, 4]);
  });
});

describe('places', () => {
  const window = { start: 0, span: 1000 };
  test('nothing is narrower than a device pixel', () => {
    expect(placeOf(500, 500, window, 1000, 1)).toEqual({ x: 500, width: 1 });
    expect(placeOf(500, 500.2, window, 1000, 2)).toEqual({ x: 500, width: 0.5 });
  });
  test('neighbours that are wide enough stay a device pixel apart', () => {
    const left = placeOf(100, 200, window, 1000, 1);
    const right = placeOf(200, 300, window, 1000, 1);
    expect(right.x - (left.x + left.width)).toBe(1);
  });
});

describe('hit testing', () => {
  const batch = batchOf();
  test('finds the event in whose middle the pointer is', () => {
    for (let i = 0; i < batch.count; i += 7) {
      const found = hitTest(
        batch,
        (batch.starts[i]! + batch.ends[i]!) / 2,
        (batch.tops[i]! + batch.bottoms[i]!) / 2,
        0,
      );
      expect(found).toBe(i);
    }
  });
  test('one-pixel events are hit from nearby, far ones are not', () => {
    const i = batch.count - 1;
    const y = (batch.tops[i]! + batch.bottoms[i]!) / 2;
    expect(hitTest(batch, batch.ends[i]! + 90, y, 100)).toBeGreaterThanOrEqual(0);
    expect(hitTest(batch, -5e6, y, 100)).toBe(-1);
    expect(hitTest(batch, batch.ends[i]!, -50, 100)).toBe(-1);
  });
  test('the shorter of two that overlap wins', () => {
    const two: RectBatch = {
      ...batch,
      count: 2,
      starts: Float64Array.of(0, 40),
      ends: Float64Array.of(100, 50),
      tops: Float32Array.of(0, 0),
      bottoms: Float32Array.of(10, 10),
    };
    expect(hitTest(two, 45, 5, 0)).toBe(1);
    expect(hitTest(two, 20, 5, 0)).toBe(0);
  });
});

describe('labels', () => {
  const advance = (): number => 6;
  const choose = (from: number, to: number) =>
    chooseLabels({
      batch: batchOf(),
      window: { start: from, span: to - from },
      width: 1600,
      pixelRatio: 1,
      top: 0,
      bottom: 1000,
      advance,
    });
  test('only on rectangles with room for one', () => {
    for (const label of choose(0, duration)) expect(label.text.length).toBeGreaterThanOrEqual(4);
  });
  test('stick to the left edge while their rectangle comes in from there', () => {
    const labels = choose(3_000_000, 3_010_000);
    expect(labels.length).toBeGreaterThan(0);
    for (const label of labels) expect(label.x).toBeGreaterThanOrEqual(0);
  });
  test('are cropped with an ellipsis, or left out when little would remain', () => {
    expect(cropText('saxpy', 30, advance)).toBe('saxpy');
    expect(cropText('saxpy_chunk', 48, advance)).toBe('saxpy_c…');
    expect(cropText('saxpy_chunk', 20, advance)).toBe('');
  });
  test('are never more than a frame can afford', () => {
    const many = 2000;
    const base = batchOf();
    const batch: RectBatch = {
      ...base,
      count: many,
      starts: Float64Array.from({ length: many }, (_, i) => (i % 20) * 100),
      ends: Float64Array.from({ length: many }, (_, i) => (i % 20) * 100 + 90),
      tops: new Float32Array(many),
      bottoms: new Float32Array(many).fill(20),
      windowOf: new Uint16Array(many),
      indexOf: new Uint32Array(many),
    };
    const labels = chooseLabels({
      batch,
      window: { start: 0, span: 2000 },
      width: 2000,
      pixelRatio: 1,
      top: 0,
      bottom: 500,
      advance,
    });
    expect(labels).toHaveLength(maxLabels);
  });
});
