/** Opens a recording for a command; says on a terminal how far that is. */
import { setFlagsFromString } from 'node:v8';
import { importsFolder } from '../base/paths.ts';
import { failuresInWords } from '../trace/failures.ts';
import type { OpenProgress } from '../model/timeline.ts';
import { openRecordingFile } from '../formats/open.ts';
import { openTrace, type Trace } from '../trace/reader.ts';
import type { TraceFile } from '../trace/open-file.ts';
import { cutShortNotices } from '../trace/cut-short.ts';
import { dataFolder, printError, printProgress } from './command.ts';

/**
 * Heap growth before a garbage collection (%). By default the heap grows to four times its live size, which for a report of
 * a million events is a gigabyte of garbage; this takes no longer.
 */
const heapGrowth = 80;

export async function openFile(path: string): Promise<TraceFile> {
  setFlagsFromString(`--heap-growing-percent=${heapGrowth}`);
  const cacheFolder = importsFolder(dataFolder());
  const file = await showingProgress((onProgress) => openRecordingFile(path, { cacheFolder, onProgress }));
  for (const notice of noticesOf(path, file)) printError(`simsight: ${path}: ${notice}\n`);
  return file;
}

/** Notices about a recording that was cut short, which every command prints. */
export const noticesOf = (path: string, { db, guarded }: TraceFile): string[] =>
  guarded(() => cutShortNotices(path, (sql) => db.prepare(sql).raw().all() as unknown[][]));

/** Progress is one line on stderr, where that is a terminal. */
export async function showingProgress<T>(
  work: (onProgress: (progress: OpenProgress) => void) => Promise<T>,
): Promise<T> {
  const isTerminal = process.stderr.isTTY;
  try {
    return await work((progress) => {
      if (isTerminal) printProgress(textOf(progress));
    });
  } finally {
    if (isTerminal) printProgress('');
  }
}

/** Launches that failed are said on stderr, whatever is asked of the recording. */
export async function openForCommand(path: string): Promise<Trace> {
  const trace = openTrace(path, await openFile(path));
  const { failures } = trace.info;
  if (failures.length > 0) printError(`simsight: ${path}: ${failuresInWords(failures)}\n`);
  return trace;
}

function textOf({ phase, done, total, unit }: OpenProgress): string {
  const share = total > 0 ? ` ${Math.floor((100 * done) / total)} %` : '';
  if (phase === 'index') return `Building the timeline rows${share} …`;
  const amount = unit === 'bytes' ? `${Math.round(done / 1e6)} MB` : `${done.toLocaleString('en')} rows`;
  return `Importing${share}, ${amount} …`;
}
