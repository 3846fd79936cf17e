/**
 * Objects and programs that `simsight nvcc` writes, and archives of objects (`ar rcs`, which only keeps bytes). A program begins with a line that
 * lets a shell run it.
 *
 *   #!/usr/bin/env -S simsight run --
 *   SIMSIGHT-OBJECT
 *   (compressed JSON: the units)
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import { objectMagic, programHead } from '../base/program-file.ts';
import { checkedUnit, type StoredUnit } from './stored-units.ts';

/** Contents of an object or a program. */
export interface ObjectFile {
  units: StoredUnit[];
  /** Units of archives: they are in the program only if something in it needs them. */
  optional?: StoredUnit[];
  /** Device code was linked before (`-dlink`), so nothing is left to do. */
  deviceLink?: true;
}

/** Contents beyond this are none of ours. Bytes. */
const mostBytes = 1 << 30;

export function objectBytes(object: ObjectFile, kind: 'object' | 'program'): Buffer {
  const head = kind === 'program' ? programHead : objectMagic;
  return Buffer.concat([Buffer.from(head, 'latin1'), gzipSync(JSON.stringify(object))]);
}

const begins = (bytes: Uint8Array, text: string): boolean =>
  Buffer.from(bytes.subarray(0, text.length)).toString('latin1') === text;

/** The contents of an object or a program; null: it is neither, or damaged. */
export function objectOf(bytes: Uint8Array): ObjectFile | null {
  const at = [objectMagic, programHead].find((head) => begins(bytes, head))?.length;
  if (at === undefined) return null;
  let body: Partial<ObjectFile> | null;
  try {
    body = JSON.parse(gunzipSync(bytes.subarray(at), { maxOutputLength: mostBytes }).toString()) as ObjectFile;
  } catch {
    return null;
  }
  const read = (list: unknown): StoredUnit[] | null => {
    const units = Array.isArray(list) ? list.map(checkedUnit) : [null];
    return units.some((unit) => unit === null) ? null : (units as StoredUnit[]);
  };
  const units = read(body?.units);
  const optional = read(body?.optional ?? []);
  if (units === null || optional === null) return null;
  return {
    units,
    ...(optional.length === 0 ? {} : { optional }),
    ...(body?.deviceLink === true ? { deviceLink: true } : {}),
  };
}

const archiveMagic = '!<arch>\n';
const memberHeadBytes = 60;

/** The members of an archive of `ar`, as GNU and BSD write them; null: it is none. Errors: none; what is cut off is left out. */
export function archiveMembers(bytes: Uint8Array): { name: string; bytes: Uint8Array }[] | null {
  if (!begins(bytes, archiveMagic)) return null;
  const members: { name: string; bytes: Uint8Array }[] = [];
  let longNames = '';
  for (let at = archiveMagic.length; at + memberHeadBytes <= bytes.length;) {
    const head = Buffer.from(bytes.subarray(at, at + memberHeadBytes)).toString('latin1');
    const size = Number.parseInt(head.slice(48, 58), 10) || 0;
    at += memberHeadBytes;
    let content = bytes.subarray(at, at + size);
    at += size + (size % 2);
    let name = head.slice(0, 16).trimEnd();
    if (name === '//') longNames = Buffer.from(content).toString('latin1');
    // The tables of symbols.
    if (/^(?:\/|\/\/|\/SYM64\/|__\.SYMDEF.*)$/.test(name)) continue;
    const long = /^\/(\d+)$/.exec(name);
    const inside = /^#1\/(\d+)$/.exec(name);
    if (long) name = longNames.slice(Number(long[1])).split('\n')[0]!;
    else if (inside) {
      name = Buffer.from(content.subarray(0, Number(inside[1])))
        .toString('latin1')
        .replace(/\0+$/, '');
      content = content.subarray(Number(inside[1]));
    }
    members.push({ name: name.replace(/\/$/, ''), bytes: content });
  }
  return members;
}
