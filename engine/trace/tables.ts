/**
 * Writing rows of a trace, many at a time.
 *
 * Events are kept in three tables: what differs from event to event (`SIMSIGHT_EVENTS_…`), what many have in common
 * (`SIMSIGHT_SHAPES_…`), and for 1024 events each where their times count from (`SIMSIGHT_FRAMES_…`); the tables of
 * Nsight Systems are views of them (migrations/0012_trace.sql).
 */
import type Database from 'better-sqlite3';
import { eventKinds, kindOf } from '../model/event-kinds/index.ts';
import type { TableOfKind } from '../model/event-kinds/kind.ts';

export type Cell = string | number | bigint | Buffer | null;

/** Rows per INSERT: 1.5 million rows/s against 0.8 with one; more gain nothing (measured on two cores). */
const rowsPerInsert = 16;

/** Shapes are forgotten at once when there are more, so that memory is bounded: what comes again is stored again. */
const mostShapes = 2 ** 16;

/** A frame is so many events: their ids without the last ten bits. */
const frameBits = 10;

/** Condition on `sqlite_schema`, as SQL: a stored table, rather than a view or a virtual table, whose rows may never end. */
export const isStored = "type = 'table' AND rootpage > 0 AND sql NOT LIKE 'CREATE VIRTUAL%'";

/** Collects the rows of one table and inserts them many at a time. */
export class Table {
  private readonly width: number;
  private readonly many: Database.Statement;
  private readonly one: Database.Statement;
  private readonly pending: Cell[] = [];
  private readonly refersTo: Table | null;
  /** Rows so far, which is the rowid of the last one: nothing is ever deleted. */
  count = 0;

  /** `refersTo`: rows of it have to be there before those that refer to them. */
  constructor(db: Database.Database, name: string, columns: readonly string[], refersTo: Table | null = null) {
    this.refersTo = refersTo;
    this.width = columns.length;
    const row = `(${columns.map(() => '?').join(', ')})`;
    const head = `INSERT INTO ${name} (${columns.join(', ')}) VALUES `;
    this.many = db.prepare(head + Array.from({ length: rowsPerInsert }, () => row).join(', '));
    this.one = db.prepare(head + row);
  }

  add(...cells: Cell[]): number {
    const { pending } = this;
    for (const cell of cells) pending.push(cell);
    this.count++;
    if (pending.length === this.width * rowsPerInsert) {
      this.refersTo?.flush();
      this.many.run(pending);
      pending.length = 0;
    }
    return this.count;
  }

  flush(): void {
    this.refersTo?.flush();
    for (let at = 0; at < this.pending.length; at += this.width) {
      this.one.run(this.pending.slice(at, at + this.width));
    }
    this.pending.length = 0;
  }
}

/** The kinds whose events are stored so, by the names of their tables in Nsight Systems' export. */
export const storedKinds: ReadonlyMap<string, TableOfKind & { stored: string }> = new Map(
  eventKinds.flatMap((kind) => {
    const { table } = kindOf[kind];
    const { name, stored } = table;
    return stored === undefined ? [] : [[name, { ...table, stored }]];
  }),
);

/** Collects events of one of those tables; `columns` are those of the shape that are given, all others are NULL. */
export class EventTable {
  private readonly events: Table;
  private readonly shapes: Table;
  private readonly frames: Table;
  private frame = { id: -1, start: 0 };
  /** Shapes by their hash. */
  private readonly known = new Map<number, { cells: Cell[]; id: number }[]>();
  private readonly isCorrelated: boolean;

  constructor(db: Database.Database, name: string, columns: readonly string[]) {
    const { stored: short, isCorrelated } = storedKinds.get(name)!;
    this.isCorrelated = isCorrelated;
    const correlation = this.isCorrelated ? ['correlationId'] : [];
    this.events = new Table(db, `SIMSIGHT_EVENTS_${short}`, ['start', 'length', ...correlation, 'shape']);
    this.shapes = new Table(db, `SIMSIGHT_SHAPES_${short}`, ['id', ...columns]);
    this.frames = new Table(db, `SIMSIGHT_FRAMES_${short}`, ['id', 'start']);
  }

  /** `end` is null for what has none; `shape` what the event has in common with others ({@link shape}). Gives the event's row. */
  add(start: number, end: number | null, correlationId: number | null, shape: number): number {
    const { events } = this;
    const id = events.count + 1;
    const length = end === null ? null : end - start;
    if (id >> frameBits !== this.frame.id) {
      this.frame = { id: id >> frameBits, start };
      this.frames.add(this.frame.id, start);
    }
    const since = start - this.frame.start;
    return this.isCorrelated ? events.add(since, length, correlationId, shape) : events.add(since, length, shape);
  }

  flush(): void {
    this.shapes.flush();
    this.frames.flush();
    this.events.flush();
  }

  get count(): number {
    return this.events.count;
  }

  /** The number of a shape, by the cells of its columns. */
  shape(cells: Cell[]): number {
    const hash = hashOf(cells);
    let alike = this.known.get(hash);
    if (!alike) this.known.set(hash, (alike = []));
    for (const one of alike) if (areSame(one.cells, cells)) return one.id;
    const id = this.shapes.count + 1;
    if (this.known.size >= mostShapes) {
      this.known.clear();
      this.known.set(hash, (alike = []));
    }
    alike.push({ cells, id });
    this.shapes.add(id, ...cells);
    return id;
  }
}

function hashOf(cells: readonly Cell[]): number {
  let hash = 0;
  for (const cell of cells) {
    const part = typeof cell === 'number' ? cell | 0 : typeof cell === 'string' ? hashOfText(cell) : Number(cell) | 0;
    hash = Math.imul(hash ^ part, 0x01000193) ^ (hash >>> 15);
  }
  return hash;
}

function hashOfText(text: string): number {
  let hash = text.length;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}

function areSame(one: readonly Cell[], other: readonly Cell[]): boolean {
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false;
  return true;
}
