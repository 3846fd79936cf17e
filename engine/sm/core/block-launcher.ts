/** Blocks as they come and go: a slot takes the next one when all warps of the one before have ended. */
import { warpStates } from '../../model/warp-states.ts';
import { leaving, never } from './resident-warps.ts';
import { stateNumbers } from './state-numbers.ts';
import type { AsyncCopies } from './async-copies.ts';
import type { SharedBarriers } from './barriers.ts';
import type { BlockBarriers } from './block-barriers.ts';
import type { MemoryQueues } from './memory-queues.ts';
import type { ResidentWarps } from './resident-warps.ts';
import type { Schedulers } from './schedulers.ts';
import type { Scoreboards } from './scoreboards.ts';
import type { StateSamples } from './state-samples.ts';
import type { Stores } from './stores.ts';
import type { StreamReader } from './stream-reader.ts';
import type { SmUnits } from './units.ts';
import type { SmOptions, SmProgram } from './types.ts';

const { branch_resolving: branchResolving, drain, no_instruction: noInstruction } = stateNumbers;

export class BlockLauncher {
  private readonly options: SmOptions;
  private readonly program: SmProgram;
  private readonly warps: ResidentWarps;
  private readonly samples: StateSamples;
  private readonly stores: Stores;
  private readonly scoreboards: Scoreboards;
  private readonly schedulers: Schedulers;
  private readonly blockBarriers: BlockBarriers;
  private readonly copies: AsyncCopies;
  private readonly reader: StreamReader;
  private readonly queues: MemoryQueues;
  private readonly sharedBarriers: SharedBarriers;

  readonly draining: Int32Array;
  /** The latest end of a warp so far. */
  readonly endOf: Int32Array;
  /** Free block slots in the order in which they can be used again, and from when on. */
  readonly launchSlots: number[] = [];
  readonly launchTimes: number[] = [];
  launchNext = 0;
  dispatchNext = 0;
  warpLaunchFree = 0;
  launched = 0;
  /** A stream that is not all that its warp did has come to its end. */
  isOver = false;

  constructor(
    options: SmOptions,
    units: Pick<
      SmUnits,
      | 'warps'
      | 'samples'
      | 'stores'
      | 'scoreboards'
      | 'schedulers'
      | 'blockBarriers'
      | 'copies'
      | 'reader'
      | 'queues'
      | 'sharedBarriers'
    >,
  ) {
    const { residentBlocks } = options;
    this.options = options;
    this.program = options.program;
    this.warps = units.warps;
    this.samples = units.samples;
    this.stores = units.stores;
    this.scoreboards = units.scoreboards;
    this.schedulers = units.schedulers;
    this.blockBarriers = units.blockBarriers;
    this.copies = units.copies;
    this.reader = units.reader;
    this.queues = units.queues;
    this.sharedBarriers = units.sharedBarriers;
    this.draining = new Int32Array(residentBlocks);
    this.endOf = new Int32Array(residentBlocks);
    for (let slot = 0; slot < residentBlocks; slot++) {
      this.launchSlots.push(slot);
      this.launchTimes.push(0);
    }
  }

  /** Fills the free slots whose time has come with the next blocks. */
  launch(now: number): void {
    const { launchSlots, launchTimes, options, program, warps, reader, schedulers } = this;
    const { warpsPerBlock } = options;
    const { launchCycles, warpLaunchInterval } = program.parameters;
    while (launchSlots.length > 0 && launchTimes[0]! <= now && this.dispatchNext <= now) {
      const streams = this.launched < (options.maxBlocks ?? Infinity) ? options.nextBlock() : null;
      if (streams === null) {
        launchSlots.length = launchTimes.length = 0;
        break;
      }
      const block = launchSlots.shift()!;
      launchTimes.shift();
      // Blocks that this SM could have taken earlier remain its own: the others do not ask all at the same time.
      const { firstDispatchCycles, dispatchCycles: later = 0 } = options;
      const dispatchCycles = this.launched < options.residentBlocks ? (firstDispatchCycles ?? later) : later;
      this.dispatchNext = Math.max(this.dispatchNext, now - options.residentBlocks * dispatchCycles) + dispatchCycles;
      warps.blockOf[block] = this.launched;
      warps.starts.push(now + warps.skipped);
      warps.ends.push(-1);
      warps.live[block] = streams.length;
      this.draining[block] = 0;
      this.endOf[block] = now;
      this.blockBarriers.clear(block);
      this.sharedBarriers.clear(block);
      for (let i = 0; i < streams.length; i++) {
        const w = block * warpsPerBlock + i;
        warps.begin(w, streams[i]!);
        this.stores.begin(w);
        this.copies.begin(w);
        reader.begin(w);
        this.scoreboards.begin(w);
        schedulers.lastAddress[w] = -never;
        this.queues.warpMemoryFree[w] = 0;
        const start = now > this.warpLaunchFree ? now : this.warpLaunchFree;
        this.warpLaunchFree = start + warpLaunchInterval;
        warps.lastIssue[w] = start - 1;
        warps.skippedThen[w] = warps.skipped;
        warps.age[w] = this.launched * warpsPerBlock + i;
        if (reader.enterBlock(w)) schedulers.schedule(w, start + launchCycles, noInstruction, now);
        else this.exit(w, start - 1);
      }
      this.launched++;
    }
    this.launchNext = Math.max(launchTimes[0] ?? never, this.dispatchNext);
  }

  /** The warp has issued its last instruction; it stays until that and its stores have gone their way. */
  exit(w: number, now: number): void {
    const { warps, blockBarriers } = this;
    if (this.options.isCut === true || this.options.cutWarps?.has(warps.age[w]!) === true) this.isOver = true;
    const block = Math.floor(w / this.options.warpsPerBlock);
    warps.lastIssue[w] = now;
    warps.live[block]!--;
    if (this.stores.storesQueued[w] === 0) this.end(w, block);
    else {
      this.draining[block]!++;
      warps.alive[w] = leaving;
      warps.why[w] = drain;
    }
    if (blockBarriers.arrived[block]! > 0 && blockBarriers.arrived[block] === warps.live[block])
      blockBarriers.releaseBarrier(block, now);
  }

  /** Nothing of the warp is queued any more: its end is known, and that of its block if it is the last. */
  end(w: number, block: number): void {
    const { warps, samples } = this;
    const exits = warps.lastIssue[w]! + 1;
    const left = exits + this.program.parameters.exitCycles;
    const end = Math.max(left, this.stores.drained[w]!);
    warps.alive[w] = 0;
    samples.warpCycles[branchResolving]! += left - exits;
    samples.warpCycles[drain]! += end - left;
    const last = warps.pc[w]! - 1;
    if (samples.instructionCycles !== null && last >= 0) {
      samples.instructionCycles[last * warpStates.length + branchResolving]! += left - exits;
      samples.instructionCycles[last * warpStates.length + drain]! += end - left;
    }
    if (samples.sink !== null) {
      const { skipped } = this.warps;
      if (left > exits) samples.sink(w, branchResolving, exits + skipped, left + skipped);
      if (end > left) samples.sink(w, drain, left + skipped, end + skipped);
    }
    if (end > this.endOf[block]!) this.endOf[block] = end;
    if (warps.live[block]! > 0 || this.draining[block]! > 0) return;

    const blockEnd = this.endOf[block]!;
    warps.ends[warps.blockOf[block]!] = blockEnd + warps.skipped;
    const time = blockEnd + this.program.parameters.turnoverCycles;
    const { launchSlots, launchTimes } = this;
    let place = launchTimes.length;
    while (place > 0 && launchTimes[place - 1]! > time) place--;
    launchTimes.splice(place, 0, time);
    launchSlots.splice(place, 0, block);
    this.launchNext = Math.max(launchTimes[0]!, this.dispatchNext);
  }
}
