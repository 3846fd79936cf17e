/** LLVM's types for those of PTX. */
import { own } from '../../base/program-imports.ts';
import type { Type } from '../ir.ts';
import { i1, i32, int } from '../ir.ts';

export const half: Type = { kind: 'half' };
export const bfloat: Type = { kind: 'bfloat' };
export const float: Type = { kind: 'float' };
export const double: Type = { kind: 'double' };
export const vector = (count: number, element: Type): Type => ({ kind: 'vector', count, element });
export const struct = (fields: Type[]): Type => ({ kind: 'struct', fields, packed: false });

const named: Record<string, Type> = {
  pred: i1,
  f16: half,
  bf16: bfloat,
  f32: float,
  f64: double,
  tf32: i32,
  f16x2: vector(2, half),
  bf16x2: vector(2, bfloat),
  u16x2: vector(2, int(16)),
  s16x2: vector(2, int(16)),
};

/** The type by its name in PTX; null if it is none. */
export function typeOf(name: string | undefined): Type | null {
  const bits = /^[usb](8|16|32|64|128)$/.exec(name ?? '')?.[1];
  return bits === undefined ? (own(named, name ?? '') ?? null) : int(Number(bits));
}
