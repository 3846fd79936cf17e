/**
 * The pipes of each sub-partition: until when they take nothing, and how many cycles they have been busy so far, so that a warp
 * that issues knows how many of its ready cycles were those of a busy pipe, without having been looked at in between.
 */
import { pipe } from './types.ts';
import type { Scoreboards } from './scoreboards.ts';
import type { SmOptions, SmProgram } from './types.ts';

/** Pipes of a sub-partition, rounded up: arrays over pipes have so many places for each. */
export const pipesPerSub = 16;

export class Pipes {
  private readonly program: SmProgram;
  private readonly subs: number;
  private readonly scoreboards: Scoreboards;

  readonly busy: Int32Array;
  readonly free: Int32Array;
  readonly busyTime: Int32Array;
  /** When the execution unit behind a pipe, or each half of the FMA pipe, is free. */
  readonly unitFree: Int32Array;

  constructor(options: SmOptions, scoreboards: Scoreboards) {
    this.program = options.program;
    this.subs = options.program.parameters.subPartitions;
    this.scoreboards = scoreboards;
    this.busy = new Int32Array(this.subs);
    this.free = new Int32Array(this.subs * pipesPerSub);
    this.busyTime = new Int32Array(this.subs * pipesPerSub);
    this.unitFree = new Int32Array(this.subs * pipesPerSub);
  }

  /** Occupies the pipe and says when the results are there. */
  execute(sub: number, index: number, w: number, p: number, now: number): void {
    const { program, unitFree } = this;
    const unit = program.pipe[p]!;
    const interval = program.interval[p]!;
    let start = now;
    if (unit === pipe.xu) {
      // A queue in front of the unit: the instruction may start later than it issues.
      if (unitFree[index]! > now) start = unitFree[index]!;
      unitFree[index] = start + interval;
      this.occupy(sub, unit, start + interval - program.parameters.specialQueueDepth * interval, now);
    } else if (unit <= pipe.imad && program.parameters.fmaHalves) {
      const light = sub * pipesPerSub + pipe.fma;
      const heavy = sub * pipesPerSub + pipe.imad;
      unitFree[unit === pipe.fma && unitFree[light]! <= now ? light : heavy] = now + interval;
      const heavyFree = unitFree[heavy]!;
      this.occupy(sub, pipe.imad, heavyFree, now);
      this.occupy(sub, pipe.fma, heavyFree < unitFree[light]! ? heavyFree : unitFree[light]!, now);
    } else this.occupy(sub, unit, now + interval, now);
    this.scoreboards.setResults(w, p, start + program.latency[p]!, program.reason[p]!);
  }

  /** A pipe takes nothing until `time`. */
  occupy(sub: number, unit: number, time: number, now: number): void {
    if (time <= now + 1) return;
    const index = sub * pipesPerSub + unit;
    this.busyTime[index]! += time - (now + 1);
    this.free[index] = time;
    this.busy[sub]! |= 1 << unit;
  }
}
