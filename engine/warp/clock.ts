/** What kernels read from `clock64` and `globaltimer`. */
import type { LaunchClock, LaunchStep } from './types.ts';

const warpsPerBlock = 32;

/** `%globaltimer` goes on in steps, nanoseconds: H200 reference, C1 globaltimer_step. */
const timerStep = 32;

/** For those who want no times. */
export const stoppedClock: LaunchClock = {
  starts: 0,
  cyclesPerNanosecond: 1,
  asks: null,
  launchTime: () => 0,
};

/** What a warp launches at once: its threads come one after the other. */
interface Launching extends LaunchStep {
  began: number;
  threads: number;
  lastThread: number;
}

/** The clocks of one launch; blocks are executed one after the other where it is known when they ask. */
export class WarpClocks {
  private readonly launch: LaunchClock;
  private block = -1;
  /** Per warp of the block, how often it has asked. */
  private asked: number[] = [];
  /** What each warp launched last; by block and warp. */
  private readonly launching = new Map<number, Launching>();

  constructor(launch: LaunchClock) {
    this.launch = launch;
  }

  /** Cycles, or nanoseconds of the timer. `estimate`: cycles since the launch began, where nobody knows better. */
  read(estimate: number, block: number, warp: number, timer: boolean): number {
    const { starts, cyclesPerNanosecond, asks } = this.launch;
    if (block !== this.block) {
      this.block = block;
      this.asked = [];
    }
    const n = this.asked[warp] ?? 0;
    this.asked[warp] = n + 1;
    const launches = this.launching.get(block * warpsPerBlock + warp)?.ended ?? 0;
    const cycles = (asks?.(block, warp, n) ?? estimate) + launches * cyclesPerNanosecond;
    if (!timer) return Math.floor(starts * cyclesPerNanosecond + cycles);
    return Math.floor((starts + cycles / cyclesPerNanosecond) / timerStep) * timerStep;
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
