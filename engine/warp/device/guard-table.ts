/** The table of what is allocated, which every access of a kernel is checked against: a byte per granule of the linear memory. */
import { guardBase, guardBytes, guardGranule } from '../layout.ts';

/** Enters an allocation, which begins with a granule. */
export function enterAllocated({ buffer }: WebAssembly.Memory, address: number, bytes: number): void {
  const guards = new Uint8Array(buffer, guardBase, guardBytes);
  const rest = bytes % guardGranule;
  guards.fill(255, address / guardGranule, (address + bytes - rest) / guardGranule);
  if (rest !== 0) guards[(address + bytes - rest) / guardGranule] = rest;
}

/** Nothing is allocated in these whole granules any more. */
export function clearAllocated({ buffer }: WebAssembly.Memory, address: number, size: number): void {
  new Uint8Array(buffer, guardBase + address / guardGranule, size / guardGranule).fill(0);
}
