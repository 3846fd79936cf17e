/** Shared memory and L1 share one memory: where the preference of a kernel gives one of them less than it could have. */
import { formatBytes } from '../../../model/format.ts';
import { occupancyOfLaunch } from '../../../sm/occupancy.ts';
import { latencyStates, type KernelFacts } from '../kernel-facts.ts';
import { counters, inPercent, kernelRule, measured, type KernelFinding } from '../kernel-rule.ts';

export const cacheCarveOut = kernelRule({
  id: 'cache-carve-out',
  stage: 'memory',
  title: 'Carve-out of shared memory and L1',
  lab: null,
  find: (kernel) => tooLittleShared(kernel) ?? tooLittleCache(kernel),
});

const ownSize = (kernel: KernelFacts): number | null => {
  const { gpu, view } = kernel;
  if (gpu?.limits.unifiedL1SharedBytes === null || gpu === null || view.resources.threadsPerBlock === 0) return null;
  const { threadsPerBlock, registersPerThread, staticSharedBytes, dynamicSharedBytes } = view.resources;
  return occupancyOfLaunch(gpu, { threadsPerBlock, registersPerThread, staticSharedBytes, dynamicSharedBytes })
    .sharedConfigBytes;
};
const todo =
  'Leave it to the driver, or ask for what the blocks that are to run together need: cudaFuncSetAttribute(kernel, ' +
  'cudaFuncAttributePreferredSharedMemoryCarveout, percent); cudaFuncSetCacheConfig and cudaDeviceSetCacheConfig are preferences as well.';

function tooLittleShared(kernel: KernelFacts): KernelFinding | null {
  const recorded = kernel.metric('sm__maximum_warps_per_active_cycle_pct');
  const possible = kernel.view.occupancy?.percent ?? null;
  const own = ownSize(kernel);
  if (
    recorded === null ||
    possible === null ||
    own === null ||
    recorded >= possible ||
    own <= kernel.sharedConfigBytes
  ) {
    return null;
  }
  const waiting = kernel.inStates(...latencyStates);
  return {
    says: `runs ${inPercent(recorded / 100)} of an SM's warps where ${inPercent(possible / 100)} would fit: its carve-out is too small`,
    evidence: [
      ...counters(
        kernel,
        'launch__shared_mem_config_size',
        'launch__occupancy_limit_shared_mem',
        'sm__maximum_warps_per_active_cycle_pct',
      ),
      measured('shared memory per SM without a preference', own, 'bytes'),
    ],
    places: kernel.places(() => 0),
    why: `${formatBytes(kernel.sharedConfigBytes)} of each SM are shared memory because the program prefers L1; more blocks would fit with ${formatBytes(own)}.`,
    todo,
    saves:
      waiting === null
        ? null
        : {
            share: Math.min(1 - recorded / possible, waiting, kernel.leftBeside('memory', 'compute')),
            basis: `At most: ${inPercent(possible / recorded - 1)} more warps to hide the ${inPercent(waiting)} of their time that warps wait.`,
          },
  };
}

function tooLittleCache(kernel: KernelFacts): KernelFinding | null {
  const own = ownSize(kernel);
  const unified = kernel.gpu?.limits.unifiedL1SharedBytes ?? null;
  const [l2, hitRate] = [kernel.metric('lts__t_sectors.sum'), kernel.metric('lts__t_sector_hit_rate.pct')];
  if (own === null || unified === null || l2 === null || hitRate === null || own >= kernel.sharedConfigBytes)
    return null;
  const wait = kernel.waitForGlobal;
  // Warps whose lines come together stand in line to issue then.
  const inLine = (wait ?? 0) * (kernel.inStates('Not Selected') ?? 0);
  return {
    says: `leaves L1 ${formatBytes(unified - kernel.sharedConfigBytes)} where it could have ${formatBytes(unified - own)}`,
    evidence: counters(
      kernel,
      'launch__shared_mem_config_size',
      'l1tex__t_sector_hit_rate.pct',
      'lts__t_sectors.sum',
      'lts__t_sector_hit_rate.pct',
    ).concat(measured('shared memory per SM that its blocks need', own, 'bytes')),
    places: kernel.placesOf(kernel.global, ({ sectors }) => sectors),
    why:
      `The program prefers ${formatBytes(kernel.sharedConfigBytes)} of shared memory per SM, of which its blocks use ${formatBytes(own)}; ` +
      'what L1 has less is fetched from L2.',
    todo,
    // The most that L1 could have kept is what L2 had; hits in L1 are hardly waited for.
    saves:
      wait === null
        ? null
        : {
            share: Math.min(((wait + inLine) * hitRate) / 100, kernel.leftBeside('compute')),
            basis:
              `At most: of the ${inPercent(wait)} of the time of warps that is waiting for global memory, and the ${inPercent(inLine)} in ` +
              `which they then stand in line to issue, the ${inPercent(hitRate / 100)} of what L1 misses that L2 has.`,
          },
  };
}
