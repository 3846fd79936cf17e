/** A trace as a plain SQLite file: the whole of it, or what Nsight Systems has tables for. */
import Database from 'better-sqlite3';
import type { TraceFile } from '../trace/open-file.ts';
import { views } from '../trace/schema.ts';
import { isStored } from '../trace/tables.ts';
import { nsysTables } from './export-nsys-tables.ts';

/** All tables in one file, the log of an unfinished recording included. */
export function writeWhole(file: TraceFile, path: string): void {
  const source = new Database(file.db.name, { readonly: true });
  try {
    source.pragma('trusted_schema = OFF');
    file.guarded(() => source.prepare('VACUUM INTO ?').run(path));
  } finally {
    source.close();
  }
}

/**
 * An export as Nsight Systems writes it: its tables alone, with its columns and types. As there, a table without rows is
 * left out, but for the enumerations.
 */
export function writeNsysExport(file: TraceFile, path: string): void {
  file.guarded(() => writeTables(file, path));
}

function writeTables(file: TraceFile, path: string): void {
  const db = new Database(path);
  try {
    db.pragma('trusted_schema = OFF');
    // Nothing but the SELECTs below uses it: it stays as it is.
    db.prepare('ATTACH ? AS source').run(file.db.name);
    const found = db.prepare(`SELECT 'source', name FROM source.sqlite_schema WHERE ${isStored}`).raw().all();
    // The file's own views may say anything: ours, of its tables.
    for (const view of views()) db.exec(view.replace('CREATE VIEW', 'CREATE TEMP VIEW'));
    const ours = db.prepare("SELECT 'temp', name FROM temp.sqlite_schema WHERE type = 'view'").raw().all();
    const sources = new Map(([...found, ...ours] as [string, string][]).map(([schema, name]) => [name, schema]));
    const columnsOf = db.prepare('SELECT name FROM pragma_table_info(?, ?)').pluck();
    db.transaction(() => {
      for (const { name, columns } of nsysTables(sources.keys())) {
        const schema = sources.get(name);
        if (schema === undefined) continue;
        const isEmpty = db.prepare(`SELECT 1 FROM ${schema}.${name} LIMIT 1`).get() === undefined;
        if (isEmpty && !name.startsWith('ENUM_')) continue;
        const definitions = columns.map(({ name, type }) => `${name} ${type}`);
        db.exec(`CREATE TABLE main.${name} (${definitions.join(', ')})`);
        const known = new Set(columnsOf.all(name, schema) as string[]);
        const both = columns.filter((column) => known.has(column.name) || column.otherwise !== undefined);
        const values = both.map(({ name, otherwise }) => {
          if (otherwise === undefined) return name;
          return known.has(name) ? `coalesce(${name}, ${otherwise})` : otherwise;
        });
        const names = both.map((column) => column.name).join(', ');
        db.exec(`INSERT INTO main.${name} (${names}) SELECT ${values.join(', ')} FROM ${schema}.${name}`);
      }
    })();
    db.exec('DETACH source');
  } finally {
    db.close();
  }
}
