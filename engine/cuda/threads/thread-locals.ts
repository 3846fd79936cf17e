/**
 * `thread_local` variables. The linker puts them into one block of memory and takes a program without shared memory to have one
 * thread: the global with their address never changes. Here it does, so that each thread has a block of its own.
 */
import type { HostExports } from '../host-exports.ts';
import { onWords, type Imported } from '../runtime/arguments.ts';
import { Reader } from '../../base/wasm-binary.ts';

const base = '__tls_base';
const section = { global: 6, export: 7, data: 11 } as const;
const op = { i64Const: 0x42 } as const;

/** Objects of a thread to be destroyed at its end, the last first. */
export type Destructors = { destructor: number; object: number }[];

/** `current`: null in the main thread, whose objects are destroyed when the program exits. */
export function threadLocalImports(
  host: () => HostExports,
  current: () => Destructors | null,
): Record<string, Imported> {
  return {
    __cxa_thread_atexit: onWords((destructor, object, owner) => {
      const own = current();
      if (own === null) return host().atExit(destructor!, object!, owner!);
      own.push({ destructor: destructor!, object: object! });
      return 0;
    }),
  };
}

/** A program whose threads may have their own, and what the variables are at first. */
export function withThreadLocals(host: Uint8Array): { program: Uint8Array<ArrayBuffer>; initial: Uint8Array } {
  const program = host.slice();
  const sections = new Map<number, Reader>();
  const all = new Reader(host, 8);
  while (all.at < all.end) sections.set(all.byte(), all.part(all.u32()));
  const number = exportedGlobal(sections.get(section.export)!);
  const { mutability, value } = globalAt(sections.get(section.global)!, number);
  program[mutability] = 1;
  return { program, initial: segmentAt(sections.get(section.data), value) };
}

function exportedGlobal(reader: Reader): number {
  for (let left = reader.u32(); left > 0; left--) {
    const name = reader.name();
    reader.byte();
    const number = reader.u32();
    if (name === base) return number;
  }
  throw new Error(`The program does not export ${base}.`);
}

/** Offset of the mutability of a global with a constant word, and its value. No globals are imported. */
function globalAt(reader: Reader, number: number): { mutability: number; value: number } {
  reader.u32();
  for (let left = number; ; left--) {
    reader.skip(1);
    const mutability = reader.at;
    reader.skip(1);
    const isWord = reader.byte() === op.i64Const;
    const value = reader.u32();
    reader.skip(1);
    if (left === 0 && isWord) return { mutability, value };
  }
}

/** The bytes that the program has at an address when it begins. */
function segmentAt(reader: Reader | undefined, address: number): Uint8Array {
  for (let left = reader?.u32() ?? 0; left > 0; left--) {
    // Active segments of the only memory, at a constant.
    reader!.u32();
    reader!.skip(1);
    const start = reader!.u32();
    reader!.skip(1);
    const { at, end } = reader!.part(reader!.u32());
    if (start === address) return reader!.bytes.subarray(at, end);
  }
  return new Uint8Array();
}
