/** Narrow loads that keep too few bytes under way to fill DRAM (Little's law). */
import { sectorBytes, warpSize } from '../../../model/geometry.ts';
import { rowFor } from '../../../model/opcodes.ts';
import { formatBytes } from '../../../model/format.ts';
import { isGlobalLoad } from '../kernel-facts.ts';
import { counters, inPercent, kernelRule, measured, timeOfWarps } from '../kernel-rule.ts';
import { launchNs, saturated, stallShare } from '../thresholds.ts';

export const missedVectorLoads = kernelRule({
  id: 'missed-vector-loads',
  stage: 'latency',
  title: 'Narrow loads that keep too few bytes under way',
  lab: 'latency-hiding',
  find(kernel) {
    const { gpu } = kernel;
    const wait = kernel.waitForGlobal;
    const active = kernel.metric('sm__warps_active.avg.pct_of_peak_sustained_active');
    if (!gpu || gpu.latency.dram === null || wait === null || wait < stallShare || active === null) return null;
    const use = kernel.useOf('DRAM');
    if (use >= saturated * (gpu.memory.achievableFraction ?? 1) || kernel.ownNs < launchNs.least) return null;
    const loads = kernel.global.filter(({ opcode }) => isGlobalLoad(opcode) && rowFor(opcode)?.effect !== 'asyncCopy');
    const sectors = loads.reduce((sum, one) => sum + one.sectors, 0);
    const dramRead = kernel.metric('dram__bytes_read.sum') ?? 0;
    // Rows of words, which come from DRAM, and nothing else that they wait for.
    const isStream =
      loads.length > 0 &&
      loads.every(({ size, sectors: taken, ideal }) => size <= narrowBytes && taken <= ideal * mostWaste) &&
      dramRead >= (sectors * sectorBytes) / 2;
    if (!isStream) return null;
    // Loads of one line of the source that are executed together are under way together.
    const together = Math.max(
      ...[...Map.groupBy(loads, ({ executed }) => executed).values()].map((group) => group.length),
    );
    const warps = (active / 100) * gpu.limits.warpsPerSm * gpu.core.smCount;
    const bytes = loads.reduce((sum, { size }) => sum + size, 0) / loads.length;
    const underWay = warps * warpSize * bytes * together;
    const needed = gpu.memory.bandwidth * (gpu.latency.dram / (gpu.core.smClockMhz * 1e6));
    // With so many bytes under way DRAM would be as busy as that; where it is not by half, warps wait for something else (atomics).
    if (underWay >= needed || use < underWay / needed / 2) return null;
    return {
      says: `has ${formatBytes(Math.round(underWay))} of loads under way, where ${formatBytes(Math.round(needed))} would keep DRAM busy`,
      evidence: [
        ...counters(
          kernel,
          'sm__warps_active.avg.pct_of_peak_sustained_active',
          'dram__bytes_read.sum',
          'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum',
          'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum',
        ),
        measured('DRAM bandwidth reached', 100 * use, 'percent'),
        timeOfWarps('waiting for global memory', wait),
      ],
      places: kernel.placesOf(loads, ({ sectors: taken }) => taken),
      why:
        `DRAM answers after ${gpu.latency.dram} cycles; to be busy meanwhile it needs bandwidth times latency in requests. Each thread asks for ` +
        `${Math.round(bytes * together)} bytes and then waits.`,
      todo:
        'Let each thread load 16 bytes at once (float4, int4: the pointer has to be a multiple of 16), or several elements before it uses the ' +
        'first (unrolled, a stride of the grid apart).',
      saves: {
        share: Math.min(wait, 1 - underWay / needed, kernel.leftBeside('memory', 'compute')),
        basis: `At most: DRAM is busy for ${inPercent(use)} of the time, and ${inPercent(1 - underWay / needed)} of the requests that it needs are missing.`,
      },
    };
  },
});

const narrowBytes = 4;
/** Sectors beyond those needed are a matter of other rules; one more for each four is a row that does not begin at a sector. */
const mostWaste = 1.25;
