/** A simulated recording beside a real one of the same program: how far off the time of each kernel is. */
import type { CompareModelError, CompareRow } from '../../model/comparison.ts';

/** null unless one of the two is simulated, and the other is not. */
export function modelErrorOf(
  kernelRows: readonly CompareRow[],
  isSimulated: { before: boolean; after: boolean },
): CompareModelError | null {
  if (isSimulated.before === isSimulated.after) return null;
  const simulated = isSimulated.before ? 'before' : 'after';
  const real = isSimulated.before ? 'after' : 'before';
  const both = kernelRows.filter((row) => row.before && row.after && row[real]!.medianNs > 0);
  const all = both.reduce((sum, row) => sum + row[real]!.totalNs, 0);
  const kernels = both
    .map((row) => {
      const [simulatedNs, realNs] = [row[simulated]!.medianNs, row[real]!.medianNs];
      const share = all > 0 ? row[real]!.totalNs / all : 0;
      return { name: row.name, simulatedNs, realNs, error: simulatedNs / realNs - 1, share };
    })
    .sort((a, b) => b.share - a.share || (a.name < b.name ? -1 : 1));
  const meanError =
    kernels.length === 0 ? null : kernels.reduce((sum, { error, share }) => sum + share * Math.abs(error), 0);
  return { simulated, kernels, meanError };
}
