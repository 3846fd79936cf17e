/**
 * One GPU in simulated time: takes operations with what they depend on, and works through them as events. It runs as far
 * as it is told, never further, because the host may still hand it work.
 */
import type { EventSink } from '../trace/events.ts';
import { ns } from '../base/units.ts';
import { pagingEvents } from './paging-events.ts';
import { CopyEngines } from './copyengines.ts';
import { Multiprocessors } from './multiprocessors.ts';
import { ActionQueue, Fifo } from './queues.ts';
import type { Operation } from './operations.ts';

export class Device {
  private readonly sink: EventSink;
  private readonly actions = new ActionQueue();
  readonly multiprocessors: Multiprocessors;
  readonly copyEngines: CopyEngines;
  /** Copies inside the GPU and memsets share its memory: one after the other. */
  private readonly memoryQueue = new Fifo<Operation>();
  private memoryBusy = false;
  /** Time of the last event that happened. */
  time = 0;
  /** The operation that ended last. */
  lastEnded: Operation | null = null;

  constructor(options: { copyEngines: number; bidirectionalRate: number; sink: EventSink }) {
    this.sink = options.sink;
    const schedule = (time: number, work: Operation): void => this.actions.push(time, 'progress', work);
    this.multiprocessors = new Multiprocessors(schedule);
    this.copyEngines = new CopyEngines(options.copyEngines, options.bidirectionalRate, schedule);
  }

  /** Takes an operation that reaches the GPU at `arrival`, whose predecessors have been named with {@link after}. */
  submit(work: Operation, arrival: number): void {
    work.earliest = Math.max(work.earliest, arrival);
    if (work.pending === 0) this.actions.push(work.earliest, 'ready', work);
  }

  /** Makes `work`, not yet submitted, start no sooner than `gap` after `predecessor` ended. */
  after(work: Operation, predecessor: Operation, gap: number): void {
    if (predecessor.end >= 0) {
      work.earliest = Math.max(work.earliest, predecessor.end + gap);
      return;
    }
    work.pending++;
    (predecessor.followers ??= []).push({ operation: work, gap });
  }

  /** Everything up to and including `time`. */
  advance(time: number): void {
    for (let next = this.actions.next; next && next.time <= time; next = this.actions.next) this.step();
  }

  runUntilStarted(work: Operation): void {
    while (work.start < 0) this.step();
  }

  runUntilEnded(work: Operation): void {
    while (work.end < 0) this.step();
  }

  runUntilIdle(): void {
    while (this.actions.next) this.step();
  }

  private step(): void {
    const { time, kind, operation: work, version } = this.actions.pop();
    if (version !== work.version) return;
    this.time = time;
    if (kind === 'ready') this.begin(work, time);
    else if (kind === 'done') this.endSimple(work, time);
    else if (
      work.kind === 'kernel' ? this.multiprocessors.progress(work, time) : this.copyEngines.progress(work, time)
    ) {
      this.end(work, time);
    }
  }

  private begin(work: Operation, time: number): void {
    switch (work.kind) {
      case 'kernel':
        return this.multiprocessors.add(work, time);
      case 'copy':
        return this.copyEngines.add(work, time);
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
    this.lastEnded = work;
    if (work.paging) for (const event of pagingEvents(work.paging, work.start, time)) this.sink(event);
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
