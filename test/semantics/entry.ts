import { domains, scalar, type TypeName } from './values.ts';

/** How far a result may lie from the GPU's: units in the last place, or an absolute distance where that is what is documented. */
export interface Bound {
  ulp?: number;
  absolute?: number;
}

/** One operation on one combination of operand types, evaluated over all tuples of its domains. */
export interface Entry {
  name: string;
  /** Domains of a, b, c (values.ts). */
  inputs: string[];
  result: TypeName;
  /** C++ statements that set `r` from `a`, `b` and `c`. */
  code: string;
  /** Bound of approximations, from the programming guide or the PTX ISA; a function of the operands where it depends on them. */
  within?: (operands: number[]) => Bound;
  /** C++ leaves it undefined for some operands: a compiler that knows them may make anything of them, hardware does not. */
  isUndefined?: true;
}

export const typeOf = (domain: string): TypeName => domains[domain]!.type;
export const cpp = (domain: string): string => scalar(typeOf(domain)).cpp;

/** `r = …`. */
export const expression = (name: string, inputs: string[], result: TypeName, text: string, within?: Entry['within']): Entry => ({
  name,
  inputs,
  result,
  code: `r = ${text};`,
  ...(within === undefined ? {} : { within }),
}); // prettier-ignore

export const ulp = (count: number) => (): Bound => ({ ulp: count });
