/**
 * Instruction selection: LLVM IR of one kernel to what ptxas would emit for it (sm_80 and later), block by block. Values are
 * selected when something that stays needs them, so that what folds into addresses and operands costs nothing.
 *
 *   addresses   IMAD.WIDE per 32-bit index, LEA and LEA.HI.X per 64-bit one; constants fold into [R+imm]; an address that
 *               differs from one at hand by one product is made of that; products with a loop's counter are stepped
 *   widths      64-bit integers that hold 32-bit ones (counters that Clang widened) are 32-bit ones; others take two
 *   folding     FFMA/DFMA/IMAD for mul + add, LEA for shl + add, IADD3 for three, LOP3 for three, predicates into ISETP
 *   branches    short arms are predicated; others take BRA, and BSSY and BSYNC where lanes may go both ways
 *   constants   each parameter and launch dimension used is loaded once (ULDC, LDC); constant memory by ULDC where all lanes have one
 *               address that was not loaded itself, 8 bytes at most, by LDC otherwise
 */
import { findCall } from '../ir/calls/table.ts';
import { spreadOverPipes } from './pipes.ts';
import { scheduleWithin, type ScheduledCode } from './registers.ts';
import { Addresses } from './select/addresses.ts';
import { Arithmetic } from './select/arithmetic.ts';
import { Branches } from './select/branches.ts';
import { CalledFunctions } from './select/called-functions.ts';
import type { SelectionContext } from './select/context.ts';
import { Elements } from './select/elements.ts';
import { KernelFacts, type SelectedFrom } from './select/facts.ts';
import { IndexSums } from './select/index-sums.ts';
import { LoopCopies } from './select/loop-copies.ts';
import { LoopCounters } from './select/loop-counters.ts';
import { MachineBuilder } from './select/machine-builder.ts';
import { MemoryAccesses } from './select/memory-access.ts';
import { Operations } from './select/operations.ts';
import { place } from './select/place.ts';
import { SelectedValues } from './select/values.ts';

/** `limit`: registers per thread that it may have. */
export function selectInstructions(kernel: SelectedFrom, limit?: number): ScheduledCode {
  return new Selection(kernel).run(limit);
}

/** The selection of one kernel's instructions: the order of its passes. */
class Selection implements SelectionContext {
  readonly facts: KernelFacts;
  readonly counters: LoopCounters;
  readonly elements: Elements;
  readonly code: MachineBuilder;
  readonly values: SelectedValues;
  readonly operations: Operations;
  readonly arithmetic: Arithmetic;
  readonly addresses: Addresses;
  readonly sums: IndexSums;
  readonly memory: MemoryAccesses;
  readonly calls: CalledFunctions;
  readonly branches: Branches;
  readonly loopCopies: LoopCopies;

  constructor(kernel: SelectedFrom) {
    this.facts = new KernelFacts(kernel);
    this.counters = new LoopCounters(this);
    this.elements = new Elements(this);
    this.code = new MachineBuilder(this);
    this.values = new SelectedValues(this);
    this.operations = new Operations(this);
    this.arithmetic = new Arithmetic(this);
    this.addresses = new Addresses(this);
    this.sums = new IndexSums(this);
    this.memory = new MemoryAccesses(this);
    this.calls = new CalledFunctions(this);
    this.branches = new Branches(this);
    this.loopCopies = new LoopCopies(this);
  }

  run(limit: number | undefined): ScheduledCode {
    this.code.emit(place(0, -2), 'LDC', [], ['stack']);
    for (const block of this.facts.flow.blocks) {
      let access = 0;
      block.block.instructions.forEach((instruction, order) => {
        const at = { block: block.index, order, source: instruction };
        if (instruction.op === 'load' || instruction.op === 'store' || /^(atomicrmw|cmpxchg)$/.test(instruction.op))
          this.memory.access(instruction, at, access++);
        else if (instruction.op === 'call') {
          const memory = findCall(instruction.callee)?.memory;
          if (memory !== undefined || this.calls.stays(instruction))
            this.calls.call(instruction, at, memory ? access : null);
          access += memory?.times ?? 0;
        } else if (instruction.op === 'fence') this.code.emit(at, 'MEMBAR', [], []);
      });
    }
    for (const block of this.facts.flow.blocks) this.branches.condition(block);
    // Each may ask for more.
    for (const { instruction, name } of this.values.phis) this.values.meet(instruction, name);
    for (const block of [...this.facts.flow.blocks].reverse()) this.branches.predicate(block);
    for (const block of this.facts.flow.blocks) this.branches.branch(block);
    for (const block of this.facts.flow.blocks) this.loopCopies.unroll(block);
    this.branches.beforeCopies();
    this.code.blocks.forEach(spreadOverPipes);
    const guardsOf = (i: number): string[] => this.branches.conditions.get(this.branches.guardOf[i] ?? -1) ?? [];
    const blocks = this.code.blocks.map((instructions, i) => ({
      instructions: instructions
        .sort((a, b) => a.order - b.order)
        .map((instruction) => ({
          ...instruction,
          reads: [...new Set([...instruction.reads, ...guardsOf(i)].map(this.code.registerOf))],
          writes: [...new Set(instruction.writes.map(this.code.registerOf))],
        })),
      copies: this.loopCopies.ofBlock[i]!,
      predicatedBy: this.branches.predicatedBy[i] ?? null,
      follows: this.branches.followed(i),
      window: 1,
      pressure: null,
    }));
    const words = new Map<string, number>();
    for (const [name, count] of this.code.widths) {
      const register = this.code.registerOf(name);
      words.set(register, Math.max(count, words.get(register) ?? 0));
    }
    return scheduleWithin(this.facts.flow, blocks, words, limit);
  }
}
