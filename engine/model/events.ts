/**
 * What a recording is made of, as it travels from the simulated system to the trace writer. Times are nanoseconds since
 * the start of the recording. Plain objects: they cross threads in batches.
 */
import type { Nanoseconds } from '../base/units.ts';
import type { KernelDetails, KernelProfile } from './kernel-profile.ts';
import type { Dim3 } from './execution.ts';

/** Host memory: `cudaMallocHost`, `cudaHostAlloc` and `cudaHostRegister` give pinned memory, all else is pageable. */
export type HostMemoryKind = 'pageable' | 'pinned';

export type CopyDirection = 'host-to-device' | 'device-to-host' | 'device-to-device' | 'host-to-host';

/** Why work of a GPU came to nothing. */
export interface Failure {
  /** Value of `cudaError_t` and its name; 0 and empty where the program was stopped by a limit of the recording. */
  error: number;
  errorName: string;
  /** One sentence: what happened, in which thread of which block. */
  message: string;
  /** What to do about it; may be empty. */
  remedy: string;
  /** Line of the source; null where none is known. */
  place: { file: string; line: number } | null;
}

/** As CUPTI names them: a prefetch by the program is the user's. */
export type MigrationCause = 'user' | 'coherence' | 'eviction';

export interface ApiEvent {
  type: 'api';
  start: Nanoseconds;
  end: Nanoseconds;
  name: string;
  correlationId: number;
  threadId: number;
  returnValue: number;
}

interface DeviceWork {
  start: Nanoseconds;
  end: Nanoseconds;
  deviceId: number;
  streamId: number;
  /** Of the API call that enqueued it. */
  correlationId: number;
  /** For nodes of a graph: the executable, and the node of it. */
  graphId?: number;
  graphNodeId?: number;
}

export interface KernelEvent extends DeviceWork {
  type: 'kernel';
  /** Mangled name. */
  kernel: string;
  grid: Dim3;
  block: Dim3;
  dynamicSharedBytes: number;
  /** Without its profile, which comes as an event of its own. */
  details: KernelDetails;
  /** Number of the profile that stands for it. */
  profile?: number;
  /** It did not come to its end. */
  failure?: Failure;
}

/** Work that never came to a GPU: a launch that was refused, a copy from memory that was freed. */
export interface FailureEvent {
  type: 'failure';
  correlationId: number;
  /** Mangled name; null where it was no kernel. */
  kernel: string | null;
  failure: Failure;
}

/** Comes before the first kernel that names it. */
export interface ProfileEvent {
  type: 'profile';
  /** From 1. */
  id: number;
  profile: KernelProfile;
}

export interface CopyEvent extends DeviceWork {
  type: 'copy';
  direction: CopyDirection;
  hostMemory: HostMemoryKind;
  bytes: number;
  /** Between two GPUs: their ordinals. */
  peer?: { from: number; to: number };
  /** Copy engine that did it, from 0; null when the SMs or the host did (device-to-device, host-to-host). */
  engine: number | null;
}

/** Managed memory went from one side to the other, because it was accessed there or by request. */
export interface MigrationEvent {
  type: 'migration';
  start: Nanoseconds;
  end: Nanoseconds;
  deviceId: number;
  direction: 'host-to-device' | 'device-to-host' | 'device-to-device';
  /** Device-to-device: the GPUs. */
  peer?: { from: number; to: number };
  address: number;
  bytes: number;
  cause: MigrationCause;
}

/** Page faults that were served together; of the host one at a time. */
export interface PageFaultEvent {
  type: 'page-fault';
  processor: 'host' | 'device';
  start: Nanoseconds;
  end: Nanoseconds;
  deviceId: number;
  /** Of the first. */
  address: number;
  count: number;
  access: 'read' | 'write' | 'atomic';
}

export interface MemsetEvent extends DeviceWork {
  type: 'memset';
  value: number;
  bytes: number;
}

/** A launch of a graph: from the start of its first node to the end of the last. */
export interface GraphEvent extends DeviceWork {
  type: 'graph';
  /** Of the executable. */
  graphId: number;
}

/**
 * What a call made: a graph, a clone of one, or an executable of one. All of them are numbered together, as CUPTI does: what an
 * H200's activities with CUDA 13.0 have as the graph of a kernel or of a launch is the executable.
 */
export interface GraphMadeEvent {
  type: 'graph-made';
  start: Nanoseconds;
  end: Nanoseconds;
  /** Of the call. */
  name: string;
  threadId: number;
  made: GraphMade;
}

export type GraphMade =
  | { kind: 'graph'; graphId: number }
  | { kind: 'clone'; graphId: number; originalGraphId: number }
  | { kind: 'executable'; graphId: number; graphExecId: number };

/** The host or a stream waited (`CUPTI_ACTIVITY_KIND_SYNCHRONIZATION`). */
export interface SynchronizationEvent {
  type: 'synchronization';
  start: Nanoseconds;
  end: Nanoseconds;
  kind: 'event' | 'stream-wait' | 'stream' | 'context';
  deviceId: number;
  /** null for the context. */
  streamId: number | null;
  eventId: number | null;
  correlationId: number;
}

/** Work of a stream waited for work of another one because of the legacy default stream, which is one of the two. */
export interface ImplicitWaitEvent {
  type: 'implicit-wait';
  start: Nanoseconds;
  end: Nanoseconds;
  deviceId: number;
  /** That waited, and the call that put the work there. */
  streamId: number;
  correlationId: number;
  /** What it waited for; the correlation id is 0 where that did nothing but take its turn. */
  otherStreamId: number;
  waitsFor: number;
}

export interface StreamEvent {
  type: 'stream';
  streamId: number;
  /** 0 if not given. */
  deviceId?: number;
  priority: number;
  nonBlocking: boolean;
}

/** A range or a mark that the program set with NVTX. */
export interface NvtxEvent {
  type: 'nvtx';
  /** `start-end` ranges may overlap; `push-pop` ranges nest. */
  kind: 'mark' | 'push-pop' | 'start-end' | 'domain-create' | 'category';
  start: Nanoseconds;
  /** null for what has no end. */
  end: Nanoseconds | null;
  text: string;
  threadId: number;
  /** null where the program gave none. */
  color: number | null;
  category: number | null;
  /** 0: the default domain. */
  domainId: number;
  rangeId: number | null;
  payload: { kind: 'uint64' | 'int64' | 'double' | 'uint32' | 'int32' | 'float'; value: number | bigint } | null;
}

/** The program named its thread. */
export interface ThreadNameEvent {
  type: 'thread-name';
  threadId: number;
  name: string;
}

/** By correlation ids: a call that made a stream wait, or the first work behind it, and the work behind which the event was recorded. */
export interface DependencyEvent {
  type: 'dependency';
  correlationId: number;
  waitsFor: number;
}

/** A program allocated memory of a GPU, or gave it back (`CUDA_GPU_MEMORY_USAGE_EVENTS`). */
export interface MemoryEvent {
  type: 'memory';
  time: Nanoseconds;
  operation: 'allocation' | 'deallocation';
  kind: 'device' | 'array';
  deviceId: number;
  address: number;
  bytes: number;
  /** Of the API call that did it, or that launched the graph that did. */
  correlationId: number;
}

export interface ConsoleEvent {
  type: 'console';
  time: Nanoseconds;
  stream: 'stdout' | 'stderr';
  text: string;
}

/** What is said with the trace, besides what is known when it begins and ends. */
export interface NoticeEvent {
  type: 'notice';
  text: string;
}

export type TraceEvent =
  | ApiEvent
  | KernelEvent
  | FailureEvent
  | ProfileEvent
  | CopyEvent
  | MemsetEvent
  | GraphEvent
  | GraphMadeEvent
  | MigrationEvent
  | PageFaultEvent
  | SynchronizationEvent
  | ImplicitWaitEvent
  | StreamEvent
  | NvtxEvent
  | ThreadNameEvent
  | MemoryEvent
  | DependencyEvent
  | ConsoleEvent
  | NoticeEvent;

/** Takes events as they happen; the writer behind it batches. */
export type EventSink = (event: TraceEvent) => void;
