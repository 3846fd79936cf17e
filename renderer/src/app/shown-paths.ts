/**
 * The paths that this window showed last, so that loading its page again shows them again. They belong to the window (`sessionStorage`), not
 * to the person: another one begins with what its command line named.
 */
const key = 'simsight.shown';
interface Shown {
  /** The paths that the command line named then; a server that names something else is another one. */
  named: string[];
  paths: string[];
}

export function keepShown(named: readonly string[], paths: readonly string[]): void {
  try {
    sessionStorage.setItem(key, JSON.stringify({ named, paths }));
  } catch {
    // Storage full or forbidden: then the page begins with the start screen.
  }
}

/** The first are shown where there are more than there is room for. */
export function pathsToShow(named: readonly string[]): string[] {
  try {
    const shown = JSON.parse(sessionStorage.getItem(key) ?? 'null') as Partial<Shown> | null;
    const paths = Array.isArray(shown?.paths) ? shown.paths.filter((path) => typeof path === 'string') : [];
    if (shown && JSON.stringify(shown.named) === JSON.stringify(named)) return paths;
  } catch {
    // As if nothing had been kept.
  }
  return [...named];
}
