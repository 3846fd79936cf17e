/** Waits of host threads for the GPU, and what they see of work that has ended. */
import type { SynchronizationEvent } from '../model/event-kinds/synchronization.ts';
import { isBetween, type Operation } from './operations.ts';
import type { SystemState } from './state.ts';
import type { StreamOrder } from './stream-order.ts';
import type { Stream, Streams } from './streams.ts';
import type { Submission } from './submission.ts';
import type { ApiCall, EventId, StreamId } from './types.ts';

export class Waits {
  private readonly state: SystemState;
  private readonly streams: Streams;
  private readonly order: StreamOrder;
  private readonly submission: Submission;
  /** Threads that wait sleep (`cudaDeviceScheduleBlockingSync`); else they spin. */
  private blockingWaits = false;

  constructor(state: SystemState, streams: Streams, order: StreamOrder, submission: Submission) {
    this.state = state;
    this.streams = streams;
    this.order = order;
    this.submission = submission;
  }

  roomIn(call: ApiCall, id: StreamId): void {
    const oldest = this.submission.oldestOfFull(this.streams.stream(id));
    if (!oldest) return;
    this.submission.flush();
    this.whenOver(call, () => (oldest.end < 0 ? null : oldest.end));
  }

  queryStream(stream: StreamId): boolean {
    this.submission.flush();
    const queried = this.streams.stream(stream);
    this.state.machine.advance(this.state.clock);
    return this.order.lastOf(queried).every((work) => this.isSeen(work));
  }

  queryEvent(event: EventId): boolean {
    this.submission.flush();
    const { record } = this.streams.event(event);
    this.state.machine.advance(this.state.clock);
    return record === null || this.isSeen(record);
  }

  /** The host sees that work has ended when it would have returned from waiting for it. */
  private isSeen(work: Operation): boolean {
    return work.end >= 0 && work.end + this.returnLatency(work) <= this.state.clock;
  }

  elapsedMilliseconds(start: EventId, end: EventId): number | null {
    this.submission.flush();
    const from = this.streams.event(start).record;
    const to = this.streams.event(end).record;
    this.state.machine.advance(this.state.clock);
    if (!from || !to || from.end < 0 || to.end < 0) return null;
    if (!this.streams.event(start).timing || !this.streams.event(end).timing) return null;
    return (to.end - from.end) / 1e6;
  }

  // Waiting

  setBlockingWaits(blocking: boolean): void {
    this.blockingWaits = blocking;
  }

  synchronizeStream(call: ApiCall, stream: StreamId): void {
    const awaited = this.streams.stream(stream);
    this.waitForStream(call, awaited);
    this.whenWaited(call, () => this.synchronized(call, 'stream', awaited.device, awaited.traceId, null));
  }

  synchronizeEvent(call: ApiCall, event: EventId): void {
    const { record, blockingSync } = this.streams.event(event);
    if (record) this.waitFor(call, record, blockingSync);
    this.whenWaited(call, () => this.synchronized(call, 'event', Math.max(0, record?.device ?? 0), null, event));
  }

  synchronizeDevice(call: ApiCall, silent = false, index = 0): void {
    this.submission.flush();
    const { device } = this.streams.gpus[index]!;
    this.state.machine.advance(this.state.clock);
    if (call.waits) this.waitForAll(call, index);
    else if (this.state.copiesAside) this.waitBesideCopies(index);
    else {
      this.state.machine.runUntilIdle(device);
      const last = device.lastEnded;
      if (last && !this.isSeen(last)) this.returnFrom(last, this.blockingWaits);
    }
    if (!silent) this.whenWaited(call, () => this.synchronized(call, 'context', index, null, null));
  }

  /** Waits for all work that a device has been given until now; other threads may give it more meanwhile. */
  private waitForAll(call: ApiCall, index: number): void {
    const pending = this.streams.lastOperations(index).filter((work) => !this.isSeen(work));
    if (pending.length === 0) return;
    const { clock } = this.state;
    this.whenOver(call, () => {
      if (pending.some(({ end }) => end < 0)) return null;
      const last = pending.reduce((latest, work) => (work.end > latest.end ? work : latest));
      return this.returnTime(last, clock, this.blockingWaits);
    });
  }

  /** Copies are in no stream then. */
  private waitBesideCopies(index: number): void {
    const pending = this.streams.lastOperations(index);
    for (const work of pending) this.state.machine.runUntilEnded(work);
    const ended = pending.filter((work) => !this.isSeen(work));
    const { clock } = this.state;
    for (const work of ended)
      this.state.clock = Math.max(this.state.clock, this.returnTime(work, clock, this.blockingWaits));
  }

  /** The call waits until it is known when it goes on. */
  whenOver({ waits }: ApiCall, returns: () => number | null): void {
    waits!.push({ returns });
  }

  /** Runs `then` after everything that the call waits for until now. */
  whenWaited({ waits }: ApiCall, then: () => void): void {
    const last = waits?.at(-1);
    if (!last) return then();
    const before = last.then;
    last.then = () => {
      before?.();
      then();
    };
  }

  waitForStream(call: ApiCall, stream: Stream): void {
    this.submission.flush();
    this.state.machine.advance(this.state.clock);
    for (const work of this.order.lastOf(stream)) this.waitFor(call, work);
  }

  waitFor(call: ApiCall, work: Operation, sleeping = this.blockingWaits): void {
    this.submission.flush();
    this.state.machine.advance(this.state.clock);
    if (this.state.copiesAside && isBetween(work)) return;
    if (this.isSeen(work)) return;
    const { clock } = this.state;
    if (call.waits) return this.whenOver(call, () => (work.end < 0 ? null : this.returnTime(work, clock, sleeping)));
    this.state.machine.runUntilEnded(work);
    this.returnFrom(work, sleeping);
  }

  private returnFrom(work: Operation, sleeping: boolean): void {
    this.state.clock = this.returnTime(work, this.state.clock, sleeping);
  }

  /** When a wait that began at `since` returns from work that has ended. */
  private returnTime(work: Operation, since: number, sleeping: boolean): number {
    const { wakeUp } = this.state.host;
    const waking = !sleeping ? 0 : work.end - since < wakeUp.within ? wakeUp.aboutTo : wakeUp.asleep;
    return Math.max(since, work.end + this.returnLatency(work) + waking);
  }

  private returnLatency({ kind }: Operation): number {
    const { returnLatency } = this.state.host;
    return kind === 'copy' ? returnLatency.copy : returnLatency.kernel;
  }

  synchronized(
    call: ApiCall,
    kind: SynchronizationEvent['kind'],
    deviceId: number,
    streamId: number | null,
    eventId: number | null,
  ): void {
    this.state.machine.advance(this.state.clock);
    const { start, correlationId } = call;
    this.state.sink({
      type: 'synchronization',
      start,
      end: this.state.now,
      kind,
      deviceId,
      streamId,
      eventId,
      correlationId,
    });
  }
}
