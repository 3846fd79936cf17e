/** A trace as a plain SQLite file: the whole of it, or what Nsight Systems has tables for. */
import Database from 'better-sqlite3';
import type { TraceFile } from '../trace/open-file.ts';
import { nsysTables } from './export-nsys-tables.ts';

/** All tables in one file, the log of an unfinished recording included. */
export function writeWhole(file: TraceFile, path: string): void {
  const source = new Database(file.db.name, { readonly: true });
  try {
    source.pragma('trusted_schema = OFF');
    source.prepare('VACUUM INTO ?').run(path);
  } finally {
    source.close();
  }
}

/**
 * An export as Nsight Systems writes it: its tables alone, with its columns and types. As there, a table without rows is
 * left out, but for the enumerations.
 */
export function writeNsysExport(file: TraceFile, path: string): void {
  const db = new Database(path);
  try {
    db.pragma('trusted_schema = OFF');
    // Nothing but the SELECTs below uses it: it stays as it is.
    db.prepare('ATTACH ? AS source').run(file.db.name);
    const found = db.prepare("SELECT name FROM source.sqlite_schema WHERE type IN ('table', 'view')").pluck();
    const sources = new Set(found.all() as string[]);
    const columnsOf = db.prepare("SELECT name FROM pragma_table_info(?, 'source')").pluck();
    db.transaction(() => {
      for (const { name, columns } of nsysTables(sources)) {
        if (!sources.has(name)) continue;
        const isEmpty = db.prepare(`SELECT 1 FROM source.${name} LIMIT 1`).get() === undefined;
        if (isEmpty && !name.startsWith('ENUM_')) continue;
        const definitions = columns.map(({ name, type }) => `${name} ${type}`);
        db.exec(`CREATE TABLE main.${name} (${definitions.join(', ')})`);
        const known = new Set(columnsOf.all(name) as string[]);
        const both = columns.filter((column) => known.has(column.name) || column.otherwise !== undefined);
        const values = both.map((column) => (known.has(column.name) ? column.name : column.otherwise!));
        const names = both.map((column) => column.name).join(', ');
        db.exec(`INSERT INTO main.${name} (${names}) SELECT ${values.join(', ')} FROM source.${name}`);
      }
    })();
    db.exec('DETACH source');
  } finally {
    db.close();
  }
}
