/**
 * Which of V8's compilers takes a function of the host program. Its quick one does, until a function has been called, or gone around loops, often enough; but
 * a call under way stays in the code that it began in, and `main` is called once: the loops of programs that compute a reference on
 * the host would run in quick code to their end. So the program's own functions with loops are hinted to be optimized at their first call. Those of
 * the C and C++ libraries are not, which are many and mostly hardly used.
 *
 * The section is V8's own (`compilationHints`, behind --experimental-wasm-compilation-hints); without the flag it is ignored.
 */
import { ownFunctionsSection } from '../../base/program-sections.ts';
import { customSection, functionImports, functionNames, Reader, sectionsOf, Writer } from '../../base/wasm-binary.ts';
import { readInstruction } from '../../base/wasm-instructions.ts';

const section = { custom: 0, import: 2, code: 10 } as const;
const loop = 0x03;

/** Lazily, by the optimizing compiler; or as V8 likes. */
const hint = { optimized: 1 | (2 << 2) | (2 << 4), usual: 0 } as const;

/** The linker gives names as people read them, `main` for any. Those of C functions do not say whose they are: the program has a list of its own. */
const isOwn = (name: string, ownOfC: ReadonlySet<string>): boolean =>
  name.includes('(') ? !ofLibraries.test(name) : name === 'main' || ownOfC.has(name);
/** Namespaces of the C++ library, before a function's parameters, and of what names types in its messages. */
const ofLibraries = /^[^(]*\bstd::|^(?:\(anonymous namespace\)::|[^(])*(?:itanium_demangle|__cxxabiv1)::|^operator new/;

/** The module with the hints. Text that is not as expected leaves it as it is: hints change nothing but time. */
export function withTiers(host: Uint8Array): Uint8Array<ArrayBuffer> {
  const sections = sectionsOf(host);
  const names = functionNames(host);
  const ownOfC = ownOfCIn(host);
  const code = sections.find(({ id }) => id === section.code);
  if (code === undefined || names.size === 0) return host.slice();
  const first = functionImports(host).length;
  const reader = new Reader(host, code.at, code.end);
  const count = reader.u32();
  const content = new Writer().name('compilationHints').u32(count);
  for (let i = 0; i < count; i++) {
    const body = reader.part(reader.u32());
    content.byte(isOwn(names.get(first + i) ?? '', ownOfC) && hasLoop(body) ? hint.optimized : hint.usual);
  }
  const out = new Writer().all(host.subarray(0, 8));
  for (const { id, at, end } of sections) {
    if (id === section.code) out.byte(section.custom).sized(content.written);
    out.byte(id).sized(host.subarray(at, end));
  }
  return out.written.slice();
}

function hasLoop(body: Reader): boolean {
  for (let groups = body.u32(); groups > 0; groups--) {
    body.skipNumber();
    body.skip(1);
  }
  while (body.at < body.end) if (readInstruction(body).opcode === loop) return true;
  return false;
}

/** Names of the user's functions that C++ does not mangle (compile/own-functions.ts). */
function ownOfCIn(host: Uint8Array): Set<string> {
  const names = new Set<string>();
  const reader = customSection(host, ownFunctionsSection);
  for (let left = reader?.u32() ?? 0; left > 0; left--) names.add(reader!.name());
  return names;
}
