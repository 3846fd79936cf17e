/**
 * Opens recordings: our own traces as they are, and what other tools wrote, of which a trace is made first.
 *
 *   const trace = await openRecording('report.sqlite', { cacheFolder, signal, onProgress });
 *
 * That is kept in `cacheFolder` for the next time; without one it is gone when the trace is closed. The file is never written to.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { errorFrom, SimsightError } from '../base/errors.ts';
import { workerUrl } from '../base/paths.ts';
import { openTraceFile, type TraceFile } from '../trace/open-file.ts';
import { openTrace, type Trace } from '../trace/reader.ts';
import { findImport, importKey, keepImport, makingPrefix, pruneCache, removeQuietly } from './import-cache.ts';
import { preparationOf, prepare, type OnProgress, type Preparation } from './prepare.ts';
import type { FromPreparation, PrepareOrder } from './prepare-worker.ts';

export interface OpenOptions {
  /** Folder in which results of opening files are kept for the next time. */
  cacheFolder?: string;
  signal?: AbortSignal;
  onProgress?: OnProgress;
  /** Work in this thread, which can then do nothing else, and cannot cancel: for programs that open one file after the other. */
  here?: boolean;
}

/** Throws a `SimsightError` that names the file and what it is. */
export async function openRecording(path: string, options: OpenOptions = {}): Promise<Trace> {
  return openTrace(path, await openRecordingFile(path, options));
}

/** The same without reading what is in it. */
export async function openRecordingFile(path: string, options: OpenOptions = {}): Promise<TraceFile> {
  const preparation = preparationOf(path);
  if (preparation === null) return openTraceFile(path);
  // A file that is still being written is another file the next time.
  const cacheFolder = preparation === 'log' ? undefined : options.cacheFolder;
  if (cacheFolder === undefined) return openMade(path, preparation, mkdtempSync(join(tmpdir(), 'simsight-')), options);
  const key = importKey(path);
  const known = await findImport(key, cacheFolder);
  if (known !== null) {
    try {
      return openTraceFile(known);
    } catch {
      // It is as it was made, and of no use.
      removeQuietly(known);
    }
  }
  const part = folderIn(cacheFolder);
  if (part === null) return openMade(path, preparation, mkdtempSync(join(tmpdir(), 'simsight-')), options);
  return openMade(path, preparation, part, options, (made) => keepImport(key, made, cacheFolder));
}

/** A new folder where traces are kept; null where nothing can be kept. */
function folderIn(cacheFolder: string): string | null {
  try {
    mkdirSync(cacheFolder, { recursive: true });
    pruneCache(cacheFolder);
    return mkdtempSync(join(cacheFolder, makingPrefix()));
  } catch {
    return null;
  }
}

/** Makes the trace in a folder, which is gone when that is closed, or at once where `keep` puts the trace somewhere else. */
async function openMade(
  path: string,
  preparation: Preparation,
  folder: string,
  options: OpenOptions,
  keep?: (made: string) => Promise<string | null>,
): Promise<TraceFile> {
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const forget = (): void => {
    process.off('exit', remove);
    remove();
  };
  try {
    const target = join(folder, 'trace.simsight');
    await make({ path, preparation, target }, options);
    const kept = (await keep?.(target)) ?? null;
    if (kept !== null) {
      forget();
      const file = openTraceFile(kept);
      pruneCache(dirname(kept));
      return file;
    }
    const file = openTraceFile(target);
    const close = (): void => {
      file.close();
      forget();
    };
    return { ...file, close };
  } catch (error) {
    forget();
    throw error;
  }
}

/**
 * Writes the trace made of another tool's recording to `target`, which must not exist. Throws for what is a trace already, and
 * for what is no recording.
 */
export async function convertRecording(path: string, target: string, options: OpenOptions = {}): Promise<void> {
  const preparation = preparationOf(path);
  if (preparation === 'nsys' || preparation === 'chrome') return make({ path, preparation, target }, options);
  openTraceFile(path).close();
  throw new SimsightError('usage', `${path} is a trace of Simsight already.`, 'It needs no import.', { file: path });
}

async function make(order: PrepareOrder, { signal, onProgress, here }: OpenOptions): Promise<void> {
  if (here) return prepare(order.path, order.preparation, order.target, onProgress ?? (() => {}));
  const cancelled = (): SimsightError => new SimsightError('cancelled', 'Opening was cancelled.');
  if (signal?.aborted) throw cancelled();
  const worker = new Worker(workerUrl('formats/prepare-worker'), { workerData: order });
  let abort = (): void => {};
  try {
    await new Promise<void>((done, fail) => {
      abort = () => fail(cancelled());
      signal?.addEventListener('abort', abort, { once: true });
      worker.on('message', (message: FromPreparation) => {
        if ('progress' in message) onProgress?.(message.progress);
        else if ('error' in message) fail(errorFrom(message.error));
        else done();
      });
      worker.on('error', (error) => {
        const text = `${order.path} could not be opened: ${error instanceof Error ? error.message : String(error)}`;
        fail(new SimsightError('file-unreadable', text, '', { file: order.path }));
      });
      worker.on('exit', (code) => {
        fail(new SimsightError('internal', `The thread that opens ${order.path} ended unexpectedly (code ${code}).`));
      });
    });
  } finally {
    signal?.removeEventListener('abort', abort);
    worker.removeAllListeners('exit');
    await worker.terminate();
  }
}
