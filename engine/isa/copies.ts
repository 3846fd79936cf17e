/** Loops of which ptxas makes several copies in a row. */
import type { MachineBlock, MachineInstruction } from '../model/machine.ts';

export type CopiedInstruction = MachineInstruction & { copied?: MachineInstruction };

/** Between a register's name and the number of the copy that it is of. */
const ofCopy = '#';
export function originalName(name: string): string {
  const end = name.indexOf(ofCopy);
  return end < 0 ? name : name.slice(0, end);
}

/** The copies of a loop's block one after the other; accesses of copy `i` have the numbers from `i * sites` on. */
export function copiesOf({ instructions, copies }: MachineBlock, count: number, sites: number): CopiedInstruction[] {
  const written = new Set<string>();
  /** Values that go on from one time around to the next keep their registers, as do those that copies share. */
  const kept = new Set<string>();
  for (const { reads, writes, every } of instructions) {
    for (const name of reads) if (!written.has(name)) kept.add(name);
    for (const name of writes) {
      written.add(name);
      if (every > 1) kept.add(name);
    }
  }
  return Array.from({ length: count }, (_, copy) => {
    const rename = (name: string): string =>
      copy === count - 1 || kept.has(name) || !written.has(name) ? name : `${name}${ofCopy}${copy}`;
    return instructions
      .filter(({ every, leads }) => {
        const often = Math.max(1, (every * count) / copies[0]!);
        return leads ? copy % often === 0 : Math.floor((copy + 1) / often) > Math.floor(copy / often);
      })
      .map((instruction) => ({
        ...instruction,
        copied: instruction,
        reads: instruction.reads.map(rename),
        writes: instruction.writes.map(rename),
        access: instruction.access === null ? null : instruction.access + copy * sites,
      }));
  }).flat();
}
