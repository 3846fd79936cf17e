/**
 * Curves of what GPUs did over time, as they are kept in a trace (`SIMSIGHT_CHARTS`): made once, when a recording ends or is imported.
 * A kernel counts with its mean over the time on the SMs, a copy with its bytes spread over its time.
 */
import { sectorBytes, warpSize } from '../model/geometry.ts';
import type Database from 'better-sqlite3';
import { warpStates } from '../model/warp-states.ts';
import { flavours } from '../model/timeline.ts';
import { copyName } from '../model/nsight-codes.ts';
import { onSm } from './sm-time.ts';
import { MemoryInUse } from './memory-in-use.ts';
import { occupancyLimits } from '../model/metric-names.ts';
import { PackedReader, PackedWriter } from './packing.ts';
import { Table } from './tables.ts';
import { TimeCells } from './time-cells.ts';
import type { Row, Trace } from './trace.ts';
import { readMix } from './warp-table.ts';

/** Names of series in the table; `warps` with the number of a warp state behind it: warps of the simulated SM, on average. */
export const seriesKeys = {
  dramRead: 'dram read',
  dramWrite: 'dram write',
  toDevice: 'host to device',
  fromDevice: 'device to host',
  /** The most that was allocated at a time; its course is that of `CUDA_GPU_MEMORY_USAGE_EVENTS`. */
  memory: 'memory',
  warps: (state: number) => `warps ${state}`,
  /** SMs of the device that hold a block, and warps on all of them. */
  activeSms: 'active sms',
  residentWarps: 'resident warps',
} as const;

/** Cells while they are filled; no more than one for so many events, and never fewer than the least, are kept. */
const cellsAtWork = 2 ** 16;
const eventsPerCell = 64;
const leastCells = 2 ** 11;
/**
 * GPUs that have charts. The largest machines have 72, but files can name any number of them, and each of their series takes half a
 * megabyte while it is made.
 */
const mostDevices = 80;
/** Warps and SMs are kept to a thousandth, bytes as whole ones. */
const scaleOf = (series: string): number => (/^(warps|active sms$|resident warps$)/.test(series) ? 1000 : 1);
/** Rates of what is shorter say nothing about what a link can do (ns). */
const shortEvent = 1000;

/** Amounts that one event adds, by series: totals in bytes, means over its time. */
export interface Amounts {
  totals: readonly (readonly [series: string, amount: number])[];
  means: readonly (readonly [series: string, mean: number])[];
}
const nothing: Amounts = { totals: [], means: [] };

/** Metrics of kernels that say how many bytes passed, and their unit. */
const byteMetrics: readonly [metric: string, series: string, bytes: number][] = [
  ['dram__bytes_read.sum', seriesKeys.dramRead, 1],
  ['dram__bytes_write.sum', seriesKeys.dramWrite, 1],
  ['lts__t_sectors_aperture_sysmem_op_read.sum', seriesKeys.toDevice, sectorBytes],
  ['lts__t_sectors_aperture_sysmem_op_write.sum', seriesKeys.fromDevice, sectorBytes],
];

type Query = Pick<Trace, 'query'>;

/** Amounts that launches of a shape add. */
export function amountsOfKernels(trace: Query, shape: number): Amounts {
  const [row] = trace.query(
    'SELECT metricSet, profile, gridX * gridY * gridZ, blockX * blockY * blockZ FROM SIMSIGHT_SHAPES_KERNEL WHERE id = ?',
    shape,
  );
  const [metricSet, profile, blocks, threads] = row ?? [];
  const metrics = new Map(
    metricSet == null
      ? []
      : trace
          .query(
            'SELECT s.value, m.value FROM SIMSIGHT_METRIC_SETS m JOIN StringIds s ON s.id = m.nameId WHERE m.id = ?',
            Number(metricSet),
          )
          .map(([name, value]) => [String(name), Number(value)] as const),
  );
  const totals = byteMetrics.flatMap(([metric, series, bytes]) => {
    const value = metrics.get(metric) ?? 0;
    return value > 0 && Number.isFinite(value) ? [[series, value * bytes] as const] : [];
  });
  const means = [...residency(Number(blocks), Number(threads), metrics)];
  if (profile != null) means.push(...meansOf(trace, Number(profile)));
  return { totals, means };
}

/**
 * SMs that hold a block of a grid and its warps on all of them, on average: blocks go to the emptiest SM, and waves of as many as fit
 * at once are taken to be equally long.
 */
function residency(blocks: number, threads: number, metrics: ReadonlyMap<string, number>): [string, number][] {
  const perSm = Math.min(...occupancyLimits.map(([metric]) => metrics.get(metric) ?? Infinity));
  const waves = metrics.get('launch__waves_per_multiprocessor') ?? 0;
  const sms = Math.round(blocks / (waves * perSm));
  if (![blocks, threads, perSm, waves, sms].every((value) => value > 0 && value < 2 ** 40)) return [];
  const full = Math.floor(blocks / (perSm * sms));
  const rest = blocks - full * perSm * sms;
  const times = full + (rest > 0 ? 1 : 0);
  return [
    [seriesKeys.activeSms, (full * sms + Math.min(rest, sms)) / times],
    [seriesKeys.residentWarps, (blocks * Math.ceil(threads / warpSize)) / times],
  ];
}

/** Warps by state over all cycles that were simulated, on average. */
function meansOf(trace: Query, profile: number): [string, number][] {
  const mix = readMix(trace, profile);
  const cycles = Number(trace.query('SELECT cycles FROM SIMSIGHT_PROFILES WHERE id = ?', profile)[0]?.[0] ?? 0);
  if (!mix || !(cycles > 0)) return [];
  const states = warpStates.length;
  return warpStates.flatMap((_, state): [string, number][] => {
    let sum = 0;
    for (let at = state; at < mix.cycles.length; at += states) sum += mix.cycles[at]!;
    return sum > 0 ? [[seriesKeys.warps(state), sum / cycles]] : [];
  });
}

/** Amounts that a copy adds; migrations of managed memory are copies, too. */
export function amountsOfCopy(kind: number, bytes: number): Amounts {
  const direction = flavours[copyName(kind).flavour];
  if (!(bytes > 0) || !Number.isFinite(bytes)) return nothing;
  if (direction === 'host-to-device') return { totals: [[seriesKeys.toDevice, bytes]], means: [] };
  if (direction === 'device-to-host') return { totals: [[seriesKeys.fromDevice, bytes]], means: [] };
  return nothing;
}

/** Adds the charts to a trace whose events are all there. */
export function indexCharts(db: Database.Database): void {
  const statements = new Map<string, Database.Statement>();
  const query = (sql: string, ...parameters: (string | number)[]): Row[] => {
    let statement = statements.get(sql);
    if (!statement) statements.set(sql, (statement = db.prepare(sql).raw()));
    return statement.all(...parameters) as Row[];
  };
  const sums = new Map<number, Map<string, { cells: TimeCells; most: number }>>();
  let events = 0;
  const add = (device: number, start: number, end: number, { totals, means }: Amounts): void => {
    events++;
    let ofDevice = sums.get(device);
    if (!ofDevice) {
      if (sums.size === mostDevices) return;
      sums.set(device, (ofDevice = new Map()));
    }
    const put = (series: string, from: number, to: number, amount: number, rate: number): void => {
      let found = ofDevice.get(series);
      if (!found) ofDevice.set(series, (found = { cells: new TimeCells(cellsAtWork), most: 0 }));
      found.cells.add(from, to, amount);
      if (rate > found.most) found.most = rate;
    };
    const length = end - start;
    for (const [series, amount] of totals) put(series, start, end, amount, length >= shortEvent ? amount / length : 0);
    if (means.length === 0) return;
    const { from, to } = onSm(start, end);
    for (const [series, mean] of means) put(series, from, to, mean * (to - from), mean);
  };
  const pass = (
    name: 'KERNEL' | 'MEMCPY',
    amountsOf: (shape: number) => { device: number; amounts: Amounts },
  ): void => {
    const known = new Map<number, { device: number; amounts: Amounts }>();
    const rows = db
      .prepare(
        `SELECT f.start + e.start, e.length, e.shape FROM SIMSIGHT_EVENTS_${name} e
         CROSS JOIN SIMSIGHT_FRAMES_${name} f ON f.id = e.rowid >> 10`,
      )
      .raw()
      .iterate() as Iterable<number[]>;
    for (const [start, length, shape] of rows) {
      if (!(start! >= 0 && length! >= 0 && start! + length! <= 2 ** 52)) continue;
      let found = known.get(shape!);
      if (!found) known.set(shape!, (found = amountsOf(shape!)));
      const { device, amounts } = found;
      if (amounts.totals.length + amounts.means.length > 0) add(device, start!, start! + length!, amounts);
    }
  };
  const isMeasured = 'SELECT 1 FROM SIMSIGHT_SHAPES_KERNEL WHERE metricSet IS NOT NULL OR profile IS NOT NULL LIMIT 1';
  if (query(isMeasured).length > 0) {
    pass('KERNEL', (shape) => {
      const [row] = query('SELECT deviceId FROM SIMSIGHT_SHAPES_KERNEL WHERE id = ?', shape);
      return { device: Number(row?.[0] ?? 0), amounts: amountsOfKernels({ query }, shape) };
    });
  }
  pass('MEMCPY', (shape) => {
    const [row] = query('SELECT deviceId, copyKind, bytes FROM SIMSIGHT_SHAPES_MEMCPY WHERE id = ?', shape);
    const [device, kind, bytes] = (row ?? [0, 0, 0]).map(Number) as [number, number, number];
    return { device, amounts: amountsOfCopy(kind, bytes) };
  });
  const table = new Table(db, 'SIMSIGHT_CHARTS', ['device', 'series', 'width', 'cells', 'most', 'data']);
  const mostCells = Math.min(cellsAtWork, Math.max(leastCells, events / eventsPerCell));
  for (const [device, ofDevice] of [...sums].sort(([a], [b]) => a - b)) {
    for (const [series, { cells, most }] of [...ofDevice].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const { width, sums: values } = cells.finish(mostCells);
      const writer = new PackedWriter();
      const scale = scaleOf(series);
      writer.column(values.map((value) => Math.max(0, Math.round(value * scale))));
      const highest = values.reduce((a, b) => Math.max(a, b), 0) / width;
      table.add(device, series, width, values.length, Math.max(most, highest), Buffer.from(writer.finish()));
    }
  }
  table.flush();
}

/** The same for memory, of which only the most is kept. */
export function indexMemory(db: Database.Database): void {
  const query = (sql: string, ...parameters: (string | number)[]): Row[] =>
    db
      .prepare(sql)
      .raw()
      .all(...parameters) as Row[];
  const insert = db.prepare(
    'INSERT INTO SIMSIGHT_CHARTS (device, series, width, cells, most, data) VALUES (?, ?, 1, 0, ?, ?)',
  );
  for (const [device] of query('SELECT DISTINCT deviceId FROM CUDA_GPU_MEMORY_USAGE_EVENTS ORDER BY deviceId')) {
    const { most } = new MemoryInUse({ query }, Number(device));
    if (most > 0) insert.run(device, seriesKeys.memory, most, Buffer.alloc(0));
  }
}

/** A series of a trace; its sums are unpacked when they are asked for. */
export interface StoredSeries {
  /** (ns) */
  width: number;
  cells: number;
  /** The highest there is. */
  most: number;
  /** Sums by cell: bytes, or the mean times its time (ns). */
  sums(): Float64Array;
}

/** Stored series by device and name. */
export function readCharts(trace: Query): Map<number, Map<string, StoredSeries>> {
  const found = new Map<number, Map<string, StoredSeries>>();
  for (const [device, series, width, cells, most, rowid] of trace.query(
    'SELECT device, series, width, cells, most, rowid FROM SIMSIGHT_CHARTS ORDER BY rowid',
  )) {
    const isSound =
      Number(width) >= 1 && Number(width) <= 2 ** 52 && Number(cells) >= 0 && Number(cells) <= cellsAtWork;
    if (!isSound) throw new RangeError('a chart has a wrong size');
    let known: Float64Array | null = null;
    const sums = (): Float64Array => {
      if (known) return known;
      const data = trace.query('SELECT data FROM SIMSIGHT_CHARTS WHERE rowid = ?', Number(rowid))[0]?.[0] as unknown;
      if (!(data instanceof Uint8Array)) throw new RangeError('a chart has no data');
      const values = new Float64Array(Number(cells));
      new PackedReader(data).column(values);
      const scale = scaleOf(String(series));
      return (known = values.map((value) => value / scale));
    };
    let ofDevice = found.get(Number(device));
    if (!ofDevice) found.set(Number(device), (ofDevice = new Map()));
    ofDevice.set(String(series), { width: Number(width), cells: Number(cells), most: Number(most), sums });
  }
  return found;
}
