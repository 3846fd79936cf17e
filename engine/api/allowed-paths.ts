/**
 * Which files a front end may name. In browser mode these are the folders that were granted on the command line, what
 * was named there, the recordings and the examples; links are followed before the check, so that a link inside a granted
 * folder opens nothing outside of it. The desktop app has the recordings and the examples, and what the user has chosen in a dialog,
 * dropped on a window or named on the command line, which its main process tells ({@link grantsOf}): never what its page asks for.
 */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, isAbsolute } from 'node:path';
import { SimsightError } from '../base/errors.ts';

export class AllowedPaths {
  /** Folders and files without links; null: everything is allowed. */
  private readonly roots: string[] | null;

  /** `roots` null lets everything through. */
  constructor(roots: readonly string[] | null) {
    this.roots = roots && roots.map(withoutLinks);
  }

  allows(path: string): boolean {
    if (!this.roots) return true;
    const real = withoutLinks(path);
    return this.roots.some((root) => isWithin(root, real));
  }

  /** From now on. */
  grant(paths: readonly string[]): void {
    this.roots?.push(...paths.map(withoutLinks));
  }

  /** The absolute path; throws `file-not-allowed`, in the same words whether there is such a file or not. */
  check(path: string): string {
    if (this.allows(path)) return resolve(path);
    throw new SimsightError(
      'file-not-allowed',
      `${path} is not in a folder that this session may use.`,
      'Choose it in a dialog of the desktop app; in a browser, start Simsight with "--folder" for the folder that it is in.',
      { file: path },
    );
  }
}

/** What somebody who chooses a file means by it: a source includes what lies beside it and below, a trace has notes beside it. */
export function grantsOf(path: string): string[] {
  const full = resolve(path);
  return /\.(cu|cuh|cpp|cc|cxx|c|h|hpp)$/i.test(full) ? [dirname(full)] : [full, `${full}.notes.json`];
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (!/^\.\.([/\\]|$)/.test(way) && !isAbsolute(way));
}

/** The path with all links followed, as far as it exists: what is to be written may not exist yet. */
function withoutLinks(path: string): string {
  const full = resolve(path);
  if (existsSync(full)) return realpathSync(full);
  const parent = dirname(full);
  return parent === full ? full : join(withoutLinks(parent), basename(full));
}
