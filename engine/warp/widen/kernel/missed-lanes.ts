import type { FlowBlock } from '../../../ir/analysis/flow.ts';
import { arithmetic } from '../../../ir/analysis/spin.ts';
import type { Instruction, Value } from '../../../ir/ir.ts';
import { isBarrier } from '../../../ir/prepare.ts';
import { meetingBase } from '../../layout.ts';
import { isOfPresent, operationsOf, warpOperation } from '../meetings.ts';
import type { Leaf } from '../writer.ts';
import type { KernelContext } from './context.ts';
import { meetingSymbol } from './symbols.ts';
import { slotBytes, slotKey } from './warp-frame.ts';

type Needs = Pick<
  KernelContext,
  'analysis' | 'counters' | 'current' | 'faults' | 'instructions' | 'locals' | 'operands' | 'slots' | 'writer'
>;

/** The first function's side of meetings.ts: checks whether an operation of the warp names lanes that wait elsewhere, and hands over to the second function. */
export class MissedLanes {
  private readonly kernel: Needs;

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** The value of a mask at the beginning of its block; 'present': of lanes that are there; null: it is not known yet. */
  private early(value: Value, block: FlowBlock): Leaf | 'present' | null {
    const { analysis, current, instructions, operands, slots } = this.kernel;
    const here = (of: Value): Instruction | undefined => {
      const root = analysis.resolve(of);
      return root.kind === 'local' && slots.home.get(root.name) === block && !analysis.isSpecial(root.name)
        ? analysis.pointers.definition(root)
        : undefined;
    };
    if (isOfPresent(value, here)) return 'present';
    const instruction = here(value);
    if (instruction === undefined) return operands.leaf(value);
    if (instruction.op === 'phi') return slots.load('p', instruction.name!, instruction.type)[0]!;
    if (!arithmetic.has(instruction.op)) return null;
    for (const operand of instruction.operands) {
      const leaf = this.early(operand, block);
      if (leaf === null || leaf === 'present') return null;
      if (operand.kind === 'local') current.values.set(operand.name, [leaf]);
    }
    return instructions.write(instruction, block)[0] ?? null;
  }

  /** An i1, computed at the beginning of a block: true if lanes that `operations` name wait elsewhere; null if they name no others. */
  private missed(block: FlowBlock, operations: readonly Instruction[], all: boolean): string | null {
    const { analysis, current, slots, writer: w } = this.kernel;
    const masks: Leaf[] = all ? [w.constant('i32', '-1')] : [];
    for (const instruction of operations) {
      const mask = this.early(instruction.operands[warpOperation(instruction)!.members]!, block);
      current.values = new Map();
      if (mask !== 'present') masks.push(mask ?? w.constant('i32', '-1'));
    }
    if (masks.length === 0) return null;
    let elsewhere = '0';
    for (const index of analysis.unfinished(block))
      elsewhere = w.emit(`or i32 ${elsewhere}, ${w.emit(`load i32, ptr ${slots.maskSlot(index)}`)}`);
    let named = '0';
    for (const mask of masks) {
      const bits = mask.uniform
        ? mask.text
        : w.call('i32', 'llvm.vector.reduce.or.v32i32', [
            `<32 x i32> ${w.emit(`select <32 x i1> ${current.nativeMask()}, <32 x i32> ${mask.text}, <32 x i32> zeroinitializer`)}`,
          ]);
      named = named === '0' ? bits : w.emit(`or i32 ${named}, ${bits}`);
    }
    return w.emit(`icmp ne i32 ${w.emit(`and i32 ${elsewhere}, ${named}`)}, 0`);
  }

  /** A check at the beginning of a block: if one of its operations names lanes that wait elsewhere, the warp goes on in the second function. */
  meetIfMissed(block: FlowBlock, live: Set<string>[]): void {
    const w = this.kernel.writer;
    const { instructions } = block.block;
    const stops = instructions.at(-2);
    if (this.kernel.analysis.unfinished(block).length === 0) return;
    const missed = this.missed(block, operationsOf(instructions), stops !== undefined && isBarrier(stops));
    if (missed === null) return;
    const [leave, go] = [w.freshLabel(), w.freshLabel()];
    w.line(`br i1 ${missed}, label %${leave}, label %${go}, !prof !9001`);
    w.begin(leave);
    this.goOnInSecond(block, live);
    w.begin(go);
  }

  /** A counter, before Volta, where the first such operation has an undefined result: how often that was, at its site. */
  noteMissed(block: FlowBlock): void {
    const { counters, faults, writer: w } = this.kernel;
    for (const instruction of operationsOf(block.block.instructions)) {
      const missed = this.missed(block, [instruction], false);
      if (missed === null) continue;
      const site = faults.trapSite(instruction, warpOperation(instruction)!.name);
      counters.addTo(site, 'sectors', w.emit(`zext i1 ${missed} to i32`));
      return;
    }
  }

  /** Hands over where lanes are, and what they need. */
  private goOnInSecond(block: FlowBlock, live: Set<string>[]): void {
    const { analysis, current, locals, slots, writer: w } = this.kernel;
    const layout = analysis.layout!;
    const at = (offset: number): string => w.emit(`getelementptr nuw i8, ptr %warp, i32 ${offset}`);
    w.line(`call void @begin_meeting(ptr ${at(layout.meeting)}, i32 ${layout.zeroBytes})`);
    const waiting = [...(analysis.waiting[block.index] ?? [])].filter((index) => index !== block.index);
    for (const index of waiting)
      w.line(
        `store i32 ${w.emit(`load i32, ptr ${slots.maskSlot(index)}`)}, ptr ${at(layout.masks + 4 * layout.placeOf[index]!)}, align 4`,
      );
    w.line(`store i32 ${current.mask}, ptr ${at(layout.masks + 4 * layout.placeOf[block.index]!)}, align 4`);
    const places = [...waiting, block.index];
    const hand = (kind: 'v' | 'p', name: string): void => {
      slots.load(kind, name, slots.types.get(name)!).forEach((leaf, i) => {
        const key = slotKey(kind, name, i);
        const bytes = slotBytes(leaf.type);
        if (leaf.type === 'i1') w.line(`store i32 ${w.bits(leaf)}, ptr ${at(layout.offsetOf(key, bytes))}, align 8`);
        else w.line(`store <32 x ${leaf.type}> ${w.vector(leaf)}, ptr ${at(layout.offsetOf(key, bytes))}, align 8`);
      });
    };
    for (const name of new Set(places.flatMap((index) => [...(live[index] ?? [])])))
      if (slots.slotted.has(name)) hand('v', name);
    for (const index of places)
      for (const { op, name } of analysis.flow.blocks[index]?.block.instructions ?? [])
        if (op === 'phi' && name !== null) hand('p', name);
    if (locals.hasDynamicArrays)
      w.line(
        `store <32 x i32> ${w.emit(`load <32 x i32>, ptr ${locals.dynamicTop()}, align 16`)}, ptr ${at(layout.offsetOf('dynamic', 128))}, align 8`,
      );
    w.line(`store i32 ${meetingBase + layout.placeOf[block.index]!}, ptr %resume.at, align 4`);
    const result = w.emit(
      `call i32 @${meetingSymbol(analysis.fn.name)}(ptr %warp, ptr %launch, ptr %counts, ptr %sites)`,
    );
    w.line(`ret i32 ${result}`);
  }
}
