/** Progress of a recording, and its outcome. */
export type RecordPhase = 'compile' | 'translate' | 'run' | 'store';

export interface RecordProgress {
  phase: RecordPhase;
  /** One short line: what is being done. */
  message: string;
  /** Simulated time reached. */
  simulatedNs: number;
  kernels: number;
  apiCalls: number;
  /** Launches carried out, of which only those count as {@link kernels} that have been timed. */
  launches: number;
  /** Those that were not executed, as they did what an earlier one did. */
  repeated: number;
  /** Parts of the program's kernels that are compiled, of those that are to be while it runs; null before. */
  compiled: Part | null;
  /** Blocks of the grid that is being executed; null where none is, or where its blocks may wait for each other. */
  blocks: Part | null;
  /** The kernel that is being executed: its name, launches of it that were executed before, and their mean time on this machine, ms. */
  kernel: { name: string; launches: number; meanMs: number } | null;
  /** Lines that the program printed since the last progress message. */
  console: ConsoleLine[];
}

/** Progress towards a known total. */
export interface Part {
  done: number;
  total: number;
}

export interface ConsoleLine {
  timeNs: number;
  stream: 'stdout' | 'stderr';
  text: string;
}

export interface RecordResult {
  path: string;
  exitCode: number;
  durationNs: number;
  kernels: number;
  /** Launches, and those of them that were not executed, as they did what an earlier one did. */
  launches: number;
  repeated: number;
  /** Launches that were timed and not executed, whose results are missing: see the option `sample`. */
  timedOnly: number;
  /** It was stopped before its end, and what there was is kept. */
  stopped?: true;
  /** A launch that was refused without the program ever asking for the error. */
  uncheckedLaunch?: string | null;
  /** A race on shared memory, which was looked for because the program failed; null where there is none. */
  race?: string | null;
  /** The fault of the first kernel that failed, even if the program never checked for it. */
  failedKernel?: string | null;
}

/** All launches of one kernel. */
export interface KernelTime {
  /** Demangled. */
  name: string;
  count: number;
  ns: number;
}
