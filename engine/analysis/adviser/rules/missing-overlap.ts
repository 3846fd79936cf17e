/** Copies and kernels that take turns where they could run side by side. */
import { formatNumber } from '../../../model/format.ts';
import { lengthOf, overlapOf, type Spans } from '../../../trace/spans.ts';
import type { FindingPlace } from '../../../model/findings.ts';
import type { Rule, RuleFinding } from '../rule.ts';
import { leastRounds, stagedCopyBytes } from '../thresholds.ts';
import { implicitWaitsOf } from '../implicit-waits.ts';
import { largeCopies, spansOfCopies } from '../host-copies.ts';
import { workKinds, type GpuWork } from '../timeline-facts.ts';
import { isWorthSaying, measured, ofSpan, spanEvidence } from '../timeline-words.ts';

export const missingOverlap: Rule = {
  id: 'missing-overlap',
  stage: 'timeline',
  title: 'Copies and kernels take turns',
  lab: 'overlap',
  find({ trace, timeline }) {
    return timeline.devices.flatMap((device): RuleFinding[] => {
      const { kernels, work } = device;
      const large = largeCopies(trace, device);
      const copies = spansOfCopies(work, large);
      const [kernelNs, copyNs] = [lengthOf(kernels), lengthOf(copies)];
      const overlapNs = overlapOf(kernels, copies);
      const rounds = roundsOf(work, large);
      // The shorter of the two could hide entirely behind the other, but for the first copy and the last.
      const ns = Math.round((Math.min(kernelNs, copyNs) - overlapNs) * (1 - 1 / Math.max(1, rounds)));
      if (rounds < leastRounds || !isWorthSaying(ns, timeline)) return [];
      // They are in other streams, and would overlap if the default stream did not order them: that is said in its place.
      const implicit = implicitWaitsOf(trace, device, timeline);
      if (implicit && implicit.gainNs >= ns / 2) return [];
      return [
        {
          title: `Copies and kernels take turns on ${device.title}: of ${ofSpan(Math.min(kernelNs, copyNs), timeline)} that could overlap, ${ofSpan(overlapNs, timeline)} do`,
          evidence: [
            measured('time with a kernel running', kernelNs, 'ns'),
            measured(`time with a copy of more than ${stagedCopyBytes / 1024} KiB from or to the host`, copyNs, 'ns'),
            measured('both at once', overlapNs, 'ns'),
            measured('turns from a copy to a kernel', rounds, 'count'),
            spanEvidence(timeline),
          ],
          places: [longestAlone(copies, kernels)],
          why:
            'Copies have engines of their own, beside the SMs, one for each direction. They run side by side with kernels only if they are in ' +
            'other streams, asynchronous, and from page-locked memory.',
          todo:
            'Divide the data into pieces, and let each piece go through copy, kernel, copy in one of several streams: while one is computed ' +
            'with, the next is copied in and the one before copied out. cudaMemcpyAsync, page-locked memory, no wait in between.',
          gain: {
            ns,
            basis: `At most: the shorter of both, hidden behind the other, in ${formatNumber(rounds)} rounds of which the first and last stay.`,
          },
        },
      ];
    });
  },
};

/** Number of times that a kernel came after such a copy. */
function roundsOf({ count, kinds }: GpuWork, copies: Uint8Array): number {
  let rounds = 0;
  let afterCopy = false;
  for (let i = 0; i < count; i++) {
    const isKernel = kinds[i] === workKinds.kernel;
    if (isKernel && afterCopy) rounds++;
    if (isKernel || copies[i]) afterCopy = copies[i] === 1;
  }
  return rounds;
}

/** The longest copy beside which no kernel ran at all, or the longest. */
function longestAlone(copies: Spans, kernels: Spans): FindingPlace {
  let [best, bestNs] = [0, -1];
  for (let i = 0, k = 0; i < copies.starts.length; i++) {
    while (k < kernels.ends.length && kernels.ends[k]! <= copies.starts[i]!) k++;
    const isAlone = k === kernels.ends.length || kernels.starts[k]! >= copies.ends[i]!;
    const ns = (copies.ends[i]! - copies.starts[i]!) * (isAlone ? 1 : 1e-3);
    if (ns > bestNs) [best, bestNs] = [i, ns];
  }
  return { kind: 'range', fromNs: copies.starts[best]!, toNs: copies.ends[best]!, label: 'copies, and no kernel' };
}
