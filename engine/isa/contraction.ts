/**
 * Which sums and products become one FFMA or DFMA. ptxas and NVPTX do this for every product whose only use is a sum of
 * the same block, where the source allows it (`-fmad=true`, LLVM's `contract`). One list serves execution and counting,
 * so that what is counted as FFMA is also rounded as one.
 */
import type { Block, Instruction, Value } from '../warp/ir/ir.ts';

export interface Contraction {
  product: Instruction;
  addend: Value;
  negateProduct: boolean;
  negateAddend: boolean;
}

/** Contracted sums of a function, by the instruction of the sum. */
export function contractions(blocks: Block[]): Map<Instruction, Contraction> {
  const uses = new Map<string, number>();
  for (const block of blocks)
    for (const instruction of block.instructions)
      for (const operand of instruction.operands)
        if (operand.kind === 'local') uses.set(operand.name, (uses.get(operand.name) ?? 0) + 1);
  const result = new Map<Instruction, Contraction>();
  for (const block of blocks) {
    const products = new Map<string, Instruction>();
    for (const instruction of block.instructions) {
      if (instruction.op === 'fmul' && instruction.flags.some(allows) && instruction.name !== null)
        products.set(instruction.name, instruction);
      if ((instruction.op !== 'fadd' && instruction.op !== 'fsub') || !instruction.flags.some(allows)) continue;
      const [left, right] = instruction.operands;
      if (left === undefined || right === undefined) continue;
      const productOf = (value: Value): Instruction | undefined =>
        value.kind === 'local' && uses.get(value.name) === 1 ? products.get(value.name) : undefined;
      const subtracts = instruction.op === 'fsub';
      const first = productOf(left);
      const second = productOf(right);
      if (first !== undefined)
        result.set(instruction, { product: first, addend: right, negateProduct: false, negateAddend: subtracts });
      else if (second !== undefined)
        result.set(instruction, { product: second, addend: left, negateProduct: subtracts, negateAddend: false });
    }
  }
  return result;
}

const allows = (flag: string): boolean => flag === 'contract' || flag === 'fast';
