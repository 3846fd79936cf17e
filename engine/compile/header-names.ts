/** Names that headers of the system may ask for: those of the C and C++ library, Clang's own, and ours. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from './package.ts';
import { sysrootFile } from './sysroot.ts';
import { layOut } from './sources.ts';

let texts: Buffer[] | null = null;
const known = new Map<string, boolean>();

const headerTexts = (): Buffer[] => [
  readFileSync(sysrootFile()),
  readFileSync(join(packageFolder(), 'llvm-resources.tar')),
  Buffer.concat(layOut(new Map()).map(([, bytes]) => bytes)),
];

const isLetter = (byte: number | undefined): boolean => byte !== undefined && /\w/.test(String.fromCharCode(byte));

function holds(text: Buffer, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!isLetter(text[at - 1]) && !isLetter(text[at + name.length])) return true;
  }
  return false;
}

/** False for a name that is in no header: a macro of that name cannot change what they say. */
export function isInHeaders(name: string): boolean {
  let found = known.get(name);
  if (found === undefined) {
    texts ??= headerTexts();
    known.set(name, (found = texts.some((text) => holds(text, name))));
  }
  return found;
}
