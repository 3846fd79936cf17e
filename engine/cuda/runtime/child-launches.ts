/**
 * Kernels that kernels launch (dynamic parallelism). They are executed in the order of simulated time, but not before the
 * grid that launched them, which is a legal order: a grid cannot wait for its children. After the CUDA programming guide,
 * "CUDA Dynamic Parallelism".
 */
import { runLaunchTree, type DeviceLaunch, type LaunchTree } from '../../system/device-launches.ts';
import type { ChildKernel } from '../../system/types.ts';
import type { ChildLaunch, KernelLaunch, OnChildLaunch } from '../../model/execution.ts';
import type { CudaContext } from './context.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import { checkLaunch } from './launch-limits.ts';

/** Streams with a meaning of their own, as kernels name them. */
const defaultStream = 0;
const tailLaunch = 3;
const fireAndForget = 4;
const deepest = 24;
const pendingLaunchCount = { limit: 4, default: 2048 };

/** Executes a grid that starts so long after the one that the host launched; null when it fails. */
type RunGrid = (launch: KernelLaunch, start: number, onChild: OnChildLaunch) => ChildKernel['work'] | null;

/** The kernel and all that came of it; null when one fails. */
export function runWithChildren(context: CudaContext, launch: KernelLaunch, runGrid: RunGrid): LaunchTree | null {
  const mayLaunch = context.device.kernel(launch.kernel)!.mayLaunch === true;
  return runLaunchTree(launch, mayLaunch, context.gpu.core.smCount, (grid, depth, start) => {
    const children: ChildLaunch[] = [];
    const work = runGrid(grid, start, (child) => {
      const code = check(context, child, depth, children.length);
      if (code === cudaError.Success) children.push(child);
      return code;
    });
    return work && { work, launches: children.map(launchOf) };
  });
}

/** The default stream is one for each block. */
function launchOf({ launch, stream, block, thread, step }: ChildLaunch): DeviceLaunch<KernelLaunch> {
  const isAlone = stream === fireAndForget || stream === tailLaunch;
  return {
    grid: launch,
    stream: isAlone ? null : `${stream} of ${stream === defaultStream ? block : 'all'}`,
    isTail: stream === tailLaunch,
    block,
    warp: thread >> 5,
    launching: step.ended,
  };
}

/** `depth` is that of the launching kernel, `pending` what it has launched. */
function check(context: CudaContext, { launch }: ChildLaunch, depth: number, pending: number): number {
  const kernel = context.device.kernel(launch.kernel);
  if (!kernel) return cudaError.InvalidDeviceFunction;
  const most = context.current.limits.get(pendingLaunchCount.limit) ?? pendingLaunchCount.default;
  if (pending >= most) return cudaError.LaunchPendingCountExceeded;
  if (depth + 1 >= deepest) return cudaError.LaunchMaxDepthExceeded;
  return checkLaunch(context, kernel, launch.grid, launch.block, launch.dynamicSharedBytes, 0);
}
