/**
 * When the program began and ended, as far as events say it. Recordings begin before and end after: profilers write how long they
 * recorded ("Record Window End"), and close the functions of an interpreter that are still open when they stop. Such functions count
 * where nothing else goes on any more when they are called, or not yet when they return.
 */
import { Extent } from './clock.ts';
import type { RecordingFacts } from './facts.ts';
import type { Rows } from './rows.ts';

/** Functions of PyTorch's profiler, which work on the recording. */
const ofProfiler = '%torch/%profiler%';

/** `zero`: what times of the tables have been counted from since. */
export function tellProgramSpan({ db, clock, categories }: Rows, { isRecorded }: RecordingFacts, zero: number): void {
  if (isRecorded) return;
  const span = new Extent();
  span.add(clock.program.first - zero, clock.program.last - zero);
  const domains = categories.domainsOf('function');
  if (domains.length > 0) {
    const functions = db
      .prepare(
        `SELECT min(iif("end" <= $first, start, NULL)), max(iif(start >= $last, "end", NULL)), min(start), max("end")
         FROM NVTX_EVENTS LEFT JOIN StringIds ON StringIds.id = textId
         WHERE domainId IN (${domains.join(', ')}) AND "end" > start AND value NOT LIKE $profiler`,
      )
      .raw()
      .get({
        first: Number.isFinite(span.first) ? span.first : null,
        last: Number.isFinite(span.last) ? span.last : null,
        profiler: ofProfiler,
      }) as (number | null)[];
    const [before, after, first, last] = functions.map((time) => time ?? undefined);
    if (!Number.isFinite(span.first) && first !== undefined) span.add(first, last!);
    if (before !== undefined) span.add(before, before);
    if (after !== undefined) span.add(after, after);
  }
  if (!Number.isFinite(span.first)) return;
  db.prepare("INSERT INTO SIMSIGHT_RECORDING (name, value) VALUES ('programSpan', ?)").run(
    JSON.stringify([span.first, span.last]),
  );
}
