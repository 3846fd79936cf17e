/**
 * Creates and upgrades the SQLite schema of a trace from the numbered SQL files in `migrations/`. A trace's
 * `user_version` is the number of the last migration applied; `application_id` says that the file is ours at all.
 */
import type Database from 'better-sqlite3';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrationsFolder } from '../base/paths.ts';
import { applicationId } from '../base/targets.ts';
import { remakeCharts } from './charts.ts';
import { giveStreamsToProcesses, hasTrackIndex } from './track-index.ts';
import { repackWarps } from './warp-table.ts';

export interface Migration {
  version: number;
  sql: string;
}

/** The migrations of a folder in order. Numbers must run from 1 without a gap. */
export function readMigrations(folder = migrationsFolder): Migration[] {
  const files = readdirSync(folder).filter((name) => /^\d{4}_\w+\.sql$/.test(name));
  return files.sort().map((name, index) => {
    const version = Number(name.slice(0, 4));
    if (version !== index + 1) throw new Error(`migrations: expected number ${index + 1}, found ${name}`);
    return { version, sql: readFileSync(join(folder, name), 'utf8') };
  });
}

/** The format version this program writes, and the newest it reads. */
export const formatVersion = (folder = migrationsFolder): number => readMigrations(folder).length;

/** The views of the newest format, as they are created, by name. */
function viewsByName(migrations = readMigrations()): Map<string, string> {
  const last = new Map<string, string>();
  for (const { sql } of migrations) {
    for (const [text, name] of sql.matchAll(/CREATE VIEW (\w+) AS[^;]*;/g)) last.set(name!, text);
  }
  return last;
}
export const views = (): string[] => [...viewsByName().values()];
export const viewNames = (): string[] => [...viewsByName().keys()];

/** Names that are those of tables in the newest format, and of indexes. */
export function tablesOfNewest(migrations = readMigrations()): { tables: Set<string>; indexes: Set<string> } {
  const tables = new Set<string>();
  const indexes = new Set<string>();
  for (const { sql } of migrations) {
    for (const [, name] of sql.matchAll(/CREATE TABLE (\w+)/g)) tables.add(name!);
    for (const [, name] of sql.matchAll(/CREATE VIEW (\w+)/g)) tables.delete(name!);
    for (const [, name] of sql.matchAll(/CREATE INDEX (\w+)/g)) indexes.add(name!);
  }
  return { tables, indexes };
}

/** What SQL cannot do, after the migration of that number. */
const further: Readonly<Record<number, (db: Database.Database) => void>> = {
  7: repackWarps,
  11: (db) => {
    giveStreamsToProcesses(db);
    if (hasTrackIndex(db)) remakeCharts(db);
  },
};

/** Brings an open database to the newest version: all missing migrations in one transaction, or none of them. */
export function migrate(db: Database.Database, migrations = readMigrations()): void {
  db.transaction(() => {
    const current = db.pragma('user_version', { simple: true }) as number;
    for (const { version, sql } of migrations) {
      if (version <= current) continue;
      db.exec(sql);
      further[version]?.(db);
    }
    db.pragma(`application_id = ${applicationId}`);
    db.pragma(`user_version = ${Math.max(current, migrations.length)}`);
  })();
}
