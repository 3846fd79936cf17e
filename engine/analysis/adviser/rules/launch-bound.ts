/** Kernels that are over before the host has launched the next one. */
import { formatNumber, formatTime } from '../../../model/format.ts';
import { hostGaps } from '../host-gaps.ts';
import { needlessWaits } from '../needless-waits.ts';
import type { Rule, RuleFinding } from '../rule.ts';
import { lengthOf } from '../../../trace/spans.ts';
import { launchNs } from '../thresholds.ts';
import { callKinds, workKinds } from '../timeline-facts.ts';
import { isWorthSaying, longestGaps, measured, ofSpan, spanEvidence, sumOf } from '../timeline-words.ts';

/** A graph costs some microseconds to launch and some for each node to make: of fewer launches there is nothing to win back. */
const leastLaunches = 20;

export const launchBound: Rule = {
  id: 'launch-bound',
  stage: 'timeline',
  title: 'Kernels shorter than their launches',
  lab: 'launches',
  find(facts) {
    const { timeline } = facts;
    return timeline.devices.flatMap((device): RuleFinding[] => {
      const { gaps, work, kernels, calls, inCalls } = device;
      const { launching, waiting, beforeKernel } = hostGaps(device);
      let [launches, short] = [0, 0];
      for (let i = 0; i < work.count; i++) {
        if (work.kinds[i] !== workKinds.kernel) continue;
        launches++;
        if (work.ends[i]! - work.starts[i]! <= launchNs.most) short++;
      }
      const idle = launching.map((ns, gap) => (beforeKernel[gap] ? ns + waiting[gap]! : 0));
      const count = idle.reduce((sum, ns) => sum + (ns > 0 ? 1 : 0), 0);
      const ns = Math.round(sumOf(idle));
      // Most of them, and most gaps: a few long kernels with a pause between them are another matter.
      if (launches < leastLaunches || short < launches / 2 || count < leastLaunches) return [];
      if (!isWorthSaying(ns, timeline)) return [];
      const { gaps: behindWaits } = needlessWaits(facts, device) ?? {};
      const shared = behindWaits ? Math.round(sumOf(idle.map((each, gap) => (behindWaits[gap] ? each : 0)))) : 0;
      const launch = callKinds.indexOf('launch');
      const calling = calls.kinds.reduce((sum, kind) => sum + (kind === launch ? 1 : 0), 0);
      const mean = lengthOf(kernels) / launches;
      return [
        {
          title: `${device.title} waits ${ofSpan(ns, timeline)} for launches: ${formatNumber(launches)} kernels of ${formatTime(Math.round(mean))}`,
          evidence: [
            measured('idle before kernels, for launches and waits', ns, 'ns'),
            measured('gaps', count, 'count'),
            ...(shared > 0 ? [measured('of that, behind waits whose result nobody reads', shared, 'ns')] : []),
            measured('kernels', launches, 'count'),
            measured(`kernels of at most ${formatTime(launchNs.most)}`, short, 'count'),
            measured('time with a kernel running', lengthOf(kernels), 'ns'),
            measured('calls that launch', calling, 'count'),
            measured('time of the host in them', lengthOf(inCalls.launch), 'ns'),
            spanEvidence(timeline),
          ],
          places: longestGaps(gaps, idle, 'GPU idle until the next launch'),
          why:
            `A launch takes the host and the driver some microseconds (${launchNs.least / 1e3} to ${launchNs.most / 1e3}, with waits more), ` +
            'and these kernels are over before the next one comes.',
          todo:
            'Launch less often: several steps in one kernel (fusion), one kernel that stays and takes step after step (persistent, with ' +
            'cooperative groups between them), or the whole sequence as a CUDA graph, which is launched with one call. And no wait between ' +
            'launches that only need each other in order: a stream keeps it.',
          gain: {
            ns,
            basis:
              'At most: all gaps before kernels, but for the program’s own work.' +
              (shared > 0
                ? ` Without the needless waits in them, ${formatTime(Math.max(0, ns - shared))} are left.`
                : ''),
          },
        },
      ];
    });
  },
};
