/** Two traces beside each other: times, events, kernels, the verdict. */
import type { EventRef } from './timeline.ts';
import type { KernelThroughput, Roofline } from './kernel-view.ts';

/** Kinds of what is compared: `total` are figures of the whole window; ranges are of NVTX, or what threads of Chrome's format did. */
export type CompareKind = 'total' | 'kernel' | 'copy' | 'memset' | 'api' | 'range';

/** Durations of what begins in the window, ns. Quartiles as R's type 7 has them. */
export interface CompareTimes {
  count: number;
  totalNs: number;
  medianNs: number;
  /** Upper less lower quartile. */
  iqrNs: number;
}

/**
 * How two names became a pair. `name`: equal in full; `instance`: equal with namespace and template arguments, parameters aside;
 * `function`: with namespace, `short`: without, both only where one is left on either side; `by hand`: somebody said so; `last`: the only
 * kernels left of one program, with the same parameters and as many launches; `only`: one trace alone has it. Of ranges, `short` is their
 * own text, wherever they are nested.
 */
export type CompareMatch = 'name' | 'instance' | 'function' | 'short' | 'by hand' | 'last' | 'only';

/**
 * Verdict on a row. `faster` and `slower`: the time of one has changed by more than the noise floor; `noise`: it has not;
 * `calls`: only how often it happens has changed; `same`: nothing has. Of totals that nobody waits for there is `less` or `more`.
 */
export type CompareChange =
  'same' | 'noise' | 'faster' | 'slower' | 'less' | 'more' | 'calls' | 'only-before' | 'only-after';

export interface CompareRow {
  kind: CompareKind;
  /** Name of the pair: the shared name, the common part, or `before → after`. Ranges: the text behind its enclosing ranges (` › `). */
  name: string;
  /** Full names in either trace; null where it is not there. */
  beforeName: string | null;
  afterName: string | null;
  match: CompareMatch;
  before: CompareTimes | null;
  after: CompareTimes | null;
  beforeCount: number;
  afterCount: number;
  beforeNs: number;
  afterNs: number;
  /** after / before of the totals; null where one side has none. */
  ratio: number | null;
  /** after - before of the totals. */
  differenceNs: number;
  /** Share in the absolute changes of all rows of its kind, 0 to 1. 0 for totals, and where nothing changed. */
  share: number;
  /** Noise floor, ns: the least difference of medians that counts; 0 for simulated times, which repeat exactly. */
  noiseNs: number;
  change: CompareChange;
}

/** Launches of a pair of kernels that had the same configuration, or were left and came in the same order. */
export interface CompareLaunches {
  before: CompareConfiguration;
  after: CompareConfiguration;
}

export interface CompareConfiguration {
  grid: [number, number, number];
  block: [number, number, number];
  /** Static and dynamic. */
  sharedBytes: number;
  count: number;
  totalNs: number;
  /** The first launch, as a row of `kernel` events. */
  row: number;
}

export interface CompareKernelPair {
  name: string;
  beforeName: string;
  afterName: string;
  match: CompareMatch;
  /** Launches, those with the most time first. */
  launches: CompareLaunches[];
  /** True if both have counters, which `compare.kernel` compares. */
  hasCounters: boolean;
}

export interface CompareSide {
  path: string;
  title: string;
  gpu: string;
  durationNs: number;
  /** Times come from a simulation. */
  isSimulated: boolean;
  /** The part of the trace that is compared. */
  window: { fromNs: number; toNs: number };
}

/**
 * Points at which the traces lie on each other. `start`: from the first event of each to its end. `steps`: from the first of the steps
 * to the end of the last, or `number` alone (from 0); `name` says which ranges are steps. `range`: one NVTX range by its text, the
 * `number`th from 0. `events`: all, with two events at the same time.
 */
export type CompareAlign =
  | { by: 'start' }
  | { by: 'steps'; name?: string | undefined; number?: number | undefined }
  | { by: 'range'; name: string; number?: number | undefined }
  | { by: 'events'; before: EventRef; after: EventRef };

/** A time t of a trace is at (t - originNs) * scale on the common ruler. */
export interface CompareRuler {
  originNs: number;
  scale: number;
}

/** Iterations of a program: ranges of one thread that follow each other and cover what it does, each until its work on GPUs is done. */
export interface CompareSteps {
  /** Their text, `#` for the number. */
  name: string;
  before: CompareTimes;
  after: CompareTimes;
  /** Each, in order of time. */
  beforeSteps: { startNs: number; durationNs: number }[];
  afterSteps: { startNs: number; durationNs: number }[];
  ratio: number;
  noiseNs: number;
}

/** One part of the way from the time before to the time after; parts add up to the difference, to the nanosecond. */
export interface CompareContribution {
  kind: 'kernel' | 'copy' | 'memset' | 'idle';
  name: string;
  /** Time attributed to it within the window: work that overlaps shares the time. */
  beforeNs: number;
  afterNs: number;
  differenceNs: number;
}

export type CompareVerdict = 'regression' | 'improvement' | 'neutral' | 'inconclusive';

export interface CompareJudgement {
  verdict: CompareVerdict;
  /** Measure of the verdict: the median step if there are steps, else the whole window. */
  measure: 'step' | 'window';
  beforeNs: number;
  afterNs: number;
  /** after / before; null where one is 0, and where other times of the traces contradict it. */
  ratio: number | null;
  /** The change, as a share of the time before, from which on it counts. */
  threshold: number;
  /** The change, as a share of the time before, that can be chance. */
  noise: number;
  /** Share of the kernels' time (of copies and fills, without kernels) that has a partner: 0 to 1; null without GPU work. */
  matchedBefore: number | null;
  matchedAfter: number | null;
  /** The smaller of the two; 0 without GPU work. */
  comparability: number;
  /** Sentences; never empty. */
  reasons: string[];
}

/** Times of kernels of a simulated recording beside those of a real one. */
export interface CompareModelError {
  simulated: 'before' | 'after';
  kernels: {
    name: string;
    /** Medians of a launch. */
    simulatedNs: number;
    realNs: number;
    /** simulated / real - 1. */
    error: number;
    /** Share in the real time of all kernels present in both. */
    share: number;
  }[];
  /** Mean of the errors without their signs, each kernel by its share; null without kernels in both. */
  meanError: number | null;
}

export interface Comparison {
  before: CompareSide;
  after: CompareSide;
  /** Totals first, then what changed most. */
  rows: CompareRow[];
  /** Rows beyond {@link mostCompareRows}, which changed least. */
  rowsLeftOut: number;
  kernels: CompareKernelPair[];
  align: { by: CompareAlign['by']; name: string | null; scaled: boolean; before: CompareRuler; after: CompareRuler };
  steps: CompareSteps | null;
  /** The largest change first. Their sum is the difference of the windows' times. */
  waterfall: CompareContribution[];
  judgement: CompareJudgement;
  /** Explanation in plain words; sentences, one after the other. */
  explanation: string[];
  /** If just one of the two is simulated. */
  modelError: CompareModelError | null;
}

export const mostCompareRows = 5000;

/** With less of the work matched, two traces are no before and after. nsys-ai asks for as much. */
export const leastComparable = 0.5;

/** A counter of two launches, under its name in Nsight Compute; null where one does not have it. */
export interface CompareMetric {
  metric: string;
  before: number | null;
  after: number | null;
}

/** One stall reason in two launches: percent of warp time, and the difference in percentage points. */
export interface CompareStall {
  state: string;
  beforePercent: number;
  afterPercent: number;
  difference: number;
}

/** A line of source in either version; lines that are the same text are one. */
export interface CompareLine {
  beforeFile: string | null;
  beforeLine: number | null;
  afterFile: string | null;
  afterLine: number | null;
  /** After, or before where it is gone; null where the trace does not have the source. */
  text: string | null;
  /** Percent of the kernel's warp-cycles. */
  beforePercent: number;
  afterPercent: number;
  /** Part of the kernel's duration, ns, by these shares. */
  beforeNs: number;
  afterNs: number;
  differenceNs: number;
}

/** Two launches beside each other. What one trace does not tell is null or empty. */
export interface KernelComparison {
  before: CompareLaunch;
  after: CompareLaunch;
  metrics: CompareMetric[];
  /** The largest difference first. */
  stalls: CompareStall[];
  /** The largest change first. */
  lines: CompareLine[];
  explanation: string[];
}

export interface CompareLaunch {
  row: number;
  name: string;
  gpu: string;
  durationNs: number;
  grid: [number, number, number];
  block: [number, number, number];
  occupancyPercent: number | null;
  /** The main limiter, in words; null where the trace does not tell. */
  limiter: string | null;
  throughput: KernelThroughput[];
  roofline: Roofline | null;
}

/** Several recordings, each against the one before it and against the first. */
export interface CompareLadder {
  steps: {
    path: string;
    title: string;
    gpu: string;
    /** Time that the verdict rests on: a median step or the whole window, as `toPrevious` says. */
    measureNs: number;
    windowNs: number;
    /** Comparison to the previous one, and to the first; null for the first. */
    toPrevious: CompareJudgement | null;
    toFirst: CompareJudgement | null;
    /** From the one before; empty of the first. */
    waterfall: CompareContribution[];
    explanation: string[];
  }[];
}

/** Names of kernels that are the same to somebody: before and after, in full or without parameters. */
export type KernelPair = [before: string, after: string];
