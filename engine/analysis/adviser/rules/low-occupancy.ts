/** Too few warps on an SM to hide what each of them waits for, because of what a block takes. */
import type { KernelOccupancy } from '../../../model/kernel-view.ts';
import { latencyStates } from '../kernel-facts.ts';
import { counters, inPercent, kernelRule, timeOfWarps } from '../kernel-rule.ts';
import { issueActiveForStalls, lowOccupancy as threshold } from '../thresholds.ts';

export const lowOccupancy = kernelRule({
  id: 'low-occupancy',
  stage: 'latency',
  title: 'Low occupancy, and what limits it',
  lab: 'occupancy',
  find(kernel) {
    const { occupancy, resources, blocks } = kernel.view;
    const issueActive = kernel.metric('smsp__issue_active.avg.pct_of_peak_sustained_active');
    const waiting = kernel.inStates(...latencyStates);
    const { gpu } = kernel;
    if (!occupancy || !gpu || waiting === null || issueActive === null) return null;
    if (kernel.bound !== 'latency' || issueActive / 100 >= issueActiveForStalls) return null;
    if (occupancy.percent / 100 >= threshold || occupancy.blocksPerSm === 0) return null;
    // With more room on an SM, there have to be blocks for it.
    const warpsThere = (blocks / gpu.core.smCount) * occupancy.warpsPerBlock;
    const possible = Math.min(occupancy.mostWarpsPerSm, warpsThere);
    if (possible <= occupancy.warpsPerSm) return null;
    return {
      says: `runs ${occupancy.warpsPerSm} of ${occupancy.mostWarpsPerSm} warps on an SM, limited by ${limiters[occupancy.limiter]}`,
      evidence: [
        ...counters(
          kernel,
          'sm__maximum_warps_per_active_cycle_pct',
          'sm__warps_active.avg.pct_of_peak_sustained_active',
          'launch__occupancy_limit_registers',
          'launch__occupancy_limit_shared_mem',
          'launch__occupancy_limit_warps',
          'launch__occupancy_limit_blocks',
          'smsp__issue_active.avg.pct_of_peak_sustained_active',
        ),
        timeOfWarps('waiting for results', waiting),
      ],
      places: kernel.places((line) =>
        line.states.reduce((sum, [state, cycles]) => sum + (latencyStates.includes(state) ? cycles : 0), 0),
      ),
      why:
        'While a warp waits for memory or for a result, others of its SM have to go on. Here the schedulers had none to issue from in ' +
        `${inPercent(1 - issueActive / 100)} of the cycles.`,
      todo: advice[occupancy.limiter](resources.threadsPerBlock),
      saves: {
        share: Math.min(1 - occupancy.warpsPerSm / possible, waiting, kernel.leftBeside('memory', 'compute')),
        basis: `At most: ${Math.floor(possible)} warps instead of ${occupancy.warpsPerSm} would share what they wait for, ${inPercent(
          waiting,
        )} of their time.`,
      },
    };
  },
});

const limiters: Readonly<Record<KernelOccupancy['limiter'], string>> = {
  warps: 'the size of its blocks',
  blocks: 'the number of blocks that an SM takes',
  registers: 'registers',
  shared: 'shared memory',
};
const advice: Readonly<Record<KernelOccupancy['limiter'], (threads: number) => string>> = {
  warps: (threads) =>
    `Smaller blocks: of ${threads} threads each, too few fit the SM's warp slots; 256 or 128 divide them without a rest.`,
  blocks: (threads) =>
    `Larger blocks: an SM takes only so many, and of ${threads} threads each they do not fill it; 128 or more do.`,
  registers: () =>
    'Fewer registers for each thread: __launch_bounds__(threads, blocks) asks the compiler for it (watch for spills); less unrolling, ' +
    'smaller tiles per thread. Or, instead of more warps, more independent work in each.',
  shared: () =>
    'Less shared memory for each block: smaller tiles, fewer stages, smaller types, or larger blocks that share one tile.',
};
