/**
 * An opened trace: what is in it, what is to be drawn, all about one event.
 *
 *   const trace = openTrace('out.simsight');
 *   trace.info.tracks;                                        // the rows of the timeline
 *   trace.window([3, 4], 0, 1e6, 1000);                       // their events in the first millisecond, 1 µs per pixel
 *   trace.event({ kind: 'kernel', row: 17 });
 *   trace.close();
 *
 * The file is only ever read. Events stay in it: what is drawn comes from packed pieces of its tracks, details from its tables.
 */
import type { Statement } from 'better-sqlite3';
import { basename } from 'node:path';
import {
  mostFailures,
  type EventKind,
  type EventRef,
  type TraceInfo,
  type Track,
  type TrackKind,
  type TrackWindow,
} from '../model/timeline.ts';
import type { ConsoleLine } from '../model/recording.ts';
import type { EventDetails } from '../model/event-queries.ts';
import type { WarpWindow } from '../model/kernel-view.ts';
import { SimsightError } from '../base/errors.ts';
import type { GpuDescription } from '../gpus/types.ts';
import { copyName, deviceOfThread, nullStreamId, processOf, streamFlags } from './codes.ts';
import { readCharts } from './charts.ts';
import { gpuNames } from './gpu-names.ts';
import { cutShortNotices } from './cut-short.ts';
import { DeviceActivity, type ActivityRow } from './device-activity.ts';
import { describeEvent } from './event-details.ts';
import { EventQueries } from './event-queries.ts';
import { mostRows } from './load-events.ts';
import { readFailures } from './failures.ts';
import { openTraceFile, type TraceFile } from './open-file.ts';
import { gpuOf, type Row, type Trace, type TraceFacts } from './trace.ts';
import { threadRows } from './thread-rows.ts';
import { ChunkCache, mostLanesOfRow, TrackEvents, type FlatEvents, type Style } from './track-events.ts';
import { readTrackIndex, type TrackIndex } from './track-index.ts';
import { kindNumber, streamOfKey, trackKeys, type StreamPlace } from './tracks.ts';
import { formatPercent } from '../model/format.ts';
import type { WarpTimeline } from './warp-chunks.ts';
import { readWarps } from './warp-table.ts';

/** Each has some ten rows, of which many are charts; the largest machines have 72. Importers number no more. */
const mostGpus = 1024;
/** Profiles whose warps stay unpacked: a few MB each. */
const keptTimelines = 8;
/** Of rows that only hold others. */
const noEvents = new TrackEvents({ lanes: 0, events: 0, busyNs: 0, endNs: 0 }, [], new ChunkCache([]));

export type { Row, Trace, TraceFacts } from './trace.ts';

/** `file`: what was opened in its place, of a recording of another format. */
export function openTrace(path: string, file: TraceFile = openTraceFile(path)): Trace {
  try {
    return file.guarded(() => new OpenTrace(path, file));
  } catch (error) {
    file.close();
    throw error;
  }
}

class OpenTrace implements Trace {
  readonly path: string;
  readonly storedAt: string;
  readonly info: TraceInfo;
  readonly facts: TraceFacts;
  private readonly file: TraceFile;
  /** Prepared once: all queries are ours, and few. */
  private readonly statements = new Map<string, Statement>();
  private readonly index: TrackIndex;
  readonly queries: EventQueries;
  private readonly events = new Map<number, TrackEvents>();
  /** Rows that are made when they are looked at. */
  private readonly activity = new Map<number, ActivityRow>();
  /** By profile. */
  private readonly timelines = new Map<number, WarpTimeline>();
  private readonly trackOfKey = new Map<string, number>();
  private gpusLeftOut = 0;

  constructor(path: string, file: TraceFile) {
    this.path = path;
    this.storedAt = file.path;
    this.file = file;
    this.facts = readFacts(this);
    this.index = readTrackIndex(file.db, file.guarded);
    const { tracks: lists, eventCount, skipped, rowsLeftOut, overlapping, deviceBusyNs } = this.index;

    const notices = this.query('SELECT text FROM SIMSIGHT_NOTICES ORDER BY id').map((row) => String(row[0]));
    notices.unshift(...cutShortNotices(path, (sql) => this.query(sql)));
    if (skipped > 0) {
      notices.push(`${skipped} events were left out because their times cannot be read.`);
    }
    if (rowsLeftOut > 0) {
      notices.push(
        `${rowsLeftOut} rows of the timeline are not shown: it has ${mostRows} at most. Reports and SQL count all events.`,
      );
    }
    if (overlapping > 0) {
      notices.push(
        `${overlapping} events are not shown: more than ${mostLanesOfRow} of their row go on at the same time. Reports and SQL count all of them.`,
      );
    }
    if (this.facts.gpuId !== '' && this.facts.gpu === null) {
      notices.push(
        'What this trace says of its GPU cannot be read: peaks, occupancy and rows of SMs, which need it, are left out.',
      );
    }
    const consoleEnd = Number(this.query('SELECT max(time) FROM SIMSIGHT_CONSOLE')[0]?.[0] ?? 0);
    let durationNs = Number.isFinite(consoleEnd) ? Math.max(consoleEnd, 0) : 0;
    let firstEventNs = Infinity;
    for (const list of lists.values()) {
      durationNs = Math.max(durationNs, list.endNs);
      firstEventNs = Math.min(firstEventNs, list.firstNs);
    }

    this.info = {
      traceId: 0,
      path,
      title: this.facts.title || basename(path),
      program: this.facts.program,
      gpu: this.facts.gpu ? machineName(this.facts) : [...new Set(gpuNames(this).values())].join(', '),
      durationNs,
      firstEventNs: Number.isFinite(firstEventNs) ? firstEventNs : 0,
      eventCount,
      exitCode: this.facts.exitCode,
      complete: this.facts.complete,
      notices,
      failures: readFailures(this, mostFailures),
      tracks: this.buildTracks(lists, durationNs, deviceBusyNs),
    };
    if (this.gpusLeftOut > 0)
      notices.push(`${this.gpusLeftOut} GPUs are not shown: the timeline has ${mostGpus} at most.`);
    this.queries = new EventQueries(this, this.events, this.index.styles);
  }

  window(tracks: readonly number[], fromNs: number, toNs: number, resolutionNs: number): TrackWindow[] {
    return tracks.map((track) => {
      const events = this.events.get(track);
      const { styles } = this.index;
      if (events) return this.file.guarded(() => events.window(track, fromNs, toNs, resolutionNs, styles));
      const activity = this.activity.get(track);
      if (activity) return this.file.guarded(() => activity.window(track, fromNs, toNs, resolutionNs));
      if (this.info.tracks.some(({ id }) => id === track)) return noEvents.window(track, fromNs, toNs, 0, []);
      throw new SimsightError('bad-request', `${this.path} has no track ${track}.`);
    });
  }

  allEvents(track: number): { events: FlatEvents; styles: readonly Style[] } | null {
    const events = this.events.get(track);
    return events ? { events: this.file.guarded(() => events.flat()), styles: this.index.styles } : null;
  }

  event(ref: EventRef): EventDetails {
    return describeEvent(this, ref, (key) => this.trackOfKey.get(key) ?? 0);
  }

  correlated(kind: EventKind, correlationId: number): number[] {
    const rows = new Set<number>();
    this.file.guarded(() => {
      for (const events of this.index.tracks.values()) {
        for (const { style, row } of events.correlated(correlationId)) {
          if (this.index.styles[style]?.kind === kindNumber[kind]) rows.add(row);
        }
      }
    });
    return [...rows];
  }

  warps(kernel: number): WarpTimeline | null {
    const [row] = this.query('SELECT profile FROM SIMSIGHT_KERNEL_PROFILES WHERE kernel = ?', kernel);
    const profile = Number(row?.[0] ?? 0);
    const known = this.timelines.get(profile);
    const warps = known ?? this.file.guarded(() => readWarps(this, profile));
    if (!warps) return null;
    // The last one asked for is the last to go.
    this.timelines.delete(profile);
    this.timelines.set(profile, warps);
    for (const oldest of this.timelines.keys()) {
      if (this.timelines.size <= keptTimelines) break;
      this.timelines.delete(oldest);
    }
    return warps;
  }

  warpWindows(
    kernel: number,
    subPartitions: readonly number[],
    fromCycle: number,
    toCycle: number,
    resolution: number,
  ): WarpWindow[] | null {
    const warps = this.warps(kernel);
    return (
      warps && this.file.guarded(() => subPartitions.map((each) => warps.window(each, fromCycle, toCycle, resolution)))
    );
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

  guarded<T>(unpack: () => T): T {
    return this.file.guarded(unpack);
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
    // Files of others may have thousands of processes and GPUs: nothing here goes through all tracks for each.
    const numbers = Map.groupBy(lists.keys(), (key) => key.slice(0, key.lastIndexOf(' ') + 1));
    const keysOf = (start: string): number[] =>
      (numbers.get(start) ?? []).map((key) => Number(key.slice(start.length))).sort((a, b) => a - b);

    // Ranges of threads rather than of NVTX have the names of the threads; those of GPUs are below them.
    const { areThreads } = this.facts;
    const ranges = keysOf('nvtx ');
    const ofDevice = (globalTid: number): number | null => (areThreads ? deviceOfThread(globalTid) : null);
    const rangesOf = Map.groupBy(ranges, ofDevice);
    const hostRanges = Map.groupBy(rangesOf.get(null) ?? [], processOf);
    const apiCalls = Map.groupBy(keysOf('api '), processOf);
    const osCalls = Map.groupBy(keysOf('os calls '), processOf);
    const callers = [...apiCalls.keys(), ...hostRanges.keys(), ...osCalls.keys()];
    const processes = [...new Set([...callers, ...keysOf('host synchronization ')])].sort((a, b) => a - b);
    const named = new Map(
      this.query('SELECT globalPid, pid, name FROM PROCESSES').map((row) => [processOf(row[0]), row] as const),
    );
    const threadNames = new Map(
      this.query('SELECT globalTid, (SELECT value FROM StringIds WHERE id = nameId) FROM ThreadNames').map(
        ([globalTid, name]) => [Number(globalTid), String(name ?? '')] as const,
      ),
    );
    const isThere = (key: string): boolean => lists.has(key);
    const nameOf = (globalTid: number): string => threadNames.get(globalTid) ?? '';
    for (const process of processes.length > 0 ? processes : [0]) {
      const [, pid, name] = named.get(process) ?? [];
      const alone = processes.length <= 1;
      const title = basename(String(name ?? '').replaceAll('\\', '/')) || (alone && this.facts.program) || 'Process';
      const row = group(
        null,
        'process',
        title,
        alone ? this.facts.arguments.join(' ') : `process ${pid ?? process % 2 ** 24}`,
      );
      const api = apiCalls.get(process) ?? [];
      const shared = trackKeys.hostSync(process);
      const [ranges, os] = [hostRanges.get(process) ?? [], osCalls.get(process) ?? []];
      for (const { title, rows } of threadRows(process, { ranges, api, os }, { areThreads, nameOf, isThere })) {
        const parent = title === null ? row.id : group(row.id, 'thread', title, '').id;
        for (const each of rows) leaf(parent, 'thread', each.title, each.key);
      }
      if (!this.trackOfKey.has(shared)) leaf(row.id, 'thread', 'Synchronization', shared);
      // Also of calls whose thread is known, where there is one row for all threads.
      const ofAll = this.trackOfKey.get(shared);
      for (const globalTid of api) {
        const key = trackKeys.threadSync(globalTid);
        if (ofAll !== undefined && !lists.has(key)) this.trackOfKey.set(key, ofAll);
      }
      if (process === processes[0] || processes.length === 0)
        leaf(row.id, 'thread', 'CPU page faults', trackKeys.cpuFaults);
    }

    const recorded = this.facts.gpu ? [0, ...this.facts.otherGpus.map((_, index) => 1 + index)] : [];
    const annotated = [...rangesOf.keys()].filter((device) => device !== null);
    const contextsOf = contextsByDevice(lists.keys());
    const devices = new Set([...recorded, ...deviceBusyNs.keys(), ...annotated, ...contextsOf.keys()]);
    const names = gpuNames(this);
    const charts = readCharts(this);
    const work = Map.groupBy(lists, ([key]) => Number(/^(?:stream|graph nodes|migrations) (\d+)/.exec(key)?.[1] ?? -1));
    const streamKindOf = this.streamKinds();
    this.gpusLeftOut = Math.max(0, devices.size - mostGpus);
    for (const device of [...devices].sort((a, b) => a - b).slice(0, mostGpus)) {
      const busyNs = deviceBusyNs.get(device) ?? 0;
      const gpu = group(
        null,
        'gpu',
        `${gpuOf(this.facts, device)?.name ?? names.get(device) ?? 'GPU'} (${device})`,
        `${formatPercent(100 * share(busyNs))} busy`,
        busyNs,
      );
      leaf(gpu.id, 'kernels', 'Kernels', trackKeys.kernels(device));
      const activity = new DeviceActivity({
        ...{
          trace: this,
          device,
          durationNs,
          gpu: gpuOf(this.facts, device),
          charts: charts.get(device),
          styles: this.index.styles,
        },
        kernels: lists.get(trackKeys.kernels(device)),
        work: (work.get(device) ?? []).map(([, events]) => events),
      });
      const made = (parent: number, row: ActivityRow): void => {
        const track = group(parent, row.kind, row.title, row.subtitle);
        track.lanes = row.lanes;
        if (row.closed) track.closed = true;
        if (row.chart) track.chart = row.chart;
        if (row.about) track.about = row.about;
        if (row.clock) track.clock = row.clock;
        this.activity.set(track.id, row);
        for (const each of row.below) made(track.id, each);
      };
      leaf(gpu.id, 'unified-memory', 'Unified memory', trackKeys.migrations(device));
      leaf(gpu.id, 'unified-memory', 'GPU page faults', trackKeys.gpuFaults(device));
      for (const engine of keysOf(`copy engine ${device} `)) {
        const key = trackKeys.engine(device, engine);
        leaf(gpu.id, 'copy-engine', this.engineTitle(device, engine), key);
      }
      // As in Nsight Systems, processes that share a GPU, and contexts of a process, have streams of their own, with the same numbers.
      const contexts = contextsOf.get(device) ?? [];
      const ofProcesses = Map.groupBy(contexts, ({ process }) => process);
      for (const { process, context, streams } of contexts) {
        const [, pid, path] = named.get(process) ?? [];
        const words = [
          ofProcesses.size > 1 ? `process ${process === 0 ? 'unknown' : (pid ?? process % 2 ** 24)}` : '',
          ofProcesses.get(process)!.length > 1 ? `context ${context}` : '',
        ].filter(Boolean);
        const owner = words.map((each) => `, ${each}`).join('');
        let parent = gpu.id;
        if (contexts.length > 1) {
          const title =
            context > 0 ? [`Context ${context}`, ...words.filter((each) => each.startsWith('process'))] : words;
          const program = ofProcesses.size > 1 ? basename(String(path ?? '').replaceAll('\\', '/')) : '';
          parent = group(gpu.id, 'context', title.join(', ').replace(/^p/, 'P'), program).id;
        }
        for (const stream of [...streams].sort((a, b) => a - b)) {
          const place = { device, process, context, stream };
          const title = streamTitle(stream, streamKindOf(place)) + owner;
          const own = leaf(parent, 'stream', title, trackKeys.stream(place));
          leaf(own, 'graph-nodes', 'Graph nodes', trackKeys.graphNodes(place));
          leaf(parent, 'stream', `${title} (sync)`, trackKeys.streamSync(place));
        }
      }
      // What was done first, then how well.
      for (const row of activity.rows()) made(gpu.id, row);
      for (const globalTid of rangesOf.get(device) ?? []) {
        leaf(gpu.id, 'thread', threadNames.get(globalTid) ?? 'Annotations', trackKeys.nvtx(globalTid));
      }
    }
    return tracks;
  }

  /** What is known of a stream; of recordings that do not say of which process or context, by its number. */
  private streamKinds(): (place: StreamPlace) => Row | undefined {
    const rows = this.query('SELECT streamId, flag, priority, processId, contextId FROM TARGET_INFO_CUDA_STREAM');
    const processes = new Set(rows.map(([, , , process]) => Number(process)));
    const known = new Map<string, Row>();
    for (const row of rows) {
      const [stream, , , process, context] = row;
      for (const key of [`${stream}`, `${process} ${stream}`, `${process} ${context} ${stream}`]) known.set(key, row);
    }
    return ({ process, context, stream }) => {
      const pid = process % 2 ** 24;
      if (!processes.has(pid)) return known.get(`${stream}`);
      return known.get(`${pid} ${context} ${stream}`) ?? known.get(`${pid} ${stream}`);
    };
  }

  /** An engine that only ever copied one way is named by it. */
  private engineTitle(device: number, engine: number): string {
    const kinds = this.query(
      'SELECT DISTINCT copyKind FROM SIMSIGHT_SHAPES_MEMCPY WHERE deviceId = ? AND engine = ?',
      device,
      engine,
    );
    const oneWay = kinds.length === 1 ? copyName(Number(kinds[0]![0])).label : '';
    return oneWay ? `Copy engine: ${oneWay.toLowerCase().replaceAll('-', ' ')}` : `Copy engine ${engine}`;
  }
}

/** Streams of devices, whatever is in them, by process and context in order. */
function contextsByDevice(
  keys: Iterable<string>,
): Map<number, { process: number; context: number; streams: Set<number> }[]> {
  const found = new Map<string, { device: number; process: number; context: number; streams: Set<number> }>();
  for (const key of keys) {
    const place = streamOfKey(key);
    if (!place) continue;
    const { stream, ...owner } = place;
    const words = Object.values(owner).join(' ');
    let known = found.get(words);
    if (!known) found.set(words, (known = { ...owner, streams: new Set() }));
    known.streams.add(stream);
  }
  const sorted = [...found.values()].sort((a, b) => a.process - b.process || a.context - b.context);
  return Map.groupBy(sorted, ({ device }) => device);
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
  const others = parse(text('otherGpus'));
  const list = parse(text('arguments'));
  return {
    engineVersion: text('engineVersion'),
    title: text('title'),
    program: text('program'),
    arguments: Array.isArray(list) ? list.map(String) : [],
    gpuId: text('gpuId'),
    gpu: describedGpu(parse(text('gpu'))),
    otherGpus: Array.isArray(others) ? others.map(describedGpu).filter((gpu) => gpu !== null) : [],
    exitCode: exitCode === null || !Number.isFinite(Number(exitCode)) ? null : Number(exitCode),
    complete: facts.get('complete') === 'true',
    lifted: facts.has('lifted') ? text('lifted') : null,
    areThreads: facts.get('rangesOf') === 'threads',
    programSpan: spanFrom(parse(text('programSpan'))),
  };
}

function spanFrom(value: unknown): TraceFacts['programSpan'] {
  if (!Array.isArray(value)) return null;
  const [fromNs, toNs] = value as unknown[];
  const areTimes = Number.isSafeInteger(fromNs) && Number.isSafeInteger(toNs);
  return areTimes && Number(fromNs) <= Number(toNs) ? { fromNs: Number(fromNs), toNs: Number(toNs) } : null;
}

const groups = [
  'computeCapability',
  'core',
  'limits',
  'throughput',
  'tensorCores',
  'memory',
  'hostLink',
  'latency',
] as const;

/** As it was recorded; null where the trace has none that makes sense. */
function describedGpu(recorded: unknown): GpuDescription | null {
  const whole = (recorded ?? {}) as Partial<GpuDescription>;
  const hasAll = groups.every((group) => typeof whole[group] === 'object' && whole[group] !== null);
  return typeof whole.name === 'string' && hasAll && hasFigures(whole as GpuDescription)
    ? (whole as GpuDescription)
    : null;
}

/** Sizes and divisors: of a damaged file they can be anything. */
function hasFigures({ core, limits, throughput, memory }: GpuDescription): boolean {
  const { warpsPerSm, blocksPerSm, registersPerSm, sharedBytesPerSm } = limits;
  const positive = [
    ...[core.smCount, core.smClockMhz, throughput.schedulers, throughput.fp32, memory.bandwidth, memory.l2Bytes],
    ...[warpsPerSm, blocksPerSm, registersPerSm, sharedBytesPerSm, limits.threadsPerSm, limits.threadsPerBlock],
  ];
  return positive.every((figure) => typeof figure === 'number' && figure > 0 && Number.isFinite(figure));
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
