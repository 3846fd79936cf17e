/** Warps that wait for the others of their block. */
import { counters, inPercent, kernelRule, timeOfWarps } from '../kernel-rule.ts';
import { cyclesIn } from '../kernel-facts.ts';
import { issueActiveForStalls, stallShare } from '../thresholds.ts';

export const barrierStalls = kernelRule({
  id: 'barrier-stalls',
  stage: 'latency',
  title: 'Waiting at barriers',
  lab: 'reduction',
  find(kernel) {
    const share = kernel.inStates('Barrier');
    const issueActive = kernel.metric('smsp__issue_active.avg.pct_of_peak_sustained_active');
    if (share === null || issueActive === null) return null;
    if (share < stallShare || issueActive / 100 >= issueActiveForStalls) return null;
    const { occupancy, resources } = kernel.view;
    return {
      says: `waits at barriers for ${inPercent(share)} of the time of its warps`,
      evidence: [
        ...counters(
          kernel,
          'smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio',
          'smsp__issue_active.avg.pct_of_peak_sustained_active',
        ),
        timeOfWarps('Barrier', share),
      ],
      places: kernel.places((line) => cyclesIn(line, ['Barrier'])),
      why:
        'At __syncthreads() all warps of a block wait for the last one. The longer their ways to it differ (some load, some compute, one does ' +
        'the rest of a reduction alone), and the fewer other blocks the SM has, the more time passes with nobody to go on.',
      todo:
        'Let all warps do as much before each barrier; put fewer barriers, where __syncwarp() or shuffles within a warp are enough ' +
        '(the last 32 threads of a reduction), or several steps between two of them' +
        (resources.threadsPerBlock > 256 || (occupancy?.blocksPerSm ?? 2) < 2
          ? `; or use smaller blocks than of ${resources.threadsPerBlock} threads, so that others go on while one waits.`
          : '.'),
      saves: {
        share: Math.min(share, kernel.leftBeside('memory', 'compute')),
        basis: `At most: the ${inPercent(share)} of the time of warps that is waiting at barriers.`,
      },
    };
  },
});
