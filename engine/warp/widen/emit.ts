/** How calls are written for a whole warp. A row of engine/ir/calls that is not does not compile. */
import type { Instruction } from '../../ir/ir.ts';
import type { PartsOf } from '../../ir/calls/called.ts';
import type { KernelContext } from './kernel/context.ts';
import type { Leaf } from './writer.ts';

/** From all lanes' values together. */
export type Emit = (kernel: KernelContext, args: Leaf[], instruction: Instruction) => Leaf[];
/** Emitters of rows, each under its first name. */
export type Emissions<Rows> = Record<keyof Rows, Emit>;
export type FamilyEmissions<Families> = { [Key in keyof Families]: (parts: PartsOf<Families[Key]>) => Emit };

export const arg = (args: Leaf[], index: number): Leaf => args[index] as Leaf;
export const numberOf = (leaf: Leaf | undefined): number | null =>
  leaf?.uniform && /^-?\d+$/.test(leaf.text) ? Number(leaf.text) : null;
