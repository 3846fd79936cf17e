/** Waits of the host for nothing that it then reads. */
import { formatNumber } from '../../../model/format.ts';
import { needlessWaits } from '../needless-waits.ts';
import type { Rule, RuleFinding } from '../rule.ts';
import { measured, ofSpan, spanEvidence } from '../timeline-words.ts';

export const needlessSync: Rule = {
  id: 'needless-sync',
  stage: 'timeline',
  title: 'Waits whose result nobody reads',
  lab: 'launches',
  find(facts) {
    const { timeline } = facts;
    return timeline.devices.flatMap((device): RuleFinding[] => {
      const needless = needlessWaits(facts, device);
      if (!needless) return [];
      const { waits, idleNs, waitedNs, places } = needless;
      return [
        {
          title: `The host waits ${formatNumber(waits)} times without reading anything, and ${device.title} then idles for ${ofSpan(idleNs, timeline)}`,
          evidence: [
            measured('waits after which nothing had been copied to the host', waits, 'count'),
            measured('idle of the GPU from the end of the work to the next', idleNs, 'ns'),
            measured('time of the host in these waits', waitedNs, 'ns'),
            spanEvidence(timeline),
          ],
          places,
          why:
            'The host waits until the GPU is done, hears of it some microseconds later, and only then launches what comes next: meanwhile the ' +
            'GPU has nothing to do. Since the wait before, nothing was copied to the host that it could have been for.',
          todo:
            'Leave these waits out: work in one stream keeps its order by itself, and cudaStreamWaitEvent orders streams without the host. ' +
            'Wait once, before results are read.',
          gain: { ns: idleNs, basis: 'At most: the gaps of the GPU behind these waits.' },
        },
      ];
    });
  },
};
