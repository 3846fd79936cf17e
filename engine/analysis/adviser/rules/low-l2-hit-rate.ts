/** DRAM is asked for the same bytes again: more is read from it than there is. */
import { formatBytes } from '../../../model/format.ts';
import { counters, inPercent, kernelRule, measured } from '../kernel-rule.ts';
import { latencyBound } from '../thresholds.ts';

export const lowL2HitRate = kernelRule({
  id: 'low-l2-hit-rate',
  stage: 'memory',
  title: 'Data that L2 does not keep until it is needed again',
  lab: null,
  find(kernel) {
    const read = kernel.metric('dram__bytes_read.sum');
    const { footprint, gpu } = kernel;
    const use = kernel.useOf('DRAM');
    if (read === null || footprint === null || footprint === 0 || gpu === null || use < latencyBound) return null;
    const all = read + (kernel.metric('dram__bytes_write.sum') ?? 0);
    const again = read - footprint;
    if (again <= 0) return null;
    const times = Math.round((10 * read) / footprint) / 10;
    return {
      says: `reads ${formatBytes(read)} from DRAM, ${times} times what is allocated at all`,
      evidence: [
        ...counters(kernel, 'lts__t_sector_hit_rate.pct', 'dram__bytes_read.sum', 'dram__bytes_write.sum'),
        measured('memory of the GPU in use', footprint, 'bytes'),
        measured('L2 of the GPU', gpu.memory.l2Bytes, 'bytes'),
      ],
      places: kernel.placesOf(kernel.global, ({ sectors }) => sectors),
      why:
        'What is used again is used so much later that L2 has given it up: between two uses of a byte more passes than the ' +
        `${formatBytes(gpu.memory.l2Bytes)} that L2 holds.`,
      todo:
        'Use data again while it is near: go through it in parts that fit L2, or shared memory, and do all that is to be done with one ' +
        'before the next; order the blocks so that those that run together share their inputs (tiles of blocks instead of rows).',
      saves: {
        share: use * (again / all),
        basis: `At most: DRAM is busy for ${inPercent(use)} of the time, and ${inPercent(again / all)} of its bytes were there before.`,
      },
    };
  },
});
