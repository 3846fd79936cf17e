/**
 * Waits of warps in loops that read a clock ({@link file://../ir/analysis/clock-loops.ts}). In the stream of a warp, all iterations that
 * took the same path are one, between `poll` and `pollEnd`, which says how long after the last reading before the loop the warp may leave
 * it: the simulated SM iterates as often as that takes.
 */
import type { ClockLoop } from '../ir/analysis/clock-loops.ts';
import { syncAction, syncToken, syncWords, waitAccess, waitsForClock } from '../model/warp-stream.ts';

/** A warp in such a loop. */
interface Wait extends ClockLoop {
  mask: number;
  /** Where in the stream the time around that stands for all begins; where it ends, and this one began. */
  first: number;
  from: number;
  /** Readings of the warp before the loop, and until the end of the last time around that is in. */
  before: number;
  until: number;
}

const pollWords = 1 + syncWords;

export class ClockWaits {
  private readonly loops: Map<number, ClockLoop>;
  private readonly readsIn: readonly number[];
  private readonly shown: (warp: number) => readonly number[];
  /** Waits by warp. */
  private readonly waits: (Wait | undefined)[] = [];
  private readonly reads: number[] = [];

  /** `readsIn`: of each block of code, how often it reads a clock; `shown`: what clocks showed a warp until now, cycles. */
  constructor(loops: readonly ClockLoop[], readsIn: readonly number[], shown: (warp: number) => readonly number[]) {
    this.loops = new Map(loops.map((loop) => [loop.head, loop]));
    this.readsIn = readsIn;
    this.shown = shown;
  }

  /** The warp is about to execute a block of code; its stream so far. What it waited for may be over; {@link enter} is to follow. */
  goOn(warp: number, stream: number[], block: number, mask: number): void {
    const reads = this.reads[warp] ?? 0;
    const wait = this.waits[warp];
    if (wait === undefined) return;
    if (block === wait.head && mask === wait.mask) this.goAround(warp, stream, wait, reads);
    else if (!(block > wait.head && block < wait.end && mask === wait.mask)) this.leave(warp, stream, wait, reads);
  }

  /** The warp executes a block of code, with which a wait may begin. */
  enter(warp: number, stream: number[], block: number, mask: number): void {
    const reads = (this.reads[warp] ??= 0);
    const loop = this.loops.get(block);
    if (this.waits[warp] === undefined && loop !== undefined) this.waits[warp] = begin(stream, loop, mask, reads);
    this.reads[warp] = reads + (this.readsIn[block] ?? 0);
  }

  /** No more of the warp's stream is kept. */
  forget(warp: number): void {
    this.waits[warp] = undefined;
  }

  /** The warps have come to their ends. */
  finish(streams: readonly number[][]): void {
    streams.forEach((stream, warp) => {
      const wait = this.waits[warp];
      if (wait !== undefined) this.leave(warp, stream, wait, this.reads[warp]!);
    });
  }

  /** Another time around is over. */
  private goAround(warp: number, stream: number[], wait: Wait, reads: number): void {
    if (wait.from === wait.first) wait.from = stream.length;
    else if (isLikeFirst(stream, wait)) stream.length = wait.from;
    else {
      // Another way, which now stands for those that follow.
      const tokens = stream.splice(wait.from);
      this.end(warp, stream, wait);
      const next = begin(stream, wait, wait.mask, wait.until);
      stream.push(...tokens);
      this.waits[warp] = { ...next, from: stream.length, until: reads };
      return;
    }
    wait.until = reads;
  }

  private leave(warp: number, stream: number[], wait: Wait, reads: number): void {
    this.waits[warp] = undefined;
    if (wait.from === wait.first && reads === wait.before) {
      // It left before it had asked.
      stream.splice(wait.first - pollWords, pollWords);
      return;
    }
    if (wait.from === wait.first || isLikeFirst(stream, wait)) {
      if (wait.from > wait.first) stream.length = wait.from;
      wait.until = reads;
      this.end(warp, stream, wait);
      return;
    }
    const tokens = stream.splice(wait.from);
    this.end(warp, stream, wait);
    stream.push(...tokens);
  }

  private end(warp: number, stream: number[], { before, until }: Wait): void {
    const shown = this.shown(warp);
    // Warps see whole cycles.
    const cycles = Math.max(0, Math.ceil(shown[until - 1]! - (before > 0 ? shown[before - 1]! : 0)) + 1);
    stream.push(
      syncToken(syncAction.pollEnd, waitAccess),
      cycles % 2 ** 32,
      Math.floor(cycles / 2 ** 32),
      waitsForClock,
    );
  }
}

function begin(stream: number[], { head, end, silent, polls }: ClockLoop, mask: number, reads: number): Wait {
  stream.push(syncToken(syncAction.poll, waitAccess), silent ? 1 : 0, 0, waitsForClock);
  return { head, end, silent, polls, mask, first: stream.length, from: stream.length, before: reads, until: reads };
}

/** True if the last iteration, which has not been taken in yet, took the path of the first. */
function isLikeFirst(stream: readonly number[], { first, from }: Wait): boolean {
  if (stream.length - from !== from - first) return false;
  for (let i = from; i < stream.length; i++) if (stream[i] !== stream[i - from + first]) return false;
  return true;
}
