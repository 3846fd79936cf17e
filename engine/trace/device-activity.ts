/**
 * Rows of a GPU that are made when they are looked at: what its simulated SM did, and charts of its throughput.
 *
 * From far away the SM's rows show kernels; where one is wide enough on the screen, its blocks and the states of its warps. Charts are
 * sums over cells, exact at every zoom: from far away those that the trace holds ({@link file://./charts.ts}), near by those of the
 * events in the window, and of wide kernels what their warps did from moment to moment.
 */
import { drawnKinds, type Chart, type Track, type TrackKind, type TrackWindow } from '../model/timeline.ts';
import type { GpuDescription } from '../gpus/types.ts';
import { warpStates } from '../model/warp-states.ts';
import { ChartWork } from './chart-work.ts';
import { seriesKeys, type Amounts, type StoredSeries } from './charts.ts';
import { SmKernels, warpsOverTime, type SmKernel } from './sm-kernels.ts';
import { MemoryInUse } from './memory-in-use.ts';
import { leadNanoseconds, onSm } from './sm-time.ts';
import type { Trace } from './trace.ts';
import type { Style, TrackEvents } from './track-events.ts';
import { formatBytes } from '../model/format.ts';
import { WindowBuilder } from './window-builder.ts';

/** Kernels at least as wide (pixels) are shown in detail: below nobody could tell their warps apart. */
const detailedFrom = 64;
/** Events that are summed one by one for a chart. */
const fewEvents = 4096;
const mostCells = 2 ** 15;
/** Equal to a millionth of the height, neighbouring columns are one. */
const steps = 2 ** 20;
/** Lanes that can be told apart. */
const mostLanes = 255;

export interface ActivityRow {
  kind: TrackKind;
  title: string;
  subtitle: string;
  lanes: number;
  closed?: true;
  chart?: Chart;
  about?: string;
  clock?: Track['clock'];
  below: ActivityRow[];
  window(track: number, from: number, to: number, resolution: number): TrackWindow;
}

/** One area of a chart: what it is made of. */
interface Area {
  label: string;
  series: string;
  /** From what there is per nanosecond to the chart's unit. */
  factor: number;
}

export interface DeviceSources {
  trace: Pick<Trace, 'query' | 'warps'>;
  device: number;
  /** Duration of the trace. */
  durationNs: number;
  gpu: GpuDescription | null;
  /** All kernels of the device; undefined where there are none. */
  kernels: TrackEvents | undefined;
  /** Kernels and copies, each once. */
  work: readonly TrackEvents[];
  charts: ReadonlyMap<string, StoredSeries> | undefined;
  styles: readonly Style[];
}

export class DeviceActivity {
  private readonly sources: DeviceSources;
  private readonly work: ChartWork;
  private readonly sm: SmKernels;
  /** Labels of warp states, by number of the state. */
  private readonly stateLabels: ReadonlyMap<number, string>;

  constructor(sources: DeviceSources) {
    this.sources = sources;
    this.work = new ChartWork(sources.trace, sources.work, sources.styles);
    this.sm = new SmKernels(sources.trace, sources.gpu?.core.smClockMhz ?? 1000);
    const states = sources.trace.query('SELECT id, label FROM ENUM_SIMSIGHT_WARP_STATE');
    this.stateLabels = new Map(states.map(([id, label]) => [Number(id), String(label)]));
  }

  /** From top to bottom. */
  rows(): ActivityRow[] {
    const { gpu, kernels } = this.sources;
    const rows: ActivityRow[] = [];
    if (gpu) rows.push(...this.residencyRows(gpu));
    if (gpu && kernels && this.isSimulated()) rows.push(...this.issueRow(gpu), this.smRow(gpu, kernels));
    rows.push(...this.memoryRow(), ...this.dramRow(), ...this.linkRow());
    return rows;
  }

  private stateName(state: number): string {
    return this.stateLabels.get(state) ?? `State ${state}`;
  }

  private isSimulated(): boolean {
    const sql = 'SELECT 1 FROM SIMSIGHT_SHAPES_KERNEL WHERE deviceId = ? AND profile IS NOT NULL LIMIT 1';
    return this.sources.trace.query(sql, this.sources.device).length > 0;
  }

  private has(series: string): boolean {
    return this.sources.charts?.has(series) ?? false;
  }

  /** Rows of the share of the GPU that kernels had, in place and in warps. */
  private residencyRows({ core, limits }: GpuDescription): ActivityRow[] {
    if (!this.has(seriesKeys.activeSms)) return [];
    const slots = core.smCount * limits.warpsPerSm;
    const sms = { label: 'SMs active', series: seriesKeys.activeSms, factor: 100 / core.smCount };
    const warps = { label: 'Occupancy', series: seriesKeys.residentWarps, factor: 100 / slots };
    const how =
      'Of each kernel its mean, from its launch: blocks go to the emptiest SM, and waves of blocks count as equally long. ' +
      'Kernels side by side are added up.';
    return [
      {
        ...this.chart('SMs active', `of ${core.smCount} SMs`, 'percent', 100, [sms]),
        about: `SMs that hold a block. ${how}`,
      },
      {
        ...this.chart('Occupancy', `resident warps, of ${slots}`, 'percent', 100, [warps]),
        about: `Warps on all SMs, of the GPU’s warp slots. ${how}`,
      },
    ];
  }

  private issueRow({ throughput: { schedulers } }: GpuDescription): ActivityRow[] {
    const series = seriesKeys.warps(0);
    if (!this.has(series)) return [];
    const issue = { label: 'Issue slots busy', series, factor: 100 / schedulers };
    return [
      {
        ...this.chart('Issue slots busy', `${schedulers} schedulers of the simulated SM`, 'percent', 100, [issue]),
        about: 'Cycles in which a scheduler of the simulated SM issued an instruction. Other SMs are not simulated.',
      },
    ];
  }

  private smRow(gpu: GpuDescription, kernels: TrackEvents): ActivityRow {
    const { warpsPerSm } = gpu.limits;
    const { schedulers } = gpu.throughput;
    // The one that issues is at the bottom, as what all others are measured against; then those that matter most.
    const most = (state: number): number => this.sources.charts?.get(seriesKeys.warps(state))?.most ?? 0;
    const states = warpStates.map((_, state) => state).filter((state) => most(state) > 0);
    const areas = states
      .sort((a, b) => Number(b === 0) - Number(a === 0) || most(b) - most(a) || a - b)
      .map((state): Area => ({ label: this.stateName(state), series: seriesKeys.warps(state), factor: 1 }));
    const slots = Math.ceil(warpsPerSm / schedulers);
    const bands = Math.max(1, Math.min(kernels.laneCount, Math.floor(mostLanes / slots)));
    const blocks = Math.max(1, Math.min(this.mostBlocks(gpu), Math.floor(mostLanes / bands)));
    const clock = { nsPerCycle: 1e3 / gpu.core.smClockMhz, leadNs: leadNanoseconds };
    const subPartitions = Array.from({ length: schedulers }, (_, subPartition): ActivityRow => ({
      kind: 'warps',
      title: `Sub-partition ${subPartition}`,
      subtitle: `${slots} warp slots`,
      lanes: bands * slots,
      clock,
      below: [],
      window: (...range) => this.warpWindow(subPartition, slots, ...range),
    }));
    const warps = this.chart('SM 0 (simulated)', `warps by state, of ${warpsPerSm}`, 'warps', warpsPerSm, areas);
    return {
      ...warps,
      kind: 'sm',
      closed: true,
      below: [
        {
          kind: 'blocks',
          title: 'Blocks',
          subtitle: `resident on SM 0`,
          lanes: bands * blocks,
          clock,
          below: [],
          window: (...range) => this.blockWindow(blocks, ...range),
        },
        ...subPartitions,
      ],
    };
  }

  /** Blocks that the SM holds at a time. */
  private mostBlocks({ core, limits }: GpuDescription): number {
    const rows = this.sources.trace.query(
      `SELECT min(coalesce(l.most, ?), (k.blocks + ? - 1) / ?) FROM
         (SELECT metricSet, max(gridX * gridY * gridZ) AS blocks FROM SIMSIGHT_SHAPES_KERNEL
          WHERE profile IS NOT NULL GROUP BY metricSet) k
       LEFT JOIN (SELECT m.id, min(m.value) AS most FROM SIMSIGHT_METRIC_SETS m JOIN StringIds s ON s.id = m.nameId
         WHERE s.value LIKE 'launch\\_\\_occupancy\\_limit\\_%' ESCAPE '\\' GROUP BY m.id) l ON l.id = k.metricSet`,
      ...[limits.blocksPerSm, core.smCount, core.smCount],
    );
    const found = rows.map(([most]) => Number(most)).filter((most) => most >= 1);
    return Math.min(
      limits.blocksPerSm,
      found.reduce((a, b) => Math.max(a, b), 1),
    );
  }

  private memoryRow(): ActivityRow[] {
    const { trace, device, durationNs, gpu, charts } = this.sources;
    const most = charts?.get(seriesKeys.memory)?.most ?? 0;
    if (!(most > 0)) return [];
    const label = 'Allocated';
    let read: MemoryInUse | null = null;
    return [
      {
        kind: 'chart',
        title: 'Memory in use',
        subtitle: `at most ${formatBytes(most)}${gpu ? ` of ${formatBytes(gpu.memory.capacityBytes)}` : ''}`,
        lanes: 1,
        chart: { unit: 'bytes', most, series: [label] },
        below: [],
        window: (track, from, to, resolution) => {
          read ??= new MemoryInUse(trace, device);
          const out = new WindowBuilder(track, resolution);
          for (const { start, end, bytes } of read.steps(from, Math.min(to, durationNs), resolution)) {
            const busy = Math.min(1, bytes / most);
            out.add({ start, end, lane: 0, kind: drawnKinds.column, flavour: 0, label, base: 0, busy });
          }
          return out.finish();
        },
      },
    ];
  }

  private dramRow(): ActivityRow[] {
    const areas = [
      { label: 'Read', series: seriesKeys.dramRead, factor: 1e9 },
      { label: 'Write', series: seriesKeys.dramWrite, factor: 1e9 },
    ].filter(({ series }) => this.has(series));
    if (areas.length === 0) return [];
    const { gpu } = this.sources;
    const most = gpu?.memory.bandwidth ?? this.sumOfMost(areas);
    return [this.chart('DRAM throughput', `kernels, of ${rateText(most)}`, 'bytes-per-second', most, areas)];
  }

  private linkRow(): ActivityRow[] {
    const areas = [
      { label: 'Host to device', series: seriesKeys.toDevice, factor: 1e9 },
      { label: 'Device to host', series: seriesKeys.fromDevice, factor: 1e9 },
    ].filter(({ series }) => this.has(series));
    if (areas.length === 0) return [];
    const { hostToDevice, deviceToHost } = this.sources.gpu?.hostLink ?? { hostToDevice: null, deviceToHost: null };
    const known = hostToDevice === null || deviceToHost === null ? 0 : hostToDevice + deviceToHost;
    const most = Math.max(known, this.sumOfMost(areas));
    return [this.chart('Host link throughput', `both ways, of ${rateText(most)}`, 'bytes-per-second', most, areas)];
  }

  private sumOfMost(areas: readonly Area[]): number {
    const { charts } = this.sources;
    return areas.reduce((sum, { series, factor }) => sum + (charts?.get(series)?.most ?? 0) * factor, 0);
  }

  // Charts.

  private chart(
    title: string,
    subtitle: string,
    unit: Chart['unit'],
    most: number,
    areas: readonly Area[],
  ): ActivityRow {
    return {
      kind: 'chart',
      title,
      subtitle,
      lanes: 1,
      chart: { unit, most, series: areas.map(({ label }) => label) },
      below: [],
      window: (track, from, to, resolution) => {
        const { first, width, rates } = this.rates(areas, from, to, resolution);
        const cells = rates[0]?.length ?? 0;
        const out = new WindowBuilder(track, 0);
        const bottoms = new Float64Array(cells);
        areas.forEach(({ label, factor }, flavour) => {
          let [from, base, busy] = [0, 0, 0];
          for (let cell = 0; cell <= cells; cell++) {
            const bottom = bottoms[cell] ?? 0;
            const share = cell < cells ? (rates[flavour]![cell]! * factor) / most : 0;
            // Means of kernels that were not all there all the time may add up to more than there is.
            const height = Math.round((unit === 'percent' ? Math.min(1, share) : share) * steps) / steps;
            if (cell < cells) bottoms[cell] = bottom + height;
            if (cell > 0 && cell < cells && bottom === base && height === busy) continue;
            const [start, end] = [(first + from) * width, (first + cell) * width];
            if (busy > 0) out.add({ start, end, lane: 0, kind: drawnKinds.column, flavour, label, base, busy });
            [from, base, busy] = [cell, bottom, height];
          }
        });
        return out.finish();
      },
    };
  }

  /** Rates per nanosecond in cells of equal width, starting with the cell that contains `from`. */
  private rates(
    areas: readonly Area[],
    from: number,
    to: number,
    resolution: number,
  ): { first: number; width: number; rates: Float64Array[] } {
    const stored = areas.map(({ series }) => this.sources.charts?.get(series));
    const kept = stored.reduce((most, series) => Math.max(most, series?.width ?? 1), 1);
    const isFar = resolution >= kept || this.work.countIn(from, to) > fewEvents;
    let width = Math.max(1, resolution, isFar ? kept : 1);
    while ((to - from) / width > mostCells) width *= 2;
    const first = Math.max(0, Math.floor(from / width));
    const cells = Math.max(0, Math.ceil(to / width) - first);
    const grid = { first, width, cells };
    const sums = areas.map(() => new Float64Array(cells));
    if (isFar) stored.forEach((series, area) => series && addStored(sums[area]!, grid, series));
    else this.addEvents(areas, sums, grid);
    this.refine(areas, sums, grid, resolution);
    return { first, width, rates: sums.map((values) => values.map((value) => Math.max(0, value) / width)) };
  }

  private addEvents(areas: readonly Area[], sums: readonly Float64Array[], grid: Grid): void {
    const [from, to] = [grid.first * grid.width, (grid.first + grid.cells) * grid.width];
    const isWanted = new Map(areas.map(({ series }, area) => [series, area]));
    for (const { start, end, amounts } of this.work.workIn(from, to)) {
      for (const [series, amount] of amounts.totals) {
        const area = isWanted.get(series);
        if (area !== undefined) addSpan(sums[area]!, grid, start, end, amount);
      }
      this.addMeans(areas, sums, grid, amounts, start, end, 1);
    }
  }

  private addMeans(
    areas: readonly Area[],
    sums: readonly Float64Array[],
    grid: Grid,
    amounts: Amounts,
    start: number,
    end: number,
    sign: 1 | -1,
  ): void {
    if (amounts.means.length === 0) return;
    const means = new Map(amounts.means);
    const { from, to } = onSm(start, end);
    areas.forEach(({ series }, area) => {
      const mean = means.get(series);
      if (mean !== undefined) addSpan(sums[area]!, grid, from, to, sign * mean * (to - from));
    });
  }

  /** Puts what the warps of wide kernels did from moment to moment in the place of their means. */
  private refine(areas: readonly Area[], sums: readonly Float64Array[], grid: Grid, resolution: number): void {
    const { kernels, styles } = this.sources;
    const states = areas.map(({ series }) => warpStates.findIndex((_, state) => seriesKeys.warps(state) === series));
    if (!kernels || states.every((state) => state < 0)) return;
    const [from, to] = [grid.first * grid.width, (grid.first + grid.cells) * grid.width];
    const { count, starts, durations, rows, merged } = kernels.window(0, from, to, resolution, styles);
    for (let i = 0; i < count; i++) {
      const kernel = this.detailed(rows[i]!, starts[i]!, durations[i]!, merged[i]!, resolution);
      if (!kernel?.profile.mix) continue;
      const [amounts] = this.work.amountsOf('KERNEL', [rows[i]!]);
      this.addMeans(areas, sums, grid, amounts!, starts[i]!, starts[i]! + durations[i]!, -1);
      for (const piece of warpsOverTime(kernel, this.sm.warps(kernel), { from, to, cell: grid.width })) {
        states.forEach((state, area) => {
          const warps = state < 0 ? 0 : piece.warps[state]!;
          if (warps > 0) addSpan(sums[area]!, grid, piece.from, piece.to, warps * (piece.to - piece.from));
        });
      }
    }
  }

  // Blocks and warps.

  /** A kernel that is wide enough to show what its SM did. */
  private detailed(row: number, start: number, length: number, merged: number, resolution: number): SmKernel | null {
    return merged === 1 && length >= detailedFrom * Math.max(1, resolution)
      ? this.sm.kernel(row, start, start + length)
      : null;
  }

  /** Each kernel in a range with the lanes that it has of a row: in detail, or as a whole. */
  private eachKernel(
    out: WindowBuilder,
    lanes: number,
    from: number,
    to: number,
    resolution: number,
    show: (kernel: SmKernel, lane: number) => void,
  ): void {
    const { kernels, styles } = this.sources;
    if (!kernels) return;
    const window = kernels.window(0, from, to, resolution, styles);
    const mostBands = Math.floor(mostLanes / lanes);
    for (let i = 0; i < window.count; i++) {
      const [start, length, row] = [window.starts[i]!, window.durations[i]!, window.rows[i]!];
      const lane = Math.min(window.lanes[i]!, mostBands - 1) * lanes;
      const kernel = this.detailed(row, start, length, window.merged[i]!, resolution);
      if (kernel) {
        show(kernel, lane);
        continue;
      }
      out.add({
        ...{ start, end: start + length, lane, span: lanes, row, kind: window.kinds[i]!, flavour: window.flavours[i]! },
        ...{ label: window.labels[window.labelIndex[i]!]!, fullName: window.fullNames[window.labelIndex[i]!]! },
        correlation: window.correlations[i]!,
        ...{ merged: window.merged[i]!, busy: window.busy[i]! },
      });
    }
  }

  private blockWindow(lanes: number, track: number, from: number, to: number, resolution: number): TrackWindow {
    const out = new WindowBuilder(track, resolution);
    this.eachKernel(out, lanes, from, to, resolution, ({ row, profile, nsPerCycle, ...kernel }, base) => {
      const nameOf = this.sm.blockName(row);
      for (const block of profile.blocks) {
        const start = kernel.from + block.start * nsPerCycle;
        const end = Math.min(kernel.to, kernel.from + block.end * nsPerCycle);
        if (start >= to || start > kernel.to) break;
        if (end <= from) continue;
        const lane = base + Math.min(block.lane, lanes - 1);
        out.merge({ start, end, lane, kind: drawnKinds.block, label: nameOf(block.block), row });
      }
      const text = `Not simulated: ${percentOf(profile.share)} of an SM's work was, the rest is extrapolated`;
      const end = kernel.from + profile.cycles * nsPerCycle;
      if (profile.share < 0.995) this.addRest(out, base, lanes, row, text, end, kernel.to, resolution);
    });
    return out.finish();
  }

  private warpWindow(
    subPartition: number,
    slots: number,
    track: number,
    from: number,
    to: number,
    resolution: number,
  ): TrackWindow {
    const out = new WindowBuilder(track, resolution);
    this.eachKernel(out, slots, from, to, resolution, (kernel, base) => {
      const { row, profile, nsPerCycle } = kernel;
      const timeline = this.sm.warps(kernel);
      const known = kernel.from + (timeline ? profile.warpCycles * nsPerCycle : 0);
      if (timeline && known > from) {
        const cell = resolution / nsPerCycle;
        const cycle = (time: number): number => Math.max(0, (time - kernel.from) / nsPerCycle);
        const window = timeline.window(
          subPartition,
          Math.floor(cycle(from)),
          Math.ceil(cycle(Math.min(to, kernel.to))),
          cell < 2 ? 0 : 2 ** Math.floor(Math.log2(cell)),
        );
        for (let i = 0; i < window.count; i++) {
          const start = kernel.from + window.starts[i]! * nsPerCycle;
          const end = Math.min(kernel.to, kernel.from + (window.starts[i]! + window.durations[i]!) * nsPerCycle);
          if (end <= start) continue;
          const state = window.states[i]!;
          out.add({
            ...{ start, end, lane: base + Math.min(window.slots[i]!, slots - 1), row, kind: drawnKinds.warp },
            ...{ flavour: state, label: this.stateName(state) },
            ...{ merged: window.merged[i]!, busy: window.shares[i]! },
          });
        }
      }
      const simulated = Math.min(kernel.to, kernel.from + profile.cycles * nsPerCycle);
      const isAll = profile.share >= 0.995 && simulated - known <= nsPerCycle;
      const text = 'Not recorded: states are kept for the start of a kernel, or for all of it with full detail';
      if (!isAll) this.addRest(out, base, slots, row, text, known, kernel.to, resolution);
    });
    return out.finish();
  }

  private addRest(
    out: WindowBuilder,
    lane: number,
    span: number,
    row: number,
    label: string,
    start: number,
    end: number,
    resolution: number,
  ): void {
    if (end - start > resolution) out.add({ start, end, lane, span, kind: drawnKinds['not-simulated'], label, row });
  }
}

interface Grid {
  /** Number of the first cell. */
  first: number;
  /** (ns) */
  width: number;
  cells: number;
}

/** An amount spread evenly over [start, end), as far as that is in the grid; all of it at `start` where that is no time. */
function addSpan(sums: Float64Array, { first, width, cells }: Grid, start: number, end: number, amount: number): void {
  if (end <= start) {
    const cell = Math.floor(start / width) - first;
    if (cell >= 0 && cell < cells) sums[cell]! += amount;
    return;
  }
  const rate = amount / (end - start);
  const stop = Math.min(Math.ceil(end / width) - first, cells);
  for (let cell = Math.max(0, Math.floor(start / width) - first); cell < stop; cell++) {
    const left = (first + cell) * width;
    sums[cell]! += rate * (Math.min(end, left + width) - Math.max(start, left));
  }
}

/** Cells of the trace, which are as wide as those of the grid or a part of them. */
function addStored(sums: Float64Array, { first, width, cells }: Grid, series: StoredSeries): void {
  const values = series.sums();
  const scale = width / series.width;
  const stop = Math.min(values.length, (first + cells) * scale);
  for (let at = first * scale; at < stop; at++) sums[Math.floor(at / scale) - first]! += values[at]!;
}

const percentOf = (share: number): string => `${share < 0.1 ? (100 * share).toFixed(1) : Math.round(100 * share)} %`;

function rateText(bytesPerSecond: number): string {
  const [scale, unit] = (
    [
      [1e12, 'TB/s'],
      [1e9, 'GB/s'],
      [1e6, 'MB/s'],
      [1e3, 'kB/s'],
    ] as const
  ).find(([least]) => bytesPerSecond >= least) ?? [1, 'B/s'];
  return `${(bytesPerSecond / scale).toFixed(scale === 1e12 ? 1 : 0)} ${unit}`;
}
