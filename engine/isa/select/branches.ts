import { contains, loopsOf, type FlowBlock } from '../../ir/analysis/flow.ts';
import { isArrival, isBarrier } from '../../ir/prepare.ts';
import type { Opcode } from '../../model/opcodes.ts';
import type { SelectionContext } from './context.ts';
import { place, widestOrder, type Place } from './place.ts';

/** Arms up to this many instructions are executed under a predicate. */
const predicatedLength = 7;

type Needs = Pick<SelectionContext, 'code' | 'facts' | 'values'>;

/** Branches, and arms that are executed under a predicate instead. */
export class Branches {
  private readonly kernel: Needs;
  /** The block under whose predicate each block is executed; null where it has a branch of its own. */
  readonly predicatedBy: (number | null)[];
  /** The block whose condition guards an arm: for arms within arms the inner one, while `predicatedBy` is the outer one. */
  readonly guardOf: (number | null)[];
  /** Registers of the conditions of blocks that guard others. */
  readonly conditions = new Map<number, string[]>();
  private readonly joins = new Set<number>();

  constructor(kernel: Needs) {
    this.kernel = kernel;
    const { blocks } = kernel.facts.flow;
    this.predicatedBy = blocks.map(() => null);
    this.guardOf = blocks.map(() => null);
  }

  /** Selects the condition of a branch. */
  condition(block: FlowBlock): void {
    const { terminator, index } = block;
    const at = { block: index, order: block.block.instructions.length, source: terminator };
    if (new Set(block.successors).size > 1 || terminator.op === 'switch')
      this.kernel.values.needAll(terminator.operands.slice(0, 1), at);
  }

  private isExit(index: number): boolean {
    const block = this.kernel.facts.flow.blocks[index]!;
    return block.successors.length === 0 && this.kernel.code.blocks[index]!.length === 0;
  }

  /** A block that ends where its one predecessor's other way leads, with arms of its own: what a predicate may guard. */
  private armFrom(index: number, parent: FlowBlock): { members: number[]; join: number } | null {
    const { predecessors, successors, block, loop } = this.kernel.facts.flow.blocks[index]!;
    if (predecessors.length !== 1 || loop !== parent.loop || loop?.head === index) return null;
    const members = [
      index,
      ...this.kernel.facts.flow.blocks.flatMap((_, i) => (this.predicatedBy[i] === index ? [i] : [])),
    ];
    const outside = new Set(
      members.flatMap((each) => this.kernel.facts.flow.blocks[each]!.successors).filter((to) => !members.includes(to)),
    );
    const [join] = outside;
    if (join === undefined || outside.size !== 1 || (members.length === 1 && successors.length !== 1)) return null;
    const length = members.reduce((sum, each) => sum + this.kernel.code.blocks[each]!.length, 0);
    const isGuarded = !block.instructions.some(
      (each) =>
        isBarrier(each) ||
        isArrival(each) ||
        // k_block_spin (H200 reference, C5), whose arm of 5 instructions reads the timer. What is known of arms that read
        // the cycle counter fits predicates better (misses.cu).
        (each.op === 'call' && /shfl|vote|sync|globaltimer/.test(each.callee)),
    );
    return isGuarded && length <= predicatedLength ? { members, join } : null;
  }

  /** Short arms of a branch, with nothing in them that a predicate cannot guard; inner ones have been found before. */
  predicate(block: FlowBlock): void {
    const targets = [...new Set(block.successors)];
    if (targets.length !== 2 || block.terminator.op !== 'br') return;
    const [a, b] = targets as [number, number];
    const [left, right] = [this.armFrom(a, block), this.armFrom(b, block)];
    const guard = (arm: { members: number[] }): void => {
      for (const each of arm.members) {
        this.guardOf[each] ??= block.index;
        this.predicatedBy[each] = block.index;
      }
    };
    if (left !== null && left.join === b) guard(left);
    else if (right !== null && right.join === a) guard(right);
    else if (left !== null && right !== null && left.join === right.join) {
      guard(left);
      guard(right);
    }
  }

  /** The block whose arms all meet in this one. */
  followed(index: number): number | null {
    const { predecessors, loop } = this.kernel.facts.flow.blocks[index]!;
    if (loop?.head === index) return null;
    const from = new Set(predecessors.map((each) => this.predicatedBy[each] ?? each));
    const [only] = from;
    const hasArms = predecessors.some((each) => this.predicatedBy[each] != null);
    return from.size === 1 && hasArms && this.predicatedBy[index] === null ? only! : null;
  }

  /** In front of the first LDGSTS of what is executed without a jump stand three loads that nobody executes (SASS of B9 and B12). */
  beforeCopies(): void {
    const regions = this.kernel.facts.flow.blocks.map((_, i) => i);
    const seen = new Set<number>();
    this.kernel.code.blocks.forEach((instructions, i) => {
      const before = this.predicatedBy[i] ?? this.followed(i);
      if (before !== null) regions[i] = regions[before]!;
      const copy = instructions.find(({ opcode }) => opcode === 'LDGSTS');
      if (copy === undefined || seen.has(regions[i]!)) return;
      seen.add(regions[i]!);
      for (let n = 0; n < 3; n++) this.kernel.code.emit(place(i, copy.order - 0.5), 'LDS.NEVER', [], []);
    });
  }

  /** Emits the end of a block: jumps, exits, and barriers of convergence. */
  branch(block: FlowBlock): void {
    const { index, terminator } = block;
    const at: Place = { block: index, order: widestOrder + 1, source: terminator };
    const targets = [...new Set(block.successors)];
    const control = (opcode: Opcode, reads: string[] = [], where = at): void =>
      this.kernel.code.emit(where, opcode, reads, []);
    if (terminator.op === 'ret' || terminator.op === 'unreachable') {
      // Blocks that jump here end by themselves.
      if (
        this.kernel.code.blocks[index]!.length > 0 ||
        index === 0 ||
        !block.predecessors.every((from) => this.exits(from, index))
      )
        control('EXIT');
      return;
    }
    if (terminator.op === 'switch') {
      // A search by halves.
      const tests = Math.min(terminator.cases.length, Math.ceil(Math.log2(terminator.cases.length + 1)) + 1);
      for (let i = 0; i < tests; i++) {
        this.kernel.code.emit(at, 'ISETP', this.kernel.values.need(terminator.operands[0]!, at), [`${index}?${i}`]);
        control('BRA', [`${index}?${i}`]);
      }
      return;
    }
    let next = index + 1;
    while (this.predicatedBy[next] !== null && this.predicatedBy[next] !== undefined) next++;
    if (targets.length === 1) {
      if (this.predicatedBy[index] === null && targets[0] !== next && targets[0] !== index + 1) control('BRA');
      return;
    }
    const condition = this.kernel.values.need(terminator.operands[0]!, at);
    if (this.guardOf.includes(index)) {
      this.conditions.set(index, condition);
      return;
    }
    if (targets.some((target) => this.exits(index, target))) {
      control('EXIT', condition);
      const other = targets.find((target) => !this.exits(index, target));
      if (other !== undefined && other !== index + 1) control('BRA');
      return;
    }
    control('BRA', condition);
    if (!targets.includes(index + 1)) control('BRA');
    if (!this.kernel.facts.uniformity.divergentBranches.has(index)) return;
    const left = loopsOf(block).find((loop) => targets.some((target) => !contains(loop, target)));
    const join = left === undefined ? (this.kernel.facts.flow.postDominator[index] ?? -1) : left.end;
    if (join < 0 || join >= this.kernel.facts.flow.blocks.length || this.isExit(join) || this.joins.has(join)) return;
    this.joins.add(join);
    if (left === undefined) control('BSSY');
    else {
      const outside = this.kernel.facts.flow.blocks[left.head]!.predecessors.find((from) => !contains(left, from));
      if (outside !== undefined) control('BSSY', [], place(outside, widestOrder));
    }
    control('BSYNC', [], place(join, -1));
  }

  private exits(from: number, to: number): boolean {
    const { loop, successors } = this.kernel.facts.flow.blocks[from]!;
    return loop === null && this.isExit(to) && successors.includes(to) && new Set(successors).size > 1;
  }
}
