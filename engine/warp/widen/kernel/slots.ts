import type { FlowBlock } from '../../../ir/analysis/flow.ts';
import { contains, loopsOf } from '../../../ir/analysis/flow.ts';
import { reads } from '../../../ir/analysis/liveness.ts';
import type { Type } from '../../../ir/ir.ts';
import { leavesOf } from '../../../ir/ir.ts';
import { isBarrier } from '../../../ir/prepare.ts';
import { warpHeaderBytes } from '../../layout.ts';
import { operationsOf, warpOperation } from '../meetings.ts';
import type { Leaf } from '../writer.ts';
import { laneBytes, laneType } from '../writer.ts';
import type { KernelContext } from './context.ts';
import { framePlaces } from './frame-places.ts';
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
  /** Offsets in the frame, after its header, of values that stay there; and bytes of all of them. */
  private kept = { offsets: new Map<string, number>(), bytes: 0 };
  /** Of fragments whose parts lie side by side there, offsets in the frame. */
  private readonly fragments = new Map<string, number>();

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /**
   * Finds the values that need a slot: those read in another block (in another part, where lanes meet). `live`: values live at the
   * beginning of each block.
   */
  plan(live: readonly ReadonlySet<string>[]): void {
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
    this.keep(live);
  }

  /**
   * Where much is live over many barriers, as in kernels unrolled around them, vectors stay in the frame: saving and restoring each at each
   * barrier would be most of the kernel.
   */
  private keep(live: readonly ReadonlySet<string>[]): void {
    const { analysis } = this.kernel;
    if (analysis.meets || analysis.called !== null || analysis.layout !== null) return;
    const bytesOf = (name: string): number =>
      leavesOf(this.types.get(name)!).reduce((sum, leaf) => sum + slotBytes(laneType(leaf.type)), 0);
    const names = new Set<string>();
    let saved = 0;
    for (const { block, index, successors } of analysis.flow.blocks) {
      const stop = block.instructions.at(-2);
      if (stop === undefined || !isBarrier(stop)) continue;
      for (const place of new Set([successors[0] ?? 0, ...(analysis.waiting[index] ?? [])]))
        for (const name of live[place] ?? []) {
          if (!this.slotted.has(name) || !analysis.isDivergent(name)) continue;
          if (leavesOf(this.types.get(name)!).some((leaf) => laneType(leaf.type) === 'i1')) continue;
          names.add(name);
          saved += bytesOf(name);
        }
    }
    if (saved < manySaved) return;
    const groups = this.fragmentsOf(names);
    const grouped = new Set([...groups.values()].flat());
    const values = [...this.home]
      .filter(([name]) => groups.has(name) || (names.has(name) && !grouped.has(name)))
      .map(([name, { index }]) => ({ names: groups.get(name) ?? [name], bytes: bytesOf(name), home: index }));
    this.kept = framePlaces(values, analysis.flow, live, analysis.waiting);
    for (const [name, parts] of groups) {
      const first = this.kept.offsets.get(parts[0]!)!;
      this.fragments.set(name, warpHeaderBytes + first);
      parts.reduce((at, part) => (this.kept.offsets.set(part, at), at + bytesOf(part)), first);
    }
  }

  /** Of those names, the parts of fragments that matrix instructions make, in their order, by the fragment's name: all parts are among the names. */
  private fragmentsOf(names: ReadonlySet<string>): Map<string, string[]> {
    const fragments = new Map<string, string[]>();
    for (const [name, { block }] of this.home) {
      if (!names.has(name) || this.blended.has(name)) continue;
      const { op, operands, indices } = block.instructions.find((instruction) => instruction.name === name)!;
      const [whole] = operands;
      if (op !== 'extractvalue' || whole?.kind !== 'local' || laneBytes(laneType(this.types.get(name)!)) < 4) continue;
      const parts = fragments.get(whole.name) ?? [];
      parts[indices[0]!] = name;
      fragments.set(whole.name, parts);
    }
    const isWhole = ([name, parts]: [string, string[]]): boolean =>
      this.home.has(name) && leavesOf(this.types.get(name)!).every((_, i) => parts[i] !== undefined);
    return new Map([...fragments].filter(isWhole));
  }

  /** Offset in the frame at which a fragment's parts lie side by side; undefined where they do not. */
  fragmentAt(name: string | null): number | undefined {
    return name === null ? undefined : this.fragments.get(name);
  }

  /** True where all of a value's leaves lie in its place in the frame already. */
  isInPlace(name: string, leaves: readonly Leaf[]): boolean {
    return leaves.every(({ fragment }, i) => fragment?.at === '%warp' && fragment.offset === this.offsetOf(name, i));
  }

  /** Bytes of the frame, after its header, in which values stay. */
  get keptBytes(): number {
    return this.kept.bytes;
  }

  /** True for a value that is in the frame wherever it is live. */
  staysInFrame(name: string): boolean {
    return this.kept.offsets.has(name);
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
    const { analysis, entry, frame, writer } = this.kernel;
    const slotType = !divergent ? type : type === 'i1' ? 'i32' : `<32 x ${type}>`;
    if (analysis.meets) return { at: frame.slot(slotKey(kind, name, leaf), slotBytes(type)), type: slotType };
    const offset = kind === 'v' ? this.offsetOf(name, leaf) : null;
    if (offset !== null) return { at: writer.emit(`getelementptr nuw i8, ptr %warp, i32 ${offset}`), type: slotType };
    const at = `%${kind}.${entry.idOf(name)}.${leaf}`;
    entry.allocas.set(at, slotType);
    return { at, type: slotType };
  }

  /** Offset of a leaf in the frame; null if it does not stay there. */
  private offsetOf(name: string, leaf: number): number | null {
    const first = this.kept.offsets.get(name);
    if (first === undefined) return null;
    const before = leavesOf(this.types.get(name)!).slice(0, leaf);
    return before.reduce((sum, each) => sum + slotBytes(laneType(each.type)), warpHeaderBytes + first);
  }

  /** The leaves in the slots of a value, or of what a phi gets. */
  load(kind: 'v' | 'p', name: string, type: Type): Leaf[] {
    const { analysis, writer } = this.kernel;
    const divergent = analysis.isDivergent(name);
    return leavesOf(type).map((leaf, i) => {
      const lane = laneType(leaf.type);
      const slot = this.slot(kind, name, i, lane, divergent);
      const offset = kind === 'v' ? this.offsetOf(name, i) : null;
      const text = writer.emit(`load ${slot.type}, ptr ${slot.at}${this.alignment(offset !== null)}`);
      if (!divergent) return writer.uniform(lane, text);
      if (lane === 'i1') return writer.fromBits(text);
      const loaded = writer.divergent(lane, text);
      // Registers of a matrix that lie side by side need not be copied to be multiplied.
      return offset !== null && laneBytes(lane) >= 4 ? { ...loaded, fragment: { at: '%warp', offset } } : loaded;
    });
  }

  /** Stores leaves into a value's slots; with `lanes`, only there. */
  store(kind: 'v' | 'p', name: string, leaves: Leaf[], lanes: { bits: string; native: () => string } | null): void {
    const { analysis, writer: w } = this.kernel;
    const divergent = analysis.isDivergent(name);
    const alignment = this.alignment(kind === 'v' && this.staysInFrame(name));
    leaves.forEach((leaf, i) => {
      if (leaf.text === 'undef') return;
      const slot = this.slot(kind, name, i, leaf.type, divergent);
      let text = !divergent ? leaf.text : leaf.type === 'i1' ? w.bits(leaf) : w.vector(leaf);
      if (divergent && lanes !== null) {
        const old = w.emit(`load ${slot.type}, ptr ${slot.at}${alignment}`);
        if (leaf.type === 'i1') {
          const kept = w.emit(`and i32 ${old}, ${w.emit(`xor i32 ${lanes.bits}, -1`)}`);
          text = w.emit(`or i32 ${w.emit(`and i32 ${text}, ${lanes.bits}`)}, ${kept}`);
        } else text = w.emit(`select <32 x i1> ${lanes.native()}, ${slot.type} ${text}, ${slot.type} ${old}`);
      }
      w.line(`store ${slot.type} ${text}, ptr ${slot.at}${alignment}`);
    });
  }

  private alignment(isInFrame: boolean): string {
    return isInFrame || this.kernel.analysis.meets ? ', align 8' : '';
  }

  /** Makes leaves the value of `name` in the current block, and in others if they read it. */
  define(name: string, leaves: Leaf[]): void {
    const { analysis, current } = this.kernel;
    current.values.set(name, leaves);
    if (!this.slotted.has(name) || this.isInPlace(name, leaves)) return;
    const lanes =
      analysis.meets || this.blended.has(name) ? { bits: current.mask, native: () => current.nativeMask() } : null;
    this.store('v', name, leaves, lanes);
  }
}

/** Bytes of a warp that barriers save, all together, from which on values stay in the frame. */
const manySaved = 128 << 10;
