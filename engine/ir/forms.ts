/** Other forms of values: instructions that follow from one value alone, and stand right behind it. */
import type { Block, Instruction, Parameter } from './ir.ts';

/** Puts the forms of each value into the block that defines it, behind phis and arrays, which come first; those of parameters into the first. */
export function addForms(
  blocks: Block[],
  parameters: readonly Parameter[],
  formsOf: (name: string) => Instruction[],
): void {
  blocks.forEach((block, i) => {
    const late = i === 0 ? parameters.flatMap(({ name }) => formsOf(name)) : [];
    const result: Instruction[] = [];
    let begun = false;
    for (const instruction of block.instructions) {
      if (!begun && instruction.op !== 'phi' && instruction.op !== 'alloca') {
        begun = true;
        result.push(...late);
      }
      result.push(instruction);
      const forms = instruction.name === null ? [] : formsOf(instruction.name);
      if (begun) result.push(...forms);
      else late.push(...forms);
    }
    block.instructions = result;
  });
}
