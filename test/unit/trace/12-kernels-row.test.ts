/** The row of all kernels of a device keeps no events of its own: it shows those of the streams, in lanes that never overlap. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { TraceEvent } from '../../../engine/model/events.ts';
import { openTrace } from '../../../engine/trace/reader.ts';
import { kernel, temporaryFolder, write } from './example-recording.ts';

const folder = temporaryFolder();

/** On six streams, side by side; every 50th launches a graph of two kernels that overlap. */
function kernels(count: number, length: (i: number) => number): TraceEvent[] {
  const made: TraceEvent[] = [];
  const free = [0, 0, 0, 0, 0, 0];
  for (let i = 0; i < count; i++) {
    const stream = (i * 7) % 6;
    const start = Math.max(free[stream]!, Math.floor(i / 3) * 120);
    const end = start + length(i);
    free[stream] = end;
    const correlation = i + 1;
    if (i % 50 > 0) made.push(kernel(start, end, correlation, 13 + stream));
    else {
      const place = { deviceId: 0, streamId: 13 + stream, correlationId: correlation, graphId: 3 };
      made.push({ type: 'graph', start, end, ...place } as TraceEvent);
      made.push(kernel(start, end, correlation, 13 + stream, { graphId: 3, graphNodeId: 1 }));
      made.push(kernel(start, end, correlation, 99, { graphId: 3, graphNodeId: 2 }));
    }
  }
  return made;
}

test.each([
  { name: 'lengths of all kinds', length: (i: number) => 1 + ((i * 7919) % 500) },
  // Then starts do not say which event is in which chunk.
  { name: 'none with a length, several at a time', length: () => 0 },
])('every kernel once: $name', ({ name, length }) => {
  const made = kernels(12_000, length);
  const path = write(join(folder, `${name}.simsight`), made);
  const trace = openTrace(path);
  const row = trace.info.tracks.find(({ kind }) => kind === 'kernels')!;
  const [all] = trace.window([row.id], 0, trace.info.durationNs + 1, 0);
  const db = new Database(path, { readonly: true });
  const truth = db
    .prepare('SELECT start, end - start, correlationId, rowid FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY rowid')
    .raw()
    .all() as number[][];
  const found = Array.from(all!.rows, (rowid, i) => [all!.starts[i], all!.durations[i], all!.correlations[i], rowid]);
  expect(found.sort((a, b) => a[3]! - b[3]!)).toEqual(truth);

  const ends: number[] = [];
  for (let i = 0; i < all!.count; i++) {
    expect(all!.starts[i]).toBeGreaterThanOrEqual(ends[all!.lanes[i]!] ?? 0);
    ends[all!.lanes[i]!] = all!.starts[i]! + all!.durations[i]!;
  }
  // A look at a part shows the same as one at the whole.
  const [from, to] = [trace.info.durationNs / 3, trace.info.durationNs / 2];
  const [part] = trace.window([row.id], from, to, 0);
  const inside = truth.filter(([start, took]) => start! < to && (start! + took! > from || start === from));
  expect([...part!.rows].sort((a, b) => a - b)).toEqual(inside.map(([, , , rowid]) => rowid));

  const stored = db
    .prepare(
      `SELECT sum(c.items) >= t.events / 8, sum(length(data)) FROM SIMSIGHT_TRACK_CHUNKS c JOIN SIMSIGHT_TRACKS t ON t.id = c.track
       WHERE t.key = 'kernels 0' AND c.resolution = 0 GROUP BY c.lane`,
    )
    .raw()
    .all() as [isFull: number, bytes: number][];
  // Lanes with few events have their own.
  const kept = stored.filter(([isFull, bytes]) => (isFull ? bytes > 0 : bytes === 0));
  if (name.startsWith('lengths')) {
    expect(stored.map(([isFull]) => isFull)).toContain(1);
    expect(kept).toEqual([]);
  } else expect(kept).not.toEqual([]);
  db.close();
  trace.close();
});
