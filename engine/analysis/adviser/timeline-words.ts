/** Wording that the rules on timelines share. */
import type { FindingEvidence, FindingPlace } from '../../model/findings.ts';
import { formatPercent, formatTime } from '../../model/format.ts';
import type { GpuGaps, TimelineFacts } from './timeline-facts.ts';
import { leastGain } from './thresholds.ts';

export { measured } from './kernel-rule.ts';

/** Enough of the time from the first work of the GPUs to their last. */
export const isWorthSaying = (ns: number, { spanNs }: TimelineFacts): boolean => spanNs > 0 && ns >= leastGain * spanNs;

export const ofSpan = (ns: number, { spanNs }: TimelineFacts): string =>
  `${formatTime(ns)} (${formatPercent(spanNs > 0 ? (100 * ns) / spanNs : 0)})`;

export const spanEvidence = ({ spanNs }: TimelineFacts): FindingEvidence => ({
  ...{ name: 'from the first work of the GPU to the end of the last', value: spanNs, unit: 'ns' },
});

/** The longest gaps among those with something in them, as places. */
export function longestGaps(gaps: GpuGaps, weights: Float64Array, label: string): FindingPlace[] {
  const longest: number[] = [];
  for (let gap = 0; gap < gaps.count; gap++) {
    if (weights[gap]! <= 0) continue;
    let at = longest.length;
    while (at > 0 && weights[gap]! > weights[longest[at - 1]!]!) at--;
    if (at < mostPlaces) longest.splice(at, 0, gap);
    if (longest.length > mostPlaces) longest.pop();
  }
  return longest.map((gap) => ({
    ...{ kind: 'range', fromNs: gaps.starts[gap]!, toNs: gaps.ends[gap]!, label },
  }));
}
const mostPlaces = 3;

export const sumOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);
