/** Fields of structures that lie one behind the other: lanes are as far apart as the structure is long. */
import { savedBesideL1, wastefulAccesses } from '../access-patterns.ts';
import { sectorEvidence, sectorsPerRequest, sumOf } from '../access-words.ts';
import { kernelRule, measured } from '../kernel-rule.ts';

export const aosLayout = kernelRule({
  id: 'aos-layout',
  stage: 'memory',
  title: 'Arrays of structures',
  lab: 'aos',
  find(kernel) {
    const found = wastefulAccesses(kernel).filter(({ waste }) => waste === 'fields');
    const excess = sumOf(found, 'excess');
    if (excess === 0) return null;
    const stride = Math.abs(found[0]!.strideBytes!);
    const [actual, ideal] = sectorsPerRequest(found);
    const isVector = stride === 8 || stride === 16;
    return {
      says: `accesses ${isVector ? `the ${stride} bytes of each thread one word` : `the fields of structures of ${stride} bytes one`} at a time: ${actual} sectors per request where ${ideal} would do`,
      evidence: [...sectorEvidence(kernel, found), measured('bytes from lane to lane', stride, 'bytes')],
      places: kernel.placesOf(found, (access) => access.excess),
      why:
        `Neighbouring lanes access the same field of neighbouring structures, ${stride} bytes apart: each request takes the sectors of all ` +
        'fields for one of them. The others come from L1 if it still has them, but every request takes its turns in the memory pipe.',
      todo: isVector
        ? `Load and store the whole structure at once, as float${stride / 4} or with __align__(${stride}), or keep one array for each field.`
        : 'Keep one array for each field (structure of arrays), or copy the structures of a block to shared memory as they lie, row by row, ' +
          'and take the fields from there.',
      saves: savedBesideL1(kernel, found),
    };
  },
});
