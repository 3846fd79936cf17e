import type { FlowBlock } from '../../../ir/analysis/flow.ts';
import { contains } from '../../../ir/analysis/flow.ts';
import type { Exit } from '../../../ir/analysis/pending.ts';
import { candidates } from '../../../ir/analysis/pending.ts';
import type { Value } from '../../../ir/ir.ts';
import { launchField } from '../../layout.ts';
import { returnName } from '../../../ir/calls/uniformity.ts';
import type { Leaf } from '../writer.ts';
import type { KernelContext } from './context.ts';

type Needs = Pick<
  KernelContext,
  'analysis' | 'counters' | 'current' | 'frame' | 'meeting' | 'operands' | 'slots' | 'writer'
>;

/** Branches: lanes go to the masks of their targets, and the warp goes to the first block in flow order that has lanes. */
export class ControlFlow {
  private readonly kernel: Needs;

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** Sends `lanes` to `target`: phi operands into the target's slots, lanes into its mask. */
  edge(block: FlowBlock, target: number, lanes: string, others: boolean): void {
    const { analysis, counters, current, operands, slots, writer: w } = this.kernel;
    const shared = others || analysis.meets || (analysis.waiting[block.index]?.has(target) ?? false);
    let native: string | null = lanes === current.mask ? current.native : null;
    const blend = shared ? { bits: lanes, native: () => (native ??= w.expand(lanes)) } : null;
    for (const phi of analysis.flow.blocks[target]?.block.instructions ?? []) {
      if (phi.op !== 'phi') break;
      const operand = phi.operands[phi.labels.indexOf(block.block.name)];
      if (operand === undefined || phi.name === null) continue;
      slots.store('p', phi.name, operands.leaves(operand), blend);
    }
    const slot = slots.maskSlot(target);
    const all = shared ? w.emit(`or i32 ${w.emit(`load i32, ptr ${slot}`)}, ${lanes}`) : lanes;
    w.line(`store i32 ${all}, ptr ${slot}`);
    const ended = analysis.spins.filter((spin) => spin.polls && contains(spin, block.index) && !contains(spin, target));
    if (ended.length === 0) return;
    const some = w.emit(`icmp ne i32 ${lanes}, 0`);
    counters.addToLaunch(launchField.moves, w.emit(`zext i1 ${some} to i32`));
    if (!ended.some(({ reads }) => reads)) return;
    const resident = counters.launchField(launchField.others);
    w.line(
      `store i32 ${w.emit(`select i1 ${some}, i32 ${w.emit(`load i32, ptr ${resident}, align 4`)}, i32 0`)}, ptr ${counters.launchField(launchField.left)}, align 4`,
    );
  }

  /** Jumps to the first block in flow order that has lanes. */
  private proceed(block: FlowBlock, exit: Exit): void {
    const { analysis, meeting, slots, writer: w } = this.kernel;
    if (analysis.meets) return meeting.dispatch(block);

    const { blocks, complete } = candidates(analysis.flow, block, exit, analysis.waiting[block.index] ?? new Set());
    for (const [i, target] of blocks.entries()) {
      if (complete && i === blocks.length - 1) {
        w.line(`br label %b${target}`);
        return;
      }
      const next = w.freshLabel();
      const some = w.emit(`icmp ne i32 ${w.emit(`load i32, ptr ${slots.maskSlot(target)}`)}, 0`);
      w.line(`br i1 ${some}, label %b${target}, label %${next}`);
      w.begin(next);
    }
    w.line('br label %finish');
  }

  /** The end of a block: a branch, or the end of its lanes. */
  writeTerminator(block: FlowBlock): void {
    const { analysis, current, operands } = this.kernel;
    const { terminator, successors } = block;
    const targets = [...new Set(successors)];
    const [only] = targets;
    if (only === undefined) {
      this.endLanes(block);
      return;
    }
    if (targets.length === 1) {
      this.edge(block, only, current.mask, false);
      this.proceed(block, { certain: only, possible: [] });
      return;
    }
    const condition = operands.leaf(terminator.operands[0] as Value);
    if (!analysis.meets && !analysis.uniformity.divergentBranches.has(block.index))
      this.branchTogether(block, targets, condition);
    else this.branchApart(block, targets, condition);
  }

  private endLanes(block: FlowBlock): void {
    const { analysis, current, frame, operands, slots, writer } = this.kernel;
    const { terminator } = block;
    const value = terminator.operands[0];
    if (analysis.called !== null && terminator.op === 'ret' && value !== undefined) {
      const lanes = { bits: current.mask, native: () => current.nativeMask() };
      slots.store('v', returnName, operands.leaves(value), lanes);
    }
    if (analysis.meets)
      writer.line(
        `call void @lanes_exit(ptr %launch, ptr %warp, ptr ${frame.meetingAt}, ptr ${frame.lanesAt}, i32 ${current.mask})`,
      );
    this.proceed(block, { certain: null, possible: [] });
  }

  /** A branch on a condition that all lanes share. */
  private branchTogether(block: FlowBlock, targets: readonly number[], condition: Leaf): void {
    const { current, writer: w } = this.kernel;
    const { terminator, successors } = block;
    const labels = new Map(targets.map((target) => [target, w.freshLabel()]));
    const label = (target: number | undefined): string => labels.get(target ?? 0) ?? '';
    if (terminator.op === 'br')
      w.line(`br i1 ${condition.text}, label %${label(successors[0])}, label %${label(successors[1])}`);
    else {
      const cases = terminator.cases.map(
        (value, i) => `${condition.type} ${value}, label %${label(successors[i + 1])}`,
      );
      w.line(`switch ${condition.type} ${condition.text}, label %${label(successors[0])} [${cases.join(' ')}]`);
    }
    for (const target of targets) {
      w.begin(label(target));
      const { values, native } = current;
      // Changes that one edge makes to a value (lane bits, a vector) do not reach the other edges.
      current.values = new Map([...values].map(([name, leaves]) => [name, leaves.map((leaf) => ({ ...leaf }))]));
      w.block = -2 - w.lines.length;
      this.edge(block, target, current.mask, false);
      this.proceed(block, { certain: target, possible: [] });
      current.values = values;
      current.native = native;
    }
  }

  /** A branch on a condition of each lane. It has diverged if no single target took all lanes. */
  private branchApart(block: FlowBlock, targets: readonly number[], condition: Leaf): void {
    const { counters, current, writer: w } = this.kernel;
    const lanes = this.lanesByTarget(block, condition);
    let together = 'false';
    for (const bits of lanes.values())
      together = w.emit(`or i1 ${together}, ${w.emit(`icmp eq i32 ${bits}, ${current.mask}`)}`);
    counters.count(block.index, 'diverged', w.emit(`zext i1 ${w.emit(`xor i1 ${together}, true`)} to i64`));
    for (const [target, bits] of lanes) this.edge(block, target, bits, false);
    this.proceed(block, { certain: null, possible: [...targets] });
  }

  /** Lane bits that go to each target, an i32. */
  private lanesByTarget({ terminator, successors }: FlowBlock, condition: Leaf): Map<number, string> {
    const { current, writer: w } = this.kernel;
    const lanes = new Map<number, string>();
    if (terminator.op === 'br') {
      const taken = w.emit(`and i32 ${current.mask}, ${w.bits(condition)}`);
      lanes.set(successors[0] ?? 0, taken);
      lanes.set(successors[1] ?? 0, w.emit(`xor i32 ${current.mask}, ${taken}`));
      return lanes;
    }
    const add = (target: number, bits: string): void =>
      void lanes.set(target, lanes.has(target) ? w.emit(`or i32 ${lanes.get(target)}, ${bits}`) : bits);
    let rest = current.mask;
    terminator.cases.forEach((value, i) => {
      const equal = w.emit(
        `and i32 ${w.bits(w.compare('eq', condition, w.constant(condition.type, value)))}, ${current.mask}`,
      );
      add(successors[i + 1] ?? 0, equal);
      rest = w.emit(`and i32 ${rest}, ${w.emit(`xor i32 ${equal}, -1`)}`);
    });
    add(successors[0] ?? 0, rest);
    return lanes;
  }
}
