/** Traces as they are before the timeline's rows are made of their events. */
import Database from 'better-sqlite3';

/** Takes the index from a trace; gives its path. */
export function withoutIndex(path: string): string {
  const db = new Database(path);
  for (const table of ['TRACKS', 'STYLES', 'TRACK_CHUNKS', 'CHARTS']) db.exec(`DELETE FROM SIMSIGHT_${table}`);
  db.exec(
    "DELETE FROM SIMSIGHT_RECORDING WHERE name IN ('eventCount', 'skippedEvents', 'rowsLeftOut', 'overlappingLeftOut')",
  );
  db.close();
  return path;
}
