/** Memory that a launch borrows for its warps, where there usually is no room for all that a cooperative one needs at once. */
import { expect, test } from 'vitest';
import { DeviceMemory } from '../../../engine/warp/device/memory.ts';

test('it lies at the end of what is free, and is free and zero afterwards', () => {
  const memory = new DeviceMemory([8 * 2 ** 30]);
  const before = memory.allocate(1 << 20)!;
  const borrowed = memory.borrow(300 << 20)!;
  expect(borrowed.end - borrowed.start).toBeGreaterThanOrEqual(300 << 20);
  new Uint8Array(memory.wasm.buffer, borrowed.start, 1 << 20).fill(7);
  const between = memory.allocate(1 << 20)!;
  expect([before < between, between + (1 << 20) <= borrowed.start]).toEqual([true, true]);
  expect(memory.allocate(4 * 2 ** 30 - (800 << 20))).toBeNull();
  memory.giveBack(borrowed);
  const [bytes] = memory.pieces(borrowed.start, 1 << 20, false);
  expect(bytes!.every((byte) => byte === 0)).toBe(true);
  expect(memory.borrow(300 << 20)).toEqual(borrowed);
});

test('not more than is free', () => {
  const memory = new DeviceMemory([8 * 2 ** 30]);
  expect(memory.borrow(2 ** 32)).toBeNull();
});
