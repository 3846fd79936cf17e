/** A GPU that mostly waits for data: copies from and to the host take longer than what is computed with them. */
import { lengthOf, overlapOf } from '../../../trace/spans.ts';
import { formatBytes, formatPercent, formatThroughput } from '../../../model/format.ts';
import { num } from '../../columns.ts';
import { largeCopies, spansOfCopies } from '../host-copies.ts';
import type { Rule, RuleFinding } from '../rule.ts';
import { latencyBound } from '../thresholds.ts';
import { isWorthSaying, measured, ofSpan, spanEvidence } from '../timeline-words.ts';

export const copyBound: Rule = {
  id: 'copy-bound',
  stage: 'timeline',
  title: 'Copies take longer than what is computed',
  lab: 'overlap',
  find({ trace, timeline }) {
    return timeline.devices.flatMap((device): RuleFinding[] => {
      const { kernels, work, title } = device;
      const copies = spansOfCopies(work, largeCopies(trace, device));
      const [copyNs, kernelNs] = [lengthOf(copies), lengthOf(kernels)];
      const alone = copyNs - overlapOf(copies, kernels);
      // As for any unit: what is less busy is not what binds.
      if (copyNs < latencyBound * timeline.spanNs || copyNs <= kernelNs || !isWorthSaying(alone, timeline)) return [];
      const directions = trace
        .query(
          `SELECT copyKind, count(*), sum(bytes), sum(end - start), max(end - start), rowid FROM CUPTI_ACTIVITY_KIND_MEMCPY
           WHERE deviceId = ? AND copyKind IN (1, 2) GROUP BY copyKind ORDER BY copyKind`,
          device.device,
        )
        .map((row) => row.map(num) as [number, number, number, number, number, number]);
      const name = (kind: number): string => (kind === 1 ? 'to the GPU' : 'to the host');
      const share = (100 * copyNs) / timeline.spanNs;
      return [
        {
          title: `${title} copies for ${ofSpan(copyNs, timeline)} and computes for ${ofSpan(kernelNs, timeline)}`,
          evidence: [
            measured('time with a copy from or to the host', copyNs, 'ns'),
            measured('of it, with no kernel running', alone, 'ns'),
            measured('time with a kernel running', kernelNs, 'ns'),
            ...directions.flatMap(([kind, count, bytes, ns]) => [
              measured(`copies ${name(kind)}`, count, 'count'),
              measured(`bytes ${name(kind)}`, bytes, 'bytes'),
              measured(`rate ${name(kind)}`, ns > 0 ? (bytes / ns) * 1e9 : 0, 'bytes-per-second'),
            ]),
            spanEvidence(timeline),
          ],
          places: directions.map(([kind, , , , , row]) => ({
            ...{ kind: 'event', ref: { kind: 'memcpy', row } },
            label: `the longest ${name(kind)}`,
          })),
          why:
            `The link to the host is in use for ${formatPercent(share)} of the time, at ` +
            `${directions.map(([kind, , bytes, ns]) => `${formatThroughput(bytes, ns)} ${name(kind)}`).join(' and ')}; kernels could be ` +
            'without end as fast, and little would change.',
          todo:
            `Copy less of the ${formatBytes(directions.reduce((sum, [, , bytes]) => sum + bytes, 0))}: keep on the GPU what several steps use, ` +
            'make inputs there, copy smaller types, and results only. Then let copies overlap with kernels and with copies in the other ' +
            'direction. If little is computed with each byte, it may be done as fast on the host.',
          gain: { ns: Math.round(alone), basis: 'At most: the time of copies beside which no kernel runs.' },
        },
      ];
    });
  },
};
