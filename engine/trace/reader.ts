/**
 * An opened trace: what is in it, what is to be drawn, all about one event.
 *
 *   const trace = openTrace('out.simsight');
 *   trace.info.tracks;                                        // the rows of the timeline
 *   trace.window([3, 4], 0, 1e6, 1000);                       // their events in the first millisecond, 1 µs per pixel
 *   trace.event({ kind: 'kernel', row: 17 });
 *   trace.close();
 *
 * The file is only ever read. Times and ids of all events are kept in typed arrays (some 40 bytes per event), names and
 * details stay in the file.
 */
import type { Statement } from 'better-sqlite3';
import { basename } from 'node:path';
import type {
  ConsoleLine,
  EventDetails,
  EventKind,
  EventRef,
  TraceInfo,
  Track,
  TrackKind,
  TrackWindow,
} from '../api/types.ts';
import { eventKinds } from '../api/types.ts';
import { SimsightError } from '../base/errors.ts';
import type { GpuDescription } from '../gpus/types.ts';
import {
  apiName,
  copyName,
  faultAccessName,
  hasTable,
  isMigration,
  memoryKindName,
  none,
  nullStreamId,
  nvtxShown,
  nvtxText,
  streamFlags,
  syncName,
  syncTypes,
  tidOf,
} from './codes.ts';
import { describeEvent } from './event-details.ts';
import { EventQueries } from './event-queries.ts';
import { openTraceFile, type TraceFile } from './open-file.ts';
import { gpuOf, type Row, type Trace, type TraceFacts } from './trace.ts';
import { busyTime, TrackEventList, TrackEvents } from './track-events.ts';
import { eventTables, trackKeys } from './tracks.ts';
import { formatPercent } from './units.ts';

const kindNumber = Object.fromEntries(eventKinds.map((kind, index) => [kind, index])) as Record<EventKind, number>;

export type { Row, Trace, TraceFacts } from './trace.ts';

export function openTrace(path: string): Trace {
  const file = openTraceFile(path);
  try {
    return file.guarded(() => new OpenTrace(path, file));
  } catch (error) {
    file.close();
    throw error;
  }
}

class OpenTrace implements Trace {
  readonly path: string;
  readonly info: TraceInfo;
  readonly facts: TraceFacts;
  private readonly file: TraceFile;
  /** Prepared once: all queries are ours, and few. */
  private readonly statements = new Map<string, Statement>();
  private readonly labels: string[];
  private readonly events = new Map<number, TrackEvents>();
  private readonly trackOfKey = new Map<string, number>();
  readonly queries: EventQueries;

  constructor(path: string, file: TraceFile) {
    this.path = path;
    this.file = file;
    this.facts = readFacts(this);
    const loaded = loadEvents(this, file.db);
    this.labels = loaded.labels;
    const lists = new Map<string, TrackEvents>();
    for (const [key, list] of loaded.lists) lists.set(key, new TrackEvents(list));

    const notices = this.query('SELECT text FROM SIMSIGHT_NOTICES ORDER BY id').map((row) => String(row[0]));
    if (!this.facts.complete) {
      notices.unshift('The recording was cut short: what happened after the last event shown is not in this trace.');
    }
    if (loaded.skipped > 0) {
      notices.push(`${loaded.skipped} events were left out because their times cannot be read.`);
    }
    const consoleEnd = Number(this.query('SELECT max(time) FROM SIMSIGHT_CONSOLE')[0]?.[0] ?? 0);
    let durationNs = Number.isFinite(consoleEnd) ? Math.max(consoleEnd, 0) : 0;
    for (const list of lists.values()) durationNs = Math.max(durationNs, list.endNs);

    this.info = {
      traceId: 0,
      path,
      title: this.facts.title || basename(path),
      program: this.facts.program,
      gpu: machineName(this.facts),
      durationNs,
      eventCount: loaded.count,
      exitCode: this.facts.exitCode,
      complete: this.facts.complete,
      notices,
      tracks: this.buildTracks(lists, durationNs, loaded.deviceBusyNs),
    };
    this.queries = new EventQueries(this, this.events, loaded);
  }

  window(tracks: readonly number[], fromNs: number, toNs: number, resolutionNs: number): TrackWindow[] {
    return tracks.map((track) => {
      const events = this.events.get(track);
      if (events) return events.window(track, fromNs, toNs, resolutionNs, this.labels);
      if (this.info.tracks.some(({ id }) => id === track)) {
        return new TrackEvents(new TrackEventList()).window(track, fromNs, toNs, resolutionNs, this.labels);
      }
      throw new SimsightError('bad-request', `${this.path} has no track ${track}.`);
    });
  }

  event(ref: EventRef): EventDetails {
    return describeEvent(this, ref, (key) => this.trackOfKey.get(key) ?? 0);
  }

  console(): ConsoleLine[] {
    const written = this.query('SELECT time, stream, text FROM SIMSIGHT_CONSOLE ORDER BY id');
    return linesOf(
      written.map(([time, stream, text]) => ({
        timeNs: Number(time),
        stream: stream === 2 ? 'stderr' : 'stdout',
        text: String(text),
      })),
    );
  }

  sources(): { path: string; text: string }[] {
    const rows = this.query('SELECT path, text FROM SIMSIGHT_SOURCES ORDER BY id');
    return rows.map(([path, text]) => ({ path: String(path), text: String(text) }));
  }

  query(sql: string, ...parameters: (string | number)[]): Row[] {
    return this.file.guarded(() => {
      let statement = this.statements.get(sql);
      if (!statement) this.statements.set(sql, (statement = this.file.db.prepare(sql).raw()));
      return statement.all(...parameters) as Row[];
    });
  }

  close(): void {
    this.file.close();
  }

  /** Rows from top to bottom: the process with its threads, then each GPU with kernels, copy engines and streams. */
  private buildTracks(
    lists: ReadonlyMap<string, TrackEvents>,
    durationNs: number,
    deviceBusyNs: ReadonlyMap<number, number>,
  ): Track[] {
    const tracks: Track[] = [];
    const share = (busyNs: number): number => (durationNs > 0 ? Math.min(busyNs / durationNs, 1) : 0);
    const group = (parent: number | null, kind: TrackKind, title: string, subtitle: string, busyNs = 0): Track => {
      const id = tracks.length;
      const track = { id, parent, kind, title, subtitle, lanes: 0, eventCount: 0, busy: share(busyNs) };
      tracks.push(track);
      return track;
    };
    const leaf = (parent: number, kind: TrackKind, title: string, key: string): number => {
      const events = lists.get(key);
      if (!events) return parent;
      const busy = share(events.busyNs);
      const track = group(parent, kind, title, `${formatPercent(100 * busy)} busy`, events.busyNs);
      track.lanes = events.laneCount;
      track.eventCount = events.count;
      this.events.set(track.id, events);
      this.trackOfKey.set(key, track.id);
      return track.id;
    };
    const keysOf = (start: string): number[] =>
      [...lists.keys()]
        .filter((key) => key.startsWith(start))
        .map((key) => Number(key.slice(start.length)))
        .sort((a, b) => a - b);

    const { program } = this.facts;
    const threads = keysOf('api ');
    const process = group(null, 'process', program || 'Process', this.facts.arguments.join(' '));
    for (const globalTid of keysOf('nvtx ')) {
      const title = threads.length > 1 ? `NVTX, thread ${tidOf(globalTid)}` : 'NVTX';
      leaf(process.id, 'thread', title, trackKeys.nvtx(globalTid));
    }
    for (const globalTid of threads) {
      const title = threads.length > 1 ? `CUDA API, thread ${tidOf(globalTid)}` : 'CUDA API';
      leaf(process.id, 'thread', title, trackKeys.api(globalTid));
    }
    leaf(process.id, 'thread', 'Synchronization', trackKeys.hostSync);
    leaf(process.id, 'thread', 'CPU page faults', trackKeys.cpuFaults);

    const devices = new Set([0, ...this.facts.otherGpus.map((_, index) => 1 + index), ...deviceBusyNs.keys()]);
    const streamKinds = new Map(
      this.query('SELECT streamId, flag, priority FROM TARGET_INFO_CUDA_STREAM').map((row) => [Number(row[0]), row]),
    );
    for (const device of [...devices].sort((a, b) => a - b)) {
      const busyNs = deviceBusyNs.get(device) ?? 0;
      const gpu = group(
        null,
        'gpu',
        `${gpuOf(this.facts, device)?.name ?? 'GPU'} (${device})`,
        `${formatPercent(100 * share(busyNs))} busy`,
        busyNs,
      );
      leaf(gpu.id, 'kernels', 'Kernels', trackKeys.kernels(device));
      leaf(gpu.id, 'unified-memory', 'Unified memory', trackKeys.migrations(device));
      leaf(gpu.id, 'unified-memory', 'GPU page faults', trackKeys.gpuFaults(device));
      for (const engine of keysOf(`copy engine ${device} `)) {
        const key = trackKeys.engine(device, engine);
        leaf(gpu.id, 'copy-engine', this.engineTitle(engine), key);
      }
      const streams = new Set([...keysOf(`stream ${device} `), ...keysOf(`stream synchronization ${device} `)]);
      for (const stream of [...streams].sort((a, b) => a - b)) {
        const title = streamTitle(stream, streamKinds.get(stream));
        const own = leaf(gpu.id, 'stream', title, trackKeys.stream(device, stream));
        leaf(own, 'graph-nodes', 'Graph nodes', trackKeys.graphNodes(device, stream));
        leaf(gpu.id, 'stream', `${title} (sync)`, trackKeys.streamSync(device, stream));
      }
    }
    return tracks;
  }

  /** An engine that only ever copied one way is named by it. */
  private engineTitle(engine: number): string {
    const kinds = this.query(
      `SELECT DISTINCT copyKind FROM CUPTI_ACTIVITY_KIND_MEMCPY
       JOIN SIMSIGHT_COPY_ENGINES ON memcpy = CUPTI_ACTIVITY_KIND_MEMCPY.rowid WHERE engine = ?`,
      engine,
    );
    const oneWay = kinds.length === 1 ? copyName(Number(kinds[0]![0])).label : '';
    return oneWay ? `Copy engine: ${oneWay.toLowerCase().replaceAll('-', ' ')}` : `Copy engine ${engine}`;
  }
}

function streamTitle(stream: number, known: Row | undefined): string {
  if (stream === nullStreamId || known?.[1] === streamFlags.null) return `Default stream ${stream}`;
  const priority = Number(known?.[2] ?? 0) | 0;
  return `Stream ${stream}${priority ? ` (priority ${priority})` : ''}`;
}

/**
 * What a program writes comes in pieces of any size. Lines, with their line breaks, at the time of their first piece; a
 * line that the other stream interrupts goes on in a new one.
 */
function linesOf(pieces: readonly ConsoleLine[]): ConsoleLine[] {
  const lines: ConsoleLine[] = [];
  let open = false;
  for (const { timeNs, stream, text } of pieces) {
    for (const part of text.match(/[^\n]*\n|[^\n]+/g) ?? []) {
      const last = lines.at(-1);
      if (open && last?.stream === stream) last.text += part;
      else lines.push({ timeNs, stream, text: part });
      open = !part.endsWith('\n');
    }
  }
  return lines;
}

/** All GPUs, those of a kind together: `2 × NVIDIA H200`. */
function machineName({ gpu, gpuId, otherGpus }: TraceFacts): string {
  const names = [gpu?.name ?? gpuId, ...otherGpus.map(({ name }) => name)];
  return [...new Set(names)]
    .map((name) => {
      const count = names.filter((each) => each === name).length;
      return count > 1 ? `${count} × ${name}` : name;
    })
    .join(', ');
}

function readFacts(trace: Pick<Trace, 'query'>): TraceFacts {
  const facts = new Map(
    trace.query('SELECT name, value FROM SIMSIGHT_RECORDING').map(([name, value]) => [String(name), value ?? null]),
  );
  const text = (name: string): string => String(facts.get(name) ?? '');
  const exitCode = facts.get('exitCode') ?? null;
  const gpu = parse(text('gpu')) as GpuDescription | null;
  const others = parse(text('otherGpus'));
  const list = parse(text('arguments'));
  return {
    engineVersion: text('engineVersion'),
    title: text('title'),
    program: text('program'),
    arguments: Array.isArray(list) ? list.map(String) : [],
    gpuId: text('gpuId'),
    gpu: typeof gpu?.name === 'string' ? gpu : null,
    otherGpus: Array.isArray(others) ? (others as GpuDescription[]) : [],
    exitCode: exitCode === null || !Number.isFinite(Number(exitCode)) ? null : Number(exitCode),
    complete: facts.get('complete') === 'true',
  };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

interface LoadedEvents {
  lists: Map<string, TrackEventList>;
  /** As shown, and in full beside it: events with one short name and several full ones have a label for each. */
  labels: string[];
  fullNames: string[];
  /** Events, each once, however many tracks show it. */
  count: number;
  skipped: number;
  /** Time in which a device did anything. */
  deviceBusyNs: Map<number, number>;
}

/** Reads start, end and what tells tracks and colours apart of all events, once, in the order of the tables. */
function loadEvents(trace: Pick<Trace, 'query'>, db: TraceFile['db']): LoadedEvents {
  const lists = new Map<string, TrackEventList>();
  const labels: string[] = [];
  const fullNames: string[] = [];
  const labelIds = new Map<string, number>();
  const device = new Map<number, { starts: number[]; ends: number[] }>();
  let count = 0;
  let skipped = 0;

  const list = (key: string): TrackEventList => {
    let found = lists.get(key);
    if (!found) lists.set(key, (found = new TrackEventList()));
    return found;
  };
  const label = (text: string, fullName = text): number => {
    const key = `${text}\0${fullName}`;
    let id = labelIds.get(key);
    if (id === undefined) {
      labelIds.set(key, (id = labels.push(text) - 1));
      fullNames.push(fullName);
    }
    return id;
  };
  const strings = new Map(trace.query('SELECT id, value FROM StringIds').map(([id, value]) => [id, String(value)]));
  /** Labels of names by their id in the file: a million events have a few dozen names. */
  const labelsOf = (shown: (name: string) => string): ((id: unknown) => number) => {
    const known = new Map<unknown, number>();
    return (id) => {
      let found = known.get(id);
      if (found === undefined) known.set(id, (found = label(shown(strings.get(id as number) ?? '?'))));
      return found;
    };
  };
  const apiLabel = labelsOf(apiName);
  /** Instances of a template share their short name. */
  const instances = new Map<unknown, number>();
  const kernelLabel = (short: unknown, full: unknown): number => {
    let found = instances.get(full);
    if (found === undefined) {
      found = label(strings.get(short as number) ?? '?', strings.get(full as number) ?? '?');
      instances.set(full, found);
    }
    return found;
  };
  /** Rows with times that cannot be drawn are counted and left out. */
  function* rowsOf(kind: EventKind, columns: string): Generator<Row> {
    const sql = `SELECT start, end, rowid, correlationId, ${columns} FROM ${eventTables[kind]}`;
    for (const row of db.prepare(sql).raw().iterate() as Iterable<Row>) {
      const [start, end] = row;
      if (isTime(start) && isTime(end) && start <= end) {
        count++;
        yield row;
      } else skipped++;
    }
  }
  const onDevice = (id: number, start: number, end: number): void => {
    let found = device.get(id);
    if (!found) device.set(id, (found = { starts: [], ends: [] }));
    found.starts.push(start);
    found.ends.push(end);
  };

  for (const row of rowsOf('api', 'globalTid, nameId')) {
    const [start, end, id, correlation, tid, nameId] = row as number[];
    const text = apiLabel(nameId);
    list(trackKeys.api(Number(tid) || 0)).add(start!, end!, kindNumber.api, 0, id!, correlation!, text);
  }
  const launches = new Map<number, { device: number; stream: number }>();
  if (hasTable(trace, eventTables.graph)) {
    for (const row of rowsOf('graph', 'deviceId, streamId, graphId')) {
      const [start, end, id, correlation, device, stream, graphId] = row as number[];
      launches.set(correlation!, { device: device!, stream: stream! });
      const key = trackKeys.stream(device!, stream!);
      list(key).add(start!, end!, kindNumber.graph, 0, id!, correlation!, label(`Graph ${graphId}`));
    }
  }
  /** Of device work: nodes of a graph are below the stream that it was launched into, whichever branch they are on. */
  const streamKey = (device: number, stream: number, correlation: number): string => {
    const launch = launches.get(correlation);
    return launch?.device === device ? trackKeys.graphNodes(device, launch.stream) : trackKeys.stream(device, stream);
  };
  for (const row of rowsOf('kernel', 'deviceId, streamId, shortName, demangledName')) {
    const [start, end, id, correlation, deviceId, stream, shortName, demangledName] = row as number[];
    const text = kernelLabel(shortName, demangledName);
    for (const key of [trackKeys.kernels(deviceId!), streamKey(deviceId!, stream!, correlation!)]) {
      list(key).add(start!, end!, kindNumber.kernel, 0, id!, correlation!, text);
    }
    onDevice(deviceId!, start!, end!);
  }
  const engines = new Map(trace.query('SELECT memcpy, engine FROM SIMSIGHT_COPY_ENGINES') as [number, number][]);
  for (const row of rowsOf('memcpy', 'deviceId, streamId, copyKind, srcKind, dstKind')) {
    const [start, end, id, correlation, deviceId, stream, kind, source, target] = row as number[];
    const { short, label: direction, flavour } = copyName(kind!);
    const fullName = `[CUDA memcpy ${direction}]`;
    if (isMigration(kind!)) {
      const key = trackKeys.migrations(deviceId!);
      list(key).add(start!, end!, kindNumber.memcpy, flavour, id!, 0, label(short, fullName));
      onDevice(deviceId!, start!, end!);
      continue;
    }
    const text = label(`Memcpy ${short} (${memoryKindName(short.startsWith('D') ? target! : source!)})`, fullName);
    const keys = [streamKey(deviceId!, stream!, correlation!)];
    const engine = engines.get(id!);
    if (engine !== undefined) keys.push(trackKeys.engine(deviceId!, engine));
    for (const key of keys) list(key).add(start!, end!, kindNumber.memcpy, flavour, id!, correlation!, text);
    onDevice(deviceId!, start!, end!);
  }
  const memset = label('Memset', '[CUDA memset]');
  for (const row of rowsOf('memset', 'deviceId, streamId')) {
    const [start, end, id, correlation, deviceId, stream] = row as number[];
    list(streamKey(deviceId!, stream!, correlation!)).add(
      start!,
      end!,
      kindNumber.memset,
      0,
      id!,
      correlation!,
      memset,
    );
    onDevice(deviceId!, start!, end!);
  }
  for (const row of rowsOf('synchronization', 'deviceId, streamId, syncType')) {
    const [start, end, id, correlation, deviceId, stream, type] = row as number[];
    // A stream that waits for an event is not the host waiting: it has a row of its own below the stream.
    const ofStream = type === syncTypes['stream-wait'] && stream !== none;
    const key = ofStream ? trackKeys.streamSync(deviceId!, stream!) : trackKeys.hostSync;
    list(key).add(start!, end!, kindNumber.synchronization, 0, id!, correlation!, label(syncName(type!)));
  }
  if (hasTable(trace, 'SIMSIGHT_CPU_PAGE_FAULTS')) {
    const onGpu = `SELECT start, end, rowid, deviceId, faultAccessType FROM ${eventTables['gpu-page-fault']}`;
    for (const row of db.prepare(onGpu).raw().iterate() as Iterable<Row>) {
      const [start, end, id, deviceId, type] = row as number[];
      const text = label(`${faultAccessName(type!)} faults`);
      if (!isTime(start) || !isTime(end) || start > end) skipped++;
      else {
        count++;
        list(trackKeys.gpuFaults(deviceId!)).add(start, end, kindNumber['gpu-page-fault'], 0, id!, 0, text);
      }
    }
    const onHost = `SELECT t.start, coalesce(w.end, t.start), t.rowid, w.accessType FROM ${eventTables['cpu-page-fault']} t
      LEFT JOIN SIMSIGHT_CPU_PAGE_FAULTS w ON w.fault = t.rowid`;
    for (const row of db.prepare(onHost).raw().iterate() as Iterable<Row>) {
      const [start, end, id, type] = row as number[];
      const text = label(`${faultAccessName(type ?? 0)} fault`);
      if (!isTime(start) || !isTime(end) || start > end) skipped++;
      else {
        count++;
        list(trackKeys.cpuFaults).add(start, end, kindNumber['cpu-page-fault'], 0, id!, 0, text);
      }
    }
  }
  const nvtx = `SELECT start, coalesce(end, start), rowid, globalTid, ${nvtxText} FROM NVTX_EVENTS
    WHERE eventType IN (${nvtxShown.join(', ')})`;
  for (const row of db.prepare(nvtx).raw().iterate() as Iterable<Row>) {
    const [start, end, id, tid, text] = row;
    if (!isTime(start) || !isTime(end) || start > end) {
      skipped++;
      continue;
    }
    count++;
    const key = trackKeys.nvtx(Number(tid) || 0);
    list(key).add(start, end, kindNumber.nvtx, 0, Number(id), 0, label(String(text ?? '')));
  }

  const deviceBusyNs = new Map<number, number>();
  for (const [id, { starts, ends }] of device) deviceBusyNs.set(id, busyTime(starts, ends));
  return { lists, labels, fullNames, count, skipped, deviceBusyNs };
}

const isTime = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 2 ** 53;
