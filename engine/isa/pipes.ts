import type { MachineInstruction } from '../model/machine.ts';
import { rowOf, type Opcode } from '../model/opcodes.ts';

/** Opcodes of selection that either pipe executes, and what they are there. */
const either: ReadonlyMap<Opcode, { alu: Opcode; fma: Opcode }> = new Map([
  ['SHL', { alu: 'SHF', fma: 'IMAD.SHL' }],
  ['IADD', { alu: 'IADD3', fma: 'IMAD.IADD' }],
  ['MOV', { alu: 'MOV', fma: 'IMAD.MOV' }],
]);

/**
 * Work that ALU and FMA pipe can do goes to the one that has less to do in its block: shifts to the left by a constant, sums of
 * two, moves (IMAD.SHL, IMAD.IADD and VIADD, IMAD.MOV; which pipe executes them: H200 reference, V11 monte_carlo). IMAD and
 * its kin keep one half of the FMA pipe busy for two cycles, FFMA either half.
 */
export function spreadOverPipes(instructions: MachineInstruction[]): void {
  const busy = { alu: 0, fma: 0 };
  for (const instruction of instructions) {
    const { keepsBusy } = rowOf(instruction);
    if (keepsBusy !== null) busy[keepsBusy.pipe] += keepsBusy.cycles / instruction.every;
  }
  for (const instruction of instructions) {
    const choice = either.get(instruction.opcode);
    if (choice === undefined) continue;
    const pipe = busy.fma <= busy.alu ? 'fma' : 'alu';
    busy[pipe] += 2 / instruction.every;
    instruction.opcode = choice[pipe];
  }
}
