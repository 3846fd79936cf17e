/** Exports of Nsight Systems as they are, or with something changed. */
import Database from 'better-sqlite3';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRecording } from '../../../engine/formats/open.ts';
import type { Trace } from '../../../engine/trace/reader.ts';
import { sample } from '../trace/samples.ts';

export async function opened<T>(path: string, look: (trace: Trace) => T): Promise<T> {
  const trace = await openRecording(path, { here: true });
  try {
    return look(trace);
  } finally {
    trace.close();
  }
}

/** Makes the smallest sample with something changed. */
export const changedSample =
  (folder: string) =>
  (name: string, sql: string): string => {
    const path = join(folder, name);
    copyFileSync(sample('nsys-streams.sqlite', folder), path);
    const db = new Database(path);
    db.exec(sql);
    db.close();
    return path;
  };
