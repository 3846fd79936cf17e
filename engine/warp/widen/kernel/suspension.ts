import type { FlowBlock } from '../../../ir/analysis/flow.ts';
import type { Instruction, Value } from '../../../ir/ir.ts';
import { leavesOf } from '../../../ir/ir.ts';
import { isCountedBarrier } from '../../../ir/prepare.ts';
import { faultCode, warpField, warpHeaderBytes, warpResult } from '../../layout.ts';
import { laneBytes, laneType } from '../writer.ts';
import type { KernelContext } from './context.ts';

type Needs = Pick<
  KernelContext,
  'analysis' | 'control' | 'current' | 'faults' | 'locals' | 'meeting' | 'operands' | 'slots' | 'writer'
>;

/** Barriers and other points at which a warp returns to the runtime, and the code that resumes it there. */
export class Suspension {
  private readonly kernel: Needs;
  /** Bytes of the largest frame. */
  frameBytes = 0;
  /** Code that resumes the warp, one list of lines per point. */
  readonly resumePoints: string[][] = [];

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** Saves what is live, returns that the warp waits, and continues here at the next call. */
  writeBarrier(block: FlowBlock, live: Set<string>[], instruction: Instruction): void {
    const { analysis, control, current, faults, meeting, operands, slots, writer: w } = this.kernel;
    if (analysis.meets) return meeting.stopAtBarrier(block, instruction);
    const target = block.successors[0] ?? 0;
    const waiting = [...(analysis.waiting[block.index] ?? [])];
    const unfinished = analysis.unfinished(block);
    if (unfinished.length > 0 && analysis.layout === null) {
      let pending = '0';
      for (const index of unfinished)
        pending = w.emit(`or i32 ${pending}, ${w.emit(`load i32, ptr ${slots.maskSlot(index)}`)}`);
      faults.failIf(w.emit(`icmp ne i32 ${pending}, 0`), faultCode.divergentBarrier, faults.trapSite(instruction), '0');
    }
    const counted = isCountedBarrier(instruction);
    if (counted)
      for (const [i, field] of [warpField.barrier, warpField.threads].entries()) {
        const value = operands.scalar(operands.leaf(instruction.operands[i] as Value));
        w.line(`store i32 ${value}, ptr ${w.emit(`getelementptr nuw i8, ptr %warp, i32 ${field}`)}, align 4`);
      }
    control.edge(block, target, current.mask, false);
    this.suspend(target, [...waiting, target], live, counted ? warpResult.countedBarrier : warpResult.barrier);
  }

  /** Saves what the lanes at `places` need, returns `result` (`warpResult`), and goes on at `target` in the next call. */
  suspend(target: number, places: number[], live: Set<string>[], result: number): void {
    const { analysis, locals, meeting, writer: w } = this.kernel;
    if (analysis.meets) return meeting.suspendSecond(String(analysis.layout!.placeOf[target]!), result);
    const slots: { at: string; type: string }[] = [...new Set(places)].map((index) => ({
      at: this.kernel.slots.maskSlot(index),
      type: 'i32',
    }));
    const save = (kind: 'v' | 'p', name: string): void =>
      leavesOf(this.kernel.slots.types.get(name) ?? { kind: 'void' }).forEach((leaf, i) =>
        slots.push(this.kernel.slots.slot(kind, name, i, laneType(leaf.type), analysis.isDivergent(name))),
      );
    // Parameters, special registers and local addresses are made anew on each call.
    for (const name of new Set(places.flatMap((index) => [...(live[index] ?? [])])))
      if (this.kernel.slots.slotted.has(name) && !this.kernel.slots.staysInFrame(name)) save('v', name);
    for (const index of new Set(places))
      for (const { op, name } of analysis.flow.blocks[index]?.block.instructions ?? [])
        if (op === 'phi' && name !== null) save('p', name);
    if (locals.hasDynamicArrays) slots.push({ at: locals.dynamicTop(), type: '<32 x i32>' });
    let offset = warpHeaderBytes + this.kernel.slots.keptBytes;
    const number = this.resumePoints.length + 1;
    const resume = [`resume${number}:`];
    slots.forEach(({ at, type }, i) => {
      const vector = /^<32 x (\w+)>$/.exec(type);
      const bytes = vector ? 32 * laneBytes(vector[1] ?? '') : Math.max(8, laneBytes(type));
      const place = w.emit(`getelementptr nuw i8, ptr %warp, i32 ${offset}`);
      w.line(`store ${type} ${w.emit(`load ${type}, ptr ${at}`)}, ptr ${place}, align 8`);
      resume.push(
        `  %r${number}.${i}.at = getelementptr nuw i8, ptr %warp, i32 ${offset}`,
        `  %r${number}.${i} = load ${type}, ptr %r${number}.${i}.at, align 8`,
        `  store ${type} %r${number}.${i}, ptr ${at}`,
      );
      offset += bytes;
    });
    this.frameBytes = Math.max(this.frameBytes, offset - warpHeaderBytes);
    resume.push(`  br label %b${target}`);
    this.resumePoints.push(resume);
    w.line(`store i32 ${number}, ptr %resume.at, align 4`);
    w.line(`ret i32 ${result}`);
  }
}
