/**
 * Prints simulated against measured times of the system (launches, waits, copies, overlap, concurrency) on the H200.
 *
 *   node build/run.mjs ./test/bench/system.ts [--json FILE]
 *
 * Then how many operations of a busy program are simulated in a second. With `--json`, FILE gets a flat object:
 * "NAME simulated_us", "NAME measured_us", "NAME error_pct".
 */
import { writeFileSync } from 'node:fs';
import { Recorder } from '../unit/system/recorder.ts';
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

const r = new Recorder({ keep: false });
const streams = Array.from({ length: 8 }, () => r.stream());
const start = performance.now();
const operations = 200_000;
for (let i = 0; i < operations / 2; i++) {
  r.launch(streams[i & 7]!, { microseconds: 5, blocks: 300 });
  r.copy(streams[(i >> 3) & 7]!, i & 1 ? 'host-to-device' : 'device-to-host', 65536);
}
r.syncDevice();
flat['operations_per_second'] = Math.round((operations * 1e3) / (performance.now() - start));
console.log(`${flat['operations_per_second']} operations per second`);

const json = process.argv.indexOf('--json');
if (json > 0) writeFileSync(process.argv[json + 1]!, JSON.stringify(flat, null, 1) + '\n');

function column(microseconds: number): string {
  return microseconds.toFixed(2).padStart(11);
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
