/** Several recordings in a row, as of a program that was improved step by step: each against the one before it, and the first. */
import type { CompareLadder } from '../../model/comparison.ts';
import type { Trace } from '../../trace/trace.ts';
import { compareSides, sideOf, type CompareOptions } from './index.ts';

/** `traces`: at least two. Throws as `compareTraces` does. */
export function compareLadder(traces: readonly Trace[], options: CompareOptions = {}): CompareLadder {
  const sides = traces.map(sideOf);
  return {
    steps: sides.map((side, i) => {
      const previous = compareSides(sides[Math.max(0, i - 1)]!, side, options);
      const first = i <= 1 ? previous : compareSides(sides[0]!, side, options);
      const { path, title, gpu, window } = previous.after;
      return {
        ...{ path, title, gpu, windowNs: window.toNs - window.fromNs, measureNs: previous.judgement.afterNs },
        toPrevious: i === 0 ? null : previous.judgement,
        toFirst: i === 0 ? null : first.judgement,
        waterfall: i === 0 ? [] : previous.waterfall,
        explanation: i === 0 ? [] : previous.explanation,
      };
    }),
  };
}
