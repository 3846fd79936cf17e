/** Turns the events of a Chrome trace into rows, as they come; see {@link file://./chrome-json.ts}. */
import type Database from 'better-sqlite3';
import { basename } from 'node:path';
import { shortName } from '../compile/demangle.ts';
import {
  copyNames,
  deviceOfThread,
  eventClasses,
  gpuThread,
  memoryKindNames,
  migrationCauseNames,
  none,
  nvtxTypes,
  syncTypes,
  tidOf,
} from '../trace/codes.ts';
import { EventTable, eventTableNames, Table, type Cell, type EventTableName } from '../trace/tables.ts';
import { ByteNames, textOf } from './byte-names.ts';
import { RangePairs, Unpaired, type OpenRange } from './chrome-ranges.ts';
import { ChromeThreads, type ChromeProcess, type ChromeThread } from './chrome-threads.ts';
import { ExactTime } from './exact-time.ts';
import {
  absent,
  fieldOf,
  isEscaped,
  isNested,
  isNumber,
  isText,
  type EventFields,
  type ReadingResult,
  type TraceEventSink,
} from './trace-event-reader.ts';

/** What rows of a category become. */
type CategoryKind =
  | 'kernel'
  | 'memcpy'
  | 'memset'
  | 'synchronization'
  | 'runtime'
  | 'driver'
  | 'graph'
  | 'gpu range'
  | 'host range'
  | 'nothing'
  | 'range';

/** Of Kineto, and of its versions before 2022; all others are ranges. */
const categoryKinds: Readonly<Record<string, CategoryKind>> = {
  kernel: 'kernel',
  Kernel: 'kernel',
  gpu_memcpy: 'memcpy',
  Memcpy: 'memcpy',
  gpu_memset: 'memset',
  Memset: 'memset',
  cuda_sync: 'synchronization',
  cuda_runtime: 'runtime',
  Runtime: 'runtime',
  cuda_driver: 'driver',
  graph: 'graph',
  gpu_user_annotation: 'gpu range',
  cpu_op: 'host range',
  user_annotation: 'host range',
  python_function: 'host range',
  cuda_event: 'nothing',
};

interface Category {
  kind: CategoryKind;
  name: string;
  /** Its number in `NVTX_EVENTS.domainId`; 0 for none. */
  domain: number;
}

/** Categories that are told apart: more are made up. */
const mostDomains = 4096;
/** Shapes that a thread remembers. */
const mostShapes = 2 ** 16;
/** Correlation ids beyond 32 bits that are remembered. */
const mostWideIds = 2 ** 22;
/** Other ids than these have been seen to go with calls and what they start. */
const callArrows = /^(ac2g|async_cpu_to_gpu)$/;

const shapeColumns = {
  KERNEL: [
    ...['deviceId', 'contextId', 'streamId', 'globalPid', 'demangledName', 'shortName', 'registersPerThread'],
    ...['gridX', 'gridY', 'gridZ', 'blockX', 'blockY', 'blockZ', 'staticSharedMemory', 'dynamicSharedMemory'],
    ...['localMemoryPerThread', 'localMemoryTotal', 'graphNodeId', 'graphId'],
  ],
  MEMCPY: [
    ...['deviceId', 'contextId', 'streamId', 'globalPid', 'bytes', 'copyKind', 'srcKind', 'dstKind'],
    ...['srcDeviceId', 'dstDeviceId', 'migrationCause', 'graphNodeId', 'engine'],
  ],
  MEMSET: ['deviceId', 'contextId', 'streamId', 'globalPid', 'value', 'bytes', 'graphNodeId', 'memKind'],
  SYNCHRONIZATION: ['deviceId', 'contextId', 'streamId', 'globalPid', 'syncType', 'eventId'],
  GRAPH_TRACE: ['deviceId', 'contextId', 'streamId', 'globalPid', 'graphId', 'graphExecId'],
  RUNTIME: ['eventClass', 'globalTid', 'nameId', 'returnValue'],
  NVTX: ['eventType', 'globalTid', 'textId', 'text', 'domainId'],
} as const;
type Short = keyof typeof shapeColumns;

const field = {
  ...{ ph: fieldOf('ph'), cat: fieldOf('cat'), name: fieldOf('name'), pid: fieldOf('pid'), tid: fieldOf('tid') },
  ...{ ts: fieldOf('ts'), dur: fieldOf('dur'), id: fieldOf('id'), id2: fieldOf('id2') },
  ...{ device: fieldOf('device'), context: fieldOf('context'), stream: fieldOf('stream') },
  ...{ correlation: fieldOf('correlation'), grid: fieldOf('grid'), block: fieldOf('block') },
  ...{ registers: fieldOf('registers per thread'), shared: fieldOf('shared memory'), bytes: fieldOf('bytes') },
  ...{ graph: fieldOf('graph id'), node: fieldOf('graph node id'), priority: fieldOf('priority') },
  ...{ cbid: fieldOf('cbid'), result: fieldOf('return value'), fullName: fieldOf('full name') },
  ...{ value: fieldOf('value'), engine: fieldOf('copy engine'), cause: fieldOf('cause') },
  ...{ from: fieldOf('fromDevice'), to: fieldOf('toDevice'), syncKind: fieldOf('cuda_sync_kind') },
  ...{ waitsFor: fieldOf('wait_on_cuda_event_id'), event: fieldOf('event') },
  ...{ style: fieldOf('style'), domain: fieldOf('domain'), argsName: fieldOf('args.name') },
};

interface AsyncRange extends OpenRange {
  thread: ChromeThread;
}

export class ChromeEvents implements TraceEventSink {
  /** Events of any kind, names and arrows among them. */
  seen = 0;
  private readonly db: Database.Database;
  private readonly tables: Record<Short, EventTable>;
  private readonly strings: Table;
  private readonly names = new ByteNames((text) => this.strings.add(this.strings.count + 1, text));
  private readonly categories: Category[] = [];
  private readonly categoryNames = new ByteNames((text) => this.categories.push(this.categoryOf(text)) - 1);
  private readonly domains = new Map<string, number>();
  private readonly threads = new ChromeThreads();
  private readonly values = new Map<string, string>();
  private readonly time = new ExactTime();
  /** Microseconds of the first time in the file: all others count from it until the smallest is known. */
  private base: number | null;
  /** Times that do so, and the first one (µs) that is too far away to. */
  private near = 0;
  private far: number | null = null;
  private first = Infinity;
  private last = -Infinity;
  private fields!: EventFields;
  /** Of the event that is looked at. */
  private start = 0;
  private length = 0;
  private readonly numbers = [0, 0, 0];
  private readonly pairs = new RangePairs<OpenRange>();
  private readonly asyncPairs = new RangePairs<AsyncRange>();
  private readonly async = new Map<string, Unpaired<AsyncRange>>();
  private readonly devices = new Map<string, number>();
  private readonly streams = new Map<string, number>();
  private readonly priorities = new Map<string, { device: number; stream: number; priority: number }>();
  private readonly wideIds = new Map<string, number>();
  private readonly shortNames = new Map<number, number>();
  private readonly counters = new Set<string>();
  /** Whether a correlation id was seen, and an event that should have one and has none. */
  private hasCorrelations = false;
  private arrows: { ends: Table; alone: Table } | null = null;
  private hasLone = false;
  /** Events that are not shown, by what they are. */
  private readonly left = new Map<string, number>();
  private readonly odd = { times: 0, negative: 0 };

  /** `base`: what {@link betterBase} gave. */
  constructor(db: Database.Database, base: number | null = null) {
    this.db = db;
    this.base = base;
    this.tables = {} as Record<Short, EventTable>;
    for (const [name, short] of Object.entries(eventTableNames) as [EventTableName, Short][]) {
      if (short in shapeColumns) this.tables[short] = new EventTable(db, name, shapeColumns[short]);
    }
    this.strings = new Table(db, 'StringIds', ['id', 'value']);
  }

  /** What to count times from instead (µs), where the first one in the file stands alone. */
  get betterBase(): number | null {
    return this.odd.times > this.near ? this.far : null;
  }

  value(key: string, json: string): void {
    this.values.set(key, json);
  }

  event(fields: EventFields): void {
    this.fields = fields;
    const { kinds, starts, bytes } = fields;
    if (kinds[field.ph] !== isText) {
      // `{}` ends a list that programs close without looking.
      if (kinds.some((kind) => kind !== absent)) this.skip('events without a phase');
      return;
    }
    this.seen++;
    switch (String.fromCharCode(bytes[starts[field.ph]!]!)) {
      case 'X':
        return this.complete();
      case 'B':
        return this.begin();
      case 'E':
        return this.finishRange();
      case 'b':
      case 'S':
        return this.beginAsync();
      case 'e':
      case 'F':
        return this.finishAsync();
      case 'i':
      case 'I':
      case 'R':
      case 'n':
      case 'T':
      case 'p':
        return this.instant();
      case 'M':
        return this.metadata();
      case 's':
        return this.arrow(true);
      case 'f':
        return this.arrow(false);
      case 't':
        return;
      case 'C':
        return this.counter();
      default:
        this.skip(phaseNames[this.textIn(field.ph)] ?? `events of phase ${this.textIn(field.ph)}`);
    }
  }

  // What the fields hold.

  private textIn(number: number): string {
    const { bytes, kinds, starts, ends } = this.fields;
    if (kinds[number] === absent) return '';
    return textOf(bytes, starts[number]!, ends[number]!, kinds[number] === isEscaped);
  }

  /** A number, also one that is written as text; null for anything else. */
  private numberIn(number: number): number | null {
    const { bytes, kinds, starts, ends } = this.fields;
    const kind = kinds[number];
    if (kind !== isNumber && kind !== isText) return null;
    const [start, end] = [starts[number]!, ends[number]!];
    if (end - start <= 15) {
      let value = 0;
      let p = start;
      for (; p < end; p++) {
        const digit = bytes[p]! - 0x30;
        if (digit < 0 || digit > 9) break;
        value = 10 * value + digit;
      }
      if (p === end && end > start) return value;
    }
    const text = bytes.toString('latin1', start, Math.min(end, start + 64)).trim();
    const value = text === '' ? NaN : Number(text);
    return Number.isFinite(value) ? value : null;
  }

  /** A whole number from 0 on that fits where it is kept. */
  private count(number: number): number {
    const value = this.numberIn(number);
    return value !== null && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? Math.floor(value) : 0;
  }

  private optional(number: number): number | null {
    const value = this.numberIn(number);
    return value !== null && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? Math.floor(value) : null;
  }

  /** Up to three numbers of a list, into `numbers`. */
  private readTriple(number: number): void {
    const { bytes, kinds, starts, ends } = this.fields;
    const { numbers } = this;
    numbers[0] = numbers[1] = numbers[2] = 0;
    if (kinds[number] !== isNested) return;
    let at = 0;
    let value = -1;
    for (let p = starts[number]!; p < ends[number]! && at < 3; p++) {
      const digit = bytes[p]! - 0x30;
      if (digit >= 0 && digit <= 9) value = 10 * Math.max(value, 0) + digit;
      else if (value >= 0) {
        numbers[at++] = Math.min(value, Number.MAX_SAFE_INTEGER);
        value = -1;
      }
    }
  }

  private nameIn(number: number): number {
    const { bytes, kinds, starts, ends } = this.fields;
    if (kinds[number] === absent) return this.names.find(bytes, 0, 0, false);
    return this.names.find(bytes, starts[number]!, ends[number]!, kinds[number] === isEscaped);
  }

  private category(): Category {
    const { bytes, kinds, starts, ends } = this.fields;
    const [start, end] = kinds[field.cat] === absent ? [0, 0] : [starts[field.cat]!, ends[field.cat]!];
    return this.categories[this.categoryNames.find(bytes, start, end, kinds[field.cat] === isEscaped)]!;
  }

  private categoryOf(name: string): Category {
    return { kind: categoryKinds[name] ?? 'range', name, domain: this.domainOf(name) };
  }

  private domainOf(name: string): number {
    if (name === '') return 0;
    const known = this.domains.get(name);
    if (known !== undefined) return known;
    if (this.domains.size === mostDomains - 1) return 0;
    this.domains.set(name, this.domains.size + 1);
    return this.domains.size;
  }

  /** Reads `ts` into `start`, from the first time in the file; false, and counted, where it is none. */
  private readStart(): boolean {
    const { bytes, kinds, starts, ends } = this.fields;
    const { time } = this;
    const kind = kinds[field.ts]!;
    if ((kind === isNumber || kind === isText) && time.read(bytes, starts[field.ts]!, ends[field.ts]!)) {
      this.base ??= time.microseconds;
      this.start = (time.microseconds - this.base) * 1000 + time.nanoseconds;
      if (Math.abs(this.start) <= latest) {
        this.near++;
        return true;
      }
      this.far ??= time.microseconds;
    }
    this.odd.times++;
    return false;
  }

  /** Reads `dur` into `length`. */
  private readLength(): boolean {
    const { bytes, kinds, starts, ends } = this.fields;
    const { time } = this;
    const kind = kinds[field.dur]!;
    this.length = 0;
    if (kind === absent) return true;
    if ((kind === isNumber || kind === isText) && time.read(bytes, starts[field.dur]!, ends[field.dur]!)) {
      this.length = time.microseconds * 1000 + time.nanoseconds;
      if (this.length < 0) {
        this.odd.negative++;
        this.length = 0;
      }
      if (this.length <= latest) return true;
    }
    this.odd.times++;
    return false;
  }

  private id(number: number): number | string {
    const value = this.numberIn(number);
    if (!Number.isSafeInteger(value)) return this.textIn(number);
    // "7" is 7 and "007" is a name.
    const isSame = this.fields.kinds[number] === isNumber || this.textIn(number) === String(value);
    return isSame ? value! : this.textIn(number);
  }

  private thread(isGpu = false): ChromeThread {
    const process = this.threads.process(this.id(field.pid));
    return this.threads.thread(process, this.id(field.tid), isGpu);
  }

  private span(start: number, end: number): void {
    if (start < this.first) this.first = start;
    if (end > this.last) this.last = end;
  }

  private skip(what: string): void {
    if (this.left.size < 100 || this.left.has(what)) this.left.set(what, (this.left.get(what) ?? 0) + 1);
  }

  // Rows.

  private complete(): void {
    const category = this.category();
    const { kinds } = this.fields;
    let { kind } = category;
    // Others may call something a kernel or a runtime, too.
    if (kind === 'kernel' && !(kinds[field.device] || kinds[field.stream] || kinds[field.grid])) kind = 'range';
    if (category.name === 'Runtime' && !(kinds[field.correlation] || kinds[field.cbid])) kind = 'range';
    if (kind === 'graph' && !kinds[field.graph]) kind = 'range';
    if (kind === 'nothing') return this.skip(category.name);
    if (!this.readStart() || !this.readLength()) return;
    this.span(this.start, this.start + this.length);
    switch (kind) {
      case 'kernel':
        return this.kernel();
      case 'memcpy':
        return this.memcpy();
      case 'memset':
        return this.memset();
      case 'synchronization':
        return this.synchronization();
      case 'graph':
        return this.graph();
      case 'runtime':
      case 'driver':
        return this.call(eventClasses[kind]);
      default: {
        const thread = this.thread(kind === 'gpu range');
        if (kind === 'host range') thread.process.hostRows++;
        const { style, type } = this.nvtx();
        const domain = type === undefined ? category.domain : style;
        const { start, length } = this;
        const isMark = type === nvtxTypes.mark;
        this.range(
          thread,
          type ?? nvtxTypes['push-pop'],
          this.nameIn(field.name),
          domain,
          start,
          isMark ? null : length,
        );
      }
    }
  }

  /** Our own exports say what kind of range it was, in which domain. */
  private nvtx(): { type?: number; style: number } {
    if (this.fields.kinds[field.style] !== isText) return { style: 0 };
    const type = nvtxStyles[this.textIn(field.style)];
    return type === undefined ? { style: 0 } : { type, style: this.domainOf(this.textIn(field.domain)) };
  }

  private range(
    thread: ChromeThread,
    type: number,
    name: number,
    domain: number,
    start: number,
    length: number | null,
  ): void {
    const { NVTX } = this.tables;
    const key = (name * mostDomains + domain) * 4 + (type & 3);
    let shape = thread.shapes.get(key);
    if (shape === undefined) {
      shape = NVTX.shape([type, thread.globalTid, name, null, domain || null]);
      if (thread.shapes.size === mostShapes) thread.shapes.clear();
      thread.shapes.set(key, shape);
    }
    thread.hasRows = true;
    thread.process.ranges++;
    NVTX.add(start, length === null ? null : start + length, null, shape);
  }

  private call(eventClass: number): void {
    const thread = this.thread();
    const name = this.nameIn(field.name);
    const result = this.count(field.result);
    const { RUNTIME } = this.tables;
    // Below those of ranges.
    const key = result === 0 ? -2 * name - eventClass : 0;
    let shape = thread.shapes.get(key);
    if (shape === undefined || key === 0) {
      shape = RUNTIME.shape([eventClass, thread.globalTid, name, result]);
      if (thread.shapes.size === mostShapes) thread.shapes.clear();
      thread.shapes.set(key, shape);
    }
    thread.hasRows = true;
    thread.process.calls++;
    const correlation = this.correlation();
    const row = RUNTIME.add(this.start, this.start + this.length, correlation, shape);
    if (correlation === null) this.lone('RUNTIME', row, thread);
  }

  private kernel(): void {
    const { device, stream, thread } = this.place();
    const name = this.nameIn(field.name);
    const fullName = this.fields.kinds[field.fullName] === absent ? name : this.nameIn(field.fullName);
    this.readTriple(field.grid);
    const [gridX, gridY, gridZ] = this.numbers;
    this.readTriple(field.block);
    const [blockX, blockY, blockZ] = this.numbers;
    const priority = this.numberIn(field.priority);
    if (priority) this.notePriority(device, stream, priority);
    this.device(
      'KERNEL',
      [
        ...[device, this.count(field.context), stream, thread.process.globalPid],
        ...[fullName, fullName === name ? this.shortNameOf(name) : name, this.count(field.registers)],
        ...[gridX!, gridY!, gridZ!, blockX!, blockY!, blockZ!, 0, this.count(field.shared), 0, 0],
        ...[this.optional(field.node), this.optional(field.graph)],
      ],
      thread,
    );
  }

  private shortNameOf(name: number): number {
    const known = this.shortNames.get(name);
    if (known !== undefined) return known;
    const full = this.textIn(field.name);
    const short = shortName(full);
    const bytes = Buffer.from(short);
    const id = short === full ? name : this.names.find(bytes, 0, bytes.length, false);
    if (this.shortNames.size === mostShapes) this.shortNames.clear();
    this.shortNames.set(name, id);
    return id;
  }

  private memcpy(): void {
    const { device, stream, thread } = this.place();
    const name = this.textIn(field.name);
    const [, short = '', from = '', to = ''] =
      /^(?:Memcpy )?([\w ]+?)(?: \(([^()]*?) -> ([^()]*)\))?$/.exec(name) ?? [];
    const migrates = isMigrationName.test(short);
    const cause = migrationCauseNames.indexOf(this.textIn(field.cause));
    this.device(
      'MEMCPY',
      [
        ...[device, this.count(field.context), stream, thread.process.globalPid],
        ...[this.count(field.bytes), copyKindOf.get(short.toLowerCase()) ?? 0, memoryKindOf(from), memoryKindOf(to)],
        ...[this.optional(field.from), this.optional(field.to), migrates && cause >= 0 ? cause : null],
        ...[this.optional(field.node), this.optional(field.engine)],
      ],
      thread,
      !migrates,
    );
  }

  private memset(): void {
    const { device, stream, thread } = this.place();
    const [, memory = ''] = /\(([^()]*)\)$/.exec(this.textIn(field.name)) ?? [];
    this.device(
      'MEMSET',
      [
        ...[device, this.count(field.context), stream, thread.process.globalPid],
        ...[this.count(field.value), this.count(field.bytes), this.optional(field.node), memoryKindOf(memory)],
      ],
      thread,
    );
  }

  private synchronization(): void {
    const kind = this.textIn(field.syncKind) || this.textIn(field.name);
    const type = syncKinds.find(([pattern]) => pattern.test(kind))?.[1] ?? 0;
    const event = this.optional(field.waitsFor) ?? this.optional(field.event) ?? none;
    const { device, stream, thread } = type === syncTypes['stream-wait'] ? this.place() : this.waiting();
    this.device(
      'SYNCHRONIZATION',
      [device, this.count(field.context), stream, thread.process.globalPid, type, event],
      thread,
      false,
    );
  }

  private graph(): void {
    const { device, stream, thread } = this.place();
    const graph = this.count(field.graph);
    const cells = [device, this.count(field.context), stream, thread.process.globalPid, graph, graph];
    this.device('GRAPH_TRACE', cells, thread);
  }

  private device(table: Short, cells: Cell[], thread: ChromeThread, hasCall = true): void {
    const events = this.tables[table];
    const correlation = this.correlation();
    const row = events.add(this.start, this.start + this.length, correlation, events.shape(cells));
    if (correlation === null && hasCall) this.lone(table, row, thread);
  }

  /** Device and stream by the arguments, or by the row that the event is on. */
  private place(): { device: number; stream: number; thread: ChromeThread } {
    const thread = this.thread();
    const { process } = thread;
    process.deviceRows++;
    const device = this.deviceOf(process, this.optional(field.device));
    process.device ??= device;
    return { device, stream: this.streamOf(), thread };
  }

  /** Device and stream that the host waits for: their row may be one of the host. */
  private waiting(): { device: number; stream: number; thread: ChromeThread } {
    const thread = this.thread();
    thread.process.deviceRows++;
    const stream = this.fields.kinds[field.stream] === absent ? none : this.streamOf();
    return { device: this.optional(field.device) ?? 0, stream, thread };
  }

  /** Traces of several processes in one file may call different GPUs the same. */
  private deviceOf(process: ChromeProcess, given: number | null): number {
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
    const given = this.fields.kinds[field.stream] === absent ? field.tid : field.stream;
    const value = this.numberIn(given);
    if (value !== null && value < 0) return none;
    if (value !== null && value <= Number.MAX_SAFE_INTEGER && Number.isInteger(value)) return value;
    const text = this.textIn(given);
    const [, number] = /^stream (\d{1,15})\b/.exec(text) ?? [];
    if (number !== undefined) return Number(number);
    if (text === '') return none;
    // An address or a name: a number beyond those of streams.
    let stream = this.streams.get(text);
    if (stream === undefined && this.streams.size < mostShapes) {
      this.streams.set(text, (stream = firstOddStream + this.streams.size));
    }
    return stream ?? none;
  }

  private notePriority(device: number, stream: number, priority: number): void {
    const key = `${device} ${stream}`;
    if (this.priorities.size < mostShapes) this.priorities.set(key, { device, stream, priority });
  }

  /** Ids that do not fit 32 bits get numbers from the top. */
  private correlation(number: number = field.correlation): number | null {
    const value = this.numberIn(number);
    if (value === null || value <= 0) {
      const { kinds } = this.fields;
      return kinds[number] === isText && value === null ? this.wideId(this.textIn(number)) : null;
    }
    this.hasCorrelations ||= number === field.correlation;
    return value < none ? value : this.wideId(this.textIn(number));
  }

  private wideId(text: string): number | null {
    if (text === '' || /^[-+]?[0.]+$|^-/.test(text)) return null;
    const known = this.wideIds.get(text);
    if (known !== undefined || this.wideIds.size === mostWideIds) return known ?? null;
    const id = none - 1 - this.wideIds.size;
    this.wideIds.set(text, id);
    return id;
  }

  // Ranges whose ends come as events of their own.

  private begin(): void {
    if (!this.readStart()) return;
    const { kind, domain } = this.category();
    const thread = this.thread(kind === 'gpu range');
    const range = { name: this.nameIn(field.name), domain, start: this.start };
    if (!this.pairs.begin(thread.unpaired, range)) return this.skip(tooManyOpen);
    this.span(this.start, this.start);
  }

  private finishRange(): void {
    if (!this.readStart()) return;
    const { kind } = this.category();
    const thread = this.thread(kind === 'gpu range');
    const range = this.pairs.end(thread.unpaired, this.start);
    if (range) this.close(thread, range, this.start, nvtxTypes['push-pop']);
  }

  private beginAsync(): void {
    if (!this.readStart()) return;
    const { domain } = this.category();
    const range = { name: this.nameIn(field.name), domain, start: this.start, thread: this.asyncThread() };
    if (!this.asyncPairs.begin(this.asyncOf(this.asyncKey()), range)) return this.skip(tooManyOpen);
    this.span(this.start, this.start);
  }

  private finishAsync(): void {
    if (!this.readStart()) return;
    const key = this.asyncKey();
    const unpaired = this.asyncOf(key);
    // Ids may be used in several processes at once, and one range may end in another process than it began in.
    const process = this.threads.process(this.id(field.pid));
    const range = this.asyncPairs.end(unpaired, this.start, ({ thread }) => thread.process === process);
    if (range) this.close(range.thread, range, this.start, nvtxTypes['start-end']);
    if (unpaired.begins.length === 0 && unpaired.ends.length === 0) this.async.delete(key);
  }

  private asyncOf(key: string): Unpaired<AsyncRange> {
    let unpaired = this.async.get(key);
    if (!unpaired) this.async.set(key, (unpaired = new Unpaired()));
    return unpaired;
  }

  private asyncKey(): string {
    const { kinds } = this.fields;
    const id = kinds[field.id] === absent ? this.textIn(field.id2) : this.textIn(field.id);
    const isLocal = kinds[field.id] === absent && id.includes('"local"');
    return `${this.textIn(field.cat)}\0${id}\0${isLocal ? this.textIn(field.pid) : ''}`;
  }

  /** Such ranges overlap with those of their thread: they have a row of their own. */
  private asyncThread(): ChromeThread {
    const process = this.threads.process(this.id(field.pid));
    return this.threads.thread(process, `async ${this.textIn(field.cat)}`);
  }

  private close(thread: ChromeThread, { name, domain, start }: OpenRange, end: number, type: number): void {
    this.span(start, end);
    this.range(thread, type, name, domain, start, end - start);
  }

  private instant(): void {
    if (!this.readStart()) return;
    this.span(this.start, this.start);
    const { kind, domain, name } = this.category();
    if (kind === 'nothing') return this.skip(name);
    const thread = this.thread(kind === 'gpu range');
    this.range(thread, nvtxTypes.mark, this.nameIn(field.name), domain, this.start, null);
  }

  private counter(): void {
    this.skip('counter values');
    if (this.counters.size < 8) this.counters.add(this.textIn(field.name));
  }

  // Names and arrows.

  private metadata(): void {
    const what = this.textIn(field.name);
    if (what === 'process_name') {
      this.threads.process(this.id(field.pid)).name ||= this.textIn(field.argsName);
    } else if (what === 'thread_name') {
      // Kineto names the streams of GPUs so, too.
      const name = this.textIn(field.argsName).trim();
      const thread = this.thread();
      if (name !== '') thread.name = name;
    }
  }

  /** Calls and what they start are joined by correlation ids; arrows only stand in for those that are missing. */
  private arrow(isStart: boolean): void {
    const name = this.textIn(field.cat);
    if (!callArrows.test(name)) {
      if (isStart) this.skip(name === '' ? 'arrows' : `arrows ${name}`);
      return;
    }
    if (this.hasCorrelations && !this.hasLone) return;
    const id = this.correlation(field.id);
    if (id === null || !this.readStart()) return;
    this.arrowTables().ends.add(isStart ? 1 : 0, this.thread().globalTid, this.start, id);
  }

  private lone(table: Short, row: number, thread: ChromeThread): void {
    this.hasLone = true;
    const end = this.start + this.length;
    this.arrowTables().alone.add(table, row, thread.globalTid, this.start, end);
  }

  private arrowTables(): { ends: Table; alone: Table } {
    if (!this.arrows) {
      this.db.exec(`CREATE TEMP TABLE arrows (isStart INTEGER, thread INTEGER, time INTEGER, id INTEGER);
        CREATE TEMP TABLE alone (kind TEXT, event INTEGER, thread INTEGER, start INTEGER, end INTEGER)`);
      this.arrows = {
        ends: new Table(this.db, 'arrows', ['isStart', 'thread', 'time', 'id']),
        alone: new Table(this.db, 'alone', ['kind', 'event', 'thread', 'start', 'end']),
      };
    }
    return this.arrows;
  }

  // When all events are there.

  /** `damage`: what is wrong with the file beside its JSON. */
  finish(result: ReadingResult, damage: string | null): void {
    const facts = new RecordingFacts(this.values);
    this.closeAll();
    const zero = this.zeroOf(facts);
    const domainStart = Number.isFinite(this.first) ? this.first : 0;
    for (const [name, domain] of this.domains) {
      const { NVTX } = this.tables;
      NVTX.add(domainStart, null, null, NVTX.shape([nvtxTypes['domain-create'], null, null, name, domain]));
    }
    for (const table of Object.values(this.tables)) table.flush();
    this.joinArrows();
    this.giveProcesses();
    this.giveGpus();
    this.nameThreads();
    this.strings.flush();
    this.dropTemporary();
    if (zero !== 0) {
      for (const short of Object.keys(shapeColumns)) {
        this.db.prepare(`UPDATE SIMSIGHT_FRAMES_${short} SET start = start - ?`).run(zero);
      }
    }
    this.describeGpus(facts);
    this.tellFacts(facts, zero, damage === null && !result.isCut);
    this.tellNotices(facts, result, damage);
  }

  /** Ranges that were never ended last as long as the recording. */
  private closeAll(): void {
    const end = this.last;
    for (const thread of this.threads.threads()) {
      this.pairs.finish(thread.unpaired, end, (range, to) => this.close(thread, range, to, nvtxTypes['push-pop']));
    }
    for (const unpaired of this.async.values()) {
      const close = (range: AsyncRange, to: number): void =>
        this.close(range.thread, range, to, nvtxTypes['start-end']);
      this.asyncPairs.finish(unpaired, end, close);
    }
  }

  /** What all times count from: the first of them; our own exports count from the start already. */
  private zeroOf({ isOurs }: RecordingFacts): number {
    if (isOurs && this.base !== null && this.base <= latest / 1000) return -1000 * this.base;
    return Number.isFinite(this.first) ? this.first : 0;
  }

  private joinArrows(): void {
    if (!this.arrows) return;
    this.arrows.ends.flush();
    this.arrows.alone.flush();
    this.db.exec('CREATE INDEX temp.ends ON arrows (isStart, thread, time, id)');
    for (const short of ['RUNTIME', 'KERNEL', 'MEMCPY', 'MEMSET', 'GRAPH_TRACE'] as const) {
      this.db
        .prepare(
          `UPDATE SIMSIGHT_EVENTS_${short} SET correlationId = found.id FROM (
             SELECT event, (SELECT id FROM arrows WHERE isStart = ? AND thread = alone.thread
               AND time BETWEEN alone.start AND alone.end ORDER BY time LIMIT 1) AS id
             FROM alone WHERE kind = ?) AS found
           WHERE SIMSIGHT_EVENTS_${short}.rowid = found.event AND found.id IS NOT NULL`,
        )
        .run(short === 'RUNTIME' ? 1 : 0, short);
    }
  }

  private dropTemporary(): void {
    if (this.arrows) this.db.exec('DROP TABLE temp.arrows; DROP TABLE temp.alone');
  }

  /** What ran on a GPU belongs to the process that started most of it. */
  private giveProcesses(): void {
    const processes = [...this.threads.processes.values()];
    const callers = processes.filter(({ calls }) => calls > 0);
    const main = this.mainProcess();
    const caller = this.db.prepare(
      `SELECT (r.globalTid >> 24) << 24 FROM
         (SELECT correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE globalPid = ? AND correlationId > 0 LIMIT 10000) k
       JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId
       GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1`,
    );
    const owners = new Map<number, number>();
    for (const { globalPid, deviceRows } of processes) {
      if (deviceRows === 0) continue;
      const found = callers.length > 1 ? caller.pluck().get(globalPid) : undefined;
      owners.set(globalPid, Number(found ?? (callers[0] ?? main)?.globalPid ?? globalPid));
    }
    for (const short of ['KERNEL', 'MEMCPY', 'MEMSET', 'SYNCHRONIZATION', 'GRAPH_TRACE']) {
      this.renumber(`SIMSIGHT_SHAPES_${short}`, 'globalPid', owners);
    }
  }

  /** Changes ids all at once: a new one may be another's old one. */
  private renumber(table: string, column: string, ids: ReadonlyMap<number, number>): void {
    this.db.exec('CREATE TEMP TABLE renumbered (old INTEGER PRIMARY KEY, new INTEGER)');
    const insert = this.db.prepare('INSERT INTO renumbered VALUES (?, ?)');
    for (const pair of ids) insert.run(...pair);
    this.db.exec(
      `UPDATE ${table} SET ${column} = renumbered.new FROM renumbered WHERE ${column} = renumbered.old;
       DROP TABLE temp.renumbered`,
    );
  }

  /** The process of the host with most of the calls, or of the rows. */
  private mainProcess(): ChromeProcess | undefined {
    const hosts = [...this.threads.processes.values()].filter((process) => !isGpuProcess(process));
    return hosts.sort((a, b) => b.calls - a.calls || b.ranges - a.ranges || a.number - b.number)[0];
  }

  /** Ranges on rows of a GPU go below that GPU. */
  private giveGpus(): void {
    const moved = new Map<number, number>();
    for (const process of this.threads.processes.values()) {
      const threads = [...process.gpuThreads.values(), ...(isGpuProcess(process) ? process.threads.values() : [])];
      if (threads.length === 0) continue;
      const device = process.device ?? this.deviceOf(process, null);
      for (const thread of threads) {
        const to = gpuThread(device, tidOf(thread.globalTid));
        if (thread.hasRows) moved.set(thread.globalTid, to);
        thread.globalTid = to;
      }
      for (const [id, thread] of process.gpuThreads) {
        const stream = process.threads.get(id)?.name || `stream ${id}`;
        thread.name = `Annotations, ${stream}`;
      }
    }
    if (moved.size > 0) this.renumber('SIMSIGHT_SHAPES_NVTX', 'globalTid', moved);
  }

  private nameThreads(): void {
    const process = this.db.prepare('INSERT INTO PROCESSES (globalPid, pid, name) VALUES (?, ?, ?)');
    const name = this.db.prepare('INSERT INTO ThreadNames (nameId, priority, globalTid) VALUES (?, NULL, ?)');
    for (const each of this.threads.processes.values()) {
      const threads = [...each.threads.values(), ...each.gpuThreads.values()].filter(({ hasRows }) => hasRows);
      if (threads.some(({ globalTid }) => deviceOfThread(globalTid) === null))
        process.run(each.globalPid, each.number, each.name || null);
      for (const thread of threads) {
        if (thread.name !== '') name.run(this.strings.add(this.strings.count + 1, thread.name), thread.globalTid);
      }
    }
  }

  private describeGpus({ devices }: RecordingFacts): void {
    const known = new Map(devices.map((device) => [Number(device['id']), device]));
    const gpu = new Table(this.db, 'TARGET_INFO_GPU', ['vmId', 'id', 'cuDevice', 'name', ...gpuColumns.values()]);
    const added = new Set<number>();
    const add = (id: number, name: string | null, from: Readonly<Record<string, unknown>>): void => {
      if (added.has(id) || !Number.isSafeInteger(id)) return;
      added.add(id);
      const cells = [...gpuColumns.keys()].map((key) => (typeof from[key] === 'number' ? from[key] : null));
      gpu.add(0, id, id, name, ...cells);
    };
    for (const [key, device] of this.devices) {
      const [process, own] = key.split(' ').map(Number) as [number, number];
      const given = known.get(own);
      const named = [...this.threads.processes.values()].find(({ number }) => number === process);
      // Our own exports name the process of a GPU after it; Kineto after the program.
      const isNamed = named && isGpuProcess(named) && /\(\d+\)$/.test(named.name);
      const name = given ? String(given['name'] ?? '') : isNamed ? named.name.replace(/ \(\d+\)$/, '') : '';
      if (given || name) add(device, name || null, given ?? {});
    }
    for (const [id, device] of known) add(id, String(device['name'] ?? '') || null, device);
    gpu.flush();
    const stream = new Table(this.db, 'TARGET_INFO_CUDA_STREAM', [
      ...['streamId', 'hwId', 'vmId', 'processId', 'contextId', 'priority', 'flag'],
    ]);
    for (const { stream: id, priority } of this.priorities.values()) stream.add(id, 0, 0, 0, 0, priority, 0);
    stream.flush();
  }

  private tellFacts(facts: RecordingFacts, zero: number, isComplete: boolean): void {
    const fact = this.db.prepare('INSERT INTO SIMSIGHT_RECORDING (name, value) VALUES (?, ?)');
    const main = this.mainProcess();
    fact.run('program', facts.program || basename((main?.name ?? '').replaceAll('\\', '/')));
    if (facts.title !== '') fact.run('title', facts.title);
    fact.run('arguments', '[]');
    fact.run('exitCode', null);
    fact.run('complete', String(isComplete));
    fact.run('importedFrom', facts.origin);
    fact.run('rangesOf', 'threads');
    const epoch = facts.epochOf(BigInt(this.base ?? 0) * 1000n + BigInt(zero));
    if (epoch !== null)
      this.db.prepare('INSERT INTO TARGET_INFO_SESSION_START_TIME (utcEpochNs) VALUES (?)').run(epoch);
  }

  private tellNotices(facts: RecordingFacts, result: ReadingResult, damage: string | null): void {
    const { odd, left } = this;
    const notices = [`Recorded with ${facts.origin}.`];
    const tell = (count: number, text: string): void => {
      if (count > 0) notices.push(`${count} ${text}`);
    };
    if (facts.rank !== '') notices.push(facts.rank);
    if (damage !== null) notices.push(`Reading ended early: ${damage}.`);
    else if (result.isCut) notices.push(`The file was cut short: it ends at byte ${result.end}, within its JSON.`);
    tell(
      result.malformed,
      `parts of the file are no JSON and were left out, the first at byte ${result.firstMalformed}.`,
    );
    tell(odd.times, 'events were left out because their times cannot be read.');
    tell(odd.negative, 'events end before they start: they are shown without length.');
    const [ranges, async] = [this.pairs.alone, this.asyncPairs.alone];
    tell(ranges.ends + async.ends, 'ends of ranges were left out: nothing was begun.');
    tell(ranges.begins + async.begins, 'ranges have no end: they are shown up to the end of the recording.');
    tell(this.wideIds.size, 'correlation ids do not fit 32 bits: they have got other numbers.');
    if (left.size > 0) {
      const parts = [...left].map(([what, count]) => {
        const names = what === 'counter values' ? ` of ${[...this.counters].join(', ')}` : '';
        return `${what}${names} (${count})`;
      });
      notices.push(`Not shown: ${parts.join(', ')}.`);
    }
    if (this.streams.size > 0) {
      const some = [...this.streams].slice(0, 8).map(([text, stream]) => `${text.slice(0, 40)} is ${stream}`);
      notices.push(`Streams that are not numbered have got numbers: ${some.join(', ')}.`);
    }
    if (this.tables.KERNEL.count > 0) {
      if (!facts.isOurs) notices.push('Shared memory of kernels is known as one sum, shown as dynamic.');
      const alone = this.db
        .prepare(
          `SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k
           LEFT JOIN (SELECT DISTINCT correlationId AS id, globalTid >> 24 AS process FROM CUPTI_ACTIVITY_KIND_RUNTIME) r
             ON r.id = k.correlationId AND r.process = k.globalPid >> 24
           WHERE r.id IS NULL`,
        )
        .pluck()
        .get() as number;
      tell(alone, 'kernels have no API call in this recording.');
    }
    const notice = this.db.prepare('INSERT INTO SIMSIGHT_NOTICES (text) VALUES (?)');
    for (const text of notices) notice.run(text);
  }
}

/** Whether a process of the file stands for a GPU: in containers those of the host may have the same small numbers. */
const isGpuProcess = ({ deviceRows, hostRows, calls }: ChromeProcess): boolean =>
  deviceRows > 0 && hostRows === 0 && calls === 0;

const tooManyOpen = 'ranges beyond a million that are open at once';
/** Times that can be drawn, from the first one on: 2^52 ns are 52 days. */
const latest = 2 ** 52;
const mostDevices = 1023;
/** Streams that are not numbered: above all that are, and above none. */
const firstOddStream = none + 1;

const nvtxStyles: Readonly<Record<string, number>> = {
  PushPop: nvtxTypes['push-pop'],
  StartEnd: nvtxTypes['start-end'],
  Mark: nvtxTypes.mark,
};

const phaseNames: Readonly<Record<string, string>> = {
  ...{ P: 'samples', O: 'snapshots of objects', N: 'objects', D: 'objects' },
  ...{ v: 'memory dumps', V: 'memory dumps', c: 'clock synchronizations' },
};

/** By what `Memcpy …` says: the short names of all kinds. */
const copyKindOf = new Map<string, number>([
  ...Object.entries(copyNames).map(([kind, { short }]) => [short.toLowerCase(), Number(kind)] as const),
  ...(['htoa', 'atoh', 'atoa', 'atod', 'dtoa'] as const).map((name, index) => [name, 3 + index] as const),
]);
const isMigrationName = /^Unified /i;

const memoryKindOf = (name: string): number | null => {
  const kind = memoryKindNames.indexOf(name.trim());
  return kind < 0 ? null : kind;
};

/** As Kineto and we call them. */
const syncKinds: readonly [RegExp, number][] = [
  [/^event sync/i, syncTypes.event],
  [/^stream wait/i, syncTypes['stream-wait']],
  [/^stream sync/i, syncTypes.stream],
  [/^(context|device) sync/i, syncTypes.context],
];

/** What `deviceProperties` and `TARGET_INFO_GPU` call the same. */
const gpuColumns = new Map([
  ['totalGlobalMem', 'totalMemory'],
  ['numSms', 'smCount'],
  ['computeMajor', 'computeMajor'],
  ['computeMinor', 'computeMinor'],
  ['warpSize', 'threadsPerWarp'],
  ['maxThreadsPerBlock', 'maxThreadsPerBlock'],
  ['regsPerBlock', 'maxRegistersPerBlock'],
  ['regsPerMultiprocessor', 'maxRegistersPerSm'],
  ['sharedMemPerBlock', 'maxShmemPerBlock'],
  ['sharedMemPerBlockOptin', 'maxShmemPerBlockOptin'],
  ['sharedMemPerMultiprocessor', 'maxShmemPerSm'],
]);

type Values = Readonly<Record<string, unknown>>;

/** What stands beside the events. */
class RecordingFacts {
  readonly origin: string;
  /** Whether it is an export of ours. */
  readonly isOurs: boolean;
  readonly title: string;
  readonly program: string;
  /** One sentence about the rank among several. */
  readonly rank: string;
  readonly devices: readonly Values[];
  private readonly isKineto: boolean;
  private readonly baseNs: bigint | null;

  constructor(values: ReadonlyMap<string, string>) {
    const parsed = (key: string): unknown => {
      try {
        return JSON.parse(values.get(key) ?? 'null');
      } catch {
        return null;
      }
    };
    const object = (key: string): Values => {
      const value = parsed(key);
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : {};
    };
    const text = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 1000) : '');
    const other = object('otherData');
    const importedFrom = text(other['importedFrom']);
    const isRecorded = text(other['engineVersion']) !== '' && 'gpuId' in other;
    this.isOurs = isRecorded || importedFrom !== '';
    this.isKineto = values.has('schemaVersion') || values.has('deviceProperties');
    const list = parsed('deviceProperties');
    this.devices = Array.isArray(list)
      ? list.filter((each): each is Values => typeof each === 'object' && each !== null)
      : [];
    const base = /^\s*(\d{1,19})\s*$/.exec(values.get('baseTimeNanoseconds') ?? '');
    this.baseNs = base ? BigInt(base[1]!) : null;
    const name = text(parsed('traceName'));
    this.title = this.isOurs ? text(other['title']) : basename(name.replaceAll('\\', '/'));
    this.program = this.isOurs ? text(other['program']) : '';
    const { rank, world_size: size, backend } = object('distributedInfo');
    this.rank =
      typeof rank === 'number'
        ? `Rank ${rank}${typeof size === 'number' ? ` of ${size}` : ''}${text(backend) ? ` (${text(backend)})` : ''}.`
        : '';
    const viztracer = object('viztracer_metadata');
    const chrome = text(object('metadata')['product-version']);
    const schema = values.get('schemaVersion')?.trim().slice(0, 20);
    if (importedFrom) this.origin = `${importedFrom}, exported by Simsight as Chrome JSON`;
    else if (isRecorded) this.origin = `Simsight ${text(other['engineVersion'])}, exported as Chrome JSON`;
    else if (this.isKineto) this.origin = `PyTorch's profiler (Kineto, schema ${schema ?? 'unknown'})`;
    else if (values.has('viztracer_metadata')) this.origin = `VizTracer ${text(viztracer['version'])}`.trim();
    else if (chrome) this.origin = chrome;
    else this.origin = 'a program that does not say its name, as Chrome JSON';
  }

  /** The start in nanoseconds since 1970, where the file says it. */
  epochOf(start: bigint): bigint | null {
    if (!this.isKineto) return null;
    // Without a base, times are the clock's own. None is before 2001, or does not fit where it is kept.
    const epoch = (this.baseNs ?? 0n) + start;
    return epoch > 10n ** 18n && epoch < 2n ** 63n ? epoch : null;
  }
}
