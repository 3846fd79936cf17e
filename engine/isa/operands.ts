/**
 * Operands as SASS writes them: what is written first, then what is read, addresses in brackets.
 *
 *   FFMA R9, R5, R7, R8     LDG.64 R4, [R2]     STG [R2], R4     ISETP P0, R0, R1     ULDC UR4, c[n]
 *
 * Only how many registers are alive is modelled, not which: here they are numbered in the order in which they are first written, a pair or
 * a quad from an even or fourth number on. Numbers that stand in the code (immediates) are not among the operands of the model.
 */
import { originalName } from './copies.ts';
import type { MachineBlock, MachineInstruction } from '../model/machine.ts';
import { rowOf, wordsMoved, type RegisterFile } from '../model/opcodes.ts';

/** Operands by block and instruction. */
export function operandsOf(blocks: readonly MachineBlock[]): string[][] {
  const names = new RegisterNames();
  for (const { instructions } of blocks)
    for (const one of instructions) for (const name of one.writes) names.add(name, one);
  return blocks.map(({ instructions }) => instructions.map((one) => operands(one, names)));
}

class RegisterNames {
  private readonly known = new Map<string, string>();
  private readonly next: Record<RegisterFile, number> = { R: 0, P: 0, UR: 0 };

  add(name: string, by: MachineInstruction): void {
    if (this.known.has(originalName(name))) return;
    const { file } = rowOf(by);
    const words = wordsOf(by);
    const number = Math.ceil(this.next[file] / words) * words;
    this.next[file] = number + words;
    this.known.set(originalName(name), `${file}${number}`);
  }
  of(name: string): string | undefined {
    return this.known.get(originalName(name));
  }
}

/** 32-bit registers that each of its results takes; a power of two. */
function wordsOf(instruction: MachineInstruction): number {
  const { words, memory } = rowOf(instruction);
  return memory === null ? words : Math.max(1, wordsMoved(instruction) / Math.max(1, instruction.writes.length));
}

function operands(instruction: MachineInstruction, names: RegisterNames): string {
  const { reads, writes, addresses } = instruction;
  const { fetches } = rowOf(instruction);
  const registers = (all: readonly string[]): string[] => all.flatMap((name) => names.of(name) ?? []);
  const to = registers(writes);
  if (fetches === 'special') return [...to, ...writes.flatMap(specialRegister)].join(', ');
  if (reads.length === 0 && fetches === 'constant') return [...to, ...writes.map(constant)].join(', ');
  if (addresses === null) return [...to, ...registers(reads)].join(', ');
  const address = `[${registers(reads.slice(0, addresses)).join('+')}]`;
  return [...to, address, ...registers(reads.slice(addresses))].join(', ');
}

const axisOf = (name: string): { register: string; axis: string } | null => {
  const [, register, axis] = /sreg\.(\w+?)(?:\.([xyz]))?$/.exec(name) ?? [];
  return register === undefined ? null : { register, axis: axis === undefined ? '' : `.${axis}` };
};
const others: ReadonlyMap<string, string> = new Map([
  ['laneid', 'SR_LANEID'],
  ['lanesbefore', 'SR_LTMASK'],
  ["@shared'block", 'SR_CgaCtaId'],
]);
/** `llvm.nvvm.read.ptx.sreg.tid.x`: `SR_TID.X`. What is made of several registers has no name. */
function specialRegister(name: string): string[] {
  const found = axisOf(name);
  if (found) return [`SR_${found.register}${found.axis}`.toUpperCase()];
  const other = others.get(name);
  return other === undefined ? [] : [other];
}
/** Parameters and launch dimensions by their names. */
function constant(name: string): string {
  const found = axisOf(name);
  return `c[${found ? `${found.register}${found.axis}` : originalName(name).replace(/^[@%]/, '')}]`;
}
