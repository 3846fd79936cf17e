/** What the CUDA runtime asks of the model of kernels, and what the model asks of the execution: which blocks it wants to see. */
import type { Nanoseconds } from '../base/units.ts';
import type { KernelBlocks, KernelDetails } from './kernel-profile.ts';
import type { CacheGeometry, KernelCounts, KernelDescription, KernelLaunch, LaunchClock } from './execution.ts';
import type { WarpStream } from './warp-stream.ts';

export interface TraceRequest {
  /** Numbers of blocks, ascending; from 0 on and equally far apart where blocks of the kernel may wait for each other. */
  blocks: readonly number[];
  /** Of such kernels, asked meanwhile: whether so many blocks with so many words do. */
  enough?: (blocks: number, words: number) => boolean;
  /** Of such kernels: no more than about so many words are collected; then the streams are cut, which is told before they are handed over. */
  mostWords?: number;
  onCut?: () => void;
  /**
   * Words that are kept of one block. Of one that does more, each warp has its share, and the streams of those that do more than that
   * are only the beginning: `cut` has their numbers. A kernel that never ends is one of these.
   */
  mostWordsOfBlock?: number;
  /** In their order; `warps` are those of the block. False: no more of them. */
  onBlock: (block: number, warps: WarpStream[], cut?: ReadonlySet<number>) => boolean;
}

/** A kernel's time when it has the GPU to itself. */
export interface KernelTiming {
  duration: Nanoseconds;
  blocks: KernelBlocks;
  details: KernelDetails;
}

/** Blocks of a launch, and what their warps did, as it becomes known. */
export interface TracedBlocks extends TraceRequest {
  readonly streams: WarpStream[][];
  /** They are only the beginning of what the warps did. */
  isCut: boolean;
  /** Warps, counted from the first of the first block, of which that is so if it is not of all. */
  readonly cutWarps: Set<number>;
}

/** The parts of the SM model that the runtime asks. */
export interface KernelModel {
  timeKernel(
    description: KernelDescription,
    launch: KernelLaunch,
    counts: KernelCounts,
    traced?: TracedBlocks | null,
  ): KernelTiming;
  /** What the model wants to know of a launch before it is made; null: no more than the counts. */
  trace?(description: KernelDescription, launch: KernelLaunch): TracedBlocks | null;
  /** What the kernel reads from clocks if it starts at `starts` (ns); `rehearse` executes blocks of the launch beforehand. */
  clock?(
    description: KernelDescription,
    launch: KernelLaunch,
    starts: number,
    rehearse: (trace: TraceRequest, clock: LaunchClock) => KernelCounts | null,
  ): LaunchClock;
  cacheGeometry(description: KernelDescription, launch: KernelLaunch): CacheGeometry;
  /** Blocks that one SM holds at once. */
  blocksPerSm(description: KernelDescription, block: BlockShape): number;
}

/** What a launch adds to what a kernel needs of an SM. */
export interface BlockShape {
  threadsPerBlock: number;
  dynamicSharedBytes: number;
  /** Percent of shared memory that the kernel prefers over L1; -1: none. */
  preferredCarveout: number;
}
