/** What a recording says while it goes on, and at its end. */
export type RecordPhase = 'compile' | 'translate' | 'run' | 'store';

export interface RecordProgress {
  phase: RecordPhase;
  /** One short line: what is being done. */
  message: string;
  /** Simulated time reached. */
  simulatedNs: number;
  kernels: number;
  apiCalls: number;
  /** Parts of the program's kernels that are compiled, of those that are to be while it runs; null before. */
  compiled: Part | null;
  /** Blocks of the grid that is being executed; null where none is, or where its blocks may wait for each other. */
  blocks: Part | null;
  /** What the program printed since the last progress. */
  console: ConsoleLine[];
}

/** What is done of something whose end is known. */
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
  /** A launch that was refused without the program ever asking for the error. */
  uncheckedLaunch?: string | null;
  /** A race on shared memory, which was looked for because the program failed; null where there is none. */
  race?: string | null;
  /** What the first kernel that did not come to its end did, whether or not the program noticed. */
  failedKernel?: string | null;
}

/** All launches of one kernel. */
export interface KernelTime {
  /** Demangled. */
  name: string;
  count: number;
  ns: number;
}
