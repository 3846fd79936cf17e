/**
 * The place of each warp in its stream: which machine block is next, which token an access has, and how often loops go around
 * that poll a value or wait for the clock.
 */
import {
  accessOf,
  kindOf,
  lengthOf,
  syncAction,
  syncWords,
  tokenType,
  typeOf,
  waitAccess,
  waitsForClock,
} from '../../model/warp-stream.ts';
import type { ResidentWarps } from './resident-warps.ts';
import type { SmOptions, SmProgram } from './types.ts';

const notPolling = -1;

const isPollEnd = (word: number): boolean =>
  typeOf(word) === tokenType.sync && kindOf(word) === syncAction.pollEnd && accessOf(word) === waitAccess;

export class StreamReader {
  private readonly program: SmProgram;
  private readonly warps: ResidentWarps;

  /**
   * State of a warp in a loop that polls: where it begins in the stream ({@link notPolling} elsewhere), whether the last poll was in vain,
   * instructions since the begin.
   */
  readonly pollFrom: Int32Array;
  readonly inVain: Uint8Array;
  readonly pollLength: Int32Array;
  /** Readings of the clock before the loop that waits for a time, if the warp is in one ({@link notPolling} elsewhere). */
  readonly clockFrom: Int32Array;
  /** Time until which it waits there. */
  readonly clockUntil: Float64Array;
  /** Iterations of the current silent loop; -1 outside of one. */
  readonly clockRounds: Float64Array;
  readonly clockReads: number[][] = [];
  /** Iterations of silent loops, by reading. */
  readonly silentRounds: Map<number, number>[] = [];
  polling = 0;

  constructor(options: SmOptions, warps: ResidentWarps) {
    const { residentBlocks, warpsPerBlock } = options;
    const slots = residentBlocks * warpsPerBlock;
    const words = (): Int32Array => new Int32Array(slots);
    this.program = options.program;
    this.warps = warps;
    this.pollFrom = words();
    this.inVain = new Uint8Array(slots);
    this.pollLength = words();
    this.clockFrom = words();
    this.clockUntil = new Float64Array(slots);
    this.clockRounds = new Float64Array(slots).fill(-1);
  }

  /** Another warp takes the slot. */
  begin(w: number): void {
    this.inVain[w] = 0;
    this.pollFrom[w] = this.clockFrom[w] = notPolling;
    this.clockRounds[w] = -1;
  }

  /** Goes to the next machine block of the stream that has instructions; false if there is none. */
  enterBlock(w: number): boolean {
    const { warps } = this;
    const stream = warps.streams[w]!;
    const { blockStart } = this.program;
    let position = warps.cursor[w]!;
    while (position < stream.length) {
      const word = stream[position]!;
      if (typeOf(word) === tokenType.block) {
        const start = blockStart[word]!;
        const end = blockStart[word + 1]!;
        if (end > start) {
          warps.pc[w] = start;
          warps.blockEnd[w] = end;
          warps.activeLanes[w] = stream[position + 1]!;
          warps.cursor[w] = warps.firstAccess[w] = position + 2;
          this.pollLength[w]! += end - start;
          return true;
        }
      } else if (accessOf(word) === waitAccess) {
        if (stream[position + syncWords] === waitsForClock) {
          position = this.waitForClock(w, position);
          continue;
        }
        if (kindOf(word) === syncAction.poll) {
          this.pollFrom[w] = position + lengthOf(word);
          this.pollLength[w] = 0;
        } else if (this.inVain[w] === 0) this.pollFrom[w] = notPolling;
        else {
          // Once more around.
          this.polling += this.pollLength[w]!;
          this.inVain[w] = this.pollLength[w] = 0;
          position = this.pollFrom[w]!;
          continue;
        }
      }
      position += lengthOf(word);
    }
    warps.cursor[w] = position;
    return false;
  }

  readClock(w: number, time: number): void {
    const reads = (this.clockReads[this.warps.age[w]!] ??= []);
    const rounds = this.clockRounds[w]!;
    if (rounds > 0) reads[reads.length - 1] = time;
    else reads.push(time);
    if (rounds >= 0) this.clockRounds[w] = rounds + 1;
  }

  /** Position in the stream at which a warp goes on from either end of a loop that waits for a time. */
  waitForClock(w: number, position: number): number {
    const { warps } = this;
    const stream = warps.streams[w]!;
    const reads = (this.clockReads[warps.age[w]!] ??= []);
    const after = position + lengthOf(stream[position]!);
    if (kindOf(stream[position]!) === syncAction.poll) {
      let end = after;
      while (!isPollEnd(stream[end]!)) end += lengthOf(stream[end]!);
      this.pollFrom[w] = after;
      this.clockFrom[w] = reads.length;
      this.clockRounds[w] = stream[position + 1] === 1 ? 0 : -1;
      this.clockUntil[w] = (reads.at(-1) ?? 0) + stream[end + 1]! + stream[end + 2]! * 2 ** 32;
      return after;
    }
    if (reads.at(-1)! < this.clockUntil[w]!) {
      this.polling += this.pollLength[w]!;
      this.pollLength[w] = 0;
      return this.pollFrom[w]!;
    }
    if (this.clockRounds[w]! >= 0) {
      (this.silentRounds[warps.age[w]!] ??= new Map<number, number>()).set(reads.length - 1, this.clockRounds[w]!);
      this.clockRounds[w] = -1;
    }
    this.pollFrom[w] = this.clockFrom[w] = notPolling;
    return after;
  }

  /** Place of the token of a memory access of the current machine block, or -1 if no lane took part. */
  findAccess(w: number, number: number): number {
    const { warps } = this;
    const stream = warps.streams[w]!;
    let position = warps.cursor[w]!;
    for (let again = 0; again < 2; again++) {
      while (position < stream.length) {
        const word = stream[position]!;
        if (typeOf(word) === tokenType.block) break;
        const found = accessOf(word);
        if (found === number) {
          warps.cursor[w] = position;
          return position;
        }
        if (found > number) break;
        position += lengthOf(word);
      }
      // Instructions may stand in another order than their accesses.
      position = warps.firstAccess[w]!;
    }
    return -1;
  }
}
