/**
 * Time that passes while all warps of an SM wait for a time: a kernel that spins for a millisecond goes around its loop fifty
 * thousand times, each like the one before. What happened in a window of time is taken to happen again and again, up to a window
 * before the first of them has waited long enough. What is on its way to memory stays on its way: it is like what was in its place.
 */

/** Cycles of a window: hundreds of times around, also where 16 warps of a scheduler take turns. */
export const windowCycles = 1 << 14;

/** A number that counts on. */
interface Tally {
  value: number;
}

/** The counter that is a field of an object. */
export const tally = <Name extends string>(of: Record<Name, number>, name: Name): Tally => ({
  get value() {
    return of[name];
  },
  set value(value: number) {
    of[name] = value;
  },
});

/** Counters of a simulation at one moment. */
export class Window {
  readonly begin: number;
  private readonly counters: readonly Float64Array[];
  private readonly before: readonly Float64Array[];
  private readonly reads: readonly number[][];
  private readonly readsBefore: readonly number[];
  private readonly tallies: readonly { tally: Tally; before: number }[];

  /** `counters` and `tallies` go on to count; `reads` are readings of the clock of the warps that wait, which go on as well. */
  constructor(
    begin: number,
    counters: readonly Float64Array[],
    reads: readonly number[][],
    tallies: readonly Tally[] = [],
  ) {
    this.begin = begin;
    this.tallies = tallies.map((tally) => ({ tally, before: tally.value }));
    this.counters = counters;
    this.before = counters.map((counter) => counter.slice());
    this.reads = reads;
    this.readsBefore = reads.map(({ length }) => length);
  }

  /** All that has happened since the begin, `times` more: `cycles` is how long that was. */
  repeat(times: number, cycles: number): void {
    this.counters.forEach((counter, i) => {
      const before = this.before[i]!;
      for (let k = 0; k < counter.length; k++) counter[k]! += times * (counter[k]! - before[k]!);
    });
    for (const { tally, before } of this.tallies) tally.value += times * (tally.value - before);
    this.reads.forEach((reads, i) => {
      const first = this.readsBefore[i]!;
      const { length } = reads;
      for (let time = 1; time <= times; time++)
        for (let k = first; k < length; k++) reads.push(reads[k]! + time * cycles);
    });
  }
}
