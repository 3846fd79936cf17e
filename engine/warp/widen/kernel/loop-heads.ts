import type { FlowBlock } from '../../../ir/analysis/flow.ts';
import { contains } from '../../../ir/analysis/flow.ts';
import { goingOn } from '../../../ir/analysis/pending.ts';
import type { SpinLoop } from '../../../ir/analysis/spin.ts';
import { launchField, warpResult } from '../../layout.ts';
import type { KernelContext } from './context.ts';

type Needs = Pick<KernelContext, 'analysis' | 'counters' | 'current' | 'meeting' | 'slots' | 'suspension' | 'writer'>;

/** Code at the heads of loops: it asks whether the launch may go on, and lets other lanes and warps run where the loop may wait for them. */
export class LoopHeads {
  private readonly kernel: Needs;

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** True for a block to which a loop branches when it ends. */
  isLeft(spin: SpinLoop, { index, predecessors }: FlowBlock): boolean {
    return !contains(spin, index) && predecessors.some((from) => contains(spin, from));
  }

  /** A warp that has seen what it waited for lets other blocks see it, too, before it goes on and writes what comes after that. */
  letOthersSee(block: FlowBlock, live: Set<string>[]): void {
    const { analysis, counters, current, slots, suspension, writer: w } = this.kernel;
    const [stop, go] = [w.freshLabel(), w.freshLabel()];
    const left = counters.launchField(launchField.left);
    const some = w.emit(`icmp ne i32 ${w.emit(`load i32, ptr ${left}, align 4`)}, 0`);
    w.line(`br i1 ${some}, label %${stop}, label %${go}`);
    w.begin(stop);
    w.line(`store i32 0, ptr ${left}, align 4`);
    w.line(`store i32 ${current.mask}, ptr ${slots.maskSlot(block.index)}`);
    suspension.suspend(block.index, [...(analysis.waiting[block.index] ?? []), block.index], live, warpResult.hasSeen);
    w.begin(go);
  }

  /** At the head of a loop: asks now and then whether to go on at all, and lets others run where it may be waiting for them. */
  writeHead(block: FlowBlock, live: Set<string>[], times: string): void {
    const { analysis, counters, current, meeting, slots, suspension, writer: w } = this.kernel;
    const every = (mask: number, rarely: (go: string) => void, counter = times): void => {
      const [rare, go] = [w.freshLabel(), w.freshLabel()];
      const now = w.emit(`icmp eq i64 ${w.emit(`and i64 ${counter}, ${mask}`)}, 0`);
      w.line(`br i1 ${now}, label %${rare}, label %${go}, !prof !9001`);
      w.begin(rare);
      rarely(go);
      w.begin(go);
    };
    every(tickMask, (go) => {
      w.line('call void @spin()');
      w.line(`br label %${go}`);
    });
    const spins = analysis.spins.filter(({ head }) => head === block.index);
    if (spins.length === 0) return;
    const within = spins.every((spin) => spin.within);
    const polls = spins.every((spin) => spin.polls);
    const result = within ? warpResult.spinsInBlock : polls ? warpResult.polls : warpResult.spins;
    const giveWay = (): void => {
      w.line(`store i32 ${current.mask}, ptr ${slots.maskSlot(block.index)}`);
      if (analysis.meets) return meeting.giveWayInSecond(block, spins, result);
      const waiting = analysis.waiting[block.index] ?? new Set<number>();
      for (const index of new Set(spins.flatMap((spin) => goingOn(spin, waiting)))) {
        const next = w.freshLabel();
        const some = w.emit(`icmp ne i32 ${w.emit(`load i32, ptr ${slots.maskSlot(index)}`)}, 0`);
        w.line(`br i1 ${some}, label %b${index}, label %${next}`);
        w.begin(next);
      }
      suspension.suspend(block.index, [...waiting, block.index], live, result);
    };
    if (!within && !polls) {
      every(yieldMask, giveWay);
      return;
    }
    // Going around for nothing but that is not counted. Each second time; of loops that poll, all but the first of a turn.
    const turns = counters.addToLaunch(within ? launchField.polls : launchField.polled, '1');
    const uncounted = (): void => {
      counters.count(block.index, 'times', '-1');
      giveWay();
    };
    if (within) every(1, uncounted, w.emit(`zext i32 ${turns} to i64`));
    else {
      const first = w.emit(`zext i1 ${w.emit(`icmp eq i32 ${turns}, 0`)} to i64`);
      every(1, uncounted, first);
    }
  }
}

/** Iterations, less one, after which the head of a loop asks whether the launch's budget is used up. */
const tickMask = 0xffff;
/** Iterations, less one, after which a loop that may wait for others lets them run. */
const yieldMask = 31;
