/** Dependences between the instructions of a block: through registers, memory and barriers. */
import type { MachineInstruction } from '../model/machine.ts';
import { rowOf, type OpcodeRow } from '../model/opcodes.ts';

/** A later instruction that waits for an earlier one: its index, and the cycles in between. */
export interface Dependent {
  to: number;
  latency: number;
}

/** What depends on what; the same for every order that is tried. */
export class Dependences {
  /** Dependents of each instruction. */
  readonly after: Dependent[][];
  /** Number of instructions that each one waits for. */
  readonly waits: Int32Array;
  /** Number of reads of the value that each instruction makes. */
  readonly uses: Int32Array;
  /** Instructions whose values each one reads, once per read. */
  readonly takes: number[][];
  /** The longest way from each instruction to the end of the block, cycles. */
  readonly heights: Float64Array;
  private readonly instructions: readonly MachineInstruction[];
  private readonly rows: readonly OpcodeRow[];
  private readonly maker = new Map<string, number>();
  private readonly readers = new Map<string, number[]>();
  private readonly lastChange = new Map<string, number>();
  private readonly lastReads = new Map<string, number[]>();
  private lastOrdered = -1;
  private lastBarrier = -1;

  constructor(instructions: readonly MachineInstruction[]) {
    this.instructions = instructions;
    this.rows = instructions.map(rowOf);
    this.after = instructions.map(() => []);
    this.waits = new Int32Array(instructions.length);
    this.uses = new Int32Array(instructions.length);
    this.takes = instructions.map(() => []);
    for (let i = 0; i < instructions.length; i++) {
      this.throughRegisters(i);
      this.throughMemory(i);
    }
    this.heights = this.heightsOf();
  }

  private heightsOf(): Float64Array {
    const height = new Float64Array(this.after.length);
    for (let i = height.length - 1; i >= 0; i--)
      for (const { to, latency } of this.after[i]!) height[i] = Math.max(height[i]!, height[to]! + latency);
    return height;
  }

  private depend(from: number, to: number, latency: number): void {
    this.after[from]!.push({ to, latency });
    this.waits[to]!++;
  }

  private throughRegisters(i: number): void {
    const { maker, readers } = this;
    const { reads, writes } = this.instructions[i]!;
    for (const name of reads) {
      const from = maker.get(name);
      if (from !== undefined) {
        this.depend(from, i, this.rows[from]!.expected);
        this.uses[from]!++;
        this.takes[i]!.push(from);
      }
      push(readers, name, i);
    }
    for (const name of writes) {
      for (const reader of readers.get(name) ?? []) if (reader !== i) this.depend(reader, i, 0);
      const before = maker.get(name);
      if (before !== undefined) this.depend(before, i, 1);
      maker.set(name, i);
      readers.set(name, []);
    }
  }

  /** Barriers and fences keep their place among all instructions, or among accesses; accesses of one memory keep their order. */
  private throughMemory(i: number): void {
    const { fence } = this.rows[i]!;
    if (fence === 'all') {
      for (let k = Math.max(0, this.lastOrdered); k < i; k++) this.depend(k, i, 0);
      this.lastOrdered = i;
      this.forgetAccesses();
      return;
    }
    if (this.lastOrdered >= 0) this.depend(this.lastOrdered, i, 0);
    const { memory } = this.instructions[i]!;
    if (fence === 'memory') {
      for (let k = Math.max(0, this.lastOrdered, this.lastBarrier); k < i; k++)
        if (this.instructions[k]!.memory !== null || k === this.lastBarrier) this.depend(k, i, 0);
      this.lastBarrier = i;
      this.forgetAccesses();
      return;
    }
    if (memory !== null) this.inOrder(memory, i);
  }

  private inOrder(memory: string, i: number): void {
    if (this.lastBarrier > this.lastOrdered) this.depend(this.lastBarrier, i, 0);
    const change = this.lastChange.get(memory);
    if (change !== undefined) this.depend(change, i, 0);
    if (this.rows[i]!.memory?.access === 'load') return push(this.lastReads, memory, i);
    for (const read of this.lastReads.get(memory) ?? []) this.depend(read, i, 0);
    this.lastReads.delete(memory);
    this.lastChange.set(memory, i);
  }

  private forgetAccesses(): void {
    this.lastChange.clear();
    this.lastReads.clear();
  }
}

function push(into: Map<string, number[]>, key: string, value: number): void {
  const list = into.get(key);
  if (list === undefined) into.set(key, [value]);
  else list.push(value);
}
