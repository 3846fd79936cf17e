/**
 * How good the times of library kernels are: calls of cuBLAS as they were measured on an H200 beside the models of them, by routine and
 * type. Half of the calls, drawn by a hash of their number, was used for the parameters, the other half for nothing but the error.
 *
 *   npm run fidelity:libraries                  # errors by routine and type
 *   npm run fidelity:libraries -- 'half 8'      # every call of a class, farthest off last
 *   npm run fidelity:libraries -- --json FILE
 */
import { writeFileSync } from 'node:fs';
import before from './before.json' with { type: 'json' };
import { compared, errorsOf, type Compared } from './compare.ts';

const percent = (value: number): string => `${value.toFixed(1)} %`.padStart(9);
const line = (name: string, calls: readonly Compared[]): string => {
  const half = (seen: boolean): string => {
    const { calls: count, mean, p90, worst } = errorsOf(calls.filter((call) => call.seen === seen));
    return `${String(count).padStart(6)}${percent(mean)}${percent(p90)}${percent(worst)}`;
  };
  const share = (of: (call: Compared) => boolean): string =>
    `${Math.round((100 * calls.filter(of).length) / calls.length)} %`.padStart(8);
  const launches = share((call) => call.sameLaunches);
  const tiles = calls[0]!.gemm === undefined ? '' : share((call) => call.sameTiles);
  return `${name.padEnd(24)}${half(false)}  |${half(true)}  |${launches}${tiles}`;
};

function print(): void {
  const calls = compared();
  const words = process.argv.slice(2);
  const file = words.includes('--json') ? words[words.indexOf('--json') + 1] : undefined;
  if (file !== undefined) writeFileSync(file, JSON.stringify(calls));
  const asked = words.filter((word) => !word.startsWith('--') && word !== file);
  const shown = calls.filter(
    ({ key, routine }) => asked.length === 0 || asked.includes(key) || asked.includes(routine),
  );
  if (asked.length > 0) {
    const sorted = shown.toSorted((a, b) => Math.abs(a.error) - Math.abs(b.error));
    for (const { routine, type, shape, total, model, error, seen } of sorted)
      console.log(
        `${routine} ${type} ${shape}: ${total} ns, model ${model}, ${percent(100 * error)}${seen ? '' : ' (unseen)'}`,
      );
  }
  const head = '    mean     P90   worst';
  console.log(
    `${' '.repeat(24)}unseen${head.padStart(27)}  |${'seen'.padStart(6)}${head.padStart(27)}  |launches   tiles as measured`,
  );
  const groups = Map.groupBy(shown, ({ key, gemm }) => (gemm === undefined ? key : `product ${key}`));
  for (const [name, group] of groups) console.log(line(name, group));
  const levels = Map.groupBy(shown, ({ gemm, key }) =>
    gemm !== undefined ? 'products' : /^ge/.test(key) ? 'level 2 and geam' : 'level 1',
  );
  for (const [name, group] of levels) console.log(line(`all: ${name}`, group));
  console.log(line('all', shown));
  if (asked.length > 0) return;
  console.log('\nKernels of our own, as they were simulated before (ns):');
  for (const { call, simulated, measured } of before.calls)
    console.log(`${call}: ${simulated} for ${measured}, ${percent(100 * (simulated / measured - 1))}`);
}

print();
