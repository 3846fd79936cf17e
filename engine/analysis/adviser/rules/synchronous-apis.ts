/** Calls between kernels that hold up the host, or the whole GPU: blocking copies, allocations. */
import { formatNumber } from '../../../model/format.ts';
import type { FindingPlace } from '../../../model/findings.ts';
import { gapsOf, lengthOf, overlapOf, SpanCollector } from '../../../trace/spans.ts';
import type { Rule, RuleFinding } from '../rule.ts';
import { leastRounds } from '../thresholds.ts';
import { callKinds } from '../timeline-facts.ts';
import { isWorthSaying, measured, ofSpan, spanEvidence } from '../timeline-words.ts';

export const synchronousApis: Rule = {
  id: 'synchronous-apis',
  stage: 'timeline',
  title: 'Blocking calls between kernels',
  lab: 'overlap',
  find({ timeline }) {
    return timeline.devices.flatMap((device): RuleFinding[] => {
      const { calls, callNames, kernels } = device;
      const [from, to] = [kernels.starts[0] ?? 0, kernels.ends.at(-1) ?? 0];
      const [copies, memory] = [callKinds.indexOf('blocking copy'), callKinds.indexOf('memory')];
      const spans = new SpanCollector();
      const byName = new Map<string, { count: number; ns: number; longest: number; row: number }>();
      for (let i = 0; i < calls.count; i++) {
        const kind = calls.kinds[i];
        // Before the first kernel and after the last there is nothing to hold up.
        if ((kind !== copies && kind !== memory) || calls.starts[i]! < from || calls.ends[i]! > to) continue;
        const name = callNames[calls.names[i]!]!;
        const ns = calls.ends[i]! - calls.starts[i]!;
        spans.add(calls.starts[i]!, calls.ends[i]!);
        const known = byName.get(name);
        if (!known) byName.set(name, { count: 1, ns, longest: ns, row: calls.rows[i]! });
        else {
          known.count++;
          known.ns += ns;
          if (ns > known.longest) [known.longest, known.row] = [ns, calls.rows[i]!];
        }
      }
      const inCalls = spans.finish();
      const ns = lengthOf(inCalls) - overlapOf(inCalls, kernels);
      const names = [...byName].sort(([, a], [, b]) => b.ns - a.ns);
      const count = names.reduce((sum, [, each]) => sum + each.count, 0);
      if (count < leastRounds || !isWorthSaying(ns, timeline)) return [];
      const list = names.slice(0, 3).map(([name, each]) => `${formatNumber(each.count)} × ${name}`);
      return [
        {
          title: `No kernel runs on ${device.title} for ${ofSpan(ns, timeline)} during ${list.join(', ')}`,
          evidence: [
            measured('time in blocking calls with no kernel running', ns, 'ns'),
            ...names
              .slice(0, 3)
              .flatMap(([name, each]) => [
                measured(`calls of ${name} between kernels`, each.count, 'count'),
                measured(`time in ${name}`, each.ns, 'ns'),
              ]),
            measured('time without a kernel, from the first to the last', gapsOf(kernels, from, to).totalNs, 'ns'),
            spanEvidence(timeline),
          ],
          places: names
            .slice(0, 3)
            .map(([name, each]): FindingPlace => ({ kind: 'event', ref: { kind: 'api', row: each.row }, label: name })),
          why:
            'cudaMemcpy waits for all that was enqueued before and returns when the copy is done; cudaMalloc and cudaFree of device or ' +
            'page-locked memory wait for the GPU or hold up all streams. Until they return, the host launches nothing.',
          todo:
            'Copy with cudaMemcpyAsync from page-locked memory, in a stream of its own, and let events order it; allocate once and use again, ' +
            'or with cudaMallocAsync, which takes from a pool in the order of a stream.',
          gain: { ns, basis: 'At most: the time in these calls in which no kernel runs.' },
        },
      ];
    });
  },
};
