/**
 * What a host program exports, with addresses as numbers: in 64-bit programs WebAssembly has them as integers of 64 bits, which
 * JavaScript takes and gives as `BigInt`.
 */
import { lp64 } from '../base/lp64.ts';
import { unsigned } from './runtime/arguments.ts';

/** A word as WebAssembly takes it. */
export const asWord = (value: number): number | bigint => (lp64 ? BigInt(value) : value);

type HostFunction = (...args: (number | bigint)[]) => unknown;

interface RawExports {
  memory: WebAssembly.Memory;
  __indirect_function_table: WebAssembly.Table;
  _start(): void;
  malloc(bytes: number | bigint): number | bigint;
  free(address: number | bigint): void;
  __cxa_atexit?(...words: (number | bigint)[]): number;
  __simsight_landing_pad?(): number | bigint;
  __cpp_exception?: WebAssembly.Tag;
  __simsight_exception?(object: bigint): bigint;
}

type Word = WebAssembly.Global<'i32' | 'i64'>;

export class HostExports {
  readonly raw: RawExports;

  constructor(instance: WebAssembly.Instance) {
    this.raw = instance.exports as unknown as RawExports;
  }

  get memory(): WebAssembly.Memory {
    return this.raw.memory;
  }

  malloc(bytes: number): number {
    return unsigned(this.raw.malloc(asWord(bytes)));
  }

  free(address: number): void {
    this.raw.free(asWord(address));
  }

  /** The function behind a pointer; null where there is none. */
  functionAt(pointer: number): HostFunction | null {
    const table = this.raw.__indirect_function_table;
    // The index of a table of 64 bits is a BigInt, and its length says so.
    const length = table.length as number | bigint;
    if (BigInt(pointer) >= BigInt(length)) return null;
    const index = typeof length === 'bigint' ? BigInt(pointer) : pointer;
    return table.get(index as number) as HostFunction | null;
  }

  /** Registers a destructor for the program's end; without effect where nothing ever ends so. */
  atExit(destructor: number, object: number, owner: number): number {
    return this.raw.__cxa_atexit?.(asWord(destructor), asWord(object), asWord(owner)) ?? 0;
  }

  /** Where code and `_Unwind_CallPersonality` meet; see exceptions.ts. */
  landingPad(): number {
    return unsigned(this.raw.__simsight_landing_pad?.() ?? 0);
  }

  /** Tag of C++ exceptions, in 64-bit programs that have any. */
  get exceptionTag(): WebAssembly.Tag | undefined {
    return this.raw.__cpp_exception;
  }

  /** Address of a text: the type of an exception and what it says. */
  describeException(object: bigint): number {
    return unsigned(this.raw.__simsight_exception!(object));
  }

  /** A word in the program's memory. */
  wordAt(address: number): number {
    const view = new DataView(this.memory.buffer);
    return lp64 ? Number(view.getBigUint64(address, true)) : view.getUint32(address, true);
  }

  setWordAt(address: number, value: number): void {
    const view = new DataView(this.memory.buffer);
    if (lp64) view.setBigUint64(address, BigInt(value), true);
    else view.setUint32(address, value, true);
  }

  /** Value of a global that holds a word; null where the program does not have it. */
  word(name: string): number | null {
    const global = this.global(name);
    return global ? unsigned(global.value) : null;
  }

  setWord(name: string, value: number): void {
    const global = this.global(name)!;
    (global as { value: number | bigint }).value = asWord(value);
  }

  table(name: string): WebAssembly.Table {
    return (this.raw as unknown as Record<string, WebAssembly.Table>)[name]!;
  }

  private global(name: string): Word | undefined {
    const exports = this.raw as unknown as Record<string, unknown>;
    return Object.hasOwn(exports, name) ? (exports[name] as Word) : undefined;
  }
}
