/** Types of the elements of a value. */
import type { Type } from '../../../ir/ir.ts';

/** Type of one element of a vector; another type itself. */
export const elementOf = (type: Type): Type => (type.kind === 'vector' ? type.element : type);

/** The floating-point type of 16 bits that a type is; null for others. */
export const narrowOf = (type: Type): 'half' | 'bfloat' | null =>
  type.kind === 'half' || type.kind === 'bfloat' ? type.kind : null;
