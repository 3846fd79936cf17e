/** Barriers of whole blocks (`__syncthreads`), and those with a number at which some of its warps meet (`bar.sync 1, 64`). */
import { running } from './resident-warps.ts';
import { stateNumbers } from './state-numbers.ts';
import type { ResidentWarps } from './resident-warps.ts';
import type { Schedulers } from './schedulers.ts';
import type { SmOptions, SmProgram } from './types.ts';

const { barrier: atBarrier } = stateNumbers;

/** Barriers with a number that a block has. */
const numberedBarriers = 16;

export class BlockBarriers {
  private readonly options: SmOptions;
  private readonly program: SmProgram;
  private readonly warps: ResidentWarps;
  private readonly schedulers: Schedulers;

  readonly arrived: Int32Array;
  readonly lastArrival: Int32Array;
  barrierFree = 0;
  /**
   * State of numbered barriers: threads that have arrived, threads expected, time of the last arrival, waiting warps of the block, a bit
   * each.
   */
  readonly numberedThreads: Int32Array;
  readonly numberedWanted: Int32Array;
  readonly numberedLast: Int32Array;
  readonly numberedWaiting: Int32Array;

  constructor(options: SmOptions, warps: ResidentWarps, schedulers: Schedulers) {
    const { residentBlocks } = options;
    this.options = options;
    this.program = options.program;
    this.warps = warps;
    this.schedulers = schedulers;
    this.arrived = new Int32Array(residentBlocks);
    this.lastArrival = new Int32Array(residentBlocks);
    this.numberedThreads = new Int32Array(residentBlocks * numberedBarriers);
    this.numberedWanted = new Int32Array(residentBlocks * numberedBarriers);
    this.numberedLast = new Int32Array(residentBlocks * numberedBarriers);
    this.numberedWaiting = new Int32Array(residentBlocks * numberedBarriers);
  }

  /** Another block takes the slot. */
  clear(block: number): void {
    this.arrived[block] = this.lastArrival[block] = 0;
    this.numberedThreads.fill(0, block * numberedBarriers, (block + 1) * numberedBarriers);
    this.numberedWaiting.fill(0, block * numberedBarriers, (block + 1) * numberedBarriers);
  }

  arrive(w: number, now: number): void {
    const { warps } = this;
    const block = Math.floor(w / this.options.warpsPerBlock);
    const arrival = now > this.barrierFree ? now : this.barrierFree;
    this.barrierFree = arrival + this.program.parameters.barrierArrivalInterval;
    this.lastArrival[block] = arrival;
    warps.inBarrier[w] = 1;
    warps.why[w] = atBarrier;
    this.arrived[block]!++;
    if (this.arrived[block] === warps.live[block]) this.releaseBarrier(block, now);
  }

  releaseBarrier(block: number, now: number): void {
    const { warps } = this;
    const { warpsPerBlock } = this.options;
    const time = Math.max(this.lastArrival[block]! + this.program.parameters.barrierLatency, now + 1);
    this.arrived[block] = 0;
    for (let w = block * warpsPerBlock; w < (block + 1) * warpsPerBlock; w++) {
      if (warps.inBarrier[w] === 0) continue;
      warps.inBarrier[w] = 0;
      this.schedulers.schedule(w, time, atBarrier, now);
    }
  }

  /** Comes to a barrier with a number: the words of its token are the number, how many threads it waits for, whether this one waits. */
  meet(w: number, position: number, now: number): void {
    const { warps } = this;
    const stream = warps.streams[w]!;
    const { warpsPerBlock } = this.options;
    const block = Math.floor(w / warpsPerBlock);
    const barrier = block * numberedBarriers + stream[position + 1]!;
    const arrival = now > this.barrierFree ? now : this.barrierFree;
    this.barrierFree = arrival + this.program.parameters.barrierArrivalInterval;
    this.numberedLast[barrier] = arrival;
    this.numberedThreads[barrier]! += 32;
    this.numberedWanted[barrier] = stream[position + 2]!;
    if (stream[position + 3] === 0) return;
    this.numberedWaiting[barrier]! |= 1 << (w % warpsPerBlock);
    warps.inBarrier[w] = 1;
  }

  /** Lets go on who waits at a barrier with a number to which enough have come. */
  releaseNumbered(block: number, now: number): void {
    const { warps } = this;
    const { warpsPerBlock } = this.options;
    for (let barrier = block * numberedBarriers; barrier < (block + 1) * numberedBarriers; barrier++) {
      const threads = this.numberedThreads[barrier]!;
      if (threads === 0 || threads < this.numberedWanted[barrier]!) continue;
      const time = Math.max(this.numberedLast[barrier]! + this.program.parameters.barrierLatency, now + 1);
      this.numberedThreads[barrier] = 0;
      for (let rest = this.numberedWaiting[barrier]!; rest !== 0; rest &= rest - 1) {
        const w = block * warpsPerBlock + 31 - Math.clz32(rest & -rest);
        warps.inBarrier[w] = 0;
        if (warps.alive[w] === running) this.schedulers.schedule(w, time, atBarrier, now);
      }
      this.numberedWaiting[barrier] = 0;
    }
  }
}
