/**
 * The file of one cache entry: the hash of all that follows, a line of JSON (whose entry it is, messages, names
 * and sizes of the outputs), the outputs. An entry is what was written under its key, to the bit, or it is none.
 */
import { createHash, randomUUID } from 'node:crypto';
import { lstat, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { withRegularFile } from '../base/regular-file.ts';
import type { ToolResult } from './clang.ts';

interface Header {
  /** The key of the run that it is the result of: an entry under another's name is not that one's. */
  key: string;
  messages: string;
  outputs: { path: string; size: number }[];
}

/** The most bytes of an entry. A tool's output is far smaller; larger files are none of ours, and are not read to find that out. */
export const mostEntryBytes = 2 ** 28;

const newline = 10;
const hashLength = 64;
const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export function entryBytes(key: string, { messages, outputs }: ToolResult): Buffer {
  const header: Header = { key, messages, outputs: outputs.map(([path, bytes]) => ({ path, size: bytes.length })) };
  const hashed = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...outputs.map(([, bytes]) => bytes)]);
  return Buffer.concat([Buffer.from(`${digest(hashed)}\n`), hashed]);
}

/** The result that {@link entryBytes} made these bytes of; null for all else. */
export function parseEntry(key: string, entry: Buffer): ToolResult | null {
  const hashed = entry.subarray(hashLength + 1);
  if (entry[hashLength] !== newline || entry.toString('latin1', 0, hashLength) !== digest(hashed)) return null;
  const headerEnd = hashed.indexOf(newline);
  let header: Header;
  try {
    header = JSON.parse(hashed.toString('utf8', 0, headerEnd)) as Header;
  } catch {
    // Somebody else's, with a hash of their own.
    return null;
  }
  if (header?.key !== key) return null;
  const outputs: ToolResult['outputs'] = [];
  let offset = headerEnd + 1;
  for (const { path, size } of header.outputs) {
    outputs.push([path, new Uint8Array(hashed.subarray(offset, offset + size))]);
    offset += size;
  }
  return { outcome: 'success', messages: header.messages, outputs };
}

/** Null where there is no entry, whatever lies in its place. */
export async function readEntry(key: string, file: string): Promise<ToolResult | null> {
  try {
    const bytes = await withRegularFile(file, mostEntryBytes, (handle) => handle.readFile());
    return bytes && parseEntry(key, bytes);
  } catch {
    // The disk's own faults.
    return null;
  }
}

/** Puts an entry in its place, whatever was there. Where it cannot be written nothing of it is left. Returns its bytes. */
export async function writeEntry(key: string, file: string, result: ToolResult): Promise<number> {
  const bytes = entryBytes(key, result);
  const folder = dirname(file);
  const aside = join(folder, `${randomUUID()}.writing`);
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(aside, bytes);
    // Only a folder is not simply replaced.
    if ((await lstat(file).catch(() => null))?.isDirectory()) await rm(file, { recursive: true });
    await rename(aside, file);
  } catch (error) {
    await rm(aside, { force: true }).catch(() => {});
    throw error;
  }
  return bytes.length;
}
