/** `cuda/reuse.cu`, as it was measured and on the simulated H200. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inNewFolder, kernelsOf, simsight } from './programs.ts';
import { quantile } from './summary.ts';

export interface Reuse {
  how: string;
  megabytes: number;
  nanoseconds: number;
  dramReadBytes: number;
  dramWrittenBytes: number;
  /** Looked up in L2. */
  sectors: number;
}

const folder = fileURLToPath(new URL('../reference/h200/', import.meta.url));
const program = join(folder, 'cuda', 'reuse.cu');
export const { rows: measured } = JSON.parse(readFileSync(join(folder, 'reuse.json'), 'utf8')) as { rows: Reuse[] };
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
      const median = (of: (row: (typeof rows)[number]) => number): number => quantile(later.map(of), 0.5);
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
