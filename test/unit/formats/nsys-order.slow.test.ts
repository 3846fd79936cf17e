/** Rows of exports come in any order: Nsight Systems promises none. What is said of a recording does not depend on it. */
import Database from 'better-sqlite3';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { advise } from '../../../engine/analysis/adviser/index.ts';
import { compareTraces } from '../../../engine/analysis/compare/index.ts';
import type { Comparison } from '../../../engine/model/comparison.ts';
import { openRecording } from '../../../engine/formats/open.ts';
import type { Trace } from '../../../engine/trace/reader.ts';
import { temporaryFolder } from '../trace/example-recording.ts';
import { sample } from '../trace/samples.ts';

const folder = temporaryFolder();

/** Writes the rows of all tables anew, in an order that has nothing to do with time. */
function shuffle(path: string): string {
  const db = new Database(path);
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all() as string[];
  for (const name of tables) {
    db.exec(
      `CREATE TEMP TABLE kept AS SELECT * FROM ${name};
       DELETE FROM ${name};
       INSERT INTO ${name} SELECT * FROM temp.kept ORDER BY (rowid * 7919) % 10007, rowid;
       DROP TABLE temp.kept`,
    );
  }
  db.close();
  return path;
}

const openedHere = (path: string): Promise<Trace> => openRecording(path, { here: true });
const said = ({ judgement, rows, waterfall, explanation, steps }: Comparison): unknown => ({
  ...{ judgement, rows, waterfall, explanation, steps },
});

test('a recording is the same as with its rows shuffled, and so is what is compared and advised', async () => {
  const names = ['nsys-2gpu-before.sqlite', 'nsys-2gpu-after.sqlite', 'nsys-streams.sqlite'];
  const plain = await Promise.all(names.map((name) => openedHere(sample(name, folder))));
  const shuffled: Trace[] = [];
  for (const [i, name] of names.entries()) {
    const path = sample(name, folder);
    const db = new Database(path);
    db.exec(`VACUUM INTO '${join(folder, `shuffled-${i}.sqlite`)}'`);
    db.close();
    shuffled.push(await openedHere(shuffle(join(folder, `shuffled-${i}.sqlite`))));
  }
  const events = ['CUPTI_ACTIVITY_KIND_KERNEL', 'CUPTI_ACTIVITY_KIND_MEMCPY', 'CUPTI_ACTIVITY_KIND_RUNTIME'];
  for (const [i, trace] of plain.entries()) {
    const other = shuffled[i]!;
    expect(other.info.program).toBe(trace.info.program);
    expect(other.info.tracks.map(({ title }) => title)).toEqual(trace.info.tracks.map(({ title }) => title));
    for (const table of events) {
      const sql = `SELECT start, "end", correlationId FROM ${table} ORDER BY start, "end", correlationId`;
      expect(other.query(sql)).toEqual(trace.query(sql));
    }
    for (const { change } of compareTraces(trace, other).rows) expect(change).toBe('same');
    const advice = (of: Trace) => advise(of).map(({ rule, title, gain }) => ({ rule, title, gain }));
    expect(advice(other)).toEqual(advice(trace));
  }
  expect(said(compareTraces(shuffled[0]!, shuffled[1]!))).toEqual(said(compareTraces(plain[0]!, plain[1]!)));
  for (const trace of [...plain, ...shuffled]) trace.close();
});
