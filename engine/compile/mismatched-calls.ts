/**
 * Calls of functions that their file knows with another type: C without a declaration takes them to return `int`, where they return
 * nothing. On a processor that is of no consequence; in WebAssembly the linker puts a function that traps in their place, and says so in
 * its name. Where the parameters agree, it calls the function instead, with the result that is asked for. Where they do not, it still traps.
 */
import { functionNames, importsIn, isFunction, Reader, Writer } from '../base/wasm-binary.ts';

const section = { type: 1, import: 2, function: 3, code: 10 } as const;
const headerBytes = 8;
const prefix = 'signature_mismatch:';
const code = {
  localGet: 0x20,
  call: 0x10,
  drop: 0x1a,
  end: 0x0b,
  i32Const: 0x41,
  i64Const: 0x42,
  wrap: 0xa7,
  extend: 0xac,
} as const;
const i32 = 0x7f;
const i64 = 0x7e;

/** Value types, as their bytes. */
interface FunctionType {
  parameters: readonly number[];
  results: readonly number[];
}

/** The functions that are called so. The linker leaves them out where nothing else calls them. */
export function mismatched(module: Uint8Array): string[] {
  if (!Buffer.from(module.buffer, module.byteOffset, module.length).includes(prefix)) return [];
  const names = [...functionNames(module).values()].filter((name) => name.startsWith(prefix));
  return [...new Set(names.map((name) => name.slice(prefix.length)))];
}

/** The linked program with such calls made where they can be. */
export function withMatchingCalls(module: Uint8Array): Uint8Array<ArrayBuffer> {
  const names = functionNames(module);
  const indices = new Map([...names].map(([index, name]) => [name, index]));
  const out = new Writer();
  out.all(module.subarray(0, headerBytes));
  const reader = new Reader(module, headerBytes);
  let types: FunctionType[] = [];
  let imported: number[] = [];
  let own: number[] = [];
  const typeOf = (index: number): FunctionType =>
    types[index < imported.length ? imported[index]! : own[index - imported.length]!]!;
  while (reader.at < reader.end) {
    const id = reader.byte();
    const content = reader.part(reader.u32());
    out.byte(id);
    if (id !== section.code) out.sized(module.subarray(content.at, content.end));
    if (id === section.type) types = vector(content, readType);
    if (id === section.import)
      imported = importsIn(content)
        .filter(isFunction)
        .map(({ type }) => type);
    if (id === section.function) own = vector(content, (each) => each.u32());
    if (id !== section.code) continue;
    const bodies = new Writer();
    bodies.u32(content.u32());
    for (let i = 0; i < own.length; i++) {
      const body = content.part(content.u32());
      const index = imported.length + i;
      const name = names.get(index) ?? '';
      const target = name.startsWith(prefix) ? indices.get(name.slice(prefix.length)) : undefined;
      const call = target === undefined ? null : callOf(target, typeOf(index), typeOf(target));
      bodies.sized(call ?? module.subarray(body.at, body.end));
    }
    out.sized(bodies.written);
  }
  return new Uint8Array(out.written);
}

/** The body of a function of one type that calls another; null where that cannot be. Arguments that are too many are left out. */
function callOf(target: number, asked: FunctionType, has: FunctionType): Uint8Array | null {
  if (has.parameters.some((type, i) => type !== asked.parameters[i])) return null;
  const result = resultOf(asked.results[0], has.results[0]);
  if (result === null) return null;
  const body = new Writer();
  body.u32(0);
  for (const i of has.parameters.keys()) body.byte(code.localGet).u32(i);
  body.byte(code.call).u32(target);
  return body.all(Uint8Array.from(result)).byte(code.end).written;
}

/** Instructions that make the result that is asked for of the one that there is; null where there are none. */
function resultOf(asked: number | undefined, has: number | undefined): number[] | null {
  if (asked === has) return [];
  if (asked === undefined) return [code.drop];
  if (has === undefined) {
    if (asked === i32) return [code.i32Const, 0];
    return asked === i64 ? [code.i64Const, 0] : null;
  }
  if (asked === i32 && has === i64) return [code.wrap];
  return asked === i64 && has === i32 ? [code.extend] : null;
}

function vector<T>(reader: Reader, read: (reader: Reader) => T): T[] {
  return Array.from({ length: reader.u32() }, () => read(reader));
}

function readType(reader: Reader): FunctionType {
  reader.byte();
  const parameters = vector(reader, (each) => each.byte());
  return { parameters, results: vector(reader, (each) => each.byte()) };
}
