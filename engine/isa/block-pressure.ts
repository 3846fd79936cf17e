/** Registers that are alive while the instructions of a block are put in order. */
import { originalName } from './copies.ts';
import type { Dependences } from './dependences.ts';
import type { MachineInstruction, Pressure } from '../model/machine.ts';

export class BlockPressure {
  private readonly dependences: Dependences;
  private readonly pressure: Pressure;
  /** Names that came in: how often they are still read here. */
  private readonly incoming = new Map<string, number>();
  /** The last instruction that makes each name. */
  private readonly last = new Map<string, number>();
  /** Names that came in and that each instruction reads. */
  private readonly comesIn: string[][];
  /** Words that the results of each instruction take. */
  private readonly sizes: number[];
  /** Instructions whose values stay alive when nothing reads them any more. */
  private readonly stays: boolean[];
  /** Words that are alive now. */
  private alive: number;

  constructor(instructions: readonly MachineInstruction[], dependences: Dependences, pressure: Pressure) {
    const { last, incoming } = this;
    const { liveIn, liveOut } = pressure;
    this.dependences = dependences;
    this.pressure = pressure;
    this.comesIn = instructions.map(() => []);
    instructions.forEach(({ reads, writes }, i) => {
      for (const name of reads)
        if (!last.has(name)) {
          incoming.set(name, (incoming.get(name) ?? 0) + 1);
          this.comesIn[i]!.push(name);
        }
      for (const name of writes) last.set(name, i);
    });
    const goesOut = (name: string, i: number): boolean => liveOut.has(name) && last.get(name) === i;
    this.sizes = instructions.map(({ writes }, i) =>
      writes.reduce((sum, name) => sum + (dependences.left[i]! > 0 || goesOut(name, i) ? this.words(name) : 0), 0),
    );
    this.stays = instructions.map(({ writes }, i) => writes.some((name) => goesOut(name, i)));
    this.alive = [...liveIn].reduce((sum, name) => sum + this.words(name), 0);
  }

  /** Words that are alive more, or less where negative, once an instruction is next. */
  change(i: number): number {
    const { left, takes } = this.dependences;
    const { liveOut } = this.pressure;
    let sum = this.sizes[i]!;
    for (const from of new Set(takes[i])) {
      const uses = takes[i]!.filter((each) => each === from).length;
      if (left[from] === uses && !this.stays[from]!) sum -= this.sizes[from]!;
    }
    for (const name of this.comesIn[i]!)
      if (this.incoming.get(name) === 1 && !(liveOut.has(name) && !this.last.has(name))) sum -= this.words(name);
    return sum;
  }

  /** Test for room within the limit for so many words more. */
  hasRoom(words: number): boolean {
    return this.alive + words <= this.pressure.limit;
  }

  /** Takes an instruction as the next one. */
  take(i: number): void {
    this.alive += this.change(i);
    for (const name of this.comesIn[i]!) this.incoming.set(name, this.incoming.get(name)! - 1);
  }

  private words(name: string): number {
    return this.pressure.words.get(originalName(name)) ?? 0;
  }
}
