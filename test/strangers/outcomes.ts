/** How public programs end. */
import type { RecordPhase } from '../../engine/model/recording.ts';

/**
 * `wrong`: it says itself that a result is, or ends with an error. `refused`: it does not compile, or wants what is not there. `sampled`: it
 * came to its end, with launches that were timed alone. `differs`: not the trace of executing all.
 */
export const endings = ['right', 'wrong', 'sampled', 'refused', 'limit', 'differs'] as const;
export type Ending = (typeof endings)[number];

/** How programs were recorded. */
export interface Conditions {
  gpu: string;
  cores: number;
  limitSeconds: number;
  sample: boolean;
  /** Those at the limit were recorded again as samples. */
  thenSample: boolean;
}

/** A file of outcomes: h200.json is what docs/what-runs.md is written from. */
export interface Outcomes {
  conditions: Conditions;
  /** In the order of programs.json; each of the version that it was last run with. */
  outcomes: Outcome[];
}

export interface Outcome {
  suite: string;
  program: string;
  /** The library or data file that it wants and its suite does not have. */
  needs?: string | undefined;
  ending: Ending;
  why: string;
  /** Seconds, of all and by phase. */
  seconds: number;
  phases: Partial<Record<RecordPhase, number>>;
  launches: number;
  /** Share of them that was executed. */
  executed: number;
  /** The most that the program's process used, bytes. */
  memory: number;
  /** Executing every launch was seen to give the same trace, byte for byte. */
  same?: true;
}
