/** A row of a comparison from how often something happened and how long that took. */
import type { CompareKind, CompareRow, CompareTimes } from '../../../engine/model/comparison.ts';

type Sum = [count: number, ns: number];

export function compareRow(kind: CompareKind, name: string, before: Sum, after: Sum): CompareRow {
  const times = ([count, totalNs]: Sum): CompareTimes | null =>
    count > 0 ? { count, totalNs, medianNs: totalNs / count, iqrNs: 0 } : null;
  const isBoth = before[1] > 0 && after[1] > 0;
  const differenceNs = after[1] - before[1];
  return {
    ...{ kind, name, beforeName: name, afterName: name, match: 'name' },
    ...{ before: times(before), after: times(after) },
    ...{ beforeCount: before[0], afterCount: after[0], beforeNs: before[1], afterNs: after[1] },
    ratio: isBoth ? after[1] / before[1] : null,
    ...{ differenceNs, share: 0, noiseNs: 0 },
    change: differenceNs === 0 ? 'same' : differenceNs < 0 ? 'faster' : 'slower',
  };
}
