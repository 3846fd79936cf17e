/** Reads the events of a trace into the rows of the timeline that show them. */
import type Database from 'better-sqlite3';
import { kindNumber, kindOf, loadingOrder, type EventKind } from '../model/event-kinds/index.ts';
import { eventColumns, type EventCells, type Timeline } from '../model/event-kinds/kind.ts';
import { isKernels, type StreamPlace } from '../model/event-kinds/row-keys.ts';
import { processOf } from '../model/nsight-codes.ts';
import { busyTime } from './busy-time.ts';
import { devicesOfContexts, type DeviceOfContext } from './contexts.ts';
import type { Row } from './trace.ts';
import { TrackEventList, type Style } from './track-events.ts';
import { selectFrom, typedRows, whereOf } from './typed-rows.ts';

/**
 * Rows of the timeline. The largest recordings have a few thousand streams and threads; each takes some kilobytes wherever the trace is
 * opened, and a file of some megabytes can name one for each of its events.
 */
export const mostRows = 20_000;
/** Rows beyond those that are counted. */
const mostCounted = 1_000_000;

export interface LoadedEvents {
  /** Events, each once, however many tracks show it. */
  count: number;
  skipped: number;
  /** Rows of the timeline beyond {@link mostRows}, whose events are not there. */
  rowsLeftOut: number;
  /** Time in which a device did anything. */
  deviceBusyNs: Map<number, number>;
}

/**
 * Reads start, end and what tells tracks and colours apart of all events, once, in the order of the tables. Gives the tracks, by their
 * keys, as soon as they are complete, so that what was taken can be forgotten; in the end what is known of all of them. Events are
 * in `styles` by number. `onCount` is told now and then how many events were read.
 */
export function* loadEvents(
  db: Database.Database,
  styles: Style[],
  onCount: (count: number) => void = () => {},
): Generator<[key: string, list: TrackEventList], LoadedEvents> {
  const loading = new Loading(db, styles, onCount);
  for (const kinds of loadingOrder) {
    for (const kind of kinds) loading.load(kind);
    yield* loading.complete();
  }
  return loading.result();
}

/** The timeline while events are put on its rows, kind after kind. */
class Loading {
  private readonly db: Database.Database;
  private readonly onCount: (count: number) => void;
  private readonly lists = new Map<string, TrackEventList>();
  private readonly styles: Styles;
  private readonly callers: Callers;
  /** Streams of launches by process and correlation id, which is unique within a process only. */
  private readonly launches = new Map<number, Map<number, StreamPlace>>();
  /** All that a device does, on all its tracks together. */
  private readonly devices = new Map<number, TrackEventList>();
  private deviceOf: DeviceOfContext | undefined;
  private count = 0;
  private skipped = 0;
  /** Keys of all rows so far, and of those that are too many. */
  private readonly known = new Set<string>();
  private readonly tooMany = new Set<string>();
  private readonly unseen = new TrackEventList();

  constructor(db: Database.Database, styles: Style[], onCount: (count: number) => void) {
    this.db = db;
    this.onCount = onCount;
    this.styles = new Styles(styles, new Map(this.query('SELECT id, value FROM StringIds') as [number, string][]));
    this.callers = new Callers((sql) => this.query(sql));
  }

  /** Rows with times that cannot be drawn are counted and left out. */
  load(kind: EventKind): void {
    const { table, columns, load } = kindOf[kind];
    const all = { ...eventColumns(table), ...columns };
    const place = load(this.timelineOf(kind));
    for (const event of typedRows(this.db, all, selectFrom(table, all) + whereOf(table))) {
      const [start, end] = event.row;
      if (isTime(start) && isTime(end) && start <= end) {
        if (++this.count % countStep === 0) this.onCount(this.count);
        place(event as unknown as EventCells & typeof event);
      } else this.skipped++;
    }
  }

  private timelineOf(kind: EventKind): Timeline {
    return {
      query: (sql) => this.query(sql),
      name: (id) => this.styles.name(id),
      style: (label, fullName, flavour) => this.styles.idOf(kind, label, fullName, flavour),
      namedStyles: (shown, flavour) => this.styles.named(kind, shown, flavour),
      add: (key, event, style) =>
        this.list(key).add(event.start, event.end, style, event.rowid, event.correlationId ?? 0),
      busy: (device, event) => this.busy(device, event),
      called: (globalTid, correlationId) => this.callers.called(globalTid, correlationId),
      launched: (place, correlationId) => this.launched(place, correlationId),
      graphLaunch: (process, correlationId) =>
        correlationId === null ? null : (this.launches.get(process)?.get(correlationId) ?? null),
      callingThread: (process, correlationId) => this.callers.threadOf(process, correlationId),
      deviceOfContext: (...context) => (this.deviceOf ??= devicesOfContexts((sql) => this.query(sql)))(...context),
    };
  }

  private query(sql: string): Row[] {
    return this.db.prepare(sql).raw().all() as Row[];
  }

  private list(key: string): TrackEventList {
    let found = this.lists.get(key);
    if (found) return found;
    if (this.known.size < mostRows || this.known.has(key)) {
      this.known.add(key);
      this.lists.set(key, (found = new TrackEventList()));
      return found;
    }
    if (this.tooMany.size < mostCounted) this.tooMany.add(key);
    this.unseen.length = 0;
    return this.unseen;
  }

  private busy(device: number, { start, end }: EventCells): void {
    let found = this.devices.get(device);
    if (!found) this.devices.set(device, (found = new TrackEventList()));
    found.add(start, end, 0, 0, 0);
  }

  private launched(place: StreamPlace, correlationId: number | null): void {
    if (correlationId === null) return;
    const known = this.launches.get(place.process) ?? new Map<number, StreamPlace>();
    this.launches.set(place.process, known.set(correlationId, place));
  }

  /** The tracks that there are so far; the kernels of a device first. */
  *complete(): Generator<[key: string, list: TrackEventList]> {
    for (const key of [...this.lists.keys()].sort((a, b) => Number(isKernels(b)) - Number(isKernels(a)))) {
      const found = this.lists.get(key)!;
      this.lists.delete(key);
      yield [key, found];
    }
  }

  result(): LoadedEvents {
    const { count, skipped, tooMany } = this;
    const deviceBusyNs = new Map<number, number>();
    for (const [id, { starts, ends, length }] of this.devices) {
      deviceBusyNs.set(id, busyTime(starts.subarray(0, length), ends.subarray(0, length)));
    }
    return { count, skipped, rowsLeftOut: tooMany.size, deviceBusyNs };
  }
}

/** Styles of events, each stored once, by number. */
class Styles {
  private readonly list: Style[];
  private readonly names: ReadonlyMap<number, string>;
  private readonly ids = new Map<string, number>();

  constructor(list: Style[], names: ReadonlyMap<number, string>) {
    this.list = list;
    this.names = names;
  }

  name(id: number): string {
    return String(this.names.get(id) ?? '?');
  }

  idOf(kind: EventKind, label: string, fullName = label, flavour = 0): number {
    const key = `${kind} ${flavour} ${label}\0${fullName}`;
    let id = this.ids.get(key);
    if (id === undefined)
      this.ids.set(key, (id = this.list.push({ kind: kindNumber[kind], flavour, label, fullName }) - 1));
    return id;
  }

  named(kind: EventKind, shown: (name: string) => string, flavour = 0): (nameId: number) => number {
    const known = new Map<number, number>();
    return (nameId) => {
      let found = known.get(nameId);
      if (found === undefined) {
        const name = shown(this.name(nameId));
        known.set(nameId, (found = this.idOf(kind, name, name, flavour)));
      }
      return found;
    };
  }
}

/**
 * The threads that wait: waits do not say which it is, but the calls with their correlation ids do. Where one thread of a process
 * calls, it is the one that waits.
 */
class Callers {
  /** Waiting threads of processes in which several threads call, by the ids of waits; 0 where the thread is unknown. */
  private readonly waiters: ReadonlyMap<number, Map<number, number>>;

  constructor(query: (sql: string) => Row[]) {
    const callers = Map.groupBy(query('SELECT DISTINCT globalTid FROM SIMSIGHT_SHAPES_RUNTIME'), ([tid]) =>
      processOf(tid),
    );
    const several = [...callers].filter(([, threads]) => threads.length > 1);
    this.waiters = new Map(several.map(([process]) => [process, new Map<number, number>()]));
    if (this.waiters.size === 0) return;
    const { name } = kindOf.synchronization.table;
    const waits = query(`SELECT correlationId, globalPid FROM ${name} WHERE correlationId > 0`);
    for (const [correlation, globalPid] of waits) this.waiters.get(processOf(globalPid))?.set(Number(correlation), 0);
  }

  called(globalTid: number, correlationId: number | null): void {
    if (correlationId === null) return;
    const waits = this.waiters.get(processOf(globalTid));
    if (waits?.has(correlationId)) waits.set(correlationId, globalTid);
  }

  threadOf(process: number, correlationId: number | null): number {
    return correlationId === null ? 0 : (this.waiters.get(process)?.get(correlationId) ?? 0);
  }
}

/** Progress is told each time that so many events have been read. */
const countStep = 2 ** 14;
/** The latest time that packed columns can hold: 52 days. */
const latest = 2 ** 52;
const isTime = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= latest;
