/**
 * Events on their way from the program's thread to the writer's: in batches, of which only so many may wait to be written. A program
 * that makes events faster than they can be stored waits, rather than filling memory.
 *
 *   const batches = new EventBatches(inFlight, (events) => port.postMessage(events));   // in the program's thread
 *   batches.add(event);
 *   written(inFlight);                                                                  // where one has been written
 *
 * `inFlight` is one number in shared memory: batches posted and not yet written.
 */
import type { TraceEvent } from '../model/events.ts';

export const maxBatchesInFlight = 32;
/** Events leave in batches of this many, or when this much wall time has gone by. */
export const batchEvents = 4096;
const batchMilliseconds = 100;
/** A blocked program looks this often whether its batches have been written. */
const waitMilliseconds = 1000;

export const newInFlight = (): Int32Array => new Int32Array(new SharedArrayBuffer(4));

export function written(inFlight: Int32Array): void {
  Atomics.sub(inFlight, 0, 1);
  Atomics.notify(inFlight, 0);
}

export class EventBatches {
  private readonly inFlight: Int32Array;
  private readonly post: (events: TraceEvent[]) => void;
  private events: TraceEvent[] = [];
  private lastPost = performance.now();

  constructor(inFlight: Int32Array, post: (events: TraceEvent[]) => void) {
    this.inFlight = inFlight;
    this.post = post;
  }

  add(event: TraceEvent): void {
    this.events.push(event);
    if (this.events.length >= batchEvents || performance.now() - this.lastPost > batchMilliseconds) this.flush();
  }

  flush(): void {
    if (this.events.length === 0) return;
    while (Atomics.load(this.inFlight, 0) >= maxBatchesInFlight) {
      Atomics.wait(this.inFlight, 0, maxBatchesInFlight, waitMilliseconds);
    }
    Atomics.add(this.inFlight, 0, 1);
    this.post(this.events);
    this.events = [];
    this.lastPost = performance.now();
  }
}
