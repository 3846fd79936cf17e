/**
 * Work that enters a stream or becomes a node of a graph: checked by the call that makes it, carried out (functionally, at once) by
 * `perform`, which also says what the simulated system has to time.
 */
import { SimsightError } from '../../base/errors.ts';
import { bytes as byteCount } from '../../base/units.ts';
import { together, type Paging } from '../../system/managed.ts';
import type { ChildKernel, GraphWork, StreamId } from '../../system/types.ts';
import type { CopyDirection, HostMemoryKind } from '../../model/event-kinds/memcpy.ts';
import type { Failure } from '../../model/events.ts';
import type { Dim3, KernelLaunch, OnChildLaunch } from '../../model/execution.ts';
import type { KernelTiming } from '../../model/kernel-timing.ts';
import { asWord } from '../host-exports.ts';
import type { LibraryKernel } from '../libraries/timing/index.ts';
import type { CudaContext, RangeOfBytes } from './context.ts';
import type { DeviceState } from './device-state.ts';
import { runWithChildren } from './child-launches.ts';
import { cudaError, errorName } from '../../model/cuda-errors.ts';
import { extraShared } from './launch-limits.ts';
import { libraryWork } from './library-work.ts';
import { hostTouches, pagingOfLaunch, pagingOfRange } from './managed.ts';
import { unfinishedWork } from './unfinished-work.ts';
import type { Execution } from './timed-only.ts';
import { timedOnlyMetric } from '../../model/metric-names.ts';

/** Rows of a box in memory. */
export interface Place {
  address: number;
  /** Bytes from row to row, and from slice to slice. */
  pitch: number;
  slice: number;
}

/** Bytes per row, rows, slices. */
export interface Box {
  width: number;
  height: number;
  depth: number;
}

export interface KernelWork {
  type: 'kernel';
  stub: number;
  kernel: string;
  grid: Dim3;
  block: Dim3;
  dynamicSharedBytes: number;
  /** Percent, -1: none. As it was when the launch was made. */
  preferredCarveout: number;
  /** Copied when the launch is made, as CUDA does. */
  parameters: Uint8Array;
  cooperative: boolean;
  /** It stands for a kernel of a library. */
  library?: LibraryPart;
}

/** What a launch does of a call to a library whose kernels have been measured. */
export interface LibraryPart {
  /** The library's kernel, whose name, shape and time it has; null: it has no place in the trace. */
  shown: LibraryKernel | null;
  /** It computes something; else all that the call computes is done by others. */
  executes: boolean;
}

export interface CopyWork extends Box {
  type: 'copy';
  direction: CopyDirection;
  target: Place;
  source: Place;
  /** The call's own words, for calls that ask. */
  kind: number;
  /** What the source held when the call was made, where it may have changed since. */
  kept?: Uint8Array;
}

export interface FillWork extends Box {
  type: 'memset';
  target: Place;
  value: number;
  elementBytes: number;
}

export interface HostWork {
  type: 'host';
  function: number;
  userData: number;
  /** `cudaStreamAddCallback`: the function gets stream and status as well. */
  stream: number | null;
}

/** `event` is a handle. */
export type EventWork = { type: 'event-record'; event: number } | { type: 'event-wait'; event: number };

export type Work = KernelWork | CopyWork | FillWork | HostWork | EventWork | { type: 'empty' };

export const extentOf = (place: Place, { width, height, depth }: Box): number =>
  place.slice * (depth - 1) + place.pitch * (height - 1) + width;

const isOnePiece = ({ pitch, slice }: Place, { width, height, depth }: Box): boolean =>
  (height === 1 || pitch === width) && (depth === 1 || slice === width * height);

/** Copies up to this size are searched for addresses of pinned memory. */
const searchedBytes = 65536;

/**
 * A fault of the kernel with the CUDA error that hardware would report: most are illegal addresses, others say which they
 * are. Other errors are not the program's.
 */
function failureOf(thrown: unknown): Failure {
  const failure = (code: number, message: string, rest: Pick<Failure, 'remedy' | 'place'>): Failure => ({
    ...{ error: code, errorName: errorName(code), message },
    ...rest,
  });
  if (thrown instanceof SimsightError && thrown.code === 'kernel-failed') {
    const { message, remedy, place } = thrown;
    const code = (thrown as { cudaError?: number }).cudaError ?? cudaError.IllegalAddress;
    const at = place.file !== undefined && place.line !== undefined ? { file: place.file, line: place.line } : null;
    return failure(code, message, { remedy, place: at });
  }
  if (thrown instanceof WebAssembly.RuntimeError)
    return failure(cudaError.IllegalAddress, thrown.message, { remedy: '', place: null });
  throw thrown;
}

/** Thrown where a kernel has done nothing but wait, and may be executed later ({@link CudaContext.mayWait}). */
export class OnlyWaited extends Error {}

function runKernel(context: CudaContext, work: KernelWork, on: DeviceState, stream: StreamId): GraphWork | null {
  const { kernel, grid, block, preferredCarveout, parameters, library } = work;
  if (library?.executes === false) return { type: 'kernel', ...libraryWork(work, library.shown!, on.gpu) };
  // Not part of the work itself, which graphs show to the program; kernels of libraries, which have no stub, stay as they are.
  const dynamicSharedBytes = work.dynamicSharedBytes + (work.stub === 0 ? 0 : extraShared(context));
  const launch: KernelLaunch = { kernel, grid, block, dynamicSharedBytes, preferredCarveout, parameters };
  if (work.cooperative) launch.cooperative = true;
  const starts = startOf(context, work, stream);
  context.running = { launch, stream };
  let failure: Failure | null = null;
  const tree = runWithChildren(context, launch, (each, start, onChild) => {
    const done = runGrid(context, each, on, starts + start, onChild, library?.shown);
    if ('work' in done) return done.work;
    ({ failure } = done);
    return null;
  });
  context.running = null;
  // Nobody knows the duration of a kernel whose children failed, either.
  if (!tree) return failure && unfinishedWork(context, launch, failure);
  if (library?.shown === null) return { type: 'empty' };
  const { ending } = tree;
  const [{ work: own }, ...kernels] = tree.kernels as [ChildKernel, ...ChildKernel[]];
  return { type: 'kernel', ...own, ...(ending > 0 ? { children: { kernels, ending } } : {}) };
}

/** When it is expected to start; kernels that do not ask can be told what is easily known. */
function startOf(context: CudaContext, { kernel }: KernelWork, stream: StreamId): number {
  const asks = context.device.kernel(kernel)!.asksTime === true;
  const turn = asks ? context.system.expectedStart(stream) : context.system.now;
  return Math.max(turn, context.kernelsEnd);
}

/** Of launches where nothing is sampled. */
const whole: Execution = { known: null, mostCost: Infinity };

/** By what they are made of, then by the share: launches that are alike have the same object, which is stored once. */
const markedBefore = new WeakMap<KernelTiming, Map<number, KernelTiming>>();

/** Says of the times of a launch which share of it was not executed; always the same one. */
function marked(timed: KernelTiming, notExecuted: number): KernelTiming {
  const before = markedBefore.get(timed) ?? new Map<number, KernelTiming>();
  markedBefore.set(timed, before);
  let timing = before.get(notExecuted);
  if (timing === undefined) {
    const { details } = timed;
    timing = { ...timed, details: { ...details, metrics: { ...details.metrics, [timedOnlyMetric]: notExecuted } } };
    before.set(notExecuted, timing);
  }
  return timing;
}

function runGrid(
  context: CudaContext,
  launch: KernelLaunch,
  on: DeviceState,
  starts: number,
  onChild: OnChildLaunch,
  library?: LibraryKernel | null,
): { work: ChildKernel['work'] } | { failure: Failure } {
  const { kernel, grid, block, dynamicSharedBytes, parameters } = launch;
  if (on.index > 0) launch.gpu = on.index;
  const description = context.device.kernel(kernel)!;
  context.shared.noticeAddresses(parameters);
  const { device } = context;
  const { model } = on;
  const { known, mostCost } = context.timedOnly?.before(launch, description, library !== undefined) ?? whole;
  if (known === null) context.shared.toDevice();
  const geometry = model.cacheGeometry(description, launch);
  const clock = model.clock?.(
    description,
    launch,
    starts,
    (trace, before) => device.rehearse?.(launch, geometry, trace, before) ?? null,
  );
  // Kernels whose time is known otherwise need no traces.
  const isSimulated = known === null && library === undefined;
  const traced = isSimulated ? (model.trace?.(description, launch) ?? null) : null;
  let counts;
  try {
    counts = known ?? device.launch(launch, geometry, onChild, traced, clock, mostCost);
  } catch (error) {
    if (context.mayWait && (error as { onlyWaited?: boolean }).onlyWaited === true) throw new OnlyWaited();
    const failure = failureOf(error);
    context.workFailed(failure, on);
    return { failure };
  }
  if (known === null) context.shared.toHost();
  const ofLibrary = library ? libraryWork(launch, library, on.gpu) : null;
  const timed = ofLibrary ?? model.timeKernel(description, launch, counts, traced);
  if (known === null) context.timedOnly?.after(launch, counts, timed.duration);
  const notExecuted = known === null ? 1 - (counts.executedShare ?? 1) : 1;
  const timing = notExecuted > 0 ? marked(timed, notExecuted) : timed;
  const paging = pagingOfLaunch(context, on.index, counts.touched);
  context.kernelsEnd = Math.max(context.kernelsEnd, starts + timing.duration + (paging?.duration ?? 0));
  const own = { kernel, grid, block, dynamicSharedBytes, ...ofLibrary };
  return { work: { ...own, ...timing, ...(paging ? { paging } : {}) } };
}

function copyBytes(
  { bulk }: CudaContext,
  [to, into]: [RangeOfBytes, number],
  [from, at]: [RangeOfBytes, number],
  bytes: number,
): void {
  let done = 0;
  for (const target of to.pieces(into, bytes, true)) {
    let filled = 0;
    for (const source of from.pieces(at + done, target.length, false)) {
      bulk.copy(target.subarray(filled, filled + source.length), source);
      filled += source.length;
    }
    done += target.length;
  }
}

const bytesOf = (bytes: Uint8Array): RangeOfBytes => ({
  pieces: (offset, count) => [bytes.subarray(offset, offset + count)],
});

function runCopy(context: CudaContext, work: CopyWork, on: DeviceState): GraphWork | null {
  const { direction, target, source, width, height, depth } = work;
  const to = context.bytesAt(target.address, extentOf(target, work), direction.endsWith('device'));
  const from = work.kept
    ? bytesOf(work.kept)
    : context.bytesAt(source.address, extentOf(source, work), direction.startsWith('device'));
  // Memory may have been freed since the node was made.
  if (!to || !from)
    return (context.failedUnseen(cudaError.IllegalAddress, 'A copy touches memory that was freed.', on), null);
  const bytes = width * height * depth;
  const fromDevice = context.deviceAt(source.address) ?? on.index;
  const toDevice = context.deviceAt(target.address) ?? on.index;
  const paging = pagingOfCopy(context, work, on.index);
  if (direction === 'host-to-device' && bytes <= searchedBytes)
    for (const piece of from.pieces(0, extentOf(source, work), false)) context.shared.noticeAddresses(piece);
  for (let z = 0; z < depth; z++) {
    for (let y = 0; y < height; y++) {
      const at = z * source.slice + y * source.pitch;
      const into = z * target.slice + y * target.pitch;
      copyBytes(context, [to, into], [from, at], width);
      if (direction === 'device-to-device') context.device.wrote?.(target.address + into, width, toDevice);
    }
  }
  if (direction === 'host-to-device') context.device.moved?.(bytes, toDevice);
  if (direction === 'device-to-host') context.device.moved?.(bytes, fromDevice);
  if (direction.endsWith('host')) context.timedOnly?.hostReads();
  const hostAddress = direction.endsWith('device') ? source.address : target.address;
  const pinned = context.pinned.find(hostAddress, 1) ?? context.managed.find(hostAddress, 1);
  const hostMemory: HostMemoryKind = pinned ? 'pinned' : 'pageable';
  const isPeer = direction === 'device-to-device' && fromDevice !== toDevice;
  const other = fromDevice === on.index ? toDevice : fromDevice;
  const peer = isPeer ? { from: fromDevice, to: toDevice, direct: on.peers.has(other) } : null;
  return {
    type: 'copy',
    direction,
    bytes: byteCount(bytes),
    hostMemory,
    hostAddress,
    rows: isOnePiece(target, work) && isOnePiece(source, work) ? 1 : height * depth,
    ...(peer ? { peer } : {}),
    ...(paging ? { paging } : {}),
  };
}

/** Each side is accessed from where the direction says that it is. */
function pagingOfCopy(context: CudaContext, work: CopyWork, device: number): Paging | null {
  let paging: Paging | null = null;
  for (const [place, onDevice, writes] of [
    [work.source, work.direction.startsWith('device'), false],
    [work.target, work.direction.endsWith('device'), true],
  ] as const) {
    const bytes = extentOf(place, work);
    if (onDevice) paging = together(paging, pagingOfRange(context, device, place.address, bytes, writes));
    else hostTouches(context, place.address, bytes, writes);
  }
  return paging;
}

function runFill(context: CudaContext, work: FillWork, on: DeviceState): GraphWork | null {
  const { target, value, width, height, depth } = work;
  const extent = extentOf(target, work);
  const all = context.bytesAt(target.address, extent, true);
  if (!all)
    return (context.failedUnseen(cudaError.IllegalAddress, 'A memset touches memory that was freed.', on), null);
  const isOfHost = context.managed.find(target.address) ?? context.pinned.find(target.address);
  const changes = (): number | null => (isOfHost ? null : (context.device.changes?.() ?? null));
  const before = changes();
  if (before === null || !context.fills.isThere(work, before)) {
    fill(context, work, all);
    const after = changes();
    if (after !== null) context.fills.done(work, extent, after);
  }
  const owner = context.deviceAt(target.address) ?? on.index;
  for (let z = 0; z < depth; z++)
    for (let y = 0; y < height; y++)
      context.device.wrote?.(target.address + z * target.slice + y * target.pitch, width, owner);
  const bytes = width * height * depth;
  const paging = pagingOfRange(context, on.index, target.address, extent, true);
  const rows = isOnePiece(target, work) ? 1 : height * depth;
  return { type: 'memset', value, bytes: byteCount(bytes), rows, ...(paging ? { paging } : {}) };
}

/** Writes what a memset writes. */
function fill(context: CudaContext, work: FillWork, all: RangeOfBytes): void {
  const { target, value, elementBytes, width, height, depth } = work;
  const pattern = new Uint8Array(4);
  new DataView(pattern.buffer).setUint32(0, value, true);
  const row = elementBytes === 1 ? null : Buffer.alloc(width, pattern.subarray(0, elementBytes));
  for (let z = 0; z < depth; z++) {
    for (let y = 0; y < height; y++) {
      const at = z * target.slice + y * target.pitch;
      let done = 0;
      for (const piece of all.pieces(at, width, true)) {
        if (row) piece.set(row.subarray(done, done + piece.length));
        else context.bulk.fill(piece, value & 0xff);
        done += piece.length;
      }
    }
  }
}

/** Has a device do the work, and says what has to be timed; null when the device is lost. */
export function perform(context: CudaContext, work: Work, on: DeviceState, stream: StreamId): GraphWork | null {
  if (on.lost && work.type !== 'host') return null;
  switch (work.type) {
    case 'kernel':
      return context.on(on, () => runKernel(context, work, on, stream));
    case 'copy':
      return runCopy(context, work, on);
    case 'memset':
      return runFill(context, work, on);
    case 'host':
      context.system.inHostFunction(stream, () => {
        if (work.stream === null) context.callHost(work.function, asWord(work.userData));
        else context.callHost(work.function, asWord(work.stream), context.noticeFault(on), asWord(work.userData));
      });
      return { type: 'host' };
    case 'event-record':
    case 'event-wait': {
      const event = context.events.get(work.event);
      if (!event) return { type: 'empty' };
      if (work.type === 'event-wait' && !event.recorded) return { type: 'empty' };
      event.recorded = true;
      return { type: work.type, event: event.id };
    }
    case 'empty':
      return { type: 'empty' };
  }
}
