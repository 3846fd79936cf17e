import type { Instruction, Value } from '../../ir/ir.ts';
import { isArrival, isBarrier, isCountedBarrier } from '../../ir/prepare.ts';
import type { InstructionClass } from '../../model/execution.ts';
import { findIntrinsic } from '../../warp/widen/intrinsics.ts';
import { callRow, usualOpcodes } from '../calls.ts';
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
    const { callee } = instruction;
    if (isBarrier(instruction) || callRow(callee)?.stays) return true;
    if (/^llvm\.(lifetime|assume|experimental|invariant|dbg|expect|prefetch)/.test(callee)) return false;
    return findIntrinsic(callee) === undefined || instruction.name === null;
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
    if (isArrival(instruction)) {
      this.kernel.code.emit(at, 'BAR.ARV', this.kernel.values.needAll(operands, at), []);
      return [];
    }
    const row = callRow(callee);
    if (row?.isOperand) return this.kernel.values.need(operands[0]!, at);
    if (row?.fetched !== undefined) return this.kernel.code.once(callee, at, row.fetched);
    if (row?.code !== undefined) {
      const [given] = operands;
      const reads = row.reads ? this.kernel.values.needAll(operands, at) : [];
      for (const { opcode, count } of row.code) {
        const amount = given?.kind === 'int' ? given.value : count;
        this.kernel.code.emit(at, count === undefined ? opcode : `${opcode}.${amount!}`, reads, results);
      }
      return results;
    }
    const lower = upperHalf.test(callee) ? this.kernel.values.twin(instruction, ({ op }) => op === 'mul') : null;
    if (lower !== null && name !== null) {
      this.kernel.values.need({ kind: 'local', name: lower, type: instruction.type }, at);
      return [name];
    }
    const reads = this.kernel.values.needAll(operands, at);
    if (row?.mask !== undefined) this.checkMask(operands[row.mask.operand]!, row.mask.turns, at);
    const intrinsic = findIntrinsic(callee);
    if (intrinsic?.memory?.opcode === 'TEX.LL') {
      // The level of detail.
      this.kernel.code.emit(at, 'MOV', [], [`${name}'level`]);
      reads.push(`${name}'level`);
    }
    if (intrinsic === undefined) {
      this.kernel.code.emit(at, 'CALL', reads, []);
      this.kernel.code.chain(at, 'MOV', reads, name ?? `${callee}'`, Math.max(1, operands.length));
      this.kernel.code.emit(at, 'RET', [], results);
      return results;
    }
    const times = instructionsFor(instruction.type);
    const total = Object.values(intrinsic.cost ?? {}).reduce((sum, amount) => sum + Math.round(amount * times), 0);
    const memory = intrinsic.memory;
    const space = memory === undefined ? null : this.kernel.facts.pointers.space(operands[memory.pointer]!);
    const together = memory?.together?.[space === 3 ? 'shared' : 'global'] ?? 1;
    const requests = Math.ceil((memory?.times ?? 0) / together);
    let made = 0;
    let before: string[] = reads;
    const next = (): string[] => {
      made++;
      return made === total + requests ? results : [`${name ?? callee}'${made}`];
    };
    for (const [name, amount] of Object.entries(intrinsic.cost ?? {})) {
      const kind = name as InstructionClass;
      const opcode = row?.opcodes?.[kind] ?? usualOpcodes[kind];
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
      if (memory.transposed === true && space !== 3)
        for (const name of new Set(results)) this.kernel.code.emit(at, 'MOVM', [name], [name]);
    }
    if (total + requests === 0)
      return results.length > 1 ? results.map((_, i) => before[i] ?? before[0] ?? '') : before;
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
