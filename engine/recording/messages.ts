/** Between `record()`, the process of the program, and the thread in it that runs the program. */
import type { ErrorReport } from '../base/errors.ts';
import type { WritableFolder } from '../cuda/linux/files.ts';
import type { TraceEvent } from '../model/events.ts';
import type { RecordProgress, RecordResult } from '../model/recording.ts';
import type { DeviceModule } from '../warp/module.ts';
import type { CrewMember } from '../warp/crew.ts';
import type { KernelCodeClient, KernelCodeRequest } from './kernel-code.ts';
import type { RunOptions } from './types.ts';

export interface ProgramOrder {
  /** The linked program. */
  host: Uint8Array<ArrayBuffer>;
  modules: DeviceModule[];
  /** `argv[0]`. */
  programName: string;
  /** The folder that the program may read. */
  folder: string;
  writable: WritableFolder | null;
  /** Real paths of files and folders that it may read besides. */
  readable: readonly string[];
  /** Ids, by ordinal. */
  gpus: string[];
  /** All that the recording was told. */
  options: RunOptions;
  /** Set by the option or by a macro. */
  perThreadStreams: boolean;
  /** See {@link import('./types.ts').RecordCall.threads}. */
  threads: number | undefined;
  /** Demangled names by mangled ones, for messages. */
  names: Map<string, string>;
}

/** Start data of the thread: the order, serialized once for both hops, and the memory shared with its process. */
export interface ThreadData {
  order: Uint8Array;
  code: KernelCodeClient;
  /** What is being executed, as {@link import('../model/execution-progress.ts').executionProgress}; shared. */
  progress: Float64Array<SharedArrayBuffer>;
  /** See {@link file://./batches.ts}. */
  inFlight: Int32Array;
}

/** Messages of the program's thread to `record()`. */
export type FromProgram =
  | { type: 'events'; events: TraceEvent[]; simulatedNs: number; apiCalls: number }
  // Launches are those that were executed or repeated here, and in messages of progress.
  | ({ type: 'done'; notices: string[] } & Pick<RecordResult, 'exitCode' | 'durationNs' | 'launches' | 'repeated'> &
      Required<Pick<RecordResult, 'uncheckedLaunch'>>)
  | { type: 'failed'; error: ErrorReport };

/** From the thread to its process: a serialized {@link FromProgram} to hand on, or a thread that it may not start itself. */
export type FromThread = { type: 'program'; message: Uint8Array } | { type: 'crew'; member: CrewMember };

/** From the engine to the program's process. `written`: a batch of events is. `stop`: before the next launch, or in the midst of one. */
export type ToProcess =
  | { type: 'start'; order: Uint8Array; rights: { program: string[]; execution: string[] } }
  | { type: 'code'; answer: Uint8Array }
  | { type: 'written' }
  | { type: 'stop' };

/** And back. `ended`: the thread is gone, without a last word if there was none before. */
export type FromProcess =
  | { type: 'program'; message: Uint8Array }
  | { type: 'code'; request: KernelCodeRequest }
  | ({
      type: 'progress';
      /** As {@link executionProgress} has them. */
      kernel: number;
      kernelLaunches: number;
      kernelMilliseconds: number;
    } & Pick<RecordProgress, 'blocks' | 'launches' | 'repeated'>)
  | { type: 'ended'; error: ErrorReport | null };
