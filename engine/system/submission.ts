/** The driver's side of a stream: work enters the stream and is handed to the GPU, at once or gathered into batches. */
import type { Device } from './device.ts';
import { isBetween, type Operation } from './operations.ts';
import type { SystemState } from './state.ts';
import type { StreamOrder } from './stream-order.ts';
import type { Stream, Streams } from './streams.ts';

/** An operation, and the time (ns) from its hand-over until the idle GPU starts it. */
export interface Submitted {
  device: Device;
  work: Operation;
  latency: number;
}

export class Submission {
  private readonly state: SystemState;
  private readonly streams: Streams;
  private readonly order: StreamOrder;
  /** Operations that the driver has gathered and not handed over yet, of so many commands. */
  private gathered: Submitted[] = [];
  private commands = 0;

  constructor(state: SystemState, streams: Streams, order: StreamOrder) {
    this.state = state;
    this.streams = streams;
    this.order = order;
  }

  /** Puts work at the end of a stream, with all that it has to wait for. */
  enqueue(stream: Stream, work: Operation, startLatency: number, inline = false): void {
    this.makeRoom(stream);
    this.state.machine.advance(this.state.clock);
    if (this.state.copiesAside && isBetween(work)) {
      return this.handOver([{ device: this.streams.gpuOf(stream).device, work, latency: startLatency }]);
    }
    this.order.waitForEarlier(stream, work, inline);
    this.order.becomeLast(stream, work);
    this.order.goThrough(stream.connection, work);
    this.handOver([{ device: this.streams.gpuOf(stream).device, work, latency: startLatency }]);
  }

  /** One command. */
  handOver(parts: Submitted[]): void {
    const { submission } = this.state.host;
    for (const { device, work, latency } of parts) {
      if (submission) device.hold(work);
      const arrival = this.arrival(latency);
      if (work.implicit) work.implicit.arrival = arrival;
      device.submit(work, arrival);
    }
    if (!submission) return;
    this.gathered.push(...parts);
    if (++this.commands >= submission.commands) this.flush();
  }

  /** When the GPU gets what is handed over now: not before what has happened there already. */
  private arrival(latency: number): number {
    return Math.max(this.state.clock + latency, this.state.machine.time);
  }

  /** Hands over what the driver has gathered. */
  flush(): void {
    if (this.gathered.length === 0) return;
    this.state.clock += this.state.host.submission!.cost;
    for (const { device, work, latency } of this.gathered) {
      const arrival = this.arrival(latency);
      if (work.implicit) work.implicit.arrival = arrival;
      device.release(work, arrival);
    }
    this.gathered = [];
    this.commands = 0;
  }

  /** The driver's queue for a stream is finite: the host waits until its oldest operation has ended. */
  makeRoom(stream: Stream): void {
    const oldest = this.oldestOfFull(stream);
    if (!oldest) return;
    this.flush();
    stream.outstanding.shift();
    this.state.machine.runUntilEnded(oldest);
    this.state.clock = Math.max(this.state.clock, oldest.end);
  }

  /** The operation whose end makes room; null while there is some. */
  oldestOfFull({ outstanding }: Stream): Operation | null {
    while (outstanding.first && outstanding.first.end >= 0) outstanding.shift();
    return outstanding.length < this.state.host.queueDepth ? null : outstanding.first!;
  }
}
