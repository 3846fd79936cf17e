/** How much of the same work two traces hold, by launches of the kernels that both have, and how much longer one launch takes. */
import type { CompareRow } from '../../api/types.ts';
import type { CapturedWork } from './judge.ts';

/** Kernels with less of the time say nothing of how often the whole was done. */
const leastShare = 0.01;

/** null without kernels in both. */
export function capturedWork(kernelRows: readonly CompareRow[]): CapturedWork | null {
  const both = kernelRows.flatMap(({ before, after, beforeNs }) =>
    before && after && before.medianNs > 0 && after.medianNs > 0 ? [{ before, after, beforeNs }] : [],
  );
  const all = both.reduce((sum, { beforeNs }) => sum + beforeNs, 0);
  if (all === 0) return null;
  let [was, asMany, is] = [0, 0, 0];
  const amounts: number[] = [];
  for (const { before, after, beforeNs } of both) {
    was += before.count * before.medianNs;
    asMany += after.count * before.medianNs;
    is += after.count * after.medianNs;
    if (beforeNs >= leastShare * all) amounts.push(after.count / before.count);
  }
  if (amounts.length === 0) return null;
  return {
    ...{ amount: asMany / was, each: is / asMany },
    ...{ leastAmount: Math.min(...amounts), mostAmount: Math.max(...amounts) },
  };
}
