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

/** What is compared by rowid: it names events. */
const byRowid = new Set<string>(Object.keys(eventTableNames));
/** What upgrading makes anew, adds to or takes apart: the tests below look at these. */
const madeAnew: Readonly<Record<string, (format: number) => boolean>> = {
  // Rows of the timeline, before they had indexes; from format 6 on they are as they were.
  SIMSIGHT_RECORDING: () => true,
  SIMSIGHT_STYLES: (format) => format < 6,
  SIMSIGHT_TRACKS: () => true,
  SIMSIGHT_TRACK_CHUNKS: (format) => format < 6,
  // In chunks from format 7 on.
  SIMSIGHT_WARP_STATES: () => true,
};

describe.each(formats)('format %d', (format) => {
  const path = oldTrace(format, folder);
  const before = readFileSync(path);
  const trace = openTrace(path);

  const old = new Database(path, { readonly: true });
  const tablesOf = (db: Database.Database): string[] =>
    db
      .prepare("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name")
      .pluck()
      .all() as string[];

  test('has all its rows, in the columns they had', () => {
    const now = new Set(trace.query("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')").flat());
    const compared: string[] = [];
    for (const table of tablesOf(old)) {
      if (madeAnew[table]?.(format)) continue;
      // Nothing that a table was called is gone.
      expect(now).toContain(table);
      const names = (old.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name);
      const columns = names.map((name) => `"${name}"`).join(', ');
      const sql = byRowid.has(table)
        ? `SELECT ${columns}, rowid FROM ${table} ORDER BY rowid`
        : `SELECT ${columns} FROM ${table} ORDER BY ${names.map((_, i) => i + 1).join(', ')}`;
      const [before, after] = [old.prepare(sql).raw().all(), trace.query(sql)];
      // Names of enumerations were corrected, and values added.
      if (table.startsWith('ENUM_')) {
        const ids = (rows: readonly unknown[]): unknown[] => rows.map((row) => (row as unknown[])[0]);
        expect(ids(after)).toEqual(expect.arrayContaining(ids(before)));
      } else expect([table, after]).toEqual([table, before]);
      if (before.length > 0) compared.push(table);
    }
    expect(compared).toEqual(
      expect.arrayContaining([
        'CUPTI_ACTIVITY_KIND_KERNEL',
        'SIMSIGHT_KERNEL_METRICS',
        'SIMSIGHT_CONSOLE',
        'StringIds',
      ]),
    );
    expect(compared.length).toBeGreaterThan(20);
  });

  test('has the facts it had, and rows of the timeline under the names of today', () => {
    const facts = 'SELECT name, value FROM SIMSIGHT_RECORDING ORDER BY name';
    expect(trace.query(facts)).toEqual(expect.arrayContaining(old.prepare(facts).raw().all()));
    if (!tablesOf(old).includes('SIMSIGHT_TRACKS')) return;
    const tracks = 'SELECT id, key, lanes, events, busy, end FROM SIMSIGHT_TRACKS ORDER BY id';
    // Device, process, context and stream from format 11 on.
    const placed = (key: string): string =>
      key.replace(
        /^(stream|graph nodes|stream synchronization) (\d+) /,
        (_, of: string, device: string) => `${of} ${device} 16778216 ${Number(device) + 1} `,
      );
    const renamed = (old.prepare(tracks).raw().all() as [number, string][]).map(([id, key, ...rest]) => [
      id,
      format < 11 ? placed(key) : key,
      ...rest,
    ]);
    expect(trace.query(tracks)).toEqual(renamed);
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
    const slots = old
      .prepare('SELECT slot, states FROM SIMSIGHT_WARP_STATES WHERE profile = 1 ORDER BY slot')
      .raw()
      .all();
    for (const [slot, states] of slots as [number, Buffer][]) {
      const { slots, starts, durations, states: found } = warps.window(slot % 4, 0, 1e6, 0);
      const own = [...found].flatMap((state, i) =>
        slots[i] === Math.floor(slot / 4) ? [{ state, from: starts[i], to: starts[i]! + durations[i]! }] : [],
      );
      expect(own).toEqual([...readTimeline(states)]);
    }
  });

  test('is not written to', () => expect(readFileSync(path).equals(before)).toBe(true));

  afterAll(() => {
    trace.close();
    old.close();
  });
});
