/**
 * The activity of a trace's GPUs over time, and of the host meanwhile: columns of events in order of time, one GPU at a time. A
 * million events make no objects.
 */
import type { Track, TrackKind, TrackWindow } from '../../model/timeline.ts';
import { apiName, isMigration } from '../../model/nsight-codes.ts';
import { arranged, inOrderOf, sortByKey } from '../../trace/order.ts';
import { SpanCollector, unionOfAll, type Spans } from '../../trace/spans.ts';
import type { Trace } from '../../trace/trace.ts';
import { kindNumber } from '../../model/event-kinds/index.ts';
import { num } from '../columns.ts';

/** The purposes of the host's calls. */
export const callKinds = ['launch', 'wait', 'blocking copy', 'copy', 'memory', 'other'] as const;
export type CallKind = (typeof callKinds)[number];

/**
 * The kind of a call by the names of the runtime's and the driver's calls, and of HIP's, which are like them. Waits are told by the call, not
 * by CUPTI's types: those differ by version.
 */
export function callKind(name: string): CallKind {
  const call = apiName(name);
  if (/(Synchronize|StreamQuery|EventQuery)$/.test(call)) return 'wait';
  if (/Launch/.test(call)) return 'launch';
  if (/^(cuda|cu|hip)Mem(cpy|set|Prefetch)/.test(call)) {
    if (/Async/.test(call) || /MemsetD|(cuda|hip)Memset/.test(call)) return 'copy';
    return 'blocking copy';
  }
  if (/(Malloc|MemAlloc|Free|HostAlloc|HostRegister|HostUnregister)/.test(call)) return 'memory';
  return 'other';
}

/** Events in order of time. */
interface Columns {
  count: number;
  starts: Float64Array;
  ends: Float64Array;
  /** Numbers of their tables. */
  rows: Uint32Array;
  correlations: Uint32Array;
}

export interface GpuWork extends Columns {
  /** {@link workKinds}. */
  kinds: Uint8Array;
  /** The flavour of each copy: index into `flavours`. */
  flavours: Uint8Array;
}

export interface HostCalls extends Columns {
  /** Index into {@link callKinds}. */
  kinds: Uint8Array;
  /** Into {@link DeviceFacts.callNames}. */
  names: Uint32Array;
  /** Numbers of the host's threads. */
  threads: Uint32Array;
}

/** Times when a GPU had nothing to do, between its first work and its last. */
export interface GpuGaps {
  count: number;
  starts: Float64Array;
  ends: Float64Array;
  /** Index of the work that ended it. */
  next: Uint32Array;
}

export interface DeviceFacts {
  device: number;
  title: string;
  work: GpuWork;
  kernels: Spans;
  busy: Spans;
  gaps: GpuGaps;
  /** The calls of the processes that use it. */
  calls: HostCalls;
  callNames: string[];
  /** The times when a host thread was in a call, by its kind. */
  inCalls: Readonly<Record<CallKind, Spans>>;
  /** In any call, or while a page of managed memory came. */
  inCallOrFault: Spans;
  /** The call that started some work: its index, -1 where there is none. */
  callOf: Int32Array;
}

export interface TimelineFacts {
  /** From the first work of any GPU to the end of the last; 0 without any. */
  fromNs: number;
  toNs: number;
  spanNs: number;
  devices: DeviceFacts[];
}

export const workKinds = { kernel: kindNumber.kernel, copy: kindNumber.memcpy, fill: kindNumber.memset };
/** Indices into `flavours` of the API. */
export const flavour = { upload: 1, download: 2 } as const;

export function timelineOf(trace: Trace): TimelineFacts {
  const { tracks } = trace.info;
  const gpus = busiestGpus(tracks);
  const processes = processesByDevice(trace);
  const callsOf = callsOfProcesses(trace);
  const devices = gpus.flatMap((gpu): DeviceFacts[] => {
    const device = Number(/\((\d+)\)$/.exec(gpu.title)?.[1] ?? 0);
    const found = deviceFacts(trace, gpu, device, callsOf(processes.get(device) ?? null));
    return found.work.count > 0 ? [found] : [];
  });
  const fromNs = Math.min(...devices.map(({ busy }) => busy.starts[0] ?? Infinity));
  const toNs = Math.max(...devices.map(({ busy }) => busy.ends.at(-1) ?? 0));
  const isBusy = devices.some(({ busy }) => busy.starts.length > 0);
  return { fromNs: isBusy ? fromNs : 0, toNs: isBusy ? toNs : 0, spanNs: isBusy ? toNs - fromNs : 0, devices };
}

/** As many as the largest machines have. A file can name any number of GPUs, and what each did is looked at with what all calls did. */
const mostGpus = 72;

const gpusOf = (tracks: readonly Track[]): Track[] =>
  tracks.filter(({ kind, parent }) => kind === 'gpu' && parent === null);

/** Number of GPUs of a trace that nothing is said about. */
export const gpusLeftOut = ({ info }: Trace): number => Math.max(0, gpusOf(info.tracks).length - mostGpus);

/** In their order. */
function busiestGpus(tracks: readonly Track[]): Track[] {
  const gpus = gpusOf(tracks);
  if (gpus.length <= mostGpus) return gpus;
  const kept = new Set([...gpus].sort((a, b) => b.busy - a.busy).slice(0, mostGpus));
  return gpus.filter((gpu) => kept.has(gpu));
}

/** Titles of the threads' rows have no ids of processes where there is one process: null, all of them. */
function processesByDevice(trace: Trace): Map<number, Set<number>> {
  const found = new Map<number, Set<number>>();
  for (const table of ['SIMSIGHT_SHAPES_KERNEL', 'SIMSIGHT_SHAPES_MEMCPY', 'SIMSIGHT_SHAPES_MEMSET']) {
    for (const [device, pid] of trace.query(`SELECT DISTINCT deviceId, globalPid >> 24 FROM ${table}`)) {
      if (pid === null) continue;
      const known = found.get(num(device));
      if (known) known.add(num(pid) % 2 ** 24);
      else found.set(num(device), new Set([num(pid) % 2 ** 24]));
    }
  }
  return found;
}

function deviceFacts(trace: Trace, gpu: Track, device: number, { calls, names, faults }: Calls): DeviceFacts {
  const done = workOf(trace, gpu);
  const [kernelSpans, otherSpans] = [new SpanCollector(), new SpanCollector()];
  for (let i = 0; i < done.count; i++) {
    const spans = done.kinds[i] === workKinds.kernel ? kernelSpans : otherSpans;
    spans.add(done.starts[i]!, done.ends[i]!);
  }
  const kernels = kernelSpans.finish();
  const inCalls = Object.fromEntries(callKinds.map((kind) => [kind, spansOf(calls, kind)])) as DeviceFacts['inCalls'];
  return {
    ...{ device, title: gpu.title, work: done, kernels },
    busy: unionOfAll([kernels, otherSpans.finish()]),
    gaps: gapsIn(done),
    calls,
    callNames: names,
    inCalls,
    inCallOrFault: unionOfAll([...Object.values(inCalls), faults]),
    callOf: callsOfWork(done, calls),
  };
}

/** Rows below some rows, of some kinds. */
function rowsBelow(trace: Trace, roots: readonly Track[], kinds: readonly TrackKind[]): Track[] {
  const below = new Set(roots.map(({ id }) => id));
  // Parents come before their children.
  for (const { id, parent } of trace.info.tracks) if (parent !== null && below.has(parent)) below.add(id);
  return trace.info.tracks.filter(({ id, kind }) => below.has(id) && kinds.includes(kind));
}

function windows(trace: Trace, tracks: readonly Track[]): TrackWindow[] {
  return trace.window(
    tracks.map(({ id }) => id),
    0,
    Infinity,
    0,
  );
}

/** Sorted by start; `keep` says which. */
function gathered(found: readonly TrackWindow[], keep: (window: TrackWindow, i: number) => boolean) {
  const kept = found.map((window) => {
    const own = new Uint32Array(window.count);
    let count = 0;
    for (let i = 0; i < window.count; i++) if (keep(window, i)) own[count++] = i;
    return own.subarray(0, count);
  });
  const count = kept.reduce((sum, own) => sum + own.length, 0);
  const starts = new Float64Array(count);
  const ends = new Float64Array(count);
  const column = () => new Uint32Array(count);
  const [rows, correlations, kinds, flavours, labels, sources] = [
    ...[column(), column(), column()],
    ...[column(), column(), column()],
  ] as [Uint32Array, Uint32Array, Uint32Array, Uint32Array, Uint32Array, Uint32Array];
  let at = 0;
  found.forEach((window, source) => {
    for (const i of kept[source]!) {
      starts[at] = window.starts[i]!;
      ends[at] = window.starts[i]! + window.durations[i]!;
      rows[at] = window.rows[i]!;
      correlations[at] = window.correlations[i]!;
      kinds[at] = window.kinds[i]!;
      flavours[at] = window.flavours[i]!;
      labels[at] = window.labelIndex[i]!;
      sources[at++] = source;
    }
  });
  const order = sortByKey(inOrderOf(count), starts);
  const times = (values: Float64Array): Float64Array => Float64Array.from(order, (i) => values[i]!);
  return {
    ...{ count, starts: times(starts), ends: times(ends) },
    rows: arranged(rows, order),
    correlations: arranged(correlations, order),
    kinds: arranged(kinds, order),
    flavours: arranged(flavours, order),
    labels: arranged(labels, order),
    sources: arranged(sources, order),
  };
}

function workOf(trace: Trace, gpu: Track): GpuWork {
  const tracks = rowsBelow(trace, [gpu], ['stream', 'graph-nodes', 'unified-memory']);
  const found = windows(trace, tracks);
  const isWork = [...Object.values(workKinds)];
  const all = gathered(found, (window, i) => isWork.includes(window.kinds[i]!));
  const { count, starts, ends, rows, correlations } = all;
  return {
    ...{ count, starts, ends, rows, correlations },
    kinds: Uint8Array.from(all.kinds),
    // Pages that move by themselves are no copies that a program could order otherwise.
    flavours: Uint8Array.from(all.flavours, (own, i) => (tracks[all.sources[i]!]!.kind === 'unified-memory' ? 0 : own)),
  };
}

interface Calls {
  calls: HostCalls;
  names: string[];
  faults: Spans;
}

/** The calls of processes, by the ids of those that use a GPU: GPUs of one program have the same calls, which are read once. */
function callsOfProcesses(trace: Trace): (pids: ReadonlySet<number> | null) => Calls {
  const known = new Map<string, Calls>();
  return (pids) => {
    const key = pids === null ? 'all' : [...pids].sort((a, b) => a - b).join(' ');
    let found = known.get(key);
    if (!found) known.set(key, (found = callsOf(trace, pids)));
    return found;
  };
}

function callsOf(trace: Trace, pids: ReadonlySet<number> | null): Calls {
  const processes = trace.info.tracks.filter(({ kind }) => kind === 'process');
  // With one process, its row does not say which it is.
  const isOwn = (process: Track): boolean => {
    const [, pid] = /^process (\d+)$/.exec(process.subtitle) ?? [];
    return processes.length === 1 || pid === undefined || pids === null || pids.has(Number(pid));
  };
  const tracks = rowsBelow(trace, processes.filter(isOwn), ['thread']);
  const found = windows(trace, tracks);
  const all = gathered(found, (window, i) => window.kinds[i] === kindNumber.api);
  const names: string[] = [];
  const numbers = new Map<string, number>();
  const byWindow = found.map(({ labels }) =>
    labels.map((label) => {
      let number = numbers.get(label);
      if (number === undefined) numbers.set(label, (number = names.push(label) - 1));
      return number;
    }),
  );
  const kindOfName = names.map((name) => callKinds.indexOf(callKind(name)));
  const { count, starts, ends, rows, correlations, sources } = all;
  const nameOf = Uint32Array.from(all.labels, (label, i) => byWindow[sources[i]!]![label]!);
  const kinds = Uint8Array.from(nameOf, (name) => kindOfName[name]!);
  const calls = { count, starts, ends, rows, correlations, kinds, names: nameOf, threads: sources };
  const faults = new SpanCollector();
  for (const { count: each, kinds: own, starts: from, durations } of found) {
    for (let i = 0; i < each; i++)
      if (own[i] === kindNumber['cpu-page-fault']) faults.add(from[i]!, from[i]! + durations[i]!);
  }
  return { calls, names, faults: faults.finish() };
}

function spansOf(calls: HostCalls, kind: CallKind): Spans {
  const collector = new SpanCollector();
  const number = callKinds.indexOf(kind);
  for (let i = 0; i < calls.count; i++) if (calls.kinds[i] === number) collector.add(calls.starts[i]!, calls.ends[i]!);
  return collector.finish();
}

function gapsIn({ count, starts, ends }: GpuWork): GpuGaps {
  const from = new Float64Array(count);
  const to = new Float64Array(count);
  const next = new Uint32Array(count);
  let gaps = 0;
  let reached = Infinity;
  for (let i = 0; i < count; i++) {
    if (starts[i]! > reached) {
      from[gaps] = reached;
      to[gaps] = starts[i]!;
      next[gaps++] = i;
    }
    reached = reached === Infinity ? ends[i]! : Math.max(reached, ends[i]!);
  }
  return { count: gaps, starts: from.subarray(0, gaps), ends: to.subarray(0, gaps), next: next.subarray(0, gaps) };
}

/** The call of each work by correlation id; of calls with one id (processes count for themselves) the last that began before the work. */
function callsOfWork(done: GpuWork, calls: HostCalls): Int32Array {
  // The last call of each id, and for each call the one before it with the same id.
  const last = new Map<number, number>();
  const before = new Int32Array(calls.count);
  for (let i = 0; i < calls.count; i++) {
    const id = calls.correlations[i]!;
    before[i] = last.get(id) ?? -1;
    last.set(id, i);
  }
  return Int32Array.from(done.correlations, (id, i) => {
    let call = id === 0 ? -1 : (last.get(id) ?? -1);
    while (call >= 0 && calls.starts[call]! > done.starts[i]!) call = before[call]!;
    return call;
  });
}

/** The time of each gap that is in spans. */
export function timeWithin(
  { count, starts, ends }: Pick<GpuGaps, 'count' | 'starts' | 'ends'>,
  spans: Spans,
): Float64Array {
  const found = new Float64Array(count);
  for (let gap = 0, k = 0; gap < count; gap++) {
    while (k < spans.starts.length && spans.ends[k]! <= starts[gap]!) k++;
    for (let i = k; i < spans.starts.length && spans.starts[i]! < ends[gap]!; i++) {
      found[gap]! += Math.min(spans.ends[i]!, ends[gap]!) - Math.max(spans.starts[i]!, starts[gap]!);
    }
  }
  return found;
}

export const isManaged = (trace: Trace): boolean =>
  trace.query('SELECT DISTINCT copyKind FROM SIMSIGHT_SHAPES_MEMCPY').some(([kind]) => isMigration(num(kind))) ||
  trace.query('SELECT 1 FROM CUDA_UM_CPU_PAGE_FAULT_EVENTS LIMIT 1').length > 0;
