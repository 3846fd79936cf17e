/** Places in the code of a kernel. */
import type { Instruction } from '../../ir/ir.ts';

export interface Place {
  block: number;
  order: number;
  source: Instruction | null;
}

export const widestOrder = 1e6;

export const place = (block: number, order: number): Place => ({ block, order, source: null });
