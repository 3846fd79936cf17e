/**
 * The rows of the threads of a process. A process with one thread has its rows; of several, each has a row with its rows below, or, if
 * it is only one, that row with the thread's name.
 */
import { eventKinds, kindOf } from '../model/event-kinds/index.ts';
import { keyOfRow, type RowOfKind } from '../model/event-kinds/kind.ts';
import { rowKeys } from '../model/event-kinds/row-keys.ts';
import { tidOf } from '../model/nsight-codes.ts';

/** Rows that threads have, from top to bottom. */
export const rowsOfThreads: readonly RowOfKind[] = eventKinds
  .flatMap((kind) => kindOf[kind].rows ?? [])
  .filter(({ of }) => of === 'thread')
  .sort((a, b) => a.place - b.place);

/** Threads (`globalTid`) of a process that have each of these rows. */
export type ThreadsOfRows = ReadonlyMap<RowOfKind, readonly number[]>;

export interface ThreadRow {
  /** Title of the row that contains the others; null where they are by themselves. */
  title: string | null;
  rows: { title: string; key: string }[];
}

interface Names {
  areThreads: boolean;
  nameOf(globalTid: number): string;
  /** True for rows that have events. */
  isThere(key: string): boolean;
}

/**
 * `callers`: threads that call CUDA. `areThreads`: ranges are those of threads, not of NVTX, and have the threads' names. Waits that are
 * known by process are those of its only thread that calls, or in no thread's rows.
 */
export function threadRows(
  process: number,
  threadsOf: ThreadsOfRows,
  callers: readonly number[],
  { areThreads, nameOf, isThere }: Names,
): ThreadRow[] {
  const threads = [...new Set([...threadsOf.values()].flat())].sort((a, b) => a - b);
  const waitsOf = callers.length === 1 ? () => rowKeys.hostSync(process) : rowKeys.threadSync;
  return threads.map((globalTid) => {
    const name = nameOf(globalTid);
    // A name that only counts says less than the number.
    const known = /^thread \d+$/i.test(name) ? '' : name;
    const words = areThreads && name ? name : `thread ${tidOf(globalTid)} ${known}`.trim();
    // Names of files stay as they are.
    const title = words === name ? name : words.slice(0, 1).toUpperCase() + words.slice(1);
    const waits = { title: 'Synchronization', key: waitsOf(globalTid), isThread: false };
    const rows = [
      ...rowsOfThreads.map((row) => {
        const isThread = areThreads && row.titleOfThreads !== undefined;
        return {
          title: (isThread ? row.titleOfThreads : undefined) ?? row.title,
          key: keyOfRow(row, globalTid),
          isThread,
        };
      }),
      ...(callers.length !== 1 || callers[0] === globalTid ? [waits] : []),
    ].filter(({ key }) => isThere(key));
    if (threads.length > 1 && rows.length > 1) return { title, rows };
    const alone = ({ title: what, key, isThread }: (typeof rows)[number]): ThreadRow['rows'][number] => {
      if (isThread) return { title: name || title, key };
      return { title: threads.length > 1 ? `${what}, ${words}` : what, key };
    };
    return { title: null, rows: rows.map(alone) };
  });
}
