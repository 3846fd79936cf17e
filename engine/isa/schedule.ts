/**
 * Order of the instructions of a block as ptxas would choose it: the instruction that leads to the longest wait goes first, as far as
 * dependences, the order of memory and barriers, and the number of registers allow.
 */
import { BlockPressure } from './block-pressure.ts';
import { Dependences } from './dependences.ts';
import type { MachineInstruction, Pressure } from '../model/machine.ts';

/** Instructions may overtake so many others: the first of these that leaves enough registers, else the usual one. */
export const windows = [256, 64, 32, 16, 8, 4, 1] as const;
export const usualWindow = 64;
/**
 * Window of instructions that free as many registers as they take, which may overtake more: chains that do not depend on each other go side
 * by side.
 */
const farWindow = 1024;

export function schedule(
  instructions: MachineInstruction[],
  window: number = usualWindow,
  pressure: Pressure | null = null,
  dependences: () => Dependences = () => new Dependences(instructions),
): MachineInstruction[] {
  if (instructions.length < 3) return instructions;
  return new BlockSchedule(instructions, window, pressure, dependences()).run();
}

class BlockSchedule {
  private readonly instructions: readonly MachineInstruction[];
  private readonly window: number;
  private readonly dependences: Dependences;
  private readonly pressure: BlockPressure | null;
  /** Instructions that each one still waits for; reads, still to come, of the value that each one makes. */
  private readonly waits: Int32Array;
  private readonly left: Int32Array;
  /** Those that wait for none and have no place yet, in their old order. */
  private readonly ready: number[] = [];
  private readonly done: Uint8Array;
  /** Cycles at which each instruction has what it waits for, if one issues per cycle. */
  private readonly earliest: Float64Array;
  private now = 0;
  /** The first instruction that has no place yet. */
  private first = 0;

  constructor(
    instructions: readonly MachineInstruction[],
    window: number,
    pressure: Pressure | null,
    dependences: Dependences,
  ) {
    this.instructions = instructions;
    this.window = window;
    this.dependences = dependences;
    this.waits = dependences.waits.slice();
    this.left = dependences.uses.slice();
    this.pressure = pressure && new BlockPressure(instructions, dependences, pressure, this.left);
    this.waits.forEach((count, i) => count === 0 && this.ready.push(i));
    this.done = new Uint8Array(instructions.length);
    this.earliest = new Float64Array(instructions.length);
  }

  /** The instructions in their new order. */
  run(): MachineInstruction[] {
    const { instructions, dependences, pressure, earliest, done, waits, left } = this;
    const { after, takes } = dependences;
    const result: MachineInstruction[] = [];
    while (result.length < instructions.length) {
      while (done[this.first] === 1) this.first++;
      const best = pressure === null ? this.nearest() : this.leastPressing(pressure);
      pressure?.take(best);
      done[best] = 1;
      this.ready.splice(placeOf(this.ready, best), 1);
      for (const from of takes[best]!) left[from]!--;
      result.push(instructions[best]!);
      this.now = Math.max(this.now, earliest[best]!);
      for (const { to, latency } of after[best]!) {
        if (--waits[to]! === 0) this.ready.splice(placeOf(this.ready, to), 0, to);
        earliest[to] = Math.max(earliest[to]!, this.now + latency);
      }
      this.now++;
    }
    return result;
  }

  /** Test for an instruction that goes before another: the one that need not wait, then the one with the longer way to the end. */
  private isBefore(a: number, b: number): boolean {
    const { earliest, now } = this;
    const { heights } = this.dependences;
    const waitA = Math.max(0, earliest[a]! - now);
    const waitB = Math.max(0, earliest[b]! - now);
    return waitA === waitB ? heights[a]! > heights[b]! : waitA < waitB;
  }

  /** Test for an instruction that frees as many registers as it takes. */
  private frees(i: number): boolean {
    const { left } = this;
    return this.dependences.takes[i]!.filter((from) => left[from] === 1).length >= this.instructions[i]!.writes.length;
  }

  /** The one with the longest way to the end of those within the window, and of those beyond that free what they take. */
  private nearest(): number {
    const { first, window } = this;
    let best = -1;
    const near = first + window;
    const end = Math.min(this.instructions.length, first + Math.max(window, window > 1 ? farWindow : 1));
    for (const i of this.ready) {
      if (i >= end) break;
      if (best >= 0 && !this.isBefore(i, best)) continue;
      if (i < near || this.frees(i)) best = i;
    }
    return best;
  }

  /** The one with the longest way to the end of those that leave registers enough; if none does, the one that takes the least. */
  private leastPressing(pressure: BlockPressure): number {
    const { first } = this;
    let best = -1;
    let least = -1;
    let leastChange = Infinity;
    const end = Math.min(this.instructions.length, first + farWindow);
    for (const i of this.ready) {
      if (i >= end) break;
      const more = pressure.change(i);
      if (pressure.hasRoom(more) && (best < 0 || this.isBefore(i, best))) best = i;
      if (more < leastChange) {
        least = i;
        leastChange = more;
      }
    }
    return best >= 0 ? best : least;
  }
}

/** The place of a number in a list that is in order. */
function placeOf(list: readonly number[], value: number): number {
  let [from, to] = [0, list.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (list[middle]! < value) from = middle + 1;
    else to = middle;
  }
  return from;
}
