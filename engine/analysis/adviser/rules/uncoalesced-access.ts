/** Lanes of a warp that are regularly apart: each takes a sector of its own. */
import { savedWithout, wastefulAccesses } from '../access-patterns.ts';
import { sectorEvidence, sectorsPerRequest, sumOf } from '../access-words.ts';
import { kernelRule } from '../kernel-rule.ts';

export const uncoalescedAccess = kernelRule({
  id: 'uncoalesced-access',
  stage: 'memory',
  title: 'Uncoalesced access to global memory',
  lab: 'transpose',
  find(kernel) {
    const found = wastefulAccesses(kernel).filter(({ waste }) => waste === 'strided' || waste === 'unknown');
    const excess = sumOf(found, 'excess');
    if (excess === 0) return null;
    const stride = found.find(({ strideBytes }) => strideBytes !== null)?.strideBytes;
    const [actual, ideal] = sectorsPerRequest(found);
    return {
      says: `takes ${actual} sectors per request of global memory where ${ideal} would do`,
      evidence: sectorEvidence(kernel, found),
      places: kernel.placesOf(found, (access) => access.excess),
      why:
        `Memory moves in sectors of 32 bytes. ` +
        (stride === undefined
          ? 'The lanes of a warp do not lie one behind the other, so that most of each sector is moved for nothing.'
          : `Neighbouring lanes are ${Math.abs(stride!)} bytes apart, so that most of each sector is moved for nothing.`),
      todo:
        'Let neighbouring threads (threadIdx.x) access neighbouring elements: swap the indices or the loops, or exchange the roles of x ' +
        'and y. Where both directions are needed, as in a transpose, read and write whole rows and turn the tile in shared memory.',
      saves: savedWithout(kernel, found),
    };
  },
});
