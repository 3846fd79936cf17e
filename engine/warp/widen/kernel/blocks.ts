import type { FlowBlock } from '../../../ir/analysis/flow.ts';
import type { Value } from '../../../ir/ir.ts';
import { isBarrier } from '../../../ir/prepare.ts';
import { warpOperation } from '../meetings.ts';
import type { KernelContext } from './context.ts';

type Needs = Pick<
  KernelContext,
  | 'analysis'
  | 'control'
  | 'counters'
  | 'current'
  | 'faults'
  | 'fragments'
  | 'instructions'
  | 'loops'
  | 'meeting'
  | 'misses'
  | 'slots'
  | 'suspension'
  | 'writer'
>;

/** One block of the kernel: its lane mask, counters, phis, instructions and end. */
export class Blocks {
  private readonly kernel: Needs;

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** Writes one block. `live`: values that are live at the beginning of each block. */
  write(block: FlowBlock, live: Set<string>[]): void {
    const { analysis, control, counters, current, faults, fragments, loops, meeting, misses, slots, suspension } =
      this.kernel;
    const w = this.kernel.writer;
    w.block = block.index;
    w.begin(`b${block.index}`);
    current.values = new Map();
    current.native = null;
    current.mask = w.emit(`load i32, ptr ${slots.maskSlot(block.index)}`);
    w.line(`store i32 0, ptr ${slots.maskSlot(block.index)}`);
    if (analysis.spins.some((spin) => spin.polls && spin.reads && loops.isLeft(spin, block)))
      loops.letOthersSee(block, live);
    if (analysis.layout !== null && !analysis.meets) misses.meetIfMissed(block, live);
    else if (!analysis.options.independentLanes && analysis.called === null && analysis.mayMiss(block))
      misses.noteMissed(block);
    if (analysis.heads.has(block.index)) {
      loops.writeHead(block, live, counters.count(block.index, 'times', '1'));
      counters.noteBlock(block.index);
    } else counters.beginBlock(block.index);

    const { instructions } = block.block;
    for (const instruction of instructions) {
      if (instruction.op !== 'phi') break;
      if (instruction.name === null) continue;
      slots.define(instruction.name, slots.load('p', instruction.name, instruction.type));
    }
    const body = instructions.slice(0, -1);
    const stops = body.at(-1);
    const barrier = stops !== undefined && isBarrier(stops);
    let part = 0;
    fragments.begin(block);
    for (const [i, instruction] of (barrier ? body.slice(0, -1) : body).entries()) {
      if (instruction.op === 'phi' || (instruction.op === 'alloca' && instruction.operands.length === 0)) continue;
      const { name } = instruction;
      // Constant GEPs and pointer casts are folded where they are used.
      if (name !== null && isFolded(analysis.resolve({ kind: 'local', name, type: instruction.type }), name)) continue;
      const operation = warpOperation(instruction);
      if (operation !== null) faults.checkMask(operation, instruction);
      const leaves =
        operation === null || !analysis.meets
          ? this.kernel.instructions.write(instruction, block)
          : meeting.meetAt(operation, instruction, block, ++part);
      if (name !== null) slots.define(name, fragments.settle(name, leaves));
      fragments.release(i);
      if (body.length > longBlock) this.breakLongBlock();
    }
    if (barrier) suspension.writeBarrier(block, live, stops);
    else control.writeTerminator(block);
  }

  /**
   * LLVM's code generator takes a time that grows with the square of a block's length, and kernels unrolled by hand make
   * long ones. A branch that is never taken, though LLVM cannot know, breaks them.
   */
  private breakLongBlock(): void {
    const w = this.kernel.writer;
    if (w.lines.length - w.begun < shortBlock) return;
    const [never, go] = [w.freshLabel(), w.freshLabel()];
    const zero = w.emit(`load volatile i32, ptr %launch`);
    w.line(`br i1 ${w.emit(`icmp eq i32 ${zero}, -1`)}, label %${never}, label %${go}, !prof !9001`);
    w.begin(never);
    w.line('call void @spin()');
    w.line(`br label %${go}`);
    w.begin(go);
  }
}

/** Instructions above which a block is broken into pieces. */
const longBlock = 250;
/** Lines of LLVM IR per piece. */
const shortBlock = 100;

const isFolded = (root: Value, name: string): boolean => root.kind !== 'local' || root.name !== name;
