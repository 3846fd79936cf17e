import type Database from 'better-sqlite3';
import { none } from '../../model/nsight-codes.ts';
import { Table } from '../../trace/tables.ts';
import type { Clock } from './clock.ts';
import { field, type EventView } from './event-view.ts';
import { isText } from './fields.ts';
import type { RowKind } from './rows.ts';
import type { ChromeThread } from './threads.ts';

/** Correlation ids beyond 32 bits that are remembered. */
const mostWideIds = 2 ** 22;
/** Kinds of events that calls start, and calls themselves. */
const joined = ['RUNTIME', 'KERNEL', 'MEMCPY', 'MEMSET', 'GRAPH_TRACE'] as const satisfies RowKind[];

/**
 * The link between calls and the work that they start: correlation ids. Arrows, which do not always pair, only stand in for those
 * that are missing.
 */
export class Correlations {
  private readonly db: Database.Database;
  private readonly event: EventView;
  private readonly clock: Clock;
  private readonly wideIds = new Map<string, number>();
  /** Flags: an id was seen; an event that should have one and has none was seen. */
  private hasIds = false;
  private hasLone = false;
  private tables: { ends: Table; alone: Table } | null = null;

  constructor(db: Database.Database, event: EventView, clock: Clock) {
    this.db = db;
    this.event = event;
    this.clock = clock;
  }

  /** Ids that do not fit where they are kept. */
  get wide(): number {
    return this.wideIds.size;
  }

  /** The event's id; null for none. */
  id(which: number = field.correlation): number | null {
    const { event } = this;
    const value = event.number(which);
    if (value === null || value <= 0) {
      return event.fields.kinds[which] === isText && value === null ? this.wideId(event.text(which)) : null;
    }
    this.hasIds ||= which === field.correlation;
    return value < none ? value : this.wideId(event.text(which));
  }

  /** Ids that do not fit 32 bits get numbers from the top. */
  private wideId(text: string): number | null {
    if (text === '' || /^[-+]?[0.]+$|^-/.test(text)) return null;
    const known = this.wideIds.get(text);
    if (known !== undefined || this.wideIds.size === mostWideIds) return known ?? null;
    const id = none - 1 - this.wideIds.size;
    this.wideIds.set(text, id);
    return id;
  }

  /** One end of an arrow, from a call to what it starts. */
  arrow(isStart: boolean, thread: () => ChromeThread): void {
    if (this.hasIds && !this.hasLone) return;
    const id = this.id(field.id);
    if (id === null || !this.clock.readStart(this.event)) return;
    this.arrows().ends.add(isStart ? 1 : 0, thread().globalTid, this.clock.start, id);
  }

  /** The row of the event, which has no id. */
  lone(kind: RowKind, row: number, thread: ChromeThread): void {
    this.hasLone = true;
    const { start, length } = this.clock;
    this.arrows().alone.add(kind, row, thread.globalTid, start, start + length);
  }

  private arrows(): { ends: Table; alone: Table } {
    if (!this.tables) {
      this.db.exec(`CREATE TEMP TABLE arrows (isStart INTEGER, thread INTEGER, time INTEGER, id INTEGER);
        CREATE TEMP TABLE alone (kind TEXT, event INTEGER, thread INTEGER, start INTEGER, end INTEGER)`);
      this.tables = {
        ends: new Table(this.db, 'arrows', ['isStart', 'thread', 'time', 'id']),
        alone: new Table(this.db, 'alone', ['kind', 'event', 'thread', 'start', 'end']),
      };
    }
    return this.tables;
  }

  /** When all rows are there: those without an id get that of the arrow that starts or ends on them. */
  join(): void {
    if (!this.tables) return;
    this.tables.ends.flush();
    this.tables.alone.flush();
    this.db.exec('CREATE INDEX temp.ends ON arrows (isStart, thread, time, id)');
    for (const kind of joined) {
      this.db
        .prepare(
          `UPDATE SIMSIGHT_EVENTS_${kind} SET correlationId = found.id FROM (
             SELECT event, (SELECT id FROM arrows WHERE isStart = ? AND thread = alone.thread
               AND time BETWEEN alone.start AND alone.end ORDER BY time LIMIT 1) AS id
             FROM alone WHERE kind = ?) AS found
           WHERE SIMSIGHT_EVENTS_${kind}.rowid = found.event AND found.id IS NOT NULL`,
        )
        .run(kind === 'RUNTIME' ? 1 : 0, kind);
    }
    this.db.exec('DROP TABLE temp.arrows; DROP TABLE temp.alone');
  }
}
