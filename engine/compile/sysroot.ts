/**
 * The C and C++ libraries that 64-bit host programs are compiled with and linked to, as build/sysroot.ts makes them: one file, which each
 * of the compiler's threads reads once.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sysrootFolder } from '../base/paths.ts';

/** Path below `/sysroot` in the compiler's file system, and content. */
export type SysrootFile = [path: string, bytes: Uint8Array];

/** Part of the key of everything that is compiled. */
export const sysrootVersion = (): string => readFileSync(join(sysrootFolder, 'version'), 'utf8');

/** The file that holds them all, as they are. */
export const sysrootFile = (): string => join(sysrootFolder, 'files');

export function sysrootFiles(): SysrootFile[] {
  const all = readFileSync(sysrootFile());
  const end = all.indexOf('\n') + 1;
  let at = end;
  return (JSON.parse(all.subarray(0, end).toString()) as [string, number][]).map(([path, length]) => {
    const bytes = new Uint8Array(all.buffer, all.byteOffset + at, length);
    at += length;
    return [path, bytes];
  });
}
