/** `cuda/reuse.cu` on the simulated H200. */
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { inNewFolder, kernelsOf, simsight } from './programs.ts';

/** One row of `reuse.json`. */
export interface Reuse {
  how: string;
  megabytes: number;
  nanoseconds: number;
  dramReadBytes: number;
  dramWrittenBytes: number;
  /** Looked up in L2. */
  sectors: number;
}

const program = fileURLToPath(new URL('../reference/h200/cuda/reuse.cu', import.meta.url));
const launches = 4;

/** These ways and sizes, in the order of the program, as it was measured: medians of all launches but the first. */
export function reused(wanted: readonly Reuse[]): Reuse[] {
  return inNewFolder((out) => {
    const trace = join(out, 'trace.simsight');
    const words = wanted.flatMap(({ how, megabytes }) => [how, String(megabytes)]);
    simsight(['record', program, '--gpu', 'h200', '-o', trace, '--', ...words]);
    const { rows, metrics } = kernelsOf(trace);
    return wanted.map(({ how, megabytes }, i) => {
      const later = rows.slice(i * launches + 1, (i + 1) * launches);
      const median = (of: (row: (typeof rows)[number]) => number): number => later.map(of).sort((a, b) => a - b)[1]!;
      const counter = (name: string): number => median(({ id }) => metrics(id)[name] ?? 0);
      return {
        ...{ how, megabytes },
        nanoseconds: median(({ time }) => time),
        dramReadBytes: counter('dram__bytes_read.sum'),
        dramWrittenBytes: counter('dram__bytes_write.sum'),
        sectors: counter('lts__t_sectors.sum'),
      };
    });
  });
}
