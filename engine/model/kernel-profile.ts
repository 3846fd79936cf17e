/** The model's account of one launch: resources, counters, and where its warps spent their time. */
import type { AccessSample, SharedArray } from './execution.ts';

/** The blocks of a grid as SMs see them. */
export interface KernelBlocks {
  count: number;
  /** Blocks that an SM holds at once. */
  perSm: number;
  /** Share of an SM's warp slots, registers, shared memory and block slots that one takes. */
  share: { warps: number; registers: number; shared: number; slots: number };
  /** Share of what SMs, DRAM and the link to the host can do that the kernel takes when it is alone, 0 to 1. */
  load: { sm: number; dram: number; link?: number };
  /** All of them have to be on the GPU at once. */
  cooperative?: boolean;
}

export interface KernelDetails {
  registersPerThread: number;
  staticSharedBytes: number;
  localBytesPerThread: number;
  /** Bytes of shared memory per SM that the driver would configure for it. */
  sharedConfigBytes: number;
  /** Metrics under Nsight Compute's names. */
  metrics: Record<string, number>;
  /** Profile of its warps' time; the same object for launches that are taken to be alike. */
  profile?: KernelProfile;
}

/** Warp-cycles by state in cells of equal width, from cycle 0 on: state `s` in cell `c` at `c * warpStates.length + s`. */
export interface StateMix {
  /** Cycles; a power of two. */
  width: number;
  cycles: Float64Array;
}

/** The profile of one launch: every instruction, and the warps of one SM over time. */
export interface KernelProfile {
  /** In the order of the kernel's machine code. */
  instructions: ProfiledInstruction[];
  /** Cycles of the SM's clock that were simulated. */
  cycles: number;
  /** Fraction of an SM's warp instructions that was simulated, 0 to 1. */
  share: number;
  /** Blocks that were simulated, by their number in the grid: cycle of the launch and of the end, -1 if it did not end. */
  blocks: { block: number; start: number; end: number }[];
  /** One entry per warp slot of the SM, encoded as engine/model/warp-timeline.ts describes. Entries may end before the simulation did. */
  warps: Uint8Array[];
  /** Per slot, the instruction of each issue (one per cycle in state `selected`), as pairs: first instruction of a run, length of the run. */
  issues: Uint32Array[];
  /** The cycle up to which both go. */
  warpCycles: number;
  /** States of all warps of the SM, over all simulated cycles. */
  mix: StateMix;
  branches: ProfiledBranch[];
  sharedArrays: readonly SharedArray[];
}

/** A conditional branch; figures are of the whole grid, exact. */
export interface ProfiledBranch {
  /** Index of the BRA. */
  instruction: number;
  executed: number;
  /** Executions after which lanes of the warp were at different places. */
  diverged: number;
  /** Lanes that went on elsewhere, and with the code that follows; null where counts of blocks do not tell. */
  taken: number | null;
  notTaken: number | null;
}

/** Counts of a place in the code, of the whole grid, exact. */
export interface PlaceCounts {
  /** Line of the program's source; null where none is known. */
  file: string | null;
  line: number | null;
  /** Executions by warps, lanes that took part, and of these those whose predicate was on. */
  executed: number;
  threads: number;
  threadsOn: number;
  /** Executions with fewer than 32 of the latter. */
  partial: number;
  /** Sectors of global and local memory, passes of shared memory. */
  sectors: number;
  wavefronts: number;
  /** Passes that there would be without bank conflicts. */
  idealWavefronts: number;
}

export interface ProfiledInstruction extends PlaceCounts {
  opcode: string;
  /** As SASS writes them, see engine/isa/operands.ts. */
  operands: string;
  /** Number of its basic block. */
  block: number;
  /** Warp-cycles spent before its issue, by warp state, of the whole grid as far as the simulated SM stands for it. */
  states: Record<string, number>;
  /** Places of some accesses. */
  samples: AccessSample[];
}
