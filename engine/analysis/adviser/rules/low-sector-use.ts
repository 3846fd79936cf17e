/** Lanes that access memory anywhere: of each sector that is moved, little is used. */
import { sectorBytes } from '../../../model/geometry.ts';
import { savedButNeeded, wastefulAccesses } from '../access-patterns.ts';
import { sectorEvidence, sumOf } from '../access-words.ts';
import { inPercent, kernelRule, measured } from '../kernel-rule.ts';

export const lowSectorUse = kernelRule({
  id: 'low-sector-use',
  stage: 'memory',
  title: 'Little of each sector is used',
  lab: 'coalescing',
  find(kernel) {
    const found = wastefulAccesses(kernel).filter(({ waste }) => waste === 'scattered');
    const excess = sumOf(found, 'excess');
    if (excess === 0) return null;
    const moved = sumOf(found, 'sectors') * sectorBytes;
    const used = Math.min(
      moved,
      found.reduce((sum, { threadsOn, size }) => sum + threadsOn * size, 0),
    );
    return {
      says: `uses ${inPercent(used / moved)} of the bytes of the sectors that it gathers`,
      evidence: [
        ...sectorEvidence(kernel, found),
        measured('bytes that threads ask for, of those sectors', (100 * used) / moved, 'percent'),
      ],
      places: kernel.placesOf(found, (access) => access.excess),
      why:
        'The lanes of a warp access memory far apart and without a pattern, so that each moves a sector of 32 bytes for the few that it ' +
        'uses, at the cost of L1, L2 and DRAM alike.',
      todo:
        'Bring together what is used together: sort or bin the indices so that neighbouring threads gather from the same lines, put all ' +
        'that is needed of one element into one structure of 32 bytes, use a smaller type, or gather from a part that fits shared memory.',
      saves: savedButNeeded(kernel, excess),
    };
  },
});
