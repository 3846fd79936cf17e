/**
 * What programs hand to the calls that they import, and what they are given back. WebAssembly has no pointers: addresses and sizes
 * arrive as signed integers, of 64 bits from 64-bit programs.
 */
import type { FunctionType } from '../host-code/types.ts';

export type Imported = (...args: (number | bigint)[]) => number | bigint | undefined;

/** An address, a size or a handle as a number. Sizes beyond 2^53, which nothing has, lose their last bits. */
export const unsigned = (arg: number | bigint | undefined): number =>
  typeof arg === 'bigint' ? Number(BigInt.asUintN(64, arg)) : arg! >>> 0;

/** An import whose arguments are unsigned words: addresses, sizes, handles. */
export const onWords =
  (act: (...args: number[]) => number | undefined): Imported =>
  (...args) =>
    act(...args.map(unsigned));

const i64 = 0x7e;
const f32 = 0x7d;

/** A call on words for an import of this type: of floats it gets the bits. */
export function onBits(call: Imported, { parameters }: FunctionType): Imported {
  if (!parameters.includes(f32)) return call;
  return (...args) => call(...args.map((arg, i) => (parameters[i] === f32 ? floatBits(Number(arg)) : arg)));
}

const floatBits = (value: number): number => new Uint32Array(Float32Array.of(value).buffer)[0]!;

/** A function for an import of this type: a number that it gives becomes an integer of 64 bits where the program wants one. */
export function fitted(call: Imported, { results }: FunctionType): Imported {
  if (results[0] !== i64) return call;
  return (...args) => {
    const result = call(...args);
    return typeof result === 'bigint' ? result : BigInt(result ?? 0);
  };
}
