/**
 * Host threads in simulated time: each has a clock, and the one whose clock shows least goes on (of several, the one with the
 * lowest number). So whatever threads do to each other, to memory and to the GPU happens in the order of simulated time. The GPU
 * is never simulated beyond the next thread's clock, since that thread may still hand it work.
 *
 * This decides who goes on and when; how a thread is stopped and continued is `engine/cuda/threads`.
 */

/** Events of the GPUs: when the next one happens, and letting it happen. */
export interface Timeline {
  readonly next: number;
  step(): void;
}

/** Reason why a thread does not go on. */
export interface Wait {
  /** Name of the wait in messages: `a mutex`, `cudaStreamSynchronize`. */
  what: string;
  /** A wait for the GPU: when the thread goes on; null while that is not known. Others are ended by `wake`. */
  returns?: () => number | null;
  /** Then the thread goes on in any case. */
  until?: number;
  /** The thread goes on when no other can. */
  isIdle?: boolean;
}

export interface HostThread {
  /** The first is 1. */
  readonly number: number;
  clock: number;
  wait: Wait | null;
  /** Its last wait ended because the time was up. */
  timedOut: boolean;
}

const timeOf = ({ clock, wait }: HostThread): number => (wait === null ? clock : (wait.until ?? Infinity));

export class HostThreads {
  /** The one that runs now. */
  current: HostThread;
  /** Changes from one thread to another, and when the last was. */
  turns = 0;
  turnAt = 0;
  private readonly timeline: Timeline;
  /** Threads that have not ended, in the order of their numbers. */
  private alive: HostThread[] = [];
  private last = 0;

  constructor(timeline: Timeline) {
    this.timeline = timeline;
    this.current = this.start(0);
  }

  get several(): boolean {
    return this.alive.length > 1;
  }

  /** A thread whose first instruction is at `time`. */
  start(time: number): HostThread {
    const thread: HostThread = { number: ++this.last, clock: time, wait: null, timedOut: false };
    this.alive.push(thread);
    return thread;
  }

  end(thread: HostThread): void {
    this.alive = this.alive.filter((each) => each !== thread);
  }

  /** The present thread waits: it goes on once `pick` says so. */
  wait(wait: Wait): void {
    this.current.timedOut = false;
    this.current.wait = wait;
  }

  /** Ends the wait of a thread, which goes on at `time`. */
  wake(thread: HostThread, time: number): void {
    thread.wait = null;
    thread.clock = Math.max(thread.clock, Math.round(time));
  }

  /** Lets the GPU work until it is known who goes on: that thread becomes the present one. Null when nobody ever will. */
  pick(): HostThread | null {
    for (;;) {
      this.endWaits();
      const next = this.least(null);
      const waits = this.alive.some(({ wait }) => wait?.returns !== undefined);
      if (waits && this.timeline.next <= (next === null ? Number.MAX_SAFE_INTEGER : timeOf(next))) {
        this.timeline.step();
        continue;
      }
      if (next === null) {
        const idle = this.alive.find(({ wait }) => wait?.isIdle);
        if (!idle) return null;
        this.wake(idle, idle.clock);
        continue;
      }
      if (next.wait) {
        this.wake(next, next.wait.until!);
        next.timedOut = true;
      }
      if (next !== this.current) {
        this.turns++;
        this.turnAt = next.clock;
      }
      return (this.current = next);
    }
  }

  /** Time up to which the GPU may be simulated for the present thread: others may hand it work from then on. */
  horizon(): number {
    if (!this.several) return Infinity;
    this.endWaits();
    const next = this.least(this.current);
    return next === null ? Infinity : timeOf(next);
  }

  /** Lists the threads and what each waits for, when none can go on. */
  describe(): string {
    return this.alive.map(({ number, wait }) => `thread ${number} for ${wait?.what ?? 'nothing'}`).join(', ');
  }

  private endWaits(): void {
    for (const thread of this.alive) {
      const time = thread.wait?.returns?.() ?? null;
      if (time !== null) this.wake(thread, time);
    }
  }

  /** The thread that goes on first; null when all wait without end. */
  private least(except: HostThread | null): HostThread | null {
    let least: HostThread | null = null;
    for (const thread of this.alive) {
      if (thread === except || timeOf(thread) === Infinity) continue;
      if (least === null || timeOf(thread) < timeOf(least)) least = thread;
    }
    return least;
  }
}
