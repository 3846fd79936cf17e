/**
 * Part of a working set that L2 still holds when the next launch uses it, beside that of an H200 (test/reference/h200/reuse.json):
 *
 *   npm run fidelity:reuse -- [HOW MEGABYTES]…
 */
import { measured, reused, type Reuse } from './reused.ts';

const words = process.argv.slice(2);
const wanted = measured.filter(
  ({ how, megabytes }) =>
    words.length === 0 || words.some((word, i) => word === how && Number(words[i + 1]) === megabytes),
);

const number = (value: number, digits: number): string => value.toFixed(digits).padStart(8);
console.log(
  `${'how'.padEnd(16)}  MB   read MB  simulated   written  simulated   M sectors  simulated        us  simulated`,
);
const simulated = reused(wanted);
for (const [i, real] of wanted.entries()) {
  const ours = simulated[i]!;
  const pair = (of: (row: Reuse) => number, digits: number): string =>
    `${number(of(real), digits)} ${number(of(ours), digits)}`;
  console.log(
    `${real.how.padEnd(16)}${String(real.megabytes).padStart(4)}  ${pair((row) => row.dramReadBytes / 2 ** 20, 1)}   ` +
      `${pair((row) => row.dramWrittenBytes / 2 ** 20, 1)}   ${pair((row) => row.sectors / 1e6, 2)}   ${pair((row) => row.nanoseconds / 1e3, 1)}`,
  );
}
