/** Recordings that were cut short: what their traces lack, and what else there is, said alike in the app and by every command. */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { headOf } from '../base/head.ts';
import { withoutLinks } from '../base/real-paths.ts';
import { targetAt } from '../base/targets.ts';
import { previousOf } from './previous.ts';
import { storedKinds } from './tables.ts';

/** `ask` answers a query of ours on the trace that was made of the file at `path`. None for a trace that is whole and alone. */
export function cutShortNotices(path: string, ask: (sql: string) => readonly (readonly unknown[])[]): string[] {
  const isWhole = ask("SELECT value FROM SIMSIGHT_RECORDING WHERE name = 'complete'")[0]?.[0] === 'true';
  const real = withoutLinks(path);
  const previous = previousOf(real);
  const isKept = existsSync(previous) && isTrace(previous);
  if (isWhole) return isKept ? [`The trace that this one replaced is still beside it: ${basename(previous)}.`] : [];
  const log = `${basename(real)}-wal`;
  return [
    'The recording was cut short: what happened after the last event shown is not in this trace.',
    ...(lacksLog(real) && !hasEvents(ask)
      ? [`Its log is missing: what was recorded is in ${log}, which belongs beside it. Copy both files.`]
      : []),
    ...(isKept ? [`The trace that was to be replaced is kept beside this one: ${basename(previous)}.`] : []),
  ];
}

const hasEvents = (ask: (sql: string) => readonly unknown[]): boolean =>
  [...storedKinds.values()].some(({ stored }) => ask(`SELECT 1 FROM SIMSIGHT_EVENTS_${stored} LIMIT 1`).length > 0);

/** While it is written, a trace is a file that says so in its header (sqlite.org/fileformat2.html, offset 18) and a log. */
function lacksLog(path: string): boolean {
  return !existsSync(`${path}-wal`) && headOf(path, 20)[18] === 2;
}

function isTrace(path: string): boolean {
  try {
    return targetAt(path).found === 'trace';
  } catch {
    return false;
  }
}
