/**
 * A trace in Chrome's JSON trace event format, as Perfetto reads it (perfetto.dev/docs/getting-started/other-formats).
 * Categories, arguments and arrows are called what Kineto, PyTorch's profiler, calls them, so that scripts for its traces
 * work here.
 *
 *   await writeChromeTrace(file, 'out.json.gz');
 *
 * Slices of one thread have to nest there, so a row whose events overlap becomes as many threads as it has lanes, and a GPU
 * is a process whose streams are threads. Everything is read in order of time and written as it comes: memory does not grow
 * with the trace.
 */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import {
  apiName,
  copyName,
  eventClasses,
  faultAccessName,
  isMigration,
  memoryKindName,
  migrationCauseName,
  none,
  nvtxShown,
  nvtxStyle,
  nvtxText,
  nvtxTypes,
  pidOf,
  processOf,
  syncName,
  syncTypes,
  tidOf,
} from '../trace/codes.ts';
import { devicesOfContexts, type DeviceOfContext } from '../trace/contexts.ts';
import { namesByDevice } from '../trace/gpu-names.ts';
import type { TraceFile } from '../trace/open-file.ts';
import { reading } from './export-target.ts';
import type { Row } from '../trace/trace.ts';
import { eventTables } from '../trace/tracks.ts';

/** Characters per piece that goes to the file. */
const pieceLength = 65536;
/**
 * Threads that a row becomes at most, and events that a rate is the sum of. A GPU works on some hundred things at a time; a file can say
 * that all of its events overlap, and each is looked at for each other.
 */
const [mostLanes, mostActive] = [2048, 2048];
/** Names are written with each event: longer ones, which no compiler makes, are cut. */
const longestName = 16_384;
/** Ids of processes and threads that are none of an operating system: Linux has them up to 2^22. */
const firstOwnId = 2 ** 22;

/** Compressed where the name ends in `.gz`. */
export async function writeChromeTrace(file: TraceFile, path: string, compressed: boolean): Promise<void> {
  await reading(file, async () => {
    const pieces = Readable.from(inPieces(chromeTrace(file)));
    if (compressed) await pipeline(pieces, createGzip(), createWriteStream(path));
    else await pipeline(pieces, createWriteStream(path));
  });
}

function* inPieces(lines: Iterable<string>): Generator<string> {
  let piece = '';
  for (const line of lines) {
    piece += line;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

function* chromeTrace(file: TraceFile): Generator<string> {
  const facts = file.db.prepare('SELECT name, value FROM SIMSIGHT_RECORDING').raw().all() as [string, string | null][];
  const shown = new Set(['engineVersion', 'title', 'program', 'gpuId', 'complete', 'importedFrom']);
  const otherData = Object.fromEntries(facts.filter(([name]) => shown.has(name)));
  yield `{"displayTimeUnit":"ns","otherData":${JSON.stringify(otherData)},"traceEvents":[`;
  let separator = '\n';
  const events = new ChromeEvents(file);
  for (const line of events.all()) {
    yield separator + line;
    separator = ',\n';
  }
  yield events.leftOut === 0 ? '\n]}\n' : `\n],"notice":${JSON.stringify(leftOutText(events.leftOut))}}\n`;
}

const leftOutText = (count: number): string =>
  `${count} events were left out: more than ${mostLanes} of their row run at the same time.`;

/** A row of the timeline, and the threads that it became. */
interface TimelineRow {
  pid: number;
  title: string;
  /** Rows of a process from top to bottom. */
  order: number;
  /** True if an event within another one is shown below it, as calls are; else it is on a thread of its own. */
  nests: boolean;
  /** Each lane's thread, and the ends of what is open on it, the innermost last. */
  lanes: { tid: number; open: number[] }[];
}

interface Slice {
  row: TimelineRow;
  category: string;
  name: string;
  start: number;
  end: number;
  arguments: Record<string, unknown>;
  /** The API call that caused it, for the arrow. */
  call?: { pid: number; tid: number; start: number };
}

type Fields = Record<string, unknown>;

interface GpuRates {
  pid: number;
  dram: Rate;
  copies: Map<string, Rate>;
}

class ChromeEvents {
  private readonly file: TraceFile;
  private readonly strings: ReadonlyMap<unknown, string>;
  private readonly tables: ReadonlySet<string>;
  private readonly rows = new Map<string, TimelineRow>();
  /** Processes that have work on a device, where they are several: each has rows of its own. */
  private readonly sharing: ReadonlySet<number>;
  private readonly deviceOf: DeviceOfContext;
  /** Ranges are what threads did, each with a category. */
  private readonly areThreads: boolean;
  private readonly gpus = new Map<number, GpuRates>();
  /** Those whose rates are still to change, and when the first of them does. */
  private readonly moving = new Set<GpuRates>();
  private nextChange = Infinity;
  /** Events that overlap more others than there are rows for. */
  leftOut = 0;
  private nextId = firstOwnId;
  private arrows = 0;

  constructor(file: TraceFile) {
    this.file = file;
    const { db } = file;
    const texts = db.prepare('SELECT id, value FROM StringIds').raw().all() as [number, string][];
    this.strings = new Map(
      texts.map(([id, text]) => [
        id,
        String(text).length > longestName ? `${String(text).slice(0, longestName)}…` : text,
      ]),
    );
    this.tables = new Set(db.prepare('SELECT name FROM sqlite_schema').pluck().all() as string[]);
    this.deviceOf = devicesOfContexts((sql) => [...this.query(sql)]);
    const [[rangesOf = ''] = []] = this.query("SELECT value FROM SIMSIGHT_RECORDING WHERE name = 'rangesOf'");
    this.areThreads = rangesOf === 'threads';
    this.sharing = this.sharedDevices();
  }

  *all(): Generator<string> {
    yield* this.processes();
    yield* this.apiCalls();
    yield* this.slices(this.ranges());
    yield* this.slices(this.osCalls());
    yield* this.slices(this.hostFaults());
    yield* this.slices(
      merge(this.kernels(), this.copies(), this.memsets(), this.graphs(), this.waits(), this.gpuFaults()),
    );
    yield* this.counters(Infinity);
  }

  private *processes(): Generator<string> {
    for (const [globalPid, name] of this.query('SELECT globalPid, name FROM PROCESSES')) {
      const pid = pidOf(Number(globalPid));
      yield metadata('process_name', pid, { name: name ?? `Process ${pid}` });
      yield metadata('process_sort_index', pid, { sort_index: 0 });
    }
    const names = namesByDevice((sql) => this.query(sql));
    for (const [device, name] of [...names].sort(([a], [b]) => a - b)) {
      const { pid } = this.gpu(device);
      yield metadata('process_name', pid, { name: `${name} (${device})` });
      yield metadata('process_labels', pid, { labels: `GPU ${device}` });
      yield metadata('process_sort_index', pid, { sort_index: 1 + device });
    }
  }

  private sharedDevices(): Set<number> {
    const work = (['KERNEL', 'MEMCPY', 'MEMSET'] as const)
      .map((name) => `SELECT deviceId, globalPid FROM SIMSIGHT_SHAPES_${name}`)
      .join(' UNION ');
    const shared = this.query(`SELECT deviceId FROM (${work}) GROUP BY deviceId HAVING count(*) > 1`);
    return new Set([...shared].map(([device]) => Number(device)));
  }

  private *apiCalls(): Generator<string> {
    const columns = 'start, end, globalTid, correlationId, nameId, returnValue, eventClass';
    const sql = `SELECT ${columns} FROM ${eventTables.api} ${inOrder}`;
    for (const [start, end, globalTid, correlation, nameId, result, eventClass] of this.query(sql)) {
      if (!isRange(start, end)) continue;
      const row = this.threadRow('CUDA API', Number(globalTid), 1, tidOf(Number(globalTid)));
      const args = { correlation, 'return value': result };
      yield* this.slice({
        ...{ row, category: eventClass === eventClasses.driver ? 'cuda_driver' : 'cuda_runtime' },
        name: apiName(this.string(nameId)),
        ...{ start: start as number, end: end as number, arguments: args },
      });
    }
  }

  private *ranges(): Generator<Slice> {
    const sql = `SELECT start, coalesce(end, start) AS end, globalTid, text, textId, eventType, domainId
      FROM NVTX_EVENTS WHERE eventType IN (${nvtxShown.join(', ')}) ORDER BY start, end DESC`;
    if (!this.tables.has('NVTX_EVENTS')) return;
    const made = `SELECT domainId, ${nvtxText} FROM NVTX_EVENTS WHERE eventType = ${nvtxTypes['domain-create']}`;
    const domains = new Map([...this.query(made)].map(([id, name]) => [id, name]));
    for (const [start, end, globalTid, own, textId, type, domain] of this.query(sql)) {
      if (!isRange(start, end)) continue;
      const text = own === null ? (this.strings.get(textId) ?? '') : String(own);
      const row = this.threadRow('NVTX', Number(globalTid), 0);
      const args = { style: nvtxStyle(Number(type)), ...(domains.has(domain) ? { domain: domains.get(domain) } : {}) };
      yield {
        ...{ row, category: this.categoryOf(domains.get(domain)), name: text.slice(0, longestName) },
        ...{ start: start as number, end: end as number, arguments: args },
      };
    }
  }

  /** As Kineto has them: what was recorded with a category keeps it, and ranges of NVTX are annotations. */
  private categoryOf(domain: unknown): string {
    return this.areThreads && typeof domain === 'string' && domain !== '' ? domain : 'user_annotation';
  }

  private *osCalls(): Generator<Slice> {
    if (!this.tables.has('OSRT_API')) return;
    const sql = `SELECT start, end, globalTid, nameId, returnValue FROM OSRT_API ${inOrder}`;
    for (const [start, end, globalTid, nameId, result] of this.query(sql)) {
      if (!isRange(start, end)) continue;
      const row = this.threadRow('OS runtime', Number(globalTid), 2);
      const args = { 'return value': result };
      yield {
        ...{ row, category: 'os_runtime', name: this.string(nameId) },
        ...{ start: start as number, end: end as number, arguments: args },
      };
    }
  }

  private *hostFaults(): Generator<Slice> {
    if (!this.tables.has('SIMSIGHT_CPU_PAGE_FAULTS')) return;
    const sql = `SELECT t.start, coalesce(w.end, t.start) AS end, t.globalPid, t.address, w.accessType
      FROM ${eventTables['cpu-page-fault']} t LEFT JOIN SIMSIGHT_CPU_PAGE_FAULTS w ON w.fault = t.rowid
      ORDER BY 1, 2 DESC`;
    for (const [start, end, globalPid, address, access] of this.query(sql)) {
      if (!isRange(start, end)) continue;
      const row = this.row(pidOf(Number(globalPid)), 'CPU page faults', 3);
      yield {
        ...{ row, category: 'page_fault', name: `${faultAccessName(Number(access ?? 0))} fault` },
        ...{ start: start as number, end: end as number, arguments: { address } },
      };
    }
  }

  private *kernels(): Generator<Slice> {
    const metrics = this.query(
      "SELECT id FROM StringIds WHERE value IN ('dram__bytes_read.sum', 'dram__bytes_write.sum')",
    );
    const traffic = `SELECT sum(m.value) FROM SIMSIGHT_KERNEL_METRICS m
      WHERE m.kernel = t.rowid AND m.nameId IN (${[...metrics].map(([id]) => id).join(', ')})`;
    const columns = `shortName, demangledName, gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread,
      staticSharedMemory, dynamicSharedMemory, graphId, graphNodeId, (${traffic})`;
    for (const { work, rest } of this.deviceWork('kernel', columns)) {
      const [short, full, gridX, gridY, gridZ, blockX, blockY, blockZ, registers, fixed, dynamic, ...more] = rest;
      const [graphId, graphNodeId, bytes] = more;
      const name = this.string(short);
      const gpu = this.gpu(work.device);
      if (bytes !== null) this.move(gpu, gpu.dram, work, Number(bytes));
      yield {
        ...work.slice,
        category: 'kernel',
        name,
        arguments: {
          ...work.slice.arguments,
          ...(this.string(full) === name ? {} : { 'full name': this.string(full) }),
          grid: [gridX, gridY, gridZ],
          block: [blockX, blockY, blockZ],
          'registers per thread': registers,
          'shared memory': Number(fixed) + Number(dynamic),
          ...(bytes === null ? {} : { 'DRAM bytes': bytes }),
          ...graphFields(graphId, graphNodeId),
        },
      };
    }
  }

  private *copies(): Generator<Slice> {
    const engine = '(SELECT engine FROM SIMSIGHT_COPY_ENGINES WHERE memcpy = t.rowid)';
    const columns = `copyKind, srcKind, dstKind, bytes, srcDeviceId, dstDeviceId, migrationCause, graphNodeId, ${engine}`;
    for (const { work, rest } of this.deviceWork('memcpy', columns)) {
      const [kind, source, target, bytes, from, to, cause, graphNodeId, copyEngine] = rest;
      const { short } = copyName(Number(kind));
      const migrates = isMigration(Number(kind));
      const memory = `${memoryKindName(source as number | null)} -> ${memoryKindName(target as number | null)}`;
      const gpu = this.gpu(work.device);
      const { copies } = gpu;
      let rate = copies.get(`${short} throughput`);
      if (!rate) copies.set(`${short} throughput`, (rate = new Rate()));
      this.move(gpu, rate, work, Number(bytes));
      yield {
        ...work.slice,
        ...(migrates ? { row: this.row(this.gpu(work.device).pid, 'Unified memory', 0) } : {}),
        category: 'gpu_memcpy',
        name: migrates ? short : `Memcpy ${short} (${memory})`,
        arguments: {
          ...work.slice.arguments,
          bytes,
          ...(work.end > work.start ? { 'memory bandwidth (GB/s)': Number(bytes) / (work.end - work.start) } : {}),
          ...(from === null ? {} : { fromDevice: from, toDevice: to }),
          ...(cause === null ? {} : { cause: migrationCauseName(Number(cause)) }),
          ...(copyEngine === null ? {} : { 'copy engine': copyEngine }),
          ...graphFields(null, graphNodeId),
        },
      };
    }
  }

  private *memsets(): Generator<Slice> {
    for (const { work, rest } of this.deviceWork('memset', 'bytes, value, graphNodeId')) {
      const [bytes, value, graphNodeId] = rest;
      const args = { ...work.slice.arguments, bytes, value, ...graphFields(null, graphNodeId) };
      yield { ...work.slice, category: 'gpu_memset', name: 'Memset', arguments: args };
    }
  }

  /** Launches of graphs; their nodes are on the rows of the streams that they ran on. */
  private *graphs(): Generator<Slice> {
    if (!this.tables.has(eventTables.graph)) return;
    for (const { work, rest } of this.deviceWork('graph', 'graphId')) {
      const row = this.streamRow(work, 'Graphs, stream', '', -0.5);
      const args = { ...work.slice.arguments, ...graphFields(rest[0], null) };
      yield { ...work.slice, row, category: 'graph', name: `Graph ${String(rest[0])}`, arguments: args };
    }
  }

  /** Waits of the host, and of streams for events. */
  private *waits(): Generator<Slice> {
    for (const { work, rest } of this.deviceWork('synchronization', 'syncType, eventId')) {
      const [type, event] = rest;
      const ofStream = type === syncTypes['stream-wait'] && work.stream !== none;
      const device = ofStream ? this.deviceOf(work.process, work.context, work.device) : work.device;
      const row = ofStream
        ? this.streamRow({ ...work, device }, 'Stream', ' (sync)', 0.5)
        : this.row(work.process % 2 ** 24, 'Synchronization', 2);
      const args = { ...work.slice.arguments, device, ...(event === none ? {} : { event }) };
      const { call: _, ...slice } = work.slice;
      yield { ...slice, row, category: 'cuda_sync', name: syncName(Number(type)), arguments: args };
    }
  }

  private *gpuFaults(): Generator<Slice> {
    if (!this.tables.has(eventTables['gpu-page-fault'])) return;
    const sql = `SELECT start, end, deviceId, address, numberOfPageFaults, faultAccessType
      FROM ${eventTables['gpu-page-fault']} ${inOrder}`;
    for (const [start, end, device, address, pages, access] of this.query(sql)) {
      if (!isRange(start, end)) continue;
      const row = this.row(this.gpu(Number(device)).pid, 'GPU page faults', 1);
      yield {
        ...{ row, category: 'page_fault', name: `${faultAccessName(Number(access))} faults` },
        ...{ start: start as number, end: end as number, arguments: { address, pages } },
      };
    }
  }

  /** The columns that tables of the GPU have in common, beside those asked for; the call is NULL where none is known. */
  private *deviceWork(kind: DeviceKind, columns: string): Generator<{ work: Work; rest: Row }> {
    const sql = `SELECT t.start, t.end, t.deviceId, t.contextId, t.streamId, t.globalPid, t.correlationId, r.globalTid, r.start,
        ${columns}
      FROM ${eventTables[kind]} t LEFT JOIN (${firstCalls}) r
        ON r.correlationId = t.correlationId AND r.process = t.globalPid >> 24
      ORDER BY t.start, t.end DESC, t.rowid`;
    for (const [
      start,
      end,
      device,
      context,
      stream,
      globalPid,
      correlation,
      globalTid,
      callStart,
      ...rest
    ] of this.query(sql)) {
      if (!isRange(start, end)) continue;
      const work = {
        ...{ start: start as number, end: end as number, device: Number(device), stream: Number(stream) },
        ...{ process: processOf(globalPid), context: Number(context) || 0 },
      };
      const inStream = work.stream === none ? {} : { stream };
      yield {
        work: {
          ...work,
          slice: {
            ...{ start: work.start, end: work.end },
            row: this.streamRow(work, 'Stream'),
            arguments: { device, context, ...inStream, ...(correlation ? { correlation } : {}) },
            ...(callStart === null
              ? {}
              : { call: { pid: pidOf(Number(globalTid)), tid: tidOf(Number(globalTid)), start: Number(callStart) } }),
          },
        },
        rest,
      };
    }
  }

  private *slices(found: Iterable<Slice>): Generator<string> {
    for (const slice of found) {
      yield* this.slice(slice);
      yield* this.counters(slice.start);
    }
  }

  /** Changes of rates before a time, GPU by GPU. Of thousands only those are looked at that move anything. */
  private *counters(until: number): Generator<string> {
    if (this.nextChange >= until) return;
    this.nextChange = Infinity;
    for (const gpu of [...this.moving].sort((a, b) => a.pid - b.pid)) {
      const rates = [['DRAM throughput', gpu.dram] as const, ...gpu.copies];
      let next = Infinity;
      for (const [name, rate] of rates) {
        if (rate.next < until) yield* this.counter(gpu.pid, name, rate, until);
        next = Math.min(next, rate.next);
      }
      this.nextChange = Math.min(this.nextChange, next);
      if (next === Infinity) this.moving.delete(gpu);
    }
  }

  private move(gpu: GpuRates, rate: Rate, work: { start: number; end: number }, bytes: number): void {
    rate.add(work, bytes);
    if (rate.next === Infinity) return;
    this.moving.add(gpu);
    this.nextChange = Math.min(this.nextChange, rate.next);
  }

  private *slice({ row, category, name, start, end, arguments: args, call }: Slice): Generator<string> {
    const { pid } = row;
    let lane = row.lanes.findIndex(({ open }) => {
      while (open.length > 0 && open.at(-1)! <= start) open.pop();
      return open.length === 0 || (row.nests && end <= open.at(-1)!);
    });
    if (lane < 0 && row.lanes.length < mostLanes) lane = row.lanes.push({ tid: this.nextId++, open: [] }) - 1;
    if (lane < 0) {
      this.leftOut++;
      return;
    }
    const { tid, open } = row.lanes[lane]!;
    if (!this.named.has(tid)) {
      this.named.add(tid);
      yield metadata('thread_name', pid, { name: row.title }, tid);
      yield metadata('thread_sort_index', pid, { sort_index: Math.round(10 * row.order) }, tid);
    }
    open.push(end);
    yield event({ ph: 'X', cat: category, name, pid, tid, args }, start, end - start);
    if (!call) return;
    // An arrow has one end, and a call may start many: each gets an arrow of its own.
    const arrow = { cat: 'ac2g', name: 'ac2g', id: ++this.arrows };
    yield event({ ph: 's', ...arrow, pid: call.pid, tid: call.tid }, call.start);
    yield event({ ph: 'f', bp: 'e', ...arrow, pid, tid }, start);
  }

  private readonly named = new Set<number>();

  private *counter(pid: number, name: string, rate: Rate, until: number): Generator<string> {
    for (const [time, value] of rate.changes(until)) {
      yield event({ ph: 'C', name, pid, args: { 'GB/s': value } }, time);
    }
  }

  private gpu(device: number): GpuRates {
    let gpu = this.gpus.get(device);
    if (!gpu) this.gpus.set(device, (gpu = { pid: this.nextId++, dram: new Rate(), copies: new Map() }));
    return gpu;
  }

  private row(pid: number, title: string, order: number, nests = false, tid?: number): TimelineRow {
    const key = `${pid} ${title} ${tid ?? ''}`;
    let row = this.rows.get(key);
    if (!row) {
      row = { pid, title, order, nests, lanes: tid === undefined ? [] : [{ tid, open: [] }] };
      this.rows.set(key, row);
    }
    return row;
  }

  private streamRow(
    { device, process, stream }: Omit<Work, 'slice'>,
    before: string,
    after = '',
    order = 0,
  ): TimelineRow {
    const of = this.sharing.has(device) ? `, process ${process % 2 ** 24}` : '';
    return this.row(this.gpu(device).pid, `${before} ${stream}${after}${of}`, streamOrder(stream) + order);
  }

  private threadRow(title: string, globalTid: number, order: number, tid?: number): TimelineRow {
    return this.row(pidOf(globalTid), `${title}, thread ${tidOf(globalTid)}`, order, true, tid);
  }

  private string(id: unknown): string {
    return String(this.strings.get(id) ?? '?');
  }

  private query(sql: string): Iterable<Row> {
    return this.file.db.prepare(sql).raw().iterate() as Iterable<Row>;
  }
}

type DeviceKind = 'kernel' | 'memcpy' | 'memset' | 'graph' | 'synchronization';

interface Work {
  start: number;
  end: number;
  device: number;
  process: number;
  context: number;
  stream: number;
  slice: Omit<Slice, 'category' | 'name'>;
}

const inOrder = 'ORDER BY start, end DESC';
/** One call per correlation id: a call may be there as one of the runtime and one of the driver, and in a file all may have the same. */
const firstCalls = `SELECT correlationId, globalTid >> 24 AS process, globalTid, start, min(rowid)
  FROM ${eventTables.api} WHERE correlationId IS NOT NULL GROUP BY 1, 2`;
const isTime = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 2 ** 53;
const isRange = (start: unknown, end: unknown): boolean => isTime(start) && isTime(end) && start <= end;

/** Streams stand below what a GPU has beside them, in the order of their numbers. */
const streamOrder = (stream: number): number => 2 + Math.min(stream, 2 ** 24);

const graphFields = (graphId: unknown, graphNodeId: unknown): Fields => ({
  ...(graphId === null ? {} : { 'graph id': graphId }),
  ...(graphNodeId === null ? {} : { 'graph node id': graphNodeId }),
});

/** Several sequences in order of start as one. */
function* merge(...sequences: Generator<Slice>[]): Generator<Slice> {
  try {
    const heads = sequences.map((sequence) => ({ sequence, head: sequence.next() }));
    for (;;) {
      let first: (typeof heads)[number] | undefined;
      for (const each of heads) {
        if (!each.head.done && (!first || each.head.value.start < (first.head.value as Slice).start)) first = each;
      }
      if (!first) return;
      yield first.head.value as Slice;
      first.head = first.sequence.next();
    }
  } finally {
    // Where one fails, the others would keep the database busy.
    for (const sequence of sequences) sequence.return(undefined);
  }
}

/** Bytes per time of all that goes on at once, from events in order of start. */
class Rate {
  private active: { end: number; rate: number }[] = [];
  private starts: { start: number; end: number; rate: number }[] = [];
  /** When it changes; infinite where it does no more. */
  next = Infinity;

  add({ start, end }: { start: number; end: number }, bytes: number): void {
    if (!(end > start && bytes > 0)) return;
    this.starts.push({ start, end, rate: bytes / (end - start) });
    this.next = Math.min(this.next, start);
  }

  /** Times before `until` at which it changes, with what it is from then on: GB/s, which is bytes per nanosecond. */
  *changes(until: number): Generator<[number, number]> {
    let begun = 0;
    while (this.next < until) {
      const { next } = this;
      this.active = this.active.filter(({ end }) => end > next);
      for (; this.starts[begun]?.start === next; begun++)
        if (this.active.length < mostActive) this.active.push(this.starts[begun]!);
      this.next = this.active.reduce((first, { end }) => Math.min(first, end), this.starts[begun]?.start ?? Infinity);
      // Summed anew each time: no rest stays behind.
      yield [next, this.active.reduce((sum, { rate }) => sum + rate, 0)];
    }
    if (begun > 0) this.starts = this.starts.slice(begun);
  }
}

const metadata = (name: string, pid: number, args: Fields, tid?: number): string =>
  JSON.stringify({ ph: 'M', name, pid, ...(tid === undefined ? {} : { tid }), args });

/** Times are microseconds there; written as text, they stay exact to the nanosecond. */
function event(fields: Fields, start: number, duration?: number): string {
  const times = `,"ts":${microseconds(start)}${duration === undefined ? '' : `,"dur":${microseconds(duration)}`}`;
  return `${JSON.stringify(fields).slice(0, -1)}${times}}`;
}

function microseconds(ns: number): string {
  const rest = ns % 1000;
  return `${(ns - rest) / 1000}${rest === 0 ? '' : `.${String(rest).padStart(3, '0')}`}`;
}
