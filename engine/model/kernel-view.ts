/** A kernel's page: occupancy, throughput, stalls, instructions, source lines, roofline, and what warp slots did. */
import type { PlaceCounts } from './kernel-profile.ts';
import type { Work } from './opcodes.ts';

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
export type Precision = Work['precision'];

/** What a kernel computed and moved, and the most that its GPU can: peaks of the data sheet, or measured. */
export interface Roofline {
  roofs: { precision: Precision; flopsPerSecond: number }[];
  bandwidths: { level: 'L1' | 'L2' | 'DRAM'; bytesPerSecond: number }[];
  /** Operations on floats, and of tensor cores on integers; a multiply-add is two. */
  work: { precision: Precision; flop: number }[];
  traffic: { level: Roofline['bandwidths'][number]['level']; bytes: number }[];
  durationNs: number;
}
