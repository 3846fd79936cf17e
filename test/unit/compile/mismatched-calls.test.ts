/** Calls of functions of another type: made where parameters agree, traps where they do not. */
import { expect, test } from 'vitest';
import { Writer } from '../../../engine/base/wasm-binary.ts';
import { mismatched, withMatchingCalls } from '../../../engine/compile/mismatched-calls.ts';

const [i32, i64, f64] = [0x7f, 0x7e, 0x7c];
const prefix = 'signature_mismatch:';
const trap = [0x00];
const get = (local: number): number[] => [0x20, local];
const constant = (value: number): number[] => [0x41, value];

interface Function {
  name: string;
  parameters: number[];
  results: number[];
  code: number[];
}

/** A module of these functions, with the custom section of their names; those of the linker's trap as it writes them. */
function moduleOf(functions: Function[]): Uint8Array<ArrayBuffer> {
  const out = new Writer().all(Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]));
  const section = (id: number, each: (content: Writer, one: Function, index: number) => void): void => {
    const content = new Writer().u32(functions.length);
    functions.forEach((one, index) => each(content, one, index));
    out.byte(id).sized(content.written);
  };
  section(1, (content, { parameters, results }) => {
    content.byte(0x60).u32(parameters.length).all(Uint8Array.from(parameters));
    content.u32(results.length).all(Uint8Array.from(results));
  });
  section(3, (content, _, index) => void content.u32(index));
  section(7, (content, { name }, index) => void content.name(name).byte(0).u32(index));
  section(10, (content, { code }) => void content.sized(Uint8Array.from([0, ...code, 0x0b])));
  const names = new Writer().u32(functions.length);
  functions.forEach(({ name }, index) => names.u32(index).name(name));
  out.byte(0).sized(new Writer().name('name').byte(1).sized(names.written).written);
  return new Uint8Array(out.written);
}

/** What a call of `has` by someone who takes it for `asked` gives, as the linker leaves it and afterwards. */
function called(has: Omit<Function, 'name'>, asked: Omit<Function, 'name' | 'code'>, args: unknown[]): unknown {
  const linked = moduleOf([
    { name: 'f', ...has },
    { name: `${prefix}f`, ...asked, code: trap },
  ]);
  const run = (module: Uint8Array<ArrayBuffer>): unknown => {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module));
    return (exports[`${prefix}f`] as (...args: unknown[]) => unknown)(...args);
  };
  expect(mismatched(linked)).toEqual(['f']);
  expect(() => run(linked)).toThrow('unreachable');
  return run(withMatchingCalls(linked));
}

test('a result that is not wanted is dropped, one that there is not is 0', () => {
  const twice = { parameters: [i32], results: [i32], code: [...get(0), ...get(0), 0x6a] };
  expect(called(twice, { parameters: [i32], results: [] }, [21])).toBe(undefined);
  const nothing = { parameters: [i32], results: [], code: [] };
  expect(called(nothing, { parameters: [i32], results: [i32] }, [21])).toBe(0);
  expect(called(nothing, { parameters: [i32], results: [i64] }, [21])).toBe(0n);
});

test('whole numbers are cut off and extended', () => {
  const wide = { parameters: [], results: [i64], code: [0x42, 0x7f, 0x42, 0x20, 0x88] };
  expect(called(wide, { parameters: [], results: [i32] }, [])).toBe(-1);
  const narrow = { parameters: [], results: [i32], code: constant(0x7b) };
  expect(called(narrow, { parameters: [], results: [i64] }, [])).toBe(-5n);
});

test('arguments beyond those that a function has are left out', () => {
  const difference = { parameters: [i32, i32], results: [i32], code: [...get(0), ...get(1), 0x6b] };
  expect(called(difference, { parameters: [i32, i32, i64], results: [i32] }, [9, 4, 77n])).toBe(5);
});

test('where parameters or results cannot be made of what there is, the call still traps', () => {
  const one = { parameters: [i32], results: [i32], code: get(0) };
  expect(() => called(one, { parameters: [i64], results: [i32] }, [1n])).toThrow('unreachable');
  expect(() => called(one, { parameters: [], results: [i32] }, [])).toThrow('unreachable');
  expect(() => called(one, { parameters: [i32], results: [f64] }, [1])).toThrow('unreachable');
});

test('a module without such calls stays as it is', () => {
  const plain = moduleOf([{ name: 'f', parameters: [i32], results: [i32], code: get(0) }]);
  expect(mismatched(plain)).toEqual([]);
  expect(withMatchingCalls(plain)).toEqual(plain);
});
