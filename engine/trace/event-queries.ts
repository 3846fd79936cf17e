/**
 * Questions about all events of an open trace: where a name occurs, what a selection adds up to, and a table of events page
 * by page.
 *
 *   trace.queries.search({ text: 'gemm' }, 100);                     // in any name, in upper or lower case
 *   trace.queries.next(await trace.queries.resolve({ text: '/^void .*<double>/' }), { timeNs: 5e6 }, 'next');
 *   trace.queries.summarize({ fromNs: 0, toNs: 1e6, tracks: [3] });
 *
 * A million events have some hundred names: these are searched, and then the events' 32-bit numbers of styles.
 */
import type {
  EventFilter,
  EventHit,
  EventPage,
  EventPosition,
  EventRow,
  EventSort,
  GpuActivity,
  SearchResult,
  SearchStep,
  SelectionSummary,
} from '../model/event-queries.ts';
import type { EventRef, Track } from '../model/timeline.ts';
import { densityCells } from '../model/event-queries.ts';
import { eventKinds, kindOf, type EventKind } from '../model/event-kinds/index.ts';
import type { EventKindDescription } from '../model/event-kinds/kind.ts';
import { SimsightError } from '../base/errors.ts';
import { expressionOf, namesThatFit } from './expressions.ts';
import { arranged, inOrderOf, sortByKey } from './order.ts';
import { gapsOf, lengthOf, overlapOf, SpanCollector, unionOfAll, type Spans } from './spans.ts';
import { firstNotBelow, FlatEvents, type Style, type TrackEvents } from './track-events.ts';
import type { Trace } from './trace.ts';

const noEvents = new FlatEvents([]);

/** Styles that match a regular expression, marked by number of style. */
interface FittingStyles {
  expression: string;
  marks: Uint8Array;
}
/** A filter of which the regular expression, if it is one, has been looked for; a text stands for itself. */
export type Selection = Omit<EventFilter, 'text'> & { text?: string | FittingStyles | undefined };

/** Expressions kept per trace: stepping from hit to hit asks for the same one again and again. */
const keptExpressions = 8;

/** Events by the number of their track and their number in it, in any order. */
interface Found {
  count: number;
  tracks: Uint32Array;
  events: Uint32Array;
}

export class EventQueries {
  private readonly trace: Pick<Trace, 'path' | 'info' | 'query'>;
  private readonly byTrack: ReadonlyMap<number, TrackEvents>;
  private readonly styles: readonly Style[];
  private readonly bytes = new Map<EventKind, Float64Array>();
  private lastTable: { key: string; found: Found } | undefined;
  private readonly expressions = new Map<string, FittingStyles>();

  constructor(
    trace: Pick<Trace, 'path' | 'info' | 'query'>,
    byTrack: ReadonlyMap<number, TrackEvents>,
    styles: readonly Style[],
  ) {
    this.trace = trace;
    this.byTrack = byTrack;
    this.styles = styles;
  }

  /**
   * A text between slashes is a regular expression, which is matched elsewhere ({@link namesThatFit}): nobody else waits for it here.
   * Throws for one that is wrong or takes too long.
   */
  async resolve({ text, ...rest }: EventFilter, signal?: AbortSignal): Promise<Selection> {
    const expression = text === undefined ? null : expressionOf(text);
    if (text === undefined || expression === null) return { ...rest, text };
    let found = this.expressions.get(text);
    if (!found) {
      const names = this.styles.flatMap(({ label, fullName }) => [label, fullName]);
      const fits = await namesThatFit(expression, names, signal);
      const marks = Uint8Array.from(this.styles, (_, style) => fits[2 * style]! | fits[2 * style + 1]!);
      found = { expression: text, marks };
      this.expressions.set(text, found);
      for (const oldest of this.expressions.keys()) {
        if (this.expressions.size <= keptExpressions) break;
        this.expressions.delete(oldest);
      }
    }
    return { ...rest, text: found };
  }

  /** Number and positions of the matches, and the first `limit` in order of time. */
  search(filter: Selection, limit: number): SearchResult {
    const matches = this.matching(filter.text);
    const density = new Uint32Array(densityCells);
    const once = new Set(this.tracksOnce(filter.tracks));
    // Rows that repeat some of what others show: each event has to be looked at.
    const some = [...once].some(repeats) ? this.find(filter, matches) : null;
    const tracks = this.tracksOf(filter.tracks).map((track) => ({
      track: track.id,
      count: this.countIn(this.eventsOf(track.id), filter, matches, some || !once.has(track) ? null : density),
    }));
    for (let at = 0; at < (some?.count ?? 0); at++) {
      density[this.cellOf(this.startOf(some!, at))]!++;
    }
    return {
      count: density.reduce((sum, count) => sum + count, 0),
      tracks: tracks.filter(({ count }) => count > 0),
      hits: this.first(this.find(filter, matches, limit), limit),
      density,
      names: this.styles.filter((_, style) => matches[style]).map(({ label, fullName }) => ({ label, fullName })),
    };
  }

  private first(found: Found, limit: number): EventHit[] {
    const starts = Float64Array.from({ length: found.count }, (_, at) => this.startOf(found, at));
    const order = sortByKey(inOrderOf(found.count), starts);
    let stop = Math.min(limit, found.count);
    // Which of those that start together come first is seen on the whole of them.
    while (stop > 0 && stop < found.count && starts[order[stop]!] === starts[order[stop - 1]!]) stop++;
    const hits = Array.from(order.subarray(0, stop), (at) => this.hit(found, at));
    return hits.sort(inOrder).slice(0, limit);
  }

  /** The first hit after a place, or the last before it; null where there is none. */
  next(filter: Selection, from: EventPosition, direction: 'next' | 'previous'): SearchStep | null {
    const matches = this.matching(filter.text);
    const step = direction === 'next' ? 1 : -1;
    const beyond = (events: FlatEvents, i: number): boolean => {
      const startNs = events.starts[i]!;
      if (!from.ref || startNs !== from.timeNs) return step * (startNs - from.timeNs) > 0;
      const ref = { kind: this.kindAt(events, i), row: events.rows[i]! };
      return step * inOrder({ startNs, ref }, { startNs: from.timeNs, ref: from.ref }) > 0;
    };
    let best: EventHit | null = null;
    for (const { id } of this.tracksOnce(filter.tracks)) {
      const events = this.eventsOf(id);
      for (let lane = 0; lane < events.laneCount; lane++) {
        const [first, stop] = events.within(lane, filter.fromNs ?? 0, filter.toNs ?? Infinity);
        // Several events of a lane can start together where all but the last have no length.
        const at = firstNotBelow(events.starts, from.timeNs, first, stop);
        let i = at;
        if (step < 0) while (i < stop && events.starts[i] === from.timeNs) i++;
        for (i = step < 0 ? i - 1 : i; i >= first && i < stop; i += step) {
          if (best && step * (events.starts[i]! - best.startNs) > 0) break;
          if (!matches[events.styles[i]!] || !beyond(events, i)) continue;
          const hit = this.hitOf(id, events, i);
          if (!best || step * inOrder(hit, best) < 0) best = hit;
        }
      }
    }
    return best && { ...best, number: this.numberOf(best, filter, matches) };
  }

  /** Rank among all hits in order of time, from 1. */
  private numberOf(hit: EventHit, filter: Selection, matches: Uint8Array): number {
    const { startNs } = hit;
    const fromNs = Math.max(startNs, filter.fromNs ?? 0);
    const together = this.find({ ...filter, fromNs, toNs: startNs + 1 }, matches);
    let number = this.countOnce({ ...filter, toNs: startNs }, matches);
    for (let at = 0; at < together.count; at++) {
      const other = this.hit(together, at);
      if (other.startNs === startNs && inOrder(other, hit) <= 0) number++;
    }
    return number;
  }

  /** Sums over what overlaps a range of time; durations count in full, busy time within the range. */
  summarize(filter: Selection): SelectionSummary {
    const found = this.find(filter, this.matching(filter.text));
    const { fromNs = 0, toNs = Infinity } = filter;
    const gpus = this.gpusOf(filter.tracks);
    const elsewhere = new SpanCollector();
    const groups: (SelectionSummary['groups'][number] | undefined)[] = [];
    /** Descriptions by style, as the groups. */
    const described: EventKindDescription[] = [];
    let bytesCopied = 0;
    let [track, events] = [-1, noEvents];
    let gpu: GpuSpans | undefined;
    for (let at = 0; at < found.count; at++) {
      if (found.tracks[at] !== track) {
        track = found.tracks[at]!;
        events = this.eventsOf(track);
        gpu = gpus.get(this.root(this.trace.info.tracks[track]!));
      }
      const i = found.events[at]!;
      const [start, end] = [events.starts[i]!, events.ends[i]!];
      const style = events.styles[i]!;
      const group = (groups[style] ??= this.emptyGroup(style));
      const durationNs = end - start;
      group.count++;
      group.totalNs += durationNs;
      if (durationNs < group.minNs) group.minNs = durationNs;
      if (durationNs > group.maxNs) group.maxNs = durationNs;
      const { work, hasBytes } = (described[style] ??= kindOf[group.kind]);
      const bytes = hasBytes ? this.bytesOf(group.kind, events.rows[i]!) : null;
      if (bytes !== null) group.bytes = (group.bytes ?? 0) + bytes;
      if (work === 'copies') bytesCopied += bytes ?? 0;
      const spans = work && gpu?.[work];
      (spans ?? elsewhere).add(Math.max(start, fromNs), Math.min(end, toNs));
      if (spans && bytes !== null) gpu!.move(group.fullName, bytes, durationNs);
    }
    const sorted = groups.filter((group) => group !== undefined);
    sorted.sort((a, b) => b.totalNs - a.totalNs || b.count - a.count);
    for (const group of sorted) group.meanNs = group.totalNs / group.count;
    const totalNs = sorted.reduce((sum, group) => sum + group.totalNs, 0);
    const range = { from: Math.max(0, fromNs), to: Math.min(toNs, this.trace.info.durationNs) };
    const busy = [...gpus.values()].map((each) => each.finish(range));
    const busyNs = lengthOf(unionOfAll([elsewhere.finish(), ...busy.map(({ spans }) => spans)]));
    const activities = busy.map(({ activity }) => activity);
    return { count: found.count, totalNs, busyNs, bytesCopied, gpus: activities, groups: sorted };
  }

  /** `limit` events from the one numbered `offset` on; equal ones are in order of time. */
  page(filter: Selection, sort: EventSort, descending: boolean, offset: number, limit: number): EventPage {
    const found = this.table(filter, sort, descending);
    const stop = Math.min(offset + limit, found.count);
    const rows: EventRow[] = [];
    for (let at = offset; at < stop; at++) {
      const events = this.eventsOf(found.tracks[at]!);
      const i = found.events[at]!;
      const hit = this.hit(found, at);
      rows.push({
        ...hit,
        fullName: this.styles[events.styles[i]!]!.fullName,
        correlation: events.correlations[i]! || null,
        bytes: this.bytesOf(hit.ref.kind, hit.ref.row),
      });
    }
    return { total: found.count, rows };
  }

  /** Index of an event in a table, from 0; null where it is not in it. */
  place(filter: Selection, sort: EventSort, descending: boolean, ref: EventRef): number | null {
    const found = this.table(filter, sort, descending);
    for (let at = 0; at < found.count; at++) {
      const events = this.eventsOf(found.tracks[at]!);
      const i = found.events[at]!;
      if (events.rows[i] === ref.row && this.kindAt(events, i) === ref.kind) return at;
    }
    return null;
  }

  /** Kept until another table is asked for: its pages come one by one. */
  private table(filter: Selection, sort: EventSort, descending: boolean): Found {
    const { text, ...rest } = filter;
    const key = JSON.stringify([
      typeof text === 'object' ? { expression: text.expression } : text,
      rest,
      sort,
      descending,
    ]);
    if (this.lastTable?.key !== key) {
      const found = this.find(filter, this.matching(filter.text));
      this.lastTable = { key, found: this.sorted(found, sort, descending) };
    }
    return this.lastTable.found;
  }

  /** Styles that match the text, marked by number of style. */
  private matching(text: Selection['text'] = ''): Uint8Array {
    if (typeof text === 'object') return text.marks;
    const wanted = text.toLowerCase();
    const fits = (name: string): boolean => name.toLowerCase().includes(wanted);
    return Uint8Array.from(this.styles, ({ label, fullName }) => (fits(label) || fits(fullName) ? 1 : 0));
  }

  /** Also adds them to `density`, by the cell of the trace that they start in. */
  private countIn(
    events: FlatEvents,
    { fromNs = 0, toNs = Infinity }: Selection,
    matches: Uint8Array,
    density: Uint32Array | null = null,
  ): number {
    const { styles, starts } = events;
    let count = 0;
    for (let lane = 0; lane < events.laneCount; lane++) {
      const [first, stop] = events.within(lane, fromNs, toNs);
      if (!density) for (let i = first; i < stop; i++) count += matches[styles[i]!]!;
      else {
        for (let i = first; i < stop; i++) {
          if (!matches[styles[i]!]) continue;
          count++;
          density[this.cellOf(starts[i]!)]!++;
        }
      }
    }
    return count;
  }

  private cellOf(time: number): number {
    const { durationNs } = this.trace.info;
    return durationNs > 0 ? Math.min(densityCells - 1, Math.floor((time / durationNs) * densityCells)) : 0;
  }

  private countOnce(filter: Selection, matches: Uint8Array): number {
    const tracks = this.tracksOnce(filter.tracks);
    if (tracks.some(repeats)) return this.find(filter, matches).count;
    return tracks.reduce((sum, { id }) => sum + this.countIn(this.eventsOf(id), filter, matches), 0);
  }

  /** Each event once; with a limit, the first ones of each lane, so that the first of all are among them. */
  private find(filter: Selection, matches: Uint8Array, limit = Infinity): Found {
    const { fromNs = 0, toNs = Infinity } = filter;
    const tracks = this.tracksOnce(filter.tracks);
    const most = tracks.reduce((sum, { id }) => {
      const events = this.eventsOf(id);
      for (let lane = 0; lane < events.laneCount; lane++) {
        const [first, stop] = events.within(lane, fromNs, toNs);
        sum += Math.min(stop - first, limit);
      }
      return sum;
    }, 0);
    const found: Found = { count: 0, tracks: new Uint32Array(most), events: new Uint32Array(most) };
    const seen = tracks.some(repeats) ? new Set<number>() : null;
    for (const { id } of tracks) {
      const events = this.eventsOf(id);
      for (let lane = 0; lane < events.laneCount; lane++) {
        const [first, stop] = events.within(lane, fromNs, toNs);
        const enough = found.count + limit;
        for (let i = first; i < stop && found.count < enough; i++) {
          if (!matches[events.styles[i]!]) continue;
          const event = events.rows[i]! * eventKinds.length + this.styles[events.styles[i]!]!.kind;
          if (seen?.has(event)) continue;
          seen?.add(event);
          found.tracks[found.count] = id;
          found.events[found.count++] = i;
        }
      }
    }
    return found;
  }

  private sorted(found: Found, sort: EventSort, descending: boolean): Found {
    const { count } = found;
    const starts = new Float64Array(count);
    const keys = sort === 'start' ? starts : new Float64Array(count);
    const places = sort === 'name' ? placesOf(this.styles) : null;
    let [track, events] = [-1, noEvents];
    for (let at = 0; at < count; at++) {
      if (found.tracks[at] !== track) [track, events] = [found.tracks[at]!, this.eventsOf(found.tracks[at]!)];
      const i = found.events[at]!;
      starts[at] = events.starts[i]!;
      if (sort === 'duration') keys[at] = events.ends[i]! - events.starts[i]!;
      else if (places) keys[at] = places[events.styles[i]!]!;
    }
    let order = sortByKey(inOrderOf(count), starts);
    if (descending) {
      // Turned around, so that what is equal stays in order of time.
      let largest = 0;
      for (let at = 0; at < count; at++) largest = Math.max(largest, keys[at]!);
      const turned = keys.map((key) => largest - key);
      order = sortByKey(order, turned);
    } else if (sort !== 'start') order = sortByKey(order, keys);
    return { count, tracks: arranged(found.tracks, order), events: arranged(found.events, order) };
  }

  /** Tracks with events among those named and below them; all where none are named. */
  private tracksOf(named: readonly number[] | undefined): Track[] {
    const { tracks } = this.trace.info;
    const chosen = new Set(named);
    for (const track of chosen) {
      if (!tracks[track]) throw new SimsightError('bad-request', `${this.trace.path} has no track ${track}.`);
    }
    // Parents come before their children.
    for (const { id, parent } of tracks) if (parent !== null && chosen.has(parent)) chosen.add(id);
    return tracks.filter(({ id }) => this.byTrack.has(id) && (named === undefined || chosen.has(id)));
  }

  /**
   * The same, streams first. What is on the rows of kernels and copy engines is on a stream as well: these rows are left out
   * where all streams of their GPU are there, and else what they repeat is.
   */
  private tracksOnce(named: readonly number[] | undefined): Track[] {
    const tracks = this.tracksOf(named);
    const asked = new Set(tracks);
    const lacking = new Set(
      this.tracksOf(undefined)
        .filter((track) => !repeats(track) && !asked.has(track))
        .map((track) => this.root(track)),
    );
    return [
      ...tracks.filter((track) => !repeats(track)),
      ...tracks.filter((track) => repeats(track) && lacking.has(this.root(track))),
    ];
  }

  /** Collectors by row, of all GPUs or those that have a row among those named. */
  private gpusOf(named: readonly number[] | undefined): Map<number, GpuSpans> {
    const asked = new Set(this.tracksOf(named).map((track) => this.root(track)));
    const gpus = this.trace.info.tracks.filter(
      ({ id, kind, parent }) => kind === 'gpu' && parent === null && (named === undefined || asked.has(id)),
    );
    return new Map(gpus.map(({ id, title }) => [id, new GpuSpans(id, title)]));
  }

  private root(track: Track): number {
    return track.parent === null ? track.id : this.root(this.trace.info.tracks[track.parent]!);
  }

  private startOf({ tracks, events }: Found, at: number): number {
    return this.eventsOf(tracks[at]!).starts[events[at]!]!;
  }

  private hit({ tracks, events }: Found, at: number): EventHit {
    return this.hitOf(tracks[at]!, this.eventsOf(tracks[at]!), events[at]!);
  }

  private hitOf(track: number, events: FlatEvents, i: number): EventHit {
    return {
      ref: { kind: this.kindAt(events, i), row: events.rows[i]! },
      track,
      name: this.styles[events.styles[i]!]!.label,
      startNs: events.starts[i]!,
      durationNs: events.ends[i]! - events.starts[i]!,
    };
  }

  private emptyGroup(style: number): SelectionSummary['groups'][number] {
    const { kind, label, fullName } = this.styles[style]!;
    const names = { kind: eventKinds[kind]!, name: label, fullName };
    return { ...names, count: 0, totalNs: 0, minNs: Infinity, maxNs: 0, meanNs: 0, bytes: null };
  }

  private eventsOf(track: number): FlatEvents {
    return this.byTrack.get(track)!.flat();
  }

  private kindAt(events: FlatEvents, i: number): EventKind {
    return eventKinds[this.styles[events.styles[i]!]!.kind]!;
  }

  /** Read from the file when first asked for. */
  private bytesOf(kind: EventKind, row: number): number | null {
    if (!kindOf[kind].hasBytes) return null;
    let bytes = this.bytes.get(kind);
    if (!bytes) {
      const rows = this.trace.query(`SELECT rowid, bytes FROM ${kindOf[kind].table.name}`) as [number, number][];
      bytes = new Float64Array(1 + rows.reduce((most, [id]) => Math.max(most, id), 0));
      for (const [id, value] of rows) bytes[id] = value;
      this.bytes.set(kind, bytes);
    }
    return bytes[row] ?? null;
  }
}

/** Activity of one GPU in a selection. */
class GpuSpans {
  private readonly track: number;
  private readonly title: string;
  readonly kernels = new SpanCollector();
  readonly copies = new SpanCollector();
  readonly fills = new SpanCollector();
  private readonly moved = new Map<string, GpuActivity['memory'][number]>();

  constructor(track: number, title: string) {
    this.track = track;
    this.title = title;
  }

  move(name: string, bytes: number, durationNs: number): void {
    let group = this.moved.get(name);
    if (!group) this.moved.set(name, (group = { name, count: 0, bytes: 0, totalNs: 0 }));
    group.count++;
    group.bytes += bytes;
    group.totalNs += durationNs;
  }

  finish(range: { from: number; to: number }): { spans: Spans; activity: GpuActivity } {
    const [kernels, copies] = [this.kernels.finish(), this.copies.finish()];
    const spans = unionOfAll([kernels, copies, this.fills.finish()]);
    const activity = {
      ...{ track: this.track, title: this.title },
      ...{ busyNs: lengthOf(spans), kernelNs: lengthOf(kernels), copyNs: lengthOf(copies) },
      overlapNs: overlapOf(kernels, copies),
      gaps: gapsOf(spans, range.from, range.to),
      memory: [...this.moved.values()].sort((a, b) => b.totalNs - a.totalNs),
    };
    return { spans, activity };
  }
}

/** Shows events that another row shows as well. */
const repeats = ({ kind }: Track): boolean => kind === 'kernels' || kind === 'copy-engine';

type Place = Pick<EventHit, 'startNs' | 'ref'>;

/** Time, then what tells events apart whatever row shows them. */
function inOrder(a: Place, b: Place): number {
  const kinds = eventKinds.indexOf(a.ref.kind) - eventKinds.indexOf(b.ref.kind);
  return a.startNs - b.startNs || kinds || a.ref.row - b.ref.row;
}

/** Rank of each style in the alphabet. */
function placesOf(styles: readonly Style[]): Uint32Array {
  const order = styles.map((_, i) => i);
  const less = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  order.sort((a, b) => less(styles[a]!.label, styles[b]!.label) || less(styles[a]!.fullName, styles[b]!.fullName));
  const places = new Uint32Array(styles.length);
  order.forEach((style, place) => (places[style] = place));
  return places;
}
