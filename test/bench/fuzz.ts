/**
 * Opens files that are cut short, damaged or made to do harm, and does to them whatever the app does to a trace: each gives answers
 * or a clear error in less than ten seconds, and is not written to.
 *
 *   npm run bench:fuzz -- [--files 10000] [--seed A] [--kind flips] [--from 0] [--json FILE]
 *
 * A failure is printed with the command that makes the same file again. Exit code 1 if there are any.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { allKinds } from '../fuzz/mutations.ts';
import { fuzz } from '../fuzz/run.ts';

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '10000' },
    from: { type: 'string', default: '0' },
    seed: { type: 'string', default: 'A' },
    kind: { type: 'string' },
    json: { type: 'string' },
  },
});
if (values.kind !== undefined && !allKinds.includes(values.kind)) throw new Error(`kinds are ${allKinds.join(', ')}`);
const { seed, kind } = values;
const reports = await fuzz({
  ...{ from: Number(values.from), count: Number(values.files), seed },
  ...(kind === undefined ? {} : { kind }),
  onReport: ({ number, kind: found, source, failures }) => {
    for (const text of failures) {
      const only = kind === undefined ? '' : ` --kind ${kind}`;
      console.log(
        `FAILED ${found} of ${source}: npm run bench:fuzz -- --seed ${seed}${only} --from ${number} --files 1\n  ${text.replaceAll('\n', '\n  ')}`,
      );
    }
  },
});
const count = (result: string): number => reports.filter((report) => report.result === result).length;
const failed = reports.filter(({ failures }) => failures.length > 0);
const figures = {
  files: reports.length,
  failures: failed.length,
  opened: count('opened'),
  partial: count('partial'),
  refused: count('refused'),
  slowest_ms: Math.round(reports.reduce((most, { milliseconds }) => Math.max(most, milliseconds), 0)),
};
for (const [each, own] of Object.entries(Object.groupBy(reports, (report) => report.kind)).sort(([a], [b]) =>
  a < b ? -1 : 1,
)) {
  const part = (result: string): string => String(own!.filter((report) => report.result === result).length).padStart(6);
  console.log(
    `${each.padEnd(14)} ${String(own!.length).padStart(6)} files:${part('opened')} opened${part('partial')} partly${part('refused')} refused`,
  );
}
for (const [name, value] of Object.entries(figures)) console.log(`${name.padEnd(14)} ${value}`);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(figures, null, 1)}\n`);
process.exitCode = failed.length > 0 ? 1 : 0;
