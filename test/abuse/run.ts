/**
 * Does to Simsight what hostile programs and files, full disks and killed processes do: nothing may get out of the sandbox, nothing
 * that was kept may be lost, nothing may be answered wrongly, and nothing may take for ever.
 *
 *   npm run abuse [-- SECTION…] [--seed A] [--count N] [--from N] [--json FILE]
 *
 * Prints for each section how many were tried, how many survived, how many were lost; exit code 1 if any was lost.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sections } from './index.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: 'A' },
    count: { type: 'string' },
    from: { type: 'string' },
    json: { type: 'string' },
  },
});
const unknown = positionals.filter((name) => !sections.some((section) => section.name === name));
if (unknown.length > 0) {
  console.error(`No section ${unknown.join(', ')}: there are ${sections.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}
const chosen = positionals.length === 0 ? sections : sections.filter(({ name }) => positionals.includes(name));
const figures: Record<string, Record<string, number>> = {};
for (const section of chosen) {
  console.log(`\n${section.name}: ${section.title}`);
  const folder = mkdtempSync(join(tmpdir(), `simsight-abuse-${section.name}-`));
  const counts = { tried: 0, survived: 0, lost: 0, slowest_ms: 0 };
  try {
    await section.run({
      folder,
      seed: values.seed,
      ...(values.count === undefined ? {} : { count: Number(values.count) }),
      ...(values.from === undefined ? {} : { from: Number(values.from) }),
      onAttempt({ name, failure, milliseconds }) {
        counts.tried++;
        counts[failure === null ? 'survived' : 'lost']++;
        counts.slowest_ms = Math.max(counts.slowest_ms, Math.round(milliseconds));
        if (failure !== null)
          console.log(`LOST ${name} (--seed ${values.seed})\n  ${failure.replaceAll('\n', '\n  ')}`);
      },
    });
  } catch (error) {
    // A section that cannot go on has not stood what was left of it.
    counts.tried++;
    counts.lost++;
    console.log(`LOST the section itself\n  ${error instanceof Error ? error.stack : String(error)}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  figures[section.name] = counts;
  console.log(
    `${section.name.padEnd(10)} ${String(counts.tried).padStart(6)} tried ${String(counts.survived).padStart(6)} survived ${String(counts.lost).padStart(6)} lost, the slowest took ${(counts.slowest_ms / 1000).toFixed(1)} s`,
  );
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(figures, null, 1)}\n`);
process.exitCode = Object.values(figures).some(({ lost, tried }) => lost! > 0 || tried === 0) ? 1 : 0;
