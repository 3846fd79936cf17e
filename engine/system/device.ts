/** One GPU in simulated time: takes operations with what they depend on, and works through them as events of its machine. */
import type { EventSink } from '../model/events.ts';
import { ns } from '../base/units.ts';
import type { HostProfile } from './hosts.ts';
import { pagingEvents } from './paging-events.ts';
import { CopyEngines } from './copyengines.ts';
import { Multiprocessors } from './multiprocessors.ts';
import type { ActionQueue, Happening } from './queues.ts';
import type { GraphLaunch, ImplicitWait, Operation } from './operations.ts';
import type { PeerCopies } from './peercopies.ts';

export class Device {
  private readonly sink: EventSink;
  private readonly index: number;
  private readonly actions: ActionQueue;
  private readonly peerCopies: PeerCopies;
  readonly multiprocessors: Multiprocessors;
  readonly copyEngines: CopyEngines;
  /** Operations that it was given and that have not ended. */
  unfinished = 0;
  /** The operation that ended last. */
  lastEnded: Operation | null = null;

  constructor(options: {
    index: number;
    actions: ActionQueue;
    peerCopies: PeerCopies;
    smCount: number;
    copyEngines: number;
    copies: HostProfile['copies'];
    sink: EventSink;
  }) {
    const { actions } = options;
    this.sink = options.sink;
    this.index = options.index;
    this.actions = actions;
    this.peerCopies = options.peerCopies;
    this.multiprocessors = new Multiprocessors(options.smCount, actions, this);
    this.copyEngines = new CopyEngines(options.copyEngines, options.copies, actions, this.multiprocessors);
  }

  /** Takes an operation that reaches the GPU at `arrival`, whose predecessors have been named with `after`. */
  submit(work: Operation, arrival: number): void {
    work.device = this.index;
    this.unfinished++;
    work.earliest = Math.max(work.earliest, arrival);
    if (work.pending === 0) this.actions.push(work.earliest, { kind: 'ready', operation: work });
  }

  /** Carries out an action scheduled for one of its operations. */
  act(happening: Happening, time: number): void {
    switch (happening.kind) {
      case 'ready':
        if (happening.operation.implicit) this.endImplicitWait(happening.operation.implicit, time);
        happening.operation.implicit = null;
        this.begin(happening.operation, time);
        return this.letPass(happening.operation, time);
      case 'done':
        return this.end(happening.operation, time);
      case 'progress': {
        const engines = happening.operation.peer ? this.peerCopies : this.copyEngines;
        if (engines.progress(happening.operation, time)) this.end(happening.operation, time);
        return;
      }
      case 'blocks': {
        const ended = this.multiprocessors.progress(happening.batch, time);
        if (ended) this.end(ended, time);
      }
    }
  }

  /** Its turn has come; was it for what another stream did that it waited? */
  private endImplicitWait({ arrival, own, others, streamId, correlationId }: ImplicitWait, time: number): void {
    const since = Math.max(arrival, own?.end ?? 0);
    const last = others.reduce((latest, other) => (other.operation.end > latest.operation.end ? other : latest));
    if (last.operation.end <= since) return;
    this.sink({
      ...{ type: 'implicit-wait', start: ns(since), end: ns(time), deviceId: this.index, streamId, correlationId },
      ...{ waitsFor: last.correlationId, otherStreamId: last.streamId },
    });
    if (last.correlationId > 0) this.sink({ type: 'dependency', correlationId, waitsFor: last.correlationId });
  }

  private begin(work: Operation, time: number): void {
    switch (work.kind) {
      case 'sm':
        return this.multiprocessors.add(work, time);
      case 'copy':
        return (work.peer ? this.peerCopies : this.copyEngines).add(work, time);
      default:
        work.start = time;
        if (work.phases[0]!.duration < Infinity)
          this.actions.push(time + work.phases[0]!.duration, { kind: 'done', operation: work });
    }
  }

  /** Lets work end that lasts until then. */
  letEnd(work: Operation, time: number): void {
    work.phases[0]!.duration = 0;
    if (work.start >= 0) this.actions.push(Math.max(time, work.start), { kind: 'done', operation: work });
  }

  private letPass(work: Operation, time: number): void {
    work.hadTurn = true;
    for (const next of work.behind ?? []) this.release(next, time);
    work.behind = null;
  }

  /** Its first blocks are on SMs. */
  linkChanged(time: number): void {
    this.copyEngines.setRates(time);
  }

  started(work: Operation, time: number): void {
    for (const { operation: next, gap } of work.starters ?? []) this.release(next, time + gap);
    work.starters = null;
  }

  /** Keeps work that is about to be submitted from starting until it is released once more. */
  hold(work: Operation): void {
    work.pending++;
  }

  /** One thing less that work waits for. */
  release(work: Operation, time: number): void {
    work.earliest = Math.max(work.earliest, time);
    if (--work.pending === 0) this.actions.push(work.earliest, { kind: 'ready', operation: work });
  }

  private end(work: Operation, time: number): void {
    work.end = time;
    this.unfinished--;
    this.lastEnded = work;
    if (work.paging) for (const event of pagingEvents(work.paging, work.start, time)) this.sink(event);
    if (work.report) {
      work.report.start = ns(work.held?.start ?? work.start);
      work.report.end = ns(time);
      this.sink(work.report);
    }
    if (work.launch) this.endOfNode(work, work.launch);
    if (!work.followers) return;
    for (const { operation: follower, gap } of work.followers) this.release(follower, time + gap);
    work.followers = null;
  }

  private endOfNode({ start, end }: Operation, launch: GraphLaunch): void {
    if (launch.start < 0 || start < launch.start) launch.start = start;
    if (--launch.pending > 0 || !launch.report) return;
    this.sink({ ...launch.report, start: ns(launch.start), end: ns(end) });
  }
}
