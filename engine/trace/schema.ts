/**
 * The SQLite schema of a trace: `migrations/0012_trace.sql`, with the number of the format. A trace's `user_version` is that number;
 * `application_id` says that the file is ours at all. Formats from before the first release are not read.
 */
import type Database from 'better-sqlite3';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrationsFolder } from '../base/paths.ts';
import { applicationId } from '../base/targets.ts';

/** The format that this program writes, and the only one that it reads. */
export const formatVersion = 12;

const schemaSql = (): string =>
  readFileSync(join(migrationsFolder, `${String(formatVersion).padStart(4, '0')}_trace.sql`), 'utf8');

/** The views of the format, as they are created, by name. */
const viewsByName = (): Map<string, string> =>
  new Map([...schemaSql().matchAll(/CREATE VIEW (\w+) AS[^;]*;/g)].map(([text, name]) => [name!, text]));
export const views = (): string[] => [...viewsByName().values()];
export const viewNames = (): string[] => [...viewsByName().keys()];

/** Names that are those of tables in the format, and of indexes. */
export function namesInSchema(): { tables: Set<string>; indexes: Set<string> } {
  const sql = schemaSql();
  const named = (what: RegExp): Set<string> => new Set([...sql.matchAll(what)].map(([, name]) => name!));
  return { tables: named(/CREATE TABLE (\w+)/g), indexes: named(/CREATE INDEX (\w+)/g) };
}

/** Makes a trace without a recording of an empty database: all of it, or nothing. */
export function createSchema(db: Database.Database): void {
  db.transaction(() => {
    db.exec(schemaSql());
    db.pragma(`application_id = ${applicationId}`);
    db.pragma(`user_version = ${formatVersion}`);
  })();
}
