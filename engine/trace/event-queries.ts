/**
 * Questions about all events of an open trace: where a name occurs, what a selection adds up to, and a table of events page
 * by page.
 *
 *   trace.queries.search({ text: 'gemm' }, 100);                     // in any name, in upper or lower case
 *   trace.queries.next({ text: '/^void .*<double>/' }, { timeNs: 5e6 }, 'next');
 *   trace.queries.summarize({ fromNs: 0, toNs: 1e6, tracks: [3] });
 *
 * A million events have some hundred names: these are searched, and then the events' 32-bit numbers of styles.
 */
import type {
  EventFilter,
  EventHit,
  EventKind,
  EventPage,
  EventPosition,
  EventRow,
  EventSort,
  SearchResult,
  SelectionSummary,
  Track,
} from '../api/types.ts';
import { eventKinds } from '../api/types.ts';
import { SimsightError } from '../base/errors.ts';
import { busyTime } from './load-events.ts';
import { firstNotBelow, type FlatEvents, type Style, type TrackEvents } from './track-events.ts';
import type { Trace } from './trace.ts';
import { eventTables } from './tracks.ts';

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
  private lastPage: { key: string; found: Found } | undefined;

  constructor(
    trace: Pick<Trace, 'path' | 'info' | 'query'>,
    byTrack: ReadonlyMap<number, TrackEvents>,
    styles: readonly Style[],
  ) {
    this.trace = trace;
    this.byTrack = byTrack;
    this.styles = styles;
  }

  /** How often and where, and the first `limit` in order of time. */
  search(filter: EventFilter, limit: number): SearchResult {
    const matches = this.matching(filter.text);
    const tracks = this.tracksOf(filter.tracks).map((track) => ({
      track: track.id,
      count: this.countIn(this.eventsOf(track.id), filter, matches),
    }));
    const found = this.find(filter, matches, limit);
    const hits = Array.from({ length: found.count }, (_, i) => this.hit(found, i)).sort(inOrder);
    return {
      count: this.countOnce(filter, matches),
      tracks: tracks.filter(({ count }) => count > 0),
      hits: hits.slice(0, limit),
    };
  }

  /** The first hit after a place, or the last before it; null where there is none. */
  next(filter: EventFilter, from: EventPosition, direction: 'next' | 'previous'): EventHit | null {
    const matches = this.matching(filter.text);
    const step = direction === 'next' ? 1 : -1;
    const beyond = (events: FlatEvents, i: number): boolean => {
      const startNs = events.starts[i]!;
      if (!from.ref || startNs !== from.timeNs) return step * (startNs - from.timeNs) > 0;
      const ref = { kind: this.kindOf(events, i), row: events.rows[i]! };
      return step * inOrder({ startNs, ref }, { startNs: from.timeNs, ref: from.ref }) > 0;
    };
    let best: EventHit | null = null;
    for (const { id } of this.tracksOnce(filter.tracks)) {
      const events = this.eventsOf(id);
      for (let lane = 0; lane < events.laneCount; lane++) {
        const [first, stop] = [events.laneOffsets[lane]!, events.laneOffsets[lane + 1]!];
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
    return best;
  }

  /** Sums over what overlaps a range of time; durations count in full, busy time within the range. */
  summarize(filter: EventFilter): SelectionSummary {
    const found = this.find(filter, this.matching(filter.text));
    const { fromNs = 0, toNs = Infinity } = filter;
    const starts = new Float64Array(found.count);
    const ends = new Float64Array(found.count);
    const groups = new Map<number, SelectionSummary['groups'][number]>();
    let bytesCopied = 0;
    for (let at = 0; at < found.count; at++) {
      const events = this.eventsOf(found.tracks[at]!);
      const i = found.events[at]!;
      const durationNs = events.ends[i]! - events.starts[i]!;
      starts[at] = Math.max(events.starts[i]!, fromNs);
      ends[at] = Math.max(Math.min(events.ends[i]!, toNs), starts[at]!);
      const style = events.styles[i]!;
      let group = groups.get(style);
      if (!group) groups.set(style, (group = this.emptyGroup(style)));
      const bytes = this.bytesOf(group.kind, events.rows[i]!);
      group.count++;
      group.totalNs += durationNs;
      group.minNs = Math.min(group.minNs, durationNs);
      group.maxNs = Math.max(group.maxNs, durationNs);
      if (bytes !== null) group.bytes = (group.bytes ?? 0) + bytes;
      if (group.kind === 'memcpy') bytesCopied += bytes ?? 0;
    }
    const sorted = [...groups.values()].sort((a, b) => b.totalNs - a.totalNs || b.count - a.count);
    for (const group of sorted) group.meanNs = group.totalNs / group.count;
    const totalNs = sorted.reduce((sum, group) => sum + group.totalNs, 0);
    return { count: found.count, totalNs, busyNs: busyTime(starts, ends), bytesCopied, groups: sorted };
  }

  /** `limit` events from the one numbered `offset` on; equal ones are in order of time. */
  page(filter: EventFilter, sort: EventSort, descending: boolean, offset: number, limit: number): EventPage {
    const key = JSON.stringify([filter, sort, descending]);
    if (this.lastPage?.key !== key) {
      const found = this.find(filter, this.matching(filter.text));
      this.lastPage = { key, found: this.sorted(found, sort, descending) };
    }
    const { found } = this.lastPage;
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

  /** By number of style. */
  private matching(text = ''): Uint8Array {
    const fits = matcher(text);
    return Uint8Array.from(this.styles, ({ label, fullName }) => (fits(label) || fits(fullName) ? 1 : 0));
  }

  private countIn(events: FlatEvents, { fromNs = 0, toNs = Infinity }: EventFilter, matches: Uint8Array): number {
    const { styles } = events;
    let count = 0;
    for (let lane = 0; lane < events.laneCount; lane++) {
      const [first, stop] = events.within(lane, fromNs, toNs);
      for (let i = first; i < stop; i++) count += matches[styles[i]!]!;
    }
    return count;
  }

  private countOnce(filter: EventFilter, matches: Uint8Array): number {
    const tracks = this.tracksOnce(filter.tracks);
    if (tracks.some(repeats)) return this.find(filter, matches).count;
    return tracks.reduce((sum, { id }) => sum + this.countIn(this.eventsOf(id), filter, matches), 0);
  }

  /** Each event once; with a limit, the first ones of each lane, so that the first of all are among them. */
  private find(filter: EventFilter, matches: Uint8Array, limit = Infinity): Found {
    const { fromNs = 0, toNs = Infinity } = filter;
    const tracks = this.tracksOnce(filter.tracks);
    const most = tracks.reduce((sum, { id }) => {
      const events = this.eventsOf(id);
      return sum + Math.min(events.count, limit * events.laneCount);
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
    for (let at = 0; at < count; at++) {
      const events = this.eventsOf(found.tracks[at]!);
      const i = found.events[at]!;
      starts[at] = events.starts[i]!;
      if (sort === 'duration') keys[at] = events.ends[i]! - events.starts[i]!;
      else if (places) keys[at] = places[events.styles[i]!]!;
    }
    const order = Uint32Array.from(starts, (_, at) => at);
    const sign = descending ? -1 : 1;
    order.sort((a, b) => sign * (keys[a]! - keys[b]!) || starts[a]! - starts[b]! || a - b);
    return {
      count,
      tracks: Uint32Array.from(order, (at) => found.tracks[at]!),
      events: Uint32Array.from(order, (at) => found.events[at]!),
    };
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

  private root(track: Track): number {
    return track.parent === null ? track.id : this.root(this.trace.info.tracks[track.parent]!);
  }

  private hit({ tracks, events }: Found, at: number): EventHit {
    return this.hitOf(tracks[at]!, this.eventsOf(tracks[at]!), events[at]!);
  }

  private hitOf(track: number, events: FlatEvents, i: number): EventHit {
    return {
      ref: { kind: this.kindOf(events, i), row: events.rows[i]! },
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

  private kindOf(events: FlatEvents, i: number): EventKind {
    return eventKinds[this.styles[events.styles[i]!]!.kind]!;
  }

  /** Read from the file when first asked for. */
  private bytesOf(kind: EventKind, row: number): number | null {
    if (kind !== 'memcpy' && kind !== 'memset') return null;
    let bytes = this.bytes.get(kind);
    if (!bytes) {
      const rows = this.trace.query(`SELECT rowid, bytes FROM ${eventTables[kind]}`) as [number, number][];
      bytes = new Float64Array(1 + rows.reduce((most, [id]) => Math.max(most, id), 0));
      for (const [id, value] of rows) bytes[id] = value;
      this.bytes.set(kind, bytes);
    }
    return bytes[row] ?? null;
  }
}

/** Shows events that another row shows as well. */
const repeats = ({ kind }: Track): boolean => kind === 'kernels' || kind === 'copy-engine';

/** Text anywhere in a name, in upper or lower case; between slashes, a regular expression. */
function matcher(text: string): (name: string) => boolean {
  const [, pattern, flags] = /^\/(.+)\/(i?)$/s.exec(text) ?? [];
  if (pattern !== undefined) {
    try {
      const expression = new RegExp(pattern, flags);
      return (name) => expression.test(name);
    } catch (error) {
      throw new SimsightError(
        'bad-request',
        (error as Error).message,
        'Write it as JavaScript does, or without slashes.',
      );
    }
  }
  const wanted = text.toLowerCase();
  return (name) => name.toLowerCase().includes(wanted);
}

type Place = Pick<EventHit, 'startNs' | 'ref'>;

/** Time, then what tells events apart whatever row shows them. */
function inOrder(a: Place, b: Place): number {
  const kinds = eventKinds.indexOf(a.ref.kind) - eventKinds.indexOf(b.ref.kind);
  return a.startNs - b.startNs || kinds || a.ref.row - b.ref.row;
}

/** Where each style stands in the alphabet. */
function placesOf(styles: readonly Style[]): Uint32Array {
  const order = styles.map((_, i) => i);
  const less = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  order.sort((a, b) => less(styles[a]!.label, styles[b]!.label) || less(styles[a]!.fullName, styles[b]!.fullName));
  const places = new Uint32Array(styles.length);
  order.forEach((style, place) => (places[style] = place));
  return places;
}
