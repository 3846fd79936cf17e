/**
 * Which files a front end may name. In browser mode these are the folders that were granted on the command line, what
 * was named there, the recordings and the examples; links are followed before the check, so that a link inside a granted
 * folder opens nothing outside of it. The desktop app has the recordings and the examples, and what the user has chosen in a dialog,
 * dropped on a window or named on the command line, which its main process tells ({@link grantsOf}): never what its page asks for. What is
 * written by a front end's name goes below the folders of recordings and sweeps, in either.
 */
import { dirname, resolve } from 'node:path';
import { SimsightError } from '../base/errors.ts';
import { isWithin, withoutLinks } from '../base/real-paths.ts';

const ofSession = {
  where: 'in a folder that this session may access',
  remedy:
    'Choose it in a dialog of the desktop app; in a browser, start Simsight with "--folder" and the folder that contains it.',
};

export class AllowedPaths {
  /** Folders and files without links; null: everything is allowed. */
  private readonly roots: string[] | null;
  private readonly words: typeof ofSession;

  /** `roots` null lets everything through; `words` say what the others are not. */
  constructor(roots: readonly string[] | null, words = ofSession) {
    this.roots = roots && roots.map((root) => withoutLinks(root));
    this.words = words;
  }

  allows(path: string): boolean {
    if (!this.roots) return true;
    const real = withoutLinks(path);
    return this.roots.some((root) => isWithin(root, real));
  }

  /** From now on. */
  grant(paths: readonly string[]): void {
    this.roots?.push(...paths.map((path) => withoutLinks(path)));
  }

  /** The absolute path; throws `file-not-allowed`, in the same words whether there is such a file or not. */
  check(path: string): string {
    if (this.allows(path)) return resolve(path);
    const { where, remedy } = this.words;
    throw new SimsightError('file-not-allowed', `${path} is not ${where}.`, remedy, { file: path });
  }
}

/** Paths granted with a chosen file: a source includes files beside and below it, a trace has its notes beside it. */
export function grantsOf(path: string): string[] {
  const full = resolve(path);
  return /\.(cu|cuh|cpp|cc|cxx|c|h|hpp)$/i.test(full) ? [dirname(full)] : [full, `${full}.notes.json`];
}
