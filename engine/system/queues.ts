/** The two queues of the simulation: actions by time, and first in, first out. */
import type { Batch } from './multiprocessors.ts';
import type { Operation } from './operations.ts';

/** Event of the simulation: an operation's turn comes, a copy makes progress, an operation or a batch of blocks has ended. */
export type Happening =
  { kind: 'ready' | 'progress' | 'done'; operation: Operation } | { kind: 'blocks'; batch: Batch };

interface Action extends Timed {
  happening: Happening;
  /** Version of the operation or batch when this was scheduled; a different one now means that the action is out of date. */
  version: number;
}

const versionOf = (happening: Happening): number =>
  happening.kind === 'blocks' ? happening.batch.version : happening.operation.version;

interface Timed {
  time: number;
  /** Order of scheduling: decides between entries at one time, so that runs repeat exactly. */
  order: number;
}

/** Binary heap: the entry with the earliest time comes first. */
export class TimeHeap<Entry extends Timed> {
  private readonly heap: Entry[] = [];

  get first(): Entry | undefined {
    return this.heap[0];
  }

  push(entry: Entry): void {
    const { heap } = this;
    let index = heap.length;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!before(entry, heap[parent]!)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = entry;
  }

  take(): Entry | undefined {
    const { heap } = this;
    const [first] = heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++;
      if (!before(heap[child]!, last)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

const before = (a: Timed, b: Timed): boolean => a.time < b.time || (a.time === b.time && a.order < b.order);

export class ActionQueue {
  private readonly heap = new TimeHeap<Action>();
  private order = 0;

  /** Time of the next action; Infinity when there is none. */
  get next(): number {
    return this.heap.first?.time ?? Infinity;
  }

  push(time: number, happening: Happening): void {
    this.heap.push({ time, order: this.order++, happening, version: versionOf(happening) });
  }

  /** Takes the next action; null where it is out of date. */
  pop(): { time: number; happening: Happening } | null {
    const { time, happening, version } = this.heap.take()!;
    return version === versionOf(happening) ? { time, happening } : null;
  }
}

/** A queue whose `shift` costs the same for any length. */
export class Fifo<Item> {
  private items: Item[] = [];
  private head = 0;

  get length(): number {
    return this.items.length - this.head;
  }

  get first(): Item | undefined {
    return this.items[this.head];
  }

  push(item: Item): void {
    this.items.push(item);
  }

  shift(): Item | undefined {
    if (this.length === 0) return undefined;
    const item = this.items[this.head++]!;
    if (this.head > 64 && this.head * 2 > this.items.length) {
      this.items = this.items.slice(this.head);
      this.head = 0;
    }
    return item;
  }
}
