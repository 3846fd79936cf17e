/**
 * Data that crosses the bridge between the engine and every front end: plain data only. The renderer knows these types and
 * nothing else of the engine. Times are nanoseconds since the start of the trace's session, as doubles.
 */
import type { Lab } from '../model/labs.ts';

/** A GPU to choose from. */
export interface GpuSummary {
  id: string;
  name: string;
  architecture: string;
  computeCapability: string;
  smCount: number;
  smClockMhz: number;
  /** Bytes. */
  memory: number;
  /** Peak DRAM bandwidth, bytes per second. */
  bandwidth: number;
}

export interface RecentTrace {
  path: string;
  title: string;
  gpu: string;
  /** Milliseconds since 1970. */
  openedAt: number;
}

/** A bookmark or remark at a time of a trace, or over a range. */
export interface TraceNote {
  timeNs: number;
  /** 0 for a moment. */
  durationNs: number;
  /** Empty for a mere bookmark. */
  text: string;
}
export interface TraceNotes {
  /** Notes in order of time. */
  notes: TraceNote[];
  /** The file that they are in; null before there are any. */
  place: string | null;
  /** False where they were made on an earlier recording of the same name. */
  isOfThisRecording: boolean;
}

export interface FolderEntry {
  name: string;
  path: string;
  kind: 'folder' | 'trace' | 'source';
  size: number;
  /** Milliseconds since 1970. */
  modifiedAt: number;
}
export interface FolderListing {
  path: string;
  /** null at a root that was granted. */
  parent: string | null;
  entries: FolderEntry[];
}

export interface AppInfo {
  version: string;
  /** Host of the engine: `electron` or `browser mode`. */
  host: 'electron' | 'browser';
  labs: Lab[];
  gpus: GpuSummary[];
  defaultGpu: string;
  /** Folders that files may be opened from in browser mode; empty: all (Electron asks by its own dialogs). */
  folders: string[];
  /** Opened at start because the command line said so: one or two traces. */
  open: string[];
}

/** State that the app keeps for a user between sessions; only the front end knows what the values mean. */
export interface KeptState {
  preferences: Record<string, unknown>;
  /** Last views of traces, by their path; the latest last. */
  views: { path: string; state: unknown }[];
  /** Reason why nothing was found, or nothing could be kept; one sentence to show. */
  problem: string | null;
}
