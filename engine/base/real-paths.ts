/** Real targets of paths, whether or not there is something yet. */
import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';

/** Most links that are followed, as many as Linux follows. */
const mostLinks = 40;

/**
 * The path with all links followed, as far as it exists: what is to be written may not exist yet, nor what a link leads to. What cannot
 * be looked at has its path as it is.
 */
export function withoutLinks(path: string, links = mostLinks): string {
  const full = resolve(path);
  try {
    return realpathSync(full);
  } catch {
    const parent = dirname(full);
    if (parent === full) return full;
    const within = join(withoutLinks(parent, links), basename(full));
    const to = linkAt(within);
    return to === null || links === 0 ? within : withoutLinks(resolve(dirname(within), to), links - 1);
  }
}

/** True for the folder itself and for paths inside it. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (!/^\.\.([/\\]|$)/.test(way) && !isAbsolute(way));
}

function linkAt(path: string): string | null {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null;
  } catch {
    return null;
  }
}
