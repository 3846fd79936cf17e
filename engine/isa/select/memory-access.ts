import { parameterSpace } from '../../ir/addresses.ts';
import { oneForAll, type OneForAll } from '../../ir/analysis/one-for-all.ts';
import { leavesOf, sizeOf, type Instruction, type Value } from '../../ir/ir.ts';
import { opcodes } from '../../model/opcodes.ts';
import type { SelectionContext } from './context.ts';
import { memoryOpcode, type MemoryOperation } from './memory-opcodes.ts';
import type { Place } from './place.ts';
import { lanes } from './types.ts';

/** Widest load of a lane, and widest one by the uniform datapath, bytes. */
const widestRead = 16;
const widestUniformRead = 8;

/** Suffix of an access of `bytes` per lane: none for words, and for atomics none below. */
function widthOf(what: MemoryOperation, bytes: number): '' | `.${string}` {
  if (bytes > 4) return `.${Math.min(128, 8 * bytes)}`;
  return bytes < 4 && (what === 'load' || what === 'store') ? `.U${8 * bytes}` : '';
}

type Needs = Pick<SelectionContext, 'code' | 'facts' | 'values'>;

/** Loads, stores and atomic operations. */
export class MemoryAccesses {
  private readonly kernel: Needs;

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** Emits a load, store or atomic operation. `access`: its number among the accesses of the block. */
  access(instruction: Instruction, at: Place, access: number): void {
    const { op, operands, name } = instruction;
    const pointer = operands[op === 'store' ? 1 : 0]!;
    const space = this.kernel.facts.pointers.space(pointer);
    const { root } = this.kernel.facts.pointers.resolve(pointer);
    const accessed = instruction.accessType ?? instruction.type;
    const constantBank = space === 4 || space === parameterSpace;
    const fixed = root.kind === 'global' || (root.kind === 'local' && space === parameterSpace);
    if (op === 'load' && constantBank && fixed && name !== null) {
      this.kernel.values.selected.set(name, this.kernel.code.once(name, at, 'ULDC'));
      return;
    }
    // The store of an LDGSTS, whose load has been counted.
    if (op === 'store' && instruction.flags.includes('async')) return;
    const value =
      op === 'store'
        ? this.kernel.values.need(operands[0]!, at)
        : op === 'load'
          ? []
          : this.kernel.values.needAll(operands.slice(1), at);
    const address = this.kernel.values.need(pointer.kind === 'local' ? this.kernel.facts.rootOf(pointer) : pointer, at);
    const unused = op !== 'load' && name !== null && this.kernel.facts.usersOf(name).length === 0;
    const isCopy = op === 'load' && this.isAsync(name);
    const what = op === 'load' || op === 'store' ? op : unused ? 'reduction' : 'atomic';
    const plain = isCopy ? 'LDGSTS' : memoryOpcode(what, space);
    const isGlobal = opcodes[plain].memory.space === 'global';
    if (isGlobal) this.kernel.code.once('@descriptor', at, 'ULDC.64');
    const size = sizeOf(accessed);
    // One address for all lanes, in a uniform register: the uniform datapath loads it, 8 bytes at most (SASS of sm_90).
    const uniform =
      op === 'load' &&
      constantBank &&
      this.kernel.facts.isUniform(pointer) &&
      !this.kernel.facts.isMadeOfLoaded(pointer);
    const parts =
      accessed.kind !== 'vector' || size > widestRead
        ? leavesOf(accessed).length
        : uniform
          ? Math.ceil(size / widestUniformRead)
          : 1;
    const results = name === null ? [] : this.kernel.values.results(instruction);
    const perPart = uniform ? Math.max(1, results.length / parts) : 1;
    if (name !== null) this.kernel.values.selected.set(name, results);
    // The words of a vector lie in registers side by side.
    if (op === 'store' && accessed.kind === 'vector' && parts === 1) {
      const copies = value.length === 1 ? lanes(accessed) - 1 : value.length - new Set(value).size;
      for (let i = 0; i < copies; i++)
        this.kernel.code.emit(at, 'MOV', value.slice(0, 1), [`${at.block}.${at.order}=${i}`]);
    }
    const together = op === 'atomicrmw' ? this.oneForAll(instruction) : null;
    if (together !== null) {
      this.kernel.code.once('laneid', at, 'S2R');
      this.kernel.code.emit(at, 'VOTEU', [], [`${name}'mask`]);
      this.kernel.code.emit(at, 'FLO', [`${name}'mask`], [`${name}'first`]);
      this.kernel.code.emit(at, 'ISETP', ['laneid', `${name}'first`], [`${name}'is`]);
      if (together === 'reduce') this.kernel.code.emit(at, 'REDUX.ATOMIC', value, [`${name}'sum`]);
      else this.kernel.code.emit(at, 'POPC', [`${name}'mask`], [`${name}'count`]);
      if (together !== 'reduce' && operands[1]?.kind !== 'int')
        this.kernel.code.emit(at, 'IMAD', [`${name}'count`, ...value], [`${name}'sum`]);
    }
    if (isGlobal && instruction.flags.includes('release')) this.kernel.code.emit(at, 'MEMBAR', [], []);
    for (let i = 0; i < parts; i++) {
      const own = results.slice(i * perPart, (i + 1) * perPart);
      const made = parts === 1 ? results : own.length > 0 ? own : [name!];
      const writes = op === 'store' || unused || isCopy ? [] : together === null ? made : [`${name}'old`];
      this.kernel.code.emit(
        at,
        `${uniform ? 'ULDC' : plain}${widthOf(what, Math.ceil(size / parts))}`,
        [...address, ...value],
        writes,
        access,
        1,
        space === 3 ? null : this.restrictedBase(pointer),
        address.length,
      );
    }
    if (isGlobal && op !== 'store' && instruction.flags.includes('acquire'))
      this.kernel.code.emit(at, 'CCTL.IVALL', results, []);
    if (together === 'fetch') {
      this.kernel.code.once('lanesbefore', at, 'S2R');
      this.kernel.code.emit(at, 'LOP3', ['lanesbefore', `${name}'mask`], [`${name}'before`]);
      this.kernel.code.emit(at, 'POPC', [`${name}'before`], [`${name}'rank`]);
      this.kernel.code.emit(at, 'SHFL', [`${name}'old`, `${name}'first`], [`${name}'base`]);
      const one = operands[1]?.kind === 'int';
      this.kernel.code.emit(at, one ? 'IADD3' : 'IMAD', [`${name}'base`, `${name}'rank`, ...value], results);
    }
  }

  private oneForAll({ name, predicate, operands, type }: Instruction): OneForAll | null {
    if (!/^(add|sub)$/.test(predicate) || type.kind !== 'int') return null;
    const [uniformAddress, uniformValue] = operands.map((operand) => this.kernel.facts.isUniform(operand)) as [
      boolean,
      boolean,
    ];
    const isUsed = name !== null && this.kernel.facts.usersOf(name).length > 0;
    return oneForAll({ type: type.bits === 64 ? 'i64' : 'i32', isUsed, uniformAddress, uniformValue });
  }

  /** The load of an LDGSTS: what it loads goes to shared memory, and nobody waits for it. */
  private isAsync(name: string | null): boolean {
    return (
      name !== null &&
      this.kernel.facts.usersOf(name).some(({ op, flags }) => op === 'store' && flags.includes('async'))
    );
  }

  /** The `__restrict__` parameter that a pointer is made of. */
  private restrictedBase(pointer: Value): string | null {
    const seen = new Set<string>();
    let value = this.kernel.facts.rootOf(pointer);
    while (value.kind === 'local' && !seen.has(value.name)) {
      const definition = this.kernel.facts.definition(value)?.instruction;
      if (definition === undefined) return this.kernel.facts.pointers.isRestricted(value.name) ? value.name : null;
      seen.add(value.name);
      const from = definition.operands.find(
        (operand) => operand.type.kind === 'ptr' && !(operand.kind === 'local' && seen.has(operand.name)),
      );
      if (from === undefined) return null;
      value = this.kernel.facts.rootOf(from);
    }
    return null;
  }
}
