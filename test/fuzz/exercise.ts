/** Does to a file whatever the app does to a trace. Answers and clear errors are right; all else is told. */
import { join } from 'node:path';
import { eventKinds } from '../../engine/model/event-kinds/index.ts';
import { compareTraces } from '../../engine/analysis/compare/index.ts';
import { writeReport } from '../../engine/analysis/report/index.ts';
import { makeReport, reportNames } from '../../engine/analysis/reports.ts';
import { SimsightError } from '../../engine/base/errors.ts';
import { writeChromeTrace } from '../../engine/formats/export-chrome.ts';
import { writeParquetFolder } from '../../engine/formats/export-parquet.ts';
import { writeNsysExport, writeWhole } from '../../engine/formats/export-sqlite.ts';
import { tableNames } from '../../engine/formats/export-tables.ts';
import { openRecording, openRecordingFile } from '../../engine/formats/open.ts';
import type { Trace } from '../../engine/trace/reader.ts';
import { querySql } from '../../engine/trace/sql-query.ts';
import type { Random } from './random.ts';

export interface Outcome {
  /** Opened and all questions answered; some were refused; the file was. */
  result: 'opened' | 'partial' | 'refused';
  /** The failures that were no clear error, with where they came from. */
  failures: string[];
}

/** `scratch`: an empty folder for what is exported, which is done with this part of the files. */
export async function exercise(path: string, random: Random, scratch: string, exported: number): Promise<Outcome> {
  const outcome: Outcome = { result: 'opened', failures: [] };
  const attempt = async <T>(what: string, work: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      // Asking for an event that is not there is a mistake of whoever asks.
      const isOwn = error instanceof SimsightError && error.code === 'bad-request';
      if (!isOwn) outcome.result = 'partial';
      const isClear = error instanceof SimsightError && error.code !== 'internal' && error.message.length < 2000;
      if (!isClear) {
        outcome.failures.push(
          `${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`.slice(0, 1500),
        );
      }
      return undefined;
    }
  };
  const trace = await attempt('open', () => openRecording(path, { here: true }));
  if (!trace) return { ...outcome, result: 'refused' };
  try {
    await look(trace, random, attempt);
  } finally {
    trace.close();
  }
  if (random.chance(exported)) {
    await attempt('export', async () => {
      const file = await openRecordingFile(path, { here: true });
      try {
        const exports: (() => void | Promise<void>)[] = [
          () => writeChromeTrace(file, join(scratch, 'out.json'), false),
          () => writeNsysExport(file, join(scratch, 'out.sqlite')),
          () => writeWhole(file, join(scratch, 'whole.sqlite')),
          () => writeParquetFolder(file, tableNames(file), join(scratch, 'parquet')),
        ];
        for (const each of exports) await attempt('export', each);
      } finally {
        file.close();
      }
    });
  }
  return outcome;
}

type Attempt = <T>(what: string, work: () => T | Promise<T>) => Promise<T | undefined>;

async function look(trace: Trace, random: Random, attempt: Attempt): Promise<void> {
  const { tracks, durationNs } = trace.info;
  const ids = tracks.slice(0, 300).map(({ id }) => id);
  const isSound =
    Number.isFinite(durationNs) &&
    durationNs >= 0 &&
    tracks.every(({ lanes, busy }) => lanes >= 0 && busy >= 0 && busy <= 1);
  if (!isSound)
    await attempt('info', () =>
      Promise.reject(
        new Error(
          `durations or rows make no sense: ${durationNs} ${JSON.stringify(tracks.filter(({ lanes, busy }) => !(lanes >= 0 && busy >= 0 && busy <= 1)))}`,
        ),
      ),
    );
  for (let zoom = 0; zoom < 4; zoom++) {
    const span = durationNs / 20 ** zoom;
    const from = (durationNs - span) * (random.below(1000) / 1000);
    const resolution = span / 1000 <= 1 ? 0 : 2 ** Math.ceil(Math.log2(span / 1000));
    for (const id of ids) {
      const [window] =
        (await attempt(`window of ${tracks[id]?.title}`, () => trace.window([id], from, from + span, resolution))) ??
        [];
      if (window && window.durations.some((length) => !(length >= 0)))
        await attempt('window', () =>
          Promise.reject(
            new Error(
              `an event has no length that can be drawn: ${String(window.durations.find((length) => !(length >= 0)))} on ${tracks[id]?.title}`,
            ),
          ),
        );
    }
  }
  for (const kind of eventKinds) {
    for (const row of [1, 2, 1 + random.below(1000), 2 ** 31])
      await attempt(`event ${kind}`, () => trace.event({ kind, row }));
  }
  for (const kernel of [1, 1 + random.below(50)]) {
    await attempt('warps', () => trace.warpWindows(kernel, [0, 1, 2, 3], 0, 1e5, random.pick([0, 16, 1024])));
    await attempt('correlated', () => trace.correlated('kernel', random.below(2000)));
  }
  const { queries } = trace;
  const text = random.pick(['a', 'kernel', '/^c.*/', '/(a+)+$/', '', 'Memcpy']);
  const filter = (await attempt('expression', () => queries.resolve({ text }))) ?? {};
  await attempt('search', () => queries.search(filter, 100));
  await attempt('next', () => queries.next(filter, { timeNs: durationNs / 2 }, random.pick(['next', 'previous'])));
  await attempt('summarize', () => queries.summarize({ fromNs: durationNs / 4, toNs: durationNs / 2 }));
  await attempt('page', () => queries.page({}, random.pick(['start', 'duration', 'name']), random.chance(0.5), 0, 200));
  await attempt('console', () => trace.console());
  await attempt('sources', () => trace.sources());
  await attempt('compare', () => compareTraces(trace, trace));
  for (const name of reportNames) await attempt(`report ${name}`, () => makeReport(trace, name));
  if (random.chance(0.3)) {
    const sql = 'SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY end - start DESC LIMIT 20';
    await attempt('sql', () =>
      querySql({ path: trace.storedAt, text: sql, limit: 20 } as Parameters<typeof querySql>[0]),
    );
  }
  await attempt('document', () => {
    const input = { name: 'spoilt.simsight', before: { trace, name: 'spoilt.simsight' } };
    const { text, pictures } = writeReport(trace, random.pick(['html', 'markdown']), input);
    const drawn = [text, ...pictures.map((picture) => picture.text)].join('\n');
    const wrong = /="[^"<>]*(?:NaN|Infinity)[^"<>]*"/.exec(drawn)?.[0];
    if (wrong !== undefined) throw new Error(`a picture has no place for something: ${wrong.slice(0, 200)}`);
  });
}
