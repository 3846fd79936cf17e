/**
 * Kernels of NVIDIA's libraries in the trace: ours compute what they do, and they have the names, shapes and times of a model of those that
 * were measured (libraries/timing). Nothing of theirs is simulated, so they have neither counters nor warp states.
 */
import { ns } from '../../base/units.ts';
import type { GpuDescription } from '../../gpus/types.ts';
import type { Dim3 } from '../../model/execution.ts';
import type { KernelBlocks } from '../../model/kernel-profile.ts';
import type { KernelTiming } from '../../model/kernel-timing.ts';
import { libraryMetric } from '../../model/metric-names.ts';
import type { LibraryKernel } from '../libraries/timing/index.ts';

interface LibraryWork extends KernelTiming {
  kernel: string;
  grid: Dim3;
  block: Dim3;
  dynamicSharedBytes: number;
}

/** By kernel of a call: launches that are alike have the same object, which is stored once. */
const before = new WeakMap<LibraryKernel, LibraryWork>();

/** Work of the library's kernel, on this GPU; one without a name has that of ours. */
export function libraryWork({ kernel }: { kernel: string }, library: LibraryKernel, gpu: GpuDescription): LibraryWork {
  const same = before.get(library);
  if (same !== undefined) return same;
  const work = workOf(kernel, library, gpu);
  before.set(library, work);
  return work;
}

function workOf(kernel: string, library: LibraryKernel, { limits }: GpuDescription): LibraryWork {
  const { name, grid, threads, registers, shared, resident, duration, load } = library;
  const count = grid.x * grid.y * grid.z;
  const share = (part: number): number => Math.min(1 / resident, part);
  const blocks: KernelBlocks = {
    ...{ count, perSm: resident, load },
    share: {
      warps: share(threads / limits.threadsPerSm),
      registers: share((registers * threads) / limits.registersPerSm),
      shared: share(shared / limits.sharedBytesPerSm),
      slots: share(1 / limits.blocksPerSm),
    },
  };
  const metrics = {
    'gpu__time_duration.sum': duration,
    [libraryMetric]: 1,
    launch__grid_size: count,
    launch__block_size: threads,
    launch__thread_count: count * threads,
    launch__registers_per_thread: registers,
  };
  const details = {
    ...{ registersPerThread: registers, staticSharedBytes: 0, localBytesPerThread: 0, sharedConfigBytes: 0, metrics },
  };
  return {
    ...{ kernel: name ?? kernel, grid, block: { x: threads, y: 1, z: 1 }, dynamicSharedBytes: shared },
    ...{ duration: ns(duration), blocks, details },
  };
}
