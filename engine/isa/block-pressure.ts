/** Registers that are alive while the instructions of a block are put in order. */
import { originalName } from './copies.ts';
import type { Dependences } from './dependences.ts';
import type { MachineInstruction, Pressure } from '../model/machine.ts';

/** A name that came into a block. */
interface Incoming {
  words: number;
  /** How often it is still read here. */
  left: number;
  /** Somebody reads it after the block. */
  stays: boolean;
}

/** A value that an instruction reads, and how often. */
interface Use {
  from: number;
  times: number;
}

export class BlockPressure {
  private readonly limit: number;
  /** Of the value of each instruction: reads that are still to come. */
  private readonly left: Int32Array;
  private readonly uses: Use[][];
  /** Names that came in and that each instruction reads. */
  private readonly comesIn: Incoming[][];
  /** Words that the results of each instruction take. */
  private readonly sizes: number[];
  /** Instructions whose values stay alive when nothing reads them any more. */
  private readonly stays: boolean[];
  /** Words that are alive now. */
  private alive: number;

  /** `left`: reads of each value that are still to come, which who puts the instructions in order counts down. */
  constructor(
    instructions: readonly MachineInstruction[],
    { takes, uses }: Dependences,
    { limit, words, liveIn, liveOut }: Pressure,
    left: Int32Array,
  ) {
    const wordsOf = (name: string): number => words.get(originalName(name)) ?? 0;
    const incoming = new Map<string, Incoming>();
    /** The last instruction that makes each name. */
    const last = new Map<string, number>();
    this.limit = limit;
    this.left = left;
    this.uses = takes.map(usesOf);
    this.comesIn = instructions.map(({ reads, writes }, i) => {
      const names = reads.filter((name) => !last.has(name));
      for (const name of writes) last.set(name, i);
      return names.map((name) => {
        const of = incoming.get(name) ?? { words: wordsOf(name), left: 0, stays: false };
        of.left++;
        incoming.set(name, of);
        return of;
      });
    });
    for (const [name, of] of incoming) of.stays = liveOut.has(name) && !last.has(name);
    const goesOut = (name: string, i: number): boolean => liveOut.has(name) && last.get(name) === i;
    this.sizes = instructions.map(({ writes }, i) =>
      writes.reduce((sum, name) => sum + (uses[i]! > 0 || goesOut(name, i) ? wordsOf(name) : 0), 0),
    );
    this.stays = instructions.map(({ writes }, i) => writes.some((name) => goesOut(name, i)));
    this.alive = [...liveIn].reduce((sum, name) => sum + wordsOf(name), 0);
  }

  /** Words that are alive more, or less where negative, once an instruction is next. */
  change(i: number): number {
    let sum = this.sizes[i]!;
    for (const { from, times } of this.uses[i]!)
      if (this.left[from] === times && !this.stays[from]!) sum -= this.sizes[from]!;
    for (const { left, stays, words } of this.comesIn[i]!) if (left === 1 && !stays) sum -= words;
    return sum;
  }

  /** Test for room within the limit for so many words more. */
  hasRoom(words: number): boolean {
    return this.alive + words <= this.limit;
  }

  /** Takes an instruction as the next one. */
  take(i: number): void {
    this.alive += this.change(i);
    for (const name of this.comesIn[i]!) name.left--;
  }
}

const usesOf = (takes: readonly number[]): Use[] =>
  [...new Set(takes)].map((from) => ({ from, times: takes.filter((each) => each === from).length }));
