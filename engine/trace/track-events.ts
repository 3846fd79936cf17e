/**
 * The events of one track in memory, as typed arrays sorted by lane and start, and the answer to "what is to be drawn
 * between these times at this resolution". Within a lane events do not overlap, so starts and ends are both sorted and
 * two binary searches find the visible ones exactly, however long single events are.
 */
import type { TrackWindow } from '../api/types.ts';
import { assignLanes } from './lanes.ts';

/** One table row as it comes in; `label` is an index into the trace's label list. */
export interface TrackEventRow {
  start: number;
  end: number;
  kind: number;
  flavour: number;
  row: number;
  correlation: number;
  label: number;
}

/** Numbers per event in {@link TrackEventList}'s `meta`. */
const width = 5;

/** Growing typed arrays: a million events cost no million objects. */
export class TrackEventList {
  length = 0;
  private starts = new Float64Array(64);
  private ends = new Float64Array(64);
  /** Kind, flavour, row, correlation, label: all of them fit 32 bits. */
  private meta = new Uint32Array(64 * width);
  private sorted = true;

  add(
    start: number,
    end: number,
    kind: number,
    flavour: number,
    row: number,
    correlation: number,
    label: number,
  ): void {
    const at = this.length++;
    if (at === this.starts.length) this.grow();
    if (at > 0 && start <= this.starts[at - 1]!) this.sorted = false;
    this.starts[at] = start;
    this.ends[at] = end;
    const base = at * width;
    this.meta[base] = kind;
    this.meta[base + 1] = flavour;
    this.meta[base + 2] = row;
    this.meta[base + 3] = correlation;
    this.meta[base + 4] = label;
  }

  at(index: number): TrackEventRow {
    const base = index * width;
    return {
      start: this.starts[index]!,
      end: this.ends[index]!,
      kind: this.meta[base]!,
      flavour: this.meta[base + 1]!,
      row: this.meta[base + 2]!,
      correlation: this.meta[base + 3]!,
      label: this.meta[base + 4]!,
    };
  }

  /** Event numbers in order of start; of equal starts the longer first, so that it gets the lower lane. */
  order(): Uint32Array {
    const order = new Uint32Array(this.length);
    for (let i = 0; i < order.length; i++) order[i] = i;
    if (this.sorted) return order;
    const { starts, ends } = this;
    return order.sort((a, b) => starts[a]! - starts[b]! || ends[b]! - ends[a]! || a - b);
  }

  timesIn(order: Uint32Array): { starts: Float64Array; ends: Float64Array } {
    const starts = new Float64Array(order.length);
    const ends = new Float64Array(order.length);
    for (let i = 0; i < order.length; i++) {
      starts[i] = this.starts[order[i]!]!;
      ends[i] = this.ends[order[i]!]!;
    }
    return { starts, ends };
  }

  private grow(): void {
    const capacity = this.starts.length * 2;
    const [starts, ends, meta] = [this.starts, this.ends, this.meta];
    this.starts = new Float64Array(capacity);
    this.ends = new Float64Array(capacity);
    this.meta = new Uint32Array(capacity * width);
    this.starts.set(starts);
    this.ends.set(ends);
    this.meta.set(meta);
  }
}

export class TrackEvents {
  readonly count: number;
  readonly laneCount: number;
  /** Time in which at least one event is there. */
  readonly busyNs: number;
  /** The end of the last event. */
  readonly endNs: number;

  /** Lane `l` is at `laneOffsets[l] … laneOffsets[l + 1]` of all arrays below. */
  readonly laneOffsets: Uint32Array;
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  readonly kinds: Uint8Array;
  readonly flavours: Uint8Array;
  readonly rows: Uint32Array;
  readonly correlations: Uint32Array;
  readonly labelIndex: Uint32Array;

  constructor(list: TrackEventList) {
    const order = list.order();
    const sorted = list.timesIn(order);
    const { lanes, count: laneCount } = assignLanes(sorted.starts, sorted.ends);
    this.count = list.length;
    this.laneCount = laneCount;
    [this.busyNs, this.endNs] = unionOf(sorted.starts, sorted.ends);

    this.laneOffsets = new Uint32Array(laneCount + 1);
    for (const lane of lanes) this.laneOffsets[lane + 1]!++;
    for (let lane = 0; lane < laneCount; lane++) this.laneOffsets[lane + 1]! += this.laneOffsets[lane]!;

    this.starts = new Float64Array(this.count);
    this.ends = new Float64Array(this.count);
    this.kinds = new Uint8Array(this.count);
    this.flavours = new Uint8Array(this.count);
    this.rows = new Uint32Array(this.count);
    this.correlations = new Uint32Array(this.count);
    this.labelIndex = new Uint32Array(this.count);
    const next = this.laneOffsets.slice();
    for (let i = 0; i < this.count; i++) {
      const to = next[lanes[i]!]!++;
      const event = list.at(order[i]!);
      this.starts[to] = event.start;
      this.ends[to] = event.end;
      this.kinds[to] = event.kind;
      this.flavours[to] = event.flavour;
      this.rows[to] = event.row;
      this.correlations[to] = event.correlation;
      this.labelIndex[to] = event.label;
    }
  }

  /**
   * What overlaps [from, to), in order of start. In each lane, events shorter than `resolution` that start in the same
   * cell of a fixed grid of that width become one; the grid is anchored at zero, so that panning does not make them
   * flicker. At most 2 × ((to - from) / resolution + 2) results per lane; with resolution 0 every event is by itself.
   */
  window(track: number, from: number, to: number, resolution: number, labels: readonly string[]): TrackWindow {
    const out = new Collector();
    for (let lane = 0; lane < this.laneCount; lane++) this.collectLane(lane, from, to, resolution, out);
    return out.finish(track, this, labels);
  }

  /** What overlaps [from, to) in a lane, as a range of numbers of events. */
  within(lane: number, from: number, to: number): [first: number, stop: number] {
    const { starts, ends } = this;
    const stop = this.laneOffsets[lane + 1]!;
    let first = firstNotBelow(ends, from, this.laneOffsets[lane]!, stop);
    // An event that ends at the window's edge is not in it, one without length that lies there is.
    while (first < stop && ends[first] === from && starts[first]! < from) first++;
    return [first, firstNotBelow(starts, to, first, stop)];
  }

  private collectLane(lane: number, from: number, to: number, resolution: number, out: Collector): void {
    const { starts, ends } = this;
    const [first, stop] = this.within(lane, from, to);
    let cell = -1;
    for (let i = first; i < stop; i++) {
      const start = starts[i]!;
      const end = ends[i]!;
      const cellHere = end - start < resolution ? Math.floor(start / resolution) : -1;
      if (cellHere >= 0 && cellHere === cell) out.merge(i, start, end);
      else out.add(i, lane, start, end);
      cell = cellHere;
    }
  }

  /** Copies the fields that merging does not change. */
  describe(index: number): { kind: number; flavour: number; row: number; correlation: number; label: number } {
    return {
      kind: this.kinds[index]!,
      flavour: this.flavours[index]!,
      row: this.rows[index]!,
      correlation: this.correlations[index]!,
      label: this.labelIndex[index]!,
    };
  }
}

/** Gathers the results of one window. */
class Collector {
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];
  private readonly lanes: number[] = [];
  private readonly merged: number[] = [];
  private readonly covered: number[] = [];
  /** The longest event of each result, and its length. */
  private readonly longest: number[] = [];
  private readonly longestNs: number[] = [];

  add(index: number, lane: number, start: number, end: number): void {
    this.starts.push(start);
    this.ends.push(end);
    // More lanes than a byte counts: nobody can tell them apart any more, but all are there.
    this.lanes.push(Math.min(lane, 255));
    this.merged.push(1);
    this.covered.push(end - start);
    this.longest.push(index);
    this.longestNs.push(end - start);
  }

  merge(index: number, start: number, end: number): void {
    const last = this.starts.length - 1;
    this.ends[last] = end;
    this.merged[last]!++;
    this.covered[last]! += end - start;
    if (end - start > this.longestNs[last]!) {
      this.longest[last] = index;
      this.longestNs[last] = end - start;
    }
  }

  finish(track: number, events: TrackEvents, allLabels: readonly string[]): TrackWindow {
    const count = this.starts.length;
    const order = Uint32Array.from(this.starts, (_, index) => index);
    if (events.laneCount > 1) {
      const { starts, lanes } = this;
      order.sort((a, b) => starts[a]! - starts[b]! || lanes[a]! - lanes[b]!);
    }
    const window: TrackWindow = {
      track,
      count,
      starts: new Float64Array(count),
      durations: new Float64Array(count),
      lanes: new Uint8Array(count),
      kinds: new Uint8Array(count),
      flavours: new Uint8Array(count),
      rows: new Uint32Array(count),
      correlations: new Uint32Array(count),
      merged: new Uint32Array(count),
      busy: new Float32Array(count),
      labelIndex: new Uint32Array(count),
      labels: [],
    };
    const labelOf = new Map<number, number>();
    const byText = new Map<string, number>();
    for (let i = 0; i < count; i++) {
      const from = order[i]!;
      const duration = this.ends[from]! - this.starts[from]!;
      window.starts[i] = this.starts[from]!;
      window.durations[i] = duration;
      window.lanes[i] = this.lanes[from]!;
      window.merged[i] = this.merged[from]!;
      window.busy[i] = duration > 0 ? this.covered[from]! / duration : 1;
      const event = events.describe(this.longest[from]!);
      window.kinds[i] = event.kind;
      window.flavours[i] = event.flavour;
      window.rows[i] = event.row;
      window.correlations[i] = event.correlation;
      let label = labelOf.get(event.label);
      if (label === undefined) {
        const text = allLabels[event.label]!;
        label = byText.get(text) ?? window.labels.push(text) - 1;
        byText.set(text, label);
        labelOf.set(event.label, label);
      }
      window.labelIndex[i] = label;
    }
    return window;
  }
}

/** The first index in [begin, end) whose value is at least `limit`; `end` when there is none. */
export function firstNotBelow(values: Float64Array, limit: number, begin: number, end: number): number {
  let low = begin;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Length of the union of ranges sorted by start, and their last end. */
export function unionOf(starts: Float64Array, ends: Float64Array): [length: number, end: number] {
  let length = 0;
  let reached = 0;
  for (let i = 0; i < starts.length; i++) {
    const end = ends[i]!;
    if (end <= reached) continue;
    length += end - Math.max(starts[i]!, reached);
    reached = end;
  }
  return [length, reached];
}

/** Length of the union of ranges in any order. */
export function busyTime(starts: ArrayLike<number>, ends: ArrayLike<number>): number {
  const opening = Float64Array.from(starts).sort();
  const closing = Float64Array.from(ends).sort();
  let busy = 0;
  let since = 0;
  let open = 0;
  for (let o = 0, c = 0; c < closing.length;) {
    if (o < opening.length && opening[o]! <= closing[c]!) {
      if (open++ === 0) since = opening[o]!;
      o++;
    } else {
      if (--open === 0) busy += closing[c]! - since;
      c++;
    }
  }
  return busy;
}
