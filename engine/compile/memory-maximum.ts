/** The most memory that a WebAssembly module may have, which Clang's says for itself: 4 GiB. */

const memorySection = 5;
const pageBytes = 65_536;

/** The same module with another maximum of its memory, in place; as it was where it has none. */
export function withMemoryMaximum(bytes: Uint8Array<ArrayBuffer>, maximum: number): Uint8Array<ArrayBuffer> {
  let at = 8;
  const number = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]!;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const section = bytes[at++];
    const length = number();
    if (section !== memorySection) {
      at += length;
      continue;
    }
    const count = number();
    const hasMaximum = bytes[at++] === 1;
    const least = number();
    const from = at;
    if (count !== 1 || !hasMaximum) break;
    const before = number();
    writePadded(bytes, from, at, Math.max(least, Math.min(before, Math.floor(maximum / pageBytes))));
    return bytes;
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
