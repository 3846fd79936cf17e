/**
 * What is shown of the threads of a process. A process with one thread has its rows; of several, each has a row with its rows below,
 * or, if it is only one, that row with the thread's name.
 */
import { tidOf } from './codes.ts';
import { trackKeys } from './tracks.ts';

/** Threads (`globalTid`) of a process with ranges, with calls of CUDA and of the system. */
export interface ThreadsOfProcess {
  ranges: readonly number[];
  api: readonly number[];
  os: readonly number[];
}
export interface ThreadRow {
  /** Of the row that the others are below; null where they are by themselves. */
  title: string | null;
  rows: { title: string; key: string }[];
}

interface Names {
  areThreads: boolean;
  nameOf(globalTid: number): string;
  /** Whether a row has events. */
  isThere(key: string): boolean;
}

/**
 * `areThreads`: ranges are those of threads, not of NVTX, and have the threads' names. Waits that are known by process are those
 * of its only thread that calls, or in no thread's rows.
 */
export function threadRows(
  process: number,
  { ranges, api, os }: ThreadsOfProcess,
  { areThreads, nameOf, isThere }: Names,
): ThreadRow[] {
  const threads = [...new Set([...ranges, ...api, ...os])].sort((a, b) => a - b);
  const waitsOf = api.length === 1 ? () => trackKeys.hostSync(process) : trackKeys.threadSync;
  return threads.map((globalTid) => {
    const name = nameOf(globalTid);
    // A name that only counts says less than the number.
    const known = /^thread \d+$/i.test(name) ? '' : name;
    const words = areThreads && name ? name : `thread ${tidOf(globalTid)} ${known}`.trim();
    // Names of files stay as they are.
    const title = words === name ? name : words.slice(0, 1).toUpperCase() + words.slice(1);
    const rows = [
      { title: areThreads ? 'Ranges' : 'NVTX', key: trackKeys.nvtx(globalTid) },
      { title: 'CUDA API', key: trackKeys.api(globalTid) },
      { title: 'OS runtime', key: trackKeys.osrt(globalTid) },
      ...(api.length !== 1 || api[0] === globalTid ? [{ title: 'Synchronization', key: waitsOf(globalTid) }] : []),
    ].filter(({ key }) => isThere(key));
    if (threads.length > 1 && rows.length > 1) return { title, rows };
    const alone = ({ title: what, key }: ThreadRow['rows'][number]): ThreadRow['rows'][number] => {
      if (what === 'Ranges') return { title: areThreads && name ? name : title, key };
      return { title: threads.length > 1 ? `${what}, ${words}` : what, key };
    };
    return { title: null, rows: rows.map(alone) };
  });
}
