/**
 * The events of a trace as columns, for comparing: what GPUs did, what the host called, and ranges. A million events make no objects.
 */
import type { TrackKind } from '../../model/timeline.ts';
import { arranged, inOrderOf, sortByKey } from '../../trace/order.ts';
import type { FlatEvents, Style } from '../../trace/track-events.ts';
import type { Trace } from '../../trace/trace.ts';
import { kindNumber } from '../../model/event-kinds/index.ts';
import { rangeName } from './names.ts';
import { rangeOrigins, type RangeOrigin } from './range-origins.ts';

/** In order of start. */
export interface Events {
  count: number;
  starts: Float64Array;
  ends: Float64Array;
  /** Index into `names`. */
  names: Uint32Array;
  /** Numbers in the table of their kind. */
  rows: Uint32Array;
  /** Ids that calls and what they started have in common; 0 for none. */
  correlations: Uint32Array;
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
  /** For each name, true if the program itself made such ranges. */
  areOfProgram: boolean[];
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
/** The same of all their letters, with what they are nested in. */
const mostLetters = 2 ** 24;
/** Ranges that are nested deeper are called as if they were this deep: a name says all that is around it. */
const mostNested = 64;
export const pathSeparator = ' › ';

const deviceRows: readonly TrackKind[] = ['stream', 'graph-nodes', 'unified-memory'];

export function eventsOf(trace: Trace): TraceEvents {
  const [device, host] = [new Rows(trace, deviceRows), new Rows(trace, ['thread'])];
  const shortNames = new Map<string, string>();
  for (const { kind, fullName, label } of device.styles)
    if (kind === kindNumber.kernel && !shortNames.has(fullName)) shortNames.set(fullName, label);
  const fullName = (style: Style): string => style.fullName;
  return {
    kernels: device.named(kindNumber.kernel, fullName),
    shortNames,
    copies: device.named(kindNumber.memcpy, fullName),
    memsets: device.named(kindNumber.memset, fullName),
    calls: host.named(kindNumber.api, fullName),
    ranges: rangesOf(host, rangeOrigins(trace)),
  };
}

/** Rows of the timeline of some kinds, whose events are told apart. */
class Rows {
  readonly styles: readonly Style[];
  private readonly rows: { track: number; events: FlatEvents }[];

  constructor(trace: Trace, kinds: readonly TrackKind[]) {
    const found = trace.info.tracks.flatMap(({ id, kind }) => {
      const all = kinds.includes(kind) ? trace.allEvents(id) : null;
      return all ? [{ track: id, ...all }] : [];
    });
    this.rows = found.map(({ track, events }) => ({ track, events }));
    this.styles = found[0]?.styles ?? [];
  }

  /** Events of a kind in order of start, by their name; `texts`: the full name that each name was first met as. */
  named(
    kind: number,
    nameOf: (style: Style) => string,
    isLeftOut: (style: Style) => boolean = () => false,
  ): Named & { threads: Uint32Array; texts: string[] } {
    const list: string[] = [];
    const texts: string[] = [];
    const numbers = new Map<string, number>();
    const isOwn = Uint8Array.from(this.styles, (style) => Number(style.kind === kind && !isLeftOut(style)));
    const ofStyle = new Int32Array(this.styles.length).fill(-1);
    let count = 0;
    for (const { events } of this.rows) for (const style of events.styles) if (isOwn[style] === 1) count++;
    const [starts, ends] = [new Float64Array(count), new Float64Array(count)];
    const column = (): Uint32Array<ArrayBuffer> => new Uint32Array(count);
    const [names, rows, threads, correlations] = [column(), column(), column(), column()];
    let at = 0;
    for (const { track, events } of this.rows) {
      for (let i = 0; i < events.count; i++) {
        const style = events.styles[i]!;
        if (isOwn[style] !== 1) continue;
        if (ofStyle[style] === -1) {
          const name = nameOf(this.styles[style]!);
          let number = numbers.get(name);
          if (number === undefined) {
            numbers.set(name, (number = list.push(name) - 1));
            texts.push(this.styles[style]!.fullName);
          }
          ofStyle[style] = number;
        }
        starts[at] = events.starts[i]!;
        ends[at] = events.ends[i]!;
        names[at] = ofStyle[style]!;
        rows[at] = events.rows[i]!;
        correlations[at] = events.correlations[i]!;
        threads[at++] = track;
      }
    }
    const order = sortByKey(inOrderOf(count), starts);
    return {
      ...{ count, list, texts, starts: inOrder(starts, order), ends: inOrder(ends, order) },
      ...{ names: arranged(names, order), rows: arranged(rows, order), threads: arranged(threads, order) },
      correlations: arranged(correlations, order),
    };
  }
}

function inOrder(values: Float64Array, order: Uint32Array): Float64Array {
  const result = new Float64Array(order.length);
  for (let at = 0; at < order.length; at++) result[at] = values[order[at]!]!;
  return result;
}

/** Marks have no length, and are among them. */
function rangesOf(host: Rows, origins: ReadonlyMap<string, RangeOrigin>): Ranges {
  const originOf = (text: string): RangeOrigin => origins.get(text) ?? 'program';
  const all = host.named(
    kindNumber.nvtx,
    ({ fullName }) => rangeName(fullName),
    ({ fullName }) => originOf(fullName) === 'recorder',
  );
  const paths: string[] = [];
  const areOfProgram = all.texts.map((text) => originOf(text) === 'program');
  return { ...all, areOfProgram, path: nested(all, all.list, paths), paths };
}

/** The number of each range's path. A range is in another one of its thread that begins no later and ends no earlier. */
function nested(
  { count, starts, ends, names, threads }: Events & { threads: Uint32Array },
  list: readonly string[],
  paths: string[],
): Uint32Array {
  const path = new Uint32Array(count);
  /** Known paths by parent (plus one; 0: none) and name. */
  const known = new Map<number, number>();
  /** The depth of each path, and its parent, as in `known`. */
  const [depths, parents]: [number[], number[]] = [[], []];
  let letters = 0;
  const open = new Map<number, number[]>();
  // The longer of ranges that start together is outside.
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
    let parent = stack.length > 0 ? path[stack.at(-1)!]! + 1 : 0;
    if (parent > 0 && depths[parent - 1]! >= mostNested) parent = parents[parent - 1]!;
    const key = parent * 2 ** 26 + names[i]!;
    let number = known.get(key);
    if (number === undefined) {
      const text = list[names[i]!]!;
      const name = parent === 0 ? text : `${paths[parent - 1]}${pathSeparator}${text}`;
      if (paths.length > 0 && (paths.length === mostPaths || letters + name.length > mostLetters))
        number = paths.length - 1;
      else {
        letters += name.length;
        number = paths.push(name) - 1;
        depths.push(parent === 0 ? 1 : depths[parent - 1]! + 1);
        parents.push(parent);
      }
      known.set(key, number);
    }
    path[i] = number;
    stack.push(i);
  }
  return path;
}
