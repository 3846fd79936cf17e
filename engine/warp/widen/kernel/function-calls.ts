import type { FunctionIr, Instruction } from '../../../ir/ir.ts';
import { leavesOf } from '../../../ir/ir.ts';
import { returnName } from '../../../ir/calls/uniformity.ts';
import type { Leaf } from '../writer.ts';
import { laneType } from '../writer.ts';
import type { KernelContext } from './context.ts';
import { functionSymbol } from './symbols.ts';

type Needs = Pick<KernelContext, 'analysis' | 'current' | 'entry' | 'locals' | 'operands' | 'slots' | 'writer'>;

/** Calls of recursive functions. Arguments and results pass through memory, 512 bytes for the 32 lanes of one value. */
export class FunctionCalls {
  private readonly kernel: Needs;
  /** Bytes that the calls in this function need for arguments and results. */
  callBytes = 0;

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** Leaves of a parameter of a recursive function. */
  argument(name: string): Leaf[] {
    const { analysis, entry, writer } = this.kernel;
    let offset = 0;
    for (const { name: candidate, type } of analysis.fn.parameters) {
      const leaves = leavesOf(type);
      if (candidate === name)
        return entry.once(`argument.${name}`, (emit) =>
          leaves.map((leaf, i) => {
            const lane = laneType(leaf.type);
            const at = emit(`getelementptr nuw i8, ptr %arguments, i32 ${argumentBytes * (offset + i)}`);
            if (lane === 'i1') return writer.fromBits(emit(`load i32, ptr ${at}, align 16`));
            return writer.divergent(lane, emit(`load <32 x ${lane}>, ptr ${at}, align 16`));
          }),
        );
      offset += leaves.length;
    }
    throw analysis.unsupported('this parameter', null);
  }

  private put(leaf: Leaf, buffer: string, index: number): void {
    const w = this.kernel.writer;
    const at = w.emit(`getelementptr nuw i8, ptr ${buffer}, i32 ${argumentBytes * index}`);
    if (leaf.type === 'i1') w.line(`store i32 ${w.bits(leaf)}, ptr ${at}, align 16`);
    else w.line(`store <32 x ${leaf.type}> ${w.vector(leaf)}, ptr ${at}, align 16`);
  }

  /** A call of a recursive function: leaves of its result. */
  call(instruction: Instruction, target: FunctionIr): Leaf[] {
    const { analysis, current, locals, operands, writer: w } = this.kernel;
    const args = instruction.operands.flatMap((operand) => operands.leaves(operand));
    const results = leavesOf(instruction.type);
    this.callBytes = Math.max(this.callBytes, argumentBytes * Math.max(args.length, results.length, 1));
    args.forEach((leaf, i) => {
      if (leaf.text !== 'undef') this.put(leaf, '%call', i);
    });
    const frame = locals.start();
    const next = w.emit(`add i32 ${frame}, ${locals.ownBytes}`);
    const end = analysis.called === null ? w.emit(`add i32 ${frame}, ${locals.bytes}`) : '%frames.end';
    w.line(
      `call void @${functionSymbol(analysis.called?.kernel ?? analysis.fn.name, target.name)}(i32 ${current.mask}, ptr %warp, ptr %launch, ptr %counts, ptr %sites, ptr %call, ptr %scratches, i32 ${next}, i32 ${end})`,
    );
    return results.map((leaf, i) => {
      const lane = laneType(leaf.type);
      const at = w.emit(`getelementptr nuw i8, ptr %call, i32 ${argumentBytes * i}`);
      if (lane === 'i1') return w.fromBits(w.emit(`load i32, ptr ${at}, align 16`));
      return w.divergent(lane, w.emit(`load <32 x ${lane}>, ptr ${at}, align 16`));
    });
  }

  /** The end of a recursive function. */
  writeReturn(): void {
    const { analysis, slots, writer } = this.kernel;
    if (analysis.fn.returns.kind !== 'void')
      slots.load('v', returnName, analysis.fn.returns).forEach((leaf, i) => this.put(leaf, '%arguments', i));
    writer.line('ret void');
  }
}

/** Bytes for one value in 32 lanes, of up to 128 bits each. */
const argumentBytes = 512;
