/** Between `record()` and the thread that runs the program. */
import type { ErrorReport } from '../base/errors.ts';
import type { RecordPhase } from '../api/types.ts';
import type { TraceEvent } from '../trace/events.ts';

export interface ProgramOrder {
  sources: string[];
  includeFolders: string[];
  defines: string[];
  gpu: string;
  arguments: string[];
  environment: string[];
  cacheFolder: string;
  /** See {@link import('../api/types.ts').RecordOptions.coldStart}. */
  coldStart: boolean;
  /** One shared counter: batches posted and not yet written. The program waits when there are too many. */
  inFlight: Int32Array;
}

/** Back-pressure: so many batches may wait to be written. */
export const maxBatchesInFlight = 32;

export interface KernelName {
  /** `scale<float>(float *, int)` */
  demangled: string;
  /** `scale` */
  short: string;
}

export interface SourceText {
  /** As the user named it. */
  path: string;
  text: string;
}

export type FromProgram =
  | { type: 'phase'; phase: RecordPhase; message: string }
  /** Compiled: the program is about to run. */
  | { type: 'facts'; names: Map<string, KernelName>; sources: SourceText[] }
  | { type: 'events'; events: TraceEvent[]; simulatedNs: number; apiCalls: number }
  | { type: 'done'; exitCode: number; durationNs: number; apiCalls: number; notices: string[] }
  | { type: 'failed'; error: ErrorReport; notices: string[] };
