/** Traces of all formats that were ever written open as they were, and are not touched. */
import Database from 'better-sqlite3';
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { readTimeline } from '../../../engine/sm/timeline.ts';
import { formatVersion } from '../../../engine/trace/migrations.ts';
import { openTrace, type Trace } from '../../../engine/trace/reader.ts';
import { eventTableNames } from '../../../engine/trace/tables.ts';
import { readWarps } from '../../../engine/trace/warp-table.ts';
import { temporaryFolder } from './example-recording.ts';
import { oldTrace } from './samples.ts';

const folder = temporaryFolder();
const formats = Array.from({ length: formatVersion() - 1 }, (_, index) => index + 1);

/** Tables of ours that are views now, and the order of their rows. */
const madeViews = {
  SIMSIGHT_KERNEL_METRICS: 'kernel, nameId',
  SIMSIGHT_KERNEL_PROFILES: 'kernel',
  SIMSIGHT_COPY_ENGINES: 'memcpy',
};

describe.each(formats)('format %d', (format) => {
  const path = oldTrace(format, folder);
  const before = readFileSync(path);
  const trace = openTrace(path);

  test('has all its rows, in the columns they had', () => {
    const old = new Database(path, { readonly: true });
    for (const table of Object.keys(eventTableNames)) {
      const columns = (old.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => `"${name}"`);
      // Launches of graphs came with format 5.
      if (columns.length === 0) continue;
      const sql = `SELECT ${columns.join(', ')}, rowid FROM ${table} ORDER BY rowid`;
      expect(trace.query(sql)).toEqual(old.prepare(sql).raw().all());
    }
    for (const [table, key] of Object.entries(madeViews)) {
      const columns = (old.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name).join(', ');
      if (columns === '') continue;
      const sql = `SELECT ${columns} FROM ${table} ORDER BY ${key}`;
      expect(trace.query(sql)).toEqual(old.prepare(sql).raw().all());
    }
    old.close();
  });

  test('shows the rows of the timeline, and every event', () => {
    const latest = openTrace(oldTrace(formats.length, folder));
    const titles = ({ info }: Trace): string[] =>
      // What the SM did is known from format 2 on, and how busy it was from 7.
      info.tracks.flatMap(({ kind, parent, title }) => {
        const isOfSm = kind === 'sm' || info.tracks[parent ?? -1]?.kind === 'sm';
        return (format < 2 && isOfSm) || (format < 7 && title === 'Issue slots busy') ? [] : [title];
      });
    expect(titles(trace)).toEqual(titles(latest));
    latest.close();
    expect(trace.info.eventCount).toBe(12);
    expect(trace.info.complete).toBe(true);
    const windows = trace.window(
      trace.info.tracks.map(({ id }) => id),
      0,
      trace.info.durationNs,
      0,
    );
    for (const { track, count } of windows) {
      const { kind, eventCount } = trace.info.tracks[track]!;
      if (!['sm', 'chart', 'blocks', 'warps'].includes(kind)) expect(count).toBe(eventCount);
    }
  });

  test('has what its warps did, from format 2 on', () => {
    if (format < 2) {
      expect(readWarps(trace, 1)).toBeNull();
      return;
    }
    const warps = readWarps(trace, 1)!;
    expect(warps.intervals).toBe(2);
    // Chunks from format 7 on.
    if (format > 6) return;
    const old = new Database(path, { readonly: true });
    const slots = old
      .prepare('SELECT slot, states FROM SIMSIGHT_WARP_STATES WHERE profile = 1 ORDER BY slot')
      .raw()
      .all();
    old.close();
    for (const [slot, states] of slots as [number, Buffer][]) {
      const { slots, starts, durations, states: found } = warps.window(slot % 4, 0, 1e6, 0);
      const own = [...found].flatMap((state, i) =>
        slots[i] === Math.floor(slot / 4) ? [{ state, from: starts[i], to: starts[i]! + durations[i]! }] : [],
      );
      expect(own).toEqual([...readTimeline(states)]);
    }
  });

  test('is not written to', () => expect(readFileSync(path).equals(before)).toBe(true));

  afterAll(() => trace.close());
});
