/** Streams that could run side by side, but wait for the legacy default stream, or it for them. */
import { formatNumber } from '../../../model/format.ts';
import { implicitWaitsOf } from '../implicit-waits.ts';
import type { Rule, RuleFinding } from '../rule.ts';
import { measured, ofSpan, spanEvidence } from '../timeline-words.ts';

export const legacyDefaultStream: Rule = {
  id: 'legacy-default-stream',
  stage: 'timeline',
  title: 'Streams that wait for the legacy default stream',
  lab: null,
  find({ trace, timeline }) {
    return timeline.devices.flatMap((device): RuleFinding[] => {
      const waits = implicitWaitsOf(trace, device, timeline);
      if (!waits) return [];
      const { count, ns, streams, ofDefault, longest, gainNs } = waits;
      const who =
        streams.length === 0
          ? 'The legacy default stream waits for blocking streams'
          : `${formatNumber(streams.length)} ${streams.length === 1 ? 'stream waits' : 'streams wait'} for the legacy default stream${ofDefault > 0 ? ', and it for them,' : ''}`;
      return [
        {
          title: `${who} on ${device.title}: ${ofSpan(ns, timeline)} of waits that nobody asked for`,
          evidence: [
            measured('implicit synchronizations', count, 'count'),
            measured('of them, of the default stream itself', ofDefault, 'count'),
            measured('time in which a stream waits so', ns, 'ns'),
            spanEvidence(timeline),
          ],
          places: longest.map(({ row, label }) => ({
            ...{ kind: 'event', ref: { kind: 'implicit-wait', row } },
            label,
          })),
          why:
            'Work in stream 0, the legacy default stream, begins when all that was put into blocking streams before has ended, and work in ' +
            'these begins when that has: streams, asynchronous copies and page-locked memory do not help then.',
          todo:
            'Launch and copy in streams of your own alone; make them with cudaStreamCreateWithFlags(…, cudaStreamNonBlocking); or compile with ' +
            'nvcc --default-stream per-thread (here: --default-stream per-thread). Order that is needed is what cudaStreamWaitEvent is for.',
          gain: {
            ns: gainNs,
            basis:
              'At most: with streams side by side, each as long as it is busy, and one copy at a time in each direction.',
          },
        },
      ];
    });
  },
};
