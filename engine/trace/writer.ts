/**
 * Writes a recording into a `.simsight` file while it runs.
 *
 *   const writer = createTraceWriter('out.simsight', facts);
 *   writer.append(events);                       // as often as there are some
 *   writer.finish({ exitCode: 0, notices: [], complete: true });
 *
 * Nothing is lost: the file has its schema and facts before it gets its name, and from then on rows are committed every
 * 32768 or every quarter of a second to the write-ahead log beside it (`out.simsight-wal`). A recording that is
 * killed leaves these two files, which open together and say that they are incomplete; so does one that finds the disk
 * full. The log is merged into the file only at the end, so a reader that copies file and log never sees half a merge. A trace that had
 * the name before is kept beside it until then, however often recordings in its place are killed ({@link keepPrevious}).
 * Whatever else has the name, or one that is needed beside it, is refused before anything is touched (engine/base/targets.ts).
 *
 * Two recordings of one program are equal byte for byte: `finish` copies the database table by table into a new file
 * (`VACUUM INTO`), whose bytes depend on the rows alone and not on when they were committed, adds the index of
 * the timeline's rows there, and
 * puts it in the place of the log-keeping one in a single rename.
 */
import Database from 'better-sqlite3';
import { existsSync } from 'node:fs';
import { fileError, SimsightError } from '../base/errors.ts';
import { traceTarget } from '../base/targets.ts';
import { removeAbandoned, unfinishedName } from '../base/unfinished-files.ts';
import type { TraceEvent } from '../model/events.ts';
import { previousOf } from './previous.ts';
import { writeFacts, type RecordingFacts } from './recording-facts.ts';
import { checkBeside, keepPrevious, removeTrace, restore, takePlace } from './replaced-trace.ts';
import { RowWriter } from './row-writer.ts';
import { createSchema } from './schema.ts';
import { indexTracks } from './track-index.ts';

export interface RecordingEnd {
  /** null when the program did not come to its end. */
  exitCode: number | null;
  notices: string[];
  /** False when the recording was cut short. */
  complete: boolean;
}

export interface TraceWriter {
  append(events: readonly TraceEvent[]): void;
  /** A source that becomes known while the program runs; one that the trace has already stays as it is. */
  addSource(source: { path: string; text: string }): void;
  /** Events that are in the file for certain, whatever happens now. */
  readonly committed: number;
  /**
   * Closes the file; its bytes depend on facts and events only. Where it cannot be written, the error says what is kept: all that was
   * committed.
   */
  finish(end: RecordingEnd): void;
  /** Ends the recording where nothing more can be written, and keeps what was: `fault`, and where that is. Null where nothing was. */
  cutShort(fault: SimsightError): SimsightError | null;
  /** Drops the recording: removes what was written and puts a trace back that had the name before. */
  abandon(): void;
}

const pageSize = 4096;
/** A recording that is killed lacks no more than these, and no more than the last quarter of a second. */
export const rowsPerCommit = 32768;
const commitEveryMs = 250;

export function createTraceWriter(name: string, facts: RecordingFacts): TraceWriter {
  const path = traceTarget(name);
  const previous = previousOf(path);
  const ownsPrevious = checkBeside(path, previous);
  removeAbandoned(path);
  const begun = unfinishedName(path);
  let tookPlace = false;
  try {
    createFile(begun, facts);
    if (existsSync(path)) keepPrevious(path, previous);
    takePlace(begun, path);
    tookPlace = true;
    return new RecordingFile({ name, path, previous, ownsPrevious }, openToAppend(path), facts);
  } catch (error) {
    removeTrace(begun);
    if (tookPlace) restore(path, previous, ownsPrevious);
    throw fileError(error, name) ?? error;
  }
}

interface FilePlace {
  /** Name as the user gave it. */
  name: string;
  path: string;
  /** The trace that had the name before, and whether it is kept for this recording. */
  previous: string;
  ownsPrevious: boolean;
}

class RecordingFile implements TraceWriter {
  private readonly place: FilePlace;
  private readonly db: Database.Database;
  private readonly rows: RowWriter;
  private closed = false;
  private timer: NodeJS.Timeout | null = null;
  private inTransaction = false;
  private committedEvents = 0;
  private failure: Error | null = null;

  constructor(place: FilePlace, db: Database.Database, facts: RecordingFacts) {
    this.place = place;
    this.db = db;
    this.rows = new RowWriter(db, facts);
  }

  append(events: readonly TraceEvent[]): void {
    if (this.closed) throw new Error('append after the end of the recording');
    if (this.failure) throw this.failure;
    try {
      for (const event of events) {
        if (!this.inTransaction) this.db.exec('BEGIN');
        this.inTransaction = true;
        this.rows.add(event);
        if (this.rows.sinceFlush >= rowsPerCommit) this.commit();
      }
    } catch (error) {
      // Whoever goes on would add to half a transaction.
      this.failure = error as Error;
      throw error;
    }
    if (this.inTransaction) this.timer ??= setTimeout(() => this.commitLater(), commitEveryMs).unref();
  }

  addSource({ path, text }: { path: string; text: string }): void {
    if (this.closed || this.failure) return;
    this.db
      .prepare(
        'INSERT INTO SIMSIGHT_SOURCES (path, text) SELECT ?, ? WHERE ? NOT IN (SELECT path FROM SIMSIGHT_SOURCES)',
      )
      .run(path, text, path);
  }

  get committed(): number {
    return this.committedEvents;
  }

  finish(end: RecordingEnd): void {
    const { name, path, previous, ownsPrevious } = this.place;
    const finished = unfinishedName(path);
    try {
      if (this.failure) throw this.failure;
      this.commit();
      this.writeEnd(end);
      // One file, before there is another: so there are never three times the bytes of the recording on the disk.
      this.db.pragma('journal_mode = DELETE');
      this.db.prepare('VACUUM INTO ?').run(finished);
      const copy = new Database(finished);
      try {
        indexTracks(copy);
      } finally {
        copy.close();
      }
      this.closed = true;
      this.db.close();
      takePlace(finished, path);
    } catch (error) {
      removeTrace(finished);
      const fault = fileError(error, name);
      if (fault === null || this.committedEvents === 0) throw error;
      throw withRemedy(fault, this.closed ? this.placesOfRest() : this.leave(fault.message));
    }
    if (ownsPrevious) removeTrace(previous);
  }

  cutShort(fault: SimsightError): SimsightError | null {
    if (this.closed || this.committedEvents === 0) return null;
    return withRemedy(fault, this.leave(fault.message));
  }

  abandon(): void {
    if (this.closed) return;
    this.closed = true;
    this.stopTimer();
    this.db.close();
    const { path, previous, ownsPrevious } = this.place;
    restore(path, previous, ownsPrevious);
  }

  private writeEnd({ exitCode, notices, complete }: RecordingEnd): void {
    this.db.transaction(() => {
      const notice = this.db.prepare('INSERT INTO SIMSIGHT_NOTICES (text) VALUES (?)');
      for (const text of [...notices, ...this.rows.notices]) notice.run(text);
      const fact = this.db.prepare('UPDATE SIMSIGHT_RECORDING SET value = ? WHERE name = ?');
      fact.run(exitCode === null ? null : String(exitCode), 'exitCode');
      fact.run(complete ? 'true' : 'false', 'complete');
    })();
  }

  private stopTimer(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  private commit(): void {
    this.stopTimer();
    this.rows.flush();
    if (this.inTransaction) this.db.exec('COMMIT');
    this.inTransaction = false;
    this.committedEvents = this.rows.added;
  }

  /** A disk that is full when the timer fires is reported to the next caller: nobody hears a timer. */
  private commitLater(): void {
    try {
      this.commit();
    } catch (error) {
      this.failure = error as Error;
    }
  }

  /** Leaves what is committed, as file and log if need be; nothing in here may need room on the disk. */
  private leave(notice: string): string {
    const { db } = this;
    this.closed = true;
    this.stopTimer();
    const attempt = (work: () => void): void => {
      try {
        work();
      } catch {
        // There is no room for it.
      }
    };
    if (db.inTransaction) attempt(() => db.exec('ROLLBACK'));
    attempt(() => db.prepare('INSERT INTO SIMSIGHT_NOTICES (text) VALUES (?)').run(notice));
    attempt(() => db.pragma('journal_mode = DELETE'));
    db.close();
    return this.placesOfRest();
  }

  /** Says where what was recorded is. */
  private placesOfRest(): string {
    const { path, previous, ownsPrevious } = this.place;
    const before =
      ownsPrevious && existsSync(previous) ? ` The trace that it was to replace is kept: ${previous}.` : '';
    const log = existsSync(`${path}-wal`) ? ` and ${path}-wal, which belong together` : '';
    return `What was recorded until then: ${path}${log}.${before}`;
  }
}

const withRemedy = ({ code, message, remedy, place }: SimsightError, more: string): SimsightError =>
  new SimsightError(code, message, `${remedy} ${more}`.trim(), place);

function openToAppend(path: string): Database.Database {
  const db = new Database(path);
  try {
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.pragma('wal_autocheckpoint = 0');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The file with all that is known at the start, complete in itself. */
function createFile(path: string, facts: RecordingFacts): void {
  const db = new Database(path);
  try {
    db.pragma(`page_size = ${pageSize}`);
    db.pragma('synchronous = NORMAL');
    createSchema(db);
    db.transaction(() => writeFacts(db, facts))();
  } finally {
    db.close();
  }
}
