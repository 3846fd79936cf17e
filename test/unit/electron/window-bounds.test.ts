/** Where the desktop window opens again. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keepBounds, placeOnDisplays, readBounds, type Bounds } from '../../../electron/window-bounds.ts';
import { temporaryFolder } from '../trace/example-recording.ts';

const bounds = (x: number, y: number, width: number, height: number): Bounds => ({ x, y, width, height });
const laptop = bounds(0, 25, 1440, 875);
const large = bounds(1440, 0, 2560, 1400);

test.each<[string, Bounds, Bounds[], Bounds]>([
  ['where it was', bounds(100, 100, 1000, 700), [laptop], bounds(100, 100, 1000, 700)],
  ['where it was, on the second display', bounds(1500, 10, 2000, 1300), [laptop, large], bounds(1500, 10, 2000, 1300)],
  ['on the display with most of it', bounds(1000, 100, 1500, 700), [laptop, large], bounds(1440, 100, 1500, 700)],
  ['not beyond the edge', bounds(900, 700, 1000, 700), [laptop], bounds(440, 200, 1000, 700)],
  ['not below the bar at the top', bounds(-50, 0, 1000, 700), [laptop], bounds(0, 25, 1000, 700)],
  ['not larger than the display', bounds(10, 10, 3000, 2000), [laptop], laptop],
  ['not smaller than can be used', bounds(10, 30, 5, 5), [laptop], bounds(10, 30, 720, 480)],
  ['in the middle when its display has gone', bounds(1500, 10, 1040, 475), [laptop], bounds(200, 223, 1040, 480)],
])('%s', (_, kept, displays, expected) => {
  expect(placeOnDisplays(kept, displays)).toEqual(expected);
});

test('is kept in a file; a broken one is none', () => {
  const folder = temporaryFolder();
  expect(readBounds(folder)).toBeNull();
  keepBounds(folder, { bounds: laptop, isMaximized: true });
  expect(readBounds(folder)).toEqual({ bounds: laptop, isMaximized: true });
  expect(readdirSync(folder)).toEqual(['window.json']);
  for (const broken of ['', '{"bounds":{"x":1}}', '{"bounds":{"x":"1","y":2,"width":3,"height":4}}', 'null']) {
    writeFileSync(join(folder, 'window.json'), broken);
    expect(readBounds(folder)).toBeNull();
  }
});
