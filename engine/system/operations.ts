/** What the device works on: one operation per kernel, copy, memset, event or wait that entered a stream. */
import type { Paging } from './managed.ts';
import type { CopyEvent, KernelEvent, MemsetEvent } from '../trace/events.ts';

/** The part of the GPU that does it; streams pay for changing between them. */
export type EngineKind = 'compute' | 'upload' | 'download';

/** Times in nanoseconds; fractions of work in between are kept unrounded, points in time are whole. */
export interface Operation {
  kind: 'kernel' | 'copy' | 'memory' | 'event' | 'wait';
  /** For an event or wait: that of the work before it in the stream; null when there is none. */
  engine: EngineKind | null;
  priority: number;

  /** Operations that must end first and have not yet. */
  pending: number;
  /** Earliest start by what is known so far: arrival from the host and ends of what went before. */
  earliest: number;
  /** What waits for this one, with the time that passes in between. */
  followers: { operation: Operation; gap: number }[] | null;

  /** -1 until it happens. */
  start: number;
  end: number;

  /** Kernel: time at full rate. Copy: setup, then time on the idle link. Others: the duration. */
  phases: Phase[];
  /** Counts changes of plan, so that actions scheduled before are known to be out of date. */
  version: number;
  /** Work left in the present phase, as of `since`, at the present rate. */
  remaining: number;
  since: number;
  rate: number;

  /** What the trace gets when it ends; null for events and waits. */
  report: KernelEvent | CopyEvent | MemsetEvent | null;
  /** Managed memory that moves while it runs: part of its time. */
  paging: Paging | null;
}

export interface Phase {
  duration: number;
  /** Share of the SMs; for copies 1 while on the link and 0 before. */
  share: number;
}

export function operation(
  kind: Operation['kind'],
  engine: EngineKind | null,
  phases: Phase[],
  report: Operation['report'],
  priority = 0,
): Operation {
  return {
    kind,
    engine,
    priority,
    pending: 0,
    earliest: 0,
    followers: null,
    start: -1,
    end: -1,
    phases,
    version: 0,
    remaining: 0,
    since: 0,
    rate: 0,
    report,
    paging: null,
  };
}

/** Sets the rate of the present phase from `time` on; true when the end of the phase has to be scheduled anew. */
export function changeRate(work: Operation, rate: number, time: number): boolean {
  if (work.rate === rate) return false;
  work.remaining = Math.max(0, work.remaining - (time - work.since) * work.rate);
  work.since = time;
  work.rate = rate;
  work.version++;
  return rate > 0;
}

/** When the present phase ends at the present rate: the first whole nanosecond. */
export function endOfPhase(work: Operation): number {
  // The subtraction keeps rounding errors of the division from costing a nanosecond.
  return work.since + Math.max(0, Math.ceil(work.remaining / work.rate - 1e-6));
}

/** Enters the first phase, or the next one, with the rate still to be set; false when there is none left. */
export function enterNextPhase(work: Operation, time: number): boolean {
  if (work.rate > 0) work.phases.shift();
  const phase = work.phases[0];
  work.version++;
  work.rate = 0;
  work.since = time;
  work.remaining = phase ? phase.duration : 0;
  return phase !== undefined;
}
