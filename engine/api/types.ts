/**
 * What crosses the bridge between the engine and every front end: plain data only. The renderer knows these types and
 * nothing else of the engine. Times are nanoseconds since the start of the trace's session, as doubles.
 */

/** An example that ships with the app, with its variants in the order they are to be recorded. */
import type { Limit } from '../base/limits.ts';
import type { Detail } from '../sm/detail.ts';
import type { Check } from '../warp/types.ts';
export interface Lab {
  id: string;
  title: string;
  /** Of what it is an example, in words. */
  group: string;
  /** One or two sentences: what it shows and what to look at. */
  summary: string;
  /** How many alike its machine has. */
  gpus: number;
  /** From before to after. */
  variants: LabVariant[];
}
export interface LabVariant {
  id: string;
  title: string;
  /** The `.cu` file. */
  source: string;
  defines: string[];
  arguments: string[];
}

/** A GPU to choose from. */
export interface GpuSummary {
  id: string;
  name: string;
  architecture: string;
  computeCapability: string;
  smCount: number;
  smClockMhz: number;
  /** Bytes. */
  memory: number;
  /** Peak DRAM bandwidth, bytes per second. */
  bandwidth: number;
}

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

/** The same program on the same GPU, recorded once as it is and once without each limit. */
export interface WhatIfOptions extends Omit<RecordOptions, 'lifted' | 'output'> {
  /** All when absent. */
  limits?: Limit[];
  /** A trace of the program with the fix, whose real gain is shown beside. */
  fixed?: string;
  /** Where the traces are kept; they are not when absent. */
  keepFolder?: string;
}

export interface WhatIfProgress {
  /** Recordings that are made, and how many there are to be. */
  done: number;
  total: number;
  /** What one that is under way is without; null: nothing, it is the program as it is. */
  limit: Limit | null;
  /** Of that one. */
  record: RecordProgress;
}

/** How long a recording of the program is. */
export interface WhatIfTimes {
  /** From the start of the program to the end of its last work. */
  totalNs: number;
  /** Of all kernels together. */
  kernelsNs: number;
}

/** What one limit is worth. */
export interface LiftedLimit extends WhatIfTimes {
  limit: Limit;
  title: string;
  meaning: string;
  /** What exactly is other than in the program as it is. */
  changes: string;
  /** By how much the program takes less; below 0 where it takes longer. */
  gainNs: number;
  /** Whether any time at all has changed. */
  inEffect: boolean;
  /** Those whose time has changed, the largest change first. */
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
  /** Of the trace with the fix. */
  real: (WhatIfTimes & { path: string; title: string; gainNs: number }) | null;
}

/** While a file is made ready to be looked at: recordings of other tools, and traces of programs that were killed. */
export interface OpenProgress {
  phase: 'read' | 'index';
  done: number;
  /** 0 where it is not known. */
  total: number;
  unit: 'bytes' | 'rows';
}

export interface RecentTrace {
  path: string;
  title: string;
  gpu: string;
  /** Milliseconds since 1970. */
  openedAt: number;
}

export interface TraceInfo {
  traceId: number;
  path: string;
  title: string;
  program: string;
  gpu: string;
  /** All events lie in [0, durationNs]. */
  durationNs: number;
  /** When the first event begins: recordings of large programs start long before they use a GPU. */
  firstEventNs: number;
  eventCount: number;
  /** The program's exit code; null where the trace does not know. */
  exitCode: number | null;
  /** False when the recording was cut short. */
  complete: boolean;
  /** Said on screen: kernel times are estimates, something was skipped … */
  notices: string[];
  /** Kernels that did not come to their end, launches that were refused: the first {@link mostFailures}. */
  failures: TraceFailure[];
  tracks: Track[];
}

/** What is told of {@link TraceInfo.failures}; reports have all. */
export const mostFailures = 100;
/** Work that came to nothing. */
export interface TraceFailure {
  /** In short: `fill`; of copies and fills `copy or fill`. */
  name: string;
  /** `cudaErrorIllegalAddress`; empty where a limit of the recording stopped the program. */
  error: string;
  /** What happened, and what to do about it; the latter may be empty. */
  message: string;
  remedy: string;
  /** Line of the source, where it is known. */
  file: string | null;
  line: number | null;
  /** The kernel, or the call that was refused; null where the file has neither. */
  ref: EventRef | null;
  startNs: number;
}

/** A bookmark or remark at a time of a trace, or over a range. */
export interface TraceNote {
  timeNs: number;
  /** 0 for a moment. */
  durationNs: number;
  /** Empty for a mere bookmark. */
  text: string;
}
export interface TraceNotes {
  /** In order of time. */
  notes: TraceNote[];
  /** The file that they are in; null before there are any. */
  place: string | null;
  /** False where they were made on an earlier recording of the same name. */
  isOfThisRecording: boolean;
}

export type TrackKind =
  | 'process'
  | 'thread'
  | 'gpu'
  /** Of a process on a GPU, where there are several. */
  | 'context'
  | 'stream'
  | 'graph-nodes'
  | 'copy-engine'
  | 'kernels'
  | 'unified-memory'
  | 'group'
  /** Of one SM: a chart of its warps by state. Below it, what was simulated of it. */
  | 'sm'
  | 'chart'
  | 'blocks'
  | 'warps';

/**
 * One row of the timeline. Rows form a tree; groups have no events of their own, but a stream whose graphs' nodes are in a row
 * below it has their launches.
 */
export interface Track {
  id: number;
  parent: number | null;
  kind: TrackKind;
  title: string;
  /** Second line, e.g. `12 % busy`. May be empty. */
  subtitle: string;
  /** How many lanes overlapping events need; 0 for rows without events. */
  lanes: number;
  eventCount: number;
  /** Share of the trace's duration in which at least one event is there, 0 … 1. */
  busy: number;
  /** The rows below it are not shown until somebody asks for them. */
  closed?: true;
  /** What its figures are and are not; a few sentences. */
  about?: string;
  /** Of a row that is a chart of areas one on top of the other. */
  chart?: Chart;
  /** Of rows of an SM: its clock, and how long after the start of a kernel its cycle 0 is. */
  clock?: { nsPerCycle: number; leadNs: number };
}

export interface Chart {
  unit: 'percent' | 'warps' | 'bytes-per-second' | 'bytes';
  /** The value that takes the whole height of the row. */
  most: number;
  /** From the bottom up. */
  series: string[];
}

export type EventKind =
  | 'api'
  | 'kernel'
  | 'memcpy'
  | 'memset'
  | 'synchronization'
  | 'nvtx'
  | 'gpu-page-fault'
  | 'cpu-page-fault'
  | 'graph'
  | 'osrt'
  /** Implicit synchronization with the legacy default stream. */
  | 'implicit-wait';
/** Index = the value in {@link TrackWindow.kinds}. Append only: recorded tests and colours rely on it. */
export const eventKinds: readonly EventKind[] = [
  ...(['api', 'kernel', 'memcpy', 'memset', 'synchronization', 'nvtx'] as const),
  ...(['gpu-page-fault', 'cpu-page-fault', 'graph', 'osrt', 'implicit-wait'] as const),
];
/** Flavours within a kind for colours: copy directions, and what failed. Index = value in {@link TrackWindow.flavours}. */
export const flavours = [
  ...(['none', 'host-to-device', 'device-to-host', 'device-to-device', 'host-to-host'] as const),
  /** Of any kind: it came to nothing, or returned an error. */
  'failed',
] as const;

/**
 * What is drawn beside events, as values in {@link TrackWindow.kinds}: columns of charts, whose flavour is the number of the series;
 * blocks on an SM; what a warp slot did, whose flavour is the id of a warp state; time that was not simulated.
 */
export const drawnKinds = { column: 128, block: 129, warp: 130, 'not-simulated': 131 } as const;

/** Names one event of a trace for good: row `row` of the table of its kind. */
export interface EventRef {
  kind: EventKind;
  row: number;
}

/**
 * The events of one track in a time range, ready to draw. Struct of arrays, `count` long. Events closer together than
 * the resolution are merged: then `merged` says how many, `busy` how much of the span they cover, and `rows` names the
 * longest of them.
 */
export interface TrackWindow {
  track: number;
  count: number;
  starts: Float64Array<ArrayBuffer>;
  durations: Float64Array<ArrayBuffer>;
  lanes: Uint16Array<ArrayBuffer>;
  kinds: Uint8Array<ArrayBuffer>;
  flavours: Uint8Array<ArrayBuffer>;
  rows: Uint32Array<ArrayBuffer>;
  correlations: Uint32Array<ArrayBuffer>;
  merged: Uint32Array<ArrayBuffer>;
  busy: Float32Array<ArrayBuffer>;
  /** Index into `labels` and `fullNames`. */
  labelIndex: Uint32Array<ArrayBuffer>;
  /** What is written on events; several names in full may have the same. */
  labels: string[];
  /** Of each label: `void saxpy<float>(int, float*)` for `saxpy`. */
  fullNames: string[];
  /** Of charts: where columns begin, as a share of the height from the bottom; `busy` is how high they are. */
  bases?: Float32Array<ArrayBuffer>;
  /** How many lanes each takes, from its own downwards; one where this is not given. */
  spans?: Uint8Array<ArrayBuffer>;
}

/** Instructions that the warp slots of a sub-partition issued, slot by slot. */
export interface WarpIssues {
  count: number;
  slots: Uint8Array;
  /** Of the SM clock, as in {@link WarpWindow}. */
  cycles: Float64Array;
  /** Index into {@link KernelView.instructions}. */
  instructions: Uint32Array;
}

/**
 * What warp slots of one sub-partition did in [from, to) cycles of a kernel's simulated SM, slot by slot. Struct of arrays, `count`
 * long. Intervals shorter than the resolution are merged by cell: then `states` is what the slot did longest there, `shares` the
 * share of the cell that it did that, `merged` how many intervals start in it.
 */
export interface WarpWindow {
  subPartition: number;
  from: number;
  to: number;
  count: number;
  /** Within the sub-partition, from 0. */
  slots: Uint8Array<ArrayBuffer>;
  /** Cycles. */
  starts: Float64Array<ArrayBuffer>;
  durations: Float64Array<ArrayBuffer>;
  /** By the names of Nsight Compute: an id of `ENUM_SIMSIGHT_WARP_STATE`. */
  states: Uint8Array<ArrayBuffer>;
  shares: Float32Array<ArrayBuffer>;
  merged: Uint32Array<ArrayBuffer>;
}

export interface EventField {
  name: string;
  value: string;
}

/** All about one event: the selection panel. */
export interface EventDetails {
  ref: EventRef;
  track: number;
  title: string;
  /** Full name where `title` is shortened. */
  fullName: string;
  startNs: number;
  durationNs: number;
  groups: { title: string; fields: EventField[] }[];
  /** Events with the same correlation id: the API call of a kernel, the kernels and copies of a call. */
  correlated: { ref: EventRef; track: number; title: string; startNs: number; durationNs: number }[];
}

/** Which events a question is about: those that meet all of it. */
export interface EventFilter {
  /** In any name, in upper or lower case; between slashes a regular expression: `/^void gemm<.*>/`, `/sync$/i`. */
  text?: string | undefined;
  /** With all rows below them; each event counts once, on its stream, however many rows show it. */
  tracks?: number[] | undefined;
  /** What overlaps [fromNs, toNs). */
  fromNs?: number | undefined;
  toNs?: number | undefined;
}
export interface EventHit {
  ref: EventRef;
  track: number;
  name: string;
  startNs: number;
  durationNs: number;
}
export interface SearchResult {
  /** Events, each once. */
  count: number;
  /** Rows that show any, from top to bottom: here an event counts on each row that shows it. */
  tracks: { track: number; count: number }[];
  /** The first ones in order of time. */
  hits: EventHit[];
  /** How many start in each of {@link densityCells} equal parts of the trace. */
  density: Uint32Array<ArrayBuffer>;
  /** What is written on those that match, and their names in full: others may share one, but not both. */
  names: { label: string; fullName: string }[];
}
/** As many as a minimap can show. */
export const densityCells = 512;
/** A hit that was gone to. */
export interface SearchStep extends EventHit {
  /** Which of all hits it is in order of time, from 1. */
  number: number;
}
/** Where to go on from: a time, or beyond an event that starts then. */
export interface EventPosition {
  timeNs: number;
  ref?: EventRef | undefined;
}
export interface SelectionSummary {
  count: number;
  /** Sum of the whole durations, also of what is only partly in the range. */
  totalNs: number;
  /** Time of the range in which at least one event is there. */
  busyNs: number;
  bytesCopied: number;
  /** Each GPU of the selection, from top to bottom. */
  gpus: GpuActivity[];
  /** By kind and full name, the longest first. */
  groups: {
    kind: EventKind;
    name: string;
    fullName: string;
    count: number;
    totalNs: number;
    minNs: number;
    maxNs: number;
    meanNs: number;
    /** Of copies and fills. */
    bytes: number | null;
  }[];
}
/** What a GPU does in a range of time; times are those within the range, each moment once. */
export interface GpuActivity {
  /** Its row. */
  track: number;
  title: string;
  /** Kernels, copies or fills are running. */
  busyNs: number;
  kernelNs: number;
  copyNs: number;
  /** Kernels and copies are running. */
  overlapNs: number;
  /** Nothing is running, from the start of the range to its end. */
  gaps: { count: number; totalNs: number; longestNs: number; longestAtNs: number };
  /** Copies and fills by direction, the longest first: `totalNs` are their whole durations, `bytes` all that they move. */
  memory: { name: string; count: number; bytes: number; totalNs: number }[];
}
export const eventSorts = ['start', 'duration', 'name'] as const;
export type EventSort = (typeof eventSorts)[number];
export interface EventRow extends EventHit {
  fullName: string;
  correlation: number | null;
  /** Of copies and fills. */
  bytes: number | null;
}
/** Some rows of a table of events. */
export interface EventPage {
  /** Of all pages. */
  total: number;
  rows: EventRow[];
}

/** The answer to an SQL query. */
export interface SqlTable {
  columns: string[];
  /** Whole numbers beyond 2^53 and blobs are text. */
  rows: (string | number | null)[][];
  limit: number;
  /** There are more rows than `limit`. */
  cut: boolean;
}

export type CellType = 'text' | 'integer' | 'number' | 'nanoseconds' | 'bytes' | 'percent';
/** A report table, as `nsys stats` names its reports and columns. */
export interface ReportTable {
  report: string;
  title: string;
  columns: { name: string; type: CellType }[];
  rows: (string | number | null)[][];
}

export const documentFormats = ['html', 'markdown'] as const;
export type DocumentFormat = (typeof documentFormats)[number];
/** A report as a document, with the names that its files have to have. */
export interface WrittenReport {
  fileName: string;
  text: string;
  /** SVG files that lie beside it; none where they are in it. */
  pictures: { fileName: string; text: string }[];
}

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
 * What can be said of a row. `faster` and `slower`: the time of one has changed by more than the noise floor; `noise`: it has not;
 * `calls`: only how often it happens has changed; `same`: nothing has. Of totals that nobody waits for there is `less` or `more`.
 */
export type CompareChange =
  'same' | 'noise' | 'faster' | 'slower' | 'less' | 'more' | 'calls' | 'only-before' | 'only-after';

export interface CompareRow {
  kind: CompareKind;
  /** Of the pair: the one name, what both have in common, or `before → after`. Of ranges the text, behind those that it is nested in (` › `). */
  name: string;
  /** In full, in either trace; null where it is not there. */
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
  /** Of the changes of all rows of its kind, added up without their signs: 0 to 1. 0 of totals, and where nothing changed. */
  share: number;
  /** What the medians have to differ by to be believed, ns; 0 where times are simulated, which are the same each time. */
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
  /** Those with the most time first. */
  launches: CompareLaunches[];
  /** Whether both have counters, so that `compare.kernel` has something to say. */
  hasCounters: boolean;
}

export interface CompareSide {
  path: string;
  title: string;
  gpu: string;
  durationNs: number;
  /** Times come from a simulation. */
  isSimulated: boolean;
  /** What is compared of it. */
  window: { fromNs: number; toNs: number };
}

/**
 * Where both traces are laid one on the other. `start`: from the first event of each to its end. `steps`: from the first of the steps
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
  /** Of the window's time, what it stands for: where several things run at once, each has its share of that time. */
  beforeNs: number;
  afterNs: number;
  differenceNs: number;
}

export type CompareVerdict = 'regression' | 'improvement' | 'neutral' | 'inconclusive';
export interface CompareJudgement {
  verdict: CompareVerdict;
  /** What was judged: the median step, where there are steps, or the whole window. */
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
    /** Of the real time of all kernels that are in both. */
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
  /** In plain words; sentences, one after the other. */
  explanation: string[];
  /** Where one is simulated and the other is not. */
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
/** What the warps of two launches did: percent of their time, and the difference in percentage points. */
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
  /** Of what the kernel took, ns, by these shares. */
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
  /** What holds it up most, in words; null where the trace does not tell. */
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
    /** What is judged: a median step or the whole window, as `toPrevious` says. */
    measureNs: number;
    windowNs: number;
    /** To the one before, and to the first; null of the first. */
    toPrevious: CompareJudgement | null;
    toFirst: CompareJudgement | null;
    /** From the one before; empty of the first. */
    waterfall: CompareContribution[];
    explanation: string[];
  }[];
}
/** Names of kernels that are the same to somebody: before and after, in full or without parameters. */
export type KernelPair = [before: string, after: string];

export interface FolderEntry {
  name: string;
  path: string;
  kind: 'folder' | 'trace' | 'source';
  size: number;
  /** Milliseconds since 1970. */
  modifiedAt: number;
}
export interface FolderListing {
  path: string;
  /** null at a root that was granted. */
  parent: string | null;
  entries: FolderEntry[];
}

export interface AppInfo {
  version: string;
  /** Where the engine runs: `electron` or `browser mode`. */
  host: 'electron' | 'browser';
  labs: Lab[];
  gpus: GpuSummary[];
  defaultGpu: string;
  /** Folders that files may be opened from in browser mode; empty: all (Electron asks by its own dialogs). */
  folders: string[];
  /** Opened at start because the command line said so: one or two traces. */
  open: string[];
}

/** What the app keeps of a person between sessions; only the front end knows what the values mean. */
export interface KeptState {
  preferences: Record<string, unknown>;
  /** How traces were looked at last, by their path; the latest last. */
  views: { path: string; state: unknown }[];
  /** Why nothing was found, or nothing could be kept; one sentence to show. */
  problem: string | null;
}

/** What a block takes of an SM. */
export interface OccupancyRequest {
  threadsPerBlock: number;
  registersPerThread: number;
  /** Static and dynamic. */
  sharedBytesPerBlock: number;
}
export interface KernelOccupancy {
  blocksPerSm: number;
  warpsPerBlock: number;
  warpsPerSm: number;
  mostWarpsPerSm: number;
  /** Of the SM's warp slots. */
  percent: number;
  limiter: 'warps' | 'blocks' | 'registers' | 'shared';
  /** Blocks per SM that each resource alone would allow. */
  limits: Record<KernelOccupancy['limiter'], number>;
  /** What the GPU takes. */
  most: OccupancyRequest;
}
/** What a kernel reached of one unit of its GPU, over all of its time. */
export interface KernelThroughput {
  group: 'compute' | 'memory';
  name: string;
  percent: number;
  /** All SMs together. */
  achieved: number;
  peak: number;
  unit: 'instructions-per-clock' | 'wavefronts-per-clock' | 'bytes-per-second';
}
/** Counts of the whole grid; warp-cycles of the simulated SM, scaled to it. */
export interface KernelPlace {
  /** null for code that comes from no line of the program's own. */
  file: string | null;
  line: number | null;
  /** Warp instructions. */
  executed: number;
  /** Thread instructions. */
  threads: number;
  /** Of these, with their predicate on. */
  threadsOn: number;
  /** Warp instructions with fewer than 32 of the latter. */
  partial: number;
  sectors: number;
  sectorRequests: number;
  /** As many as what the lanes asked for fills, or as there were. */
  idealSectors: number;
  wavefronts: number;
  wavefrontRequests: number;
  /** Without bank conflicts. */
  idealWavefronts: number;
  /** Executions of conditional branches by warps, and those after which lanes of the warp were at different places. */
  branches: number;
  divergedBranches: number;
  /** Warp-cycles by the state's name. */
  states: [state: string, cycles: number][];
}
/** A kernel's page. What the trace does not tell is null or empty. */
export interface KernelView {
  row: number;
  name: string;
  fullName: string;
  startNs: number;
  durationNs: number;
  deviceId: number;
  streamId: number;
  gpu: { name: string; smCount: number; smClockMhz: number } | null;
  grid: [number, number, number];
  block: [number, number, number];
  resources: OccupancyRequest & { staticSharedBytes: number; dynamicSharedBytes: number };
  blocks: number;
  /** Blocks of the grid by those that all SMs hold at once. */
  waves: number | null;
  /** Blocks of the last wave, where it is not full. */
  tailBlocks: number | null;
  /** Theoretical. */
  occupancy: KernelOccupancy | null;
  achievedOccupancyPercent: number | null;
  /** Of an SM's blocks; the rest is extrapolated. */
  simulatedPercent: number | null;
  /**
   * Of the time that the kernel takes alone, what the simulated SM took, whose cycles are those of {@link stalls}; null where the trace does
   * not say.
   */
  coveredPercent: number | null;
  /** What made the rest of the time; null where the SMs decided, or nearly so. */
  heldUp: { by: HeldUpBy; percent: number } | null;
  throughput: KernelThroughput[];
  /** All counters, by Nsight Compute's names. */
  metrics: { metric: string; value: number }[];
  /** By warp-cycles, the most first; Selected is the one state that is none. */
  stalls: { state: string; percent: number; cyclesPerIssue: number | null }[];
  /** In order of the source. */
  lines: KernelPlace[];
  /** In order of the machine code. */
  instructions: (KernelPlace & {
    opcode: string;
    /** As SASS writes them; registers are numbered in the order of their first use. null where they are not recorded. */
    operands: string | null;
  })[];
  sources: { path: string; text: string }[];
  branches: KernelBranch[];
  /**
   * What the recording holds of single warps and accesses of the kernel, as it is stored, and how many launches share it; null where there
   * is no such thing.
   */
  recorded: { bytes: number; launches: number } | null;
  /** null where the GPU is not known. */
  roofline: Roofline | null;
  /** Whether the recording holds what warps issued ({@link WarpIssues}). */
  hasIssues: boolean;
  /** Cycles of the simulated SM that its warps are recorded for; 0 where there are none. */
  warpCycles: number;
  /** Slots for warps, by sub-partition. */
  warpSlots: number[];
  /** Names of what warps do, by {@link WarpWindow.states}. */
  warpStates: string[];
}

/** What belongs to all SMs together. `atomics-on-one-place`: in the same 512 bytes, where L2 does one after the other. */
export type HeldUpBy = 'l2' | 'dram' | 'nvlink' | 'host-link' | 'dispatch' | 'atomics' | 'atomics-on-one-place';

/** A conditional branch; figures are of the whole grid. */
export interface KernelBranch {
  /** Index into {@link KernelView.instructions}. */
  instruction: number;
  file: string | null;
  line: number | null;
  /** By warps. */
  executed: number;
  /** Executions after which lanes of the warp were at different places. */
  diverged: number;
  /** Lanes that went elsewhere, and on with the code that follows; null where it is not known. */
  taken: number | null;
  notTaken: number | null;
}

/** What computes, and in which format. */
export type Precision = `${'' | 'Tensor '}${'FP64' | 'FP16'}` | 'FP32' | 'Tensor TF32' | 'Tensor FP8';

/** What a kernel computed and moved, and the most that its GPU can: peaks of the data sheet, or measured. */
export interface Roofline {
  roofs: { precision: Precision; flopsPerSecond: number }[];
  bandwidths: { level: 'L1' | 'L2' | 'DRAM'; bytesPerSecond: number }[];
  /** Floating-point operations, a fused multiply-add being two. */
  work: { precision: Precision; flop: number }[];
  traffic: { level: Roofline['bandwidths'][number]['level']; bytes: number }[];
  durationNs: number;
}

/** How a `__shared__` variable could lie instead. */
export interface SharedLayout {
  /** Its {@link SharedVariable.offset}. */
  array: number;
  rowBytes: number;
  /** `bytes` more behind each row, or parts of so many bytes in another order in each row: number XOR row. */
  kind: 'pad' | 'xor';
  bytes: number;
}
export interface SharedVariable {
  name: string;
  /** From where the block's shared memory begins. */
  offset: number;
  /** null: as many as the launch says. */
  bytes: number | null;
  /** Of one row, where it has several dimensions. */
  rowBytes: number | null;
}
export interface LayoutGain {
  layout: SharedLayout;
  array: string;
  /** Wavefronts of all accesses to the array, as far as samples tell. */
  before: number;
  after: number;
  /** Of shared memory; null where the array's size is not known. */
  extraBytes: number | null;
}

/** Where the lanes of a warp accessed memory, once. */
export interface SampledAccess {
  block: number;
  warp: number;
  space: 'global' | 'shared' | 'local';
  /** Bytes of each lane. */
  size: number;
  /** Mask of the lanes that took part. */
  lanes: number;
  /** By lane. Of shared memory from where the block's begins; of local memory from where the warp's does, lanes side by side. */
  addresses: number[];
  /** Of global and local memory. */
  global: {
    /** Of 128 bytes, with a mask of the sectors that are touched. */
    lines: { address: number; sectors: number }[];
    /** Of atomics the passes that L2 makes over them. */
    sectors: number;
    idealSectors: number;
    /** That lanes asked for, each counted once. */
    bytes: number;
    pattern:
      'broadcast' | 'coalesced' | 'misaligned' | 'strided' | 'scattered' | 'single' | 'same address' | 'colliding';
    /** From lane to lane, of strided ones. */
    strideBytes: number | null;
  } | null;
  shared: {
    /** By bank: the number of the word (-1: none), and a mask of the lanes that it is for. */
    wavefronts: { words: number[]; lanes: number[] }[];
    idealWavefronts: number;
  } | null;
}
/** A load, store or atomic; counts are of the whole grid. */
export interface KernelAccess {
  /** Index into {@link KernelView.instructions}. */
  instruction: number;
  opcode: string;
  file: string | null;
  line: number | null;
  kind: 'load' | 'store' | 'atomic';
  executed: number;
  sectors: number;
  wavefronts: number;
  samples: SampledAccess[];
}
export interface KernelAccesses {
  /** In the order of the machine code. */
  accesses: KernelAccess[];
  sharedArrays: SharedVariable[];
  /** Layouts that take fewer wavefronts, the best of each array first. */
  gains: LayoutGain[];
}

/** The order in which the adviser looks: at the timeline first, then at where a kernel lies under its roofs. */
export const adviceStages = ['failure', 'timeline', 'memory', 'compute', 'latency', 'stop'] as const;
export type AdviceStage = (typeof adviceStages)[number];

/** What the adviser found, with what it was found by. */
export interface Finding {
  /** Name of the rule, stable: `bank-conflicts`. */
  rule: string;
  stage: AdviceStage;
  /** One sentence with the figures that matter. */
  title: string;
  /** What was measured; never empty. */
  evidence: FindingEvidence[];
  /** Where to look, what matters most first; never empty. */
  places: FindingPlace[];
  why: string;
  todo: string;
  /** What it could save at most of the recording's time, and how that is reckoned; null where the trace does not tell. */
  gain: { ns: number; basis: string } | null;
  /** Id of the lab that shows it. */
  lab: string | null;
}

export interface FindingEvidence {
  /** A counter under its name in Nsight Compute, or what it is in words. */
  name: string;
  value: number;
  unit: 'ns' | 'bytes' | 'bytes-per-second' | 'percent' | 'count' | 'ratio';
}

export type FindingPlace =
  | { kind: 'kernel'; kernel: number; name: string }
  | { kind: 'line'; kernel: number; file: string; line: number }
  | { kind: 'event'; ref: EventRef; label: string }
  | { kind: 'range'; fromNs: number; toNs: number; label: string };

/** `define`: a macro. `argument`: a value that arguments, macros or environment have as `{NAME}`. Others are record options. */
export const sweepAxisKinds = ['gpu', 'define', 'argument', 'registers', 'carveout', 'shared'] as const;
export type SweepAxisKind = (typeof sweepAxisKinds)[number];
/** What a sweep varies: one or several GPUs, registers, percent, bytes as text; `default` leaves an option out. */
export interface SweepAxis {
  kind: SweepAxisKind;
  name: string;
  values: string[];
}
export interface SweepProgress {
  total: number;
  /** With a result, failed ones among them. */
  done: number;
  failed: number;
  /** Where those that run now differ from others: `TILE=16, GPU=h200`. */
  running: string[];
}
/** One job of a sweep. */
export interface SweepRow {
  id: string;
  /** A value for each axis. */
  point: string[];
  status: 'done' | 'failed' | 'missing';
  /** What is compared; null where there is none: of failed jobs, and where no such kernel ran. */
  ns: number | null;
  /** To the best: 1 and up. */
  ratio: number | null;
  error: string | null;
  /** The file; null where there is none. */
  trace: string | null;
  durationNs: number | null;
  gpuBusyNs: number | null;
  kernelNs: number | null;
  /** Of the kernel that the metric names, else of the one that takes longest. */
  kernel: string | null;
  registers: number | null;
  /** Theoretical, percent. */
  occupancy: number | null;
}
export interface SweepView {
  folder: string;
  title: string;
  axes: SweepAxis[];
  /** `kernels`, `duration`, `gpu`, or the name of a kernel. */
  metric: string;
  /** The metric in words. */
  metricTitle: string;
  /** The best first, then those without a time. */
  rows: SweepRow[];
  done: number;
  failed: number;
  missing: number;
  /** Kernels of all jobs, which can be metrics as well. */
  kernels: string[];
}
