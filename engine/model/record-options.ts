/** What a recording is asked for. */
import type { Limit } from '../base/limits.ts';
import type { Detail } from './detail.ts';
import type { Check } from './execution.ts';

export const defaultStreams = ['legacy', 'per-thread'] as const;

export type DefaultStream = (typeof defaultStreams)[number];

export interface RecordOptions {
  sources: string[];
  gpu: string;
  includeFolders: string[];
  defines: string[];
  /** What stream 0 is: the legacy default stream, when absent, or one of each host thread (`nvcc --default-stream`). */
  defaultStream?: DefaultStream;
  /** `NAME=VALUE`. */
  environment: string[];
  arguments: string[];
  /** A folder that the program may write to; it reads from the first source's folder in any case. */
  writableFolder?: string;
  /** Where the trace goes; the engine picks a name in its recordings folder when absent. */
  output?: string;
  /** Shown as the trace's title; the source's name when absent. */
  title?: string;
  /**
   * Include what a fresh process pays once: creating the context (some 100 ms) and loading each kernel at its first
   * launch. Off by default: it would hide everything else.
   */
  coldStart?: boolean;
  /** What API calls cost: `linux` when absent, see `hostProfiles` in engine/system/hosts.ts. */
  hostProfile?: string;
  /**
   * Of the blocks that an SM gets, simulate a sample (the default) or all: slower, and nothing of the SM is extrapolated.
   * `counters`: a sample, of which only sums are kept.
   */
  detail?: Detail;
  /** A what-if: times are computed without this limit. Results and counters stay the program's own. */
  lifted?: Limit;
  /** Checks that cost time, as compute-sanitizer's tools are called; the others are always made. */
  checks?: Check[];
  /** Budgets: the recording ends where one is used up, and keeps what there is until then. */
  maxInstructions?: number;
  maxSeconds?: number;
  /** Device memory that the program may allocate, bytes. */
  maxMemoryBytes?: number;
  /**
   * Operations per nanosecond at which the program's own work on the CPU takes time; without, it takes none. Counted in the
   * compiled program, so that recordings stay equal.
   */
  hostRate?: number;
  /** Registers per thread that kernels without `__launch_bounds__` may have (`nvcc -maxrregcount`): what needs more is spilled. */
  maxRegisters?: number;
  /**
   * Percent of the most shared memory that all kernels of the program prefer over L1, whatever they ask for themselves
   * (`cudaFuncAttributePreferredSharedMemoryCarveout`).
   */
  carveout?: number;
  /** Bytes of dynamic shared memory that every launch of the program's gets beside what it asks for, opted in where needed. */
  extraSharedBytes?: number;
}
