/** Threads of a block that load the same data from global memory again and again, with no shared memory to keep it. */
import { sectorBytes } from '../../../model/geometry.ts';
import { savedButNeeded } from '../access-patterns.ts';
import { formatBytes, formatNumber } from '../../../model/format.ts';
import { isGlobalLoad } from '../kernel-facts.ts';
import { counters, kernelRule, measured, timeOfWarps } from '../kernel-rule.ts';
import { stallShare } from '../thresholds.ts';

/** Fewer repetitions, such as the neighbours that stencils share, are what L1 is for. */
const leastRepetition = 8;

export const repeatedGlobalLoads = kernelRule({
  id: 'repeated-global-loads',
  stage: 'memory',
  title: 'The same data loaded again by other threads',
  lab: 'matmul',
  find(kernel) {
    const { instructions } = kernel.view;
    const loads = kernel.global.filter(({ opcode }) => isGlobalLoad(opcode));
    const sectors = loads.reduce((sum, one) => sum + one.sectors, 0);
    const ideal = loads.reduce((sum, one) => sum + one.ideal, 0);
    const wait = kernel.waitForGlobal;
    const { footprint } = kernel;
    if (wait === null || wait < stallShare || footprint === null || footprint === 0) return null;
    // Sectors in vain are the matter of other rules.
    const times = (Math.min(sectors, ideal) * sectorBytes) / footprint;
    if (times < leastRepetition || instructions.some(({ wavefronts }) => wavefronts > 0)) return null;
    const needed = footprint / sectorBytes;
    return {
      says: `loads each byte of its data ${formatNumber(Math.round(times))} times from global memory, and uses no shared memory`,
      evidence: [
        ...counters(
          kernel,
          'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum',
          'l1tex__t_sector_hit_rate.pct',
          'lts__t_sectors.sum',
        ),
        measured('memory of the GPU in use', footprint, 'bytes'),
        timeOfWarps('waiting for global memory', wait),
      ],
      places: kernel.placesOf(loads, (access) => access.sectors),
      why:
        `Only ${formatBytes(footprint)} are allocated, but warps ask L1 for ${formatBytes(sectors * sectorBytes)}. Even where L1 and L2 have ` +
        'them, each load waits its turn in the memory pipe and the latency of the cache.',
      todo:
        'Load what the threads of a block share into shared memory once, tile by tile, with __syncthreads() in between, and take it from ' +
        'there; let each thread compute several results from what it holds in registers.',
      saves: savedButNeeded(kernel, Math.max(0, sectors - needed)),
    };
  },
});
