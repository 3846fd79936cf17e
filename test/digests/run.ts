/**
 * Check that recordings are the same as before, to the bit: every time, counter, warp and instruction. A digest of each trace is
 * compared with the one in `test/reference/digests.txt`, beside the length of the recording (ns).
 *
 *   npm run digests -- [WORD…] [--write] [--execute-all] [--tables FILE] [--home DIR]
 *
 * Words choose recordings by parts of their names. `--write` keeps the new digests instead: for a change that is meant to change
 * results, whose message says which. `--tables` names the tables that differ from those in FILE, which `--write` writes: run it on
 * the version before. `--execute-all` is that of recordings, and has to change nothing. Exit code 1 where something differs.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openTrace } from '../../engine/trace/reader.ts';
import { digestTrace, type TableDigests } from './digest.ts';
import { recordings, type Recorded } from './programs.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: 'boolean', default: false },
    'execute-all': { type: 'boolean', default: false },
    tables: { type: 'string' },
    home: { type: 'string' },
  },
});
const root = join(import.meta.dirname, '../..');
const kept = join(root, 'test/reference/digests.txt');
const home = values.home ?? join(tmpdir(), 'simsight-digests');
mkdirSync(home, { recursive: true });

const chosen = recordings(positionals);
if (chosen.length === 0) {
  console.error(`No recording's name contains ${positionals.join(' or ')}.`);
  process.exit(2);
}

/** `4f0c… 1234567`, by name. */
const before = existsSync(kept) ? readLines(kept) : {};
const tablesBefore =
  values.tables !== undefined && existsSync(values.tables)
    ? (JSON.parse(readFileSync(values.tables, 'utf8')) as Record<string, TableDigests>)
    : {};
const after: Record<string, string> = {};
const tables: Record<string, TableDigests> = {};
const start = performance.now();
/** Recorded at a time: one compiles while the other simulates. */
const side = 2;
const queue = chosen.values();
await Promise.all(
  Array.from({ length: side }, async () => {
    for (const one of queue) {
      const { name } = one;
      after[name] = await digestOf(one);
      if (!values.write && after[name] !== before[name]) console.log(difference(name));
    }
  }),
);
if (values.write) {
  writeLines(kept, { ...(positionals.length === 0 ? {} : before), ...after });
  if (values.tables !== undefined)
    writeFileSync(values.tables, JSON.stringify({ ...tablesBefore, ...tables }, null, 1));
}
const different = chosen.filter(({ name }) => after[name] !== before[name]).length;
const seconds = ((performance.now() - start) / 1000).toFixed(0);
console.log(`${chosen.length - different} of ${chosen.length} recordings hold the same as before; ${seconds} s`);
process.exitCode = different > 0 && !values.write ? 1 : 0;

/** The digest of one recording's trace, and how long it is; of one without a trace, why. */
async function digestOf({ name, record }: Recorded): Promise<string> {
  const out = mkdtempSync(join(tmpdir(), 'simsight-digest-'));
  const path = join(out, 'trace.simsight');
  try {
    const failure = await record(path, { home, out, executeAll: values['execute-all'] }).then(() => 'no trace', String);
    if (!existsSync(path)) return failure.split('\n')[0]!;
    tables[name] = digestTrace(path, [out, home, root]);
    const trace = openTrace(path);
    const { durationNs } = trace.info;
    trace.close();
    const digest = createHash('sha256').update(JSON.stringify(tables[name])).digest('hex');
    return `${digest.slice(0, 16)} ${durationNs}`;
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

function difference(name: string): string {
  const known = tablesBefore[name];
  const now = tables[name] ?? {};
  const changed =
    known && [...new Set([...Object.keys(known), ...Object.keys(now)])].filter((t) => known[t] !== now[t]);
  return `${name}: ${after[name]}, not ${before[name] ?? 'known'}${changed ? ` (${changed.join(', ')})` : ''}`;
}

/** Lines of `name: text`. */
function readLines(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return Object.fromEntries(lines.map((line) => line.split(': ', 2) as [string, string]));
}
function writeLines(file: string, texts: Record<string, string>): void {
  const sorted = Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(file, sorted.map(([name, text]) => `${name}: ${text}\n`).join(''));
}
