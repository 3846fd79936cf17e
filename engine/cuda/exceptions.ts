/**
 * C++ exceptions of host programs. Clang makes WebAssembly's exceptions of them; the C++ library at hand is built without,
 * so what it would have for throwing, choosing a handler and counting is here.
 */
import { SimsightError } from '../base/errors.ts';
import { lp64, wordBytes } from '../base/lp64.ts';
import { asWord, type HostExports } from './host-exports.ts';
import { onWords, unsigned, type Imported } from './runtime/arguments.ts';

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
function whatOf(host: HostExports, exception: number, mangled: string): string {
  if (!/^N?St/.test(mangled)) return '';
  const what = host.functionAt(host.wordAt(host.wordAt(exception) + wordBytes * whatSlot))!;
  return textAt(host.memory, unsigned(what(asWord(exception)) as number | bigint));
}

/** State that each host thread has of its own. */
export interface ThreadExceptions {
  /** Caught and still being handled, the innermost last. */
  caught: number[];
  uncaught: number;
}

/** Exception that is thrown and not yet destroyed; the key is the address of the object. */
interface Thrown {
  type: number;
  destructor: number;
  /** Address as seen by the handler that was chosen last: a base class may lie further inside. */
  adjusted: number;
  /** Handlers that are in it, and `exception_ptr`s that hold it. */
  handlers: number;
  references: number;
  rethrown: boolean;
}

/**
 * Where code and `_Unwind_CallPersonality` meet, `__wasm_lpad_context`. Programs with threads have one for each; in others nobody
 * defines it, so the linker put it at 0.
 */
const landingPad = { index: 0, tables: wordBytes, selector: 2 * wordBytes };
/** Slot of `can_catch` in the vtables of the library's type_info, after two destructors and two that do nothing. */
const canCatchSlot = 4;

/**
 * The part of the C++ library that throws and catches: the Itanium ABI's functions over WebAssembly's exceptions, whose
 * value is the address of the object.
 */
export class Exceptions {
  private readonly program: string;
  private readonly host: () => HostExports;
  private readonly tag = new WebAssembly.Tag({ parameters: [lp64 ? 'i64' : 'i32'] });
  private readonly thrown = new Map<number, Thrown>();
  /** State of the running thread. */
  thread = this.newThread();
  private scratch = 0;

  constructor(program: string, host: () => HostExports) {
    this.program = program;
    this.host = host;
  }

  newThread(): ThreadExceptions {
    return { caught: [], uncaught: 0 };
  }

  /** Thrown through `main`: as an error that names type and message. */
  asError(error: unknown): SimsightError | null {
    if (lp64) return this.uncaught(error);
    if (!(error instanceof WebAssembly.Exception) || !error.is(this.tag)) return null;
    const object = unsigned(error.getArg(this.tag, 0) as number | bigint);
    const parts = this.host();
    const nameAddress = parts.wordAt((this.thrown.get(object)?.type ?? 0) + wordBytes);
    const mangled = textAt(parts.memory, nameAddress);
    const what = whatOf(parts, object, mangled);
    return new SimsightError(
      'host-program-failed',
      `${this.program} threw an exception of type ${typeName(mangled)}${what === '' ? '' : `: ${what}`}.`,
      'Nothing in the program catches it: debug the host program as you would on a CPU.',
    );
  }

  /** 64-bit programs say themselves what an exception is. */
  private uncaught(error: unknown): SimsightError | null {
    const host = this.host();
    const tag = host.exceptionTag;
    if (!(error instanceof WebAssembly.Exception) || tag === undefined || !error.is(tag)) return null;
    const text = textAt(host.memory, host.describeException(error.getArg(tag, 0) as bigint));
    return new SimsightError(
      'host-program-failed',
      `${this.program} threw an exception of type ${text}.`,
      'Nothing in the program catches it: debug the host program as you would on a CPU.',
    );
  }

  imports(): Record<string, Imported> {
    return {
      __cpp_exception: this.tag as unknown as Imported,
      __cxa_allocate_exception: onWords((size) => this.host().malloc(Math.max(1, size!))),
      __cxa_free_exception: onWords((object) => void this.host().free(object!)),
      __cxa_throw: onWords((object, type, destructor) => this.raise(object!, type!, destructor!)),
      __cxa_init_primary_exception: onWords((object, type, destructor) => this.prepare(object!, type!, destructor!)),
      __cxa_begin_catch: onWords((object) => this.begin(object!)),
      __cxa_end_catch: onWords(() => this.end()),
      __cxa_get_exception_ptr: onWords((object) => this.thrown.get(object!)?.adjusted ?? object!),
      __cxa_rethrow: onWords(() => this.again()),
      __cxa_current_exception_type: onWords(() => this.thrown.get(this.thread.caught.at(-1) ?? 0)?.type ?? 0),
      _Unwind_CallPersonality: onWords((object) => this.choose(object!)),
      __wrap___cxa_current_primary_exception: onWords(() => {
        const object = this.thread.caught.at(-1) ?? 0;
        const thrown = this.thrown.get(object);
        if (thrown) thrown.references++;
        return object;
      }),
      __wrap___cxa_rethrow_primary_exception: onWords((object) => {
        if (object === 0) return undefined;
        this.thread.uncaught++;
        throw new WebAssembly.Exception(this.tag, [asWord(object!)]);
      }),
      __wrap___cxa_increment_exception_refcount: onWords((object) => {
        const thrown = this.thrown.get(object!);
        if (thrown) thrown.references++;
        return undefined;
      }),
      __wrap___cxa_decrement_exception_refcount: onWords((object) => {
        const thrown = this.thrown.get(object!);
        if (thrown) thrown.references--;
        this.forget(object!);
        return undefined;
      }),
      __wrap___cxa_uncaught_exception: onWords(() => Number(this.thread.uncaught > 0)),
      __wrap___cxa_uncaught_exceptions: onWords(() => this.thread.uncaught),
      __wrap__Znwm: onWords((size) => this.allocate(size!)),
      __wrap__Znam: onWords((size) => this.allocate(size!)),
    };
  }

  /** `operator new`, which throws where `malloc` has none. */
  private allocate(size: number): number {
    const host = this.host();
    const address = host.malloc(Math.max(1, size));
    if (address !== 0) return address;
    // Addresses; there when the program could throw it.
    const [type, vtable] = [host.word('_ZTISt9bad_alloc'), host.word('_ZTVSt9bad_alloc')];
    if (type === null || vtable === null) {
      throw new SimsightError('host-program-failed', `${this.program} ran out of memory (std::bad_alloc).`);
    }
    const object = host.malloc(wordBytes);
    host.setWordAt(object, vtable + 2 * wordBytes);
    return this.raise(object, type, 0);
  }

  /** An object that may be thrown, now or by way of an `exception_ptr`. */
  private prepare(object: number, type: number, destructor: number): number {
    this.thrown.set(object, { type, destructor, adjusted: object, handlers: 0, references: 0, rethrown: false });
    return object;
  }

  private raise(object: number, type: number, destructor: number): never {
    this.prepare(object, type, destructor);
    this.thread.uncaught++;
    throw new WebAssembly.Exception(this.tag, [asWord(object)]);
  }

  private begin(object: number): number {
    const thrown = this.thrown.get(object)!;
    thrown.handlers++;
    thrown.rethrown = false;
    this.thread.uncaught--;
    this.thread.caught.push(object);
    return thrown.adjusted;
  }

  private end(): undefined {
    const object = this.thread.caught.pop();
    if (object === undefined) return;
    this.thrown.get(object)!.handlers--;
    this.forget(object);
  }

  private again(): never {
    const object = this.thread.caught.at(-1);
    if (object === undefined) {
      throw new SimsightError('host-program-failed', `${this.program} rethrew an exception outside of a handler.`);
    }
    this.thrown.get(object)!.rethrown = true;
    this.thread.uncaught++;
    throw new WebAssembly.Exception(this.tag, [asWord(object)]);
  }

  /** Nobody can see it any more. */
  private forget(object: number): void {
    const thrown = this.thrown.get(object);
    if (!thrown || thrown.rethrown || thrown.handlers > 0 || thrown.references > 0) return;
    this.thrown.delete(object);
    const destroy = thrown.destructor ? this.host().functionAt(thrown.destructor) : null;
    destroy?.(asWord(object));
    this.host().free(object);
  }

  /**
   * Finds the handler of a landing pad that takes the exception, in the tables that Clang wrote ("Exception Handling
   * Tables", LSDA, of the Itanium ABI; call sites are numbered, as with setjmp and longjmp).
   */
  private choose(object: number): number {
    const bytes = new Uint8Array(this.host().memory.buffer);
    const pad = this.host().landingPad();
    let at = this.host().wordAt(pad + landingPad.tables);
    const leb = (signed: boolean): number => {
      let byte: number;
      let [value, shift] = [0, 0];
      do {
        byte = bytes[at++]!;
        value |= (byte & 0x7f) << shift;
        shift += 7;
      } while (byte & 0x80);
      return signed && byte & 0x40 && shift < 32 ? value | (-1 << shift) : value;
    };
    this.setU32(pad + landingPad.selector, 0);
    if (bytes[at++] !== 0xff) leb(false);
    const types = bytes[at++] === 0xff ? 0 : leb(false) + at;
    at++;
    const sites = leb(false);
    const actions = at + sites;
    let action = 0;
    for (let site = this.u32(pad + landingPad.index); site >= 0; site--) {
      leb(false);
      action = leb(false);
    }
    const thrown = this.thrown.get(object)!;
    for (let next = action === 0 ? 0 : actions + action - 1; next !== 0;) {
      at = next;
      const filter = leb(true);
      const from = at;
      const offset = leb(true);
      next = offset === 0 ? 0 : from + offset;
      if (filter <= 0) continue;
      const adjusted = this.caughtAs(this.host().wordAt(types - wordBytes * filter), thrown, object);
      if (adjusted === null) continue;
      thrown.adjusted = adjusted;
      this.setU32(pad + landingPad.selector, filter);
      break;
    }
    return 0;
  }

  /** The object as a handler of this type sees it; null when the handler does not take it. */
  private caughtAs(type: number, thrown: Thrown, object: number): number | null {
    if (type === 0) return object;
    const host = this.host();
    this.scratch ||= host.malloc(wordBytes);
    host.setWordAt(this.scratch, object);
    const canCatch = host.functionAt(host.wordAt(host.wordAt(type) + wordBytes * canCatchSlot))!;
    const can = canCatch(asWord(type), asWord(thrown.type), asWord(this.scratch)) as number;
    return can & 1 ? host.wordAt(this.scratch) : null;
  }

  private u32(address: number): number {
    return new DataView(this.host().memory.buffer).getUint32(address, true);
  }

  private setU32(address: number, value: number): void {
    new DataView(this.host().memory.buffer).setUint32(address, value, true);
  }
}
