/** Kernels of the H200 reference, from source to time: no worse than they have been. */
import { expect, test } from 'vitest';
import { chart } from '../../fidelity/chart.ts';
import { runSuite } from '../../fidelity/programs.ts';
import { reached, subset } from '../../fidelity/subset.ts';
import { summarize, type Summary } from '../../fidelity/summary.ts';

/** Rounding of a mean, which the order of its terms may change. */
const rounding = 1e-9;

test('simulated against measured, for a part of the reference', () => {
  const compared = subset.flatMap(([suite, only]) => runSuite(suite, only).compared);
  const { cases, summary } = summarize(compared);
  const better: (keyof Summary)[] = ['cases', 'pairs', 'pairs_right_direction', 'pairs_within_15_percent'];
  for (const name of Object.keys(reached) as (keyof Summary)[]) {
    if (better.includes(name)) expect(summary[name], name).toBeGreaterThanOrEqual(reached[name] - rounding);
    else expect(summary[name], name).toBeLessThanOrEqual(reached[name] + rounding);
  }
  const svg = chart(new Map([['all', cases]]), summary);
  expect(svg.match(/<title>/g)).toHaveLength(summary.cases);
});
