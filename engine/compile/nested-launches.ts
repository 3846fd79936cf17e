/**
 * Kernels that launch kernels, as the text of a source has them. Such a source needs relocatable device code, which Clang says after it has
 * read everything; so it is looked for here before, and what comes out is checked.
 */
import { withCommentsAndStrings } from './sources.ts';

type Files = ReadonlyMap<string, Uint8Array>;

const textOf = (bytes: Uint8Array): string =>
  withCommentsAndStrings(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'), () => ' ');

/** Of the files of sources: each is asked for by both of its passes. */
const launched = new WeakMap<Files, ReadonlySet<string>>();

/** Names of kernels that code for the device seems to launch; of those that are known by a pointer, that of the pointer. */
export function launchedByDevice(files: Files): ReadonlySet<string> {
  let names = launched.get(files);
  if (names === undefined) launched.set(files, (names = namesLaunchedIn(files)));
  return names;
}

function namesLaunchedIn(files: Files): Set<string> {
  const names = new Set<string>();
  for (const bytes of files.values()) {
    if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes('<<<')) continue;
    for (const body of deviceFunctions(textOf(bytes)))
      for (const [, name] of body.matchAll(/\b(\w+)\s*(?:<[^<>;]*(?:<[^<>;]*>[^<>;]*)*>\s*)?<<</g)) names.add(name!);
  }
  return names;
}

/** Bodies of functions marked for the device, in time that grows with the text. */
function* deviceFunctions(text: string): Generator<string> {
  const mark = /\b__(?:global|device)__\b/g;
  while (mark.exec(text) !== null) {
    const begin = /[{;]/g;
    begin.lastIndex = mark.lastIndex;
    const found = begin.exec(text);
    if (found === null) return;
    const end = found[0] === '{' ? endOfBlock(text, found.index) : found.index + 1;
    if (found[0] === '{') yield text.slice(found.index, end);
    mark.lastIndex = end;
  }
}

function endOfBlock(text: string, from: number): number {
  const brace = /[{}]/g;
  brace.lastIndex = from;
  let depth = 0;
  for (let found = brace.exec(text); found !== null; found = brace.exec(text)) {
    depth += found[0] === '{' ? 1 : -1;
    if (depth === 0) return found.index + 1;
  }
  return text.length;
}

/** True if kernels of one of the sources seem to launch kernels that are in another. */
export function seemToLaunchEachOther(sources: readonly { source: string; userFiles: Files }[]): boolean {
  return sources.some(({ userFiles }) => {
    const names = [...launchedByDevice(userFiles)];
    const defined = (files: Files, name: string): boolean => {
      const definition = new RegExp(`\\b${name}\\s*\\([^;{}]*\\)\\s*\\{`);
      return [...files.values()].some((bytes) => definition.test(textOf(bytes)));
    };
    const others = sources.filter((each) => each.userFiles !== userFiles);
    return names.some((name) => !defined(userFiles, name) && others.some((other) => defined(other.userFiles, name)));
  });
}
