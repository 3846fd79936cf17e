/** The most memory that a WebAssembly module may have, which Clang's says for itself: 4 GiB. */
import { Reader } from '../base/wasm-binary.ts';

const memorySection = 5;
const pageBytes = 65_536;

/** The same module with another maximum of its memory, in place; as it was where it has none. */
export function withMemoryMaximum(bytes: Uint8Array<ArrayBuffer>, maximum: number): Uint8Array<ArrayBuffer> {
  const reader = new Reader(bytes, 8);
  while (reader.at < reader.end) {
    const id = reader.byte();
    const section = reader.part(reader.u32());
    if (id !== memorySection) continue;
    const count = section.u32();
    const hasMaximum = section.byte() === 1;
    const least = section.u32();
    const from = section.at;
    if (count !== 1 || !hasMaximum) break;
    const before = section.u32();
    writePadded(bytes, from, section.at, Math.max(least, Math.min(before, Math.floor(maximum / pageBytes))));
    break;
  }
  return bytes;
}

/** A number in as many bytes as the one before had. */
function writePadded(bytes: Uint8Array, from: number, to: number, value: number): void {
  for (let at = from; at < to; at++) {
    bytes[at] = (value % 128) + (at < to - 1 ? 128 : 0);
    value = Math.floor(value / 128);
  }
}
