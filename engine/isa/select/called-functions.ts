import { type InPlace, opcodeOf } from '../../ir/calls/called.ts';
import { findCall } from '../../ir/calls/table.ts';
import type { Instruction, Value } from '../../ir/ir.ts';
import { isBarrier, isCountedBarrier } from '../../ir/prepare.ts';
import type { SelectionContext } from './context.ts';
import { memoryOpcode } from './memory-opcodes.ts';
import type { Place } from './place.ts';
import { instructionsFor, upperHalf } from './types.ts';

type Needs = Pick<SelectionContext, 'code' | 'facts' | 'values'>;

/** Calls: barriers, intrinsics, library functions, and functions of the program. */
export class CalledFunctions {
  private readonly kernel: Needs;

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** Test for a call that is emitted where it stands, needed or not. */
  stays(instruction: Instruction): boolean {
    const called = findCall(instruction.callee);
    if (called === undefined || isBarrier(instruction)) return true;
    if (called.machine !== undefined && 'code' in called.machine && called.machine.stays) return true;
    return instruction.name === null && called.vanishes !== true;
  }

  /** Emits a call and gives the registers of its result. `access`: number of its first memory access in the block. */
  call(instruction: Instruction, at: Place, access: number | null = null): string[] {
    const { callee, operands, name } = instruction;
    if (name !== null) this.kernel.values.selected.set(name, this.kernel.values.results(instruction));
    const results = this.kernel.values.results(instruction);
    if (isBarrier(instruction)) {
      const counted = isCountedBarrier(instruction);
      this.kernel.code.emit(
        at,
        counted ? 'BAR.SYNC.COUNT' : 'BAR.SYNC',
        counted ? this.kernel.values.needAll(operands, at) : [],
        [],
      );
      return [];
    }
    const called = findCall(callee);
    if (called?.machine !== undefined) return this.inPlace(called.machine, instruction, results, at);
    const lower = upperHalf.test(callee) ? this.kernel.values.twin(instruction, ({ op }) => op === 'mul') : null;
    if (lower !== null && name !== null) {
      this.kernel.values.need({ kind: 'local', name: lower, type: instruction.type }, at);
      return [name];
    }
    const reads = this.kernel.values.needAll(operands, at);
    if (called === undefined) {
      // A function of the program.
      this.kernel.code.emit(at, 'CALL', reads, []);
      this.kernel.code.chain(at, 'MOV', reads, name ?? `${callee}'`, Math.max(1, operands.length));
      this.kernel.code.emit(at, 'RET', [], results);
      return results;
    }
    if (called.mask !== undefined) this.checkMask(operands[called.mask.operand]!, called.mask.turns, at);
    if (called.memory?.level !== undefined) {
      this.kernel.code.emit(at, called.memory.level, [], [`${name}'level`]);
      reads.push(`${name}'level`);
    }
    const times = instructionsFor(instruction.type);
    const total = Object.values(called.cost ?? {}).reduce((sum, amount) => sum + Math.round(amount * times), 0);
    const memory = called.memory;
    const space = memory === undefined ? null : this.kernel.facts.pointers.space(operands[memory.pointer]!);
    const together = memory?.together?.[space === 3 ? 'shared' : 'global'] ?? 1;
    const requests = Math.ceil((memory?.times ?? 0) / together);
    let made = 0;
    let before: string[] = reads;
    const next = (): string[] => {
      made++;
      return made === total + requests ? results : [`${name ?? callee}'${made}`];
    };
    for (const [kind, amount] of Object.entries(called.cost ?? {})) {
      const opcode = opcodeOf(called, kind);
      const count = Math.round(amount * times);
      for (let i = 0; i < count; i++) {
        // The slow way of a function, hardly ever taken.
        if (kind === 'branch' && i < count - 1) {
          this.kernel.code.emit(at, 'BSSY', [], []);
          made++;
          continue;
        }
        // Each makes a part of a matrix; of other functions, the last makes the result.
        const isPart = kind === 'tensor' && results.length > count;
        const part = results.slice((i * results.length) / count, ((i + 1) * results.length) / count);
        const writes = isPart ? part : next();
        this.kernel.code.emit(at, opcode, isPart || made === 1 ? reads : [...reads, ...before], writes);
        before = writes;
      }
    }
    if (memory !== undefined && space !== null) {
      const parts = results.length / requests;
      for (let i = 0; i < requests; i++) {
        const isMatrix = space === 3 && together > 1 && memory.kind === 'load';
        const plain = memoryOpcode(memory.kind, space);
        const opcode = memory.opcode ?? (isMatrix ? 'LDSM' : together > 1 ? (`${plain}.64` as const) : plain);
        const writes =
          memory.kind === 'load' || memory.unit !== undefined
            ? results.slice(Math.floor(i * parts), Math.ceil((i + 1) * parts))
            : [];
        const number = access === null ? null : access + i * together;
        this.kernel.code.emit(at, opcode, reads, writes, number, together);
      }
      const { transposes } = memory;
      if (transposes !== undefined && space !== 3)
        for (const name of new Set(results)) this.kernel.code.emit(at, transposes, [name], [name]);
    }
    if (total + requests === 0)
      return results.length > 1 ? results.map((_, i) => before[i] ?? before[0] ?? '') : before;
    return results;
  }

  /** Code that a call is instead of what it is counted as. */
  private inPlace(machine: InPlace, { callee, operands }: Instruction, results: string[], at: Place): string[] {
    if ('isOperand' in machine) return this.kernel.values.need(operands[0]!, at);
    if ('fetched' in machine) return this.kernel.code.once(callee, at, machine.fetched);
    const [given] = operands;
    const reads = machine.reads ? this.kernel.values.needAll(operands, at) : [];
    for (const { opcode, count } of machine.code) {
      const amount = given?.kind === 'int' ? given.value : count;
      this.kernel.code.emit(at, count === undefined ? opcode : `${opcode}.${amount!}`, reads, results);
    }
    return results;
  }

  /**
   * Lanes may have masks of their own: once for each mask of a block ptxas compares them, and goes another way where some differ
   * from what it takes. Groups shuffle at once then, but vote, match and add up one after the other (SASS of warpwide.cu).
   */
  private checkMask(mask: Value, turns: 'VOTE' | 'MATCH' | null, at: Place): void {
    if (this.kernel.facts.isUniform(mask)) return;
    const [name] = this.kernel.values.need(mask, at);
    const checked = `${name}'checked ${at.block}`;
    if (name !== undefined && !this.kernel.code.loaded.has(checked)) {
      this.kernel.code.loaded.add(checked);
      this.compareMasks(name, checked, turns === null, at);
    }
    if (turns !== null) this.kernel.code.emit(at, `WARPSYNC.COLLECTIVE.${turns}`, [], []);
  }

  private compareMasks(name: string, checked: string, comparesMasks: boolean, at: Place): void {
    this.kernel.code.emit(at, 'REDUX', [name], [`${checked}U`]);
    if (comparesMasks) {
      this.kernel.code.emit(at, 'MATCH.ANY.MASK', [name], [`${checked}same`]);
      this.kernel.code.emit(at, 'VOTEU', [], [`${checked}all`]);
      this.kernel.code.emit(at, 'LOP3', [name, `${checked}same`, `${checked}all`], [`${checked}P`]);
    } else this.kernel.code.emit(at, 'R2UR', [name], [`${checked}P`]);
    this.kernel.code.emit(at, 'BRA.DIV', [`${checked}P`, `${checked}U`], []);
  }
}
