/**
 * The events of a trace as columns, for comparing: what GPUs did, what the host called, and ranges. A million events make no objects.
 */
import type { TrackKind, TrackWindow } from '../../api/types.ts';
import { inOrderOf, sortByKey } from '../../trace/order.ts';
import type { Trace } from '../../trace/trace.ts';
import { kindNumber } from '../../trace/tracks.ts';
import { rangeName } from './names.ts';

/** In order of start. */
export interface Events {
  count: number;
  starts: Float64Array;
  ends: Float64Array;
  /** Index into `names`. */
  names: Uint32Array;
  /** Numbers in the table of their kind. */
  rows: Uint32Array;
}
export interface Named extends Events {
  /** In full, in the order in which they were met. */
  list: string[];
}

export interface Ranges extends Named {
  /** Number of the row of the timeline that shows it: its thread. */
  threads: Uint32Array;
  /** As they are, before numbers that count on are left out; of each name the first. */
  texts: string[];
  /** With the names of what they are nested in: index into `paths`. */
  path: Uint32Array;
  paths: string[];
}

export interface TraceEvents {
  kernels: Named;
  /** Short names, of each full name. */
  shortNames: Map<string, string>;
  copies: Named;
  memsets: Named;
  calls: Named;
  ranges: Ranges;
}

/** Beyond so many names of ranges those that come later are all called alike: nobody compares them one by one. */
const mostPaths = 100_000;
export const pathSeparator = ' › ';

const deviceRows: readonly TrackKind[] = ['stream', 'graph-nodes', 'unified-memory'];

export function eventsOf(trace: Trace): TraceEvents {
  const rows = (kinds: readonly TrackKind[]): TrackWindow[] => {
    const tracks = trace.info.tracks.filter(({ kind }) => kinds.includes(kind));
    return trace.window(
      tracks.map(({ id }) => id),
      0,
      Infinity,
      0,
    );
  };
  const device = rows(deviceRows);
  const host = rows(['thread']);
  const shortNames = new Map<string, string>();
  for (const { fullNames, labels } of device) {
    fullNames.forEach((name, i) => shortNames.has(name) || shortNames.set(name, labels[i]!));
  }
  return {
    kernels: named(device, kindNumber.kernel),
    shortNames,
    copies: named(device, kindNumber.memcpy),
    memsets: named(device, kindNumber.memset),
    calls: named(host, kindNumber.api),
    ranges: rangesOf(host),
  };
}

function named(windows: readonly TrackWindow[], kind: number): Named {
  const list: string[] = [];
  const numbers = new Map<string, number>();
  const found = gathered(windows, kind, (name) => {
    let number = numbers.get(name);
    if (number === undefined) numbers.set(name, (number = list.push(name) - 1));
    return number;
  });
  return { ...found, list };
}

function gathered(
  windows: readonly TrackWindow[],
  kind: number,
  numberOf: (name: string) => number,
): Events & { threads: Uint32Array } {
  let count = 0;
  for (const { count: all, kinds } of windows) for (let i = 0; i < all; i++) if (kinds[i] === kind) count++;
  const [starts, ends] = [new Float64Array(count), new Float64Array(count)];
  const [names, rows, threads] = [new Uint32Array(count), new Uint32Array(count), new Uint32Array(count)];
  let at = 0;
  for (const window of windows) {
    const known = new Int32Array(window.labels.length).fill(-1);
    for (let i = 0; i < window.count; i++) {
      if (window.kinds[i] !== kind) continue;
      const label = window.labelIndex[i]!;
      if (known[label] === -1) known[label] = numberOf(window.fullNames[label]!);
      starts[at] = window.starts[i]!;
      ends[at] = window.starts[i]! + window.durations[i]!;
      names[at] = known[label]!;
      rows[at] = window.rows[i]!;
      threads[at++] = window.track;
    }
  }
  const order = sortByKey(inOrderOf(count), starts);
  const pick = <T extends Float64Array | Uint32Array>(values: T, into: T): T => {
    for (let i = 0; i < count; i++) into[i] = values[order[i]!]!;
    return into;
  };
  return {
    count,
    starts: pick(starts, new Float64Array(count)),
    ends: pick(ends, new Float64Array(count)),
    names: pick(names, new Uint32Array(count)),
    rows: pick(rows, new Uint32Array(count)),
    threads: pick(threads, new Uint32Array(count)),
  };
}

/** Marks have no length and are left out. */
function rangesOf(windows: readonly TrackWindow[]): Ranges {
  const list: string[] = [];
  const texts: string[] = [];
  const numbers = new Map<string, number>();
  const all = gathered(windows, kindNumber.nvtx, (text) => {
    const name = rangeName(text);
    let number = numbers.get(name);
    if (number === undefined) {
      numbers.set(name, (number = list.push(name) - 1));
      texts.push(text);
    }
    return number;
  });
  const paths: string[] = [];
  return { ...all, list, texts, path: nested(all, list, paths), paths };
}

/** Of each range the number of its path. A range is in another one of its thread that begins no later and ends no earlier. */
function nested(
  { count, starts, ends, names, threads }: Events & { threads: Uint32Array },
  list: readonly string[],
  paths: string[],
): Uint32Array {
  const path = new Uint32Array(count);
  /** By parent (plus one; 0: none) and name. */
  const known = new Map<number, number>();
  const open = new Map<number, number[]>();
  // Of ranges that start together the longer is outside.
  const order = inOrderOf(count);
  for (let from = 0; from < count;) {
    let to = from + 1;
    while (to < count && starts[to] === starts[from]) to++;
    if (to - from > 1) order.subarray(from, to).sort((a, b) => ends[b]! - ends[a]! || a - b);
    from = to;
  }
  for (const i of order) {
    let stack = open.get(threads[i]!);
    if (!stack) open.set(threads[i]!, (stack = []));
    while (stack.length > 0 && !(ends[stack.at(-1)!]! >= ends[i]! && starts[i]! < ends[stack.at(-1)!]!)) stack.pop();
    const parent = stack.length > 0 ? path[stack.at(-1)!]! + 1 : 0;
    const key = parent * 2 ** 26 + names[i]!;
    let number = known.get(key);
    if (number === undefined) {
      const text = list[names[i]!]!;
      number =
        paths.length < mostPaths
          ? paths.push(parent === 0 ? text : `${paths[parent - 1]}${pathSeparator}${text}`) - 1
          : mostPaths - 1;
      known.set(key, number);
    }
    path[i] = number;
    stack.push(i);
  }
  return path;
}
