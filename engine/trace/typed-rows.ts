/** Rows of a trace's tables with typed columns ({@link file://../model/typed-columns.ts}). */
import type Database from 'better-sqlite3';
import type { TableOfKind } from '../model/event-kinds/kind.ts';
import {
  cursorOf,
  mistypedColumn,
  selected,
  type CellsOf,
  type Columns,
  type Cursor,
  type Row,
} from '../model/typed-columns.ts';

/** Columns of a kind's events, as SQL without a condition of its own. */
export const selectFrom = ({ name, from = `${name} t` }: TableOfKind, columns: Columns): string =>
  `SELECT ${selected(columns)} FROM ${from}`;

/** The whole condition on rows of a kind's table: its own, and another. */
export const whereOf = ({ where }: TableOfKind, other?: string): string => {
  const both = [where, other].filter((each) => each !== undefined);
  return both.length > 0 ? ` WHERE ${both.join(' AND ')}` : '';
};

/**
 * Reads rows one after the other, all through the same object: what is kept of one has to be copied. Throws a RangeError where the
 * trace declares a column otherwise than it is read.
 */
export function* typedRows<C extends Columns>(
  db: Database.Database,
  columns: C,
  sql: string,
): Generator<Cursor & CellsOf<C>, void, undefined> {
  const statement = db.prepare(sql).raw();
  const wrong = mistypedColumn(
    columns,
    statement.columns().map(({ type }) => type),
  );
  if (wrong !== null) throw new RangeError(`the column ${wrong} has another type than in its format`);
  const cursor = new (cursorOf(columns))();
  for (const row of statement.iterate() as Iterable<Row>) {
    cursor.row = row;
    yield cursor;
  }
}
