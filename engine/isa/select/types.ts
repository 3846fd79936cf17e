/** Types of LLVM IR as registers and instructions hold them. */
import type { Type } from '../../ir/ir.ts';

export const scalar = (type: Type): Type => (type.kind === 'vector' ? type.element : type);

export const lanes = (type: Type): number => (type.kind === 'vector' ? type.count : 1);

export const isInt = (type: Type, bits: number): boolean => type.kind === 'int' && type.bits === bits;

export const isPredicate = (type: Type): boolean => isInt(type, 1);

export const isHalf = (type: Type): boolean => type.kind === 'half' || type.kind === 'bfloat';

/** One does two halves, or one of anything else. */
export const instructionsFor = (type: Type): number =>
  isHalf(scalar(type)) ? Math.ceil(lanes(type) / 2) : lanes(type);

/** Names that stand for a value: one for two halves of a vector, for any other scalar, and for the fields of structs. */
export function partsOf(type: Type): number {
  if (type.kind === 'struct') return type.fields.reduce((sum, field) => sum + partsOf(field), 0);
  if (type.kind === 'array') return type.count * partsOf(type.element);
  return type.kind === 'void' ? 0 : instructionsFor(type);
}

/** The part that an element or field begins in. */
export function partAt(type: Type, index: number): number {
  if (type.kind === 'struct') return type.fields.slice(0, index).reduce((sum, field) => sum + partsOf(field), 0);
  if (type.kind === 'array') return index * partsOf(type.element);
  return isHalf(scalar(type)) ? index >> 1 : index;
}

export const floatOpcode = <Name extends 'ADD' | 'MUL' | 'FMA' | 'SETP'>(
  type: Type,
  name: Name,
): `D${Name}` | `H${Name}2` | `F${Name}` =>
  type.kind === 'double' ? `D${name}` : isHalf(type) ? `H${name}2` : `F${name}`;

export const upperHalf = /^__nv_u?mulhi$/;
