/** Kernels on a GPU. */
import type { EventField } from '../event-queries.ts';
import type { Failure } from '../events.ts';
import type { Dim3 } from '../execution.ts';
import { formatBytes, formatNumber, formatPercent, formatThroughput } from '../format.ts';
import type { KernelDetails } from '../kernel-profile.ts';
import { describeMetric, formatMetric, occupancyLimits, timedOnlyMetric, type MetricSection } from '../metric-names.ts';
import { failedFlavour, timedOnlyFlavour } from '../timeline.ts';
import { computed, integer, integerOrNull, nameOf, type CellsOf } from '../typed-columns.ts';
import { field, place, queueTime, timing } from './detail-fields.ts';
import {
  chromeExport,
  eventKind,
  store,
  workColumns,
  type EventCells,
  type EventContext,
  type RecordingTables,
  type RowTable,
  type Timeline,
  type WorkCells,
} from './kind.ts';
import { rowKeys } from './row-keys.ts';
import {
  chromeArguments,
  chromeGraph,
  placeCells,
  placeColumns,
  rowOfWork,
  streamPlace,
  type DeviceWork,
} from './work.ts';

export interface KernelEvent extends DeviceWork {
  type: 'kernel';
  /** Mangled name. */
  kernel: string;
  grid: Dim3;
  block: Dim3;
  dynamicSharedBytes: number;
  /** Without its profile, which comes as an event of its own. */
  details: KernelDetails;
  /** Number of the profile that stands for it. */
  profile?: number;
  /** It did not come to its end. */
  failure?: Failure;
}

const launchColumns = {
  gridX: integer,
  gridY: integer,
  gridZ: integer,
  blockX: integer,
  blockY: integer,
  blockZ: integer,
  registersPerThread: integer,
  staticSharedMemory: integer,
  dynamicSharedMemory: integer,
  graphId: integerOrNull,
  graphNodeId: integerOrNull,
} as const;

const detailColumns = {
  ...launchColumns,
  demangled: nameOf('demangledName'),
  short: nameOf('shortName'),
  sharedMemoryExecuted: integer,
  localMemoryPerThread: integer,
} as const;
type KernelCells = CellsOf<typeof detailColumns>;

function launchFields(cells: KernelCells): EventField[] {
  const grid = [cells.gridX, cells.gridY, cells.gridZ];
  const block = [cells.blockX, cells.blockY, cells.blockZ];
  const product = (values: number[]): number => values.reduce((a, b) => a * b, 1);
  const fields = [
    field('Grid Size', `(${grid.join(', ')})`),
    field('Block Size', `(${block.join(', ')})`),
    field('Blocks', formatNumber(product(grid))),
    field('Threads', formatNumber(product(grid) * product(block))),
    field('Registers Per Thread', cells.registersPerThread),
    field('Static Shared Memory Per Block', formatBytes(cells.staticSharedMemory)),
    field('Dynamic Shared Memory Per Block', formatBytes(cells.dynamicSharedMemory)),
    field('Shared Memory Configuration Size', formatBytes(cells.sharedMemoryExecuted)),
  ];
  const local = cells.localMemoryPerThread;
  if (local > 0) fields.push(field('Local Memory Per Thread', formatBytes(local)));
  return fields;
}

/** The reason that a kernel did not come to its end; how long it ran is not known then. */
function failureFields(context: EventContext): EventField[] {
  const [found] = context.query(
    'SELECT errorName, message, remedy, file, line FROM SIMSIGHT_FAILURES WHERE kernel = ?',
    context.row,
  );
  if (!found) return [];
  const [error, message, remedy, file, line] = found;
  const rows: [string, unknown][] = [
    ['Error', error || 'stopped'],
    ['What', message],
    ['Where', file === null ? '' : `${file}:${line}`],
    ['To do', remedy],
    ['Duration', 'not known: it is shown for as long as an empty kernel'],
  ];
  return rows.filter(([, text]) => text).map(([name, text]) => field(name, String(text)));
}

/** The resource that keeps an SM from holding more blocks; several where they tie. */
function occupancyLimiter(metrics: ReadonlyMap<string, number>): EventField[] {
  const limits = occupancyLimits.flatMap(([metric, resource]) => {
    const blocks = metrics.get(metric);
    return blocks === undefined ? [] : [{ blocks, resource }];
  });
  const lowest = Math.min(...limits.map(({ blocks }) => blocks));
  const limiting = limits.filter(({ blocks }) => blocks === lowest).map(({ resource }) => resource);
  return limiting.length > 0 ? [field('Occupancy Limiter', limiting.join(', '))] : [];
}

/** DRAM traffic per time, and as a share of the GPU's peak. */
function memoryThroughput(
  context: EventContext,
  { start, end, deviceId }: EventCells & WorkCells,
  metrics: ReadonlyMap<string, number>,
): EventField[] {
  const read = metrics.get('dram__bytes_read.sum');
  const written = metrics.get('dram__bytes_write.sum');
  const duration = end - start;
  if (read === undefined || written === undefined || duration <= 0) return [];
  const peak = context.memoryBandwidth(deviceId);
  const share = peak ? ` (${formatPercent(((read + written) / duration / peak) * 1e11)} of peak)` : '';
  return [field('Memory Throughput', `${formatThroughput(read + written, duration)}${share}`)];
}

/** Fields by section: those of the launch, and the counters of the kernel. */
function sectionsOf(
  context: EventContext,
  cells: EventCells & WorkCells & KernelCells,
): Record<MetricSection, EventField[]> {
  const sections: Record<MetricSection, EventField[]> = {
    'Launch configuration': launchFields(cells),
    Occupancy: [],
    Memory: [],
    Estimate: [],
    'Warp states': [],
    Metrics: [],
  };
  const shown = new Set(sections['Launch configuration'].map(({ name }) => name));
  const metrics = context.query(
    `SELECT value, m FROM (SELECT nameId, value AS m FROM SIMSIGHT_KERNEL_METRICS WHERE kernel = ?)
     JOIN StringIds ON id = nameId ORDER BY id`,
    context.row,
  );
  for (const [name, value] of metrics) {
    const { section, label } = describeMetric(String(name));
    if (!shown.has(label)) sections[section].push(field(label, formatMetric(String(name), Number(value ?? 0))));
  }
  const values = new Map(metrics.map(([name, value]) => [String(name), Number(value ?? 0)]));
  sections.Occupancy.push(...occupancyLimiter(values));
  sections.Memory.unshift(...memoryThroughput(context, cells, values));
  return sections;
}

const shapeColumns = [
  ...placeColumns,
  ...['demangledName', 'shortName', 'mangledName', 'launchType', 'cacheConfig', 'registersPerThread'],
  ...['gridX', 'gridY', 'gridZ', 'blockX', 'blockY', 'blockZ', 'staticSharedMemory', 'dynamicSharedMemory'],
  ...['localMemoryPerThread', 'localMemoryTotal', 'sharedMemoryExecuted', 'sharedMemoryLimitConfig'],
  ...['graphId', 'graphNodeId', 'metricSet', 'profile'],
];

/** Counters that launches have in common; launches often share the object, too. */
class MetricSets {
  private readonly table: RowTable;
  private readonly recording: RecordingTables;
  private readonly ofObject = new WeakMap<object, number>();
  private readonly ofText = new Map<string, number>();

  constructor(recording: RecordingTables) {
    this.recording = recording;
    this.table = recording.table('SIMSIGHT_METRIC_SETS', ['id', 'nameId', 'value']);
  }

  idOf(metrics: Record<string, number>): number {
    const same = this.ofObject.get(metrics);
    if (same !== undefined) return same;
    const key = JSON.stringify(metrics);
    let id = this.ofText.get(key);
    if (id === undefined) {
      id = this.ofText.size + 1;
      this.ofText.set(key, id);
      for (const [name, value] of Object.entries(metrics)) {
        if (Number.isFinite(value)) this.table.add(id, this.recording.string(name), value);
      }
    }
    this.ofObject.set(metrics, id);
    return id;
  }
}

/** True for two launches of a kernel that differ in their times alone. */
const areLike = (a: KernelEvent, b: KernelEvent): boolean =>
  a.details.metrics === b.details.metrics &&
  a.details.registersPerThread === b.details.registersPerThread &&
  a.details.staticSharedBytes === b.details.staticSharedBytes &&
  a.details.localBytesPerThread === b.details.localBytesPerThread &&
  a.details.sharedConfigBytes === b.details.sharedConfigBytes &&
  a.deviceId === b.deviceId &&
  a.streamId === b.streamId &&
  a.dynamicSharedBytes === b.dynamicSharedBytes &&
  a.graphId === b.graphId &&
  a.graphNodeId === b.graphNodeId &&
  a.profile === b.profile &&
  (['x', 'y', 'z'] as const).every((axis) => a.grid[axis] === b.grid[axis] && a.block[axis] === b.block[axis]);

const kernelStore = store<KernelEvent>('kernel', (recording) => {
  const kernels = recording.events('CUPTI_ACTIVITY_KIND_KERNEL', shapeColumns);
  const metrics = new MetricSets(recording);
  const shapeOf = (event: KernelEvent): number => {
    const { details, grid, block } = event;
    const { demangled, short } = recording.kernelNames(event.kernel);
    const { threads, sharedBytesPerBlock } = recording.limits(event.deviceId);
    return kernels.shape([
      ...placeCells(event),
      ...[recording.string(demangled), recording.string(short), recording.string(event.kernel)],
      ...[1, 0, details.registersPerThread, grid.x, grid.y, grid.z, block.x, block.y, block.z],
      ...[details.staticSharedBytes, event.dynamicSharedBytes, details.localBytesPerThread],
      // The driver sets local memory apart for every thread that the GPU can hold.
      details.localBytesPerThread * threads,
      details.sharedConfigBytes,
      event.dynamicSharedBytes + details.staticSharedBytes > sharedBytesPerBlock ? 1 : 0,
      event.graphId ?? null,
      event.graphNodeId ?? null,
      metrics.idOf(details.metrics),
      event.profile ?? null,
    ]);
  };
  /** Keys: kernel, stream. */
  const lastLaunches = new Map<string, Map<number, { event: KernelEvent; shape: number }>>();
  return (event) => {
    let byStream = lastLaunches.get(event.kernel);
    if (!byStream) lastLaunches.set(event.kernel, (byStream = new Map()));
    let last = byStream.get(event.streamId);
    if (!last || !areLike(last.event, event)) {
      last = { event, shape: shapeOf(event) };
      byStream.set(event.streamId, last);
    }
    const row = kernels.add(event.start, event.end, event.correlationId, last.shape);
    if (event.failure) recording.failed(event, event.failure, row);
  };
});

/** The place of the kernels that the traffic of a recording is known of, in the metrics. */
const dramMetrics = ['dram__bytes_read.sum', 'dram__bytes_write.sum'];
const dramBytes = `(SELECT sum(m.value) FROM SIMSIGHT_KERNEL_METRICS m WHERE m.kernel = t.rowid AND m.nameId IN
  (SELECT id FROM StringIds WHERE value IN (${dramMetrics.map((name) => `'${name}'`).join(', ')})))`;

/** Launches that were timed and not executed; most recordings have none. */
function timedOnlyKernels(timeline: Timeline): Set<unknown> {
  const [name] = timeline.query(`SELECT id FROM StringIds WHERE value = '${timedOnlyMetric}'`);
  if (!name) return new Set();
  const kernels = timeline.query(`SELECT kernel FROM SIMSIGHT_KERNEL_METRICS WHERE nameId = ${Number(name[0])}`);
  return new Set(kernels.map(([row]) => row));
}

export const kernel = eventKind({
  title: 'Kernel',
  section: 'kernels',
  colour: () => ({ tone: 'kernel', hue: 'label' }),
  picture: () => null,
  table: {
    name: 'CUPTI_ACTIVITY_KIND_KERNEL',
    ...{ stored: 'KERNEL', owner: 'globalPid', isCorrelated: true },
    exported: `start!, end!, deviceId!, contextId!, greenContextId, streamId!, correlationId, globalPid, demangledName!,
      shortName!, mangledName, launchType, cacheConfig, registersPerThread!, gridX!, gridY!, gridZ!, blockX!,
      blockY!, blockZ!, staticSharedMemory!, dynamicSharedMemory!, localMemoryPerThread!, localMemoryTotal!,
      gridId!, sharedMemoryExecuted, graphNodeId, sharedMemoryLimitConfig, qmdBulkReleaseDone, qmdPreexitDone,
      qmdLastCtaDone, graphId, clusterX, clusterY, clusterZ, clusterSchedulingPolicy, maxPotentialClusterSize,
      maxActiveClusters, sharedMemoryRequestedPercentage, tensorSizeMinusOneElements TEXT!`,
  },
  work: 'kernels',
  rows: [{ of: 'device', key: 'kernels', title: 'Kernels', track: 'kernels', place: 0 }],

  columns: { ...workColumns, shortName: integer, demangledName: integer },
  rowOf: rowOfWork,
  load(timeline) {
    const failed = new Set(timeline.query('SELECT kernel FROM SIMSIGHT_FAILURES').map(([row]) => row));
    const timedOnly = timedOnlyKernels(timeline);
    /** By flavour. Instances of a template share their short name. */
    const instances = new Map<number | undefined, Map<number, number>>();
    return (event) => {
      const { demangledName, deviceId, rowid } = event;
      const flavour = failed.has(rowid) ? failedFlavour : timedOnly.has(rowid) ? timedOnlyFlavour : undefined;
      const ofFlavour = instances.get(flavour) ?? new Map<number, number>();
      instances.set(flavour, ofFlavour);
      let style = ofFlavour.get(demangledName);
      if (style === undefined) {
        style = timeline.style(timeline.name(event.shortName), timeline.name(demangledName), flavour);
        ofFlavour.set(demangledName, style);
      }
      timeline.add(rowKeys.kernels(deviceId), event, style);
      timeline.add(rowOfWork(event, timeline), event, style);
      timeline.busy(deviceId, event);
    };
  },
  titleOf: ({ shortName }, name) => name(shortName),

  details: detailColumns,
  describe: (event, context) => ({
    title: String(event.short),
    fullName: String(event.demangled),
    groups: [
      { title: 'Failure', fields: failureFields(context) },
      timing(event, queueTime(context, event)),
      ...Object.entries(sectionsOf(context, event)).map(([title, fields]) => ({ title, fields })),
      place(context, event),
    ],
  }),

  stores: [kernelStore],
  chrome: chromeExport({
    ...{ place: 0, side: 'device' },
    columns: {
      ...workColumns,
      ...launchColumns,
      shortName: integer,
      demangledName: integer,
      dramBytes: computed(integerOrNull, dramBytes),
    },
    open: (rows) => (event) => {
      const [name, full] = [rows.name(event.shortName), rows.name(event.demangledName)];
      if (event.dramBytes !== null) rows.move(event.deviceId, 'DRAM throughput', event, event.dramBytes);
      return {
        row: rows.stream(streamPlace(event), { before: 'Stream' }),
        ...{ category: 'kernel', name },
        arguments: {
          ...chromeArguments(event),
          ...(full === name ? {} : { 'full name': full }),
          grid: [event.gridX, event.gridY, event.gridZ],
          block: [event.blockX, event.blockY, event.blockZ],
          'registers per thread': event.registersPerThread,
          'shared memory': event.staticSharedMemory + event.dynamicSharedMemory,
          ...(event.dramBytes === null ? {} : { 'DRAM bytes': event.dramBytes }),
          ...chromeGraph(event.graphId, event.graphNodeId),
        },
      };
    },
  }),
});
