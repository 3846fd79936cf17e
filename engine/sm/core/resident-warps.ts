/**
 * The warps that are on the SM, a slot each, as flat arrays: where they are in their streams and in the program, what they wait
 * for, and of which block they are. All units of the SM look here; each keeps for itself what no other needs.
 */
import type { WarpStream } from '../../model/warp-stream.ts';
import type { SmOptions } from './types.ts';

/** A cycle later than any of a run; a run may take half of it. */
export const never = 0x3fff_ffff;
export const longestRun = never >> 1;

/** Values of `alive`: 0 if ended or never launched; running; only stores are left. */
export const running = 1;
export const leaving = 2;

const nothing: WarpStream = new Uint32Array();

export class ResidentWarps {
  readonly pc: Int32Array;
  readonly blockEnd: Int32Array;
  readonly streams: WarpStream[];
  /** Place in the stream: the token found last, and the first access of the machine block. */
  readonly cursor: Int32Array;
  readonly firstAccess: Int32Array;
  readonly activeLanes: Int32Array;
  readonly lastIssue: Int32Array;
  /** When the next instruction could issue, and what keeps it until then (an index of warpStates). */
  readonly wake: Int32Array;
  readonly why: Uint8Array;
  readonly readyAt: Int32Array;
  /** Waits for a result whose time is not known yet; the earliest issue for other reasons. */
  readonly unknown: Uint8Array;
  readonly floor: Int32Array;
  readonly floorWhy: Uint8Array;
  readonly inBarrier: Uint8Array;
  /** Order of launch. */
  readonly age: Int32Array;
  readonly alive: Uint8Array;
  readonly subOf: Uint8Array;
  readonly bitOf: Int32Array;
  /** Warps that have not issued their last instruction; those that have, but whose stores are still queued. */
  readonly live: Int32Array;
  readonly blockOf: Int32Array;
  /**
   * Cycles that were not simulated, since nothing but waiting for a time would have happened ({@link file://./steady.ts}): the
   * clock is ahead of the simulation by so much. What is known of the waiting until now, and when to look at it next.
   */
  skipped = 0;
  /** Value of `skipped` when the warp of each slot last issued. */
  readonly skippedThen: Float64Array;
  readonly starts: number[] = [];
  readonly ends: number[] = [];

  constructor(options: SmOptions) {
    const { residentBlocks, warpsPerBlock } = options;
    const slots = residentBlocks * warpsPerBlock;
    const words = (): Int32Array => new Int32Array(slots);
    const { subPartitions } = options.program.parameters;
    this.pc = words();
    this.blockEnd = words();
    this.streams = Array.from({ length: slots }, () => nothing);
    this.cursor = words();
    this.firstAccess = words();
    this.activeLanes = words();
    this.lastIssue = words();
    this.wake = words();
    this.why = new Uint8Array(slots);
    this.readyAt = words();
    this.unknown = new Uint8Array(slots);
    this.floor = words();
    this.floorWhy = new Uint8Array(slots);
    this.inBarrier = new Uint8Array(slots);
    this.age = words();
    this.alive = new Uint8Array(slots);
    this.subOf = Uint8Array.from({ length: slots }, (_, slot) => slot % subPartitions);
    this.bitOf = Int32Array.from({ length: slots }, (_, slot) => 1 << Math.floor(slot / subPartitions));
    this.live = new Int32Array(residentBlocks);
    this.blockOf = new Int32Array(residentBlocks).fill(-1);
    this.skippedThen = new Float64Array(slots);
  }

  /** A warp with this stream takes the slot. */
  begin(w: number, stream: WarpStream): void {
    this.streams[w] = stream;
    this.cursor[w] = this.firstAccess[w] = 0;
    this.blockEnd[w] = this.pc[w] = 0;
    this.alive[w] = running;
    this.unknown[w] = this.inBarrier[w] = 0;
  }
}
