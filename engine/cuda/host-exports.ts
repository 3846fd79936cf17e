/**
 * What a host program exports, with addresses as numbers: WebAssembly has them as integers of 64 bits, which
 * JavaScript takes and gives as `BigInt`.
 */
import { unsigned } from './runtime/arguments.ts';

/** A word as WebAssembly takes it. */
export const asWord = (value: number): bigint => BigInt(value);

/** Bytes of a pointer, a `size_t` and a `long`. */
export const wordBytes = 8;

type HostFunction = (...args: (number | bigint)[]) => unknown;

interface RawExports {
  memory: WebAssembly.Memory;
  __indirect_function_table: WebAssembly.Table;
  _start(): void;
  malloc(bytes: number | bigint): number | bigint;
  free(address: number | bigint): void;
  __cxa_atexit?(...words: (number | bigint)[]): number;
  __cpp_exception?: WebAssembly.Tag;
  __simsight_exception?(object: bigint): bigint;
  __simsight_entry_point?(name: bigint, version: number, isPerThread: number): bigint;
}

type Word = WebAssembly.Global<'i64'>;

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

  /** Pointer to a function of the driver, of a name at an address, as the program's own table has it. */
  entryPoint(name: number, version: number, isPerThread: boolean): number {
    return unsigned(this.raw.__simsight_entry_point?.(asWord(name), version, Number(isPerThread)) ?? 0);
  }

  /** Registers a destructor for the program's end; without effect where nothing ever ends so. */
  atExit(destructor: number, object: number, owner: number): number {
    return this.raw.__cxa_atexit?.(asWord(destructor), asWord(object), asWord(owner)) ?? 0;
  }

  /** Tag of C++ exceptions, in programs that have any. */
  get exceptionTag(): WebAssembly.Tag | undefined {
    return this.raw.__cpp_exception;
  }

  /** Address of a text: the type of an exception and what it says. */
  describeException(object: bigint): number {
    return unsigned(this.raw.__simsight_exception!(object));
  }

  /** Value of a global that holds a word; null where the program does not have it. */
  word(name: string): number | null {
    const global = this.global(name);
    return global ? unsigned(global.value) : null;
  }

  setWord(name: string, value: number): void {
    const global = this.global(name)!;
    global.value = asWord(value);
  }

  table(name: string): WebAssembly.Table {
    return (this.raw as unknown as Record<string, WebAssembly.Table>)[name]!;
  }

  private global(name: string): Word | undefined {
    const exports = this.raw as unknown as Record<string, unknown>;
    return Object.hasOwn(exports, name) ? (exports[name] as Word) : undefined;
  }
}
