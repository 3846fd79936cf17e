/**
 * The system in simulated time: host threads, driver queue, streams, events, copy engines and SMs as a whole. The CUDA
 * runtime (`engine/cuda`) calls it for every API call; what happened comes out as {@link TraceEvent}s
 * (`engine/model/events.ts`) in order of completion of the calls and operations.
 *
 * Work is executed functionally when it is enqueued (program order is one legal order of a race-free program); only its
 * time is simulated here. A host thread's clock never runs back, and no later call can change what happened before it, so the
 * simulation runs exactly as far as the host has to know: to the present at a query, to completion at a wait.
 */
import type { CallCost } from './call-costs.ts';
import type { GraphNodeShape } from './graphs.ts';
import type { HostProfile } from './hosts.ts';
import type { HostThreads } from './host-threads.ts';
import type { ManagedMemory, Paging } from './managed.ts';
import type { Bytes, Nanoseconds } from '../base/units.ts';
import type { EventOfCall, FailureEvent, MemoryEvent, Failure } from '../model/events.ts';
import type { NvtxEvent } from '../model/event-kinds/nvtx.ts';
import type { CopyDirection, HostMemoryKind } from '../model/event-kinds/memcpy.ts';
import type { Dim3 } from '../model/execution.ts';
import type { KernelBlocks, KernelDetails } from '../model/kernel-profile.ts';

/** An API call in progress on the host thread. */
export interface ApiCall {
  readonly name: string;
  readonly correlationId: number;
  readonly start: Nanoseconds;
  /** Waits of the call, gathered here where other host threads run meanwhile; else they take place at once. */
  readonly waits?: CallWait[];
  /** Computes what the call returns once it has waited. */
  answer?: () => number;
}

/** A wait of a call, and what the call does after it. */
export interface CallWait {
  /** When the call goes on; null while that is not known. */
  returns: () => number | null;
  then?: () => void;
}

export type StreamId = number;
export type EventId = number;

export interface CopyRequest {
  direction: CopyDirection;
  bytes: Bytes;
  /** Device-to-device between two GPUs. */
  peer?: PeerCopy;
  /** Kind of the host side; ignored for device-to-device. */
  hostMemory: HostMemoryKind;
  /** Address of the host side: what was copied lately lies in its caches. */
  hostAddress?: number;
  /** Rows that do not lie one behind the other; 1 when absent. */
  rows?: number;
  stream: StreamId;
  /** `cudaMemcpyAsync` rather than `cudaMemcpy`: the host does not wait, except where staging makes it. */
  async: boolean;
  /** As for kernels. */
  paging?: Paging | null;
}

/** A copy from the memory of one GPU to that of another, named by their ordinals. */
export interface PeerCopy {
  from: number;
  to: number;
  /** Peer access is enabled: over NVLink, where there is one; else through the host. */
  direct: boolean;
}

export interface MemsetRequest {
  value: number;
  bytes: Bytes;
  /** As for copies. */
  rows?: number;
  /** As for kernels. */
  paging?: Paging | null;
  stream: StreamId;
  async: boolean;
}

/** Number of a kernel that has begun, and of which it is not known yet how it goes on. */
export type HeldKernel = number;

/** A kernel launch with the estimate of its own time on the whole, otherwise idle GPU. */
export interface KernelRequest {
  stream: StreamId;
  kernel: string;
  grid: Dim3;
  block: Dim3;
  dynamicSharedBytes: number;
  /** Duration when it has the GPU for itself. */
  duration: Nanoseconds;
  blocks: KernelBlocks;
  /** Managed memory that comes to it while it runs: beside `duration`. */
  paging?: Paging | null;
  /** It did not come to its end: how long it ran is not known. */
  failure?: Failure;
  /** Anything that the trace keeps with the kernel; passed through. */
  details: KernelDetails;
  /** The kernels that it launched, and those that they launched; the launch ends so long after the last of them. */
  children?: { kernels: ChildKernel[]; ending: number };
  /** What it has done until now: wait for the host. */
  held?: HeldKernel;
}

/** A kernel that another one launched. */
export interface ChildKernel {
  work: Omit<KernelRequest, 'stream' | 'children'>;
  /**
   * Kernels that must end first: 0 is the one that the host launched, 1 its first child. `gap`: time from the last of these ends to its
   * start.
   */
  dependencies: number[];
  gap: number;
  /** Kernel that launched it, and the time from that one's start to its own; null where it waits for others. */
  launcher: { index: number; offset: number } | null;
  /** Row of the trace, and what is before it there: -1 if nothing. */
  row: number;
  before: number;
}

/** Work of one node of a graph. */
export type GraphWork =
  | ({ type: 'kernel' } & Omit<KernelRequest, 'stream'>)
  | ({ type: 'copy' } & Pick<
      CopyRequest,
      'direction' | 'bytes' | 'hostMemory' | 'hostAddress' | 'rows' | 'peer' | 'paging'
    >)
  | ({ type: 'memset' } & Pick<MemsetRequest, 'value' | 'bytes' | 'rows' | 'paging'>)
  | { type: 'event-record' | 'event-wait'; event: EventId }
  /** A function of the host, called when the node's turn has come. */
  | { type: 'host' }
  | { type: 'empty' };

export interface GraphNodeRequest {
  nodeId: number;
  /** The GPU that does the work: 0 if not given. */
  device?: number;
  /** Priority of a kernel; if absent, that of the stream. */
  priority?: number;
  /** Indexes of earlier nodes of the request. */
  dependencies: number[];
  /** Timing of a kernel that a kernel launched: time from the end of its dependencies, or from the start of its launcher, to its start. */
  child?: Pick<ChildKernel, 'gap' | 'launcher'>;
  work: GraphWork;
}

export interface GraphRequest {
  stream: StreamId;
  /** Id of the executable. */
  graphId: number;
  /** It allocates or frees memory: such nodes are no work, those behind them wait for what they would have waited for. */
  hasMemoryNodes?: boolean;
  /** Nodes in an order in which they could run one after the other. */
  nodes: GraphNodeRequest[];
}

/** Calls on graphs whose CPU time depends on their nodes. */
export type GraphCall =
  'instantiate' | 'upload' | 'upload-again' | 'update' | 'clone' | 'destroy-exec' | 'destroy-graph';

/** The legacy default stream of a GPU. Those that are created count up from 1 at the lowest. */
export const legacyStreamOf = (device: number): StreamId => 0 - device;
export const isLegacyStream = (stream: StreamId): boolean => stream <= 0;

/** Conditions that the CPU time of a call depends on. */
export interface CallUse {
  /** Bytes that it allocates or frees. */
  bytes?: number;
  /** It becomes a node of a graph instead of being carried out. */
  captured?: boolean;
  /** The GPU that is the current one. */
  device?: number;
}

/** The simulator as the runtime sees it. One instance per recording. */
export interface SystemSimulator {
  /** The host thread's clock: what the program reads when it asks for the time. */
  readonly now: Nanoseconds;
  /** Their clocks: `now` is that of the present one. */
  readonly threads: HostThreads;
  readonly host: HostProfile;

  /** Starts an API call and charges its CPU time on the host. */
  beginApi(name: string, cost: CallCost, use?: CallUse): ApiCall;
  /**
   * The same in steps, for programs whose host threads run side by side: the call opens; if it puts work into a stream it waits
   * for other threads' calls there; it is charged; `roomIn` makes it wait for room in its stream; it leaves the stream.
   */
  openApi(name: string): ApiCall;
  enterStream(stream: StreamId): void;
  chargeApi(cost: CallCost, use: CallUse): void;
  roomIn(call: ApiCall, stream: StreamId): void;
  leaveStream(stream: StreamId): void;
  /** Ends it, with the `cudaError_t` it returns; the trace gets its range. */
  endApi(call: ApiCall, returnValue: number): void;
  /** Lets host time pass without a call (program's own CPU work, sleep). */
  hostWork(duration: Nanoseconds): void;

  createStream(options: { nonBlocking: boolean; priority: number; device?: number }): StreamId;
  /** Work already in the stream still completes. */
  destroyStream(stream: StreamId): void;

  createEvent(options: { timing: boolean; blockingSync: boolean }): EventId;
  destroyEvent(event: EventId): void;
  recordEvent(call: ApiCall, event: EventId, stream: StreamId): void;
  streamWaitEvent(call: ApiCall, stream: StreamId, event: EventId): void;

  /** `cudaDeviceScheduleBlockingSync`: waits let the thread sleep. */
  setBlockingWaits(blocking: boolean): void;
  /** Host waits; returns when the simulated host would. */
  synchronizeStream(call: ApiCall, stream: StreamId): void;
  synchronizeEvent(call: ApiCall, event: EventId): void;
  /** `silent`: the trace gets no record of its own, as for calls that wait on the side. */
  synchronizeDevice(call: ApiCall, silent?: boolean, device?: number): void;
  /** True when all work so far is complete at the present host time. */
  queryStream(stream: StreamId): boolean;
  queryEvent(event: EventId): boolean;
  /** Milliseconds as `cudaEventElapsedTime` gives them; null when one of them is not complete, was never recorded or keeps no time. */
  elapsedMilliseconds(start: EventId, end: EventId): number | null;

  copy(call: ApiCall, request: CopyRequest): void;
  memset(call: ApiCall, request: MemsetRequest): void;
  launch(call: ApiCall, request: KernelRequest): void;
  /** A kernel begins in a stream that will wait for the host: to be launched with `held` once it is known how it goes on. */
  hold(stream: StreamId): HeldKernel;
  /** Of one that comes to nothing: it ends now. */
  letGo(kernel: HeldKernel): void;
  /**
   * When a kernel that is launched now would start, if nothing came after it: kernels are executed before they are timed,
   * and some ask the time.
   */
  expectedStart(stream: StreamId): Nanoseconds;

  /** Where managed memory is. What it says has to be done is put into time by the calls that take its `Paging`. */
  readonly managed: ManagedMemory;
  /** The host waits while its page faults are served. */
  hostFaults(paging: Paging): void;
  /** `cudaMemPrefetchAsync`: work of a stream. */
  prefetch(call: ApiCall, stream: StreamId, paging: Paging, toDevice: boolean): void;

  /** Time that the program reads: `now`, and in a function of the host the time of its turn. */
  readonly clockReading: Nanoseconds;
  /** Runs a function of the host that is about to be put into a stream. */
  inHostFunction<Result>(stream: StreamId, run: () => Result): Result;
  /** A function of the host in stream order; later work of the stream waits for it. */
  hostFunction(call: ApiCall, stream: StreamId): void;
  /** CPU time of a call on a graph with such nodes. */
  graphCall(call: ApiCall, kind: GraphCall, nodes: readonly GraphNodeShape[]): void;
  /** Records the work of a call until now as an event of a kind of its own. */
  eventOfCall(call: ApiCall, event: EventOfCall): void;
  /** All nodes by one call; later work of the stream waits for all of them. */
  launchGraph(call: ApiCall, request: GraphRequest): void;

  /** An NVTX range or mark of the host thread. */
  nvtx(event: Omit<NvtxEvent, 'type' | 'threadId'>): void;
  /** The present thread. */
  nameThread(name: string): void;
  /** The program allocated memory of a GPU, or gave it back, in the call that began last. */
  memory(event: Omit<MemoryEvent, 'type' | 'time' | 'correlationId'>): void;

  /** Work was refused, or failed without having been on a GPU, in the call that began last. */
  failed(event: Omit<FailureEvent, 'type' | 'correlationId'>): void;

  /** Records the output of the program, stamped with the host clock; no more than {@link file://./program-text.ts} allows. */
  console(stream: 'stdout' | 'stderr', text: string): void;
  /** Simsight's own words among it. */
  remark(text: string): void;
  /** The same, once, and said with the trace. */
  notice(text: string): void;
  /** A name that the program gives to something, no longer than traces have them. */
  nameOf(text: string): string;

  /** Ends the program: completes all work and hands out the last events. */
  finish(): void;
}
