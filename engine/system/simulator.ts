/**
 * {@link SystemSimulator}: the host thread's clock, streams, events and what they make the GPU do.
 *
 *   const system = createSystemSimulator({ gpu: gpuById('h200'), host: defaultHost, sink: (event) => events.push(event) });
 *   const call = system.beginApi('cudaDeviceSynchronize');
 *   system.synchronizeDevice(call);
 *   system.endApi(call, 0);
 *   system.finish();
 *
 * The host is ahead of the GPU: work is enqueued at the host's time and the GPU is simulated up to that time, or as far as
 * the host waits. Events leave through the sink in order of their end, each once.
 *
 * Numbers in the trace follow Nsight Systems: the legacy default stream is 7, created streams count up from 13. A created
 * stream's id in this API is that number; the default stream's is 0.
 */
import { SimsightError } from '../base/errors.ts';
import { ns } from '../base/units.ts';
import { withFallbacks } from '../gpus/fallbacks.ts';
import { Device } from './device.ts';
import { apiCostOf } from './hosts.ts';
import { operation } from './operations.ts';
import { Fifo } from './queues.ts';
import { deviceCopyTime, downloadPath, hostCopyTime, memsetTime, uploadPath } from './transfers.ts';
import { legacyDefaultStream } from './types.ts';
import type { Nanoseconds } from '../base/units.ts';
import type { CompleteGpu } from '../gpus/fallbacks.ts';
import type { GpuDescription } from '../gpus/types.ts';
import type { CopyEvent, EventSink, SynchronizationEvent } from '../trace/events.ts';
import type { HostProfile } from './hosts.ts';
import type { Operation, Phase } from './operations.ts';
import type {
  ApiCall,
  CopyRequest,
  EventId,
  KernelRequest,
  MemsetRequest,
  StreamId,
  SystemSimulator,
} from './types.ts';

export interface SystemOptions {
  gpu: GpuDescription;
  host: HostProfile;
  sink: EventSink;
  /** The first call creates the context, 97 ms on the reference host; false for programs measured after warming up. */
  contextCreation?: boolean;
  /** The first launch of each kernel loads it; false likewise. */
  lazyLoading?: boolean;
}

export function createSystemSimulator(options: SystemOptions): SystemSimulator {
  return new System(options);
}

/** As Nsight Systems shows them. */
const legacyDefaultStreamInTrace = 7;
const firstCreatedStream = 13;
const deviceId = 0;
const threadId = 1;

interface Stream {
  readonly id: StreamId;
  readonly traceId: number;
  readonly nonBlocking: boolean;
  readonly priority: number;
  /** The latest operation; all others of the stream end before it. */
  last: Operation | null;
  /** Operations that may not have ended, oldest first. */
  readonly outstanding: Fifo<Operation>;
}

interface Event {
  readonly timing: boolean;
  /** The latest record. */
  record: Operation | null;
}

class System implements SystemSimulator {
  private readonly gpu: CompleteGpu;
  private readonly host: HostProfile;
  private readonly sink: EventSink;
  private readonly device: Device;
  private readonly streams = new Map<StreamId, Stream>();
  private readonly events = new Map<EventId, Event>();
  /** Blocking streams with work since the last operation of the legacy default stream. */
  private readonly blockingWithWork = new Set<Stream>();
  private readonly legacy: Stream;
  private readonly loadedKernels = new Set<string>();
  private readonly lazyLoading: boolean;
  private contextMissing: boolean;
  private clock = 0;
  private lastCorrelation = 0;
  private lastStream = firstCreatedStream - 1;
  private lastEvent = 0;

  constructor({ gpu, host, sink, contextCreation = true, lazyLoading = true }: SystemOptions) {
    this.gpu = withFallbacks(gpu).gpu;
    this.host = host;
    this.sink = sink;
    this.contextMissing = contextCreation;
    this.lazyLoading = lazyLoading;
    this.device = new Device({
      copyEngines: this.gpu.hostLink.copyEngines,
      bidirectionalRate: host.copies.bidirectionalRate,
      sink,
    });
    this.legacy = this.addStream(legacyDefaultStream, legacyDefaultStreamInTrace, false, 0);
  }

  get now(): Nanoseconds {
    return ns(this.clock);
  }

  // Calls

  beginApi(name: string, bytes = 0): ApiCall {
    const call = { name, correlationId: ++this.lastCorrelation, start: this.now };
    if (this.contextMissing && !this.host.contextFreeApis.has(name)) {
      this.contextMissing = false;
      this.clock += this.host.contextCreation;
    }
    this.clock += apiCostOf(this.host, name, bytes);
    return call;
  }

  endApi(call: ApiCall, returnValue: number): void {
    this.device.advance(this.clock);
    const { name, correlationId, start } = call;
    this.sink({ type: 'api', start, end: this.now, name, correlationId, threadId, returnValue });
  }

  hostWork(duration: Nanoseconds): void {
    this.clock += Math.max(0, Math.round(duration));
  }

  console(stream: 'stdout' | 'stderr', text: string): void {
    this.device.advance(this.clock);
    this.sink({ type: 'console', time: this.now, stream, text });
  }

  finish(): void {
    this.device.runUntilIdle();
    this.clock = Math.max(this.clock, this.device.time);
  }

  // Streams and events

  createStream(options: { nonBlocking: boolean; priority: number }): StreamId {
    const id = ++this.lastStream;
    return this.addStream(id, id, options.nonBlocking, options.priority).id;
  }

  destroyStream(stream: StreamId): void {
    this.stream(stream);
    if (stream === legacyDefaultStream) throw fault('The default stream cannot be destroyed.');
    this.streams.delete(stream);
  }

  /** `blockingSync` changes nothing yet: nobody has measured what yielding instead of spinning adds to a wait. */
  createEvent(options: { timing: boolean; blockingSync: boolean }): EventId {
    this.events.set(++this.lastEvent, { timing: options.timing, record: null });
    return this.lastEvent;
  }

  destroyEvent(event: EventId): void {
    this.event(event);
    this.events.delete(event);
  }

  recordEvent(_call: ApiCall, event: EventId, stream: StreamId): void {
    const record = operation('event', null, [{ duration: this.host.eventDuration, share: 0 }], null);
    this.event(event).record = record;
    this.enqueue(this.stream(stream), record, this.host.startLatency.kernel);
  }

  streamWaitEvent(call: ApiCall, stream: StreamId, event: EventId): void {
    const waiting = this.stream(stream);
    const { record } = this.event(event);
    this.device.advance(this.clock);
    if (record && record.end < 0) {
      const wait = operation('wait', null, [{ duration: 0, share: 0 }], null);
      this.device.after(wait, record, this.host.crossStreamLatency);
      this.enqueue(waiting, wait, this.host.startLatency.kernel);
    }
    this.synchronized(call, 'stream-wait', waiting.traceId, event);
  }

  queryStream(stream: StreamId): boolean {
    const queried = this.stream(stream);
    this.device.advance(this.clock);
    return this.pendingOf(queried).length === 0;
  }

  queryEvent(event: EventId): boolean {
    const { record } = this.event(event);
    this.device.advance(this.clock);
    return record === null || record.end >= 0;
  }

  elapsedMilliseconds(start: EventId, end: EventId): number | null {
    const from = this.event(start).record;
    const to = this.event(end).record;
    this.device.advance(this.clock);
    if (!from || !to || from.end < 0 || to.end < 0) return null;
    if (!this.event(start).timing || !this.event(end).timing) return null;
    return (to.end - from.end) / 1e6;
  }

  // Waiting

  synchronizeStream(call: ApiCall, stream: StreamId): void {
    const awaited = this.stream(stream);
    this.waitForStream(awaited);
    this.synchronized(call, 'stream', awaited.traceId, null);
  }

  synchronizeEvent(call: ApiCall, event: EventId): void {
    const { record } = this.event(event);
    if (record) this.waitFor(record);
    this.synchronized(call, 'event', null, event);
  }

  synchronizeDevice(call: ApiCall): void {
    this.device.advance(this.clock);
    const before = this.device.lastEnded;
    this.device.runUntilIdle();
    const last = this.device.lastEnded;
    if (last && last !== before) this.clock = Math.max(this.clock, last.end + this.returnLatencyOf(last));
    this.synchronized(call, 'context', null, null);
  }

  // Work

  launch(call: ApiCall, request: KernelRequest): void {
    const stream = this.stream(request.stream);
    if (this.lazyLoading && !this.loadedKernels.has(request.kernel)) {
      this.loadedKernels.add(request.kernel);
      this.clock += this.host.firstLaunchOfKernel;
    }
    const { kernel, grid, block, dynamicSharedBytes, details } = request;
    const work = operation(
      'kernel',
      'compute',
      kernelPhases(request),
      {
        type: 'kernel',
        start: ns(0),
        end: ns(0),
        deviceId,
        streamId: stream.traceId,
        correlationId: call.correlationId,
        kernel,
        grid,
        block,
        dynamicSharedBytes,
        details,
      },
      stream.priority,
    );
    this.enqueue(stream, work, this.host.startLatency.kernel);
  }

  memset(call: ApiCall, request: MemsetRequest): void {
    const stream = this.stream(request.stream);
    const { value, bytes } = request;
    const duration = Math.round(memsetTime(this.host, this.gpu, bytes));
    const work = operation('memory', 'compute', [{ duration, share: 0 }], {
      type: 'memset',
      start: ns(0),
      end: ns(0),
      deviceId,
      streamId: stream.traceId,
      correlationId: call.correlationId,
      value,
      bytes,
    });
    this.enqueue(stream, work, this.host.startLatency.kernel);
  }

  copy(call: ApiCall, request: CopyRequest): void {
    const stream = this.stream(request.stream);
    switch (request.direction) {
      case 'host-to-device':
        return this.upload(call, request, stream);
      case 'device-to-host':
        return this.download(call, request, stream);
      case 'device-to-device':
        return this.copyInside(call, request, stream);
      case 'host-to-host':
        return this.copyOnHost(call, request, stream);
    }
  }

  private upload(call: ApiCall, request: CopyRequest, stream: Stream): void {
    const plan = uploadPath(this.host, this.gpu, request.bytes, request.hostMemory);
    const engine = this.device.copyEngines.indexFor('upload');
    const work = operation('copy', 'upload', plan.phases, copyReport(call, request, stream, engine));
    const { copy: latency } = this.host.startLatency;
    switch (plan.path) {
      case 'inline':
        this.clock += Math.round(plan.hostTime) + (request.async ? 0 : this.host.copies.inlineBlockingIssue);
        this.enqueue(stream, work, latency, true);
        if (!request.async && request.hostMemory === 'pinned') this.waitFor(work);
        return;
      case 'direct':
        this.enqueue(stream, work, latency);
        if (!request.async) this.waitFor(work);
        return;
      case 'staged': {
        // CUDA runtime API, "API synchronization behavior": the stream is synchronised first, and the call returns when
        // all bytes are in staging memory.
        this.waitForStream(stream);
        const begin = this.clock;
        this.enqueue(stream, work, Math.round(plan.firstPiece) + latency);
        if (request.bytes > this.host.copies.stagingBytes) this.device.runUntilStarted(work);
        const delay = Math.max(0, work.start - (begin + plan.firstPiece + latency));
        this.clock = Math.max(this.clock, Math.round(begin + plan.hostTime + delay), this.device.time);
      }
    }
  }

  private download(call: ApiCall, request: CopyRequest, stream: Stream): void {
    const plan = downloadPath(this.host, this.gpu, request.bytes, request.hostMemory);
    const engine = this.device.copyEngines.indexFor('download');
    const work = operation('copy', 'download', plan.phases, copyReport(call, request, stream, engine));
    this.enqueue(stream, work, this.host.startLatency.copy);
    if (plan.path === 'staged') {
      this.waitFor(work);
      this.clock += Math.round(plan.lastPiece);
    } else if (!request.async) {
      this.waitFor(work);
    }
  }

  private copyInside(call: ApiCall, request: CopyRequest, stream: Stream): void {
    this.clock += this.host.copies.deviceCopyIssue;
    const duration = Math.round(deviceCopyTime(this.host, this.gpu, request.bytes));
    const report = copyReport(call, request, stream, null);
    const work = operation('memory', 'compute', [{ duration, share: 0 }], report);
    // Neither kind of call waits: CUDA runtime API, "API synchronization behavior".
    this.enqueue(stream, work, this.host.startLatency.kernel);
  }

  /** In stream order by the host itself, which therefore waits for the stream. */
  private copyOnHost(call: ApiCall, request: CopyRequest, stream: Stream): void {
    this.waitForStream(stream);
    const start = this.now;
    this.clock += Math.round(hostCopyTime(this.host, request.bytes));
    this.device.advance(this.clock);
    this.sink({ ...copyReport(call, request, stream, null), start, end: this.now });
  }

  /** Puts work at the end of a stream, with all that it has to wait for. */
  private enqueue(stream: Stream, work: Operation, startLatency: number, inline = false): void {
    this.makeRoom(stream);
    this.device.advance(this.clock);
    const own = stream.last;
    work.engine ??= own?.engine ?? null;
    if (own) this.device.after(work, own, this.gapBetween(own, work, inline));
    if (stream === this.legacy) {
      for (const other of this.blockingWithWork) this.dependAcross(work, other.last);
      this.blockingWithWork.clear();
    } else if (!stream.nonBlocking) {
      this.dependAcross(work, this.legacy.last);
      this.blockingWithWork.add(stream);
    }
    stream.last = work;
    stream.outstanding.push(work);
    this.device.submit(work, this.clock + startLatency);
  }

  /** Implicit synchronization with the legacy default stream. */
  private dependAcross(work: Operation, other: Operation | null): void {
    if (!other || other.end >= 0) return;
    this.device.after(work, other, this.gapBetween(other, work, false) + this.host.crossStreamLatency);
  }

  private gapBetween(before: Operation, after: Operation, inline: boolean): number {
    const { gap } = this.host;
    if (after.kind === 'event' || after.kind === 'wait') return 0;
    const same = before.engine === null || before.engine === after.engine;
    if (!same && inline) return gap.inlineUpload;
    if (before.kind === 'event' || before.kind === 'wait') {
      return same ? gap.sameEngineAfterEvent : gap.otherEngineAfterEvent;
    }
    return same ? gap.sameEngine : gap.otherEngine;
  }

  /** The driver's queue for a stream is finite: the host waits until its oldest operation has ended. */
  private makeRoom(stream: Stream): void {
    const { outstanding } = stream;
    while (outstanding.first && outstanding.first.end >= 0) outstanding.shift();
    if (outstanding.length < this.host.queueDepth) return;
    const oldest = outstanding.shift()!;
    this.device.runUntilEnded(oldest);
    this.clock = Math.max(this.clock, oldest.end);
  }

  /** What a wait for the stream has to wait for: the default stream stands for all blocking streams as well. */
  private pendingOf(stream: Stream): Operation[] {
    const candidates = [stream.last];
    if (stream === this.legacy) for (const other of this.blockingWithWork) candidates.push(other.last);
    return candidates.filter((work) => work !== null && work.end < 0) as Operation[];
  }

  private waitForStream(stream: Stream): void {
    this.device.advance(this.clock);
    for (const work of this.pendingOf(stream)) this.waitFor(work);
  }

  private waitFor(work: Operation): void {
    this.device.advance(this.clock);
    if (work.end >= 0) return;
    this.device.runUntilEnded(work);
    this.clock = Math.max(this.clock, work.end + this.returnLatencyOf(work));
  }

  private returnLatencyOf(work: Operation): number {
    return work.kind === 'copy' ? this.host.returnLatency.copy : this.host.returnLatency.kernel;
  }

  private synchronized(
    call: ApiCall,
    kind: SynchronizationEvent['kind'],
    streamId: number | null,
    eventId: number | null,
  ): void {
    this.device.advance(this.clock);
    const { start, correlationId } = call;
    this.sink({ type: 'synchronization', start, end: this.now, kind, deviceId, streamId, eventId, correlationId });
  }

  private addStream(id: StreamId, traceId: number, nonBlocking: boolean, priority: number): Stream {
    const stream: Stream = { id, traceId, nonBlocking, priority, last: null, outstanding: new Fifo() };
    this.streams.set(id, stream);
    this.sink({ type: 'stream', streamId: traceId, priority, nonBlocking });
    return stream;
  }

  private stream(id: StreamId): Stream {
    return this.streams.get(id) ?? raise(`There is no stream ${id}.`);
  }

  private event(id: EventId): Event {
    return this.events.get(id) ?? raise(`There is no event ${id}.`);
  }
}

function kernelPhases({ duration, occupiedShare, tail }: KernelRequest): Phase[] {
  const share = clampShare(occupiedShare);
  if (!tail || tail.duration <= 0) return [{ duration, share }];
  const body = { duration: Math.max(0, duration - tail.duration), share };
  return [body, { duration: Math.min(duration, tail.duration), share: clampShare(tail.occupiedShare) }];
}

function clampShare(share: number): number {
  return Math.min(1, Math.max(1e-6, share));
}

function copyReport(call: ApiCall, request: CopyRequest, stream: Stream, engine: number | null): CopyEvent {
  const { direction, hostMemory, bytes } = request;
  return {
    type: 'copy',
    start: ns(0),
    end: ns(0),
    deviceId,
    streamId: stream.traceId,
    correlationId: call.correlationId,
    direction,
    hostMemory,
    bytes,
    engine,
  };
}

/** The runtime checks handles before it calls: a wrong one here is a fault of Simsight. */
function fault(message: string): SimsightError {
  return new SimsightError('internal', message, 'This is a fault in Simsight: please report it.');
}

function raise(message: string): never {
  throw fault(message);
}
