/**
 * Kernels that kernels launch (dynamic parallelism). They run when the grid that launched them has ended, which is one
 * legal order: a grid cannot wait for its children. What the order leaves open stands in the dependencies, for the system
 * to time. After the CUDA programming guide, "CUDA Dynamic Parallelism".
 */
import type { ChildKernel } from '../../system/types.ts';
import type { ChildLaunch, KernelLaunch, OnChildLaunch } from '../../warp/types.ts';
import type { CudaContext } from './context.ts';
import { cudaError } from './errors.ts';
import { checkLaunch } from './launch-limits.ts';

/** Streams with a meaning of their own, as kernels name them. */
const tailLaunch = 3;
const fireAndForget = 4;
const deepest = 24;
const pendingLaunchCount = { limit: 4, default: 2048 };

type RunGrid = (launch: KernelLaunch, onChild: OnChildLaunch) => ChildKernel['work'] | null;

export class ChildLaunches {
  private readonly context: CudaContext;
  private readonly runGrid: RunGrid;
  private readonly kernels: ChildKernel[] = [];
  private pending = 0;

  constructor(context: CudaContext, runGrid: RunGrid) {
    this.context = context;
    this.runGrid = runGrid;
  }

  /** The kernel and all that came of it, each behind those that it depends on; null when one fails. */
  run(launch: KernelLaunch): ChildKernel[] | null {
    return this.runWithChildren(launch, [], 1) && this.kernels;
  }

  /** The kernels with which the launch has ended: places in the list. */
  private runWithChildren(launch: KernelLaunch, dependencies: number[], depth: number): number[] | null {
    const children: ChildLaunch[] = [];
    const work = this.runGrid(launch, (child) => {
      const code = this.check(child, depth);
      if (code === cudaError.Success) {
        children.push(child);
        this.pending++;
      }
      return code;
    });
    if (!work) return null;
    this.pending -= children.length;
    const own = this.kernels.push({ work, dependencies }) - 1;
    const tails = children.filter(({ stream }) => stream === tailLaunch);
    /** By stream, what its next kernel waits for. The default stream is one for each block. */
    const streams = new Map<string, number[]>();
    for (const [index, child] of children.entries()) {
      if (child.stream === tailLaunch) continue;
      const name =
        child.stream === fireAndForget
          ? `alone ${index}`
          : `${child.stream} of ${child.stream === 0 ? child.block : ''}`;
      const ends = this.runWithChildren(child.launch, streams.get(name) ?? [own], depth + 1);
      if (!ends) return null;
      streams.set(name, ends);
    }
    let ends = streams.size === 0 ? [own] : [...streams.values()].flat();
    // In place of the kernel, as far as its parent is concerned, so no deeper than it.
    for (const { launch: next } of tails) {
      const after = this.runWithChildren(next, ends, depth);
      if (!after) return null;
      ends = after;
    }
    return ends;
  }

  private check({ launch }: ChildLaunch, depth: number): number {
    const { context } = this;
    const kernel = context.device.kernel(launch.kernel);
    if (!kernel) return cudaError.InvalidDeviceFunction;
    const most = context.current.limits.get(pendingLaunchCount.limit) ?? pendingLaunchCount.default;
    if (this.pending >= most) return cudaError.LaunchPendingCountExceeded;
    if (depth >= deepest) return cudaError.LaunchMaxDepthExceeded;
    return checkLaunch(context, kernel, launch.grid, launch.block, launch.dynamicSharedBytes);
  }
}
