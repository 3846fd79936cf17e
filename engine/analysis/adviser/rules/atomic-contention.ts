/** Atomics that meet at one place: L2 does those of one slice one after the other, shared memory those of one word. */
import type { SampledAccess } from '../../../model/kernel-accesses.ts';
import { timeMetrics } from '../../../sm/counters.ts';
import { atomicPassCycles, sliceLineBytes } from '../../../sm/estimate.ts';
import { cyclesIn, isAtomic, isGlobal, type KernelFacts } from '../kernel-facts.ts';
import { counters, inPercent, kernelRule, measured, timeOfWarps, type KernelFinding } from '../kernel-rule.ts';
import { conflictShare, latencyBound, stallShare } from '../thresholds.ts';

export const atomicContention = kernelRule({
  id: 'atomic-contention',
  stage: 'memory',
  title: 'Contention of atomics',
  lab: 'atomics',
  find: (kernel) => ofGlobal(kernel) ?? ofShared(kernel),
});

const todo =
  'Add up before: within a warp (__reduce_add_sync, __shfl_down_sync, or __match_any_sync for several addresses), then in shared memory, ' +
  'one copy for each block or warp, and let each block do one atomic for each result at its end.';

function ofGlobal(kernel: KernelFacts): KernelFinding | null {
  const { gpu } = kernel;
  const atomics = kernel.global.filter(({ opcode }) => isAtomic(opcode));
  const passes = atomics.reduce((sum, { sectors }) => sum + sectors, 0);
  if (!gpu || passes === 0) return null;
  const hottest = atomics.reduce((sum, { sectors, samples }) => sum + sectors * hottestShare(samples), 0);
  // Sums of floats and doubles take longer than integers, and opcodes do not tell them apart. What the recording says of those that meet in
  // one place counts from the start of the kernel: what it is beyond the time of an SM is theirs.
  const recorded = (kernel.metric(timeMetrics.atomicsOnOnePlace) ?? 0) - (kernel.metric(timeMetrics.sm) ?? Infinity);
  const serialNs = Math.max(recorded, (hottest * atomicPassCycles * 1e3) / gpu.core.smClockMhz);
  const use = Math.min(1, serialNs / kernel.ownNs);
  // As for any unit: what is less busy is not what the kernel is bound by.
  if (use < latencyBound) return null;
  return {
    says: `sends ${inPercent(hottest / passes)} of its atomics to one stretch of ${sliceLineBytes} bytes`,
    evidence: [
      ...counters(
        kernel,
        'l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum',
        'l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum',
      ),
      measured('of recorded atomics, those to the busiest stretch', (100 * hottest) / passes, 'percent'),
      measured('time of these, one after the other', Math.round(serialNs), 'ns'),
    ],
    places: kernel.placesOf(atomics, ({ sectors }) => sectors),
    why:
      `${sliceLineBytes} bytes of memory belong to one slice of L2, which does atomics to them one after the other, however many SMs wait: ` +
      `${atomicPassCycles} cycles for each of integers, and more than twice as many for sums of floats and doubles.`,
    todo,
    saves: {
      share: Math.min(use, kernel.leftBeside('compute')),
      basis: `At most: the ${inPercent(use)} of the time for which that slice is busy with them.`,
    },
  };
}

/** The share of the lanes of recorded accesses that go to the stretch with most of them. */
function hottestShare(samples: readonly SampledAccess[]): number {
  const counts = new Map<number, number>();
  let all = 0;
  for (const { lanes, addresses } of samples) {
    for (let lane = 0; lane < 32; lane++) {
      if (((lanes >>> lane) & 1) === 0) continue;
      const stretch = Math.floor(addresses[lane]! / sliceLineBytes);
      counts.set(stretch, (counts.get(stretch) ?? 0) + 1);
      all++;
    }
  }
  return all === 0 ? 0 : Math.max(...counts.values()) / all;
}

function ofShared(kernel: KernelFacts): KernelFinding | null {
  const atomics = kernel.view.instructions.filter(
    ({ opcode, wavefronts }) => isAtomic(opcode) && !isGlobal(opcode) && wavefronts > 0,
  );
  const wavefronts = atomics.reduce((sum, one) => sum + one.wavefronts, 0);
  const requests = atomics.reduce((sum, one) => sum + one.executed, 0);
  const wait = kernel.waitForShared;
  if (wait === null || wavefronts - requests < conflictShare * wavefronts || wavefronts === 0) return null;
  const allShared = kernel.view.instructions.reduce((sum, one) => sum + one.wavefronts, 0);
  // As for any reason to wait: what takes less of the time of warps is not named.
  const at = kernel.inStatesAt(atomics, ['MIO Throttle', 'Short Scoreboard']);
  const affected = Math.max(at, wait * (wavefronts / allShared));
  const inVain = (wavefronts - requests) / wavefronts;
  if (affected < stallShare) return null;
  return {
    says: `takes ${Math.round((10 * wavefronts) / requests) / 10} wavefronts for each atomic on shared memory`,
    evidence: [
      ...counters(kernel, 'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum'),
      measured('wavefronts of atomics on shared memory', wavefronts, 'count'),
      measured('atomics on shared memory executed by warps', requests, 'count'),
      timeOfWarps('waiting for shared memory', wait),
    ],
    places: kernel.placesOf(atomics, (one) => one.wavefronts + cyclesIn(one)),
    why:
      'Lanes of a warp that update the same word, or words of the same bank, of shared memory are served one after the other, and other ' +
      'accesses of the SM wait behind them.',
    todo:
      'Let fewer lanes meet: several copies in shared memory, one for each warp or for each few lanes, in different banks; lanes with the ' +
      'same word add up first (__match_any_sync, __reduce_add_sync).',
    saves: {
      share: Math.min(affected * inVain, kernel.leftBeside('compute')),
      basis: `At most: ${inPercent(inVain)} of the wavefronts of these atomics are conflicts, and ${inPercent(
        affected,
      )} of the time of warps is waiting for them.`,
    },
  };
}
