import { parameterSpace, type Pointers, type Space } from '../../ir/addresses.ts';
import { dominatorSets, type Flow, type FlowBlock } from '../../ir/analysis/flow.ts';
import type { Uniformity } from '../../ir/analysis/uniformity.ts';
import { contractions, type Contraction } from '../../ir/contraction.ts';
import type { Instruction, Type, Value } from '../../ir/ir.ts';
import { LinearForms } from '../linear.ts';
import { isInt, scalar } from './types.ts';

export interface SelectedFrom {
  flow: Flow;
  uniformity: Uniformity;
  pointers: Pointers;
}

export interface Definition {
  instruction: Instruction;
  block: FlowBlock;
  order: number;
}

export type Local = Value & { kind: 'local' };

/** Facts about the values of a kernel that the selection of any instruction may need: definitions, users, widths, dominators. */
export class KernelFacts {
  readonly flow: Flow;
  readonly uniformity: Uniformity;
  readonly pointers: Pointers;
  /** Definitions of values by name. */
  readonly definitions = new Map<string, Definition>();
  /** Index of the block of each instruction. */
  readonly blockOf = new Map<Instruction, number>();
  /** Instructions that use a value, once per operand. */
  private readonly users = new Map<string, Instruction[]>();
  /** Sums that become FMAs, with their products. */
  readonly contracted: Map<Instruction, Contraction>;
  /** Integers and addresses as sums of products. */
  readonly linear: LinearForms;
  /** Names of 64-bit integers whose values fit 32 bits. */
  private readonly narrow: Set<string>;
  /** Dominators of each block, one bit per block. */
  private readonly dominators: bigint[];

  constructor(kernel: SelectedFrom) {
    this.flow = kernel.flow;
    this.uniformity = kernel.uniformity;
    this.pointers = kernel.pointers;
    const { blocks } = this.flow;
    for (const block of blocks) {
      block.block.instructions.forEach((instruction, order) => {
        this.blockOf.set(instruction, block.index);
        if (instruction.name !== null) this.definitions.set(instruction.name, { instruction, block, order });
        for (const operand of instruction.operands) {
          if (operand.kind !== 'local') continue;
          const users = this.users.get(operand.name);
          if (users === undefined) this.users.set(operand.name, [instruction]);
          else users.push(instruction);
        }
      });
    }
    this.contracted = contractions(blocks.map(({ block }) => block));
    this.linear = new LinearForms((value) => this.definition(value)?.instruction);
    this.narrow = this.findNarrow();
    this.dominators = dominatorSets(this.flow);
  }

  /** The definition of a value; none for constants and parameters. */
  definition(value: Value): Definition | undefined {
    return value.kind === 'local' ? this.definitions.get(value.name) : undefined;
  }

  /** Instructions that use a value, once per operand. */
  usersOf(name: string): readonly Instruction[] {
    return this.users.get(name) ?? [];
  }

  /** 64-bit integers whose value fits 32 bits: extended ones, and what is computed of those; counters are taken to fit. */
  private findNarrow(): Set<string> {
    const narrow = new Set<string>();
    for (const [name, { instruction }] of this.definitions) {
      const wide = isInt(instruction.type, 64);
      if (wide && /^(sext|zext|add|sub|mul|or|and|shl|lshr|ashr|phi|select|xor|urem|call)$/.test(instruction.op))
        narrow.add(name);
    }
    const fits = (value: Value): boolean => {
      if (value.kind === 'int') return value.value >= -(2n ** 31n) && value.value < 2n ** 32n;
      return value.kind === 'zero' || value.kind === 'undef' || (value.kind === 'local' && narrow.has(value.name));
    };
    /** A product of two whole 32-bit numbers was written as one of 64 bits; one with a counter became that. */
    const counts = (value: Value): boolean => {
      if (value.kind === 'int') return true;
      const instruction = this.definition(value)?.instruction;
      if (instruction === undefined) return false;
      return (
        instruction.op === 'phi' ||
        (/^(add|or|sub)$/.test(instruction.op) &&
          instruction.operands.some((operand) => operand.kind === 'local' && counts(operand)))
      );
    };
    const keeps = ({ op, operands, callee }: Instruction): boolean => {
      const [left, right] = operands;
      switch (op) {
        case 'sext':
        case 'zext':
          return true;
        case 'and':
        case 'urem':
          return operands.some((operand) =>
            operand.kind === 'int' ? operand.value >= 0n && operand.value < 2n ** 32n : fits(operand),
          );
        case 'call':
          return /^llvm\.[us]m(in|ax)/.test(callee) && operands.every(fits);
        case 'select':
          return operands.slice(1).every(fits);
        case 'shl':
          return fits(left!) && counts(left!) && right?.kind === 'int' && right.value < 8n;
        case 'mul':
          return operands.every(fits) && operands.some(counts);
        default:
          return operands.every(fits);
      }
    };
    /** A product of itself, a time around a loop ago, does not stay small. */
    const grows = (name: string): boolean => {
      const { instruction, block } = this.definitions.get(name)!;
      if (block.loop === null || !/^(mul|shl)$/.test(instruction.op)) return false;
      const seen = new Set<string>();
      const open = [instruction];
      for (let each = open.pop(); each !== undefined; each = open.pop())
        for (const operand of each.operands) {
          if (operand.kind !== 'local' || !narrow.has(operand.name) || seen.has(operand.name)) continue;
          seen.add(operand.name);
          open.push(this.definitions.get(operand.name)!.instruction);
        }
      return seen.has(name);
    };
    for (let before = -1; before !== narrow.size;) {
      before = narrow.size;
      for (const name of narrow)
        if (!keeps(this.definitions.get(name)!.instruction) || grows(name)) narrow.delete(name);
    }
    return narrow;
  }

  /** Test for a block `a` that every way to block `b` passes. */
  dominates(a: number, b: number): boolean {
    return ((this.dominators[b]! >> BigInt(a)) & 1n) === 1n;
  }

  /** 32-bit registers of a scalar. */
  words(value: Value): number {
    const type = scalar(value.type);
    if (type.kind === 'ptr') return this.isShort(this.pointers.space(value)) ? 1 : 2;
    if (type.kind === 'int' && type.bits === 64) return value.kind === 'local' && !this.narrow.has(value.name) ? 2 : 1;
    if (type.kind === 'int' && type.bits > 64) return Math.ceil(type.bits / 32);
    return type.kind === 'double' ? 2 : 1;
  }

  /** Test for an address space whose addresses have 32 bits. */
  isShort(space: Space): boolean {
    return space === 3 || space === 4 || space === 5 || space === parameterSpace;
  }

  /** Test for factors that one 32-bit register each holds. */
  isProductOfNarrow(operands: Value[]): boolean {
    return operands.every((operand) => operand.kind === 'int' || this.words(operand) === 1);
  }

  /** The type of a value by its name; a 32-bit integer for unknown ones. */
  typeOf(name: string): Type {
    return this.definitions.get(name)?.instruction.type ?? { kind: 'int', bits: 32 };
  }

  /** Test for a value that is the same in all lanes. */
  isUniform(value: Value): boolean {
    const root = this.rootOf(value);
    return root.kind !== 'local' || !this.uniformity.divergentValues.has(root.name);
  }

  /** Test for a value that was loaded or came from another lane, in part at least: that is in a register of each lane (SASS of A1 const_lat). */
  isMadeOfLoaded(value: Value): boolean {
    const seen = new Set<string>();
    const open = [value];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next.kind === 'expression') open.push(...next.operands);
      if (next.kind !== 'local' || seen.has(next.name)) continue;
      seen.add(next.name);
      const made = this.definition(next)?.instruction;
      if (made === undefined) continue;
      const isUniformCall = made.op === 'call' && /sreg\.|^llvm\.(?!nvvm\.)/.test(made.callee);
      const isParameter = made.op === 'load' && this.pointers.space(made.operands[0]!) === parameterSpace;
      if (/^(load|atomicrmw|cmpxchg|call)$/.test(made.op) && !isUniformCall && !isParameter) return true;
      open.push(...made.operands);
    }
    return false;
  }

  /** The value that a pointer is a constant distance from. */
  rootOf(pointer: Value): Value {
    return this.pointers.resolve(pointer).root;
  }
}
