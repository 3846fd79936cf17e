/**
 * The timeline's rows as they are kept in a trace (`SIMSIGHT_TRACKS`, `…_STYLES`, `…_TRACK_CHUNKS`): made once, when a recording ends
 * or is opened without, and read piece by piece, so that a trace of ten million events opens at once.
 */
import type Database from 'better-sqlite3';
import { indexCharts, indexMemory } from './charts.ts';
import { loadEvents, mostRows } from './load-events.ts';
import {
  ChunkCache,
  itemsPerChunk,
  packTrack,
  repeatsOf,
  TrackEvents,
  type ChunkEntry,
  type Repetition,
  type StoredChunk,
  type Style,
} from './track-events.ts';
import { Table } from './tables.ts';
import { isKernels, isRepeated, rowKeys } from '../model/event-kinds/row-keys.ts';
import { eventKinds, kindNumber, kindOf } from '../model/event-kinds/index.ts';
import type { TableOfKind } from '../model/event-kinds/kind.ts';

export interface TrackIndex {
  /** Events by track key ({@link file://./tracks.ts}). */
  tracks: ReadonlyMap<string, TrackEvents>;
  styles: readonly Style[];
  /** Events, each once, however many tracks show it. */
  eventCount: number;
  /** Events whose times cannot be drawn. */
  skipped: number;
  /** Rows whose events are not there: there are too many. */
  rowsLeftOut: number;
  /** Events that are not there because more than {@link mostLanesOfRow} of their row go on at once. */
  overlapping: number;
  /** Time in which a device did anything (ns). */
  deviceBusyNs: ReadonlyMap<number, number>;
}

const busyKey = 'device ';
const counts = {
  events: 'eventCount',
  skipped: 'skippedEvents',
  rows: 'rowsLeftOut',
  overlapping: 'overlappingLeftOut',
};

export const hasTrackIndex = (db: Database.Database): boolean =>
  db.prepare('SELECT 1 FROM SIMSIGHT_RECORDING WHERE name = ?').get(counts.events) !== undefined;

/** Progress: how many of how many events have their rows. */
export type OnIndexed = (done: number, total: number) => void;

/** Adds the index to a trace whose events are all there. */
export function indexTracks(db: Database.Database, onIndexed: OnIndexed = () => {}): void {
  const total = eventKinds.reduce((sum, kind) => sum + rowsIn(db, kindOf[kind].table), 0);
  // Reading an event is half of the work, packing it the other.
  let [read, packed, overlapping] = [0, 0, 0];
  const tell = (): void => onIndexed(Math.min(total, Math.round((read + packed) / 2)), total);
  tell();
  db.transaction(() => {
    const styles: Style[] = [];
    const loading = loadEvents(db, styles, (count) => {
      read = count;
      tell();
    });
    const tracks = new Table(db, 'SIMSIGHT_TRACKS', ['key', 'lanes', 'events', 'busy', 'end']);
    const looks = new Table(db, 'SIMSIGHT_STYLES', ['id', 'kind', 'flavour', 'label', 'fullName']);
    const chunk = db.prepare(
      `INSERT INTO SIMSIGHT_TRACK_CHUNKS (${chunkColumns}, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    const kernelLanes = new Map<number, number[]>();
    const repetitionOf = (key: string): Repetition => {
      const device = deviceOf(key);
      if (device === null) return {};
      let known = kernelLanes.get(device);
      if (!known) kernelLanes.set(device, (known = []));
      const lanesOfRows = known;
      return key === rowKeys.kernels(device)
        ? { place: (row, lane) => void (lanesOfRows[row] = lane) }
        : { laneOf: (style, row) => (styles[style]!.kind === kindNumber.kernel ? (lanesOfRows[row] ?? null) : null) };
    };
    let loaded = loading.next();
    for (; !loaded.done; loaded = loading.next()) {
      const [key, list] = loaded.value;
      const kindOf = (style: number): number => styles[style]!.kind;
      const { lanes, events, leftOut, busyNs, endNs, chunks } = packTrack(list, kindOf, repetitionOf(key));
      if (!isRepeated(key)) {
        packed += events;
        overlapping += leftOut;
      }
      tell();
      const track = tracks.add(key, lanes, events, busyNs, endNs);
      for (const each of chunks) {
        const { resolution, lane, start, end, items, firstCorrelation, lastCorrelation, data } = each;
        chunk.run(track, resolution, lane, start, end, items, firstCorrelation, lastCorrelation, data);
      }
    }
    const { count, skipped, rowsLeftOut, deviceBusyNs } = loaded.value;
    for (const [device, busyNs] of [...deviceBusyNs].slice(0, mostRows))
      tracks.add(`${busyKey}${device}`, 0, 0, busyNs, 0);
    tracks.flush();
    styles.forEach(({ kind, flavour, label, fullName }, id) => looks.add(id, kind, flavour, label, fullName));
    looks.flush();
    const fact = db.prepare('INSERT INTO SIMSIGHT_RECORDING (name, value) VALUES (?, ?)');
    fact.run(counts.events, String(count));
    fact.run(counts.skipped, String(skipped));
    if (rowsLeftOut > 0) fact.run(counts.rows, String(rowsLeftOut));
    if (overlapping > 0) fact.run(counts.overlapping, String(overlapping));
    indexCharts(db);
    indexMemory(db);
  })();
}

/** Rows by their numbers, which have no gaps in recordings of ours. */
function rowsIn(db: Database.Database, { name, stored }: TableOfKind): number {
  const from = stored === undefined ? name : `SIMSIGHT_EVENTS_${stored}`;
  return Number(db.prepare(`SELECT max(rowid) FROM ${from}`).pluck().get() ?? 0);
}

/** Device of a row that shows all its kernels, or some of them beside other work. */
function deviceOf(key: string): number | null {
  const [, device] = /^(?:kernels|stream|graph nodes) (\d+)(?: \d+ \d+ \d+)?$/.exec(key) ?? [];
  return device === undefined ? null : Number(device);
}

const chunkColumns = 'track, resolution, lane, start, end, items, firstCorrelation, lastCorrelation';

/** `guarded` runs what reads the file, and turns complaints about a broken one into a clear error. */
export function readTrackIndex(db: Database.Database, guarded: <T>(query: () => T) => T): TrackIndex {
  const number = (name: string): number =>
    Number(db.prepare('SELECT value FROM SIMSIGHT_RECORDING WHERE name = ?').pluck().get(name));
  const looks = db
    .prepare('SELECT id, kind, flavour, label, fullName FROM SIMSIGHT_STYLES ORDER BY id')
    .raw()
    .iterate();
  const styles: Style[] = [];
  for (const [id, kind, flavour, label, fullName] of looks as Iterable<[number, number, number, string, string]>) {
    if (id !== styles.length) throw new RangeError('what events look like is not numbered on');
    styles[id] = {
      kind: Number(kind),
      flavour: Number(flavour),
      label: String(label),
      fullName: String(fullName),
    };
  }
  const stored = db
    .prepare('SELECT id, key, lanes, events, busy, end FROM SIMSIGHT_TRACKS ORDER BY id LIMIT ?')
    .raw()
    .all(2 * mostRows) as [number, string, number, number, number, number][];
  const all = Number(db.prepare('SELECT count(*) FROM SIMSIGHT_TRACKS').pluck().get());
  const kept = new Set(stored.map(([id]) => id));
  const data = db.prepare('SELECT data FROM SIMSIGHT_TRACK_CHUNKS WHERE rowid = ?').pluck();
  const chunks = new Map<number, StoredChunk[]>();
  const rows = db.prepare(`SELECT ${chunkColumns}, rowid FROM SIMSIGHT_TRACK_CHUNKS ORDER BY rowid`).raw().iterate();
  for (const row of rows as Iterable<number[]>) {
    const [track, resolution, lane, start, end, items, firstCorrelation, lastCorrelation, rowid] = row.map(Number);
    if (!kept.has(track!)) continue;
    if (!(items! >= 1 && items! <= itemsPerChunk)) throw new RangeError('a chunk of a track has a wrong size');
    const place = { resolution, lane, start, end, items, firstCorrelation, lastCorrelation } as ChunkEntry;
    const chunk = { ...place, read: (): Uint8Array => data.get(rowid) as Buffer };
    const others = chunks.get(track!);
    if (others) others.push(chunk);
    else chunks.set(track!, [chunk]);
  }
  const cache = new ChunkCache(styles, guarded);
  const tracks = new Map<string, TrackEvents>();
  const repeating: [key: string, chunks: StoredChunk[]][] = [];
  const deviceBusyNs = new Map<number, number>();
  for (const [id, key, lanes, events, busyNs, endNs] of stored) {
    const isSound = [lanes, events, busyNs, endNs].every(
      (value) => typeof value === 'number' && value >= 0 && value <= 2 ** 53,
    );
    if (!isSound || typeof key !== 'string' || lanes > (chunks.get(id)?.length ?? 0))
      throw new RangeError('a row of the timeline makes no sense');
    if (key.startsWith(busyKey)) deviceBusyNs.set(Number(key.slice(busyKey.length)), busyNs);
    else tracks.set(key, new TrackEvents({ lanes, events, busyNs, endNs }, chunks.get(id) ?? [], cache));
    if (isKernels(key)) repeating.push([key, chunks.get(id) ?? []]);
  }
  const ofDevice = Map.groupBy(
    [...tracks].filter(([key]) => !isKernels(key)),
    ([key]) => deviceOf(key),
  );
  for (const [key, own] of repeating) {
    const ofStreams = (ofDevice.get(deviceOf(key)) ?? []).map(([, track]) => track);
    own.forEach((chunk, i) => {
      const after = own[i + 1];
      const next = after?.resolution === chunk.resolution && after.lane === chunk.lane ? after.start : Infinity;
      if (chunk.resolution === 0) chunk.gather = () => repeatsOf(chunk, next, ofStreams);
    });
  }
  const rowsLeftOut = (number(counts.rows) || 0) + all - stored.length;
  return {
    tracks,
    styles,
    eventCount: number(counts.events),
    skipped: number(counts.skipped),
    rowsLeftOut,
    overlapping: number(counts.overlapping) || 0,
    deviceBusyNs,
  };
}
