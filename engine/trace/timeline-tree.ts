/** The tree of the timeline's rows: the processes with their threads, then each GPU with what it did. */
import { basename } from 'node:path';
import { eventKinds, kindOf } from '../model/event-kinds/index.ts';
import { keyOfRow, type RowOfKind } from '../model/event-kinds/kind.ts';
import { rowKeys, streamOfKey, type StreamPlace } from '../model/event-kinds/row-keys.ts';
import { nvtxRow } from '../model/event-kinds/nvtx.ts';
import { formatPercent } from '../model/format.ts';
import { copyName, deviceOfThread, nullStreamId, processOf, streamFlags } from '../model/nsight-codes.ts';
import type { Track, TrackKind } from '../model/timeline.ts';
import { readCharts } from './charts.ts';
import { DeviceActivity, type ActivityRow } from './device-activity.ts';
import { gpuNames } from './gpu-names.ts';
import { rowsOfThreads, threadRows } from './thread-rows.ts';
import { gpuOf, type Row, type Trace } from './trace.ts';
import type { Style, TrackEvents } from './track-events.ts';

/** Each has some ten rows, of which many are charts; the largest machines have 72. Importers number no more. */
export const mostGpus = 1024;

const rowsOf = (of: RowOfKind['of']): RowOfKind[] =>
  eventKinds
    .flatMap((kind) => kindOf[kind].rows ?? [])
    .filter((row) => row.of === of)
    .sort((a, b) => a.place - b.place);
const [rowsOfDevices, rowsOfPrograms] = [rowsOf('device'), rowsOf('program')];
const callRow = kindOf.api.rows![0]!;

export interface TimelineParts {
  trace: Pick<Trace, 'query' | 'facts' | 'warps'>;
  /** Events of rows by their keys. */
  lists: ReadonlyMap<string, TrackEvents>;
  styles: readonly Style[];
  durationNs: number;
  /** Time in which a device did anything. */
  deviceBusyNs: ReadonlyMap<number, number>;
}

export class TimelineTree {
  readonly tracks: Track[] = [];
  /** Events of rows by their numbers. */
  readonly events = new Map<number, TrackEvents>();
  /** Rows that are made when they are looked at. */
  readonly activity = new Map<number, ActivityRow>();
  readonly trackOfKey = new Map<string, number>();
  gpusLeftOut = 0;
  private readonly parts: TimelineParts;
  /** Numbers of threads, devices and engines by the words before them in keys: files of others may have thousands. */
  private readonly numbers: ReadonlyMap<string, string[]>;
  /** Rows of `PROCESSES` by process. */
  private readonly named: ReadonlyMap<number, Row>;
  private readonly threadNames: ReadonlyMap<number, string>;
  /** Threads with ranges by the device that they are of; null for those of hosts. */
  private readonly rangesOf: ReadonlyMap<number | null, number[]>;

  constructor(parts: TimelineParts) {
    this.parts = parts;
    const { trace, lists } = parts;
    this.numbers = Map.groupBy(lists.keys(), (key) => key.slice(0, key.lastIndexOf(' ') + 1));
    this.named = new Map(
      trace.query('SELECT globalPid, pid, name FROM PROCESSES').map((row) => [processOf(row[0]), row] as const),
    );
    this.threadNames = new Map(
      trace
        .query('SELECT globalTid, (SELECT value FROM StringIds WHERE id = nameId) FROM ThreadNames')
        .map(([globalTid, name]) => [Number(globalTid), String(name ?? '')] as const),
    );
    // Ranges of threads rather than of NVTX have the names of the threads; those of GPUs are below them.
    const { areThreads } = trace.facts;
    this.rangesOf = Map.groupBy(this.keysOf(`${nvtxRow.key} `), (globalTid) =>
      areThreads ? deviceOfThread(globalTid) : null,
    );
    this.addProcesses();
    this.addDevices();
  }

  private share(busyNs: number): number {
    const { durationNs } = this.parts;
    return durationNs > 0 ? Math.min(busyNs / durationNs, 1) : 0;
  }

  /** Adds a row; it has no events of its own. */
  private group(parent: number | null, kind: TrackKind, title: string, subtitle: string, busyNs = 0): Track {
    const id = this.tracks.length;
    const track = { id, parent, kind, title, subtitle, lanes: 0, eventCount: 0, busy: this.share(busyNs) };
    this.tracks.push(track);
    return track;
  }

  /** Adds a row of events, if there are any, and gives its number; that of the parent where there are none. */
  private leaf(parent: number, kind: TrackKind, title: string, key: string): number {
    const events = this.parts.lists.get(key);
    if (!events) return parent;
    const busy = this.share(events.busyNs);
    const track = this.group(parent, kind, title, `${formatPercent(100 * busy)} busy`, events.busyNs);
    track.lanes = events.laneCount;
    track.eventCount = events.count;
    this.events.set(track.id, events);
    this.trackOfKey.set(key, track.id);
    return track.id;
  }

  /** Adds a row that is made when it is looked at, and those below it. */
  private made(parent: number, row: ActivityRow): void {
    const track = this.group(parent, row.kind, row.title, row.subtitle);
    track.lanes = row.lanes;
    if (row.closed) track.closed = true;
    if (row.chart) track.chart = row.chart;
    if (row.about) track.about = row.about;
    if (row.clock) track.clock = row.clock;
    this.activity.set(track.id, row);
    for (const each of row.below) this.made(track.id, each);
  }

  private keysOf(start: string): number[] {
    const keys = this.numbers.get(start) ?? [];
    return keys.map((key) => Number(key.slice(start.length))).sort((a, b) => a - b);
  }

  private addProcesses(): void {
    const { facts } = this.parts.trace;
    const threads = new Map(
      rowsOfThreads.map((row) => {
        const own = row === nvtxRow ? (this.rangesOf.get(null) ?? []) : this.keysOf(`${row.key} `);
        return [row, Map.groupBy(own, processOf)] as const;
      }),
    );
    const callers = [...threads.values()].flatMap((byProcess) => [...byProcess.keys()]);
    const waiting = this.keysOf('host synchronization ');
    const processes = [...new Set([...callers, ...waiting])].sort((a, b) => a - b);
    const alone = processes.length <= 1;
    for (const process of alone && processes.length === 0 ? [0] : processes) {
      const [, pid, name] = this.named.get(process) ?? [];
      const title = baseName(name) || (alone && facts.program) || 'Process';
      const subtitle = alone ? facts.arguments.join(' ') : `process ${pid ?? process % 2 ** 24}`;
      const row = this.group(null, 'process', title, subtitle);
      const own = new Map([...threads].map(([each, byProcess]) => [each, byProcess.get(process) ?? []] as const));
      this.addThreads(row.id, process, own);
      if (process === processes[0] || processes.length === 0)
        for (const { track, title, key } of rowsOfPrograms) this.leaf(row.id, track, title, key);
    }
  }

  private addThreads(parent: number, process: number, threads: ReadonlyMap<RowOfKind, readonly number[]>): void {
    const { lists, trace } = this.parts;
    const callers = threads.get(callRow)!;
    const names = {
      areThreads: trace.facts.areThreads,
      nameOf: (globalTid: number) => this.threadNames.get(globalTid) ?? '',
      isThere: (key: string) => lists.has(key),
    };
    for (const { title, rows } of threadRows(process, threads, callers, names)) {
      const above = title === null ? parent : this.group(parent, 'thread', title, '').id;
      for (const each of rows) this.leaf(above, 'thread', each.title, each.key);
    }
    const shared = rowKeys.hostSync(process);
    if (!this.trackOfKey.has(shared)) this.leaf(parent, 'thread', 'Synchronization', shared);
    // Also of calls whose thread is known, where there is one row for all threads.
    const ofAll = this.trackOfKey.get(shared);
    for (const globalTid of callers) {
      const key = rowKeys.threadSync(globalTid);
      if (ofAll !== undefined && !lists.has(key)) this.trackOfKey.set(key, ofAll);
    }
  }

  private addDevices(): void {
    const { trace, lists, deviceBusyNs } = this.parts;
    const { gpu, otherGpus } = trace.facts;
    const recorded = gpu ? [0, ...otherGpus.map((_, index) => 1 + index)] : [];
    const annotated = [...this.rangesOf.keys()].filter((device) => device !== null);
    const contextsOf = contextsByDevice(lists.keys());
    const devices = new Set([...recorded, ...deviceBusyNs.keys(), ...annotated, ...contextsOf.keys()]);
    this.gpusLeftOut = Math.max(0, devices.size - mostGpus);
    const names = gpuNames(trace);
    const activityOf = this.activityOfDevices();
    const streamKindOf = streamKinds(trace);
    for (const device of [...devices].sort((a, b) => a - b).slice(0, mostGpus)) {
      const busyNs = deviceBusyNs.get(device) ?? 0;
      const name = gpuOf(trace.facts, device)?.name ?? names.get(device) ?? 'GPU';
      const subtitle = `${formatPercent(100 * this.share(busyNs))} busy`;
      const { id } = this.group(null, 'gpu', `${name} (${device})`, subtitle, busyNs);
      const activity = activityOf(device);
      for (const row of rowsOfDevices) this.leaf(id, row.track, row.title, keyOfRow(row, device));
      for (const engine of this.keysOf(`copy engine ${device} `))
        this.leaf(id, 'copy-engine', engineTitle(trace, device, engine), rowKeys.engine(device, engine));
      this.addStreams(id, device, contextsOf.get(device) ?? [], streamKindOf);
      // Work comes first, then the activity rows, which show how well it uses the GPU.
      for (const row of activity.rows()) this.made(id, row);
      for (const globalTid of this.rangesOf.get(device) ?? [])
        this.leaf(id, 'thread', this.threadNames.get(globalTid) ?? 'Annotations', keyOfRow(nvtxRow, globalTid));
    }
  }

  private activityOfDevices(): (device: number) => DeviceActivity {
    const { trace, lists, styles, durationNs } = this.parts;
    const charts = readCharts(trace);
    const work = Map.groupBy(lists, ([key]) => Number(/^(?:stream|graph nodes|migrations) (\d+)/.exec(key)?.[1] ?? -1));
    return (device) =>
      new DeviceActivity({
        ...{ trace, device, durationNs, styles, gpu: gpuOf(trace.facts, device), charts: charts.get(device) },
        kernels: lists.get(rowKeys.kernels(device)),
        work: (work.get(device) ?? []).map(([, events]) => events),
      });
  }

  /**
   * Adds streams. As in Nsight Systems, processes that share a GPU, and contexts of a process, have streams of their own, with the same
   * numbers.
   */
  private addStreams(gpu: number, device: number, contexts: readonly Context[], streamKindOf: StreamKindOf): void {
    const ofProcesses = Map.groupBy(contexts, ({ process }) => process);
    for (const { process, context, streams } of contexts) {
      const [, pid, path] = this.named.get(process) ?? [];
      const words = [
        ofProcesses.size > 1 ? `process ${process === 0 ? 'unknown' : (pid ?? process % 2 ** 24)}` : '',
        ofProcesses.get(process)!.length > 1 ? `context ${context}` : '',
      ].filter(Boolean);
      const owner = words.map((each) => `, ${each}`).join('');
      let parent = gpu;
      if (contexts.length > 1) {
        const title =
          context > 0 ? [`Context ${context}`, ...words.filter((each) => each.startsWith('process'))] : words;
        const program = ofProcesses.size > 1 ? baseName(path) : '';
        parent = this.group(gpu, 'context', title.join(', ').replace(/^p/, 'P'), program).id;
      }
      for (const stream of [...streams].sort((a, b) => a - b)) {
        const place = { device, process, context, stream };
        const title = streamTitle(stream, streamKindOf(place)) + owner;
        const own = this.leaf(parent, 'stream', title, rowKeys.stream(place));
        this.leaf(own, 'graph-nodes', 'Graph nodes', rowKeys.graphNodes(place));
        this.leaf(parent, 'stream', `${title} (sync)`, rowKeys.streamSync(place));
      }
    }
  }
}

/** The name of a program, without folders of any system. */
const baseName = (path: unknown): string => basename(String(path ?? '').replaceAll('\\', '/'));

interface Context {
  device: number;
  process: number;
  context: number;
  streams: Set<number>;
}

/** Streams of devices, whatever is in them, by process and context in order. */
function contextsByDevice(keys: Iterable<string>): Map<number, Context[]> {
  const found = new Map<string, Context>();
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

/** Looks up the description of a stream: a row of `TARGET_INFO_CUDA_STREAM`. */
type StreamKindOf = (place: StreamPlace) => Row | undefined;

/** Looks streams up by number in recordings that do not state the process or context of a stream. */
function streamKinds(trace: Pick<Trace, 'query'>): StreamKindOf {
  const rows = trace.query('SELECT streamId, flag, priority, processId, contextId FROM TARGET_INFO_CUDA_STREAM');
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

function streamTitle(stream: number, known: Row | undefined): string {
  if (stream === nullStreamId || known?.[1] === streamFlags.null) return `Default stream ${stream}`;
  const priority = Number(known?.[2] ?? 0) | 0;
  return `Stream ${stream}${priority ? ` (priority ${priority})` : ''}`;
}

/** An engine that only ever copied one way is named by it. */
function engineTitle(trace: Pick<Trace, 'query'>, device: number, engine: number): string {
  const kinds = trace.query(
    'SELECT DISTINCT copyKind FROM SIMSIGHT_SHAPES_MEMCPY WHERE deviceId = ? AND engine = ?',
    device,
    engine,
  );
  const oneWay = kinds.length === 1 ? copyName(Number(kinds[0]![0])).label : '';
  return oneWay ? `Copy engine: ${oneWay.toLowerCase().replaceAll('-', ' ')}` : `Copy engine ${engine}`;
}
