/** Target of an export: written beside its name until it is complete, so that a name never stands for half a file. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileError } from '../base/errors.ts';
import { exportTarget, type ExportOrder } from '../base/targets.ts';
import { removeAbandoned, unfinishedName } from '../base/unfinished-files.ts';
import type { TraceFile } from '../trace/open-file.ts';

/**
 * `write` gets the name to write to. What was there stays as it is unless all went well, the order allows to write over it, and it is
 * nothing that may not be lost (engine/base/targets.ts).
 */
export async function writeTarget(
  name: string,
  order: ExportOrder,
  write: (temporary: string) => Promise<void> | void,
): Promise<void> {
  const path = exportTarget(name, order);
  let temporary = '';
  try {
    removeAbandoned(path);
    temporary = unfinishedName(path);
    await write(temporary);
    // Somebody may have put something there meanwhile.
    exportTarget(name, order);
    renameSync(temporary, path);
  } catch (error) {
    if (temporary !== '')
      for (const end of ['', '-journal', '-wal', '-shm']) rmSync(temporary + end, { recursive: true, force: true });
    throw fileError(error, namesItself(error, temporary) ? name : undefined) ?? error;
  }
}

/** All of them, or none where one may not be written. */
export async function writeTexts(
  files: readonly { name: string; text: string }[],
  order: Omit<ExportOrder, 'holds'>,
): Promise<void> {
  for (const { name } of files) exportTarget(name, { ...order, holds: 'text' });
  for (const { name, text } of files)
    await writeTarget(name, { ...order, holds: 'text' }, (temporary) => writeFileSync(temporary, text));
}

/** True if an error is about what is being written, rather than about what is read. */
function namesItself(error: unknown, temporary: string): boolean {
  const { path, dest } = error as { path?: unknown; dest?: unknown };
  const named = [path, dest].filter((each) => typeof each === 'string');
  return named.length === 0 || named.some((each) => each.startsWith(temporary));
}

/** Runs what reads a trace in order to export it: complaints about a broken one become a clear error. */
export async function reading(file: TraceFile, work: () => Promise<void> | void): Promise<void> {
  try {
    await work();
  } catch (error) {
    file.guarded(() => {
      throw error;
    });
  }
}
