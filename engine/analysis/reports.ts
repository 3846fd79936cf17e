/**
 * The reports of `nsys stats`, under its names, with its columns, order and definitions, so that scripts that read them
 * work on a Simsight trace. Time (%) is of the rows listed, not of the recording.
 *
 *   makeReport(trace, 'cuda_gpu_kern_sum').rows;
 *
 * Those that only a simulator can make begin with `simsight_`. A report is one entry of `reports`; the command line and the
 * app take their lists from there.
 */
import type { ReportTable } from '../model/tables.ts';
import { SimsightError } from '../base/errors.ts';
import {
  apiName,
  copyName,
  migrationKinds,
  memoryKindName,
  nvtxStyle,
  nvtxText,
  nvtxTypes,
  pidOf,
  tidOf,
} from '../model/nsight-codes.ts';
import { gpuNames } from '../trace/gpu-names.ts';
import { damaged } from '../trace/open-file.ts';
import type { Row, Trace } from '../trace/trace.ts';
import { columns, num, type Column } from './columns.ts';
import { nameById } from './name-by-id.ts';
import { benchmarkColumns, benchmarkRows } from './kernel-benchmarks.ts';
import {
  instructionColumns,
  instructionRows,
  lineColumns,
  lineRows,
  recordedColumns,
  recordedRows,
} from './kernel-profiles.ts';
import { summarize, summarizeBy, type Summary } from './statistics.ts';
import { formatAddress } from '../model/format.ts';

interface Report {
  title: string;
  columns: Column[];
  rows(trace: Trace, options: ReportOptions): ReportTable['rows'];
}

export interface ReportOptions {
  /** Launches of each kernel that `simsight_benchmark` leaves out. */
  warmUp?: number | undefined;
}

/** Throws `unknown-report`, with the known ones in the remedy. */
export function checkReport(name: string): void {
  if (!Object.hasOwn(reports, name)) {
    throw new SimsightError(
      'unknown-report',
      `There is no report "${name}".`,
      `Known reports: ${reportNames.join(', ')}.`,
    );
  }
}

/** Throws as {@link checkReport} does. */
export function makeReport(trace: Trace, name: string, options: ReportOptions = {}): ReportTable {
  checkReport(name);
  const { title, columns, rows } = reports[name]!;
  return { report: name, title, columns, rows: bounded(rows(trace, options)) };
}

/**
 * Letters of all texts of a report. A name of 64 KiB that each of a hundred thousand rows says would make gigabytes, more than a string
 * can hold; names of real kernels are some hundred letters long.
 */
const mostLetters = 2 ** 26;
const leastLetters = 1000;

/** Where there is too much, long texts are cut, each as far as there is room for all. */
function bounded(rows: ReportTable['rows']): ReportTable['rows'] {
  let letters = 0;
  for (const row of rows) for (const cell of row) if (typeof cell === 'string') letters += cell.length;
  if (letters <= mostLetters) return rows;
  const longest = Math.max(leastLetters, Math.floor(mostLetters / rows.length));
  // Each name once; three dots, since one letter beyond Latin-1 doubles the size of all.
  const cuts = new Map<string, string>();
  const cut = (text: string): string => cuts.get(text) ?? cuts.set(text, `${text.slice(0, longest)}...`).get(text)!;
  return rows.map((row) => row.map((cell) => (typeof cell === 'string' && cell.length > longest ? cut(cell) : cell)));
}

const timeStatistics = columns('nanoseconds', 'Avg (ns)', 'Med (ns)', 'Min (ns)', 'Max (ns)', 'StdDev (ns)');
const timeSummary = (count: string): Column[] => [
  ...columns('percent', 'Time (%)'),
  ...columns('nanoseconds', 'Total Time (ns)'),
  ...columns('integer', count),
  ...timeStatistics,
];

const statistics = ({ average, median, min, max, deviation }: Summary): number[] => [
  average,
  median,
  min,
  max,
  deviation,
];

/** Rows of the `…_sum` reports over durations. */
function summaryRows(entries: readonly (readonly [string, number])[]): [string, (string | number)[]][] {
  const groups = summarizeBy(entries);
  const all = groups.reduce((sum, [, { total }]) => sum + total, 0);
  return groups.map(([name, summary]) => [
    name,
    [all > 0 ? (100 * summary.total) / all : 0, summary.total, summary.count, ...statistics(summary)],
  ]);
}

function apiCalls(trace: Trace): [string, number][] {
  const name = nameById(trace);
  const rows = trace.query('SELECT nameId, end - start FROM CUPTI_ACTIVITY_KIND_RUNTIME');
  return rows.map(([id, duration]) => [apiName(String(name(id))), num(duration)]);
}
function osCalls(trace: Trace): [string, number][] {
  const name = nameById(trace);
  const rows = trace.query('SELECT nameId, end - start FROM OSRT_API');
  return rows.map(([id, duration]) => [String(name(id)), num(duration)]);
}
function kernels(trace: Trace): [string, number][] {
  const name = nameById(trace);
  const rows = trace.query('SELECT demangledName, end - start FROM CUPTI_ACTIVITY_KIND_KERNEL');
  return rows.map(([id, duration]) => [String(name(id)), num(duration)]);
}

/** Ranges by style and text; nsys puts the domain's name before the colon, empty for the default domain. */
function nvtxRanges(trace: Trace): [string, number][] {
  const named = `SELECT domainId, ${nvtxText} FROM NVTX_EVENTS WHERE eventType = ${nvtxTypes['domain-create']}`;
  const domains = new Map(trace.query(named).map(([id, name]) => [id, String(name)]));
  const rows = trace.query(
    `SELECT eventType, domainId, text, textId, end - start FROM NVTX_EVENTS
     WHERE eventType IN (${nvtxTypes['push-pop']}, ${nvtxTypes['start-end']}) AND end IS NOT NULL`,
  );
  const nameOf = nameById(trace);
  const made = (type: unknown, domain: Row[number] | undefined, text: unknown): string =>
    `${nvtxStyle(num(type as number))}\n${domains.get(domain!) ?? ''}:${String(text)}`;
  /** The texts that ranges share, each once. */
  const shared = new Map<string, string>();
  return rows.map(([type, domain, text, textId, duration]) => {
    if (text !== null) return [made(type, domain, text), num(duration)];
    const key = `${type} ${domain} ${textId}`;
    let name = shared.get(key);
    if (name === undefined) shared.set(key, (name = made(type, domain, nameOf(textId))));
    return [name, num(duration)];
  });
}

/** The reverse: of the two, the name of a range may have lines of its own. */
const styleAndRange = (key: string): [string, string] => {
  const end = key.indexOf('\n');
  return [key.slice(0, end), key.slice(end + 1)];
};

export const memcpyName = (kind: number): string => `[CUDA memcpy ${copyName(kind).label}]`;
export const memsetName = '[CUDA memset]';

interface MemoryOperation {
  name: string;
  duration: number;
  bytes: number;
}
function memoryOperations(trace: Trace): MemoryOperation[] {
  const copies = trace.query('SELECT copyKind, end - start, bytes FROM CUPTI_ACTIVITY_KIND_MEMCPY');
  const sets = trace.query('SELECT NULL, end - start, bytes FROM CUPTI_ACTIVITY_KIND_MEMSET');
  return [...copies, ...sets].map(([kind, duration, bytes]) => ({
    name: kind === null ? memsetName : memcpyName(num(kind)),
    duration: num(duration),
    bytes: num(bytes),
  }));
}

const megabytes = (bytes: number): number => bytes / 1e6;

/** The titles of GPUs by device. */
function titlesOfGpus(trace: Trace): (device: number) => string {
  const names = gpuNames(trace);
  return (device) => `${names.get(device) ?? 'GPU'} (${device})`;
}

function gpuTrace(trace: Trace): ReportTable['rows'] {
  const common = 'start, end - start, correlationId';
  const where = 'deviceId, contextId, streamId';
  const nameOf = nameById(trace);
  const deviceName = titlesOfGpus(trace);
  const launches = trace.query(
    `SELECT ${common}, ${where}, gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread,
       staticSharedMemory, dynamicSharedMemory, demangledName FROM CUPTI_ACTIVITY_KIND_KERNEL`,
  );
  const operations = [
    ...trace.query(`SELECT ${common}, ${where}, bytes, srcKind, dstKind, copyKind FROM CUPTI_ACTIVITY_KIND_MEMCPY`),
    ...trace.query(`SELECT ${common}, ${where}, bytes, memKind, NULL, NULL FROM CUPTI_ACTIVITY_KIND_MEMSET`),
  ];
  const noLaunch = Array.from({ length: 9 }, () => null);
  const rows = [
    ...launches.map((row) => {
      const [start, duration, correlation, deviceId, context, stream, ...launch] = row;
      const [staticShared, dynamicShared, nameId] = launch.slice(7);
      const shared = [megabytes(num(staticShared)), megabytes(num(dynamicShared))];
      const place = [deviceName(num(deviceId)), context!, null, stream!, nameOf(nameId)];
      return [start!, duration!, correlation!, ...launch.slice(0, 7), ...shared, null, null, null, null, ...place];
    }),
    ...operations.map((row) => {
      const [start, duration, correlation, deviceId, context, stream, bytes, source, target, kind] = row;
      const size = megabytes(num(bytes));
      const throughput = num(duration) > 0 ? (size / num(duration)) * 1e9 : 0;
      const kinds = [memoryKindName(source as number), target === null ? null : memoryKindName(target as number)];
      const name = kind === null ? memsetName : memcpyName(num(kind));
      const place = [deviceName(num(deviceId)), context!, null, stream!, name];
      return [start!, duration!, correlation!, ...noLaunch, size, throughput, ...kinds, ...place];
    }),
  ];
  return rows.sort((a, b) => num(a[0]) - num(b[0]));
}

/** A launch as API call and kernel together; `queue` is null where the kernel started before the call came back. */
interface KernelExecution {
  apiStart: number;
  apiDuration: number;
  queue: number | null;
  kernelStart: number;
  kernelDuration: number;
  total: number;
  pid: number;
  tid: number;
  device: number;
  api: string;
  kernel: string;
  grid: string;
  block: string;
}

function kernelExecutions(trace: Trace): KernelExecution[] {
  // A launch can be there as a call of the runtime and one of the driver; with more of each id it would be any number of rows.
  const [launches] = trace.query('SELECT count(*) FROM SIMSIGHT_EVENTS_KERNEL');
  const most = 4 * num(launches![0]) + 1000;
  // Correlation ids are unique within a process only.
  const rows = trace.query(
    `SELECT r.start, r.end, k.start, k.end, r.globalTid, k.deviceId, r.nameId,
       k.demangledName, gridX, gridY, gridZ, blockX, blockY, blockZ
     FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r
       ON r.correlationId = k.correlationId AND r.globalTid >> 24 = k.globalPid >> 24
     LIMIT ?`,
    most + 1,
  );
  if (rows.length > most)
    throw damaged(
      trace.path,
      'more launches belong to the same calls, by their correlation ids, than there are launches',
    );
  rows.sort((a, b) => num(a[0]) - num(b[0]) || num(a[2]) - num(b[2]));
  const nameOf = nameById(trace);
  const triple = (cells: Row): string => cells.map((cell) => String(cell).padStart(4)).join(' ');
  return rows.map((row) => {
    const [apiStart, apiEnd, kernelStart, kernelEnd, globalTid, device] = row.slice(0, 6).map(num) as number[];
    return {
      apiStart: apiStart!,
      apiDuration: apiEnd! - apiStart!,
      queue: kernelStart! > apiEnd! ? kernelStart! - apiEnd! : null,
      kernelStart: kernelStart!,
      kernelDuration: kernelEnd! - kernelStart!,
      total: Math.max(apiEnd!, kernelEnd!) - apiStart!,
      pid: pidOf(globalTid!),
      tid: tidOf(globalTid!),
      device: device!,
      api: apiName(String(nameOf(row[6]))),
      kernel: String(nameOf(row[7])),
      grid: triple(row.slice(8, 11)),
      block: triple(row.slice(11, 14)),
    };
  });
}

function kernelExecutionSummary(trace: Trace): ReportTable['rows'] {
  const groups = new Map<string, KernelExecution[]>();
  const numbers = new Map<string, number>();
  const numberOf = (name: string): number => numbers.get(name) ?? numbers.set(name, numbers.size).size - 1;
  for (const execution of kernelExecutions(trace)) {
    const { pid, tid, device, api, kernel } = execution;
    const key = [pid, tid, device, numberOf(api), numberOf(kernel)].join(' ');
    const group = groups.get(key);
    if (group) group.push(execution);
    else groups.set(key, [execution]);
  }
  const rows = [...groups.values()].map((group) => {
    const first = group[0]!;
    const figures = (values: number[]): (number | null)[] =>
      values.length > 0 ? statistics(summarize(Float64Array.from(values))) : [null, null, null, null, null];
    const queued = group.flatMap(({ queue }) => (queue === null ? [] : [queue]));
    const total = group.reduce((sum, execution) => sum + execution.total, 0);
    const cells = [
      ...[first.pid, first.tid, first.device, group.length, queued.length],
      ...figures(group.map((execution) => execution.total)),
      ...figures(group.map(({ apiDuration }) => apiDuration)),
      ...figures(queued),
      ...figures(group.map(({ kernelDuration }) => kernelDuration)),
      ...[first.api, first.kernel],
    ];
    return { total, cells };
  });
  return rows.sort((a, b) => b.total - a.total).map(({ cells }) => cells);
}

const statisticsOf = (letter: string): Column[] =>
  columns('nanoseconds', ...['Avg', 'Med', 'Min', 'Max', 'StdDev'].map((figure) => `${letter}${figure} (ns)`));

/** Bytes that moved each way and page faults, by range of 2 MiB: the unit in which the driver manages memory. */
function unifiedMemory(
  trace: Trace,
): Map<number, { toDevice: number; toHost: number; cpu: number; gpu: number; ns: number }> {
  const ranges = new Map<number, { toDevice: number; toHost: number; cpu: number; gpu: number; ns: number }>();
  const at = (address: number) => {
    const start = address - (address % unifiedRangeBytes);
    let found = ranges.get(start);
    if (!found) ranges.set(start, (found = { toDevice: 0, toHost: 0, cpu: 0, gpu: 0, ns: 0 }));
    return found;
  };
  const moves = trace.query(
    `SELECT virtualAddress, bytes, copyKind, end - start FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind IN (11, 12)`,
  );
  for (const [address, bytes, kind, duration] of moves.map((row) => row.map(num)) as number[][]) {
    at(address!)[kind === migrationKinds['host-to-device'] ? 'toDevice' : 'toHost'] += bytes!;
    at(address!).ns += duration!;
  }
  const gpu = trace.query('SELECT address, numberOfPageFaults FROM CUDA_UM_GPU_PAGE_FAULT_EVENTS');
  for (const [address, count] of gpu) at(num(address)).gpu += num(count);
  for (const [address] of trace.query('SELECT address FROM CUDA_UM_CPU_PAGE_FAULT_EVENTS')) at(num(address)).cpu++;
  return new Map([...ranges].sort(([a], [b]) => a - b));
}
const unifiedRangeBytes = 2 << 20;

function unifiedMemoryTotal(trace: Trace): ReportTable['rows'] {
  const ranges = unifiedMemory(trace);
  if (ranges.size === 0) return [];
  const sum = (of: 'toDevice' | 'toHost' | 'cpu' | 'gpu'): number =>
    [...ranges.values()].reduce((all, each) => all + each[of], 0);
  const starts = [...ranges.keys()];
  const moved = [megabytes(sum('toDevice')), megabytes(sum('toHost'))];
  return [[...moved, sum('cpu'), sum('gpu'), formatAddress(starts[0]!), formatAddress(starts.at(-1)!)]];
}

const nsysReports: Readonly<Record<string, Report>> = {
  cuda_api_sum: {
    title: 'CUDA API Summary',
    columns: [...timeSummary('Num Calls'), ...columns('text', 'Name')],
    rows: (trace) => summaryRows(apiCalls(trace)).map(([name, cells]) => [...cells, name]),
  },
  cuda_api_trace: {
    title: 'CUDA API Trace',
    columns: [
      ...columns('nanoseconds', 'Start (ns)', 'Duration (ns)'),
      ...columns('text', 'Name'),
      ...columns('integer', 'Result', 'CorrID', 'Pid', 'Tid', 'T-Pri'),
      ...columns('text', 'Thread Name'),
    ],
    rows: (trace) => {
      const nameOf = nameById(trace);
      const threads = new Map(
        trace
          .query('SELECT globalTid, priority, nameId FROM ThreadNames')
          .map(([tid, ...more]) => [tid, more] as const),
      );
      return trace
        .query(
          `SELECT start, end - start, nameId, returnValue, correlationId, globalTid
           FROM CUPTI_ACTIVITY_KIND_RUNTIME ORDER BY start`,
        )
        .map(([start, duration, name, result, correlation, tid]) => {
          const [priority = null, thread = null] = threads.get(tid!) ?? [];
          return [
            ...[start!, duration!, apiName(String(nameOf(name))), result!, correlation!],
            ...[pidOf(num(tid)), tidOf(num(tid)), priority, nameOf(thread)],
          ];
        });
    },
  },
  cuda_gpu_kern_sum: {
    title: 'CUDA GPU Kernel Summary',
    columns: [...timeSummary('Instances'), ...columns('text', 'Name')],
    rows: (trace) => summaryRows(kernels(trace)).map(([name, cells]) => [...cells, name]),
  },
  osrt_sum: {
    title: 'OS Runtime Summary',
    columns: [...timeSummary('Num Calls'), ...columns('text', 'Name')],
    rows: (trace) => summaryRows(osCalls(trace)).map(([name, cells]) => [...cells, name]),
  },
  nvtx_sum: {
    title: 'NVTX Range Summary',
    columns: [...timeSummary('Instances'), ...columns('text', 'Style', 'Range')],
    rows: (trace) => summaryRows(nvtxRanges(trace)).map(([name, cells]) => [...cells, ...styleAndRange(name)]),
  },
  cuda_gpu_mem_time_sum: {
    title: 'CUDA GPU MemOps Summary (by Time)',
    columns: [...timeSummary('Count'), ...columns('text', 'Operation')],
    rows: (trace) => {
      const operations = memoryOperations(trace).map(({ name, duration }) => [name, duration] as const);
      return summaryRows(operations).map(([name, cells]) => [...cells, name]);
    },
  },
  cuda_gpu_mem_size_sum: {
    title: 'CUDA GPU MemOps Summary (by Size)',
    columns: [
      ...columns('number', 'Total (MB)'),
      ...columns('integer', 'Count'),
      ...columns('number', 'Avg (MB)', 'Med (MB)', 'Min (MB)', 'Max (MB)', 'StdDev (MB)'),
      ...columns('text', 'Operation'),
    ],
    rows: (trace) =>
      summarizeBy(memoryOperations(trace).map(({ name, bytes }) => [name, megabytes(bytes)] as const)).map(
        ([name, summary]) => [summary.total, summary.count, ...statistics(summary), name],
      ),
  },
  cuda_gpu_sum: {
    title: 'CUDA GPU Summary (Kernels/MemOps)',
    columns: [...timeSummary('Instances'), ...columns('text', 'Category', 'Operation')],
    rows: (trace) => {
      const operations = memoryOperations(trace).map(({ name, duration }) => [name, duration] as const);
      const isOperation = new Set(operations.map(([name]) => name));
      return summaryRows([...kernels(trace), ...operations]).map(([name, cells]) => [
        ...cells,
        isOperation.has(name) ? 'MEMORY_OPER' : 'CUDA_KERNEL',
        name,
      ]);
    },
  },
  cuda_gpu_trace: {
    title: 'CUDA GPU Trace',
    columns: [
      ...columns('nanoseconds', 'Start (ns)', 'Duration (ns)'),
      ...columns('integer', 'CorrId', 'GrdX', 'GrdY', 'GrdZ', 'BlkX', 'BlkY', 'BlkZ', 'Reg/Trd'),
      ...columns('number', 'StcSMem (MB)', 'DymSMem (MB)', 'Bytes (MB)', 'Throughput (MB/s)'),
      ...columns('text', 'SrcMemKd', 'DstMemKd', 'Device'),
      ...columns('integer', 'Ctx', 'GreenCtx', 'Strm'),
      ...columns('text', 'Name'),
    ],
    rows: gpuTrace,
  },
  cuda_kern_exec_sum: {
    title: 'CUDA Kernel Launch & Exec Time Summary',
    columns: [
      ...columns('integer', 'PID', 'TID', 'DevId', 'Count', 'QCount'),
      ...['T', 'A', 'Q', 'K'].flatMap(statisticsOf),
      ...columns('text', 'API Name', 'Kernel Name'),
    ],
    rows: kernelExecutionSummary,
  },
  um_sum: {
    title: 'Unified Memory Analysis Summary',
    columns: [
      ...columns('text', 'Virtual Address'),
      ...columns('number', 'HtoD Migration Size (MB)', 'DtoH Migration Size (MB)'),
      ...columns('integer', 'CPU Page Faults', 'GPU PageFaults'),
      ...columns('number', 'Migration Throughput (MB/s)'),
    ],
    rows: (trace) =>
      [...unifiedMemory(trace)].map(([address, { toDevice, toHost, cpu, gpu, ns }]) => [
        ...[formatAddress(address), megabytes(toDevice), megabytes(toHost), cpu, gpu],
        ns > 0 ? (megabytes(toDevice + toHost) / ns) * 1e9 : 0,
      ]),
  },
  um_total_sum: {
    title: 'Unified Memory Totals Summary',
    columns: [
      ...columns('number', 'Total HtoD Migration Size (MB)', 'Total DtoH Migration Size (MB)'),
      ...columns('integer', 'Total CPU Page Faults', 'Total GPU PageFaults'),
      ...columns('text', 'Minimum Virtual Address', 'Maximum Virtual Address'),
    ],
    rows: unifiedMemoryTotal,
  },
  um_cpu_page_faults_sum: {
    title: 'Unified Memory CPU Page Faults Summary',
    columns: [...columns('integer', 'CPU Page Faults'), ...columns('text', 'CPU Instruction Address')],
    // Recordings of Simsight do not say which instruction it was.
    rows: (trace) =>
      trace
        .query(
          `SELECT count(*), originalFaultPc FROM CUDA_UM_CPU_PAGE_FAULT_EVENTS GROUP BY originalFaultPc
           ORDER BY count(*) DESC, originalFaultPc`,
        )
        .map(([count, address]) => [count!, address === null ? null : formatAddress(num(address))]),
  },
  cuda_kern_exec_trace: {
    title: 'CUDA Kernel Launch & Exec Time Trace',
    columns: [
      ...columns('nanoseconds', 'API Start (ns)', 'API Dur (ns)', 'Queue Start (ns)', 'Queue Dur (ns)'),
      ...columns('nanoseconds', 'Kernel Start (ns)', 'Kernel Dur (ns)', 'Total Dur (ns)'),
      ...columns('integer', 'PID', 'TID', 'DevId'),
      ...columns('text', 'API Function', 'GridXYZ', 'BlockXYZ', 'Kernel Name'),
    ],
    rows: (trace) =>
      kernelExecutions(trace).map((e) => [
        ...[e.apiStart, e.apiDuration, e.queue === null ? null : e.apiStart + e.apiDuration, e.queue],
        ...[e.kernelStart, e.kernelDuration, e.total, e.pid, e.tid, e.device],
        ...[e.api, e.grid, e.block, e.kernel],
      ]),
  },
};

const reports: Readonly<Record<string, Report>> = {
  ...nsysReports,
  simsight_kernel_lines: {
    title: 'Kernels by Source Line',
    columns: lineColumns,
    rows: lineRows,
  },
  simsight_kernel_instructions: {
    title: 'Kernels by Machine Instruction',
    columns: instructionColumns,
    rows: instructionRows,
  },
  simsight_benchmark: {
    title: 'Kernels as Benchmarks: Median, Spread, Outliers',
    columns: benchmarkColumns,
    rows: (trace, { warmUp }) => benchmarkRows(trace, warmUp),
  },
  simsight_failures: {
    title: 'Kernels that did not come to their end, launches that were refused',
    columns: [
      ...columns('text', 'Name', 'Error'),
      ...columns('nanoseconds', 'Start (ns)'),
      ...columns('text', 'File'),
      ...columns('integer', 'Line', 'CorrID'),
      ...columns('text', 'Message'),
    ],
    rows: (trace) =>
      trace.query(
        `SELECT s.value, f.errorName, coalesce(k.start, r.start), f.file, f.line, f.correlationId, f.message
         FROM SIMSIGHT_FAILURES f LEFT JOIN StringIds s ON s.id = f.nameId
         LEFT JOIN CUPTI_ACTIVITY_KIND_KERNEL k ON k.rowid = f.kernel
         LEFT JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON f.kernel IS NULL AND r.correlationId = f.correlationId
         ORDER BY f.id`,
      ),
  },
  simsight_kernel_recorded: {
    title: 'What Is Recorded of Kernels',
    columns: recordedColumns,
    rows: recordedRows,
  },
};

export const reportNames: readonly string[] = Object.keys(reports);
export const reportTitle = (name: string): string => reports[name]?.title ?? name;
