import type { MachineInstruction } from '../../model/machine.ts';
import { coded, rowOf, type OpcodeRow, type Spelled } from '../../model/opcodes.ts';
import type { SelectionContext } from './context.ts';
import { place, type Place } from './place.ts';

/** Memory of an instruction, for the order of accesses: see {@link MachineInstruction}. */
const memoryOf = ({ memory }: OpcodeRow): string | null =>
  memory === null || memory.space === 'constant' ? null : memory.space === 'shared' ? 'shared' : 'global';

type Needs = Pick<SelectionContext, 'facts'>;

/** The machine code of the kernel's blocks as it is made, and the registers in it. */
export class MachineBuilder {
  private readonly kernel: Needs;
  /** Instructions of each block, in the order in which they were emitted. */
  readonly blocks: MachineInstruction[][];
  /** Names of the values that are made once. */
  readonly loaded = new Set<string>();
  private readonly joined = new Map<string, string>();
  /** Width of each register by name, 32-bit words. */
  readonly widths = new Map<string, number>();

  constructor(kernel: Needs) {
    this.kernel = kernel;
    this.blocks = kernel.facts.flow.blocks.map(() => []);
  }

  /** Values that a phi joins share its register. */
  readonly registerOf = (name: string): string => {
    let register = name;
    for (let next = this.joined.get(register); next !== undefined; next = this.joined.get(register)) register = next;
    return register;
  };

  /** Gives two names one register. */
  join(a: string, b: string): void {
    const [from, to] = [this.registerOf(a), this.registerOf(b)];
    if (from !== to) this.joined.set(from, to);
  }

  /** Adds an instruction to the block of a place. */
  emit(
    at: Place,
    opcode: Spelled,
    reads: string[],
    writes: string[],
    access: number | null = null,
    accesses = 1,
    memory?: string | null,
    addresses: number | null = null,
  ): void {
    const code = coded(opcode);
    const row = rowOf(code);
    const instruction = {
      ...code,
      reads,
      writes,
      addresses,
      order: at.order,
      access,
      accesses,
      memory: memory ?? memoryOf(row),
      place: at.source?.place ?? null,
      every: 1,
      leads: false,
    };
    this.blocks[at.block]!.push(instruction);
    if (row.allotted === 0) return;
    for (const name of writes) if (!this.widths.has(name)) this.widths.set(name, row.allotted);
  }

  /** `count` instructions, of which the last makes the result; each reads what the one before made. */
  chain(at: Place, opcode: Spelled, reads: string[], name: string, count: number): void {
    let before: string[] = [];
    for (let i = 1; i <= count; i++) {
      const made = i === count ? name : `${name}'${i}`;
      this.emit(at, opcode, i === 1 ? reads : [...reads, ...before], [made]);
      before = [made];
    }
  }

  /** The place for the load of a constant: in front of the loops around `index`. */
  beforeLoops(index: number): Place {
    let block = this.kernel.facts.flow.blocks[index]!;
    while (block.loop !== null) {
      const { head } = block.loop;
      const outside = this.kernel.facts.flow.blocks[head]!.predecessors.filter((from) => from < head);
      const next = outside.at(-1);
      if (next === undefined) break;
      block = this.kernel.facts.flow.blocks[next]!;
      if (block.index === head) break;
    }
    return place(block.index, block.index === 0 ? -1 : 0);
  }

  /** Registers of a constant, which is loaded at its first use, in front of the loops around it. */
  once(name: string, at: Place, opcode: Spelled, count = 1): string[] {
    if (!this.loaded.has(name)) {
      this.loaded.add(name);
      this.chain(this.beforeLoops(at.block), opcode, [], name, count);
    }
    return [name];
  }

  /** The register with the start of the block's shared memory in that of its cluster. */
  sharedBase(at: Place): string[] {
    const name = '@shared';
    if (!this.loaded.has(name)) {
      this.loaded.add(name);
      const before = this.beforeLoops(at.block);
      this.emit(before, 'S2UR', [], [`${name}'block`]);
      this.emit(before, 'UMOV', [], [`${name}'window`]);
      this.emit(before, 'ULEA', [`${name}'block`, `${name}'window`], [name]);
    }
    return [name];
  }
}
