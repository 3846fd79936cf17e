/** Turns the imported memory of a linked module into a shared one: a bit of its limits, all else is the same. */
export function withSharedMemory(wasm: Uint8Array): Uint8Array {
  const result = wasm.slice();
  let at = 8;
  const number = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = result[at++]!;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  const text = (): void => {
    const length = number();
    at += length;
  };
  while (at < result.length) {
    const [section, size] = [result[at++], number()];
    if (section !== importSection) {
      at += size;
      continue;
    }
    for (let left = number(); left > 0; left--) {
      text();
      text();
      const kind = result[at++];
      if (kind === kinds.memory) {
        result[at]! |= sharedFlag;
        return result;
      }
      if (kind === kinds.function) number();
      else if (kind === kinds.global) at += 2;
      else if (kind === kinds.table) {
        at++;
        const flags = result[at++]!;
        number();
        if (flags & 1) number();
      } else break;
    }
    break;
  }
  return result;
}

const importSection = 2;
const kinds = { function: 0, table: 1, memory: 2, global: 3 };
const sharedFlag = 2;
