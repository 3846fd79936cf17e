/**
 * Inputs and results of the functional execution of kernels. `engine/warp` turns the device LLVM IR of one program into
 * a WebAssembly module in which every instruction works on a whole warp (32 lanes), runs grids on it, and counts what
 * they did. It knows nothing of time: `engine/sm` makes times out of these counts.
 */

import type { MachineBlock } from './machine.ts';
import type { Check } from './record-options.ts';

/** x, y, z of a grid or a block. */

export interface Dim3 {
  x: number;
  y: number;
  z: number;
}

/** One kernel parameter: its place in the launch's parameter buffer (byval structs are one parameter). */
export interface KernelParameter {
  offset: number;
  size: number;
}

/**
 * Classes of SASS-like instructions, for pipes and counters. A coarse lowering from LLVM IR for now: address arithmetic
 * is charged as 64-bit, casts that cost nothing on hardware are not counted.
 */
export const instructionClasses = [
  'fp32', // FADD FMUL FFMA
  'fp64',
  'fp16', // HADD2 HFMA2 …
  'int', // IADD3 LOP3 ISETP SEL MOV …
  'imad', // IMAD, IMAD.WIDE
  'conversion', // I2F F2I F2F
  'special', // MUFU
  'load-global',
  'store-global',
  'load-shared',
  'store-shared',
  'load-constant',
  'load-local',
  'store-local',
  'atomic-global',
  'atomic-shared',
  'shuffle', // SHFL
  'vote', // VOTE MATCH REDUX
  'barrier',
  'branch', // BRA BSSY BSYNC EXIT
  'tensor',
  'sync', // SYNCS: barriers in shared memory
  'bulk', // UBLKCP
  'texture', // TEX TLD SULD SUST
] as const;
export type InstructionClass = (typeof instructionClasses)[number];

/** Facts about a kernel before it runs. */
export interface KernelDescription {
  /** Mangled name, as the host registers it. */
  name: string;
  parameters: KernelParameter[];
  parameterBytes: number;
  staticSharedBytes: number;
  /** Estimated registers per thread (live values at the widest point); ptxas would allocate something near. */
  registersPerThread: number;
  /** Local memory per thread (allocas that stayed), bytes. */
  localBytes: number;
  /** `__launch_bounds__`, where given. */
  maxThreadsPerBlock: number | null;
  /** The second figure of `__launch_bounds__`; 1 without. */
  minBlocksPerSm: number;
  machine?: KernelMachine;
  /** It reads clocks, and can be rehearsed to find out what they show ({@link LaunchClock}). */
  asksTime?: boolean;
  /** It launches kernels, if only under some condition. */
  mayLaunch?: boolean;
}

/** A kernel's form on hardware. */
export interface KernelMachine {
  /** Indexed as traces name them; accesses are numbered as sites. */
  blocks: readonly MachineBlock[];
  /** Number of memory accesses in all of them. */
  sites: number;
  /** True for blocks in loops that poll: how often they are executed is a matter of time. */
  polling: readonly boolean[];
  /** Blocks that lanes may go on to, by block; none of functions that are called. */
  successors: readonly (readonly number[])[];
  sharedArrays: readonly SharedArray[];
}

/** A `__shared__` variable. */
export interface SharedArray {
  /** Name as in the source. */
  name: string;
  /** From where a block's shared memory begins. */
  offset: number;
  /** null: as many as the launch says. */
  bytes: number | null;
  /** One row, if there are several dimensions. */
  rowBytes: number | null;
}

/** A `__device__` or `__constant__` variable: its address in device memory, for symbol copies. */
export interface DeviceVariable {
  name: string;
  address: number;
  size: number;
  /** `__managed__`: one for all GPUs. */
  managed: boolean;
  /** The GPU whose variable this is, where there are several; not given: that of the first, or of all. */
  gpu?: number;
}

export interface KernelLaunch {
  kernel: string;
  grid: Dim3;
  block: Dim3;
  dynamicSharedBytes: number;
  /** The parameter buffer, laid out as {@link KernelDescription.parameters} says. */
  parameters: Uint8Array;
  /** All blocks are resident at once and may wait for each other (`cudaLaunchCooperativeKernel`). */
  cooperative?: boolean;
  /** Percent of shared memory that the kernel prefers over L1 (`cudaFuncSetAttribute`); none when absent or -1. */
  preferredCarveout?: number;
  /** The GPU that executes it, from 0, which it is if not given. */
  gpu?: number;
}

/** Times for a launch that asks for them. */
export interface LaunchClock {
  /** When its kernel starts, nanoseconds; the clocks of the SMs count from the same time. */
  starts: number;
  cyclesPerNanosecond: number;
  /** Cycles that a read takes which goes past L1; not given: none. */
  pollCycles?: number;
  /** Cycles from there at which a warp asks for the n-th time, from 0; null where nobody knows. */
  asks: ((block: number, warp: number, n: number) => number | null) | null;
  /** Nanoseconds that a warp takes to launch kernels from so many of its threads at once. */
  launchTime: (threads: number, isFirst: boolean) => number;
  /** Times around a silent loop (analysis/clock-loops.ts) where that is the reading that ends it; else null. */
  rounds?: ((block: number, warp: number, n: number) => number | null) | null;
}

/** A kernel that a kernel launches; `stream` as the kernel names it, `block` the number of the launching block. */
export interface ChildLaunch {
  launch: KernelLaunch;
  stream: number;
  block: number;
  /** Number of the launching thread in its block. */
  thread: number;
  /** Shared by launches that its warp makes at once; final when the kernel has ended. */
  step: LaunchStep;
}

/** Launches that the threads of a warp make together. */
export interface LaunchStep {
  /** Nanoseconds that the warp has spent on launches when these return. */
  ended: number;
}

/** Takes the launches of a kernel, in their order; the answer is a `cudaError_t`. */
export type OnChildLaunch = (child: ChildLaunch) => number;

/**
 * `order`: what is looked for where a program has failed, races by which it may have: between reads and writes of shared memory, and
 * only in kernels whose warps wait for each other at barriers of the whole block.
 */
export type DeviceCheck = Check | 'order';

/** Cache geometry under which a launch's traffic is counted; from the GPU's description. */
export interface CacheGeometry {
  smCount: number;
  /** L1 data cache per SM that the launch can use (what the shared-memory carve-out leaves), bytes. */
  l1Bytes: number;
  l2Bytes: number;
  /** 2 where each half of the SMs has a half of L2 that keeps copies of the other's lines; 1 if not given. */
  l2Halves?: 1 | 2;
  /** Blocks of the launch that an SM holds at a time: so many can wait for each other. */
  blocksPerSm?: number;
}

/** Requests are warp instructions; sectors of 32 bytes and lines of 128 bytes per request, summed. */
export interface UnitAccesses {
  requests: number;
  sectors: number;
  lines: number;
}

/** `wavefronts` through the banks of L1; `passes`: cycles of its pipe, which its tags may take longer. */
export interface GlobalAccesses extends UnitAccesses {
  wavefronts: number;
  passes: number;
}

/**
 * Sectors count the passes that L2 makes: one serves, in one sector, a lane on each of its addresses. So they are as many
 * as the lanes where all are on one address.
 */
export interface AtomicAccesses extends GlobalAccesses {
  lanes: number;
  /** Lanes on the busiest address of each request, summed. */
  conflicts: number;
  /** Passes, and stores of one sector, in the 512 bytes of memory that are busiest while blocks are resident together; summed. */
  hottest: number;
}

/** Wavefronts: passes through the 32 banks that the requests took; `idealWavefronts` without conflicts: 1, or more of more than 4 bytes. */
export interface SharedAccesses {
  requests: number;
  wavefronts: number;
  idealWavefronts: number;
}

/** Calls of printf in a launch. A lane's is a line. */
export interface Prints {
  lines: number;
  /** The most calls of one warp, one after the other, and their lines. */
  callsOfWarp: number;
  linesOfWarp: number;
}

/** Counts of one launch: exact for the program as executed, except the cache hits (see `engine/memory`). */
export interface KernelCounts {
  blocks: number;
  warps: number;
  /** Warp instructions issued (`smsp__inst_executed.sum`), and by class. */
  warpInstructions: number;
  warpInstructionsByClass: Record<InstructionClass, number>;
  /** Sum over warp instructions of active lanes (`smsp__thread_inst_executed.sum`). */
  threadInstructions: number;
  branches: number;
  divergentBranches: number;
  barriers: number;
  /** Share of the blocks that was executed, for which all others were taken to be like; absent: all of them. */
  executedShare?: number;
  /** Absent: nothing was printed. */
  prints?: Prints;
  /** Requests are warp instructions; sectors are 32-byte sectors per request, summed. */
  globalLoad: GlobalAccesses;
  globalStore: GlobalAccesses;
  globalAtomic: AtomicAccesses;
  /** Accesses of {@link globalAtomic} whose results nobody uses (RED). */
  globalReduction: { requests: number; sectors: number };
  /** Variables in local memory; spills come with the machine code. */
  localLoad: { requests: number; sectors: number };
  localStore: { requests: number; sectors: number };
  sharedLoad: SharedAccesses;
  sharedStore: SharedAccesses;
  sharedAtomic: SharedAccesses & { lanes: number };
  /** Copies in bulk: `requests` are copies, what they move is beside what loads and stores do. */
  bulkLoad: UnitAccesses;
  bulkStore: UnitAccesses;
  /** Fetches from textures and accesses to surfaces: sectors are counted by four lanes, from linear memory by eight. */
  textureLoad: UnitAccesses;
  surfaceLoad: UnitAccesses;
  surfaceStore: UnitAccesses;
  /** Sectors that L1 and L2 answered, and what DRAM moved. */
  l1Hits: number;
  l1Misses: number;
  l2Hits: number;
  l2Misses: number;
  /** Sectors of stores that reached L2: less than were stored where a warp's stores went along with one before. */
  l2Stored: number;
  dramReadBytes: number;
  dramWriteBytes: number;
  /** Sectors of loads that went on from the half of L2 that the SM is at to the other one. */
  l2Across: number;
  /** Sectors that were found as copies in that half, which had the other one confirm them. */
  l2Confirmed?: number;
  /** Matches of lanes' values (MATCH.ANY), and the distinct values of each, summed. */
  matches?: number;
  matchedValues?: number;
  /** Operations of lanes that may have masks of their own, and the distinct masks of each, summed. */
  maskedGroups?: number;
  masks?: number;
  /** Sectors that were read from and written to the memory of other GPUs; only where there are several. */
  peerReads?: number;
  peerWrites?: number;
  /** Likewise of page-locked memory of the host; only where kernels can reach some. */
  hostReads?: number;
  hostWrites?: number;
  /** Sectors of the latter that were written in part. */
  hostPartial?: number;
  /** Times that DRAM had to open a row. */
  dramRows: number;
  /** Bytes that DRAM reads of sectors that were stored in part. */
  dramFilledBytes: number;
  /** Bytes that it moves beside those that it writes and fills in, since it moves 64 at a time. */
  dramIdleBytes: number;
  /** Pages of managed memory (`Device.watchManaged`), 4 KiB each, in the order in which they were first accessed. */
  touched?: TouchedPages;
  /** Exact counts by basic block of {@link KernelMachine.blocks}, and by memory access, of traced launches. */
  places?: { blocks: BlockCounts[]; sites: SiteCounts[] };
}

export interface TouchedPages {
  /** Address / 4 KiB. */
  pages: Uint32Array;
  /** 1 read, 2 written, 4 atomics. */
  access: Uint8Array;
  /** Sectors asked of L2. */
  sectors: Uint32Array;
  /** Blocks that accessed it. */
  blocks: Uint32Array;
  /** Ascending: pages that warps which are resident together ask for with as many requests before have the same. */
  rounds: Uint32Array;
  /** Blocks of the launch that are resident at a time. */
  resident: number;
}

/**
 * Executions by warps, and their active lanes; of a block under a predicate with `on` those whose predicate was on. `partial`: executions
 * with fewer than 32 of these.
 */
export interface BlockCounts {
  times: number;
  lanes: number;
  on: number;
  partial: number;
  /** Number of times that lanes of a warp left it for different blocks. */
  diverged: number;
}
export interface SiteCounts {
  /** In global and local memory. */
  sectors: number;
  wavefronts: number;
  /** See {@link SharedAccesses}. */
  idealWavefronts: number;
  /** Some of its accesses, by traced warps, in the order in which they happened; no two of the same pattern. */
  samples: AccessSample[];
}

/** One access of a warp, by lane. */
export interface AccessSample {
  /** Number of the block in the grid, and of the warp in the block. */
  block: number;
  warp: number;
  /** Bytes of each lane. */
  size: number;
  /**
   * Addresses in shared memory count from where that of the block begins; in local memory from where the warp's does, in which the same
   * word of all lanes lies side by side.
   */
  space: 'global' | 'shared' | 'local';
  /** Mask of the lanes that took part. */
  lanes: number;
  /** Lane by lane; 0 for those that did not take part. */
  addresses: Uint32Array;
}
