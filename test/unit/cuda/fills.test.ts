/** What is remembered of memsets. */
import { expect, test } from 'vitest';
import { Fills } from '../../../engine/cuda/runtime/fills.ts';
import type { FillWork } from '../../../engine/cuda/runtime/work.ts';

const fill = (address: number, value = 0, width = 1024): FillWork => ({
  ...{ type: 'memset', value, elementBytes: 1, width, height: 1, depth: 1 },
  target: { address, pitch: width, slice: width },
});

test('the same memset, as long as nothing changed and none that overlaps came', () => {
  const fills = new Fills();
  expect(fills.isThere(fill(0), 1)).toBe(false);
  fills.done(fill(0), 1024, 2);
  fills.done(fill(4096), 1024, 3);
  expect([fill(0), fill(4096), fill(0, 1), fill(0, 0, 512)].map((work) => fills.isThere(work, 3))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  fills.done(fill(512), 1024, 4);
  expect([fill(0), fill(4096)].map((work) => fills.isThere(work, 4))).toEqual([false, true]);
  expect(fills.isThere(fill(4096), 5)).toBe(false);
});
