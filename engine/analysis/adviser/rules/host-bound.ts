/** A GPU with nothing to do while the program does something else. */
import { formatNumber } from '../../../model/format.ts';
import { hostGaps } from '../host-gaps.ts';
import type { Rule, RuleFinding } from '../rule.ts';
import { isWorthSaying, longestGaps, measured, ofSpan, spanEvidence, sumOf } from '../timeline-words.ts';

export const hostBound: Rule = {
  id: 'host-bound',
  stage: 'timeline',
  title: 'The GPU waits for the program',
  lab: null,
  find({ timeline }) {
    return timeline.devices.flatMap((device): RuleFinding[] => {
      const { own } = hostGaps(device);
      const ns = Math.round(sumOf(own));
      const count = own.reduce((sum, each) => sum + (each > 0 ? 1 : 0), 0);
      if (!isWorthSaying(ns, timeline)) return [];
      return [
        {
          title: `${device.title} has nothing to do for ${ofSpan(ns, timeline)} because of what the program does between its calls of CUDA`,
          evidence: [
            measured('idle that the program’s own work between calls explains', ns, 'ns'),
            measured('such gaps', count, 'count'),
            spanEvidence(timeline),
          ],
          places: longestGaps(device.gaps, own, 'GPU idle, host at its own work'),
          why:
            'All that was enqueued is done, and the host is at work of its own: reading input, preparing the next step, framework and ' +
            'interpreter. No change of a kernel makes this shorter.',
          todo:
            'Look at the CPU side first: prepare the next step in another thread or while the GPU is busy, enqueue ahead (streams, several ' +
            'batches under way), move the work to the GPU, capture what recurs as a graph so that less has to be called.',
          gain: { ns, basis: `At most: ${formatNumber(count)} gaps, if the GPU always had work.` },
        },
      ];
    });
  },
};
