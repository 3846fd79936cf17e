/** Host programs made by hand: what no compiler writes, a hostile one might. */
import { Writer } from '../../../engine/base/wasm-binary.ts';

const op = {
  end: 0x0b,
  call: 0x10,
  drop: 0x1a,
  i32Const: 0x41,
  i64Const: 0x42,
  f32Const: 0x43,
  f64Const: 0x44,
} as const;
export const type = { i32: 0x7f, i64: 0x7e, f32: 0x7d, f64: 0x7c, externref: 0x6f, funcref: 0x70 } as const;
/** Flag of a memory whose addresses have 64 bits. */
const wideMemory = 4;
type ValueType = (typeof type)[keyof typeof type];

export interface Import {
  module: string;
  name: string;
  /** The parameters of a function; by default none. */
  parameters?: readonly ValueType[];
  results?: readonly ValueType[];
  kind?: 'function' | 'table' | 'memory' | 'global';
}

const part = (build: (out: Writer) => void): Uint8Array => {
  const out = new Writer();
  build(out);
  return out.written.slice();
};

function constant(out: Writer, of: ValueType, value: number): void {
  if (of === type.i32) out.byte(op.i32Const).s32(value);
  else if (of === type.i64) out.byte(op.i64Const).s32(value);
  else if (of === type.f32) out.byte(op.f32Const).all(new Uint8Array(new Float32Array([value]).buffer));
  else if (of === type.f64) out.byte(op.f64Const).all(new Uint8Array(new Float64Array([value]).buffer));
  // ref.null
  else out.byte(0xd0).byte(of);
}

/**
 * A program that calls what it imports, one after the other, each with `value` for all arguments, and ends. It exports what our
 * runtime asks of a program.
 */
export function moduleWith(imports: readonly Import[], value = 0): Uint8Array<ArrayBuffer> {
  const functions = imports.filter(({ kind = 'function' }) => kind === 'function');
  const own = functions.length;
  const types = part((out) => {
    // Those of the imports, then _start, malloc, free.
    out.u32(own + 3);
    for (const { parameters = [], results = [] } of functions)
      out.byte(0x60).sized(Uint8Array.from(parameters)).sized(Uint8Array.from(results));
    out.byte(0x60).u32(0).u32(0);
    out.byte(0x60).u32(1).byte(type.i64).u32(1).byte(type.i64);
    out.byte(0x60).u32(1).byte(type.i64).u32(0);
  });
  const importPart = part((out) => {
    out.u32(imports.length);
    let next = 0;
    for (const { module, name, kind = 'function' } of imports) {
      out.name(module).name(name);
      if (kind === 'function') out.byte(0).u32(next++);
      else if (kind === 'table') out.byte(1).byte(type.externref).byte(0).u32(1);
      else if (kind === 'memory') out.byte(2).byte(0).u32(1);
      else out.byte(3).byte(type.externref).byte(0);
    }
  });
  const hasMemory = !imports.some(({ kind }) => kind === 'memory');
  const exports = part((out) => {
    out.u32(5);
    out.name('memory').byte(2).u32(0);
    out.name('__indirect_function_table').byte(1).u32(0);
    ['_start', 'malloc', 'free'].forEach((name, index) =>
      out
        .name(name)
        .byte(0)
        .u32(own + index),
    );
  });
  const start = part((out) => {
    out.u32(0);
    functions.forEach(({ parameters = [], results = [] }, index) => {
      for (const each of parameters) constant(out, each, value);
      out.byte(op.call).u32(index);
      for (const _ of results) out.byte(op.drop);
    });
    out.byte(op.end);
  });
  const malloc = part((out) => out.u32(0).byte(op.i64Const).s32(1024).byte(op.end));
  const free = part((out) => out.u32(0).byte(op.end));
  const sections: [id: number, content: Uint8Array][] = [
    [1, types],
    [2, importPart],
    [
      3,
      part((out) =>
        out
          .u32(3)
          .u32(own)
          .u32(own + 1)
          .u32(own + 2),
      ),
    ],
    [4, part((out) => out.u32(1).byte(type.funcref).byte(0).u32(1))],
    ...(hasMemory ? [[5, part((out) => out.u32(1).byte(wideMemory).u32(2))] as [number, Uint8Array]] : []),
    // The stack's pointer: any program has it.
    [6, part((out) => out.u32(1).byte(type.i64).byte(1).byte(op.i64Const).s32(4096).byte(op.end))],
    [7, exports],
    [10, part((out) => out.u32(3).sized(start).sized(malloc).sized(free))],
  ];
  const out = new Writer().all(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
  for (const [id, content] of sections) out.byte(id).sized(content);
  return out.written.slice();
}
