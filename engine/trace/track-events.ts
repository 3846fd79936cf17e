/**
 * The events of one row of the timeline: packed when a recording ends, unpacked piece by piece to answer "what is to be drawn between
 * these times at this resolution".
 *
 * Within a lane events do not overlap, so starts and ends are both sorted and two binary searches find the visible ones exactly,
 * however long single events are. Long lanes have levels beside the events themselves: in each, events shorter than its cells that
 * start in the same cell have become one, so that no question touches more than a few times what it answers.
 */
import type { TrackWindow } from '../model/timeline.ts';
import { assignLanes } from './lanes.ts';
import { PackedReader, PackedWriter } from './packing.ts';

/** Growing typed arrays: a million events cost no million objects. */
export class TrackEventList {
  length = 0;
  starts = new Float64Array(8);
  ends = new Float64Array(8);
  /** Style (see {@link Style}), row, correlation: all of them fit 32 bits. */
  styles = new Uint32Array(8);
  rows = new Uint32Array(8);
  correlations = new Uint32Array(8);
  private isSorted = true;

  add(start: number, end: number, style: number, row: number, correlation: number): void {
    const at = this.length++;
    if (at === this.starts.length) this.grow();
    if (at > 0 && start <= this.starts[at - 1]!) this.isSorted = false;
    this.starts[at] = start;
    this.ends[at] = end;
    this.styles[at] = style;
    this.rows[at] = row;
    this.correlations[at] = correlation;
  }

  /** Event numbers in order of start; of equal starts the longer first, so that it gets the lower lane. */
  order(): Uint32Array {
    const order = new Uint32Array(this.length);
    for (let i = 0; i < order.length; i++) order[i] = i;
    if (this.isSorted) return order;
    const { starts, ends } = this;
    return order.sort((a, b) => starts[a]! - starts[b]! || ends[b]! - ends[a]! || a - b);
  }

  private grow(): void {
    const grown = <T extends Float64Array | Uint32Array>(values: T, made: T): T => {
      made.set(values);
      return made;
    };
    const capacity = this.starts.length * 2;
    this.starts = grown(this.starts, new Float64Array(capacity));
    this.ends = grown(this.ends, new Float64Array(capacity));
    this.styles = grown(this.styles, new Uint32Array(capacity));
    this.rows = grown(this.rows, new Uint32Array(capacity));
    this.correlations = grown(this.correlations, new Uint32Array(capacity));
  }
}

/**
 * Appearance of events: their kind and flavour as numbers, the text on them, and their name in full. Tracks refer to styles by number.
 */
export interface Style {
  kind: number;
  flavour: number;
  label: string;
  fullName: string;
}

/** All events of a track, lane by lane: lane `l` is at `laneOffsets[l] … laneOffsets[l + 1]` of all other arrays. */
export class FlatEvents {
  readonly laneCount: number;
  readonly count: number;
  readonly laneOffsets: Uint32Array;
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  readonly styles: Uint32Array;
  readonly rows: Uint32Array;
  readonly correlations: Uint32Array;

  constructor(lanes: readonly Items[][]) {
    this.laneCount = lanes.length;
    this.count = lanes.flat().reduce((sum, { count }) => sum + count, 0);
    this.laneOffsets = new Uint32Array(lanes.length + 1);
    this.starts = new Float64Array(this.count);
    this.ends = new Float64Array(this.count);
    this.styles = new Uint32Array(this.count);
    this.rows = new Uint32Array(this.count);
    this.correlations = new Uint32Array(this.count);
    let at = 0;
    lanes.forEach((chunks, lane) => {
      for (const { starts, ends, styles, rows, correlations, count } of chunks) {
        this.starts.set(starts, at);
        this.ends.set(ends, at);
        this.styles.set(styles, at);
        this.rows.set(rows, at);
        this.correlations.set(correlations, at);
        at += count;
      }
      this.laneOffsets[lane + 1] = at;
    });
  }

  /** Events that overlap [from, to) in a lane, as a range of event numbers. */
  within(lane: number, from: number, to: number): [first: number, stop: number] {
    const { starts, ends } = this;
    const stop = this.laneOffsets[lane + 1]!;
    let first = firstNotBelow(ends, from, this.laneOffsets[lane]!, stop);
    // An event that ends at the window's edge is not in it, one without length that lies there is.
    while (first < stop && ends[first] === from && starts[first]! < from) first++;
    return [first, firstNotBelow(starts, to, first, stop)];
  }
}

/** Items of one lane that follow each other, and where they lie. */
export interface ChunkEntry {
  /** Width of the cells in which short events became one (ns); 0: the events themselves. */
  resolution: number;
  lane: number;
  /** Start of the first item, and end of the last. */
  start: number;
  end: number;
  items: number;
  /** The smallest correlation id in it, and the largest. */
  firstCorrelation: number;
  lastCorrelation: number;
}

export interface PackedChunk extends ChunkEntry {
  data: Uint8Array;
}

/** A chunk whose data are read when they are asked for. */
export interface StoredChunk extends ChunkEntry {
  read: () => Uint8Array;
  /** Source of the items of a chunk without data ({@link repeatsOf}). */
  gather?: () => Items;
}

/**
 * A row that shows again what other rows show (the kernels of a device) needs no data of its own: each event says in which lane of
 * that row it is.
 */
export interface Repetition {
  /** Set for the row that repeats: receives the lane of each event, by its number. */
  place?: (row: number, lane: number) => void;
  /** Set for a row that is repeated: returns the lane of an event there; null for events that are not in it. */
  laneOf?: (style: number, row: number) => number | null;
}

export interface PackedTrack {
  lanes: number;
  events: number;
  /** Events in further lanes than there can be ({@link mostLanesOfRow}). */
  leftOut: number;
  /** Time in which at least one event is there. */
  busyNs: number;
  /** The end of the last event, and after the start of each. */
  endNs: number;
  chunks: PackedChunk[];
}

/** Most items of a chunk: of events, of which a close view reads a few, and of a level, of which a window reads thousands. */
const eventsPerChunk = 1024;
export const itemsPerChunk = 4096;
/** Lanes with fewer have no levels: all of them are looked through as fast. */
const fewItems = 4096;
/** From one width of cells to the next that is tried for a level. */
const coarser = 2;
/** The lowest level has at most this part of the events; a lane's highest no more than `fewItems` of them. */
const worthwhile = 0.125;
/**
 * The same of a lane whose events have to be gathered from other rows, which takes several times as long as to read them; and of a level above
 * another, which takes little room.
 */
const worthwhileSooner = 0.25;

const ones = new Uint32Array(itemsPerChunk).fill(1);

/** Items of a lane in order: events, or several that became one, which the longest stands for. */
class Items {
  count = 0;
  starts: Float64Array;
  ends: Float64Array;
  styles: Uint32Array;
  rows: Uint32Array;
  correlations: Uint32Array;
  merged: Uint32Array;
  /** Time covered by events (ns). */
  covered: Float64Array;
  /** Length of the longest event (ns). */
  longest: Float64Array;
  /** Lanes on the row that shows the events again, plus one; 0: it does not. */
  repeated: Uint32Array | null = null;

  /** `areEvents`: none has become one with others, so that what they cover is the longest's. */
  constructor(capacity: number, areEvents = false) {
    // One buffer: eight take as long to be had as to be filled.
    const wide = areEvents ? 24 : 32;
    const buffer = new ArrayBuffer(capacity * (areEvents ? wide + 12 : wide + 16));
    this.starts = new Float64Array(buffer, 0, capacity);
    this.ends = new Float64Array(buffer, capacity * 8, capacity);
    this.covered = new Float64Array(buffer, capacity * 16, capacity);
    this.longest = areEvents ? this.covered : new Float64Array(buffer, capacity * 24, capacity);
    this.styles = new Uint32Array(buffer, capacity * wide, capacity);
    this.rows = new Uint32Array(buffer, capacity * (wide + 4), capacity);
    this.correlations = new Uint32Array(buffer, capacity * (wide + 8), capacity);
    this.merged = areEvents ? ones.subarray(0, capacity) : new Uint32Array(buffer, capacity * (wide + 12), capacity);
  }

  add(from: Items, i: number): void {
    const to = this.count++;
    this.starts[to] = from.starts[i]!;
    this.ends[to] = from.ends[i]!;
    this.merged[to] = from.merged[i]!;
    this.covered[to] = from.covered[i]!;
    this.stand(to, from, i);
  }

  /** The item becomes part of the last one. */
  merge(from: Items, i: number): void {
    const to = this.count - 1;
    this.ends[to] = from.ends[i]!;
    this.merged[to]! += from.merged[i]!;
    this.covered[to]! += from.covered[i]!;
    if (from.longest[i]! > this.longest[to]!) this.stand(to, from, i);
  }

  private stand(to: number, from: Items, i: number): void {
    this.longest[to] = from.longest[i]!;
    this.styles[to] = from.styles[i]!;
    this.rows[to] = from.rows[i]!;
    this.correlations[to] = from.correlations[i]!;
  }
}

/**
 * Lanes of a row. A GPU executes some hundred kernels at a time, and calls are nested a thousand deep where a language ends them; a file
 * can say that all of its events go on at once, of which nobody could see any.
 */
export const mostLanesOfRow = 4096;

/** `kindOf`: the kind of a style. */
export function packTrack(list: TrackEventList, kindOf: KindOf, repetition: Repetition = {}): PackedTrack {
  const all = list.order();
  const timesOf = (values: Float64Array, events: Uint32Array): Float64Array => {
    const times = new Float64Array(events.length);
    for (let i = 0; i < times.length; i++) times[i] = values[events[i]!]!;
    return times;
  };
  let [starts, ends] = [timesOf(list.starts, all), timesOf(list.ends, all)];
  const assigned = assignLanes(starts, ends);
  const [busyNs, endNs] = unionOf(starts, ends);
  const laneCount = Math.min(assigned.count, mostLanesOfRow);
  let [order, { lanes }] = [all, assigned];
  if (assigned.count > mostLanesOfRow) {
    order = all.filter((_, i) => lanes[i]! < mostLanesOfRow);
    lanes = lanes.filter((lane) => lane < mostLanesOfRow);
    [starts, ends] = [timesOf(list.starts, order), timesOf(list.ends, order)];
  }
  const sizes = new Uint32Array(laneCount);
  for (const lane of lanes) sizes[lane]!++;
  const byLane = Array.from(sizes, (size) => new Items(size));
  for (let i = 0; i < order.length; i++) {
    const from = order[i]!;
    const items = byLane[lanes[i]!]!;
    const at = items.count++;
    items.starts[at] = starts[i]!;
    items.ends[at] = ends[i]!;
    items.styles[at] = list.styles[from]!;
    items.rows[at] = list.rows[from]!;
    items.correlations[at] = list.correlations[from]!;
    items.merged[at] = 1;
    items.covered[at] = items.longest[at] = ends[i]! - starts[i]!;
  }
  const { place } = repetition;
  // Lanes with few events have their own data: to gather a chunk of theirs, half of the trace would have to be unpacked. The
  // others are cut at the same times.
  const isGathered = byLane.map(({ count }) => place !== undefined && count >= gatheredFrom * order.length);
  byLane.forEach(({ rows }, lane) => isGathered[lane] && rows.forEach((row) => place!(row, lane)));
  const cuts = place ? starts.filter((_, i) => i > 0 && i % eventsPerChunk === 0) : null;
  const chunks = byLane.flatMap((items, lane) =>
    packLane(items, lane, kindOf, repetition, isGathered[lane] ? cuts : null),
  );
  // Events without length are visible only before the end.
  const afterLast = (starts.at(-1) ?? 0) + 1;
  return {
    ...{ lanes: laneCount, events: order.length, leftOut: list.length - order.length },
    ...{ busyNs, endNs: Math.max(endNs, afterLast), chunks },
  };
}

/** Share of a row's events that a lane has at least if it has its events from other rows. */
const gatheredFrom = 0.125;

type KindOf = (style: number) => number;

function packLane(
  events: Items,
  lane: number,
  kindOf: KindOf,
  { laneOf }: Repetition,
  /** Times at which chunks are cut; null for lanes that have their own data. */
  cuts: Float64Array | null,
): PackedChunk[] {
  if (laneOf) events.repeated = events.rows.map((row, i) => (laneOf(events.styles[i]!, row) ?? -1) + 1);
  const chunks = packItems(events, 0, lane, kindOf, cuts);
  // Only where starts alone say which events are in which chunk.
  let before = 0;
  const isClear = chunks.every(({ start, items }) => {
    const after = before === 0 || start > events.starts[before - 1]!;
    before += items;
    return after;
  });
  if (cuts && isClear) for (const chunk of chunks) chunk.data = new Uint8Array();
  const span = events.ends[events.count - 1]! - events.starts[0]!;
  let items = events;
  let cell = coarser ** Math.max(0, Math.floor(Math.log(span / events.count) / Math.log(coarser)));
  for (; items.count > fewItems && cell < coarser * span; cell *= coarser) {
    const count = mergedCount(items, cell);
    const isLowest = items === events;
    if (count > (isLowest && !cuts ? worthwhile : worthwhileSooner) * items.count) continue;
    const level = merged(items, cell, count);
    chunks.push(...packItems(level, cell, lane, kindOf));
    items = level;
  }
  return chunks;
}

/** Items shorter than a cell that start in the same one become one. The grid is anchored at zero. */
function merged(from: Items, cell: number, count: number): Items {
  const into = new Items(count);
  let last = -1;
  for (let i = 0; i < from.count; i++) last = addTo(into, from, i, cell, last);
  return into;
}

function mergedCount({ starts, ends, count }: Items, cell: number): number {
  let [found, last] = [0, -1];
  for (let i = 0; i < count; i++) {
    const here = ends[i]! - starts[i]! < cell ? Math.floor(starts[i]! / cell) : -1;
    if (here < 0 || here !== last) found++;
    last = here;
  }
  return found;
}

/** Adds an item to the last one, if that is in the same cell (`last`), or after it; gives its cell, -1 if it is as long as one. */
function addTo(into: Items, from: Items, i: number, cell: number, last: number): number {
  const start = from.starts[i]!;
  const here = from.ends[i]! - start < cell ? Math.floor(start / cell) : -1;
  if (here >= 0 && here === last) into.merge(from, i);
  else into.add(from, i);
  return here;
}

/** `cuts`: times at which a new chunk begins in any case. */
function packItems(
  items: Items,
  resolution: number,
  lane: number,
  kindOf: KindOf,
  cuts: Float64Array | null = null,
): PackedChunk[] {
  const chunks: PackedChunk[] = [];
  const perChunk = resolution === 0 ? eventsPerChunk : itemsPerChunk;
  for (let from = 0; from < items.count;) {
    let to = Math.min(items.count, from + perChunk);
    if (cuts) {
      const next = cuts[firstWhere(cuts.length, (index) => cuts[index]! > items.starts[from]!)] ?? Infinity;
      to = firstNotBelow(items.starts, next, from, to);
    }
    const correlations = items.correlations.subarray(from, to);
    chunks.push({
      ...{ resolution, lane, start: items.starts[from]!, end: items.ends[to - 1]!, items: to - from },
      firstCorrelation: correlations.reduce((a, b) => Math.min(a, b)),
      lastCorrelation: correlations.reduce((a, b) => Math.max(a, b)),
      data: packChunk(items, from, to, resolution > 0, kindOf),
    });
    from = to;
  }
  return chunks;
}

/**
 * Columns: start since the end of the item before, style, length beyond the shortest of its style (which are a column of their own),
 * row since the one before of its kind (each kind has a table of its own), correlation id since the one before. Of a level also how many events, the time that they do not
 * cover, and by how much the longest is shorter than what they cover. Of rows that another one repeats, the lane there, plus one.
 */
function packChunk(items: Items, from: number, to: number, isLevel: boolean, kindOf: KindOf): Uint8Array {
  const { starts, ends, styles, rows, correlations, merged, covered, longest } = items;
  const writer = new PackedWriter();
  const column = (value: (i: number) => number): void => {
    const values = new Float64Array(to - from);
    for (let i = from; i < to; i++) values[i - from] = value(i);
    writer.column(values);
  };
  const shortest = new Map<number, number>();
  for (let i = from; i < to; i++) {
    const length = ends[i]! - starts[i]!;
    const before = shortest.get(styles[i]!);
    if (before === undefined || length < before) shortest.set(styles[i]!, length);
  }
  column((i) => (i > from ? starts[i]! - ends[i - 1]! : 0));
  column((i) => styles[i]!);
  // In the order in which the styles come.
  writer.column([...shortest.values()]);
  column((i) => ends[i]! - starts[i]! - shortest.get(styles[i]!)!);
  const lastRows = new Map<number, number>();
  column((i) => {
    const kind = kindOf(styles[i]!);
    const since = rows[i]! - (lastRows.get(kind) ?? 0);
    lastRows.set(kind, rows[i]!);
    return since;
  });
  column((i) => correlations[i]! - (i > from ? correlations[i - 1]! : 0));
  if (isLevel) {
    column((i) => merged[i]!);
    column((i) => ends[i]! - starts[i]! - covered[i]!);
    column((i) => covered[i]! - longest[i]!);
  } else if (items.repeated) writer.column(items.repeated.subarray(from, to));
  return writer.finish();
}

const scratch = new Float64Array(itemsPerChunk);
const places = new Uint32Array(itemsPerChunk);

function unpackChunk({ start, items: count, resolution }: ChunkEntry, data: Uint8Array, kindOf: KindOf): Items {
  const items = new Items(count, resolution === 0);
  const { starts, ends, styles, rows, correlations, merged, covered, longest } = items;
  items.count = count;
  const reader = new PackedReader(data);
  // Columns of one type only, and read into the same place, which takes half of the time. A loop each, that is compiled early.
  const column = scratch.subarray(0, count);
  reader.column(starts);
  reader.column(column);
  styles.set(column);
  const found = placesOf(styles);
  const shortest = new Float64Array(found.length);
  reader.column(shortest);
  reader.column(ends);
  sumUpTimes(starts, ends, start, shortest);
  reader.column(column);
  sumUpRows(rows, column, found.map(kindOf));
  reader.column(column);
  sumUp(correlations, column);
  if (resolution === 0) {
    subtract(covered, ends, starts);
    if (!reader.isAtEnd) {
      reader.column(column);
      items.repeated = new Uint32Array(column);
    }
  } else {
    reader.column(column);
    merged.set(column);
    reader.column(column);
    subtract(covered, ends, starts);
    subtract(covered, covered, column);
    reader.column(column);
    subtract(longest, covered, column);
  }
  return items;
}

/** The styles in the order in which they come; {@link places} say where among them each item's is. */
function placesOf(styles: Uint32Array): number[] {
  const found: number[] = [];
  const placeOf = new Map<number, number>();
  for (let i = 0; i < styles.length; i++) {
    let place = placeOf.get(styles[i]!);
    if (place === undefined) placeOf.set(styles[i]!, (place = found.push(styles[i]!) - 1));
    places[i] = place;
  }
  return found;
}

/** From times since the item before, and lengths beyond the shortest of the style, to times. */
function sumUpTimes(starts: Float64Array, ends: Float64Array, start: number, shortest: Float64Array): void {
  for (let [i, end] = [0, start]; i < starts.length; i++) {
    starts[i] = end += starts[i]!;
    ends[i] = end += ends[i]! + shortest[places[i]!]!;
  }
}

/** From rows since the one before of the kind; `kinds` of {@link places}. */
function sumUpRows(rows: Uint32Array, since: Float64Array, kinds: readonly number[]): void {
  const last: number[] = [];
  for (let i = 0; i < rows.length; i++) {
    const kind = kinds[places[i]!]!;
    rows[i] = last[kind] = (last[kind] ?? 0) + since[i]!;
  }
}

function sumUp(sums: Uint32Array, values: Float64Array): void {
  for (let i = 0, sum = 0; i < sums.length; i++) sums[i] = sum += values[i]!;
}

function subtract(differences: Float64Array, from: Float64Array, values: Float64Array): void {
  for (let i = 0; i < differences.length; i++) differences[i] = from[i]! - values[i]!;
}

/** An event as it was added. */
export interface FoundEvent {
  start: number;
  end: number;
  style: number;
  row: number;
}

/** Cache of unpacked chunks for the next query, shared by all tracks of a trace. */
export class ChunkCache {
  private readonly most: number;
  private readonly kept = new Map<StoredChunk, Items>();
  private size = 0;

  private readonly styles: readonly Style[];

  private readonly guarded: <T>(work: () => T) => T;

  /** `guarded` turns complaints about broken chunks into clear errors; `most`: items, of some 50 bytes each. */
  constructor(styles: readonly Style[], guarded: <T>(work: () => T) => T = (work) => work(), most = 2 ** 20) {
    this.styles = styles;
    this.guarded = guarded;
    this.most = most;
  }

  get(chunk: StoredChunk): Items {
    const found = this.kept.get(chunk) ?? this.guarded(() => this.unpack(chunk));
    if (this.kept.delete(chunk)) this.size -= found.count;
    this.kept.set(chunk, found);
    this.size += found.count;
    for (const [oldest, items] of this.kept) {
      if (this.size <= this.most || oldest === chunk) break;
      this.kept.delete(oldest);
      this.size -= items.count;
    }
    return found;
  }

  private unpack(chunk: StoredChunk): Items {
    const data = chunk.read();
    if (data.length === 0 && chunk.gather) return chunk.gather();
    return unpackChunk(chunk, data, (style) => this.styles[style]?.kind ?? 0);
  }
}

/** Items of a chunk without data: what `sources` have in its lane, from its start to that of the `next` chunk of the lane. */
export function repeatsOf(chunk: ChunkEntry, next: number, sources: readonly TrackEvents[]): Items {
  const runs = sources.flatMap((source) => source.repeats(chunk.lane, chunk.start, next));
  const items = new Items(chunk.items, true);
  while (runs.length > 0) {
    let first = 0;
    for (let r = 1; r < runs.length; r++) if (isBefore(runs[r]!, runs[first]!)) first = r;
    const run = runs[first]!;
    if (items.count === chunk.items) break;
    items.add(run.items, run.at);
    if (!run.next()) runs.splice(first, 1);
  }
  if (runs.length > 0 || items.count !== chunk.items)
    throw new RangeError('a row does not have the events that it repeats');
  return items;
}

/** Events of a chunk that start before `end` and are in a lane of the row that repeats them, one after the other. */
class Run {
  readonly items: Items;
  at: number;
  private readonly lane: number;
  private readonly end: number;

  constructor(items: Items, lane: number, from: number, end: number) {
    this.items = items;
    this.lane = lane;
    this.end = end;
    this.at = firstNotBelow(items.starts, from, 0, items.count) - 1;
  }

  /** False at its end. */
  next(): boolean {
    const { repeated, starts, count } = this.items;
    do this.at++;
    while (this.at < count && starts[this.at]! < this.end && repeated![this.at] !== this.lane + 1);
    return this.at < count && starts[this.at]! < this.end;
  }
}

function isBefore({ items: a, at: i }: Run, { items: b, at: k }: Run): boolean {
  return (a.starts[i]! - b.starts[k]! || a.ends[i]! - b.ends[k]! || a.rows[i]! - b.rows[k]!) < 0;
}

export class TrackEvents {
  readonly laneCount: number;
  readonly count: number;
  readonly busyNs: number;
  readonly endNs: number;
  /** When the first event begins. */
  readonly firstNs: number;
  private readonly cache: ChunkCache;
  private all: FlatEvents | undefined;
  /** Chunks by resolution, the events first; of each lane in order. */
  private readonly levels: { resolution: number; lanes: StoredChunk[][] }[] = [];

  constructor(track: Omit<PackedTrack, 'chunks' | 'leftOut'>, chunks: readonly StoredChunk[], cache: ChunkCache) {
    this.laneCount = track.lanes;
    this.count = track.events;
    this.busyNs = track.busyNs;
    this.endNs = track.endNs;
    this.cache = cache;
    for (const [resolution, ofLevel] of Map.groupBy(chunks, (chunk) => chunk.resolution)) {
      const lanes = Array.from({ length: this.laneCount }, (): StoredChunk[] => []);
      for (const chunk of ofLevel) lanes[chunk.lane]?.push(chunk);
      this.levels.push({ resolution, lanes });
    }
    this.levels.sort((a, b) => a.resolution - b.resolution);
    const lanes = this.levels[0]?.lanes ?? [];
    this.firstNs = lanes.reduce((first, chunks) => Math.min(first, chunks[0]?.start ?? Infinity), Infinity);
  }

  /**
   * Events that overlap [from, to), in order of start. In each lane, events shorter than `resolution` that start in the same cell of a
   * fixed grid of that width become one; the grid is anchored at zero, so that panning does not make them flicker. At most 2 × ((to - from)
   * / resolution + 2) results per lane; with resolution 0 every event is by itself. At the edges of the window, events that became one may
   * reach beyond it.
   */
  window(track: number, from: number, to: number, resolution: number, styles: readonly Style[]): TrackWindow {
    const out = new Collector();
    for (let lane = 0; lane < this.laneCount; lane++) {
      this.collectLane(lane, from, to, resolution, out);
      out.endLane(lane);
    }
    return out.finish(track, styles);
  }

  /** All events, for questions about all of them: some 40 bytes each, kept from the first question on. */
  flat(): FlatEvents {
    this.all ??= new FlatEvents(
      (this.levels[0]?.lanes ?? []).map((chunks) => chunks.map((chunk) => this.cache.get(chunk))),
    );
    return this.all;
  }

  /** Events with a correlation id, in order of start. */
  correlated(correlation: number): FoundEvent[] {
    const found: FoundEvent[] = [];
    for (const chunk of this.levels[0]?.lanes.flat() ?? []) {
      if (correlation < chunk.firstCorrelation || correlation > chunk.lastCorrelation) continue;
      const { correlations, starts, ends, styles, rows } = this.cache.get(chunk);
      for (let i = correlations.indexOf(correlation); i >= 0; i = correlations.indexOf(correlation, i + 1)) {
        found.push({ start: starts[i]!, end: ends[i]!, style: styles[i]!, row: rows[i]! });
      }
    }
    return found.sort((a, b) => a.start - b.start || a.row - b.row);
  }

  /** About how many events overlap [from, to): all of the chunks that do. */
  countIn(from: number, to: number): number {
    let count = 0;
    for (const chunk of this.chunksIn(from, to)) count += chunk.items;
    return count;
  }

  /** Events that start in [from, to) and are in a lane of the row that repeats them. */
  repeats(lane: number, from: number, to: number): Run[] {
    const runs: Run[] = [];
    for (const chunk of this.chunksIn(from, to)) {
      const items = this.cache.get(chunk);
      const run = items.repeated && new Run(items, lane, from, to);
      if (run?.next()) runs.push(run);
    }
    return runs;
  }

  /** Chunks of events that overlap [from, to]. */
  private *chunksIn(from: number, to: number): Generator<StoredChunk> {
    for (const chunks of this.levels[0]?.lanes ?? []) {
      for (let c = firstWhere(chunks.length, (index) => chunks[index]!.end >= from); c < chunks.length; c++) {
        if (chunks[c]!.start >= to) break;
        yield chunks[c]!;
      }
    }
  }

  private collectLane(lane: number, from: number, to: number, resolution: number, out: Collector): void {
    // Lanes that are short have no levels of their own.
    const level = this.levels.findLast((each) => each.resolution <= resolution && each.lanes[lane]!.length > 0);
    const chunks = level?.lanes[lane] ?? [];
    let cell = -1;
    for (let c = firstWhere(chunks.length, (index) => chunks[index]!.end >= from); c < chunks.length; c++) {
      if (chunks[c]!.start >= to) break;
      const items = this.cache.get(chunks[c]!);
      const { starts, ends, count } = items;
      let i = firstWhere(count, (index) => ends[index]! >= from);
      // An event that ends at the window's edge is not in it, one without length that lies there is.
      while (i < count && ends[i] === from && starts[i]! < from) i++;
      for (; i < count && starts[i]! < to; i++) cell = out.add(items, i, resolution, cell);
    }
  }
}

const itemColumns = ['starts', 'ends', 'styles', 'rows', 'correlations', 'merged', 'covered', 'longest'] as const;

/** Buffer in which windows are gathered, one at a time: allocating memory takes longer than filling it. That of a huge one is not kept. */
let gathered = new Items(4 * itemsPerChunk);
const mostKept = 64 * itemsPerChunk;

/** Gathers the results of one window, lane by lane. */
class Collector {
  /** End of each lane that has items. */
  private readonly stops: number[] = [];
  private readonly lanes: number[] = [];

  constructor() {
    if (gathered.starts.length > mostKept) gathered = new Items(4 * itemsPerChunk);
    gathered.count = 0;
  }

  add(from: Items, i: number, resolution: number, last: number): number {
    if (gathered.count === gathered.starts.length) this.grow();
    return addTo(gathered, from, i, resolution, last);
  }

  endLane(lane: number): void {
    if (gathered.count === (this.stops.at(-1) ?? 0)) return;
    this.stops.push(gathered.count);
    // More lanes than two bytes count: nobody can tell them apart any more, but all are there.
    this.lanes.push(Math.min(lane, mostLanes));
  }

  finish(track: number, styles: readonly Style[]): TrackWindow {
    const items = gathered;
    const { count } = items;
    const order = mergedOrder(items.starts, this.stops);
    const laneOf = new Uint16Array(count);
    this.stops.forEach((stop, run) => laneOf.fill(this.lanes[run]!, this.stops[run - 1] ?? 0, stop));
    const window: TrackWindow = {
      track,
      count,
      starts: new Float64Array(count),
      durations: new Float64Array(count),
      lanes: new Uint16Array(count),
      kinds: new Uint8Array(count),
      flavours: new Uint8Array(count),
      rows: new Uint32Array(count),
      correlations: new Uint32Array(count),
      merged: new Uint32Array(count),
      busy: new Float32Array(count),
      labelIndex: new Uint32Array(count),
      labels: [],
      fullNames: [],
    };
    /** Label indexes by style: two instances of a template have one label, but each its own name. */
    const labelOf = new Map<number, number>();
    for (let i = 0; i < count; i++) {
      const from = order[i]!;
      const duration = items.ends[from]! - items.starts[from]!;
      const style = items.styles[from]!;
      const { kind, flavour, label, fullName } = styles[style] ?? unknownStyle;
      window.starts[i] = items.starts[from]!;
      window.durations[i] = duration;
      window.lanes[i] = laneOf[from]!;
      window.merged[i] = items.merged[from]!;
      window.busy[i] = duration > 0 ? items.covered[from]! / duration : 1;
      window.kinds[i] = kind;
      window.flavours[i] = flavour;
      window.rows[i] = items.rows[from]!;
      window.correlations[i] = items.correlations[from]!;
      let index = labelOf.get(style);
      if (index === undefined) {
        index = window.labels.push(label) - 1;
        window.fullNames.push(fullName);
        labelOf.set(style, index);
      }
      window.labelIndex[i] = index;
    }
    return window;
  }

  private grow(): void {
    const before = gathered;
    gathered = new Items(4 * before.count);
    for (const name of itemColumns) gathered[name].set(before[name]);
    gathered.count = before.count;
  }
}

/** Numbers of values in their order, of runs that are sorted; of equal ones those of earlier runs first. `stops`: where each run ends. */
function mergedOrder(values: Float64Array, stops: readonly number[]): Uint32Array {
  const count = stops.at(-1) ?? 0;
  let order = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[i] = i;
  if (stops.length < 2) return order;
  let into = new Uint32Array(count);
  for (let runs = stops; runs.length > 1; runs = runs.filter((_, run) => run % 2 === 1 || run === runs.length - 1)) {
    for (let run = 0, at = 0; run < runs.length; run += 2) {
      const middle = runs[run]!;
      const end = runs[run + 1] ?? middle;
      for (let [i, k] = [at, middle]; at < end; at++) {
        const isFirst = k === end || (i < middle && values[order[i]!]! <= values[order[k]!]!);
        into[at] = order[isFirst ? i++ : k++]!;
      }
    }
    [order, into] = [into, order];
  }
  return order;
}

/** The largest number of {@link TrackWindow.lanes}. */
const mostLanes = 2 ** 16 - 1;
const unknownStyle: Style = { kind: 0, flavour: 0, label: '?', fullName: '?' };

/** The first index in [begin, end) whose value is at least `limit`; `end` when there is none. */
export function firstNotBelow(values: Float64Array, limit: number, begin: number, end: number): number {
  return begin + firstWhere(end - begin, (index) => values[begin + index]! >= limit);
}

/** The first number below `count` for which it holds, as for all after it; `count` when there is none. */
function firstWhere(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
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
