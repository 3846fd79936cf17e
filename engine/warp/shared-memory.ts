/** Turns the imported memory of a linked module into a shared one: a bit of its limits, all else is the same. */
import { importKinds, importsOf } from '../base/wasm-binary.ts';

const sharedFlag = 2;

export function withSharedMemory(wasm: Uint8Array): Uint8Array {
  const result = wasm.slice();
  const memory = importsOf(result).find(({ kind }) => kind === importKinds.memory);
  if (memory !== undefined) result[memory.at]! |= sharedFlag;
  return result;
}
