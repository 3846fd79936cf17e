/** Lanes of a warp that want different words of the same bank of shared memory: they are served one after the other. */
import type { LayoutGain } from '../../../model/kernel-accesses.ts';
import { formatBytes } from '../../../model/format.ts';
import { isAtomic, type KernelFacts } from '../kernel-facts.ts';
import { counters, inPercent, kernelRule, measured, timeOfWarps } from '../kernel-rule.ts';
import { conflictShare } from '../thresholds.ts';

export const bankConflicts = kernelRule({
  id: 'bank-conflicts',
  stage: 'memory',
  title: 'Bank conflicts in shared memory',
  lab: 'bank-conflicts',
  find(kernel) {
    const found = sharedAccesses(kernel);
    const [wavefronts, excess] = [sum(found, 'wavefronts'), sum(found, 'excess')];
    if (excess === 0 || excess < conflictShare * wavefronts) return null;
    const wait = kernel.waitForShared;
    const { gpu } = kernel;
    // A wavefront takes the SM's memory pipe for a cycle.
    const cycles = gpu ? (kernel.ownNs * gpu.core.smClockMhz * gpu.core.smCount) / 1e3 : 0;
    const pipe = cycles > 0 ? Math.min(1, wavefronts / cycles) : 0;
    const inVain = excess / wavefronts;
    // Accesses to global memory are in the same pipe, so loads, stores and whoever waits for their warps are behind conflicts as well.
    const behind = kernel.inStates('LG Throttle', 'Drain', 'Barrier') ?? 0;
    const loads = pipe * (kernel.inStates('Long Scoreboard') ?? 0);
    const affected = Math.min(1, Math.max((wait ?? 0) + behind + loads, pipe));
    const layouts = bestLayouts(kernel.accesses.gains);
    const requests = sum(found, 'executed');
    return {
      says: `takes ${Math.round((10 * wavefronts) / requests) / 10} wavefronts per access of shared memory where ${
        Math.round((10 * (wavefronts - excess)) / requests) / 10
      } would do`,
      evidence: [
        ...counters(
          kernel,
          'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum',
          'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum',
          'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum',
          'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum',
        ),
        measured('wavefronts that the same words need', Math.round(wavefronts - excess), 'count'),
        ...(wait === null ? [] : [timeOfWarps('waiting for shared memory', wait)]),
      ],
      places: kernel.placesOf(found, (access) => access.excess),
      why:
        'Shared memory has 32 banks of 4 bytes; words of one bank that lie in different rows of 128 bytes go one after the other. Columns ' +
        'of an array whose rows are a multiple of 128 bytes are the usual case.',
      todo:
        layouts.length > 0
          ? layouts.map(inWords).join(' Or: ')
          : 'Let the lanes of a warp access neighbouring words, or pad the rows of the array by one element.',
      saves:
        wait === null
          ? null
          : {
              share: Math.min(affected * inVain, kernel.leftBeside('compute')),
              basis:
                `At most: ${inPercent(inVain)} of the wavefronts are conflicts, and ` +
                (affected > pipe
                  ? `${inPercent(wait)} of the time of warps is waiting for shared memory, ${inPercent(affected - wait)} behind others that do.`
                  : `wavefronts keep the memory pipe busy for ${inPercent(pipe)} of the time.`),
            },
    };
  },
});

type SharedAccess = KernelFacts['view']['instructions'][number] & { excess: number };

/** Atomics are left to the rule on contention: there, lanes that want the same word wait for each other as well. */
function sharedAccesses(kernel: KernelFacts): SharedAccess[] {
  return kernel.view.instructions.flatMap((place): SharedAccess[] => {
    if (place.wavefronts === 0 || isAtomic(place.opcode)) return [];
    return [{ ...place, excess: Math.max(0, place.wavefronts - place.idealWavefronts) }];
  });
}

const sum = (found: readonly SharedAccess[], what: 'wavefronts' | 'excess' | 'executed'): number =>
  found.reduce((all, one) => all + one[what], 0);

/** The best padding and the best XOR of the array with most to gain. */
function bestLayouts(gains: readonly LayoutGain[]): LayoutGain[] {
  const [most] = [...gains].sort((a, b) => b.before - b.after - (a.before - a.after));
  const own = gains.filter(({ array }) => array === most?.array);
  return (['pad', 'xor'] as const).flatMap((kind) => own.find(({ layout }) => layout.kind === kind) ?? []);
}

function inWords({ layout, array, before, after, extraBytes }: LayoutGain): string {
  const effect = `takes ${inPercent(after / before)} of the wavefronts of ${array}`;
  return layout.kind === 'pad'
    ? `${layout.bytes} bytes more behind each row (${layout.rowBytes} bytes) of ${array} ${effect}${
        extraBytes === null ? '' : `, for ${formatBytes(extraBytes)} of shared memory`
      }.`
    : `Storing the ${layout.bytes}-byte parts of each row of ${array} at their number XOR the row's ${effect}, without more memory.`;
}
