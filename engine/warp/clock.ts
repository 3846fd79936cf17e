/** What kernels read from `clock64` and `globaltimer`. */
import type { LaunchClock } from './types.ts';

/** `%globaltimer` goes on in steps, nanoseconds: H200 reference, C1 globaltimer_step. */
const timerStep = 32;

/** For those who want no times. */
export const stoppedClock: LaunchClock = { starts: 0, cyclesPerNanosecond: 1, asks: null };

/** The clocks of one launch; blocks are executed one after the other where it is known when they ask. */
export class WarpClocks {
  private readonly launch: LaunchClock;
  private block = -1;
  /** Per warp of the block, how often it has asked. */
  private asked: number[] = [];

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
    const cycles = asks?.(block, warp, n) ?? estimate;
    if (!timer) return Math.floor(starts * cyclesPerNanosecond + cycles);
    return Math.floor((starts + cycles / cyclesPerNanosecond) / timerStep) * timerStep;
  }
}
