/**
 * Barriers that a block has of its own: those with a number (`bar.sync 1, 64`), and those in its shared memory (mbarrier),
 * which copies in bulk complete as well. What they are told may lie in the future, since copies know when they will be done.
 */

/** Somebody who waits for the end of a phase: `warp` as it was at `age`, for its instruction `instruction`. */
export interface Waiter {
  warp: number;
  age: number;
  instruction: number;
}

interface SharedBarrier {
  /** Arrivals that a phase takes, and those that this one still wants. */
  expected: number;
  pending: number;
  /** Bytes that copies have yet to bring; negative where they come before they are announced. */
  awaited: number;
  /** Phases that are over, and when the last one was. */
  phases: number;
  overAt: number;
  /** When the last of this phase has happened until now. */
  time: number;
  waiting: (Waiter & { phases: number })[];
}

/** Not yet known. */
export const unknownTime = -1;

export class SharedBarriers {
  private readonly ofBlock: Map<number, SharedBarrier>[];
  private readonly wake: (waiter: Waiter, time: number) => void;

  /** `wake` is told when the phase that somebody waits for is over. */
  constructor(residentBlocks: number, wake: (waiter: Waiter, time: number) => void) {
    this.ofBlock = Array.from({ length: residentBlocks }, () => new Map<number, SharedBarrier>());
    this.wake = wake;
  }

  /** Another block takes the place of one that has ended. */
  clear(block: number): void {
    this.ofBlock[block]!.clear();
  }

  init(block: number, place: number, expected: number, time: number): void {
    this.ofBlock[block]!.set(place, {
      expected,
      pending: expected,
      awaited: 0,
      phases: 0,
      overAt: time,
      time,
      waiting: [],
    });
  }

  /** `arrivals` come at `time`, of which `dropped` stay away from then on; `bytes` more are awaited. */
  change(block: number, place: number, time: number, arrivals: number, dropped: number, bytes: number): void {
    const barrier = this.at(block, place, time);
    barrier.expected -= dropped;
    barrier.pending -= arrivals;
    barrier.awaited += bytes;
    if (time > barrier.time) barrier.time = time;
    if (barrier.pending > 0 || barrier.awaited !== 0) return;
    barrier.pending += barrier.expected;
    barrier.phases++;
    barrier.overAt = barrier.time;
    const { waiting } = barrier;
    barrier.waiting = waiting.filter(({ phases }) => phases > barrier.phases);
    for (const waiter of waiting) if (waiter.phases <= barrier.phases) this.wake(waiter, barrier.overAt);
  }

  /** The phase that is going on does not end before `time`. */
  delay(block: number, place: number, time: number): void {
    const barrier = this.at(block, place, time);
    if (time > barrier.time) barrier.time = time;
  }

  /** When so many phases are over; {@link unknownTime} if that is not known, in which case the waiter will be woken. */
  over(block: number, place: number, phases: number, now: number, waiter: Waiter): number {
    const barrier = this.at(block, place, now);
    if (barrier.phases >= phases) return barrier.overAt;
    barrier.waiting.push({ ...waiter, phases });
    return unknownTime;
  }

  /** Barriers whose beginning was not seen have one arrival. */
  private at(block: number, place: number, time: number): SharedBarrier {
    const found = this.ofBlock[block]!.get(place);
    if (found !== undefined) return found;
    this.init(block, place, 1, time);
    return this.ofBlock[block]!.get(place)!;
  }
}
