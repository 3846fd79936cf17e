/** Groups of asynchronous copies: LDGSTS by way of the load/store pipe, and in bulk out of shared memory. */
import { stateNumbers } from './state-numbers.ts';
import type { ResidentWarps } from './resident-warps.ts';
import type { Schedulers } from './schedulers.ts';
import type { SmOptions } from './types.ts';

const { long_scoreboard: longScoreboard } = stateNumbers;

/** Groups of asynchronous copies of a warp, and of those in bulk, that are told apart; older ones count as the oldest of them. */
export const asyncGroups = 8;

export class AsyncCopies {
  private readonly warps: ResidentWarps;
  private readonly schedulers: Schedulers;

  /** Asynchronous copies: the group that is open, and of each group copies in the queue and when the last is there. */
  readonly asyncGroup: Int32Array;
  readonly asyncQueued: Int32Array;
  readonly asyncReady: Int32Array;
  /** The warp waits for its groups but so many; -1 if it does not. */
  readonly asyncWait: Int32Array;
  /** Copies in bulk out of shared memory: the group that is open, when each has been read, whether the warp waits for some. */
  readonly bulkGroup: Int32Array;
  readonly bulkRead: Int32Array;
  readonly bulkWaits: Uint8Array;

  constructor(options: SmOptions, warps: ResidentWarps, schedulers: Schedulers) {
    const { residentBlocks, warpsPerBlock } = options;
    const slots = residentBlocks * warpsPerBlock;
    const words = (): Int32Array => new Int32Array(slots);
    this.warps = warps;
    this.schedulers = schedulers;
    this.asyncGroup = words();
    this.asyncQueued = new Int32Array(asyncGroups * slots);
    this.asyncReady = new Int32Array(asyncGroups * slots);
    this.asyncWait = words();
    this.bulkGroup = words();
    this.bulkRead = new Int32Array(asyncGroups * slots);
    this.bulkWaits = new Uint8Array(slots);
  }

  /** Another warp takes the slot. */
  begin(w: number): void {
    this.asyncWait[w] = -1;
    this.asyncGroup[w] = this.bulkGroup[w] = this.bulkWaits[w] = 0;
    this.bulkRead.fill(0, asyncGroups * w, asyncGroups * (w + 1));
    this.asyncQueued.fill(0, asyncGroups * w, asyncGroups * (w + 1));
    this.asyncReady.fill(0, asyncGroups * w, asyncGroups * (w + 1));
  }

  /** Goes on when all groups but the last few are there; tries again with each copy that leaves its queue. */
  awaitCopies(w: number, now: number): void {
    const { warps } = this;
    const open = this.asyncGroup[w]!;
    const last = open - this.asyncWait[w]!;
    let time = now + 1;
    for (let group = Math.max(0, open + 1 - asyncGroups); group < last; group++) {
      const place = asyncGroups * w + (group % asyncGroups);
      if (this.asyncQueued[place]! > 0) {
        warps.unknown[w] = 1;
        warps.floor[w] = time;
        warps.floorWhy[w] = warps.why[w] = longScoreboard;
        return;
      }
      if (this.asyncReady[place]! > time) time = this.asyncReady[place]!;
    }
    this.asyncWait[w] = -1;
    this.schedulers.schedule(w, time, longScoreboard, now);
  }

  arriveCopy(w: number, group: number, time: number, now: number): void {
    const { warps } = this;
    this.asyncQueued[group]!--;
    if (time > this.asyncReady[group]!) this.asyncReady[group] = time;
    if (this.asyncWait[w]! < 0 || warps.unknown[w] === 0) return;
    warps.unknown[w] = 0;
    this.awaitCopies(w, now);
  }
}
