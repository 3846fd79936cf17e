/** The order of work: operations wait for their stream, for the default stream, and for what is ahead in their hardware queue. */
import { after, behind, isMark, type Operation } from './operations.ts';
import type { SystemState } from './state.ts';
import type { Connection, Stream, Streams } from './streams.ts';

export class StreamOrder {
  private readonly state: SystemState;
  private readonly streams: Streams;
  constructor(state: SystemState, streams: Streams) {
    this.state = state;
    this.streams = streams;
  }

  /**
   * Enters work into a queue. Work at its head that cannot start holds up the work of other streams behind it. Measured on an H200
   * (spins.cu): two kernels in each of 9 to 16 streams, stream by stream, take as long as three, in 17 to 32 as four or five.
   */
  goThrough(connection: Connection, work: Operation): void {
    if (work.kind === 'copy') return;
    if (connection.last) behind(work, connection.last);
    connection.last = work;
  }

  /** Makes work wait for what the stream holds, and for the default stream or the blocking ones. */
  waitForEarlier(stream: Stream, work: Operation, inline = false, delay = 0): void {
    const { legacy, blockingWithWork } = this.streams.gpuOf(stream);
    const own = stream.last;
    work.engine ??= own?.engine ?? null;
    if (own) after(work, own, this.gapBetween(own, work, inline) + delay);
    const others = stream === legacy ? [...blockingWithWork] : stream.nonBlocking ? [] : [legacy];
    for (const other of others) this.dependAcross(work, other.last);
    this.noteImplicit(stream, work, others);
  }

  /** Notes implicit waits for the trace, of work that does something. */
  private noteImplicit(stream: Stream, work: Operation, others: readonly Stream[]): void {
    if (work.kind === 'event' || work.kind === 'wait') return;
    // Mostly there are none, and this is done for every operation.
    if (!others.some(({ last }) => last !== null && last.end < 0)) return;
    const waitsFor = others.flatMap(({ last, traceId, lastWork }) =>
      last && last.end < 0 ? [{ operation: last, streamId: traceId, correlationId: lastWork }] : [],
    );
    const correlationId = this.state.lastCorrelation;
    work.implicit = { arrival: 0, own: stream.last, others: waitsFor, streamId: stream.traceId, correlationId };
  }

  becomeLast(stream: Stream, work: Operation): void {
    const { legacy, blockingWithWork } = this.streams.gpuOf(stream);
    if (stream === legacy) blockingWithWork.clear();
    else if (!stream.nonBlocking) blockingWithWork.add(stream);
    stream.last = work;
    stream.outstanding.push(work);
    if (work.kind !== 'event' && work.kind !== 'wait') this.works(stream);
  }

  /** The call that is being made gives a stream something to do. */
  works(stream: Stream): void {
    const correlationId = (stream.lastWork = this.state.lastCorrelation);
    for (const waitsFor of stream.waitsFor) this.state.sink({ type: 'dependency', correlationId, waitsFor });
    stream.waitsFor = [];
  }

  /** Implicit synchronization with the legacy default stream. */
  dependAcross(work: Operation, other: Operation | null): void {
    if (!other || other.end >= 0) return;
    after(work, other, this.gapBetween(other, work, false) + this.state.host.crossStreamLatency);
  }

  /** From the end of work that an event stands for to that of a GPU that waits for it. */
  eventLatency(record: Operation, device: number): number {
    const { crossStreamLatency, peers } = this.state.host;
    // One that has not been submitted yet is in the same graph.
    const across = record.device >= 0 && record.device !== device;
    return crossStreamLatency + (across ? peers.eventLatency : 0);
  }

  gapBetween(before: Operation, after: Operation, inline: boolean): number {
    const { gap } = this.state.host;
    if (isMark(after) || (this.state.startsAtOnce && after.kind === 'sm')) return 0;
    const same = before.engine === null || before.engine === after.engine;
    if (!same && inline) return gap.inlineUpload;
    if (after.kind === 'inline' && isMark(before)) return 0;
    // An event that keeps no time is not noticed.
    const isNoticed = before.kind !== 'event' || before.phases[0]!.duration > 0;
    if (isMark(before) && isNoticed) {
      return same ? gap.sameEngineAfterEvent : gap.otherEngineAfterEvent;
    }
    return same ? gap.sameEngine : gap.otherEngine;
  }

  /** The last of what a wait for the stream has to wait for: the default stream stands for all blocking streams as well. */
  lastOf(stream: Stream): Operation[] {
    const { legacy, blockingWithWork } = this.streams.gpuOf(stream);
    const candidates = [stream.last];
    if (stream === legacy) for (const other of blockingWithWork) candidates.push(other.last);
    return candidates.filter((work) => work !== null);
  }
}
