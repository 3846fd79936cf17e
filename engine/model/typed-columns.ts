/**
 * Columns of a query with their types, so that nobody counts places in a row or casts a cell:
 *
 *   const columns = { name: nameOf('nameId'), bytes: integer, engine: integerOrNull };
 *   for (const { bytes, engine } of rows(columns)) …       // number, number | null
 *
 * A column reads the column of its name, or the SQL that it has. Cells of a file that is somebody else's can be anything: they become
 * what their column says (NULL is 0 or an empty text where it does not say "or null").
 */

/** A row of a query, in the order of its columns. */
export type Row = (string | number | null)[];

/** A column that gives cells of a type. */
export interface Column<T> {
  /** Type of the column in the schema, where it is one of a table. */
  readonly type: 'INTEGER' | 'REAL' | 'TEXT';
  readonly orNull: boolean;
  /** SQL in the place of the column's name; `t` is the table. */
  readonly sql?: string;
  /** The type alone: no column has it. */
  readonly cell?: T;
}
export type Columns = Readonly<Record<string, Column<unknown>>>;
/** A row of some columns. */
export type CellsOf<C extends Columns> = { readonly [Name in keyof C]: C[Name] extends Column<infer T> ? T : never };
/** A row of columns of which only the names are not known. */
export type Cells = Readonly<Record<string, unknown>>;

export const integer: Column<number> = { type: 'INTEGER', orNull: false };
export const integerOrNull: Column<number | null> = { type: 'INTEGER', orNull: true };
export const text: Column<string> = { type: 'TEXT', orNull: false };
export const textOrNull: Column<string | null> = { type: 'TEXT', orNull: true };

/** A column that is computed rather than read. */
export const computed = <T>(column: Column<T>, sql: string): Column<T> => ({ ...column, sql });

/** The name in `StringIds` that a column has the id of. */
export const nameOf = (column: string): Column<string | null> =>
  computed(textOrNull, `(SELECT value FROM StringIds WHERE id = t.${column})`);

/** The columns as a list for SELECT. */
export const selected = (columns: Columns): string =>
  Object.entries(columns)
    .map(([name, { sql }]) => (sql === undefined ? `t.${name}` : `${sql} AS ${name}`))
    .join(', ');

/** The reader of a row: a property for each column, of the row that it was told last. */
export interface Cursor {
  row: Row;
}

/** Makes the class of readers of some columns: with properties on its prototype, a million rows make no million objects. */
export function cursorOf<C extends Columns>(columns: C): new () => Cursor & CellsOf<C> {
  class ColumnCursor implements Cursor {
    row: Row = [];
  }
  Object.entries(columns).forEach(([name, column], at) => {
    const read = readerOf(column);
    Object.defineProperty(ColumnCursor.prototype, name, {
      get(this: ColumnCursor) {
        return read(this.row[at]);
      },
    });
  });
  return ColumnCursor as unknown as new () => Cursor & CellsOf<C>;
}

/** A row as an object of its own. */
export function cellsOf<C extends Columns>(columns: C, row: Row): CellsOf<C> {
  const cells = Object.entries(columns).map(([name, column], at) => [name, readerOf(column)(row[at])]);
  return Object.fromEntries(cells) as CellsOf<C>;
}

type Reader = (cell: Row[number] | undefined) => string | number | null;
const toNumber: Reader = (cell) => (typeof cell === 'number' ? cell : Number(cell ?? 0));
const toNumberOrNull: Reader = (cell) => (typeof cell === 'number' ? cell : cell == null ? null : Number(cell));
const toText: Reader = (cell) => String(cell ?? '');
const toTextOrNull: Reader = (cell) => (cell == null ? null : String(cell));

function readerOf({ type, orNull }: Column<unknown>): Reader {
  if (type === 'TEXT') return orNull ? toTextOrNull : toText;
  return orNull ? toNumberOrNull : toNumber;
}

/** The column that the schema declares otherwise than it is read; null where there is none. `declared`: by SQLite, in order. */
export function mistypedColumn(columns: Columns, declared: readonly (string | null)[]): string | null {
  const found = Object.entries(columns).find(
    ([, { type, sql }], at) => sql === undefined && declared[at] !== null && declared[at]?.toUpperCase() !== type,
  );
  return found ? found[0] : null;
}
