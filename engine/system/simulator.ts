/**
 * {@link SystemSimulator}: the host threads' clocks, streams, events and what they make the GPU do.
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
import { nanosecondsPerSecond, ns } from '../base/units.ts';
import { withFallbacks } from '../gpus/fallbacks.ts';
import { hostLinkForKernels } from '../gpus/host-link.ts';
import { nvLinkBetween, nvLinkForKernels, nvLinkUse } from '../gpus/nvlink.ts';
import { copyOf } from './copy-of.ts';
import { Machine } from './machine.ts';
import {
  connect,
  graphCallCost,
  planChildren,
  planLaunch,
  type SubmittedNode,
  type GraphNodeShape,
  type LaunchPlan,
} from './graphs.ts';
import { apiCostOf } from './hosts.ts';
import { liftedHost } from './lifted.ts';
import { after, behind, mark, offLink, onLink, operation } from './operations.ts';
import { peerPhases } from './peercopies.ts';
import { host as hostMemory, ManagedMemory, type Paging } from './managed.ts';
import { pagingEvents } from './paging-events.ts';
import { ProgramText } from './program-text.ts';
import { Fifo } from './queues.ts';
import {
  deviceCopyTime,
  downloadPath,
  isSmallFill,
  memoryBlocks,
  memsetTime,
  uploadPath,
  type TransferPath,
} from './transfers.ts';
import { DriverLocks } from './driver-locks.ts';
import { HostCache } from './host-cache.ts';
import { HostThreads } from './host-threads.ts';
import { SharedBlocks } from './shared-blocks.ts';
import { isLegacyStream, legacyStreamOf } from './types.ts';
import type { Nanoseconds } from '../base/units.ts';
import type { CompleteGpu } from '../gpus/fallbacks.ts';
import type { GpuDescription } from '../gpus/types.ts';
import type { PassedOptions } from '../model/record-options.ts';
import type {
  CopyEvent,
  EventSink,
  FailureEvent,
  GraphEvent,
  GraphMade,
  KernelEvent,
  MemoryEvent,
  MemsetEvent,
  NvtxEvent,
  SynchronizationEvent,
} from '../model/events.ts';
import type { Device } from './device.ts';
import type { HostProfile } from './hosts.ts';
import type { GraphLaunch, Operation, Phase } from './operations.ts';
import type {
  ApiCall,
  CopyRequest,
  EventId,
  GraphCall,
  GraphNodeRequest,
  GraphRequest,
  KernelRequest,
  MemsetRequest,
  PeerCopy,
  StreamId,
  SystemSimulator,
} from './types.ts';
import type { KernelBlocks } from '../model/kernel-profile.ts';

/** What the recording was told is among them: `lifted`. */
export interface SystemOptions extends PassedOptions {
  gpu: GpuDescription;
  /** Further GPUs of the machine: devices 1 and up. */
  others?: readonly GpuDescription[];
  host: HostProfile;
  sink: EventSink;
  /** The first call creates the context, 97 ms on the reference host; false for programs measured after warming up. */
  contextCreation?: boolean;
  /** The first launch of each kernel loads it; false likewise. */
  lazyLoading?: boolean;
  /** `CUDA_DEVICE_MAX_CONNECTIONS`: hardware queues that streams share, 1 to 32. */
  connections?: number;
}

/** CUDA C++ Programming Guide, CUDA environment variables. */
const defaultConnections = 8;

export function createSystemSimulator(options: SystemOptions): SystemSimulator {
  return new System(options);
}

/** One warp. */
const smallestKernel: KernelBlocks = {
  count: 1,
  perSm: 1,
  share: { warps: 1 / 64, registers: 0, shared: 0, slots: 1 / 32 },
  load: { sm: 0, dram: 0 },
};

/** As Nsight Systems shows them. */
const legacyDefaultStreamInTrace = 7;
const firstCreatedStream = 13;

/** A GPU with what the host keeps for it. */
interface Gpu {
  readonly index: number;
  readonly description: CompleteGpu;
  readonly device: Device;
  readonly legacy: Stream;
  /** Blocking streams with work since the last operation of the legacy default stream. */
  readonly blockingWithWork: Set<Stream>;
  readonly loadedKernels: Set<string>;
  contextMissing: boolean;
}

/** A hardware queue, with the last that went into it. */
interface Connection {
  last: Operation | null;
}

interface Stream {
  readonly id: StreamId;
  readonly traceId: number;
  /** Ordinal of its GPU. */
  readonly device: number;
  readonly nonBlocking: boolean;
  readonly priority: number;
  /** The latest operation; all others of the stream end before it. */
  last: Operation | null;
  /** Correlation id of the latest that does something, other than events and waits; 0 if there was none. */
  lastWork: number;
  /** What the next work waits for on other streams, by its correlation ids. */
  waitsFor: number[];
  /** Operations that may not have ended, oldest first. */
  readonly outstanding: Fifo<Operation>;
  /** That its kernels go through; shared with other streams. */
  readonly connection: Connection;
  /** Ids in the trace of the further branches of graphs that were launched here. */
  graphStreams: number[] | null;
}

interface Event {
  readonly timing: boolean;
  /** Who waits for it sleeps. */
  readonly blockingSync: boolean;
  /** The latest record. */
  record: Operation | null;
  /** What it was recorded behind: see {@link Stream.lastWork}. */
  behind: number;
}

/** An operation, and the time from its hand-over until the idle GPU starts it. */
interface Submitted {
  device: Device;
  work: Operation;
  latency: number;
}

type HostCopy = Pick<CopyRequest, 'bytes' | 'hostMemory' | 'hostAddress' | 'rows'>;

class System implements SystemSimulator {
  readonly managed: ManagedMemory;
  private readonly gpus: readonly Gpu[];
  readonly host: HostProfile;
  readonly threads: HostThreads;
  private readonly locks: DriverLocks;
  private readonly sink: EventSink;
  private readonly text: ProgramText;
  private readonly machine: Machine;
  private readonly streams = new Map<StreamId, Stream>();
  /** Streams that were destroyed with work in them. */
  private retired: Stream[] = [];
  private readonly events = new Map<EventId, Event>();
  private readonly hostCache: HostCache;
  private readonly sharedBlocks = new SharedBlocks();
  private readonly lazyLoading: boolean;
  /** Launches are free: kernels start when what is before them has ended. */
  private readonly startsAtOnce: boolean;
  /** Copies between host and GPU happen beside everything else. */
  private readonly copiesAside: boolean;
  private readonly connectionCount: number;
  /** Of the streams of a GPU with the same priority. */
  private readonly connections = new Map<string, Connection[]>();
  /** The latest launch of each executable graph. */
  private readonly graphLaunches = new Map<number, { stream: Stream; end: Operation }>();
  /** The function of the host that runs, and when, once it has asked. */
  private hostFunctionIn: { stream: StreamId; time: Nanoseconds | null } | null = null;
  private lastCorrelation = 0;
  private lastStream = firstCreatedStream - 1;
  private lastEvent = 0;
  private blockingWaits = false;
  /** What the driver has not handed over yet, and of how many commands. */
  private gathered: Submitted[] = [];
  private commands = 0;

  constructor({
    gpu,
    others = [],
    host,
    sink,
    contextCreation = true,
    lazyLoading = true,
    connections = defaultConnections,
    lifted,
  }: SystemOptions) {
    const descriptions = [gpu, ...others].map((each) => withFallbacks(each).gpu);
    this.host = liftedHost(host, lifted);
    this.startsAtOnce = lifted === 'launches';
    this.copiesAside = lifted === 'overlap';
    this.sink = sink;
    this.text = new ProgramText(sink);
    this.hostCache = new HostCache(host.copies);
    this.lazyLoading = lazyLoading;
    this.connectionCount = connections;
    this.machine = new Machine({
      devices: descriptions.map(({ core, hostLink: { copyEngines } }) => ({
        smCount: core.smCount,
        copyEngines,
        copies: host.copies,
      })),
      peerBothWays: { direct: nvLinkUse.bothWays, staged: host.peers.stagedBothWays },
      horizon: () => this.threads.horizon(),
      sink,
    });
    this.threads = new HostThreads(this.machine);
    this.locks = new DriverLocks(this.host, this.threads);
    this.gpus = descriptions.map((description, index) => ({
      index,
      description,
      device: this.machine.devices[index]!,
      legacy: this.addStream(legacyStreamOf(index), legacyDefaultStreamInTrace, index, false, 0),
      blockingWithWork: new Set(),
      loadedKernels: new Set(),
      contextMissing: contextCreation,
    }));
    this.managed = new ManagedMemory({
      costs: host.managed,
      gpus: descriptions.map(({ hostLink, memory, core, computeCapability }) => ({
        hostToDevice: hostLink.hostToDevice,
        deviceToHost: hostLink.deviceToHost,
        capacity: memory.capacityBytes,
        smCount: core.smCount,
        onDemand: computeCapability.major >= 6,
      })),
      linkBetween: (one, other) => nvLinkBetween(descriptions, one, other)?.bandwidth ?? null,
    });
  }

  get now(): Nanoseconds {
    return ns(this.clock);
  }

  /** Of the present host thread. */
  private get clock(): number {
    return this.threads.current.clock;
  }

  private set clock(time: number) {
    this.threads.current.clock = time;
  }

  // Calls

  beginApi(name: string, bytes = 0, captured = false, device = 0): ApiCall {
    const call = { name, correlationId: ++this.lastCorrelation, start: this.now };
    this.clock += this.costOf(name, bytes, captured, device);
    return call;
  }

  /** CPU time of a call; the first that needs the context has to create it. */
  private costOf(name: string, bytes: number, captured: boolean, device: number): number {
    const gpu = this.gpus[device]!;
    const creates = gpu.contextMissing && !this.host.contextFreeApis.has(name);
    if (creates) gpu.contextMissing = false;
    const cost = captured ? this.host.graphs.calls.capturedCall : apiCostOf(this.host, name);
    const allocation = this.host.allocation[name];
    const sized = allocation && bytes > 0 ? this.sharedBlocks.cost(allocation, bytes, device) : 0;
    return cost + sized + (creates ? this.host.contextCreation : 0);
  }

  openApi(name: string): ApiCall {
    return { name, correlationId: ++this.lastCorrelation, start: this.now, waits: [] };
  }

  enterStream(stream: StreamId): void {
    this.locks.enter(stream);
  }

  leaveStream(stream: StreamId): void {
    this.locks.leave(stream);
  }

  chargeApi({ name }: ApiCall, device: number, bytes: number, captured: boolean): void {
    const cost = this.costOf(name, bytes, captured, device);
    if (!this.host.contextFreeApis.has(name)) this.clock += this.locks.delay(name, cost, device);
    this.clock += cost;
  }

  roomIn(call: ApiCall, id: StreamId): void {
    const oldest = this.oldestOfFull(this.stream(id));
    if (!oldest) return;
    this.flush();
    this.whenOver(call, () => (oldest.end < 0 ? null : oldest.end));
  }

  endApi(call: ApiCall, returnValue: number): void {
    this.machine.advance(this.clock);
    const { name, correlationId, start } = call;
    this.sink({
      type: 'api',
      start,
      end: this.now,
      name,
      correlationId,
      threadId: this.threads.current.number,
      returnValue,
    });
  }

  hostWork(duration: Nanoseconds): void {
    this.clock += Math.max(0, Math.round(duration));
  }

  console(stream: 'stdout' | 'stderr', text: string): void {
    this.machine.advance(this.clock);
    this.text.print(this.now, stream, text);
  }

  remark(text: string): void {
    this.machine.advance(this.clock);
    this.text.remark(this.now, text);
  }

  notice(text: string): void {
    this.machine.advance(this.clock);
    this.text.say(this.now, text);
  }

  nameOf(text: string): string {
    return this.text.name(this.now, text);
  }

  nvtx(event: Omit<NvtxEvent, 'type' | 'threadId'>): void {
    this.machine.advance(this.clock);
    this.sink({ type: 'nvtx', ...event, threadId: this.threads.current.number });
  }

  nameThread(name: string): void {
    this.sink({ type: 'thread-name', threadId: this.threads.current.number, name });
  }

  memory(event: Omit<MemoryEvent, 'type' | 'time' | 'correlationId'>): void {
    this.machine.advance(this.clock);
    this.sink({ type: 'memory', ...event, time: this.now, correlationId: this.lastCorrelation });
  }

  failed(event: Omit<FailureEvent, 'type' | 'correlationId'>): void {
    this.machine.advance(this.clock);
    this.sink({ type: 'failure', ...event, correlationId: this.lastCorrelation });
  }

  finish(): void {
    this.flush();
    this.machine.runUntilIdle();
    this.clock = Math.max(this.clock, this.machine.time);
  }

  // Streams and events

  createStream(options: { nonBlocking: boolean; priority: number; device?: number }): StreamId {
    const id = ++this.lastStream;
    return this.addStream(id, id, options.device ?? 0, options.nonBlocking, options.priority).id;
  }

  destroyStream(stream: StreamId): void {
    const destroyed = this.stream(stream);
    if (isLegacyStream(stream)) throw fault('The default stream cannot be destroyed.');
    this.streams.delete(stream);
    this.retired = [...this.retired, destroyed].filter(({ last }) => last !== null && last.end < 0);
  }

  createEvent(options: { timing: boolean; blockingSync: boolean }): EventId {
    this.events.set(++this.lastEvent, { ...options, record: null, behind: 0 });
    return this.lastEvent;
  }

  destroyEvent(event: EventId): void {
    this.event(event);
    this.events.delete(event);
  }

  recordEvent(_call: ApiCall, event: EventId, stream: StreamId): void {
    const record = this.newRecord(event);
    this.event(event).behind = this.stream(stream).lastWork;
    if (this.event(event).timing) this.clock += this.host.timedEvent.issue;
    this.enqueue(this.stream(stream), record, this.host.startLatency.copy);
  }

  private newRecord(id: EventId): Operation {
    const event = this.event(id);
    event.behind = 0;
    return (event.record = mark('event', event.timing ? this.host.timedEvent.duration : 0));
  }

  streamWaitEvent(call: ApiCall, stream: StreamId, event: EventId): void {
    const waiting = this.stream(stream);
    const { record, behind } = this.event(event);
    this.machine.advance(this.clock);
    if (record && record.end < 0) {
      const wait = mark('wait');
      after(wait, record, this.eventLatency(record, waiting.device));
      this.enqueue(waiting, wait, this.host.startLatency.kernel);
    }
    this.synchronized(call, 'stream-wait', waiting.device, waiting.traceId, event);
    if (behind > 0) {
      this.sink({ type: 'dependency', correlationId: call.correlationId, waitsFor: behind });
      waiting.waitsFor.push(behind);
    }
  }

  queryStream(stream: StreamId): boolean {
    this.flush();
    const queried = this.stream(stream);
    this.machine.advance(this.clock);
    return this.lastOf(queried).every((work) => this.isSeen(work));
  }

  queryEvent(event: EventId): boolean {
    this.flush();
    const { record } = this.event(event);
    this.machine.advance(this.clock);
    return record === null || this.isSeen(record);
  }

  /** The host sees that work has ended when it would have returned from waiting for it. */
  private isSeen(work: Operation): boolean {
    return work.end >= 0 && work.end + this.returnLatency(work) <= this.clock;
  }

  elapsedMilliseconds(start: EventId, end: EventId): number | null {
    this.flush();
    const from = this.event(start).record;
    const to = this.event(end).record;
    this.machine.advance(this.clock);
    if (!from || !to || from.end < 0 || to.end < 0) return null;
    if (!this.event(start).timing || !this.event(end).timing) return null;
    return (to.end - from.end) / 1e6;
  }

  // Waiting

  setBlockingWaits(blocking: boolean): void {
    this.blockingWaits = blocking;
  }

  synchronizeStream(call: ApiCall, stream: StreamId): void {
    const awaited = this.stream(stream);
    this.waitForStream(call, awaited);
    this.whenWaited(call, () => this.synchronized(call, 'stream', awaited.device, awaited.traceId, null));
  }

  synchronizeEvent(call: ApiCall, event: EventId): void {
    const { record, blockingSync } = this.event(event);
    if (record) this.waitFor(call, record, blockingSync);
    this.whenWaited(call, () => this.synchronized(call, 'event', Math.max(0, record?.device ?? 0), null, event));
  }

  synchronizeDevice(call: ApiCall, silent = false, index = 0): void {
    this.flush();
    const { device } = this.gpus[index]!;
    this.machine.advance(this.clock);
    if (call.waits) this.waitForAll(call, index);
    else if (this.copiesAside) this.waitBesideCopies(index);
    else {
      this.machine.runUntilIdle(device);
      const last = device.lastEnded;
      if (last && !this.isSeen(last)) this.returnFrom(last, this.blockingWaits);
    }
    if (!silent) this.whenWaited(call, () => this.synchronized(call, 'context', index, null, null));
  }

  /** What a device has been given until now; others may give it more meanwhile. */
  private waitForAll(call: ApiCall, index: number): void {
    const pending: Operation[] = [];
    for (const { device, last } of [...this.streams.values(), ...this.retired]) {
      if (device === index && last && !this.isSeen(last)) pending.push(last);
    }
    if (pending.length === 0) return;
    const { clock } = this;
    this.whenOver(call, () => {
      if (pending.some(({ end }) => end < 0)) return null;
      const last = pending.reduce((latest, work) => (work.end > latest.end ? work : latest));
      return this.returnTime(last, clock, this.blockingWaits);
    });
  }

  /** Copies are in no stream then. */
  private waitBesideCopies(index: number): void {
    const pending = [...this.streams.values(), ...this.retired].flatMap(({ device, last }) =>
      device === index && last ? [last] : [],
    );
    for (const work of pending) this.machine.runUntilEnded(work);
    const ended = pending.filter((work) => !this.isSeen(work));
    const { clock } = this;
    for (const work of ended) this.clock = Math.max(this.clock, this.returnTime(work, clock, this.blockingWaits));
  }

  /** The call waits until it is known when it goes on. */
  private whenOver({ waits }: ApiCall, returns: () => number | null): void {
    waits!.push({ returns });
  }

  /** What comes after all that the call waits for until now. */
  private whenWaited({ waits }: ApiCall, then: () => void): void {
    const last = waits?.at(-1);
    if (!last) return then();
    const before = last.then;
    last.then = () => {
      before?.();
      then();
    };
  }

  // Work

  launch(call: ApiCall, request: KernelRequest): void {
    const stream = this.stream(request.stream);
    this.loadKernel(request.kernel, stream.device);
    if (request.children) return this.launchWithChildren(call, request, request.children, stream);
    const work = this.kernelOperation(call, request, stream, placeOf(stream));
    this.enqueue(stream, work, this.host.startLatency.kernel);
  }

  /** A kernel waits for the managed memory that it touches; what it accesses over the link takes the link's time at least. */
  private kernelOperation(
    call: ApiCall,
    request: Omit<KernelRequest, 'stream' | 'children'>,
    stream: Stream,
    at: Place,
    priority = stream.priority,
  ): Operation {
    const { duration, blocks, paging } = request;
    const report = kernelReport(call, request, at);
    if (!paging) return onSms(duration, blocks, report, priority);
    const gpu = this.gpus[at.deviceId]!.description;
    const remote = Math.round((paging.remoteBytes / hostLinkForKernels(gpu).reads) * nanosecondsPerSecond);
    const link = nvLinkForKernels(gpu);
    const peer = link ? Math.round((paging.peerBytes / link.reads) * nanosecondsPerSecond) : 0;
    const whole = Math.max(duration, remote, peer);
    const load = { ...blocks.load, link: whole > 0 ? remote / whole : 0 };
    return withFaults(onSms(whole, { ...blocks, load }, report, priority), request);
  }

  hostFaults(paging: Paging): void {
    const start = this.clock;
    this.clock += paging.duration;
    this.machine.advance(this.clock);
    for (const event of pagingEvents(paging, start, this.clock)) this.sink(event);
  }

  prefetch(_call: ApiCall, id: StreamId, paging: Paging, toDevice: boolean): void {
    const stream = this.stream(id);
    const usesHostLink = paging.steps.some(({ migrations }) =>
      migrations.some(({ from, to }) => from === hostMemory || to === hostMemory),
    );
    const moving = usesHostLink ? paging.steps.reduce((sum, { duration }) => sum + duration, 0) : 0;
    const phases = [offLink(paging.duration - moving), onLink(moving)];
    const work = operation('copy', toDevice ? 'upload' : 'download', phases, null);
    work.paging = paging;
    this.enqueue(stream, work, this.host.startLatency.copy);
  }

  expectedStart(stream: StreamId): Nanoseconds {
    const probe = this.tried(stream, ({ priority }) => onSms(0, smallestKernel, null, priority));
    return ns(probe.start);
  }

  get clockReading(): Nanoseconds {
    const running = this.hostFunctionIn;
    if (running === null) return this.now;
    running.time ??= this.expectedCall(running.stream);
    return running.time;
  }

  inHostFunction<Result>(stream: StreamId, run: () => Result): Result {
    const outer = this.hostFunctionIn;
    this.hostFunctionIn = { stream, time: null };
    try {
      return run();
    } finally {
      this.hostFunctionIn = outer;
    }
  }

  private expectedCall(stream: StreamId): Nanoseconds {
    const probe = this.tried(stream, ({ last }) => this.hostFunctionOperation(last));
    const { duration } = probe.phases[0]!;
    return ns(probe.start + Math.max(0, duration - this.host.hostFunction.afterCall));
  }

  /** What work would do if it were put into a stream now and nothing came after it: it has started. */
  private tried(stream: StreamId, make: (stream: Stream) => Operation): Operation {
    const shared = new Set<unknown>([
      this.host,
      this.hostCache,
      this.managed,
      ...this.gpus.map(({ description }) => description),
    ]);
    const copy = copyOf<System>(this, shared, ['report', 'paging', 'implicit']);
    const probe = make(copy.stream(stream));
    const { startLatency } = this.host;
    copy.enqueue(copy.stream(stream), probe, probe.kind === 'sm' ? startLatency.kernel : startLatency.copy);
    // What is only tried is not in the trace.
    probe.implicit = null;
    copy.flush();
    copy.machine.runUntilStarted(probe);
    return probe;
  }

  memset(call: ApiCall, request: MemsetRequest): void {
    const stream = this.stream(request.stream);
    const { copies } = this.host;
    if (!isSmallFill(copies, request.bytes, request.rows)) this.clock += copies.fills.issue;
    const report = memsetReport(call, request, placeOf(stream));
    const work = withFaults(this.fillOperation(request, report, stream.priority), request);
    this.enqueue(stream, work, this.host.startLatency.kernel);
  }

  hostFunction(_call: ApiCall, id: StreamId): void {
    const stream = this.stream(id);
    this.machine.advance(this.clock);
    const before = stream.last;
    this.enqueue(stream, this.hostFunctionOperation(before), this.host.startLatency.copy);
  }

  /** The GPU tells a thread of the driver's, which calls the function and tells the GPU. */
  private hostFunctionOperation(before: Operation | null, times = 1): Operation {
    const { asleep, idleStream, afterAnother } = this.host.hostFunction;
    const isIdle = before === null || before.end >= 0;
    const duration = isIdle ? idleStream : before.kind === 'host' ? afterAnother : asleep;
    return mark('host', times * duration);
  }

  // Graphs

  graphCall(_call: ApiCall, kind: GraphCall, nodes: readonly GraphNodeShape[]): void {
    this.clock += graphCallCost(this.host, kind, nodes);
  }

  graphMade({ name, start }: ApiCall, made: GraphMade): void {
    this.machine.advance(this.clock);
    this.sink({ type: 'graph-made', start, end: this.now, name, threadId: this.threads.current.number, made });
  }

  launchGraph(call: ApiCall, { stream: id, graphId, nodes, hasMemoryNodes }: GraphRequest): void {
    const stream = this.stream(id);
    for (const { work, device = 0 } of nodes) if (work.type === 'kernel') this.loadKernel(work.kernel, device);
    // Nothing is given to the GPU for nodes that do nothing.
    if (nodes.every(({ work }) => work.type === 'empty')) return;
    const report: GraphEvent = { type: 'graph', ...deviceWork(call, placeOf(stream)), graphId };
    const launch: GraphLaunch = { start: -1, pending: nodes.length, report };
    const make = (node: GraphNodeRequest, streamId: number): Operation => {
      const work = this.graphOperation(call, node, stream, { deviceId: node.device ?? 0, streamId });
      work.launch = launch;
      if (work.report) Object.assign(work.report, { graphId, graphNodeId: node.nodeId });
      return work;
    };
    // CUDA runtime API, cudaGraphLaunch: behind all that is in the stream, and behind earlier launches of the same executable.
    const before = this.graphLaunches.get(graphId);
    const elsewhere = before && before.stream !== stream ? before.end : null;
    const end = this.submitNodes(stream, nodes, planLaunch(this.host, nodes, hasMemoryNodes), make, elsewhere);
    this.graphLaunches.set(graphId, { stream, end });
  }

  /** Kernels that kernels launch start without the host: see device-launches.ts. */
  private launchWithChildren(
    call: ApiCall,
    request: KernelRequest,
    { kernels, ending }: NonNullable<KernelRequest['children']>,
    stream: Stream,
  ): void {
    for (const { work } of kernels) this.loadKernel(work.kernel, stream.device);
    const first = { work: request, dependencies: [], gap: 0, launcher: null, row: 0, before: -1 };
    const { nodes, plan } = planChildren([first, ...kernels], ending);
    const onDevice = nodes.map((node) => ({ ...node, device: stream.device }));
    this.submitNodes(stream, onDevice, plan, ({ work }, streamId) =>
      this.kernelOperation(call, work, stream, { deviceId: stream.device, streamId }),
    );
  }

  /**
   * Puts work with dependencies of its own at the end of a stream, behind work of another stream too if so asked. `make` is
   * told on which stream the trace shows it. What it returns ends when all of it has ended.
   */
  private submitNodes<Node extends SubmittedNode & { device?: number }>(
    stream: Stream,
    nodes: Node[],
    plan: LaunchPlan,
    make: (node: Node, traceId: number) => Operation,
    elsewhere: Operation | null = null,
  ): Operation {
    const { device } = this.gpuOf(stream);
    this.makeRoom(stream);
    this.machine.advance(this.clock);

    const made = nodes.map((node, index) => make(node, this.graphStream(stream, plan.branches[index]!)));
    // In the place of copies that nobody waits for are marks.
    const isAside = (work: Operation): boolean => this.copiesAside && isBetween(work);
    const operations = made.map((work) => (isAside(work) ? mark('wait') : work));
    let isFirst = true;
    const end = connect(nodes, operations, plan, {
      enter: (work, delay) => {
        this.waitForEarlier(stream, work, false, delay);
        // The launch waits, whatever it begins with.
        if (!isFirst) work.implicit = null;
        isFirst = false;
        this.dependAcross(work, elsewhere);
      },
      gapBetween: (before, work) => this.gapBetween(before, work, false),
    });
    this.becomeLast(stream, end);
    this.works(stream);
    const latency = this.host.startLatency.kernel;
    this.clock += plan.cost;
    const parts = operations.map((work, index) => ({
      device: this.gpus[nodes[index]!.device ?? 0]!.device,
      work,
      // The host goes on giving while the GPU works, unless it hands over all at once.
      latency: this.host.submission ? latency : latency + plan.given[index]! - plan.cost,
    }));
    made.forEach((work, index) => {
      if (isAside(work)) parts.push({ ...parts[index]!, work });
    });
    this.handOver(operations.includes(end) ? parts : [...parts, { device, work: end, latency }]);
    return end;
  }

  private graphOperation(call: ApiCall, { work, priority }: GraphNodeRequest, stream: Stream, at: Place): Operation {
    const { description: gpu, device } = this.gpus[at.deviceId]!;
    switch (work.type) {
      case 'kernel':
        return this.kernelOperation(call, work, stream, at, priority);
      case 'copy': {
        const { direction, peer } = work;
        if (peer) return this.peerOperation(call, { ...work, peer }, at);
        const to = direction === 'host-to-device' ? 'upload' : direction === 'device-to-host' ? 'download' : null;
        const engine = to && device.copyEngines.indexFor(to);
        const report = copyReport(call, work, at, engine);
        // Pageable memory is staged by the driver's own thread: at its rate, and without the caller's time.
        if (to === 'upload') {
          return withFaults(operation('copy', to, this.uploadPlan(work, gpu).phases, report), work);
        }
        if (to === 'download') {
          return withFaults(operation('copy', to, this.downloadPlan(work, gpu).phases, report), work);
        }
        if (direction === 'device-to-device') {
          return withFaults(this.insideOperation(work, report, stream.priority), work);
        }
        const duration = Math.round(this.hostCopyTime(work));
        return withFaults(operation('wait', null, [offLink(duration)], report), work);
      }
      case 'memset':
        return withFaults(this.fillOperation(work, memsetReport(call, work, at), stream.priority), work);
      case 'host':
        return this.hostFunctionOperation(stream.last, this.host.graphs.hostFunction);
      case 'event-record':
        return this.newRecord(work.event);
      case 'event-wait': {
        const wait = mark('wait');
        const { record } = this.event(work.event);
        if (record && record.end < 0) after(wait, record, this.eventLatency(record, at.deviceId));
        return wait;
      }
      case 'empty':
        return mark('wait');
    }
  }

  /** The first branch of a graph runs in the stream itself, the others in streams of their own, as CUPTI shows them. */
  private graphStream(stream: Stream, branch: number): number {
    if (branch === 0) return stream.traceId;
    const others = (stream.graphStreams ??= []);
    while (others.length < branch) {
      const streamId = ++this.lastStream;
      others.push(streamId);
      const { device, priority } = stream;
      this.sink({ type: 'stream', streamId, ...ordinal(device), priority, nonBlocking: true });
    }
    return others[branch - 1]!;
  }

  copy(call: ApiCall, request: CopyRequest): void {
    const stream = this.stream(request.stream);
    if (request.peer) return this.copyBetween(call, { ...request, peer: request.peer }, stream);
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
    const { description, device } = this.gpuOf(stream);
    const plan = this.uploadPlan(request, description);
    const engine = device.copyEngines.indexFor('upload');
    // What the host writes into the command stream itself needs no copy engine.
    const isOwn = plan.path === 'inline' && request.hostMemory === 'pageable';
    const report = copyReport(call, request, placeOf(stream), isOwn ? null : engine);
    const way = isOwn
      ? operation('inline', 'compute', [offLink(Math.round(plan.phases[0]!.duration))], report)
      : operation('copy', 'upload', plan.phases, report);
    const work = withFaults(way, request);
    const { copy: latency } = this.host.startLatency;
    switch (plan.path) {
      case 'inline':
        this.clock += Math.round(plan.hostTime) + (request.async ? 0 : this.host.copies.inlineBlockingIssue);
        this.enqueue(stream, work, isOwn ? this.host.startLatency.kernel : latency, true);
        if (!request.async && request.hostMemory === 'pinned') this.waitFor(call, work);
        return;
      case 'direct':
        this.enqueue(stream, work, latency);
        if (!request.async) this.waitFor(call, work);
        return;
      case 'staged': {
        if (this.copiesAside) return this.enqueue(stream, work, latency);
        // CUDA runtime API, "API synchronization behavior": the call returns when all bytes are in staging memory. The first
        // piece goes there while the stream is still busy: C3 H2D_pageable_1024KB, whose events lie closer together than the
        // host's copy takes.
        const begin = this.clock;
        this.enqueue(stream, work, Math.round(plan.firstPiece) + latency);
        const goesOn = (): number => {
          const delay = Math.max(0, work.start - (begin + plan.firstPiece + latency));
          return Math.max(Math.round(begin + plan.hostTime + delay), work.start);
        };
        const isLong = request.bytes > this.host.copies.stagingBytes;
        if (isLong) this.flush();
        if (isLong && call.waits) return this.whenOver(call, () => (work.start < 0 ? null : goesOn()));
        if (isLong) this.machine.runUntilStarted(work);
        this.clock = Math.max(this.clock, goesOn(), this.machine.time);
      }
    }
  }

  private download(call: ApiCall, request: CopyRequest, stream: Stream): void {
    const { description, device } = this.gpuOf(stream);
    const plan = this.downloadPlan(request, description);
    const engine = device.copyEngines.indexFor('download');
    const report = copyReport(call, request, placeOf(stream), engine);
    const work = withFaults(operation('copy', 'download', plan.phases, report), request);
    this.enqueue(stream, work, this.host.startLatency.copy);
    if (this.copiesAside) return;
    if (plan.path === 'staged') {
      this.waitFor(call, work);
      this.whenWaited(call, () => (this.clock += Math.round(plan.lastPiece)));
    } else if (!request.async) {
      this.waitFor(call, work);
    }
  }

  private copyInside(call: ApiCall, request: CopyRequest, stream: Stream): void {
    this.clock += this.host.copies.deviceCopyIssue;
    const report = copyReport(call, request, placeOf(stream), null);
    const work = withFaults(this.insideOperation(request, report, stream.priority), request);
    // Neither kind of call waits: CUDA runtime API, "API synchronization behavior".
    this.enqueue(stream, work, this.host.startLatency.kernel);
  }

  private copyBetween(call: ApiCall, request: CopyRequest & { peer: PeerCopy }, stream: Stream): void {
    if (!request.peer.direct) this.clock += this.host.peers.stagedIssue;
    const work = this.peerOperation(call, request, placeOf(stream));
    if (this.copiesAside) return this.enqueue(stream, work, this.host.startLatency.copy);
    // CUDA programming guide, "Peer-to-Peer Memory Copy": in the default stream it starts when all that was issued to either
    // GPU has ended, and what is issued afterwards waits for it.
    const others = stream === this.gpuOf(stream).legacy ? [request.peer.from, request.peer.to] : [];
    const waiting = [...new Set(others)].flatMap((index) => (index === stream.device ? [] : [this.gpus[index]!]));
    this.machine.advance(this.clock);
    for (const { legacy, blockingWithWork } of waiting) {
      for (const other of [legacy, ...blockingWithWork]) this.dependAcross(work, other.last);
    }
    this.enqueue(stream, work, this.host.startLatency.copy);
    for (const { legacy } of waiting) {
      const wait = mark('wait');
      after(wait, work, this.eventLatency(work, legacy.device));
      this.enqueue(legacy, wait, this.host.startLatency.kernel);
    }
  }

  private peerOperation(
    call: ApiCall,
    request: Pick<CopyRequest, 'direction' | 'hostMemory' | 'bytes'> & { peer: PeerCopy },
    at: Place,
  ): Operation {
    const descriptions = this.gpus.map(({ description }) => description);
    const phases = peerPhases(this.host, descriptions, request.peer, request.bytes);
    const engine = request.peer.direct ? this.gpus[at.deviceId]!.device.copyEngines.indexForPeers : null;
    const work = operation('copy', 'peer', phases, copyReport(call, request, at, engine));
    work.peer = request.peer;
    return work;
  }

  /** In stream order by the host itself, which therefore waits for the stream. */
  private copyOnHost(call: ApiCall, request: CopyRequest, stream: Stream): void {
    this.waitForStream(call, stream);
    this.whenWaited(call, () => {
      const start = this.now;
      this.clock += Math.round(this.hostCopyTime(request));
      this.machine.advance(this.clock);
      this.sink({ ...copyReport(call, request, placeOf(stream), null), start, end: this.now });
    });
  }

  private uploadPlan({ bytes, hostMemory: memory, hostAddress, rows = 1 }: HostCopy, gpu: CompleteGpu): TransferPath {
    const stagingRate = memory === 'pageable' ? this.hostCache.touch(hostAddress ?? 0, bytes) : 1;
    return uploadPath(this.host, gpu, { bytes, memory, rows, stagingRate });
  }

  private downloadPlan({ bytes, hostMemory: memory, hostAddress, rows = 1 }: HostCopy, gpu: CompleteGpu): TransferPath {
    if (memory === 'pageable') this.hostCache.touch(hostAddress ?? 0, bytes);
    return downloadPath(this.host, gpu, { bytes, memory, rows });
  }

  private hostCopyTime({ bytes, hostAddress }: HostCopy): number {
    return bytes / this.hostCache.touch(hostAddress ?? 0, bytes);
  }

  private insideOperation({ bytes, rows }: HostCopy, report: CopyEvent, priority: number): Operation {
    const { description } = this.gpus[report.deviceId]!;
    const duration = deviceCopyTime(this.host, description, bytes, rows);
    return onSms(Math.round(duration), memoryBlocks(description, 2 * bytes), report, priority);
  }

  private fillOperation(
    { bytes, rows }: Pick<MemsetRequest, 'bytes' | 'rows'>,
    report: MemsetEvent,
    priority: number,
  ): Operation {
    const { description } = this.gpus[report.deviceId]!;
    const duration = memsetTime(this.host, description, bytes, rows);
    return onSms(Math.round(duration), memoryBlocks(description, bytes), report, priority);
  }

  private loadKernel(kernel: string, device: number): void {
    const { loadedKernels } = this.gpus[device]!;
    if (!this.lazyLoading || loadedKernels.has(kernel)) return;
    loadedKernels.add(kernel);
    this.clock += this.host.firstLaunchOfKernel;
  }

  /** Puts work at the end of a stream, with all that it has to wait for. */
  private enqueue(stream: Stream, work: Operation, startLatency: number, inline = false): void {
    this.makeRoom(stream);
    this.machine.advance(this.clock);
    if (this.copiesAside && isBetween(work)) {
      return this.handOver([{ device: this.gpuOf(stream).device, work, latency: startLatency }]);
    }
    this.waitForEarlier(stream, work, inline);
    this.becomeLast(stream, work);
    this.goThrough(stream.connection, work);
    this.handOver([{ device: this.gpuOf(stream).device, work, latency: startLatency }]);
  }

  /** One command. */
  private handOver(parts: Submitted[]): void {
    const { submission } = this.host;
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
    return Math.max(this.clock + latency, this.machine.time);
  }

  /** Hands over what the driver has gathered. */
  private flush(): void {
    if (this.gathered.length === 0) return;
    this.clock += this.host.submission!.cost;
    for (const { device, work, latency } of this.gathered) {
      const arrival = this.arrival(latency);
      if (work.implicit) work.implicit.arrival = arrival;
      device.release(work, arrival);
    }
    this.gathered = [];
    this.commands = 0;
  }

  /**
   * What is at the head of a queue and cannot start holds up what other streams have behind it. Measured on an H200
   * (spins.cu): two kernels in each of 9 to 16 streams, stream by stream, take as long as three, in 17 to 32 as four or five.
   */
  private goThrough(connection: Connection, work: Operation): void {
    if (work.kind === 'copy') return;
    if (connection.last) behind(work, connection.last);
    connection.last = work;
  }

  /** Streams of a priority take the connections of their GPU in turn. */
  private connectionFor(device: number, priority: number): Connection {
    const key = `${device} ${priority}`;
    const all = this.connections.get(key) ?? [];
    this.connections.set(key, all);
    const connection = all.length < this.connectionCount ? { last: null } : all.shift()!;
    all.push(connection);
    return connection;
  }

  /** Makes work wait for what the stream holds, and for the default stream or the blocking ones. */
  private waitForEarlier(stream: Stream, work: Operation, inline = false, delay = 0): void {
    const { legacy, blockingWithWork } = this.gpuOf(stream);
    const own = stream.last;
    work.engine ??= own?.engine ?? null;
    if (own) after(work, own, this.gapBetween(own, work, inline) + delay);
    const others = stream === legacy ? [...blockingWithWork] : stream.nonBlocking ? [] : [legacy];
    for (const other of others) this.dependAcross(work, other.last);
    this.noteImplicit(stream, work, others);
  }

  /** For the trace, of work that does something. */
  private noteImplicit(stream: Stream, work: Operation, others: readonly Stream[]): void {
    if (work.kind === 'event' || work.kind === 'wait') return;
    const waitsFor = others.flatMap(({ last, traceId, lastWork }) =>
      last && last.end < 0 ? [{ operation: last, streamId: traceId, correlationId: lastWork }] : [],
    );
    if (waitsFor.length === 0) return;
    const correlationId = this.lastCorrelation;
    work.implicit = { arrival: 0, own: stream.last, others: waitsFor, streamId: stream.traceId, correlationId };
  }

  private becomeLast(stream: Stream, work: Operation): void {
    const { legacy, blockingWithWork } = this.gpuOf(stream);
    if (stream === legacy) blockingWithWork.clear();
    else if (!stream.nonBlocking) blockingWithWork.add(stream);
    stream.last = work;
    stream.outstanding.push(work);
    if (work.kind !== 'event' && work.kind !== 'wait') this.works(stream);
  }

  /** The call that is being made gives a stream something to do. */
  private works(stream: Stream): void {
    const correlationId = (stream.lastWork = this.lastCorrelation);
    for (const waitsFor of stream.waitsFor) this.sink({ type: 'dependency', correlationId, waitsFor });
    stream.waitsFor = [];
  }

  /** Implicit synchronization with the legacy default stream. */
  private dependAcross(work: Operation, other: Operation | null): void {
    if (!other || other.end >= 0) return;
    after(work, other, this.gapBetween(other, work, false) + this.host.crossStreamLatency);
  }

  /** From the end of work that an event stands for to that of a GPU that waits for it. */
  private eventLatency(record: Operation, device: number): number {
    const { crossStreamLatency, peers } = this.host;
    // One that has not been submitted yet is in the same graph.
    const across = record.device >= 0 && record.device !== device;
    return crossStreamLatency + (across ? peers.eventLatency : 0);
  }

  private gapBetween(before: Operation, after: Operation, inline: boolean): number {
    const { gap } = this.host;
    if (isMark(after) || (this.startsAtOnce && after.kind === 'sm')) return 0;
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

  /** The driver's queue for a stream is finite: the host waits until its oldest operation has ended. */
  private makeRoom(stream: Stream): void {
    const oldest = this.oldestOfFull(stream);
    if (!oldest) return;
    this.flush();
    stream.outstanding.shift();
    this.machine.runUntilEnded(oldest);
    this.clock = Math.max(this.clock, oldest.end);
  }

  /** The operation whose end makes room; null while there is some. */
  private oldestOfFull({ outstanding }: Stream): Operation | null {
    while (outstanding.first && outstanding.first.end >= 0) outstanding.shift();
    return outstanding.length < this.host.queueDepth ? null : outstanding.first!;
  }

  /** The last of what a wait for the stream has to wait for: the default stream stands for all blocking streams as well. */
  private lastOf(stream: Stream): Operation[] {
    const { legacy, blockingWithWork } = this.gpuOf(stream);
    const candidates = [stream.last];
    if (stream === legacy) for (const other of blockingWithWork) candidates.push(other.last);
    return candidates.filter((work) => work !== null);
  }

  private waitForStream(call: ApiCall, stream: Stream): void {
    this.flush();
    this.machine.advance(this.clock);
    for (const work of this.lastOf(stream)) this.waitFor(call, work);
  }

  private waitFor(call: ApiCall, work: Operation, sleeping = this.blockingWaits): void {
    this.flush();
    this.machine.advance(this.clock);
    if (this.copiesAside && isBetween(work)) return;
    if (this.isSeen(work)) return;
    const { clock } = this;
    if (call.waits) return this.whenOver(call, () => (work.end < 0 ? null : this.returnTime(work, clock, sleeping)));
    this.machine.runUntilEnded(work);
    this.returnFrom(work, sleeping);
  }

  private returnFrom(work: Operation, sleeping: boolean): void {
    this.clock = this.returnTime(work, this.clock, sleeping);
  }

  /** When a wait that began at `since` returns from work that has ended. */
  private returnTime(work: Operation, since: number, sleeping: boolean): number {
    const { wakeUp } = this.host;
    const waking = !sleeping ? 0 : work.end - since < wakeUp.within ? wakeUp.aboutTo : wakeUp.asleep;
    return Math.max(since, work.end + this.returnLatency(work) + waking);
  }

  private returnLatency({ kind }: Operation): number {
    const { returnLatency } = this.host;
    return kind === 'copy' ? returnLatency.copy : returnLatency.kernel;
  }

  private synchronized(
    call: ApiCall,
    kind: SynchronizationEvent['kind'],
    deviceId: number,
    streamId: number | null,
    eventId: number | null,
  ): void {
    this.machine.advance(this.clock);
    const { start, correlationId } = call;
    this.sink({ type: 'synchronization', start, end: this.now, kind, deviceId, streamId, eventId, correlationId });
  }

  private addStream(id: StreamId, traceId: number, device: number, nonBlocking: boolean, priority: number): Stream {
    const stream: Stream = {
      id,
      traceId,
      device,
      nonBlocking,
      priority,
      last: null,
      lastWork: 0,
      waitsFor: [],
      outstanding: new Fifo(),
      connection: isLegacyStream(id) ? { last: null } : this.connectionFor(device, priority),
      graphStreams: null,
    };
    this.streams.set(id, stream);
    this.sink({ type: 'stream', streamId: traceId, ...ordinal(device), priority, nonBlocking });
    return stream;
  }

  private gpuOf({ device }: Stream): Gpu {
    return this.gpus[device]!;
  }

  private stream(id: StreamId): Stream {
    return this.streams.get(id) ?? raise(`There is no stream ${id}.`);
  }

  private event(id: EventId): Event {
    return this.events.get(id) ?? raise(`There is no event ${id}.`);
  }
}

/** What SMs do: `duration` when it has the GPU for itself. */
function onSms(duration: number, blocks: KernelBlocks, report: Operation['report'], priority: number): Operation {
  const work = operation('sm', 'compute', [offLink(duration)], report, priority);
  work.blocks = blocks;
  return work;
}

/** A copy or memset first waits for the managed memory that it touches. */
function withFaults(work: Operation, { paging = null }: { paging?: Paging | null }): Operation {
  if (!paging) return work;
  const [first] = work.phases as [Phase];
  work.phases[0] = { ...first, duration: first.duration + paging.duration };
  work.paging = paging;
  return work;
}

/** A copy between host and GPU, or between GPUs. */
const isBetween = ({ kind }: Operation): boolean => kind === 'copy' || kind === 'inline';

/** What takes its turn and keeps no part of the GPU busy. */
const isMark = ({ kind }: Operation): boolean => kind === 'event' || kind === 'wait' || kind === 'host';

/** Where the trace shows work. */
interface Place {
  deviceId: number;
  streamId: number;
}

const placeOf = ({ device, traceId }: Stream): Place => ({ deviceId: device, streamId: traceId });

/** Said of streams of the further GPUs. */
const ordinal = (deviceId: number): { deviceId?: number } => (deviceId === 0 ? {} : { deviceId });

function deviceWork(call: ApiCall, at: Place) {
  return { start: ns(0), end: ns(0), ...at, correlationId: call.correlationId };
}

function kernelReport(call: ApiCall, request: Omit<KernelRequest, 'stream' | 'children'>, at: Place): KernelEvent {
  const { kernel, grid, block, dynamicSharedBytes, details, failure } = request;
  const failed = failure ? { failure } : {};
  return { type: 'kernel', ...deviceWork(call, at), kernel, grid, block, dynamicSharedBytes, details, ...failed };
}

function memsetReport(call: ApiCall, request: Pick<MemsetRequest, 'value' | 'bytes'>, at: Place): MemsetEvent {
  return { type: 'memset', ...deviceWork(call, at), value: request.value, bytes: request.bytes };
}

function copyReport(
  call: ApiCall,
  request: Pick<CopyRequest, 'direction' | 'hostMemory' | 'bytes' | 'peer'>,
  at: Place,
  engine: number | null,
): CopyEvent {
  const { direction, hostMemory, bytes, peer } = request;
  const between = peer ? { peer: { from: peer.from, to: peer.to } } : {};
  return { type: 'copy', ...deviceWork(call, at), direction, hostMemory, bytes, ...between, engine };
}

/** The runtime checks handles before it calls: a wrong one here is a fault of Simsight. */
function fault(message: string): SimsightError {
  return new SimsightError('internal', message, 'This is a fault in Simsight: please report it.');
}

function raise(message: string): never {
  throw fault(message);
}
