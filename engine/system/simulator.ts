/**
 * {@link SystemSimulator}: the host threads' clocks, streams, events and what they make the GPU do.
 *
 *   const system = createSystemSimulator({ gpu: gpuById('h200'), host: defaultHost, sink: (event) => events.push(event) });
 *   const call = system.beginApi('cudaDeviceSynchronize', { cost: 309 });
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
import { ns, type Nanoseconds } from '../base/units.ts';
import { withFallbacks } from '../gpus/fallbacks.ts';
import { nvLinkBetween } from '../gpus/nvlink.ts';
import type { GpuDescription } from '../gpus/types.ts';
import type { EventOfCall, EventSink, FailureEvent, MemoryEvent } from '../model/events.ts';
import type { NvtxEvent } from '../model/event-kinds/nvtx.ts';
import type { KernelBlocks } from '../model/kernel-profile.ts';
import type { PassedOptions } from '../model/record-options.ts';
import { chargedOn, type CallCost } from './call-costs.ts';
import { Copies } from './copies.ts';
import { copyOf } from './copy-of.ts';
import { DriverLocks } from './driver-locks.ts';
import { GraphLaunches } from './graph-launches.ts';
import { graphCallCost, type GraphNodeShape } from './graphs.ts';
import type { HostThreads } from './host-threads.ts';
import type { HostProfile } from './hosts.ts';
import { host as hostMemory } from './managed-pages.ts';
import { ManagedMemory, type Paging } from './managed.ts';
import { after, mark, offLink, onLink, onSms, operation, withFaults, type Operation } from './operations.ts';
import { pagingEvents } from './paging-events.ts';
import type { SystemParts } from './parts.ts';
import { ProgramText } from './program-text.ts';
import { SharedBlocks } from './shared-blocks.ts';
import { SystemState } from './state.ts';
import { StreamOrder } from './stream-order.ts';
import { Streams, type Stream } from './streams.ts';
import { Submission } from './submission.ts';
import { isSmallFill } from './transfers.ts';
import type {
  ApiCall,
  CallUse,
  CopyRequest,
  EventId,
  GraphCall,
  GraphRequest,
  HeldKernel,
  KernelRequest,
  MemsetRequest,
  StreamId,
  SystemSimulator,
} from './types.ts';
import { Waits } from './waits.ts';
import { memsetReport, placeOf, RequestedWork } from './work.ts';

/** Options of a simulated system, the recording's among them (`lifted`). */
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

class System implements SystemSimulator, SystemParts {
  readonly managed: ManagedMemory;
  readonly state: SystemState;
  readonly streams: Streams;
  readonly order: StreamOrder;
  readonly submission: Submission;
  readonly waits: Waits;
  readonly work: RequestedWork;
  private readonly copies: Copies;
  private readonly graphs: GraphLaunches;
  private readonly locks: DriverLocks;
  private readonly text: ProgramText;
  private readonly sharedBlocks = new SharedBlocks();
  /** Beginnings of kernels that waited for the host, by {@link HeldKernel}. */
  private readonly heldKernels: Operation[] = [];
  /** The host function that is running, and its time once it has asked. */
  private hostFunctionIn: { stream: StreamId; time: Nanoseconds | null } | null = null;

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
    this.text = new ProgramText(sink);
    this.state = new SystemState(descriptions, host, sink, lifted);
    this.locks = new DriverLocks(this.state.host, this.state.threads);
    this.streams = new Streams(this.state, descriptions, connections, contextCreation);
    this.order = new StreamOrder(this.state, this.streams);
    this.submission = new Submission(this.state, this.streams, this.order);
    this.waits = new Waits(this.state, this.streams, this.order, this.submission);
    this.work = new RequestedWork(this.state, this.streams, this.order, lazyLoading);
    this.copies = new Copies(this);
    this.graphs = new GraphLaunches(this);
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

  get host(): HostProfile {
    return this.state.host;
  }

  get threads(): HostThreads {
    return this.state.threads;
  }

  get now(): Nanoseconds {
    return this.state.now;
  }

  // Calls

  beginApi(name: string, cost: CallCost, use: CallUse = {}): ApiCall {
    const call = { name, correlationId: ++this.state.lastCorrelation, start: this.state.now };
    this.state.clock += this.charge(cost, use);
    return call;
  }

  /** CPU time of a call; the first that needs the context has to create it. */
  private charge(call: CallCost, { bytes = 0, captured = false, device = 0 }: CallUse): number {
    const { host } = this.state;
    const gpu = this.streams.gpus[device]!;
    const creates = gpu.contextMissing && !call.contextFree;
    if (creates) gpu.contextMissing = false;
    const cost = captured ? host.graphs.calls.capturedCall : chargedOn(host, call);
    const sized = call.allocation && bytes > 0 ? this.sharedBlocks.cost(call.allocation, bytes, device) : 0;
    return cost + sized + (creates ? host.contextCreation : 0);
  }

  openApi(name: string): ApiCall {
    return { name, correlationId: ++this.state.lastCorrelation, start: this.state.now, waits: [] };
  }

  enterStream(stream: StreamId): void {
    this.locks.enter(stream);
  }

  leaveStream(stream: StreamId): void {
    this.locks.leave(stream);
  }

  chargeApi(call: CallCost, use: CallUse): void {
    const cost = this.charge(call, use);
    if (!call.contextFree) this.state.clock += this.locks.delay(call, cost, use.device ?? 0);
    this.state.clock += cost;
  }

  endApi(call: ApiCall, returnValue: number): void {
    this.state.machine.advance(this.state.clock);
    const { name, correlationId, start } = call;
    this.state.sink({
      type: 'api',
      start,
      end: this.state.now,
      name,
      correlationId,
      threadId: this.state.threads.current.number,
      returnValue,
    });
  }

  hostWork(duration: Nanoseconds): void {
    this.state.clock += Math.max(0, Math.round(duration));
  }

  console(stream: 'stdout' | 'stderr', text: string): void {
    this.state.machine.advance(this.state.clock);
    this.text.print(this.state.now, stream, text);
  }

  remark(text: string): void {
    this.state.machine.advance(this.state.clock);
    this.text.remark(this.state.now, text);
  }

  notice(text: string): void {
    this.state.machine.advance(this.state.clock);
    this.text.say(this.state.now, text);
  }

  nameOf(text: string): string {
    return this.text.name(this.state.now, text);
  }

  nvtx(event: Omit<NvtxEvent, 'type' | 'threadId'>): void {
    this.state.machine.advance(this.state.clock);
    this.state.sink({ type: 'nvtx', ...event, threadId: this.state.threads.current.number });
  }

  nameThread(name: string): void {
    this.state.sink({ type: 'thread-name', threadId: this.state.threads.current.number, name });
  }

  memory(event: Omit<MemoryEvent, 'type' | 'time' | 'correlationId'>): void {
    this.state.machine.advance(this.state.clock);
    this.state.sink({ type: 'memory', ...event, time: this.state.now, correlationId: this.state.lastCorrelation });
  }

  failed(event: Omit<FailureEvent, 'type' | 'correlationId'>): void {
    this.state.machine.advance(this.state.clock);
    this.state.sink({ type: 'failure', ...event, correlationId: this.state.lastCorrelation });
  }

  finish(): void {
    this.submission.flush();
    this.state.machine.runUntilIdle();
    this.state.clock = Math.max(this.state.clock, this.state.machine.time);
    this.text.flush();
  }

  // Streams, events and waits

  createStream(options: { nonBlocking: boolean; priority: number; device?: number }): StreamId {
    return this.streams.createStream(options);
  }

  destroyStream(stream: StreamId): void {
    this.streams.destroyStream(stream);
  }

  createEvent(options: { timing: boolean; blockingSync: boolean }): EventId {
    return this.streams.createEvent(options);
  }

  destroyEvent(event: EventId): void {
    this.streams.destroyEvent(event);
  }

  queryStream(stream: StreamId): boolean {
    return this.waits.queryStream(stream);
  }

  queryEvent(event: EventId): boolean {
    return this.waits.queryEvent(event);
  }

  elapsedMilliseconds(start: EventId, end: EventId): number | null {
    return this.waits.elapsedMilliseconds(start, end);
  }

  setBlockingWaits(blocking: boolean): void {
    this.waits.setBlockingWaits(blocking);
  }

  synchronizeStream(call: ApiCall, stream: StreamId): void {
    this.waits.synchronizeStream(call, stream);
  }

  synchronizeEvent(call: ApiCall, event: EventId): void {
    this.waits.synchronizeEvent(call, event);
  }

  synchronizeDevice(call: ApiCall, silent = false, index = 0): void {
    this.waits.synchronizeDevice(call, silent, index);
  }

  roomIn(call: ApiCall, stream: StreamId): void {
    this.waits.roomIn(call, stream);
  }

  recordEvent(_call: ApiCall, event: EventId, stream: StreamId): void {
    const record = this.streams.newRecord(event);
    this.streams.event(event).behind = this.streams.stream(stream).lastWork;
    if (this.streams.event(event).timing) this.state.clock += this.state.host.timedEvent.issue;
    this.submission.enqueue(this.streams.stream(stream), record, this.state.host.startLatency.copy);
  }

  streamWaitEvent(call: ApiCall, stream: StreamId, event: EventId): void {
    const waiting = this.streams.stream(stream);
    const { record, behind } = this.streams.event(event);
    this.state.machine.advance(this.state.clock);
    if (record && record.end < 0) {
      const wait = mark('wait');
      after(wait, record, this.order.eventLatency(record, waiting.device));
      this.submission.enqueue(waiting, wait, this.state.host.startLatency.kernel);
    }
    this.waits.synchronized(call, 'stream-wait', waiting.device, waiting.traceId, event);
    if (behind > 0) {
      this.state.sink({ type: 'dependency', correlationId: call.correlationId, waitsFor: behind });
      waiting.waitsFor.push(behind);
    }
  }

  // Work

  hold(id: StreamId): HeldKernel {
    const stream = this.streams.stream(id);
    const work = mark('wait', Infinity, 'compute');
    this.submission.enqueue(stream, work, this.state.host.startLatency.kernel);
    return this.heldKernels.push(work) - 1;
  }

  letGo(held: HeldKernel): void {
    const work = this.heldKernels[held]!;
    this.submission.flush();
    this.state.machine.advance(this.state.clock);
    this.state.machine.devices[work.device]!.letEnd(work, Math.max(this.state.clock, this.state.machine.time));
  }

  launch(call: ApiCall, request: KernelRequest): void {
    const stream = this.streams.stream(request.stream);
    if (request.held !== undefined) this.letGo(request.held);
    this.work.loadKernel(request.kernel, stream.device);
    if (request.children) return this.graphs.launchWithChildren(call, request, request.children, stream);
    const work = this.work.kernelOperation(call, request, stream, placeOf(stream));
    const { held } = request;
    if (held !== undefined) work.held = this.heldKernels[held]!;
    this.submission.enqueue(stream, work, held === undefined ? this.state.host.startLatency.kernel : 0);
  }

  hostFaults(paging: Paging): void {
    const start = this.state.clock;
    this.state.clock += paging.duration;
    this.state.machine.advance(this.state.clock);
    for (const event of pagingEvents(paging, start, this.state.clock)) this.state.sink(event);
  }

  prefetch(_call: ApiCall, id: StreamId, paging: Paging, toDevice: boolean): void {
    const stream = this.streams.stream(id);
    const usesHostLink = paging.steps.some(({ migrations }) =>
      migrations.some(({ from, to }) => from === hostMemory || to === hostMemory),
    );
    const moving = usesHostLink ? paging.steps.reduce((sum, { duration }) => sum + duration, 0) : 0;
    const phases = [offLink(paging.duration - moving), onLink(moving)];
    const work = operation('copy', toDevice ? 'upload' : 'download', phases, null);
    work.paging = paging;
    this.submission.enqueue(stream, work, this.state.host.startLatency.copy);
  }

  expectedStart(stream: StreamId): Nanoseconds {
    const probe = this.tried(stream, ({ priority }) => onSms(0, smallestKernel, null, priority));
    return ns(probe.start);
  }

  get clockReading(): Nanoseconds {
    const running = this.hostFunctionIn;
    if (running === null) return this.state.now;
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
    const probe = this.tried(stream, ({ last }) => this.work.hostFunctionOperation(last));
    const { duration } = probe.phases[0]!;
    return ns(probe.start + Math.max(0, duration - this.state.host.hostFunction.afterCall));
  }

  /** Trial of work on a copy of the system: put into a stream now, with nothing after it, until it has started. */
  private tried(stream: StreamId, make: (stream: Stream) => Operation): Operation {
    const shared = new Set<unknown>([
      this.state.host,
      this.state.hostCache,
      this.managed,
      ...this.streams.gpus.map(({ description }) => description),
    ]);
    const copy = copyOf<System>(this, shared, ['report', 'paging', 'implicit']);
    const probe = make(copy.streams.stream(stream));
    const { startLatency } = this.state.host;
    copy.submission.enqueue(
      copy.streams.stream(stream),
      probe,
      probe.kind === 'sm' ? startLatency.kernel : startLatency.copy,
    );
    // A trial is not in the trace.
    probe.implicit = null;
    copy.submission.flush();
    copy.state.machine.runUntilStarted(probe);
    return probe;
  }

  copy(call: ApiCall, request: CopyRequest): void {
    this.copies.copy(call, request);
  }

  memset(call: ApiCall, request: MemsetRequest): void {
    const stream = this.streams.stream(request.stream);
    const { copies } = this.state.host;
    if (!isSmallFill(copies, request.bytes, request.rows)) this.state.clock += copies.fills.issue;
    const report = memsetReport(call, request, placeOf(stream));
    const work = withFaults(this.work.fillOperation(request, report, stream.priority), request);
    this.submission.enqueue(stream, work, this.state.host.startLatency.kernel);
  }

  hostFunction(_call: ApiCall, id: StreamId): void {
    const stream = this.streams.stream(id);
    this.state.machine.advance(this.state.clock);
    const before = stream.last;
    this.submission.enqueue(stream, this.work.hostFunctionOperation(before), this.state.host.startLatency.copy);
  }

  // Graphs

  graphCall(_call: ApiCall, kind: GraphCall, nodes: readonly GraphNodeShape[]): void {
    this.state.clock += graphCallCost(this.state.host, kind, nodes);
  }

  launchGraph(call: ApiCall, request: GraphRequest): void {
    this.graphs.launchGraph(call, request);
  }

  eventOfCall({ name, start }: ApiCall, event: EventOfCall): void {
    this.state.machine.advance(this.state.clock);
    this.state.sink({ ...event, start, end: this.state.now, name, threadId: this.state.threads.current.number });
  }
}
