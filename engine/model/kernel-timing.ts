/** The interface between CUDA runtime, kernel model and execution: what is asked of the model, and which blocks it wants traced. */
import type { Nanoseconds } from '../base/units.ts';
import type { KernelBlocks, KernelDetails } from './kernel-profile.ts';
import type { CacheGeometry, KernelCounts, KernelDescription, KernelLaunch, LaunchClock } from './execution.ts';
import type { WarpStream } from './warp-stream.ts';

export interface TraceRequest {
  /** Numbers of blocks, ascending; from 0 on and equally far apart where blocks of the kernel may wait for each other. */
  blocks: readonly number[];
  /** Asked during such kernels: true if this many blocks with this many words suffice. */
  enough?: (blocks: number, words: number) => boolean;
  /** Approximate limit on the words collected from such kernels; beyond it streams are cut, which is reported before they are handed over. */
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
  /** Blocks of a launch that the model wants traced; null: counts suffice. */
  trace?(description: KernelDescription, launch: KernelLaunch): TracedBlocks | null;
  /** Clock values that the kernel reads if it starts at `starts` (ns); `rehearse` executes blocks of the launch beforehand. */
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

/** Resources of an SM that a launch adds to the kernel's own. */
export interface BlockShape {
  threadsPerBlock: number;
  dynamicSharedBytes: number;
  /** Percent of shared memory that the kernel prefers over L1; -1: none. */
  preferredCarveout: number;
}
