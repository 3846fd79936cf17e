/**
 * Tables that others published of GPUs by name, beside what is simulated of programs like theirs: times, and the gain from one
 * row to the next.
 *
 *   node build/run.mjs ./test/fidelity/published.ts [--json FILE]
 *
 * Their sizes are not all known, and their compilers never: gains count.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { inNewFolder, simsight } from './programs.ts';

interface Row {
  kernel: string;
  variant: string;
  /** In ms, or in GFLOP/s of so many operations; null where it is shown beside the others only. */
  published: number | null;
}

interface Table {
  title: string;
  gpu: string;
  program: string;
  arguments: string[];
  rows: Row[];
  unit: 'ms' | 'GFLOP/s';
  /** Measured for this project, not published: printed, and summed up apart. */
  own?: true;
  operations?: number;
  note: string;
}

const ladderSize = 4096;
/** Two kernels of a program on the two GPUs of "Inside CUDA: Performance Engineering", by their times there. */
function beforeAndAfter(
  common: Pick<Table, 'title' | 'program' | 'arguments' | 'note'>,
  [before, after]: [Omit<Row, 'published'>, Omit<Row, 'published'>],
  times: Record<string, [number, number]>,
  besides: Omit<Row, 'published'>[] = [],
): Table[] {
  return Object.entries(times).map(([gpu, [first, second]]) => ({
    ...common,
    gpu,
    unit: 'ms',
    rows: [
      { ...before, published: first },
      { ...after, published: second },
      ...besides.map((row) => ({ ...row, published: null })),
    ],
  }));
}

const tables: Table[] = [
  ...beforeAndAfter(
    {
      title: 'matrix product, 16 x 16 tiles',
      program: 'matmul.cu',
      arguments: ['1024'],
      note: 'the size is inferred from the time of cuBLAS, and from the A4000 that no loads were joined',
    },
    [
      { kernel: 'naive', variant: 'naive' },
      { kernel: 'tiledByElement', variant: 'shared memory' },
    ],
    { mx330: [37.24, 15.846], a4000: [1.861, 2.077] },
    [{ kernel: 'tiled', variant: '  loads joined' }],
  ),
  ...beforeAndAfter(
    {
      title: 'count of equal elements',
      program: 'count.cu',
      arguments: [String(100 << 20)],
      note: 'size and share of matches are inferred: 100 Mi, 1 %',
    },
    [
      { kernel: 'perMatch', variant: 'atomic per match' },
      { kernel: 'perBlock', variant: 'atomic per block' },
    ],
    { mx330: [12.271, 9.123], a4000: [1.0, 0.99] },
  ),
  // The README of siboehm/SGEMM_CUDA.
  {
    title: 'SGEMM, step by step',
    gpu: 'a6000',
    program: 'ladder.cu',
    arguments: [String(ladderSize)],
    rows: [
      { kernel: 'uncoalesced', variant: 'naive (uncoalesced)', published: 309.0 },
      { kernel: 'coalesced', variant: 'coalesced', published: 1986.5 },
      { kernel: 'sharedTiles', variant: 'shared memory', published: 2980.3 },
      { kernel: 'columns', variant: '1D block tiling', published: 8474.7 },
      { kernel: 'squares', variant: '2D block tiling', published: 15971.7 },
    ],
    unit: 'GFLOP/s',
    operations: 2 * ladderSize ** 3,
    note: `products of ${ladderSize}`,
  },
];

/** The same programs on a real H200. */
const measured = JSON.parse(
  readFileSync(new URL('../reference/h200/published.json', import.meta.url), 'utf8'),
) as Record<string, Record<string, { ns: number }>>;
for (const [launch, kernels] of Object.entries(measured)) {
  const [program, size] = launch.split(' ') as [string, string];
  // Longest first.
  const rows = Object.entries(kernels).sort(([, a], [, b]) => b.ns - a.ns);
  tables.push({
    title: `${program} ${size}`,
    gpu: 'h200',
    program: `${program}.cu`,
    arguments: [size],
    rows: rows.map(([kernel, { ns }]) => ({ kernel, variant: kernel, published: ns / 1e6 })),
    unit: 'ms',
    note: 'measured for this project',
    own: true,
  });
}

const { values } = parseArgs({ options: { json: { type: 'string' } } });
const sources = fileURLToPath(new URL('published/', import.meta.url));
interface Ratio {
  table: string;
  gpu: string;
  step: string;
  own: boolean;
  published: number;
  simulated: number;
  error: number;
}
const all: Ratio[] = [];
inNewFolder((out) => {
  for (const table of tables) {
    const trace = join(out, 'trace.simsight');
    simsight(['record', join(sources, table.program), '--gpu', table.gpu, '-o', trace, '--', ...table.arguments]);
    const database = new Database(trace, { readonly: true });
    const time = database
      .prepare(
        `SELECT k."end" - k.start FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds n ON n.id = k.shortName
         WHERE n.value = ? ORDER BY k.start DESC LIMIT 1`,
      )
      .pluck();
    const { title, gpu, unit, note } = table;
    console.log(`\n${title}, ${gpu} (${unit}; ${note})`);
    const rows = table.rows.map(({ kernel, variant, published }) => {
      const ns = time.get(kernel) as number;
      const simulated = unit === 'ms' ? ns / 1e6 : table.operations! / ns;
      const speed = published === null ? null : unit === 'ms' ? 1 / published : published;
      return { variant, published, simulated, speed, rate: 1 / ns };
    });
    database.close();
    rows.forEach(({ variant, published, simulated, speed, rate }, i) => {
      const before = rows[i - 1];
      const gain =
        speed === null || !before?.speed ? null : { published: speed / before.speed, simulated: rate / before.rate };
      const text =
        gain === null ? '' : `gain ${gain.published.toFixed(2)} published, ${gain.simulated.toFixed(2)} simulated`;
      console.log(
        `  ${variant.padEnd(22)}${(published?.toFixed(2) ?? '').padStart(10)}${simulated.toFixed(2).padStart(10)}   ${text}`,
      );
      if (gain === null) return;
      const step = `${before!.variant} -> ${variant}`;
      const own = table.own === true;
      all.push({ table: title, gpu, step, own, ...gain, error: gain.simulated / gain.published - 1 });
    });
  }
});
const figures = (prefix: string, ratios: Ratio[]): Record<string, number> => {
  const part = (holds: (one: Ratio) => boolean): number => ratios.filter(holds).length / ratios.length;
  return {
    [`${prefix}_ratios`]: ratios.length,
    [`${prefix}_ratios_within_25_percent`]: part(({ error }) => Math.abs(error) <= 0.25),
    [`${prefix}_orders_right`]: part(({ published, simulated }) => published > 1 === simulated > 1),
  };
};
const summary = {
  ...figures(
    'published',
    all.filter(({ own }) => !own),
  ),
  ...figures(
    'h200',
    all.filter(({ own }) => own),
  ),
};
console.log('');
for (const [name, value] of Object.entries(summary)) console.log(`${name.padEnd(40)} ${value}`);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ ...summary, ratios: all }, null, 1)}\n`);
