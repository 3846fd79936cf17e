/** Turns the imported memory of a linked module into a shared one: a bit of its limits, all else is the same. */
import { Reader } from '../base/wasm-binary.ts';

export function withSharedMemory(wasm: Uint8Array): Uint8Array {
  const result = wasm.slice();
  const reader = new Reader(result, 8);
  while (reader.at < reader.end) {
    const id = reader.byte();
    const section = reader.part(reader.u32());
    if (id !== importSection) continue;
    for (let left = section.u32(); left > 0; left--) {
      section.skip(section.u32());
      section.skip(section.u32());
      const kind = section.byte();
      if (kind === kinds.memory) {
        result[section.at]! |= sharedFlag;
        return result;
      }
      if (kind === kinds.function) section.skipNumber();
      else if (kind === kinds.global) section.skip(2);
      else if (kind === kinds.table) {
        section.skip(1);
        const flags = section.byte();
        section.skipNumber();
        if (flags & 1) section.skipNumber();
      } else break;
    }
    break;
  }
  return result;
}

const importSection = 2;
const kinds = { function: 0, table: 1, memory: 2, global: 3 };
const sharedFlag = 2;
