/** Launches of each kernel as runs of a benchmark: `simsight_benchmark`. */
import type { ReportTable } from '../model/tables.ts';
import type { Trace } from '../trace/trace.ts';
import { benchmarkOf, remarksOn } from './benchmark.ts';
import { columns, num, type Column } from './columns.ts';
import { nameById } from './name-by-id.ts';

export const benchmarkColumns: Column[] = [
  ...columns('integer', 'Samples', 'Warm-Up'),
  ...columns('nanoseconds', 'Med (ns)', 'Q1 (ns)', 'Q3 (ns)', 'IQR (ns)', 'MAD (ns)'),
  ...columns('percent', 'CV (%)', 'CV w/o Outliers (%)'),
  ...columns('integer', 'Outliers'),
  ...columns('text', 'Outlier Times (ns)', 'Remarks', 'GridXYZ', 'BlockXYZ', 'Name'),
];

interface Launches {
  name: string;
  grid: string;
  block: string;
  /** Durations in order of time, ns. */
  durations: number[];
}

/** One row for each kernel and shape of its grid: other grids are other work. The most time first. */
export function benchmarkRows(trace: Trace, warmUp?: number): ReportTable['rows'] {
  const isMeasured = trace.facts.engineVersion === '';
  const percent = (share: number | null): number | null => (share === null ? null : 100 * share);
  return launchesOf(trace).map(({ name, grid, block, durations }) => {
    const benchmark = benchmarkOf(durations, { warmUp });
    const { samples, median, quartiles, interquartileRange, medianDeviation, outliers } = benchmark;
    return [
      ...[samples, benchmark.warmUp, median, ...quartiles, interquartileRange, medianDeviation],
      ...[percent(benchmark.variation), percent(benchmark.variationWithoutOutliers), outliers.length],
      outliers.map(({ value, run }) => `${value} (launch ${run + 1})`).join(', '),
      remarksOn(benchmark, isMeasured).join('; '),
      ...[grid, block, name],
    ];
  });
}

function launchesOf(trace: Trace): Launches[] {
  const rows = trace.query(
    `SELECT demangledName, deviceId, dynamicSharedMemory, end - start,
       gridX, gridY, gridZ, blockX, blockY, blockZ
     FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start, rowid`,
  );
  const nameOf = nameById(trace);
  const groups = new Map<string, Launches>();
  /** The same name may be there under several ids. */
  const numbers = new Map<string, number>();
  for (const [id, device, shared, duration, ...shape] of rows) {
    const name = String(nameOf(id));
    const number = numbers.get(name) ?? numbers.set(name, numbers.size).size - 1;
    const key = JSON.stringify([number, device, shared, shape]);
    const group = groups.get(key);
    if (group) group.durations.push(num(duration));
    else {
      const [grid, block] = [shape.slice(0, 3).join(' '), shape.slice(3).join(' ')];
      groups.set(key, { name, grid, block, durations: [num(duration)] });
    }
  }
  const total = ({ durations }: Launches): number => durations.reduce((sum, duration) => sum + duration, 0);
  return [...groups.values()].sort((a, b) => total(b) - total(a) || (a.name < b.name ? -1 : 1));
}
