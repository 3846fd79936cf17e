/** Chrome traces of tests: writes them, opens them, and events to put in. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRecording } from '../../../engine/formats/open.ts';
import type { Trace } from '../../../engine/trace/reader.ts';

export type ChromeEvent = Record<string, unknown>;

export async function opened<T>(path: string, look: (trace: Trace) => T): Promise<T> {
  const trace = await openRecording(path, { here: true });
  try {
    return look(trace);
  } finally {
    trace.close();
  }
}

/** Writes files to `folder` and opens them. */
export function chromeFiles(folder: string): {
  written: (content: string | Buffer, name?: string) => string;
  read: <T>(content: string | Buffer, look: (trace: Trace) => T, name?: string) => Promise<T>;
  readEvents: <T>(events: readonly unknown[], look: (trace: Trace) => T) => Promise<T>;
} {
  let count = 0;
  const written = (content: string | Buffer, name = `${++count}.json`): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  return {
    written,
    read: (content, look, name) => opened(written(content, name), look),
    readEvents: (events, look) => opened(written(JSON.stringify({ traceEvents: events })), look),
  };
}

/** A range of a thread. */
export const range = (name: string, ts: unknown, dur: unknown, more: ChromeEvent = {}): ChromeEvent => ({
  ...{ ph: 'X', cat: 'cpu_op', name, pid: 100, tid: 101, ts, dur },
  ...more,
});

export const call = (name: string, ts: unknown, dur: unknown, correlation?: unknown): ChromeEvent => ({
  ...{ ph: 'X', cat: 'cuda_runtime', name, pid: 100, tid: 101, ts, dur },
  ...{ args: correlation === undefined ? {} : { correlation } },
});

export const kernel = (name: string, ts: unknown, dur: unknown, more: ChromeEvent = {}): ChromeEvent => ({
  ...{ ph: 'X', cat: 'kernel', name, pid: 0, tid: 7, ts, dur },
  args: { ...{ device: 0, context: 1, stream: 7, grid: [4, 1, 1], block: [128, 1, 1] }, ...more },
});

/** Ranges and marks: their name, start and end (ns). */
export const rangesIn = (trace: Trace): unknown[][] =>
  trace.query(
    `SELECT coalesce(text, value) AS name, start, end FROM NVTX_EVENTS LEFT JOIN StringIds ON id = textId
     WHERE eventType IN (34, 59, 60) ORDER BY start, end DESC, name`,
  );

/** The notice with a word in it. */
export const noticeOf = (trace: Trace, word: string): string =>
  trace.info.notices.find((text) => text.includes(word)) ?? '';
