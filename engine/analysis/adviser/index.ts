/**
 * Advice about a trace, in the order in which to look (seed 004's decision tree): first what the timeline shows, then each kernel
 * that matters by what limits it, then where to stop. Every finding has what was measured; where nothing was, nothing is said.
 *
 *   const [first] = advise(trace);
 *   first.title;       // "reduce loads 32 sectors per request where 4 would do"
 *   first.gain?.ns;    // what it could save at most
 */
import { adviceStages, type Finding } from '../../model/findings.ts';
import { labs } from '../../labs/index.ts';
import type { Trace } from '../../trace/trace.ts';
import { Facts } from './facts.ts';
import { rules } from './rules/index.ts';

export { rules } from './rules/index.ts';

/** Equal traces give equal findings. */
export function advise(trace: Trace): Finding[] {
  const facts = new Facts(trace);
  const found: Finding[] = [];
  for (const { id, stage, lab, find } of rules) {
    const known = labs.some((each) => each.id === lab) ? lab : null;
    for (const finding of find(facts, found)) {
      if (finding.evidence.length > 0 && finding.places.length > 0)
        found.push({ rule: id, stage, lab: known, ...finding });
    }
  }
  const stageOf = ({ stage }: Finding): number => adviceStages.indexOf(stage);
  // Sorting keeps the order of the rules, and within one that of the kernels' time, where all else is equal.
  return found.sort((a, b) => stageOf(a) - stageOf(b) || (b.gain?.ns ?? 0) - (a.gain?.ns ?? 0));
}
