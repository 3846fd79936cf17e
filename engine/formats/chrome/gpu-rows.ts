import { shortName } from '../../compile/demangle.ts';
import { copyNames, memoryKindNames, migrationCauseNames, none, syncTypes } from '../../model/nsight-codes.ts';
import type { Cell } from '../../trace/tables.ts';
import { field, type EventView } from './event-view.ts';
import { absent } from './fields.ts';
import type { RowKind, Rows } from './rows.ts';
import type { ChromeProcess, ChromeThread } from './threads.ts';

const mostDevices = 1023;
/** Short names, streams and priorities that are remembered. */
const mostRemembered = 2 ** 16;
/** Streams that are not numbered: above all that are, and above none. */
const firstOddStream = none + 1;

interface Place {
  device: number;
  stream: number;
  thread: ChromeThread;
}

/** `Memcpy DtoH (Device -> Pageable)` and the like; what is longer is none. */
const longestCopyName = 200;

/** Rows of what GPUs did, and of who waited for them. */
export class GpuRows {
  /** Numbers of devices, by process and number in the file. */
  readonly devices = new Map<string, number>();
  /** Numbers of streams that are texts. */
  readonly streams = new Map<string, number>();
  readonly priorities = new Map<string, { device: number; stream: number; priority: number }>();
  private readonly rows: Rows;
  private readonly event: EventView;
  private readonly shortNames = new Map<number, number>();

  constructor(rows: Rows) {
    this.rows = rows;
    this.event = rows.event;
  }

  kernel(): void {
    const { event, rows } = this;
    const { device, stream, thread } = this.place();
    const name = rows.name(field.name);
    const fullName = event.has(field.fullName) ? rows.name(field.fullName) : name;
    event.readTriple(field.grid);
    const [gridX, gridY, gridZ] = event.numbers;
    event.readTriple(field.block);
    const [blockX, blockY, blockZ] = event.numbers;
    const priority = event.number(field.priority);
    if (priority) this.notePriority(device, stream, priority);
    this.add(
      'KERNEL',
      [
        ...[device, event.count(field.context), stream, thread.process.globalPid],
        ...[fullName, fullName === name ? this.shortNameOf(name) : name, event.count(field.registers)],
        ...[gridX!, gridY!, gridZ!, blockX!, blockY!, blockZ!, 0, event.count(field.shared), 0, 0],
        ...[event.optional(field.node), event.optional(field.graph)],
      ],
      thread,
    );
  }

  private shortNameOf(name: number): number {
    const known = this.shortNames.get(name);
    if (known !== undefined) return known;
    const full = this.event.text(field.name);
    const short = shortName(full);
    const id = short === full ? name : this.rows.nameOf(short);
    if (this.shortNames.size === mostRemembered) this.shortNames.clear();
    this.shortNames.set(name, id);
    return id;
  }

  memcpy(): void {
    const { event } = this;
    const { device, stream, thread } = this.place();
    const name = event.text(field.name);
    const [, short = '', from = '', to = ''] =
      /^(?:Memcpy )?([\w ]+?)(?: \(([^()]*?) -> ([^()]*)\))?$/.exec(name.slice(0, longestCopyName)) ?? [];
    const migrates = isMigrationName.test(short);
    const cause = migrationCauseNames.indexOf(event.text(field.cause));
    this.add(
      'MEMCPY',
      [
        ...[device, event.count(field.context), stream, thread.process.globalPid],
        ...[event.count(field.bytes), copyKindOf.get(short.toLowerCase()) ?? 0, memoryKindOf(from), memoryKindOf(to)],
        ...[event.optional(field.from), event.optional(field.to), migrates && cause >= 0 ? cause : null],
        ...[event.optional(field.node), event.optional(field.engine)],
      ],
      thread,
      !migrates,
    );
  }

  memset(): void {
    const { event } = this;
    const { device, stream, thread } = this.place();
    const [, memory = ''] = /\(([^()]*)\)$/.exec(event.text(field.name)) ?? [];
    this.add(
      'MEMSET',
      [
        ...[device, event.count(field.context), stream, thread.process.globalPid],
        ...[event.count(field.value), event.count(field.bytes), event.optional(field.node), memoryKindOf(memory)],
      ],
      thread,
    );
  }

  synchronization(): void {
    const { event } = this;
    const kind = event.text(field.syncKind) || event.text(field.name);
    const type = syncKinds.find(([pattern]) => pattern.test(kind))?.[1] ?? 0;
    const waitsFor = event.optional(field.waitsFor) ?? event.optional(field.event) ?? none;
    const { device, stream, thread } = type === syncTypes['stream-wait'] ? this.place() : this.placeOfWait();
    const cells = [device, event.count(field.context), stream, thread.process.globalPid, type, waitsFor];
    this.add('SYNCHRONIZATION', cells, thread, false);
  }

  /** The launch of a graph as a whole, as our own exports have it. */
  graph(): void {
    const { event } = this;
    const { device, stream, thread } = this.place();
    const graph = event.count(field.graph);
    const cells = [device, event.count(field.context), stream, thread.process.globalPid, graph, graph];
    this.add('GRAPH_TRACE', cells, thread);
  }

  private add(kind: RowKind, cells: Cell[], thread: ChromeThread, hasCall = true): void {
    const { clock, correlations, tables } = this.rows;
    const events = tables[kind];
    const correlation = correlations.id();
    const row = events.add(clock.start, clock.start + clock.length, correlation, events.shape(cells));
    if (correlation === null && hasCall) correlations.lone(kind, row, thread);
  }

  /** The event's place by its arguments, or by the row that it is on. */
  private place(): Place {
    const thread = this.rows.thread();
    const { process } = thread;
    process.deviceRows++;
    const device = this.deviceOf(process, this.event.optional(field.device));
    process.device ??= device;
    return { device, stream: this.streamOf(), thread };
  }

  /** The place of the work that the host waits for: the row may be one of the host. */
  private placeOfWait(): Place {
    const { event } = this;
    const thread = this.rows.thread();
    thread.process.deviceRows++;
    const stream = event.has(field.stream) ? this.streamOf() : none;
    return { device: event.optional(field.device) ?? 0, stream, thread };
  }

  /** Traces of several processes in one file may call different GPUs the same. */
  deviceOf(process: ChromeProcess, given: number | null): number {
    const own = given ?? process.device ?? (process.number < 4096 ? process.number : 0);
    const key = `${process.number} ${own}`;
    const known = this.devices.get(key);
    if (known !== undefined) return known;
    if (this.devices.size > mostDevices) return mostDevices;
    const taken = new Set(this.devices.values());
    let device = Math.min(own, mostDevices);
    while (taken.has(device) && taken.size <= mostDevices) device = (device + 1) % (mostDevices + 1);
    this.devices.set(key, device);
    return device;
  }

  private streamOf(): number {
    const { event } = this;
    const given = event.fields.kinds[field.stream] === absent ? field.tid : field.stream;
    const value = event.number(given);
    if (value !== null && value < 0) return none;
    if (value !== null && value <= Number.MAX_SAFE_INTEGER && Number.isInteger(value)) return value;
    const text = event.text(given);
    const [, number] = /^stream (\d{1,15})\b/.exec(text) ?? [];
    if (number !== undefined) return Number(number);
    if (text === '') return none;
    // A name: a number beyond those of streams.
    let stream = this.streams.get(text);
    if (stream === undefined && this.streams.size < mostRemembered) {
      this.streams.set(text, (stream = firstOddStream + this.streams.size));
    }
    return stream ?? none;
  }

  private notePriority(device: number, stream: number, priority: number): void {
    const key = `${device} ${stream}`;
    if (this.priorities.size < mostRemembered) this.priorities.set(key, { device, stream, priority });
  }
}

/** Kinds of copies by their short names, as in `Memcpy …`. */
const copyKindOf = new Map<string, number>([
  ...Object.entries(copyNames).map(([kind, { short }]) => [short.toLowerCase(), Number(kind)] as const),
  ...(['htoa', 'atoh', 'atoa', 'atod', 'dtoa'] as const).map((name, index) => [name, 3 + index] as const),
]);
const isMigrationName = /^Unified /i;

const memoryKindOf = (name: string): number | null => {
  const kind = memoryKindNames.indexOf(name.trim());
  return kind < 0 ? null : kind;
};

/** Kinds of synchronization, as Kineto and we call them. */
const syncKinds: readonly [RegExp, number][] = [
  [/^event sync/i, syncTypes.event],
  [/^stream wait/i, syncTypes['stream-wait']],
  [/^stream sync/i, syncTypes.stream],
  [/^(context|device) sync/i, syncTypes.context],
];
