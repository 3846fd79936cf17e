/** Kernels that did not come to their end: shown where they began, for as long as a kernel that does nothing. */
import { ns } from '../../base/units.ts';
import type { ChildKernel } from '../../system/types.ts';
import type { Failure } from '../../model/events.ts';
import type { KernelBlocks } from '../../model/kernel-profile.ts';
import type { KernelLaunch } from '../../model/execution.ts';
import type { CudaContext } from './context.ts';

/** An empty kernel's, from start to end (engine/sm/MODEL.md, ramp); how long it ran beside that is not known. */
const duration = ns(600);
/** It takes nothing from others. */
const blocks: KernelBlocks = {
  count: 1,
  perSm: 1,
  share: { warps: 0, registers: 0, shared: 0, slots: 0 },
  load: { sm: 0, dram: 0 },
};

/** Work of a kernel that did not finish, for the system to time and the trace to show. */
export function unfinishedWork(
  context: CudaContext,
  { kernel, grid, block, dynamicSharedBytes }: KernelLaunch,
  failure: Failure,
): { type: 'kernel' } & ChildKernel['work'] {
  const description = context.device.kernel(kernel)!;
  const details = {
    registersPerThread: description.registersPerThread,
    staticSharedBytes: description.staticSharedBytes,
    localBytesPerThread: description.localBytes,
    sharedConfigBytes: 0,
    metrics: {},
  };
  return { type: 'kernel', kernel, grid, block, dynamicSharedBytes, duration, blocks, details, failure };
}
