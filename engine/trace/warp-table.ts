/** Warp states in a trace: the table of their chunks (`SIMSIGHT_WARP_CHUNKS`). */
import type { Cell } from './tables.ts';
import type { Trace } from './trace.ts';
import type { StateMix } from '../model/kernel-profile.ts';
import { packMix, packWarps, unpackMix, WarpTimeline, type StoredWarpChunk } from './warp-chunks.ts';

const place = ['profile', 'sm', 'subPartition', 'slots', 'resolution', 'start', 'end', 'intervals'] as const;
export const warpColumns = [...place, 'data', 'issues'];

/** `timelines` and `issues` by slot of the SM. */
export function addWarps(
  table: { add(...cells: Cell[]): void },
  profile: number,
  timelines: readonly Uint8Array[],
  issues: readonly Uint32Array[],
  subPartitions: number,
): void {
  for (const chunk of packWarps(timelines, issues, subPartitions)) {
    const { subPartition, slots, resolution, start, end, intervals, data } = chunk;
    table.add(
      ...[profile, simulatedSm, subPartition, slots, resolution, start, end, intervals, Buffer.from(data)],
      chunk.issues && Buffer.from(chunk.issues),
    );
  }
}

/** Adds the mix of warp states over the whole profile. */
export function addMix(table: { add(...cells: Cell[]): void }, profile: number, { width, cycles }: StateMix): void {
  const { cells, data } = packMix(cycles);
  table.add(profile, width, cells, Buffer.from(data));
}

/** The one SM that is simulated warp by warp. */
const simulatedSm = 0;

/** Reads the warp timeline of a profile's simulated SM; null where the trace has none. */
export function readWarps(trace: Pick<Trace, 'query'>, profile: number): WarpTimeline | null {
  const rows = trace.query(
    `SELECT subPartition, slots, resolution, start, end, intervals, rowid FROM SIMSIGHT_WARP_CHUNKS
     WHERE profile = ? ORDER BY rowid`,
    profile,
  );
  const chunks = rows.map((row): StoredWarpChunk => {
    const [subPartition, slots, resolution, start, end, intervals, rowid] = row.map(Number) as Seven;
    const isSound =
      [subPartition, slots, resolution, start, end, intervals].every((value) => value >= 0 && value <= 2 ** 52) &&
      slots <= mostSlots &&
      subPartition < mostSlots &&
      start <= end;
    if (!isSound) throw new RangeError('a chunk of warp states is not where it can be');
    const blob = (column: 'data' | 'issues') => (): Uint8Array => {
      const data: unknown = trace.query(`SELECT ${column} FROM SIMSIGHT_WARP_CHUNKS WHERE rowid = ?`, rowid)[0]?.[0];
      if (!(data instanceof Uint8Array)) throw new RangeError(`a chunk of warp states has no ${column}`);
      return data;
    };
    const [read, readIssues] = [blob('data'), blob('issues')];
    return { subPartition, slots, resolution, start, end, intervals, read, readIssues };
  });
  return chunks.length > 0 ? new WarpTimeline(chunks) : null;
}
type Seven = [number, number, number, number, number, number, number];

/** Reads the states of all warps of the simulated SM, over all cycles that were simulated; null where the trace has none. */
export function readMix(trace: Pick<Trace, 'query'>, profile: number): StateMix | null {
  const [row] = trace.query('SELECT width, cells, data FROM SIMSIGHT_WARP_MIX WHERE profile = ?', profile);
  if (!row) return null;
  const [width, cells, data] = row as [number, number, unknown];
  const isSound = width >= 1 && cells >= 0 && cells <= mostCells && data instanceof Uint8Array;
  if (!isSound) throw new RangeError('the states of warps are broken');
  return { width, cycles: unpackMix(cells, data) };
}
/** Most cells of a mix; twice what is written. */
const mostCells = 1024;

/** No SM has more. */
const mostSlots = 64;
