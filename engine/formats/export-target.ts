/** Where an export goes: beside its name until it is complete, so that a name never stands for half a file. */
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SimsightError } from '../base/errors.ts';
import type { TraceFile } from '../trace/open-file.ts';

/** `write` gets the name to write to. What was there stays as it is unless all went well and `replace` is set. */
export async function writeTarget(
  path: string,
  replace: boolean,
  write: (temporary: string) => Promise<void> | void,
): Promise<void> {
  checkTarget(path, replace);
  const temporary = `${path}.new`;
  rmSync(temporary, { recursive: true, force: true });
  try {
    await write(temporary);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
    throw new SimsightError('file-not-allowed', `${path} cannot be written: ${error.message}`, 'Choose another file.', {
      file: path,
    });
  }
}

function checkTarget(path: string, replace: boolean): void {
  const folder = dirname(resolve(path));
  if (!existsSync(folder)) {
    throw new SimsightError('file-not-found', `The folder ${folder} does not exist.`, 'Create it, or choose another.', {
      file: path,
    });
  }
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return;
  if (found.isDirectory()) {
    throw new SimsightError('file-is-directory', `${path} is a folder that exists already.`, 'Choose another name.', {
      file: path,
    });
  }
  // The one file that cannot be made again.
  if (path.endsWith('.simsight') || !replace) {
    const remedy = path.endsWith('.simsight') ? 'Choose another name.' : 'Choose another name, or add --force.';
    throw new SimsightError('file-not-allowed', `${path} exists.`, remedy, { file: path });
  }
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
