/** Fills and copies of memories by WebAssembly's own instructions do what typed arrays do. */
import { expect, test } from 'vitest';
import { BulkMemory } from '../../../engine/base/bulk-memory.ts';

const device = (): WebAssembly.Memory => new WebAssembly.Memory({ initial: 4, maximum: 65_536, shared: true });
const host = (shared: boolean): WebAssembly.Memory =>
  new WebAssembly.Memory({ initial: 4n, address: 'i64', ...(shared ? { maximum: 262_144n, shared } : {}) } as never);
const numbered = (memory: WebAssembly.Memory): Uint8Array => new Uint8Array(memory.buffer).map((_, i) => (i * 7) % 251);

test.each([false, true])('of a device and a host whose threads share its memory or not: %s', (shared) => {
  const [one, other] = [device(), host(shared)];
  for (const memory of [one, other]) new Uint8Array(memory.buffer).set(numbered(memory));
  const bulk = new BulkMemory(one, other);
  const part = ({ buffer }: WebAssembly.Memory, at: number, bytes: number): Uint8Array =>
    new Uint8Array(buffer, at, bytes);
  const expected = { one: numbered(one), other: numbered(other) };
  for (const [at, from, bytes] of [
    [3, 70_001, 5000],
    [128, 64, 10],
    [100_000, 100_100, 60_000],
    [100_100, 100_000, 60_000],
  ] as const) {
    bulk.copy(part(one, at, bytes), part(other, from, bytes));
    expected.one.set(expected.other.slice(from, from + bytes), at);
    bulk.copy(part(other, from, bytes), part(one, at + 1, bytes));
    expected.other.set(expected.one.slice(at + 1, at + 1 + bytes), from);
    bulk.copy(part(one, at, bytes), part(one, from, bytes));
    expected.one.set(expected.one.slice(from, from + bytes), at);
    bulk.fill(part(one, at + 5, bytes), 255);
    expected.one.fill(255, at + 5, at + 5 + bytes);
    bulk.fill(part(other, at + 5, bytes), 9);
    expected.other.fill(9, at + 5, at + 5 + bytes);
  }
  expect(Buffer.from(new Uint8Array(one.buffer)).equals(expected.one)).toBe(true);
  expect(Buffer.from(new Uint8Array(other.buffer)).equals(expected.other)).toBe(true);
});

test('parts of other memories, after a memory has grown, and the end of it', () => {
  const [one, other] = [device(), host(false)];
  const bulk = new BulkMemory(one, other);
  const elsewhere = new Uint8Array(4096).fill(3);
  bulk.copy(new Uint8Array(one.buffer, 8, 4096), elsewhere);
  one.grow(1);
  other.grow(1n as never);
  const end = one.buffer.byteLength;
  bulk.fill(new Uint8Array(one.buffer, end - 2048, 2048), 4);
  bulk.copy(new Uint8Array(other.buffer, end - 4096, 4096), new Uint8Array(one.buffer, end - 4096, 4096));
  expect([...new Uint8Array(one.buffer, 4095, 10)]).toEqual([3, 3, 3, 3, 3, 3, 3, 3, 3, 0]);
  expect(new Uint8Array(other.buffer).slice(end - 2049, end - 2047)).toEqual(new Uint8Array([0, 4]));
  expect(() => bulk.copy(new Uint8Array(8), new Uint8Array(2000))).toThrow(RangeError);
});

test('memories of other kinds are done by typed arrays', () => {
  const small = new WebAssembly.Memory({ initial: 1 });
  const bulk = new BulkMemory(device(), small);
  bulk.fill(new Uint8Array(small.buffer, 0, 2000), 1);
  expect(new Uint8Array(small.buffer)[1999]).toBe(1);
});
