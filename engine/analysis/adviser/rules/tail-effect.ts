/** The last blocks of a grid have the GPU for themselves, and do not fill it. */
import { counters, kernelRule, measured } from '../kernel-rule.ts';
import { launchNs, tailShare } from '../thresholds.ts';

export const tailEffect = kernelRule({
  id: 'tail-effect',
  stage: 'latency',
  title: 'A last wave that does not fill the GPU',
  lab: null,
  find(kernel) {
    const { waves, tailBlocks, occupancy, gpu, blocks } = kernel.view;
    if (waves === null || tailBlocks === null || !occupancy || !gpu || waves <= 1 || tailBlocks === 0) return null;
    if (kernel.ownNs < launchNs.least) return null;
    const share = 1 - waves / Math.ceil(waves);
    const perWave = occupancy.blocksPerSm * gpu.smCount;
    if (share < tailShare) return null;
    return {
      says: `runs ${blocks} blocks in ${Math.floor(waves)} full waves and one of ${tailBlocks}, where ${perWave} fit`,
      evidence: [
        ...counters(kernel, 'launch__waves_per_multiprocessor', 'launch__grid_size'),
        measured('blocks of a full wave', perWave, 'count'),
        measured('blocks of the last one', tailBlocks, 'count'),
      ],
      places: kernel.places(() => 0),
      why:
        'If all blocks take as long, those of the last wave run alone when the others have ended: most of the GPU has nothing to do. The more ' +
        'waves there are, the less that matters.',
      todo:
        `Launch as many blocks as fit at once (${perWave}), or a multiple, and let each go through the data in a grid-stride loop; or make ` +
        'blocks smaller, so that there are many waves; or let another stream fill the gap.',
      saves: {
        share: Math.min(share, kernel.leftBeside('memory', 'compute')),
        basis: `At most: ${waves.toFixed(2)} waves take the time of ${Math.ceil(waves)}.`,
      },
    };
  },
});
