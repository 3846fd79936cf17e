/**
 * The kernels of the labs, one by one, beside what an H200 took and counted for them. Nothing was fitted to these figures.
 *
 *   npm run fidelity:labs -- [LAB…]
 *
 * Durations by Nsight Compute are longer than those by activity tracing, which is what a trace shows, by what {@link profiled} says.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { inNewFolder, simsight } from './programs.ts';

interface LabKernel {
  /** Without its parameters. */
  kernel: string;
  grid: [number, number, number];
  block: [number, number, number];
  nanoseconds: number;
  instructions: number;
  registers: number;
  dramReadBytes: number;
  dramWrittenBytes: number;
}
interface LabKernels {
  labs: { lab: string; size: string; kernels: LabKernel[] }[];
}

/** Nanoseconds: the median of the 125 kernels of cases.json below 40 us, which have both; quartiles 0.3 and 2.8 us. */
const profiled = 1120;

const root = fileURLToPath(new URL('../../', import.meta.url));
const file = join(root, 'test/reference/h200/lab_kernels.json');
const { labs } = JSON.parse(readFileSync(file, 'utf8')) as LabKernels;
const wanted = process.argv.slice(2);
const unknown = wanted.find((word) => !labs.some(({ lab }) => lab === word));
if (unknown !== undefined) {
  console.error(`No kernels of a lab ${unknown} were measured. Labs: ${labs.map(({ lab }) => lab).join(', ')}.`);
  process.exit(2);
}

const keyOf = (kernel: string, grid: readonly number[], block: readonly number[]): string =>
  [kernel.replace(/^void /, '').replace(/\(.*$/, ''), ...grid, ...block].join(' ');

/** The last launch of each kernel of a lab, in which caches are as other launches have left them. */
function simulated(lab: string, size: string): Map<string, LabKernel> {
  return inNewFolder((out) => {
    const trace = join(out, 'trace.simsight');
    const program = join(root, 'engine/labs', lab, `${lab}.cu`);
    simsight(['record', program, '--gpu', 'h200', '-o', trace, '--', 'all', size, '3']);
    const database = new Database(trace, { readonly: true });
    const rows = database
      .prepare(
        `SELECT k.rowid AS id, n.value AS name, k."end" - k.start AS time, registersPerThread AS registers,
          gridX, gridY, gridZ, blockX, blockY, blockZ
        FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds n ON n.id = k.demangledName ORDER BY k.start, k.rowid`,
      )
      .all() as Record<string, number & string>[];
    const metric = database
      .prepare(
        'SELECT m.value FROM SIMSIGHT_KERNEL_METRICS m JOIN StringIds n ON n.id = m.nameId WHERE kernel = ? AND n.value = ?',
      )
      .pluck();
    const found = new Map<string, LabKernel>();
    for (const row of rows) {
      const grid: LabKernel['grid'] = [row['gridX']!, row['gridY']!, row['gridZ']!];
      const block: LabKernel['block'] = [row['blockX']!, row['blockY']!, row['blockZ']!];
      const valueOf = (name: string): number => (metric.get(row['id'], name) as number | undefined) ?? 0;
      found.set(keyOf(row['name']!, grid, block), {
        ...{ kernel: row['name']!, grid, block, nanoseconds: row['time']!, registers: row['registers']! },
        instructions: valueOf('smsp__inst_executed.sum'),
        dramReadBytes: valueOf('dram__bytes_read.sum'),
        dramWrittenBytes: valueOf('dram__bytes_write.sum'),
      });
    }
    database.close();
    return found;
  });
}

const absolute: { time: number; instructions: number }[] = [];
const number = (value: number, digits: number): string => value.toFixed(digits).padStart(10);
const percent = (value: number): string => `${(value * 100).toFixed(0)} %`.padStart(7);
console.log(
  `${'kernel'.padEnd(44)}${'H200 us'.padStart(10)}${'simulated'.padStart(10)}${'error'.padStart(7)}` +
    `${'k instr.'.padStart(10)}${'simulated'.padStart(10)}${'error'.padStart(7)}   DRAM MB read, written (simulated)   registers`,
);
for (const { lab, size, kernels } of labs) {
  if (wanted.length > 0 && !wanted.includes(lab)) continue;
  const ours = simulated(lab, size);
  for (const real of kernels) {
    const own = ours.get(keyOf(real.kernel, real.grid, real.block));
    if (own === undefined)
      throw new Error(`${lab}: ${real.kernel} was not launched as in ${file}: the lab has changed.`);
    const measured = real.nanoseconds - profiled;
    const time = own.nanoseconds / measured - 1;
    const instructions = own.instructions / real.instructions - 1;
    absolute.push({ time: Math.abs(time), instructions: Math.abs(instructions) });
    const megabytes = ({ dramReadBytes, dramWrittenBytes }: LabKernel): string =>
      `${(dramReadBytes / 1e6).toFixed(1)} ${(dramWrittenBytes / 1e6).toFixed(1)}`;
    console.log(
      `${`${lab} ${real.kernel}`.padEnd(44)}${number(measured / 1e3, 2)}${number(own.nanoseconds / 1e3, 2)}${percent(time)}` +
        `${number(real.instructions / 1e3, 0)}${number(own.instructions / 1e3, 0)}${percent(instructions)}   ` +
        `${`${megabytes(real)} (${megabytes(own)})`.padEnd(34)} ${real.registers} (${own.registers})`,
    );
  }
}
const sorted = (key: 'time' | 'instructions'): number[] => absolute.map((row) => row[key]).sort((a, b) => a - b);
const at = (values: readonly number[], share: number): string =>
  `${(100 * values[Math.floor(share * (values.length - 1))]!).toFixed(1)} %`;
const mean = absolute.reduce((sum, { time }) => sum + time, 0) / absolute.length;
console.log(
  `\n${absolute.length} kernels: mean error ${(100 * mean).toFixed(1)} %, median ${at(sorted('time'), 0.5)}, ` +
    `a tenth off by more than ${at(sorted('time'), 0.9)}; instructions: median ${at(sorted('instructions'), 0.5)}, ` +
    `at most ${at(sorted('instructions'), 1)}`,
);
