/** Warps whose bytes lie one behind the other, but do not begin at a sector: one sector more for each request. */
import { savedBesideL1, wastefulAccesses, type WastefulAccess } from '../access-patterns.ts';
import { sectorEvidence, sectorsPerRequest, sumOf } from '../access-words.ts';
import { firstLane, type GlobalAccess, type KernelFacts } from '../kernel-facts.ts';
import { kernelRule } from '../kernel-rule.ts';

export const misalignedAccess = kernelRule({
  id: 'misaligned-access',
  stage: 'memory',
  title: 'Accesses that do not begin at a sector',
  lab: 'coalescing',
  find(kernel) {
    const found = wastefulAccesses(kernel).filter(
      (access) => access.waste === 'misaligned' && !isNeighbour(kernel, access),
    );
    const excess = sumOf(found, 'excess');
    if (excess === 0) return null;
    const [actual, ideal] = sectorsPerRequest(found);
    return {
      says: `takes ${actual} sectors per request where ${ideal} would do: its rows do not begin at a sector`,
      evidence: sectorEvidence(kernel, found),
      places: kernel.placesOf(found, (access) => access.excess),
      why:
        'A warp accesses one piece of memory that begins in the middle of a sector, so that it touches one sector more than it needs, and ' +
        'often one line more, which costs the memory pipe a second turn.',
      todo:
        'Let each row begin at a multiple of 128 bytes: cudaMallocPitch for two dimensions, padding of row lengths, no offset into an ' +
        'allocation; or let a first short step handle what is before the boundary.',
      saves: savedBesideL1(kernel, found),
    };
  },
});

/** A stencil reads what lies beside what it reads as well: one of them has to be in the middle of a sector. */
function isNeighbour(kernel: KernelFacts, access: WastefulAccess): boolean {
  const starts = (one: GlobalAccess): Map<string, number> =>
    new Map(one.samples.map(({ block, warp, lanes, addresses }) => [`${block} ${warp}`, addresses[firstLane(lanes)]!]));
  const own = starts(access);
  return kernel.global.some(
    (other) =>
      other.instruction !== access.instruction &&
      [...starts(other)].some(([warp, address]) => {
        const apart = Math.abs((own.get(warp) ?? Infinity) - address);
        return apart > 0 && apart <= nearbyBytes;
      }),
  );
}
const nearbyBytes = 128;
