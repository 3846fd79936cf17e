/** Amount of the same work that two traces hold, by launches of the kernels that both have, and how much longer one launch takes. */
import type { CompareRow } from '../../model/comparison.ts';
import type { CapturedWork } from './judge.ts';

/** Numbers of launches that differ by less have changed by the same factor. */
const alike = 0.05;

/** null without kernels in both. */
export function capturedWork(kernelRows: readonly CompareRow[]): CapturedWork | null {
  const both = kernelRows.flatMap(({ before, after, beforeNs }) =>
    before && after && before.medianNs > 0 && after.medianNs > 0 && beforeNs > 0
      ? [{ before, after, beforeNs, amount: after.count / before.count }]
      : [],
  );
  if (both.length === 0) return null;
  let [was, asMany, is, all] = [0, 0, 0, 0];
  for (const { before, after, beforeNs } of both) {
    was += before.count * before.medianNs;
    asMany += after.count * before.medianNs;
    is += after.count * after.medianNs;
    all += beforeNs;
  }
  const most = both.reduce((a, b) => (b.beforeNs > a.beforeNs ? b : a));
  const asMost = both.filter(({ amount }) => Math.abs(amount / most.amount - 1) < alike);
  return {
    ...{ amount: asMany / was, each: is / asMany },
    together: asMost.reduce((sum, { beforeNs }) => sum + beforeNs, 0) / all,
  };
}
