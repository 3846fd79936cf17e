/**
 * C++ exceptions of host programs. The C++ library at hand is built without them, so there is no unwinding yet: `throw`
 * ends the program as an exception that nobody catches would, with its type and `what()`.
 */
import { SimsightError } from '../base/errors.ts';
import type { Imported } from './runtime/table.ts';

interface HostParts {
  memory: WebAssembly.Memory;
  malloc(bytes: number): number;
  __indirect_function_table: WebAssembly.Table;
}

/** Slot of `what()` in the vtable of `std::exception`, after its two destructors. */
const whatSlot = 2;

function textAt(memory: WebAssembly.Memory, address: number): string {
  const bytes = new Uint8Array(memory.buffer);
  return new TextDecoder().decode(bytes.slice(address, bytes.indexOf(0, address)));
}

/** `St13runtime_error` is `std::runtime_error`; names that are more than scopes stay mangled. */
function typeName(mangled: string): string {
  const names: string[] = mangled.startsWith('St') || mangled.startsWith('NSt') ? ['std'] : [];
  let rest = mangled.replace(/^N?(?:St)?(?:3__1|3__2)?/, '');
  for (let found = /^\d+/.exec(rest); found; found = /^\d+/.exec(rest)) {
    const length = Number(found[0]);
    names.push(rest.slice(found[0].length, found[0].length + length));
    rest = rest.slice(found[0].length + length);
  }
  return names.length > 0 && /^E?$/.test(rest) ? names.join('::') : mangled;
}

/** The message of a standard exception; empty for other types, whose layout is unknown. */
function whatOf(host: HostParts, exception: number, mangled: string): string {
  if (!/^N?St/.test(mangled)) return '';
  const view = new DataView(host.memory.buffer);
  const vtable = view.getUint32(exception, true);
  const what = host.__indirect_function_table.get(view.getUint32(vtable + 4 * whatSlot, true)) as (p: number) => number;
  return textAt(host.memory, what(exception));
}

export function exceptionImports(program: string, host: () => HostParts): Record<string, Imported> {
  const uncaught = (detail: string) =>
    new SimsightError(
      'host-program-failed',
      `${program} threw an exception${detail}.`,
      'Simsight does not run C++ exception handlers yet: where the program throws, it ends.',
    );
  return {
    __cxa_allocate_exception: (size) => host().malloc(Number(size) >>> 0),
    __cxa_free_exception: () => 0,
    __cxa_throw: (exception, type) => {
      const parts = host();
      const nameAddress = new DataView(parts.memory.buffer).getUint32((Number(type) >>> 0) + 4, true);
      const mangled = textAt(parts.memory, nameAddress);
      const what = whatOf(parts, Number(exception) >>> 0, mangled);
      throw uncaught(` of type ${typeName(mangled)}${what === '' ? '' : `: ${what}`}`);
    },
    __cxa_rethrow: () => {
      throw uncaught('');
    },
  };
}
