/**
 * How long two large recordings take to be compared, opened already.
 *
 *   npm run bench:compare -- [--events 1000000] [--runs 5] [--json FILE]
 *
 * Both are that of `bench:trace`; the one after has as many events, of which every kernel is a tenth shorter. Prints each run and the median,
 * and the largest memory of the process; exit code 1 where the median of a million events takes more than three seconds.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareTraces } from '../../engine/analysis/compare/index.ts';
import { ns } from '../../engine/base/units.ts';
import type { TraceEvent } from '../../engine/model/events.ts';
import { openTrace } from '../../engine/trace/reader.ts';
import { createTraceWriter } from '../../engine/trace/writer.ts';
import { facts, recording } from './recording.ts';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    runs: { type: 'string', default: '5' },
    json: { type: 'string' },
  },
});
const [count, runs] = [Number(values.events), Number(values.runs)];
const mostSeconds = 3;

const shorter = (event: TraceEvent): TraceEvent =>
  event.type === 'kernel' ? { ...event, end: ns(event.end - Math.floor((event.end - event.start) / 10)) } : event;

const folder = mkdtempSync(join(tmpdir(), 'simsight-bench-'));
try {
  const paths = ['before', 'after'].map((name) => join(folder, `${name}.simsight`));
  paths.forEach((path, i) => {
    const writer = createTraceWriter(path, facts);
    for (const batch of recording(count)) writer.append(i === 0 ? batch : batch.map(shorter));
    writer.finish({ exitCode: 0, notices: [], complete: true });
  });
  const seconds: number[] = [];
  for (let run = 0; run < runs; run++) {
    // Opened anew, so that nothing of an earlier run is unpacked.
    const [before, after] = paths.map((path) => openTrace(path));
    const start = performance.now();
    const { rows, waterfall, judgement } = compareTraces(before!, after!);
    seconds.push((performance.now() - start) / 1e3);
    const sum = waterfall.reduce((all, { differenceNs }) => all + differenceNs, 0);
    if (sum !== judgement.afterNs - judgement.beforeNs) throw new Error(`the waterfall adds up to ${sum} ns`);
    console.log(`run ${run + 1}  ${seconds.at(-1)!.toFixed(2)} s, ${rows.length} rows, ${judgement.verdict}`);
    before!.close();
    after!.close();
  }
  const median = seconds.toSorted((a, b) => a - b)[seconds.length >> 1]!;
  const memory = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(`\ncompare_${count}_s   ${median.toFixed(2)} s   median of ${runs}, ${memory} MB at most`);
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify({ [`compare_${count}_s`]: median, peak_rss_mb: memory }, null, 1)}\n`);
  if (count <= 1_000_000 && median > mostSeconds) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
