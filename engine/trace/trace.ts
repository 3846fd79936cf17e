/** An opened trace as the rest of the engine sees it; `reader.ts` opens one. */
import type { ConsoleLine } from '../model/recording.ts';
import type { EventDetails } from '../model/event-queries.ts';
import type { EventKind } from '../model/event-kinds/index.ts';
import type { EventRef, TraceInfo, TrackWindow } from '../model/timeline.ts';
import type { Row } from '../model/typed-columns.ts';
import type { WarpWindow } from '../model/kernel-view.ts';
import type { GpuDescription } from '../gpus/types.ts';
import type { EventQueries } from './event-queries.ts';
import type { FlatEvents, Style } from './track-events.ts';
import type { WarpTimeline } from './warp-chunks.ts';

export type { Row };

export interface TraceFacts {
  engineVersion: string;
  title: string;
  program: string;
  arguments: string[];
  gpuId: string;
  /** null where the file does not hold a description that can be read. */
  gpu: GpuDescription | null;
  /** Further GPUs of a machine with several: devices 1 and up. */
  otherGpus: GpuDescription[];
  exitCode: number | null;
  complete: boolean;
  /** Id of the limit that a what-if lifted; null for other recordings. */
  lifted: string | null;
  /** True if ranges are the activity of threads, as in Chrome's format, rather than NVTX ranges. */
  areThreads: boolean;
  /**
   * Span of the program in recordings of other tools: from its first to its last activity, without what the recorder says of itself; null
   * where nothing states it.
   */
  programSpan: { fromNs: number; toNs: number } | null;
}

/** The GPU with an ordinal, as far as the trace describes it. */
export const gpuOf = ({ gpu, otherGpus }: TraceFacts, device: number): GpuDescription | null =>
  (device === 0 ? gpu : otherGpus[device - 1]) ?? null;

export interface Trace {
  readonly path: string;
  /** The trace that was made of it, where one had to be. */
  readonly storedAt: string;
  /** `traceId` is 0: whoever keeps several traces open numbers them. */
  readonly info: TraceInfo;
  readonly facts: TraceFacts;
  window(tracks: readonly number[], fromNs: number, toNs: number, resolutionNs: number): TrackWindow[];
  /** All events of a row, lane by lane, and what they look like by the number of their style; null where a row has none of its own. */
  allEvents(track: number): { events: FlatEvents; styles: readonly Style[] } | null;
  event(ref: EventRef): EventDetails;
  /** Rows of the events of a kind that have a correlation id: their numbers in its table. */
  correlated(kind: EventKind, correlationId: number): number[];
  /** Warp timeline of the simulated SM of a kernel, given by its row; null where it is not known. */
  warps(kernel: number): WarpTimeline | null;
  /** Windows of some sub-partitions of that SM between two cycles, see {@link WarpTimeline.window}. */
  warpWindows(
    kernel: number,
    subPartitions: readonly number[],
    fromCycle: number,
    toCycle: number,
    resolution: number,
  ): WarpWindow[] | null;
  /** Search, sums over a selection, and tables of events. */
  readonly queries: EventQueries;
  console(): ConsoleLine[];
  /** The program's files as recorded. */
  sources(): { path: string; text: string }[];
  /** Runs a reading query of ours; a broken file gives `trace-damaged`. */
  query(sql: string, ...parameters: (string | number)[]): Row[];
  /** Runs what unpacks data of the trace: a RangeError becomes `trace-damaged`. */
  guarded<T>(unpack: () => T): T;
  close(): void;
}

/** Total duration of all kernels, ns. */
export function kernelsNsOf(trace: Trace): number {
  const [row] = trace.query('SELECT coalesce(sum("end" - start), 0) FROM CUPTI_ACTIVITY_KIND_KERNEL');
  return Number(row![0]);
}
