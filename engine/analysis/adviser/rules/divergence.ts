/** Lanes of warps that are at different places: both sides are executed, each with some of the lanes. */
import { warpSize } from '../../../model/geometry.ts';
import { cyclesIn } from '../kernel-facts.ts';
import { counters, inPercent, kernelRule, measured } from '../kernel-rule.ts';
import { fewThreads } from '../thresholds.ts';

export const divergence = kernelRule({
  id: 'divergence',
  stage: 'compute',
  title: 'Divergent warps',
  lab: 'divergence',
  find(kernel) {
    const { branches, instructions } = kernel.view;
    const perInstruction = kernel.metric('smsp__thread_inst_executed_per_inst_executed.ratio');
    const diverged = branches.reduce((sum, branch) => sum + branch.diverged, 0);
    const executed = branches.reduce((sum, branch) => sum + branch.executed, 0);
    if (perInstruction === null || perInstruction >= fewThreads || diverged === 0) return null;
    // Warps that were never full are no matter of branches.
    const { threadsPerBlock } = kernel.view.resources;
    const full = threadsPerBlock / (Math.ceil(threadsPerBlock / warpSize) * warpSize);
    // Where schedulers are the limit, lanes that an instruction does not have are lost; elsewhere, the time of warps in which they wait.
    const issue = kernel.useOf('Issue slots') * Math.max(0, 1 - perInstruction / (warpSize * full));
    const timeOf = (one: (typeof instructions)[number]): number => cyclesIn(one) - cyclesIn(one, ['Not Selected']);
    const all = instructions.reduce((sum, one) => sum + timeOf(one), 0);
    const idle = instructions.reduce((sum, one) => {
      const lanes = one.executed > 0 ? one.threads / (warpSize * one.executed) : full;
      return sum + timeOf(one) * Math.max(0, 1 - lanes / full);
    }, 0);
    const share = Math.max(issue, all > 0 ? idle / all : 0);
    return {
      says: `executes its instructions with ${Math.round(10 * perInstruction) / 10} of 32 threads of a warp`,
      evidence: [
        ...counters(kernel, 'smsp__thread_inst_executed_per_inst_executed.ratio', 'smsp__inst_executed.sum'),
        measured('branches executed by warps', executed, 'count'),
        measured('of these, with lanes at different places afterwards', diverged, 'count'),
      ],
      places: kernel.places((line) => line.divergedBranches),
      why:
        'The lanes of a warp take different ways at a branch, or leave a loop at different times: the warp goes each way with some of its ' +
        'lanes, while the others wait.',
      todo:
        'Let whole warps decide alike: branch on what is the same for 32 neighbouring threads, sort or bin the work by the way that it takes, ' +
        'let active threads be the first ones (tid < n instead of tid % 2 == 0), give loops of different lengths to warps rather than lanes.',
      saves:
        all === 0
          ? null
          : {
              share,
              basis: `At most: for ${inPercent(share)} of the time, lanes that wait for others keep warps and schedulers busy.`,
            },
    };
  },
});
