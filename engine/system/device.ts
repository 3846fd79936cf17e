/** One GPU in simulated time: takes operations with what they depend on, and works through them as events of its machine. */
import type { EventSink } from '../trace/events.ts';
import { ns } from '../base/units.ts';
import { CopyEngines } from './copyengines.ts';
import { Multiprocessors } from './multiprocessors.ts';
import { Fifo, type ActionKind, type ActionQueue } from './queues.ts';
import type { Operation } from './operations.ts';
import type { PeerCopies } from './peercopies.ts';

export class Device {
  private readonly sink: EventSink;
  private readonly index: number;
  private readonly actions: ActionQueue;
  private readonly peerCopies: PeerCopies;
  readonly multiprocessors: Multiprocessors;
  readonly copyEngines: CopyEngines;
  /** Copies inside the GPU and memsets share its memory: one after the other. */
  private readonly memoryQueue = new Fifo<Operation>();
  private memoryBusy = false;
  /** Operations that it was given and that have not ended. */
  unfinished = 0;
  /** The operation that ended last. */
  lastEnded: Operation | null = null;

  constructor(options: {
    index: number;
    actions: ActionQueue;
    peerCopies: PeerCopies;
    copyEngines: number;
    bidirectionalRate: number;
    sink: EventSink;
  }) {
    this.sink = options.sink;
    this.index = options.index;
    this.actions = options.actions;
    this.peerCopies = options.peerCopies;
    const schedule = (time: number, work: Operation): void => this.actions.push(time, 'progress', work);
    this.multiprocessors = new Multiprocessors(schedule);
    this.copyEngines = new CopyEngines(options.copyEngines, options.bidirectionalRate, schedule);
  }

  /** Takes an operation that reaches the GPU at `arrival`, whose predecessors have been named with `after`. */
  submit(work: Operation, arrival: number): void {
    work.device = this.index;
    this.unfinished++;
    work.earliest = Math.max(work.earliest, arrival);
    if (work.pending === 0) this.actions.push(work.earliest, 'ready', work);
  }

  /** What was scheduled for one of its operations happens. */
  act(kind: ActionKind, work: Operation, time: number): void {
    if (kind === 'ready') this.begin(work, time);
    else if (kind === 'done') this.endSimple(work, time);
    else if (this.progress(work, time)) this.end(work, time);
  }

  private progress(work: Operation, time: number): boolean {
    if (work.kind === 'kernel') return this.multiprocessors.progress(work, time);
    return work.peer ? this.peerCopies.progress(work, time) : this.copyEngines.progress(work, time);
  }

  private begin(work: Operation, time: number): void {
    switch (work.kind) {
      case 'kernel':
        return this.multiprocessors.add(work, time);
      case 'copy':
        return work.peer ? this.peerCopies.add(work, time) : this.copyEngines.add(work, time);
      case 'memory':
        this.memoryQueue.push(work);
        return this.nextInMemory(time);
      case 'event':
      case 'wait':
        work.start = time;
        this.actions.push(time + work.phases[0]!.duration, 'done', work);
    }
  }

  private nextInMemory(time: number): void {
    if (this.memoryBusy) return;
    const work = this.memoryQueue.shift();
    if (!work) return;
    this.memoryBusy = true;
    work.start = time;
    this.actions.push(time + work.phases[0]!.duration, 'done', work);
  }

  private endSimple(work: Operation, time: number): void {
    if (work.kind === 'memory') {
      this.memoryBusy = false;
      this.nextInMemory(time);
    }
    this.end(work, time);
  }

  private end(work: Operation, time: number): void {
    work.end = time;
    this.unfinished--;
    this.lastEnded = work;
    if (work.report) {
      work.report.start = ns(work.start);
      work.report.end = ns(time);
      this.sink(work.report);
    }
    if (!work.followers) return;
    for (const { operation: follower, gap } of work.followers) {
      follower.earliest = Math.max(follower.earliest, time + gap);
      if (--follower.pending === 0) this.actions.push(follower.earliest, 'ready', follower);
    }
    work.followers = null;
  }
}
