/**
 * Inputs and results of the simulation of one SM. An SM runs the machine code of a kernel ({@link SmProgram}) for warps that are known by
 * what they did ({@link WarpStream}); it knows no values, only time.
 *
 *   const program = assemble(blocks, gpu);
 *   const result = simulateSm({ program, residentBlocks: 2, warpsPerBlock: 8, l1Bytes, memory, nextBlock });
 *
 * All times are cycles of the SM clock.
 */
import type { Effect, Opcode, Pipe, Request } from '../../model/opcodes.ts';
import type { CoreParameters } from './parameters.ts';
import type { StateSink } from '../../model/warp-timeline.ts';
import type { WarpStream } from '../../model/warp-stream.ts';

/** Flags of an instruction, see {@link SmProgram.flags}. */
export const flag = {
  /** BAR.SYNC: waits for all live warps of the block. */
  barrier: 1,
  /** May jump: the warp goes on after a bubble, a longer one if the next instruction is not the one that follows. */
  branch: 2,
  /** CALL, RET: always jumps. */
  jump: 4,
  /** Waits until the warp's stores have reached L2. */
  membar: 8,
  /** LDGSTS: belongs to the warp's group of asynchronous copies. */
  asyncCopy: 16,
  /** LDGDEPBAR: ends the group. */
  asyncCommit: 32,
  /** DEPBAR.LE n: waits until no more than n groups are on their way; n is in {@link SmProgram.passes}. */
  asyncWait: 64,
  /** Reads the clock: when it issues goes into {@link SmResult.clockReads}. */
  clock: 128,
  /** NANOSLEEP: goes on after its latency. */
  sleep: 256,
  /** BAR.SYNC and BAR.ARV of a barrier with a number. */
  numbered: 512,
  /** Waits until its copies in bulk have left shared memory, but for the last n groups; n is in {@link SmProgram.passes}. */
  bulkWait: 1024,
  /** UBLKCP: takes its lanes one after the other. */
  bulk: 2048,
  /** CCTL.IVALL: L1 forgets what it holds. */
  forgetL1: 4096,
} as const satisfies Record<Effect, number>;

/** Pipes in which instructions execute, see {@link SmProgram.pipe}. Each sub-partition has one of each. */
export const pipe = {
  /** FADD FMUL FFMA: either half of the FMA pipe, where it has two. */
  fma: 0,
  /** IMAD: the heavy half. */
  imad: 1,
  alu: 2,
  fp64: 3,
  fp16: 4,
  /** MUFU and conversions; has a queue. */
  xu: 5,
  /** Queue of global and local memory. */
  lg: 6,
  /** Queue of shared memory, shuffles, constants, special registers. */
  mio: 7,
  uniform: 8,
  tensor: 9,
  /** Branches, barriers, EXIT. */
  control: 10,
  tex: 11,
} as const satisfies Record<Pipe, number>;

/** Kinds of work that a memory instruction does once it leaves its queue, see {@link SmProgram.memory}. */
export const memoryKind = {
  none: 0,
  globalLoad: 1,
  globalStore: 2,
  globalAtomic: 3,
  shared: 4,
  sharedAtomic: 5,
  /** SHFL, S2R: one pass, nothing to look up. */
  pass: 6,
  localStore: 7,
  /** LDC: one pass per word that its lanes want. */
  constant: 8,
  /** SYNCS: does something to a barrier in shared memory. */
  sync: 9,
  /** UBLKCP, by way; the end of a group of copies from shared memory, and what waits for groups. */
  bulkLoad: 10,
  bulkStore: 11,
  bulkCommit: 12,
  bulkWait: 13,
  /** The texture unit's, which has a queue of its own. */
  texture: 14,
} as const satisfies Record<Request, number>;

/** The machine code of one kernel in flat arrays; made by `assemble`. Instructions are numbered through all blocks. */
export interface SmProgram {
  readonly parameters: CoreParameters;
  readonly opcodes: readonly Opcode[];
  /** Instructions of machine block b: `blockStart[b]` up to `blockStart[b + 1]`. */
  readonly blockStart: Int32Array;
  /** One of {@link pipe}. */
  readonly pipe: Uint8Array;
  /** Cycles until the pipe takes the next instruction of the sub-partition; memory: cycles of the SM's pipe per pass. */
  readonly interval: Uint16Array;
  /** Cycles until an instruction that reads the result can issue, without queueing. */
  readonly latency: Int32Array;
  /** Index into {@link warpStates}: what a warp that waits for the result is said to wait for. */
  readonly reason: Uint8Array;
  /** One of {@link memoryKind}. */
  readonly memory: Uint8Array;
  /** 1: has an address per lane; a warp issues them `warpAddressInterval` apart. */
  readonly addresses: Uint8Array;
  /** Passes of a memory instruction without an access number; groups that DEPBAR lets be. */
  readonly passes: Uint8Array;
  /** Number of the memory access in its block, or -1. */
  readonly access: Int32Array;
  /** Position of spilled values in the lines of 128 bytes that a warp spills to, and their number; -1 for other instructions. */
  readonly spill: Int32Array;
  readonly spillLines: Uint8Array;
  /** Lines that a warp spills to. */
  readonly spillFrame: number;
  /** Union of {@link flag}. */
  readonly flags: Uint16Array;
  /** Registers that instruction i waits for: `needs[needsStart[i]]` up to `needsStart[i + 1]`. */
  readonly needsStart: Int32Array;
  readonly needs: Int32Array;
  /** Registers that instruction i makes, the same way; those that nobody reads are left out. */
  readonly makesStart: Int32Array;
  readonly makes: Int32Array;
  /** Registers of a warp. */
  readonly registers: number;
}

/** Share of the SM in the memory system that all SMs use. */
export interface MemoryShare {
  /** Bytes per cycle between L2 and this SM when all work. */
  l2BytesPerCycle: number;
  /** Bytes per cycle of DRAM, reads and writes together. */
  dramBytesPerCycle: number;
  /** Share of lines that L2 holds, 0 to 1; for accesses without a hint, decided by a hash of the line. */
  l2HitShare: number;
  /**
   * Sectors of a stream that DRAM moves in the time that it takes to read or to write one sector. If not given, those that it moves
   * together.
   */
  dramSectorsPerMiss?: { reads: number; writes: number };
  /** Bandwidth of the link to other GPUs, bytes per cycle in each direction; only where there is one. */
  peerBytesPerCycle?: { reads: number; writes: number };
  /** Bandwidth of the link to the host, likewise. */
  hostBytesPerCycle?: { reads: number; writes: number };
}

export interface SmOptions {
  program: SmProgram;
  /** Blocks that fit at a time (occupancy). */
  residentBlocks: number;
  warpsPerBlock: number;
  /** L1 data cache: what shared memory leaves. */
  l1Bytes: number;
  memory: MemoryShare;
  /** The streams of the next thread block's warps, or null when there are no more. */
  nextBlock: () => readonly WarpStream[] | null;
  /** Stops after that many warp instructions, wherever the warps are. */
  maxInstructions?: number;
  /** Streams are only the beginning of what warps did: stops with the first that ends. */
  isCut?: boolean;
  /**
   * Warps of which the stream is only the beginning, by their number in the order of their launch: stops with the first of them that ends.
   */
  cutWarps?: ReadonlySet<number>;
  /** Starts no more than that many blocks. */
  maxBlocks?: number;
  /** SMs that run the kernel: so many do what this one does. Default 1. */
  smCount?: number;
  /** Cycles between two blocks that this SM gets: those of the whole GPU times its SMs; default 0. */
  dispatchCycles?: number;
  /** Cycles between the first blocks, which come when all SMs are free; as later ones when absent. */
  firstDispatchCycles?: number;
  /** Also counts per machine instruction. */
  perInstruction?: boolean;
  sink?: StateSink;
}

export interface SmResult {
  /** From the start of the first block to the end of the last one, or to where `maxInstructions` stopped it. */
  cycles: number;
  /** True if `maxInstructions` ended the run. */
  stopped: boolean;
  instructions: number;
  /** Instructions among them that belong to iterations of loops that polled in vain. */
  polling: number;
  /** Per block in the order of `nextBlock`: cycle of its launch, cycle of its last warp's end; -1 if still running. */
  blockStart: Int32Array;
  blockEnd: Int32Array;
  /** Cycles with an issue, per scheduler. */
  issueActive: Float64Array;
  /** Warp-cycles by state, in the order of {@link warpStates}; their sum is the time that all warps were resident. */
  warpCycles: Float64Array;
  l1HitSectors: number;
  l1MissSectors: number;
  /** Sectors that went to L2: loads that missed L1, stores, atomics. */
  l2Sectors: number;
  /** Sectors of spilled values: those that were in L1, and all. */
  spills: Record<'load' | 'store', { hits: number; sectors: number }>;
  dramReadSectors: number;
  dramWriteSectors: number;
  sharedWavefronts: number;
  /** When the first atomic on global memory was sent; infinite if none was. */
  firstAtomic: number;
  /** Cycles in which each warp read the clock, in the order of their launch. Empty where the program never does. */
  clockReads: readonly (readonly number[])[];
  /** Iterations of silent loops by warp (ir/analysis/clock-loops.ts), by the reading that stands for all of its. */
  silentRounds: readonly (ReadonlyMap<number, number> | undefined)[];
  /** Counts with `perInstruction`: issues of each, and warp-cycles by state before each (instruction * states + state). */
  perInstruction: { issues: Float64Array; warpCycles: Float64Array } | null;
}
