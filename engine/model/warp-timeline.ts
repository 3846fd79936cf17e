/**
 * Compact encoding of the warp slots of an SM over time. Per slot, from cycle 0 on without a gap:
 *
 *   state:5 | cycles:3        1 to 7 cycles in a state
 *   state:5 | 0, LEB128       more cycles
 *
 * States are indices of `warpStates`; {@link noWarp} where the slot holds none.
 *
 * Beside it, which instructions the warps of a slot issued, one for each cycle in which they were selected.
 *
 * Where that gets too much it ends; how long the warps of the SM together were in each state, over time, goes on.
 */
import type { StateMix } from './kernel-profile.ts';
import { warpStates } from './warp-states.ts';

/**
 * Receives what each warp slot does: `state` is an index into {@link warpStates}, from (inclusive) to (exclusive). Of the state
 * `selected`, one cycle, also which instruction of the program was issued.
 */
export type StateSink = (slot: number, state: number, from: number, to: number, instruction?: number) => void;

export const noWarp = 31;
const shortest = 7;

export interface WarpState {
  state: number;
  from: number;
  to: number;
}

/** When there are more cells their width doubles. */
const mostCells = 512;
const states = warpStates.length;

class MixWriter {
  private shift = 0;
  private readonly cycles = new Float64Array(mostCells * states);
  private cells = 0;

  add(state: number, from: number, to: number): void {
    if (to <= from) return;
    while (to > mostCells * 2 ** this.shift) this.fold();
    const { cycles, shift } = this;
    const width = 2 ** shift;
    const last = Math.ceil(to / width) - 1;
    if (last >= this.cells) this.cells = last + 1;
    let at = from;
    for (let cell = Math.floor(from / width); cell < last; cell++) {
      const border = (cell + 1) * width;
      cycles[cell * states + state]! += border - at;
      at = border;
    }
    cycles[last * states + state]! += to - at;
  }

  finish(): StateMix {
    return { width: 2 ** this.shift, cycles: this.cycles.slice(0, this.cells * states) };
  }

  private fold(): void {
    const { cycles } = this;
    for (let cell = 0; cell < mostCells / 2; cell++) {
      for (let state = 0; state < states; state++) {
        cycles[cell * states + state] = cycles[2 * cell * states + state]! + cycles[(2 * cell + 1) * states + state]!;
      }
    }
    cycles.fill(0, (mostCells / 2) * states);
    this.cells = Math.ceil(this.cells / 2);
    this.shift++;
  }
}

/** Numbers, most of which are one more than that before. */
export class Runs {
  /** The first of each run, and how many it has. */
  readonly pairs: number[] = [];

  add(value: number): void {
    const { pairs } = this;
    const { length } = pairs;
    if (length > 0 && pairs[length - 2]! + pairs[length - 1]! === value) pairs[length - 1]!++;
    else pairs.push(value, 1);
  }

  *[Symbol.iterator](): Generator<number> {
    yield* numbersOf(this.pairs);
  }
}

export function* numbersOf(pairs: ArrayLike<number>): Generator<number> {
  for (let i = 0; i < pairs.length; i += 2) {
    for (let k = 0; k < pairs[i + 1]!; k++) yield pairs[i]! + k;
  }
}

/** Takes what a simulation tells ({@link SmOptions.sink}), up to a number of bytes in all. */
export class TimelineWriter {
  /** The cycle up to which all slots are known; what comes later is dropped. */
  until = Infinity;
  private readonly slots: { bytes: number[]; issues: Runs; at: number; state: number; from: number }[] = [];
  private left: number;
  private latest = 0;
  private readonly mix = new MixWriter();

  constructor(mostBytes: number) {
    this.left = mostBytes;
  }

  readonly sink: StateSink = (slot, state, from, to, instruction) => {
    this.mix.add(state, from, to);
    if (from >= this.until) return;
    if (to > this.until) to = this.until;
    const known = (this.slots[slot] ??= { bytes: [], issues: new Runs(), at: 0, state: noWarp, from: 0 });
    if (instruction !== undefined) known.issues.add(instruction);
    if (from > known.at && known.state !== noWarp) {
      this.put(known);
      Object.assign(known, { state: noWarp, from: known.at });
    }
    known.at = from;
    if (state !== known.state) {
      this.put(known);
      Object.assign(known, { state, from });
    }
    known.at = to;
    if (to > this.latest) this.latest = to;
    // States are told when they end: those that go on now are still to come.
    if (this.left <= 0 && this.until === Infinity) this.until = this.latest;
  };

  private put({ bytes, state, from, at }: { bytes: number[]; state: number; from: number; at: number }): void {
    const cycles = at - from;
    if (cycles <= 0) return;
    const before = bytes.length;
    if (cycles <= shortest) bytes.push((state << 3) | cycles);
    else {
      bytes.push(state << 3);
      for (let rest = cycles; ; rest >>>= 7) {
        bytes.push(rest > 127 ? (rest & 127) | 128 : rest);
        if (rest <= 127) break;
      }
    }
    this.left -= bytes.length - before;
  }

  /** Issues per slot as runs of consecutive instructions: first, count. `numbers` maps the program's instructions to stored ones. */
  finishIssues(numbers: ArrayLike<number>): Uint32Array[] {
    return Array.from(this.slots, (slot) => {
      const renamed = new Runs();
      for (const instruction of slot?.issues ?? []) renamed.add(numbers[instruction]!);
      return Uint32Array.from(renamed.pairs);
    });
  }

  /** Over all that was simulated. */
  finishMix(): StateMix {
    return this.mix.finish();
  }

  /** Encoded states per slot; slots that never held a warp are empty. */
  finish(): Uint8Array[] {
    return Array.from(this.slots, (slot) => {
      if (slot === undefined) return new Uint8Array();
      this.put(slot);
      return Uint8Array.from(slot.bytes);
    });
  }
}

/** The states of one slot, in order, without those of {@link noWarp}. */
export function* readTimeline(bytes: Uint8Array): Generator<WarpState> {
  let from = 0;
  for (let i = 0; i < bytes.length;) {
    const first = bytes[i++]!;
    let cycles = first & shortest;
    if (cycles === 0)
      for (let shift = 0, more = true; more; shift += 7) {
        const byte = bytes[i++]!;
        cycles += (byte & 127) * 2 ** shift;
        more = byte > 127;
      }
    const state = first >> 3;
    if (state !== noWarp) yield { state, from, to: from + cycles };
    from += cycles;
  }
}

/** From the start of a kernel to its end when it does nothing: H200 reference, trace of c_launch, k_empty. */
export const rampNanoseconds = 600;
