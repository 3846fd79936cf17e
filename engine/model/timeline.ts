/**
 * The timeline of a trace as front ends get it: rows, and their events in a range of time. Times are nanoseconds since the start of
 * the trace's session, as doubles.
 */
import type { EventKind } from './event-kinds/index.ts';

/** While a file is made ready to be looked at: recordings of other tools, and traces of programs that were killed. */
export interface OpenProgress {
  phase: 'read' | 'index';
  done: number;
  /** 0 where it is not known. */
  total: number;
  unit: 'bytes' | 'rows';
}

export interface TraceInfo {
  traceId: number;
  path: string;
  title: string;
  program: string;
  gpu: string;
  /** All events lie in [0, durationNs]. */
  durationNs: number;
  /** When the first event begins: recordings of large programs start long before they use a GPU. */
  firstEventNs: number;
  eventCount: number;
  /** The program's exit code; null where the trace does not know. */
  exitCode: number | null;
  /** False when the recording was cut short. */
  complete: boolean;
  /** Said on screen: kernel times are estimates, something was skipped … */
  notices: string[];
  /** Kernels that did not come to their end, launches that were refused: the first {@link mostFailures}. */
  failures: TraceFailure[];
  tracks: Track[];
}

/** Upper bound on the length of {@link TraceInfo.failures}; reports list all failures. */
export const mostFailures = 100;

/** Work that came to nothing. */
export interface TraceFailure {
  /** In short: `fill`; of copies and fills `copy or fill`. */
  name: string;
  /** `cudaErrorIllegalAddress`; empty where a limit of the recording stopped the program. */
  error: string;
  /** The failure, and its remedy; the remedy may be empty. */
  message: string;
  remedy: string;
  /** Line of the source, where it is known. */
  file: string | null;
  line: number | null;
  /** The kernel, or the call that was refused; null where the file has neither. */
  ref: EventRef | null;
  startNs: number;
}

export type TrackKind =
  | 'process'
  | 'thread'
  | 'gpu'
  /** A process on a GPU, shown when there are several. */
  | 'context'
  | 'stream'
  | 'graph-nodes'
  | 'copy-engine'
  | 'kernels'
  | 'unified-memory'
  | 'group'
  /** One SM: a chart of its warps by state, above the rows of its simulated slots. */
  | 'sm'
  | 'chart'
  | 'blocks'
  | 'warps';

/**
 * One row of the timeline. Rows form a tree; groups have no events of their own, but a stream whose graphs' nodes are in a row
 * below it has their launches.
 */
export interface Track {
  id: number;
  parent: number | null;
  kind: TrackKind;
  title: string;
  /** Second line, e.g. `12 % busy`. May be empty. */
  subtitle: string;
  /** Number of lanes that overlapping events need; 0 for rows without events. */
  lanes: number;
  eventCount: number;
  /** Share of the trace's duration in which at least one event is there, 0 … 1. */
  busy: number;
  /** The rows below it are not shown until somebody asks for them. */
  closed?: true;
  /** A few sentences on what the row's figures include and leave out. */
  about?: string;
  /** The chart of a row that stacks areas. */
  chart?: Chart;
  /** Clock of an SM's row; `leadNs` is the time from the start of a kernel to its cycle 0. */
  clock?: { nsPerCycle: number; leadNs: number };
}

export interface Chart {
  unit: 'percent' | 'warps' | 'bytes-per-second' | 'bytes';
  /** The value that takes the whole height of the row. */
  most: number;
  /** From the bottom up. */
  series: string[];
}

/** Flavours within a kind for colours: copy directions, and what failed. Index = value in {@link TrackWindow.flavours}. */
export const flavours = [
  ...(['none', 'host-to-device', 'device-to-host', 'device-to-device', 'host-to-host'] as const),
  /** Any kind of event that failed or returned an error. */
  'failed',
  /** Launches that were timed and not executed. */
  'timed-only',
] as const;
export const failedFlavour = flavours.indexOf('failed');
export const timedOnlyFlavour = flavours.indexOf('timed-only');

/**
 * Shapes other than events, as values in {@link TrackWindow.kinds}: chart columns, whose flavour is the number of the series;
 * blocks on an SM; states of a warp slot, whose flavour is the id of a warp state; time that was not simulated.
 */
export const drawnKinds = { column: 128, block: 129, warp: 130, 'not-simulated': 131 } as const;

/** Names one event of a trace for good: row `row` of the table of its kind. */
export interface EventRef {
  kind: EventKind;
  row: number;
}

/**
 * The events of one track in a time range, ready to draw. Struct of arrays, `count` long. Events closer together than
 * the resolution are merged: then `merged` says how many, `busy` how much of the span they cover, and `rows` names the
 * longest of them.
 */
export interface TrackWindow {
  track: number;
  count: number;
  starts: Float64Array<ArrayBuffer>;
  durations: Float64Array<ArrayBuffer>;
  lanes: Uint16Array<ArrayBuffer>;
  kinds: Uint8Array<ArrayBuffer>;
  flavours: Uint8Array<ArrayBuffer>;
  rows: Uint32Array<ArrayBuffer>;
  correlations: Uint32Array<ArrayBuffer>;
  merged: Uint32Array<ArrayBuffer>;
  busy: Float32Array<ArrayBuffer>;
  /** Index into `labels` and `fullNames`. */
  labelIndex: Uint32Array<ArrayBuffer>;
  /** Labels of events; several full names may share one label. */
  labels: string[];
  /** Full name of each label: `void saxpy<float>(int, float*)` for `saxpy`. */
  fullNames: string[];
  /** Charts only: bottom edge of each column as a fraction of the row's height; `busy` is its height. */
  bases?: Float32Array<ArrayBuffer>;
  /** Number of lanes that each takes, from its own downwards; one where this is not given. */
  spans?: Uint8Array<ArrayBuffer>;
}
