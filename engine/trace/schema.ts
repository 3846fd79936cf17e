/**
 * The SQLite schema of a trace: `migrations/0012_trace.sql`, with the number of the format, and the tables of those kinds of events that
 * are stored as Nsight Systems exports them, from the descriptions of the kinds, and the states of warps, from theirs. A trace's
 * `user_version` is the number; `application_id` says that the file is ours at all. Formats from before the first release are not read. A
 * trace may lack the table of a kind that came after it, or a state: it has none of these.
 */
import type Database from 'better-sqlite3';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrationsFolder } from '../base/paths.ts';
import { applicationId } from '../base/targets.ts';
import { eventKinds, kindOf } from '../model/event-kinds/index.ts';
import { warpStateRows, warpStates } from '../model/warp-states.ts';
import { columnDefinitions } from './column-definitions.ts';

/** The format that this program writes, and the only one that it reads. */
export const formatVersion = 12;

interface Schema {
  sql: string;
  tables: Set<string>;
  indexes: Set<string>;
  /** Statements that create the views, by name. */
  views: Map<string, string>;
}

let known: Schema | null = null;

/** The file is read once in a process. */
function schema(): Schema {
  if (known) return known;
  const file = `${String(formatVersion).padStart(4, '0')}_trace.sql`;
  const sql = readFileSync(join(migrationsFolder, file), 'utf8');
  const named = (what: RegExp): Set<string> => new Set([...sql.matchAll(what)].map(([, name]) => name!));
  const views = [...sql.matchAll(/CREATE VIEW (\w+) AS[^;]*;/g)].map(([text, name]): [string, string] => [name!, text]);
  const [tables, indexes] = [named(/CREATE TABLE (\w+)/g), named(/CREATE INDEX (\w+)/g)];
  return (known = { sql, tables, indexes, views: new Map(views) });
}

/** The views of the format, as they are created. */
export const views = (): string[] => [...schema().views.values()];
export const viewNames = (): string[] => [...schema().views.keys()];

/** Names of tables that each trace has, and of indexes. */
export const tableNames = (): ReadonlySet<string> => schema().tables;
export const indexNames = (): ReadonlySet<string> => schema().indexes;

/** The tables of kinds, by their names, as they are created. */
export const tablesOfKinds: ReadonlyMap<string, string> = new Map(
  eventKinds.flatMap((kind) => {
    const { name, stored, exported } = kindOf[kind].table;
    if (stored !== undefined || exported === undefined) return [];
    const columns = columnDefinitions(exported).map((column) => `${column.name} ${column.type}`);
    return [[name, `CREATE TABLE ${name} (${columns.join(', ')})`]];
  }),
);

/** The enumeration of states of warps, as their table has it. */
function addWarpStates(db: Database.Database): void {
  const add = db.prepare('INSERT INTO ENUM_SIMSIGHT_WARP_STATE (id, name, label) VALUES (?, ?, ?)');
  warpStates.forEach((state, id) => add.run(id, state, warpStateRows[state].label));
}

/** Makes a trace without a recording of an empty database: all of it, or nothing. */
export function createSchema(db: Database.Database): void {
  db.transaction(() => {
    db.exec(schema().sql);
    addWarpStates(db);
    for (const table of tablesOfKinds.values()) db.exec(table);
    db.pragma(`application_id = ${applicationId}`);
    db.pragma(`user_version = ${formatVersion}`);
  })();
}
