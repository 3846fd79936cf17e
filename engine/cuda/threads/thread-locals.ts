/**
 * `thread_local` variables: Clang emulates them (`-femulated-tls`), and so asks for the address of each variable in the thread that
 * runs. A variable is made when it is first used.
 */
import { onWords, type Imported } from '../runtime/table.ts';

interface Parts {
  memory: WebAssembly.Memory;
  malloc(bytes: number): number;
  free(address: number): void;
  __cxa_atexit?(destructor: number, object: number, owner: number): number;
}

/** Of one thread. */
export class ThreadLocals {
  /** By the descriptions that Clang made of them. */
  readonly variables = new Map<number, { allocated: number; address: number }>();
  /** Objects to be destroyed at its end, the last first. */
  readonly destructors: { destructor: number; object: number }[] = [];
}

export function threadLocalImports(host: () => Parts, current: () => ThreadLocals): Record<string, Imported> {
  const main = current();
  return {
    __emutls_get_address: onWords((description) => {
      const { variables } = current();
      const found = variables.get(description!) ?? makeVariable(host(), description!);
      variables.set(description!, found);
      return found.address;
    }),
    __cxa_thread_atexit: onWords((destructor, object, owner) => {
      // Those of the main thread are destroyed when the program exits.
      if (current() === main) return host().__cxa_atexit?.(destructor!, object!, owner!) ?? 0;
      current().destructors.push({ destructor: destructor!, object: object! });
      return 0;
    }),
  };
}

/** A description is its size, its alignment, a place for the runtime, and the address of its initial value or 0. */
function makeVariable({ memory, malloc }: Parts, description: number): { allocated: number; address: number } {
  const words = new DataView(memory.buffer);
  const [size, alignment, , initial] = [0, 4, 8, 12].map((at) => words.getUint32(description + at, true)) as [
    number,
    number,
    number,
    number,
  ];
  const allocated = malloc(size + alignment) >>> 0;
  const address = Math.ceil(allocated / alignment) * alignment;
  const bytes = new Uint8Array(memory.buffer);
  if (initial === 0) bytes.fill(0, address, address + size);
  else bytes.copyWithin(address, initial, initial + size);
  return { allocated, address };
}
