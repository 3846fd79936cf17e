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
import { inNewFolder, kernelsOf, labProgramOf, simsight } from './programs.ts';
import { mean, quantile } from './summary.ts';

/** Time (ns) and counters of a kernel. */
interface Counted {
  nanoseconds: number;
  instructions: number;
  registers: number;
  dramReadBytes: number;
  dramWrittenBytes: number;
}
interface LabKernel extends Counted {
  /** Without its parameters. */
  kernel: string;
  grid: [number, number, number];
  block: [number, number, number];
}
interface LabKernels {
  labs: { lab: string; size: string; kernels: LabKernel[] }[];
}

/** Nanoseconds: the median of the 125 kernels of cases.json below 40 us, which have both; quartiles 0.3 and 2.8 us. */
const profiled = 1120;

const file = fileURLToPath(new URL('../reference/h200/lab_kernels.json', import.meta.url));
const { labs } = JSON.parse(readFileSync(file, 'utf8')) as LabKernels;
const wanted = process.argv.slice(2);
const unknown = wanted.find((word) => !labs.some(({ lab }) => lab === word));
if (unknown !== undefined) {
  console.error(`No kernels of a lab ${unknown} were measured. Labs: ${labs.map(({ lab }) => lab).join(', ')}.`);
  process.exit(2);
}

/** Without parameters, and the return type that templates have in their names. */
const shortName = (demangled: string): string => demangled.replace(/^void /, '').replace(/\(.*$/, '');

/** The last launch of each kernel of a lab, in which caches are as other launches have left them; by name and shape. */
function simulated(lab: string, size: string): Map<string, Counted> {
  return inNewFolder((out) => {
    const trace = join(out, 'trace.simsight');
    simsight(['record', labProgramOf(lab), '--gpu', 'h200', '-o', trace, '--', 'all', size, '3']);
    const { rows, metrics } = kernelsOf(trace);
    return new Map(
      rows.map(({ id, demangled, shape, time, registers }): [string, Counted] => {
        const counters = metrics(id);
        return [
          `${shortName(demangled)} ${shape}`,
          {
            ...{ nanoseconds: time, registers },
            instructions: counters['smsp__inst_executed.sum'] ?? 0,
            dramReadBytes: counters['dram__bytes_read.sum'] ?? 0,
            dramWrittenBytes: counters['dram__bytes_write.sum'] ?? 0,
          },
        ];
      }),
    );
  });
}

const absolute = { time: [] as number[], instructions: [] as number[] };
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
    const own = ours.get([real.kernel, ...real.grid, ...real.block].join(' '));
    if (own === undefined)
      throw new Error(`${lab}: ${real.kernel} was not launched as in ${file}: the lab has changed.`);
    const measured = real.nanoseconds - profiled;
    const time = own.nanoseconds / measured - 1;
    const instructions = own.instructions / real.instructions - 1;
    absolute.time.push(Math.abs(time));
    absolute.instructions.push(Math.abs(instructions));
    const megabytes = ({ dramReadBytes, dramWrittenBytes }: Counted): string =>
      `${(dramReadBytes / 1e6).toFixed(1)} ${(dramWrittenBytes / 1e6).toFixed(1)}`;
    console.log(
      `${`${lab} ${real.kernel}`.padEnd(44)}${number(measured / 1e3, 2)}${number(own.nanoseconds / 1e3, 2)}${percent(time)}` +
        `${number(real.instructions / 1e3, 0)}${number(own.instructions / 1e3, 0)}${percent(instructions)}   ` +
        `${`${megabytes(real)} (${megabytes(own)})`.padEnd(34)} ${real.registers} (${own.registers})`,
    );
  }
}
const share = (value: number): string => `${(100 * value).toFixed(1)} %`;
console.log(
  `\n${absolute.time.length} kernels: mean error ${share(mean(absolute.time))}, median ${share(quantile(absolute.time, 0.5))}, ` +
    `a tenth off by more than ${share(quantile(absolute.time, 0.9))}; ` +
    `instructions: median ${share(quantile(absolute.instructions, 0.5))}, at most ${share(Math.max(...absolute.instructions))}`,
);
