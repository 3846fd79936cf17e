/** Addresses that are reserved without memory, which graphs use. */
import { expect, test } from 'vitest';
import { Device } from '../../../engine/warp/device.ts';

const device = (): Device => Device.create([], { memoryBytes: 1 << 20 });

test('reserved addresses are nobody else’s, and cost no memory until something is placed there', () => {
  const gpu = device();
  const reserved = gpu.reserve(4096)!;
  const beside = gpu.allocate(4096)!;
  expect(Math.abs(beside - reserved)).toBeGreaterThanOrEqual(4096);
  expect(gpu.usedBytes).toBe(4096);
  expect(gpu.place(reserved, 1000)).toBe(true);
  expect(gpu.usedBytes).toBe(4096 + 1024);
});

test('what is freed leaves its addresses reserved, and cleared', () => {
  const gpu = device();
  const reserved = gpu.reserve(4096)!;
  gpu.place(reserved, 4096);
  const bytes = () => new Uint8Array(gpu.memory.buffer, reserved, 4096);
  bytes().fill(7);
  expect(gpu.free(reserved)).toBe(true);
  expect(gpu.free(reserved)).toBe(false);
  expect(gpu.allocate(4096)).not.toBe(reserved);
  expect(gpu.place(reserved, 4096)).toBe(true);
  expect(bytes().every((byte) => byte === 0)).toBe(true);
  gpu.free(reserved);
  gpu.unreserve(reserved, 4096);
  expect(gpu.allocate(4096)).toBe(reserved);
});

test('more than the device has can be reserved, not placed', () => {
  const gpu = device();
  const reserved = gpu.reserve(2 << 20)!;
  expect(reserved).not.toBeNull();
  expect(gpu.place(reserved, 2 << 20)).toBe(false);
  expect(gpu.place(reserved, 1 << 20)).toBe(true);
});
