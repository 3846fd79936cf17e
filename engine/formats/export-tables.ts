/** Tables of a trace as they are: what CSV and Parquet exports read. */
import { SimsightError } from '../base/errors.ts';
import { viewNames } from '../trace/schema.ts';
import type { TraceFile } from '../trace/open-file.ts';
import { isStored } from '../trace/tables.ts';

/** Cell as SQLite stores it: whole numbers are exact to 64 bits. */
export type StoredCell = bigint | number | string | Buffer | null;

export interface StoredTable {
  name: string;
  columns: { name: string; type: string }[];
  /** All rows, in the order of the table, a few at a time in memory. */
  rows(): Iterable<StoredCell[]>;
}

/** Tables and the views of our format. Others may never end, and are nothing that we wrote; nor are tables of SQLite itself. */
export function tableNames({ db }: TraceFile): string[] {
  const stored = db.prepare(`SELECT name FROM sqlite_schema WHERE ${isStored}`).pluck().all() as string[];
  return [...new Set([...stored.filter((name) => !name.startsWith('sqlite_')), ...viewNames()])].sort();
}

/** Throws `unknown-report`, with the known tables in the remedy. */
export function readTable(file: TraceFile, name: string): StoredTable {
  const known = tableNames(file);
  if (!known.includes(name)) {
    throw new SimsightError('unknown-report', `There is no table "${name}".`, `Tables: ${known.join(', ')}.`);
  }
  const { db } = file;
  const columns = db.prepare('SELECT name, type FROM pragma_table_info(?)').all(name) as StoredTable['columns'];
  if (columns.length === 0) throw new RangeError(`the columns of ${name} cannot be read`);
  return {
    name,
    columns,
    rows: () =>
      db
        .prepare(`SELECT ${columns.map((column) => quoted(column.name)).join(', ')} FROM ${quoted(name)}`)
        .raw()
        .safeIntegers()
        .iterate() as Iterable<StoredCell[]>,
  };
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
