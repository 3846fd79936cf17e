/**
 * Prints simulated against measured times of the system (launches, waits, copies, overlap, concurrency) on the H200.
 *
 *   node build/run.mjs ./test/bench/system.ts [--json FILE]
 *
 * With `--json`, FILE gets a flat object: "NAME simulated_us", "NAME measured_us", "NAME error_pct".
 */
import { writeFileSync } from 'node:fs';
import { systemCases } from '../reference/system.ts';

const within = 15;
const flat: Record<string, number> = {};
let good = 0;
const cases = systemCases();
for (const { name, measured, simulated } of cases) {
  const error = (simulated / measured - 1) * 100;
  if (Math.abs(error) <= within) good++;
  flat[`${name} simulated_us`] = round(simulated);
  flat[`${name} measured_us`] = measured;
  flat[`${name} error_pct`] = round(error);
  const mark = Math.abs(error) > within ? '  out' : '';
  console.log(`${name.padEnd(76)} ${column(simulated)} ${column(measured)} ${error.toFixed(1).padStart(7)} %${mark}`);
}
console.log(`${good} of ${cases.length} within ${within} %`);
flat['within_15_pct'] = good;
flat['cases'] = cases.length;

const json = process.argv.indexOf('--json');
if (json > 0) writeFileSync(process.argv[json + 1]!, JSON.stringify(flat, null, 1) + '\n');

function column(microseconds: number): string {
  return microseconds.toFixed(2).padStart(11);
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
