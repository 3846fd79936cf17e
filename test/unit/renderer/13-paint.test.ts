import { describe, expect, test } from 'vitest';
import { paintFrame, type Pixels } from '../../../renderer/src/timeline/paint.ts';
import { buildRects, placeOf, type RectBatch } from '../../../renderer/src/timeline/rect-batch.ts';
import { layoutRows } from '../../../renderer/src/timeline/row-layout.ts';
import { dimmedAlpha, type Frame } from '../../../renderer/src/timeline/surface.ts';
import { overlapTrace, windowOf } from './fake-engine.ts';

const trace = overlapTrace('/t.simsight', 4);
const duration = trace.info.durationNs;
const layout = layoutRows(trace.info.tracks, new Set());
const batchOf = (matches?: (label: string) => boolean): RectBatch =>
  buildRects({
    rows: layout.rows,
    windowOf: (track) => windowOf(trace, track, 0, duration, 2 ** 14),
    from: 0,
    to: duration,
    theme: 'dark',
    emphasis: matches ? { matches } : null,
  });

const frame: Frame = {
  background: 0x102030,
  fills: [],
  window: { start: 0, span: duration },
  width: 400,
  height: 300,
  scrollTop: 0,
  pixelRatio: 1,
  texts: [],
  marks: [],
};
function painted(batch: RectBatch, change: Partial<Frame> = {}): { at(x: number, y: number): number; pixels: Pixels } {
  const all = { ...frame, ...change };
  const [width, height] = [all.width * all.pixelRatio, all.height * all.pixelRatio];
  const pixels = { width, height, data: new Uint32Array(width * height) };
  paintFrame(pixels, batch, all, { paint: () => undefined });
  expect(
    pixels.data.every((abgr) => abgr >>> 24 === 255),
    'opaque',
  ).toBe(true);
  const at = (x: number, y: number): number => {
    const abgr = pixels.data[y * width + x]!;
    return ((abgr & 255) << 16) | (abgr & 0xff00) | ((abgr >> 16) & 255);
  };
  return { at, pixels };
}
const nothing = batchOf();
nothing.count = 0;

describe('pixels painted without a GPU', () => {
  test.each([
    ['the whole trace', {}],
    ['a part of it', { window: { start: duration * 0.31, span: duration * 0.07 } }],
    ['rows further down', { scrollTop: 37.5 }],
    ['two device pixels per CSS pixel', { pixelRatio: 2 }],
  ] satisfies [string, Partial<Frame>][])(
    'every rectangle lies where it is hit, with nothing beside it: %s',
    (_, change) => {
      const all = { ...frame, ...change };
      const { pixelRatio, scrollTop } = all;
      const batch = batchOf();
      const width = all.width * pixelRatio;
      const expected = new Uint32Array(width * all.height * pixelRatio).fill(all.background);
      for (let i = 0; i < batch.count; i++) {
        const place = placeOf(batch.starts[i]!, batch.ends[i]!, all.window, all.width, pixelRatio);
        for (let y = 0; y < all.height * pixelRatio; y++) {
          const middle = (y + 0.5) / pixelRatio + scrollTop;
          if (middle < batch.tops[i]! || middle >= batch.bottoms[i]!) continue;
          for (let u = Math.round(place.x * pixelRatio); u < Math.round((place.x + place.width) * pixelRatio); u++)
            if (u >= 0 && u < width) expected[y * width + u] = batch.colours[i]!;
        }
      }
      const { at } = painted(batch, change);
      let [drawn, wrong] = [0, 0];
      for (const [i, colour] of expected.entries()) {
        if (colour !== all.background) drawn++;
        if (at(i % width, Math.floor(i / width)) !== colour) wrong++;
      }
      expect(drawn).toBeGreaterThan(1000);
      expect(wrong).toBe(0);
    },
  );

  test('what is dimmed lets through what is below', () => {
    const batch = batchOf(() => false);
    const { at } = painted(batch);
    // Nothing is painted over the last one.
    const i = [...batch.starts.keys()].findLast(
      (each) => batch.bottoms[each]! < frame.height && batch.ends[each]! - batch.starts[each]! > duration / 100,
    )!;
    const place = placeOf(batch.starts[i]!, batch.ends[i]!, frame.window, frame.width, 1);
    const seen = at(place.x + 1, batch.bottoms[i]! - 1);
    for (const shift of [16, 8, 0]) {
      const below = (frame.background >> shift) & 255;
      const above = (batch.colours[i]! >> shift) & 255;
      expect(Math.abs(((seen >> shift) & 255) - (below + (above - below) * dimmedAlpha))).toBeLessThan(1);
    }
  });

  test('fills cover the pixels whose middles they cover, one over the other', () => {
    const fills = [
      { x: 10, y: 10, width: 20, height: 5.4, colour: 0xff0000, alpha: 1 },
      { x: 12.6, y: -5, width: 1, height: 400, colour: 0x0000ff, alpha: 0.5 },
      { x: 390, y: 290, width: 50, height: 50, colour: 0x00ff00, alpha: 1 },
    ];
    const { at } = painted(nothing, { fills });
    expect([at(9, 12), at(10, 12), at(29, 12), at(30, 12)]).toEqual([0x102030, 0xff0000, 0xff0000, 0x102030]);
    expect([at(20, 14), at(20, 15)]).toEqual([0xff0000, 0x102030]);
    expect([at(12, 12), at(13, 12), at(14, 12)]).toEqual([0xff0000, 0x800080, 0xff0000]);
    expect([at(389, 299), at(390, 290), at(399, 299)]).toEqual([0x102030, 0x00ff00, 0x00ff00]);
  });
});
