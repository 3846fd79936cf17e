/** Clocks that kernels read: `clock64` and `globaltimer`. */
import { isTimer, loopOfReading, type ReadingLoop } from './layout.ts';
import type { LaunchClock, LaunchStep } from '../model/execution.ts';

const warpsPerBlock = 32;

/** `%globaltimer` goes on in steps, nanoseconds: H200 reference, C1 globaltimer_step. */
const timerStep = 32;

/** Clock for callers that want no times. */
export const stoppedClock: LaunchClock = {
  starts: 0,
  cyclesPerNanosecond: 1,
  asks: null,
  launchTime: () => 0,
};

/** Launch by the threads of a warp at once, which take their turns one after the other. */
interface Launching extends LaunchStep {
  began: number;
  threads: number;
  lastThread: number;
}

/**
 * A rehearsal finds out for how long silent loops wait: to one part in so many, by a clock that goes on the faster the longer they
 * do.
 */
const finest = 1 << 13;

/** Precision where a warp waits for longer than was found out. */
const coarsest = 1 << 10;

/** Use of the clocks of a launch. */
export interface ClockUse {
  /** Keeps the readings that warps were shown, see {@link WarpClocks.shown}. */
  keeps: boolean;
  rehearses: boolean;
  /** Blocks run beside each other, and nobody knows when they ask. */
  isBeside: boolean;
}

/** A warp of the present block. */
interface Asker {
  /** Number of times it has asked; what the clock showed last. */
  asked: number;
  last: number;
  /** Readings that it was shown, cycles, if they are kept. */
  shown: number[];
  /** State in a loop that is silent or polls: its block, what the clock showed before, and by how much it is ahead of an estimate. */
  loopBlock: number | null;
  since: number;
  ahead: number;
}

/**
 * The clocks of one launch; blocks are executed one after the other where it is known when they ask. Where they run beside each other,
 * warps that poll are taken to wait for L2 each time around.
 */
export class WarpClocks {
  /** Iterations of silent loops beyond those that were executed, by block of code. */
  readonly skipped = new Map<number, number>();
  private readonly launch: LaunchClock;
  private readonly use: ClockUse;
  /** The block that asked last, and its warps; those of all blocks that run beside each other. */
  private block = -1;
  /** Last launch of each warp; by block and warp. */
  private readonly launching = new Map<number, Launching>();
  private warps: Asker[] = [];
  private readonly blocks = new Map<number, Asker[]>();

  constructor(launch: LaunchClock, use: ClockUse = { keeps: false, rehearses: false, isBeside: false }) {
    this.launch = launch;
    this.use = use;
  }

  /** Readings that a warp was shown until now, cycles; of the present block where blocks run one after the other. */
  shown(block: number, warp: number): readonly number[] {
    return this.warpsOf(block)[warp]?.shown ?? [];
  }

  private warpsOf(block: number): Asker[] {
    if (block === this.block) return this.warps;
    if (!this.use.isBeside) return [];
    let warps = this.blocks.get(block);
    if (warps === undefined) this.blocks.set(block, (warps = []));
    return warps;
  }

  /**
   * Cycles, or nanoseconds of the timer. `estimate`: cycles since the launch began, where nobody knows better; `reading`: as
   * layout.ts says.
   */
  read(estimate: number, block: number, warp: number, reading: number): number {
    const { starts, cyclesPerNanosecond, asks, rounds } = this.launch;
    if (block !== this.block) {
      this.warps = this.warpsOf(block);
      this.block = block;
    }
    const asker = (this.warps[warp] ??= { asked: 0, last: 0, shown: [], loopBlock: null, since: 0, ahead: 0 });
    const loop = loopOfReading(reading);
    const n = asker.asked++;
    let cycles = asks?.(block, warp, n) ?? null;
    if (cycles === null) cycles = this.estimated(asker, estimate, loop);
    else if (loop !== null && !loop.polls) {
      const around = rounds?.(block, warp, n) ?? null;
      if (around !== null) {
        this.skip(loop.block, around - 1);
        asker.since = cycles;
      } else {
        // It should have left the loop: what clocks show is rounded.
        asker.asked--;
        cycles = asker.last + Math.max(timerStep * cyclesPerNanosecond, (asker.last - asker.since) / coarsest);
      }
    }
    asker.last = cycles = Math.max(cycles, asker.last);
    if (this.use.keeps) asker.shown.push(cycles);
    // While it launched kernels, time went on.
    const shown = cycles + (this.launching.get(block * warpsPerBlock + warp)?.ended ?? 0) * cyclesPerNanosecond;
    if (!isTimer(reading)) return Math.floor(starts * cyclesPerNanosecond + shown);
    return Math.floor((starts + shown / cyclesPerNanosecond) / timerStep) * timerStep;
  }

  private estimated(asker: Asker, estimate: number, loop: ReadingLoop | null): number {
    const { rehearses, isBeside } = this.use;
    if (!rehearses && !isBeside) return estimate;
    if (loop?.polls === true) asker.ahead += this.launch.pollCycles ?? 0;
    const now = estimate + asker.ahead;
    const block = loop?.block ?? null;
    if (block === null || block !== asker.loopBlock) {
      asker.loopBlock = block;
      asker.since = now;
      return now;
    }
    const more = Math.floor((now - asker.since) / finest);
    asker.ahead += more;
    return now + more;
  }

  private skip(block: number, rounds: number): void {
    if (rounds > 0) this.skipped.set(block, (this.skipped.get(block) ?? 0) + rounds);
  }

  /** A thread launches a kernel. Threads of a warp that launch in their order do so at once. */
  launched(block: number, thread: number): LaunchStep {
    const warp = block * warpsPerBlock + (thread >> 5);
    const before = this.launching.get(warp);
    const isFirst = before === undefined || before.began === 0;
    if (before && thread > before.lastThread) {
      before.lastThread = thread;
      before.ended = before.began + this.launch.launchTime(++before.threads, isFirst);
      return before;
    }
    const began = before?.ended ?? 0;
    const ended = began + this.launch.launchTime(1, before === undefined);
    const step = { began, ended, threads: 1, lastThread: thread };
    this.launching.set(warp, step);
    return step;
  }
}
