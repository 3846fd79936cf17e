import type { MachineInstruction } from '../model/machine.ts';

/** Opcodes of selection that either pipe executes, and what they are there. */
const either: Record<string, [alu: string, fma: string]> = {
  SHL: ['SHF', 'IMAD.SHL'],
  IADD: ['IADD3', 'IMAD.IADD'],
  MOV: ['MOV', 'IMAD.MOV'],
};

/**
 * What ALU and FMA pipe both can do goes to the one that has less to do in its block: shifts to the left by a constant, sums of
 * two, moves (IMAD.SHL, IMAD.IADD and VIADD, IMAD.MOV; which pipe executes them: H200 reference, V11 monte_carlo). IMAD and
 * its kin keep one half of the FMA pipe busy for two cycles, FFMA either half.
 */
export function spreadOverPipes(instructions: MachineInstruction[]): void {
  const busy = { alu: 0, fma: 0 };
  for (const { opcode, kind, every } of instructions) {
    if (opcode in either) continue;
    if (kind === 'int' && !/^(U|S2|FLO|REDUX)|DEPBAR/.test(opcode)) busy.alu += 2 / every;
    if (kind === 'imad') busy.fma += 2 / every;
    if (kind === 'fp32') busy.fma += 1 / every;
  }
  for (const instruction of instructions) {
    const [alu, fma] = either[instruction.opcode] ?? [];
    if (alu === undefined || fma === undefined) continue;
    const toFma = busy.fma <= busy.alu;
    busy[toFma ? 'fma' : 'alu'] += 2 / instruction.every;
    instruction.opcode = toFma ? fma : alu;
    instruction.kind = toFma ? 'imad' : 'int';
  }
}
