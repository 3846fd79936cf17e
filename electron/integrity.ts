/**
 * Checks that the files of the packed app beside its archive are those that it was packed with. Electron checks the archive itself,
 * its list of files foremost (asar integrity), and that list has the hashes of those beside it: the engine, the compiler, the native
 * module of SQLite. What is not in the list does not belong there either: packages look for others of some names, and run them.
 */
import { createHash } from 'node:crypto';
import { closeSync, createReadStream, openSync, readdirSync, readSync } from 'original-fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

interface Entry {
  files?: Record<string, Entry>;
  unpacked?: boolean;
  integrity?: { algorithm: string; hash: string };
}

/** `archive` as it lies on the disk, with `.unpacked` beside it. Gives the first file that is not as it was packed; null if all are. */
export async function changedFile(archive: string): Promise<string | null> {
  const listed = new Map(unpackedIn(listOf(archive)));
  const folder = `${archive}.unpacked`;
  for (const path of filesBelow(folder)) if (!listed.has(path)) return path;
  for (const [path, hash] of listed) if ((await hashOf(join(folder, path))) !== hash) return path;
  return null;
}

/** Two pickles: the size of the second, and in that a string of JSON. */
function listOf(archive: string): Entry {
  const file = openSync(archive, 'r');
  try {
    const sizes = Buffer.alloc(16);
    readSync(file, sizes, 0, sizes.length, 0);
    const json = Buffer.alloc(sizes.readUInt32LE(12));
    readSync(file, json, 0, json.length, sizes.length);
    return JSON.parse(json.toString('utf8')) as Entry;
  } finally {
    closeSync(file);
  }
}

function unpackedIn({ files = {} }: Entry, folder = ''): [path: string, hash: string | undefined][] {
  return Object.entries(files).flatMap(([name, entry]) => {
    const path = folder === '' ? name : `${folder}/${name}`;
    if (entry.files) return unpackedIn(entry, path);
    return entry.unpacked ? [[path, entry.integrity?.hash] as [string, string | undefined]] : [];
  });
}

function filesBelow(folder: string, path = ''): string[] {
  return readdirSync(join(folder, path), { withFileTypes: true }).flatMap((entry) => {
    const below = path === '' ? entry.name : `${path}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(folder, below) : [below];
  });
}

/** Null where it cannot be read. */
async function hashOf(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path, { highWaterMark: 2 ** 20 }), hash);
    return hash.digest('hex');
  } catch {
    return null;
  }
}
