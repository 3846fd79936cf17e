/**
 * Finds the files that a compilation may read, and lays them out for the compiler's file system.
 *
 * Clang runs over files in memory. Which ones it will want is found by following `#include "…"` and `#include <…>`
 * textually, without evaluating conditions: a few files too many, never a whole tree. Each is stored under a flat name,
 * and an overlay maps the real path to it. The overlay (and only it) resolves `..`, so that `#include "../common/x.h"`
 * works, and messages, `__FILE__` and line tables carry real paths.
 */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { compilerPath, realPath } from '../base/compiler-paths.ts';
import { SimsightError } from '../base/errors.ts';
import { cudaIncludeFolder } from '../base/paths.ts';
import { isWithin } from '../base/real-paths.ts';
import { isInCcclOnly, isOfCccl, isToolkit } from './cccl.ts';
import { ccclFolder, headerFolder, overlayFile } from './flags.ts';
import type { SourceLanguage, SourceOptions } from './types.ts';

/** A file as messages name it: relative to the first source's folder when it lies in there, else as it is. */
export function displayPath(pathInCompiler: string, sourceFolder: string): string {
  const library = [headerFolder, ccclFolder].find((each) => pathInCompiler.startsWith(`${each}/`));
  if (library !== undefined) return `<${pathInCompiler.slice(library.length + 1)}>`;
  if (!pathInCompiler.startsWith('/')) return pathInCompiler;
  const real = realPath(pathInCompiler);
  const inside = relative(sourceFolder, real);
  return inside.startsWith('..') || resolve(sourceFolder, inside) !== real ? real : inside;
}

const languages: Record<string, SourceLanguage> = {
  '.cu': 'cuda',
  '.c': 'c',
  '.cc': 'c++',
  '.cpp': 'c++',
  '.cxx': 'c++',
  '.c++': 'c++',
  '.cp': 'c++',
};

/** The language by the name's ending; undefined for what is no source. */
export const languageByName = (name: string): SourceLanguage | undefined =>
  // Not by extname, to which ".cu" is a name without an ending. To Unix compilers ".C" is C++.
  name.endsWith('.C') ? 'c++' : languages[/\.[^.]*$/.exec(basename(name))?.[0].toLowerCase() ?? ''];

/** Checks that the path names a source that can be compiled; throws the one clear error if not. `given`: its language, whatever its name. */
export function languageOf(source: string, given?: SourceLanguage): SourceLanguage {
  const info = statSync(source, { throwIfNoEntry: false });
  const place = { file: source };
  if (!info) {
    throw new SimsightError('file-not-found', `There is no file ${source}.`, 'Check the path of the source.', place);
  }
  if (info.isDirectory()) {
    throw new SimsightError('file-is-directory', `${source} is a folder.`, 'Name a .cu file in it.', place);
  }
  const language = given ?? languageByName(source);
  if (!language) {
    throw new SimsightError(
      'usage',
      `${basename(source)} is not a source that Simsight compiles.`,
      `Sources end in ${Object.keys(languages).join(', ')}.`,
      place,
    );
  }
  if (info.size === 0) {
    throw new SimsightError(
      'compile-failed',
      `${basename(source)} is empty.`,
      'Write a program with a main function.',
      place,
    );
  }
  return language;
}

/** Refuses what is no folder. One that is absent is left out, as by nvcc: where a header is not found, the error names it. */
export function checkIncludeFolder(folder: string): void {
  const info = statSync(folder, { throwIfNoEntry: false });
  if (info === undefined || info.isDirectory()) return;
  throw new SimsightError('usage', `${folder} is not a folder.`, 'Check the folders given with -I.', { file: folder });
}

/**
 * Comments and strings of a source in C or C++ as `by` has them; what is never closed stays as it is. In time that grows with the text, which a
 * regular expression that looks for the end of each anew does not keep to.
 */
export function withCommentsAndStrings(text: string, by: (found: string) => string): string {
  const starts = /\/[*/]|"/g;
  let [result, done] = ['', 0];
  /** The position before which no quote begins a string: the string that one would begin is not closed in its line. */
  let noStringBefore = 0;
  let hasCommentEnds = true;
  for (let start = starts.exec(text); start; start = starts.exec(text)) {
    let end = -1;
    if (start[0] === '//') end = endOf(text, text.indexOf('\n', start.index));
    else if (start[0] === '/*' && hasCommentEnds) {
      const close = text.indexOf('*/', start.index + 2);
      hasCommentEnds = close >= 0;
      end = close < 0 ? -1 : close + 2;
    } else if (start[0] === '"' && start.index >= noStringBefore) {
      const close = closingQuote(text, start.index);
      if (text[close] === '"') end = close + 1;
      else noStringBefore = close;
    }
    if (end < 0) {
      starts.lastIndex = start.index + 1;
      continue;
    }
    result += text.slice(done, start.index) + by(text.slice(start.index, end));
    starts.lastIndex = done = end;
  }
  return result + text.slice(done);
}

const endOf = (text: string, at: number): number => (at < 0 ? text.length : at);

/** Position at which a string ends, or its line where it does not. */
function closingQuote(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"' && text[at] !== '\n')
    at += text[at] === '\\' && text[at + 1] !== '\n' ? 2 : 1;
  return Math.min(at, text.length);
}

const includeLine = /^[ \t]*#[ \t]*(?:include|include_next|import)[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)/gm;
/** `#define CONFIG "config.h"`, `__has_include("x.h")`: includes by other ways. */
const otherMention = /__has_include[ \t]*\([ \t]*["<]([^">\n]+)[">]|^[ \t]*#[ \t]*define[^"\n]*"([^"\n]+)"/gm;
const isFileName = /\.[A-Za-z0-9+]+$/;

/** The most of one source with the user's headers: far more than any program has. Bytes. */
const mostBytes = 128 << 20;
const longestName = 1024;

function readSource(file: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(readFileSync(file));
  } catch (error) {
    throw new SimsightError('file-unreadable', `${file} cannot be read: ${(error as Error).message}.`, '', { file });
  }
}

/** Real path with all links followed; null where there is no such file. */
function fileAt(path: string): { real: string } | null {
  try {
    const info = statSync(path, { throwIfNoEntry: false });
    return info?.isFile() === true ? { real: realpathSync(path) } : null;
  } catch {
    // Names that no file can have, folders that nobody may enter.
    return null;
  }
}

/** A file that a source asks for and may not read. */
export interface Refusal {
  /** Name as it is written. */
  name: string;
  /** The file that asks. */
  file: string;
  /** The folder that would have to be allowed. */
  folder: string;
}

export type MayRead = (path: string) => boolean;

/** Allows files in one of the folders, or below, with all links followed as well. A file that does not exist may be read. */
export function withinFolders(folders: readonly string[]): MayRead {
  const named = folders.map((folder) => resolve(folder));
  const real = named.map((folder) => (existsSync(folder) ? realpathSync(folder) : folder));
  const isIn = (roots: readonly string[], path: string): boolean => roots.some((root) => isWithin(root, path));
  return (path) => {
    if (!isIn([...named, ...real], path)) return false;
    const there = fileAt(path);
    return there === null || isIn(real, there.real);
  };
}

type Folders = 'includeFolders' | 'systemFolders' | 'forcedIncludes';

export interface Gathering {
  /** Absent: any file may be read. */
  mayRead?: MayRead | undefined;
  onRefused?: ((refusal: Refusal) => void) | undefined;
  /** Is told that CCCL is included, which is none of the user's files. */
  onCccl?: () => void;
  /** Files that are none on the disk, by path. */
  given?: ReadonlyMap<string, Uint8Array> | undefined;
}

/**
 * The source and all files of the user's that it may include, by real path; to the compiler, there are no others but CCCL's and ours.
 * What may not be read is refused in the same way whether it is there or not.
 */
export function gatherFiles(
  source: string,
  { includeFolders: own, systemFolders = [], forcedIncludes = [] }: Pick<SourceOptions, Folders>,
  { mayRead = () => true, onRefused = () => {}, onCccl = () => {}, given }: Gathering = {},
): Map<string, Uint8Array> {
  const folders = [...own, ...systemFolders];
  const includeFolders = folders.filter((folder) => !isToolkit(folder));
  const found = new Map(given);
  const decoder = new TextDecoder();
  let bytes = 0;
  const take = (path: string, from: string): void => {
    const content = readSource(from);
    bytes += content.length;
    if (bytes > mostBytes)
      throw new SimsightError(
        'budget-exceeded',
        `${basename(source)} includes more than ${mostBytes >> 20} MB of files.`,
        'Include less, or read large data at run time.',
        { file: source },
      );
    found.set(path, content);
  };
  const include = (file: string, name: string, among: string[]): void => {
    if (name.length > longestName || name.includes('\0')) return;
    let refused: string | null = null;
    if (among.concat(folders).some((folder) => isOfCccl(name, folder))) return onCccl();
    for (const target of among.map((folder) => resolve(folder, name))) {
      if (found.has(target)) return;
      if (!mayRead(target)) {
        refused ??= target;
        continue;
      }
      const there = fileAt(target);
      if (there !== null) return take(target, there.real);
    }
    if (isInCcclOnly(name)) onCccl();
    if (refused !== null) onRefused({ name, file, folder: dirname(fileAt(refused)?.real ?? refused) });
  };
  if (!found.has(source)) take(source, source);
  for (const name of forcedIncludes) include(source, name, [dirname(source), ...includeFolders]);
  // Files that are found on the way are added to the end.
  for (const [file, content] of found) {
    const text = decoder.decode(content);
    const beside = [dirname(file), ...includeFolders];
    for (const [, quoted, angled] of text.matchAll(includeLine)) {
      if (quoted !== undefined) include(file, quoted, beside);
      else include(file, angled!, includeFolders);
    }
    for (const [, asked, defined] of text.matchAll(otherMention)) {
      const name = asked ?? defined!;
      if (asked !== undefined || isFileName.test(name)) include(file, name, beside);
    }
  }
  return found;
}

let headersRead: [path: string, bytes: Uint8Array][] | undefined;

/** Our CUDA headers, with paths below {@link headerFolder}; read once. */
function cudaHeaders(): [path: string, bytes: Uint8Array][] {
  headersRead ??= readdirSync(cudaIncludeFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => [
      `${headerFolder}/${relative(cudaIncludeFolder, path).replaceAll('\\', '/')}`,
      new Uint8Array(readFileSync(path)),
    ]);
  return headersRead;
}

/** Everything the compiler needs to read for one source: flat files, our headers and the overlay. */
export function layOut(files: Map<string, Uint8Array>): [path: string, bytes: Uint8Array][] {
  const laidOut: [string, Uint8Array][] = [];
  const roots: { name: string; type: 'file'; 'external-contents': string }[] = [];
  for (const [path, bytes] of files) {
    const flat = `/simsight/files/${roots.length}`;
    laidOut.push([flat, bytes]);
    roots.push({ name: compilerPath(path), type: 'file', 'external-contents': flat });
  }
  const overlay = { version: 0, 'case-sensitive': true, 'use-external-names': false, roots };
  return [...laidOut, ...cudaHeaders(), [overlayFile, new TextEncoder().encode(JSON.stringify(overlay))]];
}
