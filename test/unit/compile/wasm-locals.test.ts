/** Locals that take turns: a function computes what it did, with fewer of them. */
import { expect, test } from 'vitest';
import { Reader, Writer } from '../../../engine/base/wasm-binary.ts';
import { shareLocals } from '../../../engine/compile/wasm-locals.ts';

const [i32, i64] = [0x7f, 0x7e];
const [get, set, tee] = [0x20, 0x21, 0x22];
const constant = (value: number): number[] => [0x41, value];
const [add, multiply] = [0x6a, 0x6c];

/** A module of one exported function `f(i32) -> i32`. */
function moduleOf(locals: [count: number, type: number][], code: number[]): Uint8Array<ArrayBuffer> {
  const body = new Writer().u32(locals.length);
  for (const [count, type] of locals) body.u32(count).byte(type);
  body.all(Uint8Array.from([...code, 0x0b]));
  const out = new Writer().all(Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]));
  const section = (id: number, content: Writer): void => void out.byte(id).sized(content.written);
  section(1, new Writer().all(Uint8Array.from([1, 0x60, 1, i32, 1, i32])));
  section(3, new Writer().all(Uint8Array.from([1, 0])));
  section(7, new Writer().u32(1).name('f').byte(0).u32(0));
  section(10, new Writer().u32(1).sized(body.written));
  return new Uint8Array(out.written);
}

function run(module: Uint8Array<ArrayBuffer>, argument: number): number {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module));
  return (exports['f'] as (argument: number) => number)(argument);
}

/** Declared locals of the one function. */
function localsOf(module: Uint8Array): number {
  const reader = new Reader(module, 8);
  for (;;) {
    const [id, content] = [reader.byte(), reader.part(reader.u32())];
    if (id !== 10) continue;
    content.u32();
    content.u32();
    let sum = 0;
    for (let groups = content.u32(); groups > 0; groups--) {
      sum += content.u32();
      content.byte();
    }
    return sum;
  }
}

test('values that pass within a run of code share a local', () => {
  // f(x) = ((x + 1) * 2 + 1) * 2 …, each step through a local of its own.
  const steps = 40;
  const code = [get, 0, set, 1];
  for (let i = 1; i < steps; i++)
    code.push(get, i, ...constant(1), add, tee, i + 1, ...constant(2), multiply, set, i + 1);
  const module = moduleOf([[steps, i32]], [...code, get, steps]);
  const shared = shareLocals(module);
  expect(localsOf(module)).toBe(steps);
  expect(localsOf(shared)).toBe(1);
  for (const argument of [0, 5, -3]) expect(run(shared, argument)).toBe(run(module, argument));
});

test('what lives across control flow, or is read before it is set, keeps its own', () => {
  // A sum in a loop: local 1 counts, local 2 begins as zero; local 4 is never used, local 3 has another type.
  const code = [
    ...[get, 0, set, 1, 0x03, 0x40], // loop
    ...[get, 2, get, 1, add, set, 2],
    ...[get, 1, ...constant(0x7f), add, tee, 1, 0x0d, 0, 0x0b], // counts down
    ...[0x42, 7, set, 3, get, 3, 0xa7], // 7 as i64, and back
    ...[get, 2, add],
  ];
  const module = moduleOf(
    [
      [2, i32],
      [1, i64],
      [1, i32],
    ],
    code,
  );
  const shared = shareLocals(module);
  expect(run(module, 4)).toBe(17);
  expect(run(shared, 4)).toBe(17);
  expect(localsOf(shared)).toBe(3);
});
