/** Opens a recording for a command; says on a terminal how far that is. */
import { importsFolder } from '../base/paths.ts';
import type { OpenProgress } from '../api/types.ts';
import { openRecordingFile, type OpenOptions } from '../formats/open.ts';
import { openTrace, type Trace } from '../trace/reader.ts';
import type { TraceFile } from '../trace/open-file.ts';
import { dataFolder } from './command.ts';

export async function openFile(path: string): Promise<TraceFile> {
  const isTerminal = process.stderr.isTTY;
  const options: OpenOptions = { cacheFolder: importsFolder(dataFolder()) };
  if (isTerminal) options.onProgress = (progress) => void process.stderr.write(`\r${textOf(progress)}\u001b[K`);
  try {
    return await openRecordingFile(path, options);
  } finally {
    if (isTerminal) process.stderr.write('\r\u001b[K');
  }
}

export const openForCommand = async (path: string): Promise<Trace> => openTrace(path, await openFile(path));

function textOf({ phase, done, total, unit }: OpenProgress): string {
  const share = total > 0 ? ` ${Math.floor((100 * done) / total)} %` : '';
  if (phase === 'index') return `Making the rows of the timeline${share} …`;
  const amount = unit === 'bytes' ? `${Math.round(done / 1e6)} MB` : `${done.toLocaleString('en')} rows`;
  return `Importing${share}, ${amount} …`;
}
