/** Single events of a trace: details, search, the table of events, the summary of a selection. */
import type { EventRef } from './timeline.ts';
import type { EventKind } from './event-kinds/index.ts';

export interface EventField {
  name: string;
  value: string;
}

/** All about one event: the selection panel. */
export interface EventDetails {
  ref: EventRef;
  track: number;
  title: string;
  /** Full name where `title` is shortened. */
  fullName: string;
  startNs: number;
  durationNs: number;
  groups: { title: string; fields: EventField[] }[];
  /** Events with the same correlation id: the API call of a kernel, the kernels and copies of a call. */
  correlated: { ref: EventRef; track: number; title: string; startNs: number; durationNs: number }[];
}

/** Filter for events: selects those that meet all of it. */
export interface EventFilter {
  /** Text in any name, in upper or lower case; between slashes a regular expression: `/^void gemm<.*>/`, `/sync$/i`. */
  text?: string | undefined;
  /** Tracks, with all rows below them; each event counts once, on its stream, however many rows show it. */
  tracks?: number[] | undefined;
  /** Events that overlap [fromNs, toNs). */
  fromNs?: number | undefined;
  toNs?: number | undefined;
}

export interface EventHit {
  ref: EventRef;
  track: number;
  name: string;
  startNs: number;
  durationNs: number;
}

export interface SearchResult {
  /** Events, each once. */
  count: number;
  /** Rows that show any, from top to bottom: here an event counts on each row that shows it. */
  tracks: { track: number; count: number }[];
  /** The first ones in order of time. */
  hits: EventHit[];
  /** Number of events that start in each of {@link densityCells} equal parts of the trace. */
  density: Uint32Array<ArrayBuffer>;
  /** Labels and full names of the matches; another event may share one of the two, but not both. */
  names: { label: string; fullName: string }[];
}

/** Number of cells, as many as a minimap can show. */
export const densityCells = 512;

/** A hit that was gone to. */
export interface SearchStep extends EventHit {
  /** Rank among all hits in order of time, from 1. */
  number: number;
}

/** Place to go on from: a time, or beyond an event that starts then. */
export interface EventPosition {
  timeNs: number;
  ref?: EventRef | undefined;
}

export interface SelectionSummary {
  count: number;
  /** Sum of the whole durations, also of what is only partly in the range. */
  totalNs: number;
  /** Time of the range in which at least one event is there. */
  busyNs: number;
  bytesCopied: number;
  /** Each GPU of the selection, from top to bottom. */
  gpus: GpuActivity[];
  /** Groups by kind and full name, the longest total first. */
  groups: {
    kind: EventKind;
    name: string;
    fullName: string;
    count: number;
    totalNs: number;
    minNs: number;
    maxNs: number;
    meanNs: number;
    /** Bytes of copies and fills. */
    bytes: number | null;
  }[];
}

/** Activity of a GPU within a time range; overlapping work counts once. */
export interface GpuActivity {
  /** Its row. */
  track: number;
  title: string;
  /** Kernels, copies or fills are running. */
  busyNs: number;
  kernelNs: number;
  copyNs: number;
  /** Kernels and copies are running. */
  overlapNs: number;
  /** Nothing is running, from the start of the range to its end. */
  gaps: { count: number; totalNs: number; longestNs: number; longestAtNs: number };
  /** Copies and fills by direction, the longest first: `totalNs` are their whole durations, `bytes` all that they move. */
  memory: { name: string; count: number; bytes: number; totalNs: number }[];
}

export const eventSorts = ['start', 'duration', 'name'] as const;

export type EventSort = (typeof eventSorts)[number];

export interface EventRow extends EventHit {
  fullName: string;
  correlation: number | null;
  /** Bytes of copies and fills. */
  bytes: number | null;
}

/** Some rows of a table of events. */
export interface EventPage {
  /** Matches on all pages together. */
  total: number;
  rows: EventRow[];
}
