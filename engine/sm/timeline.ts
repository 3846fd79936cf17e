/**
 * What the warp slots of an SM do over time, in few bytes. Per slot, from cycle 0 on without a gap:
 *
 *   state:5 | cycles:3        1 to 7 cycles in a state
 *   state:5 | 0, LEB128       more cycles
 *
 * States are indices of `warpStates`; {@link noWarp} where the slot holds none.
 */
import type { StateSink } from './core/types.ts';

export const noWarp = 31;
const shortest = 7;

export interface WarpState {
  state: number;
  from: number;
  to: number;
}

/** Takes what a simulation tells ({@link SmOptions.sink}), up to a number of bytes in all. */
export class TimelineWriter {
  /** The cycle up to which all slots are known; what comes later is dropped. */
  until = Infinity;
  private readonly slots: { bytes: number[]; at: number; state: number; from: number }[] = [];
  private left: number;

  constructor(mostBytes: number) {
    this.left = mostBytes;
  }

  readonly sink: StateSink = (slot, state, from, to) => {
    if (from >= this.until) return;
    const known = (this.slots[slot] ??= { bytes: [], at: 0, state: noWarp, from: 0 });
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
    if (this.left <= 0) this.until = Math.min(this.until, from);
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

  /** By slot; slots that never held a warp are empty. */
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
