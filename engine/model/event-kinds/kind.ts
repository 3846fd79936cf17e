/**
 * The description of a kind of event: all that anybody has to know of it, in one file each beside this one. The loader of the
 * timeline, the reader of details, search, the exporters, the writer of recordings, reports and the page go through the list of them
 * (index.ts) rather than name kinds. To add one, write its file and list it there.
 */
import type { EventField } from '../event-queries.ts';
import type { Failure } from '../events.ts';
import type { TrackKind } from '../timeline.ts';
import {
  computed,
  integer,
  integerOrNull,
  type CellsOf,
  type Column,
  type Columns,
  type Row,
} from '../typed-columns.ts';
import type { StreamPlace } from './row-keys.ts';

/** The table of a kind, under its name in Nsight Systems' export where that has one. */
export interface TableOfKind {
  name: string;
  /** The tables `SIMSIGHT_EVENTS_…`, `…_SHAPES_…` and `…_FRAMES_…` that `name` is a view of; none where events are stored as they are. */
  stored?: string;
  /** SQL after FROM, where more than the table is needed; the table is `t`. */
  from?: string;
  /** SQL of a condition that rows of this kind meet. */
  where?: string;
  /** SQL of the end, where it is not the column of that name (ns). */
  end?: string;
  /** The column that says whose events they are, a thread's or a process's; null where none says it. */
  owner: 'globalTid' | 'globalPid' | null;
  /** True where events have the correlation id of a call. */
  isCorrelated: boolean;
  /**
   * Columns of Nsight Systems' table in its order; whole numbers where no type is given, `!` is NOT NULL. The schema of traces has the table
   * from here, unless it is `stored` otherwise.
   */
  exported?: string;
}

/** The columns that events of all kinds have. */
export interface EventCells {
  readonly start: number;
  readonly end: number;
  readonly rowid: number;
  readonly correlationId: number | null;
}
export const eventColumns = ({
  end,
  isCorrelated,
}: TableOfKind): Columns & Record<keyof EventCells, Column<unknown>> => ({
  start: integer,
  end: end === undefined ? integer : computed(integer, end),
  rowid: integer,
  correlationId: isCorrelated ? integerOrNull : computed(integerOrNull, 'NULL'),
});

/** Columns that tables of a GPU's work have in common. */
export const workColumns = {
  deviceId: integer,
  contextId: integer,
  streamId: integer,
  globalPid: integerOrNull,
} as const;
export type WorkCells = CellsOf<typeof workColumns>;

/** A row of the timeline that a kind has for itself. */
export interface RowOfKind {
  /** Owner: each thread, each GPU, or the program, whose row is in its first process. */
  of: 'thread' | 'device' | 'program';
  /** The words of the row's key, before the number of the thread or GPU. */
  key: string;
  title: string;
  /** The title where ranges are what threads did rather than NVTX. */
  titleOfThreads?: string;
  track: TrackKind;
  /** Place among the rows of the same thread or GPU, from top to bottom. */
  place: number;
}
export const keyOfRow = ({ of, key }: RowOfKind, number: number): string =>
  of === 'program' ? key : `${key} ${number}`;

/** Facts that tell an event's row beside its columns. */
export interface RowContext {
  /** The stream that a graph was launched into whose nodes have a correlation id; null where there is none. */
  graphLaunch(process: number, correlationId: number | null): StreamPlace | null;
  /** `globalTid` of the thread that made the call with a correlation id; 0 where it is not known. */
  callingThread(process: number, correlationId: number | null): number;
  /** The device of a context of a process; `otherwise` where it had no work. */
  deviceOfContext(process: number, context: number, otherwise: number): number;
}

/** The timeline while it is made of the events of one kind. */
export interface Timeline extends RowContext {
  query(sql: string): Row[];
  /** A name of `StringIds`; `?` where there is none with that id. */
  name(id: number): string;
  /** The number of what events look like: the text on them, their name in full, and their flavour. */
  style(label: string, fullName?: string, flavour?: number): number;
  /** Styles of names by their ids: a million events have a few dozen names. */
  namedStyles(shown: (name: string) => string, flavour?: number): (nameId: number) => number;
  /** Puts an event on a row. */
  add(key: string, event: EventCells, style: number): void;
  /** Counts the time of an event as time in which a device did something. */
  busy(device: number, event: EventCells): void;
  /** Tells the thread of a call, and the stream of a graph's launch, to what comes after them. */
  called(globalTid: number, correlationId: number | null): void;
  launched(place: StreamPlace, correlationId: number | null): void;
}

export type Query = (sql: string, ...parameters: (string | number)[]) => Row[];

/** One event while it is described. */
export interface EventContext {
  /** Its number in the table of its kind. */
  row: number;
  query: Query;
  /** Events of a kind that belong to the same call, in order of start. */
  correlated<C extends Columns>(kind: CorrelatedKind, columns: C): CellsOf<C>[];
  /** The name of a GPU. */
  deviceName(device: number): string;
  /** Fields of an executable graph from other kinds ({@link KindSpec.fieldsOfGraph}). */
  graph(graphExecId: number): EventField[];
  /** Peak of a GPU's memory; undefined where the trace does not describe it (GB/s). */
  memoryBandwidth(device: number): number | undefined;
  /** True where ranges are what threads did, as Chrome's format has them, rather than NVTX. */
  areThreads: boolean;
}
/** Kinds that others look for by correlation id. */
export type CorrelatedKind = 'api' | 'kernel' | 'memcpy' | 'memset';

export interface Description {
  title: string;
  /** The full name where `title` is shortened. */
  fullName: string;
  groups: { title: string; fields: EventField[] }[];
}

/** A table of a recording while it is written. */
export interface RowTable {
  /** Adds a row and gives its number. */
  add(...cells: StoredCell[]): number;
}
/** The same for events that are stored in shapes and frames. */
export interface ShapedTable {
  /** `end` is null for what has none; `shape` is the number of what the event has in common with others. Gives the event's row. */
  add(start: number, end: number | null, correlationId: number | null, shape: number): number;
  shape(cells: StoredCell[]): number;
}
export type StoredCell = string | number | bigint | null;

/** A recording while it is written. */
export interface RecordingTables {
  table(name: string, columns: readonly string[]): RowTable;
  /** A table of events by the name that it has in Nsight Systems. */
  events(name: string, columns: readonly string[]): ShapedTable;
  /** The id of a text in `StringIds`. */
  string(text: string): number;
  /** `globalTid` of a thread, numbered from 1. */
  thread(threadId: number): number;
  /** A kernel's names by its mangled one. */
  kernelNames(mangled: string): { demangled: string; short: string };
  /** Threads that a GPU can hold, and the shared memory of a block without opting in for more (bytes). */
  limits(device: number): { threads: number; sharedBytesPerBlock: number };
  /** Records why work came to nothing; `row` is that of a kernel that was on the GPU. */
  failed(work: { correlationId: number; kernel: string | null }, failure: Failure, row: number | null): void;
}

/** Type of a recorder's event, and how it becomes rows. */
export interface EventStore<E extends { type: string }> {
  type: E['type'];
  /** Opens the tables and gives what writes an event. */
  open(recording: RecordingTables): (event: E) => void;
}
/** A store of events of some type. */
export interface AnyStore {
  type: string;
  open(recording: RecordingTables): (event: never) => void;
}
export const store = <E extends { type: string }>(
  type: E['type'],
  open: (recording: RecordingTables) => (event: E) => void,
): EventStore<E> => ({ type, open });

/** A place for slices in Chrome's format: a row there is a thread. */
export interface ChromeRow {
  readonly pid: number;
}
/** An exported trace in Chrome's format while slices are made of events. */
export interface ChromeRows {
  query(sql: string): Iterable<Row>;
  /** A name of `StringIds`; `otherwise`, a question mark, where there is none with that id. */
  name(id: number, otherwise?: string): string;
  areThreads: boolean;
  /** A row of a thread, whose slices nest; `order` is its place in the process, `tid` the thread's own id where it is to have that. */
  thread(title: string, globalTid: number, order: number, tid?: number): ChromeRow;
  process(title: string, pid: number, order: number): ChromeRow;
  gpu(title: string, device: number, order: number): ChromeRow;
  stream(place: StreamPlace, words: { before: string; after?: string }, order?: number): ChromeRow;
  deviceOfContext: RowContext['deviceOfContext'];
  /** Adds what an event moves to a rate over time of its GPU, in GB/s. */
  move(device: number, rate: string, event: EventCells, bytes: number): void;
}
export interface ChromeSlice {
  row: ChromeRow;
  /** Category as Kineto, PyTorch's profiler, calls it. */
  category: string;
  name: string;
  arguments: Record<string, unknown>;
  /** False where no arrow from the call is drawn. */
  isCalled?: false;
}
export interface ChromeExport<C extends Columns> {
  /** Place among the kinds: of slices that start together, those of the first kind come first. */
  place: number;
  /** Kinds of the host are written one after the other, those of devices together in order of time. */
  side: 'host' | 'device';
  columns: C;
  open(rows: ChromeRows): (event: EventCells & CellsOf<C>) => ChromeSlice;
}

/** The colour of an event: `hue` in degrees of OKLCH, or `label`, one of the kernels' by the text; lightness is that of the tone. */
export interface EventColour {
  tone: 'kernel' | 'copy' | 'quiet';
  hue: number | 'label';
  /** Other than the tone's own. */
  chroma?: number;
}
/** The colour of a report's picture, by its class, and what the legend says of it. */
export type PictureColour = readonly [colour: string, meaning: string];

export interface KindSpec<C extends Columns, D extends Columns, S extends readonly AnyStore[]> {
  /** One event in tables of them. */
  title: string;
  /** The table of sums over a range that it is in; null where it is in none. */
  section: 'kernels' | 'calls' | 'memory' | 'others' | null;
  /** Colour on the timeline, by the text and the flavour ({@link file://../timeline.ts}). */
  colour(label: string, flavour: number): EventColour;
  /** Colour in reports; `null` for kernels, each of which has its own. */
  picture(label: string, flavour: number): PictureColour | null;
  table: TableOfKind;
  /** Part of a GPU that an event keeps busy; none for waits, and launches of graphs, of which the nodes do. */
  work?: 'kernels' | 'copies' | 'fills';
  /** True where events have a column `bytes`. */
  hasBytes?: true;
  rows?: readonly RowOfKind[];

  /** Columns that rows, styles and titles are made of. */
  columns: C;
  /** The key of the row that shows an event. */
  rowOf(event: EventCells & CellsOf<C>, context: RowContext): string;
  /** Puts events on their rows, one after the other. */
  load(timeline: Timeline): (event: EventCells & CellsOf<C>) => void;
  /** The title of an event in a list of those that belong together. */
  titleOf(event: CellsOf<C>, name: (id: number) => string): string;

  /** Further columns that are shown of a single event. */
  details: D;
  describe(event: EventCells & CellsOf<C> & CellsOf<D>, context: EventContext): Description;

  /** Fields of an executable graph, shown with its launches and nodes. */
  fieldsOfGraph?(graphExecId: number, query: Query): EventField[];

  /** Storage of recorded events; none where only other tools record them. */
  stores: S;
  /** Export to Chrome's format; none where it is not exported. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each kind has its own columns
  chrome?: ChromeExport<any>;
}

/** A kind of which the columns are not known: what goes through all of them. */
export type EventKindDescription = KindSpec<Columns, Columns, readonly AnyStore[]>;
/** Events that a kind's stores take. */
export type EmittedBy<K extends { stores: readonly unknown[] }> = K['stores'][number] extends infer Store
  ? Store extends EventStore<infer E>
    ? E
    : never
  : never;

/** Checks a description against the types of its columns. */
export const eventKind = <const C extends Columns, const D extends Columns, const S extends readonly AnyStore[]>(
  kind: KindSpec<C, D, S>,
): EventKindDescription & { stores: S } => kind as unknown as EventKindDescription & { stores: S };

export const chromeExport = <const C extends Columns>(chrome: ChromeExport<C>): ChromeExport<C> => chrome;
