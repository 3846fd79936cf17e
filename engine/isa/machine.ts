/** Instructions as the SM model sees them: what ptxas would have emitted, as far as it matters for time. */
import type { MachineInstruction, MachineBlock } from '../model/machine.ts';
import { rowOf, wordsMoved } from '../model/opcodes.ts';

/**
 * Lines of local memory that a spilled value takes, of 32 lanes by 32 bits each; 0 of what is no access to one. Spills have an address
 * without a number; what a function stores to local memory has neither.
 */
export function linesOfSpill(instruction: MachineInstruction): number {
  const { access, addresses } = instruction;
  const isSpill = access === null && addresses !== null && rowOf(instruction).memory?.space === 'local';
  return isSpill ? wordsMoved(instruction) : 0;
}

/** Bytes of local memory that a thread's spilled values take, each in a place of its own: ptxas may use one for several. */
export function spilledBytes(blocks: readonly MachineBlock[]): number {
  const lines = new Map<string, number>();
  for (const { instructions } of blocks) {
    for (const instruction of instructions) {
      const taken = linesOfSpill(instruction);
      if (taken > 0 && instruction.memory !== null) lines.set(instruction.memory, taken);
    }
  }
  return [...lines.values()].reduce((sum, taken) => sum + taken * 4, 0);
}
