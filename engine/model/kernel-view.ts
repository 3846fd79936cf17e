/** A kernel's page: occupancy, throughput, stalls, instructions, source lines, roofline, and what warp slots did. */
import { libraryMetric } from './metric-names.ts';
import type { PlaceCounts } from './kernel-profile.ts';
import type { Work } from './opcodes.ts';

/** Instructions that the warp slots of a sub-partition issued, slot by slot. */
export interface WarpIssues {
  count: number;
  slots: Uint8Array;
  /** Cycles of the SM clock, as in {@link WarpWindow}. */
  cycles: Float64Array;
  /** Index into {@link KernelView.instructions}. */
  instructions: Uint32Array;
}

/**
 * States of the warp slots of one sub-partition in cycles [from, to) of a kernel's simulated SM, slot by slot. Struct of arrays, `count`
 * long. Intervals shorter than the resolution are merged by cell: then `states` is the slot's longest state there, `shares` the
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
  /** State ids of `ENUM_SIMSIGHT_WARP_STATE`, named as in Nsight Compute. */
  states: Uint8Array<ArrayBuffer>;
  shares: Float32Array<ArrayBuffer>;
  merged: Uint32Array<ArrayBuffer>;
}

/** Resources that a block takes of an SM. */
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
  /** Percent of the SM's warp slots. */
  percent: number;
  limiter: 'warps' | 'blocks' | 'registers' | 'shared';
  /** Blocks per SM that each resource alone would allow. */
  limits: Record<KernelOccupancy['limiter'], number>;
  /** Upper bounds of the GPU. */
  most: OccupancyRequest;
}

/** A kernel's average throughput of one unit of its GPU, over its whole duration. */
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
export interface KernelPlace extends PlaceCounts {
  /** Requests that had sectors, and those that had passes of shared memory. */
  sectorRequests: number;
  wavefrontRequests: number;
  /** As many as what the lanes asked for fills, or as there were. */
  idealSectors: number;
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
  /** Percent of an SM's blocks that was simulated; the rest is extrapolated. */
  simulatedPercent: number | null;
  /**
   * Fraction of the kernel's stand-alone time that the simulated SM took; its cycles are those of {@link stalls}. Null if the trace does
   * not say.
   */
  coveredPercent: number | null;
  /** The unit that accounts for the rest of the time; null where the SMs were (nearly) the limit. */
  heldUp: { by: HeldUpBy; percent: number } | null;
  throughput: KernelThroughput[];
  /** All counters, by Nsight Compute's names. */
  metrics: { metric: string; value: number }[];
  /** Stall reasons by warp-cycles, the largest first; `Selected` is included though it is no stall. */
  stalls: { state: string; percent: number; cyclesPerIssue: number | null }[];
  /** In order of the source. */
  lines: KernelPlace[];
  /** In order of the machine code. */
  instructions: (KernelPlace & {
    opcode: string;
    /** As SASS writes them; registers are numbered in the order of their first use. */
    operands: string;
  })[];
  sources: { path: string; text: string }[];
  branches: KernelBranch[];
  /**
   * Stored detail on single warps and accesses of the kernel, and the number of launches that share it; null if there
   * is no such thing.
   */
  recorded: { bytes: number; launches: number } | null;
  /** null where the GPU is not known. */
  roofline: Roofline | null;
  /** Cycles of the simulated SM that its warps are recorded for; 0 where there are none. */
  warpCycles: number;
  /** Slots for warps, by sub-partition. */
  warpSlots: number[];
  /** Names of what warps do, by {@link WarpWindow.states}. */
  warpStates: string[];
}

/** Units shared by all SMs. `atomics-on-one-place`: atomics within the same 512 bytes, which L2 serializes. */
export type HeldUpBy = 'l2' | 'dram' | 'nvlink' | 'host-link' | 'dispatch' | 'atomics' | 'atomics-on-one-place';

/** A conditional branch; figures are of the whole grid. */
export interface KernelBranch {
  /** Index into {@link KernelView.instructions}. */
  instruction: number;
  file: string | null;
  line: number | null;
  /** Warp instructions. */
  executed: number;
  /** Executions after which lanes of the warp were at different places. */
  diverged: number;
  /** Lanes that went elsewhere, and on with the code that follows; null where it is not known. */
  taken: number | null;
  notTaken: number | null;
}

/** A functional unit and its number format. */
export type Precision = Work['precision'];

/** A kernel's work and traffic, and the peaks of its GPU: from the data sheet, or measured. */
export interface Roofline {
  roofs: { precision: Precision; flopsPerSecond: number }[];
  bandwidths: { level: 'L1' | 'L2' | 'DRAM'; bytesPerSecond: number }[];
  /** Operations on floats, and of tensor cores on integers; a multiply-add is two. */
  work: { precision: Precision; flop: number }[];
  traffic: { level: Roofline['bandwidths'][number]['level']; bytes: number }[];
  durationNs: number;
}

/** A kernel of a library that was not simulated: there is nothing of it but its time. */
export const isTimedByMeasurement = ({ metrics }: Pick<KernelView, 'metrics'>): boolean =>
  metrics.some(({ metric }) => metric === libraryMetric);
export const timedByMeasurement =
  'A kernel of NVIDIA’s own library, timed by measurement: its time is that of a model of kernels measured on an H200. It was not simulated, so there are no counters, warp states or lines of it.';
