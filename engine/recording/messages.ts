/** Between `record()` and the thread that runs the program. */
import type { ErrorReport } from '../base/errors.ts';
import type { WritableFolder } from '../cuda/wasi.ts';
import type { TraceEvent } from '../trace/events.ts';
import type { Detail } from '../sm/detail.ts';
import type { Check, DeviceModule } from '../warp/index.ts';
import type { KernelCodeClient } from './kernel-code.ts';

export interface ProgramOrder {
  /** The linked WASI command. */
  host: Uint8Array<ArrayBuffer>;
  modules: DeviceModule[];
  code: KernelCodeClient;
  /** `argv[0]`. */
  programName: string;
  /** The folder that the program may read. */
  folder: string;
  writable: WritableFolder | null;
  /** Ids, by ordinal. */
  gpus: string[];
  arguments: string[];
  environment: string[];
  /** See {@link import('../api/types.ts').RecordOptions.coldStart}. */
  coldStart: boolean;
  /** See {@link import('../api/types.ts').RecordOptions.hostProfile}. */
  hostProfile: string;
  detail: Detail;
  checks: Check[];
  maxInstructions: number | null;
  maxSeconds: number | null;
  maxMemoryBytes: number | null;
  hostRate: number | null;
  perThreadStreams: boolean;
  /** See {@link import('../api/types.ts').RecordOptions}; null: as the program says. */
  carveout: number | null;
  extraSharedBytes: number;
  threads: number | null;
  /** Demangled names by mangled ones, for messages. */
  names: Map<string, string>;
  /** One shared counter: batches posted and not yet written. The program waits when there are too many. */
  inFlight: Int32Array;
}

/** Back-pressure: so many batches may wait to be written. */
export const maxBatchesInFlight = 32;

export type FromProgram =
  | { type: 'events'; events: TraceEvent[]; simulatedNs: number; apiCalls: number }
  | { type: 'done'; exitCode: number; durationNs: number; notices: string[]; uncheckedLaunch: string | null }
  | { type: 'failed'; error: ErrorReport };
