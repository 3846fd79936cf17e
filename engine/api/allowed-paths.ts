/**
 * Which files a front end may name. In browser mode these are the folders that were granted on the command line, what
 * was named there, the recordings and the examples; links are followed before the check, so that a link inside a granted
 * folder opens nothing outside of it. The desktop app has the user's own dialogs and no limits. What is written by a front end's name
 * goes below the folders of recordings and sweeps, in either.
 */
import { resolve } from 'node:path';
import { SimsightError } from '../base/errors.ts';
import { isWithin, withoutLinks } from '../base/real-paths.ts';

const ofSession = {
  where: 'in a folder that this session may use',
  remedy: 'Start Simsight with "--folder" for the folder that it is in.',
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

  /** The absolute path; throws `file-not-allowed`, in the same words whether there is such a file or not. */
  check(path: string): string {
    if (this.allows(path)) return resolve(path);
    const { where, remedy } = this.words;
    throw new SimsightError('file-not-allowed', `${path} is not ${where}.`, remedy, { file: path });
  }
}
