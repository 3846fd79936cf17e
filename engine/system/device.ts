/**
 * One GPU in simulated time: takes operations with what they depend on, and works through them as events. It runs as far
 * as it is told, never further, because the host may still hand it work.
 */
import type { EventSink } from '../trace/events.ts';
import { ns } from '../base/units.ts';
import type { HostProfile } from './hosts.ts';
import { CopyEngines } from './copyengines.ts';
import { Multiprocessors } from './multiprocessors.ts';
import { ActionQueue } from './queues.ts';
import type { Operation } from './operations.ts';

export class Device {
  private readonly sink: EventSink;
  private readonly actions = new ActionQueue();
  readonly multiprocessors: Multiprocessors;
  readonly copyEngines: CopyEngines;
  /** Time of the last event that happened. */
  time = 0;
  /** The operation that ended last. */
  lastEnded: Operation | null = null;

  constructor(options: { smCount: number; copyEngines: number; copies: HostProfile['copies']; sink: EventSink }) {
    this.sink = options.sink;
    this.multiprocessors = new Multiprocessors(options.smCount, this.actions);
    this.copyEngines = new CopyEngines(options.copyEngines, options.copies, this.actions, this.multiprocessors);
  }

  /** Takes an operation that reaches the GPU at `arrival`, whose predecessors have been named with {@link after}. */
  submit(work: Operation, arrival: number): void {
    work.earliest = Math.max(work.earliest, arrival);
    if (work.pending === 0) this.actions.push(work.earliest, { kind: 'ready', operation: work });
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

  /** Makes `work`, not yet submitted, wait until the turn of `predecessor` has come. */
  behind(work: Operation, predecessor: Operation): void {
    if (predecessor.hadTurn) return;
    work.pending++;
    (predecessor.behind ??= []).push(work);
  }

  /** Everything up to and including `time`. */
  advance(time: number): void {
    while (this.actions.next <= time) this.step();
  }

  runUntilStarted(work: Operation): void {
    while (work.start < 0) this.step();
  }

  runUntilEnded(work: Operation): void {
    while (work.end < 0) this.step();
  }

  runUntilIdle(): void {
    while (this.actions.next < Infinity) this.step();
  }

  private step(): void {
    const action = this.actions.pop();
    if (!action) return;
    const { time, happening } = action;
    this.time = time;
    switch (happening.kind) {
      case 'ready':
        this.begin(happening.operation, time);
        return this.letPass(happening.operation, time);
      case 'done':
        return this.end(happening.operation, time);
      case 'progress':
        if (this.copyEngines.progress(happening.operation, time)) this.end(happening.operation, time);
        return;
      case 'blocks': {
        const ended = this.multiprocessors.progress(happening.batch, time);
        if (ended) this.end(ended, time);
      }
    }
  }

  private begin(work: Operation, time: number): void {
    switch (work.kind) {
      case 'sm':
        return this.multiprocessors.add(work, time);
      case 'copy':
        return this.copyEngines.add(work, time);
      default:
        work.start = time;
        this.actions.push(time + work.phases[0]!.duration, { kind: 'done', operation: work });
    }
  }

  private letPass(work: Operation, time: number): void {
    work.hadTurn = true;
    for (const next of work.behind ?? []) this.release(next, time);
    work.behind = null;
  }

  private release(work: Operation, time: number): void {
    work.earliest = Math.max(work.earliest, time);
    if (--work.pending === 0) this.actions.push(work.earliest, { kind: 'ready', operation: work });
  }

  private end(work: Operation, time: number): void {
    work.end = time;
    this.lastEnded = work;
    if (work.report) {
      work.report.start = ns(work.start);
      work.report.end = ns(time);
      this.sink(work.report);
    }
    if (!work.followers) return;
    for (const { operation: follower, gap } of work.followers) this.release(follower, time + gap);
    work.followers = null;
  }
}
