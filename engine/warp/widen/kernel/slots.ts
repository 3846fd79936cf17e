import type { FlowBlock } from '../../../ir/analysis/flow.ts';
import { contains, loopsOf } from '../../../ir/analysis/flow.ts';
import { reads } from '../../../ir/analysis/liveness.ts';
import type { Type } from '../../../ir/ir.ts';
import { leavesOf } from '../../../ir/ir.ts';
import { operationsOf, warpOperation } from '../meetings.ts';
import type { Leaf } from '../writer.ts';
import { laneType } from '../writer.ts';
import type { KernelContext } from './context.ts';
import { slotBytes, slotKey } from './warp-frame.ts';

type Needs = Pick<KernelContext, 'analysis' | 'current' | 'entry' | 'frame' | 'writer'>;

/** Memory for values that cross blocks: stack slots, which LLVM turns into registers; in the second function, places in the warp's frame. */
export class ValueSlots {
  private readonly kernel: Needs;
  /** Block that defines each value. */
  readonly home = new Map<string, FlowBlock>();
  /** Type of each value. */
  readonly types = new Map<string, Type>();
  /** Values with a slot. */
  readonly slotted = new Set<string>();
  /** Values whose slot keeps the lanes that do not execute the definition. */
  private readonly blended = new Set<string>();

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** Finds the values that need a slot: those read in another block (in another part, where lanes meet). */
  plan(): void {
    const { analysis } = this.kernel;
    const partOf = new Map<string, number>();
    for (const block of analysis.flow.blocks) {
      let part = 0;
      for (const instruction of block.block.instructions) {
        const { name, type } = instruction;
        if (analysis.meets && warpOperation(instruction) !== null) part++;
        if (name === null) continue;
        this.home.set(name, block);
        this.types.set(name, type);
        partOf.set(name, part);
      }
    }
    const use = (name: string, at: FlowBlock, part: number): void => {
      const from = this.home.get(name);
      if (from === undefined || analysis.isSpecial(name)) return;
      if (from !== at || (analysis.meets && partOf.get(name) !== part)) this.slotted.add(name);
      for (const loop of loopsOf(from)) {
        if (!contains(loop, at.index) && analysis.uniformity.divergentLoops.has(loop)) this.blended.add(name);
      }
    };
    for (const block of analysis.flow.blocks) {
      let part = 0;
      for (const instruction of block.block.instructions) {
        if (instruction.op === 'phi') {
          instruction.operands.forEach((operand, i) => {
            const source = analysis.flow.blocks[
              analysis.flow.indexOf.get(instruction.labels[i] ?? '') ?? 0
            ] as FlowBlock;
            const root = analysis.resolve(operand);
            if (root.kind === 'local')
              use(root.name, source, analysis.meets ? operationsOf(source.block.instructions).length : 0);
          });
        } else for (const name of reads(instruction, analysis.resolve)) use(name, block, part);
        if (analysis.meets && warpOperation(instruction) !== null) part++;
      }
    }
  }

  /** Address of the mask of lanes that are to execute a block. */
  maskSlot(index: number): string {
    const { analysis, entry, frame } = this.kernel;
    if (analysis.meets) return frame.placeMask(analysis.layout!.placeOf[index]!);
    const name = `%m${index}`;
    entry.allocas.set(name, 'i32');
    return name;
  }

  /** Address and LLVM type of the slot of one leaf. */
  slot(kind: 'v' | 'p', name: string, leaf: number, type: string, divergent: boolean): { at: string; type: string } {
    const { analysis, entry, frame } = this.kernel;
    const slotType = !divergent ? type : type === 'i1' ? 'i32' : `<32 x ${type}>`;
    if (analysis.meets) return { at: frame.slot(slotKey(kind, name, leaf), slotBytes(type)), type: slotType };
    const at = `%${kind}.${entry.idOf(name)}.${leaf}`;
    entry.allocas.set(at, slotType);
    return { at, type: slotType };
  }

  /** The leaves in the slots of a value, or of what a phi gets. */
  load(kind: 'v' | 'p', name: string, type: Type): Leaf[] {
    const { analysis, writer } = this.kernel;
    const divergent = analysis.isDivergent(name);
    return leavesOf(type).map((leaf, i) => {
      const lane = laneType(leaf.type);
      const slot = this.slot(kind, name, i, lane, divergent);
      const text = writer.emit(`load ${slot.type}, ptr ${slot.at}${analysis.meets ? ', align 8' : ''}`);
      if (!divergent) return writer.uniform(lane, text);
      return lane === 'i1' ? writer.fromBits(text) : writer.divergent(lane, text);
    });
  }

  /** Stores leaves into a value's slots; with `lanes`, only there. */
  store(kind: 'v' | 'p', name: string, leaves: Leaf[], lanes: { bits: string; native: () => string } | null): void {
    const { analysis, writer: w } = this.kernel;
    const divergent = analysis.isDivergent(name);
    leaves.forEach((leaf, i) => {
      if (leaf.text === 'undef') return;
      const slot = this.slot(kind, name, i, leaf.type, divergent);
      let text = !divergent ? leaf.text : leaf.type === 'i1' ? w.bits(leaf) : w.vector(leaf);
      if (divergent && lanes !== null) {
        const old = w.emit(`load ${slot.type}, ptr ${slot.at}${analysis.meets ? ', align 8' : ''}`);
        if (leaf.type === 'i1') {
          const kept = w.emit(`and i32 ${old}, ${w.emit(`xor i32 ${lanes.bits}, -1`)}`);
          text = w.emit(`or i32 ${w.emit(`and i32 ${text}, ${lanes.bits}`)}, ${kept}`);
        } else text = w.emit(`select <32 x i1> ${lanes.native()}, ${slot.type} ${text}, ${slot.type} ${old}`);
      }
      w.line(`store ${slot.type} ${text}, ptr ${slot.at}${analysis.meets ? ', align 8' : ''}`);
    });
  }

  /** Makes leaves the value of `name` in the current block, and in others if they read it. */
  define(name: string, leaves: Leaf[]): void {
    const { analysis, current } = this.kernel;
    current.values.set(name, leaves);
    if (!this.slotted.has(name)) return;
    const lanes =
      analysis.meets || this.blended.has(name) ? { bits: current.mask, native: () => current.nativeMask() } : null;
    this.store('v', name, leaves, lanes);
  }
}
