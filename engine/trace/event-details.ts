/** All about one event, for the selection panel: groups of fields under the names that Nsight uses. */
import type { EventDetails, EventField } from '../model/event-queries.ts';
import type { EventKind, EventRef } from '../model/timeline.ts';
import { SimsightError } from '../base/errors.ts';
import {
  apiName,
  copyName,
  errorName,
  faultAccessName,
  implicitWaitName,
  isMigration,
  memoryKindName,
  migrationCauseName,
  none,
  nullStreamId,
  nvtxStyle,
  nvtxText,
  nvtxTypes,
  syncName,
  syncTypes,
  processOf,
  tidOf,
} from './codes.ts';
import { devicesOfContexts } from './contexts.ts';
import { describeMetric, formatMetric, occupancyLimits, type MetricSection } from './metric-names.ts';
import { gpuOf, type Row, type Trace } from './trace.ts';
import { eventTables, trackKeys, type StreamPlace } from './tracks.ts';
import {
  formatAddress,
  formatBytes,
  formatNumber,
  formatPercent,
  formatThroughput,
  formatTime,
} from '../model/format.ts';

type Cells = Record<string, string | number | null>;

export function describeEvent(
  trace: Pick<Trace, 'path' | 'query' | 'facts' | 'correlated'>,
  ref: EventRef,
  trackOf: (key: string) => number,
): EventDetails {
  const cells = readRow(trace, ref);
  const launch = launchOf(trace, cells);
  const { title, fullName, groups } = describers[ref.kind](trace, cells, ref.row);
  return {
    ref,
    track: trackOf(keyOf(trace, ref.kind, cells, launch)),
    title,
    fullName,
    startNs: num(cells['start']),
    durationNs: num(cells['end']) - num(cells['start']),
    groups: groups.filter(({ fields }) => fields.length > 0),
    correlated: correlatedWith(trace, ref, cells, launch, trackOf),
  };
}

const num = (value: string | number | null | undefined): number => Number(value ?? 0);

/** The row with its names resolved: `kernelName`, `apiName` … beside the table's own columns. */
function readRow(trace: Pick<Trace, 'path' | 'query'>, { kind, row }: EventRef): Cells {
  const columns = detailColumns[kind];
  const [found] = trace.query(`SELECT ${columns.join(', ')} FROM ${eventTables[kind]} AS t WHERE t.rowid = ?`, row);
  if (!found) throw new SimsightError('bad-request', `${trace.path} has no ${kind} ${row}.`);
  return Object.fromEntries(columns.map((column, index) => [column.replace(/^.* AS /s, ''), found[index] ?? null]));
}

const string = (column: string, as: string): string => `(SELECT value FROM StringIds WHERE id = t.${column}) AS ${as}`;
const common = ['start', 'end', 'correlationId'];
const deviceSide = [...common, 'globalPid', 'deviceId', 'contextId', 'streamId'];
const detailColumns: Record<EventKind, string[]> = {
  api: [...common, 'globalTid', 'returnValue', string('nameId', 'name')],
  kernel: [
    ...deviceSide,
    string('demangledName', 'demangled'),
    string('shortName', 'short'),
    'registersPerThread',
    'gridX',
    'gridY',
    'gridZ',
    'blockX',
    'blockY',
    'blockZ',
    'staticSharedMemory',
    'dynamicSharedMemory',
    'sharedMemoryExecuted',
    'localMemoryPerThread',
    'graphId',
    'graphNodeId',
  ],
  memcpy: [
    ...deviceSide,
    'bytes',
    'copyKind',
    'srcKind',
    'dstKind',
    'srcDeviceId',
    'dstDeviceId',
    'graphNodeId',
    'migrationCause',
    'virtualAddress',
    '(SELECT engine FROM SIMSIGHT_COPY_ENGINES WHERE memcpy = t.rowid) AS engine',
  ],
  memset: [...deviceSide, 'value', 'bytes', 'memKind', 'graphNodeId'],
  synchronization: [...deviceSide, 'syncType', 'eventId'],
  graph: [...deviceSide, 'graphId'],
  'implicit-wait': [...deviceSide, 'otherStreamId'],
  nvtx: [
    'start',
    'coalesce(end, start) AS end',
    'NULL AS correlationId',
    'eventType',
    'globalTid',
    'domainId',
    // Of the few shapes, not of all events.
    `(SELECT ${nvtxText} FROM SIMSIGHT_SHAPES_NVTX d WHERE d.eventType = ${nvtxTypes['domain-create']}
       AND d.domainId = t.domainId) AS domain`,
    `${nvtxText} AS text`,
  ],
  osrt: ['start', 'end', 'NULL AS correlationId', 'globalTid', 'returnValue', string('nameId', 'name')],
  'gpu-page-fault': [
    ...['start', 'end', 'NULL AS correlationId', 'deviceId', 'address', 'numberOfPageFaults'],
    'faultAccessType',
  ],
  'cpu-page-fault': [
    'start',
    `coalesce((SELECT end FROM SIMSIGHT_CPU_PAGE_FAULTS WHERE fault = t.rowid), start) AS end`,
    `(SELECT accessType FROM SIMSIGHT_CPU_PAGE_FAULTS WHERE fault = t.rowid) AS faultAccessType`,
    'NULL AS correlationId',
    'address',
  ],
};

type Correlating = Pick<Trace, 'query' | 'correlated'>;

/** Columns of the events of one kind that belong to the same call as an event, in order of start. */
function correlatedRows(trace: Correlating, kind: CorrelatedKind, cells: Cells, columns: string): Row[] {
  if (cells['correlationId'] === null) return [];
  const rows = trace.correlated(kind, num(cells['correlationId']));
  if (rows.length === 0) return [];
  // Correlation ids are unique within a process only.
  const process = processOf(cells['globalTid'] ?? cells['globalPid']);
  const sql = `SELECT ${columns} FROM ${eventTables[kind]} t WHERE t.rowid IN (SELECT value FROM json_each(?))
    AND coalesce(${kind === 'api' ? 'globalTid' : 'globalPid'} >> 24, ?) = ? ORDER BY start, t.rowid`;
  return trace.query(sql, JSON.stringify(rows), process, process);
}

/** Where a graph was launched whose nodes have this correlation id; the last of several, as on the timeline. */
function launchOf(trace: Correlating, cells: Cells): StreamPlace | null {
  const process = processOf(cells['globalTid'] ?? cells['globalPid']);
  const found = correlatedRows(trace, 'graph', cells, 't.rowid, deviceId, streamId, globalPid, contextId')
    .filter(([, , , globalPid]) => processOf(globalPid) === process)
    .sort(([a], [b]) => num(a) - num(b))
    .at(-1);
  return found ? { device: num(found[1]), process, context: num(found[4]), stream: num(found[2]) } : null;
}

function keyOf(trace: Correlating, kind: EventKind, cells: Cells, launch: StreamPlace | null): string {
  const [device, context, stream] = [cells['deviceId'], cells['contextId'], cells['streamId']].map(num) as [
    number,
    number,
    number,
  ];
  const process = processOf(cells['globalPid']);
  const place = { device, process, context, stream };
  if (kind === 'api') return trackKeys.api(num(cells['globalTid']));
  if (kind === 'nvtx') return trackKeys.nvtx(num(cells['globalTid']));
  if (kind === 'osrt') return trackKeys.osrt(num(cells['globalTid']));
  if (kind === 'cpu-page-fault') return trackKeys.cpuFaults;
  if (kind === 'gpu-page-fault') return trackKeys.gpuFaults(device);
  if (kind === 'memcpy' && isMigration(num(cells['copyKind']))) return trackKeys.migrations(device);
  if (kind === 'graph') return trackKeys.stream(place);
  if (kind === 'implicit-wait') return trackKeys.streamSync(place);
  if (kind !== 'synchronization') {
    return launch?.device === device ? trackKeys.graphNodes(launch) : trackKeys.stream(place);
  }
  const ofStream = cells['syncType'] === syncTypes['stream-wait'] && stream !== none;
  if (ofStream) {
    const deviceOf = devicesOfContexts((sql) => trace.query(sql));
    return trackKeys.streamSync({ ...place, device: deviceOf(process, context, device) });
  }
  // The thread that waits is the one that made the call.
  const [call] = correlatedRows(trace, 'api', cells, 'globalTid');
  return call ? trackKeys.threadSync(num(call[0])) : trackKeys.hostSync(process);
}

interface Description {
  title: string;
  fullName: string;
  groups: { title: string; fields: EventField[] }[];
}
type Describer = (trace: Pick<Trace, 'query' | 'facts' | 'correlated'>, cells: Cells, row: number) => Description;

const field = (name: string, value: string | number): EventField => ({ name, value: String(value) });

function timing(cells: Cells, more: EventField[] = []): { title: string; fields: EventField[] } {
  const start = num(cells['start']);
  const end = num(cells['end']);
  const fields = [
    field('Start', formatTime(start)),
    field('End', formatTime(end)),
    field('Duration', formatTime(end - start)),
  ];
  fields.push(...more);
  if (cells['correlationId'] !== null) fields.push(field('Correlation ID', num(cells['correlationId'])));
  return { title: 'Timing', fields };
}

function place(trace: Pick<Trace, 'query' | 'facts'>, cells: Cells): { title: string; fields: EventField[] } {
  const fields = [
    field('Device', `${gpuOf(trace.facts, num(cells['deviceId']))?.name ?? 'GPU'} (${num(cells['deviceId'])})`),
  ];
  if (cells['contextId'] !== undefined) fields.push(field('Context', num(cells['contextId'])));
  if (cells['streamId'] !== none) fields.push(field('Stream', num(cells['streamId'])));
  if (cells['graphId']) fields.push(field('Graph', num(cells['graphId'])), ...originOf(trace, num(cells['graphId'])));
  if (cells['graphNodeId']) fields.push(field('Graph Node', num(cells['graphNodeId'])));
  return { title: 'Where', fields };
}

/** Why a kernel did not come to its end; how long it ran is not known then. */
function failureOf(trace: Pick<Trace, 'query'>, kernel: number): { title: string; fields: EventField[] } {
  const [found] = trace.query(
    'SELECT errorName, message, remedy, file, line FROM SIMSIGHT_FAILURES WHERE kernel = ?',
    kernel,
  );
  if (!found) return { title: 'Failure', fields: [] };
  const [error, message, remedy, file, line] = found;
  const rows: [string, unknown][] = [
    ['Error', error || 'stopped'],
    ['What', message],
    ['Where', file === null ? '' : `${file}:${line}`],
    ['To do', remedy],
    ['Duration', 'not known: it is shown for as long as an empty kernel'],
  ];
  return { title: 'Failure', fields: rows.filter(([, text]) => text).map(([name, text]) => field(name, String(text))) };
}

/** The graph that an executable was instantiated from. */
function originOf(trace: Pick<Trace, 'query'>, graphExecId: number): EventField[] {
  const [made] = trace.query('SELECT graphId FROM CUDA_GRAPH_EVENTS WHERE graphExecId = ?', graphExecId);
  return made ? [field('Instantiated From', `Graph ${num(made[0])}`)] : [];
}

/** From the end of the launching call to the start on the GPU, where that is positive: nsys's queue time. */
function queueTime(trace: Correlating, cells: Cells): EventField[] {
  const [call] = correlatedRows(trace, 'api', cells, 'end');
  const queued = call ? num(cells['start']) - num(call[0]) : 0;
  return queued > 0 ? [field('Queue Time', formatTime(queued))] : [];
}

const describers: Record<EventKind, Describer> = {
  api: (_trace, cells) => {
    const name = apiName(String(cells['name']));
    const fields = [
      field('Return Value', errorName(num(cells['returnValue']))),
      field('Thread', tidOf(num(cells['globalTid']))),
    ];
    return { title: name, fullName: name, groups: [timing(cells), { title: 'Call', fields }] };
  },

  kernel: (trace, cells, row) => {
    const sections: Record<MetricSection, EventField[]> = {
      'Launch configuration': launchFields(cells),
      Occupancy: [],
      Memory: [],
      Estimate: [],
      'Warp states': [],
      Metrics: [],
    };
    const shown = new Set(sections['Launch configuration'].map(({ name }) => name));
    const metrics = trace.query(
      `SELECT value, m FROM (SELECT nameId, value AS m FROM SIMSIGHT_KERNEL_METRICS WHERE kernel = ?)
       JOIN StringIds ON id = nameId ORDER BY id`,
      row,
    );
    for (const [name, value] of metrics) {
      const { section, label } = describeMetric(String(name));
      if (!shown.has(label)) sections[section].push(field(label, formatMetric(String(name), num(value))));
    }
    const values = new Map(metrics.map(([name, value]) => [String(name), num(value)]));
    sections.Occupancy.push(...occupancyLimiter(values));
    sections.Memory.unshift(...memoryThroughput(trace, cells, values));
    return {
      title: String(cells['short']),
      fullName: String(cells['demangled']),
      groups: [
        failureOf(trace, row),
        timing(cells, queueTime(trace, cells)),
        ...Object.entries(sections).map(([title, fields]) => ({ title, fields })),
        place(trace, cells),
      ],
    };
  },

  memcpy: (trace, cells) => {
    const { label, short } = copyName(num(cells['copyKind']));
    const bytes = num(cells['bytes']);
    if (isMigration(num(cells['copyKind']))) return migration(trace, cells, short, label);
    const fields = [
      field('Bytes', `${formatBytes(bytes)}${bytes >= 1024 ? ` (${formatNumber(bytes)} B)` : ''}`),
      field('Throughput', formatThroughput(bytes, num(cells['end']) - num(cells['start']))),
      field('Source Memory', memoryKindName(cells['srcKind'] as number | null) + onDevice(cells['srcDeviceId'])),
      field('Destination Memory', memoryKindName(cells['dstKind'] as number | null) + onDevice(cells['dstDeviceId'])),
      field('Done by', cells['engine'] === null ? 'no copy engine' : `copy engine ${cells['engine']}`),
    ];
    return {
      title: `Memcpy ${short}`,
      fullName: `[CUDA memcpy ${label}]`,
      groups: [timing(cells, queueTime(trace, cells)), { title: 'Memory', fields }, place(trace, cells)],
    };
  },

  memset: (trace, cells) => {
    const bytes = num(cells['bytes']);
    const fields = [
      field('Bytes', formatBytes(bytes)),
      field('Value', num(cells['value'])),
      field('Throughput', formatThroughput(bytes, num(cells['end']) - num(cells['start']))),
    ];
    return {
      title: 'Memset',
      fullName: '[CUDA memset]',
      groups: [timing(cells, queueTime(trace, cells)), { title: 'Memory', fields }, place(trace, cells)],
    };
  },

  synchronization: (trace, cells) => {
    const name = syncName(num(cells['syncType']));
    const where = place(trace, cells);
    if (cells['eventId'] !== none) where.fields.push(field('Event', num(cells['eventId'])));
    return { title: name, fullName: name, groups: [timing(cells), where] };
  },

  'implicit-wait': (trace, cells) => {
    const name = implicitWaitName(num(cells['otherStreamId']));
    const isDefault = num(cells['otherStreamId']) === nullStreamId;
    const why = isDefault
      ? 'Blocking streams wait for what was put into the legacy default stream (stream 0) before'
      : 'The legacy default stream (stream 0) waits for what was put into all blocking streams before';
    const fields = [
      field('Why', why),
      field('To do', 'cudaStreamNonBlocking, another stream than 0, or --default-stream per-thread'),
    ];
    return {
      title: name,
      fullName: name,
      groups: [timing(cells), { title: 'Implicit synchronization', fields }, place(trace, cells)],
    };
  },

  graph: (trace, cells) => {
    const title = `Graph ${cells['graphId']}`;
    const duration = num(cells['end']) - num(cells['start']);
    const nodes = (['kernel', 'memcpy', 'memset'] as const).map((kind) => {
      const lengths = correlatedRows(trace, kind, cells, 'end - start');
      return { kind, count: lengths.length, time: lengths.reduce((sum, [length]) => sum + num(length), 0) };
    });
    const fields = nodes
      .filter(({ count }) => count > 0)
      .map(({ kind, count, time }) => {
        const share = duration > 0 ? ` (${formatPercent((100 * time) / duration)} of the launch)` : '';
        return field(nodeKinds[kind], `${formatNumber(count)}, ${formatTime(time)}${share}`);
      });
    return {
      title,
      fullName: title,
      groups: [timing(cells, queueTime(trace, cells)), { title: 'Nodes', fields }, place(trace, cells)],
    };
  },

  nvtx: ({ facts }, cells) => {
    const text = String(cells['text'] ?? '');
    const thread = field('Thread', tidOf(num(cells['globalTid'])));
    const domain = cells['domain'] ?? num(cells['domainId']);
    const fields = facts.areThreads
      ? [...(cells['domain'] === null ? [] : [field('Category', domain)]), thread]
      : [field('Style', nvtxStyle(num(cells['eventType']))), field('Domain', domain), thread];
    const title = facts.areThreads ? 'Range' : 'NVTX';
    return { title: text, fullName: text, groups: [timing(cells), { title, fields }] };
  },

  osrt: (_trace, cells) => {
    const title = String(cells['name'] ?? '');
    const fields = [field('Return Value', num(cells['returnValue'])), field('Thread', tidOf(num(cells['globalTid'])))];
    return { title, fullName: title, groups: [timing(cells), { title: 'Call', fields }] };
  },

  'gpu-page-fault': (trace, cells) => {
    const title = 'GPU page faults';
    const fields = [
      field('Pages', num(cells['numberOfPageFaults'])),
      field('Access', faultAccessName(num(cells['faultAccessType']))),
      field('Address', formatAddress(num(cells['address']))),
    ];
    const where = place(trace, { ...cells, streamId: none });
    return { title, fullName: title, groups: [timing(cells), { title: 'Memory', fields }, where] };
  },

  'cpu-page-fault': (_trace, cells) => {
    const title = 'CPU page fault';
    const fields = [
      field('Access', faultAccessName(num(cells['faultAccessType']))),
      field('Address', formatAddress(num(cells['address']))),
    ];
    return { title, fullName: title, groups: [timing(cells), { title: 'Memory', fields }] };
  },
};

const nodeKinds = { kernel: 'Kernels', memcpy: 'Copies', memset: 'Memsets' };

/** Of copies between devices. */
const onDevice = (device: string | number | null | undefined): string =>
  device === null || device === undefined ? '' : ` ${device}`;
/** Managed memory that moved. */
function migration(trace: Pick<Trace, 'query' | 'facts'>, cells: Cells, title: string, label: string): Description {
  const bytes = num(cells['bytes']);
  const fields = [
    field('Bytes', formatBytes(bytes)),
    field('Throughput', formatThroughput(bytes, num(cells['end']) - num(cells['start']))),
    field('Cause', migrationCauseName(num(cells['migrationCause']))),
    field('Address', formatAddress(num(cells['virtualAddress']))),
  ];
  const fullName = `[CUDA memcpy ${label}]`;
  return {
    title,
    fullName,
    groups: [timing(cells), { title: 'Memory', fields }, place(trace, { ...cells, streamId: none })],
  };
}

function launchFields(cells: Cells): EventField[] {
  const triple = (name: string): number[] => ['X', 'Y', 'Z'].map((axis) => num(cells[name + axis]));
  const product = (values: number[]): number => values.reduce((a, b) => a * b, 1);
  const grid = triple('grid');
  const block = triple('block');
  const fields = [
    field('Grid Size', `(${grid.join(', ')})`),
    field('Block Size', `(${block.join(', ')})`),
    field('Blocks', formatNumber(product(grid))),
    field('Threads', formatNumber(product(grid) * product(block))),
    field('Registers Per Thread', num(cells['registersPerThread'])),
    field('Static Shared Memory Per Block', formatBytes(num(cells['staticSharedMemory']))),
    field('Dynamic Shared Memory Per Block', formatBytes(num(cells['dynamicSharedMemory']))),
    field('Shared Memory Configuration Size', formatBytes(num(cells['sharedMemoryExecuted']))),
  ];
  const local = num(cells['localMemoryPerThread']);
  if (local > 0) fields.push(field('Local Memory Per Thread', formatBytes(local)));
  return fields;
}

/** What keeps an SM from holding more blocks; several where they tie. */
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
  trace: Pick<Trace, 'facts'>,
  cells: Cells,
  metrics: ReadonlyMap<string, number>,
): EventField[] {
  const read = metrics.get('dram__bytes_read.sum');
  const written = metrics.get('dram__bytes_write.sum');
  const duration = num(cells['end']) - num(cells['start']);
  if (read === undefined || written === undefined || duration <= 0) return [];
  const peak = gpuOf(trace.facts, num(cells['deviceId']))?.memory?.bandwidth;
  const share = peak ? ` (${formatPercent(((read + written) / duration / peak) * 1e11)} of peak)` : '';
  return [field('Memory Throughput', `${formatThroughput(read + written, duration)}${share}`)];
}

type CorrelatedKind = Exclude<EventKind, 'nvtx' | 'gpu-page-fault' | 'cpu-page-fault' | 'osrt'>;

/** Short titles of events, for the list of correlated ones: NVTX ranges and page faults have no correlation id. */
const titleColumns: Record<CorrelatedKind, string> = {
  api: '(SELECT value FROM StringIds WHERE id = nameId), globalTid, 0, 0, 0',
  kernel: '(SELECT value FROM StringIds WHERE id = shortName), globalPid, deviceId, contextId, streamId',
  memcpy: 'copyKind, globalPid, deviceId, contextId, streamId',
  memset: "'Memset', globalPid, deviceId, contextId, streamId",
  synchronization: 'syncType, globalPid, deviceId, contextId, streamId',
  graph: 'graphId, globalPid, deviceId, contextId, streamId',
  'implicit-wait': 'otherStreamId, globalPid, deviceId, contextId, streamId',
};

function titleOf(kind: EventKind, value: string | number | null): string {
  if (kind === 'memcpy') return `Memcpy ${copyName(num(value)).short}`;
  if (kind === 'synchronization') return syncName(num(value));
  if (kind === 'graph') return `Graph ${value}`;
  if (kind === 'implicit-wait') return implicitWaitName(num(value));
  return kind === 'api' ? apiName(String(value)) : String(value);
}

function correlatedWith(
  trace: Correlating,
  ref: EventRef,
  own: Cells,
  launch: StreamPlace | null,
  trackOf: (key: string) => number,
): EventDetails['correlated'] {
  const found: EventDetails['correlated'] = [];
  const add = (kind: CorrelatedKind, of: Cells, launch: StreamPlace | null): void => {
    const rows = correlatedRows(trace, kind, of, `start, end, t.rowid, ${titleColumns[kind]}`);
    for (const [start, end, row, title, global, deviceId, contextId, streamId] of rows) {
      if (kind === ref.kind && row === ref.row) continue;
      const owner = { globalTid: global!, globalPid: global! };
      const place = { deviceId: deviceId!, contextId: contextId!, streamId: streamId! };
      const cells: Cells = { ...owner, ...place, syncType: title!, correlationId: of['correlationId']! };
      found.push({
        ref: { kind, row: num(row) },
        track: trackOf(keyOf(trace, kind, cells, launch)),
        title: titleOf(kind, title ?? null),
        startNs: num(start),
        durationNs: num(end) - num(start),
      });
    }
  };
  for (const kind of Object.keys(titleColumns) as CorrelatedKind[]) {
    if (kind !== 'graph' || launch) add(kind, own, launch);
  }
  // What a stream waited for on another one; of work also who waited for it.
  const addOthers = (correlationId: number, kinds: readonly CorrelatedKind[]): void => {
    const cells = { ...own, correlationId };
    const graph = launchOf(trace, cells);
    for (const kind of graph ? (['graph'] as const) : kinds) add(kind, cells, graph);
  };
  const work = ['kernel', 'memcpy', 'memset'] as const;
  for (const other of dependencies(trace, 'waitsFor', 'correlationId', own)) addOthers(other, work);
  if (ref.kind !== 'api') {
    for (const other of dependencies(trace, 'correlationId', 'waitsFor', own))
      addOthers(other, [...work, 'synchronization']);
  }
  return found;
}

/** No more than can be told apart. */
const mostDependencies = 32;
function dependencies(trace: Correlating, wanted: string, given: string, { correlationId }: Cells): number[] {
  if (correlationId === null || correlationId === undefined) return [];
  const sql = `SELECT DISTINCT ${wanted} FROM SIMSIGHT_STREAM_DEPENDENCIES WHERE ${given} = ? ORDER BY 1 LIMIT ${mostDependencies}`;
  return trace.query(sql, num(correlationId)).map(([id]) => num(id));
}
