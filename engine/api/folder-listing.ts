/** Listing for browser mode's open dialog: folders, traces and sources. */
import { readdirSync, statSync } from 'node:fs';
import { dirname, join, parse, resolve } from 'node:path';
import { SimsightError } from '../base/errors.ts';
import type { FolderEntry, FolderListing } from './types.ts';

/** Kinds by file name extension; notes on traces have none. */
const kinds: readonly [RegExp, FolderEntry['kind']][] = [
  [/(\.(simsight|sqlite|json\.gz)|(?<!\.notes)\.json)$/i, 'trace'],
  [/\.(cu|cpp|cc|cxx|c)$/i, 'source'],
];
const order: readonly FolderEntry['kind'][] = ['folder', 'trace', 'source'];

/** `isAllowed` keeps entries out that could not be opened: links that lead elsewhere. */
export function listFolder(path: string, isAllowed: (path: string) => boolean): FolderListing {
  const folder = resolve(path);
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const place = { file: path };
    if (code === 'ENOENT') throw new SimsightError('file-not-found', `There is no folder ${path}.`, '', place);
    if (code === 'ENOTDIR') throw new SimsightError('bad-request', `${path} is not a folder.`, '', place);
    throw new SimsightError('file-unreadable', `${path} cannot be read: ${(error as Error).message}`, '', place);
  }
  const entries = names
    .filter((name) => !name.startsWith('.'))
    .map((name) => entryOf(join(folder, name), name))
    .filter((entry) => entry !== null)
    .filter((entry) => isAllowed(entry.path));
  const parent = dirname(folder);
  return { path: folder, parent: parent !== folder && isAllowed(parent) ? parent : null, entries: sorted(entries) };
}

/** The folders one starts from. */
export function listRoots(folders: readonly string[]): FolderListing {
  const entries = [...new Set(folders.map((folder) => resolve(folder)))]
    .map((folder) => entryOf(folder, parse(folder).base || folder))
    .filter((entry) => entry?.kind === 'folder');
  return { path: '', parent: null, entries: entries as FolderEntry[] };
}

function sorted(entries: FolderEntry[]): FolderEntry[] {
  const compare = new Intl.Collator('en', { numeric: true }).compare;
  return entries.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || compare(a.name, b.name));
}

/** null for files that Simsight does not open, and for links that lead nowhere. */
function entryOf(path: string, name: string): FolderEntry | null {
  try {
    const stat = statSync(path);
    const kind = stat.isDirectory() ? 'folder' : stat.isFile() ? kinds.find(([end]) => end.test(name))?.[1] : undefined;
    return kind ? { name, path, kind, size: stat.size, modifiedAt: Math.round(stat.mtimeMs) } : null;
  } catch {
    return null;
  }
}
