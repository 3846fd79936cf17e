/**
 * Events of a recording, as they travel from the simulated system to the trace writer. Times are nanoseconds since
 * the start of the recording. Plain objects: they cross threads in batches. Events that the timeline has a row for are in the files of
 * their kinds, `event-kinds/`; here are all others.
 */
import type { Nanoseconds } from '../base/units.ts';
import type { ApiEvent } from './event-kinds/api.ts';
import type { EmittedEvent } from './event-kinds/index.ts';
import type { KernelProfile } from './kernel-profile.ts';

/** The reason that work of a GPU came to nothing. */
export interface Failure {
  /** Value of `cudaError_t` and its name; 0 and empty where the program was stopped by a limit of the recording. */
  error: number;
  errorName: string;
  /** One sentence: what happened, in which thread of which block. */
  message: string;
  /** Advice about it; may be empty. */
  remedy: string;
  /** Line of the source; null where none is known. */
  place: { file: string; line: number } | null;
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

export interface StreamEvent {
  type: 'stream';
  streamId: number;
  /** 0 if not given. */
  deviceId?: number;
  priority: number;
  nonBlocking: boolean;
}

/** The program named its thread. */
export interface ThreadNameEvent {
  type: 'thread-name';
  threadId: number;
  name: string;
}

/** Correlation ids of a call that made a stream wait, or the first work behind it, and of the work behind which the event was recorded. */
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
  /** The API call that did it, or that launched the graph that did. */
  correlationId: number;
}

export interface ConsoleEvent {
  type: 'console';
  time: Nanoseconds;
  stream: 'stdout' | 'stderr';
  text: string;
}

/** Text said with the trace, besides what is known when it begins and ends. */
export interface NoticeEvent {
  type: 'notice';
  text: string;
}

export type TraceEvent =
  | EmittedEvent
  | FailureEvent
  | ProfileEvent
  | StreamEvent
  | ThreadNameEvent
  | MemoryEvent
  | DependencyEvent
  | ConsoleEvent
  | NoticeEvent;

/** Facts that the system knows of an event's call: its start and name, who made it, and what time it is. */
type OfCall = Pick<ApiEvent, 'start' | 'end' | 'name' | 'threadId'>;
type WithoutCall<E> = E extends OfCall ? Omit<E, keyof OfCall> : never;
/** Work of a call that has an event of its own, from the start of the call on. */
export type EventOfCall = WithoutCall<Exclude<EmittedEvent, ApiEvent>>;

/** Takes events as they happen; the writer behind it batches. */
export type EventSink = (event: TraceEvent) => void;
