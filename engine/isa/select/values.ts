import { parameterSpace } from '../../ir/addresses.ts';
import { contains } from '../../ir/analysis/flow.ts';
import type { Instruction, Value } from '../../ir/ir.ts';
import { findCall } from '../../ir/calls/table.ts';
import type { SelectionContext } from './context.ts';
import type { Local } from './facts.ts';
import { place, widestOrder, type Place } from './place.ts';
import { isInt, isPredicate, lanes, partsOf, upperHalf } from './types.ts';

/** Chains of values longer than this are selected in pieces. */
const deepestDemand = 300;
const pieceOfChain = 100;

const foldingOps = new Set(['mul', 'fmul', 'shl', 'and', 'or', 'xor', 'icmp', 'fcmp', 'sext', 'zext', 'getelementptr']);

type Needs = Pick<SelectionContext, 'code' | 'counters' | 'facts' | 'operations'>;

/** Registers of values. A value is selected when an instruction that stays needs it. */
export class SelectedValues {
  private readonly kernel: Needs;
  /** Names of the registers of values that have been selected; several for vectors and structs. */
  readonly selected = new Map<string, string[]>();
  /** Phis that have been selected, whose operands are joined with them at the end. */
  readonly phis: { instruction: Instruction; name: string }[] = [];
  private depth = 0;

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** The registers of a value, which is selected if it has not been; none for constants. */
  need(value: Value, at: Place): string[] {
    switch (value.kind) {
      case 'local':
        return this.local(value, at);
      case 'global': {
        const space = this.kernel.facts.pointers.space(value);
        if (space === 3) return this.kernel.code.sharedBase(at);
        if (space === 4) return [];
        return this.kernel.code.once(`@${value.name}`, at, 'ULDC.64');
      }
      case 'expression': {
        const first = value.operands[0];
        return first === undefined ? [] : this.need(first, at);
      }
      case 'aggregate':
        return value.elements.flatMap((element) => this.need(element, at));
      default:
        return [];
    }
  }

  /** The registers of several values, one after the other. */
  needAll(values: Value[], at: Place): string[] {
    return values.flatMap((value) => this.need(value, at));
  }

  private local(value: Local, at: Place): string[] {
    const name = this.kernel.counters.merged.get(value.name) ?? value.name;
    const known = this.selected.get(name);
    if (known !== undefined) return known;
    const definition = this.kernel.facts.definitions.get(name);
    if (definition === undefined)
      return this.kernel.facts.pointers.space(value) === parameterSpace ? [] : this.kernel.code.once(name, at, 'ULDC');
    const { instruction, block, order } = definition;
    if (this.depth > deepestDemand) this.selectAlong(name);
    this.depth++;
    this.selected.set(name, [name]);
    if (!isPredicate(instruction.type) && lanes(instruction.type) === 1 && instruction.type.kind !== 'struct')
      this.kernel.code.widths.set(name, this.kernel.facts.words(value));
    const registers = this.kernel.operations.select(instruction, name, {
      block: block.index,
      order,
      source: instruction,
    });
    this.selected.set(name, registers);
    this.depth--;
    return registers;
  }

  /** Long chains of values are selected piece by piece from their beginning: the stack is not made for thousands. */
  private selectAlong(last: string): void {
    const order: string[] = [];
    const seen = new Set([last]);
    const stack = [{ name: last, next: 0 }];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const operand = this.kernel.facts.definitions.get(top.name)!.instruction.operands[top.next++];
      if (operand === undefined) {
        order.push(top.name);
        stack.pop();
      } else if (operand.kind === 'local' && this.kernel.facts.definitions.has(operand.name)) {
        const name = this.kernel.counters.merged.get(operand.name) ?? operand.name;
        if (seen.has(name) || this.selected.has(name)) continue;
        seen.add(name);
        stack.push({ name, next: 0 });
      }
    }
    const depth = this.depth;
    this.depth = 0;
    let passed = 0;
    for (const name of order.slice(0, -1)) {
      const { instruction, block } = this.kernel.facts.definitions.get(name)!;
      // Not what might fold into its user.
      if (++passed < pieceOfChain || foldingOps.has(instruction.op)) continue;
      passed = 0;
      this.local({ kind: 'local', name, type: instruction.type }, place(block.index, 0));
    }
    this.depth = depth;
  }

  /** The definition of an operand that only this use has, if it is one of `ops`: it may fold into its user. */
  foldable(value: Value | undefined, ops: string, at: Place): Instruction | null {
    if (value?.kind !== 'local' || this.kernel.facts.usersOf(value.name).length !== 1 || this.selected.has(value.name))
      return null;
    const { instruction, block } = this.kernel.facts.definitions.get(value.name) ?? {};
    // Values defined outside of the loop stay there.
    if (
      instruction === undefined ||
      block?.loop !== this.kernel.facts.flow.blocks[at.block]!.loop ||
      !ops.split(' ').includes(instruction.op) ||
      instruction.type.kind === 'vector'
    )
      return null;
    return instruction;
  }

  /** Names for the registers of a vector or struct. */
  results({ name, type, callee }: Instruction): string[] {
    if (name === null) return [];
    const count = partsOf(type);
    // Fragments have more elements than registers: they repeat.
    const memory = findCall(callee)?.memory;
    const loaded = memory?.kind === 'load' ? memory.times : count;
    const distinct = count > loaded && loaded > 1 ? loaded : count;
    return count > 1 ? Array.from({ length: count }, (_, i) => `${name}.${i % distinct}`) : [name];
  }

  /** The lower or upper half of the same product, in the same block: one instruction makes both. */
  twin(instruction: Instruction, isOther: (user: Instruction) => boolean): string | null {
    const { op, callee, type, operands } = instruction;
    if (!isInt(type, 32) || !(op === 'mul' || upperHalf.test(callee))) return null;
    const textOf = (list: readonly Value[]): string =>
      list
        .slice(0, 2)
        .map((value) => (value.kind === 'local' ? value.name : value.kind === 'int' ? `${value.value}` : ''))
        .sort()
        .join();
    const [local] = operands.filter((operand) => operand.kind === 'local');
    const found = this.kernel.facts
      .usersOf(local?.kind === 'local' ? local.name : '')
      .find(
        (user) =>
          isOther(user) &&
          isInt(user.type, 32) &&
          this.kernel.facts.blockOf.get(user) === this.kernel.facts.blockOf.get(instruction) &&
          textOf(user.operands) === textOf(operands),
      );
    return found?.name ?? null;
  }

  /** Values that meet share a register, unless one of them is needed besides: that one is copied. */
  meet(phi: Instruction, name: string): void {
    phi.operands.forEach((operand, i) => {
      if (operand.kind === 'undef') return;
      const from = this.kernel.facts.flow.indexOf.get(phi.labels[i] ?? '') ?? 0;
      const at = place(from, widestOrder);
      const reads = this.need(operand, at);
      if (operand.kind === 'local' && !this.isCopied(phi, name, operand, from)) {
        if (reads.length === 1) this.kernel.code.join(reads[0]!, name);
      } else if (!isPredicate(phi.type)) {
        // A pair of zeros is one CS2R.
        this.kernel.code.chain(at, 'MOV', reads, name, operand.kind === 'local' ? this.kernel.facts.words(operand) : 1);
      }
    });
  }

  /**
   * Test for an operand that is needed after the phi as well: by an instruction behind it, or by another phi. In the head of a loop
   * also one that comes from an earlier time around.
   */
  private isCopied(phi: Instruction, name: string, operand: Local, from: number): boolean {
    const { block } = this.kernel.facts.definitions.get(name)!;
    if (block.loop?.head !== block.index)
      return this.kernel.facts
        .usersOf(operand.name)
        .some((user) => user !== phi && this.isBehind(user, operand.name, block.index));
    if (!contains(block.loop, from)) return this.kernel.facts.usersOf(operand.name).length > 1;
    const made = this.kernel.facts.definitions.get(operand.name);
    return made?.block === block && made.instruction.op === 'phi' && operand.name !== name;
  }

  /** Test for an instruction that reads a value in a block or behind it; phis do where they are reached from. */
  private isBehind(user: Instruction, value: string, index: number): boolean {
    const at = this.kernel.facts.blockOf.get(user)!;
    if (user.op !== 'phi') return at >= index;
    return user.operands.some(
      (operand, i) =>
        operand.kind === 'local' &&
        operand.name === value &&
        (at === index || (this.kernel.facts.flow.indexOf.get(user.labels[i] ?? '') ?? 0) >= index),
    );
  }
}
