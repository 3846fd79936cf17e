/**
 * Imports that can stop a host thread while others run. WebAssembly calls out in two ways: to a plain function, or to one
 * that suspends its caller (JavaScript Promise Integration), which works only with nothing but WebAssembly on the stack. Which
 * of them a call takes is decided when it is made: a small module in between looks at a global.
 */
import { Writer } from '../../base/wasm-binary.ts';
import { importTypes, type FunctionType, type ImportKey } from '../host-code/types.ts';

const nothing: FunctionType = { parameters: new Uint8Array(), results: new Uint8Array() };

const op = { if: 0x04, else: 0x05, end: 0x0b, call: 0x10, localGet: 0x20, globalGet: 0x23 } as const;

/** (module (import "" "suspends" (global (mut i32))) …): for each name a function that calls one of two imports. */
function chooser(names: readonly { name: string; type: FunctionType }[]): Uint8Array<ArrayBuffer> {
  const part = (build: (content: Writer) => void): Uint8Array => {
    const content = new Writer();
    build(content);
    return content.written.slice();
  };
  const types = part((out) => {
    out.u32(2 * names.length);
    for (const { type } of names) {
      out.byte(0x60).sized(type.parameters).sized(type.results);
      // A block's type may have results, but takes no parameters here.
      out.byte(0x60).u32(0).sized(type.results);
    }
  });
  const imports = part((out) => {
    out
      .u32(1 + 2 * names.length)
      .name('')
      .name('suspends')
      .byte(3)
      .byte(0x7f)
      .byte(1);
    names.forEach(({ name }, index) => {
      out
        .name('plain')
        .name(name)
        .byte(0)
        .u32(2 * index);
      out
        .name('suspending')
        .name(name)
        .byte(0)
        .u32(2 * index);
    });
  });
  const functions = part((out) => {
    out.u32(names.length);
    names.forEach((_, index) => out.u32(2 * index));
  });
  const exports = part((out) => {
    out.u32(names.length);
    names.forEach(({ name }, index) =>
      out
        .name(name)
        .byte(0)
        .u32(2 * names.length + index),
    );
  });
  const code = part((out) => {
    out.u32(names.length);
    names.forEach(({ type }, index) => {
      const body = part((inner) => {
        const call = (target: number): void => {
          type.parameters.forEach((_, parameter) => inner.byte(op.localGet).u32(parameter));
          inner.byte(op.call).u32(target);
        };
        inner
          .u32(0)
          .byte(op.globalGet)
          .u32(0)
          .byte(op.if)
          .s32(2 * index + 1);
        call(2 * index + 1);
        inner.byte(op.else);
        call(2 * index);
        inner.byte(op.end).byte(op.end);
      });
      out.sized(body);
    });
  });
  const out = new Writer().all(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
  for (const [id, content] of [
    [1, types],
    [2, imports],
    [3, functions],
    [7, exports],
    [10, code],
  ] as const) {
    out.byte(id).sized(content);
  }
  return out.written.slice();
}

export type AnyFunction = (...args: never[]) => unknown;

/** An import in both ways. */
export interface Switchable {
  plain: AnyFunction;
  suspending: AnyFunction;
}

/**
 * The functions to import in place of those in `switchable`, which are named `module.name`. They suspend while the global is
 * not zero. What the program does not import takes nothing and gives nothing.
 */
export function switchableImports(
  host: Uint8Array,
  switchable: ReadonlyMap<ImportKey, Switchable>,
  Suspending: new (run: AnyFunction) => object,
): { suspends: WebAssembly.Global<'i32'>; functions: Map<ImportKey, AnyFunction> } {
  const suspends = new WebAssembly.Global({ value: 'i32', mutable: true }, 0);
  const types = importTypes(host);
  const names = [...switchable.keys()].map((name) => ({ name, type: types.get(name) ?? nothing }));
  const plain = Object.fromEntries([...switchable].map(([name, each]) => [name, each.plain]));
  const suspending = Object.fromEntries([...switchable].map(([name, each]) => [name, new Suspending(each.suspending)]));
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(chooser(names)), {
    '': { suspends },
    plain,
    suspending,
  } as unknown as WebAssembly.Imports);
  return { suspends, functions: new Map(names.map(({ name }) => [name as ImportKey, exports[name] as AnyFunction])) };
}
