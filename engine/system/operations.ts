/** Operations of the device: one per kernel, copy, memset, event or wait that entered a stream. */
import type { PeerCopy } from './types.ts';
import type { Paging } from './managed.ts';
import type { CopyEvent } from '../model/event-kinds/memcpy.ts';
import type { GraphEvent } from '../model/event-kinds/graph.ts';
import type { KernelEvent } from '../model/event-kinds/kernel.ts';
import type { MemsetEvent } from '../model/event-kinds/memset.ts';
import type { KernelBlocks } from '../model/kernel-profile.ts';

/** The part of the GPU that does it; streams pay for changing between them. */
export type EngineKind = 'compute' | 'upload' | 'download' | 'peer';

/** Work that goes on at a rate. Times in nanoseconds; `since` may be a fraction, what happens happens at whole ones. */
export interface Paced {
  /** Counts changes of plan, so that actions scheduled before are known to be out of date. */
  version: number;
  /** Work left, as of `since`, at the present rate. */
  remaining: number;
  since: number;
  rate: number;
}

/** Times in nanoseconds; fractions of work in between are kept unrounded, points in time are whole. */
export interface Operation extends Paced {
  /** `sm`: kernels and what the driver makes of them; `inline`: bytes in the command stream; `host`: a function of the host. */
  kind: 'sm' | 'copy' | 'inline' | 'event' | 'wait' | 'host';
  /** Engine of the operation; for an event or wait, that of the work before it in the stream; null when there is none. */
  engine: EngineKind | null;
  priority: number;
  /** Ordinal of the GPU that was given it; -1 until then. */
  device: number;
  /** Details of a copy between GPUs. */
  peer: PeerCopy | null;

  /** Operations that must end first and have not yet. */
  pending: number;
  /** Earliest start by what is known so far: arrival from the host and ends of what went before. */
  earliest: number;
  /** Operations that wait for the end of this one, with the time that passes in between. */
  followers: { operation: Operation; gap: number }[] | null;

  /** Operations that wait for the start of this one, with the time that passes in between. */
  starters: { operation: Operation; gap: number }[] | null;

  /** Its turn has come: it was handed to what does it. */
  hadTurn: boolean;
  /** Operations that have to wait for that. */
  behind: Operation[] | null;

  /** -1 until it happens. */
  start: number;
  end: number;
  /** The first part of it, in which it waited for the host. */
  held: Operation | null;

  /** Copy over the link: setup, then time on the idle link. Others: the duration. */
  phases: Phase[];
  /** Blocks of work that SMs do: kernels, fills, copies inside the GPU. */
  blocks: KernelBlocks | null;

  /** Event that the trace gets when it ends; null for events and waits. */
  report: KernelEvent | CopyEvent | MemsetEvent | null;
  /** Managed memory that moves while it runs: part of its time. */
  paging: Paging | null;
  /** The launch of a graph that it is a node of. */
  launch: GraphLaunch | null;
  /** Wait for other streams because of the legacy default stream. */
  implicit: ImplicitWait | null;
}

/** CUDA runtime API, "Stream synchronization behavior": blocking streams wait for the legacy default stream, and it for them. */
export interface ImplicitWait {
  /** When it had reached the GPU. */
  arrival: number;
  /** Preceding operation in its own stream. */
  own: Operation | null;
  /** Operations that it waits for, each with its stream in the trace and the call that put it there. */
  others: { operation: Operation; streamId: number; correlationId: number }[];
  /** Stream and call of the work that waits. */
  streamId: number;
  correlationId: number;
}

export interface GraphLaunch {
  /** Start of its first node; -1 until then. */
  start: number;
  /** Nodes that have not ended. */
  pending: number;
  report: GraphEvent | null;
}

export interface Phase {
  duration: number;
  /** 1 while a copy is on the link and 0 before. */
  share: number;
}

/** Phases of a copy: on the link, and off it; work that uses no link has only the latter. */
export const onLink = (duration: number): Phase => ({ duration, share: 1 });
export const offLink = (duration: number): Phase => ({ duration, share: 0 });

/** Operation that takes its turn, lasts so long, and keeps no part of the GPU busy. */
export const mark = (kind: 'event' | 'wait' | 'host', duration = 0, engine: EngineKind | null = null): Operation =>
  operation(kind, engine, [offLink(duration)], null);

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
    device: -1,
    peer: null,
    pending: 0,
    earliest: 0,
    followers: null,
    starters: null,
    hadTurn: false,
    behind: null,
    start: -1,
    end: -1,
    held: null,
    phases,
    blocks: null,
    version: 0,
    remaining: 0,
    since: 0,
    rate: 0,
    report,
    paging: null,
    launch: null,
    implicit: null,
  };
}

/** Makes `work`, not yet submitted, start no sooner than `gap` after `predecessor` ended. */
export function after(work: Operation, predecessor: Operation, gap: number): void {
  if (predecessor.end >= 0) {
    work.earliest = Math.max(work.earliest, predecessor.end + gap);
    return;
  }
  work.pending++;
  (predecessor.followers ??= []).push({ operation: work, gap });
}

/** Makes `work`, not yet submitted, start no sooner than `gap` after `predecessor`, which has not been submitted either. */
export function afterStart(work: Operation, predecessor: Operation, gap: number): void {
  work.pending++;
  (predecessor.starters ??= []).push({ operation: work, gap });
}

/** Makes `work`, not yet submitted, wait until the turn of `predecessor` has come. */
export function behind(work: Operation, predecessor: Operation): void {
  if (predecessor.hadTurn) return;
  work.pending++;
  (predecessor.behind ??= []).push(work);
}

/** Gives it so much to do from `time` on, at a rate still to be set. */
export function enterWork(work: Paced, amount: number, time: number): void {
  work.version++;
  work.rate = 0;
  work.since = time;
  work.remaining = amount;
}

/** Sets the rate from `time` on, or from when it was given something to do; true when its end has to be scheduled anew. */
export function changeRate(work: Paced, rate: number, time: number): boolean {
  if (work.rate === rate) return false;
  if (work.rate > 0) {
    work.remaining = Math.max(0, work.remaining - (time - work.since) * work.rate);
    work.since = time;
  }
  work.rate = rate;
  work.version++;
  return rate > 0;
}

/** When it ends at the present rate. */
export const exactEnd = (work: Paced): number => work.since + Math.max(0, work.remaining / work.rate);

/** The first whole nanosecond then; the rounding errors of thousands of waves in a row do not cost another one. */
export const wholeEnd = (work: Paced): number => Math.ceil(exactEnd(work) - 1e-3);

/** Enters the first phase, or the next one, with the rate still to be set; false when there is none left. */
export function enterNextPhase(work: Operation, time: number): boolean {
  if (work.rate > 0) work.phases.shift();
  const phase = work.phases[0];
  enterWork(work, phase?.duration ?? 0, time);
  return phase !== undefined;
}

/** Work of SMs, which takes `duration` (ns) when it has the GPU for itself. */
export function onSms(
  duration: number,
  blocks: KernelBlocks,
  report: Operation['report'],
  priority: number,
): Operation {
  const work = operation('sm', 'compute', [offLink(duration)], report, priority);
  work.blocks = blocks;
  return work;
}

/** A copy or memset first waits for the managed memory that it touches. */
export function withFaults(work: Operation, { paging = null }: { paging?: Paging | null }): Operation {
  if (!paging) return work;
  const [first] = work.phases as [Phase];
  work.phases[0] = { ...first, duration: first.duration + paging.duration };
  work.paging = paging;
  return work;
}

/** A copy between host and GPU, or between GPUs. */
export const isBetween = ({ kind }: Operation): boolean => kind === 'copy' || kind === 'inline';

/** An operation that takes its turn and keeps no part of the GPU busy. */
export const isMark = ({ kind }: Operation): boolean => kind === 'event' || kind === 'wait' || kind === 'host';
