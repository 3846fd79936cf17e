import type Database from 'better-sqlite3';
import { EventTable, storedKinds, Table } from '../../trace/tables.ts';
import { ByteNames } from './byte-names.ts';
import { Categories } from './categories.ts';
import { Clock } from './clock.ts';
import { Correlations } from './correlations.ts';
import { EventView, field } from './event-view.ts';
import { absent, isEscaped } from './fields.ts';
import { ChromeThreads, type ChromeThread } from './threads.ts';

/** Columns of the shapes that are known. */
const shapeColumns = {
  KERNEL: [
    ...['deviceId', 'contextId', 'streamId', 'globalPid', 'demangledName', 'shortName', 'registersPerThread'],
    ...['gridX', 'gridY', 'gridZ', 'blockX', 'blockY', 'blockZ', 'staticSharedMemory', 'dynamicSharedMemory'],
    ...['localMemoryPerThread', 'localMemoryTotal', 'graphNodeId', 'graphId'],
  ],
  MEMCPY: [
    ...['deviceId', 'contextId', 'streamId', 'globalPid', 'bytes', 'copyKind', 'srcKind', 'dstKind'],
    ...['srcDeviceId', 'dstDeviceId', 'migrationCause', 'graphNodeId', 'engine'],
  ],
  MEMSET: ['deviceId', 'contextId', 'streamId', 'globalPid', 'value', 'bytes', 'graphNodeId', 'memKind'],
  SYNCHRONIZATION: ['deviceId', 'contextId', 'streamId', 'globalPid', 'syncType', 'eventId'],
  GRAPH_TRACE: ['deviceId', 'contextId', 'streamId', 'globalPid', 'graphId', 'graphExecId'],
  RUNTIME: ['eventClass', 'globalTid', 'nameId', 'returnValue'],
  NVTX: ['eventType', 'globalTid', 'textId', 'text', 'domainId'],
} as const;
/** The tables of events that are written. */
export type RowKind = keyof typeof shapeColumns;
const isWritten = (stored: string): stored is RowKind => stored in shapeColumns;

/** Kinds of events that are not shown are told apart up to so many. */
const mostSkipped = 100;

/** The context for rows of all kinds: the current event, and the tables that rows go to. */
export class Rows {
  readonly db: Database.Database;
  readonly event = new EventView();
  readonly clock: Clock;
  readonly tables: Record<RowKind, EventTable>;
  readonly categories = new Categories();
  readonly threads = new ChromeThreads();
  readonly correlations: Correlations;
  /** Events that are not shown, by what they are. */
  readonly skipped = new Map<string, number>();
  private readonly strings: Table;
  private readonly names = new ByteNames((text) => this.string(text));

  constructor(db: Database.Database, base: number | null) {
    this.db = db;
    this.clock = new Clock(base);
    this.tables = {} as Record<RowKind, EventTable>;
    for (const [name, { stored }] of storedKinds) {
      if (isWritten(stored)) this.tables[stored] = new EventTable(db, name, shapeColumns[stored]);
    }
    this.strings = new Table(db, 'StringIds', ['id', 'value']);
    this.correlations = new Correlations(db, this.event, this.clock);
  }

  /** The number of a new text in `StringIds`. */
  string(text: string): number {
    return this.strings.add(this.strings.count + 1, text);
  }

  /** The number of the text of a field. */
  name(which: number): number {
    const { bytes, kinds, starts, ends } = this.event.fields;
    if (kinds[which] === absent) return this.names.find(bytes, 0, 0, false);
    return this.names.find(bytes, starts[which]!, ends[which]!, kinds[which] === isEscaped);
  }

  /** The number of a text that may be one of them. */
  nameOf(text: string): number {
    const bytes = Buffer.from(text);
    return this.names.find(bytes, 0, bytes.length, false);
  }

  /** The thread of the event; `isGpu`: that of a GPU with the same id. */
  thread(isGpu = false): ChromeThread {
    const process = this.threads.process(this.event.id(field.pid));
    return this.threads.thread(process, this.event.id(field.tid), isGpu);
  }

  skip(what: string): void {
    const { skipped } = this;
    if (skipped.size < mostSkipped || skipped.has(what)) skipped.set(what, (skipped.get(what) ?? 0) + 1);
  }

  flushEvents(): void {
    for (const table of Object.values(this.tables)) table.flush();
  }

  flushStrings(): void {
    this.strings.flush();
  }

  /** Counts the times of all events from there. */
  setZero(zero: number): void {
    if (zero === 0) return;
    for (const kind of Object.keys(shapeColumns)) {
      this.db.prepare(`UPDATE SIMSIGHT_FRAMES_${kind} SET start = start - ?`).run(zero);
    }
  }
}
