import { reads } from '../../../ir/analysis/liveness.ts';
import type { FlowBlock } from '../../../ir/analysis/flow.ts';
import type { Instruction } from '../../../ir/ir.ts';
import { leavesOf } from '../../../ir/ir.ts';
import { tensorFamilies } from '../../../ir/calls/tensor.ts';
import { laneBytes, laneType, type Leaf } from '../writer.ts';
import type { KernelContext } from './context.ts';

type Needs = Pick<KernelContext, 'analysis' | 'entry' | 'slots' | 'writer'>;

/** Bytes of 32 lanes' 32-bit registers; doubles take two. */
const registerBytes = 128;
const patterns = Object.values(tensorFamilies).map(({ pattern }) => pattern);
const takesFragments = ({ op, callee }: Instruction): boolean =>
  op === 'extractvalue' || (op === 'call' && patterns.some((pattern) => pattern.test(callee)));

/** Where leaf `index` of a fragment lies in memory; two halves share a register, the second two bytes on. */
const offsetOf = (type: string, index: number): number =>
  type === 'i16'
    ? registerBytes * Math.floor(index / 2) + 2 * (index % 2)
    : (laneBytes(type) / 4) * registerBytes * index;

/** Memory of a fragment: a slot on the stack, taken until the instruction of the block that reads the fragment last. */
interface Held {
  at: string;
  bytes: number;
  until: number;
}

/**
 * Fragments of matrices, from the instruction that makes them to those that multiply them. The runtime takes and leaves registers in memory, so what only
 * matrix instructions of the same block read stays there: kernels unrolled to thousands of products would be as many thousand vectors
 * copied out and back.
 */
export class Fragments {
  private readonly kernel: Needs;
  private readonly free = new Map<number, string[]>();
  private held: Held[] = [];
  private count = 0;
  /** Of the block that is being written: the instruction that reads a value last, and values that others than matrix instructions read. */
  private lastRead = new Map<string, number>();
  private readElsewhere = new Set<string>();

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** Before the first instruction of a block is written. */
  begin({ block: { instructions }, successors }: FlowBlock): void {
    this.release(Infinity);
    this.lastRead = new Map();
    this.readElsewhere = new Set();
    instructions.forEach((instruction, i) => {
      const isOurs = takesFragments(instruction);
      for (const name of reads(instruction, this.kernel.analysis.resolve)) {
        this.lastRead.set(name, i);
        if (!isOurs) this.readElsewhere.add(name);
      }
    });
    for (const target of successors)
      for (const phi of this.kernel.analysis.flow.blocks[target]!.block.instructions)
        if (phi.op === 'phi') for (const name of reads(phi, this.kernel.analysis.resolve)) this.readElsewhere.add(name);
  }

  /** Memory for the result of an instruction, which the runtime is to leave there, and the result's leaves. */
  result({ name, type }: Instruction): { at: string; leaves: Leaf[] } {
    const { entry, slots, writer } = this.kernel;
    const types = leavesOf(type).map((leaf) => laneType(leaf.type));
    const leaves = (at: string, first: number): Leaf[] =>
      types.map((each, i) => ({
        uniform: false,
        type: each,
        text: '',
        fragment: { at, offset: first + offsetOf(each, i) },
      }));
    const inFrame = slots.fragmentAt(name);
    if (inFrame !== undefined)
      return {
        at: writer.emit(`getelementptr nuw i8, ptr %warp, i32 ${inFrame}`),
        leaves: leaves('%warp', inFrame),
      };
    const bytes = types.reduce((sum, each) => sum + (each === 'i16' ? 0.5 : laneBytes(each) / 4) * registerBytes, 0);
    const at = this.free.get(bytes)?.pop() ?? `%fragment.${this.count++}`;
    entry.allocas.set(at, `[${bytes} x i8]`);
    this.held.push({ at, bytes, until: -1 });
    return { at, leaves: leaves(at, 0) };
  }

  /** Address of leaves that lie side by side in memory already; null: they do not. */
  address(leaves: readonly Leaf[]): string | null {
    const first = leaves[0]?.fragment;
    if (first === undefined || first.offset % 16 !== 0) return null;
    const { at, offset } = first;
    const isThere = leaves.every(
      ({ type, fragment }, i) => fragment?.at === at && fragment.offset === offset + offsetOf(type, i),
    );
    if (!isThere) return null;
    return offset === 0 ? at : this.kernel.writer.emit(`getelementptr nuw i8, ptr ${at}, i32 ${offset}`);
  }

  /** The leaves of the value that an instruction made: loaded, where others than matrix instructions of this block read them. */
  settle(name: string, leaves: Leaf[]): Leaf[] {
    if (!leaves.some(({ fragment }) => fragment !== undefined)) return leaves;
    const { slots } = this.kernel;
    const isRead = this.readElsewhere.has(name) || (slots.slotted.has(name) && !slots.isInPlace(name, leaves));
    for (const held of this.held)
      if (leaves.some(({ fragment }) => fragment?.at === held.at))
        held.until = Math.max(held.until, this.lastRead.get(name) ?? -1);
    return isRead ? leaves.map((leaf) => this.loaded(leaf)) : leaves;
  }

  /** Gives back the memory of what no instruction after this one of the block reads. */
  release(instruction: number): void {
    this.held = this.held.filter(({ at, bytes, until }) => {
      if (until > instruction) return true;
      this.free.set(bytes, [...(this.free.get(bytes) ?? []), at]);
      return false;
    });
  }

  private loaded(leaf: Leaf): Leaf {
    if (leaf.fragment === undefined || leaf.text !== '') return leaf;
    const w = this.kernel.writer;
    const { at, offset } = leaf.fragment;
    const word = Math.floor(offset / 4) * 4;
    const from = w.emit(`getelementptr nuw i8, ptr ${at}, i32 ${word}`);
    const load = (type: string): Leaf => w.divergent(type, w.emit(`load <32 x ${type}>, ptr ${from}, align 8`));
    if (leaf.type !== 'i16') return { ...leaf, text: load(leaf.type).text };
    const words = load('i32');
    const half = w.cast('trunc', offset === word ? words : w.binary('lshr', words, w.constant('i32', 16)), 'i16');
    return { ...leaf, text: half.text };
  }
}
