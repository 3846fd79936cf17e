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
import { apiCostOf, instantiationCost, uploadCost } from './hosts.ts';
import { ManagedMemory, type Paging } from './managed.ts';
import { operation } from './operations.ts';
import { pagingEvents } from './paging-events.ts';
import { Fifo } from './queues.ts';
import { deviceCopyTime, downloadPath, hostCopyTime, memsetTime, uploadPath } from './transfers.ts';
import { legacyDefaultStream } from './types.ts';
import type { Nanoseconds } from '../base/units.ts';
import type { CompleteGpu } from '../gpus/fallbacks.ts';
import type { GpuDescription } from '../gpus/types.ts';
import type {
  CopyEvent,
  EventSink,
  KernelEvent,
  MemsetEvent,
  NvtxEvent,
  SynchronizationEvent,
} from '../trace/events.ts';
import type { HostProfile } from './hosts.ts';
import type { Operation, Phase } from './operations.ts';
import type {
  ApiCall,
  ChildKernel,
  CopyRequest,
  EventId,
  GraphCall,
  GraphNodeRequest,
  GraphRequest,
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
  /** Ids in the trace of the further branches of graphs that were launched here. */
  graphStreams: number[] | null;
}

interface Event {
  readonly timing: boolean;
  /** The latest record. */
  record: Operation | null;
}

class System implements SystemSimulator {
  readonly managed: ManagedMemory;
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
    this.managed = new ManagedMemory({
      costs: host.managed,
      hostToDevice: this.gpu.hostLink.hostToDevice,
      deviceToHost: this.gpu.hostLink.deviceToHost,
      capacity: this.gpu.memory.capacityBytes,
      smCount: this.gpu.core.smCount,
      onDemand: this.gpu.computeCapability.major >= 6,
    });
    this.legacy = this.addStream(legacyDefaultStream, legacyDefaultStreamInTrace, false, 0);
  }

  get now(): Nanoseconds {
    return ns(this.clock);
  }

  // Calls

  beginApi(name: string, bytes = 0, captured = false): ApiCall {
    const call = { name, correlationId: ++this.lastCorrelation, start: this.now };
    if (this.contextMissing && !this.host.contextFreeApis.has(name)) {
      this.contextMissing = false;
      this.clock += this.host.contextCreation;
    }
    this.clock += captured ? this.host.graphs.capturedCall : apiCostOf(this.host, name, bytes);
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

  nvtx(event: Omit<NvtxEvent, 'type' | 'threadId'>): void {
    this.device.advance(this.clock);
    this.sink({ type: 'nvtx', ...event, threadId });
  }

  nameThread(name: string): void {
    this.sink({ type: 'thread-name', threadId, name });
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

  synchronizeDevice(call: ApiCall, silent = false): void {
    this.device.advance(this.clock);
    const before = this.device.lastEnded;
    this.device.runUntilIdle();
    const last = this.device.lastEnded;
    if (last && last !== before) this.clock = Math.max(this.clock, last.end + this.returnLatencyOf(last));
    if (!silent) this.synchronized(call, 'context', null, null);
  }

  // Work

  launch(call: ApiCall, request: KernelRequest): void {
    const stream = this.stream(request.stream);
    this.loadKernel(request.kernel);
    if (request.children) return this.launchWithChildren(call, request, request.children, stream);
    const work = this.kernelOperation(call, request, stream, stream.traceId);
    this.enqueue(stream, work, this.host.startLatency.kernel);
  }

  private kernelOperation(
    call: ApiCall,
    request: Omit<KernelRequest, 'stream' | 'children'>,
    stream: Stream,
    traceId: number,
  ): Operation {
    const report = kernelReport(call, request, traceId);
    const work = operation('kernel', 'compute', kernelPhases(this.withPaging(request)), report, stream.priority);
    work.paging = request.paging ?? null;
    return work;
  }

  /** A kernel waits for the managed memory that it touches; what it accesses over the link takes the link's time at least. */
  private withPaging<Request extends Omit<KernelRequest, 'stream' | 'children'>>(request: Request): Request {
    const { paging, duration } = request;
    if (!paging) return request;
    const onLink = (paging.remoteBytes / this.gpu.hostLink.hostToDevice) * 1e9;
    return { ...request, duration: ns(Math.round(Math.max(duration, onLink)) + paging.duration) };
  }

  hostFaults(paging: Paging): void {
    const start = this.clock;
    this.clock += paging.duration;
    this.device.advance(this.clock);
    for (const event of pagingEvents(paging, start, this.clock)) this.sink(event);
  }

  prefetch(_call: ApiCall, id: StreamId, paging: Paging, toDevice: boolean): void {
    const stream = this.stream(id);
    const onLink = paging.steps.reduce((sum, { duration }) => sum + duration, 0);
    const phases = [
      { duration: paging.duration - onLink, share: 0 },
      { duration: onLink, share: 1 },
    ];
    const work = operation('copy', toDevice ? 'upload' : 'download', phases, null);
    work.paging = paging;
    this.enqueue(stream, work, this.host.startLatency.copy);
  }

  memset(call: ApiCall, request: MemsetRequest): void {
    const stream = this.stream(request.stream);
    const duration = Math.round(memsetTime(this.host, this.gpu, request.bytes));
    const report = memsetReport(call, request, stream.traceId);
    const work = withFaults(operation('memory', 'compute', [{ duration, share: 0 }], report), request);
    this.enqueue(stream, work, this.host.startLatency.kernel);
  }

  hostFunction(_call: ApiCall, stream: StreamId): void {
    this.enqueue(this.stream(stream), this.hostFunctionOperation(), this.host.startLatency.kernel);
  }

  /** The GPU tells the host, which calls the function and tells the GPU: the latencies of a wait and a launch. */
  private hostFunctionOperation(): Operation {
    const duration = this.host.returnLatency.kernel + this.host.startLatency.kernel;
    return operation('event', null, [{ duration, share: 0 }], null);
  }

  // Graphs

  graphCall(_call: ApiCall, kind: GraphCall, nodes: number): void {
    const { destroyPerNode } = this.host.graphs;
    if (kind === 'instantiate') this.clock += instantiationCost(this.host, nodes);
    else if (kind === 'upload') this.clock += uploadCost(this.host, nodes);
    else this.clock += Math.round(nodes * (kind === 'destroy-exec' ? destroyPerNode.exec : destroyPerNode.graph));
  }

  launchGraph(call: ApiCall, { stream: id, graphId, nodes }: GraphRequest): void {
    const stream = this.stream(id);
    for (const { work } of nodes) if (work.type === 'kernel') this.loadKernel(work.kernel);
    this.clock += Math.round(this.host.graphs.launchPerNode * nodes.length);
    this.submitNodes(stream, nodes, branchesOf(nodes), (node, traceId) => {
      const work = this.graphOperation(call, node, stream, traceId);
      if (work.report) Object.assign(work.report, { graphId, graphNodeId: node.nodeId });
      return work;
    });
  }

  /** Kernels that kernels launch start as the nodes of a graph do: without the host. No figure of their own is known. */
  private launchWithChildren(call: ApiCall, request: KernelRequest, children: ChildKernel[], stream: Stream): void {
    for (const { work } of children) this.loadKernel(work.kernel);
    const { kernels, branches } = inBranches([{ work: request, dependencies: [] }, ...children]);
    this.submitNodes(stream, kernels, branches, ({ work }, traceId) =>
      this.kernelOperation(call, work, stream, traceId),
    );
  }

  /** Puts work with dependencies of its own at the end of a stream. `make` is told on which stream the trace shows it. */
  private submitNodes<Node extends { dependencies: number[] }>(
    stream: Stream,
    nodes: Node[],
    branches: number[],
    make: (node: Node, traceId: number) => Operation,
  ): void {
    this.makeRoom(stream);
    this.device.advance(this.clock);

    const branchCount = Math.max(1, ...branches.map((branch) => branch + 1));
    const gap = Math.round(this.host.graphs.gap + this.host.graphs.gapPerDoubling * Math.log2(branchCount));
    const operations = nodes.map((node, index) => make(node, this.graphStream(stream, branches[index]!)));
    const hasDependents = new Set(nodes.flatMap(({ dependencies }) => dependencies));
    const leaves = operations.filter((_, index) => !hasDependents.has(index));
    // The stream goes on when the last of them has ended.
    const end = leaves.length === 1 ? leaves[0]! : operation('wait', 'compute', [{ duration: 0, share: 0 }], null);
    if (leaves.length === 0) this.waitForEarlier(stream, end);
    nodes.forEach(({ dependencies }, index) => {
      const work = operations[index]!;
      if (dependencies.length === 0) this.waitForEarlier(stream, work);
      for (const dependency of dependencies) {
        const before = operations[dependency]!;
        work.engine ??= before.engine;
        this.device.after(work, before, work.kind === 'event' || work.kind === 'wait' ? 0 : gap);
      }
    });
    if (leaves.length !== 1) for (const leaf of leaves) this.device.after(end, leaf, 0);
    this.becomeLast(stream, end);
    const arrival = this.clock + this.host.startLatency.kernel;
    for (const work of operations) this.device.submit(work, arrival);
    if (leaves.length !== 1) this.device.submit(end, arrival);
  }

  private graphOperation(call: ApiCall, { work }: GraphNodeRequest, stream: Stream, traceId: number): Operation {
    switch (work.type) {
      case 'kernel': {
        return this.kernelOperation(call, work, stream, traceId);
      }
      case 'copy': {
        const { direction, bytes, hostMemory } = work;
        const to = direction === 'host-to-device' ? 'upload' : direction === 'device-to-host' ? 'download' : null;
        const engine = to && this.device.copyEngines.indexFor(to);
        const report = copyReport(call, work, traceId, engine);
        // Pageable memory is staged by the driver's own thread: at its rate, and without the caller's time.
        if (to === 'upload') {
          const { phases } = uploadPath(this.host, this.gpu, bytes, hostMemory);
          return withFaults(operation('copy', to, phases, report), work);
        }
        if (to === 'download') {
          const { phases } = downloadPath(this.host, this.gpu, bytes, hostMemory);
          return withFaults(operation('copy', to, phases, report), work);
        }
        const duration =
          direction === 'host-to-host' ? hostCopyTime(this.host, bytes) : deviceCopyTime(this.host, this.gpu, bytes);
        return withFaults(operation('memory', 'compute', [{ duration: Math.round(duration), share: 0 }], report), work);
      }
      case 'memset': {
        const duration = Math.round(memsetTime(this.host, this.gpu, work.bytes));
        const report = memsetReport(call, work, traceId);
        return withFaults(operation('memory', 'compute', [{ duration, share: 0 }], report), work);
      }
      case 'host':
        return this.hostFunctionOperation();
      case 'event-record': {
        const record = operation('event', null, [{ duration: this.host.eventDuration, share: 0 }], null);
        this.event(work.event).record = record;
        return record;
      }
      case 'event-wait': {
        const wait = operation('wait', null, [{ duration: 0, share: 0 }], null);
        const { record } = this.event(work.event);
        if (record && record.end < 0) this.device.after(wait, record, this.host.crossStreamLatency);
        return wait;
      }
      case 'empty':
        return operation('wait', null, [{ duration: 0, share: 0 }], null);
    }
  }

  /** The first branch of a graph runs in the stream itself, the others in streams of their own, as CUPTI shows them. */
  private graphStream(stream: Stream, branch: number): number {
    if (branch === 0) return stream.traceId;
    const others = (stream.graphStreams ??= []);
    while (others.length < branch) {
      const streamId = ++this.lastStream;
      others.push(streamId);
      this.sink({ type: 'stream', streamId, priority: stream.priority, nonBlocking: true });
    }
    return others[branch - 1]!;
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
    const report = copyReport(call, request, stream.traceId, engine);
    const work = withFaults(operation('copy', 'upload', plan.phases, report), request);
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
    const report = copyReport(call, request, stream.traceId, engine);
    const work = withFaults(operation('copy', 'download', plan.phases, report), request);
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
    const report = copyReport(call, request, stream.traceId, null);
    const work = withFaults(operation('memory', 'compute', [{ duration, share: 0 }], report), request);
    // Neither kind of call waits: CUDA runtime API, "API synchronization behavior".
    this.enqueue(stream, work, this.host.startLatency.kernel);
  }

  /** In stream order by the host itself, which therefore waits for the stream. */
  private copyOnHost(call: ApiCall, request: CopyRequest, stream: Stream): void {
    this.waitForStream(stream);
    const start = this.now;
    this.clock += Math.round(hostCopyTime(this.host, request.bytes));
    this.device.advance(this.clock);
    this.sink({ ...copyReport(call, request, stream.traceId, null), start, end: this.now });
  }

  private loadKernel(kernel: string): void {
    if (!this.lazyLoading || this.loadedKernels.has(kernel)) return;
    this.loadedKernels.add(kernel);
    this.clock += this.host.firstLaunchOfKernel;
  }

  /** Puts work at the end of a stream, with all that it has to wait for. */
  private enqueue(stream: Stream, work: Operation, startLatency: number, inline = false): void {
    this.makeRoom(stream);
    this.device.advance(this.clock);
    this.waitForEarlier(stream, work, inline);
    this.becomeLast(stream, work);
    this.device.submit(work, this.clock + startLatency);
  }

  /** Makes work wait for what the stream holds, and for the default stream or the blocking ones. */
  private waitForEarlier(stream: Stream, work: Operation, inline = false): void {
    const own = stream.last;
    work.engine ??= own?.engine ?? null;
    if (own) this.device.after(work, own, this.gapBetween(own, work, inline));
    if (stream === this.legacy) for (const other of this.blockingWithWork) this.dependAcross(work, other.last);
    else if (!stream.nonBlocking) this.dependAcross(work, this.legacy.last);
  }

  private becomeLast(stream: Stream, work: Operation): void {
    if (stream === this.legacy) this.blockingWithWork.clear();
    else if (!stream.nonBlocking) this.blockingWithWork.add(stream);
    stream.last = work;
    stream.outstanding.push(work);
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
    const stream: Stream = {
      id,
      traceId,
      nonBlocking,
      priority,
      last: null,
      outstanding: new Fifo(),
      graphStreams: null,
    };
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

function kernelPhases({ duration, occupiedShare, tail }: Omit<KernelRequest, 'stream' | 'children'>): Phase[] {
  const share = clampShare(occupiedShare);
  if (!tail || tail.duration <= 0) return [{ duration, share }];
  const body = { duration: Math.max(0, duration - tail.duration), share };
  return [body, { duration: Math.min(duration, tail.duration), share: clampShare(tail.occupiedShare) }];
}

/** A copy or memset first waits for the managed memory that it touches. */
function withFaults(work: Operation, { paging = null }: { paging?: Paging | null }): Operation {
  if (!paging) return work;
  const [first] = work.phases as [Phase];
  work.phases[0] = { ...first, duration: first.duration + paging.duration };
  work.paging = paging;
  return work;
}

function clampShare(share: number): number {
  return Math.min(1, Math.max(1e-6, share));
}

function deviceWork(call: ApiCall, streamId: number) {
  return { start: ns(0), end: ns(0), deviceId, streamId, correlationId: call.correlationId };
}

function kernelReport(
  call: ApiCall,
  request: Omit<KernelRequest, 'stream' | 'children'>,
  streamId: number,
): KernelEvent {
  const { kernel, grid, block, dynamicSharedBytes, details } = request;
  return { type: 'kernel', ...deviceWork(call, streamId), kernel, grid, block, dynamicSharedBytes, details };
}

function memsetReport(call: ApiCall, request: Pick<MemsetRequest, 'value' | 'bytes'>, streamId: number): MemsetEvent {
  return { type: 'memset', ...deviceWork(call, streamId), value: request.value, bytes: request.bytes };
}

function copyReport(
  call: ApiCall,
  request: Pick<CopyRequest, 'direction' | 'hostMemory' | 'bytes'>,
  streamId: number,
  engine: number | null,
): CopyEvent {
  const { direction, hostMemory, bytes } = request;
  return { type: 'copy', ...deviceWork(call, streamId), direction, hostMemory, bytes, engine };
}

/** Splits a graph into chains: a node goes on with the chain of one it depends on, where no other node has done so. */
function branchesOf(nodes: GraphNodeRequest[]): number[] {
  const branches: number[] = [];
  const continued = new Set<number>();
  let count = 0;
  for (const { dependencies } of nodes) {
    const before = dependencies.find((dependency) => !continued.has(dependency));
    if (before === undefined) branches.push(count++);
    else {
      continued.add(before);
      branches.push(branches[before]!);
    }
  }
  return branches;
}

/** So many kernels that kernels launched run side by side; each needs a row of its own in the trace. */
const mostBranches = 16;

/** Spreads kernels that were launched by kernels over few branches: where all are in use, one waits for another. */
function inBranches(kernels: ChildKernel[]): { kernels: ChildKernel[]; branches: number[] } {
  const branches: number[] = [];
  /** The last kernel of each branch. */
  const last: number[] = [];
  const placed = kernels.map((kernel, index): ChildKernel => {
    let branch = last.findIndex((end) => kernel.dependencies.includes(end));
    const isFull = branch < 0 && last.length === mostBranches;
    if (isFull) branch = last.indexOf(Math.min(...last));
    else if (branch < 0) branch = last.length;
    const dependencies = isFull ? [...kernel.dependencies, last[branch]!] : kernel.dependencies;
    branches.push(branch);
    last[branch] = index;
    return { ...kernel, dependencies };
  });
  return { kernels: placed, branches };
}

/** The runtime checks handles before it calls: a wrong one here is a fault of Simsight. */
function fault(message: string): SimsightError {
  return new SimsightError('internal', message, 'This is a fault in Simsight: please report it.');
}

function raise(message: string): never {
  throw fault(message);
}
