/** Interface of `record()` in `engine/recording/record.ts`: what CLI and API handlers call. */
import type { StartProgram } from './start-program.ts';
import type { KernelTime, RecordProgress } from '../model/recording.ts';
import type { RecordOptions } from '../model/record-options.ts';
import type { DeviceCheck } from '../model/execution.ts';

/** Options of a run; it can check for more than users can ask for. */
export interface RunOptions extends Omit<RecordOptions, 'checks'> {
  checks?: DeviceCheck[];
}

export interface RecordCall extends RunOptions {
  /** Folder in which compiled programs are kept between recordings. */
  cacheFolder: string;
  /** Folder of traces without an `output`. */
  recordingsFolder: string;
  /** Holds all that Simsight keeps: no program may write there. */
  dataFolder?: string;
  /** false: run the program only (`simsight run`), no trace file. */
  keepTrace: boolean;
  /**
   * Where a trace has the name of `output`, the recording gets it with a number, unless it is equal to that one. Absent: the trace is
   * replaced; names that nobody gave are numbered in any case.
   */
  numbered?: boolean;
  /** True if sources may include a file; absent: any file. */
  mayRead?: (path: string) => boolean;
  /** Where `mayRead` is absent: sources include what lies in their own folders and those of `-I`. Whoever asks for people sets it. */
  ownFoldersOnly?: boolean;
  /** Whoever asks for the recording has typed the arguments: files and folders that they name may be read. */
  readsArguments?: boolean;
  /** Keeps what was recorded until then where `signal` is aborted with {@link stopped}. */
  keepWhenStopped?: boolean;
  /** Threads that execute blocks of large grids side by side: as many as there are cores, when absent. Changes no result. */
  threads?: number;
  /** Starts the process that runs the program, where not as Node does it. */
  startProgram?: StartProgram;
  signal?: AbortSignal;
  onProgress?: (progress: RecordProgress) => void;
  /** Told at the end of the program, kernel by kernel. */
  onKernelTimes?: (times: KernelTime[]) => void;
}
