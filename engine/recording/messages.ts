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
  /** Demangled names by mangled ones, for messages. */
  names: Map<string, string>;
  /** Blocks of the grid that is being executed, as {@link import('../warp/device.ts').DeviceOptions.blocks}; shared. */
  blocks: Float64Array<SharedArrayBuffer>;
  /** See {@link file://./batches.ts}. */
  inFlight: Int32Array;
}

export type FromProgram =
  | { type: 'events'; events: TraceEvent[]; simulatedNs: number; apiCalls: number }
  | { type: 'done'; exitCode: number; durationNs: number; notices: string[] }
  | { type: 'failed'; error: ErrorReport };
