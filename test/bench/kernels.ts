/**
 * Prints estimated against measured durations of the single kernels of the H200 reference.
 *
 *   node build/run.mjs ./test/bench/kernels.ts [--json FILE]
 */
import { writeFileSync } from 'node:fs';
import { kernelCases } from '../reference/kernels.ts';

const flat: Record<string, number> = {};
const errors: number[] = [];
const bySection = new Map<string, number[]>();
for (const { name, measured, estimate } of kernelCases()) {
  const error = (estimate.duration / measured - 1) * 100;
  errors.push(Math.abs(error));
  const section = name.split(' ').slice(0, 2).join(' ');
  bySection.set(section, [...(bySection.get(section) ?? []), Math.abs(error)]);
  flat[`${name} error_pct`] = Math.round(error * 10) / 10;
  const times = `${column(estimate.duration)} ${column(measured)}`;
  console.log(`${name.padEnd(70)} ${times} ${error.toFixed(0).padStart(5)} %  ${estimate.limiter}`);
}
for (const [section, list] of bySection) console.log(`${section.padEnd(40)} ${summary(list)}`);
console.log(`all ${errors.length}`.padEnd(40), summary(errors));
flat['mean_absolute_error_pct'] = mean(errors);
flat['median_absolute_error_pct'] = median(errors);

const json = process.argv.indexOf('--json');
if (json > 0) writeFileSync(process.argv[json + 1]!, JSON.stringify(flat, null, 1) + '\n');

function summary(list: number[]): string {
  return `mean ${mean(list).toFixed(0).padStart(3)} %, median ${median(list).toFixed(0).padStart(3)} %`;
}

function mean(list: number[]): number {
  return list.reduce((sum, value) => sum + value, 0) / list.length;
}

function median(list: number[]): number {
  return [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]!;
}

function column(nanoseconds: number): string {
  return (nanoseconds / 1e3).toFixed(2).padStart(10);
}
