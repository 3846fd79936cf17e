/** The same program without one limit of the GPU at a time: what each limit is worth. */
import type { Limit } from '../base/limits.ts';
import type { OptionOf, RecordOptions } from './record-options.ts';
import type { RecordProgress, KernelTime } from './recording.ts';

/** The same program on the same GPU, recorded once as it is and once without each limit. */
export interface WhatIfOptions extends Pick<RecordOptions, OptionOf<'what-if'>> {
  /** All when absent. */
  limits?: Limit[];
  /** A trace of the program with the fix, whose real gain is shown beside. */
  fixed?: string;
  /** Folder of the traces; none are kept when absent. */
  keepFolder?: string;
}

export interface WhatIfProgress {
  /** Recordings that are made, and how many there are to be. */
  done: number;
  total: number;
  /** The limit lifted in the run under way; null: none, the program as it is. */
  limit: Limit | null;
  /** Progress of that run. */
  record: RecordProgress;
}

/** Durations of a recording of the program. */
export interface WhatIfTimes {
  /** From the start of the program to the end of its last work. */
  totalNs: number;
  /** Sum over all kernels. */
  kernelsNs: number;
}

/** Effect of lifting one limit. */
export interface LiftedLimit extends WhatIfTimes {
  limit: Limit;
  title: string;
  meaning: string;
  /** The exact changes against the program as it is. */
  changes: string;
  /** Time saved; negative if the program takes longer. */
  gainNs: number;
  /** True if any time changed at all. */
  inEffect: boolean;
  /** Kernels whose time has changed, the largest change first. */
  kernels: { name: string; count: number; beforeNs: number; afterNs: number }[];
  /** The trace, where it is kept. */
  path: string | null;
}

export interface WhatIfResult {
  title: string;
  gpu: string;
  exitCode: number;
  baseline: WhatIfTimes & { kernels: KernelTime[]; path: string | null };
  /** The largest gain first. Gains do not add up: what one limit hides, another may still cost. */
  limits: LiftedLimit[];
  /** The trace with the fix applied. */
  real: (WhatIfTimes & { path: string; title: string; gainNs: number }) | null;
}
